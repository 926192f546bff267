/* The figure of a sensitivity map, and its read-out.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "figures/ns-sensitivity-figure.h"

#include "figures/ns-curve.h"
#include "figures/ns-format.h"
#include "figures/training/ns-sensitivity-private.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <stddef.h>

/* Learning rates that are not evenly spaced are drawn by that many narrow columns for each. */
#define FINE 24
#define RATE_ROUNDING 1e-6

static const NsFigureChoice axes[] = {
  { "depth", NS_SENSITIVITY_DEPTH, N_ ("Over depth") },
  { "warmup", NS_SENSITIVITY_WARMUP, N_ ("Over warm-up") },
  { NULL },
};
static const NsFigureChoice seeds_choices[] = {
  { "worst", NS_SEEDS_WORST, N_ ("Worst seed") },
  { "mean", NS_SEEDS_MEAN, N_ ("Mean of seeds") },
  { "best", NS_SEEDS_BEST, N_ ("Best seed") },
  { NULL },
};

const NsFigureOption ns_sensitivity_options[] = {
  { .name = "over",
    .help = N_ ("What the rows of the map are, besides the learning rate"),
    .title = N_ ("Rows"),
    .type = NS_FIGURE_OPTION_CHOICE,
    .offset = offsetof (NsFigureOptions, sensitivity.over),
    .choices = axes },
  { .name = "of-seeds",
    .help = N_ ("The seed that a cell shows"),
    .title = N_ ("Seeds"),
    .type = NS_FIGURE_OPTION_CHOICE,
    .offset = offsetof (NsFigureOptions, sensitivity.seeds),
    .choices = seeds_choices },
  { NULL },
};

void
ns_sensitivity_options_init (NsSensitivityOptions *options)
{
  *options = (NsSensitivityOptions) { .seeds = NS_SEEDS_WORST };
}

/* ---- the axes ---- */

/* Return the middle between two neighbouring rates, log10, or as far outside the first or the last one. */
static double
get_edge (const NsSensitivityPlan *plan, guint rate)
{
  guint n = plan->n_rates, right = CLAMP (rate, 1, n - 1);
  double left_x = log10 (plan->rates[n > 1 ? right - 1 : 0]), right_x = log10 (plan->rates[n > 1 ? right : 0]);
  double step = n > 1 ? right_x - left_x : 1;

  return rate == 0 ? left_x - 0.5 * step : rate == n ? right_x + 0.5 * step : 0.5 * (left_x + right_x);
}

static gboolean
is_even (const NsSensitivityPlan *plan)
{
  double step = log10 (plan->rates[plan->n_rates - 1] / plan->rates[0]) / MAX (1, plan->n_rates - 1);

  for (guint r = 1; r < plan->n_rates; r++)
    if (fabs (log10 (plan->rates[r] / plan->rates[r - 1]) - step) > RATE_ROUNDING)
      return FALSE;
  return TRUE;
}

static guint
find_rate (const NsSensitivityPlan *plan, double x)
{
  guint rate = 0;

  while (rate + 1 < plan->n_rates && x >= get_edge (plan, rate + 1))
    rate++;
  return rate;
}

gboolean
ns_sensitivity_find_cell (const NsSensitivityPlan *plan, double x, double y, guint *point, guint *rate)
{
  if (!(x >= get_edge (plan, 0) && x <= get_edge (plan, plan->n_rates)) || !(y >= -0.5 && y <= plan->n_points - 0.5))
    return FALSE;
  *rate = find_rate (plan, x);
  *point = MIN ((guint) floor (y + 0.5), plan->n_points - 1);
  return TRUE;
}

/* ---- the maps ---- */

static guint8
read_loss (const NsSensitivity *map, guint variant, guint point, guint rate, NsSeedsChoice seeds, double *loss)
{
  NsSensitivityCell cell;

  if (!ns_sensitivity_get_cell (map, variant, point, rate, seeds, &cell))
    return NS_MARK_ABSENT;
  *loss = cell.loss;
  return cell.outcome == NS_OUTCOME_DIVERGED  ? NS_MARK_CROSS
         : cell.outcome == NS_OUTCOME_STALLED ? NS_MARK_FLAT
                                              : NS_MARK_NONE;
}

