#!/usr/bin/env python3
# Written by Normscope; the experiment and the numbers below are those of one run.
# SPDX-License-Identifier: GPL-3.0-or-later
"""One forward and one backward pass of a transformer at initialization, with PyTorch alone.

    python3 experiment.py                  takes weights and input from the .npy files beside it, in float64, prints the
                                           table, and states the largest relative difference to Normscope's numbers;
                                           the exit status is 1 when that is above 1e-3
    python3 experiment.py --own-weights    draws both with torch's own generator, and prints the table only

Sizes: B batch, T tokens of a sequence, d d_model, f d_ff, V vocab, L depth. A linear map is y = x W, W is [in, out].
"""

import argparse
import ast
import json
import math
import pathlib
import sys

import torch
from torch.nn import functional as F

# Every setting of the run, with one variant and one seed.
EXPERIMENT = json.loads(r"""@EXPERIMENT@""")

# What Normscope found: a list over the sites (0 the input, 1 .. L the blocks, L + 1 the head) for each quantity.
NUMBERS = json.loads(r"""@NUMBERS@""")

SHAPE, LOSS, [VARIANT] = EXPERIMENT["shape"], EXPERIMENT["loss"], EXPERIMENT["variants"]
L, d, B, T, V = (SHAPE[key] for key in ("depth", "d_model", "batch", "seq_len", "vocab"))
GATED = VARIANT["activation"] in ("swiglu", "geglu")
TOLERANCE = 1e-3


# ---- where the norms are ----

PLACES = {"none": [], "pre": ["pre"], "post": ["post"], "sandwich": ["pre", "branch"], "branch": ["branch"],
          "pre-post": ["pre", "post"]}


def places(sub, block):
    """Of the norms of sub-layer "attn" or "ffn" in block 1 .. L: before it, on its branch, after the addition."""
    fraction = VARIANT["post_fraction"]  # Mix-LN: the first blocks are Post-LN, the others Pre-LN
    if fraction is not None:
        found = PLACES["post" if block <= math.floor(fraction * L) else "pre"]
    else:
        found = PLACES[VARIANT[sub]["norm"]]
    if VARIANT["topology"] == "parallel" and sub == "ffn":
        return [place for place in found if place == "branch"]  # it shares the attention's other norms
    return found


def has_final_norm():
    if LOSS == "unit-gradient":
        return False
    if VARIANT["final_norm"] != "auto":
        return VARIANT["final_norm"] == "on"
    fraction = VARIANT["post_fraction"]
    last = VARIANT["ffn"]["norm"] if fraction is None else "post" if L <= math.floor(fraction * L) else "pre"
    return "post" not in PLACES[last]


# ---- the model ----

def norm(x, p, name):
    """LayerNorm or RMSNorm where the parameters have one of that name, else x itself."""
    if f"gain_{name}" not in p:
        return x
    gain, eps = p[f"gain_{name}"], VARIANT["norm_eps"]
    if VARIANT["norm"] == "layernorm":
        return F.layer_norm(x, (d,), gain, p.get(f"bias_{name}"), eps)
    return x / torch.sqrt((x * x).mean(-1, keepdim=True) + eps) * gain


def pre_norm(x, p, name, block):
    y = norm(x, p, name)
    if f"gain_{name}" in p and VARIANT["norm_scale"] == "layernorm-scaling":
        return y / math.sqrt(block)
    return y


def linear(x, p, name):
    y = x @ p[f"w_{name}"]
    return y + p[f"b_{name}"] if f"b_{name}" in p else y


