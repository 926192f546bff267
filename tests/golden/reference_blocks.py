# Copyright (C) 2026 The Normscope developers
# SPDX-License-Identifier: GPL-3.0-or-later
"""One transformer block in PyTorch: derived settings, operations, parameters and wiring.

Part of reference.py. Sizes: B batch, T tokens, d d_model, f d_ff, V vocab, L depth;
h query heads of d_head features, A = h·d_head, K = kv_heads·d_head. A linear map is y = x W, W is [in, out].

A stack consists of parts: "stack" alone, or "encoder" and "decoder". A decoder's block has a third sub-layer, "cross".
"""

import math

import numpy as np
import torch

from reference_streams import mix_in, mix_out, mix_parameters, mix_weights, stream_count

import reference_ngpt as ngpt

# Positions of the norms of a sub-layer: before it, on its branch before the sum, after the sum.
PLACEMENTS = {
    "none": (),
    "pre": ("pre",),
    "post": ("post",),
    "sandwich": ("pre", "branch"),
    "branch": ("branch",),
    "pre-post": ("pre", "post"),
}

GATED = ("swiglu", "geglu", "geglu-tanh")
COSINE_FACTOR = 10.0
COSINE_EPS = 1e-24  # added to the mean square; avoids 0/0 for a zero vector


# ---- derived settings ----

def sub_layers(variant, part):
    """Return the sub-layers of a block, from the first to the last."""
    alone = {"both": None, "attention": "attn", "ffn": "ffn"}[variant.get("sublayers", "both")]
    if alone is not None:
        return (alone,)
    return ("attn", "cross", "ffn") if part == "decoder" else ("attn", "ffn")


def wiring(variant, sub, key):
    """Return "norm", "residual" or "inner_norm" of a sub-layer. Cross-attention inherits null settings from attn."""
    value = variant.get(sub, {}).get(key)
    return variant["attn"][key] if sub == "cross" and value is None else value


def placement(variant, sub, block, depth):
    """Return the placement of a sub-layer in block 1..depth of its part (Mix-LN: the first floor(p L) are Post-LN)."""
    fraction = variant["post_fraction"]
    if variant.get("first_block_pre") and block == 1 and fraction is None:  # HybridNorm* (Zhuo et al. 2025)
        return "pre"
    if fraction is None:
        return wiring(variant, sub, "norm")
    return "post" if block <= math.floor(fraction * depth) else "pre"


def part_depth(shape, part):
    """Return the number of blocks of the stack, the encoder or the decoder."""
    return shape.get("decoder_depth") or shape["depth"] if part == "decoder" else shape["depth"]


def head_sizes(shape):
    """Return (query heads, key and value heads, d_head)."""
    heads = shape["heads"]
    return heads, shape["kv_heads"] or heads, shape["d_head"] or shape["d_model"] // heads


def ends_in_norm(experiment, variant, part):
    """Return True if final_norm places a norm at the end of the part."""
    if variant["final_norm"] != "auto":
        return variant["final_norm"] == "on"
    if variant.get("ngpt"):
        return False
    depth = part_depth(experiment["shape"], part)
    return variant["dual_residual"] or "post" not in PLACEMENTS[
        placement(variant, sub_layers(variant, "stack")[-1], depth, depth)]


def has_final_norm(experiment, variant):
    """Return True if there is a norm before the head; unit-gradient has no head."""
    last = "decoder" if experiment["shape"]["stack"] == "encoder-decoder" else "stack"
    return experiment["loss"] != "unit-gradient" and ends_in_norm(experiment, variant, last)


