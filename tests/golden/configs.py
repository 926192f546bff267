# Copyright (C) 2026 The Normscope developers
# SPDX-License-Identifier: GPL-3.0-or-later
"""Configurations for the comparisons with PyTorch: fixed ones that cover every value of every key, and random ones.

A configuration is a dict of dotted keys ("shape.depth", "attn.norm") that differ from BASE.
"""

import copy
import random

TEXT = "Thus, though we cannot make our sun stand still, yet we will make him run. Ça, oui: déjà vu?\n"

BASE = {
    "format": "normscope-experiment",
    "version": 1,
    "shape": {"stack": "single", "depth": 3, "d_model": 16, "heads": 2, "kv_heads": None, "d_head": None, "d_ff": 40,
              "seq_len": 5, "batch": 2, "vocab": 11},
    "data": {"source": "gaussian", "embed_std": 1.0, "embed_scale": 1.0, "positions": "none", "token_types": 0,
             "class_token": "none", "class_token_loss": False, "markov_temperature": 1.0, "task": "continuation",
             "text": None},
    "loss": "cross-entropy",
    "sampling": {"seed": 0, "seeds": 1, "batches": 1, "estimate": "norm"},
    "variants": [{
        "name": "variant", "norm": "layernorm", "norm_eps": 1e-5, "dyt_alpha": 0.5, "branch_norm_gain": 1.0,
        "sublayers": "both", "topology": "sequential", "attention": "full", "attention_output": True,
        "attention_scale": "sqrt-d-head", "qk_norm": "none", "rotary": "none", "rotary_base": 10000.0,
        "rotary_scaling": "none", "rotary_factor": 8.0,
        "rotary_original": 8192, "rotary_low": 1.0, "rotary_truncate": True, "position_bias": "none",
        "position_buckets": 32, "position_distance": 128, "activation": "relu", "experts_per_token": 2,
        "expert_weights": "normalized", "shared_expert_gate": True, "bias": False,
        "attn": {"norm": "pre", "residual": True, "inner_norm": False},
        "cross": {"norm": None, "residual": None, "inner_norm": None},
        "ffn": {"norm": "pre", "residual": True, "inner_norm": False},
        "logit_scale": 1.0, "post_fraction": None, "first_block_pre": False,
        "norm_scale": "none", "residual_scale": 1.0, "branch_scale": 1.0,
        "branch_parameter": "none", "block_residual": False, "dual_residual": False, "stream_weights": "static",
        "ngpt": False, "input_scale": 1.0,
        "input_norm": False, "final_norm": "auto", "head_transform": False,
        "init": {"scheme": "xavier-normal", "std": 0.02, "residual": "none", "head": "scheme"}}],
}

# Keys that BASE leaves out, since null is what files leave out.
BIASES = ("bias_qkv", "bias_k", "bias_output", "bias_ffn", "bias_norms", "bias_head")
OPTIONAL = (*BIASES, "rotary_dim", "rotary_high", "rotary_attention_factor", "rotary_short_factors",
            "rotary_long_factors", "window", "window_full_every",
            "window_after", "rotary_base_local", "rotary_skip_every", "score_cap", "logit_cap", "init.truncate",
            "init.mup_base", "experts", "shared_experts", "streams", "shape.decoder_depth", "shape.patch_features",
            "shape.encoder_vocab")

# All values of keys with few values, typical values of other keys.
VALUES = {
    "shape.stack": ["single", "encoder-decoder"],
    "shape.decoder_depth": [None, 1, 3, 5],
    "shape.encoder_vocab": [None, 40, 256],
    "data.source": ["gaussian", "tokens", "text", "markov"],
    "data.markov_temperature": [1.0, 0.3],
    "data.task": ["continuation", "reversal"],
    "data.positions": ["none", "sinusoidal", "learned"],
    "data.embed_scale": [1.0, "sqrt-d-model", 0.3],
    "data.token_types": [0, 1, 2],
    "data.class_token": ["none", "zero", "normal"],
    "shape.patch_features": [None, 3, 40],
    "data.class_token_loss": [False, True],
    "loss": ["cross-entropy", "unit-gradient"],
    "sampling.batches": [1, 2, 3],
    "sampling.estimate": ["norm", "mean", "expected"],
    "norm": ["layernorm", "rmsnorm", "dyt"],
    "norm_eps": [1e-5, 1e-6, 1e-3, 0.1],
    "dyt_alpha": [0.5, 0.2, 1.3],
    "branch_norm_gain": [1.0, 0.5, 0.0],
    "sublayers": ["both", "attention", "ffn"],
    "topology": ["sequential", "parallel", "parallel-two-norms"],
    "attention": ["full", "causal", "uniform"],
    "attention_output": [True, False],
    "attention_scale": ["sqrt-d-head", 0.3, 1.0],
    "qk_norm": ["none", "full", "head", "qkv-head", "cosine", "head-rotary"],
    "rotary": ["none", "half", "interleaved"],
    "rotary_base": [10000.0, 100.0, 500000.0],
    "rotary_dim": [None, 2, 4],
    "rotary_scaling": ["none", "linear", "llama3", "yarn", "longrope"],
    "rotary_factor": [8.0, 4.0],
    "rotary_original": [8192, 64, 3],
    "rotary_low": [1.0, 0.5],
    "rotary_high": [None, 8.0],
    "rotary_attention_factor": [None, 1.3],
    "rotary_truncate": [True, False],
    "rotary_short_factors": [None],
    "rotary_long_factors": [None],
    "position_bias": ["none", "alibi", "alibi-scaled", "t5"],
    "position_buckets": [32, 6, 9],
    "position_distance": [128, 17],
    "window": [None, 2, 3],
    "window_full_every": [None, 1, 2],
    "window_after": [None, 1],
    "rotary_base_local": [None, 1000.0],
    "rotary_skip_every": [None, 2, 3],
    "score_cap": [None, 0.5, 50.0],
    "logit_scale": [1.0, "inverse-sqrt-d-model", 0.3],
    "logit_cap": [None, 0.5, 30.0],
    "activation": ["relu", "gelu", "silu", "swiglu", "geglu", "gelu-tanh", "geglu-tanh"],
    "experts": [None, 4, 8],
    "experts_per_token": [2, 1, 3],
    "expert_weights": ["normalized", "softmax", "sigmoid-input"],
    "shared_experts": [None, 1, 2],
    "shared_expert_gate": [True, False],
    "bias": [False, True],
    **{path: [None, False, True] for path in BIASES},
    "attn.norm": ["none", "pre", "post", "sandwich", "branch", "pre-post"],
    "attn.residual": [True, False],
    "attn.inner_norm": [False, True],
    "cross.norm": [None, "none", "pre", "post", "sandwich", "branch", "pre-post"],
    "cross.residual": [None, True, False],
    "cross.inner_norm": [None, False, True],
    "ffn.norm": ["none", "pre", "post", "sandwich", "branch", "pre-post"],
    "ffn.residual": [True, False],
    "ffn.inner_norm": [False, True],
    "post_fraction": [None, 0.0, 0.25, 0.5, 1.0],
    "first_block_pre": [False, True],
    "norm_scale": ["none", "layernorm-scaling"],
    "residual_scale": [1.0, "deepnorm", "admin", "admin-constant", 0.7, 2.0],
    "branch_scale": [1.0, "inverse-sqrt-depth", 0.5, 0.1, 1.3],
    "branch_parameter": ["none", "scalar", "vector"],
    "block_residual": [False, True],
    "dual_residual": [False, True],
    "streams": [None, 1, 2, 4],
    "stream_weights": ["static", "dynamic", "manifold"],
    "input_scale": [1.0, "t-fixup", 0.5],
    "ngpt": [False, True],
    "input_norm": [False, True],
    "final_norm": ["auto", "on", "off"],
    "head_transform": [False, True],
    "init.scheme": ["xavier-normal", "xavier-uniform", "lecun-normal", "kaiming-normal", "normal", "small", "mitchell",
                    "t5", "fairseq"],
    "init.std": [0.02, 0.1, 0.3],
    "init.truncate": [None, 2.0, 3.0],
    "init.residual": ["none", "gpt2", "deepnorm", "wang", "sub-ln", "t-fixup", "ds-init", "fixup", 0.5],
    "init.head": ["scheme", "lecun", "tied", 0.3],
}
# Most models set only one or two of these. In a random configuration each is usually at its first value.
RARE = ("data.embed_scale", "branch_norm_gain", "attention_scale", "attn.inner_norm", "cross.norm", "cross.residual",
        "cross.inner_norm", "ffn.inner_norm", "branch_parameter", "block_residual", "dual_residual", "input_scale",
        "input_norm", "attention_output", "attn.residual", "ffn.residual", "shape.stack", "post_fraction")
# Keys that came after the first random configurations, in the order in which they came.
NEWER = ("init.head", "sampling.batches", "sampling.estimate", "data.token_types", "data.class_token", *BIASES,
         "data.markov_temperature", "data.task")
# The values that a key had then.
OLDER = {"data.source": ["gaussian", "tokens", "text"], "qk_norm": ["none", "full", "head", "qkv-head", "cosine"],
         "init.residual": ["none", "gpt2", "deepnorm", "wang", "sub-ln", "t-fixup", "ds-init", 0.5]}
