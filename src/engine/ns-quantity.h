/* What is measured: the table of tensors and quantities.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Every tensor is declared once: name, shape, which variants have it, symbol. Quantities are the gradient norms
 * of the tensors, their sums by sub-layer and block, and the statistics of the residual stream.
 */
#pragma once

#include "engine/ns-experiment.h"

G_BEGIN_DECLS

/* Parameter tensors of one block, then of the head. Matrices are row-major [in, out], y = x·W. */
typedef enum
{
  NS_T_W_Q, NS_T_W_K, NS_T_W_V, NS_T_W_O, NS_T_W_1, NS_T_W_2, NS_T_W_3,
  NS_T_B_Q, NS_T_B_K, NS_T_B_V, NS_T_B_O, NS_T_B_1, NS_T_B_2, NS_T_B_3,
  NS_T_GAIN_ATTN_PRE, NS_T_GAIN_ATTN_BRANCH, NS_T_GAIN_ATTN_POST,
  NS_T_GAIN_FFN_PRE, NS_T_GAIN_FFN_BRANCH, NS_T_GAIN_FFN_POST,
  NS_T_BIAS_ATTN_PRE, NS_T_BIAS_ATTN_BRANCH, NS_T_BIAS_ATTN_POST,
  NS_T_BIAS_FFN_PRE, NS_T_BIAS_FFN_BRANCH, NS_T_BIAS_FFN_POST,
  NS_T_W_HEAD, NS_T_B_HEAD, NS_T_GAIN_FINAL, NS_T_BIAS_FINAL,
  NS_N_TENSORS
} NsTensor;

/* Quantities: the first NS_N_TENSORS are ‖∂L/∂tensor‖_F, in the same order. */
typedef enum
{
  NS_Q_ATTN = NS_N_TENSORS, /* root of the summed squares of the attention sub-layer's tensors */
  NS_Q_FFN,
  NS_Q_BLOCK,
  NS_Q_GRAD_X,    /* ‖∂L/∂x_l‖_F */
  NS_Q_RMS_X,     /* sqrt (mean (x_l²)) */
  NS_Q_RMS_ATTN,  /* of what the branch adds, after branch_scale */
  NS_Q_RMS_FFN,
  NS_Q_TOKEN_COS, /* mean cosine between two different tokens of one sequence at x_l */
  NS_Q_LOSS,      /* at the head only */
  NS_N_QUANTITIES
} NsQuantity;

typedef enum
{
  NS_KIND_GRADIENT,   /* a norm: has a log10, cannot be negative */
  NS_KIND_ACTIVATION, /* likewise */
  NS_KIND_COSINE,     /* -1..1, no log10 */
  NS_KIND_LOSS,
} NsQuantityKind;

typedef struct
{
  const char *name;   /* "w_q", "grad_x": in files and on the command line */
  const char *symbol; /* plain text with Unicode: "‖∂L/∂W₂‖" */
  const char *markup; /* Pango markup: "‖∂L/∂W<sub>2</sub>‖" */
  const char *help;   /* one line, N_() marked */
  NsQuantityKind kind;
  gboolean is_tensor;
} NsQuantityInfo;

const NsQuantityInfo *ns_quantity_info (NsQuantity quantity);
/* FALSE when there is none of that name. */
gboolean ns_quantity_from_name (const char *name, NsQuantity *quantity);

/* Sites: 0 is the stack's input x_0, 1..depth the blocks, depth + 1 the head (with the final norm). */

/* Whether the variant has a number for the quantity at the site (w_3 only when gated, w_o only with an output
 * projection, token_cos only when T > 1, grad_x and rms_x at the input, w_head and loss at the head, …). */
gboolean ns_quantity_exists (NsQuantity quantity, const NsExperiment *experiment, guint variant, gint64 site);

/* rows × columns of a tensor; a vector has rows = 1. */
void ns_tensor_get_shape (NsTensor tensor, const NsShape *shape, gint64 *rows, gint64 *columns);

G_END_DECLS
