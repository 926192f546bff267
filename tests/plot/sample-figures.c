/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "sample-figures.h"

#include <math.h>

static const char *const names[] = { "Pre-LN", "Post-LN", "Mix-LN", "Sandwich", "DeepNorm", "No norm" };

/* Return reproducible noise in −1..1, a hash of a and b. */
static double
noise (int a, int b)
{
  guint32 h = (guint32) a * 2654435761u ^ (guint32) b * 40503u;

  h ^= h >> 15;
  h *= 2246822519u;
  h ^= h >> 13;
  return (h % 20001) / 10000.0 - 1.0;
}

static double
curve (int variant, double share, SampleFlags flags)
{
  if (flags & SAMPLE_FLAT)
    return -1.0 + 0.001 * variant;
  if ((flags & SAMPLE_TINY_VALUES) && variant == 1)
    return -900.0 * (1.0 - share);
  switch (variant % 3)
    {
    case 0:
      return -0.2 - 0.6 * log10 (1.0 + 24.0 * share) - 0.05 * variant;
    case 1:
      return 0.1 + 0.03 * variant;
    default:
      return -1.0 + 1.1 * share * share - 0.1 * variant;
    }
}

static char *
make_name (int variant, SampleFlags flags)
{
  const char *name = names[variant % (int) G_N_ELEMENTS (names)];

  if (flags & SAMPLE_LONG_NAMES)
    return g_strdup_printf ("%s with a name that someone typed at length, number %d", name, variant + 1);
  return variant < (int) G_N_ELEMENTS (names) ? g_strdup (name) : g_strdup_printf ("%s %d", name, variant + 1);
}

static void
add_curve (NsPanel *panel, int depth, int variant, SampleFlags flags, gboolean is_ghost)
{
  g_autofree char *name = make_name (variant, flags);
  g_autofree double *x = g_new (double, depth), *y = g_new (double, depth);
  g_autofree double *low = g_new (double, depth), *high = g_new (double, depth);
  g_autofree guint8 *mark = g_new0 (guint8, depth);
  NsSeries *series;

  for (int i = 0; i < depth; i++)
    {
      double share = depth > 1 ? (double) i / (depth - 1) : 0.0;

      x[i] = i + 1;
      y[i] = curve (variant, share, flags) + ((flags & SAMPLE_FLAT) ? 0.0 : 0.03 * noise (i, variant));
      y[i] += is_ghost ? 0.25 : 0.0;
      low[i] = y[i] - 0.08;
      high[i] = y[i] + 0.08;
      if ((flags & SAMPLE_MARKS) && !is_ghost && variant == 1 && i % 7 == 3)
        mark[i] = NS_MARK_UNDERFLOW;
      if ((flags & SAMPLE_MARKS) && !is_ghost && variant == 0 && i > 0.8 * depth)
        mark[i] = i % 2 ? NS_MARK_NAN : NS_MARK_INF;
    }
  series = ns_panel_add_series (panel, name, NS_SERIES_LINE, variant, depth, x, y, is_ghost ? NULL : low,
                                is_ghost ? NULL : high, mark);
  series->role = is_ghost ? NS_ROLE_GHOST : NS_ROLE_DATA;
  series->provisional = (flags & SAMPLE_PROVISIONAL) != 0;
}

static void
add_bars (NsPanel *panel, int depth, int variant, SampleFlags flags, gboolean is_ghost)
{
  g_autofree char *name = make_name (variant, flags);
  g_autofree double *x = g_new (double, depth), *y = g_new (double, depth), *cosine = g_new (double, depth);
  g_autofree guint8 *mark = g_new0 (guint8, depth);
  NsSeries *series;

  for (int i = 0; i < depth; i++)
    {
      x[i] = i + 1;
      y[i] = variant % 2 ? 1.0 : sqrt (1.0 + i) * (1.0 - 0.1 * variant) + 0.1 * noise (i, variant + 50);
      y[i] += is_ghost ? 0.5 : 0.0;
      cosine[i] = 1.0 - exp (-(0.1 + 0.05 * variant) * i);
      if ((flags & SAMPLE_MARKS) && !is_ghost && variant == 0 && i > 0.8 * depth)
        mark[i] = NS_MARK_INF;
    }
  series = ns_panel_add_series (panel, name, NS_SERIES_BARS, variant, depth, x, y, NULL, NULL, mark);
  series->role = is_ghost ? NS_ROLE_GHOST : NS_ROLE_DATA;
  if (!(flags & SAMPLE_RIGHT_AXIS) || is_ghost)
    return;
  series = ns_panel_add_series (panel, name, NS_SERIES_LINE, variant, depth, x, cosine, NULL, NULL, NULL);
  series->side = NS_SIDE_RIGHT;
}

int
sample_get_stride (int depth)
{
  return depth + 1 + depth / 12;
}