SCORES_KEYS = ("rotary", "rotary_base", "rotary_dim", "rotary_scaling", "rotary_factor", "rotary_original",
               "rotary_low", "rotary_high", "position_bias", "position_buckets", "position_distance", "window",
               "window_full_every", "window_after", "rotary_base_local", "score_cap", "logit_scale", "logit_cap",
               "init.truncate", "first_block_pre", "shape.decoder_depth", "rotary_skip_every", "head_transform",
               "rotary_attention_factor", "rotary_truncate", "rotary_short_factors", "rotary_long_factors")
# Only fixed configurations have experts: in a random one some token's choice may be too close to compare. Single
# sub-layers exclude many other settings.
EXPERTS_KEYS = ("sublayers", "experts", "experts_per_token", "expert_weights", "shared_experts", "shared_expert_gate")
# Only fixed configurations have several streams, which many settings exclude.
STREAMS_KEYS = ("streams", "stream_weights")
# Images and the encoder's own vocabulary came after the random configurations.
INPUT_KEYS = ("shape.patch_features", "data.class_token_loss", "shape.encoder_vocab")
# nGPT excludes most other settings, so only fixed configurations have it, too.
NGPT_KEYS = ("ngpt",)
SHARED = ("shape", "data", "sampling", "loss", "format", "version")


def both(placement, **more):
    return {"attn.norm": placement, "ffn.norm": placement, **more}


def depths(encoder, decoder):
    return {"shape.stack": "encoder-decoder", "shape.depth": encoder, "shape.decoder_depth": decoder}


def batches(count, estimate):
    return {"sampling.batches": count, "sampling.estimate": estimate}


PARALLEL = {"topology": "parallel"}
TWO_NORMS = {"topology": "parallel-two-norms"}
ATTENTION_ONLY = {"sublayers": "attention"}
FFN_ONLY = {"sublayers": "ffn"}
NO_RESIDUALS = {"attn.residual": False, "ffn.residual": False}
INNER = {"attn.inner_norm": True, "ffn.inner_norm": True}
GQA = {"shape.heads": 4, "shape.kv_heads": 2}
# Angles that a few tokens tell apart: 1, 0.32, 0.1 and 0.03 with heads of 8 features.
ROTARY = {"rotary": "half", "rotary_base": 100.0}
LONGER = {**ROTARY, "rotary_factor": 4.0, "rotary_original": 64}
NGPT = {"ngpt": True, "branch_scale": 0.05, "data.source": "tokens", "activation": "swiglu", "attention": "causal",
        "rotary": "interleaved"}
RELATIVE = {"position_bias": "t5", "position_buckets": 6, "position_distance": 5}
TRANSLATION = {"shape.stack": "encoder-decoder", "shape.depth": 2}
BERT = {"attn.norm": "post", "ffn.norm": "post", "input_norm": True, "bias": True, "activation": "gelu",
        "norm_eps": 1e-12, "data.source": "tokens", "data.positions": "learned", "data.token_types": 1,
        "data.embed_std": 0.02, "init.scheme": "normal"}
TEXT_DATA = {"data.source": "text", "data.text": TEXT, "shape.vocab": 256}

