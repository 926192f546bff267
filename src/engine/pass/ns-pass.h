/* One variant, one seed: a forward and a backward pass through the whole stack, measured on the way.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Blocks are named by their site (ns-quantity.h), which in a single stack is the block's number.
 *
 * Threads: a pass belongs to one job; its weights may be shared.
 */
#pragma once

#include "engine/experiment/ns-settings.h"
#include "engine/ops/ns-progress.h"
#include "engine/ops/ns-scaled.h"
#include "engine/pass/ns-workspace.h"

/* For checking gradients from outside: replaces parameters and hands out what backward holds. All may be NULL. */
typedef struct
{
  /* The values u [in, out] to use for a weight matrix, or NULL for its own. */
  const ns_real *(*weights) (gpointer data, NsTensor tensor, gint64 site);
  /* The gain, bias or alpha of a norm, or a learned branch scale, in the shape of ns_tensor_get_shape(); NULL for its
   * own. */
  const ns_real *(*vector) (gpointer data, NsTensor tensor, gint64 site);
  /* ∂L/∂W = xᵀ·dy·2^exp2 for a weight matrix, x [N, in], dy [N, out]. */
  void (*matrix_gradient) (gpointer data, NsTensor tensor, gint64 site, const ns_real *x, const ns_real *dy,
                           double exp2);
  /* ∂L/∂(such a vector) = gradient·2^exp2. */
  void (*vector_gradient) (gpointer data, NsTensor tensor, gint64 site, const double *gradient, double exp2);
  gpointer data;
} NsPassHooks;

/* Where measurements go. */
typedef struct
{
  void (*record) (gpointer data, NsQuantity quantity, gint64 site, double value,
                  double log10_value);           /* NULL: nowhere */
  void (*overflow) (gpointer data, gint64 site); /* the first site that is no longer finite; or NULL */
  gpointer data;
  gboolean only; /* nothing but `wanted` is measured */
  NsQuantity wanted;
  gboolean stop; /* with only: the backward pass ends with its first measurement */
} NsSink;

typedef struct
{
  NsPlan plan;
  guint64 seed;
  NsWorkspace *work;
  NsWeights *weights;
  const NsPassHooks *hooks; /* or NULL */
  NsSink sink;
  gint64 cached_site; /* whose activations stand in the one cache of a workspace that keeps none; 0: nobody's */
  /* backward */
  NsScaled dx;
  NsScaled dr;      /* with a dual residual: ∂L/∂r, the same at every sub-layer of a part */
  NsScaled dsource; /* of the encoder's output, from the decoder's blocks so far */
  gboolean has_dsource;
  NsRoot sum[NS_N_SUBS]; /* of the block's sub-layers */
  gboolean satisfied;    /* what was wanted has been measured: the rest may be left out */
} NsPass;

/* The tensors and quantities of one sub-layer. An FFN has no q_norm … w_o. */
typedef struct
{
  NsSub sub;
  NsNormPlace pre, branch, post, inner;
  NsNormPlace q_norm, k_norm, v_norm;
  NsTensor w_q, w_k, w_v, w_o, scale;
  NsQuantity sum; /* of the gradients of all its tensors */
  NsQuantity rms; /* of what its branch adds */
} NsSubLayer;

extern const NsSubLayer ns_sub_layers[NS_N_SUBS]; /* by NsSub */

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

/* Its parts. Sites first .. last forward; site 0 loads the input. */
NsPassState ns_pass_forward (NsPass *pass, gint64 first, gint64 last, NsProgress *progress);
/* From the last block's output through final norm, head and loss and back to it; cancelled as the forward pass. */
NsPassState ns_pass_head (NsPass *pass, double *loss);
/* From there down to site `lowest`: its block, or the norm behind its input. */
NsPassState ns_pass_backward (NsPass *pass, gint64 lowest, NsProgress *progress);
/* Draws what the pass reads: work->x of each part's input, work->targets, and with unit-gradient the upstream gradient
 * into work->input. */
void ns_pass_load_input (NsPass *pass);

/* ---- shared by the parts of a pass ---- */

/* Whether a quantity has to be computed. */
gboolean ns_pass_wants (const NsPass *pass, NsQuantity quantity);
/* value·2^exp2 of a quantity at a site. */
void ns_pass_record (NsPass *pass, NsQuantity quantity, gint64 site, double value, double exp2);

/* The matrix of a tensor in the block at a site, ready for the linear maps. */
NsMatrix ns_pass_get_matrix (NsPass *pass, NsTensor tensor, gint64 site);
/* Records ‖xᵀ·dy‖ and, with biases, ‖Σ_n dy‖; adds them to *sum. */
void ns_pass_matrix_gradient (NsPass *pass, NsTensor tensor, gint64 site, NsScaled x, NsScaled dy, NsRoot *sum);
/* The values that hooks put in place of a vector, or NULL. */
const ns_real *ns_pass_get_vector (const NsPass *pass, NsTensor tensor, gint64 site);
/* Records the norm of a vector's gradient; adds it to *sum. */
void ns_pass_vector_gradient (NsPass *pass, NsTensor tensor, gint64 site, const double *gradient, double exp2,
                              NsRoot *sum);

/* y = norm (x) into the array out; the cache keeps what backward needs. */
NsScaled ns_pass_norm_forward (NsPass *pass, NsNormCache *cache, ns_real *out, NsScaled x, NsNormPlace norm,
                               gint64 site);
/* ∂L/∂x into the array dx, which may be dy's; records the norms of its parameters' gradients. */
NsScaled ns_pass_norm_backward (NsPass *pass, const NsNormCache *cache, ns_real *dx, NsScaled dy, NsNormPlace norm,
                                gint64 site, NsRoot *sum);

/* Branches (ns-branch.c): u → s, and ds → du, which they write into work->du. Attention that reads another source than
 * u adds what goes there to pass->dsource. */
void ns_attention_branch_forward (NsPass *pass, NsSubCache *sub, const NsSubLayer *layer, gint64 site);
NsScaled ns_attention_branch_backward (NsPass *pass, const NsSubCache *sub, const NsSubLayer *layer, gint64 site,
                                       NsScaled ds);
void ns_ffn_branch_forward (NsPass *pass, NsSubCache *sub, gint64 site);
NsScaled ns_ffn_branch_backward (NsPass *pass, const NsSubCache *sub, gint64 site, NsScaled ds);

/* Blocks (ns-block.c): x_{l−1} → x_l, and pass->dx from ∂L/∂x_l to ∂L/∂x_{l−1}. first: record the activations, and add
 * to the dual stream. */
void ns_block_forward (NsPass *pass, gint64 site, gboolean first);
void ns_block_backward (NsPass *pass, gint64 site);

/* Parts (ns-part.c). The input as drawn becomes x_0: scaled and normalized. */
void ns_part_enter (NsPass *pass, gint64 part);
/* pass->dx, which has come through the part's first block, becomes ∂L/∂x_0. */
void ns_part_reach_input (NsPass *pass);
/* From there to the input as drawn. */
void ns_part_leave_backward (NsPass *pass, gint64 part);
/* x_L becomes what the head or the decoder reads, in work->part[part].out. */
NsScaled ns_part_close (NsPass *pass, gint64 part);
/* pass->dx from the gradient of that to ∂L/∂x_L. */
void ns_part_close_backward (NsPass *pass, gint64 part);
