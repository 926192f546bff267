/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>

#include "plot/ns-color-map.h"
#include "plot/ns-draw-private.h"
#include "plot/ns-heat-map.h"
#include "plot/ns-ticks.h"

#define MIN_MARK_RADIUS_PX 3.5
/* The least distance between the signs of cells that are no numbers. */
#define MARK_DISTANCE_PX 16.0

#define SHADES 256

/* The cells of a map as dots of an image, each one cell or, where cells are smaller than dots, the mean of several. */
typedef struct
{
  const NsPainter *painter;
  const NsHeatMap *map;
  gint64 columns, rows;  /* of cells, with the gaps between parts */
  double first_x, first_y;
  int width, height;     /* of dots */
} Raster;

static gint64
count_cells (const NsAxisMap *axis, double cell)
{
  return MAX (1, (gint64) round ((axis->max - axis->min) / cell));
}

static gboolean
is_file (cairo_t *cr)
{
  cairo_surface_type_t type = cairo_surface_get_type (cairo_get_group_target (cr));

  return type == CAIRO_SURFACE_TYPE_SVG || type == CAIRO_SURFACE_TYPE_PDF;
}

static Raster
make_raster (const NsPainter *painter)
{
  const NsPanelLayout *place = painter->place;
  const NsLayout *layout = painter->layout;
  Raster raster = { .painter = painter, .map = painter->panel->heat_map };

  raster.columns = count_cells (&place->x, layout->cell_x);
  raster.rows = count_cells (&place->y, layout->cell_y);
  raster.first_x = place->x.min + 0.5 * layout->cell_x;
  raster.first_y = place->y.min + 0.5 * layout->cell_y;
  ns_draw_get_dots (painter->cr, place->plot.width, place->plot.height, &raster.width, &raster.height);
  /* Where cells are smaller than a px, a file has one dot for a px: the noise of single cells makes it large. */
  if (is_file (painter->cr) && (raster.columns > place->plot.width || raster.rows > place->plot.height))
    {
      raster.width = (int) ceil (place->plot.width);
      raster.height = (int) ceil (place->plot.height);
    }
  raster.width = (int) MIN (raster.columns, raster.width);
  raster.height = (int) MIN (raster.rows, raster.height);
  return raster;
}

static int
get_dot (double center, double first, double cell, gint64 cells, int dots)
{
  gint64 index = CLAMP ((gint64) round ((center - first) / cell), 0, cells - 1);

  return (int) (index * dots / cells);
}

static int
get_dot_x (const Raster *raster, gint64 column)
{
  return get_dot (raster->map->x[column], raster->first_x, raster->painter->layout->cell_x, raster->columns,
                  raster->width);
}

/* Rows of dots go down, those of cells up. */
static int
get_dot_y (const Raster *raster, gint64 row)
{
  return raster->height - 1
         - get_dot (raster->map->y[row], raster->first_y, raster->painter->layout->cell_y, raster->rows,
                    raster->height);
}

static void
make_shades (const NsFigure *figure, double min, double max, guint32 shades[SHADES])
{
  for (int i = 0; i < SHADES; i++)
    {
      NsColor color = ns_color_scale_get_color (figure->colors, min, max, min + (max - min) * i / (SHADES - 1));

      shades[i] = ns_draw_pack_color (&color);
    }
}

