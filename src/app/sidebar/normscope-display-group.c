/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/sidebar/normscope-display-group.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "app/shared/normscope-quantity-popover.h"
#include "app/controls/normscope-control-row.h"
#include "app/shared/normscope-update.h"
#include "figures/ns-links.h"
#include "figures/table/ns-figure-table.h"

struct _NormscopeDisplayGroup
{
  AdwPreferencesGroup parent_instance;

  GtkDropDown *gradient;
  GtkDropDown *activation;
  GtkDropDown *token_cos;
  GtkDropDown *text_scale;
  GtkSwitch *log_gradient;
  GtkSwitch *log_activation;
  GtkSwitch *band;
  GtkSwitch *ghost;
  NormscopeControlRow *predictions_row;
  GtkSwitch *predictions;
  GtkDropDown *factor;

  NormscopeSession *session;
  GtkStringList *gradient_names;
  GArray *gradients;   /* of NsQuantity, in the order of gradient_names */
  const NsFigureOption *factor_option;
  GArray *activations; /* of NsQuantity, in the order of the drop-down */
  gboolean updating;   /* the widgets follow the session: ignore their signals */
};

G_DEFINE_FINAL_TYPE (NormscopeDisplayGroup, normscope_display_group, ADW_TYPE_PREFERENCES_GROUP)

static const double text_scales[] = { 1.0, 1.5, 2.0 };

/* ---- the gradients that exist ---- */

static void
fill_gradients (NormscopeDisplayGroup *self)
{
  g_autoptr (GArray) list = normscope_list_flow_quantities (normscope_session_get_experiment (self->session),
                                                            NS_KIND_GRADIENT,
                                                            normscope_session_get_view (self->session)->gradient);

  if (list->len == self->gradients->len
      && memcmp (list->data, self->gradients->data, list->len * sizeof (NsQuantity)) == 0)
    return;
  g_array_set_size (self->gradients, 0);
  g_array_append_vals (self->gradients, list->data, list->len);
  gtk_string_list_splice (self->gradient_names, 0, g_list_model_get_n_items (G_LIST_MODEL (self->gradient_names)),
                          NULL);
  for (guint i = 0; i < list->len; i++)
    {
      const NsQuantityInfo *info = ns_quantity_info (g_array_index (list, NsQuantity, i));
      g_autofree char *name = g_strdup_printf ("%s  %s", info->name, info->symbol);

      gtk_string_list_append (self->gradient_names, name);
    }
}

static void
fill_activations (NormscopeDisplayGroup *self)
{
  g_autoptr (GArray) all = ns_quantities_for_use (NS_USE_FLOW);
  g_autoptr (GtkStringList) titles = gtk_string_list_new (NULL);

  for (guint i = 0; i < all->len; i++)
    {
      NsQuantity quantity = g_array_index (all, NsQuantity, i);
      const NsQuantityInfo *info = ns_quantity_info (quantity);

      if (!ns_quantity_is_offered (quantity, NS_KIND_ACTIVATION))
        continue;
      g_array_append_val (self->activations, quantity);
      gtk_string_list_append (titles, _ (info->title));
    }
  gtk_drop_down_set_model (self->activation, G_LIST_MODEL (titles));
}

static void
fill_factors (NormscopeDisplayGroup *self)
{
  g_autoptr (GtkStringList) titles = gtk_string_list_new (NULL);

  self->factor_option = ns_figure_info (NS_FIGURE_FLOW)->options;
  while (strcmp (self->factor_option->name, "factor") != 0)
    self->factor_option++;
  for (const NsFigureChoice *choice = self->factor_option->choices; choice->word != NULL; choice++)
    gtk_string_list_append (titles, _ (choice->title));
  gtk_drop_down_set_model (self->factor, G_LIST_MODEL (titles));
}

/* ---- between widgets and session ---- */

/* Describe the chosen quantity in the tooltip: the list has only short names. */
static void
show_help (GtkDropDown *chooser, NsQuantity quantity)
{
  g_autofree char *text = ns_quantity_dup_tooltip (quantity);
  g_autofree char *page = g_strconcat (NS_PAGE_OF_QUANTITY, ns_quantity_info (quantity)->name, NULL);
  GtkWidget *row = gtk_widget_get_ancestor (GTK_WIDGET (chooser), NORMSCOPE_TYPE_CONTROL_ROW);

  normscope_update_tooltip (GTK_WIDGET (chooser), text);
  normscope_control_row_set_help_page (NORMSCOPE_CONTROL_ROW (row), page);
}

