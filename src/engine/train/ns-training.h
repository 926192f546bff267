/* A training of every variant and seed of an experiment: the loss of each step, and at recorded steps what an ordinary
 * run measures.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A run is one variant and one seed; runs do not influence each other. Step t = 0 .. steps − 1 computes the loss and
 * its gradient on the batch of step t with the weights that the steps before have left, and then changes the weights.
 * All numbers of step t are from before its change.
 *
 * Threads: ns_engine_train() fills it on its threads; any thread may read it meanwhile, and hold references.
 */
#pragma once

#include "engine/experiment/ns-quantity-set.h"
#include "engine/run/ns-engine.h"

G_BEGIN_DECLS

typedef struct _NsTraining NsTraining;

/* What is recorded, and kept. */
typedef struct
{
  guint n_first;                   /* the first steps, each of which is recorded */
  guint n_later;                   /* recorded steps after these; the last step is always recorded */
  gboolean logarithmic;            /* they are spaced by logarithm; else evenly */
  const NsQuantitySet *quantities; /* recorded; NULL: all. Copied */
  gboolean keep_weights;           /* keep the weights of finished runs, for ns_training_foreach_weights() */
} NsTrainingPlan;

#define NS_TRAINING_PLAN_DEFAULT ((NsTrainingPlan){ .n_first = 20, .n_later = 40 })

/* Create a training of the seeds first_seed .. first_seed + n_seeds − 1 of every variant, as ns_engine_run() counts
 * them. Copies the experiment. NULL with an error (NS_EXPERIMENT_ERROR, NS_ENGINE_ERROR) when it cannot be trained or
 * memory is refused. */
NsTraining *ns_training_new (const NsExperiment *experiment, const NsTrainingPlan *plan, guint first_seed,
                             guint n_seeds, GError **error);
/* Create a finished training of one variant and one run from numbers that another program has recorded: row t of
 * `steps` ("seed" t) has those of step t, losses [n_seeds of steps] its loss, NaN where there is none. References
 * `steps`, whose experiment describes the model and says nothing about how it was trained. */
NsTraining *ns_training_new_recorded (NsResult *steps, const double *losses);
/* Return TRUE for such a training. It has no settings of an optimizer, no weights and no update ratios. */
gboolean ns_training_is_recorded (const NsTraining *training);
NsTraining *ns_training_ref (NsTraining *training);
void ns_training_unref (NsTraining *training);

/* Run all steps that are left; blocks. The runs of a seed advance side by side where memory allows it, seed after seed;
 * threads that would wait for the last of them begin with the next seed. FALSE with an error when
 * the job was cancelled or memory is refused; what is finished stays, and another call goes on from there, with the
 * same bits as without the interruption. */
gboolean ns_engine_train (NsEngine *engine, NsTraining *training, NsProgress *progress, GError **error);
/* The same, until each run of the first n_seeds seeds has finished n_steps steps. Where fewer runs are open at a time
 * than there are, memory for the states of all that have begun must do. */
gboolean ns_engine_train_until (NsEngine *engine, NsTraining *training, guint n_seeds, gint64 n_steps,
                                NsProgress *progress, GError **error);
/* Return the least memory, in bytes, that ns_engine_train() needs for such a training: G_MAXUINT64 when it cannot be
 * counted. */
guint64 ns_engine_get_training_memory (const NsEngine *engine, const NsExperiment *experiment,
                                       const NsTrainingPlan *plan, guint n_seeds);

/* What ns_engine_train() takes, in bytes; G_MAXUINT64 where it cannot be counted. */
typedef struct
{
  guint n_open, n_workers; /* runs that have a state at the same time, and that advance at the same time */
  guint64 state;           /* of a run: its weights, and the moments of its optimizer */
  guint64 work;            /* of a worker: gradients and activations */
  guint64 numbers;         /* losses and records of all runs */
  guint64 total;
} NsTrainingMemory;

void ns_engine_describe_training_memory (const NsEngine *engine, const NsExperiment *experiment,
                                         const NsTrainingPlan *plan, guint n_seeds, NsTrainingMemory *memory);

/* ---- reading; `seed` is an index, 0 .. n_seeds − 1 ---- */

const NsExperiment *ns_training_get_experiment (const NsTraining *training);
guint ns_training_get_first_seed (const NsTraining *training);
guint ns_training_get_n_seeds (const NsTraining *training);
gint64 ns_training_get_n_steps (const NsTraining *training);
/* Return the number of steps that a run has finished. A diverged run has no more. */
gint64 ns_training_count_steps (const NsTraining *training, guint variant, guint seed);
/* Return TRUE once the run has done all steps or has diverged. */
gboolean ns_training_is_finished (const NsTraining *training, guint variant, guint seed);
/* Get the loss of the batch of a step. FALSE while there is none. */
gboolean ns_training_get_loss (const NsTraining *training, guint variant, guint seed, gint64 step, double *loss);
/* Return the milliseconds that ns_engine_train() took so far, in all its calls, and the most threads of any of them. A
 * checkpoint keeps both. */
