/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>

#include "plot/ns-draw-private.h"
#include "plot/ns-draw.h"
#include "plot/ns-hit.h"
#include "plot/ns-stack.h"

/* The least width of a bar, and half that of a cell, that gets a frame of its own size. */
#define FRAME_MIN_PX 4.0

static void
draw_dots (const NsPainter *painter, double x, double px)
{
  const NsRect *plot = &painter->place->plot;

  for (guint s = 0; s < painter->panel->series->len; s++)
    {
      const NsSeries *series = g_ptr_array_index (painter->panel->series, s);
      const NsAxisMap *scale = ns_layout_get_series_scale (painter->layout, painter->index, series);
      NsStyle style = ns_theme_get_series_style (painter->theme, series);
      double y, radius = 5.0 * painter->theme->line_scale;
      gsize i;

      if (series->kind != NS_SERIES_LINE || series->role != NS_ROLE_DATA || !ns_series_find_x (series, x, &i)
          || ns_series_get_mark (series, i) != NS_MARK_NONE)
        continue;
      y = ns_draw_map_y (scale, series->y[i]);
      if (y < plot->y - 1.0 || y > plot->y + plot->height + 1.0)
        continue;
      cairo_new_path (painter->cr);
      cairo_arc (painter->cr, px, y, radius, 0.0, 2.0 * G_PI);
      ns_draw_set_color (painter->cr, &style.line, 1.0);
      cairo_fill_preserve (painter->cr);
      ns_draw_set_color (painter->cr, &painter->theme->background, 1.0);
      cairo_set_line_width (painter->cr, 0.35 * radius);
      cairo_stroke (painter->cr);
    }
}

/* Frame the bar of a stack. */
static void
draw_bar_frame (const NsPainter *painter, double x, double px)
{
  double low, high, width = painter->place->bar_px, top, bottom;

  if (width < FRAME_MIN_PX || !ns_panel_has_stack (painter->panel)
      || !ns_stack_get_bar (painter->panel, x, &low, &high))
    return;
  top = ns_draw_map_y (&painter->place->y, high);
  bottom = ns_draw_map_y (&painter->place->y, low);
  cairo_new_path (painter->cr);
  cairo_rectangle (painter->cr, px - 0.5 * width - 1.0, top - 1.0, width + 2.0, bottom - top + 2.0);
  cairo_set_line_width (painter->cr, 2.0 * painter->theme->line_scale);
  ns_draw_set_color (painter->cr, &painter->theme->foreground, 0.9);
  cairo_stroke (painter->cr);
}

void
ns_figure_draw_overlay_with_layout (const NsFigure *figure, const NsLayout *layout, cairo_t *cr,
                                    const NsTheme *theme, double x, guint bare)
{
  double px;

  g_return_if_fail (figure != NULL && layout != NULL && cr != NULL && theme != NULL);
  g_return_if_fail (layout->panels->len == figure->panels->len);

  px = ns_hit_x_to_px (layout, x);
  if (!(px >= layout->x.start_px - 0.5 && px <= layout->x.end_px + 0.5))
    return;

  cairo_save (cr);
  for (guint p = 0; p < figure->panels->len; p++)
    {
      NsPainter painter = { cr, theme, figure, layout, g_ptr_array_index (figure->panels, p),
                            ns_layout_get_panel (layout, p), p };
      const NsRect *plot = &painter.place->plot;

      cairo_new_path (cr);
      cairo_move_to (cr, ns_draw_snap (px), plot->y);
      cairo_line_to (cr, ns_draw_snap (px), plot->y + plot->height);
      cairo_set_line_width (cr, 1.0);
      ns_draw_set_color (cr, &theme->foreground, 0.6);
      cairo_stroke (cr);
      if ((bare >> MIN (p, 31u) & 1u) != 0)
        continue;
      draw_bar_frame (&painter, x, px);
      draw_dots (&painter, x, px);
    }
  cairo_restore (cr);
}

/* ---- cells ---- */

