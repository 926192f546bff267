/* Sweeps with values chosen by a test.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "synthetic-sweep.h"

#include "engine/experiment/ns-experiment.h"
#include "engine/run/ns-sweep-private.h"
#include "synthetic.h"

#include <math.h>

NsSweep *
synthetic_sweep (const char *points, const char *metric, const char *const *variants, guint n_seeds, NsSweepAxis axis)
{
  g_autoptr (NsExperiment) experiment = synthetic_experiment (4, variants);
  g_autofree gint64 *x = NULL;
  GError *error = NULL;
  NsMetric parsed;
  NsSweep *sweep;
  guint n;

  experiment->sampling.seeds = n_seeds;
  experiment->shape.d_model = 32;
  experiment->shape.heads = 4;
  experiment->shape.d_ff = 32;
  x = ns_sweep_points_from_text (points, &n, &error);
  g_assert_no_error (error);
  ns_metric_from_text (metric, &parsed, &error);
  g_assert_no_error (error);
  sweep = ns_sweep_new (experiment, axis, x, n, parsed, &error);
  g_assert_no_error (error);
  return sweep;
}

void
synthetic_set_point (NsSweep *sweep, guint variant, guint point, guint seed, double log10_value)
{
  SweepValue *value = ns_sweep_at (sweep, variant, point, seed);

  value->log10_value = log10_value;
  value->value = pow (10, log10_value);
  atomic_store (&value->ready, TRUE);
}

void
synthetic_set_law (NsSweep *sweep, guint variant, NsLaw law, double p, double c, double tilt, guint from)
{
  guint n_points;
  const gint64 *points = ns_sweep_get_points (sweep, &n_points);

  for (guint i = 0; i < MIN (n_points, from); i++)
    for (guint s = 0; s < ns_sweep_get_n_seeds (sweep); s++)
      {
        double x = (double) points[i];
        double log_f = law < NS_LAW_POWER ? ns_law_log (law, MAX (x, 1.5)) : p * ns_law_log (law, x);

        log_f += (s % 2 == 0 ? tilt : -tilt) * log (x);
        synthetic_set_point (sweep, variant, i, s, log10 (c) + log_f / G_LN10);
      }
}
