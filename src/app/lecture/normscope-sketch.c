/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/lecture/normscope-sketch.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

#include "app/shared/normscope-theme.h"
#include "plot/ns-hit.h"

/* One press of an arrow key moves the value by this share of the axis. */
#define KEY_SHARE 0.04
#define LINE_PX 3.0
#define POINT_PX 4.0

struct _NormscopeSketch
{
  GtkWidget parent_instance;

  NormscopePlot *plot;
  guint panel;
  gint64 first, last;
  double *values; /* [last − first + 1], axis units; NAN: nothing drawn */
  gint64 key_x;   /* where the arrow keys draw */
  double start_x, start_y, drawn_x, drawn_y; /* of a drag: its start, and its last point, px of this widget */
};

G_DEFINE_FINAL_TYPE (NormscopeSketch, normscope_sketch, GTK_TYPE_WIDGET)

enum { SKETCH_SIGNAL_CHANGED, N_SKETCH_SIGNALS };
static guint sketch_signals[N_SKETCH_SIGNALS];

/* ---- the axes ---- */

/* Return the panel's layout, and the origin of the plot in this widget; NULL before there is a figure. */
static const NsPanelLayout *
get_panel (NormscopeSketch *self, const NsLayout **layout, graphene_point_t *origin)
{
  *layout = normscope_plot_get_layout (self->plot);
  if (*layout == NULL || self->panel >= (*layout)->panels->len
      || !gtk_widget_compute_point (GTK_WIDGET (self->plot), GTK_WIDGET (self), &GRAPHENE_POINT_INIT (0, 0), origin))
    return NULL;
  return ns_layout_get_panel (*layout, self->panel);
}

static gboolean
normscope_sketch_contains (GtkWidget *widget, double x, double y)
{
  NormscopeSketch *self = NORMSCOPE_SKETCH (widget);
  const NsLayout *layout;
  graphene_point_t origin;
  const NsPanelLayout *panel = get_panel (self, &layout, &origin);

  if (panel == NULL || self->values == NULL)
    return FALSE;
  x -= origin.x + panel->plot.x;
  y -= origin.y + panel->plot.y;
  return x >= 0 && x <= panel->plot.width && y >= 0 && y <= panel->plot.height;
}

/* ---- values ---- */

static guint
get_n (NormscopeSketch *self)
{
  return self->values != NULL ? (guint) (self->last - self->first + 1) : 0;
}

double
normscope_sketch_get_value (NormscopeSketch *self, gint64 x)
{
  g_return_val_if_fail (NORMSCOPE_IS_SKETCH (self), NAN);
  return self->values != NULL && x >= self->first && x <= self->last ? self->values[x - self->first] : NAN;
}

gboolean
normscope_sketch_is_drawn (NormscopeSketch *self)
{
  g_return_val_if_fail (NORMSCOPE_IS_SKETCH (self), FALSE);
  for (guint i = 0; i < get_n (self); i++)
    if (!isnan (self->values[i]))
      return TRUE;
  return FALSE;
}