static void
add_loss_map (NsFigure *figure, const NsSensitivity *map, const NsSensitivityOptions *options, guint variant)
{
  const NsSensitivityPlan *plan = ns_sensitivity_get_plan (map);
  gboolean even = is_even (plan);
  guint n_columns = even ? plan->n_rates : FINE * plan->n_rates, n_rows = plan->n_points, n = n_columns * n_rows;
  double start = get_edge (plan, 0), width = (get_edge (plan, plan->n_rates) - start) / n_columns;
  g_autofree double *x = g_new (double, n_columns), *y = g_new (double, n_rows);
  g_autofree double *value = g_new0 (double, n);
  g_autofree guint8 *mark = g_new (guint8, n);
  NsHeatMap *out;

  for (guint row = 0; row < n_rows; row++)
    {
      y[row] = row;
      for (guint c = 0; c < n_columns; c++)
        {
          guint cell = row * n_columns + c;

          x[c] = start + (c + 0.5) * width;
          mark[cell] = read_loss (map, variant, row, even ? c : find_rate (plan, x[c]),
                                  (NsSeedsChoice) options->seeds, &value[cell]);
        }
    }
  out = ns_panel_set_heat_map (ns_figure_add_panel (figure, NULL, NS_AXIS_LINEAR),
                               ns_experiment_variant (ns_sensitivity_get_experiment (map), variant)->name,
                               ns_variant_get_style (options->styles, variant), n_rows, n_columns, y, x, value, mark);
  out->has_color = options->colors != NULL && options->has_color != NULL && options->has_color[variant];
  if (out->has_color)
    out->color = options->colors[variant];
}

static gboolean
has_mark (const NsFigure *figure, NsMark mark)
{
  for (guint p = 0; p < figure->panels->len; p++)
    {
      const NsHeatMap *map = ((const NsPanel *) g_ptr_array_index (figure->panels, p))->heat_map;

      if (map != NULL && (map->marks & 1u << mark) != 0)
        return TRUE;
    }
  return FALSE;
}

/* "worst of 5 seeds · ✕ diverged · – stalled at the entropy of single bytes (3.11)" */
static char *
dup_subtitle (const NsFigure *figure, const NsSensitivity *map, NsSeedsChoice seeds)
{
  const NsExperiment *experiment = ns_sensitivity_get_experiment (map);
  g_autofree char *statistic = ns_sensitivity_dup_statistic (map, seeds);
  g_autofree char *entropy = ns_format_signed (ns_sensitivity_get_symbol_entropy (map), 3);
  GString *text = g_string_new (statistic);

  if (has_mark (figure, NS_MARK_CROSS))
    g_string_append_printf (text, " · ✕ %s", _ ("diverged"));
  if (has_mark (figure, NS_MARK_FLAT))
    {
      g_string_append (text, " · – ");
      g_string_append_printf (text, experiment->data.source == NS_SOURCE_TEXT
                                        ? _ ("stalled at the entropy of single bytes (%s)")
                                        : _ ("stalled at the entropy of single tokens (%s)"),
                              entropy);
    }
  return g_string_free (text, FALSE);
}

static void
set_axes (NsFigure *figure, const NsSensitivityPlan *plan)
{
  gboolean is_depth = plan->axis == NS_SENSITIVITY_DEPTH;

  figure->x_scale = NS_AXIS_LOG10;
  figure->x_title = g_strdup (_ ("Learning rate"));
  figure->x_name = g_strdup (_ ("Learning rate"));
  figure->y_title = g_strdup (is_depth ? _ ("Depth") : _ ("Steps of warm-up"));
  figure->y_name = g_strdup (is_depth ? _ ("Depth") : _ ("Steps of warm-up"));
  figure->y_labels = g_new0 (char *, plan->n_points + 1);
  for (guint i = 0; i < plan->n_points; i++)
    figure->y_labels[i] = g_strdup_printf ("%lld", (long long) plan->points[i]);
}

