/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>
#include <string.h>

#include "plot/ns-layout-private.h"
#include "plot/ns-range.h"
#include "plot/ns-stack.h"
#include "plot/ns-ticks.h"

/* The share of a slot that a group of bars takes. */
#define GROUP_SHARE 0.75

/* The margin at both ends of an x axis without bars, as a share of its range. */
#define X_AIR 0.02

/* Keeps the bar of a single block from filling the plot. */
#define MAX_BAR_PX 72.0

static double
measure_width (const char *markup, gpointer data)
{
  NsLayoutBuilder *builder = data;
  double width;

  ns_text_set_markup (builder->ruler, markup, builder->tick_px);
  ns_text_get_size (builder->ruler, &width, NULL);
  return width;
}

static double
measure_height (const char *markup, gpointer data)
{
  NsLayoutBuilder *builder = data;
  double height;

  /* All digits have the same height; only a superscript needs measuring. */
  if (strchr (markup, '<') == NULL)
    return builder->tick_line;
  ns_text_set_markup (builder->ruler, markup, builder->tick_px);
  ns_text_get_size (builder->ruler, NULL, &height);
  return height;
}

/* Use the range of the parts, which does not depend on where there is data. */
static void
apply_parts (const NsFigure *figure, double *min, double *max, double *slot)
{
  const GPtrArray *parts = figure->x_parts;

  if (parts->len == 0)
    return;
  *min = ((const NsAxisPart *) g_ptr_array_index (parts, 0))->start;
  *max = ((const NsAxisPart *) g_ptr_array_index (parts, parts->len - 1))->end;
  /* Two parts of one block each have no neighbours in the data to take the step from. */
  if (figure->x_integers)
    *slot = 1.0;
}

void
ns_layout_find_x_domain (NsLayoutBuilder *builder, gboolean *has_bars)
{
  const NsFigure *figure = builder->figure;
  double min = INFINITY, max = -INFINITY, slot = INFINITY;

  /* It is the same in every attempt to lay the figure out. */
  if (builder->has_domain)
    {
      *has_bars = builder->has_bars;
      return;
    }
  *has_bars = FALSE;
  for (guint p = 0; p < figure->panels->len; p++)
    {
      const NsPanel *panel = g_ptr_array_index (figure->panels, p);

      for (guint s = 0; s < panel->series->len; s++)
        {
          const NsSeries *series = g_ptr_array_index (panel->series, s);

          *has_bars = *has_bars || (series->kind != NS_SERIES_LINE && series->n > 0);
          for (gsize i = 0; i < series->n; i++)
            {
              if (!isfinite (series->x[i]))
                continue;
              min = fmin (min, series->x[i]);
              max = fmax (max, series->x[i]);
              if (i > 0 && series->x[i] > series->x[i - 1])
                slot = fmin (slot, series->x[i] - series->x[i - 1]);
            }
        }
    }

  apply_parts (figure, &min, &max, &slot);
  if (isfinite (figure->x_min))
    min = figure->x_min;
  if (isfinite (figure->x_max))
    max = figure->x_max;
  if (!(min <= max))
    {
      min = isfinite (min) ? min : isfinite (max) ? max : 0.0;
      max = min;
    }
  builder->has_domain = TRUE;
  builder->has_bars = *has_bars;
  builder->data_x_min = min;
  builder->data_x_max = max;
  builder->layout->slot = isfinite (slot) ? slot : 1.0;
}

static NsAxisMap
make_x_scale (const NsLayoutBuilder *builder, gboolean has_bars, double start, double end)
{
  double min = builder->data_x_min, max = builder->data_x_max, air;

  if (has_bars || min == max)
    air = 0.5 * builder->layout->slot;
  else
    air = X_AIR * (max - min);
  return ns_scale_make (builder->figure->x_scale, min - air, max + air, start, end);
}

