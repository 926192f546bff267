/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/scaling/normscope-theory-chooser.h"

#include <glib/gi18n-lib.h>

#include "figures/ns-flow.h"

/* The depths of the choices; the first choice is no theory, and 1 is none beyond the sweep. */
static const int depths[] = { 0, 1, 1000, 10000, 100000, 1000000 };

void
normscope_theory_chooser_fill (GtkDropDown *chooser)
{
  g_autoptr (GtkStringList) names = gtk_string_list_new (NULL);

  gtk_string_list_append (names, _("None"));
  gtk_string_list_append (names, _("Over the sweep"));
  for (guint i = 2; i < G_N_ELEMENTS (depths); i++)
    {
      /* Translators: draw a theory up to that many blocks */
      g_autofree char *name = g_strdup_printf (_("To depth %d"), depths[i]);

      gtk_string_list_append (names, name);
    }
  gtk_drop_down_set_model (chooser, G_LIST_MODEL (names));
}

/* Return the choice of the largest depth that does not exceed that of the settings. */
static guint
find (const NsScalingSettings *settings)
{
  guint found = 0;

  for (guint i = 1; settings->theory && i < G_N_ELEMENTS (depths); i++)
    if (depths[i] <= settings->theory_depth)
      found = i;
  return found;
}

void
normscope_theory_chooser_show (GtkDropDown *chooser, GtkLabel *note, const NsScalingSettings *settings,
                               const NsExperiment *experiment)
{
  g_autofree char *reason = ns_theory_dup_missing (experiment, 0, settings->metric.quantity);

  gtk_drop_down_set_selected (chooser, find (settings));
  gtk_label_set_label (note, reason != NULL ? reason : "");
  gtk_widget_set_visible (GTK_WIDGET (note), reason != NULL);
}

void
normscope_theory_chooser_read (GtkDropDown *chooser, NsScalingSettings *settings)
{
  guint chosen = gtk_drop_down_get_selected (chooser);

  if (chosen == find (settings) || chosen >= G_N_ELEMENTS (depths))
    return;
  settings->theory = chosen > 0;
  settings->theory_depth = MAX (depths[chosen], 1);
}
