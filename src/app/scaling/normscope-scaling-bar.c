/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/scaling/normscope-scaling-bar.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "app/scaling/normscope-theory-chooser.h"
#include "app/shared/normscope-drop-down.h"
#include "app/shared/normscope-help-button.h"
#include "app/shared/normscope-update.h"
#include "engine/experiment/ns-params.h"

struct _NormscopeScalingBar
{
  GtkBox parent_instance;

  GtkDropDown *quantity;
  GtkDropDown *where;
  GtkDropDown *part;
  GtkMenuButton *sweep_button;
  GtkDropDown *axis;
  GtkSpinButton *first;
  GtkSpinButton *last;
  GtkDropDown *points;
  GtkLabel *note;
  GtkCheckButton *log_x;
  GtkCheckButton *log_y;
  GtkCheckButton *residuals;
  GtkCheckButton *ratio;
  GtkDropDown *numerator;
  GtkDropDown *denominator;
  GtkDropDown *theory;
  GtkLabel *theory_note;
  GtkCheckButton *best_law;
  GtkFlowBox *law_box;
  GtkCheckButton *law_checks[NS_N_LAWS];
  GtkButton *run_button;
  GtkToggleButton *claims_button;

  NormscopeSession *session;
  NsScalingSettings settings; /* the session's, as shown */
  GtkStringList *quantity_names;
  GArray *quantities; /* NsQuantity, in the order of the names */
  GtkStringList *variant_names;
  gboolean busy;
  gboolean updating;
};

G_DEFINE_FINAL_TYPE (NormscopeScalingBar, normscope_scaling_bar, GTK_TYPE_BOX)

enum { SCALING_BAR_SIGNAL_CHANGED, SCALING_BAR_SIGNAL_RUN, SCALING_BAR_SIGNAL_CANCEL, N_SCALING_BAR_SIGNALS };
enum { SCALING_BAR_PROP_0, SCALING_BAR_PROP_SHOW_CLAIMS, N_SCALING_BAR_PROPS };
static guint scaling_bar_signals[N_SCALING_BAR_SIGNALS];
static GParamSpec *scaling_bar_props[N_SCALING_BAR_PROPS];

/* ---- models of the drop-downs ---- */

static gboolean
exists_somewhere (NormscopeScalingBar *self, NsQuantity quantity)
{
  const NsExperiment *experiment = normscope_session_get_experiment (self->session);

  for (guint v = 0; v < experiment->variants->len; v++)
    {
      NsMetric metric = ns_scaling_settings_get_metric (&self->settings, experiment);

      metric.quantity = quantity;
      if (ns_metric_exists (&metric, experiment, v))
        return TRUE;
    }
  return FALSE;
}

/* List the quantities to choose from; the default sweep's is the first. */
static GArray *
list_quantities (NormscopeScalingBar *self)
{
  g_autoptr (GArray) all = ns_quantities_for_use (NS_USE_SWEEP);
  NsQuantity first = ns_metric_get_default ().quantity;
  GArray *list = g_array_new (FALSE, FALSE, sizeof (NsQuantity));

  g_array_append_val (list, first);
  for (guint i = 0; i < all->len; i++)
    {
      NsQuantity quantity = g_array_index (all, NsQuantity, i);

      if (quantity != first && (quantity == self->settings.metric.quantity || exists_somewhere (self, quantity)))
        g_array_append_val (list, quantity);
    }
  return list;
}

static void
fill_quantities (NormscopeScalingBar *self)
{
  g_autoptr (GArray) list = list_quantities (self);
  g_autofree char *tooltip = NULL;

  if (list->len != self->quantities->len
      || memcmp (list->data, self->quantities->data, list->len * sizeof (NsQuantity)) != 0)
    {
      guint n = g_list_model_get_n_items (G_LIST_MODEL (self->quantity_names));

      g_array_set_size (self->quantities, 0);
      g_array_append_vals (self->quantities, list->data, list->len);
      gtk_string_list_splice (self->quantity_names, 0, n, NULL);
      for (guint i = 0; i < list->len; i++)
        {
          const NsQuantityInfo *info = ns_quantity_info (g_array_index (list, NsQuantity, i));
          g_autofree char *name = g_strdup_printf ("%s  %s", info->symbol, _ (info->title));

          gtk_string_list_append (self->quantity_names, name);
        }
    }
  for (guint i = 0; i < self->quantities->len; i++)
    if (g_array_index (self->quantities, NsQuantity, i) == self->settings.metric.quantity)
      gtk_drop_down_set_selected (self->quantity, i);
  tooltip = ns_quantity_dup_tooltip (self->settings.metric.quantity);
  normscope_update_tooltip (GTK_WIDGET (self->quantity), tooltip);
}

