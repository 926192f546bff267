/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plot/ns-diagram.h"
#include "plot/ns-draw.h"
#include "plot/ns-hit.h"
#include "plot/ns-layout.h"
#include "sample-figures.h"
#include "tests.h"

#define WIDTH 1280
#define HEIGHT 720

#define PEAK_POINTS 40000

typedef struct
{
  cairo_surface_t *surface;
  const guint8 *data;
  int stride;
} Picture;

static Picture
picture_begin (cairo_t **cr)
{
  Picture picture = { .surface = cairo_image_surface_create (CAIRO_FORMAT_ARGB32, WIDTH, HEIGHT) };

  *cr = cairo_create (picture.surface);
  return picture;
}

static void
picture_end (Picture *picture, cairo_t *cr)
{
  g_assert_cmpint (cairo_status (cr), ==, CAIRO_STATUS_SUCCESS);
  cairo_destroy (cr);
  cairo_surface_flush (picture->surface);
  picture->data = cairo_image_surface_get_data (picture->surface);
  picture->stride = cairo_image_surface_get_stride (picture->surface);
}

static Picture
draw (const NsFigure *figure, const NsTheme *theme)
{
  cairo_t *cr;
  Picture picture = picture_begin (&cr);

  ns_figure_draw (figure, cr, theme, WIDTH, HEIGHT);
  picture_end (&picture, cr);
  return picture;
}

static void
picture_clear (Picture *picture)
{
  cairo_surface_destroy (picture->surface);
}

static gboolean
is_color (const Picture *picture, int x, int y, const NsColor *color)
{
  guint32 pixel;

  memcpy (&pixel, picture->data + y * picture->stride + 4 * x, sizeof pixel);
  return fabs (((pixel >> 16) & 0xff) - 255 * color->red) < 6 && fabs (((pixel >> 8) & 0xff) - 255 * color->green) < 6
         && fabs ((pixel & 0xff) - 255 * color->blue) < 6;
}

/* Count the pixels of a colour in a square around (x, y). */
static int
count_color (const Picture *picture, double x, double y, int radius, const NsColor *color)
{
  int n = 0;

  for (int row = MAX (0, (int) y - radius); row <= MIN (HEIGHT - 1, (int) y + radius); row++)
    for (int column = MAX (0, (int) x - radius); column <= MIN (WIDTH - 1, (int) x + radius); column++)
      n += is_color (picture, column, row, color);
  return n;
}

static gboolean
is_same (const Picture *a, const Picture *b)
{
  return memcmp (a->data, b->data, (gsize) HEIGHT * a->stride) == 0;
}

static void
test_pure (void)
{
  g_autoptr (NsFigure) figure = sample_flow_new (24, 3, SAMPLE_MARKS | SAMPLE_GHOST | SAMPLE_RIGHT_AXIS);
  g_autoptr (NsFigure) other = sample_flow_new (25, 3, SAMPLE_MARKS | SAMPLE_GHOST | SAMPLE_RIGHT_AXIS);
  Picture a, b, c;
  NsTheme theme;

  ns_theme_init (&theme, NS_THEME_LIGHT);
  a = draw (figure, &theme);
  c = draw (other, &theme);
  b = draw (figure, &theme);
  g_assert_true (is_same (&a, &b));
  g_assert_false (is_same (&a, &c));
  picture_clear (&a);
  picture_clear (&b);
  picture_clear (&c);
}

/* Drawing respects the matrix of the context and restores its state. */
static void
test_state_is_kept (void)
{
  g_autoptr (NsFigure) figure = sample_flow_new (24, 2, SAMPLE_PLAIN);
  g_autoptr (NsLayout) layout = NULL;
  cairo_t *cr;
  Picture picture = picture_begin (&cr);
  cairo_matrix_t before, after;
  NsTheme theme;

  ns_theme_init (&theme, NS_THEME_DARK);
  layout = ns_layout_new (figure, &theme, 800, 500);
  cairo_translate (cr, 11, 13);
  cairo_get_matrix (cr, &before);
  ns_figure_draw (figure, cr, &theme, 800, 500);
  ns_figure_draw_overlay_with_layout (figure, layout, cr, &theme, 3.0, 0);
  cairo_get_matrix (cr, &after);
  g_assert_cmpmem (&before, sizeof before, &after, sizeof after);
  g_assert_false (cairo_has_current_point (cr));
  picture_end (&picture, cr);
  g_assert_true (is_color (&picture, 12, 14, &theme.background));
  g_assert_cmpint (picture.data[4 * 5 + 3], ==, 0);
  g_assert_cmpint (picture.data[(13 + 500 + 2) * picture.stride + 4 * 100 + 3], ==, 0);
  picture_clear (&picture);
}

