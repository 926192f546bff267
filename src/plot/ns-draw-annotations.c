/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>

#include "plot/ns-draw-private.h"

#define RING_RADIUS_PX 5.5
#define CROSS_PX 5.0 /* from its middle to the side */
#define HEAD_PX 9.0
/* The tail of an arrow without words. */
#define TAIL_PX 44.0
#define LABEL_AIR_PX 2.0
/* Around lines and heads over a map. */
#define RIM_PX 1.5
#define MAP_LINE_PX 2.0

typedef struct
{
  const NsPainter *painter;
  const NsAnnotation *annotation;
  const NsAnnotationPlace *place;
  const NsLabel *label; /* or NULL */
  NsColor color;
} Item;

/* Stroke the path. The cells of a map have any colour: a rim of the background sets it off there. */
static void
stroke (const Item *item, double width, double alpha)
{
  cairo_t *cr = item->painter->cr;

  if (item->painter->panel->heat_map != NULL)
    {
      cairo_set_line_width (cr, width + 2.0 * RIM_PX * item->painter->theme->line_scale);
      ns_draw_set_color (cr, &item->painter->theme->background, 1.0);
      cairo_stroke_preserve (cr);
      alpha = 1.0;
    }
  cairo_set_line_width (cr, width);
  ns_draw_set_color (cr, &item->color, alpha);
  cairo_stroke (cr);
}

void
ns_draw_map_line (const NsPainter *painter, double x_px)
{
  const NsRect *plot = &painter->place->plot;
  const Item item = { .painter = painter, .color = painter->theme->foreground };
  double x = floor (x_px) + 0.5;

  cairo_new_path (painter->cr);
  cairo_move_to (painter->cr, x, plot->y);
  cairo_line_to (painter->cr, x, plot->y + plot->height);
  stroke (&item, MAP_LINE_PX * painter->theme->line_scale, 1.0);
}

static void
draw_line (const Item *item)
{
  const double dash[] = { 4.0, 4.0 };
  const NsRect *plot = &item->painter->place->plot;
  cairo_t *cr = item->painter->cr;
  double x = floor (item->place->x_px) + 0.5;

  if (item->painter->panel->heat_map != NULL)
    {
      ns_draw_map_line (item->painter, item->place->x_px);
      return;
    }
  cairo_move_to (cr, x, plot->y);
  cairo_line_to (cr, x, plot->y + plot->height);
  cairo_set_dash (cr, dash, 2, 0.0);
  cairo_set_line_width (cr, 1.0);
  ns_draw_set_color (cr, &item->color, 0.6);
  cairo_stroke (cr);
  cairo_set_dash (cr, NULL, 0, 0.0);
}

static void
draw_ring (const Item *item, double x, double y)
{
  cairo_t *cr = item->painter->cr;
  double scale = item->painter->theme->line_scale;

  cairo_new_path (cr);
  cairo_arc (cr, x, y, RING_RADIUS_PX * scale, 0.0, 2.0 * G_PI);
  ns_draw_set_color (cr, &item->painter->theme->background, 1.0);
  cairo_fill_preserve (cr);
  stroke (item, 2.0 * scale, 1.0);
}

/* Draw two strokes on a rim of the background. */
static void
draw_cross (const Item *item)
{
  cairo_t *cr = item->painter->cr;
  double scale = item->painter->theme->line_scale, size = CROSS_PX * scale;
  double x = item->place->x_px, y = item->place->y_px;

  cairo_new_path (cr);
  cairo_move_to (cr, x - size, y - size);
  cairo_line_to (cr, x + size, y + size);
  cairo_move_to (cr, x - size, y + size);
  cairo_line_to (cr, x + size, y - size);
  ns_draw_set_color (cr, &item->painter->theme->background, 1.0);
  cairo_set_line_width (cr, 5.5 * scale);
  cairo_stroke_preserve (cr);
  ns_draw_set_color (cr, &item->color, 1.0);
  cairo_set_line_width (cr, 2.5 * scale);
  cairo_stroke (cr);
}

static void
draw_head (const Item *item, double x, double y, double from_x, double from_y)
{
  cairo_t *cr = item->painter->cr;
  double size = HEAD_PX * item->painter->theme->line_scale, length = hypot (x - from_x, y - from_y);
  double dx, dy;

  if (length < 1.0)
    return;
  size = fmin (size, length);
  dx = (x - from_x) / length * size;
  dy = (y - from_y) / length * size;
  cairo_move_to (cr, x, y);
  cairo_line_to (cr, x - dx - 0.45 * dy, y - dy + 0.45 * dx);
  cairo_line_to (cr, x - dx + 0.45 * dy, y - dy - 0.45 * dx);
  cairo_close_path (cr);
  if (item->painter->panel->heat_map != NULL)
    {
      ns_draw_set_color (cr, &item->painter->theme->background, 1.0);
      cairo_set_line_width (cr, 2.0 * RIM_PX * item->painter->theme->line_scale);
      cairo_stroke_preserve (cr);
    }
  ns_draw_set_color (cr, &item->color, 1.0);
  cairo_fill (cr);
}

