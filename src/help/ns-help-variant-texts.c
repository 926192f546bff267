/* Help on the other settings of a variant: kind of norm, attention, activation, biases and initialization.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "help/ns-help-private.h"

#include <glib/gi18n-lib.h>

const NsHelpParameterText ns_help_variant_parameter_texts[] = {
  { .path = "name",
    .effect = N_ ("Curves, tables, files and the command line call the variant by this name. While nobody has typed "
                  "one, it follows the settings: a variant is then named after the built-in variant that it equals or "
                  "is closest to."),
    .see = "first-steps" },
  { .path = "norm",
    .formula = "\\mathrm{LN}(x) = \\gamma \\odot \\frac{x - \\operatorname{mean}(x)}{\\sqrt{\\operatorname{var}(x) + "
               "\\epsilon}} + \\beta, \\quad \\mathrm{RMS}(x) = \\gamma \\odot "
               "\\frac{x}{\\sqrt{\\operatorname{mean}(x^{2}) + \\epsilon}}, \\quad \\mathrm{DyT}(x) = \\gamma \\odot "
               "\\operatorname{tanh}(\\alpha x) + \\beta",
    .effect = N_ ("LayerNorm and RMSNorm give every token the same size; in the backward pass they divide the "
                  "gradient by the size that the token had and remove its part along the token (LayerNorm its mean, "
                  "too). DyT has no statistics: it bounds each feature and passes small ones on in proportion."),
    .source = "Ba et al. 2016; Zhang & Sennrich 2019, arXiv:1910.07467; Zhu et al. 2025, arXiv:2503.10622",
    .before = "pre", .after = "pre:norm=rmsnorm",
    .see = "parameter:attn.norm variant:rms variant:dyt parameter:norm_eps" },
  { .path = "norm_eps",
    .formula = "\\frac{x}{\\sqrt{\\operatorname{mean}(x^{2}) + \\epsilon}}",
    .effect = N_ ("Keeps the division finite for a vector of zeros. It matters where the stream is small: if a "
                  "token’s mean square is below epsilon, the token stays small, and its gradient is multiplied by at "
                  "most $1/\\sqrt{\\epsilon}$."),
    .see = "parameter:norm" },
  { .path = "dyt_alpha",
    .formula = "\\gamma \\odot \\operatorname{tanh}(\\alpha x) + \\beta",
    .effect = N_ ("A larger factor bends more features toward ±1, where their gradient vanishes; a smaller one makes "
                  "DyT nearly linear. Other norms ignore it."),
    .source = "Zhu et al. 2025, arXiv:2503.10622",
    .see = "parameter:norm variant:dyt quantity:alpha_attn_pre" },
  { .path = "branch_norm_gain",
    .formula = "z = x + \\gamma \\odot N(F(x))",
    .effect = N_ ("The size of what a sub-layer with a norm on its branch adds. At 0 each block starts as the "
                  "identity, and the gains alone receive gradients in the branches."),
    .source = "Liu et al. 2022 (Swin Transformer V2), arXiv:2111.09883",
    .see = "variant:swin-v2 variant:branch parameter:attn.norm" },
  { .path = "attention",
    .formula = "\\operatorname{softmax}(c \\cdot q k^{T}) \\cdot v",
    .effect = N_ ("Attention mixes tokens. With *full* each token averages over all others, with *causal* over itself "
                  "and earlier ones, so that the first tokens mix little. *Uniform* is the plain mean of all tokens, "
                  "as the theory assumes: all tokens get the same vector added."),
    .source = "Vaswani et al. 2017, section 3.2; Xiong et al. 2020, section 3.3 (uniform)",
    .see = "quantity:token_cos parameter:attention_scale parameter:qk_norm" },
  { .path = "attention_output",
    .formula = "\\mathrm{Attn}(u) = [\\mathrm{head}_{1}, \\ldots, \\mathrm{head}_{h}] \\cdot W_{O}",
    .effect = N_ ("Without it the heads’ outputs are added to the stream as they are, as in the theory of Xiong et "
                  "al., and $W_{V}$ is the end of the branch."),
    .source = "Xiong et al. 2020, section 3.3",
    .before = "pre", .after = "pre:attention_output=false",
    .see = "quantity:w_o parameter:init.residual" },
  { .path = "attention_scale",
    .formula = "\\operatorname{softmax}(c \\cdot q k^{T}), \\quad c = 1/\\sqrt{d_{\\mathrm{head}}}",
    .effect = N_ ("A larger factor makes the softmax attend to few tokens, a smaller one to all of them nearly "
                  "equally. At 0 attention is a plain mean, and the gradients of $W_{Q}$ and $W_{K}$ are 0."),
    .source = "Vaswani et al. 2017, equation 1",
    .see = "parameter:attention parameter:shape.d_head variant:t5-init" },
  { .path = "qk_norm",
    .formula = "q \\leftarrow N(q), \\quad k \\leftarrow N(k)",
    .effect = N_ ("The scores no longer depend on the size of queries and keys, so that neither a large stream nor "
                  "large weights make the softmax attend to a single token. With *qkv-head* the values are "
                  "normalized, too; *head-rotary* has no gains and normalizes in blocks with rotary positions alone "
                  "(Llama 4)."),
    .source = "Qwen3 2025, arXiv:2505.09388; OLMo 2 2025, arXiv:2501.00656; Liu et al. 2022, arXiv:2111.09883",
    .before = "pre", .after = "qk-norm",
    .see = "variant:qk-norm variant:olmo2 variant:swin-v2 parameter:attention_scale" },
  { .path = "rotary",
    .formula = "(q_{a}, q_{b}) \\leftarrow (q_{a} \\cos \\phi - q_{b} \\operatorname{sin} \\phi, q_{a} "
               "\\operatorname{sin} \\phi + q_{b} \\cos \\phi), \\quad \\phi = t \\theta_{i}",
    .effect = N_ ("Positions enter the scores alone: queries and keys keep their length, and a score depends on the "
                  "distance of two tokens. Tokens far apart differ in angle, so scores and the gradients of $W_{Q}$ "
                  "and $W_{K}$ change, by tens of per cent in models with many tokens. Key biases receive a gradient, "
                  "which the softmax otherwise ignores. *Halves* pairs feature $i$ with feature $i + r/2$, "
                  "*neighbours* $2i$ with $2i + 1$: at initialization both have the same statistics."),
    .source = "Su et al. 2021, arXiv:2104.09864; Black et al. 2022 (GPT-NeoX); Wang & Komatsuzaki 2021 (GPT-J)",
    .before = "pre:attention=causal", .after = "pre:attention=causal,rotary=half",
    .see = "parameter:rotary_base parameter:rotary_scaling parameter:data.positions quantity:w_q" },
  { .path = "rotary_base",
    .formula = "\\theta_{i} = \\beta^{-2i/r}",
    .effect = N_ ("The first pair turns by one radian from token to token, the last by nearly $1/\\beta$: a larger "
                  "base tells tokens apart over longer distances."),
    .source = "Su et al. 2021, section 3.2.2",
    .see = "parameter:rotary parameter:rotary_dim" },
  { .path = "rotary_dim",
    .formula = "\\theta_{i} = \\beta^{-2i/r}, \\quad i = 0, \\ldots, r/2 - 1",
    .effect = N_ ("The first r features of each head carry positions, the others none: a quarter of the head in "
                  "GPT-NeoX, 64 of 256 features in GPT-J."),
    .source = "Black et al. 2022, arXiv:2204.06745",
    .see = "parameter:rotary parameter:shape.d_head" },
  { .path = "rotary_scaling",
    .formula = "\\theta_{i} \\leftarrow ((1 - \\gamma_{i})/s + \\gamma_{i}) \\cdot \\theta_{i}",
    .effect = N_ ("Fits more tokens into the angles that a model has learned. *Linear* divides every angle by the "
                  "factor; *Llama 3.1* and *YaRN* leave the fast pairs, which tell neighbours apart, as they are. YaRN "
                  "also makes queries and keys larger by $0.1 \\cdot \\ln s + 1$, and so the softmax sharper. "
                  "*LongRoPE* has a number for each pair, found by a search, and enlarges queries and keys, too."),
    .source = "Chen et al. 2023, arXiv:2306.15595; Peng et al. 2023, arXiv:2309.00071; Ding et al. 2024, "
              "arXiv:2402.13753; code of Llama 3.1",
    .see = "parameter:rotary parameter:rotary_factor parameter:rotary_original" },
  { .path = "rotary_factor",
    .formula = "\\theta_{i} \\leftarrow \\theta_{i}/s",
    .effect = N_ ("The factor s of the scaling. 1 leaves the angles as they are."),
    .see = "parameter:rotary_scaling" },
  { .path = "rotary_original",
    .formula = "\\rho_{i} = T_{0} \\cdot \\theta_{i}/(2\\pi)",
    .effect = N_ ("Decides which pairs are slow: those that do not turn once, or few times, over so many tokens."),
    .see = "parameter:rotary_scaling parameter:rotary_low parameter:rotary_high" },
  { .path = "rotary_low",
    .formula = "\\gamma_{i} = (\\rho_{i} - \\alpha)/(\\omega - \\alpha)",
    .effect = N_ ("α: pairs below it are divided by the whole factor. Between the low and the high number of turns the "
                  "angle changes gradually."),
    .see = "parameter:rotary_scaling parameter:rotary_high" },
  { .path = "rotary_high",
    .formula = "\\gamma_{i} = (\\rho_{i} - \\alpha)/(\\omega - \\alpha)",
    .effect = N_ ("ω: pairs above it keep their angle."),
    .see = "parameter:rotary_scaling parameter:rotary_low" },
  { .path = "rotary_attention_factor",
    .formula = "q \\leftarrow m \\cdot q, \\quad k \\leftarrow m \\cdot k, \\quad "
               "\\mathrm{YaRN}: m = 0.1 \\cdot \\ln s + 1, \\quad "
               "\\mathrm{LongRoPE}: m = \\sqrt{1 + \\ln s/\\ln T_{0}}",
    .effect = N_ ("Queries and keys are both multiplied, so that the scores of the turned features grow by the square "
                  "of the factor and the softmax becomes sharper. Models that compute it from two constants of their "
                  "own (mscale) have another number here; 1 leaves the size as it is."),
    .source = "Peng et al. 2023, arXiv:2309.00071, equation 15; Ding et al. 2024, arXiv:2402.13753",
    .see = "parameter:rotary_scaling parameter:rotary_factor quantity:max_logit" },
  { .path = "rotary_truncate",
    .formula = "\\gamma_{i} = 1 - (i - i_{1})/(i_{2} - i_{1})",
    .effect = N_ ("The ramp from angles that stay to angles that are divided ends at whole pairs, as in YaRN's code, "
                  "or exactly where the numbers of turns are."),
    .see = "parameter:rotary_scaling parameter:rotary_low parameter:rotary_high" },
  { .path = "rotary_short_factors",
    .formula = "\\theta_{i} \\leftarrow \\theta_{i}/\\lambda_{i}",
    .effect = N_ ("The numbers $\\lambda_{i}$ of *LongRoPE*, fastest pair first, for sequences up to the original "
                  "context: short_factor in a model's config. They were found by a search, so no formula gives them."),
    .source = "Ding et al. 2024, arXiv:2402.13753, equation 2; code of Phi-3",
    .see = "parameter:rotary_scaling parameter:rotary_long_factors parameter:rotary_original" },
  { .path = "rotary_long_factors",
    .formula = "\\theta_{i} \\leftarrow \\theta_{i}/\\lambda_{i}",
    .effect = N_ ("The numbers that apply to sequences longer than the original context: long_factor in a model's "
                  "config. Most of them are larger than the short ones, so that slow pairs turn more slowly still."),
    .source = "Ding et al. 2024, arXiv:2402.13753, equation 2; code of Phi-3",
    .see = "parameter:rotary_scaling parameter:rotary_short_factors parameter:rotary_original" },
  { .path = "position_bias",
    .formula = "\\mathrm{ALiBi}: S_{ts} \\leftarrow S_{ts} - m_{h} |t - s|, \\quad m_{h} = 2^{-8h/H}, \\quad "
               "\\mathrm{T5}: S_{ts} \\leftarrow S_{ts} + R_{\\beta,h}",
    .effect = N_ ("*ALiBi*: the further a token is, the lower its score. Heads with a steep slope attend to "
                  "neighbours, heads with a flat one to all. The tokens become alike more slowly from block to block, "
                  "since nearby tokens weigh more than the mean of all. The bias is fixed and has no gradient. Numbers "
                  "of heads that are no power of two take the missing slopes from between. BLOOM and MPT have no other "
                  "positions. *ALiBi, scaled* multiplies the slopes by the attention scale, so that wider heads look "
                  "further: Falcon-RW's code adds the bias before it divides the scores by √d_head.\n\n"
                  "*T5*: a learned number for each head and each range of distances β, one table R for all blocks of "
                  "a stack. Its gradient is the sum over these blocks, measured at the input. The table starts "
                  "with the standard deviation $1/\\sqrt{d}$. T5 and mT5 have no other positions."),
    .source = "Press et al. 2022, arXiv:2108.12409; BLOOM 2022, arXiv:2211.05100; Raffel et al. 2020, "
              "arXiv:1910.10683, section 2.1; code of Falcon in Transformers (`modeling_falcon.py`)",
    .before = "pre:attention=causal", .after = "pre:attention=causal,position_bias=alibi",
    .see = "parameter:rotary parameter:position_buckets parameter:data.positions quantity:relative_bias "
           "quantity:entropy quantity:max_logit" },
  { .path = "position_buckets",
    .formula = "\\beta = k \\quad (k < e), \\quad "
               "\\beta = e + \\frac{\\ln (k/e)}{\\ln (D/e)} \\cdot (n - e) \\quad (k \\geq e)",
    .effect = N_ ("The rows of T5’s table. With a causal mask n is all of them, otherwise half: one half for earlier "
                  "tokens, one for later ones. The first e = n/2 are for one distance k each, from 0 on; the others "
                  "for ranges that grow up to the position distance D. Fractions are cut off."),
    .source = "Raffel et al. 2020, arXiv:1910.10683, section 2.1",
    .see = "parameter:position_bias parameter:position_distance" },
  { .path = "position_distance",
    .formula = "\\beta(k) = n - 1 \\quad (k \\geq D)",
    .effect = N_ ("All tokens that are at least so far apart have the same bias."),
    .source = "Raffel et al. 2020, arXiv:1910.10683, section 2.1",
    .see = "parameter:position_bias parameter:position_buckets" },
  { .path = "window",
    .formula = "S_{ts} \\leftarrow -\\infty \\quad \\mathrm{for} \\quad |t - s| \\geq w",
    .effect = N_ ("A token attends to itself and the *w* − 1 tokens before it, without a mask also to the *w* − 1 "
                  "after it; what lies further back arrives over several blocks. The mean of fewer tokens is larger "
                  "and differs more from token to token, so the attention adds more to the stream and the tokens "
                  "become alike more slowly. The entropy is relative to the tokens that are visible. A window that is "
                  "as long as the sequence changes nothing."),
    .source = "Beltagy et al. 2020, arXiv:2004.05150; Mistral 7B 2023, arXiv:2310.06825",
    .before = "pre:attention=causal", .after = "pre:attention=causal,window=4",
    .see = "parameter:window_full_every parameter:window_after parameter:attention quantity:entropy" },
  { .path = "window_full_every",
    .formula = "w_{l} = \\infty \\quad \\mathrm{for} \\quad l = n, 2n, 3n, \\ldots",
    .effect = N_ ("Blocks with a window and blocks with full attention alternate: every second is full in Gemma 2, "
                  "every sixth in Gemma 3. Blocks are counted from 1 in each stack."),
    .source = "Gemma 2 2024, arXiv:2408.00118; Gemma 3 2025, arXiv:2503.19786",
    .before = "pre:attention=causal,window=4", .after = "pre:attention=causal,window=4,window_full_every=2",
    .see = "parameter:window parameter:rotary_base_local" },
  { .path = "window_after",
    .formula = "w_{l} = \\infty \\quad \\mathrm{for} \\quad l \\leq n",
    .effect = N_ ("The first blocks have full attention, all others the window; Qwen2 and Qwen3 can be configured "
                  "so."),
    .source = "Qwen2 2024, arXiv:2407.10671",
    .see = "parameter:window parameter:window_full_every" },
  { .path = "rotary_base_local",
    .formula = "\\theta_{i} = \\beta_{w}^{-2i/r}",
    .effect = N_ ("Few tokens need no slow angles: Gemma 3 has the base 10000 in blocks with a window and 1000000, "
                  "with a scaling rule, in the others."),
    .source = "Gemma 3 2025, arXiv:2503.19786",
    .see = "parameter:window parameter:rotary_base parameter:rotary_scaling" },
  { .path = "rotary_skip_every",
    .formula = "\\theta_{i} = 0 \\quad \\mathrm{for} \\quad l = n, 2n, 3n, \\ldots",
    .effect = N_ ("Blocks without positions alternate with blocks that have them. Behind a causal mask they still tell "
                  "tokens apart by how many tokens each of them sees. Blocks are counted from 1 in each stack."),
    .source = "code of Llama 4; Kazemnejad et al. 2023, arXiv:2305.19466",
    .before = "pre:attention=causal,rotary=half", .after = "pre:attention=causal,rotary=half,rotary_skip_every=2",
    .see = "parameter:rotary parameter:qk_norm" },
  { .path = "score_cap",
    .formula = "S_{ts} \\leftarrow \\kappa \\cdot \\operatorname{tanh}(S_{ts}/\\kappa)",
    .effect = N_ ("Keeps the scores within plus and minus the cap, so that no softmax becomes a choice of one token. "
                  "Scores far below the cap stay as they are: at initialization most are below 5, and Gemma 2's cap of "
                  "50 hardly changes anything. A cap near the scores' size makes attention more even and its gradients "
                  "smaller, by $1 - (S/\\kappa)^{2}$ of the capped score. It acts before a position bias and the mask, "
                  "in cross-attention, too."),
    .source = "Gemma 2 2024, arXiv:2408.00118, section 2",
    .before = "pre:attention_scale=1", .after = "pre:attention_scale=1,score_cap=1",
    .see = "parameter:logit_cap parameter:attention_scale parameter:qk_norm quantity:entropy quantity:max_logit" },
  { .path = "logit_scale",
    .formula = "z = s \\cdot (h \\cdot W_{\\mathrm{head}} + b)",
    .effect = N_ ("T5 and PaLM use the embedding, whose elements are about 1, as the head, and divide the logits by "
                  "$\\sqrt{d}$: the logits of a normalized stream are then about 1, too. The gradient that the head "
                  "passes on to the stack, and that of its matrix, has the same factor. Without a head, with the loss "
                  "*unit gradient*, it has no effect."),
    .source = "Raffel et al. 2020, arXiv:1910.10683 (code); Chowdhery et al. 2022, arXiv:2204.02311, section 2",
    .see = "parameter:init.head parameter:logit_cap parameter:data.embed_std quantity:loss" },
  { .path = "logit_cap",
    .formula = "z \\leftarrow \\kappa \\cdot \\operatorname{tanh}(z/\\kappa)",
    .effect = N_ ("Keeps the logits of the head within plus and minus the cap. Logits far below it stay as they are; "
                  "larger ones pass less gradient on, by $1 - (z/\\kappa)^{2}$ of the capped logit, and every gradient "
                  "of the stack becomes smaller. Without a head, with the loss *unit gradient*, it has no effect."),
    .source = "Gemma 2 2024, arXiv:2408.00118, section 2",
    .see = "parameter:score_cap parameter:init.head parameter:loss quantity:loss" },
  { .path = "activation",
    .formula = "\\mathrm{FFN}(u) = \\operatorname{act}(u \\cdot W_{1}) \\cdot W_{2}, \\quad "
               "\\mathrm{gated}: (\\operatorname{act}(u \\cdot W_{1}) \\odot u \\cdot W_{3}) \\cdot W_{2}",
    .effect = N_ ("ReLU keeps half of the mean square of a symmetric input, GELU and SiLU less of a small input. A "
                  "gated FFN multiplies two maps: its output grows with the square of its input, and without norms "
                  "the stream may overflow after a few blocks."),
    .source = "Hendrycks & Gimpel 2016 (GELU); Shazeer 2020 (gated)",
    .see = "topic:range parameter:shape.d_ff quantity:w_3" },
  { .path = "experts",
    .formula = "s = \\sum_{e \\in K} p_{e} \\cdot \\mathrm{FFN}_{e}(u), \\quad r = u \\cdot W_{r}",
    .effect = N_ ("A mixture of experts: the router's logits choose a few FFNs for each token. A pass costs what the "
                  "chosen experts cost, however many there are. An expert sees only the tokens that chose it, so its "
                  "gradient is a sum over fewer tokens. The router learns through the weights p of the chosen "
                  "experts; the choice itself has no gradient. At initialization the loads are unequal by chance."),
    .source = "Shazeer et al. 2017, arXiv:1701.06538; Jiang et al. 2024 (Mixtral), arXiv:2401.04088",
    .before = "pre:activation=swiglu", .after = "pre:activation=swiglu,experts=8",
    .see = "parameter:experts_per_token quantity:router quantity:expert_load_max quantity:expert_grad_max" },
  { .path = "experts_per_token",
    .formula = "K = \\text{the } k \\text{ experts with the largest } r_{e}",
    .effect = N_ ("The more experts a token passes through, the more a pass costs. With weights of sum 1 the output is "
                  "their weighted mean, so it shrinks where experts disagree."),
    .see = "parameter:experts parameter:expert_weights quantity:rms_ffn" },
  { .path = "expert_weights",
    .formula = "p_{e} = P_{e}/\\sum_{i \\in K} P_{i}, \\quad P = \\mathrm{softmax}(r)",
    .effect = N_ ("Normalized weights add up to 1 for every token. Those of the softmax over all experts add up to the "
                  "probability of the chosen ones: the FFN's output is smaller, the more experts there are. "
                  "*sigmoid-input* multiplies the input of an expert by the sigmoid of its logit, about one half at "
                  "initialization: a gated FFN then returns less than half as much."),
    .source = "Jiang et al. 2024 (Mixtral); code of Qwen2-MoE, Qwen3-MoE and Llama 4",
    .see = "parameter:experts quantity:router quantity:router_entropy" },
  { .path = "shared_experts",
    .formula = "s \\leftarrow s + \\sigma(u \\cdot w_{g}) \\cdot \\mathrm{FFN}_{s}(u)",
    .effect = N_ ("One more FFN that every token passes through, so many times as wide as an expert. Its gate starts "
                  "near one half."),
    .source = "code of Qwen2-MoE",
    .see = "parameter:experts quantity:shared_w_1 quantity:shared_gate" },
  { .path = "shared_expert_gate",
    .formula = "s \\leftarrow s + \\mathrm{FFN}_{s}(u)",
    .effect = N_ ("Without its gate the shared expert adds all of its output, about twice as much as with one at "
                  "initialization."),
    .source = "code of Llama 4 and Qwen2-MoE",
    .see = "parameter:shared_experts parameter:experts quantity:shared_gate" },
  { .path = "bias",
    .formula = "y = x \\cdot W + b, \\quad b = 0",
    .effect = N_ ("Biases start at 0 and change no activation, but each has a gradient: the sum over all tokens. The "
                  "sums over a sub-layer and a block include them."),
    .see = "quantity:b_1 quantity:block parameter:bias_norms" },
  { .path = "bias_qkv",
    .formula = "q = u \\cdot W_{Q} + b_{Q}",
    .effect = N_ ("Sets these biases apart from the others: some models have them alone, as Qwen2."),
    .see = "parameter:bias quantity:b_q" },
  { .path = "bias_k",
    .formula = "k = u \\cdot W_{K} + b_{K}",
    .effect = N_ ("Without a norm on the keys or rotary positions, a bias of keys adds the same number to all scores "
                  "of a query, which the softmax ignores: its gradient is 0 up to rounding. Swin Transformer V2 leaves "
                  "it out."),
    .source = "Liu et al. 2022, arXiv:2111.09883",
    .see = "parameter:bias_qkv quantity:b_k" },
  { .path = "bias_output",
    .formula = "[\\mathrm{head}_{1}, \\ldots, \\mathrm{head}_{h}] \\cdot W_{O} + b_{O}",
    .effect = N_ ("One vector that the attention adds to every token; at the start it is 0."),
    .see = "parameter:bias quantity:b_o" },
  { .path = "bias_ffn",
    .formula = "\\operatorname{act}(u \\cdot W_{1} + b_{1}) \\cdot W_{2} + b_{2}",
    .effect = N_ ("Biases of both matrices of the FFN, and of the third one if it is gated."),
    .see = "parameter:bias quantity:b_1 quantity:b_2" },
  { .path = "bias_norms",
    .formula = "\\gamma \\odot N(x) + \\beta",
    .effect = N_ ("A LayerNorm with a bias, as in most models up to GPT-3; later ones often leave it out. An RMSNorm "
                  "never has one."),
    .see = "parameter:bias parameter:norm quantity:bias_attn_pre" },
  { .path = "bias_head",
    .formula = "\\mathrm{logits} = h \\cdot W_{\\mathrm{head}} + b_{\\mathrm{head}}",
    .effect = N_ ("Its gradient is the mean difference between the predicted and the true frequency of each token."),
    .see = "parameter:bias quantity:b_head" },
  { .path = "head_transform",
    .formula = "t = N(\\operatorname{act}(h \\cdot W_{\\mathrm{dense}} + b_{\\mathrm{dense}})), \\quad "
               "\\mathrm{logits} = t \\cdot W_{\\mathrm{head}} + b_{\\mathrm{head}}",
    .effect = N_ ("The masked-LM head of BERT and RoBERTa: one more matrix, the activation of the FFN, without its "
                  "gate, and a norm of the model's kind stand between the stack and the output matrix. The norm gives "
                  "the output matrix an input of size 1, and the gradient passes through the norm and the matrix "
                  "before it reaches the stack. Without a head, with the loss *unit gradient*, it has no effect."),
    .source = "Devlin et al. 2018, arXiv:1810.04805 (code); Liu et al. 2019, arXiv:1907.11692 (code)",
    .see = "parameter:loss parameter:init.head parameter:bias_head parameter:activation quantity:w_head_dense "
           "quantity:gain_head_dense" },
  { .path = "init.scheme",
    .formula = "\\sigma_{\\mathrm{Xavier}} = \\sqrt{\\frac{2}{\\mathrm{in} + \\mathrm{out}}}, \\quad "
               "\\sigma_{\\mathrm{LeCun}} = \\sqrt{\\frac{1}{\\mathrm{in}}}, \\quad \\sigma_{\\mathrm{Kaiming}} = "
               "\\sqrt{\\frac{2}{\\mathrm{in}}}, \\quad \\sigma_{\\mathrm{small}} = \\sqrt{\\frac{2}{5d}}",
    .effect = N_ ("The size of the weights decides how large a branch is next to the stream, and with it the "
                  "gradients. *Normal* uses one standard deviation for all matrices. *Mitchell* also makes the ends "
                  "of branches smaller in higher blocks. *T5* and *fairseq* follow the code of those names, with "
                  "smaller queries. A norm right behind a matrix removes its scale from the activations; the "
                  "gradient of the matrix is then larger the smaller it starts."),
    .source = "Glorot & Bengio 2010; LeCun et al. 1998; He et al. 2015; Nguyen & Salazar 2019; Raffel et al. 2020; "
              "Ott et al. 2019",
    .see = "parameter:init.std parameter:init.residual variant:gpt2-init variant:mitchell" },
  { .path = "init.std",
    .formula = "W \\sim N(0, \\sigma^{2})",
    .effect = N_ ("With the initialization *normal*, all matrices have this deviation, whatever their shape. GPT-2 "
                  "uses 0.02. Other initializations ignore it."),
    .source = "Radford et al. 2019 (GPT-2)",
    .see = "parameter:init.scheme variant:gpt2-init" },
  { .path = "init.residual",
    .formula = "W_{O}, W_{2} \\leftarrow c \\cdot W_{O}, c \\cdot W_{2}, \\quad c_{\\mathrm{GPT-2}} = 1/\\sqrt{2L}",
    .effect = N_ ("Branches that start smaller with depth keep the stream from growing: with the factor of GPT-2 the "
                  "2L additions of a stack together stay of the size of one. It changes the weights of the start; the "
                  "branch scale changes the network. *fixup* starts the last matrices at 0: the first step moves them "
                  "alone, and every gradient behind them is exactly 0."),
    .source = "Radford et al. 2019; Wang et al. 2022; Huang et al. 2020; Zhang et al. 2019",
    .see = "variant:gpt2-init variant:deepnorm variant:t-fixup parameter:branch_scale" },
  { .path = "init.head",
    .formula = "\\mathrm{logits} = h \\cdot W_{\\mathrm{head}}",
    .effect = N_ ("Larger weights of the head make every gradient in the stack larger, in all blocks by the same "
                  "factor. Two programs that start the head differently show the same curves at different heights. A "
                  "tied head uses the embedding’s matrix; the gradient through the lookup is not measured."),
    .see = "parameter:loss quantity:w_head parameter:init.scheme" },
  { .path = "init.truncate",
    .formula = "|w| \\leq k \\cdot \\sigma",
    .effect = N_ ("Keeps all normal weights, embeddings and positions within k standard deviations: a number beyond is "
                  "drawn again. The standard deviation is the one before the cut, so the weights are smaller: by 12 % "
                  "with k = 2, by 1.3 % with k = 3. Most numbers stay the same as without truncation."),
    .source = "code of BERT (2), GPT-J (2) and OLMo (3)",
    .before = "pre:init.scheme=normal", .after = "pre:init.scheme=normal,init.truncate=2",
    .see = "parameter:init.scheme parameter:init.std parameter:data.embed_std quantity:rms_x" },
  { .path = "init.mup_base",
    .formula = "m = d / d_{\\mathrm{base}}",
    .effect = N_ ("With the standard scaling, one step of training changes the features of a wide model more than "
                  "those of a narrow one, and the best learning rate falls with the width. μP, the maximal update "
                  "parametrization, keeps these changes at one size: the head starts smaller by $m$, scores are "
                  "divided by $\\sqrt{m}$ unless the width of the heads is set, and Adam’s learning rate of matrices "
                  "is divided by $m$. A learning rate that was found at a small width then holds at a large one."),
    .source = "Yang et al. 2022, arXiv:2203.03466",
    .see = "parameter:training.learning_rate view:coordinate-check parameter:init.scheme" },
  { .path = NULL },
};
