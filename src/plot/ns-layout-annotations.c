/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "plot/ns-layout-private.h"

#include <math.h>

/* Distance of a label from its point, and between labels. */
#define POINT_GAP_PX 9.0
#define LABEL_GAP_PX 2.0
/* Distance between the brackets of two curves. */
#define BRACKET_STEP_PX 8.0
/* A note is wrapped at this width, in font sizes and as a share of the plot. */
#define NOTE_EM 16.0
#define MAX_NOTE_SHARE 0.45
/* Costs of a place for a label, px of distance from the wanted one. */
#define COST_LEFT 4.0
#define COST_CENTER 8.0
#define COST_CURVE 0.5 /* for each px of a curve under the label */
#define COST_POINT 60.0
/* Places along a horizontal line for its name, and how much a place further left or below the line costs, px. */
#define LINE_PLACES 5
#define LINE_COST 4.0

typedef struct
{
  NsLayoutBuilder *builder;
  const NsPanel *panel;
  const NsPanelLayout *place;
  guint index; /* of the panel */
  guint first_place, first_label;
} Placer;

static const NsSeries *
get_placed_series (const Placer *placer, int series)
{
  return series >= 0 ? g_ptr_array_index (placer->panel->series, series) : NULL;
}

/* Return how far the middle of a series' bars is from the middle of their slot. */
static double
get_bar_offset (const Placer *placer, int index)
{
  double bar = placer->place->bar_px, n = placer->place->n_bars;
  int order = 0;

  if (bar < NS_BAR_MIN_PX)
    return 0.0;
  for (int s = 0; s < index; s++)
    {
      const NsSeries *series = get_placed_series (placer, s);

      order += series->kind == NS_SERIES_BARS && series->role != NS_ROLE_GHOST ? 1 : 0;
    }
  return order * (bar + 1.0) + 0.5 * bar - 0.5 * (n * bar + (n - 1.0));
}

static void
map_point (const Placer *placer, int index, double x, double y, double *x_px, double *y_px)
{
  const NsLayout *layout = placer->builder->layout;
  const NsRect *plot = &placer->place->plot;
  const NsSeries *series = get_placed_series (placer, index);
  const NsAxisMap *scale
      = series != NULL ? ns_layout_get_series_scale (layout, placer->index, series) : &placer->place->y;

  *x_px = ns_scale_map (&placer->place->x, x);
  if (series != NULL && series->kind == NS_SERIES_BARS)
    *x_px += get_bar_offset (placer, index);
  *y_px = isnan (y) ? plot->y : CLAMP (ns_scale_map (scale, y), plot->y, plot->y + plot->height);
}

/* Return the px of the vertical part of a bracket: at its second point, moved by one step for each other bracket
 * there. */
static double
find_bracket (const Placer *placer, const NsAnnotationPlace *own)
{
  const GArray *places = placer->builder->layout->annotations;
  double step = own->other_x_px >= own->x_px ? -BRACKET_STEP_PX : BRACKET_STEP_PX;
  double px = own->other_x_px + 2.0 * step;
  double room = fabs (own->other_x_px - own->x_px);

  for (guint i = placer->first_place; i < places->len; i++)
    {
      const NsAnnotationPlace *other = &g_array_index (places, NsAnnotationPlace, i);
      const NsAnnotation *annotation = g_ptr_array_index (placer->panel->annotations, other->index);

      if (annotation->kind == NS_ANNOTATION_RATIO && fabs (other->other_x_px - own->other_x_px) < 0.5 * BRACKET_STEP_PX)
        px += step;
    }
  return fabs (px - own->other_x_px) <= room ? px : own->other_x_px;
}

static gboolean
overlap (const NsRect *a, const NsRect *b, double air)
{
  return a->x < b->x + b->width + air && b->x < a->x + a->width + air && a->y < b->y + b->height + air
         && b->y < a->y + a->height + air;
}

