/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "document/ns-npy-rows-private.h"

#include "document/ns-npy.h"

#include <string.h>

void
ns_npy_append_int32 (GString *rows, gint64 value)
{
  gint32 little = GINT32_TO_LE ((gint32) value);

  g_string_append_len (rows, (const char *) &little, sizeof little);
}

void
ns_npy_append_int64 (GString *rows, gint64 value)
{
  gint64 little = GINT64_TO_LE (value);

  g_string_append_len (rows, (const char *) &little, sizeof little);
}

void
ns_npy_append_double (GString *rows, double value)
{
  gint64 bits;

  G_STATIC_ASSERT (sizeof bits == sizeof value);
  memcpy (&bits, &value, sizeof bits);
  ns_npy_append_int64 (rows, bits);
}

void
ns_npy_append_text (GString *rows, const char *text, guint chars)
{
  for (guint i = 0; i < chars; i++)
    {
      ns_npy_append_int32 (rows, *text != '\0' ? (gint64) g_utf8_get_char (text) : 0);
      if (*text != '\0')
        text = g_utf8_next_char (text);
    }
}

GBytes *
ns_npy_finish (GString *rows, const char *descr, gint64 n)
{
  g_autoptr (GBytes) header = ns_npy_header (descr, 1, &n);
  gsize length;
  const char *head = g_bytes_get_data (header, &length);

  g_string_insert_len (rows, 0, head, (gssize) length);
  return g_string_free_to_bytes (rows);
}
