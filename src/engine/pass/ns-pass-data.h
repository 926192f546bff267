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

#include "engine/experiment/ns-quantity.h"
#include "engine/ops/ns-scaled.h"
#include "engine/pass/ns-workspace.h"

/* Callbacks that replace parameters and receive gradients, for checking gradients from outside. Each may be NULL. */
typedef struct
{
  /* Return the values u [in, out] to use for a weight matrix W = std·u, or NULL for its own. */
  const ns_real *(*weights) (gpointer data, NsTensor tensor, gint64 site);
  /* Return the values of a norm's gain, bias or alpha or of a learned branch scale, in the shape of
   * ns_tensor_get_shape(), or NULL for its own. */
  const ns_real *(*vector) (gpointer data, NsTensor tensor, gint64 site);
  /* Receive the factors of a weight matrix's gradient: ∂L/∂W = xᵀ·dy·2^exp2, x [N, in], dy [N, out]. */
  void (*matrix_gradient) (gpointer data, NsTensor tensor, gint64 site, const ns_real *x, const ns_real *dy,
                           double exp2);
  /* Receive a vector's gradient: the sum of the rows of gradient·2^exp2 [M, columns], one for each minibatch. */
  void (*vector_gradient) (gpointer data, NsTensor tensor, gint64 site, const double *gradient, double exp2);
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
  gboolean only; /* measure `wanted` alone, and the terms of the sum when it is one */
  NsQuantity wanted;
  gboolean stop; /* with only: end the backward pass at its first measurement */
} NsSink;

/* The gradient norm of several parameters so far: roots of summed squares. */
typedef struct
{
  NsRoot whole;    /* of the gradient of the loss, the mean over the minibatches */
  NsRoot *batches; /* [M] of the gradient of each minibatch; NULL if M is 1 */
} NsGradientSum;

typedef struct
{
  NsPlan plan;
  guint64 seed;
  NsWorkspace *work;
  NsWeights *weights;
  const NsPassHooks *hooks; /* or NULL */
  NsSink sink;
  gint64 cached_site; /* a workspace with one cache for all blocks: the site it holds now; 0: none */

  /* backward: */
  NsScaled dx;      /* [N, C] ∂L/∂x at the point where the backward pass is */
  NsScaled dr;      /* [N, C] dual residual: ∂L/∂r, the same at every sub-layer of a part */
  NsScaled dsource; /* [N, C] gradient at the encoder's output: sum over the decoder's blocks so far */
  gboolean has_dsource;
  NsGradientSum sum[NS_N_SUBS]; /* of each sub-layer of the current block */
  gboolean satisfied;    /* the sink has what it wanted (NsSink.stop): skip the rest */
} NsPass;
