/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>
#include <string.h>

#include "prose/ns-math.h"
#include "prose/ns-prose.h"
#include "sample-texts.h"
#include "tests.h"


static NsProseLayout *
lay_out (const char *markup, double size_pt, double width)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (NsProse) prose = ns_prose_parse (markup, &error);
  NsTheme theme;

  g_assert_no_error (error);
  ns_theme_init (&theme, NS_THEME_LIGHT);
  return ns_prose_layout_new (prose, &theme, size_pt, width);
}

static double
get_height (const char *markup, double size_pt, double width)
{
  g_autoptr (NsProseLayout) layout = lay_out (markup, size_pt, width);

  return ns_prose_layout_get_height (layout);
}

/* Draw on a white ground; the caller frees the surface. */
static cairo_surface_t *
draw (const NsProseLayout *layout, int width, int height, double from, double to)
{
  cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_A8, width, height);
  cairo_t *cr = cairo_create (surface);

  g_assert_true (ns_prose_layout_draw_part (layout, cr, 0, 0, from, to));
  g_assert_cmpint (cairo_status (cr), ==, CAIRO_STATUS_SUCCESS);
  cairo_destroy (cr);
  cairo_surface_flush (surface);
  return surface;
}

/* Return the number of pixels with ink in a rectangle, which is clipped to the surface. */
static guint
count_ink (cairo_surface_t *surface, int x0, int y0, int x1, int y1)
{
  const guint8 *data = cairo_image_surface_get_data (surface);
  int stride = cairo_image_surface_get_stride (surface);
  guint n = 0;

  for (int y = MAX (y0, 0); y < MIN (y1, cairo_image_surface_get_height (surface)); y++)
    for (int x = MAX (x0, 0); x < MIN (x1, cairo_image_surface_get_width (surface)); x++)
      n += data[y * stride + x] > 64;
  return n;
}

/* ---- text ---- */

static void
test_wrap (void)
{
  double one = get_height ("word", 12, 400);

  g_assert_cmpfloat (one, >, 16);
  g_assert_cmpfloat (one, <, 24);
  g_assert_cmpfloat (get_height ("word word word word word word", 12, 60), >, 3 * one);
  g_assert_cmpfloat_with_epsilon (get_height ("word", 24, 400), 2 * one, 2);
  g_assert_cmpfloat (get_height ("# word", 12, 400), >, 1.2 * one);
  g_assert_cmpfloat (get_height ("word\n\nword", 12, 400), >, 2.2 * one);
  g_assert_cmpfloat (get_height ("- word\n- word", 12, 400), <, get_height ("word\n\nword", 12, 400));
  g_assert_cmpfloat (get_height ("", 12, 400), ==, 0);
}

/* Nothing is drawn outside the width and the height, and nothing is missing at the end. */
static void
test_ink (void)
{
  static const int widths[] = { 120, 300, 700 };

  for (gsize i = 0; i < G_N_ELEMENTS (widths); i++)
    {
      g_autoptr (NsProseLayout) layout = lay_out (SAMPLE_TEXT, 12, widths[i]);
      int height = (int) ceil (ns_prose_layout_get_height (layout));
      cairo_surface_t *surface = draw (layout, widths[i] + 100, height + 100, 0, G_MAXDOUBLE);

      g_assert_cmpfloat (ns_prose_layout_get_used_width (layout), <=, widths[i] + 1);
      g_assert_cmpuint (count_ink (surface, 0, 0, widths[i], height / 4), >, 100);
      g_assert_cmpuint (count_ink (surface, 0, height - 60, widths[i], height), >, 20);
      g_assert_cmpuint (count_ink (surface, widths[i] + 2, 0, widths[i] + 100, height), ==, 0);
      g_assert_cmpuint (count_ink (surface, 0, height + 2, widths[i], height + 100), ==, 0);
      cairo_surface_destroy (surface);
    }
}

static double
get_width (const char *markup, double width)
{
  g_autoptr (NsProseLayout) layout = lay_out (markup, 12, width);

  return ns_prose_layout_get_used_width (layout);
}

/* Signs after a formula stay with it; a long formula is broken after a relation, but not after a sum. */
static void
test_break (void)
{
  double one = get_height ("$x$", 12, 400), comma = get_width ("aa $x$,", 400), plain = get_width ("aa $x$", 400);
  double left = get_width ("$a + b + c + d =$", 400);

  g_assert_cmpfloat (comma, >, plain + 2);
  g_assert_cmpfloat (get_width ("aa $x$,", comma - 1), <, plain - 2);
  g_assert_cmpfloat (get_height ("$a + b + c + d = e$", 12, left + 12), >, 1.8 * one);
  g_assert_cmpfloat (get_height ("$a + b + c + d + e$", 12, left + 12), <, 1.2 * one);
}

