/* One number of every variant against depth (or width): the points that scaling laws are held against.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Block l has the same weights at every depth, so a sweep over depths needs one forward pass to the deepest and, for a
 * gradient at the last block, that block's backward pass for each depth. A variant with a constant that depends on
 * the depth (DeepNorm, GPT-2's init, Mix-LN) runs each depth whole; ns_variant_depends_on_depth() tells.
 *
 * Threads: a sweep is filled by the thread that runs it and may be read from any thread all the while; each point
 * appears once, whole. ns_sweep_ref() and ns_sweep_unref() may be called from any thread.
 */
#pragma once

#include "engine/experiment/ns-settings.h"
#include "engine/run/ns-engine.h"

G_BEGIN_DECLS

typedef enum { NS_AT_LAST, NS_AT_FIRST, NS_AT_MAX, NS_AT_TOTAL } NsWhere;

/* `quantity@where`: at the last or first block, the largest over the blocks, or the root of their summed squares. A
 * tensor of the head is the same number whatever `where` says. */
typedef struct
{
  NsQuantity quantity;
  NsWhere where;
  NsPart part; /* NS_PART_STACK: the stack, or the decoder of an encoder-decoder */
} NsMetric;

/* The gradient of the FFN's last matrix at the last block, which Theorem 1 of Xiong et al. 2020 is about. */
NsMetric ns_metric_get_default (void);
/* "w_2@last", "decoder:w_2@first"; without @, last; without a part, the stack or the decoder. FALSE and an
 * NS_EXPERIMENT_ERROR that lists what is allowed. */
gboolean ns_metric_from_text (const char *text, NsMetric *metric, GError **error);
char *ns_metric_dup_text (const NsMetric *metric); /* caller frees */
const char *ns_where_get_name (NsWhere where);     /* static */

typedef enum
{
  NS_SWEEP_DEPTH,
  NS_SWEEP_D_MODEL, /* d_ff keeps its ratio to d_model; heads stay, or their number is the largest divisor below */
} NsSweepAxis;

/* Whole numbers from first to last, evenly on a logarithmic axis, both ends included, at most n of them (n >= 2);
 * every one when n is 0. Caller frees with g_free(); *length is set. */
gint64 *ns_sweep_points (gint64 first, gint64 last, guint n, guint *length);
/* "1..128", "1..128:every", "1..128:20" (at most 20 of them) or "1,2,4,8": as on the command line. NULL and an
 * error. */
gint64 *ns_sweep_points_from_text (const char *text, guint *length, GError **error);

typedef struct _NsSweep NsSweep;

/* A sweep without numbers yet. points ascend, each allowed for the axis' key; copied like the experiment. NULL and an
 * NS_EXPERIMENT_ERROR when one of the experiments cannot be run. */
NsSweep *ns_sweep_new (const NsExperiment *experiment, NsSweepAxis axis, const gint64 *points, guint n_points,
                       NsMetric metric, GError **error);
NsSweep *ns_sweep_ref (NsSweep *sweep);
void ns_sweep_unref (NsSweep *sweep);

/* Computes every point of every variant and seed, the shallow ones first. Blocks. progress may be NULL. FALSE and an
 * error when it was cancelled or cannot be run; the points that had appeared stay. As ns_engine_run() otherwise. */
gboolean ns_engine_run_sweep (NsEngine *engine, NsSweep *sweep, NsProgress *progress, GError **error);

const NsExperiment *ns_sweep_get_experiment (const NsSweep *sweep);
NsSweepAxis ns_sweep_get_axis (const NsSweep *sweep);
NsMetric ns_sweep_get_metric (const NsSweep *sweep);
const gint64 *ns_sweep_get_points (const NsSweep *sweep, guint *n_points);
guint ns_sweep_get_n_seeds (const NsSweep *sweep);
double ns_sweep_get_elapsed_ms (const NsSweep *sweep);

/* One number; FALSE while it has not appeared. Past a forward overflow, and where the quantity does not exist, NaN.
 * Either pointer may be NULL. log10_value as in ns-result.h; NAN for a negative cosine. */
gboolean ns_sweep_get_value (const NsSweep *sweep, guint variant, guint point, guint seed, double *value,
                             double *log10_value);
/* Over the seeds that have appeared; FALSE while none has. */
gboolean ns_sweep_get_stat (const NsSweep *sweep, guint variant, guint point, NsStat *stat);

/* Whether block l of the variant is another one in a deeper stack: a constant depends on the depth, or, in a decoder,
 * the encoder's output does. */
gboolean ns_variant_depends_on_depth (const NsExperiment *experiment, guint variant);
/* Whether some variant has the metric's quantity in its part, or at the head. */
gboolean ns_metric_exists (const NsMetric *metric, const NsExperiment *experiment, guint variant);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (NsSweep, ns_sweep_unref)

G_END_DECLS
