/* Heat maps: their layout, cells, colours, files and numbers.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "layout-checks.h"
#include "plot/ns-color-map.h"
#include "plot/ns-draw.h"
#include "plot/ns-export.h"
#include "plot/ns-figure-text.h"
#include "plot/ns-figure-veil.h"
#include "plot/ns-hit.h"
#include "sample-figures.h"
#include "tests.h"

#define WIDTH 1280
#define HEIGHT 720

static const double sizes[][2] = { { 640, 360 }, { 900, 560 }, { 1280, 720 }, { 1920, 1080 }, { 320, 900 } };
static const double text_scales[] = { 1.0, 1.5, 2.0 };

/* The rows are as full as their number allows: six maps stand three by three, never four and two. */
static void
assert_full_rows (const NsLayout *layout, const char *what)
{
  guint n = layout->panels->len, rows = 0, columns = 0;

  for (guint p = 0; p < n; p++)
    {
      const NsRect *plot = &ns_layout_get_panel (layout, p)->plot, *first = &ns_layout_get_panel (layout, 0)->plot;

      rows += plot->x == first->x;
      columns += plot->y == first->y;
    }
  if (columns != (n + rows - 1) / rows)
    g_error ("%s: %u maps stand in %u rows of %u", what, n, rows, columns);
}

static void
assert_maps (const NsLayout *layout, int n_cells, const char *what)
{
  const NsRect *first = &ns_layout_get_panel (layout, 0)->plot;

  for (guint p = 0; p < layout->panels->len; p++)
    {
      const NsRect *plot = &ns_layout_get_panel (layout, p)->plot;

      g_assert_cmpfloat (plot->width, ==, first->width);
      g_assert_cmpfloat (plot->height, ==, first->height);
      if (fabs (plot->width - plot->height) > 0.01 || plot->width < 20.0
          || (plot->width >= 5.0 * n_cells && fmod (plot->width, n_cells) != 0.0))
        g_error ("%s: map %u has %g × %g px", what, p, plot->width, plot->height);
      if (plot->x < 0 || plot->y < 0 || plot->x + plot->width > layout->width
          || plot->y + plot->height > layout->height)
        g_error ("%s: map %u leaves the picture", what, p);
      for (guint q = 0; q < p; q++)
        if (rects_overlap (plot, &ns_layout_get_panel (layout, q)->plot))
          g_error ("%s: map %u lies over map %u", what, p, q);
      if (rects_overlap (plot, &layout->bar.rect))
        g_error ("%s: the bar lies over map %u", what, p);
    }
  g_assert_cmpuint (count_role (layout, NS_LABEL_PANEL_NAME), ==, layout->panels->len);
  if (layout->width < 900 || layout->height < 560)
    return;
  g_assert_cmpfloat (layout->bar.rect.width, >, 10.0);
  g_assert_cmpuint (count_role (layout, NS_LABEL_BAR_TICK), >=, 2);
  if (count_role (layout, NS_LABEL_X_TITLE) == 0 || count_role (layout, NS_LABEL_ROW_TITLE) == 0)
    g_error ("%s: the axes have no titles", what);
}

static void
check_layouts (int depth, int n_variants, SampleFlags flags)
{
  g_autoptr (NsFigure) figure = sample_maps_new (depth, n_variants, flags);
  int n_cells = (flags & SAMPLE_PARTS) ? sample_get_stride (depth) + 1 + depth + 1 : depth + 1;

  for (guint s = 0; s < G_N_ELEMENTS (sizes); s++)
    for (guint t = 0; t < G_N_ELEMENTS (text_scales); t += depth == 24 ? 1 : 2)
      {
        g_autofree char *what = g_strdup_printf ("flags %d, depth %d, %g x %g, type x%g, %d variants", flags, depth,
                                                 sizes[s][0], sizes[s][1], text_scales[t], n_variants);
        g_autoptr (NsLayout) layout = NULL;
        NsTheme theme;

        ns_theme_init (&theme, NS_THEME_LIGHT);
        theme.text_scale = text_scales[t];
        layout = ns_layout_new (figure, &theme, sizes[s][0], sizes[s][1]);
        assert_labels (layout, what);
        assert_maps (layout, n_cells, what);
      }
}