static guint
find_quantity (GArray *list, NsQuantity quantity)
{
  for (guint i = 0; i < list->len; i++)
    if (g_array_index (list, NsQuantity, i) == quantity)
      return i;
  return GTK_INVALID_LIST_POSITION;
}

/* Return the index of a factor; a lecture can have one that is not in the list. */
static guint
find_factor (const NsFigureOption *option, double factor)
{
  g_autofree char *word = ns_figure_option_dup_text (option, factor);

  for (guint i = 0; option->choices[i].word != NULL; i++)
    if (strcmp (option->choices[i].word, word) == 0)
      return i;
  return GTK_INVALID_LIST_POSITION;
}

/* Return the index of the largest text size that does not exceed scale. */
static guint
find_text_scale (double scale)
{
  guint found = 0;

  for (guint i = 0; i < G_N_ELEMENTS (text_scales); i++)
    if (text_scales[i] <= scale)
      found = i;
  return found;
}

/* Theory covers few settings: for others the switch would do nothing, so it cannot be used. It says why, also if only
 * one of the plots has no theory. */
static void
show_theory (NormscopeDisplayGroup *self)
{
  NsFlowOptions options;
  gboolean is_drawn;
  g_autofree char *reason = NULL;
  g_autofree char *tooltip = NULL;

  normscope_session_get_flow_options (self->session, &options);
  reason = ns_flow_dup_no_prediction (normscope_session_get_experiment (self->session), &options, &is_drawn);
  tooltip = g_strconcat (_ ("Draw mean-field predictions, and Lemma 2 of Xiong et al. 2020, over curves and bars"),
                         reason != NULL ? "\n" : NULL, reason, NULL);
  normscope_update_tooltip (GTK_WIDGET (self->predictions_row), tooltip);
  normscope_control_row_set_subtitle (self->predictions_row, reason);
  gtk_widget_set_sensitive (GTK_WIDGET (self->predictions), is_drawn);
}

/* This runs inside the "notify" of the chooser that the user changes. GObject starts an emission again when one of its
 * handlers notifies the same property, and the second round comes after this function has returned. So each chooser is
 * set once, to its final value: two values in turn would start the emission again for ever. */
static void
refresh_display (NormscopeDisplayGroup *self)
{
  const NormscopeView *view = normscope_session_get_view (self->session);

  self->updating = TRUE;
  fill_gradients (self);
  gtk_drop_down_set_selected (self->gradient, find_quantity (self->gradients, view->gradient));
  gtk_drop_down_set_selected (self->activation, find_quantity (self->activations, view->activation));
  show_help (self->gradient, view->gradient);
  show_help (self->activation, view->activation);
  gtk_drop_down_set_selected (self->text_scale, find_text_scale (view->text_scale));
  gtk_drop_down_set_selected (self->token_cos, view->token_cos);
  gtk_switch_set_active (self->log_gradient, view->log_gradient);
  gtk_switch_set_active (self->log_activation, view->bars_axis == NS_BARS_AXIS_LOG);
  gtk_switch_set_active (self->band, view->band);
  gtk_switch_set_active (self->ghost, view->ghost);
  gtk_switch_set_active (self->predictions, view->predictions);
  gtk_drop_down_set_selected (self->factor, find_factor (self->factor_option, view->factor));
  show_theory (self);
  self->updating = FALSE;
}

