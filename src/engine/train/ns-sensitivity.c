/* A sensitivity map: storage, reference counts, reading.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/train/ns-sensitivity-private.h"

#include "engine/experiment/ns-experiment-error.h"
#include "engine/experiment/ns-experiment.h"
#include "engine/experiment/ns-training-settings.h"
#include "engine/experiment/ns-validate.h"
#include "engine/ops/ns-memory.h"
#include "engine/run/ns-engine-private.h"
#include "engine/train/ns-training-loss.h"

#include <glib/gi18n-lib.h>

/* A loss that is that much larger than the first one, relative to it, has diverged. The first one is of one batch. */
#define RISE 0.2
#define MAX_RUNS 1000000

/* ---- construction ---- */

static void
free_map (NsSensitivity *self)
{
  ns_sensitivity_plan_clear (&self->plan);
  g_free (self->runs);
  g_free (self->source_memory);
  ns_experiment_free (self->experiment);
  g_free (self);
}

static NsSensitivityPlan
copy_plan (const NsSensitivityPlan *plan)
{
  NsSensitivityPlan copy = *plan;

  copy.points = g_memdup2 (plan->points, plan->n_points * sizeof (gint64));
  copy.rates = g_memdup2 (plan->rates, plan->n_rates * sizeof (double));
  return copy;
}