FIXED = {
    "pre": both("pre"),
    "post": both("post"),
    "sandwich": both("sandwich"),
    "branch": both("branch"),
    "none": both("none"),
    "pre-post": both("pre-post"),
    "pre-deep": {"shape.depth": 6, "shape.d_model": 24, "shape.heads": 3, "shape.d_ff": 50, "shape.seq_len": 9},
    "post-deep": both("post", **{"shape.depth": 6, "shape.d_model": 24, "shape.heads": 3, "shape.d_ff": 50,
                                 "shape.seq_len": 9}),
    "xiong-theory": both("post", attention="uniform", attention_output=False),
    "xiong-theory-pre": {"attention": "uniform", "attention_output": False},
    "uniform-bias": both("sandwich", attention="uniform", bias=True),
    "causal-bias-gelu": {"attention": "causal", "bias": True, "activation": "gelu", "init.scheme": "normal",
                         "init.residual": "gpt2", "data.source": "tokens", "data.positions": "learned"},
    "bias-post": both("post", bias=True),
    "bias-sandwich-rmsnorm": both("sandwich", bias=True, norm="rmsnorm", activation="swiglu"),
    "bias-pre-post": both("pre-post", bias=True, activation="geglu", **{"shape.depth": 2}),
    "bias-none": both("none", bias=True, final_norm="on"),
    "bias-parallel": {**PARALLEL, "bias": True},
    # Biases of some maps, as in the models.
    "biases-qwen2": {**GQA, "norm": "rmsnorm", "activation": "swiglu", "attention": "causal", "bias_qkv": True,
                     "shape.d_head": 6},
    "biases-gpt-j": {**PARALLEL, "bias": True, "bias_qkv": False, "bias_output": False, "attention": "causal",
                     "activation": "gelu-tanh"},
    "biases-gpt-neox": {**TWO_NORMS, "bias": True, "bias_qkv": False, "bias_output": False, "bias_head": False,
                        "attention": "causal", "activation": "gelu"},
    "biases-opt": {"bias_norms": True, "attention": "causal", "data.source": "tokens", "data.positions": "learned"},
    "biases-llama-ffn": {"norm": "rmsnorm", "activation": "swiglu", "bias_ffn": True, "bias_norms": True},
    "biases-llama-attention": {"norm": "rmsnorm", "bias_qkv": True, "bias_output": True},
    "biases-swin-v2": both("branch", qk_norm="cosine", bias=True, bias_k=False),
    "biases-keys": {"qk_norm": "head", "bias_k": True, "bias_norms": False, "bias_head": True},
    "biases-uniform": both("post", attention="uniform", bias_qkv=True, bias_k=False),
    "biases-bart": both("post", **TRANSLATION, bias=True, bias_head=False, input_norm=True),
    "biases-pair": {**TRANSLATION, **batches(2, "mean"), "bias": True, "bias_qkv": False, "bias_k": True,
                    "bias_ffn": False, "bias_norms": False, "qk_norm": "full"},
    "biases-dyt": both("sandwich", norm="dyt", bias_norms=True, bias_output=True, input_norm=True),
    "no-output-bias": {"attention_output": False, "bias": True, "init.residual": "gpt2"},
    "text-sinusoidal": {"data.source": "text", "data.text": TEXT, "data.positions": "sinusoidal", "shape.vocab": 256,
                        "attention": "causal", "activation": "silu"},
    "text-learned": both("post", **{"data.source": "text", "data.text": TEXT, "data.positions": "learned",
                                    "shape.vocab": 256, "data.embed_std": 0.5}),
    "text-short": {"data.source": "text", "data.text": "normscope", "shape.vocab": 256, "shape.batch": 3,
                   "shape.seq_len": 7},
    "tokens": {"data.source": "tokens"},
    "markov": {"data.source": "markov", "data.positions": "learned", "attention": "causal"},
    "markov-cold": both("post", **{"data.source": "markov", "data.markov_temperature": 0.3, "shape.vocab": 40,
                                   "sampling.seed": 3}),
    "tokens-sinusoidal-odd": {"data.source": "tokens", "data.positions": "sinusoidal", "shape.d_model": 15,
                              "shape.heads": 5, "data.embed_std": 0.3},
    "unit-gradient-pre": {"loss": "unit-gradient", "shape.depth": 5},
    "unit-gradient-post": both("post", loss="unit-gradient", final_norm="on"),
    "parallel-pre": {**PARALLEL},
    "parallel-post": both("post", **PARALLEL),
    "parallel-sandwich": both("sandwich", norm="rmsnorm", **PARALLEL),
    "parallel-branch": both("branch", **PARALLEL, bias=True, branch_scale=0.5),
    "parallel-none": both("none", **PARALLEL, final_norm="on"),
    "parallel-pre-post": both("pre-post", **PARALLEL, norm_scale="layernorm-scaling"),
    "parallel-mixed-branch": {**PARALLEL, "attn.norm": "sandwich", "ffn.norm": "pre", "activation": "swiglu"},
    "parallel-mixed-branch-2": {**PARALLEL, "attn.norm": "none", "ffn.norm": "branch", **NO_RESIDUALS},
    "parallel-no-residual": {**PARALLEL, **NO_RESIDUALS},
    "deepnorm": both("post", **{"residual_scale": "deepnorm", "init.residual": "deepnorm", "shape.depth": 5}),
    "deepnorm-swiglu": both("post", **{"residual_scale": "deepnorm", "init.residual": "deepnorm",
                                       "activation": "swiglu"}),
    "mix": {"post_fraction": 0.25, "shape.depth": 6},
    "mix-half-rmsnorm": {"post_fraction": 0.5, "norm": "rmsnorm", "shape.depth": 5},
    "mix-all-post": both("none", post_fraction=1.0),
    "mix-none-post": both("sandwich", post_fraction=0.0),
    "mix-parallel": {**PARALLEL, "post_fraction": 0.5, "shape.depth": 4},
    "layernorm-scaling": {"norm_scale": "layernorm-scaling", "shape.depth": 6},
    "layernorm-scaling-sandwich": both("sandwich", norm_scale="layernorm-scaling", norm="rmsnorm", norm_eps=1e-3),
    "no-attn-residual": {"attn.residual": False},
    "no-ffn-residual": both("post", **{"ffn.residual": False}),
    "no-residuals": {**NO_RESIDUALS},
    "no-residuals-no-norm": both("none", **NO_RESIDUALS, final_norm="off", activation="silu"),
    "mixed-placements": {"attn.norm": "pre", "ffn.norm": "post", "norm_eps": 0.1},
    "mixed-placements-2": {"attn.norm": "post", "ffn.norm": "sandwich", "attention": "causal"},
    "mixed-placements-3": {"attn.norm": "branch", "ffn.norm": "none", "norm": "rmsnorm"},
    "mixed-placements-4": {"attn.norm": "pre-post", "ffn.norm": "branch", "final_norm": "on"},
    "pre-no-final": {"final_norm": "off"},
    "post-final": both("post", final_norm="on", norm="rmsnorm", norm_eps=1e-6),
    "scales": {"residual_scale": 0.7, "branch_scale": 1.3, "init.residual": 0.5},
    "scales-post": both("post", residual_scale=2.0, branch_scale=0.1),
    "init-uniform": {"init.scheme": "xavier-uniform", "activation": "geglu"},
    "init-lecun": both("none", **{"init.scheme": "lecun-normal", "activation": "gelu"}),
    "init-kaiming": {"init.scheme": "kaiming-normal", "init.residual": "gpt2"},
    "init-normal": both("branch", **{"init.scheme": "normal", "init.std": 0.3, "activation": "swiglu"}),
    "one-of-everything": {"shape.depth": 1, "shape.d_model": 8, "shape.heads": 1, "shape.d_ff": 1, "shape.seq_len": 1,
                          "shape.batch": 1, "shape.vocab": 2, "activation": "silu"},
    "one-token-bias": both("post", bias=True, **{"shape.seq_len": 1, "shape.batch": 3}),
    "two-tokens": {"shape.seq_len": 2, "shape.batch": 1, "attention": "causal"},
    "heads-of-one": {"shape.d_model": 9, "shape.heads": 9},
    "one-head": {"shape.d_model": 31, "shape.heads": 1, "shape.d_ff": 37, "shape.vocab": 300},
    "vanishing": both("none", **NO_RESIDUALS, attention="uniform", activation="gelu",
                      **{"shape.depth": 60, "shape.d_model": 8, "shape.d_ff": 12}),
    "vanishing-causal-gated": both("none", **NO_RESIDUALS, **{"shape.depth": 4, "activation": "swiglu",
                                                              "attention": "causal", "init.scheme": "normal"}),
    "other-seed": both("post", **{"sampling.seed": 123456789, "shape.vocab": 97}),
    "large-seed": {"sampling.seed": 9007199254740991},

    # Norms: DyT, gains, inner norms, norms of queries and keys.
    "dyt": {"norm": "dyt"},
    "dyt-post-bias": both("post", norm="dyt", bias=True, dyt_alpha=1.3),
    "dyt-everywhere": both("sandwich", norm="dyt", bias=True, dyt_alpha=0.2, qk_norm="full", input_norm=True, **INNER),
    "dyt-qkv-head": both("pre-post", norm="dyt", bias=True, qk_norm="qkv-head", dyt_alpha=0.9, **GQA),
    "dyt-parallel": {**PARALLEL, "norm": "dyt", "norm_scale": "layernorm-scaling"},
    "branch-gain-0": both("branch", branch_norm_gain=0.0),
    "branch-gain-0-bias": both("branch", branch_norm_gain=0.0, bias=True, norm="dyt"),
    "branch-gain-half": both("sandwich", branch_norm_gain=0.5, norm="rmsnorm"),
    "inner": {**INNER},
    "inner-post-swiglu": both("post", norm="rmsnorm", activation="swiglu", **INNER),
    "inner-attn-bias": {"attn.inner_norm": True, "bias": True, "shape.d_head": 5, "shape.kv_heads": 1},
    "inner-ffn-no-output": {"ffn.inner_norm": True, "attention_output": False},
    "inner-parallel-gate": {**PARALLEL, **INNER, "activation": "geglu-tanh"},
    "qk-full": {"qk_norm": "full", "norm": "rmsnorm"},
    "qk-full-gqa-bias": {"qk_norm": "full", "bias": True, "attention": "causal", **GQA},
    "qk-head": {"qk_norm": "head", "norm": "rmsnorm", "attention": "causal"},
    "qk-head-gqa-bias": {"qk_norm": "head", "bias": True, **GQA, "shape.d_head": 6},
    "qkv-head": both("branch", qk_norm="qkv-head", attention_scale=1.0),
    "qkv-head-gqa-bias": {"qk_norm": "qkv-head", "bias": True, "norm": "rmsnorm", **GQA},
    "qk-cosine": both("branch", qk_norm="cosine", branch_norm_gain=0.5),
    "qk-cosine-gqa-bias": {"qk_norm": "cosine", "bias": True, "attention_scale": 0.3, "attention": "causal", **GQA},

    # Rotary positions.
    "rotary-half": {**ROTARY, "attention": "causal"},
    "rotary-interleaved": {**ROTARY, "rotary": "interleaved"},
    "rotary-bias": both("post", **ROTARY, bias=True, attention="causal"),
    "rotary-gpt-j": {**PARALLEL, **ROTARY, "rotary": "interleaved", "rotary_dim": 4, "bias": True, "bias_qkv": False,
                     "bias_output": False, "attention": "causal", "activation": "gelu-tanh"},
    "rotary-gpt-neox": {**TWO_NORMS, **ROTARY, "rotary_dim": 2, "bias": True, "bias_head": False,
                        "attention": "causal", "activation": "gelu"},
    "rotary-odd-head": {**ROTARY, "shape.d_head": 7, "shape.seq_len": 9, "bias_k": True},
    "rotary-gqa-qk-head": {**ROTARY, **GQA, "shape.d_head": 6, "qk_norm": "head", "norm": "rmsnorm",
                           "attention": "causal", "activation": "swiglu", "rotary_base": 500000.0},
    "rotary-qk-full-bias": both("branch", **ROTARY, **GQA, qk_norm="full", bias=True),
    "rotary-interleaved-qkv-head": {**ROTARY, "rotary": "interleaved", "qk_norm": "qkv-head", "norm": "dyt",
                                    "bias": True, "shape.seq_len": 7},
    "rotary-skip": {**ROTARY, "rotary_skip_every": 2},
    "rotary-skip-all": {**ROTARY, "rotary_skip_every": 1, "shape.depth": 2},
    "rotary-skip-window": {**ROTARY, "rotary_skip_every": 3, "window": 2, "window_full_every": 2,
                           "rotary_base_local": 20.0, "shape.depth": 6, "bias": True},
    "qk-head-rotary": {**ROTARY, "qk_norm": "head-rotary", "norm_eps": 0.1},
    "qk-head-rotary-skip": both("post", **ROTARY, **GQA, **batches(2, "norm"), qk_norm="head-rotary", bias=True,
                                rotary_skip_every=2, rotary_dim=2),
    "qk-head-rotary-dyt": {**ROTARY, "rotary": "interleaved", "qk_norm": "head-rotary", "norm": "dyt"},
    "ed-qk-head-rotary": {**TRANSLATION, **ROTARY, "qk_norm": "head-rotary", "rotary_skip_every": 2},
    "rotary-cosine": both("branch", **ROTARY, qk_norm="cosine", bias=True, **{"shape.kv_heads": 1}),
    "rotary-linear": {**LONGER, "rotary_scaling": "linear", "attention": "causal"},
    "rotary-llama3": {**LONGER, **GQA, "shape.d_head": 8, "rotary_scaling": "llama3", "norm": "rmsnorm",
                      "activation": "swiglu", "attention": "causal", "shape.seq_len": 9},
    "rotary-llama3-turns": {**LONGER, "rotary_scaling": "llama3", "rotary_low": 0.5, "rotary_high": 8.0},
    "rotary-yarn": {**LONGER, "rotary_scaling": "yarn", "attention": "causal", "shape.seq_len": 9},
    "rotary-yarn-turns": {**LONGER, "rotary": "interleaved", "rotary_dim": 6, "rotary_scaling": "yarn",
                          "rotary_low": 0.5, "rotary_high": 8.0, "shape.d_head": 9},
    "rotary-yarn-fractional": {**LONGER, "rotary_scaling": "yarn", "rotary_truncate": False, "rotary_low": 0.7,
                               "rotary_high": 9.0, "rotary_attention_factor": 1.3, "attention": "causal"},
    "rotary-longrope": {**LONGER, "rotary_scaling": "longrope", "rotary_short_factors": [1.0, 1.25, 1.5, 3.0],
                        "attention": "causal"},
    "rotary-longrope-long": {**LONGER, "rotary_scaling": "longrope", "rotary_dim": 6, "rotary_original": 4,
                             "rotary_short_factors": [9.0, 9.0, 9.0], "shape.seq_len": 5,
                             "rotary_long_factors": [1.5, 2.0, 0.75], "rotary_attention_factor": 1.2},
    "rotary-yarn-short": {**LONGER, "rotary_scaling": "yarn", "rotary_original": 3, "qk_norm": "head"},
    "rotary-one-feature": {**ROTARY, "shape.d_model": 9, "shape.heads": 9, "bias": True},
    "rotary-batches": {**ROTARY, **GQA, **TEXT_DATA, **batches(3, "expected"), "bias": True, "attention": "causal"},
    "rotary-mup": {**ROTARY, "init.mup_base": 4, "data.source": "tokens"},
    "ed-rotary": both("post", **TRANSLATION, **ROTARY, bias=True),
    "ed-rotary-yarn": {**TRANSLATION, **LONGER, "rotary": "interleaved", "rotary_scaling": "yarn", "qk_norm": "full",
                       "norm": "rmsnorm"},

    # Biases of the scores by distance.
    "alibi": {"position_bias": "alibi"},
    "alibi-bloom": {"position_bias": "alibi", "bias": True, "bias_head": False, "attention": "causal",
                    "activation": "gelu-tanh", "input_norm": True, "shape.heads": 6, "shape.d_model": 24,
                    "shape.seq_len": 9},
    "alibi-mpt": {"position_bias": "alibi", "attention": "causal", "activation": "gelu", "shape.heads": 8},
    "alibi-gqa-qk-head": both("post", **GQA, position_bias="alibi", qk_norm="head", bias=True),
    "alibi-rotary": {**ROTARY, "position_bias": "alibi", "attention_scale": 1.0},
    "alibi-batches": {**TEXT_DATA, **batches(3, "expected"), "position_bias": "alibi", "attention": "causal"},
    "alibi-scaled": {"position_bias": "alibi-scaled", "attention": "causal", "bias": True, "bias_head": False,
                     "shape.heads": 8},
    "alibi-scaled-mup": {"position_bias": "alibi-scaled", "attention_scale": 0.3, "init.mup_base": 4,
                         "data.source": "tokens", "shape.seq_len": 9},
    "alibi-scaled-cosine": both("post", position_bias="alibi-scaled", qk_norm="cosine"),
    "window": {"window": 2},
    "window-causal": both("post", window=3, attention="causal", bias=True),
    "window-nowhere": {"window": 2, "window_full_every": 1, "window_after": 1},
    "window-long": {"window": 6, "attention": "causal"},
    "window-every-2": {**GQA, "window": 2, "window_full_every": 2, "attention": "causal", "shape.depth": 4},
    "window-after": {"window": 2, "window_after": 2, "window_full_every": 4, "shape.depth": 5},
    "window-rotary": {**ROTARY, **GQA, "window": 2, "attention": "causal", "qk_norm": "head", "bias": True},
    "window-rotary-local": {**LONGER, "rotary_scaling": "linear", "rotary_base_local": 10.0, "window": 3,
                            "window_full_every": 3, "attention": "causal", "shape.depth": 4, "bias": True},
    "window-rotary-local-yarn": {**LONGER, "rotary_scaling": "yarn", "rotary": "interleaved", "window": 2,
                                 "rotary_base_local": 20.0, "window_full_every": 2, "rotary_dim": 4},
    "window-alibi": {"window": 3, "position_bias": "alibi", "attention": "causal", "shape.heads": 4},
    "window-alibi-full": both("post", window=2, position_bias="alibi", qk_norm="cosine"),
    "window-batches": {**TEXT_DATA, **batches(3, "expected"), "window": 2, "attention": "causal"},
    "window-parallel": {**PARALLEL, "window": 2, "window_full_every": 2, "attention": "causal"},
    "ed-window": both("post", **TRANSLATION, window=2, window_full_every=2, bias=True),
    "ed-window-rotary": {**TRANSLATION, **ROTARY, "window": 3, "rotary_base_local": 1000.0},
    "relative-cap-window": {"position_bias": "t5", "position_buckets": 6, "score_cap": 0.5, "window": 3, **ROTARY,
                            "attention": "causal", "shape.seq_len": 9},
    # Experts: the seeds are such that no token's choice is close (reference_blocks.check_margin()).
    "experts": {"experts": 4},
    "experts-mixtral": {**GQA, "experts": 8, "norm": "rmsnorm", "activation": "swiglu", "attention": "causal",
                        "data.source": "tokens", "shape.depth": 2},
    "experts-qwen2": {"experts": 8, "experts_per_token": 3, "expert_weights": "softmax", "shared_experts": 2,
                      "norm": "rmsnorm", "activation": "swiglu", "attention": "causal", "bias_qkv": True,
                      "shape.d_ff": 12, "sampling.seed": 1},
    "experts-one": both("post", experts=4, experts_per_token=1),
    "experts-one-softmax": {"experts": 4, "experts_per_token": 1, "expert_weights": "softmax", "activation": "gelu"},
    "experts-sandwich": both("sandwich", experts=4, norm="rmsnorm", activation="swiglu"),
    "experts-all": {"experts": 3, "experts_per_token": 3, "shared_experts": 1, "activation": "gelu"},
    "experts-parallel": {**PARALLEL, "experts": 4, "shared_experts": 1, "init.residual": "deepnorm"},
    "experts-batches": {**TEXT_DATA, **batches(3, "expected"), "experts": 4, "activation": "geglu"},
    "experts-batches-mean": {**batches(2, "mean"), "experts": 4, "shared_experts": 1},
    "experts-batches-norm": {**batches(2, "norm"), "experts": 8, "activation": "swiglu"},
    "experts-mitchell": {"experts": 4, "shared_experts": 2, "init.scheme": "mitchell"},
    "experts-ds-init": {"experts": 4, "shared_experts": 1, "init.residual": "ds-init", "init.scheme": "lecun-normal"},
    "experts-no-norm": both("none", experts=4, shared_experts=1, activation="swiglu", branch_parameter="vector"),
    "experts-sigmoid": {"experts": 4, "experts_per_token": 1, "expert_weights": "sigmoid-input"},
    "experts-llama4": {**GQA, **ROTARY, "rotary": "interleaved", "rotary_skip_every": 3, "qk_norm": "head-rotary",
                       "experts": 4, "experts_per_token": 1, "expert_weights": "sigmoid-input", "shared_experts": 1,
                       "shared_expert_gate": False, "norm": "rmsnorm", "activation": "swiglu", "attention": "causal"},
    "experts-sigmoid-batches": {**batches(2, "expected"), "experts": 4, "experts_per_token": 2, "activation": "gelu",
                                "expert_weights": "sigmoid-input", "shared_experts": 2, "shared_expert_gate": False},
    "experts-sigmoid-none": both("none", experts=4, activation="swiglu", expert_weights="sigmoid-input",
                                 shared_experts=1, branch_scale=0.5),
    "experts-no-gate": {"experts": 4, "shared_experts": 1, "shared_expert_gate": False},
    "ed-experts-sigmoid": both("post", **TRANSLATION, experts=4, expert_weights="sigmoid-input", shared_experts=1,
                               shared_expert_gate=False, activation="swiglu"),
    "ngpt": NGPT,
    "ngpt-paper": {**NGPT, "data.source": "text", "data.text": TEXT, "shape.vocab": 256, "shape.depth": 6,
                   "shape.heads": 4, "init.scheme": "normal"},
    "ngpt-large-step": {**NGPT, "branch_scale": 0.7, "activation": "gelu", "rotary": "none", "attention": "full",
                        "data.source": "gaussian", "shape.d_head": 5},
    "ngpt-one-step": {**NGPT, "branch_scale": 1.0, "activation": "relu", "shape.depth": 2},
    "ngpt-unit": {**NGPT, "data.source": "gaussian", "loss": "unit-gradient", "activation": "geglu"},
    "ngpt-tied": {**NGPT, "init.head": "tied", "logit_cap": 1.0, "score_cap": 1.0, "data.embed_std": 0.3},
    "ngpt-window": {**NGPT, "window": 3, "position_bias": "alibi-scaled", "rotary": "half", "rotary_scaling": "linear",
                    "attention": "full"},
    "ngpt-relative": {**NGPT, **RELATIVE, "branch_scale": "inverse-sqrt-depth"},
    "ngpt-batches": {**NGPT, **batches(3, "expected"), "shape.depth": 2},
    "ngpt-batches-norm": {**NGPT, **batches(2, "norm"), "branch_scale": 0.3},
    "ngpt-batches-mean": {**NGPT, **batches(2, "mean"), "branch_scale": 0.3, "activation": "silu"},
    "ed-experts": both("post", **TRANSLATION, experts=4, shared_experts=1, activation="swiglu"),
    "ed-alibi": both("post", **TRANSLATION, position_bias="alibi", bias=True),

    # Soft caps, most of them about as large as the scores and the logits.
    "score-cap": {"score_cap": 0.5},
    "logit-cap": both("post", logit_cap=0.5, bias=True),
    "logit-scale": both("post", logit_scale=0.3, bias=True),
    "logit-scale-tied": {"data.source": "tokens", "init.head": "tied", "logit_scale": "inverse-sqrt-d-model",
                         "logit_cap": 0.5},
    "caps-gemma2": both("sandwich", **GQA, norm="rmsnorm", activation="geglu-tanh", attention="causal", rotary="half",
                        score_cap=50.0, logit_cap=30.0),
    "caps-alibi-qk-head": {**GQA, "score_cap": 1.0, "logit_cap": 2.0, "position_bias": "alibi", "qk_norm": "head",
                           "attention": "causal"},
    "caps-tied": {"data.source": "tokens", "init.head": "tied", "score_cap": 0.3, "logit_cap": 3.0},
    "caps-batches": {**TEXT_DATA, **batches(3, "expected"), "score_cap": 0.2, "logit_cap": 0.3, "bias": True},
    "caps-unit": {"loss": "unit-gradient", "score_cap": 0.3, "logit_cap": 0.1},
    "caps-uniform": {"attention": "uniform", "score_cap": 0.3},
    "ed-caps": both("post", **TRANSLATION, score_cap=0.3, logit_cap=1.0, bias=True),

    # Learned biases by distance, which all blocks share. Few buckets, so that short sequences use them all.
    "relative": {**RELATIVE},
    "relative-causal": both("post", **RELATIVE, attention="causal", bias=True),
    "relative-whole": {"position_bias": "t5", "shape.seq_len": 41, "shape.depth": 2},
    "relative-near": {"position_bias": "t5", "position_distance": 17, "shape.seq_len": 30, "attention": "causal"},
    "relative-odd-gqa": {**GQA, **RELATIVE, "position_buckets": 9, "qk_norm": "head", "rotary": "half"},
    "relative-parallel": {**PARALLEL, **RELATIVE, "attention": "causal", "input_norm": True, "norm": "dyt"},
    "relative-mup": {**RELATIVE, "init.mup_base": 4},
    "relative-one-token": {**RELATIVE, "shape.seq_len": 1},
    # The blocks' gradients differ by many powers of two.
    "relative-vanishing": both("none", **NO_RESIDUALS, **RELATIVE, attention="causal", activation="gelu",
                               **{"shape.depth": 8, "init.scheme": "normal"}),
    "relative-unit": {**RELATIVE, "loss": "unit-gradient"},
    "relative-batches": {**TEXT_DATA, **batches(3, "expected"), **RELATIVE, "attention": "causal"},
    "relative-batches-norm": both("post", **batches(2, "norm"), **RELATIVE),
    "ed-relative": {**TRANSLATION, **RELATIVE, "bias": True},
    "ed-relative-t5": {**TRANSLATION, **RELATIVE, "norm": "rmsnorm", "attention_scale": 1.0, "init.scheme": "t5",
                       "data.source": "tokens", "init.head": "tied", "shape.d_head": 6},
    "ed-relative-mean": both("post", **TRANSLATION, **RELATIVE, **batches(2, "mean"), dual_residual=True),

    # Truncated normal weights.
    "truncate": {"init.scheme": "normal", "init.std": 0.1, "init.truncate": 2.0},
    "truncate-tokens": {"data.source": "tokens", "data.positions": "learned", "data.token_types": 2,
                        "init.truncate": 1.0, "init.head": 0.3, "init.scheme": "fairseq"},
    "truncate-tied": both("post", **{"data.source": "tokens", "init.head": "tied", "init.truncate": 0.5}),
    "ed-truncate": both("post", **TRANSLATION, **{"init.truncate": 3.0, "init.scheme": "small"}),

    # Attention's and the FFN's own shapes.
    "attention-scale": {"attention_scale": 0.3},
    "mup": {"init.mup_base": 4, "attention": "causal"},
    "mup-normal": both("post", **{"init.mup_base": 24, "init.scheme": "normal", "init.std": 0.1}),
    "attention-scale-1": both("post", attention_scale=1.0, attention="causal"),
    "gqa": {**GQA},
    "mqa-causal": {"shape.heads": 6, "shape.kv_heads": 1, "shape.d_model": 24, "attention": "causal"},
    "gqa-uniform": {"attention": "uniform", "shape.heads": 6, "shape.kv_heads": 3, "shape.d_model": 24},
    "d-head": {"shape.d_head": 11},
    "d-head-gqa-bias": both("post", bias=True, **{"shape.heads": 3, "shape.kv_heads": 1, "shape.d_head": 4}),
    "no-output-gqa": {"attention_output": False, "shape.kv_heads": 2, "shape.heads": 4},
    "gelu-tanh": {"activation": "gelu-tanh"},
    "geglu-tanh": both("sandwich", activation="geglu-tanh", norm="rmsnorm"),

    # Residuals.
    "two-norms": {**TWO_NORMS},
    "two-norms-bias": both("sandwich", **TWO_NORMS, bias=True, norm_scale="layernorm-scaling"),
    "two-norms-post": both("pre-post", **TWO_NORMS, norm="rmsnorm"),
    "first-block-pre": {**both("post"), "first_block_pre": True},
    "first-block-pre-branch": {**both("branch"), "first_block_pre": True, "norm_scale": "layernorm-scaling",
                               "branch_norm_gain": 0.5},
    "first-block-pre-one": {**both("post"), "first_block_pre": True, "shape.depth": 1, "bias": True},
    "first-block-pre-parallel": {**PARALLEL, **both("post"), "first_block_pre": True},
    "hybrid-star": {"attn.norm": "post", "ffn.norm": "none", "first_block_pre": True, "qk_norm": "qkv-head",
                    "final_norm": "on", "init.scheme": "small", "init.residual": "gpt2"},
    "ed-first-block-pre": {**TRANSLATION, **both("post"), "cross.norm": "none", "first_block_pre": True, "bias": True},
    "attention-only": {**ATTENTION_ONLY, "attention": "causal"},
    "attention-only-post": both("post", **ATTENTION_ONLY, bias=True, **{"init.residual": "gpt2", "shape.depth": 4}),
    "attention-only-deepnorm": both("post", **ATTENTION_ONLY, residual_scale="deepnorm",
                                    **{"init.residual": "deepnorm", "shape.depth": 4}),
    "attention-only-admin": both("post", **ATTENTION_ONLY, residual_scale="admin", **{"init.scheme": "mitchell"}),
    "attention-only-constant": both("none", **ATTENTION_ONLY, residual_scale="admin-constant", final_norm="on",
                                    attention_output=False, **{"init.scheme": "mitchell"}),
    "attention-only-pure": both("none", **ATTENTION_ONLY, loss="unit-gradient", **{"attn.residual": False}),
    "attention-only-uniform": both("none", **ATTENTION_ONLY, attention="uniform", attention_output=False,
                                   **{"init.scheme": "lecun-normal"}),
    "attention-only-dual": both("sandwich", **ATTENTION_ONLY, dual_residual=True, branch_parameter="vector",
                                branch_scale=0.5, branch_norm_gain=0.5),
    "attention-only-scores": {**ATTENTION_ONLY, **GQA, "rotary": "half", "qk_norm": "head", "bias": True,
                              "window": 2, "attn.inner_norm": True, "post_fraction": 0.5},
    "attention-only-batches": {**ATTENTION_ONLY, **TEXT_DATA, **batches(2, "expected"), "norm": "dyt"},
    "attention-only-other-ffn": {**ATTENTION_ONLY, "ffn.norm": "post", "ffn.residual": False, "ffn.inner_norm": True,
                                 "activation": "swiglu"},
    "ffn-only": {**FFN_ONLY},
    "ffn-only-post": both("post", **FFN_ONLY, bias=True, activation="swiglu", first_block_pre=True,
                          **{"init.residual": "gpt2", "shape.depth": 4}),
    "ffn-only-deepnorm": both("post", **FFN_ONLY, residual_scale="deepnorm",
                              **{"init.residual": "deepnorm", "shape.depth": 4}),
    "ffn-only-mitchell": {**FFN_ONLY, "residual_scale": "admin", "norm": "rmsnorm", "activation": "gelu",
                          "init.scheme": "mitchell"},
    "ffn-only-experts": {**FFN_ONLY, "experts": 4, "shared_experts": 1, "activation": "silu"},
    "ffn-only-inner": both("pre-post", **FFN_ONLY, branch_parameter="scalar", branch_scale="inverse-sqrt-depth",
                           **{"ffn.inner_norm": True}),
    "ffn-only-tokens": both("none", **FFN_ONLY, **TEXT_DATA, **batches(3, "mean"), input_norm=True),
    "ffn-only-other-attention": {**FFN_ONLY, "attn.norm": "sandwich", "attn.residual": False, "attn.inner_norm": True,
                                 "attention": "uniform"},
    "two-norms-mix": {**TWO_NORMS, "post_fraction": 0.5, "shape.depth": 4},
    "admin": both("post", residual_scale="admin", **{"shape.depth": 4}),
    "admin-constant": both("post", residual_scale="admin-constant", **{"shape.depth": 4}),
    "keel": both("pre-post", residual_scale="keel", first_block_pre=True, norm="rmsnorm", **{"shape.depth": 4}),
    "keel-all": both("post", residual_scale="keel"),
    "inverse-sqrt-depth": {"branch_scale": "inverse-sqrt-depth", "shape.depth": 5},
    "rezero": both("none", branch_parameter="scalar", branch_scale=0.0, final_norm="off"),
    "skip-init": both("none", branch_parameter="scalar", branch_scale="inverse-sqrt-depth", bias=True),
    "scalar-branch-norm": both("branch", branch_parameter="scalar", branch_scale=0.5),
    "layer-scale": {"branch_parameter": "vector", "branch_scale": 0.1, "shape.depth": 4},
    "layer-scale-0": {"branch_parameter": "vector", "branch_scale": 0.0},
    "layer-scale-sandwich": both("sandwich", branch_parameter="vector", branch_scale=1.3, branch_norm_gain=0.5),
    "layer-scale-parallel": {**PARALLEL, "branch_parameter": "vector", "branch_scale": 0.5},
    "b2t": both("post", block_residual=True, **{"shape.depth": 4}),
    "b2t-pre": {"block_residual": True, "residual_scale": 0.7},
    "b2t-no-residual": both("post", block_residual=True, **{"ffn.residual": False}),
    "hyper": {"streams": 4, "shape.depth": 4},
    "hyper-one": {"streams": 1},
    "hyper-two": both("sandwich", streams=2, norm="rmsnorm", activation="swiglu", attention="causal",
                      **{"shape.depth": 5}),
    "hyper-none": both("none", streams=3, final_norm="on", branch_scale=0.5),
    "hyper-no-final": {"streams": 2, "final_norm": "off", "bias": True},
    "hyper-unit": {"streams": 3, "loss": "unit-gradient", "norm": "dyt", "branch_parameter": "vector",
                   "branch_scale": 0.7},
    "hyper-batches": both("branch", **batches(3, "expected"), streams=2, branch_parameter="scalar", branch_scale=0.5),
    "hyper-batches-mean": {**batches(2, "mean"), "streams": 4, "input_norm": True, "input_scale": 0.5,
                           "data.source": "tokens", "data.positions": "learned", "norm_scale": "layernorm-scaling"},
    "hyper-vanishing": both("none", streams=2, branch_scale=1e-9, final_norm="on", **{"data.embed_std": 1e-6,
                            "data.source": "tokens"}),
    "hyper-experts": {"streams": 2, "experts": 4, "activation": "swiglu", "rotary": "half"},
    "hyper-dynamic": {"streams": 4, "stream_weights": "dynamic", "shape.depth": 4},
    "hyper-dynamic-none": both("none", streams=3, stream_weights="dynamic", final_norm="on", branch_scale=0.5,
                               norm="rmsnorm", bias=True),
    "hyper-dynamic-batches": both("branch", **batches(2, "mean"), streams=2, stream_weights="dynamic", input_scale=0.5),
    "hyper-dynamic-small": {"streams": 2, "stream_weights": "dynamic", "loss": "unit-gradient", "norm_eps": 0.1,
                            "input_scale": 1e-3, "final_norm": "off"},
    "mhc": {"streams": 4, "stream_weights": "manifold", "norm": "rmsnorm", "activation": "swiglu", "shape.depth": 4},
    "mhc-one": {"streams": 1, "stream_weights": "manifold"},
    "mhc-none": both("none", streams=3, stream_weights="manifold", final_norm="on", branch_scale=0.5),
    "mhc-batches": both("sandwich", **batches(3, "expected"), streams=2, stream_weights="manifold",
                        branch_parameter="vector", branch_scale=0.5),
    "mhc-experts": {"streams": 2, "stream_weights": "manifold", "experts": 4, "attention": "causal", "rotary": "half"},
    "static-streams-unused": {"stream_weights": "manifold"},
    "residual-dual": both("post", dual_residual=True, **{"shape.depth": 4}),
    "residual-dual-bias": both("post", dual_residual=True, bias=True, branch_scale=0.5, branch_parameter="vector"),
    "residual-dual-off": both("post", dual_residual=True, final_norm="off"),
    "residual-dual-pre": {"dual_residual": True, "residual_scale": 2.0},
    "residual-dual-unit": both("post", dual_residual=True, loss="unit-gradient"),
    "residual-dual-sandwich": both("sandwich", dual_residual=True, block_residual=True, branch_norm_gain=0.5,
                                   input_norm=True),

    "fixup": both("none", branch_parameter="scalar", final_norm="off",
                  **{"init.residual": "fixup", "init.scheme": "xavier-uniform", "shape.depth": 4}),
    "fixup-head-0": both("none", branch_parameter="scalar", final_norm="off",
                         **{"init.residual": "fixup", "init.head": 0.0, "data.source": "tokens"}),
    "fixup-gated": both("none", branch_parameter="scalar", final_norm="off", activation="swiglu", bias=True,
                        attention_output=False, loss="unit-gradient", **{"init.residual": "fixup"}),

    # The input.
    "input-scale": both("none", input_scale=0.5, **{"init.residual": "t-fixup"}),
    "t-fixup": both("none", input_scale="t-fixup", **{"init.residual": "t-fixup", "data.source": "tokens",
                                                      "shape.depth": 5}),
    "input-norm": both("post", input_norm=True, bias=True, **{"data.source": "tokens", "data.positions": "learned"}),
    "input-norm-scale": {"input_norm": True, "input_scale": 0.5, "norm": "rmsnorm", "norm_eps": 0.1},
    "embed-scale": {"data.source": "tokens", "data.embed_scale": "sqrt-d-model", "data.positions": "sinusoidal",
                    "data.embed_std": 0.25},
    "embed-scale-number": {**TEXT_DATA, "data.embed_scale": 0.3, "data.positions": "learned"},
    "bert": BERT,
    "bert-head": {**BERT, "head_transform": True, "init.head": "tied"},
    "head-transform": {"head_transform": True},
    "head-transform-post": both("post", head_transform=True, bias=True, activation="silu", bias_norms=False,
                                **{"init.scheme": "fairseq", "init.residual": "deepnorm"}),
    "head-transform-gated": {"head_transform": True, "bias": True, "bias_head": False, "activation": "geglu-tanh",
                             "norm": "rmsnorm", "logit_cap": 1.0, **GQA},
    "head-transform-dyt": {"head_transform": True, "bias": True, "activation": "gelu", "norm": "dyt",
                           "final_norm": "off"},
    "head-transform-mup": {"head_transform": True, "init.mup_base": 4, "init.scheme": "normal", "init.std": 0.3},
    "head-transform-batches": {**batches(3, "expected"), "head_transform": True, "bias": True, "activation": "gelu"},
    "head-transform-unit": {"head_transform": True, "bias": True, "loss": "unit-gradient"},
    "head-transform-streams": {"head_transform": True, "streams": 2, "activation": "swiglu"},
    "ed-head-transform": both("post", **TRANSLATION, head_transform=True, bias=True, dual_residual=True,
                              **{"init.residual": "fixup", "init.truncate": 2.0}),
    "token-types": {**TEXT_DATA, "data.token_types": 2, "data.embed_std": 0.5},
    "vit": {"bias": True, "activation": "gelu", "norm_eps": 1e-12, "data.class_token": "normal",
            "data.positions": "learned", "data.embed_std": 0.02, "data.embed_scale": 0.5542562584220407,
            "init.scheme": "normal"},
    "vit-patches": {"bias": True, "activation": "gelu", "norm_eps": 1e-12, "data.class_token": "normal",
                    "data.class_token_loss": True,
                    "data.positions": "learned", "data.embed_std": 0.3, "shape.patch_features": 12,
                    "init.scheme": "normal", "init.std": 0.1},
    "patches": {"shape.patch_features": 40, "data.embed_scale": 0.3, "bias_ffn": True},
    "patches-batches": both("post", **batches(3, "expected"), bias=True, input_norm=True, input_scale=0.5,
                            **{"shape.patch_features": 3, "data.class_token": "zero",
                               "data.positions": "sinusoidal", "data.embed_scale": "sqrt-d-model"}),
    "patches-mup": {"shape.patch_features": 40, "init.mup_base": 4, "data.class_token": "zero", "bias": True,
                    "bias_ffn": False, "data.positions": "learned"},
    "patches-tokens": {"shape.patch_features": 40, "data.source": "tokens"},
    "patches-streams": {"shape.patch_features": 40, "streams": 2, "init.scheme": "xavier-uniform"},
    "ed-patches": {**TRANSLATION, "shape.patch_features": 7, "data.class_token": "normal", "bias": True,
                   "dual_residual": True, "init.truncate": 2.0, "loss": "unit-gradient"},
    "class-token-loss": {**batches(2, "expected"), "bias": True, "data.class_token": "normal",
                         "data.class_token_loss": True, "logit_cap": 1.0, "activation": "gelu"},
    "ed-class-token-loss": {**TRANSLATION, "data.class_token": "normal", "data.class_token_loss": True},
    "class-token": both("post", **{"data.class_token": "zero", "data.positions": "sinusoidal",
                                   "data.embed_scale": "sqrt-d-model"}),
    "ed-class-token": {**TRANSLATION, "data.class_token": "normal", "input_norm": True},
    "ed-token-types": both("post", **TRANSLATION, **{"data.source": "tokens", "data.token_types": 3}),
    "ed-encoder-vocab": both("post", **TRANSLATION, **{"data.source": "tokens", "shape.encoder_vocab": 40,
                                                       "init.head": "tied", "data.embed_std": 0.25}),
    "ed-encoder-vocab-text": {**TRANSLATION, **TEXT_DATA, "shape.encoder_vocab": 256, "data.positions": "learned"},
    "encoder-vocab-single": {"data.source": "tokens", "shape.encoder_vocab": 40},
    "batches-class-token": {**batches(2, "mean"), "data.class_token": "normal", "data.positions": "learned"},

    # Initialization.
    "init-small-wang": {**TWO_NORMS, "init.scheme": "small", "init.residual": "wang", "activation": "gelu-tanh"},
    "init-mitchell": {"init.scheme": "mitchell", "activation": "swiglu", "norm": "rmsnorm", "shape.depth": 4},
    "init-mitchell-no-output": {"init.scheme": "mitchell", "attention_output": False},
    "init-t5": {"init.scheme": "t5", "norm": "rmsnorm", "attention_scale": 1.0, "shape.d_head": 6},
    "init-fairseq": both("post", **{"init.scheme": "fairseq"}),
    "init-sub-ln": {**INNER, "init.residual": "sub-ln", "activation": "geglu"},
    "init-ds": both("post", **{"init.residual": "ds-init", "shape.depth": 5}),
    "init-wang-no-output": {"init.residual": "wang", "attention_output": False},
    "head-lecun": both("post", **{"init.head": "lecun", "init.scheme": "xavier-uniform"}),
    "head-number": {"init.head": 0.3, "init.residual": "ds-init", "bias": True},
    "head-tied": {"init.head": "tied", "data.source": "tokens", "data.embed_std": 0.3, "bias": True,
                  "data.embed_scale": "sqrt-d-model", "init.scheme": "fairseq"},

    # Encoder and decoder.
    **{f"ed-{placement}": both(placement, **TRANSLATION)
       for placement in ("pre", "post", "sandwich", "branch", "none", "pre-post")},
    "ed-deep": both("post", **{**TRANSLATION, "shape.depth": 6}),
    "ed-base": both("post", **TRANSLATION, bias=True, **{"init.scheme": "fairseq", "data.source": "tokens",
                                                         "data.embed_scale": "sqrt-d-model", "data.embed_std": 0.25,
                                                         "data.positions": "sinusoidal"}),
    "ed-bias-pre": {**TRANSLATION, "bias": True, "activation": "swiglu"},
    "ed-mix": {**TRANSLATION, "post_fraction": 0.34, "shape.depth": 3, "norm_scale": "layernorm-scaling"},
    "ed-uniform": {**TRANSLATION, "attention": "uniform"},
    "ed-uniform-bias-no-output": both("post", **TRANSLATION, attention="uniform", bias=True, attention_output=False),
    "ed-causal": {**TRANSLATION, "attention": "causal"},
    "ed-tokens": {**TRANSLATION, "data.source": "tokens", "data.positions": "learned", "data.embed_scale": 0.3},
    "ed-tied": both("post", **TRANSLATION, **{**TEXT_DATA, "init.head": "tied", "data.embed_std": 0.25}),
    "ed-markov": both("post", **TRANSLATION, **{"data.source": "markov", "data.markov_temperature": 0.3}),
    "ed-reversal": {**TRANSLATION, "data.source": "tokens", "data.task": "reversal", "data.positions": "sinusoidal"},
    "ed-reversal-text": both("post", **TRANSLATION, **TEXT_DATA, **{"data.task": "reversal"}),
    "ed-text": {**TRANSLATION, **TEXT_DATA, "data.positions": "sinusoidal"},
    "ed-text-wrap": both("post", **TRANSLATION, **{**TEXT_DATA, "data.text": "normscope", "shape.seq_len": 7}),
    "ed-no-residuals": {**TRANSLATION, **NO_RESIDUALS},
    "ed-no-cross-residual": both("post", **TRANSLATION, **{"cross.residual": False}),
    "ed-cross-residual-only": {**TRANSLATION, **NO_RESIDUALS, "cross.residual": True},
    "ed-mixed": {**TRANSLATION, "attn.norm": "sandwich", "cross.norm": "post", "ffn.norm": "branch",
                 "cross.inner_norm": True, "norm": "rmsnorm"},
    "ed-mixed-2": {**TRANSLATION, "attn.norm": "post", "cross.norm": "pre-post", "ffn.norm": "pre", "bias": True,
                   "attn.inner_norm": True, "cross.inner_norm": False},
    "ed-mixed-3": {**TRANSLATION, "cross.norm": "branch", "ffn.norm": "none", "final_norm": "on"},
    "ed-mixed-4": {**TRANSLATION, "cross.norm": "sandwich", "ffn.norm": "pre-post", "final_norm": "off"},
    "ed-cross-none": {**TRANSLATION, "cross.norm": "none"},
    "ed-cross-pre": both("post", **TRANSLATION, **{"cross.norm": "pre", "branch_scale": 0.5}),
    "ed-unit": {**TRANSLATION, "loss": "unit-gradient"},
    "ed-unit-post-on": both("post", **TRANSLATION, loss="unit-gradient", final_norm="on"),
    "ed-deepnorm": both("post", **{**TRANSLATION, "shape.depth": 3}, residual_scale="deepnorm",
                        **{"init.residual": "deepnorm"}),
    "ed-admin": both("post", **TRANSLATION, residual_scale="admin"),
    "ed-admin-constant": both("post", **TRANSLATION, residual_scale="admin-constant"),
    "ed-sub-ln": {**TRANSLATION, **INNER, "init.residual": "sub-ln"},
    "ed-fixup": both("none", **TRANSLATION, branch_parameter="scalar", final_norm="off",
                     **{"init.residual": "fixup"}),
    "ed-t-fixup": both("none", **TRANSLATION, input_scale="t-fixup", **{"init.residual": "t-fixup",
                                                                        "data.source": "tokens"}),
    "ed-t5": {**TRANSLATION, "init.scheme": "t5", "norm": "rmsnorm", "attention_scale": 1.0, "shape.d_head": 6,
              "activation": "geglu-tanh", "data.source": "tokens"},
    "ed-mitchell": {**TRANSLATION, "init.scheme": "mitchell", "shape.depth": 3},
    "ed-ds-init": both("post", **TRANSLATION, **{"init.residual": "ds-init"}),
    "ed-wang": {**TRANSLATION, "init.scheme": "small", "init.residual": "wang"},
    "ed-gpt2": {**TRANSLATION, "init.scheme": "normal", "init.std": 0.3, "init.residual": "gpt2"},
    "ed-rezero": both("none", **TRANSLATION, branch_parameter="scalar", branch_scale=0.0, final_norm="on"),
    "ed-layer-scale": {**TRANSLATION, "branch_parameter": "vector", "branch_scale": "inverse-sqrt-depth"},
    "ed-b2t": both("post", **TRANSLATION, block_residual=True),
    "ed-residual-dual": both("post", **TRANSLATION, dual_residual=True),
    "ed-residual-dual-unit": both("post", **TRANSLATION, dual_residual=True, loss="unit-gradient", bias=True),
    "ed-residual-dual-off": both("post", **TRANSLATION, dual_residual=True, final_norm="off"),
    "ed-dyt": {**TRANSLATION, "norm": "dyt", "bias": True, "input_norm": True},
    "ed-input-norm": both("post", **TRANSLATION, input_norm=True, input_scale=0.5, **{"data.source": "tokens"}),
    "ed-qk-full": {**TRANSLATION, **GQA, "qk_norm": "full", "norm": "rmsnorm"},
    "ed-qk-head": {**TRANSLATION, "qk_norm": "head", "bias": True, "shape.d_head": 5},
    "ed-qkv-head": {**TRANSLATION, **GQA, "qk_norm": "qkv-head", "norm": "dyt"},
    "ed-cosine": both("branch", **TRANSLATION, **GQA, qk_norm="cosine", branch_norm_gain=0.5),
    "ed-gain-0": both("branch", **TRANSLATION, branch_norm_gain=0.0),
    "ed-one-token": {**TRANSLATION, "shape.seq_len": 1, "shape.batch": 3, "bias": True},
    "ed-one-block": both("post", **{**TRANSLATION, "shape.depth": 1}, attention_output=False),
    "ed-depths-1-3": {**depths(1, 3), "bias": True},
    "ed-depths-4-1": both("post", **depths(4, 1), **{"data.source": "tokens", "data.positions": "learned"}),
    "ed-depths-deepnorm-2-5": both("post", **depths(2, 5), residual_scale="deepnorm",
                                   **{"init.residual": "deepnorm"}),
    "ed-depths-deepnorm-5-2": both("post", **depths(5, 2), residual_scale="deepnorm",
                                   **{"init.residual": "deepnorm"}),
    "ed-depths-sub-ln-1-4": {**depths(1, 4), **INNER, "init.residual": "sub-ln"},
    "ed-depths-sub-ln-4-2": {**depths(4, 2), **INNER, "init.residual": "sub-ln"},
    "ed-depths-t-fixup": both("none", **depths(4, 2), input_scale="t-fixup",
                              **{"init.residual": "t-fixup", "data.source": "tokens"}),
    "ed-depths-admin": both("post", **depths(2, 3), residual_scale="admin"),
    "ed-depths-admin-constant": both("post", **depths(3, 2), residual_scale="admin-constant"),
    "ed-depths-gpt2": {**depths(2, 4), "init.scheme": "normal", "init.std": 0.3, "init.residual": "gpt2"},
    "ed-depths-wang": {**depths(3, 1), "init.scheme": "small", "init.residual": "wang"},
    "ed-depths-mitchell": {**depths(1, 3), "init.scheme": "mitchell", "norm_scale": "layernorm-scaling"},
    "ed-depths-skip-init": both("none", **depths(4, 2), branch_parameter="scalar", branch_scale="inverse-sqrt-depth"),
    "ed-depths-mix": {**depths(4, 2), "post_fraction": 0.5},
    "ed-depths-mix-few": {**depths(1, 5), "post_fraction": 0.5, "bias": True},
    "ed-depths-first-block-pre": {**both("post"), **depths(1, 3), "first_block_pre": True},
    "ed-depths-first-block-pre-2": {**both("post"), **depths(3, 1), "first_block_pre": True},
    "ed-depths-t5": {**depths(3, 2), "init.scheme": "t5", "norm": "rmsnorm", "attention_scale": 1.0,
                     "position_bias": "t5", "position_buckets": 6, "data.source": "tokens", "init.head": "tied"},
    "ed-depths-dual": both("post", **depths(2, 4), dual_residual=True, input_norm=True, bias=True),
    "ed-depths-batches": both("sandwich", **depths(3, 2), **batches(2, "expected")),
    "ed-depths-unit": both("post", **depths(2, 3), loss="unit-gradient", **{"data.source": "tokens"}),
    "ed-depths-window": {**depths(2, 4), "window": 2, "window_full_every": 2, "rotary": "half"},
    "batches-norm": {"sampling.batches": 3, "data.source": "tokens"},
    "batches-mean": both("post", **batches(4, "mean")),
    "batches-mean-of-one": batches(1, "mean"),
    "batches-expected": batches(3, "expected"),
    "batches-text": {**TEXT_DATA, **batches(4, "expected"), "data.embed_std": 0.5},
    "batches-wide": {**TEXT_DATA, **batches(4, "expected"), "shape.d_model": 48, "shape.d_ff": 80, "bias": True},
    "batches-wide-norm": both("post", **batches(4, "norm"), **{"shape.d_model": 48, "shape.d_ff": 80}),
    "batches-long": {**batches(2, "mean"), "shape.seq_len": 9, "shape.batch": 3, "bias": True},
    "batches-one-token": {**batches(6, "norm"), "shape.batch": 1, "shape.seq_len": 1, "bias": True},
    "batches-unit": {**batches(3, "norm"), "loss": "unit-gradient"},
    "batches-unit-mean": both("post", **batches(3, "mean"), loss="unit-gradient"),
    "batches-uniform": {**batches(2, "expected"), "attention": "uniform", "bias": True},
    "batches-dyt": both("sandwich", **batches(2, "norm"), norm="dyt", bias=True, input_norm=True),
    "batches-dyt-mean": {**batches(3, "mean"), "norm": "dyt", "bias": True},
    "batches-scales": {**batches(2, "norm"), "branch_parameter": "vector"},
    "batches-scale": both("none", **batches(3, "mean"), branch_parameter="scalar", final_norm="on"),
    "batches-qk": {**GQA, **batches(2, "norm"), "qk_norm": "qkv-head", "activation": "swiglu"},
    "batches-qk-expected": {**TEXT_DATA, **GQA, **batches(3, "expected"), "qk_norm": "full"},
    "batches-parallel": {**PARALLEL, **INNER, **TEXT_DATA, **batches(2, "expected"), "bias": True},
    "batches-tied": {**batches(3, "mean"), "data.source": "tokens", "init.head": "tied", "data.embed_std": 0.25},
    "batches-ed": both("post", **TRANSLATION, **TEXT_DATA, **batches(3, "expected")),
    "batches-ed-norm": {**TRANSLATION, **batches(2, "norm"), "dual_residual": True, "input_norm": True, "bias": True},
    "batches-ed-mean": both("branch", **TRANSLATION, **batches(3, "mean"), bias=True, **{"data.source": "tokens"}),
}


