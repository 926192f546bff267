/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/flow/normscope-flow-marks-private.h"

#include <math.h>

/* ---- what is there ---- */

static NsQuantityKind
get_panel_kind (int panel)
{
  return panel == 0 ? NS_KIND_GRADIENT : panel == 1 ? NS_KIND_ACTIVATION : NS_KIND_COSINE;
}

static int
find_variant (NormscopeFlowMarks *self, const NsHit *hit)
{
  const NsExperiment *experiment = ns_result_get_experiment (self->result);
  const NsPanel *panel = g_ptr_array_index (normscope_plot_get_figure (self->plot)->panels, hit->panel);
  const NsSeries *series = hit->series >= 0 ? g_ptr_array_index (panel->series, hit->series) : NULL;

  for (guint v = 0; series != NULL && v < experiment->variants->len; v++)
    if (series->role == NS_ROLE_DATA && g_strcmp0 (ns_experiment_variant (experiment, v)->name, series->name) == 0)
      return (int) v;
  return -1;
}

/* Return the selected variant, or if it is hidden the first that is not. */
static int
find_visible (NormscopeFlowMarks *self)
{
  guint n = MIN (normscope_session_get_n_variants (self->session),
                 ns_result_get_experiment (self->result)->variants->len);
  guint selected = normscope_session_get_selected (self->session);

  if (selected < n && !normscope_session_get_look (self->session, selected)->hidden)
    return (int) selected;
  for (guint v = 0; v < n; v++)
    if (!normscope_session_get_look (self->session, v)->hidden)
      return (int) v;
  return -1;
}

static void
set_quantity (NormscopeFlowMarks *self, NormscopeMarkTarget *target)
{
  NsFlowOptions options = normscope_flow_marks_get_options (self);

  target->quantity = target->panel == NS_KIND_GRADIENT     ? options.gradient
                     : target->panel == NS_KIND_ACTIVATION ? options.activation
                                                           : NS_Q_TOKEN_COS;
}

/* Find the target at a px of the plot. FALSE outside the plot areas and without a result. */
static gboolean
find_target (NormscopeFlowMarks *self, double x, double y, NormscopeMarkTarget *target)
{
  NsHit hit;

  if (self->result == NULL || !normscope_plot_hit (self->plot, x, y, &hit) || hit.panel < 0)
    return FALSE;
  target->place = ns_flow_get_place (ns_result_get_experiment (self->result), hit.x);
  target->panel = get_panel_kind (hit.panel);
  target->variant = find_variant (self, &hit);
  if (target->variant < 0)
    target->variant = find_visible (self);
  set_quantity (self, target);
  target->x = x;
  target->y = y;
  return TRUE;
}

/* Find the target at the crosshair. */
static gboolean
find_crosshair (NormscopeFlowMarks *self, NormscopeMarkTarget *target)
{
  NsRect plot;
  double x;

  if (self->result == NULL || !normscope_plot_get_crosshair (self->plot, &x, &plot))
    return FALSE;
  target->place = ns_flow_get_place (ns_result_get_experiment (self->result), normscope_plot_get_cursor (self->plot));
  target->panel = self->panel;
  target->variant = find_visible (self);
  set_quantity (self, target);
  target->x = x;
  target->y = plot.y + 0.5 * plot.height;
  return TRUE;
}

/* ---- pointer and keys ---- */

static void
released_cb (NormscopeFlowMarks *self, int n_press, double x, double y, GtkGestureClick *gesture)
{
  GdkModifierType state = gtk_event_controller_get_current_event_state (GTK_EVENT_CONTROLLER (gesture));
  NormscopeMarkTarget target;

  if (!find_target (self, x, y, &target))
    return;
  self->panel = target.panel;
  if ((state & GDK_SHIFT_MASK) != 0)
    normscope_flow_marks_add_ratio (self, &target);
  else if ((state & (GDK_CONTROL_MASK | GDK_ALT_MASK)) == 0)
    normscope_flow_marks_toggle_pin (self, &target);
}

static void
open_menu_at (NormscopeFlowMarks *self, double x, double y, GtkGesture *gesture)
{
  if (!find_target (self, x, y, &self->target))
    return;
  self->panel = self->target.panel;
  gtk_widget_grab_focus (GTK_WIDGET (self->plot));
  gtk_gesture_set_state (gesture, GTK_EVENT_SEQUENCE_CLAIMED);
  normscope_flow_marks_open_menu (self, normscope_plot_find_annotation (self->plot, x, y));
}

