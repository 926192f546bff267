/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/shared/normscope-flap.h"

static gboolean
is_of_shadow (GtkWidget *widget)
{
  const char *const names[] = { "dimming", "shadow", "border", "outline", NULL };

  return g_strv_contains (names, gtk_widget_get_css_name (widget));
}

static void
show_shadow (AdwFlap *flap)
{
  for (GtkWidget *child = gtk_widget_get_first_child (GTK_WIDGET (flap)); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    if (is_of_shadow (child))
      gtk_widget_set_visible (child, adw_flap_get_folded (flap));
}

void
normscope_flap_set_up (AdwFlap *flap)
{
  g_return_if_fail (ADW_IS_FLAP (flap));
  g_signal_connect (flap, "notify::folded", G_CALLBACK (show_shadow), NULL);
  show_shadow (flap);
}
