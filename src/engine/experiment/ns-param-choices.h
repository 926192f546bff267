/* The names of choices, for the parameter table alone.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <glib.h>

/* In the order of the enumerations in ns-settings.h. */
static const char *const stacks[] = { "single", "encoder-decoder", NULL };
static const char *const sources[] = { "gaussian", "tokens", "text", "markov", NULL };
static const char *const tasks[] = { "continuation", "reversal", NULL };
static const char *const positions[] = { "none", "sinusoidal", "learned", NULL };
static const char *const class_tokens[] = { "none", "zero", "normal", NULL };
static const char *const estimates[] = { "norm", "mean", "expected", NULL };
static const char *const losses[] = { "cross-entropy", "unit-gradient", NULL };
static const char *const optimizers[] = { "sgd", "adam", "adamw", NULL };
static const char *const schedules[] = { "constant", "cosine", "linear", "inverse-sqrt", NULL };
static const char *const norm_types[] = { "layernorm", "rmsnorm", "dyt", NULL };
static const char *const sub_layers[] = { "both", "attention", "ffn", NULL };
static const char *const topologies[] = { "sequential", "parallel", "parallel-two-norms", NULL };
static const char *const attentions[] = { "full", "causal", "uniform", NULL };
static const char *const activations[] = { "relu", "gelu", "silu", "swiglu", "geglu", "gelu-tanh", "geglu-tanh", NULL };
static const char *const qk_norms[] = { "none", "full", "head", "qkv-head", "cosine", "head-rotary", NULL };
static const char *const rotaries[] = { "none", "half", "interleaved", NULL };
static const char *const rotary_scalings[] = { "none", "linear", "llama3", "yarn", "longrope", NULL };
static const char *const position_biases[] = { "none", "alibi", "alibi-scaled", "t5", NULL };
static const char *const expert_weights[] = { "normalized", "softmax", "sigmoid-input", NULL };
static const char *const branch_parameters[] = { "none", "scalar", "vector", NULL };
static const char *const placements[] = { "none", "pre", "post", "sandwich", "branch", "pre-post", NULL };
static const char *const norm_scales[] = { "none", "layernorm-scaling", NULL };
static const char *const final_norms[] = { "auto", "on", "off", NULL };
static const char *const schemes[] = { "xavier-normal", "xavier-uniform", "lecun-normal", "kaiming-normal", "normal",
                                       "small",         "mitchell",       "t5",           "fairseq",        NULL };
static const char *const embed_scales[] = { "sqrt-d-model", NULL };
static const char *const input_scales[] = { "t-fixup", NULL };
static const char *const attention_scales[] = { "sqrt-d-head", NULL };
static const char *const logit_scales[] = { "inverse-sqrt-d-model", NULL };
static const char *const stream_weights[] = { "static", "dynamic", "manifold", NULL };
static const char *const residual_scales[] = { "deepnorm", "admin", "admin-constant", "keel", NULL };
static const char *const branch_scales[] = { "inverse-sqrt-depth", NULL };
static const char *const init_residuals[] = { "none", "gpt2", "deepnorm", "wang", "sub-ln", "t-fixup", "ds-init",
                                              "fixup", NULL };
static const char *const init_heads[] = { "scheme", "lecun", "tied", NULL };
