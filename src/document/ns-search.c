/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "document/ns-search.h"

#include <string.h>

/* Keep letters and digits only, so that "preln", "pre ln" and "pre-ln" all find "Pre-LN". */
static char *
dup_letters (const char *text)
{
  g_autofree char *plain = g_str_to_ascii (text, NULL);
  GString *letters = g_string_new (NULL);

  for (const char *c = plain; *c != '\0'; c++)
    if (g_ascii_isalnum (*c))
      g_string_append_c (letters, g_ascii_tolower (*c));
  return g_string_free (letters, FALSE);
}

char *
ns_search_dup_haystack (const char *text)
{
  return dup_letters (text);
}

gboolean
ns_search_matches (const char *haystack, const char *words)
{
  g_auto (GStrv) parts = g_strsplit_set (words != NULL ? words : "", " \t", -1);

  for (char **part = parts; *part != NULL; part++)
    {
      g_autofree char *letters = dup_letters (*part);

      if (strstr (haystack, letters) == NULL)
        return FALSE;
    }
  return TRUE;
}
