/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/controls/normscope-parameter-row.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

#include "app/controls/normscope-list-entry.h"
#include "app/controls/normscope-parameter.h"
#include "engine/experiment/ns-experiment-error.h"

struct _NormscopeParameterRow
{
  AdwPreferencesRow parent_instance;

  char *path;
  gboolean with_slider;
  const NsParam *param;
  NormscopeSession *session;
  gboolean updating;       /* the widgets follow the session: ignore their signals */
  char *rejected;          /* why the last value set here was refused, or NULL */

  GtkScale *slider;
  GtkSpinButton *spin;
  GtkDropDown *drop_down;
  GtkStringList *names;    /* of drop_down */
  guint n_names;           /* without "Mixed" */
  GtkSwitch *toggle;
  NormscopeListEntry *list;
  GtkLabel *name_label;
  GtkLabel *note_label;
};

G_DEFINE_FINAL_TYPE (NormscopeParameterRow, normscope_parameter_row, ADW_TYPE_PREFERENCES_ROW)

enum { PARAMETER_ROW_PROP_0, PARAMETER_ROW_PROP_PATH, PARAMETER_ROW_PROP_SLIDER, N_PARAMETER_ROW_PROPS };
static GParamSpec *parameter_row_props[N_PARAMETER_ROW_PROPS];

static void refresh_row (NormscopeParameterRow *self);

static gboolean
is_placement (NormscopeParameterRow *self, NsSub *sub)
{
  *sub = strcmp (self->path, "ffn.norm") == 0     ? NS_SUB_FFN
         : strcmp (self->path, "cross.norm") == 0 ? NS_SUB_CROSS
                                                  : NS_SUB_ATTN;
  return *sub != NS_SUB_ATTN || strcmp (self->path, "attn.norm") == 0;
}

static gint64
from_item (NormscopeParameterRow *self, guint item)
{
  return normscope_parameter_from_item (self->param, (int) item,
                                        &normscope_session_get_experiment (self->session)->shape);
}

/* ---- values ---- */

/* Show the outcome of a setter: the error, which is taken, if it failed, and the value that holds now. */
static void
show_outcome (NormscopeParameterRow *self, gboolean ok, GError *error)
{
  g_clear_pointer (&self->rejected, g_free);
  if (!ok)
    self->rejected = g_strdup (error->message);
  g_clear_error (&error);
  refresh_row (self);
}

static void
set_value (NormscopeParameterRow *self, double value)
{
  GError *error = NULL;
  gboolean ok;

  if (self->param->type == NS_TYPE_INTEGER)
    ok = normscope_session_set_int (self->session, self->param, (gint64) llround (value), &error);
  else if (self->param->type == NS_TYPE_SCALE)
    ok = normscope_session_set_scale (self->session, self->param, (NsScale){ 0, value }, &error);
  else
    ok = normscope_session_set_number (self->session, self->param, value, &error);
  show_outcome (self, ok, error);
}

/* ---- widgets to session ---- */

static void
slider_moved_cb (NormscopeParameterRow *self)
{
  if (!self->updating && self->session != NULL)
    set_value (self, normscope_parameter_from_slider (self->param, gtk_range_get_value (GTK_RANGE (self->slider))));
}

/* Let keys move a logarithmic slider by whole steps and by doubling; GtkScale would move it by fractions of a block. */
static gboolean
change_value_cb (NormscopeParameterRow *self, GtkScrollType scroll, double position)
{
  double value;

  if (self->session == NULL)
    return FALSE;
  value = normscope_session_get_value (self->session, self->param);
  /* A click in the middle of a knob without a value, where it stands, is no change for GtkScale. */
  if (isnan (value) && position == gtk_range_get_value (GTK_RANGE (self->slider)))
    value = normscope_parameter_from_slider (self->param, position);
  else if (!normscope_parameter_step (self->param, scroll, &value))
    return FALSE;
  set_value (self, value);
  return TRUE;
}

