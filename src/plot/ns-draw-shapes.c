/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>

#include "plot/ns-draw-private.h"

/* Outside every picture, and within the 24 bits that Cairo has for whole pixels. */
#define FAR_PX 1e6
#define DENSE_POINTS 256

/* Of images on surfaces without dots, such as files; and the most on any. */
#define DOTS_PER_PX 2.0
#define MAX_DOTS 8192.0

double
ns_draw_snap (double px)
{
  return floor (px) + 0.5;
}

void
ns_draw_set_color (cairo_t *cr, const NsColor *color, double alpha)
{
  cairo_set_source_rgba (cr, color->red, color->green, color->blue, alpha);
}

double
ns_draw_map_y (const NsAxisMap *scale, double value)
{
  return CLAMP (ns_scale_map (scale, value), -FAR_PX, FAR_PX);
}

guint32
ns_draw_pack_color (const NsColor *color)
{
  return 0xff000000u | (guint32) lrint (255.0 * color->red) << 16 | (guint32) lrint (255.0 * color->green) << 8
         | (guint32) lrint (255.0 * color->blue);
}

static gboolean
has_dots (cairo_t *cr)
{
  return cairo_surface_get_type (cairo_get_group_target (cr)) == CAIRO_SURFACE_TYPE_IMAGE;
}

void
ns_draw_get_dots (cairo_t *cr, double width, double height, int *across, int *down)
{
  double scale_x = DOTS_PER_PX, scale_y = DOTS_PER_PX;

  if (has_dots (cr))
    {
      cairo_matrix_t matrix;

      cairo_surface_get_device_scale (cairo_get_group_target (cr), &scale_x, &scale_y);
      cairo_get_matrix (cr, &matrix);
      scale_x *= hypot (matrix.xx, matrix.yx);
      scale_y *= hypot (matrix.xy, matrix.yy);
    }
  *across = (int) CLAMP (round (scale_x * width), 1.0, MAX_DOTS);
  *down = (int) CLAMP (round (scale_y * height), 1.0, MAX_DOTS);
}

void
ns_draw_image (cairo_t *cr, cairo_surface_t *image, const NsRect *rect)
{
  int across, down, width = cairo_image_surface_get_width (image), height = cairo_image_surface_get_height (image);
  gboolean is_replayed = cairo_surface_get_type (cairo_get_group_target (cr)) == CAIRO_SURFACE_TYPE_RECORDING;
  gboolean becomes_dots = is_replayed || has_dots (cr);

  ns_draw_get_dots (cr, rect->width, rect->height, &across, &down);
  cairo_save (cr);
  if (becomes_dots)
    {
      cairo_rectangle (cr, rect->x, rect->y, rect->width, rect->height);
      cairo_clip (cr);
    }
  cairo_translate (cr, rect->x, rect->y);
  cairo_scale (cr, rect->width / MAX (1, width), rect->height / MAX (1, height));
  cairo_set_source_surface (cr, image, 0.0, 0.0);
  /* A recording is replayed with the dots of the screen, perhaps fewer than those of the image. */
  cairo_pattern_set_filter (cairo_get_source (cr), is_replayed && (DOTS_PER_PX * width > across
                                                                   || DOTS_PER_PX * height > down)
                                                       ? CAIRO_FILTER_GOOD
                                                       : CAIRO_FILTER_NEAREST);
  /* Cairo's fixed-point scales are too coarse for large cells: the last row of dots could lie outside the image. */
  if (becomes_dots)
    cairo_pattern_set_extend (cairo_get_source (cr), CAIRO_EXTEND_PAD);
  /* Not a filled rectangle: in SVG that would be a pattern, which viewers smooth at its edges. */
  cairo_paint (cr);
  cairo_restore (cr);
}

gboolean
ns_draw_is_dense (const NsSeries *series)
{
  return series->n > DENSE_POINTS;
}

double
ns_draw_get_alpha (const NsSeries *series)
{
  return series->provisional ? 0.5 : 1.0;
}

double
ns_draw_get_line_width (const NsSeries *series)
{
  return series->role == NS_ROLE_DATA ? 2.0 : series->role == NS_ROLE_REFERENCE ? 1.5 : 1.0;
}

static void
add_diamond (cairo_t *cr, double x, double y, double radius)
{
  cairo_move_to (cr, x, y - radius);
  cairo_line_to (cr, x + radius, y);
  cairo_line_to (cr, x, y + radius);
  cairo_line_to (cr, x - radius, y);
  cairo_close_path (cr);
}

