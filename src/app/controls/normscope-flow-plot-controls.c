/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/controls/normscope-flow-plot-controls.h"

#include "app/shared/normscope-quantity-popover.h"

static void
fill (NormscopeSession *session, NormscopeQuantityPopover *popover, NsQuantityKind kind, NsQuantity shown)
{
  g_autoptr (GArray) list
    = normscope_list_flow_quantities (normscope_session_get_experiment (session), kind, shown);

  normscope_quantity_popover_set (popover, list, shown);
}

static void
fill_gradients_cb (NormscopeSession *session, NormscopeQuantityPopover *popover)
{
  fill (session, popover, NS_KIND_GRADIENT, normscope_session_get_view (session)->gradient);
}

static void
fill_activations_cb (NormscopeSession *session, NormscopeQuantityPopover *popover)
{
  fill (session, popover, NS_KIND_ACTIVATION, normscope_session_get_view (session)->activation);
}

static void
chosen_cb (NormscopeSession *session, guint quantity)
{
  NormscopeView view = *normscope_session_get_view (session);

  if (ns_quantity_is_offered (quantity, NS_KIND_GRADIENT))
    view.gradient = quantity;
  else
    view.activation = quantity;
  normscope_session_set_view (session, &view);
}

/* An axis can be logarithmic by itself. */
static gboolean
shows_log (NormscopePlot *plot, guint index)
{
  const NsFigure *figure = normscope_plot_get_figure (plot);

  return figure != NULL && index < figure->panels->len
         && ((const NsPanel *) g_ptr_array_index (figure->panels, index))->scale == NS_AXIS_LOG10;
}

void
normscope_flow_toggle_axis (NormscopeSession *session, int panel, NormscopePlot *plot)
{
  NormscopeView view = *normscope_session_get_view (session);

  if (panel == NORMSCOPE_GRADIENT_PANEL)
    view.log_gradient = !view.log_gradient;
  else
    view.bars_axis = shows_log (plot, (guint) panel) ? NS_BARS_AXIS_LINEAR : NS_BARS_AXIS_LOG;
  normscope_session_set_view (session, &view);
}

static void
add_panel (NormscopePlot *plot, NormscopeSession *session, int panel, GCallback fill_cb, const char *key)
{
  GtkWidget *popover = normscope_quantity_popover_new ();

  g_signal_connect_object (popover, "fill", fill_cb, session, G_CONNECT_SWAPPED);
  g_signal_connect_object (popover, "chosen", G_CALLBACK (chosen_cb), session, G_CONNECT_SWAPPED);
  normscope_plot_add_chooser (plot, (guint) panel, popover);
  normscope_plot_add_axis (plot, panel, key);
}

void
normscope_flow_add_plot_controls (NormscopePlot *plot, NormscopeSession *session)
{
  add_panel (plot, session, NORMSCOPE_GRADIENT_PANEL, G_CALLBACK (fill_gradients_cb), "L");
  add_panel (plot, session, NORMSCOPE_ACTIVATION_PANEL, G_CALLBACK (fill_activations_cb), "K");
  g_signal_connect_object (plot, "axis-clicked", G_CALLBACK (normscope_flow_toggle_axis), session, G_CONNECT_SWAPPED);
}
