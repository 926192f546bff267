#!/usr/bin/env python3
# Written by Normscope. The experiment and the numbers below belong to one run.
# SPDX-License-Identifier: GPL-3.0-or-later
"""One forward and one backward pass of a transformer at initialization, using only PyTorch.

    python3 experiment.py                  load weights and input from the .npy files in this folder, run in float64,
                                           print the table and the largest relative difference to Normscope's numbers;
                                           exit with status 1 if it exceeds 1e-3
    python3 experiment.py --own-weights    draw weights and input with torch's generator, and print only the table

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

import torch  # noqa: E402
from torch.nn import functional as F  # noqa: E402

# All settings of the run: one variant, one seed.
EXPERIMENT = json.loads(r"""@EXPERIMENT@""")

# Normscope's numbers: for each quantity, a list over the sites.
#: if encoder-decoder
# Site 0 is x_0, 1 .. L are the encoder's blocks, L + 1 is y_0, then the decoder's blocks, 2 L + 2 is the head.
#: else
# Site 0 is the input, 1 .. L are the blocks, L + 1 is the head.
#: end
NUMBERS = json.loads(r"""@NUMBERS@""")

SHAPE, LOSS, [VARIANT] = EXPERIMENT["shape"], EXPERIMENT["loss"], EXPERIMENT["variants"]
L, d, f, B, T, V = (SHAPE[key] for key in ("depth", "d_model", "d_ff", "batch", "seq_len", "vocab"))
HEADS, KV_HEADS = SHAPE["heads"], SHAPE["kv_heads"] or SHAPE["heads"]
D_HEAD = SHAPE["d_head"] or d // HEADS
GATED = VARIANT["activation"] in ("swiglu", "geglu", "geglu-tanh")
#: if encoder-decoder
VARIANT["cross"] = {**VARIANT["attn"], **VARIANT.get("cross", {})}  # absent keys default to those of attn
PARTS, CAUSAL = {"encoder": ("attn", "ffn"), "decoder": ("attn", "cross", "ffn")}, {"encoder": False, "decoder": True}
#: else
PARTS, CAUSAL = {"stack": ("attn", "ffn")}, {"stack": VARIANT["attention"] == "causal"}
#: end
HEAD_SITE = len(PARTS) * (L + 1)
#: if minibatches
M, ESTIMATE = EXPERIMENT["sampling"]["batches"], EXPERIMENT["sampling"]["estimate"]
#: end
TOLERANCE = 1e-3


# ---- norm placement ----

PLACES = {"none": [], "pre": ["pre"], "post": ["post"], "sandwich": ["pre", "branch"], "branch": ["branch"],
          "pre-post": ["pre", "post"]}


def places(sub, block):
    """Norms of a sub-layer in block 1 .. L: "pre" before it, "branch" on its output, "post" after the addition."""
#: if mixed
    found = PLACES["post" if block <= math.floor(VARIANT["post_fraction"] * L) else "pre"]  # Mix-LN
#: else
    found = PLACES[VARIANT[sub]["norm"]]
#: end
#: if parallel
    found = [place for place in found if sub == "attn" or place == "branch"]  # the FFN shares attn's other norms
#: end
#: if parallel-two-norms
    found = [place for place in found if sub == "attn" or place != "post"]  # the FFN shares attn's post-norm
#: end
    return found


def ends_in_norm():
    if VARIANT["final_norm"] != "auto":
        return VARIANT["final_norm"] == "on"
#: if dual-residual
    return True
#: else
    return "post" not in places("ffn" if VARIANT["topology"] == "sequential" else "attn", L)
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


def linear(x, p, name):
    y, bias = x @ p[name], name.replace("w_", "b_")
    return y + p[bias] if bias in p else y


def attention(u, source, p, sub, causal):
    """Attention with queries from u and keys and values from source; source is u except in cross-attention."""
    w = "cross_w_" if sub == "cross" else "w_"
    q, k, v = linear(u, p, w + "q"), linear(source, p, w + "k"), linear(source, p, w + "v")
#: if qk-norm-full
    q, k = norm(q, p, f"{sub}_q"), norm(k, p, f"{sub}_k")
#: end
    q, k, v = (x.view(B, T, -1, D_HEAD).transpose(1, 2) for x in (q, k, v))
#: if qk-norm-head
    q, k, v = norm(q, p, f"{sub}_q"), norm(k, p, f"{sub}_k"), norm(v, p, f"{sub}_v")
#: end
#: if qk-norm-cosine
    q, k = (x / torch.sqrt((x * x).sum(-1, keepdim=True) + D_HEAD * 1e-24) for x in (q, k))
#: end
#: if grouped-queries
    k, v = (x.repeat_interleave(HEADS // KV_HEADS, dim=1) for x in (k, v))  # head i uses i // (HEADS // KV_HEADS)
#: end
    scores = attention_scale() * q @ k.transpose(-1, -2)
    if causal:
        future = torch.ones(T, T, dtype=torch.bool).triu(1)
        scores = scores.masked_fill(future, -math.inf)
    y = (torch.softmax(scores, -1) @ v).transpose(1, 2).reshape(B, T, HEADS * D_HEAD)
#: if inner-norm
    y = norm(y, p, f"{sub}_inner")
#: end
    return linear(y, p, w + "o") if VARIANT["attention_output"] else y


def attention_scale():
#: if qk-norm-cosine
    return 10
#: else
    scale = VARIANT["attention_scale"]
    return 1 / math.sqrt(D_HEAD) if scale == "sqrt-d-head" else scale
#: end


def gelu_tanh(x):
    return F.gelu(x, approximate="tanh")


def ffn(u, p):
    act = {"relu": F.relu, "gelu": F.gelu, "silu": F.silu, "gelu-tanh": gelu_tanh, "swiglu": F.silu, "geglu": F.gelu,
           "geglu-tanh": gelu_tanh}[VARIANT["activation"]]
    y = act(linear(u, p, "w_1"))
    if GATED:
        y = y * linear(u, p, "w_3")
#: if inner-norm
    y = norm(y, p, "ffn_inner")
#: end
    return linear(y, p, "w_2")


def residual_scale(sub, part):
    if not VARIANT[sub]["residual"]:
        return 0.0
    n = len(PARTS[part]) * L  # number of sub-layers
    rules = {"deepnorm": n ** 0.25, "admin": math.sqrt((n + 1) / math.log(n + 1) - 1), "admin-constant": math.sqrt(n)}
#: if encoder-decoder
    if part == "encoder":
        rules["deepnorm"] = 0.81 * L ** (5 / 16)
#: end
    return rules.get(VARIANT["residual_scale"], VARIANT["residual_scale"])


def branch_scale():
    return 1 / math.sqrt(L) if VARIANT["branch_scale"] == "inverse-sqrt-depth" else VARIANT["branch_scale"]


def branch(s, p, sub):
    """The term that a sub-layer with output s adds to the residual stream."""
#: if branch-parameter
    return p[f"scale_{sub}"] * norm(s, p, f"{sub}_branch")
#: else
    return branch_scale() * norm(s, p, f"{sub}_branch")
#: end


def transformer_block(x, p, part, block, memory):
    """Return x_l, the term that each sub-layer adds, and each sum z and sub-layer's output y within the block; memory
    is the encoder's output, for a decoder."""
    added, u = {}, pre_norm(x, p, "attn_pre", block)
    added["attn"] = branch(attention(u, u, p, "attn", CAUSAL[part]), p, "attn")
