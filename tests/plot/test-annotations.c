/* Test annotations: their labels have room, they are found by the pointer, and a figure between two moves its points.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>

#include "plot/ns-blend.h"
#include "plot/ns-draw.h"
#include "plot/ns-hit.h"
#include "sample-figures.h"
#include "tests.h"

/* ---- labels ---- */

static void
add_annotations (NsFigure *figure, guint panel_index, guint step)
{
  NsPanel *panel = g_ptr_array_index (figure->panels, panel_index);

  for (guint s = 0; s < panel->series->len; s++)
    {
      const NsSeries *series = g_ptr_array_index (panel->series, s);

      for (gsize i = 0; i < series->n && series->role == NS_ROLE_DATA; i += MAX (series->n / 3, 1) + step)
        {
          NsAnnotation *annotation;

          if (ns_series_get_mark (series, i) != NS_MARK_NONE)
            continue;
          ns_panel_add_annotation (panel, NS_ANNOTATION_POINT, (int) s, series->x[i], series->y[i], "0.123", 1);
          ns_panel_add_annotation (panel, NS_ANNOTATION_NOTE, (int) s, series->x[i], series->y[i],
                                   "a note with several words that is wrapped", 2);
          ns_panel_add_annotation (panel, NS_ANNOTATION_ARROW, (int) s, series->x[i], series->y[i], "here", 3);
          annotation = ns_panel_add_annotation (panel, NS_ANNOTATION_RATIO, (int) s, series->x[0], series->y[0],
                                                "× 4.1", 4);
          annotation->other_x = series->x[i];
          annotation->other_y = series->y[i];
        }
    }
}

static gboolean
overlap (const NsRect *a, const NsRect *b)
{
  return a->x < b->x + b->width && b->x < a->x + a->width && a->y < b->y + b->height && b->y < a->y + a->height;
}

static guint
check_labels (const NsLayout *layout)
{
  guint n = 0;

  for (guint i = 0; i < layout->labels->len; i++)
    {
      const NsLabel *label = g_ptr_array_index (layout->labels, i);
      const NsRect *rect = &label->rect;
      const NsRect *plot;

      if (label->role != NS_LABEL_ANNOTATION)
        continue;
      n++;
      plot = &ns_layout_get_panel (layout, (guint) label->panel)->plot;
      g_assert_cmpfloat (rect->x, >=, plot->x);
      g_assert_cmpfloat (rect->y, >=, plot->y);
      g_assert_cmpfloat (rect->x + rect->width, <=, plot->x + plot->width);
      g_assert_cmpfloat (rect->y + rect->height, <=, plot->y + plot->height);
      for (guint k = 0; k < layout->labels->len; k++)
        if (k != i)
          g_assert_false (overlap (rect, &((const NsLabel *) g_ptr_array_index (layout->labels, k))->rect));
    }
  return n;
}

static void
test_labels_have_room (void)
{
  const int depths[] = { 1, 24, 1000 };
  const double sizes[][2] = { { 1280, 720 }, { 640, 480 }, { 320, 240 } };

  for (gsize d = 0; d < G_N_ELEMENTS (depths); d++)
    for (gsize s = 0; s < G_N_ELEMENTS (sizes); s++)
      for (int n = 1; n <= 6; n += 5)
        {
          g_autoptr (NsFigure) figure = sample_flow_new (depths[d], n, 0);
          g_autoptr (NsLayout) layout = NULL;
          NsTheme theme;
          guint shown;

          ns_theme_init (&theme, NS_THEME_LIGHT);
          theme.text_scale = s == 0 ? 2.0 : 1.0;
          for (guint p = 0; p < figure->panels->len; p++)
            add_annotations (figure, p, p);
          layout = ns_layout_new (figure, &theme, sizes[s][0], sizes[s][1]);
          shown = check_labels (layout);
          if (s == 0)
            g_assert_cmpuint (shown, >, 0);
        }
}

/* ---- the pointer ---- */

