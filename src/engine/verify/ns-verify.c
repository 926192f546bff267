/* The self-check: the choice of tensors and sites, and the verdict.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/experiment/ns-experiment.h"
#include "engine/experiment/ns-validate.h"
#include "engine/ops/ns-memory.h"
#include "engine/ops/ns-progress.h"
#include "engine/run/ns-engine-private.h"
#include "engine/verify/ns-adjoint.h"
#include "engine/verify/ns-verify-private.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#define MAX_SITES 9
#define WEIGHTS_BUDGET ((guint64) 1 << 28)

/* List the sites to check, ascending: the input, the first, middle and last block of each part, and the head. */
static guint
choose_sites (const NsExperiment *experiment, gint64 *sites)
{
  NsParts parts = ns_shape_get_parts (&experiment->shape);
  guint n = 0;

  for (gint64 part = 0; part < parts.n; part++)
    {
      gint64 depth = parts.depth[part], layers[] = { 0, 1, (depth + 1) / 2, depth };

      for (gsize i = 0; i < G_N_ELEMENTS (layers); i++)
        {
          gint64 site = ns_parts_get_input (&parts, part) + layers[i];

          if (n == 0 || site > sites[n - 1])
            sites[n++] = site;
        }
    }
  sites[n++] = ns_experiment_get_head_site (experiment);
  return n;
}

/* Return the value of a vector at initialization, at its site. */
static double
get_initial_value (const NsPlan *plan, NsTensor tensor, gint64 site)
{
  const NsTensorInfo *info = ns_tensor_info (tensor);

  switch ((int) info->role)
    {
    case NS_ROLE_GAIN:
      return info->slot == NS_SLOT_BRANCH ? plan->variant->branch_norm_gain : 1;
    case NS_ROLE_ALPHA:
      return plan->variant->dyt_alpha;
    case NS_ROLE_SCALE:
    case NS_ROLE_FACTOR:
      return ns_plan_get_initial (plan, tensor, site);
    case NS_ROLE_MIX: /* of A_m and A_r the elements differ */
      return ns_plan_get_initial_element (plan, tensor, site, 0);
    default:
      return 0;
    }
}

/* Add a target for each tensor that exists at a chosen site. */
static void
add_targets (NsVerify *self)
{
  const NsVariant *variant = ns_experiment_variant (self->experiment, 0);
  gint64 sites[MAX_SITES];
  guint n = choose_sites (self->experiment, sites);
  NsPlan plan;

  ns_plan_init (&plan, self->experiment, 0);
  for (int t = 0; t < NS_N_TENSORS; t++)
    for (guint i = 0; i < n; i++)
      {
        NsVerifyTarget target = { .tensor = (NsTensor) t, .site = sites[i], .std = 1, .recorded = NAN };
        gint64 rows, columns;

        if (!ns_tensor_exists (target.tensor, self->experiment, 0, sites[i]))
          continue;
        ns_tensor_get_shape (target.tensor, &self->experiment->shape, variant, &rows, &columns);
        target.n = (gsize) (ns_tensor_get_count (target.tensor, variant) * rows * columns);
        target.base = get_initial_value (&plan, target.tensor, target.site);
        g_array_append_val (self->targets, target);
      }
}

/* Return the error of the other estimates of several minibatches, relative to the mean gradient's norm: of the mean of
 * the norms, and of the unbiased square of the expected gradient. */
static double
get_batch_error (const NsVerifyTarget *target, double M)
{
  double mean = target->values[NS_ESTIMATE_MEAN], norm = target->values[NS_ESTIMATE_NORM] / mean;
  double expected = target->values[NS_ESTIMATE_EXPECTED] / mean;
  double square = (M - target->batch_mean_square) / (M - 1), scale = (M + target->batch_mean_square) / (M - 1);

  /* all are 0 or underflow, so the ratios are meaningless */
  if (!(fabs (mean) > 1e-280))
    return 0;
  return fmax (ns_relative_error (norm, target->batch_mean, 1),
               ns_relative_error (expected * fabs (expected), square, scale));
}

static void
report_targets (NsVerify *self, NsVerifyReport *report)
{
  double M = (double) self->experiment->sampling.batches;

  for (guint i = 0; i < self->targets->len; i++)
    {
      const NsVerifyTarget *target = &g_array_index (self->targets, NsVerifyTarget, i);
      const char *name = ns_tensor_get_name (target->tensor);
      double off = fabs (target->recorded / NS_LOG10_2 - target->log2_norm);

      /* a recorded norm whose gradient the hooks did not get is undecided; W_Q = 0 has neither */
      if (target->has_gradient || (!target->is_modulo && isfinite (target->recorded)))
        ns_verify_report_add (report, NS_VERIFY_GRADIENT, name, target->site, target->error,
                              target->undecided || !target->has_gradient);
      if (target->is_modulo)
        off = fabs (off - round (off));
      if (target->has_norm && target->log2_norm == -INFINITY) /* a norm of 0 has no logarithm to compare */
        off = target->recorded == -INFINITY ? 0 : INFINITY;
      off = isfinite (off) ? expm1 (off * M_LN2) : INFINITY;
      if (M > 1 && target->has_norm && target->log2_norm > -INFINITY)
        off = fmax (off, get_batch_error (target, M));
      if (target->has_norm)
        ns_verify_report_add (report, NS_VERIFY_NORM, name, target->site, off, FALSE);
    }
}

