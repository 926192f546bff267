/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/train/ns-training-estimate.h"

#include "engine/experiment/ns-experiment.h"
#include "engine/experiment/ns-scale-down.h"
#include "engine/experiment/ns-training-settings.h"
#include "engine/experiment/ns-validate.h"
#include "engine/run/ns-engine-private.h"
#include "engine/train/ns-trainer.h"

#include <glib/gi18n-lib.h>
#include <math.h>

/* ---- counting ---- */

/* Reading and writing weights, gradients and moments of an update, as operations for each number. */
#define UPDATE_FLOP 20

/* Count the operations of all steps; recorded ones take another pass. */
static double
count_flop (const NsEngine *engine, const NsExperiment *experiment, double n_records)
{
  double steps = (double) experiment->training.steps;
  double runs = (double) (experiment->sampling.seeds * experiment->variants->len);
  NsEstimate pass;

  ns_estimate_count (engine, experiment, &pass); /* of all runs */
  return (steps + n_records) * pass.flop + steps * runs * UPDATE_FLOP * (double) ns_trainer_count_state (experiment);
}

static double
estimate_records (const NsExperiment *experiment, const NsTrainingPlan *plan)
{
  return MIN ((double) plan->n_first + (double) MAX (plan->n_later, 1), (double) experiment->training.steps);
}

void
ns_estimate_count_training (const NsEngine *engine, const NsExperiment *experiment, const NsTrainingPlan *plan,
                            NsEstimate *estimate, NsTrainingMemory *memory)
{
  guint n_seeds = (guint) experiment->sampling.seeds;

  ns_estimate_count (engine, experiment, estimate);
  ns_engine_describe_training_memory (engine, experiment, plan, n_seeds, memory);
  estimate->flop = count_flop (engine, experiment, estimate_records (experiment, plan));
  estimate->needed = ns_engine_get_training_memory (engine, experiment, plan, n_seeds);
  estimate->memory = memory->total;
  estimate->fits = estimate->needed <= estimate->machine;
}

/* ---- measuring ---- */

#define PROBE_D_MODEL 768
#define PROBE_STEP_FLOP 2e9 /* of the deepest probe's step */
#define PROBE_MS 150
#define MAX_PROBE_STEPS 1024

/* Return a training of MAX_PROBE_STEPS steps, of as many runs as advance side by side. */
static NsExperiment *
new_probe (const NsEngine *engine, const NsExperiment *experiment, guint n_workers)
{
  NsExperiment *probe = ns_experiment_copy (experiment);
  double flop;

  g_ptr_array_set_size (probe->variants, 1);
  probe->sampling.seeds = n_workers;
  probe->training.steps = 1;
  flop = count_flop (engine, probe, 0);
  if (flop > PROBE_STEP_FLOP)
    ns_shape_set_depth (&probe->shape, CLAMP ((gint64) (PROBE_STEP_FLOP / flop * (double) probe->shape.depth), 1,
                                              probe->shape.depth));
  if (count_flop (engine, probe, 0) > 4 * PROBE_STEP_FLOP)
    {
      g_autoptr (NsExperiment) narrow = ns_experiment_scale_down (probe, PROBE_D_MODEL);

      probe->shape = narrow->shape;
      probe->shape.depth = 1;
      probe->shape.decoder_depth = 0;
    }
  probe->training.steps = MAX_PROBE_STEPS;
  return probe;
}

/* Return the milliseconds of all steps of the probe, NAN on failure. The first step draws the weights, and is not
 * counted. Then the number of steps doubles until they have taken PROBE_MS, so they never take three times as long. */
static double
time_probe (NsEngine *engine, const NsExperiment *probe, NsProgress *progress, GError **error)
{
  const NsTrainingPlan plan = { .quantities = &(NsQuantitySet){ { 0 } } };
  g_autoptr (NsTraining) training = ns_training_new (probe, &plan, 0, (guint) probe->sampling.seeds, error);
  double first_ms = 0, ms = 0;
  gint64 n = 0, wanted = 1;

  while (ms < PROBE_MS && n == wanted / 2 && n < MAX_PROBE_STEPS) /* n is less once it has diverged */
    {
      if (training == NULL || !ns_engine_train_until (engine, training, G_MAXUINT, wanted, progress, error))
        return NAN;
      n = ns_training_count_steps (training, 0, 0);
      first_ms = wanted == 1 ? ns_training_get_elapsed_ms (training) : first_ms;
      ms = ns_training_get_elapsed_ms (training) - first_ms;
      wanted *= 2;
    }
  /* A probe that has diverged in its first step has timed only that. */
  return (n > 0 ? ms / (double) MAX (n - 1, 1) : first_ms) * MAX_PROBE_STEPS;
}

gboolean
ns_estimate_training (const NsEngine *engine, const NsExperiment *experiment, const NsTrainingPlan *plan,
                      NsProgress *progress, NsEstimate *estimate, NsTrainingMemory *memory, GError **error)
{
  g_autoptr (NsEngine) probe_engine = NULL;
  g_autoptr (NsExperiment) probe = NULL;
  double ms;

  if (!ns_experiment_validate (experiment, error) || !ns_experiment_validate_training (experiment, error))
    return FALSE;
  ns_estimate_count_training (engine, experiment, plan, estimate, memory);
  if (!estimate->fits)
    return TRUE;
  probe_engine = ns_engine_new (engine->n_threads, engine->budget);
  probe = new_probe (engine, experiment, memory->n_workers);
  ms = time_probe (probe_engine, probe, progress, error);
  if (isnan (ms))
    return FALSE;
  estimate->seconds = estimate->flop / count_flop (probe_engine, probe, 1) * ms * 1e-3;
  return TRUE;
}

/* ---- in words ---- */

char *
ns_training_memory_dup_text (const NsTrainingMemory *memory)
{
  g_autofree char *state = g_format_size_full (memory->state, G_FORMAT_SIZE_IEC_UNITS);
  g_autofree char *work = g_format_size_full (memory->work, G_FORMAT_SIZE_IEC_UNITS);
  g_autofree char *numbers = g_format_size_full (memory->numbers, G_FORMAT_SIZE_IEC_UNITS);

  return g_strdup_printf (_ ("weights and optimizer: %u × %s; gradients and activations: %u × %s; losses and records: "
                             "%s"),
                          memory->n_open, state, memory->n_workers, work, numbers);
}