def residual_scale(variant, sub, part, depth, decoder_depth=None, block=2):
    """Return a: of DeepNorm (Wang et al. 2022), of Admin (Liu et al. 2020), of Keel (Chen and Wei 2026) in a block
    from 1, or the number. depth: of the part."""
    if not wiring(variant, sub, "residual"):
        return 0.0
    n = len(sub_layers(variant, part)) * depth  # sub-layers of the part
    if variant["residual_scale"] == "deepnorm":
        return 0.81 * (depth ** 4 * (decoder_depth or depth)) ** (1 / 16) if part == "encoder" else n ** 0.25
    if variant["residual_scale"] == "admin":
        return math.sqrt((n + 1) / math.log(n + 1) - 1)
    if variant["residual_scale"] == "admin-constant":
        return math.sqrt(n)
    if variant["residual_scale"] == "keel":
        is_first = block == 1 and variant["first_block_pre"] and variant["post_fraction"] is None
        return 1.0 if is_first else float(n)
    return float(variant["residual_scale"])


def branch_scale(variant, depth):
    scale = variant["branch_scale"]
    return depth ** -0.5 if scale == "inverse-sqrt-depth" else float(scale)


def input_scale(variant, depth):
    scale = variant["input_scale"]
    return (9 * depth) ** -0.25 if scale == "t-fixup" else float(scale)


def norm_scale(variant, block):
    """Return the factor on the output of a pre-norm (LayerNorm scaling, Sun et al. 2025)."""
    return 1 / math.sqrt(block) if variant["norm_scale"] == "layernorm-scaling" else 1.0


def has_bias(variant, name):
    """Return True if the variant adds the bias "cross_b_q", "b_1", "b_head", ... or "bias_...", of a norm.

    A key that is absent or null follows another one: bias_k follows bias_qkv, the others follow bias.
    """
    last = name.split("_")[-1]
    group = ("norms" if name.startswith("bias_") else "head" if name.startswith("b_head") else
             {"q": "qkv", "k": "k", "v": "qkv", "o": "output"}.get(last, "ffn"))
    keys = ["bias_k", "bias_qkv", "bias"] if group == "k" else [f"bias_{group}", "bias"]
    value = next(variant[key] for key in keys if variant.get(key) is not None)
    return value and not (group == "norms" and variant["norm"] == "rmsnorm")


def attention_factor(variant, shape):
    """Return the factor on the products of queries and keys. In μP it is divided by the root of the ratio of the heads'
    widths, which a set d_head keeps."""
    d_head = head_sizes(shape)[2]
    if variant["qk_norm"] == "cosine":
        return COSINE_FACTOR
    if variant.get("ngpt"):
        return math.sqrt(d_head)
    scale = variant["attention_scale"]
    scale = d_head ** -0.5 if scale == "sqrt-d-head" else float(scale)
    return scale if shape["d_head"] is not None else scale * mup_ratio(variant, shape["d_model"]) ** -0.5


def mup_ratio(variant, d_model):
    """Return the width over the base width of μP."""
    base = variant["init"].get("mup_base")
    return 1.0 if base is None else d_model / base


# ---- operations ----

def layernorm(x, gain, bias, eps):
    mean = x.mean(-1, keepdim=True)
    var = ((x - mean) ** 2).mean(-1, keepdim=True)
    y = (x - mean) / torch.sqrt(var + eps) * gain
    return y if bias is None else y + bias


def rmsnorm(x, gain, eps):
    return x / torch.sqrt((x ** 2).mean(-1, keepdim=True) + eps) * gain


def dyt(x, gain, bias, alpha):
    """Dynamic tanh (Zhu et al. 2025)."""
    y = gain * torch.tanh(alpha * x)
    return y if bias is None else y + bias


def norm_at(x, p, name, variant):
    """Apply the norm of that name, or return x if p has none."""
    if f"gain_{name}" not in p:
        return x
    gain, bias = p[f"gain_{name}"], p.get(f"bias_{name}")
    if variant["norm"] == "rmsnorm":
        return rmsnorm(x, gain, variant["norm_eps"])
    if variant["norm"] == "dyt":
        return dyt(x, gain, bias, p[f"alpha_{name}"])
    return layernorm(x, gain, bias, variant["norm_eps"])


def linear(x, p, name):
    """Return x W + b for a matrix such as "cross_w_o" and its bias "cross_b_o", if p has one."""
    y = x @ p[name]
    bias = p.get(bias_of(name))
    return y if bias is None else y + bias


def bias_of(matrix):
    return matrix.replace("w_", "b_")