static void
spin_changed_cb (NormscopeParameterRow *self)
{
  if (!self->updating && self->session != NULL)
    set_value (self, gtk_spin_button_get_value (self->spin));
}

static gboolean
spin_output_cb (NormscopeParameterRow *self)
{
  char buffer[G_ASCII_DTOSTR_BUF_SIZE];
  gboolean none = self->session != NULL && isnan (normscope_session_get_value (self->session, self->param));
  const char *format = self->param->type == NS_TYPE_INTEGER ? "%.0f" : "%.6g";
  const char *text = none ? "–" : g_ascii_formatd (buffer, sizeof buffer, format,
                                                   gtk_spin_button_get_value (self->spin));

  if (strcmp (text, gtk_editable_get_text (GTK_EDITABLE (self->spin))) != 0)
    gtk_editable_set_text (GTK_EDITABLE (self->spin), text);
  return TRUE;
}

static void
selected_cb (NormscopeParameterRow *self)
{
  guint selected = gtk_drop_down_get_selected (self->drop_down);
  GError *error = NULL;
  gboolean ok = TRUE;
  NsSub sub;

  if (self->updating || self->session == NULL || selected >= self->n_names)
    return;
  if (self->param->type == NS_TYPE_SCALE)
    {
      NsScale scale = ns_param_get_scale (self->param, normscope_session_get_base (self->session, self->param));

      scale.rule = (int) selected;
      ok = normscope_session_set_scale (self->session, self->param, scale, &error);
    }
  else if (is_placement (self, &sub))
    {
      normscope_session_set_placement (self->session, sub, (int) from_item (self, selected));
    }
  else
    {
      ok = normscope_session_set_int (self->session, self->param, from_item (self, selected), &error);
    }
  show_outcome (self, ok, error);
}

static void
toggled_cb (NormscopeParameterRow *self)
{
  GError *error = NULL;
  gboolean ok;

  if (self->updating || self->session == NULL)
    return;
  ok = normscope_session_set_int (self->session, self->param, gtk_switch_get_active (self->toggle), &error);
  show_outcome (self, ok, error);
}

static void
list_done_cb (NormscopeParameterRow *self, const char *list)
{
  GError *error = NULL;
  gboolean ok = self->session != NULL && normscope_session_set_text (self->session, self->param, list, &error);

  if (self->session != NULL)
    show_outcome (self, ok, error);
}

static void
pressed_cb (NormscopeParameterRow *self, int n_press, double x, double y, GtkGesture *gesture)
{
  if (n_press != 2 || self->session == NULL)
    return;
  /* Otherwise the slider moves to the second click. */
  gtk_gesture_set_state (gesture, GTK_EVENT_SEQUENCE_CLAIMED);
  normscope_session_reset (self->session, self->param);
}

/* ---- session to widgets ---- */

static void
show_note (NormscopeParameterRow *self)
{
  const GError *error = normscope_session_get_error (self->session);
  const char *note = NULL;
  NsSub sub;

  if (self->rejected != NULL)
    note = self->rejected;
  else if (ns_experiment_error_involves (error, self->path))
    note = error->message;
  else if (is_placement (self, &sub) && sub != NS_SUB_CROSS && normscope_session_get_placement (self->session, sub) < 0)
    note = _ ("Set by the slider above. Choose a placement to override it.");
  else if (strcmp (self->path, "post_fraction") == 0 && isnan (normscope_session_get_post_fraction (self->session)))
    note = _ ("Set separately below. Moving the slider overrides that.");

  gtk_label_set_label (self->note_label, note != NULL ? note : "");
  gtk_widget_set_visible (GTK_WIDGET (self->note_label), note != NULL);
  if (note != NULL && (note == self->rejected || (error != NULL && note == error->message)))
    gtk_widget_add_css_class (GTK_WIDGET (self), "invalid");
  else
    gtk_widget_remove_css_class (GTK_WIDGET (self), "invalid");
}

