/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>
#include <pango/pango.h>

#include "layout-checks.h"
#include "plot/ns-layout.h"
#include "plot/ns-range.h"
#include "sample-figures.h"
#include "tests.h"

static const double sizes[][2] = { { 640, 360 }, { 900, 560 }, { 940, 640 }, { 1280, 720 }, { 1920, 1080 } };
static const double text_scales[] = { 1.0, 1.5, 2.0 };
static const int depths[] = { 1, 2, 24, 128, 1000 };
static const int flag_sets[] = {
  SAMPLE_PLAIN,
  SAMPLE_RIGHT_AXIS | SAMPLE_CAPTION,
  SAMPLE_FLAT,
  SAMPLE_TINY_VALUES | SAMPLE_MARKS,
  SAMPLE_LONG_NAMES | SAMPLE_RIGHT_AXIS,
  SAMPLE_PARTS | SAMPLE_CAPTION,
  SAMPLE_PARTS | SAMPLE_RIGHT_AXIS | SAMPLE_MARKS,
  SAMPLE_SUBTITLES | SAMPLE_RIGHT_AXIS,
  SAMPLE_SUBTITLES | SAMPLE_CAPTION | SAMPLE_PARTS,
};

static void
assert_panels (const NsLayout *layout, const char *what)
{
  const NsRect *first = &ns_layout_get_panel (layout, 0)->plot;
  double end = 0.0;

  for (guint p = 0; p < layout->panels->len; p++)
    {
      const NsRect *plot = &ns_layout_get_panel (layout, p)->plot;

      g_assert_cmpfloat (plot->x, ==, first->x);
      g_assert_cmpfloat (plot->width, ==, first->width);
      g_assert_cmpfloat (plot->width, >, 0.3 * layout->width);
      g_assert_cmpfloat (plot->height, >, 20.0);
      g_assert_cmpfloat (plot->y, >, end);
      end = plot->y + plot->height;
    }
  g_assert_cmpfloat (end, <, layout->height);
  g_assert_cmpfloat (layout->x.start_px, ==, first->x);
  g_assert_cmpfloat (layout->x.end_px, ==, first->x + first->width);
  if (count_role (layout, NS_LABEL_NAME) + count_role (layout, NS_LABEL_LEGEND) == 0)
    g_error ("%s: no curve is named", what);
}

/* Each triple of content, depth and size, and each pair with the type's size and the number of variants. */
static void
test_everything_fits (void)
{
  for (guint f = 0; f < G_N_ELEMENTS (flag_sets); f++)
    for (guint d = 0; d < G_N_ELEMENTS (depths); d++)
      for (guint s = 0; s < G_N_ELEMENTS (sizes); s++)
        {
          double text_scale = text_scales[(f + d + s) % G_N_ELEMENTS (text_scales)];
          int n = 1 + 3 * (int) ((f / 3 + d + 2 * s) % 3);
          g_autoptr (NsFigure) figure = sample_flow_new (depths[d], n, flag_sets[f]);
          g_autoptr (NsLayout) layout = NULL;
          g_autofree char *what = NULL;
          NsTheme theme;

          ns_theme_init (&theme, NS_THEME_LIGHT);
          theme.text_scale = text_scale;
          layout = ns_layout_new (figure, &theme, sizes[s][0], sizes[s][1]);
          what = g_strdup_printf ("flags %d, depth %d, %g x %g, type x%g, %d variants", flag_sets[f], depths[d],
                                  sizes[s][0], sizes[s][1], text_scale, n);
          assert_labels (layout, what);
          assert_panels (layout, what);
        }
}

static void
test_scaling_fits (void)
{
  for (guint d = 1; d < G_N_ELEMENTS (depths); d++)
    for (guint s = 0; s < G_N_ELEMENTS (sizes); s++)
      for (guint t = 0; t < G_N_ELEMENTS (text_scales); t++)
        {
          g_autoptr (NsFigure) figure = sample_scaling_new (depths[d]);
          g_autoptr (NsLayout) layout = NULL;
          NsTheme theme;

          ns_theme_init (&theme, NS_THEME_LIGHT);
          theme.text_scale = text_scales[t];
          layout = ns_layout_new (figure, &theme, sizes[s][0], sizes[s][1]);
          assert_labels (layout, "scaling");
          g_assert_cmpuint (count_role (layout, NS_LABEL_X_TICK), >=, 2);
        }
}

