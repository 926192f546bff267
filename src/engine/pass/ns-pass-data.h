/* The state of a pass of one variant and one seed, shared by its files.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Blocks are named by their site (ns-quantity.h), which in a single stack is the block's number.
 *
 * Threads: a pass belongs to one job; its weights may be shared.
 */
#pragma once

#include "engine/experiment/ns-quantity-set.h"
#include "engine/ops/ns-rotary.h"
#include "engine/ops/ns-scaled.h"
#include "engine/pass/ns-workspace.h"

/* Without norms, a gate doubles exp2 in every block and would overflow the double after a thousand blocks: clamp it. */
#define NS_MIN_EXP2 (-1e300)

/* The rows of a linear map's arrays that each of its matrices reads: one matrix and all tokens, or the experts'
 * matrices and the tokens that have chosen them. */
typedef struct
{
  gsize n;            /* matrices */
  const gsize *start; /* [n + 1] matrix i has the rows start[i] .. start[i + 1] − 1; start[n] is the number of rows */
  const gsize *token; /* [rows] the token of a row, increasing within a matrix; NULL: the row's number */
} NsRowGroups;

/* Callbacks that replace parameters and receive gradients, to check gradients or to take a step along them. Each may be
 * NULL. */
typedef struct
{
  /* Return the values u [in, out] to use for a weight matrix W = std·u, or NULL for its own; those of all experts, one
   * below the other, [E, in, out]. */
  const ns_real *(*weights) (gpointer data, NsTensor tensor, gint64 site);
  /* The weights are W itself; those of a head tied to the embedding are E = Wᵀ [out, in]. */
  gboolean trained;
  /* Return the values of a norm's gain, bias or alpha or of a learned branch scale, in the shape of
   * ns_tensor_get_shape(), or NULL for its own. */
  const ns_real *(*vector) (gpointer data, NsTensor tensor, gint64 site);
  /* Return y = x·W [N, out] of a linear map with what is added to it, in the array of y, as a change of W does; x is
   * [N, in]. Of experts x and y have the rows of ns_pass_get_row_groups(). */
  NsScaled (*linear) (gpointer data, NsTensor tensor, gint64 site, NsScaled y, NsScaled x);
  /* Receive the factors of a weight matrix's gradient: ∂L/∂W = xᵀ·dy, x [N, in], dy [N, out]; of experts once for all,
   * with the rows of ns_pass_get_row_groups(). */
  void (*matrix_gradient) (gpointer data, NsTensor tensor, gint64 site, NsScaled x, NsScaled dy);
  /* Receive a vector's gradient: the sum of the rows of gradient·2^exp2 [M, columns], one for each minibatch. */
  void (*vector_gradient) (gpointer data, NsTensor tensor, gint64 site, const double *gradient, double exp2);
  /* Put the input of a part into x [N, C] and the last part's targets into targets [N], instead of drawing both. */
  void (*input) (gpointer data, gint64 part, ns_real *x, gint32 *targets);
  /* Receive the gradient of that input, ∂L/∂x = scale·dx [N, C]. */
  void (*input_gradient) (gpointer data, gint64 part, NsScaled dx, double scale);
  gpointer data;
} NsPassHooks;

/* Receives measurements, and selects them. */
typedef struct
{
  /* NULL: measure nothing. With several minibatches, gradients of parameters are recorded once for each estimate,
   * everything else as NS_ESTIMATE_NORM. An expected gradient with a negative square s has the value −√(−s). */
  void (*record) (gpointer data, NsQuantity quantity, NsGradientEstimate estimate, gint64 site, double value,
                  double log10_value);
  /* Receives the first site whose activations are no longer finite; may be NULL. */
  void (*overflow) (gpointer data, gint64 site);
  gpointer data;
  const NsQuantitySet *wanted; /* quantities to measure, with the terms of sums; NULL: all */
  gboolean stop;               /* end the backward pass at the first measurement of `last` */
  NsQuantity last;
} NsSink;

/* The gradient norm of several parameters so far: roots of summed squares. */
typedef struct
{
  NsRoot whole;    /* of the gradient of the loss, the mean over the minibatches */
  NsRoot *batches; /* [M] of the gradient of each minibatch; NULL if M is 1 */
} NsGradientSum;

/* The identity path where the backward pass is: ι = factor·v. */
typedef struct
{
  NsScaled v;             /* [N, C] */
  double factor, sum2;    /* sum2: of the stored values of v */
  NsScaled end;           /* [N, C] ∂L/∂x_L of the part; v has its array until the first norm */
  double end_sum2;
  double above_sum2;      /* of ∂L/∂x at the site above, in work->above_gradient */
} NsIdentity;

/* The shares in x_L where the backward pass is, see ns-contributions.h. */
typedef struct
{
  NsScaled v, skip;    /* [N, C] covectors: down the residuals, and along the block residual */
  double square, exp2; /* ‖x_L‖² = square·2^(2·exp2) */
  double bias;         /* the share of the norm's bias that belongs to the next sub-layer */
} NsShares;

/* The gradient of the relative biases of a part, from the blocks so far: work->dbias_table·2^exp2. */
typedef struct
{
  gboolean is_set; /* there was a block */
  double exp2;
} NsRelativeGradient;

typedef struct
{
  NsPlan plan;
  guint64 seed;
  NsWorkspace *work;
  NsWeights *weights;
  const NsPassHooks *hooks; /* or NULL */
  NsSink sink;
  NsRotary rotary;          /* of queries and keys in self-attention; no pairs: none */
  NsRotary rotary_local;    /* the same in blocks with a window */
  const ns_real *position_bias[2]; /* [H, 2T − 1] of the self-attention of each part, or NULL (NsScores) */
  NsScaled raw_logits; /* nGPT: [N, V] before their factors */
  NsRelativeGradient relative; /* where the backward pass is */
  gsize tokens[2];    /* 0, N: the rows of a single matrix */
  gint64 cached_site; /* a workspace with one cache for all blocks: the site it holds now; 0: none */

  /* backward, of `copies` gradients at once, one below the other in their arrays; 1 in ordinary passes */
  gsize copies;
  NsScaled dx;      /* [N, C] ∂L/∂x at the point where the backward pass is */
  NsScaled dr;      /* [N, C] dual residual: ∂L/∂r, the same at every sub-layer of a part */
  NsScaled dsource; /* [N, C] gradient at the encoder's output: sum over the decoder's blocks so far */
  gboolean has_dsource;
  NsIdentity identity;
  NsShares shares;
  NsGradientSum sum[NS_N_SUBS]; /* of each sub-layer of the current block */
  gboolean satisfied;    /* the sink has what it wanted (NsSink.stop): skip the rest */
} NsPass;
