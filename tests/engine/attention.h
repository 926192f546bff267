/* Attention whose scores have a bias and a soft cap, as an operation to check. Built in float and in double.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "adjoint.h"

#define N_ATTENTION_SHAPES 4
extern const NsAttentionShape attention_shapes[N_ATTENTION_SHAPES];

/* Return the operation; op->kind is the mask, op->beta the cap (0: none), and with op->flag the scores have a bias. Its
 * inputs are the queries, keys and values. */
Operation attention_operation (NsAttentionShape shape, int mask, double cap, gboolean has_bias);

/* Return the scores' settings; *bias gets the bias, to be freed. */
NsScores attention_scores (const Operation *op, ns_real **bias);
ns_real *attention_new_probs (const Operation *op);
void attention_forward (const Operation *op, ns_real *y, ns_real *probs, NsScores scores, const ns_real *x,
                        NsAttentionStats *stats);
/* Go forward with the operation's scores, and back with these. */
void attention_backward (const Operation *op, NsScores scores, ns_real *dx, const ns_real *dy, const ns_real *x);

/* Return the largest difference of y from the definition, and in *max_logit that of the largest score. `shift` moves
 * the bias to other distances; `cap_last` caps the sum of score and bias instead of the score. */
double attention_difference (const Operation *op, int shift, gboolean cap_last, double *max_logit);