static void
edited_cb (NormscopeDisplayGroup *self)
{
  NormscopeView view;
  guint gradient, activation, scale, token_cos, factor;
  gboolean log_activation;

  if (self->updating || self->session == NULL)
    return;
  view = *normscope_session_get_view (self->session);
  gradient = gtk_drop_down_get_selected (self->gradient);
  activation = gtk_drop_down_get_selected (self->activation);
  scale = gtk_drop_down_get_selected (self->text_scale);
  token_cos = gtk_drop_down_get_selected (self->token_cos);
  factor = gtk_drop_down_get_selected (self->factor);
  if (gradient < self->gradients->len)
    view.gradient = g_array_index (self->gradients, NsQuantity, gradient);
  if (activation < self->activations->len)
    view.activation = g_array_index (self->activations, NsQuantity, activation);
  /* A size between the named ones, from the keyboard, stays while other controls are used. */
  if (scale < G_N_ELEMENTS (text_scales) && scale != find_text_scale (view.text_scale))
    view.text_scale = text_scales[scale];
  if (token_cos <= NS_TOKEN_COS_NEVER)
    view.token_cos = (NsTokenCosMode) token_cos;
  view.log_gradient = gtk_switch_get_active (self->log_gradient);
  log_activation = gtk_switch_get_active (self->log_activation);
  if (log_activation != (view.bars_axis == NS_BARS_AXIS_LOG))
    view.bars_axis = log_activation ? NS_BARS_AXIS_LOG : NS_BARS_AXIS_LINEAR;
  view.band = gtk_switch_get_active (self->band);
  view.ghost = gtk_switch_get_active (self->ghost);
  if (factor != GTK_INVALID_LIST_POSITION)
    ns_figure_option_parse (self->factor_option, self->factor_option->choices[factor].word, &view.factor);
  view.predictions = gtk_switch_get_active (self->predictions);
  normscope_session_set_view (self->session, &view);
}

void
normscope_display_group_set_session (NormscopeDisplayGroup *self, NormscopeSession *session)
{
  g_return_if_fail (NORMSCOPE_IS_DISPLAY_GROUP (self));
  g_return_if_fail (NORMSCOPE_IS_SESSION (session) && self->session == NULL);

  self->session = g_object_ref (session);
  g_signal_connect_object (session, "changed::settings", G_CALLBACK (refresh_display), self, G_CONNECT_SWAPPED);
  refresh_display (self);
}

/* ---- the object ---- */

static void
normscope_display_group_dispose (GObject *object)
{
  NormscopeDisplayGroup *self = NORMSCOPE_DISPLAY_GROUP (object);

  g_clear_object (&self->session);
  g_clear_object (&self->gradient_names);
  g_clear_pointer (&self->gradients, g_array_unref);
  g_clear_pointer (&self->activations, g_array_unref);
  G_OBJECT_CLASS (normscope_display_group_parent_class)->dispose (object);
}

static void
normscope_display_group_class_init (NormscopeDisplayGroupClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = normscope_display_group_dispose;

  g_type_ensure (NORMSCOPE_TYPE_CONTROL_ROW);
  gtk_widget_class_set_template_from_resource (widget_class, "/org/normscope/Normscope/normscope-display-group.ui");
  gtk_widget_class_bind_template_child (widget_class, NormscopeDisplayGroup, gradient);
  gtk_widget_class_bind_template_child (widget_class, NormscopeDisplayGroup, activation);
  gtk_widget_class_bind_template_child (widget_class, NormscopeDisplayGroup, token_cos);
  gtk_widget_class_bind_template_child (widget_class, NormscopeDisplayGroup, text_scale);
  gtk_widget_class_bind_template_child (widget_class, NormscopeDisplayGroup, log_gradient);
  gtk_widget_class_bind_template_child (widget_class, NormscopeDisplayGroup, log_activation);
  gtk_widget_class_bind_template_child (widget_class, NormscopeDisplayGroup, band);
  gtk_widget_class_bind_template_child (widget_class, NormscopeDisplayGroup, ghost);
  gtk_widget_class_bind_template_child (widget_class, NormscopeDisplayGroup, predictions_row);
  gtk_widget_class_bind_template_child (widget_class, NormscopeDisplayGroup, predictions);
  gtk_widget_class_bind_template_child (widget_class, NormscopeDisplayGroup, factor);
  gtk_widget_class_bind_template_callback (widget_class, edited_cb);
}

static void
normscope_display_group_init (NormscopeDisplayGroup *self)
{
  self->gradients = g_array_new (FALSE, FALSE, sizeof (NsQuantity));
  self->activations = g_array_new (FALSE, FALSE, sizeof (NsQuantity));
  self->gradient_names = gtk_string_list_new (NULL);
  gtk_widget_init_template (GTK_WIDGET (self));
  gtk_drop_down_set_model (self->gradient, G_LIST_MODEL (self->gradient_names));
  self->updating = TRUE;
  fill_activations (self);
  fill_factors (self);
  self->updating = FALSE;
}
