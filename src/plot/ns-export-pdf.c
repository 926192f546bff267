/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "plot/ns-export-private.h"

#include <string.h>

#define TAIL_BYTES 64
#define ENTRY_BYTES 20

/* Compare the bytes at an offset with a text. */
static gboolean
has_text (const char *data, gsize length, guint64 offset, const char *text)
{
  gsize n = strlen (text);

  return offset < length && length - offset >= n && memcmp (data + offset, text, n) == 0;
}

/* Return the number behind an offset; *end is the offset after it. */
static guint64
read_number (const char *data, gsize length, guint64 offset, guint64 *end)
{
  guint64 number = 0;

  for (*end = offset; *end < length && g_ascii_isdigit (data[*end]) && number < G_MAXUINT32; (*end)++)
    number = 10 * number + (guint64) (data[*end] - '0');
  return number;
}

/* Find the table of the objects' offsets from the end of the file: "startxref\n30288\n%%EOF\n". */
static gboolean
find_table (const char *data, gsize length, guint64 *table)
{
  static const char mark[] = "startxref\n";
  gsize first = length > TAIL_BYTES ? length - TAIL_BYTES : 0;

  for (gsize i = first; i < length; i++)
    if (has_text (data, length, i, mark))
      {
        guint64 end;

        *table = read_number (data, length, i + strlen (mark), &end);
        return has_text (data, length, end, "\n%%EOF");
      }
  return FALSE;
}

gboolean
ns_export_pdf_is_whole (const guint8 *bytes, gsize length)
{
  const char *data = (const char *) bytes;
  guint64 table, n, end, after;

  if (!find_table (data, length, &table))
    return FALSE;
  if (!has_text (data, length, table, "xref\n0 "))
    return table > 0 && table < length && g_ascii_isdigit (data[table]); /* an object has the table, compressed */
  n = read_number (data, length, table + strlen ("xref\n0 "), &end);
  if (!has_text (data, length, end, "\n") || n < 2 || n > (length - end) / ENTRY_BYTES)
    return FALSE;
  for (guint64 i = 1; i < n; i++)
    {
      g_autofree char *head = g_strdup_printf ("%" G_GUINT64_FORMAT " 0 obj", i);
      guint64 offset = read_number (data, length, end + 1 + ENTRY_BYTES * i, &after);

      if (offset == 0 || !has_text (data, length, offset, head))
        return FALSE;
    }
  return TRUE;
}
