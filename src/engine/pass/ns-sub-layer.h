/* The three kinds of sub-layer: their norms, matrices and quantities.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "engine/experiment/ns-quantity.h"
#include "engine/ops/ns-token-mix.h"

/* An FFN has neither q_norm … v_norm nor w_q … w_o, and neither rms_y nor grad_y: its output is the block's. */
typedef struct
{
  NsSub sub;
  NsNormPlace pre, branch, post, inner;
  NsNormPlace q_norm, k_norm, v_norm;
  NsTensor w_q, w_k, w_v, w_o, scale;
  NsTensor mix[NS_N_MIX_PARTS], mix_map[NS_N_MIX_PARTS], mix_scale; /* of several streams */
  NsQuantity sum; /* gradient norm of all its tensors */
  NsQuantity rms; /* root mean square of what its branch adds */
  NsQuantity rms_y, grad_y; /* of its output y */
  NsQuantity rms_z;         /* of its sum z */
  NsQuantity grad_z;        /* gradient at its sum z */
  NsQuantity skip_ratio, skip_cos, grad_skip_ratio, grad_skip_cos; /* of its branch and its residual */
  NsQuantity share;         /* of x_L */
  NsQuantity entropy, max_logit, rms_scores; /* of its softmax; an FFN has none */
} NsSubLayer;

extern const NsSubLayer ns_sub_layers[NS_N_SUBS]; /* by NsSub */
