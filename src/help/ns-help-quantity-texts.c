/* Help on the quantities beyond their rows in the table: equations, and how to read them.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "help/ns-help-private.h"

#include <glib/gi18n-lib.h>

/* Quantities of the same kind share a text. */
#define STEP(name_, u_, see_)                                                                                        \
  { .name = name_,                                                                                                   \
    .formula = "\\operatorname{rms}(h(\\theta - \\eta \\cdot u) - h(\\theta)) / \\eta,\\quad u = " u_,               \
    .text = N_ ("The program takes one step on all its data and runs the model again. The learning rate is chosen "  \
                "so small that the change is about 0.002 of the output: there it is proportional to the learning "   \
                "rate, which is divided out. It takes several passes, so only the Scaling view and "                 \
                "`normscope-cli scaling` measure it; `normscope-cli paths --of update` shows one step in detail."),  \
    .source = "Wang et al. 2022, DeepNet (bounded model update)", .see = see_ }
#define BRANCH_SIZE(name_, formula_, see_)                                                                           \
  { .name = name_, .formula = formula_,                                                                              \
    .text = N_ ("Measured on what is added to the stream: after the branch’s norm and factor. Next to the size of "  \
                "the stream it says how much a block changes its input."),                                           \
    .see = see_ }
#define STREAM_SIZE(name_, formula_, see_)                                                                           \
  { .name = name_, .formula = formula_,                                                                              \
    .text = N_ ("The stream within a block, behind a sub-layer and its norm after the addition. The block figure "   \
                "writes it on the wires."),                                                                          \
    .see = see_ }
#define SUM_SIZE(name_, formula_, see_)                                                                              \
  { .name = name_, .formula = formula_,                                                                              \
    .text = N_ ("The sum $z = a \\cdot x + b \\cdot s$ is what a norm after the addition reads: it divides stream "    \
                "and gradient by this size. Without such a norm the sum is the sub-layer’s output."),                \
    .source = "Xiong et al. 2020, Lemma 2", .see = see_ }
#define STREAM_GRADIENT(name_, formula_, see_)                                                                       \
  { .name = name_, .formula = formula_,                                                                              \
    .text = N_ ("The gradient in the stream within a block. A residual carries $a \\cdot \\partial L/\\partial z$ "   \
                "back to the sub-layer’s input, the branch takes $b \\cdot \\partial L/\\partial z$."),               \
    .see = see_ }
#define SCORES_ENTROPY(name_, see_)                                                                                  \
  { .name = name_, .formula = "-\\frac{1}{\\ln n} \\sum_{j} P_{j} \\ln P_{j}",                                         \
    .text = N_ ("$P$ are the weights that a query gives to the $n$ tokens it sees. At 1 it averages over all of "    \
                "them, whatever they say; near 0 it picks a single one. With logits of variance $\\sigma^{2}$ it is " \
                "about $1 - \\sigma^{2}/(2 \\ln n)$. The mean is over heads, sequences and queries; a query that "     \
                "sees only itself is left out. Uniform attention has exactly 1."),                                   \
    .see = see_ }
#define SCORES_MAX(name_, see_)                                                                                      \
  { .name = name_, .formula = "\\max_{t, s} (c \\cdot q_{t} \\cdot k_{s})",                                            \
    .text = N_ ("Large logits saturate the softmax: its weights become 0 and 1, and no gradient passes to queries "  \
                "and keys. At initialization they stay small unless the scale $c$ or the weights are large. "        \
                "Without a norm before the attention they grow with the square of the stream. Norms on queries "     \
                "and keys bound them. Uniform attention has logits of 0."),                                          \
    .see = see_ }

#define SCORES_SIZE(name_, see_)                                                                                      \
  { .name = name_, .formula = "\\operatorname{rms}_{t, s} (c \\cdot q_{t} \\cdot k_{s})",                             \
    .text = N_ ("The size of one score. With $c = 1/\\sqrt{d_{\\mathrm{head}}}$ it does not depend on the width at "  \
                "initialization, but steps of training align queries and keys and make it grow with the width; μP "   \
                "divides by $d_{\\mathrm{head}}$ instead. Uniform attention has scores of 0."),                       \
    .source = "Yang et al. 2022, arXiv:2203.03466",                                                                   \
    .see = see_ }

