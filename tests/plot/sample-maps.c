/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>

#include "sample-figures.h"

static const char *const names[] = { "Pre-LN", "Post-LN", "Mix-LN", "Sandwich", "DeepNorm", "No norm" };

double
sample_get_cell (int depth, int variant, int row, int column, SampleFlags flags)
{
  double near = depth > 0 ? (double) ABS (row - column) / depth : 0.0;

  if (flags & SAMPLE_FLAT)
    return (flags & SAMPLE_DIVERGING) ? 1.0 : 0.0;
  if (flags & SAMPLE_DIVERGING)
    return cos (3.0 * near * (1 + variant % 3)) * (1.0 - 0.3 * near);
  return 0.5 * (log10 (1.0 + column) - log10 (1.0 + row)) * (variant % 3 - 0.5) * (variant > 2 ? 3 : 1);
}

static guint8
get_mark (int depth, int row, int column, SampleFlags flags)
{
  if (!(flags & SAMPLE_DIVERGING) && column < row)
    return NS_MARK_ABSENT;
  if (!(flags & SAMPLE_MARKS))
    return NS_MARK_NONE;
  if (row == depth)
    return NS_MARK_NAN;
  if (column > 0.8 * depth && row < 0.3 * depth)
    return NS_MARK_INF;
  return column == depth / 2 && row > depth / 4 ? NS_MARK_UNDERFLOW : NS_MARK_NONE;
}

static void
add_map (NsFigure *figure, int depth, int variant, SampleFlags flags)
{
  int parts = (flags & SAMPLE_PARTS) ? 2 : 1, stride = sample_get_stride (depth) + 1;
  gint64 n = (gint64) parts * (depth + 1), n_cells = n * n;
  g_autofree double *at = g_new (double, n), *value = g_new (double, n_cells);
  g_autofree guint8 *mark = g_new (guint8, n_cells);
  g_autofree char *name = (flags & SAMPLE_LONG_NAMES)
                              ? g_strdup_printf ("%s with a name that someone typed at length", names[variant % 6])
                              : g_strdup (names[variant % 6]);
  NsPanel *panel = ns_figure_add_panel (figure, NULL, NS_AXIS_LINEAR);
  NsHeatMap *map;

  panel->has_chooser = (flags & SAMPLE_SUBTITLES) != 0;
  for (gint64 i = 0; i < n; i++)
    at[i] = (double) (i / (depth + 1) * stride + i % (depth + 1));
  for (gint64 row = 0; row < n; row++)
    for (gint64 column = 0; column < n; column++)
      {
        int r = (int) (row % (depth + 1)), c = (int) (column % (depth + 1));

        value[row * n + column] = sample_get_cell (depth, variant, r, c, flags);
        mark[row * n + column] = get_mark (depth, r, c, flags);
      }
  map = ns_panel_set_heat_map (panel, name, variant, n, n, at, at, value, mark);
  map->provisional = (flags & SAMPLE_PROVISIONAL) != 0;
}

NsFigure *
sample_maps_new (int depth, int n_variants, SampleFlags flags)
{
  NsFigure *figure = ns_figure_new ();
  gboolean diverging = (flags & SAMPLE_DIVERGING) != 0;
  const char *title = diverging ? "Similarity of the residual stream, cos (<i>x</i><sub><i>l</i></sub>, "
                                  "<i>x</i><sub><i>m</i></sub>)"
                                : "Gain from block <i>m</i> back to block <i>l</i>, ‖<i>J</i>ᵀ<i>v</i>‖/‖<i>v</i>‖";
  NsColorScale *colors = ns_figure_set_colors (figure, title, diverging ? NS_AXIS_LINEAR : NS_AXIS_LOG10,
                                               diverging ? NS_COLORS_DIVERGING : NS_COLORS_SEQUENTIAL, 0.0);
  int stride = sample_get_stride (depth) + 1;

  colors->short_title = g_strdup (diverging ? "Similarity" : "Gain");
  colors->symbol = g_strdup (diverging ? "cos" : "<i>G</i>");
  colors->accessible_title = g_strdup (diverging ? "Similarity of the residual stream" : "Gain");
  if (flags & SAMPLE_SUBTITLES)
    colors->subtitle = g_strdup ("log scale · mean of 8 seeds · 4 probes");
  if (flags & SAMPLE_CAPTION)
    {
      figure->title = g_strdup ("Paths of the gradient at initialization");
      figure->caption = g_strdup ("Pre-LN lets the gradient pass whole. Mean of 8 seeds, d_model 128, 4 heads.");
    }
  figure->note = g_strdup ("1 of 8 seeds");
  figure->x_title = g_strdup ("Block <i>m</i>");
  figure->y_title = g_strdup ("Block <i>l</i>");
  figure->x_name = g_strdup ("Block m");
  figure->y_name = g_strdup ("Block l");
  figure->x_integers = TRUE;
  figure->square_cells = TRUE;
  if (flags & SAMPLE_PARTS)
    {
      ns_figure_add_x_part (figure, "First", "First part, <i>m</i>", 0, depth, 0);
      ns_figure_add_x_part (figure, "Second", "Second part, <i>m</i>", stride, stride + depth, stride);
      ns_figure_add_y_part (figure, "First", "First part, <i>l</i>", 0, depth, 0);
      ns_figure_add_y_part (figure, "Second", "Second part, <i>l</i>", stride, stride + depth, stride);
    }
  for (int v = 0; v < n_variants; v++)
    add_map (figure, depth, v, flags);
  return figure;
}

static double
get_share (int depth, int variant, int writer, int block, SampleFlags flags)
{
  double share = (variant % 2 ? pow (0.7, block - (writer + 1) / 2) : 1.0) / (block + 1.0);

  if ((flags & SAMPLE_DIVERGING) && writer % 5 == 3)
    return -0.4 * share;
  return writer == 0 ? share : 0.5 * share * (writer % 2 ? 1.3 : 0.7) * (1.0 + 0.2 * sin (writer + depth));
}

NsFigure *
sample_stack_new (int depth, int n_variants, SampleFlags flags)
{
  static const char *const groups[] = { "Input", "Attention", "Feed-forward" };
  static const int hues[] = { 0, 1, 3 };
  NsFigure *figure = ns_figure_new ();
  g_autofree double *x = g_new (double, depth), *y = g_new (double, depth);
  g_autofree guint8 *mark = g_new0 (guint8, depth);

  figure->x_title = g_strdup ("block");
  figure->x_integers = TRUE;
  for (int v = 0; v < n_variants; v++)
    {
      NsPanel *panel = ns_figure_add_panel (figure, names[v % 6], NS_AXIS_LINEAR);

      panel->zero_based = TRUE;
      for (int hue = 0; hue < 3; hue++)
        for (int block = hue > 0 ? 1 : 0; block <= (hue > 0 ? depth : 0); block++)
          {
            g_autofree char *name = g_strdup_printf ("%s %d", groups[hue], block);
            int writer = hue == 0 ? 0 : 2 * block - 2 + hue, n = 0;

            for (int at = MAX (1, block); at <= depth; at++, n++)
              {
                x[n] = at;
                y[n] = get_share (depth, v, writer, at, flags);
                mark[n] = (flags & SAMPLE_MARKS) && at > 0.8 * depth ? NS_MARK_NAN : NS_MARK_NONE;
              }
            ns_panel_add_stack (panel, name, hues[hue], groups[hue],
                                hue > 0 && depth > 1 ? 1.0 - (block - 1) / (depth - 1.0) : 0.0, (gsize) n, x, y, mark);
          }
    }
  return figure;
}