def has_rotary(variant, block):
    """Return True if self-attention of block 1, 2, ... has rotary positions."""
    every = variant.get("rotary_skip_every")
    return variant.get("rotary", "none") != "none" and (every is None or block % every != 0)


def rotary_pairs(variant, shape):
    """Return the number of pairs of a head that rotary positions turn."""
    dim = variant.get("rotary_dim") or head_sizes(shape)[2]
    return 0 if variant.get("rotary", "none") == "none" else dim // 2


def window_of(variant, block):
    """Return the tokens that a query sees at most in self-attention of block 1, 2, ..., or None."""
    every = variant.get("window_full_every")
    is_full = block <= (variant.get("window_after") or 0) or every is not None and block % every == 0
    return None if is_full else variant.get("window")


def local_rotary(variant, block):
    """Return the variant as its rotary positions are in the block: windows may have another base and no scaling."""
    base = variant.get("rotary_base_local")
    if base is None or window_of(variant, block) is None:
        return variant
    return {**variant, "rotary_base": base, "rotary_scaling": "none"}


def visible_tokens(T, causal, window):
    """Return which keys [s] each query [t] sees: those before it and itself, within the window."""
    t = torch.arange(T)
    ahead = t - t[:, None]  # s - t
    seen = ahead <= 0 if causal else torch.ones(T, T, dtype=torch.bool)
    return seen if window is None else seen & (ahead > -window) & (ahead < window)


def rotary_angles(variant, pairs, T):
    """Return (the angles [pairs] by which one position turns in sequences of T tokens, the factor on what is turned).

    Su et al. 2021, section 3.2.2; linear interpolation (Chen et al. 2023); apply_scaling() of Llama 3.1's code; YaRN as
    in its authors' code (Peng et al. 2023), with whole pairs as the ends of the ramp; LongRoPE (Ding et al. 2024) as in
    Phi-3's code.
    """
    base, factor, rule = variant["rotary_base"], variant["rotary_factor"], variant["rotary_scaling"]
    original, low, high = variant["rotary_original"], variant["rotary_low"], variant.get("rotary_high")
    angles = torch.tensor([base ** (-i / pairs) for i in range(pairs)], dtype=torch.float64)
    if rule == "linear":
        return angles / factor, 1.0
    if rule == "llama3":
        high = 4 if high is None else high
        wavelengths = 2 * math.pi / angles
        slow, fast = wavelengths > original / low, wavelengths < original / high
        smooth = (original / wavelengths - low) / (high - low)
        between = (1 - smooth) * angles / factor + smooth * angles
        return torch.where(slow, angles / factor, torch.where(fast, angles, between)), 1.0
    if rule == "yarn":
        def pair_of(turns):  # the pair whose wavelength is original/turns
            return pairs * math.log(original / (turns * 2 * math.pi)) / math.log(base)
        first, last = pair_of(32 if high is None else high), pair_of(low)
        if variant["rotary_truncate"]:
            first, last = math.floor(first), math.ceil(last)
        first, last = max(first, 0), min(last, 2 * pairs - 1)
        ramp = torch.arange(pairs, dtype=torch.float64) - first
        ramp = (ramp / (last - first or 0.001)).clamp(0, 1)
        m = variant.get("rotary_attention_factor")
        return ramp * angles / factor + (1 - ramp) * angles, 0.1 * math.log(factor) + 1 if m is None else m
    if rule == "longrope":
        numbers = variant.get("rotary_short_factors" if T <= original else "rotary_long_factors")
        numbers = [1.0] * pairs if numbers is None else numbers
        assert len(numbers) == pairs
        m = variant.get("rotary_attention_factor")
        m = math.sqrt(1 + math.log(factor) / math.log(original)) if m is None else m
        return torch.tensor([float(a) / n for a, n in zip(angles, numbers)], dtype=torch.float64), m
    return angles, 1.0