static void
fill_variants (NormscopeScalingBar *self)
{
  const NsExperiment *experiment = normscope_session_get_experiment (self->session);
  guint n = g_list_model_get_n_items (G_LIST_MODEL (self->variant_names));
  gboolean same = n == experiment->variants->len;

  for (guint v = 0; same && v < n; v++)
    same = strcmp (gtk_string_list_get_string (self->variant_names, v), ns_experiment_variant (experiment, v)->name)
           == 0;
  if (!same)
    {
      gtk_string_list_splice (self->variant_names, 0, n, NULL);
      for (guint v = 0; v < experiment->variants->len; v++)
        gtk_string_list_append (self->variant_names, ns_experiment_variant (experiment, v)->name);
    }
  gtk_drop_down_set_selected (self->numerator, MIN (self->settings.numerator, experiment->variants->len - 1));
  gtk_drop_down_set_selected (self->denominator, MIN (self->settings.denominator, experiment->variants->len - 1));
  gtk_widget_set_sensitive (GTK_WIDGET (self->ratio), experiment->variants->len > 1);
}

/* ---- from settings to widgets ---- */

static void
show_range (NormscopeScalingBar *self)
{
  const NsScalingSettings *settings = &self->settings;
  const NsParam *param = ns_param_find (settings->axis == NS_SWEEP_DEPTH ? "shape.depth" : "shape.d_model");
  g_autofree char *label = NULL;
  int first = (int) settings->first[settings->axis], last = (int) settings->last[settings->axis];

  gtk_spin_button_set_range (self->first, param->min, param->max);
  gtk_spin_button_set_range (self->last, param->min, param->max);
  gtk_spin_button_set_value (self->first, first);
  gtk_spin_button_set_value (self->last, last);
  if (settings->axis == NS_SWEEP_DEPTH)
    {
      /* Translators: the range of depths of a sweep */
      label = g_strdup_printf (_("Depth %d–%d"), first, last);
      gtk_label_set_label (self->note, _("This sweep ignores the depth set in the sidebar."));
    }
  else
    {
      /* Translators: the range of widths (d_model) of a sweep */
      label = g_strdup_printf (_("Width %d–%d"), first, last);
      gtk_label_set_label (self->note, _("d_ff keeps its ratio to d_model; the depth is set in the sidebar."));
    }
  normscope_update_button (self->sweep_button, label);
}

static void
show_settings (NormscopeScalingBar *self)
{
  const NsScalingSettings *settings = &self->settings;
  gboolean has_parts = !ns_quantity_is_of_head (settings->metric.quantity);
  gboolean has_blocks = ns_quantity_is_of_blocks (settings->metric.quantity);

  self->updating = TRUE;
  fill_quantities (self);
  fill_variants (self);
  gtk_drop_down_set_selected (self->where, settings->metric.where);
  gtk_widget_set_sensitive (GTK_WIDGET (self->where), has_blocks);
  gtk_drop_down_set_selected (self->part, settings->metric.part == NS_PART_ENCODER ? 1 : 0);
  gtk_widget_set_sensitive (GTK_WIDGET (self->part), has_parts);
  gtk_widget_set_visible (GTK_WIDGET (self->part),
                          ns_experiment_get_n_parts (normscope_session_get_experiment (self->session)) > 1);
  gtk_drop_down_set_selected (self->axis, settings->axis);
  show_range (self);
  gtk_drop_down_set_selected (self->points, settings->every ? 1 : 0);
  gtk_check_button_set_active (self->log_x, settings->log_x);
  gtk_check_button_set_active (self->log_y, settings->log_y);
  gtk_check_button_set_active (self->residuals, settings->residuals);
  gtk_check_button_set_active (self->ratio, settings->ratio);
  normscope_theory_chooser_show (self->theory, self->theory_note, settings,
                                 normscope_session_get_experiment (self->session));
  gtk_check_button_set_active (self->best_law, settings->best_law);
  for (int law = 0; law < NS_N_LAWS; law++)
    {
      g_autofree char *formula = ns_law_dup_formula ((NsLaw) law, ns_scaling_get_letter (settings->axis));

      gtk_check_button_set_label (self->law_checks[law], formula);
      gtk_check_button_set_active (self->law_checks[law], (settings->laws >> law & 1) != 0);
    }
  self->updating = FALSE;
}

