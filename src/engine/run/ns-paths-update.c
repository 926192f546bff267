/* The size of one optimizer step.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/experiment/ns-params.h"
#include "engine/pass/ns-step.h"
#include "engine/run/ns-paths-run-private.h"

#include <math.h>

const char *
ns_optimizer_get_name (NsOptimizer optimizer)
{
  g_return_val_if_fail ((guint) optimizer < NS_N_OPTIMIZERS, NULL);
  return ns_param_find ("training.optimizer")->choices[optimizer];
}

double
ns_optimizer_get_learning_rate (NsOptimizer optimizer)
{
  return optimizer == NS_OPTIMIZER_SGD ? 1e-3 : 1e-6;
}

/* Below this ‖Δh‖/‖h‖ the difference between a step and a tenth of it is that of rounding, in single precision. */
#define MIN_UPDATE 1e-3

NsStepSize
ns_paths_judge_step (const NsPaths *paths, guint variant)
{
  NsStat off, h;

  if (!ns_paths_get_stat (paths, variant, NS_MAP_NONLINEARITY, 0, 0, &off)
      || !ns_paths_get_stat (paths, variant, NS_MAP_UPDATE_H, 0, 0, &h) || isnan (off.mean) || isnan (h.mean))
    return NS_STEP_UNKNOWN;
  if (off.mean <= NS_PATHS_MAX_NONLINEARITY)
    return NS_STEP_LINEAR;
  return h.mean < MIN_UPDATE ? NS_STEP_TOO_SMALL : NS_STEP_NOT_LINEAR;
}

/* Set a number, unless it comes from products that were skipped. */
static void
set_change (const NsPathsRun *run, NsPathsMap map, gint64 row, gint64 column, NsStepRatio change)
{
  if (!ns_progress_is_cancelled (run->progress))
    ns_paths_set (run->paths, run->variant, map, row, column, run->seed, change.value, change.log10_value);
}

static void
keep_stream (gpointer data, gint64 site, NsStepRatio change)
{
  set_change (data, NS_MAP_UPDATE_X, site, 0, change);
}

static void
keep_tensor (gpointer data, NsTensor tensor, gint64 site, NsStepRatio change)
{
  set_change (data, NS_MAP_UPDATE_W, site, (gint64) tensor, change);
}

NsPassState
ns_paths_run_update (NsPathsRun *run)
{
  NsStep step = { .optimizer = run->settings->optimizer, .learning_rate = run->settings->learning_rate,
                  .matrices_only = run->settings->matrices_only,
                  .stream = keep_stream, .tensor = keep_tensor, .data = run };
  NsPassState state = ns_pass_step (run->pass, &step, run->memory, run->progress);

  if (state != NS_PASS_DONE)
    return state;
  set_change (run, NS_MAP_UPDATE_H, 0, 0, step.h);
  set_change (run, NS_MAP_LOSS_CHANGE, 0, 0, (NsStepRatio){ step.loss, NAN });
  set_change (run, NS_MAP_LOSS_CHANGE_FIRST_ORDER, 0, 0, (NsStepRatio){ step.first_order, NAN });
  set_change (run, NS_MAP_NONLINEARITY, 0, 0, (NsStepRatio){ step.nonlinearity, NAN });
  return NS_PASS_DONE;
}