def turn(x, variant, shape):
    """Turn the first features of queries or keys [B, heads, T, d_head], pairs as complex numbers, by their position."""
    pairs = rotary_pairs(variant, shape)
    if pairs == 0:
        return x
    angles, factor = rotary_angles(variant, pairs, x.shape[2])
    phases = torch.outer(torch.arange(x.shape[2], dtype=torch.float64), angles)
    turns = torch.polar(torch.full_like(phases, factor), phases).to(torch.complex128 if x.dtype == torch.float64
                                                                     else torch.complex64)
    first, rest = x[..., :2 * pairs], x[..., 2 * pairs:]
    interleaved = variant["rotary"] == "interleaved"
    a, b = (first[..., 0::2], first[..., 1::2]) if interleaved else (first[..., :pairs], first[..., pairs:])
    turned = torch.complex(a, b) * turns
    both = [turned.real, turned.imag]
    first = torch.stack(both, -1).flatten(-2) if interleaved else torch.cat(both, -1)
    return torch.cat([first, rest], -1)


def alibi_slopes(heads):
    """The slopes of ALiBi as in its authors' code (Press et al. 2022)."""
    def of_power_of_two(n):
        start = 2.0 ** (-2.0 ** -(math.log2(n) - 3))
        return [start ** (i + 1) for i in range(n)]

    lower = 2 ** math.floor(math.log2(heads))
    return of_power_of_two(lower) + of_power_of_two(2 * lower)[0::2][:heads - lower]


def relative_buckets(T, causal, buckets, distance):
    """Return the bucket of every key for every query [T, T]: _relative_position_bucket() of T5's code in transformers,
    which takes the logarithm in float32."""
    offsets = torch.arange(T)[None, :] - torch.arange(T)[:, None]
    first = 0
    if causal:
        apart = -torch.min(offsets, torch.zeros_like(offsets))
    else:
        buckets //= 2
        first = (offsets > 0).long() * buckets
        apart = offsets.abs()
    exact = buckets // 2
    share = torch.log(apart.float() / exact) / math.log(distance / exact)
    large = exact + (share * (buckets - exact)).clamp(min=0).to(torch.long)
    return first + torch.where(apart < exact, apart, large.clamp(max=buckets - 1))


def position_bias(variant, factor, heads, T, table, causal):
    """Return what is added to the scores of self-attention [heads, T, T], or None; factor: on the products of queries
    and keys; table: T5's, [buckets, heads]."""
    kind = variant.get("position_bias", "none")
    if kind == "none":
        return None
    if variant["position_bias"] == "t5":
        return table[relative_buckets(T, causal, variant["position_buckets"],
                                      variant["position_distance"])].permute(2, 0, 1)
    t = torch.arange(T, dtype=torch.float64)
    slopes = torch.tensor(alibi_slopes(heads), dtype=torch.float64)
    if kind == "alibi-scaled":
        slopes = factor * slopes
    return -slopes[:, None, None] * (t[:, None] - t).abs()


def soft_cap(x, cap):
    """Keep x within ±cap (Gemma 2 2024, section 2)."""
    return x if cap is None else cap * torch.tanh(x / cap)


def logits_of(h, head, variant):
    """Return the logits [..., V] of h [..., d], scaled and capped."""
    if "w_head_dense" in head:
        h = norm_at(ACTIVATIONS[variant["activation"]](linear(h, head, "w_head_dense")), head, "head_dense", variant)
    scale, logits = variant["logit_scale"], h @ head["w_head"] + head.get("b_head", 0.0)
    if "s_z" in head:
        logits = ngpt.logits(logits, head, h.shape[-1])
    return soft_cap(logits * (h.shape[-1] ** -0.5 if scale == "inverse-sqrt-d-model" else scale),
                    variant.get("logit_cap"))


def unit(x):
    return x / torch.sqrt((x ** 2).sum(-1, keepdim=True) + x.shape[-1] * COSINE_EPS)


