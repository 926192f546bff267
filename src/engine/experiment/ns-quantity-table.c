/* The table of quantities; the rows of tensors are in ns-quantity-tensors.c.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/experiment/ns-quantity-private.h"

#include <glib/gi18n-lib.h>
#include <string.h>

/* Offered everywhere, a column of every table. */
#define EVERYWHERE (NS_USE_TABLE | NS_USE_FLOW | NS_USE_SWEEP | NS_USE_SCRIPT)

/* A quantity of the flow and the scaling view and the script, relative to another part of the stream. */
#define RELATION(name_, symbol_, markup_, title_, help_, kind_, sites_)                                              \
  {                                                                                                                  \
    .name = name_, .symbol = symbol_, .markup = markup_, .title = title_, .help = help_, .kind = kind_,              \
    .group = NS_GROUP_RELATION, .sites = sites_, .uses = NS_USE_FLOW | NS_USE_SWEEP | NS_USE_SCRIPT                  \
  }

/* A size of the residual stream. */
#define STREAM_SIZE(name_, symbol_, markup_, title_, help_, sites_)                                                   \
  {                                                                                                                  \
    .name = name_, .symbol = symbol_, .markup = markup_, .title = title_, .help = help_, .kind = NS_KIND_ACTIVATION, \
    .group = NS_GROUP_STREAM, .sites = sites_, .uses = NS_USE_FLOW | NS_USE_SWEEP | NS_USE_SCRIPT                    \
  }

/* Of the scores of an attention; further fields follow. */
#define SCORES(name_, symbol_, title_, help_, kind_, sites_, uses_, ...)                                              \
  {                                                                                                                   \
    .name = name_, .symbol = symbol_, .markup = symbol_, .title = title_, .help = help_, .kind = NS_KIND_##kind_,     \
    .group = NS_GROUP_BRANCH, .sites = NS_SITES_##sites_, .uses = NS_USE_SWEEP | (uses_), __VA_ARGS__                 \
  }

/* A quantity of the experts of a block. */
#define EXPERTS(name_, symbol_, title_, help_, kind_, group_)                                                        \
  {                                                                                                                  \
    .name = name_, .symbol = symbol_, .markup = symbol_, .title = title_, .help = help_, .kind = NS_KIND_##kind_,    \
    .group = NS_GROUP_##group_, .sites = NS_SITES_EXPERT_BLOCKS, .uses = NS_USE_FLOW | NS_USE_SWEEP | NS_USE_SCRIPT  \
  }

/* The size of a step. */
#define STEP(name_, symbol_, title_, help_)                                                                          \
  {                                                                                                                  \
    .name = name_, .symbol = symbol_, .markup = symbol_, .title = title_, .help = help_, .kind = NS_KIND_ACTIVATION, \
    .group = NS_GROUP_HEAD, .sites = NS_SITES_OUTPUT, .own_passes = TRUE, .uses = NS_USE_SWEEP                       \
  }

