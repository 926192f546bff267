/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "plot/ns-figure.h"

#include <math.h>

static void
ns_series_free (gpointer data)
{
  NsSeries *series = data;

  g_free (series->name);
  g_free (series->x);
  g_free (series->y);
  g_free (series->low);
  g_free (series->high);
  g_free (series->mark);
  g_free (series);
}

static void
ns_panel_free (gpointer data)
{
  NsPanel *panel = data;

  g_free (panel->title);
  g_free (panel->short_title);
  g_free (panel->subtitle);
  g_free (panel->accessible_title);
  g_free (panel->right_title);
  g_free (panel->message);
  g_ptr_array_unref (panel->series);
  g_free (panel);
}

static void
ns_axis_part_free (gpointer data)
{
  NsAxisPart *part = data;

  g_free (part->name);
  g_free (part->title);
  g_free (part);
}

NsFigure *
ns_figure_new (void)
{
  NsFigure *figure = g_new0 (NsFigure, 1);

  figure->x_min = NAN;
  figure->x_max = NAN;
  figure->x_parts = g_ptr_array_new_with_free_func (ns_axis_part_free);
  figure->panels = g_ptr_array_new_with_free_func (ns_panel_free);
  return figure;
}

void
ns_figure_free (NsFigure *figure)
{
  if (figure == NULL)
    return;
  g_free (figure->title);
  g_free (figure->caption);
  g_free (figure->note);
  g_free (figure->x_title);
  g_free (figure->x_name);
  g_ptr_array_unref (figure->x_parts);
  g_ptr_array_unref (figure->panels);
  g_free (figure);
}

NsAxisPart *
ns_figure_add_x_part (NsFigure *figure, const char *name, const char *title, double start, double end, double offset)
{
  NsAxisPart *part;

  g_return_val_if_fail (figure != NULL && name != NULL && title != NULL, NULL);
  g_return_val_if_fail (isfinite (start) && isfinite (end) && isfinite (offset) && start <= end, NULL);
  g_return_val_if_fail (figure->x_parts->len == 0 || ns_figure_find_x_part (figure, INFINITY)->end < start, NULL);

  part = g_new0 (NsAxisPart, 1);
  part->name = g_strdup (name);
  part->title = g_strdup (title);
  part->start = start;
  part->end = end;
  part->offset = offset;
  g_ptr_array_add (figure->x_parts, part);
  return part;
}

static double
get_divider (const NsFigure *figure, guint before)
{
  const NsAxisPart *left = g_ptr_array_index (figure->x_parts, before);
  const NsAxisPart *right = g_ptr_array_index (figure->x_parts, before + 1);

  return 0.5 * (left->end + right->start);
}

const NsAxisPart *
ns_figure_find_x_part (const NsFigure *figure, double x)
{
  guint part = 0;

  g_return_val_if_fail (figure != NULL, NULL);

  if (figure->x_parts->len == 0)
    return NULL;
  while (part + 1 < figure->x_parts->len && x >= get_divider (figure, part))
    part++;
  return g_ptr_array_index (figure->x_parts, part);
}

double
ns_figure_find_x_divider (const NsFigure *figure, double x)
{
  g_return_val_if_fail (figure != NULL, INFINITY);

  for (guint part = 0; part + 1 < figure->x_parts->len; part++)
    if (get_divider (figure, part) > x)
      return get_divider (figure, part);
  return INFINITY;
}

NsPanel *
ns_figure_add_panel (NsFigure *figure, const char *title, NsAxisScale scale)
{
  NsPanel *panel;

  g_return_val_if_fail (figure != NULL, NULL);

  panel = g_new0 (NsPanel, 1);
  panel->title = g_strdup (title);
  panel->scale = scale;
  panel->min = panel->max = NAN;
  panel->right_min = panel->right_max = NAN;
  panel->weight = 1.0;
  panel->series = g_ptr_array_new_with_free_func (ns_series_free);
  g_ptr_array_add (figure->panels, panel);
  return panel;
}

static gpointer
copy_doubles (const double *values, gsize n)
{
  return values == NULL ? NULL : g_memdup2 (values, n * sizeof (double));
}

NsSeries *
ns_panel_add_series (NsPanel *panel, const char *name, NsSeriesKind kind, int style, gsize n, const double *x,
                     const double *y, const double *low, const double *high, const guint8 *mark)
{
  NsSeries *series;

  g_return_val_if_fail (panel != NULL, NULL);
  g_return_val_if_fail (style >= 0, NULL);
  g_return_val_if_fail (n == 0 || (x != NULL && y != NULL), NULL);
  g_return_val_if_fail ((low == NULL) == (high == NULL), NULL);

  series = g_new0 (NsSeries, 1);
  series->name = g_strdup (name);
  series->kind = kind;
  series->style = style;
  series->n = n;
  series->x = copy_doubles (x, n);
  series->y = copy_doubles (y, n);
  series->low = copy_doubles (low, n);
  series->high = copy_doubles (high, n);
  series->mark = mark == NULL ? NULL : g_memdup2 (mark, n);
  g_ptr_array_add (panel->series, series);
  return series;
}

NsMark
ns_series_get_mark (const NsSeries *series, gsize index)
{
  double y = series->y[index];

  if (series->mark != NULL && series->mark[index] != NS_MARK_NONE)
    return series->mark[index];
  if (isnan (y))
    return NS_MARK_NAN;
  if (isinf (y))
    return y > 0 ? NS_MARK_INF : NS_MARK_UNDERFLOW;
  return NS_MARK_NONE;
}

static void
extend (double value, double *min, double *max)
{
  if (!isfinite (value))
    return;
  *min = fmin (*min, value);
  *max = fmax (*max, value);
}

gboolean
ns_panel_get_data_range (const NsPanel *panel, NsSide side, double *min, double *max)
{
  double low = INFINITY, high = -INFINITY;

  g_return_val_if_fail (panel != NULL, FALSE);

  for (guint s = 0; s < panel->series->len; s++)
    {
      const NsSeries *series = g_ptr_array_index (panel->series, s);

      if (series->side != side)
        continue;
      for (gsize i = 0; i < series->n; i++)
        {
          if (ns_series_get_mark (series, i) != NS_MARK_NONE)
            continue;
          extend (series->y[i], &low, &high);
          if (series->low != NULL)
            {
              extend (series->low[i], &low, &high);
              extend (series->high[i], &low, &high);
            }
        }
    }

  if (low > high)
    return FALSE;
  if (min != NULL)
    *min = low;
  if (max != NULL)
    *max = high;
  return TRUE;
}