static void
test_links (void)
{
  g_autoptr (NsProseLayout) wide = lay_out ("a [link of words](p:a) and [b $x^2$](p:b)", 12, 600);
  g_autoptr (NsProseLayout) narrow = lay_out ("a [link of words](p:a) and [b $x^2$](p:b)", 12, 60);
  const NsProseLinkArea *areas;
  guint n;

  areas = ns_prose_layout_get_link_areas (wide, &n);
  g_assert_cmpuint (n, ==, 2);
  for (guint i = 0; i < n; i++)
    {
      g_assert_cmpuint (areas[i].link, ==, i);
      g_assert_cmpfloat (areas[i].width, >, 10);
      g_assert_cmpint (ns_prose_layout_find_link (wide, areas[i].x + 2, areas[i].y + 5), ==, (int) i);
      g_assert_cmpint (ns_prose_layout_find_link (wide, areas[i].x - 2, areas[i].y + 5), ==, -1);
    }
  ns_prose_layout_get_link_areas (narrow, &n);
  g_assert_cmpuint (n, >, 2);
  g_assert_cmpint (ns_prose_layout_find_link (narrow, 5000, 5), ==, -1);
}

/* Pages hold all rows once, in order, and none ends with a heading. */
static void
test_pages (void)
{
  g_autoptr (NsProseLayout) layout = lay_out (SAMPLE_TEXT, 12, 400);
  double height = ns_prose_layout_get_height (layout), from = 0;
  cairo_surface_t *whole = draw (layout, 400, (int) height + 1, 0, G_MAXDOUBLE);
  guint ink = 0, n_pages = 0;

  while (from < height)
    {
      double to = ns_prose_layout_get_break (layout, from, 150);
      cairo_surface_t *page = draw (layout, 400, 200, from, to);

      g_assert_cmpfloat (to, >, from);
      ink += count_ink (page, 0, 0, 400, 200);
      g_assert_cmpuint (count_ink (page, 0, 152, 400, 200), ==, 0);
      cairo_surface_destroy (page);
      from = to;
      n_pages++;
    }
  g_assert_cmpuint (n_pages, >=, 3);
  /* Antialiasing differs with the fraction of a pixel. */
  g_assert_cmpfloat (fabs ((double) ink / count_ink (whole, 0, 0, 400, (int) height + 1) - 1), <, 0.1);
  cairo_surface_destroy (whole);

  g_assert_cmpfloat (ns_prose_layout_get_break (layout, 0, 1e6), ==, height);
  g_assert_cmpfloat (ns_prose_layout_get_break (layout, 0, 1), >, 0);
  g_clear_pointer (&layout, ns_prose_layout_free);
  layout = lay_out ("one\n\n# two\n\nthree", 12, 400);
  /* There is room for the heading, but not for what it heads. */
  height = ns_prose_layout_get_height (layout);
  g_assert_cmpfloat (ns_prose_layout_get_break (layout, 0, height - 2), <, height / 2);
}

static void
test_right_to_left (void)
{
  g_autoptr (NsProseLayout) layout = lay_out ("- שלום\n- abc", 12, 400);
  cairo_surface_t *surface = draw (layout, 400, (int) ns_prose_layout_get_height (layout) + 1, 0, G_MAXDOUBLE);

  g_assert_cmpuint (count_ink (surface, 350, 0, 400, 20), >, 10);
  g_assert_cmpuint (count_ink (surface, 0, 0, 100, 20), ==, 0);
  cairo_surface_destroy (surface);
}

/* ---- boxes ---- */

static NsMathBox *
make_box (const char *formula, gboolean is_display)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (NsMath) math = ns_math_parse (formula, formula, formula + strlen (formula), &error);
  PangoContext *context;
  NsMathFonts fonts;
  NsMathBox *box;

  g_assert_no_error (error);
  context = pango_font_map_create_context (pango_cairo_font_map_get_default ());
  ns_math_fonts_init (&fonts, context);
  box = ns_math_box_new (math, &fonts, 100, is_display, FALSE);
  ns_math_fonts_clear (&fonts);
  g_object_unref (context);
  return box;
}

