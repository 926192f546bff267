/* An experiment as a PyTorch script: readable, with torch alone, and with the numbers that it has to find.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The script reads the arrays of a dump beside it, runs the same forward and backward pass in float64, prints the table
 * and states the largest relative difference to the numbers written in it; its exit status is 1 when that is above
 * 1e-3. With --own-weights it draws everything itself and prints only.
 * Threads: any; nothing here keeps state.
 */
#pragma once

#include "engine/run/ns-result.h"

#include <gio/gio.h>

G_BEGIN_DECLS

/* The script's name in its folder. */
#define NS_TORCH_SCRIPT_NAME "experiment.py"

/* `result` is that of one variant and one seed. UTF-8; caller owns the bytes. */
GBytes *ns_torch_script_new (const NsResult *result);

G_END_DECLS