/* Of the sanitizer, if the program has it: Cairo never frees a font that it has refused. */
void __lsan_disable (void) __attribute__ ((weak));
void __lsan_enable (void) __attribute__ ((weak));

/* FreeType refuses glyphs above 65535 pixels, and Cairo keeps the error in the font face, for every size and in every
 * later drawing. */
static void
test_poisoned_font (void)
{
  g_autoptr (NsFigure) figure = sample_flow_new (24, 2, SAMPLE_PLAIN);
  g_autoptr (NsDiagram) diagram = ns_diagram_new ();
  g_autoptr (NsLayout) layout = NULL;
  Picture before, after, relayout;
  NsTheme theme;

  ns_theme_init (&theme, NS_THEME_LIGHT);
  ns_diagram_add_box (diagram, 2, 2, 3, 1, "Norm", -1);
  layout = ns_layout_new (figure, &theme, WIDTH, HEIGHT);
  before = draw (figure, &theme);
  for (int i = 0; i < 2; i++)
    {
      cairo_t *cr;
      Picture picture = picture_begin (&cr);

      cairo_scale (cr, 1e5, 1e5);
      if (__lsan_disable != NULL)
        __lsan_disable ();
      g_assert_false (i == 0 ? ns_figure_draw (figure, cr, &theme, WIDTH, HEIGHT)
                             : ns_diagram_draw (diagram, cr, &theme, WIDTH, HEIGHT));
      if (__lsan_enable != NULL)
        __lsan_enable ();
      g_assert_cmpint (cairo_status (cr), !=, CAIRO_STATUS_SUCCESS);
      cairo_destroy (cr);
      picture_clear (&picture);

      after = draw (figure, &theme);
      g_assert_true (is_same (&before, &after));
      picture_clear (&after);
      /* A layout that was made before has the new font, too. */
      relayout = picture_begin (&cr);
      g_assert_true (ns_figure_draw_with_layout (figure, layout, cr, &theme));
      picture_end (&relayout, cr);
      g_assert_true (is_same (&before, &relayout));
      picture_clear (&relayout);
    }
  picture_clear (&before);
}

/* No text is larger than the picture. */
static void
test_bounded_font (void)
{
  g_autoptr (NsFigure) figure = sample_flow_new (24, 2, SAMPLE_PLAIN);
  NsTheme theme;

  ns_theme_init (&theme, NS_THEME_LIGHT);
  theme.text_scale = 8.0;
  for (double side = 0.5; side < 300; side *= 2)
    {
      g_autoptr (NsLayout) layout = ns_layout_new (figure, &theme, side, side);

      for (guint i = 0; i < layout->labels->len; i++)
        g_assert_cmpfloat (((const NsLabel *) g_ptr_array_index (layout->labels, i))->size_px, <=, fmax (side, 1));
    }
}