static void
divide (NsFigure *figure, int depth)
{
  int stride = sample_get_stride (depth);

  for (guint p = 0; p < figure->panels->len; p++)
    {
      const NsPanel *panel = g_ptr_array_index (figure->panels, p);

      for (guint s = 0; s < panel->series->len; s++)
        {
          NsSeries *series = g_ptr_array_index (panel->series, s);

          for (gsize i = 0; i < series->n; i++)
            series->x[i] += series->x[i] > depth ? stride - depth : 0;
        }
    }
  ns_figure_add_x_part (figure, "First", "First part", 1, depth, 0);
  ns_figure_add_x_part (figure, "Second", "Second <i>part</i>", stride + 1, stride + depth, stride);
}

static void
add_words (NsPanel *panel, const char *title, const char *subtitle)
{
  panel->short_title = panel->title;
  panel->title = g_strconcat (title, ", ", panel->short_title, NULL);
  panel->subtitle = g_strdup (subtitle);
  panel->has_chooser = TRUE;
}

NsFigure *
sample_flow_new (int depth, int n_variants, SampleFlags flags)
{
  int part_depth = depth;
  NsFigure *figure = ns_figure_new ();
  NsPanel *top = ns_figure_add_panel (figure, "gradient norm ‖∂<i>L</i>/∂<i>W</i><sub>2</sub>‖", NS_AXIS_LOG10);
  NsPanel *bottom = ns_figure_add_panel (figure, "activation RMS of <i>x</i><sub><i>l</i></sub>", NS_AXIS_LINEAR);

  depth *= (flags & SAMPLE_PARTS) ? 2 : 1;
  figure->x_title = g_strdup ("block");
  figure->x_integers = TRUE;
  figure->note = g_strdup ("1 of 8 seeds");
  if (flags & SAMPLE_CAPTION)
    {
      figure->title = g_strdup ("Gradient norms and activation magnitudes at initialization");
      figure->caption = g_strdup ("Pre-LN: falls to a quarter from block 1 to 24. Post-LN: flat. At the top Post-LN "
                                  "is 4.3 times Pre-LN. Mean and standard deviation of 8 seeds, d_model 128, 4 heads, "
                                  "d_ff 512, 2 × 32 tokens.");
    }
  if (flags & SAMPLE_SUBTITLES)
    {
      add_words (top, "Gradient norm of the feed-forward network's last matrix",
                 "log scale · mean ×/÷ 1 sd of 8 seeds");
      add_words (bottom, "Size of the residual stream", "linear scale · mean of 8 seeds");
    }
  bottom->zero_based = TRUE;
  if (flags & SAMPLE_RIGHT_AXIS)
    {
      bottom->right_title = g_strdup ("token similarity");
      bottom->right_min = 0.0;
      bottom->right_max = 1.0;
    }
  for (int v = 0; v < n_variants; v++)
    {
      if (flags & SAMPLE_GHOST)
        {
          add_curve (top, depth, v, flags, TRUE);
          add_bars (bottom, depth, v, flags, TRUE);
        }
      add_curve (top, depth, v, flags, FALSE);
      add_bars (bottom, depth, v, flags, FALSE);
    }
  if (flags & SAMPLE_PARTS)
    divide (figure, part_depth);
  return figure;
}

NsFigure *
sample_scaling_new (int depth)
{
  NsFigure *figure = ns_figure_new ();
  const char *title = "‖∂<i>L</i>/∂<i>W</i><sub>2</sub>‖ of the last block";
  NsPanel *panel = ns_figure_add_panel (figure, title, NS_AXIS_LOG10);
  int n = 0;

  figure->x_title = g_strdup ("depth <i>L</i>");
  figure->x_integers = TRUE;
  figure->x_scale = NS_AXIS_LOG10;
  for (int v = 0; v < 2; v++)
    {
      g_autofree double *x = g_new (double, depth + 1), *y = g_new (double, depth + 1);
      g_autofree double *law = g_new (double, depth + 1);
      NsSeries *series;

      n = 0;
      for (double l = 1.0; l <= depth; l = MAX (l + 1.0, floor (l * 1.25)))
        {
          x[n] = log10 (l);
          law[n] = v == 0 ? -0.5 * x[n] : 0.1;
          y[n] = law[n] + 0.03 * noise (n, v);
          n++;
        }
      x[n] = log10 (depth);
      law[n] = y[n] = v == 0 ? -0.5 * x[n] : 0.1;
      n += x[n] > x[n - 1];
      ns_panel_add_series (panel, names[v], NS_SERIES_LINE, v, n, x, y, NULL, NULL, NULL);
      series = ns_panel_add_series (panel, v == 0 ? "1/√L" : "constant", NS_SERIES_LINE, v, n, x, law, NULL, NULL,
                                    NULL);
      series->role = NS_ROLE_REFERENCE;
    }
  return figure;
}
