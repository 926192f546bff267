#!/usr/bin/env python3
# Written by Normscope. The experiment and the numbers below belong to one run.
# SPDX-License-Identifier: GPL-3.0-or-later
"""One forward and one backward pass of a transformer at initialization, using only PyTorch.

    python3 experiment.py                  load weights and input from the .npy files in this folder, run in float64,
                                           print the table and the largest relative difference to Normscope's numbers;
                                           exit with status 1 if it exceeds 1e-3
    python3 experiment.py --own-weights    draw weights and input with torch's generator, and print only the table
#: if training
    python3 experiment.py --steps 300      train so many steps, by default those that are compared; the minibatches are
                                           those of this folder also with --own-weights
#: end

The script contains only what this variant needs; another wiring needs its own script.

Sizes: B batch, T sequence length, d d_model, f d_ff, V vocab, L depth. A linear map is y = x W with W [in, out].
#: if minibatches

There are M minibatches, each a pass of its own; arrays of the input hold the B sequences of the first, then those of
the second, and so on. ESTIMATE selects how their gradients are combined.
#: end
"""

import os
import sys

# Import nothing from the folder of this script or from the current one: a file torch.py there is not PyTorch.
NOT_SEARCHED = {os.path.dirname(os.path.realpath(__file__)), os.path.realpath(os.curdir)}
sys.path[:] = [folder for folder in sys.path if os.path.realpath(folder) not in NOT_SEARCHED]

import argparse  # noqa: E402
import ast  # noqa: E402
import json  # noqa: E402
import math  # noqa: E402
import pathlib  # noqa: E402
#: if experts
import types  # noqa: E402
#: end

import torch  # noqa: E402
from torch.nn import functional as F  # noqa: E402

# All settings of the run: one variant, one seed.
EXPERIMENT = json.loads(r"""@EXPERIMENT@""")

# Normscope's numbers: for each quantity, a list over the sites.
#: if encoder-decoder
# Site 0 is x_0, 1 .. L are the encoder's blocks, L + 1 is y_0, then the decoder's blocks, then the head.
#: else
# Site 0 is the input, 1 .. L are the blocks, L + 1 is the head.
#: end
NUMBERS = json.loads(r"""@NUMBERS@""")
#: if paths

# Its maps, by kind: the numbers of each map by row and column. A row is a site; a column is a site, a sub-layer with
# its block, a number of branches, or a parameter.
PATHS = json.loads(r"""@PATHS@""")
#: end
#: if training

# Its training: the losses of the first steps.
TRAINING = json.loads(r"""@TRAINING@""")
#: end

SHAPE, LOSS, [VARIANT] = EXPERIMENT["shape"], EXPERIMENT["loss"], EXPERIMENT["variants"]
L, d, f, B, T, V = (SHAPE[key] for key in ("depth", "d_model", "d_ff", "batch", "seq_len", "vocab"))
HEADS, KV_HEADS = SHAPE["heads"], SHAPE["kv_heads"] or SHAPE["heads"]
D_HEAD = SHAPE["d_head"] or d // HEADS
GATED = VARIANT["activation"] in ("swiglu", "geglu", "geglu-tanh")
#: if encoder-decoder
VARIANT["cross"] = {**VARIANT["attn"], **VARIANT.get("cross", {})}  # absent keys default to those of attn
SUBS = ("attn", "ffn")
PARTS, CAUSAL = {"encoder": SUBS, "decoder": ("attn", "cross", "ffn")}, {"encoder": False, "decoder": True}
DEPTH = {"encoder": L, "decoder": SHAPE.get("decoder_depth") or L}
#: else
SUBS = {"both": ("attn", "ffn"), "attention": ("attn",), "ffn": ("ffn",)}[VARIANT["sublayers"]]
PARTS, CAUSAL = {"stack": SUBS}, {"stack": VARIANT["attention"] == "causal"}
DEPTH = {"stack": L}
#: end
FIRST, HEAD_SITE = {}, 0  # the sites of the inputs of the parts, and of the head
for name in PARTS:
    FIRST[name], HEAD_SITE = HEAD_SITE, HEAD_SITE + DEPTH[name] + 1
#: if minibatches
M, ESTIMATE = EXPERIMENT["sampling"]["batches"], EXPERIMENT["sampling"]["estimate"]
#: end
TOLERANCE = 1e-3


# ---- norm placement ----

PLACES = {"none": [], "pre": ["pre"], "post": ["post"], "sandwich": ["pre", "branch"], "branch": ["branch"],
          "pre-post": ["pre", "post"]}


def places(sub, part, block):
    """Norms of a sub-layer in a block of a part: "pre" before it, "branch" on its output, "post" after the addition."""
#: if ngpt
    return []  # its norms have no parameters: unit()
#: else
#: if mixed
    found = PLACES["post" if block <= math.floor(VARIANT["post_fraction"] * DEPTH[part]) else "pre"]  # Mix-LN
#: else
    found = PLACES[VARIANT[sub]["norm"]]
#: end
#: if first-block-pre
    found = PLACES["pre"] if block == 1 else found  # HybridNorm*
#: end
#: if parallel
    found = [place for place in found if sub == "attn" or place == "branch"]  # the FFN shares attn's other norms
#: end
#: if parallel-two-norms
    found = [place for place in found if sub == "attn" or place != "post"]  # the FFN shares attn's post-norm
#: end
    return found
#: end


def ends_in_norm(part):
#: if ngpt
    return False
#: else
    if VARIANT["final_norm"] != "auto":
        return VARIANT["final_norm"] == "on"
#: if dual-residual
    return True
#: else
    last = list(PARTS.values())[-1][-1] if VARIANT["topology"] == "sequential" else "attn"
    return "post" not in places(last, part, DEPTH[part])
#: end
#: end


# ---- the model ----

def norm(x, p, name):
    """Normalize x with the parameters of that name; return x if p has none."""
    if f"gain_{name}" not in p:
        return x
    gain = p[f"gain_{name}"]
#: if layernorm
    return F.layer_norm(x, gain.shape, gain, p.get(f"bias_{name}"), VARIANT["norm_eps"])
#: end
#: if rmsnorm
    return x / torch.sqrt((x * x).mean(-1, keepdim=True) + VARIANT["norm_eps"]) * gain
#: end
#: if dyt
    return gain * torch.tanh(p[f"alpha_{name}"] * x) + p.get(f"bias_{name}", 0)
#: end


def pre_norm(x, p, name, block):
#: if layernorm-scaling
    return norm(x, p, name) / math.sqrt(block) if f"gain_{name}" in p else x
#: else
    return norm(x, p, name)
#: end


def post_norm(z, p, name, cut):
    """The norm after an addition. For the shares in x_L it is linear: the factors of z are constants, the bias is 0."""
