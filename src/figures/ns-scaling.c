/* The scaling figure: one metric of every variant against depth or width, with laws drawn through it.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/experiment/ns-settings.h"
#include "figures/ns-curve.h"
#include "figures/ns-scaling-private.h"
#include "figures/ns-titles.h"

#include <glib/gi18n-lib.h>
#include <math.h>

#define LAW_POINTS 65 /* samples of a law; enough for ln L, which bends most near 2 */
#define RESIDUAL_WEIGHT 0.45

typedef struct
{
  const NsSweep *sweep;
  const NsScalingOptions *options;
  NsFigure *figure;
  NsPanel *main, *residuals; /* residuals may be NULL */
} Scaling;

void
ns_scaling_options_init (NsScalingOptions *options)
{
  *options = (NsScalingOptions) {
    .view = NS_SCALING_METRIC,
    .log_x = TRUE,
    .log_y = TRUE,
    .band = TRUE,
    .best_law = TRUE,
    .law_variants = G_MAXUINT64,
    .numerator = 1,
    .denominator = 0,
    .theory_depth = 1,
  };
}

static double
to_axis_x (const Scaling *scaling, double x)
{
  return scaling->options->log_x ? log10 (x) : x;
}

static void
set_color (const Scaling *scaling, const NsScalingCurve *curve, NsSeries *series)
{
  ns_series_set_variant_color (series, scaling->options->colors, scaling->options->has_color, curve->variant);
}

static int
get_style (const Scaling *scaling, const NsScalingCurve *curve)
{
  return ns_variant_get_style (scaling->options->styles, curve->variant);
}

/* ---- the measured curves ---- */

static void
add_curve (const Scaling *scaling, const NsScalingCurve *curve)
{
  const NsScalingOptions *options = scaling->options;
  NsQuantityKind kind = ns_quantity_info (ns_sweep_get_metric (scaling->sweep).quantity)->kind;
  NsAxisScale scale = options->log_y ? NS_AXIS_LOG10 : NS_AXIS_LINEAR;
  guint n_points, n = 0, n_seeds = ns_sweep_get_n_seeds (scaling->sweep);
  const gint64 *points = ns_sweep_get_points (scaling->sweep, &n_points);
  g_autofree char *name = ns_scaling_dup_name (scaling->sweep, curve);
  g_autofree double *values = g_new (double, 4 * (gsize) n_points);
  g_autofree guint8 *marks = g_new (guint8, n_points);
  double *x = values, *y = x + n_points, *low = y + n_points, *high = low + n_points;
  gboolean has_band = options->band && n_seeds > 1, is_provisional = FALSE;
  NsSeries *series;
  NsStat stat;

  for (guint p = 0; p < n_points; p++)
    if (ns_scaling_get_stat (scaling->sweep, curve, p, &stat))
      {
        x[n] = to_axis_x (scaling, (double) points[p]);
        marks[n] = ns_stat_to_axis (&stat, kind, scale, &y[n], &low[n], &high[n]);
        is_provisional |= stat.n < n_seeds;
        n++;
      }
  if (n == 0)
    return;
  series = ns_panel_add_series (scaling->main, name, NS_SERIES_LINE, get_style (scaling, curve), n, x, y,
                                has_band ? low : NULL, has_band ? high : NULL, marks);
  series->provisional = is_provisional;
  set_color (scaling, curve, series);
}

/* ---- the laws ---- */

static double
get_law (const NsFit *fit, NsLaw law, double x)
{
  return fit->laws[law].log_c + fit->laws[law].slope.p * ns_law_log (law, x);
}

static void
add_law (const Scaling *scaling, const NsScalingCurve *curve, const NsFit *fit, NsLaw law)
{
  const char *letter = ns_scaling_get_letter (ns_sweep_get_axis (scaling->sweep));
  g_autofree char *name = ns_scaling_dup_law (law, &fit->laws[law].slope, letter);
  double x[LAW_POINTS], y[LAW_POINTS];
  NsSeries *series;

  for (int i = 0; i < LAW_POINTS; i++)
    {
      double at = fit->x_min * pow (fit->x_max / fit->x_min, i / (LAW_POINTS - 1.0));
      double log_y = get_law (fit, law, at);

      x[i] = to_axis_x (scaling, at);
      y[i] = scaling->options->log_y ? log_y / G_LN10 : exp (log_y);
    }
  series = ns_panel_add_series (scaling->main, name, NS_SERIES_LINE, get_style (scaling, curve), LAW_POINTS, x, y,
                                NULL, NULL, NULL);
  series->role = NS_ROLE_REFERENCE;
  set_color (scaling, curve, series);
}