def build(overrides, name="variant"):
    """Build a complete experiment: BASE with the dotted keys changed."""
    experiment = copy.deepcopy(BASE)
    for path, value in overrides.items():
        keys = path.split(".")
        target = experiment if keys[0] in SHARED else experiment["variants"][0]
        for key in keys[:-1]:
            target = target[key]
        if keys[-1] not in target and path not in OPTIONAL:
            raise KeyError(path)
        target[keys[-1]] = value
    experiment["variants"][0]["name"] = name
    return experiment


def random_overrides(rng, scores=True):
    """Return a random valid combination of settings. scores: also of the keys that came with rotary positions."""
    chosen = {path: rng.choice(OLDER.get(path, values)) for path, values in VALUES.items()
              if path not in NEWER + SCORES_KEYS + EXPERTS_KEYS + STREAMS_KEYS + NGPT_KEYS + INPUT_KEYS}
    for path in RARE:
        if rng.random() < 0.6:
            chosen[path] = VALUES[path][0]
    heads, d_head = rng.choice([(1, 8), (1, 13), (2, 5), (3, 4), (4, 4), (2, 11), (5, 3), (4, 7), (8, 4), (1, 32)])
    chosen.update({
        "shape.depth": rng.randint(1, 6), "shape.heads": heads, "shape.d_model": heads * d_head,
        "shape.kv_heads": rng.choice([None] + [n for n in range(1, heads + 1) if heads % n == 0]),
        "shape.d_head": rng.choice([None, None, 3, 6]),
        "shape.d_ff": rng.randint(3, 60), "shape.seq_len": rng.randint(1, 9), "shape.batch": rng.randint(1, 3),
        "shape.vocab": rng.randint(2, 300), "data.embed_std": rng.choice([1.0, 0.5, 0.1]),
        "sampling.seed": rng.randrange(2 ** 32),
    })
    # A separate generator, so that the newer keys leave the other choices unchanged.
    newer = random.Random(chosen["sampling.seed"])
    chosen.update({path: newer.choice(VALUES[path]) for path in NEWER})
    chosen.update({path: newer.choice(VALUES[path]) if scores else VALUES[path][0] for path in SCORES_KEYS})
    chosen.update({path: VALUES[path][0] for path in EXPERTS_KEYS + STREAMS_KEYS + NGPT_KEYS})
    if chosen["sampling.batches"] == 1:
        chosen["sampling.estimate"] = "norm"
    if chosen["data.source"] == "text":
        chosen.update(TEXT_DATA)
    make_possible(chosen, rng)
    return chosen


