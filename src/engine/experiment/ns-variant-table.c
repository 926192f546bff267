/* The table of built-in variants, grouped by norm placement, residual scaling, norm and initialization.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * In the equations x is the residual stream, F a sub-layer (attention or FFN) with F₁ and F₂ its maps before and after
 * the inner norm, N a norm, l the block's number, L the depth, n the number of residual sub-layers of a stack and d the
 * width of the model. Constants with enc or dec belong to one part of an encoder-decoder.
 */
#include "engine/experiment/ns-variants.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#define PRE_NORM "attn.norm=pre,ffn.norm=pre"
#define POST_NORM "attn.norm=post,ffn.norm=post"
#define NO_NORM "attn.norm=none,ffn.norm=none,final_norm=off"
#define BRANCH_NORM "attn.norm=branch,ffn.norm=branch"
#define SANDWICH_NORM "attn.norm=sandwich,ffn.norm=sandwich"

#define ROW(id_, name_, group_, settings_)                                                                            \
  .id = (id_), .name = (name_), .group = NS_VARIANT_##group_, .settings = settings_

static const NsBuiltinVariant builtin_table[] = {
  { ROW ("pre", "Pre-LN", PLACEMENT, PRE_NORM),
    .equation = "x ← x + F(N(x))", .source = "Xiong et al. 2020, arXiv:2002.04745",
    .sentence = N_ ("A norm before each sub-layer, off the residual stream, and a final norm: GPT-2 and most large "
                    "models since") },
  { ROW ("post", "Post-LN", PLACEMENT, POST_NORM),
    .equation = "x ← N(x + F(x))", .source = "Vaswani et al. 2017, arXiv:1706.03762",
    .sentence = N_ ("A norm after each residual addition, no final norm: the original Transformer and BERT"),
    .note = N_ ("The Transformer's own code later changed to Pre-LN (Tensor2Tensor's transformer_base_v2).") },
  { ROW ("none", "No norm", PLACEMENT, NO_NORM),
    .equation = "x ← x + F(x)", .source = "",
    .sentence = N_ ("No norm anywhere: a baseline that shows what norms do") },
  { ROW ("sandwich", "Peri-LN", PLACEMENT, SANDWICH_NORM),
    .equation = "x ← x + N(F(N(x)))", .source = "Kim et al. 2025, arXiv:2502.02732",
    .sentence = N_ ("A norm before each sub-layer and one on its output, and a final norm: every addition has the same "
                    "size"),
    .note = N_ ("The paper's optional norm on the embedding is the setting input_norm.") },
  { ROW ("cogview", "Sandwich-LN", PLACEMENT, SANDWICH_NORM ",init.residual=gpt2"),
    .equation = "x ← x + N(F(N(x)));  W_O, W_2: σ/√(2L)", .source = "Ding et al. 2021 (CogView), arXiv:2105.13290",
    .sentence = N_ ("The wiring of Peri-LN, with a smaller initialization of each branch's last matrix"),
    .note = N_ ("CogView's norms also divide their input by an eighth of its largest entry, to prevent overflow in "
                "half precision; this only changes the effect of epsilon and is left out.") },
  { ROW ("branch", "Res-post-norm", PLACEMENT, BRANCH_NORM),
    .equation = "x ← x + N(F(x))", .source = "Liu et al. 2022 (Swin Transformer V2), arXiv:2111.09883",
    .sentence = N_ ("A norm on each sub-layer's output and none before it, and a final norm"),
    .note = N_ ("Gains start at 1 here and at 0 in Swin Transformer V2 (variant swin-v2).") },
  { ROW ("swin-v2", "Swin v2", PLACEMENT, BRANCH_NORM ",branch_norm_gain=0,qk_norm=cosine"),
    .equation = "x ← x + γ∘N(F(x)), γ = 0;  q·k → 10 cos(q, k)",
    .source = "Liu et al. 2022 (Swin Transformer V2), arXiv:2111.09883",
    .sentence = N_ ("Res-post-norm with gains that start at 0, so that each block starts as the identity, and cosine "
                    "attention"),
    .note = N_ ("While the gains are 0, they alone receive gradients in the branches. Windows, the learned logit scale "
                "(initially 10) and the position bias are left out. The model has all biases but those of keys: "
                "bias=true, bias_k=false.") },
  { ROW ("olmo2", "OLMo 2", PLACEMENT, "norm=rmsnorm,norm_eps=1e-6," BRANCH_NORM ",qk_norm=full"),
    .equation = "x ← x + N(F(x));  q ← N(q), k ← N(k)", .source = "OLMo 2 (2025), arXiv:2501.00656; code of OLMo",
    .sentence = N_ ("RMSNorm with gains of 1 on each sub-layer's output, norms over all features of the queries and of "
                    "the keys, and a final norm") },
  { ROW ("gemma2", "Gemma 2", PLACEMENT, "norm=rmsnorm,norm_eps=1e-6," SANDWICH_NORM),
    .equation = "x ← x + N(F(N(x)))", .source = "Gemma 2 (2024), arXiv:2408.00118; gemma_pytorch",
    .sentence = N_ ("Peri-LN with RMSNorm, and a final norm"),
    .note = N_ ("Its norms multiply by 1 + w with w = 0 at the start, which is a gain of 1.") },
  { ROW ("pre-post", "Pre-and-Post-LN", PLACEMENT, "attn.norm=pre-post,ffn.norm=pre-post"),
    .equation = "x ← N(x + F(N(x)))", .source = "",
    .sentence = N_ ("A norm before and a norm after each sub-layer, no final norm") },
  { ROW ("mix", "Mix-LN", PLACEMENT, PRE_NORM ",post_fraction=0.25"),
    .equation = "l ≤ L/4: x ← N(x + F(x));  l > L/4: x ← x + F(N(x))", .source = "Li et al. 2024, arXiv:2412.13795",
    .sentence = N_ ("Post-LN in the first quarter of the blocks, Pre-LN in the others, and a final norm") },
  { ROW ("hybrid", "HybridNorm", PLACEMENT,
         "attn.norm=post,ffn.norm=none,qk_norm=qkv-head,final_norm=on,init.scheme=small,init.residual=gpt2"),
    .equation = "y ← N(x + Attn(x)), with q, k, v ← N(q), N(k), N(v);  x ← y + FFN(y)",
    .source = "Zhuo et al. 2025, arXiv:2503.04598; code of HybridNorm",
    .sentence = N_ ("Norms on queries, keys and values of each head instead of one before the attention, one after the "
                    "attention's addition, none around the FFN, and a final norm"),
    .note = N_ ("The FFN's residual comes from the normalized stream, as in the code.") },
  { ROW ("hybrid-star", "HybridNorm*", PLACEMENT,
         "attn.norm=post,ffn.norm=none,first_block_pre=true,qk_norm=qkv-head,final_norm=on,init.scheme=small,"
         "init.residual=gpt2"),
    .equation = "l = 1: y ← x + Attn(N(x)), x ← y + FFN(N(y));  l > 1: y ← N(x + Attn(x)), x ← y + FFN(y);  "
                "q, k, v ← N(q), N(k), N(v)",
    .source = "Zhuo et al. 2025, arXiv:2503.04598; code of HybridNorm",
    .sentence = N_ ("HybridNorm with a first block that is Pre-LN and keeps the norms on queries, keys and values"),
    .note = N_ ("The code's setting for block 0 turns on the norm before the attention and lets the FFN's residual "
                "skip its norm.") },
  { ROW ("residual", "ResiDual", PLACEMENT, POST_NORM ",dual_residual=true"),
    .equation = "x ← N(x + f), r ← r + f, f = F(x);  h = x + N(r)", .source = "Xie et al. 2023, arXiv:2304.14802",
    .sentence = N_ ("Post-LN plus a second stream that sums the same branches without norms; both join at the end"),
    .note = N_ ("The code can scale either stream; here both factors are 1.") },
  { ROW ("hyper", "Hyper-Connections", PLACEMENT, PRE_NORM ",streams=4"),
    .equation = "x_j ← Σ_i A_r,ij·x_i + B_j·F(N(Σ_i A_m,i·x_i));  h = Σ_i x_i",
    .source = "Zhu et al. 2024, arXiv:2409.19606",
    .sentence = N_ ("Pre-LN with four streams in place of one; learned weights mix them before and after every "
                    "sub-layer"),
    .note = N_ ("The static weights, which are the same for every token; hyper-dynamic has the others. The paper "
                "starts the last matrix of each branch √n times larger: init.residual=2 for four streams.") },
  { ROW ("hyper-dynamic", "Dynamic Hyper-Connections", PLACEMENT, PRE_NORM ",streams=4,stream_weights=dynamic"),
    .equation = "x_j ← Σ_i A_r,ij·x_i + B_j·F(N(Σ_i A_m,i·x_i));  A_m,i = a_m,i + s·tanh(N(x_i)·W_m), A_r, B likewise",
    .source = "Zhu et al. 2024, arXiv:2409.19606",
    .sentence = N_ ("Hyper-Connections whose weights also depend on the token, through matrices that start at 0"),
    .note = N_ ("At initialization all activations and the gradients of all other weights are those of the static "
                "form. The norm of the streams has no gain here, which W_m, W_r and W_β can take in.") },
  { ROW ("mhc", "mHC", PLACEMENT, PRE_NORM ",streams=4,stream_weights=manifold"),
    .equation = "x_j ← Σ_i A_r,ij·x_i + B_j·F(N(Σ_i A_m,i·x_i));  A_m = σ(h), B = 2·σ(h), A_r = Sinkhorn(h), "
                "h = b + α·N(x_1..x_n)·W",
    .source = "Xie et al. 2025, arXiv:2512.24880",
    .sentence = N_ ("Hyper-Connections with positive weights; those between the streams have rows and columns of sum "
                    "1, so that a product of any number of them neither grows nor shrinks"),
    .note = N_ ("The paper gives α = 0.01 at the start and 20 steps of Sinkhorn and Knopp; how the other parameters "
                "start is not confirmed. Here W = 0, B = 1, A_m prefers one stream in turn, and A_r is nearly the "
                "identity.") },
  { ROW ("b2t", "B2T connection", PLACEMENT, POST_NORM ",block_residual=true"),
    .equation = "m ← N(x + Attn(x));  x ← N(x + m + FFN(m))", .source = "Takase et al. 2022, arXiv:2206.00330",
    .sentence = N_ ("Post-LN in which each block adds its input once more before its last norm, bypassing the others"),
    .note = N_ ("The code also multiplies all weights except those of norms by 1/√L at initialization; that is left "
                "out.") },
  { ROW ("normformer", "NormFormer", PLACEMENT, "attn.norm=sandwich,ffn.norm=pre,ffn.inner_norm=true"),
    .equation = "x ← x + N(Attn(N(x)));  x ← x + F₂(N(F₁(N(x))))", .source = "Shleifer et al. 2021, arXiv:2110.09456",
    .sentence = N_ ("Pre-LN with a norm on the attention's output and one before the FFN's last matrix"),
    .note = N_ ("The factors on the heads and on the FFN's residual start at 1 and are left out; the code has all of "
                "this in decoder blocks only and applies the heads' factors after W_O.") },
  { ROW ("sub-ln", "Sub-LN", PLACEMENT, PRE_NORM ",attn.inner_norm=true,ffn.inner_norm=true,init.residual=sub-ln"),
    .equation = "x ← x + F₂(N(F₁(N(x))));  W_V, W_O, W_1, W_2 × √(ln 2L)",
    .pair_equation = "x ← x + F₂(N(F₁(N(x))));  W_V, W_O, W_1, W_2 × γ, "
                     "γ_enc = √(ln(3L_d)·ln(2L_e)/3), γ_dec = √(ln 3L_d)",
    .source = "Wang et al. 2022 (Magneto), arXiv:2210.06423; torchscale",
    .sentence = N_ ("Pre-LN with a second norm inside each sub-layer, before its last matrix, and weights that start "
                    "larger with depth"),
    .note = N_ ("In an encoder-decoder of L_e and L_d blocks the factors are √(ln(3L_d)·ln(2L_e)/3) in the encoder, "
                "√(ln 3L_d) in the decoder.") },
  { ROW ("parallel", "Parallel", PLACEMENT, "topology=parallel," PRE_NORM),
    .equation = "x ← x + Attn(N(x)) + FFN(N(x))", .source = "Wang & Komatsuzaki 2021 (GPT-J), mesh-transformer-jax",
    .sentence = N_ ("Attention and FFN in parallel from one shared norm, one addition per block, and a final norm: "
                    "GPT-J, PaLM") },
  { ROW ("parallel-two-norms", "Parallel, two norms", PLACEMENT, "topology=parallel-two-norms," PRE_NORM),
    .equation = "x ← x + Attn(N₁(x)) + FFN(N₂(x))", .source = "Black et al. 2022 (GPT-NeoX-20B), arXiv:2204.06745",
    .sentence = N_ ("Parallel with a norm for each branch: the same numbers at initialization, except for the "
                    "gradients of the gains"),
    .note = N_ ("One shared norm was intended: a comment in the code calls the two norms a mistake, which the model "
                "has kept.") },
  { ROW ("attention-only", "Attention-only", PLACEMENT, "sublayers=attention," PRE_NORM),
    .equation = "x ← x + Attn(N(x))",
    .source = "Elhage et al. 2021, A Mathematical Framework for Transformer Circuits",
    .sentence = N_ ("Blocks without an FFN: the attention-only transformer of studies on circuits and on the collapse "
                    "of the tokens"),
    .note = N_ ("The study leaves the norms out of its equations, since they can be folded into the matrices around "
                "them; without them it is attn.norm=none.") },
  { ROW ("ffn-only", "FFN-only", PLACEMENT, "sublayers=ffn," PRE_NORM),
    .equation = "x ← x + FFN(N(x))", .source = "",
    .sentence = N_ ("Blocks without attention: a residual MLP, in which no token sees another") },

  { ROW ("deepnorm", "DeepNorm", RESIDUAL, POST_NORM ",residual_scale=deepnorm,init.residual=deepnorm"),
    .equation = "x ← N(αx + F(x)), α = ∜(2L);  W_V, W_O, W_1, W_2 × β = 1/∜(8L)",
    .pair_equation = "x ← N(αx + F(x)), α_enc = 0.81·(L_e⁴·L_d)^(1/16), α_dec = ∜(3L_d);  W_V, W_O, W_1, W_2 × β, "
                     "β_enc = 0.87·(L_e⁴·L_d)^(−1/16), β_dec = 1/∜(12L_d)",
    .source = "Wang et al. 2022, arXiv:2203.00555",
    .sentence = N_ ("Post-LN with a larger residual scale and branches that start smaller, so that an update changes "
                    "the output by a bounded amount at any depth"),
    .note = N_ ("In an encoder-decoder of L_e and L_d blocks α and β are 0.81·(L_e⁴·L_d)^(1/16) and "
                "0.87·(L_e⁴·L_d)^(−1/16) in the encoder, (3L_d)^¼ and (12L_d)^−¼ in the decoder.") },
  { ROW ("admin", "Admin", RESIDUAL, POST_NORM ",residual_scale=admin"),
    .equation = "x ← N(ωx + F(x)), ω = √((n+1)/ln(n+1) − 1)",
    .source = "Liu et al. 2020, arXiv:2004.08249; admin-torch",
    .sentence = N_ ("Post-LN with a larger residual scale, so that a change of the weights changes the output by O(log "
                    "n)"),
    .note = N_ ("The paper measures a factor for each sub-layer in a first pass through the data; here it is the "
                "closed form of the authors' later code, the same factor everywhere.") },
  { ROW ("admin-constant", "Admin, O(1)", RESIDUAL, POST_NORM ",residual_scale=admin-constant"),
    .equation = "x ← N(ωx + F(x)), ω = √n", .source = "Liu et al. 2020, arXiv:2004.08249; admin-torch",
    .sentence = N_ ("Admin for an output that changes by O(1) at any depth"),
    .note = N_ ("The closed form of the authors' later code, not the factors that the paper measures.") },
  { ROW ("keel", "Keel", RESIDUAL,
         "norm=rmsnorm,attn.norm=pre-post,ffn.norm=pre-post,residual_scale=keel,first_block_pre=true"),
    .equation = "l = 1: x ← x + F(N(x));  l > 1: x ← N(αx + F(N(x))), α = n",
    .source = "Chen & Wei 2026, arXiv:2601.19895",
    .sentence = N_ ("A norm before and one after each sub-layer, and a residual as large as the number of sub-layers: "
                    "Post-LN whose gradient does not vanish"),
    .note = N_ ("The paper's default; smaller models may have a smaller factor. Its first attention and FFN have "
                "neither the norm after the addition nor the factor.") },
  { ROW ("layernorm-scaling", "LayerNorm Scaling", RESIDUAL, PRE_NORM ",norm_scale=layernorm-scaling"),
    .equation = "x ← x + F(N(x)/√l)", .source = "Sun et al. 2025, arXiv:2502.05795",
    .sentence = N_ ("Pre-LN with smaller norm outputs in higher blocks, so that the stream grows more slowly"),
    .note = N_ ("The authors advise against combining it with a scaled initialization.") },
  { ROW ("rezero", "ReZero", RESIDUAL, NO_NORM ",branch_parameter=scalar,branch_scale=0"),
    .equation = "x ← x + a·F(x), a = 0", .source = "Bachlechner et al. 2020, arXiv:2003.04887",
    .sentence = N_ ("No norm: a learned factor on each branch starts at 0, so that the stack starts as the identity"),
    .note = N_ ("Attention and FFN of a block share the factor in the paper and its code; here each has its own, which "
                "changes no other gradient at initialization.") },
  { ROW ("skipinit", "SkipInit", RESIDUAL, NO_NORM ",branch_parameter=scalar,branch_scale=inverse-sqrt-depth"),
    .equation = "x ← x + a·F(x), a = 1/√L", .source = "De & Smith 2020, arXiv:2002.10444",
    .sentence = N_ ("No norm: a learned factor on each branch starts at one over the square root of the depth"),
    .note = N_ ("Designed for convolutional residual networks; the paper starts at 0 or at a small constant.") },
  { ROW ("layerscale", "LayerScale", RESIDUAL, PRE_NORM ",branch_parameter=vector,branch_scale=1e-5"),
    .equation = "x ← x + γ∘F(N(x)), γ = 10⁻⁵", .source = "Touvron et al. 2021 (CaiT), arXiv:2103.17239",
    .sentence = N_ ("Pre-LN with a learned factor for each feature of a branch that starts near 0"),
    .note = N_ ("The code uses 10⁻⁵ for 24 blocks and mostly 10⁻⁶ for more; the paper's schedule (0.1 up to 18 blocks) "
                "is not confirmed.") },
  { ROW ("fixup", "Fixup", RESIDUAL, NO_NORM ",branch_parameter=scalar,init.residual=fixup"),
    .equation = "x ← x + a·F(x), a = 1;  W_O, W_2 = 0;  W_Q, W_K, W_V × n^(−1/6);  W_1 × 1/√n",
    .source = "Zhang, Dauphin & Ma 2019, arXiv:1901.09321; code hongyi-zhang/Fixup",
    .sentence = N_ ("No norm: the last matrix of each branch starts at 0, the others smaller with the number of "
                    "branches, and a learned factor on each branch starts at 1"),
    .note = N_ ("The head starts at 0, too, unless it is tied (init.head=0); W_head alone then has a gradient in the "
                "first step. Without that, only the last matrices and the stream have. The learned scalar biases, "
                "which start at 0, are left out. n counts the branches of all parts; the code's cross-attention takes "
                "12 instead, whatever the depth.") },
  { ROW ("ngpt", "nGPT", RESIDUAL, "ngpt=true,branch_scale=0.05"),
    .equation = "x ← N(x + λ∘(N(F(x)) − x)), N(x) = x/‖x‖, λ = 0.05",
    .source = "Loshchilov et al. 2024, arXiv:2410.01131",
    .sentence = N_ ("Vectors and matrices of length 1: each sub-layer turns the stream a learned step toward its "
                    "output"),
    .note = N_ ("The paper's models have SwiGLU, rotary positions and no weight decay.") },
  { ROW ("t-fixup", "T-Fixup", RESIDUAL, NO_NORM ",input_scale=t-fixup,init.residual=t-fixup"),
    .equation = "x ← x + F(x), x₀ / ∜(9L);  W_V, W_O, W_1, W_2 × 0.67/∜L",
    .pair_equation = "x ← x + F(x), x₀ / ∜(9L);  W_V, W_O, W_1, W_2 × γ, γ_enc = 0.67/∜L, γ_dec = 1/∜(9L)",
    .source = "Huang et al. 2020, Improving Transformer Optimization Through Better Initialization (ICML)",
    .sentence = N_ ("No norm: embeddings and branches start smaller with depth, so that no warm-up is needed"),
    .note = N_ ("In a decoder the branches' factor is (9L)^−¼. The paper draws embeddings with deviation 1/√d "
                "(data.embed_std).") },

  { ROW ("qk-norm", "QK-norm", NORM, PRE_NORM ",qk_norm=head"),
    .equation = "x ← x + F(N(x));  q ← N(q), k ← N(k)", .source = "Qwen3 (2025), arXiv:2505.09388",
    .sentence = N_ ("Pre-LN with a norm on the queries and keys of each head, which bounds the attention's logits"),
    .note = N_ ("OLMo 2 normalizes over all features at once (full), Swin Transformer V2 uses a cosine (cosine).") },
  { ROW ("dyt", "DyT", NORM, "norm=dyt,dyt_alpha=0.5," PRE_NORM),
    .equation = "x ← x + F(D(x)), D(x) = γ∘tanh(αx) + β", .source = "Zhu et al. 2025, arXiv:2503.10622",
    .sentence = N_ ("A learned tanh instead of each norm, without any statistics"),
    .note = N_ ("α = 0.5 is the default; the recipes for LLaMA start at 0.8 or less before the attention, and lower "
                "before the FFN and at the end. β, initially 0, needs bias_norms=true.") },
  { ROW ("rms", "Pre-RMSNorm", NORM, "norm=rmsnorm," PRE_NORM),
    .equation = "x ← x + F(N(x)), N(x) = γ∘x/√(mean(x²) + ε)", .source = "Zhang & Sennrich 2019, arXiv:1910.07467",
    .sentence = N_ ("Pre-LN with a norm that does not subtract the mean: LLaMA") },

  { ROW ("gpt2-init", "GPT-2 init", INIT, PRE_NORM ",init.scheme=normal,init.std=0.02,init.residual=gpt2"),
    .equation = "W: N(0, 0.02²);  W_O, W_2: 0.02/√(2L)", .source = "Radford et al. 2019 (GPT-2)",
    .sentence = N_ ("Pre-LN with one deviation for all weights, divided by the square root of the number of branches "
                    "for the last matrix of each branch; also Megatron's full initialization"),
    .note = N_ ("As in the paper and later implementations; the released code uses 0.02 throughout.") },
  { ROW ("small-wang", "Small and Wang init", INIT, PRE_NORM ",init.scheme=small,init.residual=wang"),
    .equation = "W: N(0, 2/(5d));  W_O, W_2: N(0, 4/(L²d))",
    .source = "Black et al. 2022 (GPT-NeoX-20B), arXiv:2204.06745",
    .sentence = N_ ("Pre-LN with weights scaled by the width alone, and the last matrix of each branch also by the "
                    "depth") },
  { ROW ("spike-no-more", "Spike No More", INIT, PRE_NORM ",input_norm=true,init.scheme=small,init.residual=gpt2"),
    .equation = "x₀ ← N(x₀);  W: N(0, 2/(5d));  W_O, W_2: √(2/(5d))/√(2L)",
    .source = "Takase et al. 2023, arXiv:2312.16903",
    .sentence = N_ ("Pre-LN with small weights and a normalized embedding: sub-layers that are small next to the "
                    "shortcut"),
    .note = N_ ("The paper also proposes embeddings multiplied by √d (data.embed_scale).") },
  { ROW ("mitchell", "Mitchell init", INIT, PRE_NORM ",init.scheme=mitchell,init.truncate=3"),
    .equation = "W: N(0, 1/d);  W_O: N(0, 1/(2dl)), W_2: N(0, 1/(2fl))",
    .source = "OLMo (2024), arXiv:2402.00838; code of OLMo",
    .sentence = N_ ("Pre-LN with the last matrix of each branch divided by the square root of the block's number") },
  { ROW ("t5-init", "T5 init", INIT, "norm=rmsnorm,norm_eps=1e-6," PRE_NORM ",attention_scale=1,init.scheme=t5"),
    .equation = "W_Q: N(0, 1/(d·d_h));  others N(0, 1/fan-in);  softmax(q·k)",
    .source = "Raffel et al. 2020 (T5), arXiv:1910.10683; Mesh TensorFlow, transformer/attention.py",
    .sentence = N_ ("Pre-LN with RMSNorm in which a small initial W_Q replaces the attention's factor 1/√d_h") },
  { ROW ("fairseq", "fairseq init", INIT, POST_NORM ",init.scheme=fairseq"),
    .equation = "W: U, Xavier;  W_Q, W_K, W_V × 1/√2", .source = "Ott et al. 2019 (fairseq), arXiv:1904.01038",
    .sentence = N_ ("Post-LN as fairseq initializes it: uniform Xavier weights, smaller for queries, keys and "
                    "values") },
  { ROW ("ds-init", "DS-Init", INIT, POST_NORM ",init.scheme=xavier-uniform,init.residual=ds-init"),
    .equation = "W in block l: U, Xavier × 1/√l", .source = "Zhang et al. 2019, arXiv:1908.11365",
    .sentence = N_ ("Post-LN with weights divided by the square root of the block's number"),
    .note = N_ ("As in the paper (not confirmed); the released code amounts to l^(−1/4).") },
};

