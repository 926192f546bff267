/* Curves of a sweep that may still be filling, and their fits.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/experiment/ns-settings.h"
#include "engine/ops/ns-statistics.h"
#include "figures/ns-curve.h"
#include "figures/ns-scaling-private.h"

#include <glib/gi18n-lib.h>
#include <math.h>

static guint
get_n_variants (const NsSweep *sweep)
{
  return ns_sweep_get_experiment (sweep)->variants->len;
}

GArray *
ns_scaling_list_curves (const NsSweep *sweep, const NsScalingOptions *options)
{
  GArray *curves = g_array_new (FALSE, FALSE, sizeof (NsScalingCurve));
  guint n = get_n_variants (sweep);

  if (options->view == NS_SCALING_RATIO)
    {
      NsScalingCurve curve = { options->numerator, options->denominator };

      if (curve.variant < n && curve.over < n && curve.variant != curve.over)
        g_array_append_val (curves, curve);
      return curves;
    }
  for (guint v = 0; v < n; v++)
    {
      NsScalingCurve curve = { v, NS_MAX_VARIANTS };

      if (ns_variant_is_visible (options->hidden, v))
        g_array_append_val (curves, curve);
    }
  return curves;
}

char *
ns_scaling_dup_name (const NsSweep *sweep, const NsScalingCurve *curve)
{
  const NsExperiment *experiment = ns_sweep_get_experiment (sweep);
  const char *name = ns_experiment_variant (experiment, curve->variant)->name;

  if (curve->over == NS_MAX_VARIANTS)
    return g_strdup (name);
  return g_strdup_printf ("%s / %s", name, ns_experiment_variant (experiment, curve->over)->name);
}

/* Read one seed's value at a point. Return FALSE while there is none. */
static gboolean
get_value (const NsSweep *sweep, const NsScalingCurve *curve, guint point, guint seed, double *value,
           double *log10_value)
{
  double divisor, log10_divisor;

  if (!ns_sweep_get_value (sweep, curve->variant, point, seed, value, log10_value))
    return FALSE;
  if (curve->over == NS_MAX_VARIANTS)
    return TRUE;
  if (!ns_sweep_get_value (sweep, curve->over, point, seed, &divisor, &log10_divisor))
    return FALSE;
  *log10_value -= log10_divisor;
  /* Use the logarithms: the ratio of two norms may fit a double where the norms do not. A negative cosine has none. */
  *value = isnan (*log10_value) ? *value / divisor : pow (10, *log10_value);
  return TRUE;
}

gboolean
ns_scaling_get_stat (const NsSweep *sweep, const NsScalingCurve *curve, guint point, NsStat *stat)
{
  guint n_seeds = ns_sweep_get_n_seeds (sweep), n = 0;
  g_autofree double *values = g_new (double, n_seeds);
  g_autofree double *logs = g_new (double, n_seeds);

  if (curve->over == NS_MAX_VARIANTS)
    return ns_sweep_get_stat (sweep, curve->variant, point, stat);
  for (guint s = 0; s < n_seeds; s++)
    if (get_value (sweep, curve, point, s, &values[n], &logs[n]))
      n++;
  if (n == 0)
    return FALSE;
  ns_stat_init (stat, values, logs, n);
  return TRUE;
}

static gboolean
is_complete (const NsSweep *sweep, const NsScalingCurve *curve, guint point)
{
  double value, log10_value;

  for (guint s = 0; s < ns_sweep_get_n_seeds (sweep); s++)
    if (!get_value (sweep, curve, point, s, &value, &log10_value))
      return FALSE;
  return TRUE;
}

NsScalingData
ns_scaling_collect (const NsSweep *sweep, const NsScalingCurve *curve)
{
  guint n_points, n_seeds = ns_sweep_get_n_seeds (sweep);
  const gint64 *points = ns_sweep_get_points (sweep, &n_points);
  g_autofree guint *complete = g_new (guint, n_points);
  NsScalingData data = { .n_seeds = n_seeds };
  gsize n_values;

  /* The sweep may fill during this call, so list the complete points once. */
  for (guint p = 0; p < n_points; p++)
    if (is_complete (sweep, curve, p))
      complete[data.n++] = p;
  n_values = (gsize) data.n * n_seeds;
  data.x = g_new (double, data.n);
  data.log10_y = g_new (double, n_values);
  for (guint i = 0; i < data.n; i++)
    {
      data.x[i] = (double) points[complete[i]];
      for (guint s = 0; s < n_seeds; s++)
        {
          double value;

          get_value (sweep, curve, complete[i], s, &value, &data.log10_y[(gsize) s * data.n + i]);
        }
    }
  return data;
}