/* ---- from widgets to settings ---- */

/* The session's "changed" updates the widgets; when the session refuses all changes, reset them here. */
static void
apply (NormscopeScalingBar *self, const NsScalingSettings *settings)
{
  if (!normscope_session_set_scaling (self->session, settings))
    show_settings (self);
}

static void
edited_cb (NormscopeScalingBar *self)
{
  NsScalingSettings next = self->settings;
  guint quantity, where, axis;

  if (self->updating || self->session == NULL)
    return;
  quantity = gtk_drop_down_get_selected (self->quantity);
  where = gtk_drop_down_get_selected (self->where);
  axis = gtk_drop_down_get_selected (self->axis);
  if (quantity < self->quantities->len)
    next.metric.quantity = g_array_index (self->quantities, NsQuantity, quantity);
  if (where < NS_N_WHERES)
    next.metric.where = (NsWhere) where;
  /* NS_PART_STACK stands for the decoder; keep it unless the choice changed. */
  if ((gtk_drop_down_get_selected (self->part) == 1) != (next.metric.part == NS_PART_ENCODER))
    next.metric.part = next.metric.part == NS_PART_ENCODER ? NS_PART_STACK : NS_PART_ENCODER;
  /* The range on show still belongs to the previous axis. */
  next.first[next.axis] = gtk_spin_button_get_value_as_int (self->first);
  next.last[next.axis] = gtk_spin_button_get_value_as_int (self->last);
  if (axis < NS_N_SWEEP_AXES)
    next.axis = (NsSweepAxis) axis;
  next.every = gtk_drop_down_get_selected (self->points) == 1;
  next.log_x = gtk_check_button_get_active (self->log_x);
  next.log_y = gtk_check_button_get_active (self->log_y);
  next.residuals = gtk_check_button_get_active (self->residuals);
  next.ratio = gtk_check_button_get_active (self->ratio);
  normscope_theory_chooser_read (self->theory, &next);
  next.numerator = gtk_drop_down_get_selected (self->numerator);
  next.denominator = gtk_drop_down_get_selected (self->denominator);
  next.best_law = gtk_check_button_get_active (self->best_law);
  next.laws = 0;
  for (int law = 0; law < NS_N_LAWS; law++)
    if (gtk_check_button_get_active (self->law_checks[law]))
      next.laws |= 1u << law;
  apply (self, &next);
}

static void
bar_run_cb (NormscopeScalingBar *self)
{
  g_signal_emit (self, scaling_bar_signals[self->busy ? SCALING_BAR_SIGNAL_CANCEL : SCALING_BAR_SIGNAL_RUN], 0);
}

static void
claims_toggled_cb (NormscopeScalingBar *self)
{
  g_object_notify_by_pspec (G_OBJECT (self), scaling_bar_props[SCALING_BAR_PROP_SHOW_CLAIMS]);
}

static void
bar_session_changed_cb (NormscopeScalingBar *self, guint change)
{
  const NsScalingSettings *settings = normscope_session_get_scaling (self->session);
  guint difference = ns_scaling_settings_compare (&self->settings, settings);

  self->settings = *settings;
  if (difference != 0 || (change & NORMSCOPE_CHANGED_LIST) != 0)
    show_settings (self);
  if (difference != 0)
    g_signal_emit (self, scaling_bar_signals[SCALING_BAR_SIGNAL_CHANGED], 0, difference);
}