/* Add the deviation of the measurement (the mean logarithm over the seeds) from a law, in per cent, at the fitted
 * points x >= 2. */
static void
add_residuals (const Scaling *scaling, const NsScalingCurve *curve, const NsScalingData *data, const NsFit *fit,
               NsLaw law)
{
  const char *letter = ns_scaling_get_letter (ns_sweep_get_axis (scaling->sweep));
  g_autofree char *formula = ns_scaling_dup_law (law, &fit->laws[law].slope, letter);
  g_autofree char *variant = ns_scaling_dup_name (scaling->sweep, curve);
  g_autofree char *name = g_strdup_printf ("%s, %s", variant, formula);
  g_autofree double *x = g_new (double, data->n);
  g_autofree double *y = g_new (double, data->n);
  NsSeries *series;
  guint n = 0;

  for (guint i = 0; i < data->n; i++)
    {
      double mean = 0;

      if (data->x[i] < 2)
        continue;
      for (guint s = 0; s < data->n_seeds; s++)
        mean += data->log10_y[(gsize) s * data->n + i] / data->n_seeds;
      x[n] = to_axis_x (scaling, data->x[i]);
      y[n++] = 100 * expm1 (mean * G_LN10 - get_law (fit, law, data->x[i]));
    }
  series = ns_panel_add_series (scaling->residuals, name, NS_SERIES_LINE, get_style (scaling, curve), n, x, y, NULL,
                                NULL, NULL);
  set_color (scaling, curve, series);
}

static gboolean
is_drawn (const Scaling *scaling, const NsScalingCurve *curve, const NsFit *fit, NsLaw law)
{
  const NsScalingOptions *options = scaling->options;
  gboolean is_chosen = options->laws >> law & 1;

  if (!isfinite (fit->laws[law].log_c) || !(fit->x_max > fit->x_min))
    return FALSE;
  if (options->view == NS_SCALING_RATIO)
    is_chosen |= law == NS_LAW_SQRT;
  else if (curve->variant < 64 && (options->law_variants >> curve->variant & 1) == 0)
    return FALSE;
  return is_chosen || (options->best_law && fit->status == NS_FIT_OK && fit->best == law);
}

static void
add_laws (const Scaling *scaling, const NsScalingCurve *curve)
{
  g_auto (NsScalingData) data = ns_scaling_collect (scaling->sweep, curve);
  NsFit fit;

  ns_scaling_fit_data (&data, &fit);
  for (int law = 0; law < NS_N_LAWS; law++)
    if (is_drawn (scaling, curve, &fit, (NsLaw) law))
      {
        add_law (scaling, curve, &fit, (NsLaw) law);
        if (scaling->residuals != NULL)
          add_residuals (scaling, curve, &data, &fit, (NsLaw) law);
      }
}

/* ---- the theory ---- */

static void
add_theory (const Scaling *scaling, const NsScalingTheory *theory, const NsScalingCurve *curve)
{
  g_autofree double *x = NULL;
  NsTheoryCurve found;
  NsSeries *series;
  guint n = 0;

  if (!ns_scaling_theory_get_curve (theory, curve, &found))
    return;
  x = g_new (double, found.n);
  for (guint i = 0; i < found.n; i++)
    if (isfinite (found.log10_y[i]))
      {
        x[n] = to_axis_x (scaling, found.x[i]);
        found.log10_y[n++] = scaling->options->log_y ? found.log10_y[i] : pow (10, found.log10_y[i]);
      }
  series = ns_panel_add_series (scaling->main, _("mean field"), NS_SERIES_LINE, get_style (scaling, curve), n, x,
                                found.log10_y, NULL, NULL, NULL);
  series->role = NS_ROLE_REFERENCE;
  set_color (scaling, curve, series);
  scaling->figure->x_max = MAX (scaling->figure->x_max, x[n - 1]);
  g_free (found.log10_y);
}

/* ---- the figure ---- */