/* Compare a measure of two formulas at 100 px. */
#define ASSERT_BOX(a, member, comparison, b)                             \
  G_STMT_START                                                           \
  {                                                                      \
    NsMathBox *first = make_box (a, TRUE), *second = make_box (b, TRUE); \
                                                                         \
    g_assert_cmpfloat (first->member, comparison, second->member);       \
    ns_math_box_free (first);                                            \
    ns_math_box_free (second);                                           \
  }                                                                      \
  G_STMT_END

static void
test_boxes (void)
{
  NsMathBox *display, *inside;

  ASSERT_BOX ("x^2", ascent, >, "x");
  ASSERT_BOX ("x^2", descent, ==, "x");
  ASSERT_BOX ("x_2", ascent, ==, "x");
  ASSERT_BOX ("x_2", descent, >, "x");
  ASSERT_BOX ("x^{2^2}", ascent, >, "x^2");
  ASSERT_BOX ("x^2_2", width, <, "x^2 x_2");
  ASSERT_BOX ("x_2^2", width, ==, "x^2_2");
  ASSERT_BOX ("a + b", width, >, "ab+");
  ASSERT_BOX ("a = b", width, >, "a + b");
  ASSERT_BOX ("-b", width, <, "a-b");
  ASSERT_BOX ("a\\quad b", width, >, "ab");
  ASSERT_BOX ("\\frac{a}{b}", ascent, >, "a");
  ASSERT_BOX ("\\frac{a}{b}", descent, >, "b");
  ASSERT_BOX ("\\frac{abc}{b}", width, ==, "\\frac{b}{abc}");
  ASSERT_BOX ("\\sqrt{x}", width, >, "x");
  ASSERT_BOX ("\\sqrt{x}", ascent, >, "x");
  ASSERT_BOX ("\\sqrt{\\frac{a}{b}}", descent, >, "\\sqrt{x}");
  ASSERT_BOX ("\\bar{x}", width, ==, "x");
  ASSERT_BOX ("\\bar{x}", ascent, >, "x");
  ASSERT_BOX ("\\left(\\frac{a}{b}\\right)", ascent, >, "(x)");
  ASSERT_BOX ("\\left( x \\right)", ascent, ==, "(x)");
  ASSERT_BOX ("\\left. x \\right)", width, ==, "x)");
  ASSERT_BOX ("\\sum_a^b x", descent, >, "\\sum x");
  ASSERT_BOX ("\\mathbf{W}", width, !=, "\\mathrm{W}");
  ASSERT_BOX ("W", overhang, >, "\\mathrm{W}");

  /* In a line of text, fractions are smaller and limits stand beside. */
  display = make_box ("\\frac{a}{b} + \\sum_a^b x", TRUE);
  inside = make_box ("\\frac{a}{b} + \\sum_a^b x", FALSE);
  g_assert_cmpfloat (inside->ascent + inside->descent, <, 0.8 * (display->ascent + display->descent));
  ns_math_box_free (display);
  ns_math_box_free (inside);
}

/* ---- any input ---- */

static void
check_folder (const char *folder)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GDir) dir = g_dir_open (folder, 0, &error);
  const char *name;

  g_assert_no_error (error);
  while ((name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (folder, name, NULL);
      g_autofree char *text = NULL;
      g_autoptr (NsProse) prose = NULL;

      g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
      prose = g_utf8_validate (text, -1, NULL) ? ns_prose_parse (text, &error) : NULL;
      g_assert_true ((prose == NULL) == g_str_has_prefix (name, "bad-"));
      g_clear_error (&error);
      if (prose != NULL)
        {
          g_autoptr (NsProseLayout) layout = lay_out (text, 40, 1);

          cairo_surface_destroy (draw (layout, 100, 100, 0, G_MAXDOUBLE));
        }
    }
}

/* Whatever is accepted can be laid out and drawn. */
static void
test_corpus (void)
{
  g_autofree char *files = g_test_build_filename (G_TEST_DIST, "fuzz", "corpus", "prose", NULL);
  g_autofree char *texts = g_test_build_filename (G_TEST_BUILT, "fuzz", "corpus", "prose", NULL);

  check_folder (files);
  check_folder (texts);
}

void
add_layout_tests (void)
{
  g_test_add_func ("/layout/wrap", test_wrap);
  g_test_add_func ("/layout/ink", test_ink);
  g_test_add_func ("/layout/break", test_break);
  g_test_add_func ("/layout/link-areas", test_links);
  g_test_add_func ("/layout/pages", test_pages);
  g_test_add_func ("/layout/right-to-left", test_right_to_left);
  g_test_add_func ("/layout/boxes", test_boxes);
  g_test_add_func ("/layout/corpus", test_corpus);
}
