/* The losses of a training as an aligned table for a terminal: a row for some steps, a column for each variant.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Threads: any; nothing here keeps state.
 */
#pragma once

#include "engine/train/ns-training.h"

#include <gio/gio.h>

G_BEGIN_DECLS

/* Write the table: the mean over the runs that have reached a step, the mean of the last steps with its deviation over
 * the runs, what the losses compare with, and which runs diverged. Translated. The training may still run, or have been
 * cancelled. Caller owns the bytes. */
GBytes *ns_training_to_table (const NsTraining *training);

G_END_DECLS
