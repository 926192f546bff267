/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/pass/ns-sub-layer.h"

const NsSubLayer ns_sub_layers[NS_N_SUBS] = {
  [NS_SUB_ATTN] = {
    .sub = NS_SUB_ATTN,
    .pre = NS_NORM_ATTN_PRE, .branch = NS_NORM_ATTN_BRANCH, .post = NS_NORM_ATTN_POST, .inner = NS_NORM_ATTN_INNER,
    .q_norm = NS_NORM_ATTN_Q, .k_norm = NS_NORM_ATTN_K, .v_norm = NS_NORM_ATTN_V,
    .w_q = NS_T_W_Q, .w_k = NS_T_W_K, .w_v = NS_T_W_V, .w_o = NS_T_W_O, .scale = NS_T_SCALE_ATTN,
    .mix = { [NS_MIX_IN] = NS_T_MIX_IN_ATTN, [NS_MIX_OUT] = NS_T_MIX_OUT_ATTN,
             [NS_MIX_STREAMS] = NS_T_MIX_STREAMS_ATTN },
    .mix_map = { [NS_MIX_IN] = NS_T_MIX_IN_W_ATTN, [NS_MIX_OUT] = NS_T_MIX_OUT_W_ATTN,
                 [NS_MIX_STREAMS] = NS_T_MIX_STREAMS_W_ATTN },
    .mix_scale = NS_T_MIX_SCALE_ATTN,
    .sum = NS_Q_ATTN, .rms = NS_Q_RMS_ATTN,
    .rms_y = NS_Q_RMS_Y_ATTN, .grad_y = NS_Q_GRAD_Y_ATTN, .rms_z = NS_Q_RMS_Z_ATTN, .grad_z = NS_Q_GRAD_Z_ATTN,
    .skip_ratio = NS_Q_SKIP_RATIO_ATTN, .skip_cos = NS_Q_SKIP_COS_ATTN,
    .grad_skip_ratio = NS_Q_GRAD_SKIP_RATIO_ATTN, .grad_skip_cos = NS_Q_GRAD_SKIP_COS_ATTN, .share = NS_Q_SHARE_ATTN,
    .entropy = NS_Q_ENTROPY, .max_logit = NS_Q_MAX_LOGIT, .rms_scores = NS_Q_RMS_SCORES,
  },
  [NS_SUB_CROSS] = {
    .sub = NS_SUB_CROSS,
    .pre = NS_NORM_CROSS_PRE, .branch = NS_NORM_CROSS_BRANCH, .post = NS_NORM_CROSS_POST, .inner = NS_NORM_CROSS_INNER,
    .q_norm = NS_NORM_CROSS_Q, .k_norm = NS_NORM_CROSS_K, .v_norm = NS_NORM_CROSS_V,
    .w_q = NS_T_CROSS_W_Q, .w_k = NS_T_CROSS_W_K, .w_v = NS_T_CROSS_W_V, .w_o = NS_T_CROSS_W_O,
    .scale = NS_T_SCALE_CROSS,
    .sum = NS_Q_CROSS, .rms = NS_Q_RMS_CROSS,
    .rms_y = NS_Q_RMS_Y_CROSS, .grad_y = NS_Q_GRAD_Y_CROSS, .rms_z = NS_Q_RMS_Z_CROSS,
    .grad_z = NS_Q_GRAD_Z_CROSS,
    .skip_ratio = NS_Q_SKIP_RATIO_CROSS, .skip_cos = NS_Q_SKIP_COS_CROSS,
    .grad_skip_ratio = NS_Q_GRAD_SKIP_RATIO_CROSS, .grad_skip_cos = NS_Q_GRAD_SKIP_COS_CROSS, .share = NS_Q_SHARE_CROSS,
    .entropy = NS_Q_ENTROPY_CROSS, .max_logit = NS_Q_MAX_LOGIT_CROSS,
    .rms_scores = NS_Q_RMS_SCORES_CROSS,
  },
  [NS_SUB_FFN] = {
    .sub = NS_SUB_FFN,
    .pre = NS_NORM_FFN_PRE, .branch = NS_NORM_FFN_BRANCH, .post = NS_NORM_FFN_POST, .inner = NS_NORM_FFN_INNER,
    .scale = NS_T_SCALE_FFN,
    .mix = { [NS_MIX_IN] = NS_T_MIX_IN_FFN, [NS_MIX_OUT] = NS_T_MIX_OUT_FFN,
             [NS_MIX_STREAMS] = NS_T_MIX_STREAMS_FFN },
    .mix_map = { [NS_MIX_IN] = NS_T_MIX_IN_W_FFN, [NS_MIX_OUT] = NS_T_MIX_OUT_W_FFN,
                 [NS_MIX_STREAMS] = NS_T_MIX_STREAMS_W_FFN },
    .mix_scale = NS_T_MIX_SCALE_FFN,
    .sum = NS_Q_FFN, .rms = NS_Q_RMS_FFN, .rms_z = NS_Q_RMS_Z_FFN, .grad_z = NS_Q_GRAD_Z_FFN,
    .skip_ratio = NS_Q_SKIP_RATIO_FFN, .skip_cos = NS_Q_SKIP_COS_FFN,
    .grad_skip_ratio = NS_Q_GRAD_SKIP_RATIO_FFN, .grad_skip_cos = NS_Q_GRAD_SKIP_COS_FFN, .share = NS_Q_SHARE_FFN,
  },
};
