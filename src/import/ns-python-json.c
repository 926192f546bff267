/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "import/ns-python-json.h"

#include <errno.h>
#include <string.h>

/* Return the length of a number that Python writes and JSON lacks: NaN, Infinity, an integer of more than 64 bits. 0
 * for everything else. The text ends with a NUL. */
static gsize
get_python_number (const char *text)
{
  static const char *const words[] = { "NaN", "Infinity", "-Infinity" };
  const char *digits = text + (*text == '-' ? 1 : 0);
  gsize n = strspn (digits, "0123456789");

  for (gsize i = 0; i < G_N_ELEMENTS (words); i++)
    if (g_str_has_prefix (text, words[i]) && !g_ascii_isalnum (text[strlen (words[i])]))
      return strlen (words[i]);
  if (n < 19 || strchr (".eE", digits[n]) != NULL)
    return 0;
  errno = 0;
  (void) g_ascii_strtoll (text, NULL, 10);
  return errno == ERANGE ? (gsize) (digits - text) + n : 0;
}

GBytes *
ns_python_json_quote_numbers (GBytes *bytes)
{
  gsize length = g_bytes_get_size (bytes);
  g_autofree char *text = g_malloc (length + 1);
  GString *quoted = g_string_sized_new (length + 1);
  gboolean in_string = FALSE;

  if (length > 0)
    memcpy (text, g_bytes_get_data (bytes, NULL), length);
  text[length] = '\0';
  for (const char *p = text; p < text + length;)
    {
      gsize n = in_string ? 0 : get_python_number (p);

      if (n > 0)
        g_string_append_printf (quoted, "\"%.*s\"", (int) n, p);
      else
        {
          in_string ^= *p == '"';
          n = in_string && *p == '\\' && p + 1 < text + length ? 2 : 1; /* with what it escapes */
          if (!in_string && (g_ascii_isdigit (*p) || *p == '-')) /* the rest of the number is no other one */
            n = MAX (n, strspn (p, "-+.0123456789eE"));
          g_string_append_len (quoted, p, (gssize) n);
        }
      p += n;
    }
  return g_string_free_to_bytes (quoted);
}
