/* The memory of steps.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/experiment/ns-experiment.h"
#include "engine/experiment/ns-training-settings.h"
#include "engine/ops/ns-memory.h"
#include "engine/train/ns-optimizer.h"
#include "engine/train/ns-trainer.h"

/* Above so many weights, the products of a pass keep all threads busy, and a second gradient takes too much. */
#define MAX_HALVED ((guint64) 1 << 22)

/* Return the elements of the gradient of any variant of the experiment. */
static guint64
count_gradient (const NsExperiment *experiment)
{
  guint64 most = 0, trained;

  for (guint v = 0; v < experiment->variants->len; v++)
    {
      NsPlan plan;

      ns_plan_init (&plan, experiment, v);
      ns_parameters_count (&plan, experiment->training.embeddings, &trained);
      most = MAX (most, trained);
    }
  return most;
}

gboolean
ns_trainer_takes_halves (const NsExperiment *experiment)
{
  return experiment->shape.batch % 2 == 0 && experiment->sampling.batches == 1
         && count_gradient (experiment) <= MAX_HALVED;
}

/* Return the experiment with half the sequences, or NULL; caller frees. */
static NsExperiment *
make_half (const NsExperiment *experiment)
{
  NsExperiment *half;

  if (!ns_trainer_takes_halves (experiment))
    return NULL;
  half = ns_experiment_copy (experiment);
  half->shape.batch /= 2;
  return half;
}

gboolean
ns_trainer_scratch_init (NsTrainerScratch *scratch, const NsExperiment *experiment, NsWorkspace *work,
                         gboolean keep_activations, NsTeam *team, NsProgress *progress)
{
  guint64 elements = count_gradient (experiment);
  gboolean ok;

  *scratch = (NsTrainerScratch){ .work = work, .team = team, .progress = progress };
  scratch->gradient = ns_memory_try_new (ns_real, elements);
  ok = scratch->gradient != NULL;
  scratch->half = make_half (experiment);
  if (scratch->half == NULL)
    return ok;
  scratch->half_gradient = ns_memory_try_new (ns_real, elements);
  for (guint i = 0; i < (team != NULL ? 2 : 1); i++)
    ok = ok && ns_workspace_init (&scratch->halves[i].work, &scratch->halves[i].memory, scratch->half,
                                  keep_activations, NULL);
  return ok && scratch->half_gradient != NULL;
}

void
ns_trainer_scratch_clear (NsTrainerScratch *scratch)
{
  for (guint i = 0; i < G_N_ELEMENTS (scratch->halves); i++)
    ns_workspace_memory_clear (&scratch->halves[i].memory);
  g_clear_pointer (&scratch->half, ns_experiment_free);
  g_clear_pointer (&scratch->half_gradient, g_free);
  g_clear_pointer (&scratch->gradient, g_free);
}

guint64
ns_trainer_scratch_get_bytes (const NsExperiment *experiment, gboolean keep_activations, guint team_size)
{
  g_autoptr (NsExperiment) half = make_half (experiment);
  guint64 gradient, workspaces;

  if (__builtin_mul_overflow (count_gradient (experiment), sizeof (ns_real), &gradient))
    return G_MAXUINT64;
  if (half == NULL)
    return gradient;
  if (__builtin_mul_overflow (ns_workspace_get_bytes (half, keep_activations, 1), MIN (team_size, 2), &workspaces)
      || __builtin_add_overflow (workspaces, 2 * gradient, &workspaces))
    return G_MAXUINT64;
  return workspaces;
}

guint64
ns_trainer_count_state (const NsExperiment *experiment)
{
  guint64 most = 0;

  for (guint v = 0; v < experiment->variants->len; v++)
    {
      NsTrainingSettings settings = ns_variant_get_training (experiment, ns_experiment_variant (experiment, v));
      guint64 all, trained;
      NsPlan plan;

      ns_plan_init (&plan, experiment, v);
      all = ns_parameters_count (&plan, settings.embeddings, &trained);
      most = MAX (most, all + ns_optimizer_count_moments ((NsOptimizer) settings.optimizer, settings.momentum)
                              * trained);
    }
  return most;
}
