/* One run of a training: one variant and one seed, its weights, the state of its optimizer, and one step.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A step is a pass whose hooks hand out the weights and turn the factors x and dy of each gradient into ∂L/∂W = xᵀ·dy,
 * and then an update of all parameters. The weights change only at its end, so a cancelled step leaves no trace.
 *
 * Threads: a trainer belongs to one thread at a time. Steps have the same bits with any workspace and team,
 * and with any sink.
 */
#pragma once

#include "engine/pass/ns-batch.h"
#include "engine/pass/ns-pass.h"
#include "engine/train/ns-parameters.h"

typedef struct
{
  const NsExperiment *experiment; /* borrowed */
  guint variant;
  guint64 seed;
  NsTrainingSettings settings;    /* of the variant */
  NsParameters parameters;
  guint n_moments;
  gint64 step;                    /* the next one */
  ns_real *values;                /* [size] θ */
  ns_real *moments;               /* [n_moments, trained] */
  const NsBatchSource *source;    /* borrowed */
} NsTrainer;

/* What one step needs for a while and leaves nothing in; not shared between threads. Of a small model, a step takes
 * the gradients of two halves of the minibatch, side by side if there is a team, and their mean. Whether it does,
 * depends on the experiment alone. */
typedef struct
{
  NsWorkspace *work;    /* of the whole minibatch; borrowed */
  NsTeam *team;         /* or NULL; borrowed */
  NsProgress *progress; /* or NULL; borrowed */
  ns_real *gradient;    /* of any variant */
  ns_real *half_gradient;
  NsExperiment *half;   /* with half the sequences; NULL: a step is one pass */
  struct
  {
    NsWorkspaceMemory memory;
    NsWorkspace work;
  } halves[2];          /* without a team, both halves use the first */
} NsTrainerScratch;

typedef struct
{
  double loss;                 /* NaN if the forward pass overflowed */
  double norm;                 /* ‖∂L/∂θ‖ of all that is trained, before clipping */
  gint64 overflow;             /* after NS_PASS_OVERFLOWED: the site that was no longer finite first */
  double *ratios;              /* [parameters.n] receives ‖Δθ‖/‖θ‖, NaN where θ is 0 or frozen; or NULL */
} NsTrainerStep;

/* Create a run before its first step; NULL when memory is refused, the job was cancelled or the file of its weights has
 * changed meanwhile (ns_experiment_check_sources()). The experiment has to outlive it, and so does the source of its
 * minibatches, which all runs share. */
NsTrainer *ns_trainer_new (const NsExperiment *experiment, const NsBatchSource *source, guint variant, guint64 seed,
                           NsProgress *progress);
void ns_trainer_free (NsTrainer *trainer);
/* Return the elements of values and moments of any variant of the experiment. */
guint64 ns_trainer_count_state (const NsExperiment *experiment);

/* Prepare the scratch of steps of any variant of the experiment. work: of the experiment, with that team, prepared with
 * keep_activations. FALSE when memory is refused. Clear it in either case. */
gboolean ns_trainer_scratch_init (NsTrainerScratch *scratch, const NsExperiment *experiment, NsWorkspace *work,
                                  gboolean keep_activations, NsTeam *team, NsProgress *progress);
void ns_trainer_scratch_clear (NsTrainerScratch *scratch);
/* Return the bytes it takes, without `work`; G_MAXUINT64 when they cannot be counted. */
guint64 ns_trainer_scratch_get_bytes (const NsExperiment *experiment, gboolean keep_activations, guint team_size);
/* Return TRUE if a step of the experiment takes two halves of the minibatch. */
gboolean ns_trainer_takes_halves (const NsExperiment *experiment);

/* Do the next step. The sink may be empty. DONE: the weights have changed. CANCELLED: as if it had not been called.
 * OVERFLOWED: the run ends here, the weights have not changed. */
NsPassState ns_trainer_step (NsTrainer *trainer, NsTrainerScratch *scratch, const NsSink *sink, NsTrainerStep *step);
