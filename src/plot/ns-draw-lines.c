/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>

#include "plot/ns-draw-private.h"

/* A curve with more points per pixel is reduced to the first, least, greatest and last point of each pixel column: the
 * picture is the same and no peak is lost. */
#define POINTS_PER_PX 2.0
#define MAX_MARKER_POINTS 32
/* The least mean distance of markers, in radii; on paper each at a distance of the second one has a marker. */
#define MIN_MARKER_DISTANCE 1.0
#define PAPER_MARKER_DISTANCE 10.0
#define MARKER_RADIUS_PX 4.0
#define DOT_RADIUS_PX 2.2
#define BAND_COLUMN_PX 2.0
#define SINGLE_BAND_PX 6.0

typedef struct
{
  double x, y;
} Point;

static double
line_width (const NsPainter *painter, const NsSeries *series)
{
  return ns_draw_get_line_width (series) * painter->theme->line_scale;
}

static void
append_vertex (GArray *points, double x, double y)
{
  Point point = { x, y };

  g_array_append_val (points, point);
}

/* Collect points [i, end) of one run in px, reduced when they are denser than pixels. */
static void
collect_run (const NsPainter *painter, const NsSeries *series, gsize i, gsize end, GArray *points)
{
  const NsAxisMap *x = &painter->layout->x;
  const NsAxisMap *y = ns_layout_get_series_scale (painter->layout, painter->index, series);
  gboolean thin = (double) (end - i) > POINTS_PER_PX * fabs (ns_scale_map (x, series->x[end - 1])
                                                             - ns_scale_map (x, series->x[i]));

  g_array_set_size (points, 0);
  while (i < end)
    {
      double px = ns_scale_map (x, series->x[i]), column = floor (px);
      gsize low = i, high = i, last = i;

      if (!thin)
        {
          append_vertex (points, px, ns_draw_map_y (y, series->y[i]));
          i++;
          continue;
        }
      while (last + 1 < end && floor (ns_scale_map (x, series->x[last + 1])) == column)
        {
          last++;
          low = series->y[last] < series->y[low] ? last : low;
          high = series->y[last] > series->y[high] ? last : high;
        }
      append_vertex (points, px, ns_draw_map_y (y, series->y[i]));
      append_vertex (points, column + 0.5, ns_draw_map_y (y, series->y[MIN (low, high)]));
      append_vertex (points, column + 0.5, ns_draw_map_y (y, series->y[MAX (low, high)]));
      append_vertex (points, ns_scale_map (x, series->x[last]), ns_draw_map_y (y, series->y[last]));
      i = last + 1;
    }
}

/* Find the next run [*i, *end) of numbers within one part of the axis, from *i on. FALSE when there is none. */
static gboolean
next_run (const NsPainter *painter, const NsSeries *series, gsize *i, gsize *end)
{
  double divider;

  while (*i < series->n && (ns_series_get_mark (series, *i) != NS_MARK_NONE || !isfinite (series->x[*i])))
    (*i)++;
  *end = *i;
  divider = *i < series->n ? ns_figure_find_x_divider (painter->figure, series->x[*i]) : INFINITY;
  while (*end < series->n && ns_series_get_mark (series, *end) == NS_MARK_NONE && isfinite (series->x[*end])
         && series->x[*end] < divider)
    (*end)++;
  return *end > *i;
}

/* Outline the current path in the background colour; the path is preserved. */
static void
stroke_rim (const NsPainter *painter, double width)
{
  cairo_t *cr = painter->cr;

  cairo_save (cr);
  cairo_set_dash (cr, NULL, 0, 0.0);
  cairo_set_antialias (cr, CAIRO_ANTIALIAS_FAST);
  cairo_set_line_width (cr, 2.0 * width);
  ns_draw_set_color (cr, &painter->theme->background, 0.85);
  cairo_stroke_preserve (cr);
  cairo_restore (cr);
}

void
ns_draw_line (const NsPainter *painter, const NsSeries *series)
{
  g_autoptr (GArray) points = g_array_new (FALSE, FALSE, sizeof (Point));
  NsStyle style = ns_theme_get_series_style (painter->theme, series);
  double scale = painter->theme->line_scale;
  /* A curve over bars of its own colour needs a rim to be visible. */
  gboolean has_rim = painter->place->n_bars > 0 && series->role == NS_ROLE_DATA;
  cairo_t *cr = painter->cr;
  gsize end;

  cairo_save (cr);
  ns_draw_set_color (cr, &style.line, ns_draw_get_alpha (series));
  cairo_set_line_width (cr, line_width (painter, series));
  cairo_set_line_join (cr, ns_draw_is_dense (series) ? CAIRO_LINE_JOIN_BEVEL : CAIRO_LINE_JOIN_ROUND);
  if (ns_draw_is_dense (series))
    cairo_set_antialias (cr, CAIRO_ANTIALIAS_FAST);
  for (int i = 0; i < style.n_dash; i++)
    style.dash[i] *= scale;
  cairo_set_dash (cr, style.dash, style.n_dash, 0.0);

  for (gsize i = 0; next_run (painter, series, &i, &end); i = end)
    {
      collect_run (painter, series, i, end, points);
      for (guint p = 0; p < points->len; p++)
        {
          const Point *point = &g_array_index (points, Point, p);

          cairo_line_to (cr, point->x, point->y);
        }
      if (points->len > 1)
        {
          if (has_rim)
            stroke_rim (painter, line_width (painter, series));
          cairo_stroke (cr);
          continue;
        }
      /* A single number between two gaps makes no line: draw a dot. */
      cairo_new_path (cr);
      cairo_arc (cr, g_array_index (points, Point, 0).x, g_array_index (points, Point, 0).y, DOT_RADIUS_PX * scale,
                 0.0, 2.0 * G_PI);
      cairo_fill (cr);
    }
  cairo_restore (cr);
}

