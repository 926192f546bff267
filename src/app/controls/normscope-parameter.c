/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/controls/normscope-parameter.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

#include "app/shared/normscope-help-button.h"
#include "app/shared/normscope-labels.h"
#include "engine/experiment/ns-derived.h"

/* How near to a mark a drag stops at it. */
#define SNAP_PX 8

static gboolean
is_logarithmic (const NsParam *param)
{
  return param->logarithmic && param->ui_min > 0;
}

double
normscope_parameter_to_slider (const NsParam *param, double value)
{
  double clamped = CLAMP (value, param->ui_min, param->ui_max);

  return is_logarithmic (param) ? log (clamped) : clamped;
}

double
normscope_parameter_from_slider (const NsParam *param, double position)
{
  gboolean logarithmic = is_logarithmic (param);
  double value = logarithmic ? exp (position) : position;
  double steps_per_unit = 1.0 / param->step;

  if (param->type == NS_TYPE_INTEGER)
    value = param->ui_min + round ((value - param->ui_min) / param->step) * param->step;
  else if (!logarithmic)
    /* Divide by 100 instead of multiplying by 0.01: 25 / 100 is exactly 0.25. */
    value = round (value * steps_per_unit) / round (steps_per_unit);
  return CLAMP (value, param->ui_min, param->ui_max);
}

gboolean
normscope_parameter_step (const NsParam *param, GtkScrollType scroll, double *value)
{
  if (!is_logarithmic (param))
    return FALSE;
  switch (scroll)
    {
    case GTK_SCROLL_STEP_FORWARD:
      *value += param->step;
      break;
    case GTK_SCROLL_STEP_BACKWARD:
      *value -= param->step;
      break;
    case GTK_SCROLL_PAGE_FORWARD:
      *value *= 2;
      break;
    case GTK_SCROLL_PAGE_BACKWARD:
      *value /= 2;
      break;
    default:
      return FALSE;
    }
  *value = CLAMP (*value, param->ui_min, param->ui_max);
  return TRUE;
}

char *
normscope_parameter_dup_text (const NsParam *param, double value)
{
  g_autofree char *number = g_strdup_printf (param->type == NS_TYPE_INTEGER ? "%.0f" : "%.4g", value);

  if (isnan (value))
    return g_strdup ("–");
  return param->unit != NULL ? g_strdup_printf ("%s %s", number, _ (param->unit)) : g_steal_pointer (&number);
}

/* ---- null ---- */

gboolean
normscope_parameter_has_null (const NsParam *param)
{
  /* a number of training of its own that a variant lacks shows as "–" */
  return param->nullable && !(param->type == NS_TYPE_INTEGER && ns_param_is_of_training (param))
         && (param->type == NS_TYPE_INTEGER || param->type == NS_TYPE_BOOLEAN || param->type == NS_TYPE_CHOICE);
}

int
normscope_parameter_to_item (const NsParam *param, gint64 value)
{
  if (!normscope_parameter_has_null (param))
    return (int) value;
  if (param->type == NS_TYPE_INTEGER)
    return value > 0 ? 1 : 0;
  if (value == NS_NULL_CHOICE)
    return 0;
  return param->type == NS_TYPE_BOOLEAN ? (value ? 1 : 2) : (int) value + 1;
}

gint64
normscope_parameter_from_item (const NsParam *param, int item, const NsShape *shape)
{
  if (!normscope_parameter_has_null (param))
    return item;
  if (param->type == NS_TYPE_INTEGER)
    /* Start with the number that null stands for, so that nothing changes yet (the encoder's embedding becomes its own,
     * though), or where there is none with a usual one. */
    return item == 0                                    ? 0
           : param->null_start > 0                      ? param->null_start
           : strcmp (param->key, "window") == 0         ? MAX (shape->seq_len, 2)
           : strcmp (param->key, "init.mup_base") == 0  ? shape->d_model
           : strcmp (param->key, "decoder_depth") == 0  ? shape->depth
           : strcmp (param->key, "encoder_vocab") == 0  ? shape->vocab
           : strcmp (param->key, "kv_heads") == 0       ? ns_shape_get_kv_heads (shape)
                                                        : MAX (ns_shape_get_d_head (shape), 1);
  if (item == 0)
    return NS_NULL_CHOICE;
  return param->type == NS_TYPE_BOOLEAN ? item == 1 : item - 1;
}

/* ---- widgets ---- */

void
normscope_parameter_name_control (const NsParam *param, GtkWidget *control)
{
  gtk_accessible_update_property (GTK_ACCESSIBLE (control), GTK_ACCESSIBLE_PROPERTY_LABEL, _ (param->label),
                                  GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, _ (param->help), -1);
  gtk_widget_set_valign (control, GTK_ALIGN_CENTER);
}

static void
focus_cb (GtkEventControllerFocus *focus, GParamSpec *pspec, GtkEventController *wheel)
{
  gtk_event_controller_set_propagation_phase (
      wheel, gtk_event_controller_focus_contains_focus (focus) ? GTK_PHASE_BUBBLE : GTK_PHASE_NONE);
}

/* Turn off the control's own handling of the wheel while it has no focus. */
static void
ignore_wheel_without_focus (GtkWidget *control)
{
  g_autoptr (GListModel) controllers = gtk_widget_observe_controllers (control);
  GtkEventController *focus = gtk_event_controller_focus_new ();

  for (guint i = 0; i < g_list_model_get_n_items (controllers); i++)
    {
      g_autoptr (GtkEventController) controller = g_list_model_get_item (controllers, i);

      if (!GTK_IS_EVENT_CONTROLLER_SCROLL (controller))
        continue;
      gtk_event_controller_set_propagation_phase (controller, GTK_PHASE_NONE);
      g_signal_connect_object (focus, "notify::contains-focus", G_CALLBACK (focus_cb), controller, 0);
    }
  gtk_widget_add_controller (control, focus);
}

