/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "doc-rows.h"

#include <string.h>

void
assert_rows (const char *file, const char *mark, const char *rows)
{
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "..", "docs", file, NULL);
  g_autofree char *opening = g_strdup_printf ("<!-- %s", mark);
  g_autofree char *closing = g_strdup_printf ("<!-- /%s -->", mark);
  g_autofree char *text = NULL;
  g_auto (GStrv) wanted = g_strsplit (rows, "\n", -1);
  g_auto (GStrv) found = NULL;
  GError *error = NULL;
  char *start, *end;
  gsize i;

  g_file_get_contents (path, &text, NULL, &error);
  g_assert_no_error (error);
  start = strstr (text, opening);
  g_assert_nonnull (start);
  start = strchr (start, '\n') + 1;
  end = strstr (start, closing);
  g_assert_nonnull (end);
  *end = '\0';
  found = g_strsplit (start, "\n", -1);
  for (i = 0; wanted[i] != NULL && found[i] != NULL; i++)
    g_assert_cmpstr (found[i], ==, wanted[i]);
  g_assert_cmpstr (found[i], ==, wanted[i]);
}
