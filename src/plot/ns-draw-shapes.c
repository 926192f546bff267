/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>

#include "plot/ns-draw-private.h"

/* Outside every picture, and within the 24 bits that Cairo has for whole pixels. */
#define FAR_PX 1e6
#define DENSE_POINTS 256

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
