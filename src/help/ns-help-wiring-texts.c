/* Help on the settings of a variant that say where norms and residuals are, and how they are scaled.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "help/ns-help-private.h"

#include <glib/gi18n-lib.h>

const NsHelpParameterText ns_help_wiring_parameter_texts[] = {
  { .path = "sublayers",
    .formula = "x \\leftarrow x + \\mathrm{Attn}(N(x)) \\quad \\text{or} \\quad x \\leftarrow x + \\mathrm{FFN}(N(x))",
    .effect = N_ ("The missing sub-layer is not computed: it has no weights, no gradients and no values. Attention "
                  "alone moves vectors between tokens and makes them alike, the more the deeper the stack; without "
                  "residuals they become one vector within a few blocks. The FFN alone treats each token by itself. "
                  "Rules that count residual branches, as DeepNorm’s and GPT-2’s, count one for each block."),
    .source = "Elhage et al. 2021, A Mathematical Framework for Transformer Circuits; Dong et al. 2021, "
              "arXiv:2103.03404",
    .before = "pre", .after = "attention-only",
    .see = "variant:attention-only variant:ffn-only quantity:token_residual parameter:topology" },
  { .path = "topology",
    .formula = "y = a \\cdot x + b \\cdot (\\mathrm{Attn}(N(x)) + \\mathrm{FFN}(N(x)))",
    .effect = N_ ("In parallel, both sub-layers read the same input and are added at once: one addition in each block "
                  "in place of two, and the FFN does not see what the attention of its own block did. A large model "
                  "computes this faster."),
    .source = "Wang & Komatsuzaki 2021 (GPT-J); Chowdhery et al. 2022 (PaLM); Black et al. 2022 (GPT-NeoX-20B)",
    .before = "pre", .after = "parallel",
    .see = "variant:parallel variant:parallel-two-norms" },
  { .path = "attn.norm",
    .formula = "y = N_{\\mathrm{post}}(a \\cdot x + b \\cdot N_{\\mathrm{branch}}(F(N_{\\mathrm{pre}}(x))))",
    .effect = N_ ("A norm before the sub-layer leaves the residual stream untouched: the gradient has a way from the "
                  "loss to the input that meets no norm, and the stream grows. A norm after the addition resets the "
                  "stream to size 1 in every block, and every gradient passes through it. A norm on the branch fixes "
                  "the size of what is added. The sentence and the wiring name the placement."),
    .source = "Vaswani et al. 2017 (after); Xiong et al. 2020 (before); Kim et al. 2025 (before and on the branch)",
    .before = "pre", .after = "pre:attn.norm=post",
    .see = "topic:placements variant:pre variant:post variant:sandwich parameter:ffn.norm parameter:post_fraction" },
  { .path = "attn.residual",
    .formula = "z = a \\cdot x + b \\cdot F(x), \\quad a = 0",
    .effect = N_ ("Without it, the attention’s output replaces the stream. Each token becomes a weighted mean over all "
                  "tokens, and after a few blocks all tokens are one vector: token similarity goes to 1. Where there "
                  "are norms, most weight gradients stay large all the same, and only the panel of token similarity "
                  "shows the collapse. Those of $W_{Q}$ and $W_{K}$ vanish, since equal tokens give equal scores."),
    .source = "Dong et al. 2021, Attention is not all you need (rank collapse)",
    .before = "pre", .after = "pre:attn.residual=false",
    .see = "quantity:token_cos parameter:ffn.residual variant:pre" },
  { .path = "attn.inner_norm",
    .formula = "F(u) = N(\\operatorname{softmax}(c \\cdot q k^{T}) v) \\cdot W_{O}",
    .effect = N_ ("The output of the heads has the same size whatever the softmax does, so the size of the branch "
                  "depends on $W_{O}$ alone."),
    .source = "Wang et al. 2022 (Magneto, Sub-LN)",
    .before = "pre", .after = "pre:attn.inner_norm=true",
    .see = "variant:sub-ln parameter:ffn.inner_norm" },
  { .path = "cross.norm",
    .formula = "y = N_{\\mathrm{post}}(a \\cdot x + b \\cdot N_{\\mathrm{branch}}(F(N_{\\mathrm{pre}}(x), m)))",
    .effect = N_ ("Cross-attention takes its queries from the decoder’s stream and keys and values from the encoder’s "
                  "output $m$. This sets its norms apart from those of the decoder’s attention. A single stack has "
                  "none."),
    .source = "Vaswani et al. 2017, section 3.2.3",
    .before = "pre", .after = "pre:cross.norm=post", .place = NS_HELP_IN_DECODER,
    .see = "parameter:attn.norm parameter:shape.stack" },
  { .path = "cross.residual",
    .formula = "z = a \\cdot x + b \\cdot F(x, m), \\quad a = 0",
    .effect = N_ ("Without it, the output of the cross-attention replaces the decoder’s stream: what the decoder knew "
                  "about its own tokens survives only in the weights of the attention over the source."),
    .before = "pre", .after = "pre:cross.residual=false", .place = NS_HELP_IN_DECODER,
    .see = "parameter:attn.residual quantity:token_cos" },
  { .path = "cross.inner_norm",
    .effect = N_ ("The same for the cross-attention as the attention’s inner norm for the attention."),
    .before = "pre", .after = "pre:cross.inner_norm=true", .place = NS_HELP_IN_DECODER,
    .see = "parameter:attn.inner_norm" },
  { .path = "ffn.norm",
    .formula = "y = N_{\\mathrm{post}}(a \\cdot x + b \\cdot N_{\\mathrm{branch}}(F(N_{\\mathrm{pre}}(x))))",
    .effect = N_ ("Where the FFN has its norms; the choices are those of the attention. If the FFN has a norm after "
                  "the addition, each block ends in that norm, and the head needs no final norm."),
    .source = "Vaswani et al. 2017 (after); Xiong et al. 2020 (before); Kim et al. 2025 (before and on the branch)",
    .before = "pre", .after = "pre:ffn.norm=post",
    .see = "parameter:attn.norm parameter:final_norm" },
  { .path = "ffn.residual",
    .formula = "z = a \\cdot x + b \\cdot F(x), \\quad a = 0",
    .effect = N_ ("Without it, the FFN’s output replaces the stream. The FFN treats each token alone and does not mix "
                  "tokens; but an activation such as ReLU makes any two vectors more alike, so that the tokens still "
                  "become one vector over many blocks, if more slowly than by attention. And the gradient has no way "
                  "around the FFN."),
    .source = "Dong et al. 2021, Attention is not all you need",
    .before = "pre", .after = "pre:ffn.residual=false",
    .see = "parameter:attn.residual quantity:token_cos" },
  { .path = "ffn.inner_norm",
    .formula = "F(u) = N(\\operatorname{act}(u \\cdot W_{1})) \\cdot W_{2}",
    .effect = N_ ("The hidden features have the same size whatever the activation does, so that the size of the branch "
                  "depends on $W_{2}$ alone."),
    .source = "Shleifer et al. 2021 (NormFormer); Wang et al. 2022 (Sub-LN)",
    .before = "pre", .after = "pre:ffn.inner_norm=true",
    .see = "variant:normformer variant:sub-ln" },
  { .path = "post_fraction",
    .formula = "l \\le \\text{⌊} p L \\text{⌋} : y = N(x + F(x)), \\quad l > \\text{⌊} p L \\text{⌋} : y = x + F(N(x))",
    .effect = N_ ("Moves a variant from Pre-LN (0) to Post-LN (1), block by block from the input. Between them it is "
                  "Mix-LN. While it is set, it overrides the norms of attention and FFN."),
    .source = "Li et al. 2024, arXiv:2412.13795",
    .before = "pre", .after = "mix", .place = NS_HELP_IN_STACK,
    .see = "variant:mix parameter:attn.norm parameter:ffn.norm" },
  { .path = "first_block_pre",
    .formula = "l = 1: y = x + F(N(x)), \\quad l > 1: \\text{as the others}",
    .effect = N_ ("The embedding reaches the second block without passing a norm, and the first branches read vectors "
                  "of one size. The blocks above keep their norms. A final norm that depends on the last block does "
                  "not change in a stack of two blocks or more."),
    .source = "Zhuo et al. 2025 (HybridNorm*), arXiv:2503.04598",
    .before = "hybrid", .after = "hybrid-star", .place = NS_HELP_IN_STACK,
    .see = "variant:hybrid-star parameter:attn.norm parameter:post_fraction" },
  { .path = "norm_scale",
    .formula = "u = N(x) / \\sqrt{l}",
    .effect = N_ ("Branches become smaller in higher blocks, and the residual stream of Pre-LN grows more slowly with "
                  "depth."),
    .source = "Sun et al. 2025, arXiv:2502.05795",
    .before = "pre", .after = "layernorm-scaling",
    .see = "variant:layernorm-scaling quantity:rms_x" },
  { .path = "residual_scale",
    .formula = "z = a \\cdot x + b \\cdot F(x)",
    .effect = N_ ("A factor $a$ above 1 lets the stream outweigh the branch in every sum. With a norm after it, as in "
                  "DeepNorm and Admin, this reduces the share of each branch. Without a norm the stream grows at least "
                  "as $a^{2L}$."),
    .source = "Wang et al. 2022, arXiv:2203.00555; Liu et al. 2020, arXiv:2004.08249",
    .before = "post", .after = "deepnorm",
    .see = "variant:deepnorm variant:admin parameter:branch_scale" },
  { .path = "branch_scale",
    .formula = "z = a \\cdot x + b \\cdot F(x)",
    .effect = N_ ("A factor $b$ below 1 makes each addition smaller, and with it the gradient of the weights of the "
                  "branch. With $1/\\sqrt{L}$ even a stack without norms grows by a bounded factor at any depth."),
    .source = "De & Smith 2020, arXiv:2002.10444",
    .before = "none", .after = "none:branch_scale=inverse-sqrt-depth",
    .see = "parameter:branch_parameter parameter:residual_scale variant:skipinit" },
  { .path = "branch_parameter",
    .formula = "z = a \\cdot x + \\lambda \\odot F(x), \\quad \\lambda = b",
    .effect = N_ ("The branch scale becomes a parameter, with a gradient of its own. If it starts at 0, every block is "
                  "the identity at first: the factors alone receive gradients in the branches."),
    .source = "Bachlechner et al. 2020 (ReZero); De & Smith 2020 (SkipInit); Touvron et al. 2021 (LayerScale)",
    .before = "none", .after = "rezero",
    .see = "variant:rezero variant:layerscale quantity:scale_attn parameter:branch_scale" },
  { .path = "block_residual",
    .formula = "y = N(x_{\\mathrm{block}} + m + \\mathrm{FFN}(m)), \\quad m = N(x_{\\mathrm{block}} + "
               "\\mathrm{Attn}(x_{\\mathrm{block}}))",
    .effect = N_ ("A third way around the block that passes one norm only, the last one. Post-LN’s gradient then meets "
                  "one norm in a block in place of two."),
    .source = "Takase et al. 2022, arXiv:2206.00330",
    .before = "post", .after = "b2t",
    .see = "variant:b2t variant:post" },
  { .path = "dual_residual",
    .formula = "x \\leftarrow N(x + f), \\quad r \\leftarrow r + f, \\quad f = F(x), \\quad h = x_{L} + N(r_{L})",
    .effect = N_ ("A second stream collects the same branches without any norm, as Pre-LN does, and joins at the end. "
                  "The measured stream is the first one."),
    .source = "Xie et al. 2023, arXiv:2304.14802",
    .before = "post", .after = "residual",
    .see = "variant:residual variant:post" },
  { .path = "streams",
    .formula = "u = N(\\Sigma_{i} A_{m,i} \\cdot x_{i}), \\quad x_{j} \\leftarrow \\Sigma_{i} A_{r,ij} \\cdot "
               "x_{i} + B_{j} \\cdot F(u), \\quad h = \\Sigma_{i} x_{i}",
    .effect = N_ ("Hyper-Connections: several copies of the input flow through the stack, and learned numbers say how "
                  "much of each a sub-layer reads, how the streams are mixed, and how much of its output each "
                  "receives. At the start the sub-layers read the streams in turn and write to all, so activations and "
                  "the gradients of all other weights are those of Pre-LN; the learned numbers have gradients of their "
                  "own."),
    .source = "Zhu et al. 2024, arXiv:2409.19606",
    .before = "pre", .after = "hyper", .place = NS_HELP_IN_STACK,
    .see = "variant:hyper variant:pre quantity:mix_streams_attn parameter:dual_residual" },
  { .path = "stream_weights",
    .formula = "A_{m,i} = a_{m,i} + s \\cdot \\mathrm{tanh}(N(x_{i}) \\cdot W_{m})",
    .effect = N_ ("Dynamic weights depend on the token, through maps that start at 0 and a scale that starts at 0.01. "
                  "With a manifold (mHC) they are also positive, and those between the streams have rows and columns "
                  "of sum 1: a product over many sub-layers keeps that, so mixing alone cannot make the streams grow. "
                  "In Pre-LN both start with the activations of the static weights, and the maps have gradients of "
                  "their own."),
    .source = "Zhu et al. 2024, arXiv:2409.19606; Xie et al. 2025 (mHC), arXiv:2512.24880",
    .before = "hyper", .after = "mhc", .place = NS_HELP_IN_STACK,
    .see = "variant:hyper-dynamic variant:mhc quantity:mix_streams_w_attn parameter:streams" },
  { .path = "ngpt",
    .formula = "x \\leftarrow N(x + \\lambda \\odot (N(F(x)) - x)), \\quad N(x) = x / \\|x\\|",
    .effect = N_ ("Every token stays on the unit sphere, and each sub-layer turns it a small step toward its output. "
                  "The stream has one size at every depth, and the gradient passes $1 - \\lambda$ of each residual. "
                  "Learned factors take the place of gains: of queries and keys, of the FFN’s hidden features and of "
                  "the logits. In training the matrices are normalized after every step."),
    .source = "Loshchilov et al. 2024, arXiv:2410.01131",
    .before = "pre:attention=causal,activation=swiglu", .after = "ngpt:attention=causal,activation=swiglu",
    .see = "variant:ngpt quantity:scale_attn quantity:s_qk quantity:s_z parameter:branch_scale" },
  { .path = "input_scale",
    .formula = "x_{0} \\leftarrow s \\cdot x_{0}",
    .effect = N_ ("Changes the size of the stream at the input, for this variant alone. It matters as long as no norm "
                  "stands in the stream; a norm after the first addition removes most of it."),
    .source = "Huang et al. 2020 (T-Fixup)",
    .before = "none", .after = "none:input_scale=t-fixup", .place = NS_HELP_IN_STACK,
    .see = "variant:t-fixup parameter:data.embed_std" },
  { .path = "input_norm",
    .formula = "x_{0} \\leftarrow N(x_{0})",
    .effect = N_ ("All tokens enter the first block with the same size, and the gradient at the input is divided by "
                  "the size that the embedding had."),
    .source = "Devlin et al. 2018 (BERT); Takase et al. 2023, arXiv:2312.16903",
    .before = "pre", .after = "pre:input_norm=true", .place = NS_HELP_IN_STACK,
    .see = "variant:spike-no-more parameter:data.embed_std" },
  { .path = "final_norm",
    .formula = "h = N_{\\mathrm{final}}(x_{L})",
    .effect = N_ ("A norm before the head brings the grown stream of Pre-LN back to size 1. Its gradient is divided "
                  "by the stream’s size, which gives every block below a smaller gradient the deeper the stack is. "
                  "Without it the head sees the grown stream, and the loss grows with depth."),
    .source = "Xiong et al. 2020, section 3.2",
    .before = "pre:final_norm=off", .after = "pre:final_norm=on", .place = NS_HELP_IN_STACK,
    .see = "variant:pre quantity:gain_final claim:theorem-1-pre" },
  { .path = NULL },
};
