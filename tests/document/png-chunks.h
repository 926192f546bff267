/* PNG files by hand, for what reads them (W3C, Portable Network Graphics, 5: datastream structure).
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <glib.h>

#define PNG_SIGNATURE_BYTES 8

/* The signature and the header of one grey pixel; caller owns the array. */
GByteArray *png_begin (void);

/* `type` has four letters. Length and checksum are the right ones. */
void png_append_chunk (GByteArray *png, const char *type, gconstpointer data, gsize length);