static void
draw_ratio (const Item *item)
{
  const NsAnnotationPlace *place = item->place;
  cairo_t *cr = item->painter->cr;

  cairo_move_to (cr, place->x_px, place->y_px);
  cairo_line_to (cr, place->bracket_px, place->y_px);
  cairo_line_to (cr, place->bracket_px, place->other_y_px);
  cairo_line_to (cr, place->other_x_px, place->other_y_px);
  cairo_set_line_width (cr, 1.2 * item->painter->theme->line_scale);
  ns_draw_set_color (cr, &item->color, 0.8);
  cairo_stroke (cr);
  draw_head (item, place->bracket_px, place->other_y_px, place->bracket_px, place->y_px);
  draw_ring (item, place->x_px, place->y_px);
  draw_ring (item, place->other_x_px, place->other_y_px);
}

/* Find the point of the label's edge that is nearest to its anchor. */
static void
find_edge (const NsLabel *label, double *x, double *y)
{
  *x = CLAMP (label->anchor_x_px, label->rect.x - LABEL_AIR_PX, label->rect.x + label->rect.width + LABEL_AIR_PX);
  *y = CLAMP (label->anchor_y_px, label->rect.y, label->rect.y + label->rect.height);
}

/* Join a label to its anchor, unless they are close together. */
static void
draw_leader_to_anchor (const Item *item)
{
  cairo_t *cr = item->painter->cr;
  double x, y;

  if (item->label == NULL)
    return;
  find_edge (item->label, &x, &y);
  if (hypot (x - item->label->anchor_x_px, y - item->label->anchor_y_px) < 16.0)
    return;
  cairo_move_to (cr, item->label->anchor_x_px, item->label->anchor_y_px);
  cairo_line_to (cr, x, y);
  stroke (item, 1.0, 0.6);
}

static void
draw_annotation_arrow (const Item *item)
{
  const NsRect *plot = &item->painter->place->plot;
  cairo_t *cr = item->painter->cr;
  double scale = item->painter->theme->line_scale;
  double x = item->place->x_px, y = item->place->y_px;
  gboolean below = y - TAIL_PX * scale < plot->y;
  double from_x = x + 0.6 * TAIL_PX * scale, from_y = y + (below ? 1.0 : -1.0) * TAIL_PX * scale;
  double length, gap = 4.0 * scale;

  if (from_x > plot->x + plot->width)
    from_x = x - 0.6 * TAIL_PX * scale;
  if (item->label != NULL)
    find_edge (item->label, &from_x, &from_y);
  length = hypot (x - from_x, y - from_y);
  if (length < 2.0 * gap)
    return;
  x += (from_x - x) / length * gap;
  y += (from_y - y) / length * gap;
  cairo_move_to (cr, from_x, from_y);
  cairo_line_to (cr, x + (from_x - x) / length * gap, y + (from_y - y) / length * gap);
  stroke (item, 2.0 * scale, 1.0);
  draw_head (item, x, y, from_x, from_y);
}

static void
draw_item (const Item *item)
{
  switch (item->annotation->kind)
    {
    case NS_ANNOTATION_RATIO:
      draw_ratio (item);
      draw_leader_to_anchor (item);
      break;
    case NS_ANNOTATION_ARROW:
      draw_annotation_arrow (item);
      break;
    case NS_ANNOTATION_POINT:
    case NS_ANNOTATION_NOTE:
      draw_leader_to_anchor (item);
      draw_ring (item, item->place->x_px, item->place->y_px);
      break;
    case NS_ANNOTATION_CROSS:
      draw_leader_to_anchor (item);
      draw_cross (item);
      break;
    case NS_ANNOTATION_LINE:
    default:
      break;
    }
}

static Item
get_item (const NsPainter *painter, const NsAnnotationPlace *place)
{
  const NsLayout *layout = painter->layout;
  Item item = { painter, g_ptr_array_index (painter->panel->annotations, place->index), place,
                place->label >= 0 ? g_ptr_array_index (layout->labels, place->label) : NULL,
                painter->theme->foreground };

  if (item.annotation->series >= 0)
    {
      const NsSeries *series = g_ptr_array_index (painter->panel->series, item.annotation->series);

      item.color = ns_theme_get_series_style (painter->theme, series).text;
    }
  return item;
}

void
ns_draw_annotations (const NsPainter *painter, gboolean lines)
{
  const GArray *places = painter->layout->annotations;

  cairo_new_path (painter->cr);
  for (guint i = 0; i < places->len; i++)
    {
      const NsAnnotationPlace *place = &g_array_index (places, NsAnnotationPlace, i);
      Item item;

      if (place->panel != (int) painter->index)
        continue;
      item = get_item (painter, place);
      if ((item.annotation->kind == NS_ANNOTATION_LINE) != lines)
        continue;
      if (lines)
        draw_line (&item);
      else
        draw_item (&item);
    }
}

void
ns_draw_label_background (cairo_t *cr, const NsTheme *theme, const NsRect *rect)
{
  cairo_rectangle (cr, rect->x - LABEL_AIR_PX, rect->y, rect->width + 2.0 * LABEL_AIR_PX, rect->height);
  ns_draw_set_color (cr, &theme->background, 0.85);
  cairo_fill (cr);
}