/* Return the index of the first point right of `px`, by bisection. */
static gsize
find_right_of (const NsAxisMap *x, const NsSeries *series, double px)
{
  gsize low = 0, high = series->n;

  while (low < high)
    {
      gsize middle = low + (high - low) / 2;

      if (ns_scale_map (x, series->x[middle]) <= px)
        low = middle + 1;
      else
        high = middle;
    }
  return low;
}

/* Return how many px, measured along x, of a curve lie under a rectangle. */
static double
measure_cover (const Placer *placer, const NsSeries *series, const NsRect *rect)
{
  const NsAxisMap *x = &placer->place->x;
  const NsAxisMap *y = ns_layout_get_series_scale (placer->builder->layout, placer->index, series);
  double right = rect->x + rect->width, bottom = rect->y + rect->height, sum = 0.0;

  for (gsize i = MAX (find_right_of (x, series, rect->x), 1); i < series->n; i++)
    {
      double x0 = ns_scale_map (x, series->x[i - 1]), x1 = ns_scale_map (x, series->x[i]);
      double y0 = ns_scale_map (y, series->y[i - 1]), y1 = ns_scale_map (y, series->y[i]);
      double from = fmax (x0, rect->x), to = fmin (x1, right), top, low;

      if (x0 >= right)
        break;
      if (!(x1 > x0) || !isfinite (y0) || !isfinite (y1))
        continue;
      top = y0 + (y1 - y0) * (from - x0) / (x1 - x0);
      low = y0 + (y1 - y0) * (to - x0) / (x1 - x0);
      if (fmin (top, low) < bottom && fmax (top, low) > rect->y)
        sum += to - from;
    }
  return sum;
}

static double
get_cost (const Placer *placer, const NsRect *rect)
{
  const GArray *places = placer->builder->layout->annotations;
  double cost = 0.0;

  for (guint s = 0; s < placer->panel->series->len; s++)
    {
      const NsSeries *series = get_placed_series (placer, (int) s);

      if (series->kind == NS_SERIES_LINE && series->role != NS_ROLE_GHOST)
        cost += COST_CURVE * measure_cover (placer, series, rect);
    }
  for (guint i = placer->first_place; i < places->len; i++)
    {
      const NsAnnotationPlace *other = &g_array_index (places, NsAnnotationPlace, i);
      const NsAnnotation *annotation = g_ptr_array_index (placer->panel->annotations, other->index);
      NsRect point = { other->x_px, other->y_px, 0.0, 0.0 };
      NsRect end = { other->other_x_px, other->other_y_px, 0.0, 0.0 };

      if (annotation->kind != NS_ANNOTATION_LINE && overlap (rect, &point, 5.0))
        cost += COST_POINT;
      if (annotation->kind == NS_ANNOTATION_RATIO && overlap (rect, &end, 5.0))
        cost += COST_POINT;
    }
  return cost;
}

static gboolean
is_free (const Placer *placer, const NsRect *rect, guint n_labels)
{
  const NsRect *plot = &placer->place->plot;
  const GPtrArray *labels = placer->builder->layout->labels;

  if (rect->x < plot->x + LABEL_GAP_PX || rect->y < plot->y || rect->x + rect->width > plot->x + plot->width
      || rect->y + rect->height > plot->y + plot->height - LABEL_GAP_PX)
    return FALSE;
  for (guint i = placer->first_label; i < n_labels; i++)
    if (overlap (rect, &((const NsLabel *) g_ptr_array_index (labels, i))->rect, LABEL_GAP_PX))
      return FALSE;
  return TRUE;
}

