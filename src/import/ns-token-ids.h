/* Read token ids from a file: an .npy array of integers, or a text of numbers.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Files are untrusted. Threads: any; nothing here keeps state.
 */
#pragma once

#include "document/ns-file.h"

G_BEGIN_DECLS

/* Read the ids as gint32, one after the other. An .npy file (versions 1 to 3, C order, little-endian integers of 1 to 8
 * bytes) has one or two dimensions: of two, *rows and *columns are its shape. Otherwise *rows is 0. A text has numbers
 * with blanks, line breaks or commas between them. Return NULL and an NS_DOCUMENT_ERROR_INPUT with the file, the place,
 * the value and what is allowed. Caller owns the bytes. */
GBytes *ns_token_ids_read (const char *path, gint64 *rows, gint64 *columns, GError **error);
/* The same for bytes; `name` is the file's name in messages. */
GBytes *ns_token_ids_from_bytes (GBytes *bytes, const char *name, gint64 *rows, gint64 *columns, GError **error);

G_END_DECLS