def make_possible(chosen, rng):
    """Change settings that conflict."""
    if chosen["shape.stack"] == "encoder-decoder":
        chosen["topology"], chosen["shape.depth"] = "sequential", min(chosen["shape.depth"], 4)
        if chosen["attention"] == "uniform" or chosen["shape.seq_len"] == 1:
            chosen["cross.residual"] = True  # otherwise the loss does not depend on the decoder's input
    else:
        chosen.update({f"cross.{key}": None for key in ("norm", "residual", "inner_norm")})
    if chosen["topology"] != "sequential":
        # A parallel block has one pre norm, or two, one post norm and one residual.
        allowed = {"none": ("none", "branch"), "branch": ("none", "branch"), "pre": ("pre", "sandwich"),
                   "sandwich": ("pre", "sandwich"), "post": ("post",), "pre-post": ("pre-post",)}
        chosen["ffn.norm"] = rng.choice(allowed[chosen["attn.norm"]])
        chosen["ffn.residual"] = chosen["attn.residual"]
        chosen["block_residual"] = chosen["dual_residual"] = False
    d_head = chosen["shape.d_head"] or chosen["shape.d_model"] // chosen["shape.heads"]
    if chosen["rotary_dim"] is not None and chosen["rotary_dim"] > d_head:
        chosen["rotary_dim"] = None
    if chosen["attention"] == "uniform":
        chosen["qk_norm"] = chosen["rotary"] = chosen["position_bias"] = "none"
        chosen["window"] = None
    if chosen["init.head"] == "tied" and chosen["data.source"] == "gaussian":
        chosen["init.head"] = "scheme"
    if chosen["data.class_token"] == "zero" and chosen["data.positions"] == "none":
        chosen["data.class_token"] = "normal"  # a zero vector has no cosine
    if chosen["norm"] == "dyt" and chosen["residual_scale"] != 0.7:
        chosen["residual_scale"] = 1.0  # a tanh of millions has no gradient
    if chosen["branch_norm_gain"] == 0:  # otherwise the output does not depend on the input
        chosen.update({f"{sub}.residual": True for sub in ("attn", "cross", "ffn")})
    if not chosen["attention_output"]:
        chosen["shape.d_head"], chosen["attn.inner_norm"] = None, False
        chosen["cross.inner_norm"] = chosen["cross.inner_norm"] and None


