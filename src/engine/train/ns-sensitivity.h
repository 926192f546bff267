/* A sensitivity map: the loss that a short training ends with, over learning rate × depth or learning rate × warm-up.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A cell is the experiment with one learning rate for all variants, whatever their own ones are, at one point of the
 * other axis: that depth, or that many steps of warm-up, also for all variants. Each variant and seed of a cell is a
 * run of ns-training.h, with the same bits; of its losses only a few means are kept.
 *
 * Threads: ns_engine_fill_sensitivity() fills a map on its threads; any thread may read it meanwhile, and hold
 * references.
 */
#pragma once

#include "engine/run/ns-engine.h"
#include "engine/run/ns-items.h"

G_BEGIN_DECLS

typedef enum
{
  NS_SENSITIVITY_DEPTH,
  NS_SENSITIVITY_WARMUP,
} NsSensitivityAxis;

/* Which of the seeds a cell shows. */
typedef enum
{
  NS_SEEDS_WORST,
  NS_SEEDS_MEAN,
  NS_SEEDS_BEST,
} NsSeedsChoice;

/* The rows and columns of a map, ascending. */
typedef struct
{
  NsSensitivityAxis axis;
  gint64 *points; /* [n_points] depths, or steps of warm-up; owned */
  guint n_points;
  double *rates;  /* [n_rates] learning rates; owned */
  guint n_rates;
} NsSensitivityPlan;

/* Set the plan that suits an experiment: ten learning rates, three for each decade, around its own one; a quarter, half
 * and double of its depth, or warm-ups of none to a third of its steps, and its own. */
void ns_sensitivity_plan_init (NsSensitivityPlan *plan, const NsExperiment *experiment, NsSensitivityAxis axis);
void ns_sensitivity_plan_clear (NsSensitivityPlan *plan);
/* Replace the points or the rates by "2,4,8" or by "2..64:6", six of them that are evenly spaced by logarithm. FALSE
 * with an NS_EXPERIMENT_ERROR, which changes nothing. */
gboolean ns_sensitivity_plan_set_points (NsSensitivityPlan *plan, const char *text, GError **error);
gboolean ns_sensitivity_plan_set_rates (NsSensitivityPlan *plan, const char *text, GError **error);

typedef struct _NsSensitivity NsSensitivity;

/* Create an empty map of the seeds 0 .. n_seeds − 1. Copies the experiment and the plan. NULL with an error
 * (NS_EXPERIMENT_ERROR, NS_ENGINE_ERROR) when the experiment cannot be trained at one of the points. */
NsSensitivity *ns_sensitivity_new (const NsExperiment *experiment, const NsSensitivityPlan *plan, guint n_seeds,
                                   GError **error);
NsSensitivity *ns_sensitivity_ref (NsSensitivity *map);
void ns_sensitivity_unref (NsSensitivity *map);

/* Train what is left: all cells with the first seed, small depths first, then with the next seed. Blocks. The runs go
 * side by side where memory allows it. FALSE with an error when the job was cancelled or memory is refused; finished
 * runs stay, and another call trains the others. */
gboolean ns_engine_fill_sensitivity (NsEngine *engine, NsSensitivity *map, NsProgress *progress, GError **error);

/* Append the runs of a map to a list of items. */
void ns_items_add_sensitivity (NsItems *items, NsSensitivity *map);

/* ---- reading; `point` and `rate` are indices into the plan ---- */

const NsExperiment *ns_sensitivity_get_experiment (const NsSensitivity *map);
const NsSensitivityPlan *ns_sensitivity_get_plan (const NsSensitivity *map);
guint ns_sensitivity_get_n_seeds (const NsSensitivity *map);
/* Return the number of runs, and how many are finished. */
guint ns_sensitivity_get_n_runs (const NsSensitivity *map);
guint ns_sensitivity_count_finished (const NsSensitivity *map);
/* Return the milliseconds that ns_engine_fill_sensitivity() took in all its calls, and its number of threads. */
double ns_sensitivity_get_elapsed_ms (const NsSensitivity *map);
guint ns_sensitivity_get_threads (const NsSensitivity *map);
/* Return the entropy of a token alone, in nats (ns_training_get_symbol_entropy()). */
double ns_sensitivity_get_symbol_entropy (const NsSensitivity *map);
/* Return the experiment of a cell. Caller frees. */
NsExperiment *ns_sensitivity_make_experiment (const NsSensitivity *map, guint point, guint rate);

typedef enum
{
  NS_OUTCOME_LEARNED,
  NS_OUTCOME_STALLED,  /* at the entropy of a token alone (ns_losses_stall()) */
  NS_OUTCOME_DIVERGED, /* NaN or infinity, or more than 20 % above the first loss */
} NsTrainingOutcome;

typedef struct
{
  NsTrainingOutcome outcome;
  double loss;  /* mean over the last steps (ns_training_get_final_loss()), nats; NAN after NaN or infinity */
  gint64 step;  /* of NaN or infinity; −1 without */
  gint64 site;  /* where they appeared first */
} NsSensitivityRun;

/* Get a finished run. FALSE for another. */
gboolean ns_sensitivity_get_run (const NsSensitivity *map, guint variant, guint point, guint rate, guint seed,
                                 NsSensitivityRun *run);

typedef struct
{
  NsTrainingOutcome outcome;
  double loss;  /* NAN if it is not finite */
  guint n;      /* seeds that have finished */
  guint n_diverged, n_stalled;
} NsSensitivityCell;

/* Get a variant's cell over the seeds that have finished: the largest, mean or least loss. With a diverged seed, the
 * worst and the mean have diverged. FALSE if no seed has finished. */
gboolean ns_sensitivity_get_cell (const NsSensitivity *map, guint variant, guint point, guint rate,
                                  NsSeedsChoice seeds, NsSensitivityCell *cell);

/* The learning rates that train a variant: around the best one, without a gap, those with a loss within
 * NS_STABILITY_SHARE of the best, and below the entropy of a token alone by more than 5 %. */
#define NS_STABILITY_SHARE 0.05
typedef struct
{
  double loss;               /* the best */
  guint best, first, last;   /* rates */
  double factor;             /* rates[last] / rates[first] */
  gboolean is_open;          /* it reaches an end of the rates, so it may be wider */
} NsStabilityRange;

/* Find the range at a point, all of whose cells have finished. FALSE if one has not, or if no rate trains the
 * variant. */
gboolean ns_sensitivity_get_range (const NsSensitivity *map, guint variant, guint point, NsSeedsChoice seeds,
                                   NsStabilityRange *range);
/* Find the range of one seed alone. */
gboolean ns_sensitivity_get_seed_range (const NsSensitivity *map, guint variant, guint point, guint seed,
                                        NsStabilityRange *range);
/* Return TRUE if every run of the variant at the point has finished. */
gboolean ns_sensitivity_is_finished (const NsSensitivity *map, guint variant, guint point);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (NsSensitivity, ns_sensitivity_unref)
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (NsSensitivityPlan, ns_sensitivity_plan_clear)

G_END_DECLS