def attention(u, source, p, sub, shape, variant, block, causal, seen, table=None):
    """Multi-head attention of sub-layer "attn" or "cross".

    Queries come from u [B, T, d], keys and values from source [B, S, d], which is u in self-attention. p: the block's
    parameters. seen: a dict that receives numbers about the scores. table: relative position biases.
    """
    heads, kv_heads, d_head = head_sizes(shape)
    w = "cross_" if sub == "cross" else ""
    q, k, v = linear(u, p, w + "w_q"), linear(source, p, w + "w_k"), linear(source, p, w + "w_v")

    def split(x):  # [B, T, heads·d_head] -> [B, heads, T, d_head]
        return x.view(*x.shape[:2], -1, d_head).transpose(1, 2)

    def qkv_norm(x, name):
        return norm_at(x, p, f"{sub}_{name}", variant)

    if variant["qk_norm"] == "full":
        q, k = qkv_norm(q, "q"), qkv_norm(k, "k")
    q, k, v = split(q), split(k), split(v)
    if variant["qk_norm"] in ("head", "qkv-head"):
        q, k = qkv_norm(q, "q"), qkv_norm(k, "k")
    if variant["qk_norm"] == "qkv-head":
        v = qkv_norm(v, "v")
    if variant["qk_norm"] == "cosine":
        q, k = unit(q), unit(k)
    if sub == "attn" and has_rotary(variant, block):
        local = local_rotary(variant, block)
        q, k = turn(q, local, shape), turn(k, local, shape)
        if variant["qk_norm"] == "head-rotary":  # Llama 4: after the turn
            q, k = rmsnorm(q, 1.0, variant["norm_eps"]), rmsnorm(k, 1.0, variant["norm_eps"])
    if variant.get("ngpt"):
        q, k = ngpt.queries_and_keys(q, k, p, u.shape[-1])

    shared = [i // (heads // kv_heads) for i in range(heads)]  # the key and value head of each query head
    k, v = k[:, shared], v[:, shared]
    factor = attention_factor(variant, shape)
    scores = q @ k.transpose(-1, -2) * factor
    bias = position_bias(variant, factor, heads, u.shape[1], table, causal) if sub == "attn" else None
    scores = soft_cap(scores, variant.get("score_cap"))
    if bias is not None:
        scores = scores + bias.to(scores.dtype)
    if sub == "attn":
        visible = visible_tokens(u.shape[1], causal, window_of(variant, block))
        scores = scores.masked_fill(~visible, -math.inf)
    weights = torch.softmax(scores, -1)
    seen.update(describe_scores(scores.detach(), weights.detach(), "_cross" if sub == "cross" else ""))
    y = (weights @ v).transpose(1, 2).reshape(*u.shape[:2], heads * d_head)
    y = norm_at(y, p, f"{sub}_inner", variant)
    return linear(y, p, w + "w_o") if w + "w_o" in p else y


FLOAT_MIN = 2.0 ** -126  # the program's scores are floats, which underflow


def describe_scores(scores, weights, suffix):
    """Return the largest visible score, their root mean square, and the mean entropy of the rows with several visible
    positions over the largest they can have. Masked scores are -inf."""
    visible = torch.isfinite(scores).sum(-1)
    rms = float((scores[torch.isfinite(scores)] ** 2).mean().sqrt())
    numbers = {f"max_logit{suffix}": float(scores.max()), f"rms_scores{suffix}": rms if rms > FLOAT_MIN else 0.0}
    entropies = torch.special.entr(weights).sum(-1)
    if scores.shape[-1] > 1:
        numbers[f"entropy{suffix}"] = float((entropies / visible.log())[visible > 1].mean())
    return numbers


def gelu(x):
    return x * 0.5 * (1 + torch.erf(x / math.sqrt(2)))


def gelu_tanh(x):
    return 0.5 * x * (1 + torch.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x ** 3)))


def silu(x):
    return x * torch.sigmoid(x)


def relu(x):
    return torch.where(x > 0, x, torch.zeros_like(x))  # slope 0 at 0, where clamp() has slope 1


ACTIVATIONS = {"relu": relu, "gelu": gelu, "silu": silu, "gelu-tanh": gelu_tanh,
               "swiglu": silu, "geglu": gelu, "geglu-tanh": gelu_tanh}


MIN_MARGIN = 1e-3  # of two logits of a router, relative to the spread of a token's logits


