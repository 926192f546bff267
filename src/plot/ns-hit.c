/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "plot/ns-hit.h"

#include <math.h>

#include "plot/ns-heat-map.h"
#include "plot/ns-stack.h"

/* How far from a mark the pointer still means it. */
#define ANNOTATION_REACH_PX 8.0

/* Return the index of the point nearest to x, by bisection. The series is not empty. */
static gsize
find_nearest (const NsSeries *series, double x)
{
  gsize low = 0, high = series->n - 1;

  while (low < high)
    {
      gsize middle = low + (high - low) / 2;

      if (series->x[middle] < x)
        low = middle + 1;
      else
        high = middle;
    }
  if (low > 0 && fabs (series->x[low - 1] - x) <= fabs (series->x[low] - x))
    low--;
  return low;
}

static gboolean
is_selectable (const NsSeries *series)
{
  return series->role != NS_ROLE_GHOST && series->n > 0;
}

double
ns_hit_x_to_px (const NsLayout *layout, double x)
{
  g_return_val_if_fail (layout != NULL, NAN);
  return ns_scale_map (&layout->x, x);
}

/* ---- rows and columns of heat maps ---- */

/* Return the row or column of any map that is nearest to `at`, or, in a direction, the next one; at the end the last
 * one. From NAN the first one in that direction. */
static double
find_center (const NsFigure *figure, gboolean is_row, double at, int direction)
{
  double best = NAN, end = NAN;

  if (isnan (at) && direction == 0)
    return NAN;
  for (guint p = 0; p < figure->panels->len; p++)
    {
      const NsHeatMap *map = ((const NsPanel *) g_ptr_array_index (figure->panels, p))->heat_map;
      gint64 n = map == NULL ? 0 : is_row ? map->n_rows : map->n_columns;

      for (gint64 i = 0; i < n; i++)
        {
          double center = is_row ? map->y[i] : map->x[i];
          gboolean is_beyond = direction == 0 || (direction > 0 ? center > at : center < at);

          /* From NAN, the end that the direction comes from; else the one it goes to. */
          if (isnan (end) || ((direction > 0) == isnan (at) ? center < end : center > end))
            end = center;
          if (!isnan (at) && is_beyond && (isnan (best) || fabs (center - at) < fabs (best - at)))
            best = center;
        }
    }
  return isnan (best) ? end : best;
}

double
ns_figure_nearest_y (const NsFigure *figure, double y)
{
  g_return_val_if_fail (figure != NULL, NAN);
  return find_center (figure, TRUE, y, 0);
}

double
ns_figure_step_y (const NsFigure *figure, double y, int direction)
{
  g_return_val_if_fail (figure != NULL && direction != 0, NAN);
  return find_center (figure, TRUE, y, direction);
}

gboolean
ns_heat_map_find_cell (const NsHeatMap *map, double x, double y, gint64 *row, gint64 *column)
{
  g_return_val_if_fail (map != NULL && row != NULL && column != NULL, FALSE);

  *row = ns_heat_map_find (map->y, map->n_rows, ns_heat_map_get_step (map->y, map->n_rows), y);
  *column = ns_heat_map_find (map->x, map->n_columns, ns_heat_map_get_step (map->x, map->n_columns), x);
  return *row >= 0 && *column >= 0;
}

double
ns_figure_nearest_x (const NsFigure *figure, double x)
{
  double best = NAN;

  g_return_val_if_fail (figure != NULL, NAN);

  if (isnan (x))
    return NAN;
  if (figure->colors != NULL)
    return find_center (figure, FALSE, x, 0);
  for (guint p = 0; p < figure->panels->len; p++)
    {
      const NsPanel *panel = g_ptr_array_index (figure->panels, p);

      for (guint s = 0; s < panel->series->len; s++)
        {
          const NsSeries *series = g_ptr_array_index (panel->series, s);
          double candidate;

          if (!is_selectable (series))
            continue;
          candidate = series->x[find_nearest (series, x)];
          if (isnan (best) || fabs (candidate - x) < fabs (best - x))
            best = candidate;
        }
    }
  return best;
}

/* Return the least (direction > 0) or greatest x of all points. */
static double
find_end_of_points (const NsFigure *figure, int direction)
{
  double end = NAN;

  for (guint p = 0; p < figure->panels->len; p++)
    {
      const NsPanel *panel = g_ptr_array_index (figure->panels, p);

      for (guint s = 0; s < panel->series->len; s++)
        {
          const NsSeries *series = g_ptr_array_index (panel->series, s);

          if (!is_selectable (series))
            continue;
          /* fmin and fmax ignore NAN. */
          end = direction > 0 ? fmin (end, series->x[0]) : fmax (end, series->x[series->n - 1]);
        }
    }
  return end;
}