static void
test_everything_fits (void)
{
  static const int depths[] = { 1, 2, 3, 24, 128 };
  static const int flags[] = { SAMPLE_PLAIN, SAMPLE_DIVERGING | SAMPLE_SUBTITLES, SAMPLE_CAPTION | SAMPLE_LONG_NAMES,
                               SAMPLE_PARTS | SAMPLE_SUBTITLES, SAMPLE_FLAT | SAMPLE_MARKS };

  for (guint d = 0; d < G_N_ELEMENTS (depths); d++)
    for (guint f = 0; f < G_N_ELEMENTS (flags); f++)
      for (int n = 1; n <= 6; n += depths[d] == 24 && flags[f] == SAMPLE_PLAIN ? 1 : 5)
        check_layouts (depths[d], n, flags[f]);
  check_layouts (1000, 2, SAMPLE_PLAIN);
}

static void
test_rows (void)
{
  for (int n = 2; n <= 12; n++)
    for (guint s = 0; s < G_N_ELEMENTS (sizes); s++)
      {
        SampleFlags flags = s % 2 ? SAMPLE_PARTS | SAMPLE_LONG_NAMES : SAMPLE_SUBTITLES;
        g_autoptr (NsFigure) figure = sample_maps_new (24, n, flags);
        g_autoptr (NsLayout) layout = NULL;
        NsTheme theme;

        ns_theme_init (&theme, NS_THEME_LIGHT);
        layout = ns_layout_new (figure, &theme, sizes[s][0], sizes[s][1]);
        assert_full_rows (layout, "sample");
      }
}

static void
test_absurd_sizes (void)
{
  static const double absurd[] = { -5, 1, 17, 60, NAN, 2500 };
  g_autoptr (NsFigure) figure = sample_maps_new (24, 3, SAMPLE_SUBTITLES | SAMPLE_CAPTION);
  g_autoptr (NsFigure) nothing = ns_figure_new ();
  NsTheme theme;

  ns_figure_set_colors (nothing, "empty", NS_AXIS_LOG10, NS_COLORS_SEQUENTIAL, 0);
  ns_theme_init (&theme, NS_THEME_DARK);
  for (guint w = 0; w < G_N_ELEMENTS (absurd); w++)
    for (guint h = 0; h < G_N_ELEMENTS (absurd); h++)
      {
        g_autoptr (NsLayout) layout = ns_layout_new (figure, &theme, absurd[w], absurd[h]);
        g_autoptr (NsLayout) empty = ns_layout_new (nothing, &theme, absurd[w], absurd[h]);

        g_assert_cmpuint (layout->panels->len, ==, 3);
        g_assert_nonnull (empty->x_ticks);
      }
}

/* ---- drawing ---- */

static cairo_surface_t *
draw (const NsFigure *figure, const NsLayout *layout, const NsTheme *theme)
{
  cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_RGB24, WIDTH, HEIGHT);
  cairo_t *cr = cairo_create (surface);

  g_assert_true (ns_figure_draw_with_layout (figure, layout, cr, theme));
  cairo_destroy (cr);
  cairo_surface_flush (surface);
  return surface;
}

static NsColor
get_pixel (cairo_surface_t *surface, double x, double y)
{
  guint32 pixel;

  memcpy (&pixel,
          cairo_image_surface_get_data (surface) + (int) y * cairo_image_surface_get_stride (surface) + 4 * (int) x,
          sizeof pixel);
  return (NsColor){ ((pixel >> 16) & 0xff) / 255.0, ((pixel >> 8) & 0xff) / 255.0, (pixel & 0xff) / 255.0 };
}

static double
get_distance (const NsColor *a, const NsColor *b)
{
  return fmax (fmax (fabs (a->red - b->red), fabs (a->green - b->green)), fabs (a->blue - b->blue));
}