def plain_ffn(u, p, variant, prefix=""):
    """Return the FFN of the matrices "w_1", ... or, with a prefix, "shared_w_1", ..., without biases and norms."""
    y = ACTIVATIONS[variant["activation"]](u @ p[prefix + "w_1"])
    if prefix + "w_3" in p:
        y = y * (u @ p[prefix + "w_3"])
    return y @ p[prefix + "w_2"]


def routing(u, p, variant):
    """Return (the softmax of the router's logits, the weight of every expert for each token, 1 where the token has
    chosen the expert), [.., E] each. The weight of the others is 0."""
    logits = u @ p["router"]
    chosen = torch.topk(logits.detach(), variant["experts_per_token"], dim=-1)
    check_margin(logits.detach(), variant["experts_per_token"])
    everything = torch.softmax(logits, -1)
    mask = torch.zeros_like(logits).scatter(-1, chosen.indices, 1.0)
    if variant["expert_weights"] == "softmax":
        return everything, everything * mask, mask
    if variant["expert_weights"] == "sigmoid-input":
        return everything, torch.sigmoid(logits.masked_fill(mask == 0, -math.inf)), mask
    return everything, torch.softmax(logits.masked_fill(mask == 0, -math.inf), -1), mask


def check_margin(logits, k):
    """Stop where a token's choice is so close that rounding decides: then no numbers can be compared."""
    ordered = logits.double().sort(dim=-1, descending=True).values
    if k == ordered.shape[-1]:
        return
    margin = (ordered[..., k - 1] - ordered[..., k]) / (ordered[..., 0] - ordered[..., -1])
    if not float(margin.min()) > MIN_MARGIN:
        raise ValueError(f"the choice of experts is too close for a comparison: margin {float(margin.min()):.2g}")


def experts(u, p, variant, seen):
    """Return the FFN with experts (Mixtral, Qwen2-MoE, Llama 4). Every expert computes all tokens; weights choose."""
    everything, weights, mask = routing(u, p, variant)
    seen.update(describe_routing(everything.detach(), mask))
    y = torch.zeros_like(u)
    for e in range(variant["experts"]):
        mine = {name: p[name][e] for name in ("w_1", "w_2", "w_3") if name in p}
        weight = weights[..., e:e + 1]
        if variant["expert_weights"] == "sigmoid-input":
            y = y + plain_ffn(u * weight, mine, variant)  # of an input of zeros it is zero
        else:
            y = y + weight * plain_ffn(u, mine, variant)
    if "shared_w_1" in p:
        gate = torch.sigmoid(u @ p["shared_gate"]) if "shared_gate" in p else 1.0
        y = y + gate * plain_ffn(u, p, variant, "shared_")
    return y


def describe_routing(everything, mask):
    """Return the mean entropy of the router over the largest it can have, and the number of tokens of each expert."""
    entropies = torch.special.entr(everything).sum(-1)
    return {"router_entropy": float(entropies.mean() / math.log(mask.shape[-1])),
            "loads": mask.flatten(0, -2).sum(0)}


def ffn(u, p, variant):
    if variant.get("ngpt"):
        return ngpt.ffn(u, p, ACTIVATIONS[variant["activation"]])
    y = ACTIVATIONS[variant["activation"]](linear(u, p, "w_1"))
    if "w_3" in p:
        y = y * linear(u, p, "w_3")
    y = norm_at(y, p, "ffn_inner", variant)
    return linear(y, p, "w_2")


# ---- parameters, as arrays by name ----

def norm_parameters(variant, name, features, gain=1.0):
    p = {f"gain_{name}": np.full(features, float(gain))}
    if has_bias(variant, f"bias_{name}"):
        p[f"bias_{name}"] = np.zeros(features)
    if variant["norm"] == "dyt":
        p[f"alpha_{name}"] = np.array(float(variant["dyt_alpha"]))
    return p