double
ns_figure_step_x (const NsFigure *figure, double x, int direction)
{
  double best = NAN;

  g_return_val_if_fail (figure != NULL, NAN);

  if (figure->colors != NULL)
    return find_center (figure, FALSE, x, direction);
  if (isnan (x))
    return find_end_of_points (figure, direction);
  for (guint p = 0; p < figure->panels->len; p++)
    {
      const NsPanel *panel = g_ptr_array_index (figure->panels, p);

      for (guint s = 0; s < panel->series->len; s++)
        {
          const NsSeries *series = g_ptr_array_index (panel->series, s);

          if (!is_selectable (series))
            continue;
          for (gsize i = 0; i < series->n; i++)
            {
              double distance = (series->x[i] - x) * (direction > 0 ? 1.0 : -1.0);

              if (distance > 0.0 && (isnan (best) || distance < fabs (best - x)))
                best = series->x[i];
            }
        }
    }
  return isnan (best) ? ns_figure_nearest_x (figure, x) : best;
}

gboolean
ns_series_find_x (const NsSeries *series, double x, gsize *index)
{
  gsize found;

  g_return_val_if_fail (series != NULL, FALSE);

  if (series->n == 0 || isnan (x))
    return FALSE;
  found = find_nearest (series, x);
  if (fabs (series->x[found] - x) > 1e-9 * fmax (1.0, fabs (x)))
    return FALSE;
  if (index != NULL)
    *index = found;
  return TRUE;
}

/* Return the y at which a point is drawn; marks are on an edge of the plot. */
static double
get_point_px (const NsLayout *layout, guint panel, const NsSeries *series, gsize index)
{
  const NsRect *plot = &ns_layout_get_panel (layout, panel)->plot;

  switch (ns_series_get_mark (series, index))
    {
    case NS_MARK_NAN:
    case NS_MARK_INF:
      return plot->y;
    case NS_MARK_UNDERFLOW:
      return plot->y + plot->height;
    case NS_MARK_NONE:
    default:
      return ns_scale_map (ns_layout_get_series_scale (layout, panel, series), series->y[index]);
    }
}

static void
find_series (const NsPanel *panel, const NsLayout *layout, double py, NsHit *hit)
{
  for (guint s = 0; s < panel->series->len; s++)
    {
      const NsSeries *series = g_ptr_array_index (panel->series, s);
      double distance;
      gsize index;

      if (!is_selectable (series) || series->kind == NS_SERIES_STACK || !ns_series_find_x (series, hit->x, &index))
        continue;
      distance = fabs (get_point_px (layout, (guint) hit->panel, series, index) - py);
      if (distance < hit->distance_px)
        {
          hit->series = (int) s;
          hit->index = index;
          hit->distance_px = distance;
        }
    }
}

/* Return the bottom of the labels under the last plot. */
static double
find_x_axis_end (const NsLayout *layout)
{
  double end = 0.0;

  for (guint i = 0; i < layout->labels->len; i++)
    {
      const NsLabel *label = g_ptr_array_index (layout->labels, i);

      if (label->role == NS_LABEL_X_TICK || label->role == NS_LABEL_X_TITLE)
        end = fmax (end, label->rect.y + label->rect.height);
    }
  return end;
}

NsHitAxis
ns_hit_find_axis (const NsLayout *layout, double px, double py, int *panel)
{
  const NsRect *plot = NULL;

  g_return_val_if_fail (layout != NULL && panel != NULL, NS_HIT_NO_AXIS);

  *panel = -1;
  /* The axes of heat maps count blocks; there is nothing to change. */
  if (layout->cell_x > 0.0)
    return NS_HIT_NO_AXIS;
  for (guint p = 0; p < layout->panels->len; p++)
    {
      plot = &ns_layout_get_panel (layout, p)->plot;
      if (px >= 0.0 && px < plot->x && py >= plot->y && py <= plot->y + plot->height)
        {
          *panel = (int) p;
          return NS_HIT_Y_AXIS;
        }
    }
  if (plot != NULL && px >= plot->x && px <= plot->x + plot->width && py > plot->y + plot->height
      && py < find_x_axis_end (layout))
    return NS_HIT_X_AXIS;
  return NS_HIT_NO_AXIS;
}

static gboolean
rect_contains (const NsRect *rect, double px, double py)
{
  return px >= rect->x && px <= rect->x + rect->width && py >= rect->y && py <= rect->y + rect->height;
}

