# Copyright (C) 2026 The Normscope developers
# SPDX-License-Identifier: GPL-3.0-or-later
"""Configurations for the comparisons with PyTorch: fixed ones that reach every value of every key, and random ones.

A configuration is a dict of dotted keys ("shape.depth", "attn.norm") that differ from BASE.
"""

import copy
import random

TEXT = "Thus, though we cannot make our sun stand still, yet we will make him run. Ça, oui: déjà vu?\n"

BASE = {
    "format": "normscope-experiment",
    "version": 1,
    "shape": {"stack": "single", "depth": 3, "d_model": 16, "heads": 2, "d_ff": 40, "seq_len": 5, "batch": 2,
              "vocab": 11},
    "data": {"source": "gaussian", "embed_std": 1.0, "positions": "none", "text": None},
    "loss": "cross-entropy",
    "sampling": {"seed": 0, "seeds": 1},
    "variants": [{
        "name": "variant", "norm": "layernorm", "norm_eps": 1e-5, "topology": "sequential", "attention": "full",
        "attention_output": True, "activation": "relu", "bias": False, "attn": {"norm": "pre", "residual": True},
        "ffn": {"norm": "pre", "residual": True}, "post_fraction": None, "norm_scale": "none",
        "residual_scale": 1.0, "branch_scale": 1.0, "final_norm": "auto",
        "init": {"scheme": "xavier-normal", "std": 0.02, "residual": "none"}}],
}

# Every value of a key that has few, typical values of the others.
VALUES = {
    "shape.stack": ["single"],
    "data.source": ["gaussian", "tokens", "text"],
    "data.positions": ["none", "sinusoidal", "learned"],
    "loss": ["cross-entropy", "unit-gradient"],
    "norm": ["layernorm", "rmsnorm"],
    "norm_eps": [1e-5, 1e-6, 1e-3, 0.1],
    "topology": ["sequential", "parallel"],
    "attention": ["full", "causal", "uniform"],
    "attention_output": [True, False],
    "activation": ["relu", "gelu", "silu", "swiglu", "geglu"],
    "bias": [False, True],
    "attn.norm": ["none", "pre", "post", "sandwich", "branch", "pre-post"],
    "attn.residual": [True, False],
    "ffn.norm": ["none", "pre", "post", "sandwich", "branch", "pre-post"],
    "ffn.residual": [True, False],
    "post_fraction": [None, 0.0, 0.25, 0.5, 1.0],
    "norm_scale": ["none", "layernorm-scaling"],
    "residual_scale": [1.0, "deepnorm", 0.7, 2.0],
    "branch_scale": [1.0, 0.5, 0.1, 1.3],
    "final_norm": ["auto", "on", "off"],
    "init.scheme": ["xavier-normal", "xavier-uniform", "lecun-normal", "kaiming-normal", "normal"],
    "init.std": [0.02, 0.1, 0.3],
    "init.residual": ["none", "gpt2", "deepnorm", 0.5],
}
SHARED = ("shape", "data", "sampling", "loss", "format", "version")


def both(placement, **more):
    return {"attn.norm": placement, "ffn.norm": placement, **more}


PARALLEL = {"topology": "parallel"}
NO_RESIDUALS = {"attn.residual": False, "ffn.residual": False}

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
    "no-output-bias": {"attention_output": False, "bias": True, "init.residual": "gpt2"},
    "text-sinusoidal": {"data.source": "text", "data.text": TEXT, "data.positions": "sinusoidal", "shape.vocab": 256,
                        "attention": "causal", "activation": "silu"},
    "text-learned": both("post", **{"data.source": "text", "data.text": TEXT, "data.positions": "learned",
                                    "shape.vocab": 256, "data.embed_std": 0.5}),
    "text-short": {"data.source": "text", "data.text": "normscope", "shape.vocab": 256, "shape.batch": 3,
                   "shape.seq_len": 7},
    "tokens": {"data.source": "tokens"},
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
}


def build(overrides, name="variant"):
    """A whole experiment, every key present, of BASE with the dotted keys changed."""
    experiment = copy.deepcopy(BASE)
    for path, value in overrides.items():
        keys = path.split(".")
        target = experiment if keys[0] in SHARED else experiment["variants"][0]
        for key in keys[:-1]:
            target = target[key]
        if keys[-1] not in target:
            raise KeyError(path)
        target[keys[-1]] = value
    experiment["variants"][0]["name"] = name
    return experiment


def random_overrides(rng):
    """A random combination that an experiment allows."""
    chosen = {path: rng.choice(values) for path, values in VALUES.items()}
    heads, d_head = rng.choice([(1, 8), (1, 13), (2, 5), (3, 4), (4, 4), (2, 11), (5, 3), (4, 7), (8, 4), (1, 32)])
    chosen.update({
        "shape.depth": rng.randint(1, 6), "shape.heads": heads, "shape.d_model": heads * d_head,
        "shape.d_ff": rng.randint(3, 60), "shape.seq_len": rng.randint(1, 9), "shape.batch": rng.randint(1, 3),
        "shape.vocab": rng.randint(2, 300), "data.embed_std": rng.choice([1.0, 0.5, 0.1]),
        "sampling.seed": rng.randrange(2 ** 32),
    })
    if rng.random() < 0.5:  # null is one of many values of post_fraction, and the usual one
        chosen["post_fraction"] = None
    if chosen["data.source"] == "text":
        chosen.update({"data.text": TEXT, "shape.vocab": 256})
    if chosen["topology"] == "parallel":
        # A parallel block has one pre norm, one post norm and one residual.
        allowed = {"none": ("none", "branch"), "branch": ("none", "branch"), "pre": ("pre", "sandwich"),
                   "sandwich": ("pre", "sandwich"), "post": ("post",), "pre-post": ("pre-post",)}
        chosen["ffn.norm"] = rng.choice(allowed[chosen["attn.norm"]])
        chosen["ffn.residual"] = chosen["attn.residual"]
    return chosen


def random_configs(seed, count):
    rng = random.Random(seed)
    return {f"random-{seed}-{i:02d}": random_overrides(rng) for i in range(count)}


def leaves(experiment):
    """Dotted key -> value of an experiment with one variant; the variant's keys are bare."""
    found = {}

    def walk(node, prefix):
        for key, value in node.items():
            if isinstance(value, dict):
                walk(value, f"{prefix}{key}.")
            else:
                found[prefix + key] = value

    walk({key: value for key, value in experiment.items() if key != "variants"}, "")
    walk(experiment["variants"][0], "")
    return found