def weight_names(variant, part):
    names, subs = ["w_q", "w_k", "w_v"] + ["w_o"] * variant["attention_output"], sub_layers(variant, part)
    if part == "decoder":
        names += ["cross_" + name for name in names]
    if "ffn" not in subs:
        return names
    if "attn" not in subs:
        names = []
    gated = ["w_3"] * (variant["activation"] in GATED)
    names += ["w_1", "w_2"] + gated
    if variant.get("experts") is None:
        return names
    shared = [f"shared_{name}" for name in ["w_1", "w_2"] + gated] + \
        ["shared_gate"] * variant.get("shared_expert_gate", True)
    return names + ["router"] + shared * (variant.get("shared_experts") is not None)


def sub_layer_norms(experiment, variant, part, block, sub):
    """Yield (name, features, initial gain) of the norms of a sub-layer."""
    shape = experiment["shape"]
    heads, kv_heads, d_head = head_sizes(shape)
    places = PLACEMENTS[placement(variant, sub, block, part_depth(shape, part))]
    if variant.get("ngpt"):
        return
    # Parallel sub-layers share the norm after the sum and, unless each has its own, the norm before; both are attn's.
    shared = {"sequential": (), "parallel": ("pre", "post"), "parallel-two-norms": ("post",)}[variant["topology"]]
    for place in places:
        if sub != "ffn" or place not in shared:
            gain = variant["branch_norm_gain"] if place == "branch" else 1.0
            yield f"{sub}_{place}", shape["d_model"], gain
    if wiring(variant, sub, "inner_norm"):
        yield f"{sub}_inner", shape["d_ff"] if sub == "ffn" else heads * d_head, 1.0
    if sub == "ffn" or variant["qk_norm"] in ("none", "cosine", "head-rotary"):
        return
    full = variant["qk_norm"] == "full"
    yield f"{sub}_q", heads * d_head if full else d_head, 1.0
    yield f"{sub}_k", kv_heads * d_head if full else d_head, 1.0
    if variant["qk_norm"] == "qkv-head":
        yield f"{sub}_v", d_head, 1.0


def block_parameters(experiment, variant, arrays, part, block):
    depth, d = part_depth(experiment["shape"], part), experiment["shape"]["d_model"]
    folder = f"block{block:03d}/" if part == "stack" else f"{part}/block{block:03d}/"
    heads, kv_heads, d_head = head_sizes(experiment["shape"])
    p = {}
    for name in weight_names(variant, part):
        if variant["attention"] == "uniform" and name.endswith(("w_q", "w_k")):  # uniform attention
            p[name] = np.zeros((d, d_head * (heads if name.endswith("w_q") else kv_heads)))
        else:
            p[name] = arrays[folder + name]
        if has_bias(variant, bias_of(name)):
            p[bias_of(name)] = np.zeros(p[name].shape[1])
    for sub in sub_layers(variant, part):
        for name, features, gain in sub_layer_norms(experiment, variant, part, block, sub):
            p.update(norm_parameters(variant, name, features, gain))
        if variant["branch_parameter"] != "none":
            entries = d if variant["branch_parameter"] == "vector" else ()
            p[f"scale_{sub}"] = np.full(entries, branch_scale(variant, depth))
        p.update(mix_parameters(variant, block, sub, d))
    if variant.get("ngpt"):
        p.update(ngpt.block_parameters(experiment["shape"], variant["activation"] in GATED, heads * d_head))
    return p


# ---- the block ----

def pre_norm(x, p, name, variant, block):
    if f"gain_{name}" not in p:
        return x
    return norm_at(x, p, name, variant) * norm_scale(variant, block)


class Term:
    """The terms of a sum z = a·x + b·s: `residual` is the first, `branch` the second, and `x_residual` and `x_branch`
    are the copies of x that they read, so that each has a gradient of its own."""

    def __init__(self, x):
        self.x_residual, self.x_branch = x.clone(), x.clone()
        for copy in (self.x_residual, self.x_branch):
            copy.requires_grad_(True).retain_grad()


