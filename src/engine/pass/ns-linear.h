/* Linear maps y = x·W, W = std·u: forward, backward, and the norm of the weight gradient.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 *   y  = x·W          [N, out] = [N, in]·[in, out]
 *   dx = dy·Wᵀ        [N, in]  = [N, out]·[out, in]
 *   dW = xᵀ·dy        [in, out] = [in, N]·[N, out], of which only ‖dW‖_F is needed
 *
 * A large matrix is processed in panels, whose bounds depend on its shape alone. So the results are the same bits
 * whether the weights are stored or drawn again panel by panel, and with any number of threads.
 */
#pragma once

#include "engine/experiment/ns-weight-source.h"
#include "engine/pass/ns-weights.h"

typedef struct
{
  NsRandomKey key;
  NsDistribution distribution;
  gsize in, out;
  gsize first_row; /* e·in of expert e in the stream of all experts; 0 of a single matrix */
  double std;
  const ns_real *unit; /* u [in, out] where it is stored; NULL: drawn or read again, panel by panel */
  gboolean transposed; /* key, unit and source are of uᵀ, [out, in]: a head tied to the embedding */
  const NsWeightSource *source; /* u is read from there; NULL: it is drawn */
  NsWeightPlace place;          /* in the source */
} NsMatrix;

/* Draw all values u [in, out] of the matrix. */
void ns_matrix_fill (const NsMatrix *W, ns_real *out);

/* Working memory of the linear maps. Not shared between jobs. */
typedef struct
{
  NsTeam *team;       /* or NULL */
  NsProgress *progress; /* of the job, or NULL. Checked at each panel: once cancelled, the rest is skipped and outputs
                           are undefined */
  ns_real **panel;    /* [team size] of ns_linear_panel_elements() each */
  double *partial;    /* [2, NS_LINEAR_MAX_PANELS] */
  ns_real *gram_x, *gram_y; /* [N, N] each, or [N/M, N/M] if only single minibatches use ns_linear_uses_gram(); NULL if
                               neither does */
  gboolean gram_x_valid;    /* gram_x holds x·xᵀ for the x of the next call; the caller clears it when x changes */
} NsLinearScratch;

#define NS_LINEAR_MAX_PANELS 65536

/* y = scale·x·W + beta·y */
void ns_linear_forward (ns_real *y, const ns_real *x, const NsMatrix *W, double scale, double beta, gsize N,
                        NsLinearScratch *scratch);
/* dx = scale·dy·Wᵀ + beta·dx */
void ns_linear_backward (ns_real *dx, const ns_real *dy, const NsMatrix *W, double scale, double beta, gsize N,
                         NsLinearScratch *scratch);

/* ‖dW‖_F from the explicit product xᵀ·dy. */
double ns_linear_gradient_norm_plain (const ns_real *x, const ns_real *dy, gsize N, gsize in, gsize out,
                                      NsLinearScratch *scratch);
/* ‖dW‖_F without the matrix dW where that is cheaper, from two Gram matrices [N, N]:
 *
 *   ‖xᵀ·dy‖² = Σ_ij (x·xᵀ)_ij·(dy·dyᵀ)_ij
 *
 * Falls back to the explicit product where the sum cancels so far that the result would be less accurate than 1e-4.
 * W_Q, W_K and W_V share one x·xᵀ (gram_x_valid). */
double ns_linear_gradient_norm (const ns_real *x, const ns_real *dy, gsize N, gsize in, gsize out,
                                NsLinearScratch *scratch);
/* Return ‖dW‖_F as above, and in blocks [M], M > 1, the norms ‖x_mᵀ·dy_m‖_F of M blocks of N/M rows each. Their Gram
 * matrices are the diagonal blocks of the whole Gram matrix. */
double ns_linear_gradient_norms (double *blocks, gsize M, const ns_real *x, const ns_real *dy, gsize N, gsize in,
                                 gsize out, NsLinearScratch *scratch);
/* dW = scale·xᵀ·dy + beta·dW, [in, out] */
void ns_linear_gradient (ns_real *dW, const ns_real *x, const ns_real *dy, double scale, double beta, gsize N, gsize in,
                         gsize out, NsLinearScratch *scratch);
/* y = x·u, [N, out] = [N, in]·[in, out], with u = dW or, with `sign`, u = sign (dW), dW = x0ᵀ·dy0 [in, out] of N0
 * tokens */
void ns_linear_step (ns_real *y, const ns_real *x, const ns_real *x0, const ns_real *dy0, gboolean sign, gsize N,
                     gsize N0, gsize in, gsize out, NsLinearScratch *scratch);
/* Return Σ |dW|, dW = xᵀ·dy, and in *count the number of its elements that are not 0. */
double ns_linear_gradient_absolute (const ns_real *x, const ns_real *dy, gsize N, gsize in, gsize out, double *count,
                                    NsLinearScratch *scratch);
/* Return ‖u‖_F of a matrix W = std·u. */
double ns_matrix_unit_norm (const NsMatrix *W, NsLinearScratch *scratch);
/* Return TRUE when the Gram matrices take fewer operations for a matrix [in, out] at N tokens. */
gboolean ns_linear_uses_gram (gsize N, gsize in, gsize out, gboolean x_is_known);

/* Return the number of elements of the largest panel of a matrix [in, out]. */
gsize ns_linear_panel_elements (gsize in, gsize out);
