/* The drawing of a plot: its cached picture, what is revealed of it, and transitions.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/shared/normscope-plot-private.h"

#include <math.h>

#include "app/shared/normscope-drawing.h"
#include "plot/ns-blend.h"
#include "plot/ns-draw.h"
#include "plot/ns-hit.h"

#define TRANSITION_US (120 * G_TIME_SPAN_MILLISECOND)
/* Series are drawn this far outside their plot: markers on its edge. */
#define REVEAL_AIR_PX 8.0

static gboolean
draw_figure (cairo_t *cr, gpointer data)
{
  NormscopePlot *self = data;

  self->n_drawings++;
  return ns_figure_draw_with_layout (self->between != NULL ? self->between : self->figure, self->layout, cr,
                                     &self->theme);
}

static gboolean
draw_empty (cairo_t *cr, gpointer data)
{
  NormscopePlot *self = data;

  return ns_figure_draw_empty_with_layout (self->figure, self->layout, cr, &self->theme);
}

/* ---- reveal ---- */

static void
append_clipped (GtkSnapshot *snapshot, GskRenderNode *node, double x, double y, double width, double height)
{
  if (node == NULL || width <= 0 || height <= 0)
    return;
  gtk_snapshot_push_clip (snapshot, &GRAPHENE_RECT_INIT ((float) x, (float) y, (float) width, (float) height));
  gtk_snapshot_append_node (snapshot, node);
  gtk_snapshot_pop (snapshot);
}

/* Draw the picture, and in place of the series that are not revealed the empty plot. Each pixel comes from one of the
 * two, so that nothing is drawn twice. */
static void
append_revealed (NormscopePlot *self, GtkSnapshot *snapshot, double width, double height)
{
  double y = 0;

  for (guint p = 0; p < MIN (self->layout->panels->len, NORMSCOPE_PLOT_MAX_PANELS); p++)
    {
      const NsRect *plot = &ns_layout_get_panel (self->layout, p)->plot;
      double top = floor (plot->y - REVEAL_AIR_PX), bottom = ceil (plot->y + plot->height + REVEAL_AIR_PX);
      double left = floor (plot->x - REVEAL_AIR_PX), right = ceil (plot->x + plot->width + REVEAL_AIR_PX);
      double from = CLAMP (round (ns_hit_x_to_px (self->layout, self->reveal[p].from)), left, right);
      double to = CLAMP (round (ns_hit_x_to_px (self->layout, self->reveal[p].to)), from, right);

      append_clipped (snapshot, self->picture, 0, y, width, top - y);
      append_clipped (snapshot, self->picture, 0, top, left, bottom - top);
      append_clipped (snapshot, self->empty, left, top, from - left, bottom - top);
      append_clipped (snapshot, self->picture, from, top, to - from, bottom - top);
      append_clipped (snapshot, self->empty, to, top, right - to, bottom - top);
      append_clipped (snapshot, self->picture, right, top, width - right, bottom - top);
      y = bottom;
    }
  append_clipped (snapshot, self->picture, 0, y, width, height - y);
}

/* Return the panels (bits) whose series are not revealed at the crosshair. */
static guint
find_bare_panels (NormscopePlot *self)
{
  guint bare = 0;

  for (guint p = 0; self->has_reveal && p < NORMSCOPE_PLOT_MAX_PANELS; p++)
    if (self->cursor < self->reveal[p].from || self->cursor > self->reveal[p].to)
      bare |= 1u << p;
  return bare;
}