def attention(u, p):
    heads = SHAPE["heads"]
    q, k, v = (linear(u, p, name).view(B, T, heads, d // heads).transpose(1, 2) for name in "qkv")
    scores = q @ k.transpose(-1, -2) / math.sqrt(d // heads)
    if VARIANT["attention"] == "causal":
        future = torch.ones(T, T, dtype=torch.bool).triu(1)
        scores = scores.masked_fill(future, -math.inf)
    y = (torch.softmax(scores, -1) @ v).transpose(1, 2).reshape(B, T, d)
    return linear(y, p, "o") if VARIANT["attention_output"] else y


def ffn(u, p):
    act = {"relu": F.relu, "gelu": F.gelu, "silu": F.silu, "swiglu": F.silu, "geglu": F.gelu}[VARIANT["activation"]]
    y = act(linear(u, p, "1"))
    if GATED:
        y = y * linear(u, p, "3")
    return linear(y, p, "2")


def residual_scale(sub):
    if not VARIANT[sub]["residual"]:
        return 0.0
    scale = VARIANT["residual_scale"]
    return (2 * L) ** 0.25 if scale == "deepnorm" else scale


def transformer_block(x, p, block):
    """x_l, and what attention and FFN add to the residual stream."""
    b = VARIANT["branch_scale"]
    if VARIANT["topology"] == "parallel":
        u = pre_norm(x, p, "attn_pre", block)
        attn_adds = b * norm(attention(u, p), p, "attn_branch")
        ffn_adds = b * norm(ffn(u, p), p, "ffn_branch")
        return norm(residual_scale("attn") * x + attn_adds + ffn_adds, p, "attn_post"), attn_adds, ffn_adds
    attn_adds = b * norm(attention(pre_norm(x, p, "attn_pre", block), p), p, "attn_branch")
    x = norm(residual_scale("attn") * x + attn_adds, p, "attn_post")
    ffn_adds = b * norm(ffn(pre_norm(x, p, "ffn_pre", block), p), p, "ffn_branch")
    x = norm(residual_scale("ffn") * x + ffn_adds, p, "ffn_post")
    return x, attn_adds, ffn_adds


# ---- parameters ----

def norm_parameters(names):
    p = {f"gain_{name}": torch.ones(d) for name in names}
    if VARIANT["bias"] and VARIANT["norm"] == "layernorm":
        p.update({f"bias_{name}": torch.zeros(d) for name in names})
    return p


def block_parameters(block, arrays):
    names = ["w_q", "w_k", "w_v", "w_1", "w_2"] + ["w_o"] * VARIANT["attention_output"] + ["w_3"] * GATED
    p = {}
    for name in names:
        if VARIANT["attention"] == "uniform" and name in ("w_q", "w_k"):
            p[name] = torch.zeros(d, d)  # what makes every token weigh the same
        else:
            p[name] = arrays[f"block{block:03d}/{name}"]
    if VARIANT["bias"]:
        p.update({f"b_{name[2:]}": torch.zeros(p[name].shape[1]) for name in names})
    p.update(norm_parameters([f"{sub}_{place}" for sub in ("attn", "ffn") for place in places(sub, block)]))
    return p


def head_parameters(arrays):
    p = norm_parameters(["final"] * has_final_norm())
    if LOSS == "cross-entropy":
        p["w_head"] = arrays["head/w_head"]
        if VARIANT["bias"]:
            p["b_head"] = torch.zeros(V)
    return p


def leaves(p, dtype):
    return {name: tensor.detach().clone().to(dtype).requires_grad_() for name, tensor in p.items()}


# ---- one forward and one backward pass ----

def size_of(x):
    """(largest entry, x over it): squares of tiny numbers must not vanish."""
    x = x.detach().double()
    largest = float(x.abs().max())
    return largest, x / largest if 0 < largest < math.inf else None


def rms(x):
    largest, scaled = size_of(x)
    return largest if scaled is None else largest * float(scaled.square().mean().sqrt())


def gradient_norm(x):
    if x.grad is None:  # the loss does not depend on it
        return 0.0
    largest, scaled = size_of(x.grad)
    return largest if scaled is None else largest * float(scaled.norm())


def token_cos(x):
    """Mean cosine of two different tokens of one sequence."""
    y = x.detach().double()
    y = y / y.abs().amax(-1, keepdim=True)
    y = y / y.norm(dim=-1, keepdim=True)
    cosines = y @ y.transpose(-1, -2)
    return float((cosines.sum() - cosines.diagonal(dim1=-2, dim2=-1).sum()) / (B * T * (T - 1)))


def measure(arrays, dtype=torch.float64):
    """Every quantity by name: a list over the sites, None where there is no such number."""
    blocks = [leaves(block_parameters(block, arrays), dtype) for block in range(1, L + 1)]
    head = leaves(head_parameters(arrays), dtype)
    x = arrays["x0"].to(dtype).requires_grad_()
    stream, added = [x], []
    for block, p in enumerate(blocks, 1):
        x, *adds = transformer_block(x, p, block)
        x.retain_grad()
        stream.append(x)
        added.append(adds)

    values = {}

    def put(name, site, value):
        values.setdefault(name, [None] * (L + 2))[site] = value

    if LOSS == "unit-gradient":
        x.backward(arrays["upstream"].to(dtype))
    else:
        logits = linear(norm(x, head, "final"), head, "head")
        loss = F.cross_entropy(logits.view(B * T, V), arrays["targets"].long().view(B * T))
        loss.backward()
        put("loss", L + 1, float(loss))

    for site, x in enumerate(stream):
        put("grad_x", site, gradient_norm(x))
        put("rms_x", site, rms(x))
        if T > 1:
            put("token_cos", site, token_cos(x))
    for site, (p, (attn_adds, ffn_adds)) in enumerate(zip(blocks, added), 1):
        norms = {name: gradient_norm(tensor) for name, tensor in p.items()}
        of_attn = {name for name in norms if "_attn_" in name or name[2:] in ("q", "k", "v", "o")}
        for name, value in norms.items():
            put(name, site, value)
        put("attn", site, math.hypot(*(norms[name] for name in norms if name in of_attn)))
        put("ffn", site, math.hypot(*(norms[name] for name in norms if name not in of_attn)))
        put("block", site, math.hypot(*norms.values()))
        put("rms_attn", site, rms(attn_adds))
        put("rms_ffn", site, rms(ffn_adds))
    for name, tensor in head.items():
        put(name, L + 1, gradient_norm(tensor))
    return values


# ---- weights and input: Normscope's, or torch's own ----

def read_npy(path):
    data = path.read_bytes()
    length = int.from_bytes(data[8:10], "little")
    header = ast.literal_eval(data[10:10 + length].decode("latin-1"))
    dtype = {"<f4": torch.float32, "<i4": torch.int32}[header["descr"]]
    return torch.frombuffer(bytearray(data[10 + length:]), dtype=dtype).view(header["shape"])


def dumped_arrays():
    folder = pathlib.Path(__file__).resolve().parent
    return {path.relative_to(folder).with_suffix("").as_posix(): read_npy(path) for path in folder.rglob("*.npy")}


def draw_weight(name, n_in, n_out):
    init = VARIANT["init"]
    std = {"xavier-normal": math.sqrt(2 / (n_in + n_out)), "xavier-uniform": math.sqrt(2 / (n_in + n_out)),
           "lecun-normal": math.sqrt(1 / n_in), "kaiming-normal": math.sqrt(2 / n_in), "normal": init["std"]}
    std = std[init["scheme"]]
    if init["residual"] == "deepnorm":
        if name in ("w_v", "w_o", "w_1", "w_2", "w_3"):
            std *= (8 * L) ** -0.25
    elif name in ("w_2", "w_o" if VARIANT["attention_output"] else "w_v"):  # the last matrix of each branch
        std *= {"none": 1, "gpt2": 1 / math.sqrt(2 * L)}.get(init["residual"], init["residual"])
    if init["scheme"] == "xavier-uniform":
        return torch.empty(n_in, n_out).uniform_(-1, 1) * math.sqrt(3) * std
    return torch.randn(n_in, n_out) * std


def draw_input():
    """x0 [B, T, d] and targets [B, T]."""
    data = EXPERIMENT["data"]
    if data["source"] == "gaussian":
        return torch.randn(B, T, d), torch.randint(V, (B, T))
    stream = torch.randint(V, (B * T + 1,))
    if data["source"] == "text":
        text = data["text"].encode()
        stream = torch.tensor([text[i % len(text)] for i in range(B * T + 1)])
    x0 = (torch.randn(V, d) * data["embed_std"])[stream[:-1]].view(B, T, d)
    if data["positions"] == "learned":
        x0 = x0 + torch.randn(T, d) * data["embed_std"]
    elif data["positions"] == "sinusoidal":
        feature = torch.arange(d)
        angle = torch.arange(T)[:, None] / 10000 ** ((feature - feature % 2) / d)
        x0 = x0 + torch.where(feature % 2 == 0, torch.sin(angle), torch.cos(angle))
    return x0, stream[1:].view(B, T)


def own_arrays(seed):
    torch.manual_seed(seed)
    f = SHAPE["d_ff"]
    arrays = {}
    arrays["x0"], arrays["targets"] = draw_input()
    arrays["upstream"] = torch.randn(B, T, d)
    arrays["upstream"] /= arrays["upstream"].norm()
    for block in range(1, L + 1):
        for name in ("w_q", "w_k", "w_v", "w_o"):
            arrays[f"block{block:03d}/{name}"] = draw_weight(name, d, d)
        for name, n_in, n_out in (("w_1", d, f), ("w_2", f, d), ("w_3", d, f)):
            arrays[f"block{block:03d}/{name}"] = draw_weight(name, n_in, n_out)
    arrays["head/w_head"] = draw_weight("w_head", d, V)
    return arrays


# ---- the table, and the difference ----

COLUMNS = ("attn", "ffn", "block", "grad_x", "rms_x", "rms_attn", "rms_ffn", "token_cos")


def print_table(values):
    print(f"{'block':>6}" + "".join(f"{name:>12}" for name in COLUMNS if name in values))
    for site in range(L + 1):
        cells = (values[name][site] for name in COLUMNS if name in values)
        print(f"{site:>6}" + "".join(f"{'' if value is None else f'{value:.4g}':>12}" for value in cells))
    head = [f"{name} {sites[L + 1]:.4g}" for name, sites in values.items() if sites[L + 1] is not None]
    print("head: " + ", ".join(head) if head else "no head")


def rounding_alone(arrays, values):
    """(name, site) of the gradients that float32 cannot tell from zero.

    They are 0 in theory (that of a key bias, which the softmax does not see; of queries and keys that see one token
    only or are 0), or differences of nearly equal numbers, when tokens have collapsed into one: then torch's own
    float32, from inputs shaken by half a unit in the last place, finds something else than float64.
    """
    zeros = {"b_k"}
    if VARIANT["attention"] == "uniform" or T == 1:
        zeros |= {"w_q", "w_k", "b_q"}
    found = {(name, site) for name in zeros & values.keys() for site in range(1, L + 1)}
    generator = torch.Generator().manual_seed(0)
    for _ in range(3):
        shaken = {name: x * (1 + 2.0 ** -24 * (2 * torch.randint(2, x.shape, generator=generator) - 1))
                  if x.is_floating_point() else x for name, x in
                  ((name, x.double() if x.is_floating_point() else x) for name, x in arrays.items())}
        for name, sites in measure(shaken, torch.float32).items():
            for site, value in enumerate(sites):
                want = values[name][site]
                if name in ("w_q", "w_k", "b_q") and value is not None and not abs(value - want) <= 3e-5 * abs(want):
                    found.add((name, site))
    return found


def difference(name, site, have, want, values, rounding):
    """Relative; of a cosine near 0 to 0.01, of what is rounding alone to a thousandth of its block's gradient."""
    if have == want:
        return 0.0
    scale = abs(have)
    if name == "token_cos":
        scale = max(scale, 0.01)
    elif (name, site) in rounding:
        scale = max(scale, 1e-3 * values["block"][site])
    off = abs(have - want) / scale if scale > 0 else math.inf
    return math.inf if math.isnan(off) else off


def compare(arrays, values):
    """Prints the largest difference; whether it is within the tolerance."""
    rounding = rounding_alone(arrays, values)
    count, beyond, worst, where = 0, 0, 0.0, "none"
    if NUMBERS.keys() != values.keys():
        print(f"quantities that only one of the two has: {', '.join(sorted(NUMBERS.keys() ^ values.keys()))}")
        return False
    for name, sites in NUMBERS.items():
        for site, (want, have) in enumerate(zip(sites, values[name])):
            if want is None and have is None:
                continue
            if want is None or have is None:
                print(f"{name} at site {site} is {have} here and {want} in Normscope")
                return False
            underflows = name != "token_cos" and have < 1e-290 and want < 1e-290 and have != want
            if not math.isfinite(want) or underflows:
                beyond += 1  # float32 overflowed, or float64 underflows
                continue
            count += 1
            off = difference(name, site, have, want, values, rounding)
            if off > worst:
                worst, where = off, f"{name} at site {site}: {have:.9g} here, {want:.9g} in Normscope"
    print(f"largest relative difference to Normscope: {worst:.3g} ({where}), of {count} numbers")
    if rounding:
        print(f"rounding alone, and held against their block's gradient: {len(rounding)} of them")
    if beyond:
        print(f"beyond the range of one of the two, and not compared: {beyond} more")
    return count > 0 and worst <= TOLERANCE


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--own-weights", action="store_true", help="draw weights and input with torch")
    parser.add_argument("--seed", type=int, default=EXPERIMENT["sampling"]["seed"], help="for --own-weights")
    options = parser.parse_args()
    arrays = own_arrays(options.seed) if options.own_weights else dumped_arrays()
    values = measure(arrays)
    print_table(values)
    if options.own_weights:
        return 0
    return 0 if compare(arrays, values) else 1


if __name__ == "__main__":
    sys.exit(main())