/* Find the free place of the plot that is nearest to the anchor of the last label. FALSE when there is none. */
static gboolean
place_anywhere (const Placer *placer, NsLabel *label)
{
  const NsRect *plot = &placer->place->plot;
  guint n_labels = placer->builder->layout->labels->len - 1;
  double best = INFINITY;
  NsRect rect = label->rect;

  for (rect.y = plot->y; rect.y < plot->y + plot->height; rect.y += 0.5 * rect.height)
    for (rect.x = plot->x + LABEL_GAP_PX; rect.x < plot->x + plot->width; rect.x += 0.5 * rect.height)
      {
        double distance = hypot (rect.x + 0.5 * rect.width - label->anchor_x_px,
                                 rect.y + 0.5 * rect.height - label->anchor_y_px);

        if (distance >= best || !is_free (placer, &rect, n_labels))
          continue;
        best = distance;
        label->rect = rect;
      }
  return isfinite (best);
}

/* Find the best place for the last label, at `wanted` px above or below its anchor; over a bar only above it. FALSE
 * when there is none. */
static gboolean
place_label (const Placer *placer, NsLabel *label, double wanted)
{
  const NsSeries *series = get_placed_series (placer, label->series);
  gboolean is_bar = series != NULL && series->kind == NS_SERIES_BARS;
  guint n_labels = placer->builder->layout->labels->len - 1;
  double width = label->rect.width, height = label->rect.height, step = 0.5 * height, best = INFINITY;
  int n_steps = (int) ceil (placer->place->plot.height / step);
  NsRect found = label->rect;

  for (int k = -n_steps; k <= n_steps; k++)
    for (int side = 0; side < 3; side++)
      {
        double dy = k * step, cost = fabs (fabs (dy) - wanted);
        double dx = side == 0 ? POINT_GAP_PX : side == 1 ? -POINT_GAP_PX - width : -0.5 * width;
        NsRect rect = { label->anchor_x_px + dx, label->anchor_y_px + dy - 0.5 * height, width, height };

        if (side == 2 && fabs (dy) < 0.5 * height + POINT_GAP_PX)
          continue;
        if (is_bar)
          cost += (side == 2 ? 0.0 : COST_CENTER) + (dy >= 0.0 ? COST_POINT : 0.0);
        else
          cost += side == 1 ? COST_LEFT : side == 2 ? COST_CENTER : 0.0;
        if (cost >= best || !is_free (placer, &rect, n_labels))
          continue;
        cost += get_cost (placer, &rect);
        if (cost >= best)
          continue;
        best = cost;
        found = rect;
      }
  label->rect = found;
  return isfinite (best) || place_anywhere (placer, label);
}

static void
add_label (const Placer *placer, NsAnnotationPlace *own)
{
  const NsAnnotation *annotation = g_ptr_array_index (placer->panel->annotations, own->index);
  NsLayoutBuilder *builder = placer->builder;
  gboolean is_note = annotation->kind == NS_ANNOTATION_NOTE || annotation->kind == NS_ANNOTATION_ARROW;
  gboolean is_small = annotation->kind == NS_ANNOTATION_POINT || annotation->kind == NS_ANNOTATION_CROSS;
  double max_width = fmin (NOTE_EM * builder->axis_px, MAX_NOTE_SHARE * placer->place->plot.width);
  NsLabel *label;

  if (annotation->text == NULL || annotation->text[0] == '\0' || annotation->kind == NS_ANNOTATION_LINE)
    return;
  label = ns_layout_add_label (builder, NS_LABEL_ANNOTATION, annotation->text, FALSE,
                               is_small ? builder->tick_px : builder->axis_px, !is_note,
                               is_note ? fmax (1.0, max_width) : -1.0, is_note);
  label->panel = (int) placer->index;
  label->series = annotation->series;
  label->anchor_x_px = own->x_px;
  label->anchor_y_px = own->y_px;
  if (annotation->kind == NS_ANNOTATION_RATIO)
    {
      label->anchor_x_px = own->bracket_px;
      label->anchor_y_px = 0.5 * (own->y_px + own->other_y_px);
    }
  if (place_label (placer, label, is_note ? 1.5 * builder->axis_line + 0.5 * label->rect.height : 0.0))
    own->label = (int) builder->layout->labels->len - 1;
  else
    g_ptr_array_set_size (builder->layout->labels, (int) builder->layout->labels->len - 1);
}

