/* Mutations of JSON for fuzz targets.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* libFuzzer's own mutation of bytes. */
gsize LLVMFuzzerMutate (guint8 *data, gsize size, gsize max_size);

/* What libFuzzer calls instead of it where a target has one. The new size. */
gsize LLVMFuzzerCustomMutator (guint8 *data, gsize size, gsize max_size, guint seed);

G_END_DECLS