static NsColor
get_wanted (const NsFigure *figure, const NsLayout *layout, const NsTheme *theme, const NsHeatMap *map, gint64 row,
            gint64 column)
{
  NsMark mark = ns_heat_map_get_mark (map, row, column);

  if (mark == NS_MARK_ABSENT)
    return theme->background;
  if (mark != NS_MARK_NONE)
    return ns_theme_get_void_color (theme);
  return ns_color_scale_get_color (figure->colors, layout->bar.map.min, layout->bar.map.max,
                                   map->value[row * map->n_columns + column]);
}

/* Each cell has its colour up to its corners: nothing is blurred, no cell is at the place of another. */
static void
check_cells (int depth, SampleFlags flags, NsThemeKind kind)
{
  g_autoptr (NsFigure) figure = sample_maps_new (depth, 2, flags);
  g_autoptr (NsLayout) layout = NULL;
  cairo_surface_t *picture;
  NsTheme theme;

  ns_theme_init (&theme, kind);
  layout = ns_layout_new (figure, &theme, WIDTH, HEIGHT);
  picture = draw (figure, layout, &theme);
  for (guint p = 0; p < 2; p++)
    {
      const NsHeatMap *map = ((const NsPanel *) g_ptr_array_index (figure->panels, p))->heat_map;
      const NsPanelLayout *place = ns_layout_get_panel (layout, p);
      double half = 0.5 * layout->cell_x / (place->x.max - place->x.min) * place->plot.width;

      for (gint64 row = 0; row < map->n_rows; row++)
        for (gint64 column = 0; column < map->n_columns; column++)
          {
            NsColor wanted = get_wanted (figure, layout, &theme, map, row, column);

            /* The axes lie over the lowest row and the first column, the signs over the middle. */
            for (int corner = row > 0 && column > 0 ? 0 : 4; corner < 4; corner++)
              {
                double x = ns_scale_map (&place->x, map->x[column]) + (corner % 2 ? half - 1.0 : 1.0 - half);
                double y = ns_scale_map (&place->y, map->y[row]) + (corner / 2 ? half - 1.0 : 1.0 - half);
                NsColor pixel = get_pixel (picture, x, y);

                if (get_distance (&pixel, &wanted) > 0.02)
                  g_error ("map %u, row %d, column %d, corner %d: %.2f %.2f %.2f instead of %.2f %.2f %.2f", p,
                           (int) row, (int) column, corner, pixel.red, pixel.green, pixel.blue, wanted.red,
                           wanted.green, wanted.blue);
              }
          }
    }
  cairo_surface_destroy (picture);
}

static void
test_cells (void)
{
  check_cells (1, SAMPLE_PLAIN, NS_THEME_LIGHT);
  check_cells (24, SAMPLE_MARKS, NS_THEME_LIGHT);
  check_cells (24, SAMPLE_DIVERGING | SAMPLE_MARKS, NS_THEME_DARK);
  check_cells (6, SAMPLE_PARTS, NS_THEME_LIGHT);
}

/* The cells reach the edges of a map of any width; Cairo's scales are not exact. */
static void
test_edges (void)
{
  g_autoptr (NsFigure) figure = sample_maps_new (1, 2, SAMPLE_DIVERGING | SAMPLE_FLAT);
  NsTheme theme;

  ns_theme_init (&theme, NS_THEME_LIGHT);
  for (double width = 1200; width <= WIDTH; width++)
    {
      g_autoptr (NsLayout) layout = ns_layout_new (figure, &theme, width, HEIGHT);
      const NsRect *plot = &ns_layout_get_panel (layout, 1)->plot;
      cairo_surface_t *picture = draw (figure, layout, &theme);
      NsColor right = get_pixel (picture, plot->x + plot->width - 1, plot->y + 9);
      NsColor top = get_pixel (picture, plot->x + 9, plot->y), inside = get_pixel (picture, plot->x + 9, plot->y + 9);

      if (get_distance (&right, &inside) > 0.02 || get_distance (&top, &inside) > 0.02)
        g_error ("%g px wide: the map of %g px does not reach its edges", width, plot->width);
      cairo_surface_destroy (picture);
    }
}