static void
add_main_panel (Scaling *scaling)
{
  const NsScalingOptions *options = scaling->options;
  NsMetric metric = ns_scaling_get_metric (scaling->sweep);
  g_autofree char *markup = ns_scaling_dup_metric_text (metric, ns_quantity_info (metric.quantity)->markup);
  g_autofree char *place = ns_scaling_dup_place (metric, options->view);

  scaling->main = ns_figure_add_panel (scaling->figure, NULL, options->log_y ? NS_AXIS_LOG10 : NS_AXIS_LINEAR);
  ns_panel_set_titles (scaling->main, metric.quantity, place, markup);
  ns_panel_set_subtitle (scaling->main, ns_sweep_get_n_seeds (scaling->sweep), options->band);
  ns_panel_add_estimate (scaling->main, metric.quantity, &ns_sweep_get_experiment (scaling->sweep)->sampling);
  scaling->main->zero_based = !options->log_y;
  scaling->main->message = ns_scaling_dup_absence (scaling->sweep, options);
  if (options->residuals && scaling->main->message == NULL)
    {
      scaling->residuals = ns_figure_add_panel (scaling->figure, _("Deviation from the law, %"), NS_AXIS_LINEAR);
      scaling->residuals->accessible_title = g_strdup (_("Deviation from the law, %"));
      scaling->residuals->weight = RESIDUAL_WEIGHT;
      scaling->residuals->zero_based = TRUE;
    }
}

static char *
dup_sweep_title (const NsSweep *sweep)
{
  const NsShape *shape = &ns_sweep_get_experiment (sweep)->shape;
  guint n_seeds = ns_sweep_get_n_seeds (sweep);
  int batch = (int) shape->batch, seq_len = (int) shape->seq_len;

  if (ns_sweep_get_axis (sweep) == NS_SWEEP_DEPTH)
    return g_strdup_printf (g_dngettext (GETTEXT_PACKAGE, "At initialization: d_model %d, %d × %d tokens, %u seed",
                                         "At initialization: d_model %d, %d × %d tokens, %u seeds", n_seeds),
                            (int) shape->d_model, batch, seq_len, n_seeds);
  return g_strdup_printf (g_dngettext (GETTEXT_PACKAGE, "At initialization: depth %d, %d × %d tokens, %u seed",
                                       "At initialization: depth %d, %d × %d tokens, %u seeds", n_seeds),
                          (int) shape->depth, batch, seq_len, n_seeds);
}

static void
set_frame (Scaling *scaling)
{
  NsFigure *figure = scaling->figure;
  guint n_points, n_complete = ns_scaling_count_complete (scaling->sweep, &n_points);
  const gint64 *points = ns_sweep_get_points (scaling->sweep, &n_points);

  figure->x_title = g_strdup (ns_sweep_get_axis (scaling->sweep) == NS_SWEEP_DEPTH
                                  ? _("Depth L")
                                  : _("Width d = d<sub>model</sub>"));
  figure->x_scale = scaling->options->log_x ? NS_AXIS_LOG10 : NS_AXIS_LINEAR;
  figure->x_integers = TRUE;
  /* Span the whole sweep from the start, so that the axis stays still while the figure fills. */
  figure->x_min = to_axis_x (scaling, (double) points[0]);
  figure->x_max = to_axis_x (scaling, (double) points[n_points - 1]);
  if (n_complete < n_points)
    figure->note = g_strdup_printf (_("%u of %u points"), n_complete, n_points);
}

NsFigure *
ns_scaling_figure (const NsSweep *sweep, const NsScalingOptions *options)
{
  g_autoptr (GArray) curves = NULL;
  g_autoptr (NsScalingTheory) theory = NULL;
  Scaling scaling = { .sweep = sweep, .options = options };

  g_return_val_if_fail (sweep != NULL && options != NULL, NULL);

  scaling.figure = ns_figure_new ();
  set_frame (&scaling);
  add_main_panel (&scaling);
  curves = ns_scaling_list_curves (sweep, options);
  if (options->predictions && scaling.main->message == NULL)
    theory = ns_scaling_get_theory (sweep, options);
  for (guint c = 0; c < curves->len && scaling.main->message == NULL; c++)
    {
      const NsScalingCurve *curve = &g_array_index (curves, NsScalingCurve, c);

      if (!ns_scaling_curve_exists (sweep, curve))
        continue;
      add_curve (&scaling, curve);
      add_laws (&scaling, curve);
      if (theory != NULL)
        add_theory (&scaling, theory, curve);
    }
  if (scaling.residuals != NULL && scaling.residuals->series->len == 0)
    scaling.residuals->message = g_strdup (_("No law is drawn."));
  if (options->titles)
    {
      NsScalingOptions own = *options;

      own.theory = theory;
      scaling.figure->title = dup_sweep_title (sweep);
      scaling.figure->caption = ns_scaling_sentence (sweep, &own);
    }
  return scaling.figure;
}

char *
ns_scaling_sentence (const NsSweep *sweep, const NsScalingOptions *options)
{
  return ns_scaling_linked_sentence (sweep, options, NULL);
}
