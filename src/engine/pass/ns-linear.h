/* Linear maps y = x·W, W = std·u, forward, backward, and the norm of the weight gradient.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 *   y  = x·W          x [N, in], W [in, out], y [N, out]
 *   dx = dy·Wᵀ
 *   dW = xᵀ·dy, of which only ‖dW‖_F is wanted
 *
 * Large matrices go through in panels whose bounds depend on the matrix's shape alone, so that results are the same
 * bits whether the weights are kept or made again panel by panel, and on any number of threads.
 */
#pragma once

#include "engine/pass/ns-weights.h"

typedef struct
{
  NsRandomKey key;
  NsDistribution distribution;
  gsize in, out;
  double std;
  const ns_real *unit; /* the values u [in, out] where they are kept, or NULL: made again */
  gboolean transposed; /* key and unit are of uᵀ, [out, in]: a head tied to the embedding */
} NsMatrix;

/* Write all values u [in, out] of the matrix, drawn again. */
void ns_matrix_fill (const NsMatrix *W, ns_real *out);

/* What the linear maps of one thread work with. Not shared between jobs. */
typedef struct
{
  NsTeam *team;       /* or NULL */
  NsProgress *progress; /* of the job, or NULL: once it is cancelled, panels are skipped and outputs undefined */
  ns_real **panel;    /* [team size] of ns_linear_panel_elements() each */
  double *partial;    /* [NS_LINEAR_MAX_PANELS] */
  ns_real *gram_x, *gram_y; /* [N, N] each, or NULL where no tensor's norm is taken that way */
  gboolean gram_x_valid;    /* gram_x holds x·xᵀ of the x of the next call; the caller clears it when x changes */
} NsLinearScratch;

#define NS_LINEAR_MAX_PANELS 65536

/* y = beta·y + scale·x·W. */
void ns_linear_forward (ns_real *y, const ns_real *x, const NsMatrix *W, double scale, double beta, gsize N,
                        NsLinearScratch *scratch);
/* dx = beta·dx + scale·dy·Wᵀ. */
void ns_linear_backward (ns_real *dx, const ns_real *dy, const NsMatrix *W, double scale, double beta, gsize N,
                         NsLinearScratch *scratch);

/* ‖xᵀ·dy‖_F from the explicit product: the plain twin. */
double ns_linear_gradient_norm_plain (const ns_real *x, const ns_real *dy, gsize N, gsize in, gsize out,
                                      NsLinearScratch *scratch);
/* The same number without the matrix where that is cheaper: ‖xᵀ·dy‖² = Σ (x·xᵀ) ⊙ (dy·dyᵀ). Where the sum cancels so
 * far that float would not hold 1e-4, it takes the explicit product. q, k and v share one x·xᵀ: see gram_x_valid. */
double ns_linear_gradient_norm (const ns_real *x, const ns_real *dy, gsize N, gsize in, gsize out,
                                NsLinearScratch *scratch);
/* Whether that is how ‖dW‖ of an [in, out] matrix is taken at N tokens, by operation count. */
gboolean ns_linear_uses_gram (gsize N, gsize in, gsize out, gboolean x_is_known);

/* Elements that a panel of an [in, out] matrix takes at the most. */
gsize ns_linear_panel_elements (gsize in, gsize out);