/* A sign that is larger than its cell is seen in a map with more cells than pixels. */
static void
test_lone_mark (void)
{
  g_autoptr (NsFigure) figure = sample_maps_new (1000, 1, SAMPLE_DIVERGING);
  NsHeatMap *map = ((NsPanel *) g_ptr_array_index (figure->panels, 0))->heat_map;
  g_autoptr (NsLayout) layout = NULL;
  cairo_surface_t *picture;
  NsColor red, pixel;
  NsTheme theme;
  int n = 0;

  map->value[300 * map->n_columns + 700] = NAN;
  map->mark[300 * map->n_columns + 700] = NS_MARK_NONE;
  ns_heat_map_update (map);
  ns_theme_init (&theme, NS_THEME_LIGHT);
  red = ns_theme_get_mark_color (&theme, NS_MARK_NAN);
  layout = ns_layout_new (figure, &theme, WIDTH, HEIGHT);
  picture = draw (figure, layout, &theme);
  for (int dy = -6; dy <= 6; dy++)
    for (int dx = -6; dx <= 6; dx++)
      {
        pixel = get_pixel (picture, ns_scale_map (&ns_layout_get_panel (layout, 0)->x, 700) + dx,
                           ns_scale_map (&ns_layout_get_panel (layout, 0)->y, 300) + dy);
        n += get_distance (&pixel, &red) < 0.2;
      }
  g_assert_cmpint (n, >=, 4);
  cairo_surface_destroy (picture);
}

/* The crosshair frames the cell and leaves its middle free, in every map. */
static void
test_crosshair (void)
{
  g_autoptr (NsFigure) figure = sample_maps_new (24, 2, SAMPLE_DIVERGING);
  g_autoptr (NsLayout) layout = NULL;
  cairo_surface_t *picture;
  NsTheme theme;
  cairo_t *cr;

  ns_theme_init (&theme, NS_THEME_LIGHT);
  layout = ns_layout_new (figure, &theme, WIDTH, HEIGHT);
  picture = draw (figure, layout, &theme);
  cr = cairo_create (picture);
  ns_figure_draw_cell_with_layout (figure, layout, cr, &theme, 17, 5);
  ns_figure_draw_cell_with_layout (figure, layout, cr, &theme, NAN, NAN);
  g_assert_cmpint (cairo_status (cr), ==, CAIRO_STATUS_SUCCESS);
  cairo_destroy (cr);
  cairo_surface_flush (picture);
  for (guint p = 0; p < 2; p++)
    {
      const NsPanelLayout *place = ns_layout_get_panel (layout, p);
      const NsHeatMap *map = ((const NsPanel *) g_ptr_array_index (figure->panels, p))->heat_map;
      double x = ns_scale_map (&place->x, 17), y = ns_scale_map (&place->y, 5);
      NsColor cell = get_pixel (picture, x, y), wanted = get_wanted (figure, layout, &theme, map, 5, 17);
      NsColor column = get_pixel (picture, x, place->plot.y + 3), row = get_pixel (picture, place->plot.x + 3, y);

      g_assert_cmpfloat (get_distance (&cell, &wanted), <, 0.02);
      g_assert_cmpfloat (get_distance (&column, &theme.foreground), <, 0.3);
      g_assert_cmpfloat (get_distance (&row, &theme.foreground), <, 0.3);
    }
  cairo_surface_destroy (picture);
}

/* Assert that each map has a line at x: the text's colour between two of the background, on every cell. */
static void
assert_line (cairo_surface_t *picture, const NsFigure *figure, const NsLayout *layout, const NsTheme *theme, double x)
{
  for (guint p = 0; p < figure->panels->len; p++)
    {
      const NsPanelLayout *place = ns_layout_get_panel (layout, p);
      double px = floor (ns_scale_map (&place->x, x));

      for (double y = place->plot.y + 2; y < place->plot.y + place->plot.height - 2; y += 1)
        {
          NsColor middle = get_pixel (picture, px, y), left = get_pixel (picture, px - 2, y);
          NsColor right = get_pixel (picture, px + 2, y);

          g_assert_cmpfloat (get_distance (&middle, &theme->foreground), <, 0.02);
          g_assert_cmpfloat (get_distance (&left, &theme->background), <, 0.02);
          g_assert_cmpfloat (get_distance (&right, &theme->background), <, 0.02);
        }
    }
}

