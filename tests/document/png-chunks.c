/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "png-chunks.h"

#include <zlib.h>

static void
append_uint32 (GByteArray *png, guint32 value)
{
  guint32 big = GUINT32_TO_BE (value);

  g_byte_array_append (png, (const guint8 *) &big, 4);
}

GByteArray *
png_begin (void)
{
  static const guint8 header[13] = { 0, 0, 0, 1, 0, 0, 0, 1, 8 };
  GByteArray *png = g_byte_array_new ();

  g_byte_array_append (png, (const guint8 *) "\x89PNG\r\n\x1a\n", PNG_SIGNATURE_BYTES);
  png_append_chunk (png, "IHDR", header, sizeof header);
  return png;
}

void
png_append_chunk (GByteArray *png, const char *type, gconstpointer data, gsize length)
{
  guint start = png->len + 4;

  append_uint32 (png, (guint32) length);
  g_byte_array_append (png, (const guint8 *) type, 4);
  g_byte_array_append (png, data, (guint) length);
  append_uint32 (png, (guint32) crc32 (0, png->data + start, png->len - start));
}
