/* Suggest the name that the user probably meant.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "document/ns-suggest.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#define MAX_LENGTH 64

/* Optimal string alignment distance: an insertion, deletion, substitution or swap of neighbours costs 1. */
static gsize
edit_distance (const char *a, const char *b)
{
  gsize rows[3][MAX_LENGTH + 1];
  gsize n = strlen (b);

  for (gsize j = 0; j <= n; j++)
    rows[0][j] = j;
  for (gsize i = 1; a[i - 1] != '\0'; i++)
    {
      gsize *row = rows[i % 3];
      const gsize *above = rows[(i + 2) % 3];
      const gsize *above2 = rows[(i + 1) % 3];

      row[0] = i;
      for (gsize j = 1; j <= n; j++)
        {
          gsize cost = g_ascii_tolower (a[i - 1]) != g_ascii_tolower (b[j - 1]);

          row[j] = MIN (MIN (above[j] + 1, row[j - 1] + 1), above[j - 1] + cost);
          if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
            row[j] = MIN (row[j], above2[j - 2] + 1);
        }
    }
  return rows[strlen (a) % 3][n];
}

const char *
ns_suggest (const char *wrong, const char *const *names)
{
  const char *nearest = NULL;
  gsize best = G_MAXSIZE;

  if (strlen (wrong) > MAX_LENGTH)
    return NULL;
  for (gsize i = 0; names[i] != NULL; i++)
    {
      gsize longest = MAX (strlen (wrong), strlen (names[i]));
      gsize distance;

      if (strlen (names[i]) > MAX_LENGTH)
        continue;
      distance = edit_distance (wrong, names[i]);
      if (distance < best && 2 * distance <= longest)
        {
          best = distance;
          nearest = names[i];
        }
    }
  return nearest;
}

char *
ns_suggest_dup_text (const char *wrong, const char *const *names)
{
  const char *nearest = ns_suggest (wrong, names);
  g_autofree char *all = g_strjoinv (", ", (char **) names);

  if (nearest == NULL)
    return g_strdup_printf (_ ("Allowed: %s"), all);
  return g_strdup_printf (_ ("Did you mean “%s”? Allowed: %s"), nearest, all);
}