static void
add_strokes (cairo_t *cr, double x, double y, double radius, int n, double turn)
{
  for (int i = 0; i < n; i++)
    {
      double angle = turn + i * G_PI / n;

      cairo_move_to (cr, x - radius * cos (angle), y - radius * sin (angle));
      cairo_line_to (cr, x + radius * cos (angle), y + radius * sin (angle));
    }
}

void
ns_draw_add_marker (cairo_t *cr, NsMarker marker, double x, double y, double radius)
{
  switch (marker)
    {
    case NS_MARKER_CIRCLE:
    case NS_MARKER_RING:
      cairo_new_sub_path (cr);
      cairo_arc (cr, x, y, radius, 0.0, 2.0 * G_PI);
      cairo_close_path (cr);
      break;
    case NS_MARKER_SQUARE:
    case NS_MARKER_BOX:
      cairo_rectangle (cr, x - 0.9 * radius, y - 0.9 * radius, 1.8 * radius, 1.8 * radius);
      break;
    case NS_MARKER_DIAMOND:
      add_diamond (cr, x, y, 1.3 * radius);
      break;
    case NS_MARKER_CROSS:
      add_strokes (cr, x, y, 1.25 * radius, 2, 0.25 * G_PI);
      break;
    case NS_MARKER_STAR:
      add_strokes (cr, x, y, 1.3 * radius, 3, 0.5 * G_PI);
      break;
    case NS_MARKER_PLUS:
    default:
      add_strokes (cr, x, y, 1.3 * radius, 2, 0.0);
      break;
    }
}

void
ns_draw_paint_markers (cairo_t *cr, NsMarker marker, double radius, const NsStyle *style, const NsColor *background,
                       double alpha, gboolean has_rim)
{
  gboolean is_open = marker == NS_MARKER_RING || marker == NS_MARKER_BOX;
  gboolean is_filled = marker == NS_MARKER_CIRCLE || marker == NS_MARKER_SQUARE || marker == NS_MARKER_DIAMOND;

  ns_draw_set_color (cr, background, 1.0);
  if (is_open)
    cairo_fill_preserve (cr);
  if (has_rim)
    {
      cairo_set_line_width (cr, (is_filled ? 0.7 : 1.2) * radius);
      cairo_stroke_preserve (cr);
    }
  ns_draw_set_color (cr, &style->line, alpha);
  cairo_set_line_width (cr, 0.5 * radius);
  if (is_filled)
    cairo_fill (cr);
  else
    cairo_stroke (cr);
}

void
ns_draw_mark (cairo_t *cr, NsMark mark, double x, double y, double radius, const NsTheme *theme)
{
  NsColor color = ns_theme_get_mark_color (theme, mark);
  double side = mark == NS_MARK_UNDERFLOW ? 1.0 : -1.0;

  cairo_save (cr);
  cairo_set_line_join (cr, CAIRO_LINE_JOIN_MITER);
  cairo_set_dash (cr, NULL, 0, 0.0);
  cairo_new_path (cr);
  if (mark == NS_MARK_NAN)
    {
      add_diamond (cr, x, y, 1.1 * radius);
      ns_draw_set_color (cr, &theme->background, 1.0);
      cairo_fill_preserve (cr);
      ns_draw_set_color (cr, &color, 1.0);
      cairo_set_line_width (cr, radius / 3.0);
      cairo_stroke (cr);
    }
  else if (mark == NS_MARK_CROSS || mark == NS_MARK_FLAT)
    {
      double rise = mark == NS_MARK_CROSS ? 0.8 * radius : 0.0;

      cairo_move_to (cr, x - 0.8 * radius, y - rise);
      cairo_line_to (cr, x + 0.8 * radius, y + rise);
      cairo_move_to (cr, x - 0.8 * radius, y + rise);
      cairo_line_to (cr, x + 0.8 * radius, y - rise);
      ns_draw_set_color (cr, &color, 1.0);
      cairo_set_line_width (cr, 0.4 * radius);
      cairo_stroke (cr);
    }
  else
    {
      cairo_move_to (cr, x, y + side * radius);
      cairo_line_to (cr, x - radius, y - 0.8 * side * radius);
      cairo_line_to (cr, x + radius, y - 0.8 * side * radius);
      cairo_close_path (cr);
      /* A rim separates neighbouring marks. */
      ns_draw_set_color (cr, &theme->background, 1.0);
      cairo_set_line_width (cr, radius / 3.0);
      cairo_stroke_preserve (cr);
      ns_draw_set_color (cr, &color, 1.0);
      cairo_fill (cr);
    }
  cairo_restore (cr);
}
