/* The table of tensors and quantities.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/experiment/ns-quantity.h"

#include <glib/gi18n-lib.h>
#include <string.h>

/* A tensor's help serves as its title. */
#define TENSOR(name_, plain_, markup_, help_)                                                                        \
  {                                                                                                                  \
    .name = name_, .symbol = "‖∂L/∂" plain_ "‖", .markup = "‖∂L/∂" markup_ "‖", .title = help_, .help = help_,       \
    .kind = NS_KIND_GRADIENT, .group = NS_GROUP_TENSOR, .sites = NS_SITES_TENSOR,                                    \
    .uses = NS_USE_FLOW | NS_USE_SWEEP | NS_USE_SCRIPT                                                               \
  }

/* Offered everywhere, a column of every table. */
#define EVERYWHERE (NS_USE_TABLE | NS_USE_FLOW | NS_USE_SWEEP | NS_USE_SCRIPT)

static const NsQuantityInfo table[NS_N_QUANTITIES] = {
  [NS_T_W_Q] = TENSOR ("w_q", "W_Q", "W<sub>Q</sub>", N_ ("Gradient norm of the query projection")),
  [NS_T_W_K] = TENSOR ("w_k", "W_K", "W<sub>K</sub>", N_ ("Gradient norm of the key projection")),
  [NS_T_W_V] = TENSOR ("w_v", "W_V", "W<sub>V</sub>", N_ ("Gradient norm of the value projection")),
  [NS_T_W_O] = TENSOR ("w_o", "W_O", "W<sub>O</sub>", N_ ("Gradient norm of the attention's output projection")),
  [NS_T_W_1] = TENSOR ("w_1", "W₁", "W<sub>1</sub>", N_ ("Gradient norm of the FFN's first matrix")),
  [NS_T_W_2] = TENSOR ("w_2", "W₂", "W<sub>2</sub>", N_ ("Gradient norm of the FFN's last matrix")),
  [NS_T_W_3] = TENSOR ("w_3", "W₃", "W<sub>3</sub>", N_ ("Gradient norm of the gated FFN's matrix without activation")),
  [NS_T_CROSS_W_Q] = TENSOR ("cross_w_q", "W_cross,Q", "W<sub>cross,Q</sub>",
                             N_ ("Gradient norm of the cross-attention's query projection")),
  [NS_T_CROSS_W_K] = TENSOR ("cross_w_k", "W_cross,K", "W<sub>cross,K</sub>",
                             N_ ("Gradient norm of the cross-attention's key projection")),
  [NS_T_CROSS_W_V] = TENSOR ("cross_w_v", "W_cross,V", "W<sub>cross,V</sub>",
                             N_ ("Gradient norm of the cross-attention's value projection")),
  [NS_T_CROSS_W_O] = TENSOR ("cross_w_o", "W_cross,O", "W<sub>cross,O</sub>",
                             N_ ("Gradient norm of the cross-attention's output projection")),
  [NS_T_B_Q] = TENSOR ("b_q", "b_Q", "b<sub>Q</sub>", N_ ("Gradient norm of the queries' bias")),
  [NS_T_B_K] = TENSOR ("b_k", "b_K", "b<sub>K</sub>", N_ ("Gradient norm of the keys' bias")),
  [NS_T_B_V] = TENSOR ("b_v", "b_V", "b<sub>V</sub>", N_ ("Gradient norm of the values' bias")),
  [NS_T_B_O] = TENSOR ("b_o", "b_O", "b<sub>O</sub>", N_ ("Gradient norm of the bias of the output projection")),
  [NS_T_B_1] = TENSOR ("b_1", "b₁", "b<sub>1</sub>", N_ ("Gradient norm of the bias of the FFN's first matrix")),
  [NS_T_B_2] = TENSOR ("b_2", "b₂", "b<sub>2</sub>", N_ ("Gradient norm of the bias of the FFN's last matrix")),
  [NS_T_B_3] = TENSOR ("b_3", "b₃", "b<sub>3</sub>",
                       N_ ("Gradient norm of the bias of the gated FFN's matrix without activation")),
  [NS_T_CROSS_B_Q] = TENSOR ("cross_b_q", "b_cross,Q", "b<sub>cross,Q</sub>",
                             N_ ("Gradient norm of the bias of the cross-attention's queries")),
  [NS_T_CROSS_B_K] = TENSOR ("cross_b_k", "b_cross,K", "b<sub>cross,K</sub>",
                             N_ ("Gradient norm of the bias of the cross-attention's keys")),
  [NS_T_CROSS_B_V] = TENSOR ("cross_b_v", "b_cross,V", "b<sub>cross,V</sub>",
                             N_ ("Gradient norm of the bias of the cross-attention's values")),
  [NS_T_CROSS_B_O] = TENSOR ("cross_b_o", "b_cross,O", "b<sub>cross,O</sub>",
                             N_ ("Gradient norm of the bias of the cross-attention's output projection")),
  [NS_T_GAIN_ATTN_PRE] = TENSOR ("gain_attn_pre", "γ_attn,pre", "γ<sub>attn,pre</sub>",
                                 N_ ("Gradient norm of the gain of the norm before the attention")),
  [NS_T_GAIN_ATTN_BRANCH] = TENSOR ("gain_attn_branch", "γ_attn,branch", "γ<sub>attn,branch</sub>",
                                    N_ ("Gradient norm of the gain of the norm on the attention's branch")),
  [NS_T_GAIN_ATTN_POST] = TENSOR ("gain_attn_post", "γ_attn,post", "γ<sub>attn,post</sub>",
                                  N_ ("Gradient norm of the gain of the norm after the attention's add")),
  [NS_T_GAIN_ATTN_INNER] = TENSOR ("gain_attn_inner", "γ_attn,inner", "γ<sub>attn,inner</sub>",
                                   N_ ("Gradient norm of the gain of the norm before the attention's "
                                       "output projection")),
  [NS_T_GAIN_ATTN_Q] = TENSOR ("gain_attn_q", "γ_attn,q", "γ<sub>attn,q</sub>",
                               N_ ("Gradient norm of the gain of the norm on the queries")),
  [NS_T_GAIN_ATTN_K] = TENSOR ("gain_attn_k", "γ_attn,k", "γ<sub>attn,k</sub>",
                               N_ ("Gradient norm of the gain of the norm on the keys")),
  [NS_T_GAIN_ATTN_V] = TENSOR ("gain_attn_v", "γ_attn,v", "γ<sub>attn,v</sub>",
                               N_ ("Gradient norm of the gain of the norm on the values")),
  [NS_T_GAIN_CROSS_PRE] = TENSOR ("gain_cross_pre", "γ_cross,pre", "γ<sub>cross,pre</sub>",
                                  N_ ("Gradient norm of the gain of the norm before the cross-attention")),
  [NS_T_GAIN_CROSS_BRANCH] = TENSOR ("gain_cross_branch", "γ_cross,branch", "γ<sub>cross,branch</sub>",
                                     N_ ("Gradient norm of the gain of the norm on the cross-attention's branch")),
  [NS_T_GAIN_CROSS_POST] = TENSOR ("gain_cross_post", "γ_cross,post", "γ<sub>cross,post</sub>",
                                   N_ ("Gradient norm of the gain of the norm after the cross-attention's add")),
  [NS_T_GAIN_CROSS_INNER] = TENSOR ("gain_cross_inner", "γ_cross,inner", "γ<sub>cross,inner</sub>",
                                    N_ ("Gradient norm of the gain of the norm before the cross-attention's "
                                        "output projection")),
  [NS_T_GAIN_CROSS_Q] = TENSOR ("gain_cross_q", "γ_cross,q", "γ<sub>cross,q</sub>",
                                N_ ("Gradient norm of the gain of the norm on the cross-attention's queries")),
  [NS_T_GAIN_CROSS_K] = TENSOR ("gain_cross_k", "γ_cross,k", "γ<sub>cross,k</sub>",
                                N_ ("Gradient norm of the gain of the norm on the cross-attention's keys")),
  [NS_T_GAIN_CROSS_V] = TENSOR ("gain_cross_v", "γ_cross,v", "γ<sub>cross,v</sub>",
                                N_ ("Gradient norm of the gain of the norm on the cross-attention's values")),
  [NS_T_GAIN_FFN_PRE] = TENSOR ("gain_ffn_pre", "γ_ffn,pre", "γ<sub>ffn,pre</sub>",
                                N_ ("Gradient norm of the gain of the norm before the FFN")),
  [NS_T_GAIN_FFN_BRANCH] = TENSOR ("gain_ffn_branch", "γ_ffn,branch", "γ<sub>ffn,branch</sub>",
                                   N_ ("Gradient norm of the gain of the norm on the FFN's branch")),
  [NS_T_GAIN_FFN_POST] = TENSOR ("gain_ffn_post", "γ_ffn,post", "γ<sub>ffn,post</sub>",
                                 N_ ("Gradient norm of the gain of the norm after the FFN's add")),
  [NS_T_GAIN_FFN_INNER] = TENSOR ("gain_ffn_inner", "γ_ffn,inner", "γ<sub>ffn,inner</sub>",
                                  N_ ("Gradient norm of the gain of the norm before the FFN's last matrix")),
  [NS_T_GAIN_INPUT] = TENSOR ("gain_input", "γ_input", "γ<sub>input</sub>",
                              N_ ("Gradient norm of the gain of the norm between the embedding and the first block")),
  [NS_T_GAIN_ENCODER_FINAL] = TENSOR ("gain_encoder_final", "γ_encoder,final", "γ<sub>encoder,final</sub>",
                                      N_ ("Gradient norm of the gain of the norm at the encoder's end")),
  [NS_T_GAIN_FINAL] = TENSOR ("gain_final", "γ_final", "γ<sub>final</sub>",
                              N_ ("Gradient norm of the gain of the final norm")),
  [NS_T_BIAS_ATTN_PRE] = TENSOR ("bias_attn_pre", "β_attn,pre", "β<sub>attn,pre</sub>",
                                 N_ ("Gradient norm of the bias of the norm before the attention")),
  [NS_T_BIAS_ATTN_BRANCH] = TENSOR ("bias_attn_branch", "β_attn,branch", "β<sub>attn,branch</sub>",
                                    N_ ("Gradient norm of the bias of the norm on the attention's branch")),
  [NS_T_BIAS_ATTN_POST] = TENSOR ("bias_attn_post", "β_attn,post", "β<sub>attn,post</sub>",
                                  N_ ("Gradient norm of the bias of the norm after the attention's add")),
  [NS_T_BIAS_ATTN_INNER] = TENSOR ("bias_attn_inner", "β_attn,inner", "β<sub>attn,inner</sub>",
                                   N_ ("Gradient norm of the bias of the norm before the attention's "
                                       "output projection")),
  [NS_T_BIAS_ATTN_Q] = TENSOR ("bias_attn_q", "β_attn,q", "β<sub>attn,q</sub>",
                               N_ ("Gradient norm of the bias of the norm on the queries")),
  [NS_T_BIAS_ATTN_K] = TENSOR ("bias_attn_k", "β_attn,k", "β<sub>attn,k</sub>",
                               N_ ("Gradient norm of the bias of the norm on the keys")),
  [NS_T_BIAS_ATTN_V] = TENSOR ("bias_attn_v", "β_attn,v", "β<sub>attn,v</sub>",
                               N_ ("Gradient norm of the bias of the norm on the values")),
  [NS_T_BIAS_CROSS_PRE] = TENSOR ("bias_cross_pre", "β_cross,pre", "β<sub>cross,pre</sub>",
                                  N_ ("Gradient norm of the bias of the norm before the cross-attention")),
  [NS_T_BIAS_CROSS_BRANCH] = TENSOR ("bias_cross_branch", "β_cross,branch", "β<sub>cross,branch</sub>",
                                     N_ ("Gradient norm of the bias of the norm on the cross-attention's branch")),
  [NS_T_BIAS_CROSS_POST] = TENSOR ("bias_cross_post", "β_cross,post", "β<sub>cross,post</sub>",
                                   N_ ("Gradient norm of the bias of the norm after the cross-attention's add")),
  [NS_T_BIAS_CROSS_INNER] = TENSOR ("bias_cross_inner", "β_cross,inner", "β<sub>cross,inner</sub>",
                                    N_ ("Gradient norm of the bias of the norm before the cross-attention's "
                                        "output projection")),
  [NS_T_BIAS_CROSS_Q] = TENSOR ("bias_cross_q", "β_cross,q", "β<sub>cross,q</sub>",
                                N_ ("Gradient norm of the bias of the norm on the cross-attention's queries")),
  [NS_T_BIAS_CROSS_K] = TENSOR ("bias_cross_k", "β_cross,k", "β<sub>cross,k</sub>",
                                N_ ("Gradient norm of the bias of the norm on the cross-attention's keys")),
  [NS_T_BIAS_CROSS_V] = TENSOR ("bias_cross_v", "β_cross,v", "β<sub>cross,v</sub>",
                                N_ ("Gradient norm of the bias of the norm on the cross-attention's values")),
  [NS_T_BIAS_FFN_PRE] = TENSOR ("bias_ffn_pre", "β_ffn,pre", "β<sub>ffn,pre</sub>",
                                N_ ("Gradient norm of the bias of the norm before the FFN")),
  [NS_T_BIAS_FFN_BRANCH] = TENSOR ("bias_ffn_branch", "β_ffn,branch", "β<sub>ffn,branch</sub>",
                                   N_ ("Gradient norm of the bias of the norm on the FFN's branch")),
  [NS_T_BIAS_FFN_POST] = TENSOR ("bias_ffn_post", "β_ffn,post", "β<sub>ffn,post</sub>",
                                 N_ ("Gradient norm of the bias of the norm after the FFN's add")),
  [NS_T_BIAS_FFN_INNER] = TENSOR ("bias_ffn_inner", "β_ffn,inner", "β<sub>ffn,inner</sub>",
                                  N_ ("Gradient norm of the bias of the norm before the FFN's last matrix")),
  [NS_T_BIAS_INPUT] = TENSOR ("bias_input", "β_input", "β<sub>input</sub>",
                              N_ ("Gradient norm of the bias of the norm between the embedding and the first block")),
  [NS_T_BIAS_ENCODER_FINAL] = TENSOR ("bias_encoder_final", "β_encoder,final", "β<sub>encoder,final</sub>",
                                      N_ ("Gradient norm of the bias of the norm at the encoder's end")),
  [NS_T_BIAS_FINAL] = TENSOR ("bias_final", "β_final", "β<sub>final</sub>",
                              N_ ("Gradient norm of the bias of the final norm")),
  [NS_T_ALPHA_ATTN_PRE] = TENSOR ("alpha_attn_pre", "α_attn,pre", "α<sub>attn,pre</sub>",
                                  N_ ("Gradient norm of the alpha of the DyT before the attention")),
  [NS_T_ALPHA_ATTN_BRANCH] = TENSOR ("alpha_attn_branch", "α_attn,branch", "α<sub>attn,branch</sub>",
                                     N_ ("Gradient norm of the alpha of the DyT on the attention's branch")),
  [NS_T_ALPHA_ATTN_POST] = TENSOR ("alpha_attn_post", "α_attn,post", "α<sub>attn,post</sub>",
                                   N_ ("Gradient norm of the alpha of the DyT after the attention's add")),
  [NS_T_ALPHA_ATTN_INNER] = TENSOR ("alpha_attn_inner", "α_attn,inner", "α<sub>attn,inner</sub>",
                                    N_ ("Gradient norm of the alpha of the DyT before the attention's "
                                        "output projection")),
  [NS_T_ALPHA_ATTN_Q] = TENSOR ("alpha_attn_q", "α_attn,q", "α<sub>attn,q</sub>",
                                N_ ("Gradient norm of the alpha of the DyT on the queries")),
  [NS_T_ALPHA_ATTN_K] = TENSOR ("alpha_attn_k", "α_attn,k", "α<sub>attn,k</sub>",
                                N_ ("Gradient norm of the alpha of the DyT on the keys")),
  [NS_T_ALPHA_ATTN_V] = TENSOR ("alpha_attn_v", "α_attn,v", "α<sub>attn,v</sub>",
                                N_ ("Gradient norm of the alpha of the DyT on the values")),
  [NS_T_ALPHA_CROSS_PRE] = TENSOR ("alpha_cross_pre", "α_cross,pre", "α<sub>cross,pre</sub>",
                                   N_ ("Gradient norm of the alpha of the DyT before the cross-attention")),
  [NS_T_ALPHA_CROSS_BRANCH] = TENSOR ("alpha_cross_branch", "α_cross,branch", "α<sub>cross,branch</sub>",
                                      N_ ("Gradient norm of the alpha of the DyT on the cross-attention's branch")),
  [NS_T_ALPHA_CROSS_POST] = TENSOR ("alpha_cross_post", "α_cross,post", "α<sub>cross,post</sub>",
                                    N_ ("Gradient norm of the alpha of the DyT after the cross-attention's add")),
  [NS_T_ALPHA_CROSS_INNER] = TENSOR ("alpha_cross_inner", "α_cross,inner", "α<sub>cross,inner</sub>",
                                     N_ ("Gradient norm of the alpha of the DyT before the cross-attention's "
                                         "output projection")),
  [NS_T_ALPHA_CROSS_Q] = TENSOR ("alpha_cross_q", "α_cross,q", "α<sub>cross,q</sub>",
                                 N_ ("Gradient norm of the alpha of the DyT on the cross-attention's queries")),
  [NS_T_ALPHA_CROSS_K] = TENSOR ("alpha_cross_k", "α_cross,k", "α<sub>cross,k</sub>",
                                 N_ ("Gradient norm of the alpha of the DyT on the cross-attention's keys")),
  [NS_T_ALPHA_CROSS_V] = TENSOR ("alpha_cross_v", "α_cross,v", "α<sub>cross,v</sub>",
                                 N_ ("Gradient norm of the alpha of the DyT on the cross-attention's values")),
  [NS_T_ALPHA_FFN_PRE] = TENSOR ("alpha_ffn_pre", "α_ffn,pre", "α<sub>ffn,pre</sub>",
                                 N_ ("Gradient norm of the alpha of the DyT before the FFN")),
  [NS_T_ALPHA_FFN_BRANCH] = TENSOR ("alpha_ffn_branch", "α_ffn,branch", "α<sub>ffn,branch</sub>",
                                    N_ ("Gradient norm of the alpha of the DyT on the FFN's branch")),
  [NS_T_ALPHA_FFN_POST] = TENSOR ("alpha_ffn_post", "α_ffn,post", "α<sub>ffn,post</sub>",
                                  N_ ("Gradient norm of the alpha of the DyT after the FFN's add")),
  [NS_T_ALPHA_FFN_INNER] = TENSOR ("alpha_ffn_inner", "α_ffn,inner", "α<sub>ffn,inner</sub>",
                                   N_ ("Gradient norm of the alpha of the DyT before the FFN's last matrix")),
  [NS_T_ALPHA_INPUT] = TENSOR ("alpha_input", "α_input", "α<sub>input</sub>",
                               N_ ("Gradient norm of the alpha of the DyT between the embedding and the first block")),
  [NS_T_ALPHA_ENCODER_FINAL] = TENSOR ("alpha_encoder_final", "α_encoder,final", "α<sub>encoder,final</sub>",
                                       N_ ("Gradient norm of the alpha of the DyT at the encoder's end")),
  [NS_T_ALPHA_FINAL] = TENSOR ("alpha_final", "α_final", "α<sub>final</sub>",
                               N_ ("Gradient norm of the alpha of the final DyT")),
  [NS_T_SCALE_ATTN] = TENSOR ("scale_attn", "λ_attn", "λ<sub>attn</sub>",
                              N_ ("Gradient norm of the learned scale of the attention's branch")),
  [NS_T_SCALE_CROSS] = TENSOR ("scale_cross", "λ_cross", "λ<sub>cross</sub>",
                               N_ ("Gradient norm of the learned scale of the cross-attention's branch")),
  [NS_T_SCALE_FFN] = TENSOR ("scale_ffn", "λ_ffn", "λ<sub>ffn</sub>",
                             N_ ("Gradient norm of the learned scale of the FFN's branch")),
  [NS_T_W_HEAD] = TENSOR ("w_head", "W_head", "W<sub>head</sub>", N_ ("Gradient norm of the head's matrix")),
  [NS_T_B_HEAD] = TENSOR ("b_head", "b_head", "b<sub>head</sub>", N_ ("Gradient norm of the head's bias")),

  [NS_Q_ATTN] = { .name = "attn",
                  .symbol = "‖∂L/∂θ_attn‖",
                  .markup = "‖∂L/∂θ<sub>attn</sub>‖",
                  .title = N_ ("Gradient of the attention's weights"),
                  .help = N_ ("Gradient norm of all parameters of the attention, its norms included"),
                  .kind = NS_KIND_GRADIENT,
                  .group = NS_GROUP_SUM,
                  .sites = NS_SITES_BLOCKS,
                  .uses = EVERYWHERE,
                  .rank = 2 },
  [NS_Q_CROSS] = { .name = "cross",
                   .symbol = "‖∂L/∂θ_cross‖",
                   .markup = "‖∂L/∂θ<sub>cross</sub>‖",
                   .title = N_ ("Gradient of the cross-attention's weights"),
                   .help = N_ ("Gradient norm of all parameters of the cross-attention, its norms included"),
                   .kind = NS_KIND_GRADIENT,
                   .group = NS_GROUP_SUM,
                   .sites = NS_SITES_DECODER_BLOCKS,
                   .uses = EVERYWHERE,
                   .rank = 9 },
  [NS_Q_FFN] = { .name = "ffn",
                 .symbol = "‖∂L/∂θ_ffn‖",
                 .markup = "‖∂L/∂θ<sub>ffn</sub>‖",
                 .title = N_ ("Gradient of the FFN's weights"),
                 .help = N_ ("Gradient norm of all parameters of the FFN, its norms included"),
                 .kind = NS_KIND_GRADIENT,
                 .group = NS_GROUP_SUM,
                 .sites = NS_SITES_BLOCKS,
                 .uses = EVERYWHERE,
                 .rank = 3 },
  [NS_Q_BLOCK] = { .name = "block",
                   .symbol = "‖∂L/∂θₗ‖",
                   .markup = "‖∂L/∂θ<sub><i>l</i></sub>‖",
                   .title = N_ ("Gradient of each block's weights"),
                   .help = N_ ("Gradient norm of all parameters of the block"),
                   .kind = NS_KIND_GRADIENT,
                   .group = NS_GROUP_SUM,
                   .sites = NS_SITES_BLOCKS,
                   .uses = EVERYWHERE,
                   .rank = 1 },
  [NS_Q_GRAD_X] = { .name = "grad_x",
                    .symbol = "‖∂L/∂xₗ‖",
                    .markup = "‖∂L/∂x<sub><i>l</i></sub>‖",
                    .title = N_ ("Gradient at each block's output"),
                    .help = N_ ("Norm of the gradient that reaches the block's output"),
                    .kind = NS_KIND_GRADIENT,
                    .group = NS_GROUP_STREAM,
                    .sites = NS_SITES_STREAM,
                    .uses = EVERYWHERE,
                    .rank = 4 },
  [NS_Q_GRAD_Y_ATTN] = { .name = "grad_y_attn",
                         .symbol = "‖∂L/∂y_attn‖",
                         .markup = "‖∂L/∂y<sub>attn</sub>‖",
                         .title = N_ ("Gradient after the attention"),
                         .help = N_ ("Norm of the gradient that reaches the attention's output in the stream"),
                         .kind = NS_KIND_GRADIENT,
                         .group = NS_GROUP_STREAM,
                         .sites = NS_SITES_SEQUENTIAL_BLOCKS,
                         .uses = NS_USE_FLOW | NS_USE_SWEEP | NS_USE_SCRIPT },
  [NS_Q_GRAD_Y_CROSS] = { .name = "grad_y_cross",
                          .symbol = "‖∂L/∂y_cross‖",
                          .markup = "‖∂L/∂y<sub>cross</sub>‖",
                          .title = N_ ("Gradient after the cross-attention"),
                          .help = N_ ("Norm of the gradient that reaches the cross-attention's output in the stream"),
                          .kind = NS_KIND_GRADIENT,
                          .group = NS_GROUP_STREAM,
                          .sites = NS_SITES_DECODER_BLOCKS,
                          .uses = NS_USE_FLOW | NS_USE_SWEEP | NS_USE_SCRIPT },
  [NS_Q_GRAD_Z_ATTN] = { .name = "grad_z_attn",
                         .symbol = "‖∂L/∂z_attn‖",
                         .markup = "‖∂L/∂z<sub>attn</sub>‖",
                         .title = N_ ("Gradient at the attention's addition"),
                         .help = N_ ("Norm of the gradient at the sum of residual and attention, before a norm"),
                         .kind = NS_KIND_GRADIENT,
                         .group = NS_GROUP_STREAM,
                         .sites = NS_SITES_BLOCKS,
                         .uses = NS_USE_FLOW | NS_USE_SWEEP | NS_USE_SCRIPT },
  [NS_Q_GRAD_Z_CROSS] = { .name = "grad_z_cross",
                          .symbol = "‖∂L/∂z_cross‖",
                          .markup = "‖∂L/∂z<sub>cross</sub>‖",
                          .title = N_ ("Gradient at the cross-attention's addition"),
                          .help = N_ ("Norm of the gradient at the sum of residual and cross-attention, before a norm"),
                          .kind = NS_KIND_GRADIENT,
                          .group = NS_GROUP_STREAM,
                          .sites = NS_SITES_DECODER_BLOCKS,
                          .uses = NS_USE_FLOW | NS_USE_SWEEP | NS_USE_SCRIPT },
  [NS_Q_GRAD_Z_FFN] = { .name = "grad_z_ffn",
                        .symbol = "‖∂L/∂z_ffn‖",
                        .markup = "‖∂L/∂z<sub>ffn</sub>‖",
                        .title = N_ ("Gradient at the FFN's addition"),
                        .help = N_ ("Norm of the gradient at the sum of residual and FFN, before a norm"),
                        .kind = NS_KIND_GRADIENT,
                        .group = NS_GROUP_STREAM,
                        .sites = NS_SITES_SEQUENTIAL_BLOCKS,
                        .uses = NS_USE_FLOW | NS_USE_SWEEP | NS_USE_SCRIPT },
  [NS_Q_RMS_X] = { .name = "rms_x",
                   .symbol = "rms(xₗ)",
                   .markup = "rms(x<sub><i>l</i></sub>)",
                   .title = N_ ("Size of the residual stream"),
                   .help = N_ ("Root mean square of the block's output"),
                   .kind = NS_KIND_ACTIVATION,
                   .group = NS_GROUP_STREAM,
                   .sites = NS_SITES_STREAM,
                   .uses = EVERYWHERE,
                   .rank = 5 },
  [NS_Q_RMS_Y_ATTN] = { .name = "rms_y_attn",
                        .symbol = "rms(y_attn)",
                        .markup = "rms(y<sub>attn</sub>)",
                        .title = N_ ("Size of the stream after the attention"),
                        .help = N_ ("Root mean square of the attention's output in the stream"),
                        .kind = NS_KIND_ACTIVATION,
                        .group = NS_GROUP_STREAM,
                        .sites = NS_SITES_SEQUENTIAL_BLOCKS,
                        .uses = NS_USE_FLOW | NS_USE_SWEEP | NS_USE_SCRIPT },
  [NS_Q_RMS_Y_CROSS] = { .name = "rms_y_cross",
                         .symbol = "rms(y_cross)",
                         .markup = "rms(y<sub>cross</sub>)",
                         .title = N_ ("Size of the stream after the cross-attention"),
                         .help = N_ ("Root mean square of the cross-attention's output in the stream"),
                         .kind = NS_KIND_ACTIVATION,
                         .group = NS_GROUP_STREAM,
                         .sites = NS_SITES_DECODER_BLOCKS,
                         .uses = NS_USE_FLOW | NS_USE_SWEEP | NS_USE_SCRIPT },
  [NS_Q_RMS_ATTN] = { .name = "rms_attn",
                      .symbol = "rms(attn)",
                      .markup = "rms(attn)",
                      .title = N_ ("Size of the attention branch"),
                      .help = N_ ("Root mean square of what the attention adds"),
                      .kind = NS_KIND_ACTIVATION,
                      .group = NS_GROUP_BRANCH,
                      .sites = NS_SITES_BLOCKS,
                      .uses = EVERYWHERE,
                      .rank = 6 },
  [NS_Q_RMS_CROSS] = { .name = "rms_cross",
                       .symbol = "rms(cross)",
                       .markup = "rms(cross)",
                       .title = N_ ("Size of the cross-attention branch"),
                       .help = N_ ("Root mean square of what the cross-attention adds"),
                       .kind = NS_KIND_ACTIVATION,
                       .group = NS_GROUP_BRANCH,
                       .sites = NS_SITES_DECODER_BLOCKS,
                       .uses = EVERYWHERE,
                       .rank = 10 },
  [NS_Q_RMS_FFN] = { .name = "rms_ffn",
                     .symbol = "rms(ffn)",
                     .markup = "rms(ffn)",
                     .title = N_ ("Size of the FFN branch"),
                     .help = N_ ("Root mean square of what the FFN adds"),
                     .kind = NS_KIND_ACTIVATION,
                     .group = NS_GROUP_BRANCH,
                     .sites = NS_SITES_BLOCKS,
                     .uses = EVERYWHERE,
                     .rank = 7 },
  [NS_Q_TOKEN_COS] = { .name = "token_cos",
                       .symbol = "token similarity",
                       .markup = "token similarity",
                       .title = N_ ("Token similarity"),
                       .help = N_ ("Mean cosine between two different tokens of a sequence; 1 when all are the same "
                                   "vector"),
                       .kind = NS_KIND_COSINE,
                       .group = NS_GROUP_STREAM,
                       .sites = NS_SITES_STREAM,
                       .uses = NS_USE_TABLE | NS_USE_SWEEP | NS_USE_SCRIPT,
                       .rank = 8 },
  [NS_Q_LOSS] = { .name = "loss",
                  .symbol = "L",
                  .markup = "L",
                  .title = N_ ("Loss"),
                  .help = N_ ("Mean cross-entropy over the tokens"),
                  .unit = N_ ("nats"),
                  .kind = NS_KIND_LOSS,
                  .group = NS_GROUP_HEAD,
                  .sites = NS_SITES_HEAD,
                  .uses = NS_USE_SCRIPT },
};

