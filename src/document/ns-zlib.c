/* zlib streams in memory.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "document/ns-zlib.h"

#include <glib/gi18n-lib.h>

#define CONVERTED_BYTES 16384
#define BEST_LEVEL 9

GByteArray *
ns_zlib_deflate (gconstpointer data, gsize length)
{
  g_autoptr (GZlibCompressor) compressor = g_zlib_compressor_new (G_ZLIB_COMPRESSOR_FORMAT_ZLIB, BEST_LEVEL);
  g_autofree guint8 *chunk = g_malloc (CONVERTED_BYTES);
  GByteArray *out = g_byte_array_new ();
  const char *from = length > 0 ? data : ""; /* an empty array has no data */

  for (;;)
    {
      gsize taken = 0, made = 0;
      GConverterResult state = g_converter_convert (G_CONVERTER (compressor), from, length, chunk, CONVERTED_BYTES,
                                                    G_CONVERTER_INPUT_AT_END, &taken, &made, NULL);

      /* Input and output space are never short, so only an allocation could fail, on which GLib aborts. */
      g_assert (state != G_CONVERTER_ERROR);
      g_byte_array_append (out, chunk, (guint) made);
      from += taken;
      length -= taken;
      if (state == G_CONVERTER_FINISHED)
        return out;
    }
}

GByteArray *
ns_zlib_inflate (gconstpointer data, gsize length, gsize max_bytes, const char **reason)
{
  g_autoptr (GZlibDecompressor) decompressor = g_zlib_decompressor_new (G_ZLIB_COMPRESSOR_FORMAT_ZLIB);
  g_autofree guint8 *chunk = g_malloc (CONVERTED_BYTES);
  g_autoptr (GByteArray) out = g_byte_array_new ();
  const char *from = length > 0 ? data : ""; /* an empty array has no data */

  for (;;)
    {
      gsize taken = 0, made = 0;
      g_autoptr (GError) cause = NULL;
      GConverterResult state = g_converter_convert (G_CONVERTER (decompressor), from, length, chunk, CONVERTED_BYTES,
                                                    G_CONVERTER_INPUT_AT_END, &taken, &made, &cause);

      if (state == G_CONVERTER_ERROR)
        {
          gboolean truncated = length == 0 || g_error_matches (cause, G_IO_ERROR, G_IO_ERROR_PARTIAL_INPUT);

          *reason = truncated ? _ ("it is truncated") : _ ("its compressed data is corrupt");
          return NULL;
        }
      if (out->len + made > max_bytes)
        {
          *reason = _ ("its decompressed data is too large");
          return NULL;
        }
      g_byte_array_append (out, chunk, (guint) made);
      from += taken;
      length -= taken;
      if (state == G_CONVERTER_FINISHED)
        break;
    }
  if (length > 0)
    {
      *reason = _ ("extra data follows its end");
      return NULL;
    }
  return g_steal_pointer (&out);
}
