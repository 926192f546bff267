/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>

#include "plot/ns-color-map.h"
#include "plot/ns-draw-private.h"
#include "plot/ns-heat-map.h"
#include "plot/ns-stack.h"

/* Up to this many parts of bars are drawn as rectangles, more as one image. */
#define MAX_RECTANGLES 2500

/* Parts from this height on are set apart by a line in the background's colour. */
#define GAP_MIN_PX 6.0
#define GAP_PX 1.0

typedef struct
{
  const NsPainter *painter;
  NsStack *stack;
  const NsAxisMap *y;
  double width;       /* of a bar, px */
  double *low, *high; /* [stack->n] what of each bar is drawn already, axis units */
} Bars;

/* Move the edge of the bar at the series' point i. Return its index in the stack, −1 for a point without a part. */
static gssize
advance (const Bars *bars, const NsSeries *series, gsize i, gsize *at, double *from, double *to)
{
  double *edge;

  while (bars->stack->x[*at] < series->x[i])
    (*at)++;
  if (ns_series_get_mark (series, i) != NS_MARK_NONE || !isfinite (series->x[i]) || series->y[i] == 0.0)
    return -1;
  edge = series->y[i] < 0.0 ? &bars->low[*at] : &bars->high[*at];
  *from = ns_draw_map_y (bars->y, *edge);
  *edge += series->y[i];
  *to = ns_draw_map_y (bars->y, *edge);
  return (gssize) *at;
}

static void
draw_rectangles (const Bars *bars, const NsSeries *series)
{
  const NsPainter *painter = bars->painter;
  NsColor color = ns_theme_get_hue (painter->theme, series->style, series->lightness);
  gsize at = 0;

  for (gsize i = 0; i < series->n; i++)
    {
      double from, to, top, height;

      if (advance (bars, series, i, &at, &from, &to) < 0)
        continue;
      top = fmin (from, to);
      height = fabs (to - from);
      if (height >= GAP_MIN_PX)
        {
          /* At the end away from 0. */
          top += to < from ? GAP_PX : 0.0;
          height -= GAP_PX;
        }
      cairo_rectangle (painter->cr, ns_scale_map (&painter->place->x, series->x[i]) - 0.5 * bars->width, top,
                       bars->width, height);
    }
  ns_draw_set_color (painter->cr, &color, ns_draw_get_alpha (series));
  cairo_fill (painter->cr);
}

/* ---- as an image ---- */

typedef struct
{
  float red, green, blue, cover;
} Dot;

typedef struct
{
  const Bars *bars;
  int width, height;
  int *owner; /* [width] the bar that a column of dots shows, −1: none */
  int *lane;  /* [stack->n] the place of the bar in `dots`, −1: no column shows it */
  Dot *dots;  /* [lanes × height] */
} Canvas;

static int
assign_columns (Canvas *canvas)
{
  const Bars *bars = canvas->bars;
  const NsPainter *painter = bars->painter;
  const NsRect *plot = &painter->place->plot;
  double reach = 0.5 * bars->width / ns_scale_get_length (&painter->place->x)
                 * (painter->place->x.max - painter->place->x.min);
  int n = 0;

  for (gsize k = 0; k < bars->stack->n; k++)
    canvas->lane[k] = -1;
  for (int column = 0; column < canvas->width; column++)
    {
      double x = ns_scale_unmap (&painter->place->x, plot->x + (column + 0.5) * plot->width / canvas->width);
      gint64 k = ns_heat_map_find (bars->stack->x, (gint64) bars->stack->n, 2.0 * reach, x);

      canvas->owner[column] = (int) k;
      if (k >= 0 && canvas->lane[k] < 0)
        canvas->lane[k] = n++;
    }
  return n;
}