#: if ngpt
    return z / z.norm(dim=-1, keepdim=True).detach() if cut == "linear" else unit(z)
#: else
    if cut != "linear" or f"gain_{name}" not in p:
        return norm(z, p, name)
#: if dyt
    slope = torch.where(z == 0, p[f"gain_{name}"] * p[f"alpha_{name}"], norm(z, p, name) / z)
    return slope.detach() * z
#: end
#: if layernorm
    z = z - z.mean(-1, keepdim=True)
#: end
#: if not dyt
    sigma = torch.sqrt((z * z).mean(-1, keepdim=True) + VARIANT["norm_eps"])
    return p[f"gain_{name}"] * z / sigma.detach()
#: end
#: end


def linear(x, p, name):
    y, bias = x @ p[name], name.replace("w_", "b_")
    return y + p[bias] if bias in p else y


#: if head-transform
def transform(h, head):
    """The dense layer, the activation and the norm before the output matrix."""
    return norm(ACTIVATIONS[VARIANT["activation"]](linear(h, head, "w_head_dense")), head, "head_dense")


#: end
#: if logit-scale
def logit_scale():
    return 1 / math.sqrt(d) if VARIANT["logit_scale"] == "inverse-sqrt-d-model" else VARIANT["logit_scale"]


#: end
#: if ngpt
def unit(x):
    """x over its length."""
    return x / x.norm(dim=-1, keepdim=True)


def step(p, sub):
    """How far the stream moves toward the output of a sub-layer; a stored 1/sqrt(d) is the first step."""
    return (branch_scale("stack") * math.sqrt(d) * p[f"scale_{sub}"]).abs()


#: end
#: if soft-cap
def soft_cap(x, cap):
    """Keep x within plus and minus the cap; a small x stays as it is."""
    return cap * torch.tanh(x / cap)


#: end
#: if window
def window_of(block):
    """Return how many tokens a token sees at most in self-attention of block 1 .. L; None: all."""
    every = VARIANT.get("window_full_every", math.inf)
    return None if block <= VARIANT.get("window_after", 0) or block % every == 0 else VARIANT["window"]


#: end
def attention(u, source, p, sub, block, causal, numbers, table=None):
    """Attention with queries from u and keys and values from source; source is u except in cross-attention. Add
    numbers about the scores to the dict."""
    w = "cross_w_" if sub == "cross" else "w_"
    q, k, v = linear(u, p, w + "q"), linear(source, p, w + "k"), linear(source, p, w + "v")
#: if qk-norm-full
    q, k = norm(q, p, f"{sub}_q"), norm(k, p, f"{sub}_k")
#: end
    q, k, v = (x.view(len(x), T, -1, D_HEAD).transpose(1, 2) for x in (q, k, v))
#: if qk-norm-head
    q, k, v = norm(q, p, f"{sub}_q"), norm(k, p, f"{sub}_k"), norm(v, p, f"{sub}_v")
#: end
#: if qk-norm-cosine
    q, k = (x / torch.sqrt((x * x).sum(-1, keepdim=True) + D_HEAD * 1e-24) for x in (q, k))
#: end
#: if rotary
#: if rotary-skip
    if sub == "attn" and block % VARIANT["rotary_skip_every"] != 0:
#: else
    if sub == "attn":
#: end
        q, k = turn(q, block), turn(k, block)
#: if qk-norm-head-rotary
        q, k = (x / torch.sqrt((x * x).mean(-1, keepdim=True) + VARIANT["norm_eps"]) for x in (q, k))
#: end
#: end
#: if ngpt
    factors = (math.sqrt(d) * p["s_qk"]).view(HEADS, 1, D_HEAD)
    q, k = factors * unit(q), factors * unit(k)
