/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "plot/ns-figure-veil.h"

#include <math.h>
#include <string.h>

#define LOG_ROOM 0.5
#define LINEAR_ROOM 0.5

gboolean
ns_figure_get_x_range (const NsFigure *figure, guint panel, double *first, double *last)
{
  const NsPanel *p;

  if (panel >= figure->panels->len)
    return FALSE;
  p = g_ptr_array_index (figure->panels, panel);
  *first = INFINITY;
  *last = -INFINITY;
  for (guint s = 0; s < p->series->len; s++)
    {
      const NsSeries *series = g_ptr_array_index (p->series, s);

      for (gsize i = 0; i < series->n; i++)
        {
          *first = fmin (*first, series->x[i]);
          *last = fmax (*last, series->x[i]);
        }
    }
  return *first <= *last;
}

static void
keep_range (NsPanel *panel)
{
  double min, max, room;

  if (panel->has_range || !ns_panel_get_data_range (panel, NS_SIDE_LEFT, &min, &max))
    return;
  if (panel->zero_based)
    {
      min = fmin (0, min);
      max = fmax (0, max);
    }
  room = panel->scale == NS_AXIS_LOG10 ? LOG_ROOM : LINEAR_ROOM * (max > min ? max - min : 1);
  panel->min = panel->zero_based && min == 0 ? 0 : min - room;
  panel->max = panel->zero_based && max == 0 ? 0 : max + room;
  panel->has_range = TRUE;
}

/* The cells keep their places. */
static void
hide_cells (NsHeatMap *map)
{
  if (map == NULL)
    return;
  memset (map->mark, NS_MARK_ABSENT, (gsize) map->n_rows * (gsize) map->n_columns);
  ns_heat_map_update (map);
}

void
ns_figure_hide_values (NsFigure *figure)
{
  double x_min = INFINITY, x_max = -INFINITY;

  if (figure->colors != NULL && !figure->colors->has_range)
    figure->colors->has_range = ns_figure_get_color_range (figure, &figure->colors->min, &figure->colors->max);

  for (guint p = 0; p < figure->panels->len; p++)
    {
      NsPanel *panel = g_ptr_array_index (figure->panels, p);
      double first, last;

      if (ns_figure_get_x_range (figure, p, &first, &last))
        {
          x_min = fmin (x_min, first);
          x_max = fmax (x_max, last);
        }
      keep_range (panel);
      hide_cells (panel->heat_map);
      g_ptr_array_set_size (panel->annotations, 0);
      for (guint s = 0; s < panel->series->len; s++)
        ((NsSeries *) g_ptr_array_index (panel->series, s))->n = 0;
    }
  if (isnan (figure->x_min) && x_min <= x_max)
    figure->x_min = x_min;
  if (isnan (figure->x_max) && x_min <= x_max)
    figure->x_max = x_max;
}