static void
refresh_slider (NormscopeParameterRow *self, double value)
{
  g_autofree char *text = normscope_parameter_dup_text (self->param, value);
  double shown = isnan (value) ? (self->param->ui_min + self->param->ui_max) / 2 : value;

  /* Do not move a slider whose position already rounds to the value: it is being dragged. */
  if (normscope_parameter_from_slider (self->param, gtk_range_get_value (GTK_RANGE (self->slider))) != shown)
    gtk_range_set_value (GTK_RANGE (self->slider), normscope_parameter_to_slider (self->param, shown));

  if (isnan (value))
    gtk_widget_add_css_class (GTK_WIDGET (self->slider), "none");
  else
    gtk_widget_remove_css_class (GTK_WIDGET (self->slider), "none");
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->slider), GTK_ACCESSIBLE_PROPERTY_VALUE_TEXT, text, -1);
}

static void
refresh_drop_down (NormscopeParameterRow *self)
{
  gconstpointer base = normscope_session_get_base (self->session, self->param);
  int selected;
  NsSub sub;

  if (self->param->type == NS_TYPE_SCALE)
    selected = ns_param_get_scale (self->param, base).rule;
  else if (is_placement (self, &sub))
    selected = normscope_parameter_to_item (self->param, normscope_session_get_placement (self->session, sub));
  else
    selected = normscope_parameter_to_item (self->param, ns_param_get_int (self->param, base));

  if (selected < 0 && g_list_model_get_n_items (G_LIST_MODEL (self->names)) == self->n_names)
    gtk_string_list_append (self->names, _ ("Mixed"));
  gtk_drop_down_set_selected (self->drop_down, selected < 0 ? self->n_names : (guint) selected);
  if (selected >= 0 && g_list_model_get_n_items (G_LIST_MODEL (self->names)) > self->n_names)
    gtk_string_list_remove (self->names, self->n_names);
}

/* Return FALSE for null and for the named rule of a scale. */
static gboolean
has_number (NormscopeParameterRow *self)
{
  if (normscope_parameter_has_null (self->param))
    return !ns_param_is_null (self->param, normscope_session_get_base (self->session, self->param));
  return self->param->type != NS_TYPE_SCALE
         || ns_param_get_scale (self->param, normscope_session_get_base (self->session, self->param)).rule == 0;
}

static void
refresh_row (NormscopeParameterRow *self)
{
  gconstpointer base = normscope_session_get_base (self->session, self->param);
  double value = normscope_session_get_value (self->session, self->param);

  if (self->updating)
    return;
  self->updating = TRUE;
  if (self->slider != NULL)
    refresh_slider (self, value);
  if (self->spin != NULL)
    {
      if (!isnan (value))
        gtk_spin_button_set_value (self->spin, value);
      spin_output_cb (self);
      gtk_widget_set_visible (GTK_WIDGET (self->spin), has_number (self));
    }
  if (self->drop_down != NULL)
    refresh_drop_down (self);
  if (self->toggle != NULL)
    gtk_switch_set_active (self->toggle, value != 0);
  if (self->list != NULL)
    normscope_list_entry_set_list (self->list, ns_param_get_string (self->param, base), self->rejected != NULL);
  show_note (self);
  self->updating = FALSE;
}

static void
row_changed_cb (NormscopeParameterRow *self, guint change)
{
  const guint relevant = NORMSCOPE_CHANGED_EXPERIMENT | NORMSCOPE_CHANGED_TRAINING | NORMSCOPE_CHANGED_SELECTED;

  if ((change & relevant) == 0)
    return;
  g_clear_pointer (&self->rejected, g_free);
  refresh_row (self);
}

void
normscope_parameter_row_set_session (NormscopeParameterRow *self, NormscopeSession *session)
{
  g_return_if_fail (NORMSCOPE_IS_PARAMETER_ROW (self));
  g_return_if_fail (NORMSCOPE_IS_SESSION (session) && self->session == NULL);

  self->session = g_object_ref (session);
  g_signal_connect_object (session, "changed", G_CALLBACK (row_changed_cb), self, G_CONNECT_SWAPPED);
  refresh_row (self);
}

