/* Mutations of JSON for fuzz targets.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* libFuzzer's mutation of bytes. Return the new size. */
gsize LLVMFuzzerMutate (guint8 *data, gsize size, gsize max_size);

/* Mutate JSON; libFuzzer calls this instead, if the target defines it. Return the new size. */
gsize LLVMFuzzerCustomMutator (guint8 *data, gsize size, gsize max_size, guint seed);

G_END_DECLS