#define EXPERT_LOAD(name_, over_, see_)                                                                              \
  { .name = name_, .formula = over_ " \\frac{n_{e}}{N k}",                                                            \
    .text = N_ ("The number of tokens that chose the expert, over all choices. At initialization the choices depend "  \
                "on the random router and on how alike the tokens are: where they are one vector, all take the same " \
                "experts. Training often adds a loss that evens the loads out; here there is none."),                \
    .see = see_ }
#define EXPERT_GRAD(name_, over_, see_)                                                                              \
  { .name = name_, .formula = over_ " \\|\\partial L/\\partial \\theta_{e}\\|",                                        \
    .text = N_ ("The gradient of an expert is a sum over the tokens that chose it, each with its weight: the more "  \
                "tokens, the larger it is. The gradient norms of the FFN's matrices are those of all experts "       \
                "together."),                                                                                        \
    .see = see_ }

#define SKIP_RATIO(name_, formula_, see_)                                                                            \
  { .name = name_, .formula = formula_,                                                                              \
    .text = N_ ("How far a sub-layer changes its input: the branch after its norm and factor against the residual. " \
                "Far below 1 the sub-layer is nearly the identity. In Pre-LN the FFN’s ratio falls with depth, "      \
                "because the stream grows and the branch does not; in Post-LN it stays."),                           \
    .see = see_ }
#define SKIP_COSINE(name_, formula_, see_)                                                                           \
  { .name = name_, .formula = formula_,                                                                              \
    .text = N_ ("At 0 the two are orthogonal and their squares add up, as they nearly do at initialization; above "  \
                "0 the branch reinforces the residual, below it works against it."),                                 \
    .see = see_ }
#define GRADIENT_SKIP_RATIO(name_, formula_, see_)                                                                   \
  { .name = name_, .formula = formula_,                                                                              \
    .text = N_ ("Of the gradient $g$ at a sum $z$, the residual carries $a \\cdot g$ to the sub-layer’s input and "   \
                "the branch $b \\cdot J^{\\top} g$, with its norms. Far below 1 the gradient of the stream runs past " \
                "the sub-layer; far above 1 it runs through it."),                                                   \
    .see = see_ }
#define SHARE(name_, formula_, see_)                                                                                 \
  { .name = name_, .formula = formula_,                                                                              \
    .text = N_ ("The last block’s output is a sum of what the input and every sub-layer have put into it, if the "   \
                "norms after the additions are held at the statistics of this run. A share is the part of $x_{L}$ "  \
                "that points along $x_{L}$; all shares sum to 1, and single ones may be negative. In Post-LN every " \
                "norm shrinks what is below it, so only the last blocks count."),                                    \
    .see = see_ }

