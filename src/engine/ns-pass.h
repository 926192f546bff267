/* One variant, one seed: a forward and a backward pass through the whole stack, measured on the way.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Scale carrying: a forward pass without norms and residuals can shrink below, and a backward pass leave on either
 * side, what the floating-point type holds. Arrays therefore stand for v·2^exp2 (NsScaled), brought back to about 1
 * between sub-layers; powers of two change no digit, and exp2 stays 0 where there is no need. Only growth in the
 * forward pass is left to overflow, because that is what happens to a real network.
 *
 * Threads: a pass belongs to one job; its weights may be shared.
 */
#pragma once

#include "engine/ns-engine.h"
#include "engine/ns-workspace.h"

/* For checking gradients from outside: replaces parameters and hands out what backward holds. All may be NULL. */
typedef struct
{
  /* The values u [in, out] to use for a weight matrix, or NULL for its own. */
  const ns_real *(*weights) (gpointer data, NsTensor tensor, gint64 block);
  /* The gain or bias [C] of a norm, or NULL for ones or zeros. */
  const ns_real *(*vector) (gpointer data, NsTensor tensor, gint64 block);
  /* ∂L/∂W = xᵀ·dy·2^exp2 for a weight matrix, x [N, in], dy [N, out]. */
  void (*matrix_gradient) (gpointer data, NsTensor tensor, gint64 block, const ns_real *x, const ns_real *dy,
                           double exp2);
  /* ∂L/∂(gain or bias) = gradient·2^exp2 [C]. */
  void (*vector_gradient) (gpointer data, NsTensor tensor, gint64 block, const double *gradient, double exp2);
  gpointer data;
} NsPassHooks;

/* Root of a sum of squares whose terms may lie beyond any double: sum2·2^(2·exp2). */
typedef struct
{
  double sum2, exp2;
} NsRoot;

/* Where measurements go. */
typedef struct
{
  void (*record) (gpointer data, NsQuantity quantity, gint64 site, double value,
                  double log10_value);           /* NULL: nowhere */
  void (*overflow) (gpointer data, gint64 site); /* the first site that is no longer finite; or NULL */
  gpointer data;
  gboolean only;     /* nothing but `wanted` is measured */
  NsQuantity wanted;
  gboolean stop;     /* with only: the backward pass ends with its first measurement */
} NsSink;

typedef struct
{
  NsPlan plan;
  guint64 seed;
  NsWorkspace *work;
  NsWeights *weights;
  const NsPassHooks *hooks; /* or NULL */
  NsSink sink;
  gint64 cached_block; /* whose activations stand in the one cache of a workspace that keeps none; 0: nobody's */
  /* backward */
  NsScaled dx;
  NsRoot attn_sum, ffn_sum;
  gboolean satisfied; /* what was wanted has been measured: the rest may be left out */
} NsPass;

typedef enum
{
  NS_PASS_DONE,
  NS_PASS_CANCELLED,
  NS_PASS_OVERFLOWED, /* the forward pass left the finite numbers: a result; what follows was not measured */
} NsPassState;

/* A pass over one variant; everything is borrowed. The caller sets sink and hooks. */
void ns_pass_init (NsPass *pass, const NsExperiment *experiment, guint variant, guint64 seed, NsWorkspace *work,
                   NsWeights *weights);
/* The whole pass. progress may be NULL; *loss (nullable) is in full precision. */
NsPassState ns_pass_run (NsPass *pass, NsProgress *progress, double *loss);

/* Its parts. Blocks first .. last forward; first == 1 loads the input, too. */
NsPassState ns_pass_forward (NsPass *pass, gint64 first, gint64 last, NsProgress *progress);
/* From x_L, L = plan.depth, through final norm, head and loss to ∂L/∂x_L. */
NsPassState ns_pass_head (NsPass *pass, double *loss);
/* Blocks plan.depth .. lowest backward. */
NsPassState ns_pass_backward (NsPass *pass, gint64 lowest, NsProgress *progress);
/* Draws what the pass reads: work->x[0], work->targets, and with unit-gradient the upstream gradient into work->dx. */
void ns_pass_load_input (NsPass *pass);

/* ---- shared by the parts of a pass ---- */

/* Whether a quantity has to be computed. */
gboolean ns_pass_wants (const NsPass *pass, NsQuantity quantity);
/* value·2^exp2 of a quantity at a site. */
void ns_pass_record (NsPass *pass, NsQuantity quantity, gint64 site, double value, double exp2);
void ns_root_add (NsRoot *root, double value, double exp2);

/* The matrix of a tensor in a block, ready for the linear maps. */
NsMatrix ns_pass_get_matrix (NsPass *pass, NsTensor tensor, gint64 block);
/* Records ‖xᵀ·dy‖ and, with biases, ‖Σ_n dy‖; adds them to *sum. */
void ns_pass_matrix_gradient (NsPass *pass, NsTensor tensor, gint64 block, NsScaled x, NsScaled dy, gsize in, gsize out,
                              NsRoot *sum);

/* y = norm (x) into the array out; the cache keeps what backward needs. */
NsScaled ns_pass_norm_forward (NsPass *pass, NsNormCache *cache, ns_real *out, NsScaled x, NsTensor gain, gint64 block);
/* ∂L/∂x into the array dx, which may be dy's; records the norms of the gain's (and bias's) gradient. */
NsScaled ns_pass_norm_backward (NsPass *pass, const NsNormCache *cache, ns_real *dx, NsScaled dy, NsTensor gain,
                                gint64 block, NsRoot *sum);

/* Takes the power of two out of a factor so small that a few of its products would leave the type; returns what is to
 * be added to exp2 for it. 0, and the factor as it is, in all ordinary cases. */
double ns_take_power (double *factor);
/* Sum of squares of the stored values; brings a tensor that has shrunk out of reach back to about 1. */
double ns_settle_forward (NsScaled *x, gsize n);
/* Likewise for a gradient, in both directions. */
double ns_settle_backward (NsScaled *x, gsize n);

/* Branches (ns-branch.c): u → s, and ds → du, which they write into work->du. */
void ns_attention_branch_forward (NsPass *pass, NsSubCache *sub, gint64 block);
NsScaled ns_attention_branch_backward (NsPass *pass, const NsSubCache *sub, gint64 block, NsScaled ds, NsRoot *sum);
void ns_ffn_branch_forward (NsPass *pass, NsSubCache *sub, gint64 block);
NsScaled ns_ffn_branch_backward (NsPass *pass, const NsSubCache *sub, gint64 block, NsScaled ds, NsRoot *sum);

/* Blocks (ns-block.c): x_{l−1} → x_l, and pass->dx from ∂L/∂x_l to ∂L/∂x_{l−1}. measure: record the activations. */
void ns_block_forward (NsPass *pass, gint64 block, gboolean measure);
void ns_block_backward (NsPass *pass, gint64 block);
