/* The real window in German: texts of templates and of the parameter table, and the sentence.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app-widgets.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/scaling/normscope-scaling-status.h"
#include "plot/ns-number.h"

static void
assert_ticks (void)
{
  g_autofree char *tick = ns_log10_to_markup (log10 (0.25), 2);
  g_autofree char *power = ns_log10_to_markup (log10 (2.5e-7), 2);

  g_assert_cmpstr (tick, ==, "0,25");
  g_assert_cmpstr (power, ==, "2,5·10<sup>−7</sup>");
}

/* The hint is short enough for the smallest usual window. */
static void
test_texts_fit (Fixture *fixture, gconstpointer data)
{
  const char *hint = _ ("Point at the plots or press ← → for values, click to pin them");
  GtkWidget *label;

  app_resize (fixture, 1280, 720);
  label = app_wait_for_text (GTK_WIDGET (fixture->window), hint);
  g_assert_false (pango_layout_is_ellipsized (gtk_label_get_layout (GTK_LABEL (label))));
}

/* The progress of the claims' sweeps has a heading, without a dot after it, and does not break within. */
static void
test_progress (void)
{
  NormscopeTask task = { .progress = ns_progress_new () };
  g_autofree char *shown = NULL;
  g_autofree char *hidden = NULL;

  shown = normscope_scaling_dup_progress_status (&task, TRUE, g_get_monotonic_time ());
  hidden = normscope_scaling_dup_progress_status (&task, FALSE, g_get_monotonic_time ());
  g_assert_true (g_str_has_suffix (hidden, shown));
  g_assert_null (strstr (hidden, ":\302\240·"));
  g_assert_null (strstr (hidden, ": ·"));
  g_assert_null (strchr (hidden, ' '));
  ns_progress_unref (task.progress);
}

static void
test_german (Fixture *fixture, gconstpointer data)
{
  static const char *const shown[] = { "Variants", "Depth", "Shape", "Attention residual" };
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
  /* Numbers have the decimal sign of the language, in sentences, ticks and the status. */
  g_assert_true (g_regex_match_simple ("\\d,\\d", description, 0, 0));
  g_assert_false (g_regex_match_simple ("\\d\\.\\d", description, 0, 0));
  assert_ticks ();
  g_assert_nonnull (strstr (description, "Pre-LN"));
}

void
add_language_tests (void)
{
  app_test_add ("/language/german", test_german);
  app_test_add ("/language/texts-fit", test_texts_fit);
  app_test_add_func ("/language/progress", test_progress);
}