/* Check the experiment of every point. */
static gboolean
check_points (const NsSensitivity *self, GError **error)
{
  for (guint i = 0; i < self->plan.n_points; i++)
    {
      g_autoptr (NsExperiment) experiment = ns_sensitivity_make_experiment (self, i, 0);

      if (!ns_experiment_validate (experiment, error) || !ns_experiment_validate_training (experiment, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
allocate_numbers (NsSensitivity *self, GError **error)
{
  self->source_memory = ns_memory_try (ns_batch_source_get_bytes (self->experiment), 1);
  self->runs = ns_memory_try_new (NsSensitivityNumbers, self->n_runs);
  if (self->source_memory == NULL || self->runs == NULL)
    {
      g_set_error_literal (error, NS_ENGINE_ERROR, NS_ENGINE_ERROR_MEMORY,
                           _ ("The system refused memory for the numbers of the map"));
      return FALSE;
    }
  ns_batch_source_init (&self->source, self->experiment, self->source_memory);
  self->entropy = ns_batch_source_get_symbol_entropy (&self->source);
  for (guint i = 0; i < self->n_runs; i++)
    atomic_init (&self->runs[i].finished, FALSE);
  return TRUE;
}

NsSensitivity *
ns_sensitivity_new (const NsExperiment *experiment, const NsSensitivityPlan *plan, guint n_seeds, GError **error)
{
  NsSensitivity *self;
  guint64 n_runs = (guint64) plan->n_points * plan->n_rates * experiment->variants->len * n_seeds;

  g_return_val_if_fail (n_seeds >= 1 && plan->n_points >= 1 && plan->n_rates >= 1, NULL);
  if (!ns_experiment_validate (experiment, error) || !ns_experiment_validate_training (experiment, error))
    return NULL;
  if (n_runs > MAX_RUNS)
    {
      g_set_error (error, NS_EXPERIMENT_ERROR, NS_EXPERIMENT_ERROR_VALUE,
                   _ ("A map of %llu trainings is not allowed; allowed: up to %d points × learning rates × variants × "
                      "seeds"),
                   (unsigned long long) n_runs, MAX_RUNS);
      return NULL;
    }
  self = g_new0 (NsSensitivity, 1);
  atomic_init (&self->ref_count, 1);
  self->experiment = ns_experiment_copy (experiment);
  self->plan = copy_plan (plan);
  self->n_seeds = n_seeds;
  self->n_runs = (guint) n_runs;
  if (check_points (self, error) && allocate_numbers (self, error))
    return self;
  free_map (self);
  return NULL;
}

NsSensitivity *
ns_sensitivity_ref (NsSensitivity *self)
{
  atomic_fetch_add_explicit (&self->ref_count, 1, memory_order_relaxed);
  return self;
}

void
ns_sensitivity_unref (NsSensitivity *self)
{
  if (atomic_fetch_sub_explicit (&self->ref_count, 1, memory_order_acq_rel) == 1)
    free_map (self);
}

NsExperiment *
ns_sensitivity_make_experiment (const NsSensitivity *self, guint point, guint rate)
{
  NsExperiment *e = ns_experiment_copy (self->experiment);

  g_return_val_if_fail (point < self->plan.n_points && rate < self->plan.n_rates, e);
  e->training.learning_rate = self->plan.rates[rate];
  if (self->plan.axis == NS_SENSITIVITY_DEPTH)
    ns_shape_set_depth (&e->shape, self->plan.points[point]);
  else
    e->training.warmup = self->plan.points[point];
  for (guint v = 0; v < e->variants->len; v++)
    {
      NsVariantTraining *own = &ns_experiment_variant (e, v)->training;

      own->learning_rate = NAN;
      if (self->plan.axis == NS_SENSITIVITY_WARMUP)
        own->warmup = NS_NULL_CHOICE;
    }
  return e;
}

/* ---- reading ---- */

const NsExperiment *
ns_sensitivity_get_experiment (const NsSensitivity *self)
{
  return self->experiment;
}

const NsSensitivityPlan *
ns_sensitivity_get_plan (const NsSensitivity *self)
{
  return &self->plan;
}

guint
ns_sensitivity_get_n_seeds (const NsSensitivity *self)
{
  return self->n_seeds;
}

guint
ns_sensitivity_get_n_runs (const NsSensitivity *self)
{
  return self->n_runs;
}

guint
ns_sensitivity_count_finished (const NsSensitivity *self)
{
  return self->n_finished;
}

double
ns_sensitivity_get_elapsed_ms (const NsSensitivity *self)
{
  return self->elapsed_ms;
}

guint
ns_sensitivity_get_threads (const NsSensitivity *self)
{
  return self->threads;
}

double
ns_sensitivity_get_symbol_entropy (const NsSensitivity *self)
{
  return self->entropy;
}

static const NsSensitivityNumbers *
find_run (const NsSensitivity *self, guint variant, guint point, guint rate, guint seed)
{
  const NsSensitivityNumbers *run = ns_sensitivity_at (self, variant, point, rate, seed);

  return atomic_load_explicit (&run->finished, memory_order_acquire) ? run : NULL;
}

static NsTrainingOutcome
judge (const NsSensitivity *self, double first, double half, double last)
{
  if (!isfinite (last) || last > (1 + RISE) * first)
    return NS_OUTCOME_DIVERGED;
  return ns_losses_stall (half, last, self->entropy) ? NS_OUTCOME_STALLED : NS_OUTCOME_LEARNED;
}

gboolean
ns_sensitivity_get_run (const NsSensitivity *self, guint variant, guint point, guint rate, guint seed,
                        NsSensitivityRun *run)
{
  const NsSensitivityNumbers *numbers = find_run (self, variant, point, rate, seed);

  if (numbers == NULL)
    return FALSE;
  *run = (NsSensitivityRun){ judge (self, numbers->first, numbers->half, numbers->last), numbers->last, numbers->step,
                             numbers->site };
  return TRUE;
}

/* Compute the means over the seeds; a loss that is not finite makes them NAN. */
static NsTrainingOutcome
get_mean (const NsSensitivity *self, guint variant, guint point, guint rate, double *mean)
{
  double first = 0, half = 0, last = 0;
  guint n = 0;

  for (guint s = 0; s < self->n_seeds; s++)
    {
      const NsSensitivityNumbers *run = find_run (self, variant, point, rate, s);

      if (run == NULL)
        continue;
      first += run->first;
      half += run->half;
      last += run->last;
      n++;
    }
  *mean = last / n;
  return judge (self, first / n, half / n, last / n);
}

/* Return TRUE if run a ends with the larger loss; NaN is larger than any number. */
static gboolean
is_worse (const NsSensitivityRun *a, const NsSensitivityRun *b)
{
  return isnan (a->loss) ? !isnan (b->loss) : a->loss > b->loss;
}

gboolean
ns_sensitivity_get_cell (const NsSensitivity *self, guint variant, guint point, guint rate, NsSeedsChoice seeds,
                         NsSensitivityCell *cell)
{
  NsSensitivityRun run, worst = { .loss = NAN }, best = { .loss = NAN };

  *cell = (NsSensitivityCell){ .loss = NAN };
  for (guint s = 0; s < self->n_seeds; s++)
    {
      if (!ns_sensitivity_get_run (self, variant, point, rate, s, &run))
        continue;
      if (cell->n == 0 || is_worse (&run, &worst))
        worst = run;
      if (cell->n == 0 || is_worse (&best, &run))
        best = run;
      cell->n++;
      cell->n_diverged += run.outcome == NS_OUTCOME_DIVERGED;
      cell->n_stalled += run.outcome == NS_OUTCOME_STALLED;
    }
  if (cell->n == 0)
    return FALSE;
  cell->outcome = seeds == NS_SEEDS_BEST ? best.outcome : worst.outcome;
  cell->loss = seeds == NS_SEEDS_BEST ? best.loss : worst.loss;
  if (seeds == NS_SEEDS_MEAN)
    cell->outcome = get_mean (self, variant, point, rate, &cell->loss);
  if (seeds != NS_SEEDS_BEST && cell->n_diverged > 0)
    cell->outcome = NS_OUTCOME_DIVERGED;
  return TRUE;
}

gboolean
ns_sensitivity_is_finished (const NsSensitivity *self, guint variant, guint point)
{
  for (guint r = 0; r < self->plan.n_rates; r++)
    for (guint s = 0; s < self->n_seeds; s++)
      if (find_run (self, variant, point, r, s) == NULL)
        return FALSE;
  return TRUE;
}

/* What a range is about: one variant and point, and a statistic of the seeds, or a seed alone. */
typedef struct
{
  const NsSensitivity *map;
  guint variant, point;
  NsSeedsChoice seeds;
  int seed; /* −1: all, by `seeds` */
} Subject;

/* Get the loss at a rate. FALSE if it has not finished, has stalled or diverged. */
static gboolean
get_learned_loss (const Subject *subject, guint rate, double *loss)
{
  NsSensitivityCell cell;
  NsSensitivityRun run;

  if (subject->seed < 0)
    {
      *loss = NAN;
      if (!ns_sensitivity_get_cell (subject->map, subject->variant, subject->point, rate, subject->seeds, &cell))
        return FALSE;
      *loss = cell.loss;
      return cell.outcome == NS_OUTCOME_LEARNED;
    }
  if (!ns_sensitivity_get_run (subject->map, subject->variant, subject->point, rate, (guint) subject->seed, &run))
    return FALSE;
  *loss = run.loss;
  return run.outcome == NS_OUTCOME_LEARNED;
}

/* Return TRUE if the variant learns with the rate more than the frequencies of tokens, and ends not above the limit. */
static gboolean
trains (const Subject *subject, guint rate, double limit, double *loss)
{
  double entropy = subject->map->entropy;

  return get_learned_loss (subject, rate, loss) && *loss <= limit && *loss < entropy
         && !ns_loss_is_near (*loss, entropy);
}

static gboolean
find_range (const Subject *subject, NsStabilityRange *range)
{
  const double *rates = subject->map->plan.rates;
  guint n = subject->map->plan.n_rates;
  double limit, loss;

  *range = (NsStabilityRange){ .loss = INFINITY };
  if (!ns_sensitivity_is_finished (subject->map, subject->variant, subject->point))
    return FALSE;
  for (guint r = 0; r < n; r++)
    if (trains (subject, r, INFINITY, &loss) && loss < range->loss)
      {
        range->loss = loss;
        range->best = r;
      }
  if (isinf (range->loss))
    return FALSE;
  limit = (1 + NS_STABILITY_SHARE) * range->loss;
  range->first = range->last = range->best;
  while (range->first > 0 && trains (subject, range->first - 1, limit, &loss))
    range->first--;
  while (range->last + 1 < n && trains (subject, range->last + 1, limit, &loss))
    range->last++;
  range->factor = rates[range->last] / rates[range->first];
  range->is_open = range->first == 0 || range->last + 1 == n;
  return TRUE;
}

gboolean
ns_sensitivity_get_range (const NsSensitivity *self, guint variant, guint point, NsSeedsChoice seeds,
                          NsStabilityRange *range)
{
  const Subject subject = { self, variant, point, seeds, -1 };

  return find_range (&subject, range);
}

gboolean
ns_sensitivity_get_seed_range (const NsSensitivity *self, guint variant, guint point, guint seed,
                               NsStabilityRange *range)
{
  const Subject subject = { self, variant, point, NS_SEEDS_MEAN, (int) seed };

  g_return_val_if_fail (seed < self->n_seeds, FALSE);
  return find_range (&subject, range);
}