/* A marker is seen on every cell, light and dark, and an annotation of the figure looks like it. */
static void
test_marker (void)
{
  static const SampleFlags flags[] = { 0, SAMPLE_DIVERGING };

  for (int kind = NS_THEME_LIGHT; kind <= NS_THEME_DARK; kind++)
    for (gsize i = 0; i < G_N_ELEMENTS (flags); i++)
      {
        g_autoptr (NsFigure) figure = sample_maps_new (24, 2, flags[i]);
        g_autoptr (NsLayout) layout = NULL, marked = NULL;
        cairo_surface_t *picture, *other;
        NsTheme theme;
        cairo_t *cr;

        ns_theme_init (&theme, (NsThemeKind) kind);
        layout = ns_layout_new (figure, &theme, WIDTH, HEIGHT);
        picture = draw (figure, layout, &theme);
        cr = cairo_create (picture);
        ns_figure_draw_marker_with_layout (figure, layout, cr, &theme, 17);
        ns_figure_draw_marker_with_layout (figure, layout, cr, &theme, NAN);
        ns_figure_draw_marker_with_layout (figure, layout, cr, &theme, 1000);
        g_assert_cmpint (cairo_status (cr), ==, CAIRO_STATUS_SUCCESS);
        cairo_destroy (cr);
        cairo_surface_flush (picture);
        assert_line (picture, figure, layout, &theme, 17);
        cairo_surface_destroy (picture);
        for (guint p = 0; p < figure->panels->len; p++)
          ns_panel_add_annotation (g_ptr_array_index (figure->panels, p), NS_ANNOTATION_LINE, -1, 17, NAN, NULL, -1);
        marked = ns_layout_new (figure, &theme, WIDTH, HEIGHT);
        other = draw (figure, marked, &theme);
        assert_line (other, figure, marked, &theme, 17);
        cairo_surface_destroy (other);
      }
}

/* ---- colours ---- */

static double
get_contrast (const NsColorScale *colors, double value)
{
  const NsColor black = { 0, 0, 0 };
  NsColor color = ns_color_scale_get_color (colors, -1, 1, value);

  return ns_color_contrast (&color, &black);
}

static void
test_colors (void)
{
  NsColorScale sequential = { .kind = NS_COLORS_SEQUENTIAL };
  NsColorScale diverging = { .kind = NS_COLORS_DIVERGING };
  NsColor last, far, past;

  for (double value = -0.99; value <= 1.0; value += 0.01)
    g_assert_cmpfloat (get_contrast (&sequential, value), >, get_contrast (&sequential, value - 0.01));
  for (double value = 0.01; value <= 1.0; value += 0.01)
    {
      g_assert_cmpfloat (get_contrast (&diverging, value), <, get_contrast (&diverging, value - 0.01));
      g_assert_cmpfloat (get_contrast (&diverging, -value), <, get_contrast (&diverging, 0.01 - value));
      g_assert_cmpfloat_with_epsilon (get_contrast (&diverging, value) / get_contrast (&diverging, -value), 1.0, 0.12);
    }
  /* Equal distances are equally dark even where the scale is cut off at one side. */
  last = ns_color_scale_get_color (&diverging, -0.2, 1, -0.2);
  far = ns_color_scale_get_color (&diverging, -1, 1, -0.2);
  g_assert_cmpfloat (get_distance (&last, &far), <, 1e-9);
  last = ns_color_scale_get_color (&sequential, -1, 1, 1);
  past = ns_color_scale_get_color (&sequential, -1, 1, 5);
  g_assert_cmpfloat (get_distance (&last, &past), ==, 0.0);
}

