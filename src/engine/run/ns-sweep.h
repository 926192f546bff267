/* A sweep: one metric of every variant against depth or width, the data of scaling laws.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Block l has the same weights at every depth, so a sweep over depths takes one forward pass to the deepest stack and,
 * for a gradient at the last block, that block's backward pass at each depth. Variants for which
 * ns_variant_depends_on_depth() holds, such as DeepNorm, GPT-2's initialization or Mix-LN, run once for each depth.
 *
 * Threads: the thread that runs a sweep fills it; any thread may read it meanwhile, since each value appears once and
 * complete, and may take and drop references.
 */
#pragma once

#include "engine/experiment/ns-settings.h"
#include "engine/run/ns-engine.h"

G_BEGIN_DECLS

typedef enum { NS_AT_LAST, NS_AT_FIRST, NS_AT_MAX, NS_AT_TOTAL, NS_AT_SQUARES, NS_N_WHERES } NsWhere;

/* `quantity@where`: its value at the last or first block, its largest over the blocks, the root of the sum of squares
 * over the blocks, or that sum itself, which is what a step of SGD takes off the loss, divided by the learning rate.
 * `where` has no effect on a quantity of the head. */
typedef struct
{
  NsQuantity quantity;
  NsWhere where;
  NsPart part; /* NS_PART_STACK: the single stack; in an encoder-decoder, the decoder */
} NsMetric;

/* Return w_2@last: the gradient of the FFN's last matrix at the last block, as in Theorem 1 of Xiong et al. 2020. */
NsMetric ns_metric_get_default (void);
/* Read "w_2@last" or "decoder:w_2@first"; default: @last, and NS_PART_STACK. Return FALSE with an NS_EXPERIMENT_ERROR
 * that lists the allowed values. */
gboolean ns_metric_from_text (const char *text, NsMetric *metric, GError **error);
char *ns_metric_dup_text (const NsMetric *metric); /* caller frees */

typedef enum
{
  NS_SWEEP_DEPTH,
  NS_SWEEP_D_MODEL, /* d_ff keeps its ratio to d_model; heads stay, or become the next smaller divisor of d_model */
} NsSweepAxis;

/* Return at most n (>= 2) whole numbers from first to last, both included, evenly spaced on a logarithmic axis; all of
 * them if n is 0. Sets *length. Caller frees with g_free(). */
gint64 *ns_sweep_points (gint64 first, gint64 last, guint n, guint *length);
/* Read "1..128", "1..128:every", "1..128:20" (at most 20 points) or "1,2,4,8", as on the command line. Return NULL with
 * an NS_EXPERIMENT_ERROR for any other text. */
gint64 *ns_sweep_points_from_text (const char *text, guint *length, GError **error);

typedef struct _NsSweep NsSweep;

/* Create a sweep without values; copies the experiment and the points, which ascend and are allowed for the key of the
 * axis. Return NULL with an NS_EXPERIMENT_ERROR when the experiment is invalid at one of them.
 * Variants whose weights are read get no values, since these fit one shape; there must be another variant. */
NsSweep *ns_sweep_new (const NsExperiment *experiment, NsSweepAxis axis, const gint64 *points, guint n_points,
                       NsMetric metric, GError **error);
/* Copy the values that another sweep of the same metric over the same points knows of variants that have the same
 * passes there; it may be filled meanwhile. Return TRUE if the other one knows nothing more. */
gboolean ns_sweep_take_known (NsSweep *sweep, const NsSweep *known);
/* Measure only the given variants (bit v: the variant v); the others get no values. Call it before the sweep runs, and
 * leave at least one variant. */
void ns_sweep_limit_variants (NsSweep *sweep, guint32 variants);
gboolean ns_sweep_measures (const NsSweep *sweep, guint variant);
NsSweep *ns_sweep_ref (NsSweep *sweep);
void ns_sweep_unref (NsSweep *sweep);

/* Compute every point of every variant and seed, shallow ones first. Blocks. progress may be NULL. Return FALSE with an
 * error when the run was cancelled or is impossible; values computed so far stay. Otherwise as ns_engine_run(). */
gboolean ns_engine_run_sweep (NsEngine *engine, NsSweep *sweep, NsProgress *progress, GError **error);

const NsExperiment *ns_sweep_get_experiment (const NsSweep *sweep);
NsSweepAxis ns_sweep_get_axis (const NsSweep *sweep);
NsMetric ns_sweep_get_metric (const NsSweep *sweep);
/* Return TRUE when the values are one estimate, that of the experiment, of a gradient over several minibatches. */
gboolean ns_sweep_has_estimate (const NsSweep *sweep);
const gint64 *ns_sweep_get_points (const NsSweep *sweep, guint *n_points);
/* Return the experiment at a point: that depth, or that width with d_ff and heads as above. Caller frees. */
NsExperiment *ns_sweep_make_experiment (const NsSweep *sweep, guint point);
guint ns_sweep_get_n_seeds (const NsSweep *sweep);
double ns_sweep_get_elapsed_ms (const NsSweep *sweep);

/* Read one value; return FALSE while it is not computed. NaN after a forward overflow and where the quantity does not
 * exist. *log10_value is NAN for a negative cosine. Either pointer may be NULL. */
gboolean ns_sweep_get_value (const NsSweep *sweep, guint variant, guint point, guint seed, double *value,
                             double *log10_value);
/* Read the statistic over the seeds computed so far; return FALSE while there is none. */
gboolean ns_sweep_get_stat (const NsSweep *sweep, guint variant, guint point, NsStat *stat);

/* Return TRUE when block l of the variant differs between stacks of different depth: a constant depends on the depth,
 * or, in a decoder, the encoder's output does. */
gboolean ns_variant_depends_on_depth (const NsExperiment *experiment, guint variant);
/* Return TRUE when the variant has the metric's quantity in the metric's part, or at the head. */
gboolean ns_metric_exists (const NsMetric *metric, const NsExperiment *experiment, guint variant);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (NsSweep, ns_sweep_unref)

G_END_DECLS