GtkLabel *
normscope_parameter_make_label (const char *text, const char *css_class)
{
  GtkWidget *label = gtk_label_new (text);

  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_label_set_wrap (GTK_LABEL (label), TRUE);
  if (css_class != NULL)
    gtk_widget_add_css_class (label, css_class);
  return GTK_LABEL (label);
}

static int
input_cb (GtkSpinButton *spin, double *value)
{
  g_autofree char *text = g_strdelimit (g_strdup (gtk_editable_get_text (GTK_EDITABLE (spin))), ",", '.');
  char *end;

  *value = g_ascii_strtod (g_strstrip (text), &end);
  return end == text || *end != '\0' || !isfinite (*value) ? GTK_INPUT_ERROR : TRUE;
}

GtkSpinButton *
normscope_parameter_make_spin (const NsParam *param)
{
  GtkAdjustment *adjustment = gtk_adjustment_new (param->min, param->min, param->max, param->step,
                                                  10 * param->step, 0);
  /* The digits limit what can be typed; the row formats what is shown. */
  guint digits = param->type == NS_TYPE_INTEGER ? 0 : 9;
  GtkWidget *spin = gtk_spin_button_new (adjustment, param->step, digits);

  gtk_editable_set_width_chars (GTK_EDITABLE (spin), 5);
  gtk_editable_set_max_width_chars (GTK_EDITABLE (spin), 7);
  ignore_wheel_without_focus (spin);
  g_signal_connect (spin, "input", G_CALLBACK (input_cb), NULL);
  normscope_parameter_name_control (param, spin);
  return GTK_SPIN_BUTTON (spin);
}

GtkScale *
normscope_parameter_make_slider (const NsParam *param)
{
  gboolean logarithmic = is_logarithmic (param);
  double low = normscope_parameter_to_slider (param, param->ui_min);
  double high = normscope_parameter_to_slider (param, param->ui_max);
  /* GtkScale moves by a page for a step of the mouse wheel. */
  double page = logarithmic ? log (2.0) / 4 : 10 * param->step;
  GtkAdjustment *adjustment = gtk_adjustment_new (low, low, high, logarithmic ? page / 4 : param->step, page, 0);
  GtkWidget *slider = gtk_scale_new (GTK_ORIENTATION_HORIZONTAL, adjustment);

  gtk_scale_set_draw_value (GTK_SCALE (slider), FALSE);
  ignore_wheel_without_focus (slider);
  normscope_parameter_name_control (param, slider);
  return GTK_SCALE (slider);
}

static gboolean
snap_cb (GtkRange *slider, GtkScrollType scroll, double position, const double *mark)
{
  GtkAdjustment *adjustment = gtk_range_get_adjustment (slider);
  double length = gtk_adjustment_get_upper (adjustment) - gtk_adjustment_get_lower (adjustment);
  GdkRectangle trough;

  gtk_range_get_range_rect (slider, &trough);
  if (scroll != GTK_SCROLL_JUMP || fabs (position - *mark) / length * trough.width > SNAP_PX)
    return FALSE;
  gtk_range_set_value (slider, *mark);
  return TRUE;
}

static void
free_mark (gpointer data, GClosure *closure)
{
  g_free (data);
}

void
normscope_parameter_add_mark (GtkScale *slider, const NsParam *param, double value, const char *name)
{
  double *mark = g_new (double, 1);

  *mark = normscope_parameter_to_slider (param, value);
  gtk_scale_add_mark (slider, *mark, GTK_POS_BOTTOM, name);
  g_signal_connect_data (slider, "change-value", G_CALLBACK (snap_cb), mark, free_mark, 0);
}

GtkDropDown *
normscope_parameter_make_drop_down (const NsParam *param, GtkStringList **names)
{
  GtkWidget *drop_down;

  *names = gtk_string_list_new (NULL);
  if (normscope_parameter_has_null (param))
    gtk_string_list_append (*names, normscope_label_for_null (param));
  if (param->type == NS_TYPE_SCALE || param->type == NS_TYPE_INTEGER)
    gtk_string_list_append (*names, _ ("Number"));
  if (param->type == NS_TYPE_BOOLEAN)
    {
      gtk_string_list_append (*names, _ ("On"));
      gtk_string_list_append (*names, _ ("Off"));
    }
  for (const char *const *choice = param->choices; choice != NULL && *choice != NULL; choice++)
    gtk_string_list_append (*names, ns_param_get_choice_label (param, *choice));
  drop_down = gtk_drop_down_new (G_LIST_MODEL (*names), NULL);
  normscope_parameter_name_control (param, drop_down);
  return GTK_DROP_DOWN (drop_down);
}

GtkSwitch *
normscope_parameter_make_switch (const NsParam *param)
{
  GtkWidget *toggle = gtk_switch_new ();

  normscope_parameter_name_control (param, toggle);
  return GTK_SWITCH (toggle);
}

GtkWidget *
normscope_parameter_make_help_button (const NsParam *param, GtkWidget *row)
{
  g_autofree char *page = g_strconcat ("parameter:", ns_param_get_path (param), NULL);
  GtkWidget *button = normscope_help_button_new (page, _ (param->label));

  normscope_help_set_page (row, page);
  gtk_widget_set_hexpand (button, TRUE);
  return button;
}