static void
test_marks (void)
{
  for (int kind = NS_THEME_LIGHT; kind <= NS_THEME_DARK; kind++)
    {
      g_autoptr (NsFigure) figure = sample_flow_new (24, 2, SAMPLE_MARKS);
      g_autoptr (NsLayout) layout = NULL;
      const NsRect *plot;
      NsColor red, blue;
      Picture picture;
      NsTheme theme;

      ns_theme_init (&theme, kind);
      layout = ns_layout_new (figure, &theme, WIDTH, HEIGHT);
      picture = draw (figure, &theme);
      plot = &ns_layout_get_panel (layout, 0)->plot;
      red = ns_theme_get_mark_color (&theme, NS_MARK_NAN);
      blue = ns_theme_get_mark_color (&theme, NS_MARK_UNDERFLOW);

      /* In the sample, block 4 of the second curve underflows; blocks 21 and 22 of the first are Inf and NaN. */
      g_assert_cmpint (count_color (&picture, ns_hit_x_to_px (layout, 4), plot->y + plot->height, 6, &blue), >, 30);
      g_assert_cmpint (count_color (&picture, ns_hit_x_to_px (layout, 21), plot->y, 6, &red), >, 30);
      g_assert_cmpint (count_color (&picture, ns_hit_x_to_px (layout, 22), plot->y, 7, &red), >, 10);
      g_assert_cmpint (count_color (&picture, ns_hit_x_to_px (layout, 20), plot->y, 7, &red), ==, 0);
      /* The diamond is hollow, the triangle is not. */
      g_assert_true (is_color (&picture, (int) ns_hit_x_to_px (layout, 22), (int) plot->y, &theme.background));
      g_assert_true (is_color (&picture, (int) ns_hit_x_to_px (layout, 21), (int) plot->y + 2, &red));
      picture_clear (&picture);
    }
}

/* Return a figure of one horizontal curve whose middle point has the given mark. */
static NsFigure *
make_line (guint8 middle, gboolean provisional, NsSeriesRole role)
{
  const double x[] = { 1, 2, 3, 4, 5 }, y[] = { 1, 1, 1, 1, 1 };
  const guint8 mark[] = { 0, 0, middle, 0, 0 };
  NsFigure *figure = ns_figure_new ();
  NsPanel *panel = ns_figure_add_panel (figure, "y", NS_AXIS_LINEAR);
  NsSeries *series = ns_panel_add_series (panel, NULL, NS_SERIES_LINE, 0, 5, x, y, NULL, NULL, mark);

  series->provisional = provisional;
  series->role = role;
  return figure;
}

static int
count_line (guint8 middle, gboolean provisional, NsSeriesRole role, double at, const NsColor *color)
{
  g_autoptr (NsFigure) figure = make_line (middle, provisional, role);
  g_autoptr (NsLayout) layout = NULL;
  Picture picture;
  NsTheme theme;
  int n;

  ns_theme_init (&theme, NS_THEME_LIGHT);
  layout = ns_layout_new (figure, &theme, WIDTH, HEIGHT);
  picture = draw (figure, &theme);
  n = count_color (&picture, ns_hit_x_to_px (layout, at), ns_scale_map (&ns_layout_get_panel (layout, 0)->y, 1.0), 20,
                   color);
  picture_clear (&picture);
  return n;
}

static void
test_line (void)
{
  NsTheme theme;
  NsStyle style;

  ns_theme_init (&theme, NS_THEME_LIGHT);
  style = ns_theme_get_style (&theme, 0);
  /* count_line() counts in a square of 41 px; the line is 2 px wide. */
  g_assert_cmpint (count_line (NS_MARK_NONE, FALSE, NS_ROLE_DATA, 2.5, &style.line), >=, 41);
  /* The line breaks at a value that is not a number. */
  g_assert_cmpint (count_line (NS_MARK_NAN, FALSE, NS_ROLE_DATA, 2.5, &style.line), ==, 0);
  g_assert_cmpint (count_line (NS_MARK_NAN, FALSE, NS_ROLE_DATA, 1.5, &style.line), >=, 41);
  /* A provisional line is lighter, and so is a ghost. */
  g_assert_cmpint (count_line (NS_MARK_NONE, TRUE, NS_ROLE_DATA, 2.5, &style.line), ==, 0);
  g_assert_cmpint (count_line (NS_MARK_NONE, FALSE, NS_ROLE_GHOST, 2.5, &style.line), ==, 0);
}