/* Prefer few labels far apart; on a low plot move them closer to keep at least three. */
GPtrArray *
ns_layout_make_side_ticks (NsLayoutBuilder *builder, const NsAxisMap *scale)
{
  static const double gaps[] = { 1.4, 0.6, 0.1 };
  GPtrArray *ticks = NULL;

  for (guint g = 0; g < G_N_ELEMENTS (gaps); g++)
    {
      guint n_labels = 0;

      g_clear_pointer (&ticks, g_ptr_array_unref);
      ticks = ns_ticks_new (scale, FALSE, NAN, NAN, gaps[g] * builder->tick_line, measure_height, builder);
      for (guint i = 0; i < ticks->len; i++)
        n_labels += ((const NsTick *) g_ptr_array_index (ticks, i))->markup != NULL;
      if (n_labels >= 3)
        break;
    }
  return ticks;
}

void
ns_layout_make_y_scales (NsLayoutBuilder *builder, guint index)
{
  const NsPanel *panel = g_ptr_array_index (builder->figure->panels, index);
  NsPanelLayout *out = ns_layout_builder_get_panel (builder, index);
  double top = out->plot.y, bottom = top + out->plot.height;
  gboolean has_data, is_given = isfinite (panel->min) && isfinite (panel->max);
  NsRange range;

  /* The range of a stack takes time; it is not needed for a given one. */
  has_data = !is_given && ns_panel_get_auto_range (panel, NS_SIDE_LEFT, &range);
  if (isfinite (panel->min))
    range.min = panel->min;
  if (isfinite (panel->max))
    range.max = panel->max;
  out->y = ns_scale_make (panel->scale, range.min, range.max, bottom, top);
  /* An axis without data and without a given range has no meaningful ticks. */
  if (has_data || is_given)
    out->y_ticks = ns_layout_make_side_ticks (builder, &out->y);
  else
    out->y_ticks = g_ptr_array_new ();

  out->has_right = panel->right_title != NULL;
  if (!out->has_right)
    return;
  ns_panel_get_auto_range (panel, NS_SIDE_RIGHT, &range);
  if (isfinite (panel->right_min))
    range.min = panel->right_min;
  if (isfinite (panel->right_max))
    range.max = panel->right_max;
  out->right = ns_scale_make (NS_AXIS_LINEAR, range.min, range.max, bottom, top);
  out->right_ticks = ns_layout_make_side_ticks (builder, &out->right);
}

double
ns_layout_get_widest (NsLayoutBuilder *builder, const GPtrArray *ticks)
{
  double widest = 0.0;

  for (guint i = 0; ticks != NULL && i < ticks->len; i++)
    {
      const NsTick *tick = g_ptr_array_index (ticks, i);

      if (tick->markup != NULL)
        widest = fmax (widest, measure_width (tick->markup, builder));
    }
  return widest;
}

gboolean
ns_layout_find_margins (NsLayoutBuilder *builder)
{
  builder->left = builder->right = builder->outer;

  for (guint p = 0; p < builder->layout->panels->len; p++)
    {
      const NsPanelLayout *panel = ns_layout_builder_get_panel (builder, p);
      double right = builder->outer, names = 0.0, ticks;

      ticks = ns_layout_get_widest (builder, panel->y_ticks);
      builder->left = fmax (builder->left, builder->outer + (ticks > 0.0 ? ticks + NS_TICK_GAP_PX : 0.0));
      ticks = ns_layout_get_widest (builder, panel->right_ticks);
      right += ticks > 0.0 ? ticks + NS_TICK_GAP_PX : 0.0;
      if (!builder->legend)
        names = ns_layout_measure_names (builder, p);
      if (isnan (names))
        return FALSE;
      builder->right = fmax (builder->right, right + names);
    }
  builder->left = ceil (builder->left);
  builder->right = ceil (builder->right);
  /* With a legend there is nothing left to move: accept narrow plots. */
  return builder->legend || builder->layout->width - builder->left - builder->right > 0.5 * builder->layout->width;
}

/* The arguments of ns_layout_make_ticks(). */
typedef struct
{
  NsLayoutBuilder *builder;
  const NsAxisMap *map;
  gboolean integers;
  NsTickMeasure measure;
  double gap;
} TickMaker;

