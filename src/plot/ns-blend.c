/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "plot/ns-blend.h"

#include <math.h>

#include "plot/ns-heat-map.h"
#include "plot/ns-hit.h"

/* Return the series of `from` that became `series`, which is the one of that index among those of its role and kind. */
static const NsSeries *
find_former (const NsPanel *from, const NsSeries *series, guint order)
{
  const NsSeries *same_place = NULL;
  guint n = 0;

  for (guint s = 0; s < from->series->len; s++)
    {
      const NsSeries *other = g_ptr_array_index (from->series, s);

      if (other->role != series->role || other->kind != series->kind || other->side != series->side)
        continue;
      if (g_strcmp0 (other->name, series->name) == 0)
        return other;
      if (n++ == order)
        same_place = other;
    }
  return same_place;
}

static double
mix_values (double from, double to, double t)
{
  return isfinite (from) && isfinite (to) ? from + t * (to - from) : to;
}

static void
blend_series (const NsSeries *from, NsSeries *series, double t)
{
  for (gsize i = 0; i < series->n; i++)
    {
      gsize f;

      if (!ns_series_find_x (from, series->x[i], &f) || ns_series_get_mark (from, f) != NS_MARK_NONE
          || ns_series_get_mark (series, i) != NS_MARK_NONE)
        continue;
      series->y[i] = mix_values (from->y[f], series->y[i], t);
      if (series->low == NULL || from->low == NULL)
        continue;
      series->low[i] = mix_values (from->low[f], series->low[i], t);
      series->high[i] = mix_values (from->high[f], series->high[i], t);
    }
}

static void
blend_panel (const NsPanel *from, const NsPanel *to, NsPanel *panel, double t)
{
  guint orders[NS_SERIES_STACK + 1][NS_ROLE_GHOST + 1] = { { 0 } };

  for (guint s = 0; s < to->series->len; s++)
    {
      const NsSeries *source = g_ptr_array_index (to->series, s);
      NsSeries *series = ns_panel_add_series (panel, source->name, source->kind, source->style, source->n, source->x,
                                              source->y, source->low, source->high, source->mark);
      const NsSeries *former;

      series->role = source->role;
      series->side = source->side;
      series->has_color = source->has_color;
      series->color = source->color;
      series->provisional = source->provisional;
      series->on_line = source->on_line;
      series->group = g_strdup (source->group);
      series->lightness = source->lightness;
      if (from == NULL || from->scale != to->scale)
        continue;
      former = find_former (from, series, orders[series->kind][series->role]++);
      if (former != NULL && series->role != NS_ROLE_GHOST)
        blend_series (former, series, t);
    }
}

NsFigure *
ns_figure_blend (const NsFigure *from, const NsFigure *to, double t)
{
  NsFigure *figure;

  g_return_val_if_fail (from != NULL && to != NULL, NULL);

  figure = ns_figure_new ();
  figure->x_scale = to->x_scale;
  figure->colors = ns_color_scale_copy (to->colors);
  for (guint i = 0; i < to->x_parts->len; i++)
    {
      const NsAxisPart *part = g_ptr_array_index (to->x_parts, i);

      ns_figure_add_x_part (figure, part->name, part->title, part->start, part->end, part->offset);
    }
  for (guint i = 0; i < to->y_parts->len; i++)
    {
      const NsAxisPart *part = g_ptr_array_index (to->y_parts, i);

      ns_figure_add_y_part (figure, part->name, part->title, part->start, part->end, part->offset);
    }
  for (guint p = 0; p < to->panels->len; p++)
    {
      const NsPanel *source = g_ptr_array_index (to->panels, p);
      NsPanel *panel = ns_figure_add_panel (figure, NULL, source->scale);

      panel->heat_map = ns_heat_map_copy (source->heat_map);
      blend_panel (p < from->panels->len ? g_ptr_array_index (from->panels, p) : NULL, source, panel, t);
      /* At the place that they have in the end. */
      for (guint i = 0; i < source->annotations->len; i++)
        {
          const NsAnnotation *a = g_ptr_array_index (source->annotations, i);
          NsAnnotation *annotation = ns_panel_add_annotation (panel, a->kind, a->series, a->x, a->y, a->text, a->id);

          annotation->other_x = a->other_x;
          annotation->other_y = a->other_y;
        }
    }
  return figure;
}