static const NsLabel *
find_label (const NsLayout *layout, NsLabelRole role, int panel)
{
  for (guint i = 0; i < layout->labels->len; i++)
    {
      const NsLabel *label = g_ptr_array_index (layout->labels, i);

      if (label->role == role && label->panel == panel)
        return label;
    }
  return NULL;
}

/* A title that does not fit is replaced by its short form, not cut off. Subtitles are omitted before plots shrink too
 * much. */
static void
test_titles_in_words (void)
{
  g_autoptr (NsFigure) figure = sample_flow_new (24, 2, SAMPLE_SUBTITLES);
  const NsPanel *panel = g_ptr_array_index (figure->panels, 0);
  NsTheme theme;

  ns_theme_init (&theme, NS_THEME_LIGHT);
  for (double width = 300; width <= 1200; width += 100)
    {
      g_autoptr (NsLayout) layout = ns_layout_new (figure, &theme, width, 600);
      const NsLabel *title = find_label (layout, NS_LABEL_Y_TITLE, 0), *subtitle, *note;
      const NsRect *chooser = &ns_layout_get_panel (layout, 0)->chooser;

      g_assert_cmpstr (title->text, ==, width >= 700 ? panel->title : panel->short_title);
      g_assert_false (pango_layout_is_ellipsized (title->pango));
      g_assert_cmpfloat (chooser->x, ==, title->rect.x);
      g_assert_cmpfloat (chooser->width, >, title->rect.width + 4);
      g_assert_cmpfloat (chooser->x + chooser->width, <, width);
      subtitle = find_label (layout, NS_LABEL_SUBTITLE, 0);
      g_assert_cmpstr (subtitle->text, ==, panel->subtitle);
      g_assert_cmpfloat (subtitle->rect.y, >=, title->rect.y + title->rect.height);
      /* The note is next to the subtitle, so that the title keeps its form without the note. */
      note = find_label (layout, NS_LABEL_NOTE, 0);
      g_assert_cmpfloat_with_epsilon (note->rect.y, subtitle->rect.y, 2);
    }
  for (double height = 600; height > 100; height -= 20)
    {
      g_autoptr (NsLayout) layout = ns_layout_new (figure, &theme, 900, height);

      if (find_label (layout, NS_LABEL_SUBTITLE, 0) == NULL)
        {
          g_assert_nonnull (find_label (layout, NS_LABEL_X_TITLE, -1));
          return;
        }
    }
  g_assert_not_reached ();
}

/* The title of a part that is too narrow for it gives way to the part's name. */
static void
test_part_names (void)
{
  g_autoptr (NsFigure) figure = sample_flow_new (6, 1, SAMPLE_PARTS);
  NsAxisPart *part = g_ptr_array_index (figure->x_parts, 0);
  NsTheme theme;

  g_free (part->title);
  part->title = g_strdup ("← start · The first of the two <i>parts</i>");
  ns_theme_init (&theme, NS_THEME_LIGHT);
  for (int wide = 0; wide < 2; wide++)
    {
      g_autoptr (NsLayout) layout = ns_layout_new (figure, &theme, wide ? 1280 : 400, 600);
      const NsLabel *label = find_label (layout, NS_LABEL_X_TITLE, -1);

      g_assert_cmpstr (label->text, ==, wide ? part->title : part->name);
      g_assert_false (pango_layout_is_ellipsized (label->pango));
      assert_labels (layout, "parts");
    }
}

