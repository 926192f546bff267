# Copyright (C) 2026 The Normscope developers
# SPDX-License-Identifier: GPL-3.0-or-later
"""The model and its measurements in PyTorch, float64, gradients by autograd.

This is the other opinion that the engine is held against, so it shares nothing with it but the page that defines the
model. It is written for the reader: the equations in their order, no care for speed.

Sites: 0 is the stack's input, 1..depth are the blocks, depth + 1 is the head. Sizes: B batch, T tokens, d d_model,
h heads, f d_ff, V vocab. A linear map is y = x W with W of shape [in, out].
"""

import json
import math
from pathlib import Path

import numpy as np
import torch

DTYPE = torch.float64

# Relative error of PyTorch in single precision from which on a value counts as buried in rounding.
BURIED = 3e-5
CAN_BE_BURIED = ("w_q", "w_k", "b_q")

# Where the norms of a sub-layer stand: before it, on its branch before the add, after the add.
PLACEMENTS = {
    "none": (),
    "pre": ("pre",),
    "post": ("post",),
    "sandwich": ("pre", "branch"),
    "branch": ("branch",),
    "pre-post": ("pre", "post"),
}

ATTN_WEIGHTS = ("w_q", "w_k", "w_v", "w_o")
FFN_WEIGHTS = ("w_1", "w_2", "w_3")


# ---- what derives from the settings ----

def placement(variant, sub, block, depth):
    """The placement of sub-layer "attn" or "ffn" in block 1..depth (Mix-LN: the first floor(p L) are Post-LN)."""
    fraction = variant["post_fraction"]
    if fraction is None:
        return variant[sub]["norm"]
    return "post" if block <= math.floor(fraction * depth) else "pre"


def is_gated(variant):
    return variant["activation"] in ("swiglu", "geglu")


def has_final_norm(experiment, variant):
    if experiment["loss"] == "unit-gradient":
        return False  # the final norm belongs to the head, and there is none
    if variant["final_norm"] != "auto":
        return variant["final_norm"] == "on"
    depth = experiment["shape"]["depth"]
    return "post" not in PLACEMENTS[placement(variant, "ffn", depth, depth)]


def residual_scale(variant, sub, depth):
    if not variant[sub]["residual"]:
        return 0.0
    scale = variant["residual_scale"]
    return (2 * depth) ** 0.25 if scale == "deepnorm" else float(scale)


def norm_scale(variant, block):
    """LayerNorm scaling (Sun et al. 2025): the factor on a pre-norm's output."""
    return 1 / math.sqrt(block) if variant["norm_scale"] == "layernorm-scaling" else 1.0


# ---- operations ----

def layernorm(x, gain, bias, eps):
    mean = x.mean(-1, keepdim=True)
    var = ((x - mean) ** 2).mean(-1, keepdim=True)
    y = (x - mean) / torch.sqrt(var + eps) * gain
    return y if bias is None else y + bias


def rmsnorm(x, gain, eps):
    return x / torch.sqrt((x ** 2).mean(-1, keepdim=True) + eps) * gain


def linear(x, weight, bias):
    y = x @ weight
    return y if bias is None else y + bias