/* ---- construction ---- */

static void
add_reset (NormscopeParameterRow *self, GtkWidget *widget)
{
  GtkGesture *click = gtk_gesture_click_new ();

  gtk_event_controller_set_propagation_phase (GTK_EVENT_CONTROLLER (click), GTK_PHASE_CAPTURE);
  g_signal_connect_swapped (click, "pressed", G_CALLBACK (pressed_cb), self);
  gtk_widget_add_controller (widget, GTK_EVENT_CONTROLLER (click));
}

static GtkWidget *
make_spin (NormscopeParameterRow *self)
{
  self->spin = normscope_parameter_make_spin (self->param);
  g_signal_connect_swapped (self->spin, "output", G_CALLBACK (spin_output_cb), self);
  g_signal_connect_swapped (self->spin, "value-changed", G_CALLBACK (spin_changed_cb), self);
  return GTK_WIDGET (self->spin);
}

static GtkWidget *
make_slider (NormscopeParameterRow *self)
{
  self->slider = normscope_parameter_make_slider (self->param);
  g_signal_connect_swapped (self->slider, "value-changed", G_CALLBACK (slider_moved_cb), self);
  g_signal_connect_swapped (self->slider, "change-value", G_CALLBACK (change_value_cb), self);
  add_reset (self, GTK_WIDGET (self->slider));
  return GTK_WIDGET (self->slider);
}

static GtkWidget *
make_choice_drop_down (NormscopeParameterRow *self)
{
  self->drop_down = normscope_parameter_make_drop_down (self->param, &self->names);
  self->n_names = g_list_model_get_n_items (G_LIST_MODEL (self->names));
  g_signal_connect_swapped (self->drop_down, "notify::selected", G_CALLBACK (selected_cb), self);
  return GTK_WIDGET (self->drop_down);
}

static GtkWidget *
make_switch (NormscopeParameterRow *self)
{
  self->toggle = normscope_parameter_make_switch (self->param);
  g_signal_connect_swapped (self->toggle, "notify::active", G_CALLBACK (toggled_cb), self);
  return GTK_WIDGET (self->toggle);
}

static GtkWidget *
make_list (NormscopeParameterRow *self)
{
  GtkWidget *list = normscope_list_entry_new (self->param);

  self->list = NORMSCOPE_LIST_ENTRY (list);
  g_signal_connect_swapped (list, "done", G_CALLBACK (list_done_cb), self);
  return list;
}

static void
fill_line (NormscopeParameterRow *self, GtkBox *line)
{
  const NsParam *param = self->param;
  gboolean has_null = normscope_parameter_has_null (param);

  self->name_label = normscope_parameter_make_label (_ (param->label), NULL);
  gtk_label_set_natural_wrap_mode (self->name_label, GTK_NATURAL_WRAP_NONE);
  add_reset (self, GTK_WIDGET (self->name_label));
  gtk_box_append (line, GTK_WIDGET (self->name_label));
  gtk_box_append (line, normscope_parameter_make_help_button (param, GTK_WIDGET (self)));
  if (param->type == NS_TYPE_CHOICE || param->type == NS_TYPE_SCALE || has_null)
    gtk_box_append (line, make_choice_drop_down (self));
  if (param->type == NS_TYPE_INTEGER || param->type == NS_TYPE_NUMBER || param->type == NS_TYPE_SCALE)
    gtk_box_append (line, make_spin (self));
  if (param->type == NS_TYPE_BOOLEAN && !has_null)
    gtk_box_append (line, make_switch (self));
  if (param->type == NS_TYPE_LIST)
    gtk_box_append (line, make_list (self));
  if (self->with_slider && param->unit != NULL)
    gtk_box_append (line, GTK_WIDGET (normscope_parameter_make_label (_ (param->unit), "dim-label")));
}