static void
test_names_or_legend (void)
{
  g_autoptr (NsFigure) few = sample_flow_new (24, 2, SAMPLE_FLAT);
  g_autoptr (NsFigure) many = sample_flow_new (24, 40, SAMPLE_LONG_NAMES);
  g_autoptr (NsLayout) named = NULL, listed = NULL;
  const NsLabel *last;
  NsTheme theme;

  ns_theme_init (&theme, NS_THEME_LIGHT);
  named = ns_layout_new (few, &theme, 1280, 720);
  g_assert_false (named->has_legend);
  g_assert_cmpuint (count_role (named, NS_LABEL_NAME), ==, 2);

  listed = ns_layout_new (many, &theme, 1280, 720);
  g_assert_true (listed->has_legend);
  g_assert_cmpuint (count_role (listed, NS_LABEL_NAME), ==, 0);
  g_assert_cmpuint (count_role (listed, NS_LABEL_LEGEND), >, 4);
  assert_labels (listed, "40 variants");
  last = NULL;
  for (guint i = 0; i < listed->labels->len; i++)
    {
      const NsLabel *label = g_ptr_array_index (listed->labels, i);

      last = label->role == NS_LABEL_LEGEND ? label : last;
    }
  g_assert_true (g_str_has_suffix (last->text, "more"));
}

static void
test_names_are_at_ends (void)
{
  g_autoptr (NsFigure) figure = sample_flow_new (24, 2, SAMPLE_PLAIN);
  g_autoptr (NsLayout) layout = NULL;
  NsTheme theme;

  ns_theme_init (&theme, NS_THEME_LIGHT);
  layout = ns_layout_new (figure, &theme, 1280, 720);
  for (guint i = 0; i < layout->labels->len; i++)
    {
      const NsLabel *label = g_ptr_array_index (layout->labels, i);
      const NsPanel *panel;
      const NsSeries *series;
      double end;

      if (label->role != NS_LABEL_NAME)
        continue;
      panel = g_ptr_array_index (figure->panels, label->panel);
      series = g_ptr_array_index (panel->series, label->series);
      end = ns_scale_map (&ns_layout_get_panel (layout, label->panel)->y, series->y[series->n - 1]);
      g_assert_cmpfloat_with_epsilon (label->rect.y + 0.5 * label->rect.height, end, 0.01);
      g_assert_cmpfloat (label->rect.x, >=, layout->x.end_px);
    }
}

/* Horizontal lines, even close ones, have their names on them, within the plot, and none elsewhere. */
static void
test_names_on_lines (void)
{
  static const double x[] = { 0, 24 };

  for (guint s = 0; s < G_N_ELEMENTS (sizes); s++)
    {
      g_autoptr (NsFigure) figure = sample_flow_new (24, 2, SAMPLE_PLAIN);
      NsPanel *panel = g_ptr_array_index (figure->panels, 0);
      g_autoptr (NsLayout) layout = NULL;
      double min, max;
      guint n = 0;
      NsTheme theme;

      g_assert_true (ns_panel_get_data_range (panel, NS_SIDE_LEFT, &min, &max));
      for (int i = 0; i < 2; i++)
        {
          double at = min + (0.5 + 0.02 * i) * (max - min), y[] = { at, at };
          NsSeries *line = ns_panel_add_series (panel, i == 0 ? "floor 1.84" : "ln V 2.77", NS_SERIES_LINE, 0, 2, x, y,
                                                NULL, NULL, NULL);

          line->role = NS_ROLE_REFERENCE;
          line->on_line = TRUE;
        }
      ns_theme_init (&theme, NS_THEME_LIGHT);
      layout = ns_layout_new (figure, &theme, sizes[s][0], sizes[s][1]);
      for (guint i = 0; i < layout->labels->len; i++)
        {
          const NsLabel *label = g_ptr_array_index (layout->labels, i);
          const NsRect *plot = label->panel >= 0 ? &ns_layout_get_panel (layout, label->panel)->plot : NULL;
          const NsSeries *line = label->series >= 0 ? g_ptr_array_index (panel->series, label->series) : NULL;
          double middle = label->rect.y + 0.5 * label->rect.height;

          if (line == NULL || label->panel != 0 || !line->on_line)
            continue;
          n++;
          g_assert_cmpint (label->role, ==, NS_LABEL_ANNOTATION);
          g_assert_cmpstr (label->text, ==, line->name);
          g_assert_cmpfloat (label->rect.x, >=, plot->x);
          g_assert_cmpfloat (label->rect.x + label->rect.width, <=, plot->x + plot->width);
          g_assert_cmpfloat (fabs (middle - ns_scale_map (&ns_layout_get_panel (layout, 0)->y, line->y[0])), <,
                             label->rect.height);
        }
      g_assert_cmpuint (n, ==, 2);
    }
}