/* Pass when no check failed and at least one gradient was decided. */
static void
judge (NsVerifyReport *report)
{
  gboolean failed = FALSE, decided = FALSE;

  for (guint i = 0; i < report->checks->len; i++)
    {
      const NsVerifyCheck *check = &g_array_index (report->checks, NsVerifyCheck, i);

      failed |= !check->passed;
      decided |= check->kind == NS_VERIFY_GRADIENT && check->undecided < check->places;
    }
  report->passed = decided && !failed;
}

static gboolean
fail_memory (GError **error)
{
  g_set_error_literal (error, NS_ENGINE_ERROR, NS_ENGINE_ERROR_MEMORY, _ ("The system refused memory for the checks"));
  return FALSE;
}

static gboolean
prepare (NsVerify *self, GError **error)
{
  guint64 bytes = ns_workspace_get_bytes (self->experiment, FALSE, 1), all;
  guint n_workers = ns_team_size (self->team);
  gsize max_n = 1;

  if (__builtin_mul_overflow (bytes, n_workers, &all))
    all = G_MAXUINT64;
  if (!ns_engine_check_memory (self->experiment, all, error))
    return FALSE;
  add_targets (self);
  for (guint i = 0; i < self->targets->len; i++)
    max_n = MAX (max_n, g_array_index (self->targets, NsVerifyTarget, i).n);
  self->gradient = ns_memory_try_new (double, max_n);
  self->share = ns_memory_try_new (double, max_n);
  if (self->gradient == NULL || self->share == NULL)
    return fail_memory (error);
  for (guint i = 0; i < n_workers; i++)
    {
      NsVerifyWorker *worker = &self->workers[i];

      worker->moved = ns_memory_try_new (ns_real, max_n);
      worker->direction = ns_memory_try_new (ns_real, max_n);
      if (worker->moved == NULL || worker->direction == NULL
          || !ns_workspace_init (&worker->work, &worker->memory, self->experiment, FALSE, NULL))
        return fail_memory (error);
    }
  return TRUE;
}

static gboolean
check_targets (NsVerify *self, NsVerifyReport *report, GError **error)
{
  ns_progress_begin (self->progress, self->targets->len);
  if (ns_verify_analyse (self, report) == NS_PASS_DONE && !self->refused)
    {
      ns_team_run (self->team, self->targets->len, ns_verify_target, self);
      report_targets (self, report);
    }
  if (self->refused)
    return fail_memory (error);
  if (atomic_load (&self->cancelled))
    {
      g_set_error_literal (error, NS_ENGINE_ERROR, NS_ENGINE_ERROR_CANCELLED, _ ("The check was cancelled"));
      return FALSE;
    }
  judge (report);
  return TRUE;
}

static void
clear (NsVerify *self)
{
  for (guint i = 0; i < ns_team_size (self->team); i++)
    {
      ns_workspace_memory_clear (&self->workers[i].memory);
      g_free (self->workers[i].moved);
      g_free (self->workers[i].direction);
    }
  for (guint i = 0; i < self->inputs->len; i++)
    g_free (g_array_index (self->inputs, NsVerifyInput, i).x);
  g_free (self->workers);
  g_free (self->gradient);
  g_free (self->share);
  g_array_unref (self->inputs);
  g_array_unref (self->targets);
  ns_weights_free (self->weights);
  ns_team_free (self->team);
}

NsVerifyReport *
ns_verify_run (const NsExperiment *experiment, guint variant, guint n_threads, const NsVerifyPlant *plant,
               NsProgress *progress, GError **error)
{
  g_autoptr (NsExperiment) one = NULL;
  g_autoptr (NsVerifyReport) report = NULL;
  NsVerify self = { .plant = plant, .progress = progress, .overflow = -1 };
  gboolean done;

  g_return_val_if_fail (variant < experiment->variants->len, NULL);
  if (!ns_experiment_validate (experiment, error))
    return NULL;
  one = ns_verify_dup_experiment (experiment, variant);
  report = ns_verify_report_new (&one->shape);
  self.experiment = one;
  self.weights = ns_weights_new (WEIGHTS_BUDGET);
  self.team = ns_team_new (openblas_get_parallel () == 0 ? 1 : n_threads > 0 ? n_threads : g_get_num_processors ());
  self.workers = g_new0 (NsVerifyWorker, ns_team_size (self.team));
  self.targets = g_array_new (FALSE, FALSE, sizeof (NsVerifyTarget));
  self.inputs = g_array_new (FALSE, FALSE, sizeof (NsVerifyInput));
  done = prepare (&self, error) && check_targets (&self, report, error);
  clear (&self);
  return done ? g_steal_pointer (&report) : NULL;
}
