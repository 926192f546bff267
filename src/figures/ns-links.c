/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "figures/ns-links.h"

#include <string.h>

/* Control characters, which neither translations nor the names of variants contain: BEGIN page TEXT clause END. */
#define BEGIN '\002'
#define TEXT  '\003'
#define END   '\004'

char *
ns_link_mark (const char *page, char *clause)
{
  g_autofree char *taken = clause;

  return taken != NULL ? g_strdup_printf ("%c%s%c%s%c", BEGIN, page, TEXT, taken, END) : NULL;
}

char *
ns_link_mark_quantity (const char *name, char *clause)
{
  g_autofree char *page = g_strconcat (NS_PAGE_OF_QUANTITY, name, NULL);

  return ns_link_mark (page, clause);
}

char *
ns_links_resolve (char *marked, GArray **links)
{
  g_autofree char *taken = marked;
  GArray *found = g_array_new (FALSE, FALSE, sizeof (NsLink));
  GString *text = g_string_new (NULL);

  for (const char *c = taken; *c != '\0'; c++)
    {
      const char *end = *c == BEGIN ? strchr (c, TEXT) : NULL;

      if (end != NULL)
        {
          g_autofree char *page = g_strndup (c + 1, (gsize) (end - c) - 1);
          NsLink link = { (guint) text->len, (guint) text->len, g_intern_string (page) };

          g_array_append_val (found, link);
          c = end;
        }
      else if (*c == END && found->len > 0)
        {
          g_array_index (found, NsLink, found->len - 1).end = (guint) text->len;
        }
      else
        {
          g_string_append_c (text, *c);
        }
    }
  if (links != NULL)
    *links = found;
  else
    g_array_unref (found);
  return g_string_free (text, FALSE);
}
