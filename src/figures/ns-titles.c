/* The titles of a figure's panels, in words.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "figures/ns-titles.h"

#include <glib/gi18n-lib.h>

/* "Gradient of each block's weights, ‖∂L/∂θₗ‖ · last block"; a cosine has no symbol. */
static char *
dup_quantity_title (const char *words, const char *symbol, const char *place)
{
  /* Translators: the title of a plot: a quantity in words, its symbol */
  g_autofree char *title = symbol != NULL ? g_strdup_printf (_ ("%s, %s"), words, symbol) : g_strdup (words);

  return place != NULL ? g_strdup_printf ("%s · %s", title, place) : g_steal_pointer (&title);
}

void
ns_panel_set_titles (NsPanel *panel, NsQuantity quantity, const char *place, const char *short_title)
{
  const NsQuantityInfo *info = ns_quantity_info (quantity);
  gboolean has_symbol = info != NULL && info->kind != NS_KIND_COSINE;
  g_autofree char *words = NULL;

  g_return_if_fail (panel != NULL && info != NULL);

  words = g_markup_escape_text (_ (info->title), -1);
  g_free (panel->title);
  g_free (panel->short_title);
  g_free (panel->accessible_title);
  panel->title = dup_quantity_title (words, has_symbol ? info->markup : NULL, place);
  panel->short_title = g_strdup (short_title != NULL ? short_title : has_symbol ? info->markup : words);
  panel->accessible_title = dup_quantity_title (_ (info->title), has_symbol ? info->symbol : NULL, place);
}

void
ns_panel_set_subtitle (NsPanel *panel, guint n_seeds, gboolean with_spread)
{
  g_autofree char *statistic = NULL;

  g_return_if_fail (panel != NULL);

  if (n_seeds == 1)
    statistic = g_strdup (_ ("1 seed"));
  else if (!with_spread)
    statistic = g_strdup_printf (g_dngettext (GETTEXT_PACKAGE, "mean of %u seed", "mean of %u seeds", n_seeds),
                                 n_seeds);
  else if (panel->scale == NS_AXIS_LOG10)
    /* Translators: the mean, and one standard deviation of the logarithm as a factor */
    statistic = g_strdup_printf (g_dngettext (GETTEXT_PACKAGE, "mean ×/÷ 1 sd of %u seed", "mean ×/÷ 1 sd of %u seeds",
                                              n_seeds),
                                 n_seeds);
  else
    /* Translators: the mean, and one standard deviation */
    statistic = g_strdup_printf (g_dngettext (GETTEXT_PACKAGE, "mean ± 1 sd of %u seed", "mean ± 1 sd of %u seeds",
                                              n_seeds),
                                 n_seeds);
  g_free (panel->subtitle);
  panel->subtitle = g_strdup_printf ("%s · %s", panel->scale == NS_AXIS_LOG10 ? _ ("log scale") : _ ("linear scale"),
                                     statistic);
}

void
ns_panel_add_estimate (NsPanel *panel, NsQuantity quantity, const NsSampling *sampling)
{
  g_autofree char *estimate = ns_quantity_is_of_parameters (quantity) ? ns_sampling_dup_estimate (sampling) : NULL;
  g_autofree char *subtitle = g_steal_pointer (&panel->subtitle);

  panel->subtitle = estimate != NULL ? g_strdup_printf ("%s · %s", subtitle, estimate) : g_steal_pointer (&subtitle);
}