def attention(u, p, heads, kind):
    """u [B, T, d], p the block's parameters."""
    B, T, d = u.shape

    def split(x):  # [B, T, d] -> [B, h, T, d_h]
        return x.view(B, T, heads, d // heads).transpose(1, 2)

    q = split(linear(u, p["w_q"], p.get("b_q")))
    k = split(linear(u, p["w_k"], p.get("b_k")))
    v = split(linear(u, p["w_v"], p.get("b_v")))
    scores = q @ k.transpose(-1, -2) / math.sqrt(d // heads)
    if kind == "causal":
        visible = torch.ones(T, T, dtype=torch.bool).tril()
        scores = scores.masked_fill(~visible, -math.inf)
    y = (torch.softmax(scores, -1) @ v).transpose(1, 2).reshape(B, T, d)
    return linear(y, p["w_o"], p.get("b_o")) if "w_o" in p else y


def gelu(x):
    return x * 0.5 * (1 + torch.erf(x / math.sqrt(2)))


def silu(x):
    return x / (1 + torch.exp(-x))


def relu(x):
    return torch.where(x > 0, x, torch.zeros_like(x))  # slope 0 at 0; that of clamp() is 1


ACTIVATIONS = {"relu": relu, "gelu": gelu, "silu": silu, "swiglu": silu, "geglu": gelu}


def ffn(u, p, activation):
    y = ACTIVATIONS[activation](linear(u, p["w_1"], p.get("b_1")))
    if "w_3" in p:
        y = y * linear(u, p["w_3"], p.get("b_3"))
    return linear(y, p["w_2"], p.get("b_2"))


def cross_entropy(logits, targets):
    """Mean over the tokens; logits [B, T, V], targets [B, T]."""
    at_target = logits.gather(-1, targets.unsqueeze(-1)).squeeze(-1)
    return (torch.logsumexp(logits, -1) - at_target).mean()


def rms(x):
    """Squares of tiny numbers must not vanish, so it is taken of x over its largest entry."""
    x = x.detach()
    largest = x.abs().max()
    if largest == 0 or not torch.isfinite(largest):
        return float(largest)
    return float(largest * (x / largest).square().mean().sqrt())


def token_cos(x):
    """Mean cosine over all pairs of different tokens of one sequence, all sequences; None for a single token.

    NaN when a token is the zero vector (every unit of its last FFN dead, no residual): it has no direction.
    """
    B, T, _ = x.shape
    if T == 1:
        return None
    y = x.detach() / x.detach().abs().amax(dim=-1, keepdim=True)
    y = y / y.norm(dim=-1, keepdim=True)
    cosines = y @ y.transpose(-1, -2)
    return float((cosines.sum() - cosines.diagonal(dim1=-2, dim2=-1).sum()) / (B * T * (T - 1)))


# ---- parameters ----

def leaf(array):
    return torch.tensor(array, dtype=DTYPE).requires_grad_()


def norm_parameters(variant, d, names):
    """Gain 1 and, where the variant has biases, bias 0 for each norm in names: {"gain_attn_pre": ...}."""
    p = {}
    for name in names:
        p[f"gain_{name}"] = leaf(np.ones(d))
        if variant["bias"] and variant["norm"] == "layernorm":
            p[f"bias_{name}"] = leaf(np.zeros(d))
    return p


def block_parameters(experiment, variant, arrays, block):
    d, depth = experiment["shape"]["d_model"], experiment["shape"]["depth"]
    weights = ["w_q", "w_k", "w_v", "w_1", "w_2"]
    if variant["attention_output"]:
        weights.append("w_o")
    if is_gated(variant):
        weights.append("w_3")

    p = {}
    for name in weights:
        if variant["attention"] == "uniform" and name in ("w_q", "w_k"):
            p[name] = leaf(np.zeros((d, d)))  # what makes the attention uniform
        else:
            p[name] = leaf(arrays[f"block{block:03d}/{name}"])
        if variant["bias"]:
            p[f"b_{name[2:]}"] = leaf(np.zeros(p[name].shape[1]))

    for sub in ("attn", "ffn"):
        places = PLACEMENTS[placement(variant, sub, block, depth)]
        if variant["topology"] == "parallel" and sub == "ffn":
            places = [place for place in places if place == "branch"]  # pre and post norm are shared, attn's
        p.update(norm_parameters(variant, d, [f"{sub}_{place}" for place in places]))
    return p


def head_parameters(experiment, variant, arrays):
    p = {}
    if experiment["loss"] == "cross-entropy":
        p["w_head"] = leaf(arrays["head/w_head"])
        if variant["bias"]:
            p["b_head"] = leaf(np.zeros(p["w_head"].shape[1]))
    if has_final_norm(experiment, variant):
        p.update(norm_parameters(variant, experiment["shape"]["d_model"], ["final"]))
    return p


# ---- the stack ----

def norm_at(x, p, name, variant):
    """The norm of that name when the parameters have it, else x itself."""
    if f"gain_{name}" not in p:
        return x
    if variant["norm"] == "rmsnorm":
        return rmsnorm(x, p[f"gain_{name}"], variant["norm_eps"])
    return layernorm(x, p[f"gain_{name}"], p.get(f"bias_{name}"), variant["norm_eps"])


def pre_norm(x, p, name, variant, block):
    if f"gain_{name}" not in p:
        return x
    return norm_at(x, p, name, variant) * norm_scale(variant, block)


def block_forward(x, p, experiment, variant, block):
    """Returns x_l and what the attention and FFN branches add to the stream."""
    depth, heads = experiment["shape"]["depth"], experiment["shape"]["heads"]
    b = variant["branch_scale"]

    def attn_branch(u):
        s = attention(u, p, heads, variant["attention"])
        return b * norm_at(s, p, "attn_branch", variant)

    def ffn_branch(u):
        s = ffn(u, p, variant["activation"])
        return b * norm_at(s, p, "ffn_branch", variant)

    if variant["topology"] == "parallel":
        u = pre_norm(x, p, "attn_pre", variant, block)
        added_attn, added_ffn = attn_branch(u), ffn_branch(u)
        z = residual_scale(variant, "attn", depth) * x + added_attn + added_ffn
        return norm_at(z, p, "attn_post", variant), added_attn, added_ffn

    added_attn = attn_branch(pre_norm(x, p, "attn_pre", variant, block))
    x = norm_at(residual_scale(variant, "attn", depth) * x + added_attn, p, "attn_post", variant)
    added_ffn = ffn_branch(pre_norm(x, p, "ffn_pre", variant, block))
    x = norm_at(residual_scale(variant, "ffn", depth) * x + added_ffn, p, "ffn_post", variant)
    return x, added_attn, added_ffn


def measure(experiment, arrays, upstream_scale=1.0):
    """Every quantity by name: a list over the sites 0..depth + 1, None where the variant has no such number.

    experiment: one variant, every key present. arrays: "x0", "targets" or "upstream", "block001/w_q", ...,
    "head/w_head". The backward pass starts from upstream_scale instead of 1, so that gradients beyond the reach of
    float64 can be had as a multiple of themselves.
    """
    [variant] = experiment["variants"]
    depth = experiment["shape"]["depth"]
    blocks = [block_parameters(experiment, variant, arrays, block) for block in range(1, depth + 1)]
    head = head_parameters(experiment, variant, arrays)

    x = leaf(arrays["x0"])
    stream, added = [x], []
    for block, p in enumerate(blocks, start=1):
        x, added_attn, added_ffn = block_forward(x, p, experiment, variant, block)
        x.retain_grad()
        stream.append(x)
        added.append((added_attn, added_ffn))

    loss = None
    if experiment["loss"] == "unit-gradient":
        x.backward(upstream_scale * torch.tensor(arrays["upstream"], dtype=DTYPE))
    else:
        logits = linear(norm_at(x, head, "final", variant), head["w_head"], head.get("b_head"))
        loss = cross_entropy(logits, torch.tensor(arrays["targets"], dtype=torch.int64))
        loss.backward(torch.tensor(upstream_scale, dtype=DTYPE))

    return collect(stream, added, blocks, head, loss)


def norm_of(gradient):
    """Frobenius norm; squares of tiny numbers must not vanish, so it is scaled by the largest entry."""
    largest = float(gradient.abs().max())
    if largest == 0 or not math.isfinite(largest):
        return largest
    return largest * float((gradient / largest).norm())


def gradient_norm(p):
    if p.grad is None:  # nothing of the loss depends on it
        return 0.0
    return norm_of(p.grad)


def collect(stream, added, blocks, head, loss):
    sites = len(blocks) + 2
    values = {}

    def put(name, site, value):
        if value is not None:
            values.setdefault(name, [None] * sites)[site] = value

    for site, x in enumerate(stream):
        put("grad_x", site, gradient_norm(x))
        put("rms_x", site, rms(x))
        put("token_cos", site, token_cos(x))
    for site, (p, (added_attn, added_ffn)) in enumerate(zip(blocks, added), start=1):
        norms = {name: gradient_norm(tensor) for name, tensor in p.items()}
        for name, value in norms.items():
            put(name, site, value)
        put("attn", site, math.hypot(*(value for name, value in norms.items() if sub_layer(name) == "attn")))
        put("ffn", site, math.hypot(*(value for name, value in norms.items() if sub_layer(name) == "ffn")))
        put("block", site, math.hypot(*norms.values()))
        put("rms_attn", site, rms(added_attn))
        put("rms_ffn", site, rms(added_ffn))
    for name, tensor in head.items():
        put(name, sites - 1, gradient_norm(tensor))
    if loss is not None:
        put("loss", sites - 1, float(loss))
    return values


def sub_layer(name):
    """The sub-layer that a block's tensor belongs to."""
    if "_attn_" in name or name[2:] in ("q", "k", "v", "o"):
        return "attn"
    return "ffn"


def structural_zeros(experiment):
    """Names of the block tensors whose gradient is exactly 0 in theory.

    A key bias adds the same to every score of a query, and the softmax does not see it. A query that sees one
    position only passes nothing back through its scores; nor do scores that W_Q = W_K = 0 keep at 0.
    """
    [variant] = experiment["variants"]
    zeros = {"b_k"} if variant["bias"] else set()
    if variant["attention"] == "uniform" or experiment["shape"]["seq_len"] == 1:
        zeros |= {"w_q", "w_k"} | ({"b_q"} if variant["bias"] else set())
    return zeros


def buried(experiment, arrays, expected):
    """{name: sites} of the values that single precision cannot tell, by PyTorch's own float32 against float64.

    When tokens have collapsed into one vector, a score's gradient is the difference of equal numbers: the gradients of
    the queries and keys are then rounding. Inputs are shaken by half a unit in the last place, so that no luck counts.
    """
    global DTYPE
    rng, found, zeros = np.random.default_rng(0), {}, structural_zeros(experiment)
    try:
        DTYPE = torch.float32
        for _ in range(3):
            shaken = {name: array if array.dtype.kind == "i" else
                      array * (1 + 2.0 ** -24 * rng.choice((-1, 1), size=array.shape))
                      for name, array in arrays.items()}
            for name, sites in measure(experiment, shaken).items():
                for site, value in enumerate(sites):
                    want = expected[name][site]
                    if name in CAN_BE_BURIED and name not in zeros and value is not None and \
                            not abs(value - want) <= BURIED * abs(want):
                        found.setdefault(name, set()).add(site)
    finally:
        DTYPE = torch.float64
    return found


# ---- files ----

def load_dump(directory):
    """(experiment, arrays) of what `normscope-cli dump` wrote."""
    directory = Path(directory)
    experiment = json.loads((directory / "experiment.json").read_text(encoding="utf-8"))
    arrays = {}
    for path in sorted(directory.rglob("*.npy")):
        arrays[path.relative_to(directory).with_suffix("").as_posix()] = np.load(path)
    return experiment, arrays


def result_values(result, experiment, statistic="mean", variant=0):
    """A result file's numbers in the form of measure()."""
    sites = experiment["shape"]["depth"] + 2
    entry = result["variants"][variant]
    values = {}

    def put(name, site, stat):
        if stat is not None and statistic in stat:
            values.setdefault(name, [None] * sites)[site] = stat[statistic]

    def put_all(group, site):
        for name, stat in group.items():
            if name == "grad":
                put_all(stat, site)
            elif isinstance(stat, dict) or stat is None:
                put(name, site, stat)

    put_all(entry["input"], 0)
    for layer in entry["layers"]:
        put_all(layer, layer["layer"])
    put_all(entry["head"], sites - 1)
    put("loss", sites - 1, entry["loss"])
    return values


if __name__ == "__main__":
    import sys
    if len(sys.argv) != 2:
        sys.exit("usage: reference.py DUMP_DIRECTORY")
    json.dump(measure(*load_dump(sys.argv[1])), sys.stdout, indent=1)
    print()
