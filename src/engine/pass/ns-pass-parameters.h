/* Parameters that a pass reads, and the gradient norms and other numbers that it records.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "engine/pass/ns-pass-data.h"

/* ---- measurements ---- */

/* Return TRUE when the sink wants the quantity, so that it has to be computed. */
gboolean ns_pass_wants (const NsPass *pass, NsQuantity quantity);
/* Record value·2^exp2 for a quantity at a site that has no estimates. */
void ns_pass_record (NsPass *pass, NsQuantity quantity, gint64 site, double value, double exp2);
/* Record the gradient norm of parameters by each estimate: whole·2^exp2 of the mean over the minibatches, and
 * batches[m]·2^exp2 [M] of minibatch m. batches is NULL when M is 1, or when all are equal. */
void ns_pass_record_gradient (NsPass *pass, NsQuantity quantity, gint64 site, double whole, const double *batches,
                              double exp2);
/* Start sums of squares at 0, one for each sub-layer of a block. */
void ns_pass_clear_sums (NsPass *pass);
/* Record the gradient norm of all parameters in n of these sums. */
void ns_pass_record_sums (NsPass *pass, NsQuantity quantity, gint64 site, const NsSub *subs, int n);
/* Return the elements of a gradient of a branch, [copies·N, C], and of the stream, [copies·N, X]. */
static inline gsize
ns_pass_get_gradient_size (const NsPass *pass)
{
  return pass->copies * pass->plan.N * pass->plan.C;
}

static inline gsize
ns_pass_get_stream_gradient_size (const NsPass *pass)
{
  return pass->copies * pass->plan.N * pass->plan.X;
}

/* Return the norm of the gradient of rows [N, width], whose loss is a mean over the minibatches, for a minibatch on its
 * own: the mean over them. sum2 is the sum of all squares. */
double ns_pass_get_row_norm (const NsPass *pass, const ns_real *rows, gsize width, double sum2);

/* ---- parameters ---- */

/* Return how a pass draws the matrix of a tensor in the block at a site, that of the first expert if there are several,
 * without its values. */
NsMatrix ns_pass_describe_matrix (const NsPass *pass, NsTensor tensor, gint64 site);
/* Return likewise the matrix of an expert, from 0. */
NsMatrix ns_pass_describe_expert (const NsPass *pass, NsTensor tensor, gint64 site, gsize expert);
/* Return the matrix of a tensor in the block at a site, ready for the linear maps; that of the first expert. */
NsMatrix ns_pass_get_matrix (NsPass *pass, NsTensor tensor, gint64 site);
/* Return likewise the matrix of an expert. */
NsMatrix ns_pass_get_expert (NsPass *pass, NsTensor tensor, gint64 site, gsize expert);
/* Return the rows of the arrays of a tensor's linear map, as the block's cache has them. Borrowed from the pass. */
NsRowGroups ns_pass_get_row_groups (const NsPass *pass, NsTensor tensor, gint64 site);
/* Record ‖∂L/∂W‖ of all experts together from x and dy with their rows, and add it to *sum; add that of each expert to
 * work->expert_sums. */
void ns_pass_experts_gradient (NsPass *pass, NsTensor tensor, gint64 site, NsScaled x, NsScaled dy, NsGradientSum *sum);
/* Return the gradient norm of an expert of the block whose NS_Q_EXPERT_GRAD_MAX is being recorded, by an estimate. */
double ns_pass_get_expert_gradient (const NsPass *pass, gsize expert, NsGradientEstimate estimate, double *log10_value);
/* Start work->expert_sums at 0, and record the largest and the smallest of them. */
void ns_pass_clear_expert_sums (NsPass *pass);
void ns_pass_record_expert_sums (NsPass *pass, gint64 site);
/* Return y = x·W of a linear map, [N, out], with what the hooks add to it. */
NsScaled ns_pass_add_to_linear (const NsPass *pass, NsTensor tensor, gint64 site, NsScaled y, NsScaled x);
/* Record ‖∂L/∂W‖ = ‖xᵀ·dy‖ and, with biases, ‖∂L/∂b‖ = ‖Σ_n dy‖; add both to *sum (nullable). x [N, in], dy
 * [N, out]. */
void ns_pass_matrix_gradient (NsPass *pass, NsTensor tensor, gint64 site, NsScaled x, NsScaled dy, NsGradientSum *sum);
/* Return the values that the hooks or a file put in place of a vector, or NULL. */
const ns_real *ns_pass_get_vector (const NsPass *pass, NsTensor tensor, gint64 site);
/* Return the values of a vector, or a table, in the variant's file, or NULL. */
const ns_real *ns_pass_get_source_vector (const NsPass *pass, NsTensor tensor, gint64 site);
/* Record the norm of a vector's gradient; add it to *sum (nullable). gradient [M, size] has the share of each
 * minibatch, whose sum is the gradient of the loss; that sum replaces the first row. */
void ns_pass_vector_gradient (NsPass *pass, NsTensor tensor, gint64 site, double *gradient, double exp2,
                              NsGradientSum *sum);