/* ---- the object ---- */

const NsScalingSettings *
normscope_scaling_bar_get_settings (NormscopeScalingBar *self)
{
  g_return_val_if_fail (NORMSCOPE_IS_SCALING_BAR (self), NULL);
  return &self->settings;
}

void
normscope_scaling_bar_set_settings (NormscopeScalingBar *self, const NsScalingSettings *settings)
{
  g_return_if_fail (NORMSCOPE_IS_SCALING_BAR (self));
  g_return_if_fail (settings != NULL);
  apply (self, settings);
}

const GArray *
normscope_scaling_bar_get_quantities (NormscopeScalingBar *self)
{
  g_return_val_if_fail (NORMSCOPE_IS_SCALING_BAR (self), NULL);
  return self->quantities;
}

void
normscope_scaling_bar_set_busy (NormscopeScalingBar *self, gboolean busy)
{
  g_return_if_fail (NORMSCOPE_IS_SCALING_BAR (self));
  self->busy = busy;
  gtk_button_set_label (self->run_button, busy ? _("_Cancel") : _("_Start"));
  normscope_update_tooltip (GTK_WIDGET (self->run_button),
                            busy ? _("Stop the sweep and keep its results so far") : _("Run the whole sweep again"));
}

void
normscope_scaling_bar_set_session (NormscopeScalingBar *self, NormscopeSession *session)
{
  g_return_if_fail (NORMSCOPE_IS_SCALING_BAR (self));
  g_return_if_fail (NORMSCOPE_IS_SESSION (session) && self->session == NULL);

  self->session = g_object_ref (session);
  self->settings = *normscope_session_get_scaling (session);
  g_signal_connect_object (session, "changed", G_CALLBACK (bar_session_changed_cb), self, G_CONNECT_SWAPPED);
  show_settings (self);
}