void
normscope_sketch_set_range (NormscopeSketch *self, gint64 first, gint64 last)
{
  double *values;

  g_return_if_fail (NORMSCOPE_IS_SKETCH (self));
  g_return_if_fail (first <= last);
  if (self->values != NULL && first == self->first && last == self->last)
    return;
  values = g_new (double, (gsize) (last - first + 1));
  for (gint64 x = first; x <= last; x++)
    values[x - first] = normscope_sketch_get_value (self, x);
  g_free (self->values);
  self->values = values;
  self->first = first;
  self->last = last;
  self->key_x = CLAMP (self->key_x, first, last);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

void
normscope_sketch_get_range (NormscopeSketch *self, gint64 *first, gint64 *last)
{
  g_return_if_fail (NORMSCOPE_IS_SKETCH (self));
  *first = self->first;
  *last = self->last;
}

void
normscope_sketch_set_values (NormscopeSketch *self, gint64 first, guint n, const double *values)
{
  g_return_if_fail (NORMSCOPE_IS_SKETCH (self) && n > 0);
  normscope_sketch_set_range (self, first, first + n - 1);
  memcpy (self->values, values, n * sizeof *values);
}

static void
changed (NormscopeSketch *self)
{
  gtk_widget_queue_draw (GTK_WIDGET (self));
  g_signal_emit (self, sketch_signals[SKETCH_SIGNAL_CHANGED], 0);
}

static void
set_curve_value (NormscopeSketch *self, gint64 x, double value)
{
  if (self->values != NULL && x >= self->first && x <= self->last)
    self->values[x - self->first] = value;
}

/* Set every x between two points of the widget, in a straight line. */
static void
draw_line (NormscopeSketch *self, double from_x, double from_y, double to_x, double to_y)
{
  const NsLayout *layout;
  graphene_point_t origin;
  const NsPanelLayout *panel = get_panel (self, &layout, &origin);
  double a, b;

  if (panel == NULL)
    return;
  a = ns_scale_unmap (&layout->x, from_x - origin.x);
  b = ns_scale_unmap (&layout->x, to_x - origin.x);
  for (gint64 x = self->first; x <= self->last; x++)
    {
      double share = a == b ? 1 : ((double) x - a) / (b - a);
      double y;

      /* The nearest x of both ends belongs to the line. */
      if ((double) x < MIN (a, b) - 0.5 || (double) x > MAX (a, b) + 0.5)
        continue;
      y = from_y + CLAMP (share, 0, 1) * (to_y - from_y) - origin.y;
      y = CLAMP (y, panel->plot.y, panel->plot.y + panel->plot.height);
      set_curve_value (self, x, ns_scale_unmap (&panel->y, y));
    }
  changed (self);
}

/* ---- input ---- */

static void
sketch_drag_begin_cb (NormscopeSketch *self, double x, double y)
{
  gtk_widget_grab_focus (GTK_WIDGET (self));
  self->start_x = self->drawn_x = x;
  self->start_y = self->drawn_y = y;
  draw_line (self, x, y, x, y);
}

static void
sketch_drag_update_cb (NormscopeSketch *self, double dx, double dy)
{
  double x = self->start_x + dx, y = self->start_y + dy;

  draw_line (self, self->drawn_x, self->drawn_y, x, y);
  self->drawn_x = x;
  self->drawn_y = y;
}

/* A value that is not drawn yet starts at its neighbour's, or in the middle. */
static double
get_start (NormscopeSketch *self, const NsPanelLayout *panel)
{
  double value = normscope_sketch_get_value (self, self->key_x);

  if (isnan (value))
    value = normscope_sketch_get_value (self, self->key_x - 1);
  if (isnan (value))
    value = normscope_sketch_get_value (self, self->key_x + 1);
  return isnan (value) ? (panel->y.min + panel->y.max) / 2 : value;
}

static void
describe (NormscopeSketch *self)
{
  double value = normscope_sketch_get_value (self, self->key_x);
  const NsLayout *layout;
  graphene_point_t origin;
  const NsPanelLayout *panel = get_panel (self, &layout, &origin);
  g_autofree char *text = NULL;

  if (isnan (value) || panel == NULL)
    text = g_strdup_printf (_ ("Block %d: nothing drawn"), (int) self->key_x);
  else
    text = g_strdup_printf (_ ("Block %d: %.3g"), (int) self->key_x,
                            panel->y.scale == NS_AXIS_LOG10 ? pow (10, value) : value);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, text, -1);
}

static gboolean
sketch_key_cb (NormscopeSketch *self, guint key, guint code, GdkModifierType state)
{
  const NsLayout *layout;
  graphene_point_t origin;
  const NsPanelLayout *panel = get_panel (self, &layout, &origin);
  double step, up = 0;

  if (panel == NULL || self->values == NULL || (state & (GDK_CONTROL_MASK | GDK_ALT_MASK)) != 0)
    return GDK_EVENT_PROPAGATE;
  step = (panel->y.max - panel->y.min) * KEY_SHARE;
  switch (key)
    {
    case GDK_KEY_Left:
    case GDK_KEY_KP_Left:
      self->key_x = MAX (self->first, self->key_x - 1);
      break;
    case GDK_KEY_Right:
    case GDK_KEY_KP_Right:
      self->key_x = MIN (self->last, self->key_x + 1);
      break;
    case GDK_KEY_Up:
    case GDK_KEY_KP_Up:
      up = step;
      break;
    case GDK_KEY_Down:
    case GDK_KEY_KP_Down:
      up = -step;
      break;
    case GDK_KEY_Delete:
    case GDK_KEY_BackSpace:
      set_curve_value (self, self->key_x, NAN);
      break;
    default:
      return GDK_EVENT_PROPAGATE;
    }
  if (up != 0)
    set_curve_value (self, self->key_x, CLAMP (get_start (self, panel) + up, panel->y.min, panel->y.max));
  describe (self);
  changed (self);
  return GDK_EVENT_STOP;
}

/* ---- drawing ---- */

