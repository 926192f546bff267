# Copyright (C) 2026 The Normscope developers
# SPDX-License-Identifier: GPL-3.0-or-later
"""The reference's encoder-decoder against torch.nn.Transformer: part of test_reference.py."""

import math

import torch
from torch import nn
from torch.nn import functional as F

import configs
import reference as ref
from compare import HIDDEN, TOLERANCE, compare_sites, make_arrays, tensors

BASE = {"shape.stack": "encoder-decoder", "shape.depth": 2, "shape.d_model": 16, "shape.heads": 4, "bias": True,
        "final_norm": "on"}


def load_attention(module, p, w=""):
    with torch.no_grad():
        module.in_proj_weight.copy_(torch.cat([p[w + "w_q"].T, p[w + "w_k"].T, p[w + "w_v"].T]))
        module.out_proj.weight.copy_(p[w + "w_o"].T)
        module.in_proj_bias.zero_()
        module.out_proj.bias.zero_()


def load_block(layer, p):
    load_attention(layer.self_attn, p)
    if hasattr(layer, "multihead_attn"):
        load_attention(layer.multihead_attn, p, "cross_")
    with torch.no_grad():
        for linear, name in ((layer.linear1, "w_1"), (layer.linear2, "w_2")):
            linear.weight.copy_(p[name].T)
            linear.bias.zero_()


def attention_norms(module, d, w=""):
    """Return the gradient norms of an nn.MultiheadAttention without the key bias, whose gradient is rounding."""
    q, k, v = (float(part.norm()) for part in module.in_proj_weight.grad.split(d))
    b_q, _, b_v = (float(part.norm()) for part in module.in_proj_bias.grad.split(d))
    return {w + "w_q": q, w + "w_k": k, w + "w_v": v, w + "w_o": float(module.out_proj.weight.grad.norm()),
            w + "b_q": b_q, w + "b_v": b_v, w + "b_o": float(module.out_proj.bias.grad.norm())}


def total(*modules):
    return math.hypot(*(float(p.grad.norm()) for module in modules for p in module.parameters()))


def block_norms(layer, d, place):
    norms = [layer.norm1, layer.norm2] + ([layer.norm3] if hasattr(layer, "norm3") else [])
    subs = ["attn", "ffn"] if len(norms) == 2 else ["attn", "cross", "ffn"]
    site = attention_norms(layer.self_attn, d)
    for sub, norm in zip(subs, norms):
        site[f"gain_{sub}_{place}"] = float(norm.weight.grad.norm())
        site[f"bias_{sub}_{place}"] = float(norm.bias.grad.norm())
    for i, linear in ((1, layer.linear1), (2, layer.linear2)):
        site[f"w_{i}"], site[f"b_{i}"] = float(linear.weight.grad.norm()), float(linear.bias.grad.norm())
    site["attn"] = total(layer.self_attn, norms[0])
    site["ffn"] = total(layer.linear1, layer.linear2, norms[-1])
    if len(norms) == 3:
        site.update(attention_norms(layer.multihead_attn, d, "cross_"))
        site["cross"] = total(layer.multihead_attn, norms[1])
    site["block"] = total(layer)
    return site


def stream_stats(x):
    return {"grad_x": float(x.grad.norm()), "rms_x": float(x.square().mean().sqrt())}


def torch_transformer(experiment, arrays):
    """[{name: value}] by site of nn.Transformer with these weights."""
    [variant] = experiment["variants"]
    shape = experiment["shape"]
    d, depth = shape["d_model"], shape["depth"]
    pre = variant["attn"]["norm"] == "pre"
    activation = {"relu": F.relu, "gelu": F.gelu, "gelu-tanh": lambda x: F.gelu(x, approximate="tanh")}
    model = nn.Transformer(d, shape["heads"], depth, depth, shape["d_ff"], dropout=0.0, batch_first=True,
                           activation=activation[variant["activation"]], layer_norm_eps=variant["norm_eps"],
                           norm_first=pre, dtype=torch.float64)
    streams = {"encoder": [ref.leaf(arrays["x0"])], "decoder": [ref.leaf(arrays["y0"])]}
    layers = {"encoder": model.encoder.layers, "decoder": model.decoder.layers}

    def keep(part):
        def hook(_module, _arguments, out):
            out.retain_grad()
            streams[part].append(out)
        return hook

    for part, modules in layers.items():
        for block, layer in enumerate(modules, start=1):
            load_block(layer, tensors(arrays, f"{part}/block{block:03d}/"))
            layer.register_forward_hook(keep(part))

    mask = nn.Transformer.generate_square_subsequent_mask(shape["seq_len"]).double()
    h = model(streams["encoder"][0], streams["decoder"][0], tgt_mask=mask)
    head, bias = ref.leaf(arrays["head/w_head"]), ref.leaf([0.0] * shape["vocab"])
    loss = F.cross_entropy((h @ head + bias).flatten(0, 1), torch.tensor(arrays["targets"]).flatten())
    loss.backward()

    sites = []
    for part, modules in layers.items():
        sites.append(stream_stats(streams[part][0]))
        for layer, x in zip(modules, streams[part][1:]):
            sites.append({**block_norms(layer, d, "pre" if pre else "post"), **stream_stats(x)})
    sites.append({"loss": float(loss), "w_head": float(head.grad.norm()), "b_head": float(bias.grad.norm())})
    for name, norm in (("encoder_final", model.encoder.norm), ("final", model.decoder.norm)):
        sites[-1][f"gain_{name}"] = float(norm.weight.grad.norm())
        sites[-1][f"bias_{name}"] = float(norm.bias.grad.norm())
    return sites


def transformers_are_torchs(overrides):
    experiment = configs.build({**BASE, **overrides})
    arrays = make_arrays(experiment)
    return compare_sites(ref.measure(experiment, arrays), torch_transformer(experiment, arrays),
                         {"b_k", "cross_b_k"} | HIDDEN)


def wrong_encoders_and_decoders_are_detected():
    """The comparison detects swapped weights, a missing norm and a missing mask."""
    experiment = configs.build({**BASE, **configs.both("pre")})
    arrays = make_arrays(experiment)
    theirs = torch_transformer(experiment, arrays)

    def assert_detected(name, ours):
        try:
            compare_sites(ours, theirs, {"b_k", "cross_b_k"} | HIDDEN)
        except AssertionError:
            return
        raise AssertionError(f"{name} is not detected")

    for key, value in (("final_norm", "off"), ("norm_eps", 1.1e-5), ("cross.norm", "post"), ("cross.residual", False),
                       ("attention", "uniform"), ("input_norm", True), ("input_scale", 1.0001), ("qk_norm", "cosine"),
                       ("attention_scale", 0.501), ("attn.inner_norm", True), ("block_residual", True)):
        wrong = configs.build({**BASE, **configs.both("pre"), key: value})
        assert_detected(f"{key} = {value}", ref.measure(wrong, arrays))
    for one, other in (("x0", "y0"), ("encoder/block001/w_q", "decoder/block001/w_q"),
                       ("decoder/block002/w_k", "decoder/block002/cross_w_k"),
                       ("decoder/block001/cross_w_o", "decoder/block002/cross_w_o")):
        swapped = {**arrays, one: arrays[other], other: arrays[one]}
        assert_detected(f"{one} for {other}", ref.measure(experiment, swapped))
    assert ref.measure(experiment, arrays)["w_1"][1] > TOLERANCE


TESTS = [(transformers_are_torchs, configs.both(placement, activation=activation))
         for placement in ("pre", "post") for activation in ("relu", "gelu", "gelu-tanh")]