/* Stroke the path so that it is seen on every colour. */
static void
stroke_on_cells (const NsPainter *painter, double width, double alpha)
{
  cairo_t *cr = painter->cr;

  cairo_set_line_width (cr, width + 2.0);
  ns_draw_set_color (cr, &painter->theme->background, 0.7 * alpha);
  cairo_stroke_preserve (cr);
  cairo_set_line_width (cr, width);
  ns_draw_set_color (cr, &painter->theme->foreground, alpha);
  cairo_stroke (cr);
}

static void
draw_cell_cross (const NsPainter *painter, double x, double y)
{
  const NsPanelLayout *place = painter->place;
  const NsRect *plot = &place->plot;
  double px = ns_scale_map (&place->x, x), py = ns_scale_map (&place->y, y), scale = painter->theme->line_scale;
  double half_x = 0.5 * painter->layout->cell_x / (place->x.max - place->x.min) * plot->width;
  double half_y = 0.5 * painter->layout->cell_y / (place->y.max - place->y.min) * plot->height;
  gboolean has_x = x >= place->x.min && x <= place->x.max, has_y = y >= place->y.min && y <= place->y.max;
  cairo_t *cr = painter->cr;

  /* The frame around a tiny cell is larger than the cell. */
  half_x = fmax (half_x, FRAME_MIN_PX * scale);
  half_y = fmax (half_y, FRAME_MIN_PX * scale);
  cairo_new_path (cr);
  if (has_x)
    {
      cairo_move_to (cr, ns_draw_snap (px), plot->y);
      if (has_y)
        {
          cairo_line_to (cr, ns_draw_snap (px), fmax (plot->y, py - half_y));
          cairo_move_to (cr, ns_draw_snap (px), fmin (plot->y + plot->height, py + half_y));
        }
      cairo_line_to (cr, ns_draw_snap (px), plot->y + plot->height);
    }
  if (has_y)
    {
      cairo_move_to (cr, plot->x, ns_draw_snap (py));
      if (has_x)
        {
          cairo_line_to (cr, fmax (plot->x, px - half_x), ns_draw_snap (py));
          cairo_move_to (cr, fmin (plot->x + plot->width, px + half_x), ns_draw_snap (py));
        }
      cairo_line_to (cr, plot->x + plot->width, ns_draw_snap (py));
    }
  stroke_on_cells (painter, 1.0, 0.8);
  if (!has_x || !has_y)
    return;
  cairo_rectangle (cr, px - half_x, py - half_y, 2.0 * half_x, 2.0 * half_y);
  stroke_on_cells (painter, 2.0 * scale, 1.0);
}

void
ns_figure_draw_cell_with_layout (const NsFigure *figure, const NsLayout *layout, cairo_t *cr, const NsTheme *theme,
                                 double x, double y)
{
  g_return_if_fail (figure != NULL && layout != NULL && cr != NULL && theme != NULL);
  g_return_if_fail (layout->panels->len == figure->panels->len && figure->colors != NULL);

  cairo_save (cr);
  for (guint p = 0; p < figure->panels->len; p++)
    {
      NsPainter painter = { cr, theme, figure, layout, g_ptr_array_index (figure->panels, p),
                            ns_layout_get_panel (layout, p), p };

      if (painter.panel->heat_map != NULL)
        draw_cell_cross (&painter, x, y);
    }
  cairo_restore (cr);
}

void
ns_figure_draw_marker_with_layout (const NsFigure *figure, const NsLayout *layout, cairo_t *cr, const NsTheme *theme,
                                   double x)
{
  g_return_if_fail (figure != NULL && layout != NULL && cr != NULL && theme != NULL);
  g_return_if_fail (layout->panels->len == figure->panels->len);

  cairo_save (cr);
  for (guint p = 0; p < figure->panels->len; p++)
    {
      NsPainter painter = { cr, theme, figure, layout, g_ptr_array_index (figure->panels, p),
                            ns_layout_get_panel (layout, p), p };
      const NsAxisMap *axis = &painter.place->x;

      if (painter.panel->heat_map != NULL && x >= axis->min && x <= axis->max)
        ns_draw_map_line (&painter, ns_scale_map (axis, x));
    }
  cairo_restore (cr);
}