#: end
#: if grouped-queries
    k, v = (x.repeat_interleave(HEADS // KV_HEADS, dim=1) for x in (k, v))  # head i uses i // (HEADS // KV_HEADS)
#: end
    scores = attention_scale() * q @ k.transpose(-1, -2)
#: if score-cap
    scores = soft_cap(scores, VARIANT["score_cap"])
#: end
#: if alibi
    if sub == "attn":
        scores = scores + alibi().to(scores.dtype)
#: end
#: if relative
    if sub == "attn":
        scores = scores + table[buckets(causal)].permute(2, 0, 1)
#: end
    if causal:
        future = torch.ones(T, T, dtype=torch.bool).triu(1)
        scores = scores.masked_fill(future, -math.inf)
#: if window
    if sub == "attn" and window_of(block) is not None:
        distance = (torch.arange(T)[:, None] - torch.arange(T)).abs()
        scores = scores.masked_fill(distance >= window_of(block), -math.inf)
#: end
    weights = torch.softmax(scores, -1)
    numbers |= describe(scores.detach(), weights.detach(), "_cross" if sub == "cross" else "")
    y = (weights @ v).transpose(1, 2).reshape(len(u), T, HEADS * D_HEAD)
#: if inner-norm
    y = norm(y, p, f"{sub}_inner")
#: end
    return linear(y, p, w + "o") if VARIANT["attention_output"] else y


#: if alibi
def alibi():
    """Biases [HEADS, T, T] of the scores: minus the distance times the head's slope. HEADS that are no power of two
    have the slopes of the power n below, and then every other one of 2 n."""
    n = 2 ** (HEADS.bit_length() - 1)
    powers = [8 * (i + 1) / n for i in range(n)] + [8 * (i + 1) / (2 * n) for i in range(0, 2 * n, 2)]
    slopes = 2.0 ** -torch.tensor(powers[:HEADS], dtype=torch.float64)
#: if alibi-scaled
    slopes *= attention_scale()
#: end
    t = torch.arange(T, dtype=torch.float64)
    return -slopes[:, None, None] * (t[:, None] - t).abs()


#: end
#: if relative
def buckets(causal):
    """The row of the table of biases for every query and key [T, T]: distances up to half the rows of one side have a
    row of their own, longer ones share rows. As in the code of T5, the logarithm is that of torch's float32."""
    rows, first = VARIANT["position_buckets"], 0
    offsets = torch.arange(T) - torch.arange(T)[:, None]  # negative for an earlier key
    distances = (-offsets).clamp(min=0)
    if not causal:  # half of the rows for later keys
        rows //= 2
        distances, first = offsets.abs(), rows * (offsets > 0)
    exact = rows // 2
    shares = torch.log(distances.clamp(min=1).float() / exact) / math.log(VARIANT["position_distance"] / exact)
    far = (exact + (shares * (rows - exact)).long()).clamp(max=rows - 1)
    return first + torch.where(distances < exact, distances, far)


#: end
#: if rotary
def rotary_angles(block):
    """The angles by which one position turns each pair of features, and the factor on what is turned."""
    pairs = (VARIANT.get("rotary_dim") or D_HEAD) // 2
#: if rotary-local
    if window_of(block) is not None:
        return VARIANT["rotary_base_local"] ** (-torch.arange(pairs, dtype=torch.float64) / pairs), 1.0
#: end
    angles, scale = VARIANT["rotary_base"] ** (-torch.arange(pairs, dtype=torch.float64) / pairs), 1.0
#: if rotary-linear
    angles = angles / VARIANT["rotary_factor"]
#: end
#: if rotary-llama3
    factor, low, high = VARIANT["rotary_factor"], VARIANT["rotary_low"], VARIANT.get("rotary_high") or 4
    kept = ((VARIANT["rotary_original"] * angles / (2 * math.pi) - low) / (high - low)).clamp(0, 1)
    angles = (1 - kept) * angles / factor + kept * angles
#: end
#: if rotary-yarn
    factor, low, high = VARIANT["rotary_factor"], VARIANT["rotary_low"], VARIANT.get("rotary_high") or 32

    def pair_of(turns):  # the pair that turns so many times over the original context
        return pairs * math.log(VARIANT["rotary_original"] / (2 * math.pi * turns)) / math.log(VARIANT["rotary_base"])

    first, last = pair_of(high), pair_of(low)
    if VARIANT["rotary_truncate"]:
        first, last = math.floor(first), math.ceil(last)
    first, last = max(first, 0), min(last, 2 * pairs - 1)
    kept = 1 - ((torch.arange(pairs) - first) / (last - first or 0.001)).clamp(0, 1)
    angles = (1 - kept) * angles / factor + kept * angles
    scale = VARIANT.get("rotary_attention_factor") or 0.1 * math.log(factor) + 1
#: end
#: if rotary-longrope
    original = VARIANT["rotary_original"]
    numbers = VARIANT.get("rotary_long_factors" if T > original else "rotary_short_factors") or [1.0]
    angles = angles / torch.tensor(numbers, dtype=torch.float64)
    longer = math.log(VARIANT["rotary_factor"]) / math.log(original)
    scale = VARIANT.get("rotary_attention_factor") or math.sqrt(1 + longer)
#: end
    return angles, scale


def turn(x, block):
    """Rotary positions of queries or keys [.., T, D_HEAD]: pair i of token t turns by t times its angle."""
    angles, scale = rotary_angles(block)
    phases, r = torch.outer(torch.arange(T, dtype=torch.float64), angles), 2 * len(angles)
    cos, sin = (scale * phases.cos()).to(x.dtype), (scale * phases.sin()).to(x.dtype)
#: if rotary-interleaved
    a, b = x[..., 0:r:2], x[..., 1:r:2]
    turned = torch.stack([a * cos - b * sin, a * sin + b * cos], -1).flatten(-2)
#: else
    a, b = x[..., : r // 2], x[..., r // 2:r]
    turned = torch.cat([a * cos - b * sin, a * sin + b * cos], -1)
#: end
    return torch.cat([turned, x[..., r:]], -1)


#: end
def describe(scores, weights, suffix):
    """Largest visible logit; entropy over its largest value, the mean over the rows that see several tokens."""
    seen = (scores > -math.inf).sum(-1)
    numbers = {f"max_logit{suffix}": float(scores.max())}
    if T > 1:
        relative_entropy = -torch.special.xlogy(weights, weights).sum(-1) / torch.log(seen)
        numbers[f"entropy{suffix}"] = float(relative_entropy[seen > 1].mean())
    return numbers


def attention_scale():
#: if qk-norm-cosine
    return 10
#: else
#: if ngpt
    return math.sqrt(D_HEAD)
#: else
    scale = VARIANT["attention_scale"]
    scale = 1 / math.sqrt(D_HEAD) if scale == "sqrt-d-head" else scale
#: if mup
    if SHAPE["d_head"] is None:  # heads become wider with the model, not more
        scale /= math.sqrt(d / VARIANT["init"]["mup_base"])
#: end
    return scale
#: end
#: end


def gelu_tanh(x):
    return F.gelu(x, approximate="tanh")


ACTIVATIONS = {"relu": F.relu, "gelu": F.gelu, "silu": F.silu, "gelu-tanh": gelu_tanh, "swiglu": F.silu,
               "geglu": F.gelu, "geglu-tanh": gelu_tanh}


#: if experts
def ffn(u, p, numbers):
    """The FFN with experts. Every expert computes all tokens here; the weights of those not chosen are 0."""
    logits, k = u @ p["router"], VARIANT["experts_per_token"]
    everything, chosen = torch.softmax(logits, -1), torch.zeros_like(logits)
    chosen = chosen.scatter(-1, logits.detach().topk(k, -1).indices, 1.0)
#: if expert-inputs
    weights = torch.sigmoid(logits) * chosen
#: else
    weights = everything * chosen
    if VARIANT["expert_weights"] == "normalized":
        weights = torch.softmax(logits.masked_fill(chosen == 0, -math.inf), -1)
#: end
    probs = everything.detach()
    numbers["loads"] = chosen.flatten(0, -2).sum(0) / (chosen.sum())
    numbers["router_entropy"] = float(-torch.special.xlogy(probs, probs).sum(-1).mean() / math.log(len(probs[0, 0])))
#: if expert-inputs
    y = sum(one_ffn(weights[..., e:e + 1] * u, p["w_1"][e], p["w_2"][e], p["w_3"][e] if GATED else None)
            for e in range(VARIANT["experts"]))
#: else
    y = sum(weights[..., e:e + 1] * one_ffn(u, p["w_1"][e], p["w_2"][e], p["w_3"][e] if GATED else None)
            for e in range(VARIANT["experts"]))
#: end
#: if shared-expert
    shared = one_ffn(u, p["shared_w_1"], p["shared_w_2"], p.get("shared_w_3"))
#: if shared-gate
    shared = torch.sigmoid(u @ p["shared_gate"]) * shared
#: end
    y = y + shared
#: end
    return y


def one_ffn(u, w_1, w_2, w_3):
    y = ACTIVATIONS[VARIANT["activation"]](u @ w_1)
    return (y if w_3 is None else y * (u @ w_3)) @ w_2


#: else
def ffn(u, p, _):
#: if ngpt
    y = ACTIVATIONS[VARIANT["activation"]](math.sqrt(d) * p["s_v"] * (u @ p["w_1"]))
    return (y * (p["s_u"] * (u @ p["w_3"])) if GATED else y) @ p["w_2"]
#: else
    y = ACTIVATIONS[VARIANT["activation"]](linear(u, p, "w_1"))
    if GATED:
        y = y * linear(u, p, "w_3")
#: if inner-norm
    y = norm(y, p, "ffn_inner")
#: end
    return linear(y, p, "w_2")
#: end


#: end
def residual_scale(sub, part, block):
    if not VARIANT[sub]["residual"]:
        return 0.0
#: if first-block-pre
    if VARIANT["residual_scale"] == "keel" and block == 1:
        return 1.0
#: end
    n = len(PARTS[part]) * DEPTH[part]  # number of sub-layers
    rules = {"deepnorm": n ** 0.25, "admin": math.sqrt((n + 1) / math.log(n + 1) - 1), "admin-constant": math.sqrt(n),
             "keel": n}
#: if encoder-decoder
    if part == "encoder":
        rules["deepnorm"] = 0.81 * (L ** 4 * DEPTH["decoder"]) ** (1 / 16)
#: end
    return rules.get(VARIANT["residual_scale"], VARIANT["residual_scale"])


def branch_scale(part):
    return 1 / math.sqrt(DEPTH[part]) if VARIANT["branch_scale"] == "inverse-sqrt-depth" else VARIANT["branch_scale"]
def residual(p, sub, part, block):
    """The factor on the residual of a sub-layer."""
#: if ngpt
    return 1 - step(p, sub)
#: else
    return residual_scale(sub, part, block)
#: end




def copies(x):
    """Two copies of x with gradients of their own: the residual's and the branch's."""
    pair = x.clone(), x.clone()
    for copy in pair:
        copy.retain_grad()
    return pair


def branch(s, p, sub, part, cut):
    """The term that a sub-layer with output s adds to the residual stream; cut: it passes no gradient on."""
#: if ngpt
    added = step(p, sub) * unit(s)
#: else
#: if branch-parameter
    added = p[f"scale_{sub}"] * norm(s, p, f"{sub}_branch")
#: else
    added = branch_scale(part) * norm(s, p, f"{sub}_branch")
#: end
#: end
#: if lengths
    if callable(cut):
        added.register_hook(cut)  # the gradient that it returns goes down the branch
        return added
#: end
    return added.detach().requires_grad_(cut == "linear") if cut else added


#: if streams
def stream_weights(x, p, sub):
    """The weights of the streams [B, T, n·d] in a sub-layer's input, in the new streams, [old, new], and those of its
    output; those that depend on the token have [B, T, ...]."""
    a_m, a_r, b = (p[f"mix_{name}_{sub}"] for name in ("in", "streams", "out"))
#: if static-streams
    return a_m, a_r, b
#: else
    w_m, w_r, w_b = (p[f"mix_{name}_w_{sub}"] for name in ("in", "streams", "out"))
    scale = p[f"mix_scale_{sub}"]
#: if manifold-streams
    x = x / torch.sqrt((x * x).mean(-1, keepdim=True) + VARIANT["norm_eps"])  # mHC (Xie et al. 2025)
    h = scale[1] * (x @ w_r).unflatten(-1, a_r.shape) + a_r
    matrix = (h - h.amax(dim=(-2, -1), keepdim=True)).exp()
    for _ in range(20):  # Sinkhorn and Knopp 1967
        matrix = matrix / matrix.sum(-1, keepdim=True)
        matrix = matrix / matrix.sum(-2, keepdim=True)
    return torch.sigmoid(scale[0] * (x @ w_m) + a_m), matrix, 2 * torch.sigmoid(scale[2] * (x @ w_b) + b)
#: else
    x = F.layer_norm(x.unflatten(-1, (-1, d)), (d,), eps=VARIANT["norm_eps"])  # Zhu et al. 2024
    return (a_m + scale[0] * torch.tanh(x @ w_m).squeeze(-1), a_r + scale[0] * torch.tanh(x @ w_r),
            b + scale[1] * torch.tanh(x @ w_b).squeeze(-1))
#: end
#: end


#: end
def transformer_block(x, p, part, block, memory, cut, table=None):
    """Return x_l, the term that each sub-layer adds, each sum z and sub-layer's output y within the block, numbers of
    its attention and its experts, and the terms of each sum, residual and branch, with the input that each reads;
    memory is the encoder's output, for a decoder; table has the position biases of all blocks of the part, if it has
    any."""
#: if streams
    added, numbers, inside = {}, {}, {}
    for sub in PARTS[part]:
        mix_in, mix_streams, mix_out = stream_weights(x, p, sub)
        streams = x.unflatten(-1, (-1, d))  # [B, T, n, d]
        u = pre_norm((mix_in[..., None] * streams).sum(-2), p, f"{sub}_pre", block)
        s = attention(u, u, p, sub, block, CAUSAL[part], numbers, table) if sub == "attn" else ffn(u, p, numbers)
        added[sub] = branch(s, p, sub, part, cut)
        x = (mix_streams.mT @ streams + mix_out[..., None] * added[sub].unsqueeze(-2)).flatten(-2)
        inside |= {"z_attn": x, "y_attn": x} if sub == "attn" else {"z_ffn": x}
    return x, added, inside, numbers, {}
#: else
    added, numbers, terms, (x_residual, x_branch) = {}, {}, {}, copies(x)
#: if one-sub-layer
    [sub] = PARTS[part]
    u = pre_norm(x_branch, p, f"{sub}_pre", block)
    s = ffn(u, p, numbers) if sub == "ffn" else attention(u, u, p, sub, block, CAUSAL[part], numbers, table)
    added[sub] = branch(s, p, sub, part, cut)
    terms[sub] = residual_scale(sub, part, block) * x_residual, added[sub], x_residual, x_branch
    z = sum(terms[sub][:2])
    return post_norm(z, p, f"{sub}_post", cut), added, {f"z_{sub}": z}, numbers, terms
#: else
    u = pre_norm(x_branch, p, "attn_pre", block)
    added["attn"] = branch(attention(u, u, p, "attn", block, CAUSAL[part], numbers, table), p, "attn", part, cut)
#: if not sequential
#: if parallel-two-norms
    u = pre_norm(x_branch, p, "ffn_pre", block)
#: end
    added["ffn"] = branch(ffn(u, p, numbers), p, "ffn", part, cut)
    terms["attn"] = residual(p, "attn", part, block) * x_residual, added["attn"] + added["ffn"], x_residual, x_branch
    z = sum(terms["attn"][:2])
    return post_norm(z, p, "attn_post", cut), added, {"z_attn": z}, numbers, terms
#: else
#: if block-residual
    x_block = x
#: end
    terms["attn"] = residual(p, "attn", part, block) * x_residual, added["attn"], x_residual, x_branch
    z = sum(terms["attn"][:2])
    x = post_norm(z, p, "attn_post", cut)
    inside = {"z_attn": z, "y_attn": x}
#: if encoder-decoder
    if part == "decoder":
        x_residual, x_branch = copies(x)
        u = pre_norm(x_branch, p, "cross_pre", block)
        added["cross"] = branch(attention(u, memory, p, "cross", block, False, numbers), p, "cross", part, cut)
        terms["cross"] = residual(p, "cross", part, block) * x_residual, added["cross"], x_residual, x_branch
        z = sum(terms["cross"][:2])
        x = post_norm(z, p, "cross_post", cut)
        inside |= {"z_cross": z, "y_cross": x}
#: end
    x_residual, x_branch = copies(x)
    added["ffn"] = branch(ffn(pre_norm(x_branch, p, "ffn_pre", block), p, numbers), p, "ffn", part, cut)
    terms["ffn"] = residual(p, "ffn", part, block) * x_residual, added["ffn"], x_residual, x_branch
    z = sum(terms["ffn"][:2])
#: if block-residual
    z = z + x_block
#: end
    return post_norm(z, p, "ffn_post", cut), added, {**inside, "z_ffn": z}, numbers, terms
#: end
#: end
#: end


def run_part(x, p_input, blocks, part, memory, head, end, cut=None):
    """Return a part's output h after its final norm, its residual stream x_0 .. x_L, and the rest of each block. cut:
    without gradients through the branches, for the identity path ("path") or, x_L linear in the branches, for the
    shares in it ("linear")."""
    x = norm(input_scale(part) * x, p_input, "input")
#: if streams
    x = x.repeat(1, 1, VARIANT["streams"])  # the streams of a token side by side
#: end
    stream, added, inside, scores, terms = [x], [], [], [], []
    for block, p in enumerate(blocks, 1):
        x, adds, within, numbers, sums = transformer_block(x, p, part, block, memory, cut,
                                                           p_input.get("relative_bias"))
        stream.append(x)
        added.append(adds)
        inside.append(within)
        scores.append(numbers)
        terms.append(sums)
#: if dual-residual
    r = stream[0] + sum(adds[sub] for adds in added for sub in adds)
    return x + norm(r, head, end), stream, added, inside, scores, terms
#: else
#: if streams
    x = x.unflatten(-1, (-1, d)).sum(-2)
#: end
    return norm(x, head, end), stream, added, inside, scores, terms
#: end


def input_scale(part):
    return (9 * DEPTH[part]) ** -0.25 if VARIANT["input_scale"] == "t-fixup" else VARIANT["input_scale"]


# ---- parameters ----

def has_bias(group):
    """Return True if these have biases: "qkv", "k", "output", "ffn", "norms" or "head". Absent keys follow others."""
    return VARIANT.get(f"bias_{group}", has_bias("qkv") if group == "k" else VARIANT["bias"])


def norm_parameters(name, features=d, gain=1.0):
    p = {f"gain_{name}": torch.full((features,), gain, dtype=torch.float64)}
#: if not rmsnorm
    if has_bias("norms"):
        p[f"bias_{name}"] = torch.zeros(features)
#: end
#: if dyt
    p[f"alpha_{name}"] = torch.tensor(VARIANT["dyt_alpha"], dtype=torch.float64)
#: end
    return p


def sub_layer_norms(sub, part, block):
    p = {}
    for place in places(sub, part, block):
        p.update(norm_parameters(f"{sub}_{place}", d, VARIANT["branch_norm_gain"] if place == "branch" else 1.0))
#: if inner-norm
    if VARIANT[sub]["inner_norm"]:
        p.update(norm_parameters(f"{sub}_inner", f if sub == "ffn" else HEADS * D_HEAD))
#: end
#: if qk-norm-full
    if sub != "ffn":
        p.update(norm_parameters(f"{sub}_q", HEADS * D_HEAD))
        p.update(norm_parameters(f"{sub}_k", KV_HEADS * D_HEAD))
#: end
#: if qk-norm-head
    if sub != "ffn":
        for name in "qkv" if VARIANT["qk_norm"] == "qkv-head" else "qk":
            p.update(norm_parameters(f"{sub}_{name}", D_HEAD))
#: end
    return p


def matrices(part):
    """A block's matrices as (name, in, out, group of its bias)."""
    found = []
    for w in [{"attn": "w_", "cross": "cross_w_"}[sub] for sub in PARTS[part] if sub != "ffn"]:
        found += [(w + "q", d, HEADS * D_HEAD, "qkv"), (w + "k", d, KV_HEADS * D_HEAD, "k")]
        found += [(w + "v", d, KV_HEADS * D_HEAD, "qkv")]
        found += [(w + "o", HEADS * D_HEAD, d, "output")] * VARIANT["attention_output"]
#: if experts
    found += [("router", d, VARIANT["experts"], None)]
#: end
#: if shared-expert
    wide = f * VARIANT["shared_experts"]
    found += [("shared_w_1", d, wide, None), ("shared_w_2", wide, d, None)]
#: if shared-gate
    found += [("shared_gate", d, 1, None)]
#: end
    found += [("shared_w_3", d, wide, None)] * GATED
#: end
    if "ffn" not in PARTS[part]:
        return found
    return found + [("w_1", d, f, "ffn"), ("w_2", f, d, "ffn")] + [("w_3", d, f, "ffn")] * GATED


def folder(part, block):
#: if encoder-decoder
    return f"{part}/block{block:03d}/"
#: else
    return f"block{block:03d}/"
#: end


def block_parameters(part, block, arrays):
    p = {}
    for name, n_in, n_out, group in matrices(part):
        if VARIANT["attention"] == "uniform" and name.endswith(("w_q", "w_k")):
            p[name] = torch.zeros(n_in, n_out)  # equal scores give every token the same weight
        else:
            p[name] = arrays[folder(part, block) + name]
        if group is not None and has_bias(group):
            p[name.replace("w_", "b_")] = torch.zeros(n_out)
    for sub in PARTS[part]:
        p.update(sub_layer_norms(sub, part, block))
#: if branch-parameter
        size = (d,) if VARIANT["branch_parameter"] == "vector" else ()
        p[f"scale_{sub}"] = torch.full(size, branch_scale(part), dtype=torch.float64)
#: end
#: if streams
        identity = torch.eye(VARIANT["streams"], dtype=torch.float64)
        number = 2 * (block - 1) + PARTS[part].index(sub)  # of the sub-layer in the stack
        n = len(identity)
        first = identity[number % n].clone()  # each sub-layer prefers one stream in turn
#: if manifold-streams
        mix = {"in": 2 * first - 1, "streams": 8 * (identity - 1), "out": torch.zeros(n, dtype=torch.float64)}
        sizes, scales = {"in": (n * d, n), "streams": (n * d, n * n), "out": (n * d, n)}, 3
#: else
        mix = {"in": first, "streams": identity.clone(), "out": torch.ones(n, dtype=torch.float64)}
        sizes, scales = {"in": (d, 1), "streams": (d, n), "out": (d, 1)}, 2
#: end
        p |= {f"mix_{name}_{sub}": value for name, value in mix.items()}
#: if not static-streams
        p |= {f"mix_{name}_w_{sub}": torch.zeros(size, dtype=torch.float64) for name, size in sizes.items()}
        p[f"mix_scale_{sub}"] = torch.full((scales,), 0.01, dtype=torch.float64)
#: end
#: end
#: if ngpt
        p[f"scale_{sub}"] = torch.full((d,), 1 / math.sqrt(d), dtype=torch.float64)
    p["s_qk"] = torch.full((HEADS * D_HEAD,), 1 / math.sqrt(d), dtype=torch.float64)
    p.update({name: torch.ones(f, dtype=torch.float64) for name in (("s_v", "s_u") if GATED else ("s_v",))})
#: end
    return p


def input_parameters(part, arrays):
    """What precedes the blocks of a part: its input norm, and the position biases that they share."""
    p = norm_parameters("input") if VARIANT["input_norm"] else {}
#: if relative
    p["relative_bias"] = arrays[folder(part, 0) + "relative_bias"]
#: end
#: if patches
    if part != "decoder":
        p["w_patch"] = arrays[folder(part, 0) + "w_patch"]
        if VARIANT["bias"]:
            p["b_patch"] = torch.zeros(d)
#: end
    return p


#: if patches
def embed_patches(arrays, p, dtype):
    """The input [B, T, d] of the pixels [B, T, n] of the patches; a class token has none."""
    scale = EXPERIMENT["data"]["embed_scale"]
    x = (math.sqrt(d) if scale == "sqrt-d-model" else scale) * linear(arrays["pixels"].to(dtype), p, "w_patch")
#: if class-token
    x = torch.cat([torch.zeros_like(x[:, :1]), x[:, 1:]], dim=1)
#: end
    return x + arrays["x0_added"].to(dtype)


#: end


def head_parameters(arrays):
    """Parameters of the head and of the final norms."""
    p = {}
#: if encoder-decoder
    if ends_in_norm("encoder"):
        p.update(norm_parameters("encoder_final"))
#: end
#: if cross-entropy
    if ends_in_norm([*PARTS][-1]):
        p.update(norm_parameters("final"))
#: if head-transform
    p.update(norm_parameters("head_dense"))
    p["w_head_dense"] = arrays["head/w_head_dense"]
    if has_bias("head"):
        p["b_head_dense"] = torch.zeros(d)
#: end
    p["w_head"] = arrays["head/w_head"]
    if has_bias("head"):
        p["b_head"] = torch.zeros(V)
#: if ngpt
    p["s_z"] = torch.full((V,), 1 / math.sqrt(d), dtype=torch.float64)
#: end
#: end
    return p


def leaves(p, dtype):
    return {name: tensor.detach().clone().to(dtype).requires_grad_() for name, tensor in p.items()}


# ---- one forward and one backward pass ----

def size_of(x):
    """Return m, the largest magnitude in x, and x / m, whose squares do not underflow."""
    x = x.detach().double()
    largest = float(x.abs().max())
    return largest, x / largest if 0 < largest < math.inf else None


def mean_absolute(x):
#: if minibatches
    x = torch.cat(x)
#: end
    return float(x.detach().double().abs().mean())


def rms(x):
#: if minibatches
    x = torch.cat(x)
#: end
    largest, scaled = size_of(x)
    return largest if scaled is None else largest * float(scaled.square().mean().sqrt())


def token_norm(x):
    """The length of a token's vector, as root mean square over the tokens."""
#: if minibatches
    x = torch.cat(x)
#: end
    largest, scaled = size_of(x)
    return largest if scaled is None else largest * float(scaled.norm(dim=-1).square().mean().sqrt())


def norm_of(gradient):
    if gradient is None:  # the loss does not depend on it
        return 0.0
    largest, scaled = size_of(gradient)
    return largest if scaled is None else largest * float(scaled.norm())


#: if minibatches
def mean_gradient(p):
    return None if p[0].grad is None else sum(each.grad for each in p) / M


def gradient_norm(*parameters, estimate=None):
    """Return the gradient norm of several parameters together; each parameter is a list over the minibatches."""
    norms = [math.hypot(*(norm_of(p[m].grad) for p in parameters)) for m in range(M)]
    of_mean = math.hypot(*(norm_of(mean_gradient(p)) for p in parameters))
    estimate = estimate or ESTIMATE
    if estimate == "norm":  # mean of the minibatches' norms
        return sum(norms) / M
    if estimate == "mean":  # norm of the mean gradient
        return of_mean
    mean_square = sum(norm ** 2 for norm in norms) / M
#: if expected
    if estimate == "noise":  # its square is the scale of the rounding errors in the expected gradient's square
        return math.sqrt((M * of_mean ** 2 + mean_square) / (M - 1))
#: end
    square = (M * of_mean ** 2 - mean_square) / (M - 1)  # unbiased estimate of the expected gradient's square
    return math.copysign(math.sqrt(abs(square)), square)


#: if experts
def expert_norm(p, e, estimate=None):
    """Return the gradient norm of the matrices of one expert."""
    return gradient_norm(*([types.SimpleNamespace(grad=each.grad[e]) for each in p[name]]
                           for name in ("w_1", "w_2", "w_3") if name in p), estimate=estimate)


#: end
def stream_gradient(x):
    """Return the mean of the minibatches' norms, since each minibatch has its own residual stream."""
    return sum(norm_of(each.grad) for each in x) / M
#: else
def gradient_norm(*parameters):
    """Return the gradient norm of several parameters together."""
    return math.hypot(*(norm_of(p.grad) for p in parameters))


#: if experts
def expert_norm(p, e):
    """Return the gradient norm of the matrices of one expert."""
    return math.hypot(*(norm_of(p[name].grad[e]) for name in ("w_1", "w_2", "w_3") if name in p))
#: end


stream_gradient = gradient_norm
#: end


def token_cos(x):
    """Mean cosine similarity of two different tokens of one sequence."""
#: if minibatches
    x = torch.cat(x)
#: end
    y = x.detach().double()
    y = y / y.abs().amax(-1, keepdim=True)
    y = y / y.norm(dim=-1, keepdim=True)
    cosines = y @ y.transpose(-1, -2)
    return float((cosines.sum() - cosines.diagonal(dim1=-2, dim2=-1).sum()) / (len(x) * T * (T - 1)))


def spread(x):
    """How the tokens of a sequence differ, the mean over the sequences: their norm without their mean over their norm,
    and the participation ratio, which counts the directions of the differences."""
#: if minibatches
    x = torch.cat(x)
#: end
    x = x.detach().double() / x.abs().amax((1, 2), keepdim=True)
    y = x - x.mean(1, keepdim=True)
    residual = y.norm(dim=(1, 2)) / x.norm(dim=(1, 2))
    y = y / y.norm(dim=(1, 2), keepdim=True)
    gram = y @ y.transpose(1, 2)  # its trace is 1
    return {"token_residual": float(residual.mean()),
            "participation": float((1 / gram.square().sum((1, 2))).mean())}


def sub_layer(name):
    """The sub-layer that a tensor of a block belongs to."""
#: if ngpt
    if name.startswith("s_"):
        return "attn" if name == "s_qk" else "ffn"
#: end
    found = [sub for sub in ("attn", "cross", "ffn") if sub in name.split("_")]
    return found[0] if found else "attn" if name[2:] in ("q", "k", "v", "o") else "ffn"


def gradient_of(x):
    return torch.zeros_like(x) if x.grad is None else x.grad


def direction(x):
    """x over its norm; NaN where x has no direction."""
    _, scaled = size_of(x)
    return torch.full_like(x, math.nan).double() if scaled is None else scaled / scaled.norm()


def constants(p):
    return {name: tensor.detach() for name, tensor in p.items()}


def identity_path(x, p_input, blocks, part, memory, head, end, h):
    """The gradient at x_0 .. x_L that runs through no branch of the part, from the gradient at its output h."""
    y, stream, *_ = run_part(x.detach().requires_grad_(), constants(p_input), [constants(p) for p in blocks], part,
                             None if memory is None else memory.detach(), constants(head), end, cut="path")
    for x in stream:
        x.retain_grad()
    y.backward(gradient_of(h))
    return [gradient_of(x) for x in stream]


def linear_in_branches(x, p_input, blocks, part, memory, head, end):
    """Return the part's residual stream, linear in its input and in what the sub-layers add, and these."""
    _, stream, added, *_ = run_part(x.detach().requires_grad_(), constants(p_input), [constants(p) for p in blocks],
                                    part, None if memory is None else memory.detach(), constants(head), end,
                                    cut="linear")
    return stream, added


def products_with(l, stream, added):
    """Return m, |x_l/m|^2, and <what c puts into x_l, x_l>/m^2 for the part's input c and, as (sub-layer, block), for
    every branch below. x_l is linear in them; m is its largest number."""
    last = stream[l].detach()
    m = float(last.abs().max()) or 1.0
    branches = {(sub, block): c for block, adds in enumerate(added[:l]) for sub, c in adds.items()}
    places = {"input": stream[0], **branches}
    gradients = torch.autograd.grad(stream[l], list(places.values()), last / m, retain_graph=True, allow_unused=True)
    return m, float((last.double() / m).square().sum()), {
        place: 0.0 if gradient is None else float((c.detach().double() / m * gradient.double()).sum())
        for (place, c), gradient in zip(places.items(), gradients)}


def share(place, products):
    """The share of a place in x_l, over all rows."""
#: if not minibatches
    products = [products]
#: end
    largest = max(m for m, _, _ in products)
    whole = sum((m / largest) ** 2 * square for m, square, _ in products)
    return sum((m / largest) ** 2 * parts[place] for m, _, parts in products) / whole if whole > 0 else math.nan


def skip_and_branch(sub, terms):
    """Quantities of a sub-layer's branch relative to its residual, over all rows; none without a residual."""
    if not VARIANT[sub]["residual"]:
        return {}
#: if minibatches
    residual, branch, x_residual, x_branch = zip(*terms)
    x_residual, x_branch = (torch.cat([gradient_of(x) for x in each]) for each in (x_residual, x_branch))
    residual, branch = torch.cat(residual), torch.cat(branch)
#: else
    residual, branch, x_residual, x_branch = terms
    x_residual, x_branch = gradient_of(x_residual), gradient_of(x_branch)
#: end
    values = {}
    for prefix, a, b in (("", residual, branch), ("grad_", x_residual, x_branch)):
        sizes = norm_of(a), norm_of(b)
        values[f"{prefix}skip_ratio_{sub}"] = sizes[1] / sizes[0] if sizes[0] > 0 else math.nan
        values[f"{prefix}skip_cos_{sub}"] = float((direction(a) * direction(b)).sum())
    return values


def relative(path, gradient, end):
    """Quantities of the identity path, with the gradient at its site and at the end of the part."""
#: if minibatches
    path, gradient, end = torch.cat(path), torch.cat([gradient_of(x) for x in gradient]), \
        torch.cat([gradient_of(x) for x in end])
#: else
    gradient, end = gradient_of(gradient), gradient_of(end)
#: end
    sizes = norm_of(path), norm_of(gradient), norm_of(end)
    on_path, whole, last = (direction(x) for x in (path, gradient, end))
    share = float((on_path * whole).sum()) * sizes[0] / sizes[1] if sizes[0] > 0 < sizes[1] else 0.0
    return {"identity": sizes[0] / sizes[2] if sizes[2] > 0 else math.nan,
            "identity_share": share if sizes[1] > 0 else math.nan, "grad_cos": float((whole * last).sum())}


def cosine(x, y):
#: if minibatches
    x, y = torch.cat(x), torch.cat(y)
#: end
    return float((direction(x) * direction(y)).sum())


def parameters(arrays, dtype):
    """Return the parameters of the head and, for each part, those of its input and of its blocks."""
    return leaves(head_parameters(arrays), dtype), [
        (leaves(input_parameters(part, arrays), dtype),
         [leaves(block_parameters(part, block, arrays), dtype) for block in range(1, DEPTH[part] + 1)])
        for part in PARTS]


def run_parts(arrays, head, parts, dtype, cut=None):
    """Run forward; return for each part what run_part() reads, and what it returns."""
    h, passes = None, []
    for part, (p_input, blocks) in zip(PARTS, parts):
        x = arrays["y0" if part == "decoder" else "x0"].to(dtype).requires_grad_()
#: if patches
        x = embed_patches(arrays, p_input, dtype) if part != "decoder" else x
#: end
        given = x, p_input, blocks, part, h, head, "encoder_final" if part == "encoder" else "final"
        passes.append((given, run_part(*given, cut)))
        h = passes[-1][1][0]
    return passes


def loss_of(h, head, arrays):
#: if cross-entropy
#: if head-transform
    h = transform(h, head)
#: end
    logits = linear(h, head, "w_head")
#: if ngpt
    logits = math.sqrt(d) * head["s_z"] * logits
#: end
#: if logit-scale
    logits = logit_scale() * logits
#: end
#: if logit-cap
    logits = soft_cap(logits, VARIANT["logit_cap"])
#: end
#: if class-token-loss
    return F.cross_entropy(logits.view(B * T, V), arrays["targets"].long().view(B * T), ignore_index=-1)
#: else
    return F.cross_entropy(logits.view(B * T, V), arrays["targets"].long().view(B * T))
#: end
#: else
    return (h * arrays["upstream"].to(h.dtype)).sum()  # with this gradient at h
#: end


def run_gradients(arrays, dtype):
    """Run forward and backward; return the parameters of the head, what run_parts() returns, and the loss."""
    head, parts = parameters(arrays, dtype)
    passes = run_parts(arrays, head, parts, dtype)
    for _, (h, stream, _, inside, *_) in passes:
        for x in stream + [h] + [x for within in inside for x in within.values()]:
            x.retain_grad()
    loss = loss_of(passes[-1][1][0], head, arrays)
    loss.backward()
    return head, passes, float(loss)


def run_pass(arrays, dtype):
    """Return the parameters of the head, the parts with their gradients and the loss, None without cross-entropy."""
    head, passes, loss = run_gradients(arrays, dtype)
    chain = []
    for given, (h, *returned) in passes:
        _, p_input, blocks, part, *_ = given
        paths = identity_path(*given, h), products_with(len(blocks), *linear_in_branches(*given))
        chain.append((part, p_input, blocks, *returned, *paths))
#: if cross-entropy
    return head, chain, loss
#: else
    return head, chain, None
#: end


#: if minibatches
DATA = ("x0", "y0", "pixels", "x0_added", "targets", "upstream")


def minibatches(arrays):
    """Yield the arrays of each minibatch. The dumped upstream gradient belongs to the mean over all, hence the M."""
    for m in range(M):
        own = {name: arrays[name][m * B:(m + 1) * B] for name in DATA if name in arrays}
#: if not cross-entropy
        own["upstream"] = M * own["upstream"]
#: end
        yield {**arrays, **own}


def join(dicts):
    """Join the dicts of all minibatches: name -> list over the minibatches."""
    return {name: [each[name] for each in dicts] for name in dicts[0]}


def run_all(arrays, dtype):
    """Run every minibatch; return what run_pass() does with a list over the minibatches for each tensor."""
    heads, chains, losses = zip(*(run_pass(one, dtype) for one in minibatches(arrays)))
    passes = [(parts[0][0], join([part[1] for part in parts]), [join(p) for p in zip(*(part[2] for part in parts))],
               list(zip(*(part[3] for part in parts))), [join(adds) for adds in zip(*(part[4] for part in parts))],
               [join(within) for within in zip(*(part[5] for part in parts))],
               [join(numbers) for numbers in zip(*(part[6] for part in parts))],
               [join(terms) for terms in zip(*(part[7] for part in parts))],
               list(zip(*(part[8] for part in parts))), [part[9] for part in parts])
              for parts in zip(*chains)]
    return join(heads), passes, None if losses[0] is None else sum(losses) / M


def measure(arrays, dtype=torch.float64, estimate=None):
    """Return every quantity by name: a list over the sites, None where the quantity is not defined."""
    values, (head, passes, loss) = {}, run_all(arrays, dtype)
#: else
def measure(arrays, dtype=torch.float64):
    """Return every quantity by name: a list over the sites, None where the quantity is not defined."""
    values, (head, passes, loss) = {}, run_pass(arrays, dtype)
#: end

    def put(name, site, value):
        values.setdefault(name, [None] * (HEAD_SITE + 1))[site] = value

#: if minibatches
    def put_gradient(name, site, *parameters):
        put(name, site, gradient_norm(*parameters, estimate=estimate))
#: else
    def put_gradient(name, site, *parameters):
        put(name, site, gradient_norm(*parameters))
#: end

#: if cross-entropy
    put("loss", HEAD_SITE, loss)
#: end
    for part, p_input, blocks, stream, added, inside, scores, terms, paths, products in passes:
#: if not streams
        put("share_input", FIRST[part], share("input", products))
#: end
        for name, tensor in p_input.items():
            put_gradient(name, FIRST[part], tensor)
        for site, x in enumerate(stream, FIRST[part]):
            put("grad_x", site, stream_gradient(x))
            put("rms_x", site, rms(x))
            put("abs_x", site, mean_absolute(x))
            put("norm_x", site, token_norm(x))
            if T > 1:
                put("token_cos", site, token_cos(x))
                for name, value in spread(x).items():
                    put(name, site, value)
            for name, value in relative(paths[site - FIRST[part]], x, stream[-1]).items():
#: if streams
                if name == "grad_cos":
                    put(name, site, value)
#: else
                put(name, site, value)
#: end
            put("cos_x_last", site, cosine(x, stream[-1]))
        for site, (y, x) in enumerate(zip(stream, stream[1:]), FIRST[part] + 1):
            put("cos_x_prev", site, cosine(x, y))
#: if minibatches
            put("grad_cos_prev", site, cosine(*([gradient_of(part) for part in each] for each in (x, y))))
#: else
            put("grad_cos_prev", site, cosine(gradient_of(x), gradient_of(y)))
#: end
        for site, (p, adds, within, numbers, sums) in enumerate(zip(blocks, added, inside, scores, terms),
                                                                FIRST[part] + 1):
            for name, tensor in p.items():
                put_gradient(name, site, tensor)
            for sub in PARTS[part]:
                put_gradient(sub, site, *(p[name] for name in p if sub_layer(name) == sub))
                put(f"rms_{sub}", site, rms(adds[sub]))
#: if not streams
                put(f"share_{sub}", site, share((sub, site - FIRST[part] - 1), products))
#: end
            for sub, each in sums.items():
                for name, value in skip_and_branch(sub, each).items():
                    put(name, site, value)
            put_gradient("block", site, *p.values())
#: if experts
#: if minibatches
            sizes = [expert_norm(p, e, estimate) for e in range(VARIANT["experts"])]
#: else
            sizes = [expert_norm(p, e) for e in range(VARIANT["experts"])]
#: end
            put("expert_grad_max", site, max(sizes))
            put("expert_grad_min", site, min(sizes))
#: end
            for name, x in within.items():
                put(f"grad_{name}", site, stream_gradient(x))
                put(f"rms_{name}", site, rms(x))
            for name, value in numbers.items():
#: if experts
                if name == "loads":
#: if minibatches
                    value = sum(value) / M
#: end
                    put("expert_load_max", site, float(value.max()))
                    put("expert_load_min", site, float(value.min()))
                    continue
#: end
#: if minibatches
                value = max(value) if name.startswith("max") else sum(value) / M
#: end
                put(name, site, value)
    for name, tensor in head.items():
        put_gradient(name, HEAD_SITE, tensor)
    return values