static void
draw_curve (NormscopeSketch *self, cairo_t *cr, const NsLayout *layout, const NsPanelLayout *panel)
{
  static const double dots[] = { 0, 2 * LINE_PX };
  gboolean is_joined = FALSE;

  cairo_set_line_width (cr, LINE_PX);
  cairo_set_line_cap (cr, CAIRO_LINE_CAP_ROUND);
  cairo_set_dash (cr, dots, G_N_ELEMENTS (dots), 0);
  for (guint i = 0; i < get_n (self); i++)
    {
      double x = ns_scale_map (&layout->x, (double) (self->first + i)), y = ns_scale_map (&panel->y, self->values[i]);

      if (isnan (y))
        is_joined = FALSE;
      else if (is_joined)
        cairo_line_to (cr, x, y);
      else
        cairo_move_to (cr, x, y);
      is_joined = !isnan (y);
    }
  cairo_stroke (cr);
  cairo_set_dash (cr, NULL, 0, 0);
  for (guint i = 0; i < get_n (self) && get_n (self) <= 48; i++)
    if (!isnan (self->values[i]))
      {
        cairo_arc (cr, ns_scale_map (&layout->x, (double) (self->first + i)),
                   ns_scale_map (&panel->y, self->values[i]), POINT_PX, 0, 2 * G_PI);
        cairo_fill (cr);
      }
}

static void
normscope_sketch_snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  NormscopeSketch *self = NORMSCOPE_SKETCH (widget);
  const NsLayout *layout;
  graphene_point_t origin;
  const NsPanelLayout *panel = get_panel (self, &layout, &origin);
  NsTheme theme;
  cairo_t *cr;

  if (panel == NULL || self->values == NULL)
    return;
  normscope_theme_init (&theme);
  cr = gtk_snapshot_append_cairo (snapshot, &GRAPHENE_RECT_INIT (origin.x + (float) panel->plot.x - 8,
                                                                 origin.y + (float) panel->plot.y - 8,
                                                                 (float) panel->plot.width + 16,
                                                                 (float) panel->plot.height + 16));
  cairo_translate (cr, origin.x, origin.y);
  cairo_set_source_rgb (cr, theme.foreground.red, theme.foreground.green, theme.foreground.blue);
  if (gtk_widget_has_visible_focus (widget))
    {
      double x = ns_scale_map (&layout->x, (double) self->key_x);

      cairo_set_line_width (cr, 1);
      cairo_move_to (cr, x, panel->plot.y);
      cairo_line_to (cr, x, panel->plot.y + panel->plot.height);
      cairo_stroke (cr);
    }
  draw_curve (self, cr, layout, panel);
  cairo_destroy (cr);
}

/* ---- the object ---- */

static void
normscope_sketch_finalize (GObject *object)
{
  g_free (NORMSCOPE_SKETCH (object)->values);
  G_OBJECT_CLASS (normscope_sketch_parent_class)->finalize (object);
}

static void
normscope_sketch_class_init (NormscopeSketchClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = normscope_sketch_finalize;
  widget_class->contains = normscope_sketch_contains;
  widget_class->snapshot = normscope_sketch_snapshot;
  sketch_signals[SKETCH_SIGNAL_CHANGED] =
      g_signal_new ("changed", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  gtk_widget_class_set_css_name (widget_class, "sketch");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_IMG);
}

static void
normscope_sketch_init (NormscopeSketch *self)
{
  GtkEventController *keys = gtk_event_controller_key_new ();
  GtkGesture *drag = gtk_gesture_drag_new ();

  g_signal_connect_swapped (drag, "drag-begin", G_CALLBACK (sketch_drag_begin_cb), self);
  g_signal_connect_swapped (drag, "drag-update", G_CALLBACK (sketch_drag_update_cb), self);
  g_signal_connect_swapped (keys, "key-pressed", G_CALLBACK (sketch_key_cb), self);
  gtk_widget_add_controller (GTK_WIDGET (self), GTK_EVENT_CONTROLLER (drag));
  gtk_widget_add_controller (GTK_WIDGET (self), keys);
  gtk_widget_set_focusable (GTK_WIDGET (self), TRUE);
  gtk_widget_set_cursor_from_name (GTK_WIDGET (self), "crosshair");
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Sketch of the expected curve"), -1);
}

GtkWidget *
normscope_sketch_new (NormscopePlot *plot, guint panel)
{
  NormscopeSketch *self = g_object_new (NORMSCOPE_TYPE_SKETCH, NULL);

  self->plot = plot;
  self->panel = panel;
  return GTK_WIDGET (self);
}