static GPtrArray *
make_part_ticks (const TickMaker *maker, const NsAxisPart *part)
{
  double air = 0.5 * maker->builder->layout->slot;
  NsAxisMap scale = ns_scale_make (maker->map->scale, part->start - part->offset - air,
                                   part->end - part->offset + air, ns_scale_map (maker->map, part->start - air),
                                   ns_scale_map (maker->map, part->end + air));
  GPtrArray *ticks = ns_ticks_new (&scale, maker->integers, part->start - part->offset, part->end - part->offset,
                                   maker->gap, maker->measure, maker->builder);

  for (guint i = 0; i < ticks->len; i++)
    ((NsTick *) g_ptr_array_index (ticks, i))->value += part->offset;
  return ticks;
}

/* Append the ticks of the next part; takes `more`. Where labels would touch at the divider, keep the last one of the
 * first part, since it shows that part's depth. */
static void
append_part_ticks (const TickMaker *maker, GPtrArray *ticks, GPtrArray *more)
{
  double forward = maker->map->end_px >= maker->map->start_px ? 1.0 : -1.0, end = -INFINITY;

  for (guint i = 0; i < ticks->len; i++)
    {
      const NsTick *tick = g_ptr_array_index (ticks, i);

      if (tick->markup != NULL)
        end = fmax (end, forward * tick->px + 0.5 * maker->measure (tick->markup, maker->builder) + maker->gap);
    }
  for (guint i = 0; i < more->len; i++)
    {
      NsTick *tick = g_ptr_array_index (more, i);

      if (tick->markup != NULL && forward * tick->px - 0.5 * maker->measure (tick->markup, maker->builder) < end)
        g_clear_pointer (&tick->markup, g_free);
    }
  g_ptr_array_extend_and_steal (ticks, more);
}

GPtrArray *
ns_layout_make_ticks (NsLayoutBuilder *builder, const NsAxisMap *map, const GPtrArray *parts, gboolean integers,
                      double first, double last, gboolean is_vertical)
{
  TickMaker maker = { builder, map, integers, is_vertical ? measure_height : measure_width,
                      is_vertical ? 1.2 * builder->tick_line : builder->gap };
  GPtrArray *ticks;

  if (parts->len == 0)
    return ns_ticks_new (map, integers, first, last, maker.gap, maker.measure, builder);
  ticks = make_part_ticks (&maker, g_ptr_array_index (parts, 0));
  for (guint p = 1; p < parts->len; p++)
    append_part_ticks (&maker, ticks, make_part_ticks (&maker, g_ptr_array_index (parts, p)));
  return ticks;
}

GPtrArray *
ns_layout_make_label_ticks (NsLayoutBuilder *builder, const NsAxisMap *map, char **labels)
{
  return ns_ticks_new_labels (map, labels, 0.2 * builder->tick_line, measure_height, builder);
}

void
ns_layout_make_x_scale (NsLayoutBuilder *builder, gboolean has_bars)
{
  NsLayout *layout = builder->layout;

  for (int round = 0; round < 4; round++)
    {
      double end = fmax (builder->left + 1.0, layout->width - builder->right);
      double out_left = 0.0, out_right = 0.0;

      layout->x = make_x_scale (builder, has_bars, builder->left, end);
      g_clear_pointer (&layout->x_ticks, g_ptr_array_unref);
      layout->x_ticks = ns_layout_make_ticks (builder, &layout->x, builder->figure->x_parts,
                                              builder->figure->x_integers, builder->data_x_min, builder->data_x_max,
                                              FALSE);
      for (guint i = 0; i < layout->x_ticks->len; i++)
        {
          const NsTick *tick = g_ptr_array_index (layout->x_ticks, i);
          double half;

          if (tick->markup == NULL)
            continue;
          half = 0.5 * measure_width (tick->markup, builder);
          out_left = fmax (out_left, 2.0 - (tick->px - half));
          out_right = fmax (out_right, tick->px + half - (layout->width - 2.0));
        }
      if (out_left <= 0.0 && out_right <= 0.0)
        return;
      builder->left += ceil (out_left);
      builder->right += ceil (out_right);
    }
}