def random_configs(seed, count, scores=True):
    rng = random.Random(seed)
    return {f"random-{seed}-{i:02d}": random_overrides(rng, scores) for i in range(count)}


def shrink(experiment):
    """Return a small experiment with the wiring of a preset."""
    small = copy.deepcopy(experiment)
    shape = small["shape"]
    grouped = shape.get("kv_heads") not in (None, shape["heads"])
    shape["heads"] = 4 if grouped else min(shape["heads"], 3)
    shape.update(depth=min(shape["depth"], 4), d_model=shape["heads"] * 7, d_ff=min(shape["d_ff"], 30),
                 seq_len=min(shape["seq_len"], 6), batch=min(shape["batch"], 2),
                 kv_heads=2 if grouped else None, d_head=5 if shape.get("d_head") else None)
    if small["data"]["source"] != "text":
        shape["vocab"] = min(shape["vocab"], 50)
    for variant in small["variants"]:
        if variant.get("rotary_dim") is not None:
            variant["rotary_dim"] = 4
    small["sampling"]["seeds"] = 1
    small["sampling"].setdefault("batches", 1)
    small["sampling"].setdefault("estimate", "norm")
    return small


def leaves(experiment):
    """Return {dotted key: value} of an experiment with one variant. Keys of the variant have no prefix."""
    found = {}

    def walk(node, prefix):
        for key, value in node.items():
            if isinstance(value, dict):
                walk(value, f"{prefix}{key}.")
            else:
                found[prefix + key] = value

    walk({key: value for key, value in experiment.items() if key != "variants"}, "")
    walk(experiment["variants"][0], "")
    return {**dict.fromkeys(OPTIONAL), **found}
