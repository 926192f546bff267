/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>
#include <string.h>

#include "plot/ns-theme.h"
#include "tests.h"

static void
test_contrast_formula (void)
{
  const NsColor white = { 1, 1, 1 }, black = { 0, 0, 0 }, grey = { 0x77 / 255.0, 0x77 / 255.0, 0x77 / 255.0 };

  g_assert_cmpfloat_with_epsilon (ns_color_contrast (&white, &black), 21.0, 1e-9);
  g_assert_cmpfloat_with_epsilon (ns_color_contrast (&white, &grey), 4.478, 1e-3);
  g_assert_cmpfloat_with_epsilon (ns_color_contrast (&grey, &grey), 1.0, 1e-9);
}

static void
test_palette (void)
{
  const NsColor pre = { 0, 0x72 / 255.0, 0xB2 / 255.0 }, post = { 0xD5 / 255.0, 0x5E / 255.0, 0 };
  NsTheme theme;
  NsStyle style;

  ns_theme_init (&theme, NS_THEME_LIGHT);
  style = ns_theme_get_style (&theme, 0);
  g_assert_cmpmem (&style.line, sizeof style.line, &pre, sizeof pre);
  g_assert_cmpint (style.n_dash, ==, 0);
  style = ns_theme_get_style (&theme, 1);
  g_assert_cmpmem (&style.line, sizeof style.line, &post, sizeof post);
}

static void
test_contrast (void)
{
  for (int kind = NS_THEME_LIGHT; kind <= NS_THEME_HIGH_CONTRAST_DARK; kind++)
    {
      NsTheme theme;

      ns_theme_init (&theme, kind);
      g_assert_cmpfloat (ns_color_contrast (&theme.foreground, &theme.background), >=, 7.0);
      for (int i = 0; i < 2 * NS_STYLE_N; i++)
        {
          NsStyle style = ns_theme_get_style (&theme, i);

          g_assert_cmpfloat (ns_color_contrast (&style.text, &theme.background), >=, 4.5);
          if (kind != NS_THEME_LIGHT)
            g_assert_cmpfloat (ns_color_contrast (&style.line, &theme.background), >=, 4.5);
        }
      for (int mark = NS_MARK_NAN; mark <= NS_MARK_UNDERFLOW; mark++)
        {
          NsColor color = ns_theme_get_mark_color (&theme, mark);

          g_assert_cmpfloat (ns_color_contrast (&color, &theme.background), >=, 4.5);
        }
    }
}

static void
test_distinguishable (void)
{
  NsTheme theme;

  ns_theme_init (&theme, NS_THEME_LIGHT);
  for (int i = 0; i < NS_STYLE_N; i++)
    for (int k = 0; k < i; k++)
      {
        NsStyle a = ns_theme_get_style (&theme, i), b = ns_theme_get_style (&theme, k);
        gboolean same_color = memcmp (&a.line, &b.line, sizeof a.line) == 0;
        gboolean same_dash = a.n_dash == b.n_dash && memcmp (a.dash, b.dash, sizeof a.dash) == 0;

        /* Without colour, dash and marker together distinguish all styles; with colour, each alone does. */
        g_assert_false (same_dash && a.marker == b.marker);
        if (same_color)
          g_assert_true (!same_dash && a.marker != b.marker);
      }
}

static void
test_series_style (void)
{
  NsSeries series = { .style = 3, .has_color = TRUE, .color = { 0.1, 0.1, 0.1 } };
  NsTheme light, dark;
  NsStyle style;

  ns_theme_init (&light, NS_THEME_LIGHT);
  ns_theme_init (&dark, NS_THEME_DARK);
  style = ns_theme_get_series_style (&light, &series);
  g_assert_cmpfloat (style.line.red, ==, 0.1);
  g_assert_cmpint (style.marker, ==, ns_theme_get_style (&light, 3).marker);
  style = ns_theme_get_series_style (&dark, &series);
  g_assert_cmpfloat (ns_color_contrast (&style.line, &dark.background), >=, 4.5);
  series.role = NS_ROLE_GHOST;
  style = ns_theme_get_series_style (&light, &series);
  g_assert_cmpint (style.n_dash, ==, 0);
  /* A former curve keeps 35 % of the hue of its variant. */
  g_assert_cmpfloat_with_epsilon (style.line.red, 1 + 0.35 * (0.1 - 1), 1e-9);
  series.has_color = FALSE;
  style = ns_theme_get_series_style (&light, &series);
  g_assert_cmpfloat_with_epsilon (style.line.green, 1 + 0.35 * (ns_theme_get_style (&light, 3).line.green - 1), 1e-9);
}

void
add_theme_tests (void)
{
  g_test_add_func ("/theme/contrast-formula", test_contrast_formula);
  g_test_add_func ("/theme/palette", test_palette);
  g_test_add_func ("/theme/contrast", test_contrast);
  g_test_add_func ("/theme/distinguishable", test_distinguishable);
  g_test_add_func ("/theme/series-style", test_series_style);
}
