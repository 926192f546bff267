/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "plot/ns-heat-map.h"

#include <math.h>

void
ns_heat_map_free (NsHeatMap *map)
{
  if (map == NULL)
    return;
  g_free (map->name);
  g_free (map->y);
  g_free (map->x);
  g_free (map->value);
  g_free (map->mark);
  g_free (map);
}

NsHeatMap *
ns_heat_map_copy (const NsHeatMap *map)
{
  NsHeatMap *copy;
  gsize cells;

  if (map == NULL)
    return NULL;
  cells = (gsize) map->n_rows * (gsize) map->n_columns;
  copy = g_memdup2 (map, sizeof *map);
  copy->name = g_strdup (map->name);
  copy->y = g_memdup2 (map->y, (gsize) map->n_rows * sizeof (double));
  copy->x = g_memdup2 (map->x, (gsize) map->n_columns * sizeof (double));
  copy->value = g_memdup2 (map->value, cells * sizeof (double));
  copy->mark = map->mark == NULL ? g_new0 (guint8, cells) : g_memdup2 (map->mark, cells);
  return copy;
}

static NsMark
get_mark (double value)
{
  return isnan (value) ? NS_MARK_NAN : isfinite (value) ? NS_MARK_NONE : value > 0 ? NS_MARK_INF : NS_MARK_UNDERFLOW;
}

void
ns_heat_map_update (NsHeatMap *map)
{
  gsize cells = (gsize) map->n_rows * (gsize) map->n_columns;

  map->least = INFINITY;
  map->most = -INFINITY;
  map->marks = 0;
  for (gsize i = 0; i < cells; i++)
    {
      if (map->mark[i] == NS_MARK_NONE)
        map->mark[i] = get_mark (map->value[i]);
      map->marks |= 1u << map->mark[i];
      if (map->mark[i] != NS_MARK_NONE)
        continue;
      map->least = MIN (map->least, map->value[i]);
      map->most = MAX (map->most, map->value[i]);
    }
}

void
ns_color_scale_free (NsColorScale *colors)
{
  if (colors == NULL)
    return;
  g_free (colors->title);
  g_free (colors->short_title);
  g_free (colors->subtitle);
  g_free (colors->symbol);
  g_free (colors->accessible_title);
  g_free (colors);
}

NsColorScale *
ns_color_scale_copy (const NsColorScale *colors)
{
  NsColorScale *copy;

  if (colors == NULL)
    return NULL;
  copy = g_memdup2 (colors, sizeof *colors);
  copy->title = g_strdup (colors->title);
  copy->short_title = g_strdup (colors->short_title);
  copy->subtitle = g_strdup (colors->subtitle);
  copy->symbol = g_strdup (colors->symbol);
  copy->accessible_title = g_strdup (colors->accessible_title);
  return copy;
}

NsColorScale *
ns_figure_set_colors (NsFigure *figure, const char *title, NsAxisScale scale, NsColorsKind kind, double center)
{
  g_return_val_if_fail (figure != NULL && isfinite (center), NULL);

  ns_color_scale_free (figure->colors);
  figure->colors = g_new0 (NsColorScale, 1);
  figure->colors->title = g_strdup (title);
  figure->colors->scale = scale;
  figure->colors->kind = kind;
  figure->colors->center = center;
  figure->colors->min = figure->colors->max = NAN;
  return figure->colors;
}

NsHeatMap *
ns_panel_set_heat_map (NsPanel *panel, const char *name, int style, gint64 n_rows, gint64 n_columns, const double *y,
                       const double *x, const double *value, const guint8 *mark)
{
  const NsHeatMap given = { .name = (char *) name, .style = style, .n_rows = n_rows, .n_columns = n_columns,
                            .y = (double *) y, .x = (double *) x, .value = (double *) value, .mark = (guint8 *) mark };

  g_return_val_if_fail (panel != NULL && style >= 0 && n_rows >= 0 && n_columns >= 0, NULL);
  g_return_val_if_fail (n_rows == 0 || n_columns == 0 || (y != NULL && x != NULL && value != NULL), NULL);

  ns_heat_map_free (panel->heat_map);
  panel->heat_map = ns_heat_map_copy (&given);
  ns_heat_map_update (panel->heat_map);
  return panel->heat_map;
}

NsMark
ns_heat_map_get_mark (const NsHeatMap *map, gint64 row, gint64 column)
{
  return map->mark[row * map->n_columns + column];
}

double
ns_heat_map_get_step (const double *centers, gint64 n)
{
  double step = INFINITY;

  for (gint64 i = 1; i < n; i++)
    if (centers[i] > centers[i - 1])
      step = fmin (step, centers[i] - centers[i - 1]);
  return isfinite (step) ? step : 1.0;
}

gint64
ns_heat_map_find (const double *centers, gint64 n, double step, double at)
{
  gint64 low = 0, high = n - 1;

  if (n == 0 || isnan (at))
    return -1;
  while (low < high)
    {
      gint64 middle = low + (high - low) / 2;

      if (centers[middle] + 0.5 * step < at)
        low = middle + 1;
      else
        high = middle;
    }
  return fabs (centers[low] - at) <= 0.5 * step * (1.0 + 1e-9) ? low : -1;
}

/* Find the least and the greatest number of all panels. */
static gboolean
get_data_range (const NsFigure *figure, double *min, double *max)
{
  *min = INFINITY;
  *max = -INFINITY;
  for (guint p = 0; p < figure->panels->len; p++)
    {
      const NsHeatMap *map = ((const NsPanel *) g_ptr_array_index (figure->panels, p))->heat_map;

      if (map == NULL)
        continue;
      *min = fmin (*min, map->least);
      *max = fmax (*max, map->most);
    }
  return *min <= *max;
}

/* A flat map looks flat, as a flat curve does: rounding errors get no colours. */
static void
widen (const NsColorScale *colors, double *min, double *max)
{
  double middle = 0.5 * (*min + *max), half = 0.5 * (*max - *min), least;

  if (colors->scale == NS_AXIS_LOG10)
    least = 0.5;
  else
    least = half > 1e-9 * fabs (middle) ? half : fabs (middle) > 0.0 ? 0.1 * fabs (middle) : 1.0;
  if (half >= least)
    return;
  *min = middle - least;
  *max = middle + least;
}

gboolean
ns_figure_get_color_range (const NsFigure *figure, double *min, double *max)
{
  const NsColorScale *colors;
  gboolean has_data, is_given;

  g_return_val_if_fail (figure != NULL && figure->colors != NULL && min != NULL && max != NULL, FALSE);

  colors = figure->colors;
  is_given = isfinite (colors->min) && isfinite (colors->max) && colors->min < colors->max;
  has_data = is_given || get_data_range (figure, min, max);
  if (!has_data)
    {
      *min = 0.0;
      *max = 1.0;
    }
  if (isfinite (colors->min))
    *min = colors->min;
  if (isfinite (colors->max))
    *max = colors->max;
  if (colors->kind == NS_COLORS_DIVERGING && !is_given)
    {
      *min = fmin (*min, colors->center);
      *max = fmax (*max, colors->center);
    }
  if (!is_given)
    widen (colors, min, max);
  return has_data || is_given;
}
