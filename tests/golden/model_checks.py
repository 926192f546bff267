# Copyright (C) 2026 The Normscope developers
# SPDX-License-Identifier: GPL-3.0-or-later
"""The reference against modules with the biases of real models: part of test_reference.py.

Each model is built of nn.Linear and a norm, with biases where its published code has them; rotary positions are left
out on both sides. All tensors are compared, and the reference must have no others.
"""

import math

import torch
from torch import nn
from torch.nn import functional as F

import configs
import reference as ref
import reference_blocks as blocks
from compare import HIDDEN, compare_sites, make_arrays, tensors


class RmsNorm(nn.Module):
    def __init__(self, features, eps):
        super().__init__()
        self.weight, self.eps = nn.Parameter(torch.ones(features)), eps

    def forward(self, x):
        return self.weight * (x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.eps))


class Block(nn.Module):
    """A causal decoder's block. qkv, out, mlp: whether these maps have biases."""

    def __init__(self, shape, norm, act, gated=False, parallel=0, qkv=False, out=False, mlp=False):
        super().__init__()
        d, f = shape["d_model"], shape["d_ff"]
        self.heads, self.kv_heads, self.d_head = blocks.head_sizes(shape)
        self.act, self.parallel = act, parallel
        self.attn_pre = norm(d, eps=1e-5)
        self.ffn_pre = norm(d, eps=1e-5) if parallel != 1 else None
        self.q = nn.Linear(d, self.heads * self.d_head, bias=qkv)
        self.k = nn.Linear(d, self.kv_heads * self.d_head, bias=qkv)
        self.v = nn.Linear(d, self.kv_heads * self.d_head, bias=qkv)
        self.o = nn.Linear(self.heads * self.d_head, d, bias=out)
        self.up, self.down = nn.Linear(d, f, bias=mlp), nn.Linear(f, d, bias=mlp)
        self.gate = nn.Linear(d, f, bias=mlp) if gated else None

    def attention(self, u):
        B, T, _ = u.shape
        q, k, v = (m(u).view(B, T, -1, self.d_head).transpose(1, 2) for m in (self.q, self.k, self.v))
        k, v = (x.repeat_interleave(self.heads // self.kv_heads, dim=1) for x in (k, v))
        scores = q @ k.transpose(2, 3) / math.sqrt(self.d_head)
        scores = scores.masked_fill(torch.ones(T, T, dtype=torch.bool).triu(1), -math.inf)
        return self.o((scores.softmax(-1) @ v).transpose(1, 2).reshape(B, T, -1))

    def mlp(self, u):
        return self.down(self.act(self.up(u)) if self.gate is None else self.act(self.gate(u)) * self.up(u))

    def forward(self, x):
        u = self.attn_pre(x)
        if self.parallel:
            return x + self.attention(u) + self.mlp(u if self.ffn_pre is None else self.ffn_pre(x))
        x = x + self.attention(u)
        return x + self.mlp(self.ffn_pre(x))

    def maps(self):
        """{"q": module, ...}, with the FFN's matrices as the reference names them."""
        ffn = {"1": self.up, "2": self.down} if self.gate is None else {"1": self.gate, "3": self.up, "2": self.down}
        return {"q": self.q, "k": self.k, "v": self.v, "o": self.o, **ffn}


def gelu_new(x):
    return F.gelu(x, approximate="tanh")


# A configuration, its blocks, and whether its head has a bias.
MODELS = {
    "biases-qwen2": (dict(norm=RmsNorm, act=F.silu, gated=True, qkv=True), False),
    "biases-gpt-j": (dict(norm=nn.LayerNorm, act=gelu_new, parallel=1, mlp=True), True),
    "biases-gpt-neox": (dict(norm=nn.LayerNorm, act=F.gelu, parallel=2, mlp=True), False),
    "biases-opt": (dict(norm=nn.LayerNorm, act=F.relu), False),
}


def gradient_norm(*parameters):
    return math.hypot(*(float(p.grad.norm()) for p in parameters))


def norm_gradients(norm, name):
    return {f"{'gain' if kind == 'weight' else 'bias'}_{name}": gradient_norm(p) for kind, p in norm.named_parameters()}


def load(linear, matrix):
    with torch.no_grad():
        linear.weight.copy_(matrix.T)
        if linear.bias is not None:
            linear.bias.zero_()


def block_sites(block, x):
    site = {"grad_x": float(x.grad.norm()), "rms_x": float(x.square().mean().sqrt()),
            **norm_gradients(block.attn_pre, "attn_pre")}
    if block.ffn_pre is not None:
        site.update(norm_gradients(block.ffn_pre, "ffn_pre"))
    sums = {"attn": list(block.attn_pre.parameters()),
            "ffn": [] if block.ffn_pre is None else list(block.ffn_pre.parameters())}
    for name, linear in block.maps().items():
        site[f"w_{name}"] = gradient_norm(linear.weight)
        if linear.bias is not None:
            site[f"b_{name}"] = gradient_norm(linear.bias)
        sums["attn" if name in "qkvo" else "ffn"] += linear.parameters()
    site.update({sub: gradient_norm(*parameters) for sub, parameters in sums.items()})
    site["block"] = gradient_norm(*block.parameters())
    return site


def model_sites(experiment, arrays, structure, head_bias):
    """[{name: value}] by site of the model with these weights."""
    shape = experiment["shape"]
    stack = [Block(shape, **structure).double() for _ in range(shape["depth"])]
    final = structure["norm"](shape["d_model"], eps=1e-5).double()
    head = nn.Linear(shape["d_model"], shape["vocab"], bias=head_bias).double()
    load(head, torch.tensor(arrays["head/w_head"]))
    stream = [ref.leaf(arrays["x0"])]
    for number, block in enumerate(stack, start=1):
        p = tensors(arrays, f"block{number:03d}/")
        for name, linear in block.maps().items():
            load(linear, p[f"w_{name}"])
        stream.append(block(stream[-1]))
        stream[-1].retain_grad()
    loss = F.cross_entropy(head(final(stream[-1])).flatten(0, 1), torch.tensor(arrays["targets"]).flatten())
    loss.backward()
    sites = [{"grad_x": float(stream[0].grad.norm()), "rms_x": float(stream[0].square().mean().sqrt())}]
    sites += [block_sites(block, x) for block, x in zip(stack, stream[1:])]
    sites.append({"loss": float(loss), "w_head": gradient_norm(head.weight), **norm_gradients(final, "final")})
    if head_bias:
        sites[-1]["b_head"] = gradient_norm(head.bias)
    return sites


def biases_are_those_of_the_model(name):
    structure, head_bias = MODELS[name]
    experiment = configs.build(configs.FIXED[name])
    arrays = make_arrays(experiment)
    theirs = model_sites(experiment, arrays, structure, head_bias)
    for site in theirs:
        site.pop("b_k", None)  # its gradient is rounding
    return compare_sites(ref.measure(experiment, arrays), theirs, HIDDEN | {"b_k"})


def phantom_biases_are_detected():
    """The comparison detects each group of biases that the model does not have, and each that is missing."""
    count = 0
    for name, (structure, head_bias) in MODELS.items():
        experiment = configs.build(configs.FIXED[name])
        arrays = make_arrays(experiment)
        theirs = model_sites(experiment, arrays, structure, head_bias)
        has_norm_biases = structure["norm"] is nn.LayerNorm
        present = {"bias_qkv": structure.get("qkv", False), "bias_output": structure.get("out", False),
                   "bias_ffn": structure.get("mlp", False), "bias_head": head_bias,
                   **({"bias_norms": True} if has_norm_biases else {})}
        for key, value in present.items():
            ours = ref.measure(configs.build({**configs.FIXED[name], key: not value}), arrays)
            try:
                compare_sites(ours, theirs, HIDDEN | {"b_k"})
            except (AssertionError, KeyError, TypeError):
                count += 1
                continue
            raise AssertionError(f"{name}: {key} = {not value} is not detected")
    return f"{count} errors"