double ns_training_get_elapsed_ms (const NsTraining *training);
guint ns_training_get_threads (const NsTraining *training);

/* Return the steps that are recorded, in ascending order; owned by the training. */
const gint64 *ns_training_get_records (const NsTraining *training, guint *n);
/* Return the number of records that a run has finished. */
guint ns_training_count_records (const NsTraining *training, guint variant, guint seed);
/* Return the last record of a step at or before this one; the first one if there is none. */
guint ns_training_find_record (const NsTraining *training, gint64 step);
/* Return the quantities at a recorded step as an ordinary result, without the last seeds if no run of theirs is there,
 * in which runs that are not there yet, or have ended before, are missing; caller owns it. NULL: memory is refused. */
NsResult *ns_training_get_result (const NsTraining *training, guint record);
/* Compute the statistic of a quantity at a recorded step over the runs that have reached it, as that result has it.
 * FALSE if none has, or as ns_result_get_stat(). */
gboolean ns_training_get_stat (const NsTraining *training, guint variant, NsQuantity quantity, guint record,
                               gint64 site, NsStat *stat);
/* Get ‖Δθ‖/‖θ‖ of a tensor in the update after a recorded step; for the weights of a tied head, of the embedding. FALSE
 * while there is none, for a tensor that the variant does not train, and where θ is 0. */
gboolean ns_training_get_update_ratio (const NsTraining *training, guint variant, guint seed, guint record,
                                       NsTensor tensor, gint64 site, double *ratio);

/* Get the step in which a run ended in NaN or infinity, and the site where they appeared first: a block whose
 * activations overflowed, the head for the loss, or a block whose gradient did. FALSE for a run that has not. */
gboolean ns_training_get_divergence (const NsTraining *training, guint variant, guint seed, gint64 *step,
                                     gint64 *site);

/* Return what a loss can be compared with, in nats: the entropy of a token alone, and the lowest loss on new data, NAN
 * where it is unknown (ns-batch.h; always of a recorded training) or the attention of a variant sees the tokens that it
 * has to predict. */
double ns_training_get_symbol_entropy (const NsTraining *training);
double ns_training_get_floor (const NsTraining *training);

/* ---- weights ---- */

/* A parameter of a run: a tensor, or one of the inputs' tables. */
typedef struct
{
  const char *name;       /* "block001/w_q", "decoder/block001/cross_w_q", "head/w_head", "input/embedding" */
  gint64 rows, columns;   /* a vector has one row */
  gconstpointer values;   /* [rows, columns] of `element_size` bytes each: float, or double in the double build */
  gsize element_size;
} NsTrainingWeights;

typedef gboolean (*NsTrainingWeightsFunc) (const NsTrainingWeights *weights, gpointer user_data, GError **error);
/* Call func for every parameter of a run, as it is after the last finished step. FALSE with an error from func, or when
 * the weights are not there: not started, or finished without keep_weights. Waits while the run does a few steps. */
gboolean ns_training_foreach_weights (NsTraining *training, guint variant, guint seed, NsTrainingWeightsFunc func,
                                      gpointer user_data, GError **error);

/* ---- checkpoints ---- */

/* Receives the next bytes of a checkpoint. FALSE with an error stops. */
typedef gboolean (*NsTrainingWriteFunc) (gpointer user_data, gconstpointer bytes, gsize n, GError **error);
/* Fills `bytes` with the next n bytes of a checkpoint. FALSE with an error stops. */
typedef gboolean (*NsTrainingReadFunc) (gpointer user_data, gpointer bytes, gsize n, GError **error);
/* Write all numbers and the state of every run; any thread, also while the training runs, which waits for one run at a
 * time. The bytes are of this machine's order and of this program's precision. They have room for the numbers of all
 * steps, and nothing of the time that they took; a checksum and ns_training_set_elapsed() are the caller's. */
gboolean ns_training_save (NsTraining *training, NsTrainingWriteFunc func, gpointer user_data, GError **error);
/* Read a training of this experiment, with its plan and seeds, from what ns_training_save() wrote, n_bytes altogether.
 * The memory that it takes is in proportion to n_bytes, beside that of a Markov chain. NULL with an error from func,
 * when the bytes are of another experiment or program, too few or damaged (NS_ENGINE_ERROR_CHECKPOINT), and as
 * ns_training_new() does. */
NsTraining *ns_training_load (const NsExperiment *experiment, guint64 n_bytes, NsTrainingReadFunc func,
                              gpointer user_data, GError **error);

/* Set what ns_training_get_elapsed_ms() and ns_training_get_threads() return before the training goes on. */
void ns_training_set_elapsed (NsTraining *training, double elapsed_ms, guint threads);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (NsTraining, ns_training_unref)

G_END_DECLS