static void
test_range (void)
{
  g_autoptr (NsFigure) figure = sample_maps_new (24, 2, SAMPLE_FLAT);
  g_autoptr (NsFigure) cosines = sample_maps_new (24, 2, SAMPLE_DIVERGING);
  NsHeatMap *map = ((NsPanel *) g_ptr_array_index (cosines->panels, 1))->heat_map;
  double min, max;

  /* Gains of 1 everywhere: the scale has a decade, not the rounding errors. */
  g_assert_true (ns_figure_get_color_range (figure, &min, &max));
  g_assert_cmpfloat (min, ==, -0.5);
  g_assert_cmpfloat (max, ==, 0.5);

  map->value[3] = 7.5; /* of all panels, and no marks */
  map->value[4] = INFINITY;
  ns_heat_map_update (map);
  g_assert_true (ns_figure_get_color_range (cosines, &min, &max));
  g_assert_cmpfloat (max, ==, 7.5);
  cosines->colors->min = -1;
  cosines->colors->max = 1;
  g_assert_true (ns_figure_get_color_range (cosines, &min, &max));
  g_assert_cmpfloat (min, ==, -1);
  g_assert_cmpfloat (max, ==, 1);

  ns_figure_hide_values (figure);
  map = ((NsPanel *) g_ptr_array_index (figure->panels, 0))->heat_map;
  g_assert_cmpint (ns_heat_map_get_mark (map, 2, 7), ==, NS_MARK_ABSENT);
  g_assert_true (ns_figure_get_color_range (figure, &min, &max));
}

/* ---- the pointer ---- */

static void
check_hits (int depth, SampleFlags flags)
{
  g_autoptr (NsFigure) figure = sample_maps_new (depth, 3, flags);
  g_autoptr (NsLayout) layout = NULL;
  NsTheme theme;
  NsHit hit;

  ns_theme_init (&theme, NS_THEME_LIGHT);
  layout = ns_layout_new (figure, &theme, WIDTH, HEIGHT);
  for (guint p = 0; p < 3; p++)
    {
      const NsPanelLayout *place = ns_layout_get_panel (layout, p);
      const NsHeatMap *map = ((const NsPanel *) g_ptr_array_index (figure->panels, p))->heat_map;
      double half = 0.49 * layout->cell_x / (place->x.max - place->x.min) * place->plot.width;

      for (gint64 row = 0; row < map->n_rows; row += MAX (1, depth / 30))
        for (gint64 column = 0; column < map->n_columns; column += MAX (1, depth / 40))
          {
            g_assert_true (ns_hit_test (figure, layout, ns_scale_map (&place->x, map->x[column]) - half,
                                        ns_scale_map (&place->y, map->y[row]) + half, &hit));
            g_assert_cmpint (hit.panel, ==, (int) p);
            g_assert_cmpint ((int) hit.row, ==, (int) row);
            g_assert_cmpint ((int) hit.column, ==, (int) column);
            g_assert_cmpfloat (hit.x, ==, map->x[column]);
            g_assert_cmpfloat (hit.y, ==, map->y[row]);
            g_assert_cmpfloat_with_epsilon (hit.x_px, ns_scale_map (&place->x, hit.x), 1e-9);
          }
      g_assert_false (ns_hit_test (figure, layout, place->plot.x - 2, place->plot.y + 5, &hit));
      g_assert_false (ns_hit_test (figure, layout, place->plot.x + 5, place->plot.y + place->plot.height + 2, &hit));
      g_assert_cmpint ((int) hit.row, ==, -1);
    }
  g_assert_false (ns_hit_test (figure, layout, NAN, 100, &hit));
  g_assert_false (ns_hit_test (figure, layout, layout->bar.rect.x + 2, layout->bar.rect.y + 5, &hit));
}