def held_norm(x, p, name, variant):
    """Return the norm as a linear map of x: what it multiplies x with is a constant."""
    if f"gain_{name}" not in p:
        return x
    if variant["norm"] == "dyt":
        slope = torch.where(x == 0, p[f"gain_{name}"] * p[f"alpha_{name}"], norm_at(x, p, name, variant) / x)
        return slope.detach() * x
    centred = x - x.mean(-1, keepdim=True) if variant["norm"] == "layernorm" else x
    sigma = (centred.square().mean(-1, keepdim=True) + variant["norm_eps"]).sqrt()
    return centred / sigma.detach() * p[f"gain_{name}"].detach()


def block_forward(x, memory, p, experiment, variant, part, block, cut=False, held=False, table=None):
    """Return (x_l, {sub-layer: output of its branch}, {"y_attn": output of a sub-layer, "z_attn": its sum, ...},
    {sub-layer: terms of its sum}, {quantity of the scores: its value}).

    memory: the output of the encoder, in a decoder. A sum without a norm after it is the output, too. cut: no gradient
    passes through the branches. held: their outputs are leaves, and the norms after the sums are linear. table: the
    relative position biases of the part.
    """
    post_norm = held_norm if held else norm_at
    shape = experiment["shape"]
    depth, decoder_depth, seen = part_depth(shape, part), part_depth(shape, "decoder"), {}

    def added_by(sub, u):
        if sub == "ffn":
            s = experts(u, p, variant, seen) if "router" in p else ffn(u, p, variant)
        else:
            causal = sub == "attn" and (part == "decoder" or part == "stack" and variant["attention"] == "causal")
            s = attention(u, memory if sub == "cross" else u, p, sub, shape, variant, block, causal, seen, table)
        b = p[f"scale_{sub}"] if f"scale_{sub}" in p else branch_scale(variant, depth)
        added = b * norm_at(s, p, f"{sub}_branch", variant)
        return added.detach().requires_grad_(held) if cut else added

    if variant.get("ngpt"):
        def branch(sub, u):
            if sub == "ffn":
                return ffn(u, p, variant)
            return attention(u, u, p, sub, shape, variant, block, variant["attention"] == "causal", seen, table)

        return (*ngpt.block_forward(x, p, branch, Term, branch_scale(variant, depth), cut, held), seen)

    if variant["topology"] != "sequential":
        term = Term(x)
        u = pre_norm(term.x_branch, p, "attn_pre", variant, block)
        two_norms = variant["topology"] == "parallel-two-norms"
        u_ffn = pre_norm(term.x_branch, p, "ffn_pre", variant, block) if two_norms else u
        added = {"attn": added_by("attn", u), "ffn": added_by("ffn", u_ffn)}
        term.residual = residual_scale(variant, "attn", part, depth, decoder_depth, block) * term.x_residual
        term.branch = added["attn"] + added["ffn"]
        z = term.residual + term.branch
        return post_norm(z, p, "attn_post", variant), added, {"z_attn": z}, {"attn": term}, seen

    x_block, added, inside, terms = x, {}, {}, {}
    for sub in sub_layers(variant, part):
        if stream_count(variant) is not None:  # Hyper-Connections (Zhu et al. 2024)
            a_m, a_r, b = mix_weights(x, p, sub, variant)
            added[sub] = added_by(sub, pre_norm(mix_in(x, a_m), p, f"{sub}_pre", variant, block))
            inside[f"z_{sub}"] = x = mix_out(x, added[sub], a_r, b)
            if sub != "ffn":
                inside[f"y_{sub}"] = x
            continue
        terms[sub] = term = Term(x)
        added[sub] = term.branch = added_by(sub, pre_norm(term.x_branch, p, f"{sub}_pre", variant, block))
        term.residual = residual_scale(variant, sub, part, depth, decoder_depth, block) * term.x_residual
        z = term.residual + term.branch
        if variant["block_residual"] and sub == "ffn":  # B2T (Takase et al. 2022)
            z = z + x_block
        x = post_norm(z, p, f"{sub}_post", variant)
        inside[f"z_{sub}"] = z
        if sub != sub_layers(variant, part)[-1]:
            inside[f"y_{sub}"] = x
    return x, added, inside, terms, seen
