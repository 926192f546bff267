/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/scaling/normscope-scaling-plot-controls.h"

#include "app/shared/normscope-quantity-popover.h"

static void
fill_cb (NormscopeScalingBar *bar, NormscopeQuantityPopover *popover)
{
  normscope_quantity_popover_set (popover, normscope_scaling_bar_get_quantities (bar),
                                  normscope_scaling_bar_get_settings (bar)->metric.quantity);
}

static void
chosen_cb (NormscopeScalingBar *bar, guint quantity)
{
  NsScalingSettings settings = *normscope_scaling_bar_get_settings (bar);

  settings.metric.quantity = (NsQuantity) quantity;
  normscope_scaling_bar_set_settings (bar, &settings);
}

void
normscope_scaling_toggle_axis (NormscopeScalingBar *bar, int axis)
{
  NsScalingSettings settings = *normscope_scaling_bar_get_settings (bar);

  if (axis == NORMSCOPE_X_AXIS)
    settings.log_x = !settings.log_x;
  else
    settings.log_y = !settings.log_y;
  normscope_scaling_bar_set_settings (bar, &settings);
}

void
normscope_scaling_add_plot_controls (NormscopePlot *plot, NormscopeScalingBar *bar)
{
  GtkWidget *popover = normscope_quantity_popover_new ();

  g_signal_connect_object (popover, "fill", G_CALLBACK (fill_cb), bar, G_CONNECT_SWAPPED);
  g_signal_connect_object (popover, "chosen", G_CALLBACK (chosen_cb), bar, G_CONNECT_SWAPPED);
  normscope_plot_add_chooser (plot, 0, popover);
  normscope_plot_add_axis (plot, 0, "L");
  normscope_plot_add_axis (plot, NORMSCOPE_X_AXIS, "K");
  g_signal_connect_object (plot, "axis-clicked", G_CALLBACK (normscope_scaling_toggle_axis), bar, G_CONNECT_SWAPPED);
}