void
ns_layout_place_tick_labels (NsLayoutBuilder *builder, const GPtrArray *ticks, NsLabelRole role, int panel, double at)
{
  for (guint i = 0; ticks != NULL && i < ticks->len; i++)
    {
      const NsTick *tick = g_ptr_array_index (ticks, i);
      NsLabel *label;

      if (tick->markup == NULL)
        continue;
      label = ns_layout_add_label (builder, role, tick->markup, TRUE, builder->tick_px, FALSE, -1.0, FALSE);
      label->panel = panel;
      if (role == NS_LABEL_X_TICK)
        {
          /* A superscript makes a label higher; align the bottoms. */
          label->rect.x = tick->px - 0.5 * label->rect.width;
          label->rect.y = at + builder->tick_line - label->rect.height;
          continue;
        }
      label->rect.x = role == NS_LABEL_Y_TICK ? at - label->rect.width : at;
      label->rect.y = tick->px - label->rect.height + 0.5 * builder->tick_line;
    }
}

void
ns_layout_count_bars (NsLayoutBuilder *builder, guint index)
{
  const NsPanel *panel = g_ptr_array_index (builder->figure->panels, index);
  NsPanelLayout *out = ns_layout_builder_get_panel (builder, index);
  double slot_px = ns_layout_get_slot_px (builder->layout);

  /* A stack is one bar. */
  out->n_bars = ns_panel_has_stack (panel);
  for (guint s = 0; s < panel->series->len; s++)
    {
      const NsSeries *series = g_ptr_array_index (panel->series, s);

      /* A ghost is drawn at the place of its bar. */
      out->n_bars += series->kind == NS_SERIES_BARS && series->role != NS_ROLE_GHOST;
    }
  if (out->n_bars > 0)
    out->bar_px = CLAMP ((GROUP_SHARE * slot_px - (out->n_bars - 1)) / out->n_bars, 0.0,
                         MAX_BAR_PX * builder->theme->line_scale);
}

/* Get the range of pixels that the k-th title is centred under: its part, or the whole axis. */
static void
get_title_span (const NsLayoutBuilder *builder, guint k, double *start, double *end)
{
  const NsAxisMap *x = &builder->layout->x;
  const NsAxisPart *part;

  *start = x->start_px;
  *end = x->end_px;
  if (k >= builder->figure->x_parts->len)
    return;
  part = g_ptr_array_index (builder->figure->x_parts, k);
  *start = ns_scale_map (x, part->start - 0.5 * builder->layout->slot);
  *end = ns_scale_map (x, part->end + 0.5 * builder->layout->slot);
}

void
ns_layout_fit_title (NsLabel *label, const char *short_text, double room)
{
  double width;

  ns_text_get_size (label->pango, &width, NULL);
  if (width <= room)
    return;
  g_free (label->text);
  label->text = g_strdup (short_text);
  label->is_markup = FALSE;
  pango_layout_set_attributes (label->pango, NULL);
  pango_layout_set_width (label->pango, -1);
  pango_layout_set_text (label->pango, short_text, -1);
  ns_text_get_size (label->pango, &width, NULL);
  if (width > room)
    {
      pango_layout_set_width (label->pango, (int) ceil (fmax (1.0, room) * PANGO_SCALE));
      pango_layout_set_ellipsize (label->pango, PANGO_ELLIPSIZE_END);
      ns_text_get_size (label->pango, &width, NULL);
    }
  label->rect.width = width;
}

void
ns_layout_place_x_titles (NsLayoutBuilder *builder)
{
  const NsLayout *layout = builder->layout;
  guint k = 0;

  for (guint i = 0; i < layout->labels->len; i++)
    {
      NsLabel *label = g_ptr_array_index (layout->labels, i);
      double start, end, middle;

      if (label->role != NS_LABEL_X_TITLE)
        continue;
      get_title_span (builder, k, &start, &end);
      if (k < builder->figure->x_parts->len)
        {
          const NsAxisPart *part = g_ptr_array_index (builder->figure->x_parts, k);

          ns_layout_fit_title (label, part->name, end - start);
        }
      k++;
      middle = 0.5 * (start + end) - 0.5 * label->rect.width;
      label->rect.x = CLAMP (middle, builder->outer,
                             fmax (builder->outer, layout->width - builder->outer - label->rect.width));
    }
}