static double
band_edge (const NsPainter *painter, const NsAxisMap *scale, double value, double fallback)
{
  double top = painter->place->plot.y, bottom = top + painter->place->plot.height;

  if (isnan (value))
    return fallback;
  if (isinf (value))
    return value > 0 ? top : bottom;
  return CLAMP (ns_scale_map (scale, value), top - 10.0, bottom + 10.0);
}

/* Add one edge of the band over [i, end) to the path: the low edge from left to right, or the high edge back. Where
 * points are dense, every two pixels take the outermost value, so that no width of the band is lost. */
static void
add_band_edge (const NsPainter *painter, const NsSeries *series, const NsAxisMap *y, gsize i, gsize end,
               gboolean high)
{
  const NsAxisMap *x = &painter->layout->x;
  gboolean dense = ns_draw_is_dense (series);
  gsize n = end - i;

  for (gsize k = 0; k < n;)
    {
      double edge = NAN, px = 0.0, first = 0.0;

      do
        {
          gsize at = high ? end - 1 - k : i + k;
          double value = band_edge (painter, y, high ? series->high[at] : series->low[at],
                                    ns_draw_map_y (y, series->y[at]));

          px = ns_scale_map (x, series->x[at]);
          if (isnan (edge))
            first = px;
          edge = isnan (edge) ? value : high ? fmin (edge, value) : fmax (edge, value);
          k++;
        }
      while (dense && k < n - 1 && fabs (px - first) < BAND_COLUMN_PX);
      cairo_line_to (painter->cr, 0.5 * (first + px), edge);
    }
}

/* The band of a single point would have no width: draw a rectangle. */
static void
add_single_band (const NsPainter *painter, const NsSeries *series, const NsAxisMap *y, gsize i)
{
  double px = ns_scale_map (&painter->layout->x, series->x[i]), at = ns_draw_map_y (y, series->y[i]);
  double half = SINGLE_BAND_PX * painter->theme->line_scale;
  double low = band_edge (painter, y, series->low[i], at), high = band_edge (painter, y, series->high[i], at);

  cairo_rectangle (painter->cr, px - half, fmin (low, high), 2.0 * half, fabs (low - high));
}

void
ns_draw_band (const NsPainter *painter, const NsSeries *series)
{
  const NsAxisMap *y = ns_layout_get_series_scale (painter->layout, painter->index, series);
  NsStyle style = ns_theme_get_series_style (painter->theme, series);
  cairo_t *cr = painter->cr;
  gsize end;

  if (series->low == NULL || series->role == NS_ROLE_GHOST)
    return;

  cairo_save (cr);
  if (ns_draw_is_dense (series))
    cairo_set_antialias (cr, CAIRO_ANTIALIAS_FAST);
  ns_draw_set_color (cr, &style.line, painter->theme->band_opacity * ns_draw_get_alpha (series));
  for (gsize i = 0; next_run (painter, series, &i, &end); i = end)
    {
      if (end - i == 1)
        {
          add_single_band (painter, series, y, i);
          continue;
        }
      cairo_new_sub_path (cr);
      add_band_edge (painter, series, y, i, end, FALSE);
      add_band_edge (painter, series, y, i, end, TRUE);
      cairo_close_path (cr);
    }
  cairo_fill (cr);
  cairo_restore (cr);
}

/* Return the mean distance of a series' points, in radii of a marker. */
static double
get_marker_distance (const NsAxisMap *x, const NsSeries *series, double radius)
{
  if (series->n < 2)
    return INFINITY;
  return (ns_scale_map (x, series->x[series->n - 1]) - ns_scale_map (x, series->x[0])) / radius
         / (double) (series->n - 1);
}

void
ns_draw_markers (const NsPainter *painter, const NsSeries *series)
{
  const NsAxisMap *x = &painter->layout->x;
  const NsAxisMap *y = ns_layout_get_series_scale (painter->layout, painter->index, series);
  NsStyle style = ns_theme_get_series_style (painter->theme, series);
  const NsRect *plot = &painter->place->plot;
  double radius = MARKER_RADIUS_PX * painter->theme->line_scale;

  double distance = get_marker_distance (x, series, radius);
  gsize step = painter->theme->paper ? (gsize) ceil (fmin (PAPER_MARKER_DISTANCE / distance, (double) series->n)) : 1;

  /* Markers that pile up, as of the first steps of a long training, hide the curve. */
  if (series->role != NS_ROLE_DATA
      || (!painter->theme->paper && (series->n > MAX_MARKER_POINTS || distance < MIN_MARKER_DISTANCE)))
    return;
  for (gsize i = 0; i < series->n; i += MAX (step, 1))
    {
      double px = ns_scale_map (x, series->x[i]), py;

      if (ns_series_get_mark (series, i) != NS_MARK_NONE || !isfinite (px))
        continue;
      py = ns_draw_map_y (y, series->y[i]);
      /* Markers are not clipped, so skip those outside the plot. */
      if (py < plot->y - 1.0 || py > plot->y + plot->height + 1.0)
        continue;
      ns_draw_add_marker (painter->cr, style.marker, px, py, radius);
    }
  ns_draw_paint_markers (painter->cr, style.marker, radius, &style, &painter->theme->background,
                         ns_draw_get_alpha (series), painter->place->n_bars > 0);
}