void
ns_scaling_data_clear (NsScalingData *data)
{
  g_clear_pointer (&data->x, g_free);
  g_clear_pointer (&data->log10_y, g_free);
}

void
ns_scaling_fit_data (const NsScalingData *data, NsFit *fit)
{
  ns_fit_laws (data->x, data->n, data->log10_y, data->n_seeds, fit);
}

static void
fit_curve (const NsSweep *sweep, const NsScalingCurve *curve, NsFit *fit)
{
  g_auto (NsScalingData) data = ns_scaling_collect (sweep, curve);

  ns_scaling_fit_data (&data, fit);
}

void
ns_scaling_fit (const NsSweep *sweep, guint variant, NsFit *fit)
{
  const NsScalingCurve curve = { variant, NS_MAX_VARIANTS };

  g_return_if_fail (sweep != NULL && fit != NULL);
  g_return_if_fail (variant < get_n_variants (sweep));

  fit_curve (sweep, &curve, fit);
}

void
ns_scaling_fit_ratio (const NsSweep *sweep, guint numerator, guint denominator, NsFit *fit)
{
  const NsScalingCurve curve = { numerator, denominator };

  g_return_if_fail (sweep != NULL && fit != NULL);
  g_return_if_fail (numerator < get_n_variants (sweep) && denominator < get_n_variants (sweep));

  fit_curve (sweep, &curve, fit);
}

guint
ns_scaling_count_complete (const NsSweep *sweep, guint *n_points)
{
  guint n_all, n = 0;

  g_return_val_if_fail (sweep != NULL, 0);

  ns_sweep_get_points (sweep, &n_all);
  for (guint p = 0; p < n_all; p++)
    {
      gboolean all = TRUE;

      for (guint v = 0; v < get_n_variants (sweep) && all; v++)
        all = !ns_sweep_measures (sweep, v) || is_complete (sweep, &(const NsScalingCurve) { v, NS_MAX_VARIANTS }, p);
      n += all ? 1 : 0;
    }
  if (n_points != NULL)
    *n_points = n_all;
  return n;
}

static gboolean
variant_has_metric (const NsSweep *sweep, guint variant)
{
  NsMetric metric = ns_sweep_get_metric (sweep);

  return ns_sweep_measures (sweep, variant) && ns_metric_exists (&metric, ns_sweep_get_experiment (sweep), variant);
}

gboolean
ns_scaling_curve_exists (const NsSweep *sweep, const NsScalingCurve *curve)
{
  return variant_has_metric (sweep, curve->variant)
         && (curve->over == NS_MAX_VARIANTS || variant_has_metric (sweep, curve->over));
}

static gboolean
has_points (const NsSweep *sweep, const GArray *curves)
{
  guint n_points;
  NsStat stat;

  ns_sweep_get_points (sweep, &n_points);
  for (guint p = 0; p < n_points; p++)
    for (guint c = 0; c < curves->len; c++)
      if (ns_scaling_get_stat (sweep, &g_array_index (curves, NsScalingCurve, c), p, &stat))
        return TRUE;
  return FALSE;
}

char *
ns_scaling_dup_absence (const NsSweep *sweep, const NsScalingOptions *options)
{
  g_autoptr (GArray) curves = ns_scaling_list_curves (sweep, options);
  gboolean exists = FALSE;

  if (curves->len == 0 && options->view == NS_SCALING_RATIO)
    return g_strdup (_("A ratio needs two different variants."));
  if (curves->len == 0)
    return g_strdup (_("Every variant is hidden: show one in the list of variants."));
  for (guint c = 0; c < curves->len; c++)
    exists |= ns_scaling_curve_exists (sweep, &g_array_index (curves, NsScalingCurve, c));
  if (!exists)
    return g_strdup_printf (_("No visible variant has %s: choose another quantity."),
                            ns_quantity_info (ns_sweep_get_metric (sweep).quantity)->symbol);
  if (has_points (sweep, curves))
    return NULL;
  return g_strdup (options->stopped ? _("Stopped before the first point.") : _("Computing the first points."));
}