static void
test_bars_have_margins (void)
{
  g_autoptr (NsFigure) figure = sample_flow_new (24, 2, SAMPLE_PLAIN);
  g_autoptr (NsLayout) layout = NULL;
  NsTheme theme;

  ns_theme_init (&theme, NS_THEME_LIGHT);
  layout = ns_layout_new (figure, &theme, 1280, 720);
  g_assert_cmpfloat (layout->x.min, ==, 0.5);
  g_assert_cmpfloat (layout->x.max, ==, 24.5);
  g_assert_cmpfloat (layout->slot, ==, 1.0);
  g_assert_cmpint (ns_layout_get_panel (layout, 1)->n_bars, ==, 2);
  g_assert_cmpfloat (ns_layout_get_panel (layout, 1)->bar_px, >=, NS_BAR_MIN_PX);
}

static void
test_message (void)
{
  g_autoptr (NsFigure) figure = ns_figure_new ();
  NsPanel *panel = ns_figure_add_panel (figure, "<b>broken", NS_AXIS_LOG10);
  g_autoptr (NsLayout) layout = NULL;
  NsTheme theme;

  panel->message = g_strdup ("The forward pass overflowed at block 7: there is no gradient to show.");
  ns_theme_init (&theme, NS_THEME_DARK);
  layout = ns_layout_new (figure, &theme, 640, 360);
  g_assert_cmpuint (count_role (layout, NS_LABEL_MESSAGE), ==, 1);
  g_assert_cmpuint (count_role (layout, NS_LABEL_Y_TICK), ==, 0);
  assert_labels (layout, "message");
}

static void
test_absurd_sizes (void)
{
  static const double absurd[] = { 0, -5, 1, 17, 60, NAN, INFINITY, 30000 };

  for (guint w = 0; w < G_N_ELEMENTS (absurd); w++)
    for (guint h = 0; h < G_N_ELEMENTS (absurd); h++)
      {
        g_autoptr (NsFigure) figure = sample_flow_new (24, 3, SAMPLE_CAPTION | SAMPLE_RIGHT_AXIS);
        g_autoptr (NsFigure) empty = ns_figure_new ();
        g_autoptr (NsLayout) layout = NULL, nothing = NULL;
        NsTheme theme;

        ns_theme_init (&theme, NS_THEME_LIGHT);
        layout = ns_layout_new (figure, &theme, absurd[w], absurd[h]);
        nothing = ns_layout_new (empty, &theme, absurd[w], absurd[h]);
        g_assert_cmpuint (layout->panels->len, ==, 2);
        g_assert_nonnull (layout->x_ticks);
        g_assert_nonnull (nothing->x_ticks);
      }
}

void
add_layout_tests (void)
{
  g_test_add_func ("/layout/everything-fits", test_everything_fits);
  g_test_add_func ("/layout/scaling-fits", test_scaling_fits);
  g_test_add_func ("/layout/titles-in-words", test_titles_in_words);
  g_test_add_func ("/layout/part-names", test_part_names);
  g_test_add_func ("/layout/names-or-legend", test_names_or_legend);
  g_test_add_func ("/layout/names-are-at-ends", test_names_are_at_ends);
  g_test_add_func ("/layout/names-on-lines", test_names_on_lines);
  g_test_add_func ("/layout/bars-have-margins", test_bars_have_margins);
  g_test_add_func ("/layout/message", test_message);
  g_test_add_func ("/layout/absurd-sizes", test_absurd_sizes);
}