static void
test_hits (void)
{
  int panel;
  g_autoptr (NsFigure) figure = sample_maps_new (6, 1, SAMPLE_PARTS);
  g_autoptr (NsLayout) layout = NULL;
  const NsPanelLayout *place;
  NsTheme theme;
  NsHit hit;

  check_hits (1, SAMPLE_PLAIN);
  check_hits (24, SAMPLE_MARKS);
  check_hits (12, SAMPLE_PARTS);
  check_hits (600, SAMPLE_DIVERGING);
  /* In the gap between two parts there is no cell, and the axes cannot change. */
  ns_theme_init (&theme, NS_THEME_LIGHT);
  layout = ns_layout_new (figure, &theme, WIDTH, HEIGHT);
  place = ns_layout_get_panel (layout, 0);
  g_assert_false (ns_hit_test (figure, layout, ns_scale_map (&place->x, 7), ns_scale_map (&place->y, 2), &hit));
  g_assert_cmpint (ns_hit_find_axis (layout, place->plot.x - 3, place->plot.y + 5, &panel), ==, NS_HIT_NO_AXIS);
}

static void
test_neighbours (void)
{
  g_autoptr (NsFigure) figure = sample_maps_new (6, 2, SAMPLE_PARTS);
  g_autoptr (NsFigure) curves = sample_flow_new (24, 2, SAMPLE_PLAIN);
  double second = sample_get_stride (6) + 1;

  g_assert_cmpfloat (ns_figure_step_x (figure, NAN, 1), ==, 0);
  g_assert_cmpfloat (ns_figure_step_x (figure, NAN, -1), ==, second + 6);
  g_assert_cmpfloat (ns_figure_step_y (figure, NAN, 1), ==, 0);
  g_assert_cmpfloat (ns_figure_step_y (figure, 3, 1), ==, 4);
  g_assert_cmpfloat (ns_figure_step_y (figure, 3, -1), ==, 2);
  g_assert_cmpfloat (ns_figure_step_y (figure, 0, -1), ==, 0);
  g_assert_cmpfloat (ns_figure_step_y (figure, 6, 1), ==, second);
  g_assert_cmpfloat (ns_figure_step_x (figure, second, -1), ==, 6);
  g_assert_cmpfloat (ns_figure_step_x (figure, second + 6, 1), ==, second + 6);
  g_assert_cmpfloat (ns_figure_nearest_x (figure, 1e9), ==, second + 6);
  g_assert_cmpfloat (ns_figure_nearest_y (figure, 2.4), ==, 2);
  g_assert_true (isnan (ns_figure_nearest_y (figure, NAN)));
  g_assert_true (isnan (ns_figure_nearest_y (curves, 3)));
}

/* ---- files ---- */

static guint
count_words (const char *text, const char *word)
{
  guint n = 0;

  for (; (text = strstr (text, word)) != NULL; text += strlen (word))
    n++;
  return n;
}

static void
test_files (void)
{
  static const char crisp[] = "<image image-rendering=\"optimizeSpeed\" style=\"image-rendering:pixelated\"";
  g_autoptr (NsFigure) figure = sample_maps_new (1000, 2, SAMPLE_DIVERGING);
  g_autoptr (NsFigure) small = sample_maps_new (24, 2, SAMPLE_PLAIN);
  g_autoptr (GBytes) svg = NULL, again = NULL, pdf = NULL, png = NULL;
  g_autofree char *text = NULL;
  NsTheme theme;

  /* Noise, which no compression makes smaller. */
  for (guint p = 0; p < 2; p++)
    {
      NsHeatMap *map = ((NsPanel *) g_ptr_array_index (figure->panels, p))->heat_map;

      for (gint64 i = 0; i < map->n_rows * map->n_columns; i++)
        map->value[i] = 2.0 * (double) ((guint32) i * 2654435761u >> 8) / (1 << 24) - 1.0;
      ns_heat_map_update (map);
    }
  ns_theme_init (&theme, NS_THEME_LIGHT);
  svg = ns_figure_export (figure, &theme, NS_EXPORT_SVG, WIDTH, HEIGHT, 1, NULL, NULL);
  text = g_strndup (g_bytes_get_data (svg, NULL), g_bytes_get_size (svg));
  /* Two maps and the bar, and neither a rectangle nor a pattern, which would smooth the edges. */
  g_assert_cmpuint (count_words (text, "<image "), ==, 3);
  g_assert_cmpuint (count_words (text, crisp), ==, 3);
  g_assert_cmpuint (count_words (text, "<pattern"), ==, 0);
  g_assert_cmpuint (count_words (text, "<path"), <, 300);
  g_assert_cmpuint (g_bytes_get_size (svg), <, 1500000);
  again = ns_figure_export (figure, &theme, NS_EXPORT_SVG, WIDTH, HEIGHT, 1, NULL, NULL);
  g_assert_true (g_bytes_equal (svg, again));
  pdf = ns_figure_export (figure, &theme, NS_EXPORT_PDF, WIDTH, HEIGHT, 1, NULL, NULL);
  g_assert_cmpuint (g_bytes_get_size (pdf), <, 1100000);
  png = ns_figure_export (figure, &theme, NS_EXPORT_PNG, WIDTH, HEIGHT, 2, NULL, NULL);
  g_assert_nonnull (png);

  g_bytes_unref (svg);
  svg = ns_figure_export (small, &theme, NS_EXPORT_SVG, WIDTH, HEIGHT, 1, NULL, NULL);
  g_assert_cmpuint (g_bytes_get_size (svg), <, 150000);
  /* librsvg 2.54 smooths images all the same: a cell has many dots, so that only its edges could be smooth. */
  g_free (text);
  text = g_strndup (g_bytes_get_data (svg, NULL), g_bytes_get_size (svg));
  g_assert_cmpint (atoi (strstr (strstr (text, crisp), " width=\"") + strlen (" width=\"")), >, 25 * 30);
}