static const NsQuantityInfo quantity_table[NS_N_QUANTITIES] = {
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
  [NS_Q_IDENTITY] = { .name = "identity",
                      .symbol = "‖ιₗ‖/‖∂L/∂x_L‖",
                      .markup = "‖ι<sub><i>l</i></sub>‖/‖∂L/∂x<sub><i>L</i></sub>‖",
                      .title = N_ ("Gradient on the identity path"),
                      .help = N_ ("Norm of the gradient that reaches the block's output through no branch, relative "
                                  "to the gradient at the last block's output"),
                      .kind = NS_KIND_GRADIENT,
                      .group = NS_GROUP_RELATION,
                      .sites = NS_SITES_STREAM,
                      .uses = NS_USE_FLOW | NS_USE_SWEEP | NS_USE_SCRIPT },
  [NS_Q_IDENTITY_SHARE] = { .name = "identity_share",
                            .symbol = "⟨ιₗ, ∂L/∂xₗ⟩/‖∂L/∂xₗ‖²",
                            .markup = "⟨ι<sub><i>l</i></sub>, ∂L/∂x<sub><i>l</i></sub>⟩/"
                                      "‖∂L/∂x<sub><i>l</i></sub>‖²",
                            .title = N_ ("Share of the identity path in the gradient"),
                            .help = N_ ("Share of the gradient at the block's output that reaches it through no "
                                        "branch; 1 is all of it"),
                            .kind = NS_KIND_SHARE,
                            .group = NS_GROUP_RELATION,
                            .sites = NS_SITES_STREAM,
                            .uses = NS_USE_FLOW | NS_USE_SWEEP | NS_USE_SCRIPT },
  [NS_Q_GRAD_COS] = { .name = "grad_cos",
                      .symbol = "cos(∂L/∂xₗ, ∂L/∂x_L)",
                      .markup = "cos(∂L/∂x<sub><i>l</i></sub>, ∂L/∂x<sub><i>L</i></sub>)",
                      .title = N_ ("Similarity to the gradient at the last block"),
                      .help = N_ ("Cosine between the gradient at the block's output and the one at the last block's "
                                  "output"),
                      .kind = NS_KIND_SHARE,
                      .group = NS_GROUP_RELATION,
                      .sites = NS_SITES_STREAM,
                      .uses = NS_USE_FLOW | NS_USE_SWEEP | NS_USE_SCRIPT },
  [NS_Q_GRAD_COS_PREV] = RELATION (
      "grad_cos_prev", "cos(∂L/∂xₗ, ∂L/∂xₗ₋₁)",
      "cos(∂L/∂x<sub><i>l</i></sub>, ∂L/∂x<sub><i>l</i>−1</sub>)",
      N_ ("Similarity of the gradients at both ends of a block"),
      N_ ("Cosine between the gradient at the block's output and the one at its input"), NS_KIND_SHARE,
      NS_SITES_BLOCKS),
  [NS_Q_PATH_LENGTH] = { .name = "path_length",
                         .symbol = "Σ k·shareₖ",
                         .markup = "Σ k·share<sub><i>k</i></sub>",
                         .title = N_ ("Mean path length of the gradient"),
                         .help = N_ ("Mean number of branches through which the gradient has come down to the block's "
                                     "output; measured only if asked for, since it takes about two more passes"),
                         .kind = NS_KIND_LENGTH,
                         .group = NS_GROUP_RELATION,
                         .sites = NS_SITES_STREAM,
                         .own_passes = TRUE,
                         .uses = NS_USE_FLOW | NS_USE_SWEEP },
  [NS_Q_GAIN] = { .name = "gain",
                  .symbol = "‖Jᵀ·v‖/‖v‖",
                  .markup = "‖J<sup>T</sup>·v‖/‖v‖",
                  .title = N_ ("Gain of a random gradient"),
                  .help = N_ ("Factor by which the norm of a random gradient at the last block's output changes on its "
                              "way down to the block's output, the mean of four; measured only if asked for, since it "
                              "takes a pass of its own"),
                  .kind = NS_KIND_GRADIENT,
                  .group = NS_GROUP_RELATION,
                  .sites = NS_SITES_STREAM,
                  .own_passes = TRUE,
                  .uses = NS_USE_FLOW | NS_USE_SWEEP },
  [NS_Q_GRAD_SKIP_RATIO_ATTN] = RELATION (
      "grad_skip_ratio_attn", "‖b·J_attnᵀ·g‖/‖a·g‖", "‖b·J<sub>attn</sub>ᵀ·g‖/‖a·g‖",
      N_ ("Gradient through the attention, relative to residual"),
      N_ ("Norm of the gradient that comes down through the attention, relative to the one along its residual"),
      NS_KIND_GRADIENT, NS_SITES_ATTN_RESIDUALS),
  [NS_Q_GRAD_SKIP_RATIO_CROSS] =
      RELATION ("grad_skip_ratio_cross", "‖b·J_crossᵀ·g‖/‖a·g‖", "‖b·J<sub>cross</sub>ᵀ·g‖/‖a·g‖",
                N_ ("Gradient through the cross-attention, relative to residual"),
                N_ ("Norm of the gradient that comes down through the cross-attention, relative to the one along its "
                    "residual"),
                NS_KIND_GRADIENT, NS_SITES_CROSS_RESIDUALS),
  [NS_Q_GRAD_SKIP_RATIO_FFN] =
      RELATION ("grad_skip_ratio_ffn", "‖b·J_ffnᵀ·g‖/‖a·g‖", "‖b·J<sub>ffn</sub>ᵀ·g‖/‖a·g‖",
                N_ ("Gradient through the FFN, relative to residual"),
                N_ ("Norm of the gradient that comes down through the FFN, relative to the one along its residual"),
                NS_KIND_GRADIENT, NS_SITES_FFN_RESIDUALS),
  [NS_Q_GRAD_SKIP_COS_ATTN] =
      RELATION ("grad_skip_cos_attn", "cos(b·J_attnᵀ·g, a·g)", "cos(b·J<sub>attn</sub>ᵀ·g, a·g)",
                N_ ("Similarity of the gradients through attention and residual"),
                N_ ("Cosine between the gradient that comes down through the attention and the one along its residual"),
                NS_KIND_SHARE, NS_SITES_ATTN_RESIDUALS),
  [NS_Q_GRAD_SKIP_COS_CROSS] =
      RELATION ("grad_skip_cos_cross", "cos(b·J_crossᵀ·g, a·g)", "cos(b·J<sub>cross</sub>ᵀ·g, a·g)",
                N_ ("Similarity of the gradients through cross-attention and residual"),
                N_ ("Cosine between the gradient that comes down through the cross-attention and the one along its "
                    "residual"),
                NS_KIND_SHARE, NS_SITES_CROSS_RESIDUALS),
  [NS_Q_GRAD_SKIP_COS_FFN] =
      RELATION ("grad_skip_cos_ffn", "cos(b·J_ffnᵀ·g, a·g)", "cos(b·J<sub>ffn</sub>ᵀ·g, a·g)",
                N_ ("Similarity of the gradients through FFN and residual"),
                N_ ("Cosine between the gradient that comes down through the FFN and the one along its residual"),
                NS_KIND_SHARE, NS_SITES_FFN_RESIDUALS),
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
  [NS_Q_ABS_X] =
      STREAM_SIZE ("abs_x", "mean|xₗ|", "mean|x<sub><i>l</i></sub>|", N_ ("Mean size of a feature"),
                   N_ ("Mean of the absolute values of the block's output"), NS_SITES_STREAM),
  [NS_Q_NORM_X] =
      STREAM_SIZE ("norm_x", "‖xₗ‖", "‖x<sub><i>l</i></sub>‖", N_ ("Length of a token"),
                   N_ ("L2 norm of a token in the block's output, as root mean square over the tokens"),
                   NS_SITES_STREAM),
  [NS_Q_RMS_Y_ATTN] =
      STREAM_SIZE ("rms_y_attn", "rms(y_attn)", "rms(y<sub>attn</sub>)", N_ ("Size of the stream after the attention"),
                   N_ ("Root mean square of the attention's output in the stream"), NS_SITES_SEQUENTIAL_BLOCKS),
  [NS_Q_RMS_Y_CROSS] =
      STREAM_SIZE ("rms_y_cross", "rms(y_cross)", "rms(y<sub>cross</sub>)",
                   N_ ("Size of the stream after the cross-attention"),
                   N_ ("Root mean square of the cross-attention's output in the stream"), NS_SITES_DECODER_BLOCKS),
  [NS_Q_RMS_Z_ATTN] = { .name = "rms_z_attn",
                        .symbol = "rms(z_attn)",
                        .markup = "rms(z<sub>attn</sub>)",
                        .title = N_ ("Size of the sum of stream and attention"),
                        .help = N_ ("Root mean square of the sum of residual and attention, before a norm"),
                        .kind = NS_KIND_ACTIVATION,
                        .group = NS_GROUP_STREAM,
                        .sites = NS_SITES_BLOCKS,
                        .uses = NS_USE_FLOW | NS_USE_SWEEP | NS_USE_SCRIPT },
  [NS_Q_RMS_Z_CROSS] = { .name = "rms_z_cross",
                         .symbol = "rms(z_cross)",
                         .markup = "rms(z<sub>cross</sub>)",
                         .title = N_ ("Size of the sum of stream and cross-attention"),
                         .help = N_ ("Root mean square of the sum of residual and cross-attention, before a norm"),
                         .kind = NS_KIND_ACTIVATION,
                         .group = NS_GROUP_STREAM,
                         .sites = NS_SITES_DECODER_BLOCKS,
                         .uses = NS_USE_FLOW | NS_USE_SWEEP | NS_USE_SCRIPT },
  [NS_Q_RMS_Z_FFN] = { .name = "rms_z_ffn",
                       .symbol = "rms(z_ffn)",
                       .markup = "rms(z<sub>ffn</sub>)",
                       .title = N_ ("Size of the sum of stream and FFN"),
                       .help = N_ ("Root mean square of the sum of residual and FFN, before a norm"),
                       .kind = NS_KIND_ACTIVATION,
                       .group = NS_GROUP_STREAM,
                       .sites = NS_SITES_SEQUENTIAL_BLOCKS,
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
  [NS_Q_SKIP_RATIO_ATTN] =
      RELATION ("skip_ratio_attn", "‖b·attn‖/‖a·x‖", "‖b·attn‖/‖a·x‖", N_ ("Attention branch, relative to residual"),
                N_ ("Norm of what the attention adds, relative to the norm of the residual that it is added to"),
                NS_KIND_ACTIVATION, NS_SITES_ATTN_RESIDUALS),
  [NS_Q_SKIP_RATIO_CROSS] = RELATION (
      "skip_ratio_cross", "‖b·cross‖/‖a·x‖", "‖b·cross‖/‖a·x‖", N_ ("Cross-attention branch, relative to residual"),
      N_ ("Norm of what the cross-attention adds, relative to the norm of the residual that it is added to"),
      NS_KIND_ACTIVATION, NS_SITES_CROSS_RESIDUALS),
  [NS_Q_SKIP_RATIO_FFN] =
      RELATION ("skip_ratio_ffn", "‖b·ffn‖/‖a·x‖", "‖b·ffn‖/‖a·x‖", N_ ("FFN branch, relative to residual"),
                N_ ("Norm of what the FFN adds, relative to the norm of the residual that it is added to"),
                NS_KIND_ACTIVATION, NS_SITES_FFN_RESIDUALS),
  [NS_Q_SKIP_COS_ATTN] = RELATION ("skip_cos_attn", "cos(b·attn, a·x)", "cos(b·attn, a·x)",
                                   N_ ("Similarity of attention branch and residual"),
                                   N_ ("Cosine between what the attention adds and the residual that it is added to"),
                                   NS_KIND_NUMBER, NS_SITES_ATTN_RESIDUALS),
  [NS_Q_SKIP_COS_CROSS] =
      RELATION ("skip_cos_cross", "cos(b·cross, a·x)", "cos(b·cross, a·x)",
                N_ ("Similarity of cross-attention branch and residual"),
                N_ ("Cosine between what the cross-attention adds and the residual that it is added to"),
                NS_KIND_NUMBER, NS_SITES_CROSS_RESIDUALS),
  [NS_Q_SKIP_COS_FFN] =
      RELATION ("skip_cos_ffn", "cos(b·ffn, a·x)", "cos(b·ffn, a·x)", N_ ("Similarity of FFN branch and residual"),
                N_ ("Cosine between what the FFN adds and the residual that it is added to"), NS_KIND_NUMBER,
                NS_SITES_FFN_RESIDUALS),
  [NS_Q_COS_X_PREV] = RELATION ("cos_x_prev", "cos(xₗ, xₗ₋₁)", "cos(x<sub><i>l</i></sub>, x<sub><i>l</i>−1</sub>)",
                                N_ ("Similarity of a block's output and input"),
                                N_ ("Cosine between the block's output and its input"), NS_KIND_NUMBER,
                                NS_SITES_BLOCKS),
  [NS_Q_COS_X_LAST] = RELATION ("cos_x_last", "cos(xₗ, x_L)", "cos(x<sub><i>l</i></sub>, x<sub><i>L</i></sub>)",
                                N_ ("Similarity to the last block's output"),
                                N_ ("Cosine between the block's output and the last block's output"), NS_KIND_NUMBER,
                                NS_SITES_STREAM),
  [NS_Q_SHARE_INPUT] = RELATION ("share_input", "share(x₀)", "share(x<sub>0</sub>)",
                                 N_ ("Share of the input in the last block's output"),
                                 N_ ("Share of the last block's output that comes from the input; all shares sum to 1"),
                                 NS_KIND_CONTRIBUTION, NS_SITES_INPUTS),
  [NS_Q_SHARE_ATTN] = RELATION (
      "share_attn", "share(attn)", "share(attn)", N_ ("Share of the attention in the last block's output"),
      N_ ("Share of the last block's output that comes from the attention of this block; all shares sum to 1"),
      NS_KIND_CONTRIBUTION, NS_SITES_BLOCKS),
  [NS_Q_SHARE_CROSS] = RELATION (
      "share_cross", "share(cross)", "share(cross)", N_ ("Share of the cross-attention in the last block's output"),
      N_ ("Share of the last block's output that comes from the cross-attention of this block; all shares sum "
          "to 1"),
      NS_KIND_CONTRIBUTION, NS_SITES_DECODER_BLOCKS),
  [NS_Q_SHARE_FFN] =
      RELATION ("share_ffn", "share(ffn)", "share(ffn)", N_ ("Share of the FFN in the last block's output"),
                N_ ("Share of the last block's output that comes from the FFN of this block; all shares sum to 1"),
                NS_KIND_CONTRIBUTION, NS_SITES_BLOCKS),
  [NS_Q_TOKEN_COS] = { .name = "token_cos",
                       .symbol = "token similarity",
                       .markup = "token similarity",
                       .title = N_ ("Token similarity"),
                       .help = N_ ("Mean cosine between two different tokens of a sequence; 1 when all are the same "
                                   "vector"),
                       .kind = NS_KIND_COSINE,
                       .group = NS_GROUP_STREAM,
                       .sites = NS_SITES_STREAM,
                       .of_tokens = TRUE,
                       .uses = NS_USE_TABLE | NS_USE_SWEEP | NS_USE_SCRIPT,
                       .rank = 8 },
  [NS_Q_TOKEN_RESIDUAL] = { .name = "token_residual",
                            .symbol = "‖X − 1x̄ᵀ‖/‖X‖",
                            .markup = "‖X − 1x̄<sup>T</sup>‖/‖X‖",
                            .title = N_ ("Differences between the tokens"),
                            .help = N_ ("Norm of the tokens of a sequence less their mean, relative to the norm of the "
                                        "tokens, averaged over the sequences; 0 when all are the same vector"),
                            .kind = NS_KIND_ACTIVATION,
                            .group = NS_GROUP_RELATION,
                            .sites = NS_SITES_STREAM,
                            .of_tokens = TRUE,
                            .uses = NS_USE_FLOW | NS_USE_SWEEP | NS_USE_SCRIPT },
  [NS_Q_PARTICIPATION] = { .name = "participation",
                           .symbol = "(tr G)²/‖G‖²",
                           .markup = "(tr G)²/‖G‖²",
                           .title = N_ ("Directions of the tokens"),
                           .help = N_ ("Participation ratio: the number of directions over which the tokens of a "
                                       "sequence spread about their mean, averaged over the sequences"),
                           .kind = NS_KIND_ACTIVATION,
                           .group = NS_GROUP_RELATION,
                           .sites = NS_SITES_STREAM,
                           .of_tokens = TRUE,
                           .uses = NS_USE_FLOW | NS_USE_SWEEP | NS_USE_SCRIPT },
  [NS_Q_ENTROPY] = SCORES ("entropy", "entropy(attn)", N_ ("Entropy of the attention"),
                           N_ ("Entropy of the attention's weights relative to that of equal weights, the mean over "
                               "heads and queries that see several tokens; 1 when all weights are equal"),
                           NUMBER, BLOCKS, NS_USE_FLOW | NS_USE_SCRIPT, .of_tokens = TRUE),
  [NS_Q_ENTROPY_CROSS] = SCORES ("entropy_cross", "entropy(cross)", N_ ("Entropy of the cross-attention"),
                                 N_ ("Entropy of the cross-attention's weights relative to that of equal weights, the "
                                     "mean over heads and queries; 1 when all weights are equal"),
                                 NUMBER, DECODER_BLOCKS, NS_USE_FLOW | NS_USE_SCRIPT, .of_tokens = TRUE),
  [NS_Q_MAX_LOGIT] = SCORES ("max_logit", "max logit(attn)", N_ ("Largest logit of the attention"),
                             N_ ("Largest logit of the attention, after its scale and before the softmax; masked ones "
                                 "do not count"),
                             NUMBER, BLOCKS, NS_USE_FLOW | NS_USE_SCRIPT),
  [NS_Q_MAX_LOGIT_CROSS] = SCORES ("max_logit_cross", "max logit(cross)", N_ ("Largest logit of the cross-attention"),
                                   N_ ("Largest logit of the cross-attention, after its scale and before the softmax"),
                                   NUMBER, DECODER_BLOCKS, NS_USE_FLOW | NS_USE_SCRIPT),
  [NS_Q_RMS_SCORES] = SCORES ("rms_scores", "rms(scores)", N_ ("Size of the attention's scores"),
                              N_ ("Root mean square of the logits of the attention, after their scale and before the "
                                  "softmax; masked ones do not count"),
                              ACTIVATION, BLOCKS, 0),
  [NS_Q_RMS_SCORES_CROSS] = SCORES ("rms_scores_cross", "rms(cross scores)",
                                    N_ ("Size of the cross-attention's scores"),
                                    N_ ("Root mean square of the logits of the cross-attention, after their scale and "
                                        "before the softmax"),
                                    ACTIVATION, DECODER_BLOCKS, 0),
  [NS_Q_ROUTER_ENTROPY] = EXPERTS ("router_entropy", "entropy(router)", N_ ("Entropy of the router"),
                                   N_ ("Entropy of the router's softmax over all experts relative to that of equal "
                                       "weights, the mean over the tokens; 1 when they are equal"), NUMBER, BRANCH),
  [NS_Q_EXPERT_LOAD_MAX] = EXPERTS ("expert_load_max", "max load", N_ ("Load of the busiest expert"),
                                    N_ ("Largest share of the tokens' choices that one expert has; equal loads are one "
                                        "over the number of experts"), NUMBER, BRANCH),
  [NS_Q_EXPERT_LOAD_MIN] = EXPERTS ("expert_load_min", "min load", N_ ("Load of the least busy expert"),
                                    N_ ("Smallest share of the tokens' choices that one expert has; 0 for one that no "
                                        "token reaches"), NUMBER, BRANCH),
  [NS_Q_EXPERT_GRAD_MAX] = EXPERTS ("expert_grad_max", "max ‖∂L/∂θₑ‖", N_ ("Largest gradient of an expert"),
                                    N_ ("Gradient norm of the expert's matrices where it is largest"), GRADIENT, SUM),
  [NS_Q_EXPERT_GRAD_MIN] = EXPERTS ("expert_grad_min", "min ‖∂L/∂θₑ‖", N_ ("Smallest gradient of an expert"),
                                    N_ ("Gradient norm of the expert's matrices where it is smallest; 0 for one that "
                                        "no token reaches"), GRADIENT, SUM),
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
  [NS_Q_RMS_LOGITS] = { .name = "rms_logits",
                        .symbol = "rms(logits)",
                        .markup = "rms(logits)",
                        .title = N_ ("Size of the logits"),
                        .help = N_ ("Root mean square of the head's logits, after their scale and before a cap"),
                        .kind = NS_KIND_ACTIVATION,
                        .group = NS_GROUP_HEAD,
                        .sites = NS_SITES_HEAD,
                        .uses = NS_USE_SWEEP },
  [NS_Q_UPDATE_H_SGD] = STEP ("update_h_sgd", "rms(Δh)/η", N_ ("Change of the output by a step of SGD"),
                              N_ ("Root mean square change of the head's input by a small step of SGD on all "
                                  "parameters, divided by the learning rate")),
  [NS_Q_UPDATE_H_ADAM] = STEP ("update_h_adam", "rms(Δh)/η, Adam", N_ ("Change of the output by Adam's first step"),
                               N_ ("Root mean square change of the head's input by a small first step of Adam, along "
                                   "the signs of the gradients of all parameters, divided by the learning rate")),
  [NS_Q_UPDATE_H_SGD_W] = STEP ("update_h_sgd_w", "rms(Δh)/η, matrices",
                                N_ ("Change of the output by a step of SGD on the matrices"),
                                N_ ("Root mean square change of the head's input by a small step of SGD on the weight "
                                    "matrices alone, divided by the learning rate")),
  [NS_Q_UPDATE_H_ADAM_W] = STEP ("update_h_adam_w", "rms(Δh)/η, matrices, Adam",
                                 N_ ("Change of the output by Adam's first step on the matrices"),
                                 N_ ("Root mean square change of the head's input by a small first step of Adam on the "
                                     "weight matrices alone, divided by the learning rate")),
};

const NsQuantityInfo *
ns_quantity_info (NsQuantity quantity)
{
  g_return_val_if_fail ((guint) quantity < NS_N_QUANTITIES, NULL);
  return quantity < NS_Q_ATTN ? &ns_quantity_tensor_rows[quantity] : &quantity_table[quantity];
}

gboolean
ns_quantity_from_name (const char *name, NsQuantity *quantity)
{
  for (guint q = 0; q < NS_N_QUANTITIES; q++)
    if (strcmp (ns_quantity_info ((NsQuantity) q)->name, name) == 0)
      {
        *quantity = (NsQuantity) q;
        return TRUE;
      }
  return FALSE;
}