#: if not sequential
#: if parallel-two-norms
    u = pre_norm(x, p, "ffn_pre", block)
#: end
    added["ffn"] = branch(ffn(u, p), p, "ffn")
    z = residual_scale("attn", part) * x + added["attn"] + added["ffn"]
    return norm(z, p, "attn_post"), added, {"z_attn": z}
#: else
#: if block-residual
    x_block = x
#: end
    z = residual_scale("attn", part) * x + added["attn"]
    x = norm(z, p, "attn_post")
    inside = {"z_attn": z, "y_attn": x}
#: if encoder-decoder
    if part == "decoder":
        u = pre_norm(x, p, "cross_pre", block)
        added["cross"] = branch(attention(u, memory, p, "cross", False), p, "cross")
        z = residual_scale("cross", part) * x + added["cross"]
        x = norm(z, p, "cross_post")
        inside |= {"z_cross": z, "y_cross": x}
#: end
    added["ffn"] = branch(ffn(pre_norm(x, p, "ffn_pre", block), p), p, "ffn")
    z = residual_scale("ffn", part) * x + added["ffn"]
#: if block-residual
    z = z + x_block
#: end
    return norm(z, p, "ffn_post"), added, {**inside, "z_ffn": z}
#: end


def run_part(x, p_input, blocks, part, memory, head, end):
    """Return a part's output h after its final norm, its residual stream x_0 .. x_L, and the rest of each block."""
    x = norm(input_scale() * x, p_input, "input")
    stream, added, inside = [x], [], []
    for block, p in enumerate(blocks, 1):
        x, adds, within = transformer_block(x, p, part, block, memory)
        stream.append(x)
        added.append(adds)
        inside.append(within)
#: if dual-residual
    r = stream[0] + sum(adds[sub] for adds in added for sub in adds)
    return x + norm(r, head, end), stream, added, inside
#: else
    return norm(x, head, end), stream, added, inside
#: end


def input_scale():
    return (9 * L) ** -0.25 if VARIANT["input_scale"] == "t-fixup" else VARIANT["input_scale"]


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


