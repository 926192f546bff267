# Copyright (C) 2026 The Normscope developers
# SPDX-License-Identifier: GPL-3.0-or-later
"""The reference against modules with the biases of real models: part of test_reference.py.

Each model is built of nn.Linear and a norm, with biases and rotary positions where its published code has them. All
tensors are compared, and the reference must have no others.
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


def rotate_half(x):  # LLaMA, GPT-NeoX
    a, b = x.chunk(2, dim=-1)
    return torch.cat([-b, a], dim=-1)


def rotate_every_two(x):  # GPT-J
    return torch.stack([-x[..., 1::2], x[..., 0::2]], dim=-1).flatten(-2)


def plain_angles(dim, base=100.0):
    return 1.0 / base ** (torch.arange(0, dim, 2, dtype=torch.float64) / dim)


def llama3_angles(dim, factor=4.0, low=1.0, high=4.0, original=64, base=100.0):
    """As in the code of Llama 3.1, pair by pair."""
    angles = []
    for angle in plain_angles(dim, base).tolist():
        wavelength = 2 * math.pi / angle
        if wavelength > original / low:
            angle = angle / factor
        elif wavelength >= original / high:
            smooth = (original / wavelength - low) / (high - low)
            angle = (1 - smooth) * angle / factor + smooth * angle
        angles.append(angle)
    return torch.tensor(angles, dtype=torch.float64)


def yarn_angles(dim, factor=4.0, slow=1, fast=32, original=64, base=100.0, truncate=True):
    """As in the code of YaRN: the ramp between the dimensions that turn `fast` and `slow` times."""
    def dimension(turns):
        return dim * math.log(original / (turns * 2 * math.pi)) / (2 * math.log(base))

    low, high = dimension(fast), dimension(slow)
    if truncate:
        low, high = math.floor(low), math.ceil(high)
    low, high = max(low, 0), min(high, dim - 1)
    ramp = ((torch.arange(dim // 2, dtype=torch.float64) - low) / (high - low)).clamp(0, 1)
    return plain_angles(dim, base) / factor * ramp + plain_angles(dim, base) * (1 - ramp)


def bloom_bias(heads, T):
    """As in BLOOM's code, which multiplies the slopes with the position of the key, whichever the query is."""
    lower = 2 ** math.floor(math.log2(heads))
    slopes = torch.pow(torch.tensor(2 ** (-(2 ** -(math.log2(lower) - 3))), dtype=torch.float64),
                       torch.arange(1, 1 + lower))
    if lower != heads:
        extra = torch.tensor(2 ** (-(2 ** -(math.log2(2 * lower) - 3))), dtype=torch.float64)
        powers = torch.arange(1, 1 + 2 * min(lower, heads - lower), 2)
        slopes = torch.cat([slopes, torch.pow(extra, powers)])
    return slopes[:, None, None] * torch.arange(T)[None, None, :]


def mpt_bias(heads, T, bias_max=8):
    """As in MPT's code: the slopes of the next power of two, every other one first."""
    upper = 2 ** math.ceil(math.log2(heads))
    slopes = 1.0 / torch.pow(2, torch.arange(1, upper + 1, dtype=torch.float64) * (bias_max / upper))
    if upper != heads:
        slopes = torch.cat([slopes[1::2], slopes[::2]])[:heads]
    return torch.arange(1 - T, 1)[None, None, :] * slopes[:, None, None]


class GatedMlp(nn.Module):
    def __init__(self, d, f, act):
        super().__init__()
        self.act, self.gate, self.up, self.down = act, *(nn.Linear(d, f, bias=False) for _ in range(2)), \
            nn.Linear(f, d, bias=False)

    def forward(self, u):
        return self.down(self.act(self.gate(u)) * self.up(u))

    def maps(self):
        return {"w_1": self.gate, "w_2": self.down, "w_3": self.up}