static void
normscope_scaling_bar_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  NormscopeScalingBar *self = NORMSCOPE_SCALING_BAR (object);

  switch (id)
    {
    case SCALING_BAR_PROP_SHOW_CLAIMS:
      g_value_set_boolean (value, gtk_toggle_button_get_active (self->claims_button));
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
normscope_scaling_bar_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  NormscopeScalingBar *self = NORMSCOPE_SCALING_BAR (object);

  switch (id)
    {
    case SCALING_BAR_PROP_SHOW_CLAIMS:
      gtk_toggle_button_set_active (self->claims_button, g_value_get_boolean (value));
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
normscope_scaling_bar_dispose (GObject *object)
{
  NormscopeScalingBar *self = NORMSCOPE_SCALING_BAR (object);

  g_clear_object (&self->session);
  g_clear_object (&self->quantity_names);
  g_clear_object (&self->variant_names);
  g_clear_pointer (&self->quantities, g_array_unref);
  G_OBJECT_CLASS (normscope_scaling_bar_parent_class)->dispose (object);
}

static void
bind_bar_template (GtkWidgetClass *widget_class)
{
  gtk_widget_class_set_template_from_resource (widget_class, "/org/normscope/Normscope/normscope-scaling-bar.ui");
  gtk_widget_class_bind_template_child (widget_class, NormscopeScalingBar, quantity);
  gtk_widget_class_bind_template_child (widget_class, NormscopeScalingBar, where);
  gtk_widget_class_bind_template_child (widget_class, NormscopeScalingBar, part);
  gtk_widget_class_bind_template_child (widget_class, NormscopeScalingBar, sweep_button);
  gtk_widget_class_bind_template_child (widget_class, NormscopeScalingBar, axis);
  gtk_widget_class_bind_template_child (widget_class, NormscopeScalingBar, first);
  gtk_widget_class_bind_template_child (widget_class, NormscopeScalingBar, last);
  gtk_widget_class_bind_template_child (widget_class, NormscopeScalingBar, points);
  gtk_widget_class_bind_template_child (widget_class, NormscopeScalingBar, note);
  gtk_widget_class_bind_template_child (widget_class, NormscopeScalingBar, log_x);
  gtk_widget_class_bind_template_child (widget_class, NormscopeScalingBar, log_y);
  gtk_widget_class_bind_template_child (widget_class, NormscopeScalingBar, residuals);
  gtk_widget_class_bind_template_child (widget_class, NormscopeScalingBar, ratio);
  gtk_widget_class_bind_template_child (widget_class, NormscopeScalingBar, numerator);
  gtk_widget_class_bind_template_child (widget_class, NormscopeScalingBar, denominator);
  gtk_widget_class_bind_template_child (widget_class, NormscopeScalingBar, theory);
  gtk_widget_class_bind_template_child (widget_class, NormscopeScalingBar, theory_note);
  gtk_widget_class_bind_template_child (widget_class, NormscopeScalingBar, best_law);
  gtk_widget_class_bind_template_child (widget_class, NormscopeScalingBar, law_box);
  gtk_widget_class_bind_template_child (widget_class, NormscopeScalingBar, run_button);
  gtk_widget_class_bind_template_child (widget_class, NormscopeScalingBar, claims_button);
  gtk_widget_class_bind_template_callback (widget_class, edited_cb);
  gtk_widget_class_bind_template_callback (widget_class, bar_run_cb);
  gtk_widget_class_bind_template_callback (widget_class, claims_toggled_cb);
}

static void
normscope_scaling_bar_class_init (NormscopeScalingBarClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->get_property = normscope_scaling_bar_get_property;
  object_class->set_property = normscope_scaling_bar_set_property;
  object_class->dispose = normscope_scaling_bar_dispose;

  scaling_bar_props[SCALING_BAR_PROP_SHOW_CLAIMS] = g_param_spec_boolean (
      "show-claims", NULL, NULL, TRUE, G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | G_PARAM_EXPLICIT_NOTIFY);
  g_object_class_install_properties (object_class, N_SCALING_BAR_PROPS, scaling_bar_props);

  scaling_bar_signals[SCALING_BAR_SIGNAL_CHANGED] = g_signal_new (
      "changed", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 1, G_TYPE_UINT);
  scaling_bar_signals[SCALING_BAR_SIGNAL_RUN] =
      g_signal_new ("run", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  scaling_bar_signals[SCALING_BAR_SIGNAL_CANCEL] =
      g_signal_new ("cancel", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);

  bind_bar_template (GTK_WIDGET_CLASS (klass));
  gtk_widget_class_set_css_name (GTK_WIDGET_CLASS (klass), "scalingbar");
}

static void
normscope_scaling_bar_init (NormscopeScalingBar *self)
{
  ns_scaling_settings_init (&self->settings);
  self->quantities = g_array_new (FALSE, FALSE, sizeof (NsQuantity));
  self->quantity_names = gtk_string_list_new (NULL);
  self->variant_names = gtk_string_list_new (NULL);
  self->updating = TRUE;
  gtk_widget_init_template (GTK_WIDGET (self));
  normscope_help_set_page (GTK_WIDGET (self), "view:scaling");
  gtk_drop_down_set_model (self->quantity, G_LIST_MODEL (self->quantity_names));
  normscope_drop_down_set_narrow (self->quantity);
  normscope_drop_down_set_narrow (self->where);
  normscope_drop_down_set_narrow (self->part);
  normscope_theory_chooser_fill (self->theory);
  gtk_drop_down_set_model (self->numerator, G_LIST_MODEL (self->variant_names));
  gtk_drop_down_set_model (self->denominator, G_LIST_MODEL (self->variant_names));
  for (int law = 0; law < NS_N_LAWS; law++)
    {
      self->law_checks[law] = GTK_CHECK_BUTTON (gtk_check_button_new ());
      gtk_flow_box_append (self->law_box, GTK_WIDGET (self->law_checks[law]));
      g_signal_connect_swapped (self->law_checks[law], "toggled", G_CALLBACK (edited_cb), self);
    }
  normscope_scaling_bar_set_busy (self, FALSE);
  self->updating = FALSE;
}