static void
fill_dots (Canvas *canvas, const NsSeries *series)
{
  const Bars *bars = canvas->bars;
  const NsRect *plot = &bars->painter->place->plot;
  NsColor color = ns_theme_get_hue (bars->painter->theme, series->style, series->lightness);
  float alpha = (float) ns_draw_get_alpha (series);
  gsize at = 0;

  for (gsize i = 0; i < series->n; i++)
    {
      double from, to, top, bottom;
      gssize k = advance (bars, series, i, &at, &from, &to);
      Dot *lane;

      if (k < 0 || canvas->lane[k] < 0)
        continue;
      lane = canvas->dots + (gsize) canvas->lane[k] * (gsize) canvas->height;
      top = CLAMP ((fmin (from, to) - plot->y) / plot->height, 0.0, 1.0) * canvas->height;
      bottom = CLAMP ((fmax (from, to) - plot->y) / plot->height, 0.0, 1.0) * canvas->height;
      for (int y = (int) top; y < canvas->height && y < bottom; y++)
        {
          float cover = alpha * (float) (fmin (bottom, y + 1.0) - fmax (top, y));

          lane[y].red += cover * (float) color.red;
          lane[y].green += cover * (float) color.green;
          lane[y].blue += cover * (float) color.blue;
          lane[y].cover += cover;
        }
    }
}

static guint32
pack_dot (const Dot *dot)
{
  float scale = 255.0f / fmaxf (1.0f, dot->cover);

  return (guint32) lrintf (scale * dot->cover) << 24 | (guint32) lrintf (scale * dot->red) << 16
         | (guint32) lrintf (scale * dot->green) << 8 | (guint32) lrintf (scale * dot->blue);
}

static void
draw_as_image (const Bars *bars)
{
  const NsPainter *painter = bars->painter;
  const NsRect *plot = &painter->place->plot;
  Canvas canvas = { .bars = bars };
  cairo_surface_t *image;

  ns_draw_get_dots (painter->cr, plot->width, plot->height, &canvas.width, &canvas.height);
  /* Bars side by side need no more than a column each. */
  if (bars->width > painter->place->bar_px)
    canvas.width = MIN (canvas.width, (int) fmax (1.0, round (plot->width / bars->width)));
  canvas.owner = g_new (int, canvas.width);
  canvas.lane = g_new (int, bars->stack->n);
  canvas.dots = g_new0 (Dot, (gsize) MAX (1, assign_columns (&canvas)) * (gsize) canvas.height);
  for (guint s = 0; s < painter->panel->series->len; s++)
    {
      const NsSeries *series = g_ptr_array_index (painter->panel->series, s);

      if (series->kind == NS_SERIES_STACK)
        fill_dots (&canvas, series);
    }
  image = cairo_image_surface_create (CAIRO_FORMAT_ARGB32, canvas.width, canvas.height);
  for (int y = 0; cairo_surface_status (image) == CAIRO_STATUS_SUCCESS && y < canvas.height; y++)
    {
      guint32 *line = (guint32 *) (cairo_image_surface_get_data (image) + y * cairo_image_surface_get_stride (image));

      for (int x = 0; x < canvas.width; x++)
        {
          int bar = canvas.owner[x];

          line[x] = bar < 0 ? 0 : pack_dot (&canvas.dots[(gsize) canvas.lane[bar] * (gsize) canvas.height + (gsize) y]);
        }
    }
  if (cairo_surface_status (image) == CAIRO_STATUS_SUCCESS)
    cairo_surface_mark_dirty (image);
  ns_draw_image (painter->cr, image, plot);
  cairo_surface_destroy (image);
  g_free (canvas.owner);
  g_free (canvas.lane);
  g_free (canvas.dots);
}

void
ns_draw_stack (const NsPainter *painter)
{
  g_autoptr (NsStack) stack = NULL;
  g_autofree double *low = NULL, *high = NULL;
  Bars bars = { .painter = painter };
  gsize n_parts = 0;

  if (!ns_panel_has_stack (painter->panel))
    return;
  stack = ns_stack_new (painter->panel);
  if (stack->n == 0)
    return;
  low = g_new0 (double, stack->n);
  high = g_new0 (double, stack->n);
  bars = (Bars){ painter, stack, &painter->place->y, painter->place->bar_px, low, high };
  /* Bars too narrow for gaps between them lie side by side. */
  if (bars.width < NS_BAR_MIN_PX)
    bars.width = ns_layout_get_slot_px (painter->layout);
  for (guint s = 0; s < painter->panel->series->len; s++)
    n_parts += ((const NsSeries *) g_ptr_array_index (painter->panel->series, s))->n;
  if (n_parts > MAX_RECTANGLES)
    {
      draw_as_image (&bars);
      return;
    }
  for (guint s = 0; s < painter->panel->series->len; s++)
    {
      const NsSeries *series = g_ptr_array_index (painter->panel->series, s);

      if (series->kind == NS_SERIES_STACK)
        draw_rectangles (&bars, series);
    }
}