static void
normscope_parameter_row_constructed (GObject *object)
{
  NormscopeParameterRow *self = NORMSCOPE_PARAMETER_ROW (object);
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);
  GtkWidget *line = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6);

  G_OBJECT_CLASS (normscope_parameter_row_parent_class)->constructed (object);
  self->param = self->path != NULL ? ns_param_find (self->path) : NULL;
  g_return_if_fail (self->param != NULL && self->param->type != NS_TYPE_STRING);

  gtk_widget_add_css_class (GTK_WIDGET (self), "parameter");
  gtk_widget_set_tooltip_text (GTK_WIDGET (self), _ (self->param->help));
  gtk_list_box_row_set_activatable (GTK_LIST_BOX_ROW (self), FALSE);
  gtk_widget_set_focusable (GTK_WIDGET (self), FALSE);
  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (self), _ (self->param->label));
  fill_line (self, GTK_BOX (line));
  gtk_box_append (GTK_BOX (box), line);
  if (self->with_slider)
    gtk_box_append (GTK_BOX (box), make_slider (self));
  self->note_label = normscope_parameter_make_label ("", "note");
  gtk_widget_set_visible (GTK_WIDGET (self->note_label), FALSE);
  gtk_box_append (GTK_BOX (box), GTK_WIDGET (self->note_label));
  gtk_widget_set_valign (box, GTK_ALIGN_CENTER);
  gtk_list_box_row_set_child (GTK_LIST_BOX_ROW (self), box);
}

/* ---- the object ---- */

const NsParam *
normscope_parameter_row_get_param (NormscopeParameterRow *self)
{
  g_return_val_if_fail (NORMSCOPE_IS_PARAMETER_ROW (self), NULL);
  return self->param;
}

GtkScale *
normscope_parameter_row_get_slider (NormscopeParameterRow *self)
{
  g_return_val_if_fail (NORMSCOPE_IS_PARAMETER_ROW (self), NULL);
  return self->slider;
}

static void
normscope_parameter_row_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  NormscopeParameterRow *self = NORMSCOPE_PARAMETER_ROW (object);

  switch (id)
    {
    case PARAMETER_ROW_PROP_PATH:
      self->path = g_value_dup_string (value);
      break;
    case PARAMETER_ROW_PROP_SLIDER:
      self->with_slider = g_value_get_boolean (value);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
normscope_parameter_row_dispose (GObject *object)
{
  NormscopeParameterRow *self = NORMSCOPE_PARAMETER_ROW (object);

  g_clear_object (&self->session);
  G_OBJECT_CLASS (normscope_parameter_row_parent_class)->dispose (object);
}

static void
normscope_parameter_row_finalize (GObject *object)
{
  NormscopeParameterRow *self = NORMSCOPE_PARAMETER_ROW (object);

  g_free (self->path);
  g_free (self->rejected);
  G_OBJECT_CLASS (normscope_parameter_row_parent_class)->finalize (object);
}

static void
normscope_parameter_row_class_init (NormscopeParameterRowClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GParamFlags flags = G_PARAM_WRITABLE | G_PARAM_CONSTRUCT_ONLY | G_PARAM_STATIC_STRINGS;

  object_class->set_property = normscope_parameter_row_set_property;
  object_class->constructed = normscope_parameter_row_constructed;
  object_class->dispose = normscope_parameter_row_dispose;
  object_class->finalize = normscope_parameter_row_finalize;

  parameter_row_props[PARAMETER_ROW_PROP_PATH] = g_param_spec_string ("path", NULL, NULL, NULL, flags);
  parameter_row_props[PARAMETER_ROW_PROP_SLIDER] = g_param_spec_boolean ("slider", NULL, NULL, FALSE, flags);
  g_object_class_install_properties (object_class, N_PARAMETER_ROW_PROPS, parameter_row_props);
}

static void
normscope_parameter_row_init (NormscopeParameterRow *self)
{
}