/* A single point far above thousands of others is drawn, however narrow its spike. */
static void
test_no_peak_is_lost (void)
{
  for (int kind = 0; kind < 2; kind++)
    for (int spike = 17; spike < PEAK_POINTS; spike += 3571)
      {
        g_autoptr (NsFigure) figure = ns_figure_new ();
        NsPanel *panel = ns_figure_add_panel (figure, "y", NS_AXIS_LINEAR);
        g_autofree double *x = g_new (double, PEAK_POINTS), *y = g_new0 (double, PEAK_POINTS);
        g_autoptr (NsLayout) layout = NULL;
        Picture picture;
        NsTheme theme;
        int n = 0;

        for (int i = 0; i < PEAK_POINTS; i++)
          x[i] = i;
        y[spike] = 10.0;
        ns_panel_add_series (panel, NULL, kind ? NS_SERIES_BARS : NS_SERIES_LINE, 0, PEAK_POINTS, x, y, NULL, NULL,
                             NULL);
        ns_theme_init (&theme, NS_THEME_LIGHT);
        layout = ns_layout_new (figure, &theme, WIDTH, HEIGHT);
        picture = draw (figure, &theme);
        for (double value = 2.0; value < 9.0; value += 1.0)
          for (int dx = -2; dx <= 2; dx++)
            {
              int column = (int) ns_hit_x_to_px (layout, spike) + dx;
              int row = (int) ns_scale_map (&ns_layout_get_panel (layout, 0)->y, value);

              n += !is_color (&picture, column, row, &theme.background)
                   && picture.data[row * picture.stride + 4 * column + 2] < 0xd0;
            }
        g_assert_cmpint (n, >=, 7);
        picture_clear (&picture);
      }
}

/* The band of one point, far wider than its neighbours', is drawn at its full width. */
static void
test_band_keeps_its_width (void)
{
  enum
  {
    N = 2000
  };

  for (int spike = 1; spike < N - 1; spike += 37)
    {
      g_autoptr (NsFigure) figure = ns_figure_new ();
      NsPanel *panel = ns_figure_add_panel (figure, "y", NS_AXIS_LINEAR);
      g_autofree double *x = g_new (double, N), *y = g_new0 (double, N), *low = g_new0 (double, N);
      g_autofree double *high = g_new0 (double, N);
      g_autoptr (NsLayout) layout = NULL;
      Picture picture;
      NsTheme theme;

      for (int i = 0; i < N; i++)
        x[i] = i;
      low[spike] = -10.0;
      high[spike] = 10.0;
      ns_panel_add_series (panel, NULL, NS_SERIES_LINE, 0, N, x, y, low, high, NULL);
      ns_theme_init (&theme, NS_THEME_LIGHT);
      theme.grid_opacity = 0.0;
      theme.band_opacity = 1.0;
      layout = ns_layout_new (figure, &theme, WIDTH, HEIGHT);
      picture = draw (figure, &theme);
      for (double value = -7.5; value < 9.0; value += 5.0)
        {
          int row = (int) ns_scale_map (&ns_layout_get_panel (layout, 0)->y, value), n = 0;

          for (int dx = -3; dx <= 3; dx++)
            n += !is_color (&picture, (int) ns_hit_x_to_px (layout, spike) + dx, row, &theme.background);
          g_assert_cmpint (n, >=, 1);
        }
      picture_clear (&picture);
    }
}

static void
test_bars (void)
{
  g_autoptr (NsFigure) figure = sample_flow_new (24, 2, SAMPLE_PLAIN);
  g_autoptr (NsLayout) layout = NULL;
  const NsPanelLayout *place;
  Picture picture;
  NsTheme theme;

  ns_theme_init (&theme, NS_THEME_LIGHT);
  layout = ns_layout_new (figure, &theme, WIDTH, HEIGHT);
  place = ns_layout_get_panel (layout, 1);
  picture = draw (figure, &theme);
  for (int block = 1; block <= 24; block++)
    for (int v = 0; v < 2; v++)
      {
        NsStyle style = ns_theme_get_style (&theme, v);
        double x = ns_hit_x_to_px (layout, block) + (v - 0.5) * place->bar_px;

        /* Check at the base and at 0.4; the lowest bar has 0.7. */
        g_assert_true (is_color (&picture, (int) x, (int) (place->plot.y + place->plot.height) - 2, &style.line));
        g_assert_true (is_color (&picture, (int) x, (int) ns_scale_map (&place->y, 0.4), &style.line));
      }
  picture_clear (&picture);
}

