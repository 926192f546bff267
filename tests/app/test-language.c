/* The real window in German: texts of templates and of the parameter table, and the sentence.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app-fixture.h"

#include <glib/gi18n-lib.h>
#include <stdlib.h>
#include <string.h>

static void
test_german (Fixture *fixture, gconstpointer data)
{
  static const char *const shown[] = { "Variants", "Depth", "More settings", "Attention residual" };
  g_autofree char *description = app_dup_description (GTK_WIDGET (fixture->plot));

  if (strcmp (_ ("Variants"), "Variants") == 0)
    {
      g_test_skip ("there is no German translation in the build folder");
      return;
    }
  for (gsize i = 0; i < G_N_ELEMENTS (shown); i++)
    {
      const char *german = g_dgettext (GETTEXT_PACKAGE, shown[i]);

      g_assert_cmpstr (german, !=, shown[i]);
      g_assert_nonnull (app_find_text (GTK_WIDGET (fixture->window), german));
      g_assert_null (app_find_text (GTK_WIDGET (fixture->window), shown[i]));
    }
  g_assert_null (strstr (description, "from block"));
  g_assert_nonnull (strstr (description, "Pre-LN"));
}

int
main (int argc, char **argv)
{
  /* In C.UTF-8, LANGUAGE selects the translation, so no locale package is needed. */
  g_setenv ("LANGUAGE", "de", TRUE);
  if (!app_test_init (&argc, &argv))
    return EXIT_SUCCESS;
  app_test_add ("/language/german", test_german);
  return app_test_run ();
}