static gboolean
find_cell (const NsFigure *figure, const NsLayout *layout, double px, double py, NsHit *hit)
{
  for (guint p = 0; p < layout->panels->len; p++)
    {
      const NsPanelLayout *place = ns_layout_get_panel (layout, p);
      const NsHeatMap *map = ((const NsPanel *) g_ptr_array_index (figure->panels, p))->heat_map;

      if (map == NULL || !rect_contains (&place->plot, px, py))
        continue;
      if (!ns_heat_map_find_cell (map, ns_scale_unmap (&place->x, px), ns_scale_unmap (&place->y, py), &hit->row,
                                  &hit->column))
        return FALSE;
      hit->panel = (int) p;
      hit->x = map->x[hit->column];
      hit->y = map->y[hit->row];
      hit->x_px = ns_scale_map (&place->x, hit->x);
      return TRUE;
    }
  return FALSE;
}

/* Find the part of a stacked bar at the pointer. */
static void
find_part (const NsPanel *panel, const NsLayout *layout, double py, NsHit *hit)
{
  double y = ns_scale_unmap (&ns_layout_get_panel (layout, (guint) hit->panel)->y, py), from, to;
  int series = ns_stack_find_part (panel, hit->x, y, &from, &to);

  if (series < 0)
    return;
  hit->series = series;
  hit->distance_px = 0.0;
  ns_series_find_x (g_ptr_array_index (panel->series, series), hit->x, &hit->index);
}

gboolean
ns_hit_test (const NsFigure *figure, const NsLayout *layout, double px, double py, NsHit *hit)
{
  g_return_val_if_fail (figure != NULL && layout != NULL && hit != NULL, FALSE);
  g_return_val_if_fail (layout->panels->len == figure->panels->len, FALSE);

  *hit = (NsHit){ .panel = -1, .x = NAN, .x_px = NAN, .series = -1, .distance_px = G_MAXDOUBLE, .y = NAN, .row = -1,
                  .column = -1 };
  if (figure->colors != NULL)
    return find_cell (figure, layout, px, py, hit);
  if (!(px >= layout->x.start_px && px <= layout->x.end_px) || isnan (py))
    return FALSE;
  hit->x = ns_figure_nearest_x (figure, ns_scale_unmap (&layout->x, px));
  if (isnan (hit->x))
    return FALSE;
  hit->x_px = ns_hit_x_to_px (layout, hit->x);

  for (guint p = 0; p < layout->panels->len; p++)
    {
      const NsRect *plot = &ns_layout_get_panel (layout, p)->plot;

      if (py < plot->y || py > plot->y + plot->height)
        continue;
      hit->panel = (int) p;
      find_series (g_ptr_array_index (figure->panels, p), layout, py, hit);
      find_part (g_ptr_array_index (figure->panels, p), layout, py, hit);
    }
  return TRUE;
}

/* Return the distance of a pixel from a rectangle, 0 within it. */
static double
get_distance_of_rect (const NsRect *rect, double px, double py)
{
  return hypot (fmax (fmax (rect->x - px, px - rect->x - rect->width), 0.0),
                fmax (fmax (rect->y - py, py - rect->y - rect->height), 0.0));
}

int
ns_hit_find_annotation (const NsFigure *figure, const NsLayout *layout, double px, double py)
{
  double best = ANNOTATION_REACH_PX;
  int id = -1;

  g_return_val_if_fail (figure != NULL && layout != NULL, -1);
  g_return_val_if_fail (layout->panels->len == figure->panels->len, -1);

  for (guint i = 0; i < layout->annotations->len; i++)
    {
      const NsAnnotationPlace *place = &g_array_index (layout->annotations, NsAnnotationPlace, i);
      const NsPanel *panel = g_ptr_array_index (figure->panels, place->panel);
      const NsAnnotation *annotation = g_ptr_array_index (panel->annotations, place->index);
      double distance = hypot (px - place->x_px, py - place->y_px);

      if (annotation->kind == NS_ANNOTATION_LINE)
        continue;
      if (place->label >= 0)
        distance = fmin (
            distance,
            get_distance_of_rect (&((const NsLabel *) g_ptr_array_index (layout->labels, place->label))->rect, px, py));
      if (annotation->kind == NS_ANNOTATION_RATIO)
        distance = fmin (distance, hypot (px - place->other_x_px, py - place->other_y_px));
      if (distance < best)
        {
          best = distance;
          id = annotation->id;
        }
    }
  return id;
}