/* Count the coloured pixels of the picture in columns of the plot, shares of its width. */
static int
count_coloured (const Picture *picture, const NsRect *plot, double from, double to)
{
  int n = 0;

  for (int y = (int) plot->y; y < (int) (plot->y + plot->height); y++)
    for (int x = (int) (plot->x + from * plot->width); x < (int) (plot->x + to * plot->width); x++)
      {
        const guint8 *pixel = picture->data + y * picture->stride + 4 * x;

        n += abs (pixel[0] - pixel[2]) > 20;
      }
  return n;
}

/* A line leads from a curve's end to its name, but not across the plot, where it would look like a curve. */
static void
test_leader (void)
{
  static const double ends[] = { 95, 85, 50, 20 }, y[] = { 1, 1 };
  NsTheme theme;

  ns_theme_init (&theme, NS_THEME_LIGHT);
  for (gsize i = 0; i < G_N_ELEMENTS (ends); i++)
    {
      g_autoptr (NsFigure) figure = ns_figure_new ();
      NsPanel *panel = ns_figure_add_panel (figure, "Title", NS_AXIS_LINEAR);
      const double x[] = { 0, ends[i] };
      g_autoptr (NsLayout) layout = NULL;
      Picture picture;

      figure->x_min = 0;
      figure->x_max = 100;
      ns_panel_add_series (panel, "Name", NS_SERIES_LINE, 0, 2, x, y, NULL, NULL, NULL);
      layout = ns_layout_new (figure, &theme, WIDTH, HEIGHT);
      picture = draw (figure, &theme);
      g_assert_cmpint (count_coloured (&picture, &ns_layout_get_panel (layout, 0)->plot, ends[i] / 100 + 0.03, 1) > 0,
                       ==, ends[i] > 80);
      picture_clear (&picture);
    }
}

static void
test_overlay (void)
{
  g_autoptr (NsFigure) figure = sample_flow_new (24, 2, SAMPLE_PLAIN);
  g_autoptr (NsLayout) layout = NULL;
  cairo_t *cr;
  Picture picture = picture_begin (&cr);
  int n_column = 0, n_elsewhere = 0;
  NsTheme theme;

  ns_theme_init (&theme, NS_THEME_LIGHT);
  layout = ns_layout_new (figure, &theme, WIDTH, HEIGHT);
  ns_figure_draw_overlay_with_layout (figure, layout, cr, &theme, 7.0, 0);
  ns_figure_draw_overlay_with_layout (figure, layout, cr, &theme, 70.0, 0);
  ns_figure_draw_overlay_with_layout (figure, layout, cr, &theme, NAN, 0);
  picture_end (&picture, cr);
  for (int row = 0; row < HEIGHT; row++)
    for (int column = 0; column < WIDTH; column++)
      if (picture.data[row * picture.stride + 4 * column + 3] > 0)
        {
          double distance = fabs (column + 0.5 - ns_hit_x_to_px (layout, 7.0));

          n_column += distance <= 1.0;
          n_elsewhere += distance > 8.0;
        }
  g_assert_cmpint (n_column, >, (int) ns_layout_get_panel (layout, 0)->plot.height);
  g_assert_cmpint (n_elsewhere, ==, 0);
  picture_clear (&picture);
}

void
add_draw_tests (void)
{
  g_test_add_func ("/draw/pure", test_pure);
  g_test_add_func ("/draw/state-is-kept", test_state_is_kept);
  g_test_add_func ("/draw/poisoned-font", test_poisoned_font);
  g_test_add_func ("/draw/bounded-font", test_bounded_font);
  g_test_add_func ("/draw/marks", test_marks);
  g_test_add_func ("/draw/line", test_line);
  g_test_add_func ("/draw/no-peak-is-lost", test_no_peak_is_lost);
  g_test_add_func ("/draw/band-keeps-its-width", test_band_keeps_its_width);
  g_test_add_func ("/draw/bars", test_bars);
  g_test_add_func ("/draw/leader", test_leader);
  g_test_add_func ("/draw/overlay", test_overlay);
}
