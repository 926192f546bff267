/* A sensitivity map for the commands train and plot.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli/ns-cli-sensitivity.h"

#include "cli/ns-cli.h"

#include <glib/gi18n.h>
#include <math.h>

typedef struct
{
  NsEngine *engine;
  NsSensitivity *map;
} SensitivityJob;

void
ns_cli_sensitivity_request_clear (NsCliSensitivityRequest *request)
{
  g_free (request->rates);
  g_free (request->points);
}

NsSensitivity *
ns_cli_sensitivity_new (const NsCliSensitivityRequest *request, NsSensitivityAxis axis, const NsExperiment *experiment,
                        GError **error)
{
  g_auto (NsSensitivityPlan) plan = { 0 };

  ns_sensitivity_plan_init (&plan, experiment, axis);
  if (request->rates != NULL && !ns_sensitivity_plan_set_rates (&plan, request->rates, error))
    {
      g_prefix_error (error, "--learning-rates: ");
      return NULL;
    }
  if (request->points != NULL && !ns_sensitivity_plan_set_points (&plan, request->points, error))
    {
      g_prefix_error (error, "--points: ");
      return NULL;
    }
  return ns_sensitivity_new (experiment, &plan, (guint) experiment->sampling.seeds, error);
}

static gpointer
fill (gpointer user_data, NsProgress *progress, GError **error)
{
  SensitivityJob *job = user_data;

  return ns_engine_fill_sensitivity (job->engine, job->map, progress, error) ? job : NULL;
}

static char *
dup_sensitivity_progress (gpointer user_data, NsProgress *progress, double elapsed_s)
{
  const SensitivityJob *job = user_data;
  double left_s = ns_cli_get_seconds_left (progress, elapsed_s);

  if (isnan (left_s))
    return NULL;
  return g_strdup_printf (_ ("%u of %u trainings, %.0f s left"), ns_sensitivity_count_finished (job->map),
                          ns_sensitivity_get_n_runs (job->map), left_s);
}

gboolean
ns_cli_sensitivity_fill (NsEngine *engine, NsSensitivity *map, gboolean keeps, GError **error)
{
  const NsCliWatch watch = { .dup_progress = dup_sensitivity_progress, .keeps = keeps };
  SensitivityJob job = { engine, map };

  return ns_cli_run_watched_job (fill, &job, &watch, error) != NULL;
}
