/* Print the median time of drawing a figure at 1600 × 1000 px, up to six variants and 1024 blocks.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <cairo.h>
#include <stdlib.h>

#include "plot/ns-draw.h"
#include "sample-figures.h"

#define ROUNDS 60

static int
compare_doubles (const void *a, const void *b)
{
  double left = *(const double *) a, right = *(const double *) b;

  return left < right ? -1 : left > right;
}

typedef enum
{
  PART_LAYOUT,
  PART_DRAW,
  PART_ALL,
  PART_OVERLAY,
} Part;

static double
measure (const NsFigure *figure, const NsTheme *theme, cairo_t *cr, int depth, Part part)
{
  g_autoptr (NsLayout) layout = ns_layout_new (figure, theme, 1600, 1000);
  double ms[ROUNDS];

  for (int i = 0; i < ROUNDS; i++)
    {
      gint64 start = g_get_monotonic_time ();

      if (part == PART_LAYOUT)
        ns_layout_free (ns_layout_new (figure, theme, 1600, 1000));
      else if (part == PART_DRAW)
        ns_figure_draw_with_layout (figure, layout, cr, theme);
      else if (part == PART_ALL)
        ns_figure_draw (figure, cr, theme, 1600, 1000);
      else
        ns_figure_draw_overlay_with_layout (figure, layout, cr, theme, (depth + 1) / 2, 0);
      ms[i] = (double) (g_get_monotonic_time () - start) / 1000.0;
    }
  qsort (ms, ROUNDS, sizeof ms[0], compare_doubles);
  return ms[ROUNDS / 2];
}

static void
report (const char *what, int depth, int n_variants, int flags)
{
  g_autoptr (NsFigure) figure = sample_flow_new (depth, n_variants, flags);
  cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_ARGB32, 1600, 1000);
  cairo_t *cr = cairo_create (surface);
  NsTheme theme;

  ns_theme_init (&theme, NS_THEME_LIGHT);
  g_print ("%-37s all %6.2f ms  layout %6.2f ms  drawing %6.2f ms  crosshair %6.3f ms\n", what,
           measure (figure, &theme, cr, depth, PART_ALL), measure (figure, &theme, cr, depth, PART_LAYOUT),
           measure (figure, &theme, cr, depth, PART_DRAW), measure (figure, &theme, cr, depth, PART_OVERLAY));
  cairo_destroy (cr);
  cairo_surface_destroy (surface);
}

int
main (void)
{
  g_print ("Median time of a drawing at 1600 x 1000 (goal: 5 ms)\n");
  report ("2 variants, 24 blocks", 24, 2, SAMPLE_RIGHT_AXIS | SAMPLE_GHOST);
  report ("6 variants, 24 blocks", 24, 6, SAMPLE_RIGHT_AXIS | SAMPLE_GHOST);
  report ("6 variants, 1024 blocks", 1024, 6, SAMPLE_PLAIN);
  report ("6 variants, 1024 blocks, everything", 1024, 6, SAMPLE_RIGHT_AXIS | SAMPLE_GHOST | SAMPLE_MARKS);
  return 0;
}
