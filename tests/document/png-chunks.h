/* Build PNG files chunk by chunk to test readers (W3C, Portable Network Graphics, 5: datastream structure).
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <glib.h>

#define PNG_SIGNATURE_BYTES 8

/* Return the signature and the header of one grey pixel. Caller owns the array. */
GByteArray *png_begin (void);

/* Append a chunk with correct length and checksum; `type` has four letters. */
void png_append_chunk (GByteArray *png, const char *type, gconstpointer data, gsize length);
