/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>

#include "plot/ns-draw-private.h"

#define WHISKER_MIN_BAR_PX 6.0
/* Opacity of one filled step series, and the most of all together. */
#define STEP_FILL_ALPHA 0.15
#define STEP_FILL_ALPHA_SUM 0.45
#define STEP_LINE_PX 1.5
#define STEP_MIN_PX 1.0

static double
get_base_px (const NsPainter *painter, const NsAxisMap *scale)
{
  double top = painter->place->plot.y, bottom = top + painter->place->plot.height;

  if (scale->scale == NS_AXIS_LOG10)
    return bottom;
  return CLAMP (ns_scale_map (scale, 0.0), top, bottom);
}

/* Return the left edge of a bar; `order` is its index in the group. */
static double
get_bar_x (const NsPainter *painter, double x, int order)
{
  double bar = painter->place->bar_px, n = painter->place->n_bars;
  double group = n * bar + (n - 1.0);

  return ns_scale_map (&painter->layout->x, x) - 0.5 * group + order * (bar + 1.0);
}

static void
draw_whiskers (const NsPainter *painter, const NsSeries *series, const NsAxisMap *scale, int order)
{
  cairo_t *cr = painter->cr;

  if (series->low == NULL || painter->place->bar_px < WHISKER_MIN_BAR_PX)
    return;
  for (gsize i = 0; i < series->n; i++)
    {
      double middle;

      if (ns_series_get_mark (series, i) != NS_MARK_NONE || !isfinite (series->low[i]) || !isfinite (series->high[i]))
        continue;
      middle = get_bar_x (painter, series->x[i], order) + 0.5 * painter->place->bar_px;
      cairo_move_to (cr, middle, ns_draw_map_y (scale, series->low[i]));
      cairo_line_to (cr, middle, ns_draw_map_y (scale, series->high[i]));
    }
  cairo_set_line_width (cr, 1.2 * painter->theme->line_scale);
  ns_draw_set_color (cr, &painter->theme->foreground, 0.7);
  cairo_stroke (cr);
}

static void
draw_grouped (const NsPainter *painter, const NsSeries *series, int order)
{
  const NsAxisMap *scale = ns_layout_get_series_scale (painter->layout, painter->index, series);
  NsStyle style = ns_theme_get_series_style (painter->theme, series);
  double base = get_base_px (painter, scale), bar = painter->place->bar_px;
  gboolean is_ghost = series->role == NS_ROLE_GHOST;
  cairo_t *cr = painter->cr;

  for (gsize i = 0; i < series->n; i++)
    {
      double x, y;

      if (ns_series_get_mark (series, i) != NS_MARK_NONE || !isfinite (series->x[i]))
        continue;
      x = get_bar_x (painter, series->x[i], order);
      y = ns_draw_map_y (scale, series->y[i]);
      if (is_ghost)
        {
          cairo_move_to (cr, x - 1.0, y);
          cairo_line_to (cr, x + bar + 1.0, y);
        }
      else
        {
          cairo_rectangle (cr, x, fmin (y, base), bar, fabs (base - y));
        }
    }
  ns_draw_set_color (cr, &style.line, ns_draw_get_alpha (series));
  cairo_set_line_width (cr, 1.0 * painter->theme->line_scale);
  if (is_ghost)
    cairo_stroke (cr);
  else
    {
      cairo_fill (cr);
      draw_whiskers (painter, series, scale, order);
    }
}

/* Add the outline of points [i, end) to the path, from left to right. Where slots are narrower than a pixel, each pixel
 * column takes the bar that is furthest from the base. */