const NsQuantityInfo *
ns_quantity_info (NsQuantity quantity)
{
  g_return_val_if_fail ((guint) quantity < NS_N_QUANTITIES, NULL);
  return &table[quantity];
}

gboolean
ns_quantity_from_name (const char *name, NsQuantity *quantity)
{
  for (guint q = 0; q < NS_N_QUANTITIES; q++)
    if (strcmp (table[q].name, name) == 0)
      {
        *quantity = (NsQuantity) q;
        return TRUE;
      }
  return FALSE;
}

gboolean
ns_quantity_has_log10 (NsQuantity quantity)
{
  NsQuantityKind kind = ns_quantity_info (quantity)->kind;

  return kind == NS_KIND_GRADIENT || kind == NS_KIND_ACTIVATION;
}

char *
ns_quantity_dup_tooltip (NsQuantity quantity)
{
  const NsQuantityInfo *info = ns_quantity_info (quantity);
  GString *text = g_string_new (_ (info->title));

  if (info->unit != NULL)
    g_string_append_printf (text, " (%s)", _ (info->unit));
  if (strcmp (info->title, info->help) != 0)
    g_string_append_printf (text, "\n%s", _ (info->help));
  return g_string_free (text, FALSE);
}

/* Quantities without a rank follow those with one; otherwise the order of the table. */
static int
compare_rank (gconstpointer a, gconstpointer b)
{
  NsQuantity qa = *(const NsQuantity *) a, qb = *(const NsQuantity *) b;
  guint rank_a = table[qa].rank - 1, rank_b = table[qb].rank - 1; /* 0 wraps to the end */

  if (rank_a != rank_b)
    return rank_a < rank_b ? -1 : 1;
  return qa < qb ? -1 : 1;
}

GArray *
ns_quantities_for_use (NsQuantityUse use)
{
  GArray *list = g_array_new (FALSE, FALSE, sizeof (NsQuantity));

  for (NsQuantity q = 0; q < NS_N_QUANTITIES; q++)
    if ((table[q].uses & use) != 0)
      g_array_append_val (list, q);
  g_array_sort (list, compare_rank);
  return list;
}