const NsBuiltinVariant *
ns_builtin_variants (gsize *n)
{
  if (n != NULL)
    *n = G_N_ELEMENTS (builtin_table);
  return builtin_table;
}

const NsBuiltinVariant *
ns_builtin_variant_find (const char *id)
{
  for (gsize i = 0; i < G_N_ELEMENTS (builtin_table); i++)
    if (strcmp (builtin_table[i].id, id) == 0)
      return &builtin_table[i];
  return NULL;
}

const char *
ns_builtin_variant_get_equation (const NsBuiltinVariant *builtin, int stack)
{
  gboolean is_pair = stack == NS_STACK_ENCODER_DECODER && builtin->pair_equation != NULL;

  return is_pair ? builtin->pair_equation : builtin->equation;
}

const char *
ns_variant_group_get_name (NsVariantGroup group)
{
  static const char *const names[NS_N_VARIANT_GROUPS] = {
    [NS_VARIANT_PLACEMENT] = N_ ("Norm placement"),
    [NS_VARIANT_RESIDUAL] = N_ ("Scaled residuals and branches"),
    [NS_VARIANT_NORM] = N_ ("Other norms"),
    [NS_VARIANT_INIT] = N_ ("Initialization"),
  };

  g_return_val_if_fail (group < NS_N_VARIANT_GROUPS, "");
  return names[group];
}
