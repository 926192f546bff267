/* Mean-field theory in the scaling figure.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/analysis/ns-mean-field.h"
#include "engine/experiment/ns-experiment.h"
#include "figures/ns-curve.h"
#include "figures/ns-flow.h"
#include "figures/ns-format.h"
#include "figures/ns-scaling-private.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

/* Points in each decade beyond the sweep: a law of a power is straight there, and the others bend slowly. */
#define POINTS_IN_DECADE 8

struct _NsScalingTheory
{
  gatomicrefcount references;
  NsSweep *sweep;
  int theory_depth;
  guint n;
  double *x;       /* [n], ascending */
  double *log10_y; /* [variants][n]; NAN where an assumption is not met */
};

/* ---- the numbers ---- */

/* Return the points of the sweep and, against depth, further ones up to `last`. */
static gint64 *
list_points (const NsSweep *sweep, gint64 last, guint *n)
{
  guint n_points, n_more = 0;
  const gint64 *points = ns_sweep_get_points (sweep, &n_points);
  gint64 end = points[n_points - 1];
  g_autofree gint64 *more = NULL;
  gint64 *all;

  if (ns_sweep_get_axis (sweep) == NS_SWEEP_DEPTH && last > end)
    more = ns_sweep_points (end, last, (guint) ceil (POINTS_IN_DECADE * log10 ((double) last / (double) end)) + 2,
                            &n_more);
  all = g_new (gint64, n_points + n_more);
  memcpy (all, points, n_points * sizeof *all);
  *n = n_points;
  for (guint i = 1; i < n_more; i++)
    all[(*n)++] = more[i];
  return all;
}

/* Against width: the recursion anew at each one. */
static void
predict_widths (const NsSweep *sweep, guint variant, const gint64 *points, guint n, double *log10_y)
{
  NsMetric metric = ns_sweep_get_metric (sweep);

  for (guint i = 0; i < n; i++)
    {
      g_autoptr (NsExperiment) experiment = ns_sweep_make_experiment (sweep, i);

      if (!ns_mean_field_holds (experiment, variant, metric.quantity)
          || !ns_mean_field_predict_metric (experiment, variant, metric, &experiment->shape.depth, 1, &log10_y[i]))
        log10_y[i] = NAN;
    }
}

static void
predict_depths (const NsSweep *sweep, guint variant, const gint64 *points, guint n, double *log10_y)
{
  const NsExperiment *experiment = ns_sweep_get_experiment (sweep);
  NsMetric metric = ns_sweep_get_metric (sweep);

  if (ns_mean_field_holds (experiment, variant, metric.quantity)
      && ns_mean_field_predict_metric (experiment, variant, metric, points, n, log10_y))
    return;
  for (guint i = 0; i < n; i++)
    log10_y[i] = NAN;
}

NsScalingTheory *
ns_scaling_theory_new (const NsSweep *sweep, int theory_depth)
{
  NsScalingTheory *theory = g_new0 (NsScalingTheory, 1);
  guint n_variants = ns_sweep_get_experiment (sweep)->variants->len;
  g_autofree gint64 *points = list_points (sweep, theory_depth, &theory->n);

  g_atomic_ref_count_init (&theory->references);
  theory->sweep = ns_sweep_ref ((NsSweep *) sweep);
  theory->theory_depth = theory_depth;
  theory->x = g_new (double, theory->n);
  for (guint i = 0; i < theory->n; i++)
    theory->x[i] = (double) points[i];
  theory->log10_y = g_new (double, (gsize) n_variants * theory->n);
  for (guint v = 0; v < n_variants; v++)
    if (ns_sweep_get_axis (sweep) == NS_SWEEP_DEPTH)
      predict_depths (sweep, v, points, theory->n, theory->log10_y + (gsize) v * theory->n);
    else
      predict_widths (sweep, v, points, theory->n, theory->log10_y + (gsize) v * theory->n);
  return theory;
}

NsScalingTheory *
ns_scaling_theory_ref (NsScalingTheory *theory)
{
  g_atomic_ref_count_inc (&theory->references);
  return theory;
}

void
ns_scaling_theory_unref (NsScalingTheory *theory)
{
  if (theory == NULL || !g_atomic_ref_count_dec (&theory->references))
    return;
  ns_sweep_unref (theory->sweep);
  g_free (theory->x);
  g_free (theory->log10_y);
  g_free (theory);
}

gboolean
ns_scaling_theory_is_of (const NsScalingTheory *theory, const NsSweep *sweep, int theory_depth)
{
  return theory != NULL && theory->sweep == sweep && theory->theory_depth == theory_depth;
}

