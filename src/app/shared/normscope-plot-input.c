/* The pointer and the keys of a plot: the crosshair and the axes.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/shared/normscope-plot-private.h"

#include <math.h>

#include "app/shared/normscope-tooltips.h"
#include "plot/ns-hit.h"

#define BIG_STEP 10

static int
find_axis (NormscopePlot *self, double x, double y)
{
  const NsLayout *layout = normscope_plot_get_layout (self);
  int axis = layout != NULL ? normscope_plot_controls_find_axis (self->controls, layout, x, y) : NORMSCOPE_NO_AXIS;

  return axis < 0 || ns_figure_can_change_scale (self->figure, axis) ? axis : NORMSCOPE_NO_AXIS;
}

static void
plot_motion_cb (NormscopePlot *self, double x, double y)
{
  gboolean has_moved = x != self->pointer_x || y != self->pointer_y;
  NsHit hit;

  self->pointer_x = x;
  self->pointer_y = y;
  if (normscope_plot_get_layout (self) == NULL)
    return;
  gtk_widget_set_cursor_from_name (GTK_WIDGET (self),
                                   find_axis (self, x, y) != NORMSCOPE_NO_AXIS ? "pointer" : NULL);
  /* A pointer at rest has events, too, when a popover over it closes; they leave the crosshair of the keys alone. */
  if (!self->is_locked && (has_moved || self->cursor_is_pointer)
      && ns_hit_test (self->figure, self->layout, x, y, &hit) && !isnan (hit.x))
    {
      self->cursor_is_pointer = TRUE;
      self->cursor_panel = (guint) MAX (hit.panel, 0);
      normscope_plot_set_cell (self, hit.x, hit.y);
    }
}

static void
leave_cb (NormscopePlot *self)
{
  if (self->cursor_is_pointer && !self->is_locked)
    normscope_plot_set_cursor (self, NAN);
}

static void
pressed_cb (NormscopePlot *self, int n_press, double x, double y)
{
  int axis = find_axis (self, x, y);

  gtk_widget_grab_focus (GTK_WIDGET (self));
  if (axis != NORMSCOPE_NO_AXIS)
    normscope_plot_emit_axis_clicked (self, axis);
}

gboolean
normscope_plot_query_tooltip (GtkWidget *widget, int x, int y, gboolean keyboard, GtkTooltip *tooltip)
{
  NormscopePlot *self = NORMSCOPE_PLOT (widget);
  int axis = keyboard ? NORMSCOPE_NO_AXIS : find_axis (self, x, y);
  g_autofree char *text = NULL;

  if (axis == NORMSCOPE_NO_AXIS || !normscope_tooltips_may_show (widget))
    return FALSE;
  text = normscope_plot_controls_dup_tooltip (self->controls, self->figure, axis);
  gtk_tooltip_set_text (tooltip, text);
  return TRUE;
}

static double
step_cursor (NormscopePlot *self, int direction, int times)
{
  double x = self->cursor;

  for (int i = 0; i < times; i++)
    x = ns_figure_step_x (self->figure, x, direction);
  return x;
}

static gboolean
plot_key_cb (NormscopePlot *self, guint key, guint code, GdkModifierType state)
{
  GtkRoot *root = gtk_widget_get_root (GTK_WIDGET (self));
  GtkWidget *focus = root != NULL ? gtk_root_get_focus (root) : NULL;
  int forward = gtk_widget_get_direction (GTK_WIDGET (self)) == GTK_TEXT_DIR_RTL ? -1 : 1;
  double x, y = self->cursor_y;

  if (self->figure == NULL || self->is_locked || (state & (GDK_CONTROL_MASK | GDK_ALT_MASK)) != 0)
    return GDK_EVENT_PROPAGATE;
  /* The list that a title opens has a use of its own for these keys. */
  if (focus != NULL && gtk_widget_is_ancestor (focus, GTK_WIDGET (self)))
    return GDK_EVENT_PROPAGATE;

  switch (key)
    {
    case GDK_KEY_Right:
    case GDK_KEY_KP_Right:
      x = step_cursor (self, forward, 1);
      break;
    case GDK_KEY_Left:
    case GDK_KEY_KP_Left:
      x = step_cursor (self, -forward, 1);
      break;
    case GDK_KEY_Up:
    case GDK_KEY_KP_Up:
    case GDK_KEY_Down:
    case GDK_KEY_KP_Down:
      if (self->figure->colors == NULL)
        return GDK_EVENT_PROPAGATE;
      y = ns_figure_step_y (self->figure, y, key == GDK_KEY_Up || key == GDK_KEY_KP_Up ? 1 : -1);
      x = isnan (self->cursor) ? step_cursor (self, 1, 1) : self->cursor;
      break;
    case GDK_KEY_Page_Up:
    case GDK_KEY_KP_Page_Up:
      x = step_cursor (self, 1, BIG_STEP);
      break;
    case GDK_KEY_Page_Down:
    case GDK_KEY_KP_Page_Down:
      x = step_cursor (self, -1, BIG_STEP);
      break;
    case GDK_KEY_Home:
    case GDK_KEY_KP_Home:
      x = ns_figure_nearest_x (self->figure, -NORMSCOPE_PLOT_FAR_X);
      break;
    case GDK_KEY_End:
    case GDK_KEY_KP_End:
      x = ns_figure_nearest_x (self->figure, NORMSCOPE_PLOT_FAR_X);
      break;
    case GDK_KEY_Escape:
      /* That of the pointer comes and goes with it. */
      if (isnan (self->cursor) || self->cursor_is_pointer)
        return GDK_EVENT_PROPAGATE;
      x = NAN;
      break;
    default:
      return GDK_EVENT_PROPAGATE;
    }
  self->cursor_is_pointer = FALSE;
  /* The keys are about cells, also those that move along a row. */
  if (self->figure->colors != NULL && isnan (y))
    y = ns_figure_step_y (self->figure, NAN, 1);
  normscope_plot_set_cell (self, x, isnan (x) ? NAN : y);
  return GDK_EVENT_STOP;
}

void
normscope_plot_add_input (NormscopePlot *self)
{
  GtkEventController *motion = gtk_event_controller_motion_new ();
  GtkEventController *key = gtk_event_controller_key_new ();
  GtkGesture *click = gtk_gesture_click_new ();

  g_signal_connect_swapped (motion, "motion", G_CALLBACK (plot_motion_cb), self);
  g_signal_connect_swapped (motion, "leave", G_CALLBACK (leave_cb), self);
  g_signal_connect_swapped (key, "key-pressed", G_CALLBACK (plot_key_cb), self);
  g_signal_connect_swapped (click, "pressed", G_CALLBACK (pressed_cb), self);
  gtk_widget_add_controller (GTK_WIDGET (self), motion);
  gtk_widget_add_controller (GTK_WIDGET (self), key);
  gtk_widget_add_controller (GTK_WIDGET (self), GTK_EVENT_CONTROLLER (click));
}

