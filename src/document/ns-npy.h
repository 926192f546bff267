/* NumPy array files: .npy version 1.0, C order, '<f4' or '<i4'.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Written little-endian on any machine. The format: numpy.lib.format of the NumPy manual.
 * Threads: any; nothing here keeps state.
 */
#pragma once

#include "document/ns-file.h"

G_BEGIN_DECLS

/* Magic, version, length and the dict, padded with spaces to a multiple of 64 and closed by a newline. `descr` is
 * "<f4" or "<i4", or a list of fields "[('layer', '<i4'), …]" of less than 32 KiB; n_dims is 0..3. Caller owns the
 * bytes. */
GBytes *ns_npy_header (const char *descr, guint n_dims, const gint64 *dims);

/* Exactly one of values and ids is not NULL and holds the product of dims. The file is created or overwritten in
 * place: the caller sees to it that a failed one is removed. */
gboolean ns_npy_write (const char *path, guint n_dims, const gint64 *dims, const float *values, const gint32 *ids,
                       GError **error);

G_END_DECLS