static cairo_surface_t *
make_image (const Raster *raster)
{
  const NsFigure *figure = raster->painter->figure;
  const NsHeatMap *map = raster->map;
  gsize n = (gsize) raster->width * (gsize) raster->height;
  g_autofree double *sum = g_new0 (double, n);
  g_autofree int *count = g_new0 (int, n); /* −1: a cell of this dot is no number */
  g_autofree int *dot_x = g_new (int, MAX (1, map->n_columns));
  NsColor void_color = ns_theme_get_void_color (raster->painter->theme);
  guint32 shades[SHADES], empty = ns_draw_pack_color (&void_color);
  cairo_surface_t *image;
  double min = raster->painter->layout->bar.map.min, max = raster->painter->layout->bar.map.max;

  make_shades (figure, min, max, shades);
  for (gint64 column = 0; column < map->n_columns; column++)
    dot_x[column] = get_dot_x (raster, column);
  for (gint64 row = 0; row < map->n_rows; row++)
    {
      gsize line = (gsize) get_dot_y (raster, row) * (gsize) raster->width;
      const double *value = map->value + row * map->n_columns;
      const guint8 *mark = map->mark + row * map->n_columns;

      for (gint64 column = 0; column < map->n_columns; column++)
        {
          gsize dot = line + (gsize) dot_x[column];

          if (mark[column] == NS_MARK_ABSENT || count[dot] < 0)
            continue;
          if (mark[column] != NS_MARK_NONE)
            {
              count[dot] = -1;
              continue;
            }
          sum[dot] += value[column];
          count[dot]++;
        }
    }

  image = cairo_image_surface_create (CAIRO_FORMAT_ARGB32, raster->width, raster->height);
  if (cairo_surface_status (image) != CAIRO_STATUS_SUCCESS)
    return image;
  for (int y = 0; y < raster->height; y++)
    {
      guint32 *line = (guint32 *) (cairo_image_surface_get_data (image) + y * cairo_image_surface_get_stride (image));

      for (int x = 0; x < raster->width; x++)
        {
          gsize dot = (gsize) y * (gsize) raster->width + (gsize) x;
          double share = count[dot] > 0 ? (sum[dot] / count[dot] - min) / (max - min) : 0.0;
          int shade = (int) (CLAMP (share, 0.0, 1.0) * (SHADES - 1) + 0.5);

          line[x] = count[dot] == 0 ? 0 : count[dot] < 0 ? empty : shades[shade];
        }
    }
  cairo_surface_mark_dirty (image);
  return image;
}

/* The cell of a square of cells that gets the sign of one kind of mark: the one nearest to its centre. */
typedef struct
{
  gint64 row, column;
  double distance; /* 0: none yet */
} Sign;

/* Draw the signs of one kind of mark, few of them where there are many small cells. */
static void
draw_signs (const Raster *raster, NsMark kind, double distance, double radius)
{
  const NsPainter *painter = raster->painter;
  const NsPanelLayout *place = painter->place;
  const NsHeatMap *map = raster->map;
  int across = (int) ceil (place->plot.width / distance) + 1, down = (int) ceil (place->plot.height / distance) + 1;
  g_autofree Sign *signs = g_new0 (Sign, (gsize) across * (gsize) down);

  for (gint64 row = 0; row < map->n_rows; row++)
    for (gint64 column = 0; column < map->n_columns; column++)
      {
        double x, y, from_center;
        Sign *sign;

        if (ns_heat_map_get_mark (map, row, column) != kind)
          continue;
        x = (ns_scale_map (&place->x, map->x[column]) - place->plot.x) / distance;
        y = (ns_scale_map (&place->y, map->y[row]) - place->plot.y) / distance;
        sign = &signs[CLAMP ((int) y, 0, down - 1) * across + CLAMP ((int) x, 0, across - 1)];
        from_center = hypot (x - floor (x) - 0.5, y - floor (y) - 0.5) + 1e-6;
        if (sign->distance == 0.0 || from_center < sign->distance)
          *sign = (Sign){ row, column, from_center };
      }
  for (int i = 0; i < across * down; i++)
    if (signs[i].distance > 0.0)
      ns_draw_mark (painter->cr, kind, ns_scale_map (&place->x, map->x[signs[i].column]),
                    ns_scale_map (&place->y, map->y[signs[i].row]), radius, painter->theme);
}

static void
draw_cell_marks (const Raster *raster)
{
  const NsPanelLayout *place = raster->painter->place;
  const NsHeatMap *map = raster->map;
  double scale = raster->painter->theme->line_scale;
  double cell = fmin (place->plot.width / (double) raster->columns, place->plot.height / (double) raster->rows);
  double radius = CLAMP (0.32 * cell, MIN_MARK_RADIUS_PX * scale, NS_MARK_RADIUS_PX * scale);
  double distance = fmax (cell, MARK_DISTANCE_PX * scale);

  for (NsMark kind = NS_MARK_NAN; kind < NS_MARK_ABSENT; kind++)
    if ((map->marks & 1u << kind) != 0)
      draw_signs (raster, kind, distance, radius);
}