NsScalingTheory *
ns_scaling_get_theory (const NsSweep *sweep, const NsScalingOptions *options)
{
  if (ns_scaling_theory_is_of (options->theory, sweep, options->theory_depth))
    return ns_scaling_theory_ref ((NsScalingTheory *) options->theory);
  return ns_scaling_theory_new (sweep, options->theory_depth);
}

gboolean
ns_scaling_theory_get_curve (const NsScalingTheory *theory, const NsScalingCurve *curve, NsTheoryCurve *found)
{
  const double *numerator = theory->log10_y + (gsize) curve->variant * theory->n;
  gboolean has_any = FALSE;

  *found = (NsTheoryCurve) { theory->n, theory->x, g_new (double, theory->n) };
  for (guint i = 0; i < theory->n; i++)
    {
      found->log10_y[i] = numerator[i];
      if (curve->over < NS_MAX_VARIANTS)
        found->log10_y[i] -= theory->log10_y[(gsize) curve->over * theory->n + i];
      has_any |= isfinite (found->log10_y[i]);
    }
  if (!has_any)
    g_clear_pointer (&found->log10_y, g_free);
  return has_any;
}

/* ---- texts ---- */

/* List "Pre-LN 0.0012, Post-LN 1.5" at a point of the theory; NULL without any number. */
static char *
dup_values (const NsSweep *sweep, const NsScalingOptions *options, const NsScalingTheory *theory, guint point,
            const char *separator)
{
  g_autoptr (GArray) curves = ns_scaling_list_curves (sweep, options);
  GString *list = g_string_new (NULL);

  for (guint c = 0; c < curves->len; c++)
    {
      const NsScalingCurve *curve = &g_array_index (curves, NsScalingCurve, c);
      g_autofree char *name = ns_scaling_dup_name (sweep, curve);
      g_autofree char *number = NULL;
      NsTheoryCurve found;

      if (!ns_scaling_theory_get_curve (theory, curve, &found))
        continue;
      number = ns_format_log10 (found.log10_y[point], 3);
      g_string_append_printf (list, "%s%s %s", list->len > 0 ? separator : "", name, number);
      g_free (found.log10_y);
    }
  if (list->len > 0)
    return g_string_free (list, FALSE);
  g_string_free (list, TRUE);
  return NULL;
}

char *
ns_scaling_dup_theory_line (const NsSweep *sweep, const NsScalingOptions *options)
{
  g_autoptr (NsScalingTheory) theory = ns_scaling_get_theory (sweep, options);
  g_autofree char *values = dup_values (sweep, options, theory, theory->n - 1, _ (", "));
  int last = (int) theory->x[theory->n - 1];
  g_autofree char *reason = NULL;

  if (values != NULL)
    return g_strdup_printf (ns_sweep_get_axis (sweep) == NS_SWEEP_DEPTH
                                /* Translators: what a theory predicts: "… 1000000: Pre-LN 0.0012, Post-LN 1.5." */
                                ? _ ("Mean field at depth %d: %s.")
                                : _ ("Mean field at width %d: %s."),
                            last, values);
  reason = ns_theory_dup_missing (ns_sweep_get_experiment (sweep), options->hidden,
                                  ns_sweep_get_metric (sweep).quantity);
  /* Translators: why a theory is not drawn: "No theory: Not for FFN width 512." */
  return g_strdup_printf (_ ("No theory: %s."), reason != NULL ? reason : _ ("it has no number here"));
}

char *
ns_scaling_dup_beyond (const NsSweep *sweep, const NsScalingOptions *options, double x)
{
  g_autoptr (NsScalingTheory) theory = NULL;
  g_autofree char *values = NULL;
  guint n_points, nearest = 0;
  const gint64 *points = ns_sweep_get_points (sweep, &n_points);

  /* Half-way to the next point, on a logarithmic axis, the sweep's last one is as near. */
  if (x <= (double) points[n_points - 1] * pow (10, 0.5 / POINTS_IN_DECADE) || options->theory_depth <= x * 0.1)
    return NULL;
  theory = ns_scaling_get_theory (sweep, options);
  for (guint i = 0; i < theory->n; i++)
    if (fabs (log (theory->x[i] / x)) < fabs (log (theory->x[nearest] / x)))
      nearest = i;
  if (nearest < n_points)
    return NULL;
  values = dup_values (sweep, options, theory, nearest, " · ");
  if (values == NULL)
    return NULL;
  /* Translators: a read-out where only a theory has numbers: "Depth 100000 · mean field: Pre-LN 0.0012 · …" */
  return g_strdup_printf (_ ("Depth %d · mean field: %s"), (int) theory->x[nearest], values);
}