class SparseMlp(nn.Module):
    """Experts as in the code of Mixtral, Qwen2-MoE and Qwen3-MoE: each computes the tokens that chose it. shared: the
    width of an expert for all tokens, over that of one expert; 0: none."""

    def __init__(self, d, f, act, count, k, normalize, shared):
        super().__init__()
        self.k, self.normalize = k, normalize
        self.router = nn.Linear(d, count, bias=False)
        self.each = nn.ModuleList([GatedMlp(d, f, act) for _ in range(count)])
        self.shared = GatedMlp(d, shared * f, act) if shared else None
        self.shared_gate = nn.Linear(d, 1, bias=False) if shared else None

    def forward(self, u):
        tokens = u.flatten(0, 1)
        weights, chosen = self.router(tokens).softmax(-1).topk(self.k)
        if self.normalize:
            weights = weights / weights.sum(-1, keepdim=True)
        y = torch.zeros_like(tokens)
        for number, expert in enumerate(self.each):
            rows, rank = (chosen == number).nonzero(as_tuple=True)
            y = y.index_add(0, rows, weights[rows, rank, None] * expert(tokens[rows]))
        if self.shared is not None:
            y = y + self.shared_gate(tokens).sigmoid() * self.shared(tokens)
        return y.view_as(u)

    def load(self, p):
        load(self.router, p["router"])
        for number, expert in enumerate(self.each):
            for name, linear in expert.maps().items():
                load(linear, p[name][number])
        if self.shared is not None:
            load(self.shared_gate, p["shared_gate"])
            for name, linear in self.shared.maps().items():
                load(linear, p[f"shared_{name}"])

    def site(self):
        names = self.each[0].maps()
        norms = [gradient_norm(*expert.parameters()) for expert in self.each]
        site = {name: gradient_norm(*(expert.maps()[name].weight for expert in self.each)) for name in names}
        site.update(router=gradient_norm(self.router.weight), expert_grad_max=max(norms), expert_grad_min=min(norms))
        if self.shared is not None:
            site["shared_gate"] = gradient_norm(self.shared_gate.weight)
            site.update({f"shared_{name}": gradient_norm(linear.weight)
                         for name, linear in self.shared.maps().items()})
        return site


