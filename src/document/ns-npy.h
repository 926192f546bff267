/* NumPy array files: .npy version 1.0, C order, '<f4' or '<i4'.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Files are little-endian on every machine. Format: numpy.lib.format in the NumPy manual.
 * Threads: any; nothing here keeps state.
 */
#pragma once

#include "document/ns-file.h"

G_BEGIN_DECLS

/* Return a header: magic, version, length and dict, padded with spaces to a multiple of 64 bytes and ended by a
 * newline. `descr` is "<f4" or "<i4", or a list of fields "[('layer', '<i4'), …]" of less than 32 KiB; n_dims is 0..3.
 * Caller owns the bytes. */
GBytes *ns_npy_header (const char *descr, guint n_dims, const gint64 *dims);

/* Write an array of shape dims [n_dims]; exactly one of values and ids is not NULL. Creates the file or overwrites it
 * in place; on an NS_DOCUMENT_ERROR_OUTPUT the caller removes the incomplete file. */
gboolean ns_npy_write (const char *path, guint n_dims, const gint64 *dims, const float *values, const gint32 *ids,
                       GError **error);

G_END_DECLS
