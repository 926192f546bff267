/* The read-out of the scaling figure.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/experiment/ns-settings.h"
#include "figures/ns-curve.h"
#include "figures/ns-format.h"
#include "figures/ns-scaling-private.h"

#include <glib/gi18n-lib.h>
#include <math.h>

static guint
find_nearest (const NsSweep *sweep, gboolean is_log, double x)
{
  guint n_points, nearest = 0;
  const gint64 *points = ns_sweep_get_points (sweep, &n_points);
  double best = INFINITY;

  for (guint p = 0; p < n_points; p++)
    {
      double at = (double) points[p];
      double distance = is_log ? fabs (log (at / MAX (x, 1e-3))) : fabs (at - x);

      if (distance < best)
        {
          best = distance;
          nearest = p;
        }
    }
  return nearest;
}

char *
ns_scaling_readout (const NsSweep *sweep, const NsScalingOptions *options, double x)
{
  g_autoptr (GPtrArray) parts = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GArray) curves = NULL;
  NsMeanKind mean;
  guint point, n_points, n_seeds;
  int at;

  g_return_val_if_fail (sweep != NULL && options != NULL, NULL);

  if (options->predictions && ns_sweep_get_axis (sweep) == NS_SWEEP_DEPTH)
    {
      char *beyond = ns_scaling_dup_beyond (sweep, options, x);

      if (beyond != NULL)
        return beyond;
    }
  curves = ns_scaling_list_curves (sweep, options);
  mean = ns_axis_get_mean (options->log_y ? NS_AXIS_LOG10 : NS_AXIS_LINEAR);
  n_seeds = ns_sweep_get_n_seeds (sweep);
  point = find_nearest (sweep, options->log_x, x);
  at = (int) ns_sweep_get_points (sweep, &n_points)[point];
  g_ptr_array_add (parts, ns_sweep_get_axis (sweep) == NS_SWEEP_DEPTH ? g_strdup_printf (_("Depth %d"), at)
                                                                      : g_strdup_printf (_("Width %d"), at));
  for (guint c = 0; c < curves->len; c++)
    {
      const NsScalingCurve *curve = &g_array_index (curves, NsScalingCurve, c);
      g_autofree char *name = ns_scaling_dup_name (sweep, curve);
      g_autofree char *number = NULL;
      NsStat stat;

      if (!ns_scaling_curve_exists (sweep, curve) || !ns_scaling_get_stat (sweep, curve, point, &stat))
        continue;
      number = ns_format_stat (&stat, mean);
      g_ptr_array_add (parts, stat.n == n_seeds
                                  ? g_strdup_printf ("%s %s", name, number)
                                  : g_strdup_printf (_("%s %s (%u of %u seeds)"), name, number, stat.n, n_seeds));
    }
  if (parts->len == 1)
    g_ptr_array_add (parts, g_strdup (_("no value yet")));
  g_ptr_array_add (parts, NULL);
  return g_strjoinv (" · ", (char **) parts->pdata);
}
