/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/training/normscope-training-controls.h"

#include "app/shared/normscope-quantity-popover.h"

/* Gradients, then activations. */
static void
fill_cb (NormscopeSession *session, NormscopeQuantityPopover *popover)
{
  const NsExperiment *experiment = normscope_session_get_experiment (session);
  NsQuantity shown = normscope_session_get_training (session)->options.training.quantity;
  gboolean is_gradient = ns_quantity_is_offered (shown, NS_KIND_GRADIENT);
  g_autoptr (GArray) list = normscope_list_flow_quantities (experiment, NS_KIND_GRADIENT,
                                                            is_gradient ? shown : NS_Q_BLOCK);
  g_autoptr (GArray) others = normscope_list_flow_quantities (experiment, NS_KIND_ACTIVATION,
                                                              is_gradient ? NS_Q_RMS_X : shown);

  g_array_append_vals (list, others->data, others->len);
  normscope_quantity_popover_set (popover, list, shown);
}

static void
chosen_cb (NormscopeSession *session, guint quantity)
{
  NsViewChoice choice = *normscope_session_get_training (session);

  choice.options.training.quantity = (NsQuantity) quantity;
  normscope_session_set_training (session, &choice);
}

void
normscope_training_toggle_axis (NormscopeSession *session)
{
  NsViewChoice choice = *normscope_session_get_training (session);

  choice.options.training.log_loss = !choice.options.training.log_loss;
  normscope_session_set_training (session, &choice);
}

void
normscope_training_add_plot_controls (NormscopePlot *losses, NormscopePlot *map, NormscopeSession *session)
{
  GtkWidget *popover = normscope_quantity_popover_new ();

  g_signal_connect_object (popover, "fill", G_CALLBACK (fill_cb), session, G_CONNECT_SWAPPED);
  g_signal_connect_object (popover, "chosen", G_CALLBACK (chosen_cb), session, G_CONNECT_SWAPPED);
  normscope_plot_add_chooser (map, 0, popover);
  normscope_plot_add_axis (losses, 0, "L");
  g_signal_connect_object (losses, "axis-clicked", G_CALLBACK (normscope_training_toggle_axis), session,
                           G_CONNECT_SWAPPED);
}