static void
menu_cb (NormscopeFlowMarks *self, int n_press, double x, double y, GtkGesture *gesture)
{
  open_menu_at (self, x, y, gesture);
}

static void
motion_cb (NormscopeFlowMarks *self, double x, double y)
{
  /* A pointer at rest has events, too, when something opens under it. */
  gboolean has_moved = !isnan (self->pointer_x) && (x != self->pointer_x || y != self->pointer_y);
  NsHit hit;

  self->pointer_x = x;
  self->pointer_y = y;
  if (has_moved && normscope_plot_hit (self->plot, x, y, &hit) && hit.panel >= 0)
    self->panel = get_panel_kind (hit.panel);
}

static gboolean
marks_key_cb (NormscopeFlowMarks *self, guint key, guint code, GdkModifierType state)
{
  gboolean shift = (state & GDK_SHIFT_MASK) != 0;

  if ((state & (GDK_CONTROL_MASK | GDK_ALT_MASK)) != 0 || !gtk_widget_is_focus (GTK_WIDGET (self->plot)))
    return GDK_EVENT_PROPAGATE;
  key = gdk_keyval_to_lower (key);
  if (key != GDK_KEY_p && key != GDK_KEY_n && key != GDK_KEY_Menu && !(key == GDK_KEY_F10 && shift))
    return GDK_EVENT_PROPAGATE;
  if (!find_crosshair (self, &self->target))
    {
      gtk_widget_error_bell (GTK_WIDGET (self->plot));
      return GDK_EVENT_STOP;
    }
  if (key == GDK_KEY_n)
    normscope_flow_marks_add_note (self, shift ? NS_NOTE_ARROW : NS_NOTE_TEXT);
  else if (key != GDK_KEY_p)
    normscope_flow_marks_open_menu (self, -1);
  else if (shift)
    normscope_flow_marks_add_ratio (self, &self->target);
  else
    normscope_flow_marks_toggle_pin (self, &self->target);
  return GDK_EVENT_STOP;
}

/* ---- the object ---- */

static void
add_click (NormscopeFlowMarks *self, guint button, const char *signal, GCallback callback)
{
  GtkGesture *click = gtk_gesture_click_new ();

  gtk_gesture_single_set_button (GTK_GESTURE_SINGLE (click), button);
  g_signal_connect_swapped (click, signal, callback, self);
  gtk_widget_add_controller (GTK_WIDGET (self->plot), GTK_EVENT_CONTROLLER (click));
}

NormscopeFlowMarks *
normscope_flow_marks_new (NormscopePlot *plot, NormscopeSession *session)
{
  NormscopeFlowMarks *self = g_new0 (NormscopeFlowMarks, 1);
  GtkEventController *motion = gtk_event_controller_motion_new ();
  GtkEventController *key = gtk_event_controller_key_new ();
  GtkGesture *hold = gtk_gesture_long_press_new ();

  self->plot = plot;
  self->session = session;
  self->panel = NS_KIND_GRADIENT;
  self->pointer_x = self->pointer_y = NAN;
  normscope_flow_marks_add_actions (self);
  add_click (self, GDK_BUTTON_PRIMARY, "released", G_CALLBACK (released_cb));
  add_click (self, GDK_BUTTON_SECONDARY, "pressed", G_CALLBACK (menu_cb));
  /* A finger has no right button. */
  gtk_gesture_single_set_touch_only (GTK_GESTURE_SINGLE (hold), TRUE);
  g_signal_connect_swapped (hold, "pressed", G_CALLBACK (open_menu_at), self);
  gtk_widget_add_controller (GTK_WIDGET (plot), GTK_EVENT_CONTROLLER (hold));
  g_signal_connect_swapped (motion, "motion", G_CALLBACK (motion_cb), self);
  g_signal_connect_swapped (key, "key-pressed", G_CALLBACK (marks_key_cb), self);
  gtk_widget_add_controller (GTK_WIDGET (plot), motion);
  gtk_widget_add_controller (GTK_WIDGET (plot), key);
  return self;
}

void
normscope_flow_marks_free (NormscopeFlowMarks *self)
{
  g_clear_pointer (&self->result, ns_result_unref);
  g_object_unref (self->actions);
  g_free (self);
}

void
normscope_flow_marks_set_result (NormscopeFlowMarks *self, NsResult *result)
{
  g_clear_pointer (&self->result, ns_result_unref);
  self->result = result != NULL ? ns_result_ref (result) : NULL;
}
