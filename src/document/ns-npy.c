/* NumPy array files.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "document/ns-npy.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gi18n-lib.h>
#include <glib/gstdio.h>
#include <stdio.h>
#include <string.h>

#define ALIGNMENT 64
/* Magic, version and the length of the dict. */
#define PREFIX_BYTES 10
/* Items to convert to little-endian at a time. */
#define CHUNK_ITEMS 4096

GBytes *
ns_npy_header (const char *descr, guint n_dims, const gint64 *dims)
{
  g_autoptr (GString) dict = g_string_new (NULL);
  GByteArray *header = g_byte_array_new ();
  guint8 length[2];

  /* A record type is a Python list, a plain type a quoted string. */
  g_string_append_printf (dict,
                          *descr == '[' ? "{'descr': %s, 'fortran_order': False, 'shape': ("
                                        : "{'descr': '%s', 'fortran_order': False, 'shape': (",
                          descr);
  for (guint i = 0; i < n_dims; i++)
    g_string_append_printf (dict, "%s%" G_GINT64_FORMAT, i > 0 ? ", " : "", dims[i]);
  g_string_append (dict, n_dims == 1 ? ",), }" : "), }");
  while ((PREFIX_BYTES + dict->len + 1) % ALIGNMENT != 0)
    g_string_append_c (dict, ' ');
  g_string_append_c (dict, '\n');

  length[0] = (guint8) (dict->len & 0xff);
  length[1] = (guint8) (dict->len >> 8);
  g_byte_array_append (header, (const guint8 *) "\x93NUMPY\x01\x00", 8);
  g_byte_array_append (header, length, 2);
  g_byte_array_append (header, (const guint8 *) dict->str, (guint) dict->len);
  return g_byte_array_free_to_bytes (header);
}

/* Both kinds of items are 32 bits wide. */
static gboolean
write_items (FILE *file, const void *items, gsize n)
{
  guint32 chunk[CHUNK_ITEMS];
  const char *from = items;

  while (n > 0)
    {
      gsize count = MIN (n, (gsize) CHUNK_ITEMS);

      memcpy (chunk, from, count * sizeof *chunk);
      for (gsize i = 0; i < count; i++)
        chunk[i] = GUINT32_TO_LE (chunk[i]);
      if (fwrite (chunk, sizeof *chunk, count, file) != count)
        return FALSE;
      from += count * sizeof *chunk;
      n -= count;
    }
  return TRUE;
}

gboolean
ns_npy_write (const char *path, guint n_dims, const gint64 *dims, const float *values, const gint32 *ids,
              GError **error)
{
  g_autoptr (GBytes) header = NULL;
  const void *items = values != NULL ? (const void *) values : ids;
  gsize n = 1, length;
  gboolean written;
  int cause;
  FILE *file;

  G_STATIC_ASSERT (sizeof (float) == sizeof (guint32));
  g_return_val_if_fail ((values != NULL) != (ids != NULL), FALSE);

  header = ns_npy_header (values != NULL ? "<f4" : "<i4", n_dims, dims);
  length = g_bytes_get_size (header);
  for (guint i = 0; i < n_dims; i++)
    n *= (gsize) dims[i];

  file = g_fopen (path, "wbe");
  if (file == NULL)
    {
      g_set_error (error, NS_DOCUMENT_ERROR, NS_DOCUMENT_ERROR_OUTPUT, _ ("%s cannot be written: %s"), path,
                   g_strerror (errno));
      return FALSE;
    }
  written = fwrite (g_bytes_get_data (header, NULL), 1, length, file) == length && write_items (file, items, n);
  cause = errno;
  if (fclose (file) != 0 && written)
    {
      written = FALSE;
      cause = errno;
    }
  if (!written)
    g_set_error (error, NS_DOCUMENT_ERROR, NS_DOCUMENT_ERROR_OUTPUT, _ ("%s cannot be written: %s"), path,
                 g_strerror (cause));
  return written;
}