class Block(nn.Module):
    """A causal decoder's block. qkv, out, mlp: whether these maps have biases. rotary: (width or None, angles,
    rotation, factor). qk_norm: whether each head's queries and keys have a norm, as in Qwen3. bias: a function of the
    numbers of heads and tokens that is added to the scores. experts: (count, per token, normalize, shared)."""

    def __init__(self, shape, norm, act, gated=False, parallel=0, qkv=False, out=False, mlp=False, rotary=None,
                 qk_norm=False, bias=None, experts=None):
        super().__init__()
        self.sparse = None if experts is None else SparseMlp(shape["d_model"], shape["d_ff"], act, *experts)
        self.rotary, self.bias = rotary, bias
        d, f = shape["d_model"], shape["d_ff"]
        self.heads, self.kv_heads, self.d_head = blocks.head_sizes(shape)
        self.act, self.parallel = act, parallel
        self.attn_pre = norm(d, eps=1e-5)
        self.ffn_pre = norm(d, eps=1e-5) if parallel != 1 else None
        self.q = nn.Linear(d, self.heads * self.d_head, bias=qkv)
        self.k = nn.Linear(d, self.kv_heads * self.d_head, bias=qkv)
        self.v = nn.Linear(d, self.kv_heads * self.d_head, bias=qkv)
        self.o = nn.Linear(self.heads * self.d_head, d, bias=out)
        if experts is None:
            self.up, self.down = nn.Linear(d, f, bias=mlp), nn.Linear(f, d, bias=mlp)
            self.gate = nn.Linear(d, f, bias=mlp) if gated else None

        self.q_norm, self.k_norm = (norm(self.d_head, eps=1e-5) if qk_norm else nn.Identity() for _ in range(2))

    def turn(self, x):
        width, angles, rotate, factor = self.rotary
        width = width or self.d_head
        phases = torch.outer(torch.arange(x.shape[2], dtype=torch.float64), angles(width))
        both = phases.repeat_interleave(2, 1) if rotate is rotate_every_two else torch.cat([phases, phases], 1)
        turned, rest = x[..., :width], x[..., width:]
        turned = factor * (turned * both.cos() + rotate(turned) * both.sin())
        return torch.cat([turned, rest], dim=-1)

    def attention(self, u):
        B, T, _ = u.shape
        q, k, v = (m(u).view(B, T, -1, self.d_head).transpose(1, 2) for m in (self.q, self.k, self.v))
        q, k = self.q_norm(q), self.k_norm(k)
        if self.rotary is not None:
            q, k = self.turn(q), self.turn(k)
        k, v = (x.repeat_interleave(self.heads // self.kv_heads, dim=1) for x in (k, v))
        scores = q @ k.transpose(2, 3) / math.sqrt(self.d_head)
        if self.bias is not None:
            scores = scores + self.bias(self.heads, T)
        scores = scores.masked_fill(torch.ones(T, T, dtype=torch.bool).triu(1), -math.inf)
        return self.o((scores.softmax(-1) @ v).transpose(1, 2).reshape(B, T, -1))

    def mlp(self, u):
        if self.sparse is not None:
            return self.sparse(u)
        return self.down(self.act(self.up(u)) if self.gate is None else self.act(self.gate(u)) * self.up(u))

    def forward(self, x):
        u = self.attn_pre(x)
        if self.parallel:
            return x + self.attention(u) + self.mlp(u if self.ffn_pre is None else self.ffn_pre(x))
        x = x + self.attention(u)
        return x + self.mlp(self.ffn_pre(x))

    def maps(self):
        """{"q": module, ...}, with the FFN's matrices as the reference names them."""
        if self.sparse is not None:
            return {"q": self.q, "k": self.k, "v": self.v, "o": self.o}
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

HALF, EVERY_TWO = (None, plain_angles, rotate_half, 1.0), (4, plain_angles, rotate_every_two, 1.0)
LLAMA = dict(norm=RmsNorm, act=F.silu, gated=True)
OVERRIDES = {"norm": "rmsnorm", "activation": "swiglu", "attention": "causal", **configs.GQA, "shape.d_head": 8,
             "shape.seq_len": 9}
# Models with rotary positions: their settings, their blocks, and whether their head has a bias.
ROTARY_MODELS = {
    "LLaMA": ({**OVERRIDES, **configs.ROTARY}, dict(LLAMA, rotary=HALF), False),
    "Llama 3.1": ({**OVERRIDES, **configs.LONGER, "rotary_scaling": "llama3"},
                  dict(LLAMA, rotary=(None, llama3_angles, rotate_half, 1.0)), False),
    "Qwen2, YaRN": ({**OVERRIDES, **configs.LONGER, "rotary_scaling": "yarn", "bias_qkv": True},
                    dict(LLAMA, qkv=True, rotary=(None, yarn_angles, rotate_half, 0.1 * math.log(4) + 1)), False),
    "Qwen3": ({**OVERRIDES, **configs.ROTARY, "qk_norm": "head"}, dict(LLAMA, rotary=HALF, qk_norm=True), False),
    "GPT-J": ({**configs.FIXED["biases-gpt-j"], **configs.ROTARY, "rotary": "interleaved", "rotary_dim": 4},
              dict(MODELS["biases-gpt-j"][0], rotary=EVERY_TWO), True),
    "GPT-NeoX": ({**configs.FIXED["biases-gpt-neox"], **configs.ROTARY, "rotary_dim": 4},
                 dict(MODELS["biases-gpt-neox"][0], rotary=(4, plain_angles, rotate_half, 1.0)), False),
}


BLOOM = {"position_bias": "alibi", "attention": "causal", "bias": True, "bias_head": False, "input_norm": True,
         "activation": "gelu-tanh", "shape.heads": 6, "shape.d_model": 24, "shape.seq_len": 9}
MPT = {"position_bias": "alibi", "attention": "causal", "activation": "gelu", "bias_norms": False, "shape.heads": 5,
       "shape.d_model": 20, "shape.seq_len": 9}


def layer_norm_without_bias(features, eps):
    norm = nn.LayerNorm(features, eps=eps)
    norm.register_parameter("bias", None)
    return norm


# Models with a bias of the scores.
BIAS_MODELS = {
    "BLOOM": (BLOOM, dict(norm=nn.LayerNorm, act=gelu_new, qkv=True, out=True, mlp=True, bias=bloom_bias), False),
    "MPT": (MPT, dict(norm=layer_norm_without_bias, act=F.gelu, bias=mpt_bias), False),
}


# Models with experts.
SPARSE_MODELS = {
    "Mixtral": ({**OVERRIDES, **configs.ROTARY, "experts": 4},
                dict(LLAMA, rotary=HALF, experts=(4, 2, True, 0)), False),
    "Qwen2-MoE": ({**OVERRIDES, **configs.ROTARY, "bias_qkv": True, "experts": 6, "experts_per_token": 3,
                   "expert_weights": "softmax", "shared_experts": 2},
                  dict(LLAMA, qkv=True, rotary=HALF, experts=(6, 3, False, 2)), False),
    "Qwen3-MoE": ({**OVERRIDES, **configs.ROTARY, "qk_norm": "head", "experts": 6, "experts_per_token": 3},
                  dict(LLAMA, rotary=HALF, qk_norm=True, experts=(6, 3, True, 0)), False),
}


def gradient_norm(*parameters):
    # an expert without tokens has none
    return math.hypot(*(0.0 if p.grad is None else float(p.grad.norm()) for p in parameters))


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
    for name in "qk" if isinstance(block.q_norm, RmsNorm) else "":
        gains = getattr(block, f"{name}_norm")
        site.update(norm_gradients(gains, f"attn_{name}"))
        sums["attn"] += list(gains.parameters())
    for name, linear in block.maps().items():
        site[f"w_{name}"] = gradient_norm(linear.weight)
        if linear.bias is not None:
            site[f"b_{name}"] = gradient_norm(linear.bias)
        sums["attn" if name in "qkvo" else "ffn"] += linear.parameters()
    if block.sparse is not None:
        site.update(block.sparse.site())
        sums["ffn"] += block.sparse.parameters()
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
    if experiment["variants"][0]["input_norm"]:
        input_norm = structure["norm"](shape["d_model"], eps=1e-5).double()
        stream = [input_norm(stream[0])]
        stream[0].retain_grad()
    for number, block in enumerate(stack, start=1):
        p = tensors(arrays, f"block{number:03d}/")
        for name, linear in block.maps().items():
            load(linear, p[f"w_{name}"])
        if block.sparse is not None:
            block.sparse.load(p)
        stream.append(block(stream[-1]))
        stream[-1].retain_grad()
    loss = F.cross_entropy(head(final(stream[-1])).flatten(0, 1), torch.tensor(arrays["targets"]).flatten())
    loss.backward()
    sites = [{"grad_x": float(stream[0].grad.norm()), "rms_x": float(stream[0].square().mean().sqrt())}]
    if experiment["variants"][0]["input_norm"]:
        sites[0].update(norm_gradients(input_norm, "input"))
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


def rotary_positions_are_those_of_the_model(name):
    """Key biases count here: turned keys are not shifted equally."""
    overrides, structure, head_bias = ROTARY_MODELS[name]
    experiment = configs.build(overrides)
    arrays = make_arrays(experiment)
    return compare_sites(ref.measure(experiment, arrays), model_sites(experiment, arrays, structure, head_bias), HIDDEN)


def score_biases_are_those_of_the_model(name):
    overrides, structure, head_bias = BIAS_MODELS[name]
    experiment = configs.build(overrides)
    arrays = make_arrays(experiment)
    theirs = model_sites(experiment, arrays, structure, head_bias)
    for site in theirs:
        site.pop("b_k", None)  # its gradient is rounding
    return compare_sites(ref.measure(experiment, arrays), theirs, HIDDEN | {"b_k"})


def sparse_sites(name):
    """Return (configuration, arrays, sites of the model)."""
    overrides, structure, head_bias = SPARSE_MODELS[name]
    experiment = configs.build(overrides)
    arrays = make_arrays(experiment)
    return overrides, arrays, model_sites(experiment, arrays, structure, head_bias)


def experts_are_those_of_the_model(name):
    overrides, arrays, theirs = sparse_sites(name)
    return compare_sites(ref.measure(configs.build(overrides), arrays), theirs, HIDDEN)


def wrong_experts_are_detected():
    """The other weights, another number of experts, no shared expert, and no gradient through the weights."""
    count, routing = 0, blocks.routing

    def without_gradient(*arguments):
        everything, weights, mask = routing(*arguments)
        return everything, weights.detach(), mask

    for name in SPARSE_MODELS:
        overrides, arrays, theirs = sparse_sites(name)
        other = "normalized" if overrides.get("expert_weights") == "softmax" else "softmax"
        changes = [({"expert_weights": other}, routing), ({"experts_per_token": 1}, routing), ({}, without_gradient)]
        changes += [({"shared_experts": None}, routing)] * ("shared_experts" in overrides)
        for change, function in changes:
            blocks.routing = function
            try:
                compare_sites(ref.measure(configs.build({**overrides, **change}), arrays), theirs, HIDDEN)
            except (AssertionError, KeyError):
                count += 1
                continue
            finally:
                blocks.routing = routing
            raise AssertionError(f"{name}: {change or 'weights without a gradient'} not detected")
    return f"{count} errors"


def wrong_score_biases_are_detected():
    """No bias, and the slopes 2^(-8 h/H) for numbers of heads that are no power of two."""
    count, slopes = 0, blocks.alibi_slopes
    for name, (overrides, structure, head_bias) in BIAS_MODELS.items():
        experiment = configs.build(overrides)
        arrays = make_arrays(experiment)
        theirs = model_sites(experiment, arrays, structure, head_bias)
        for change, wrong in (({"position_bias": "none"}, slopes),
                              ({}, lambda heads: [2.0 ** (-8 * (i + 1) / heads) for i in range(heads)])):
            blocks.alibi_slopes = wrong
            try:
                compare_sites(ref.measure(configs.build({**overrides, **change}), arrays), theirs, HIDDEN | {"b_k"})
            except AssertionError:
                count += 1
                continue
            finally:
                blocks.alibi_slopes = slopes
            raise AssertionError(f"{name}: {change or 'wrong slopes'} not detected")
    return f"{count} errors"


def wrong_rotary_positions_are_detected():
    count = 0
    for name, (overrides, structure, head_bias) in ROTARY_MODELS.items():
        arrays = make_arrays(configs.build(overrides))
        theirs = model_sites(configs.build(overrides), arrays, structure, head_bias)
        other = "half" if overrides["rotary"] == "interleaved" else "interleaved"
        wrong = [{"rotary": "none"}, {"rotary_base": 101.0}, {"rotary": other}]
        wrong += [{"rotary_factor": 4.1}, {"rotary_scaling": "linear"}] if "rotary_scaling" in overrides else []
        for change in wrong:
            ours = ref.measure(configs.build({**overrides, **change}), arrays)
            try:
                compare_sites(ours, theirs, HIDDEN)
            except AssertionError:
                count += 1
                continue
            raise AssertionError(f"{name}: {change} is not detected")
    return f"{count} errors"


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