static void
test_table (void)
{
  g_autoptr (NsFigure) figure = ns_figure_new ();
  NsPanel *panel = ns_figure_add_panel (figure, NULL, NS_AXIS_LINEAR);
  static const double at[] = { 0, 1, 5, 6 }, log10_values[] = { 0, 1, -400, NAN, INFINITY, -INFINITY, 2, 3 };
  static const guint8 marks[] = { 0, 0, 0, 0, 0, 0, NS_MARK_ABSENT, 0 };
  g_autofree char *text = NULL;

  ns_figure_set_colors (figure, "<i>G</i>", NS_AXIS_LOG10, NS_COLORS_SEQUENTIAL, 0)->accessible_title
      = g_strdup ("Gain");
  ns_panel_set_heat_map (panel, "A\tB", 0, 2, 4, at, at, log10_values, marks);
  figure->y_title = g_strdup ("Block <i>l</i>");
  figure->x_name = g_strdup ("Block m");
  ns_figure_add_x_part (figure, "Encoder", "", 0, 1, 0);
  ns_figure_add_x_part (figure, "Decoder", "", 5, 6, 4);
  ns_figure_add_y_part (figure, "Encoder", "", 0, 1, 0);
  text = ns_figure_to_tsv (figure);
  g_assert_cmpstr (text, ==,
                   "Gain\tPart\tBlock l \\ Block m\tEncoder 0\tEncoder 1\tDecoder 1\tDecoder 2\n"
                   "A B\tEncoder\t0\t1\t10\t1e-400\tnan\n"
                   "A B\tEncoder\t1\tinf\t0\t\t1000\n");
}

void
add_maps_tests (void)
{
  g_test_add_func ("/maps/everything-fits", test_everything_fits);
  g_test_add_func ("/maps/rows", test_rows);
  g_test_add_func ("/maps/absurd-sizes", test_absurd_sizes);
  g_test_add_func ("/maps/cells", test_cells);
  g_test_add_func ("/maps/edges", test_edges);
  g_test_add_func ("/maps/lone-mark", test_lone_mark);
  g_test_add_func ("/maps/crosshair", test_crosshair);
  g_test_add_func ("/maps/marker", test_marker);
  g_test_add_func ("/maps/colors", test_colors);
  g_test_add_func ("/maps/range", test_range);
  g_test_add_func ("/maps/hits", test_hits);
  g_test_add_func ("/maps/neighbours", test_neighbours);
  g_test_add_func ("/maps/files", test_files);
  g_test_add_func ("/maps/table", test_table);
}
