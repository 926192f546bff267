/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/paths/normscope-paths-axis.h"

#include <glib/gi18n-lib.h>

/* What the panels of the figure have in common with those of the flow figure: the upper one, and the next. */
static const char *const keys[] = { "L", "K" };

void
normscope_paths_axis_toggle (NormscopePlot *plot, NormscopeSession *session, int panel)
{
  const NsFigure *figure = normscope_plot_get_figure (plot);
  NsViewChoice choice = *normscope_session_get_paths (session);

  if (figure == NULL)
    return;
  if (!ns_figure_can_change_scale (figure, panel))
    {
      gtk_widget_activate_action (GTK_WIDGET (plot), "win.show-message", "s",
                                  _ ("Shares, cosines and maps have no other axis"));
      return;
    }
  choice.options.paths.log_axis = !choice.options.paths.log_axis;
  normscope_session_set_paths (session, &choice);
}

static void
clicked_cb (NormscopeSession *session, int panel, NormscopePlot *plot)
{
  normscope_paths_axis_toggle (plot, session, panel);
}

void
normscope_paths_axis_install (NormscopePlot *plot, NormscopeSession *session)
{
  for (gsize panel = 0; panel < G_N_ELEMENTS (keys); panel++)
    normscope_plot_add_axis (plot, (int) panel, keys[panel]);
  g_signal_connect_object (plot, "axis-clicked", G_CALLBACK (clicked_cb), session, G_CONNECT_SWAPPED);
}
