/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/paths/normscope-paths-pins.h"

#include <glib/gi18n-lib.h>
#include <math.h>

#include "app/paths/normscope-paths-axis.h"
#include "app/paths/normscope-paths-notes.h"

static gboolean
can_pin (NormscopePlot *plot, NormscopeSession *session)
{
  return normscope_plot_get_figure (plot) != NULL && !normscope_session_get_asking (session)
         && ns_figure_takes (normscope_session_get_paths (session)->figure, NS_FIGURE_OPTION_PIN);
}

static void
toggle (NormscopePlot *plot, NormscopeSession *session, double x)
{
  NsMarks *marks = ns_marks_copy (normscope_session_get_marks (session));
  const NsPin pin = { .panel = NS_KIND_GRADIENT,
                      .place = ns_flow_get_place (normscope_session_get_experiment (session), x) };
  g_autoptr (GError) error = NULL;
  int former;

  if (marks == NULL)
    marks = ns_marks_new ();
  former = ns_marks_find_pin (marks, pin.panel, &pin.place);
  if (former >= 0)
    ns_marks_remove (marks, NS_MARKS_ID (NS_MARKS_PINS, former));
  else
    ns_marks_add_pin (marks, &pin);
  if (!normscope_session_take_marks (session, marks, &error))
    gtk_widget_activate_action (GTK_WIDGET (plot), "win.show-message", "s", error->message);
}

static void
released_cb (GtkGestureClick *gesture, int n_press, double x, double y, gpointer session)
{
  GdkModifierType state = gtk_event_controller_get_current_event_state (GTK_EVENT_CONTROLLER (gesture));
  GtkWidget *plot = gtk_event_controller_get_widget (GTK_EVENT_CONTROLLER (gesture));
  NsHit hit;

  if ((state & (GDK_SHIFT_MASK | GDK_CONTROL_MASK | GDK_ALT_MASK)) == 0 && can_pin (NORMSCOPE_PLOT (plot), session)
      && normscope_plot_hit (NORMSCOPE_PLOT (plot), x, y, &hit) && hit.panel >= 0)
    toggle (NORMSCOPE_PLOT (plot), session, hit.x);
}

static gboolean
pins_key_cb (GtkEventControllerKey *controller, guint key, guint code, GdkModifierType state, gpointer session)
{
  NormscopePlot *plot = NORMSCOPE_PLOT (gtk_event_controller_get_widget (GTK_EVENT_CONTROLLER (controller)));
  double x = normscope_plot_get_cursor (plot);

  if (key != GDK_KEY_p || (state & (GDK_CONTROL_MASK | GDK_ALT_MASK)) != 0)
    return GDK_EVENT_PROPAGATE;
  if (can_pin (plot, session) && !isnan (x))
    toggle (plot, session, x);
  else
    gtk_widget_error_bell (GTK_WIDGET (plot));
  return GDK_EVENT_STOP;
}

void
normscope_paths_pins_install (NormscopePlot *plot, NormscopeSession *session)
{
  GtkGesture *click = gtk_gesture_click_new ();
  GtkEventController *key = gtk_event_controller_key_new ();

  gtk_gesture_single_set_button (GTK_GESTURE_SINGLE (click), GDK_BUTTON_PRIMARY);
  g_signal_connect (click, "released", G_CALLBACK (released_cb), session);
  g_signal_connect (key, "key-pressed", G_CALLBACK (pins_key_cb), session);
  gtk_widget_add_controller (GTK_WIDGET (plot), GTK_EVENT_CONTROLLER (click));
  gtk_widget_add_controller (GTK_WIDGET (plot), key);
  normscope_paths_axis_install (plot, session);
  normscope_paths_notes_install (plot, session);
}

const char *
normscope_paths_pins_get_hint (NsFigureKind kind, const NsFigure *figure)
{
  if (figure->colors != NULL)
    return _ ("Point at a map or press ← → ↑ ↓ for the value of a cell");
  if (ns_figure_takes (kind, NS_FIGURE_OPTION_PIN))
    return _ ("Point at the plots or press ← → for values, click to pin them");
  return _ ("Point at the plot or press ← → for values");
}