const NsHelpQuantityText ns_help_quantity_texts[] = {
  { .name = "attn",
    .formula = "\\|\\partial L/\\partial \\theta_{\\mathrm{attn}}\\| = \\sqrt{\\sum_{W} \\|\\partial L/\\partial "
               "W\\|^{2}}",
    .text = N_ ("The sum runs over all tensors of the attention that the variant has, gains and biases of its norms "
                "included."),
    .see = "quantity:block quantity:ffn parameter:attn.norm" },
  { .name = "cross",
    .formula = "\\|\\partial L/\\partial \\theta_{\\mathrm{cross}}\\| = \\sqrt{\\sum_{W} \\|\\partial L/\\partial "
               "W\\|^{2}}",
    .text = N_ ("The sum runs over all tensors of the decoder’s cross-attention that the variant has, gains and biases "
                "of its norms included."),
    .see = "quantity:block parameter:cross.norm" },
  { .name = "ffn",
    .formula = "\\|\\partial L/\\partial \\theta_{\\mathrm{ffn}}\\| = \\sqrt{\\sum_{W} \\|\\partial L/\\partial "
               "W\\|^{2}}",
    .text = N_ ("The sum runs over all tensors of the FFN that the variant has, gains and biases of its norms "
                "included."),
    .see = "quantity:block quantity:attn quantity:w_2" },
  { .name = "block",
    .formula = "\\|\\partial L/\\partial \\theta_{l}\\| = \\sqrt{\\sum_{W \\in l} \\|\\partial L/\\partial W\\|^{2}}",
    .text = N_ ("How far a step of plain gradient descent with learning rate 1 would move the weights of block $l$. A "
                "curve that falls toward the input means that the first blocks learn slowly, one that rises that they "
                "move the most, a flat one that all learn alike. An optimizer that divides by the gradient’s size, "
                "such as Adam, changes this."),
    .source = "Xiong et al. 2020, section 3",
    .see = "quantity:attn quantity:ffn quantity:grad_x topic:reading-plots" },
  { .name = "grad_x",
    .formula = "\\|\\partial L/\\partial x_{l}\\|",
    .text = N_ ("The gradient of the stream, not of a weight: what arrives at the output of block $l$ from above. It "
                "can slope the opposite way from the gradients of the weights, since those also depend on the size of "
                "their input. If the loss is a unit gradient, it is 1 at the last block."),
    .see = "quantity:block quantity:rms_x parameter:loss" },
  STREAM_GRADIENT ("grad_y_attn", "\\|\\partial L/\\partial y_{\\mathrm{attn}}\\|", "quantity:grad_x view:block"),
  STREAM_GRADIENT ("grad_y_cross", "\\|\\partial L/\\partial y_{\\mathrm{cross}}\\|", "quantity:grad_x view:block"),
  STREAM_GRADIENT ("grad_z_attn", "\\|\\partial L/\\partial z_{\\mathrm{attn}}\\|", "quantity:grad_x view:block"),
  STREAM_GRADIENT ("grad_z_cross", "\\|\\partial L/\\partial z_{\\mathrm{cross}}\\|", "quantity:grad_x view:block"),
  STREAM_GRADIENT ("grad_z_ffn", "\\|\\partial L/\\partial z_{\\mathrm{ffn}}\\|", "quantity:grad_x view:block"),
  { .name = "identity",
    .formula = "\\|\\iota_{l}\\| / \\|\\partial L/\\partial x_{L}\\|, \\quad \\iota_{L} = \\partial L/\\partial x_{L}, "
               "\\quad \\iota \\gets a \\cdot J^{\\top} \\iota",
    .text = N_ ("The identity path runs from the loss to the input along the residuals alone, through no attention and "
                "no FFN. $J$ is the derivative of a norm after the addition, at the values of this run; without such a "
                "norm it is left out.\n\n"
                "In Pre-LN the path carries the gradient **unchanged**: 1 at every block. In Post-LN every norm "
                "shrinks it, often to less than a hundredth at the input, while the whole gradient hardly changes: the "
                "branches bring the rest. A residual that is off ends the path: below it there is 0."),
    .source = "Xiong et al. 2020, appendix F, which follows this path",
    .see = "quantity:identity_share quantity:grad_x claim:identity-path-post claim:identity-path-pre "
           "parameter:attn.residual" },
  { .name = "identity_share",
    .formula = "\\langle \\iota_{l}, \\partial L/\\partial x_{l} \\rangle / \\|\\partial L/\\partial x_{l}\\|^{2}",
    .text = N_ ("How much of the gradient at a block came along the identity path. The share of the branches is the "
                "rest to 1. Either may be negative, where the two point against each other."),
    .see = "quantity:identity quantity:grad_cos" },
  { .name = "grad_cos",
    .formula = "\\cos(\\partial L/\\partial x_{l}, \\partial L/\\partial x_{L})",
    .text = N_ ("At 1 the gradient at a block points where the one at the last block does, at 0 the branches have "
                "turned it into an unrelated direction."),
    .see = "quantity:identity_share quantity:grad_cos_prev quantity:grad_x" },
  { .name = "grad_cos_prev",
    .formula = "\\cos(\\partial L/\\partial x_{l}, \\partial L/\\partial x_{l-1})",
    .text = N_ ("How little a block changes the direction of the gradient on its way down. At 1 its branches add "
                "nothing, or only more of the same; without residuals it is near 0."),
    .see = "quantity:grad_cos quantity:cos_x_prev" },
  { .name = "path_length",
    .formula = "\\sum_{k} k \\cdot \\langle g^{(k)}, \\partial L/\\partial x_{l} \\rangle / "
               "\\|\\partial L/\\partial x_{l}\\|^{2}",
    .text = N_ ("At every addition the gradient comes down along the residual or through the branch. $g^{(k)}$ is "
                "the part of it that has run through $k$ branches; this is the mean of $k$, each part counting with "
                "its share. At the last block it is 0, and at 0 everywhere there is nothing but the identity "
                "path.\n\nIn Pre-LN it stays small, and grows slowly with the depth: most of the gradient takes "
                "short paths, and a deep stack acts like many shallow ones. In Post-LN it grows by about the same "
                "number with every block. Shares may be negative, and so may the mean. The figure [path "
                "lengths](view:lengths) draws all shares at the input."),
    .source = "Veit et al. 2016, Residual networks behave like ensembles of relatively shallow networks",
    .see = "quantity:identity_share quantity:gain view:lengths" },
  { .name = "gain",
    .formula = "\\|J_{l \\to L}^{\\top} v\\| / \\|v\\|, \\quad v \\sim N(0, I)",
    .text = N_ ("What the stack above a block does to the norm of a gradient, whatever the loss: $J$ is the "
                "derivative of the last block's output by this block's. Above 1 gradients grow on their way down, "
                "below 1 they vanish. The loss gradient is no random one, and [its norm](quantity:grad_x) may do "
                "something else. The figure [gain](view:gain) has the gain between any two blocks."),
    .see = "quantity:grad_x quantity:path_length view:gain" },
  GRADIENT_SKIP_RATIO ("grad_skip_ratio_attn", "\\|b \\cdot J_{\\mathrm{attn}}^{\\top} g\\| / \\|a \\cdot g\\|, \\quad "
                       "g = \\partial L/\\partial z_{\\mathrm{attn}}",
                       "quantity:skip_ratio_attn quantity:grad_skip_cos_attn quantity:identity_share"),
  GRADIENT_SKIP_RATIO ("grad_skip_ratio_cross", "\\|b \\cdot J_{\\mathrm{cross}}^{\\top} g\\| / \\|a \\cdot g\\|, "
                       "\\quad g = \\partial L/\\partial z_{\\mathrm{cross}}",
                       "quantity:skip_ratio_cross quantity:grad_skip_cos_cross quantity:identity_share"),
  GRADIENT_SKIP_RATIO ("grad_skip_ratio_ffn", "\\|b \\cdot J_{\\mathrm{ffn}}^{\\top} g\\| / \\|a \\cdot g\\|, \\quad "
                       "g = \\partial L/\\partial z_{\\mathrm{ffn}}",
                       "quantity:skip_ratio_ffn quantity:grad_skip_cos_ffn quantity:identity_share"),
  SKIP_COSINE ("grad_skip_cos_attn", "\\cos(b \\cdot J_{\\mathrm{attn}}^{\\top} g, a \\cdot g), \\quad "
               "g = \\partial L/\\partial z_{\\mathrm{attn}}",
               "quantity:grad_skip_ratio_attn quantity:skip_cos_attn"),
  SKIP_COSINE ("grad_skip_cos_cross", "\\cos(b \\cdot J_{\\mathrm{cross}}^{\\top} g, a \\cdot g), \\quad "
               "g = \\partial L/\\partial z_{\\mathrm{cross}}",
               "quantity:grad_skip_ratio_cross quantity:skip_cos_cross"),
  SKIP_COSINE ("grad_skip_cos_ffn", "\\cos(b \\cdot J_{\\mathrm{ffn}}^{\\top} g, a \\cdot g), \\quad "
               "g = \\partial L/\\partial z_{\\mathrm{ffn}}",
               "quantity:grad_skip_ratio_ffn quantity:skip_cos_ffn"),
  { .name = "rms_x",
    .formula = "\\operatorname{rms}(x_{l}) = \\sqrt{\\frac{1}{N d} \\sum_{n, i} x_{l}[n, i]^{2}}",
    .text = N_ ("The size of one feature of the stream. In Pre-LN it grows with depth, because each block adds and no "
                "norm stands in the stream; each branch then counts for less in the sum. In Post-LN it stays at 1. "
                "Without any norm it may grow exponentially, until it overflows."),
    .source = "Xiong et al. 2020, Lemma 2",
    .see = "claim:lemma-2-pre claim:stream-pre quantity:rms_attn topic:range" },
  { .name = "abs_x",
    .formula = "\\frac{1}{N d} \\sum_{n, i} |x_{l}[n, i]|",
    .text = N_ ("The mean absolute value of one feature of the stream. Over widths and steps of training it keeps its "
                "size with μP, and grows with the standard scaling in Pre-LN; in Post-LN the last norm fixes it, "
                "whatever happens before, so a coordinate check looks at the branches and sums instead."),
    .source = "Yang et al. 2022, arXiv:2203.03466",
    .see = "quantity:rms_x quantity:rms_ffn parameter:init.mup_base" },
  { .name = "norm_x",
    .formula = "\\|x_{l}\\| = \\sqrt{\\frac{1}{N} \\sum_{n, i} x_{l}[n, i]^{2}} = \\sqrt{d} \\cdot "
               "\\operatorname{rms}(x_{l})",
    .text = N_ ("The length of the vector of one token. It is $\\sqrt{d}$ times the root mean square of a feature, so "
                "over the blocks both have the same curve; over the width they have not: with features of the same "
                "size a wider model has longer vectors."),
    .see = "quantity:rms_x quantity:abs_x" },
  STREAM_SIZE ("rms_y_attn", "\\operatorname{rms}(y_{\\mathrm{attn}})", "quantity:rms_x view:block"),
  STREAM_SIZE ("rms_y_cross", "\\operatorname{rms}(y_{\\mathrm{cross}})", "quantity:rms_x view:block"),
  SUM_SIZE ("rms_z_attn", "\\operatorname{rms}(z_{\\mathrm{attn}})", "quantity:rms_x view:block"),
  SUM_SIZE ("rms_z_cross", "\\operatorname{rms}(z_{\\mathrm{cross}})", "quantity:rms_x view:block"),
  SUM_SIZE ("rms_z_ffn", "\\operatorname{rms}(z_{\\mathrm{ffn}})", "quantity:rms_x claim:lemma-2-post view:block"),
  BRANCH_SIZE ("rms_attn", "\\operatorname{rms}(b \\cdot \\mathrm{Attn}(u))",
               "quantity:rms_x quantity:rms_ffn parameter:branch_scale"),
  BRANCH_SIZE ("rms_cross", "\\operatorname{rms}(b \\cdot \\mathrm{Cross}(u, m))",
               "quantity:rms_x parameter:branch_scale"),
  BRANCH_SIZE ("rms_ffn", "\\operatorname{rms}(b \\cdot \\mathrm{FFN}(u))",
               "quantity:rms_x quantity:rms_attn parameter:branch_scale"),
  SKIP_RATIO ("skip_ratio_attn", "\\|b \\cdot \\mathrm{attn}\\| / \\|a \\cdot x\\|",
              "quantity:skip_cos_attn quantity:grad_skip_ratio_attn quantity:rms_attn"),
  SKIP_RATIO ("skip_ratio_cross", "\\|b \\cdot \\mathrm{cross}\\| / \\|a \\cdot x\\|",
              "quantity:skip_cos_cross quantity:grad_skip_ratio_cross quantity:rms_cross"),
  SKIP_RATIO ("skip_ratio_ffn", "\\|b \\cdot \\mathrm{ffn}\\| / \\|a \\cdot x\\|",
              "quantity:skip_cos_ffn quantity:grad_skip_ratio_ffn quantity:rms_ffn"),
  SKIP_COSINE ("skip_cos_attn", "\\cos(b \\cdot \\mathrm{attn}, a \\cdot x)", "quantity:skip_ratio_attn"),
  SKIP_COSINE ("skip_cos_cross", "\\cos(b \\cdot \\mathrm{cross}, a \\cdot x)", "quantity:skip_ratio_cross"),
  SKIP_COSINE ("skip_cos_ffn", "\\cos(b \\cdot \\mathrm{ffn}, a \\cdot x)", "quantity:skip_ratio_ffn"),
  { .name = "cos_x_prev",
    .formula = "\\cos(x_{l}, x_{l-1})",
    .text = N_ ("How little a block changes the direction of the stream. Near 1 it hardly changes it: what the block "
                "adds is small against what it adds to, as in the upper blocks of a deep Pre-LN stack. Such blocks "
                "can often be left out of a trained model."),
    .source = "Men et al. 2024, ShortGPT (block influence: 1 less this, averaged over tokens)",
    .see = "quantity:cos_x_last quantity:skip_ratio_ffn quantity:grad_cos_prev" },
  { .name = "cos_x_last",
    .formula = "\\cos(x_{l}, x_{L})",
    .text = N_ ("How much of the direction of the last output is there at a block already, 1 at the last one. In Pre-"
                "LN it rises slowly from the input on, since everything that is added stays; a norm after the "
                "addition forgets the lower blocks sooner."),
    .see = "quantity:cos_x_prev quantity:share_input" },
  SHARE ("share_input", "\\langle x_{0} \\text{ in } x_{L}, x_{L} \\rangle / \\|x_{L}\\|^{2}",
         "quantity:share_attn quantity:identity_share"),
  SHARE ("share_attn", "\\langle \\mathrm{attn} \\text{ in } x_{L}, x_{L} \\rangle / \\|x_{L}\\|^{2}",
         "quantity:share_input quantity:skip_ratio_attn"),
  SHARE ("share_cross", "\\langle \\mathrm{cross} \\text{ in } x_{L}, x_{L} \\rangle / \\|x_{L}\\|^{2}",
         "quantity:share_input quantity:skip_ratio_cross"),
  SHARE ("share_ffn", "\\langle \\mathrm{ffn} \\text{ in } x_{L}, x_{L} \\rangle / \\|x_{L}\\|^{2}",
         "quantity:share_input quantity:skip_ratio_ffn"),
  { .name = "token_cos",
    .formula = "\\frac{1}{T (T - 1)} \\sum_{s \\ne t} \\frac{x_{s} \\cdot x_{t}}{\\|x_{s}\\| \\cdot \\|x_{t}\\|}",
    .text = N_ ("The mean cosine over all pairs of different tokens of one sequence. At 0 they point in unrelated "
                "directions; at 1 **all tokens have become one vector**, and the attention can no longer tell them "
                "apart: whatever the input, the model sees one token.\n\n"
                "Attention averages over tokens, so each layer of it brings them closer. The residual connections "
                "keep each token’s own part. Without them, the tokens collapse within a few blocks. Gradient norms "
                "alone hide this: in a stack with norms and without residuals most weight gradients stay large. The "
                "panel of token similarity appears by itself when a residual is off; *View* can show it always."),
    .source = "Dong et al. 2021, Attention is not all you need (rank collapse)",
    .see = "parameter:attn.residual parameter:ffn.residual claim:rank-collapse-scaled view:flow" },
  { .name = "token_residual",
    .formula = "\\|X - \\mathbf{1} \\bar{x}^{\\top}\\|/\\|X\\|,\\quad \\bar{x} = \\frac{1}{T} \\sum_{t} x_{t}",
    .text = N_ ("$X$ holds the $T$ tokens of a sequence. At $\\sqrt{1 - 1/T}$ they are unrelated; at 0 **all tokens "
                "have become one vector**. On a logarithmic axis one sees how fast they collapse: by a constant factor "
                "in each block with residuals, by a growing one without them. Below about $10^{-6}$ single "
                "precision no longer tells the tokens apart."),
    .source = "Dong et al. 2021, Attention is not all you need (rank collapse)",
    .see = "quantity:token_cos quantity:participation parameter:attn.residual" },
  { .name = "participation",
    .formula = "\\frac{(\\operatorname{tr} G)^{2}}{\\|G\\|^{2}} = \\frac{(\\sum_{i} \\lambda_{i})^{2}}{\\sum_{i} "
               "\\lambda_{i}^{2}},\\quad G = Y Y^{\\top},\\quad Y = X - \\mathbf{1} \\bar{x}^{\\top}",
    .text = N_ ("The participation ratio counts the directions in which the tokens of a sequence differ: it is $n$ "
                "when they spread evenly over $n$ directions, and 1 when all lie on a line. The $\\lambda_{i}$ are the "
                "variances of the tokens along their principal axes, up to a factor. It is at most $T - 1$ and at most "
                "$d$. When attention mixes the tokens, directions are lost, often long before the tokens are alike. "
                "Equal tokens have no directions: the number is then not defined."),
    .see = "quantity:token_residual quantity:token_cos" },
  SCORES_ENTROPY ("entropy", "quantity:max_logit parameter:attention_scale parameter:qk_norm"),
  SCORES_ENTROPY ("entropy_cross", "quantity:max_logit_cross quantity:entropy"),
  SCORES_MAX ("max_logit", "quantity:entropy parameter:attention_scale parameter:qk_norm"),
  SCORES_MAX ("max_logit_cross", "quantity:entropy_cross quantity:max_logit"),
  SCORES_SIZE ("rms_scores", "quantity:max_logit view:coordinate-check parameter:init.mup_base"),
  SCORES_SIZE ("rms_scores_cross", "quantity:max_logit_cross view:coordinate-check quantity:rms_scores"),
  { .name = "router_entropy",
    .formula = "-\\frac{1}{N \\ln E} \\sum_{n} \\sum_{e} P_{ne} \\ln P_{ne}, \\quad "
               "P = \\operatorname{softmax}(u \\cdot W_{r})",
    .text = N_ ("Near 1 the router hardly tells the experts apart: their weights are nearly equal, and the choice "
                "hangs on small differences. It falls as the input of the FFN or the router's matrix grows."),
    .see = "parameter:experts quantity:expert_load_max quantity:router" },
  EXPERT_LOAD ("expert_load_max", "\\max_{e}", "quantity:expert_load_min quantity:router_entropy"),
  EXPERT_LOAD ("expert_load_min", "\\min_{e}", "quantity:expert_load_max quantity:router_entropy"),
  EXPERT_GRAD ("expert_grad_max", "\\max_{e}", "quantity:expert_grad_min quantity:expert_load_max"),
  EXPERT_GRAD ("expert_grad_min", "\\min_{e}", "quantity:expert_grad_max quantity:expert_load_min"),
  { .name = "router",
    .text = N_ ("The router learns through the weights of the chosen experts: the gradient of such a weight is the dot "
                "product of the expert's output and the gradient of the branch. With one expert per token and weights "
                "of sum 1 it is 0, since that weight is always 1."),
    .source = "Shazeer et al. 2017; Jiang et al. 2024 (Mixtral)",
    .see = "parameter:experts_per_token parameter:expert_weights quantity:expert_grad_max" },
  { .name = "loss",
    .formula = "L = -\\frac{1}{N} \\sum_{n} \\ln \\operatorname{softmax}(h_{n} \\cdot "
               "W_{\\mathrm{head}})[\\mathrm{target}_{n}]",
    .text = N_ ("The loss of the untrained model. A model that knows nothing has $\\ln V$; more means that the logits "
                "are too large at the start."),
    .see = "parameter:loss parameter:init.head parameter:shape.vocab" },
  { .name = "rms_logits",
    .formula = "\\operatorname{rms}(h \\cdot W_{\\mathrm{head}})",
    .text = N_ ("The size of one logit. Above 1 the untrained model already prefers some tokens to others, and its "
                "loss lies above $\\ln V$. With the standard scaling a step of training changes the logits of a wide "
                "model more than those of a narrow one."),
    .source = "Yang et al. 2022, arXiv:2203.03466",
    .see = "quantity:loss parameter:init.head view:coordinate-check" },
  STEP ("update_h_sgd", "\\partial L/\\partial \\theta", "quantity:update_h_sgd_w quantity:update_h_adam"),
  STEP ("update_h_adam", "\\operatorname{sign} \\partial L/\\partial \\theta",
        "quantity:update_h_adam_w quantity:update_h_sgd"),
  STEP ("update_h_sgd_w", "\\partial L/\\partial W", "claim:step-deepnorm claim:step-t-fixup quantity:update_h_sgd"),
  STEP ("update_h_adam_w", "\\operatorname{sign} \\partial L/\\partial W",
        "claim:step-deepnorm-adam claim:step-admin quantity:update_h_adam"),
  { .name = "w_2",
    .text = N_ ("The last matrix of the FFN is the tensor of the theorem: at the last block its gradient is "
                "$O(d \\sqrt{\\ln d})$ in Post-LN, whatever the depth, and $O(d \\sqrt{\\ln d / L})$ in Pre-LN."),
    .source = "Xiong et al. 2020, Theorem 1",
    .see = "claim:theorem-1-post claim:theorem-1-pre quantity:ffn" },
  { .name = "w_q",
    .text = N_ ("The query projection acts through the scores alone. When all tokens of a sequence are alike, the "
                "scores no longer matter, and this gradient vanishes while those of the values stay."),
    .see = "quantity:w_k quantity:w_v quantity:token_cos" },
  { .name = "w_k",
    .text = N_ ("The key projection acts through the scores alone. When all tokens of a sequence are alike, the scores "
                "no longer matter, and this gradient vanishes while those of the values stay."),
    .see = "quantity:w_q quantity:w_v quantity:token_cos" },
  { .name = NULL },
};