static void
add_steps (const NsPainter *painter, const NsSeries *series, const NsAxisMap *scale, double base, gsize i, gsize end)
{
  double half = 0.5 * ns_layout_get_slot_px (painter->layout);

  while (i < end)
    {
      double px = ns_scale_map (&painter->layout->x, series->x[i]), right = px + half;
      double y = ns_draw_map_y (scale, series->y[i]);
      gsize next = i + 1;

      for (; half < 0.5 && next < end; next++)
        {
          double next_px = ns_scale_map (&painter->layout->x, series->x[next]), next_y;

          if (floor (next_px) != floor (px))
            break;
          next_y = ns_draw_map_y (scale, series->y[next]);
          y = fabs (next_y - base) > fabs (y - base) ? next_y : y;
          right = next_px + half;
        }
      /* A slot narrower than the line gets no vertical step. */
      if (half > STEP_MIN_PX)
        cairo_line_to (painter->cr, px - half, y);
      cairo_line_to (painter->cr, right, y);
      i = next;
    }
}

static void
draw_steps (const NsPainter *painter, const NsSeries *series)
{
  const NsAxisMap *scale = ns_layout_get_series_scale (painter->layout, painter->index, series);
  NsStyle style = ns_theme_get_series_style (painter->theme, series);
  double base = get_base_px (painter, scale), half = 0.5 * ns_layout_get_slot_px (painter->layout);
  /* Filled areas overlap; together they must not hide the outlines. */
  double fill = fmin (STEP_FILL_ALPHA, STEP_FILL_ALPHA_SUM / fmax (1.0, painter->place->n_bars));
  gboolean is_ghost = series->role == NS_ROLE_GHOST;
  cairo_t *cr = painter->cr;
  gsize i = 0, end;

  cairo_save (cr);
  if (ns_draw_is_dense (series))
    {
      cairo_set_antialias (cr, CAIRO_ANTIALIAS_FAST);
      cairo_set_line_join (cr, CAIRO_LINE_JOIN_BEVEL);
    }
  for (;; i = end)
    {
      double divider;

      while (i < series->n && ns_series_get_mark (series, i) != NS_MARK_NONE)
        i++;
      divider = i < series->n ? ns_figure_find_x_divider (painter->figure, series->x[i]) : INFINITY;
      for (end = i; end < series->n && ns_series_get_mark (series, end) == NS_MARK_NONE && series->x[end] < divider;)
        end++;
      if (end == i)
        break;

      add_steps (painter, series, scale, base, i, end);
      if (!is_ghost)
        {
          cairo_line_to (cr, ns_scale_map (&painter->layout->x, series->x[end - 1]) + half, base);
          cairo_line_to (cr, ns_scale_map (&painter->layout->x, series->x[i]) - half, base);
          cairo_close_path (cr);
          ns_draw_set_color (cr, &style.line, fill * ns_draw_get_alpha (series));
          cairo_fill (cr);
          add_steps (painter, series, scale, base, i, end);
        }
      ns_draw_set_color (cr, &style.line, ns_draw_get_alpha (series));
      cairo_set_line_width (cr, (is_ghost ? 1.0 : STEP_LINE_PX) * painter->theme->line_scale);
      cairo_stroke (cr);
    }
  cairo_restore (cr);
}

/* Return the index in the group of the bars that a ghost belongs to. */
static int
find_ghost_order (const NsPanel *panel, const NsSeries *ghost)
{
  int order = 0;

  for (guint s = 0; s < panel->series->len; s++)
    {
      const NsSeries *series = g_ptr_array_index (panel->series, s);

      if (series->kind != NS_SERIES_BARS || series->role == NS_ROLE_GHOST)
        continue;
      if (series->style == ghost->style)
        return order;
      order++;
    }
  return 0;
}

void
ns_draw_bars (const NsPainter *painter)
{
  int order = 0;

  for (int ghosts = 0; ghosts < 2; ghosts++)
    for (guint s = 0; s < painter->panel->series->len; s++)
      {
        const NsSeries *series = g_ptr_array_index (painter->panel->series, s);

        if (series->kind != NS_SERIES_BARS || (series->role == NS_ROLE_GHOST) != ghosts)
          continue;
        if (painter->place->bar_px < NS_BAR_MIN_PX)
          draw_steps (painter, series);
        else
          draw_grouped (painter, series, ghosts ? find_ghost_order (painter->panel, series) : order);
        order++;
      }
}