def sub_layer_norms(sub, block):
    p = {}
    for place in places(sub, block):
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
    for w in ("w_", "cross_w_")[:len(PARTS[part]) - 1]:
        found += [(w + "q", d, HEADS * D_HEAD, "qkv"), (w + "k", d, KV_HEADS * D_HEAD, "k")]
        found += [(w + "v", d, KV_HEADS * D_HEAD, "qkv")]
        found += [(w + "o", HEADS * D_HEAD, d, "output")] * VARIANT["attention_output"]
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
        if has_bias(group):
            p[name.replace("w_", "b_")] = torch.zeros(n_out)
    for sub in PARTS[part]:
        p.update(sub_layer_norms(sub, block))
#: if branch-parameter
        size = (d,) if VARIANT["branch_parameter"] == "vector" else ()
        p[f"scale_{sub}"] = torch.full(size, branch_scale(), dtype=torch.float64)
#: end
    return p


def head_parameters(arrays):
    """Parameters of the head and of the final norms."""
    p = {}
#: if encoder-decoder
    if ends_in_norm():
        p.update(norm_parameters("encoder_final"))
#: end
#: if cross-entropy
    if ends_in_norm():
        p.update(norm_parameters("final"))
    p["w_head"] = arrays["head/w_head"]
    if has_bias("head"):
        p["b_head"] = torch.zeros(V)
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


def rms(x):
#: if minibatches
    x = torch.cat(x)
#: end
    largest, scaled = size_of(x)
    return largest if scaled is None else largest * float(scaled.square().mean().sqrt())


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


def stream_gradient(x):
    """Return the mean of the minibatches' norms, since each minibatch has its own residual stream."""
    return sum(norm_of(each.grad) for each in x) / M
#: else
def gradient_norm(*parameters):
    """Return the gradient norm of several parameters together."""
    return math.hypot(*(norm_of(p.grad) for p in parameters))


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


def sub_layer(name):
    """The sub-layer that a tensor of a block belongs to."""
    found = [sub for sub in ("attn", "cross", "ffn") if sub in name.split("_")]
    return found[0] if found else "attn" if name[2:] in ("q", "k", "v", "o") else "ffn"


def run_pass(arrays, dtype):
    """Run forward and backward; return the parameters of the head, the parts and the loss."""
    head, h, passes = leaves(head_parameters(arrays), dtype), None, []
    for part in PARTS:
        x = arrays["y0" if part == "decoder" else "x0"].to(dtype).requires_grad_()
        p_input = leaves(norm_parameters("input") if VARIANT["input_norm"] else {}, dtype)
        blocks = [leaves(block_parameters(part, block, arrays), dtype) for block in range(1, L + 1)]
        end = "encoder_final" if part == "encoder" else "final"
        h, stream, added, inside = run_part(x, p_input, blocks, part, h, head, end)
        for x in stream + [x for within in inside for x in within.values()]:
            x.retain_grad()
        passes.append((part, p_input, blocks, stream, added, inside))
#: if cross-entropy
    logits = linear(h, head, "w_head")
    loss = F.cross_entropy(logits.view(B * T, V), arrays["targets"].long().view(B * T))
    loss.backward()
    return head, passes, float(loss)
#: else
    h.backward(arrays["upstream"].to(dtype))
    return head, passes, None
#: end


#: if minibatches
def minibatches(arrays):
    """Yield the arrays of each minibatch. The dumped upstream gradient belongs to the mean over all, hence the M."""
    for m in range(M):
        own = {name: arrays[name][m * B:(m + 1) * B] for name in ("x0", "y0", "targets", "upstream") if name in arrays}
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
               [join(within) for within in zip(*(part[5] for part in parts))])
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
    for i, (part, p_input, blocks, stream, added, inside) in enumerate(passes):
        for name, tensor in p_input.items():
            put_gradient(name, i * (L + 1), tensor)
        for site, x in enumerate(stream, i * (L + 1)):
            put("grad_x", site, stream_gradient(x))
            put("rms_x", site, rms(x))
            if T > 1:
                put("token_cos", site, token_cos(x))
        for site, (p, adds, within) in enumerate(zip(blocks, added, inside), i * (L + 1) + 1):
            for name, tensor in p.items():
                put_gradient(name, site, tensor)
            for sub in PARTS[part]:
                put_gradient(sub, site, *(p[name] for name in p if sub_layer(name) == sub))
                put(f"rms_{sub}", site, rms(adds[sub]))
            put_gradient("block", site, *p.values())
            for name, x in within.items():
                put(f"grad_{name}", site, stream_gradient(x))
                if name.startswith("y"):
                    put(f"rms_{name}", site, rms(x))
    for name, tensor in head.items():
        put_gradient(name, HEAD_SITE, tensor)
    return values