/* Return an image with each dot repeated, in place of `image`, which is taken. Some viewers of SVG smooth images,
 * whatever a file says; the edges of large dots would be lost. */
static cairo_surface_t *
enlarge (cairo_surface_t *image, int factor_x, int factor_y)
{
  int width = cairo_image_surface_get_width (image), height = cairo_image_surface_get_height (image);
  cairo_surface_t *large
      = cairo_image_surface_create (CAIRO_FORMAT_ARGB32, width * factor_x, height * factor_y);

  if (cairo_surface_status (image) == CAIRO_STATUS_SUCCESS && cairo_surface_status (large) == CAIRO_STATUS_SUCCESS)
    {
      for (int y = 0; y < height * factor_y; y++)
        {
          const guint32 *from = (const guint32 *) (cairo_image_surface_get_data (image)
                                                   + y / factor_y * cairo_image_surface_get_stride (image));
          guint32 *to
              = (guint32 *) (cairo_image_surface_get_data (large) + y * cairo_image_surface_get_stride (large));

          for (int x = 0; x < width * factor_x; x++)
            to[x] = from[x / factor_x];
        }
      cairo_surface_mark_dirty (large);
    }
  cairo_surface_destroy (image);
  return large;
}

void
ns_draw_heat_map (const NsPainter *painter)
{
  const NsHeatMap *map = painter->panel->heat_map;
  cairo_surface_t *image;
  Raster raster;

  if (map == NULL || map->n_rows == 0 || map->n_columns == 0)
    return;
  raster = make_raster (painter);
  image = make_image (&raster);
  if (cairo_surface_get_type (cairo_get_group_target (painter->cr)) == CAIRO_SURFACE_TYPE_SVG)
    {
      int across, down;

      ns_draw_get_dots (painter->cr, painter->place->plot.width, painter->place->plot.height, &across, &down);
      image = enlarge (image, MAX (1, across / raster.width), MAX (1, down / raster.height));
    }
  ns_draw_image (painter->cr, image, &painter->place->plot);
  cairo_surface_destroy (image);
  draw_cell_marks (&raster);
}

void
ns_draw_color_bar (const NsFigure *figure, const NsLayout *layout, cairo_t *cr, const NsTheme *theme)
{
  const NsColorBar *bar = &layout->bar;
  guint32 shades[SHADES];
  cairo_surface_t *image;

  if (bar->rect.width <= 0.0)
    return;
  image = cairo_image_surface_create (CAIRO_FORMAT_ARGB32, 1, SHADES);
  if (cairo_surface_status (image) == CAIRO_STATUS_SUCCESS)
    {
      make_shades (figure, bar->map.min, bar->map.max, shades);
      for (int y = 0; y < SHADES; y++)
        *(guint32 *) (cairo_image_surface_get_data (image) + y * cairo_image_surface_get_stride (image))
            = shades[SHADES - 1 - y];
      cairo_surface_mark_dirty (image);
    }
  ns_draw_image (cr, image, &bar->rect);
  cairo_surface_destroy (image);

  for (guint i = 0; bar->ticks != NULL && i < bar->ticks->len; i++)
    {
      const NsTick *tick = g_ptr_array_index (bar->ticks, i);
      double end = bar->rect.x + bar->rect.width, y = floor (tick->px) + 0.5;

      cairo_move_to (cr, end, y);
      cairo_line_to (cr, end + (tick->major ? NS_MAJOR_TICK_PX : NS_MINOR_TICK_PX), y);
    }
  cairo_set_line_width (cr, 1.0);
  ns_draw_set_color (cr, &theme->foreground, theme->axis_opacity);
  cairo_stroke (cr);
}
