/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "plot/ns-figure.h"

#include <math.h>

#include "plot/ns-heat-map.h"

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
  g_free (series->group);
  g_free (series);
}

static void
ns_annotation_free (gpointer data)
{
  NsAnnotation *annotation = data;

  g_free (annotation->text);
  g_free (annotation);
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
  ns_heat_map_free (panel->heat_map);
  g_ptr_array_unref (panel->annotations);
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
  figure->y_parts = g_ptr_array_new_with_free_func (ns_axis_part_free);
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
  g_free (figure->y_title);
  g_free (figure->y_name);
  g_strfreev (figure->y_labels);
  ns_color_scale_free (figure->colors);
  g_ptr_array_unref (figure->x_parts);
  g_ptr_array_unref (figure->y_parts);
  g_ptr_array_unref (figure->panels);
  g_free (figure);
}

static NsAxisPart *
add_part (GPtrArray *parts, const char *name, const char *title, double start, double end, double offset)
{
  NsAxisPart *part;

  g_return_val_if_fail (name != NULL && title != NULL, NULL);
  g_return_val_if_fail (isfinite (start) && isfinite (end) && isfinite (offset) && start <= end, NULL);
  g_return_val_if_fail (parts->len == 0 || ns_axis_parts_find (parts, INFINITY)->end < start, NULL);

  part = g_new0 (NsAxisPart, 1);
  part->name = g_strdup (name);
  part->title = g_strdup (title);
  part->start = start;
  part->end = end;
  part->offset = offset;
  g_ptr_array_add (parts, part);
  return part;
}

NsAxisPart *
ns_figure_add_x_part (NsFigure *figure, const char *name, const char *title, double start, double end, double offset)
{
  g_return_val_if_fail (figure != NULL, NULL);
  return add_part (figure->x_parts, name, title, start, end, offset);
}

NsAxisPart *
ns_figure_add_y_part (NsFigure *figure, const char *name, const char *title, double start, double end, double offset)
{
  g_return_val_if_fail (figure != NULL, NULL);
  return add_part (figure->y_parts, name, title, start, end, offset);
}

static double
get_divider (const GPtrArray *parts, guint before)
{
  const NsAxisPart *left = g_ptr_array_index (parts, before);
  const NsAxisPart *right = g_ptr_array_index (parts, before + 1);

  return 0.5 * (left->end + right->start);
}

const NsAxisPart *
ns_axis_parts_find (const GPtrArray *parts, double at)
{
  guint part = 0;

  if (parts->len == 0)
    return NULL;
  while (part + 1 < parts->len && at >= get_divider (parts, part))
    part++;
  return g_ptr_array_index (parts, part);
}

double
ns_axis_parts_find_divider (const GPtrArray *parts, double at)
{
  for (guint part = 0; part + 1 < parts->len; part++)
    if (get_divider (parts, part) > at)
      return get_divider (parts, part);
  return INFINITY;
}

const char *
ns_figure_get_y_label (const NsFigure *figure, double y)
{
  guint n = figure->y_labels != NULL ? g_strv_length (figure->y_labels) : 0;

  return y >= 0 && y < n ? figure->y_labels[(guint) y] : "";
}

const NsAxisPart *
ns_figure_find_x_part (const NsFigure *figure, double x)
{
  g_return_val_if_fail (figure != NULL, NULL);
  return ns_axis_parts_find (figure->x_parts, x);
}

double
ns_figure_find_x_divider (const NsFigure *figure, double x)
{
  g_return_val_if_fail (figure != NULL, INFINITY);
  return ns_axis_parts_find_divider (figure->x_parts, x);
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
  panel->annotations = g_ptr_array_new_with_free_func (ns_annotation_free);
  g_ptr_array_add (figure->panels, panel);
  return panel;
}

static gpointer
copy_doubles (const double *values, gsize n)
{
  return values == NULL ? NULL : g_memdup2 (values, n * sizeof (double));
}

gboolean
ns_figure_can_change_scale (const NsFigure *figure, int panel)
{
  const NsPanel *p = panel >= 0 && panel < (int) figure->panels->len ? g_ptr_array_index (figure->panels, panel) : NULL;

  return p != NULL && p->heat_map == NULL && !p->has_fixed_scale;
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

NsSeries *
ns_panel_add_stack (NsPanel *panel, const char *name, int hue, const char *group, double lightness, gsize n,
                    const double *x, const double *y, const guint8 *mark)
{
  NsSeries *series;

  g_return_val_if_fail (hue >= 0 && hue < NS_HUE_N && group != NULL, NULL);
  g_return_val_if_fail (lightness >= 0 && lightness <= 1, NULL);

  series = ns_panel_add_series (panel, name, NS_SERIES_STACK, hue, n, x, y, NULL, NULL, mark);
  if (series == NULL)
    return NULL;
  series->group = g_strdup (group);
  series->lightness = lightness;
  return series;
}

NsAnnotation *
ns_panel_add_annotation (NsPanel *panel, NsAnnotationKind kind, int series, double x, double y, const char *text,
                         int id)
{
  NsAnnotation *annotation;

  g_return_val_if_fail (panel != NULL, NULL);
  g_return_val_if_fail (series >= -1 && series < (int) panel->series->len, NULL);

  annotation = g_new0 (NsAnnotation, 1);
  annotation->kind = kind;
  annotation->series = series;
  annotation->x = annotation->other_x = x;
  annotation->y = annotation->other_y = y;
  annotation->text = g_strdup (text);
  annotation->id = id;
  g_ptr_array_add (panel->annotations, annotation);
  return annotation;
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