void
normscope_plot_set_reveal (NormscopePlot *self, guint panel, double from, double to)
{
  g_return_if_fail (NORMSCOPE_IS_PLOT (self));
  g_return_if_fail (panel < NORMSCOPE_PLOT_MAX_PANELS && !isnan (from) && !isnan (to));

  if (!self->has_reveal)
    for (guint p = 0; p < NORMSCOPE_PLOT_MAX_PANELS; p++)
      self->reveal[p] = (NormscopePlotReveal){ -NORMSCOPE_PLOT_FAR_X, NORMSCOPE_PLOT_FAR_X };
  self->has_reveal = TRUE;
  self->reveal[panel] = (NormscopePlotReveal){ from, to };
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

void
normscope_plot_clear_reveal (NormscopePlot *self)
{
  g_return_if_fail (NORMSCOPE_IS_PLOT (self));

  if (!self->has_reveal)
    return;
  self->has_reveal = FALSE;
  g_clear_pointer (&self->empty, gsk_render_node_unref);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

gboolean
normscope_plot_get_reveal (NormscopePlot *self, guint panel, double *from, double *to)
{
  g_return_val_if_fail (NORMSCOPE_IS_PLOT (self) && panel < NORMSCOPE_PLOT_MAX_PANELS, FALSE);

  if (!self->has_reveal)
    return FALSE;
  *from = self->reveal[panel].from;
  *to = self->reveal[panel].to;
  return TRUE;
}

/* ---- transition ---- */

void
normscope_plot_end_transition (NormscopePlot *self)
{
  guint id = self->transition_id;

  self->transition_id = 0;
  g_clear_pointer (&self->former, ns_figure_free);
  if (self->between != NULL)
    {
      g_clear_pointer (&self->between, ns_figure_free);
      g_clear_pointer (&self->picture, gsk_render_node_unref);
      gtk_widget_queue_draw (GTK_WIDGET (self));
    }
  if (id != 0)
    gtk_widget_remove_tick_callback (GTK_WIDGET (self), id);
}

static gboolean
transition_cb (GtkWidget *widget, GdkFrameClock *clock, gpointer data)
{
  NormscopePlot *self = NORMSCOPE_PLOT (widget);
  gint64 now = gdk_frame_clock_get_frame_time (clock);
  double t;

  if (self->transition_start == 0)
    self->transition_start = now;
  t = (double) (now - self->transition_start) / TRANSITION_US;
  if (t >= 1)
    {
      self->transition_id = 0;
      normscope_plot_end_transition (self);
      return G_SOURCE_REMOVE;
    }
  g_clear_pointer (&self->between, ns_figure_free);
  self->between = ns_figure_blend (self->former, self->figure, t * t * (3 - 2 * t));
  g_clear_pointer (&self->picture, gsk_render_node_unref);
  gtk_widget_queue_draw (widget);
  return G_SOURCE_CONTINUE;
}

static gboolean
wants_animations (NormscopePlot *self)
{
  gboolean enabled;

  g_object_get (gtk_widget_get_settings (GTK_WIDGET (self)), "gtk-enable-animations", &enabled, NULL);
  return enabled && gtk_widget_get_mapped (GTK_WIDGET (self));
}

void
normscope_plot_start_transition (NormscopePlot *self, NsFigure *former)
{
  normscope_plot_end_transition (self);
  if (!wants_animations (self))
    {
      ns_figure_free (former);
      return;
    }
  self->former = former;
  self->between = ns_figure_blend (former, self->figure, 0);
  self->transition_start = 0;
  self->transition_id = gtk_widget_add_tick_callback (GTK_WIDGET (self), transition_cb, NULL, NULL);
}

void
normscope_plot_animate_next (NormscopePlot *self)
{
  g_return_if_fail (NORMSCOPE_IS_PLOT (self));
  self->animates_next = TRUE;
}

gboolean
normscope_plot_is_moving (NormscopePlot *self)
{
  g_return_val_if_fail (NORMSCOPE_IS_PLOT (self), FALSE);
  return self->transition_id != 0;
}

/* ---- the widget ---- */

/* Draw the marker and the crosshair. Without a row, a crosshair at the marker is the same line. */
static void
draw_on_cells (NormscopePlot *self, cairo_t *cr)
{
  ns_figure_draw_marker_with_layout (self->figure, self->layout, cr, &self->theme, self->marker);
  if (self->cursor != self->marker || !isnan (self->cursor_y))
    ns_figure_draw_cell_with_layout (self->figure, self->layout, cr, &self->theme, self->cursor, self->cursor_y);
}

void
normscope_plot_snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  NormscopePlot *self = NORMSCOPE_PLOT (widget);
  int width = gtk_widget_get_width (widget), height = gtk_widget_get_height (widget);

  if (normscope_plot_get_layout (self) == NULL)
    return;
  if (self->picture == NULL)
    self->picture = normscope_drawing_new (width, height, draw_figure, self);
  if (self->has_reveal && self->empty == NULL)
    self->empty = normscope_drawing_new (width, height, draw_empty, self);
  if (self->has_reveal)
    append_revealed (self, snapshot, width, height);
  else if (self->picture != NULL)
    gtk_snapshot_append_node (snapshot, self->picture);
  normscope_plot_controls_snapshot (self->controls, snapshot);

  if (!isnan (self->cursor) || !isnan (self->marker))
    {
      cairo_t *cr = gtk_snapshot_append_cairo (snapshot, &GRAPHENE_RECT_INIT (0, 0, width, height));

      if (self->figure->colors != NULL)
        draw_on_cells (self, cr);
      else
        ns_figure_draw_overlay_with_layout (self->figure, self->layout, cr, &self->theme, self->cursor,
                                            find_bare_panels (self));
      cairo_destroy (cr);
    }
}