NsFigure *
ns_sensitivity_make_figure (const NsFigureSource *source, const NsFigureOptions *options)
{
  const NsSensitivityOptions *own = &options->sensitivity;
  const NsSensitivity *map = source->sensitivity;
  NsFigure *figure = ns_figure_new ();
  NsColorScale *colors = ns_figure_set_colors (figure, NULL, NS_AXIS_LINEAR, NS_COLORS_SEQUENTIAL, 0);
  guint done = ns_sensitivity_count_finished (map), all = ns_sensitivity_get_n_runs (map);

  for (guint v = 0; v < ns_sensitivity_get_experiment (map)->variants->len; v++)
    if (ns_variant_is_visible (own->hidden, v))
      add_loss_map (figure, map, own, v);
  g_free (colors->title);
  colors->title = g_strdup (_ ("Loss at the end of the training"));
  colors->accessible_title = g_strdup (_ ("Loss at the end of the training"));
  colors->short_title = g_strdup (_ ("Final loss"));
  colors->symbol = g_strdup (_ ("loss"));
  colors->subtitle = dup_subtitle (figure, map, (NsSeedsChoice) own->seeds);
  set_axes (figure, ns_sensitivity_get_plan (map));
  if (figure->panels->len == 0)
    ns_figure_add_panel (figure, NULL, NS_AXIS_LINEAR)->message
        = g_strdup (_ ("Every variant is hidden: show one in the list of variants."));
  if (done < all)
    figure->note = g_strdup_printf (_ ("%u of %u trainings"), done, all);
  if (own->titles)
    {
      figure->title = ns_sensitivity_dup_title (map);
      figure->caption = ns_sensitivity_make_sentence (source, options, NULL);
    }
  return figure;
}

/* ---- read-out ---- */

static char *
dup_outcome (const NsSensitivityCell *cell)
{
  if (cell->n_diverged > 0 && cell->n > 1)
    return g_strdup_printf (g_dngettext (GETTEXT_PACKAGE, "%u of %u seeds diverges", "%u of %u seeds diverge",
                                         cell->n_diverged),
                            cell->n_diverged, cell->n);
  if (cell->n_diverged > 0)
    return g_strdup (_ ("diverges"));
  if (cell->n_stalled > 0 && cell->n > 1)
    return g_strdup_printf (g_dngettext (GETTEXT_PACKAGE, "%u of %u seeds stalls", "%u of %u seeds stall",
                                         cell->n_stalled),
                            cell->n_stalled, cell->n);
  return cell->n_stalled > 0 ? g_strdup (_ ("stalls")) : NULL;
}

NsReadout *
ns_sensitivity_make_readout (const NsFigureSource *source, const NsFigureOptions *options, double x, double y)
{
  const NsSensitivityOptions *own = &options->sensitivity;
  const NsSensitivity *map = source->sensitivity;
  const NsSensitivityPlan *plan = ns_sensitivity_get_plan (map);
  g_autofree char *statistic = ns_sensitivity_dup_statistic (map, (NsSeedsChoice) own->seeds);
  g_autofree char *heading = g_strdup_printf (_ ("loss, %s"), statistic);
  guint point = 0, rate = 0;
  NsReadout *readout;

  ns_sensitivity_find_cell (plan, x, y, &point, &rate);
  readout = ns_readout_new (ns_sensitivity_dup_cell (plan, point, rate));
  ns_readout_add_column (readout, heading);
  ns_readout_add_column (readout, NULL);
  for (guint v = 0; v < ns_sensitivity_get_experiment (map)->variants->len; v++)
    {
      NsReadoutRow *row;
      NsSensitivityCell cell;

      if (!ns_variant_is_visible (own->hidden, v))
        continue;
      row = ns_readout_add_row (readout, ns_experiment_variant (ns_sensitivity_get_experiment (map), v)->name);
      row->style = ns_variant_get_style (own->styles, v);
      row->has_color = own->colors != NULL && own->has_color != NULL && own->has_color[v];
      if (row->has_color)
        row->color = own->colors[v];
      if (!ns_sensitivity_get_cell (map, v, point, rate, (NsSeedsChoice) own->seeds, &cell))
        continue;
      row->cells[0] = isfinite (cell.loss) ? ns_format_signed (cell.loss, 3) : g_strdup ("✕");
      row->cells[1] = dup_outcome (&cell);
    }
  return readout;
}