/* Ratios are placed first, then words, then values: of these there are the most. */
static int
get_rank (NsAnnotationKind kind)
{
  return kind == NS_ANNOTATION_RATIO ? 0 : kind == NS_ANNOTATION_POINT || kind == NS_ANNOTATION_CROSS ? 2 : 1;
}

/* Find the best place for the last label above or below a horizontal line, the right end first. FALSE when there is
 * none. */
static gboolean
place_on_line (const Placer *placer, NsLabel *label)
{
  const NsRect *plot = &placer->place->plot;
  guint n_labels = placer->builder->layout->labels->len - 1;
  double room = plot->width - label->rect.width - 2.0 * LABEL_GAP_PX, best = INFINITY;
  NsRect rect = label->rect, found = label->rect;

  for (int k = 0; k < LINE_PLACES; k++)
    for (int below = 0; below < 2; below++)
      {
        double cost = LINE_COST * (2 * k + below);

        rect.x = plot->x + LABEL_GAP_PX + room * (1.0 - k / (LINE_PLACES - 1.0));
        rect.y = label->anchor_y_px + (below ? LABEL_GAP_PX : -LABEL_GAP_PX - rect.height);
        if (cost >= best || !is_free (placer, &rect, n_labels))
          continue;
        cost += get_cost (placer, &rect);
        if (cost >= best)
          continue;
        best = cost;
        found = rect;
      }
  label->rect = found;
  return isfinite (best);
}

/* Name the horizontal lines that have their names on them. */
static void
name_lines (const Placer *placer)
{
  NsLayout *layout = placer->builder->layout;

  for (guint s = 0; s < placer->panel->series->len; s++)
    {
      const NsSeries *series = get_placed_series (placer, (int) s);
      NsLabel *label;

      if (!series->on_line || series->n == 0 || series->name == NULL)
        continue;
      label = ns_layout_add_label (placer->builder, NS_LABEL_ANNOTATION, series->name, FALSE,
                                   placer->builder->tick_px, FALSE, -1.0, FALSE);
      label->panel = (int) placer->index;
      label->series = (int) s;
      map_point (placer, (int) s, series->x[series->n - 1], series->y[series->n - 1], &label->anchor_x_px,
                 &label->anchor_y_px);
      if (!place_on_line (placer, label))
        g_ptr_array_set_size (layout->labels, (int) layout->labels->len - 1);
    }
}

void
ns_layout_place_annotations (NsLayoutBuilder *builder, guint index)
{
  NsLayout *layout = builder->layout;
  Placer placer = { builder, g_ptr_array_index (builder->figure->panels, index),
                    ns_layout_builder_get_panel (builder, index), index, layout->annotations->len,
                    layout->labels->len };

  name_lines (&placer);
  for (guint i = 0; i < placer.panel->annotations->len; i++)
    {
      const NsAnnotation *annotation = g_ptr_array_index (placer.panel->annotations, i);
      NsAnnotationPlace place = { .panel = (int) index, .index = (int) i, .label = -1 };

      map_point (&placer, annotation->series, annotation->x, annotation->y, &place.x_px, &place.y_px);
      map_point (&placer, annotation->series, annotation->other_x, annotation->other_y, &place.other_x_px,
                 &place.other_y_px);
      if (annotation->kind == NS_ANNOTATION_LINE)
        place.x_px = ns_scale_map (&placer.place->x, annotation->x);
      if (annotation->kind == NS_ANNOTATION_RATIO)
        place.bracket_px = find_bracket (&placer, &place);
      g_array_append_val (layout->annotations, place);
    }
  for (int rank = 0; rank < 3; rank++)
    for (guint i = placer.first_place; i < layout->annotations->len; i++)
      {
        NsAnnotationPlace *place = &g_array_index (layout->annotations, NsAnnotationPlace, i);

        if (get_rank (((const NsAnnotation *) g_ptr_array_index (placer.panel->annotations, place->index))->kind)
            == rank)
          add_label (&placer, place);
      }
}