static void
test_pointer_finds (void)
{
  g_autoptr (NsFigure) figure = sample_flow_new (24, 2, 0);
  g_autoptr (NsLayout) layout = NULL;
  NsPanel *panel = g_ptr_array_index (figure->panels, 0);
  const NsSeries *series = g_ptr_array_index (panel->series, 0);
  const NsAnnotationPlace *place;
  const NsLabel *label;
  NsTheme theme;

  ns_theme_init (&theme, NS_THEME_LIGHT);
  ns_panel_add_annotation (panel, NS_ANNOTATION_LINE, -1, series->x[3], NAN, NULL, 6);
  ns_panel_add_annotation (panel, NS_ANNOTATION_NOTE, 0, series->x[3], series->y[3], "a note", 7);
  layout = ns_layout_new (figure, &theme, 1280, 720);
  place = &g_array_index (layout->annotations, NsAnnotationPlace, 1);
  g_assert_cmpfloat (place->x_px, ==, ns_hit_x_to_px (layout, series->x[3]));
  label = g_ptr_array_index (layout->labels, place->label);
  g_assert_cmpint (ns_hit_find_annotation (figure, layout, place->x_px + 1, place->y_px), ==, 7);
  g_assert_cmpint (
      ns_hit_find_annotation (figure, layout, label->rect.x + 2, label->rect.y + 0.5 * label->rect.height), ==, 7);
  g_assert_cmpint (ns_hit_find_annotation (figure, layout, place->x_px + 300, place->y_px), ==, -1);
}

/* ---- blending ---- */

static void
test_blend (void)
{
  g_autoptr (NsFigure) from = sample_flow_new (24, 2, 0);
  g_autoptr (NsFigure) to = sample_flow_new (20, 2, 0);
  NsPanel *from_panel = g_ptr_array_index (from->panels, 0), *to_panel = g_ptr_array_index (to->panels, 0);
  NsSeries *before = g_ptr_array_index (from_panel->series, 0), *after = g_ptr_array_index (to_panel->series, 0);

  for (gsize i = 0; i < before->n; i++)
    before->y[i] = -3.0;
  for (int step = 0; step <= 2; step++)
    {
      g_autoptr (NsFigure) figure = ns_figure_blend (from, to, 0.5 * step);
      const NsSeries *series
          = g_ptr_array_index (((const NsPanel *) g_ptr_array_index (figure->panels, 0))->series, 0);

      g_assert_cmpuint (figure->panels->len, ==, to->panels->len);
      g_assert_cmpuint (series->n, ==, after->n);
      for (gsize i = 0; i < after->n; i++)
        g_assert_cmpfloat_with_epsilon (series->y[i], -3.0 + 0.5 * step * (after->y[i] + 3.0), 1e-12);
    }
  /* Another scale: the curves are where they end. */
  from_panel->scale = to_panel->scale == NS_AXIS_LOG10 ? NS_AXIS_LINEAR : NS_AXIS_LOG10;
  {
    g_autoptr (NsFigure) figure = ns_figure_blend (from, to, 0);
    const NsSeries *series = g_ptr_array_index (((const NsPanel *) g_ptr_array_index (figure->panels, 0))->series, 0);

    g_assert_cmpmem (series->y, series->n * sizeof (double), after->y, after->n * sizeof (double));
  }
}

/* ---- drawing ---- */

static guint
count_ink (const NsFigure *figure, gboolean empty)
{
  cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_ARGB32, 640, 480);
  cairo_t *cr = cairo_create (surface);
  g_autoptr (NsLayout) layout = NULL;
  const guint32 *pixels;
  NsTheme theme;
  guint n = 0;

  ns_theme_init (&theme, NS_THEME_LIGHT);
  theme.transparent = TRUE;
  layout = ns_layout_new (figure, &theme, 640, 480);
  g_assert_true (empty ? ns_figure_draw_empty_with_layout (figure, layout, cr, &theme)
                       : ns_figure_draw_with_layout (figure, layout, cr, &theme));
  cairo_destroy (cr);
  cairo_surface_flush (surface);
  pixels = (const guint32 *) (gconstpointer) cairo_image_surface_get_data (surface);
  for (guint i = 0; i < 640 * 480; i++)
    n += pixels[i] != 0;
  cairo_surface_destroy (surface);
  return n;
}

/* Annotations add ink; the empty figure has less than the full one, and none of annotations. */
static void
test_draws (void)
{
  g_autoptr (NsFigure) figure = sample_flow_new (24, 2, 0);
  guint plain = count_ink (figure, FALSE), empty = count_ink (figure, TRUE);

  g_assert_cmpuint (empty, <, plain);
  add_annotations (figure, 0, 0);
  g_assert_cmpuint (count_ink (figure, FALSE), >, plain);
  g_assert_cmpuint (count_ink (figure, TRUE), ==, empty);
}

void
add_annotations_tests (void)
{
  g_test_add_func ("/annotations/labels-have-room", test_labels_have_room);
  g_test_add_func ("/annotations/pointer-finds", test_pointer_finds);
  g_test_add_func ("/annotations/blend", test_blend);
  g_test_add_func ("/annotations/draws", test_draws);
}
