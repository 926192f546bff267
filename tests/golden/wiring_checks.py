# Copyright (C) 2026 The Normscope developers
# SPDX-License-Identifier: GPL-3.0-or-later
"""Test the attentions, norms and residuals of the reference against equations in torch functions.

Part of test_reference.py. Gains are 1 and omitted here, so F.layer_norm has no weight. The tests compare the gradients
of every matrix, the learned scales and the inputs.
"""

import math

import torch
from torch import nn
from torch.nn import functional as F

import configs
import reference as ref
import reference_blocks as blocks
from compare import TOLERANCE, make_arrays, random_tensor, same, tensors
from transformer_checks import load_attention


def check(overrides, forward, extra=()):
    """Compare the reference with forward(x0, [p of each block]) -> h or (h, input of the first block).

    extra: {name: initial value} of the parameters in p other than matrices. Return the number of compared values.
    """
    experiment = configs.build({"final_norm": "off", **overrides})
    arrays = make_arrays(experiment)
    depth = experiment["shape"]["depth"]
    params = []
    for block in range(1, depth + 1):
        p = {name: tensor.requires_grad_() for name, tensor in tensors(arrays, f"block{block:03d}/").items()}
        p.update({name: ref.leaf(initial) for name, initial in dict(extra).items()})
        params.append(p)
    x0, head = ref.leaf(arrays["x0"]), ref.leaf(arrays["head/w_head"])
    h = forward(x0, params)
    h, after_input = h if isinstance(h, tuple) else (h, x0)
    loss = F.cross_entropy((h @ head).flatten(0, 1), torch.tensor(arrays["targets"]).flatten())
    grad_x = torch.autograd.grad(loss, after_input, retain_graph=True)[0]
    loss.backward()
    ours = ref.measure(experiment, arrays)
    compared = [("loss", depth + 1, loss), ("w_head", depth + 1, head.grad.norm()), ("grad_x", 0, grad_x.norm())]
    for site, p in enumerate(params, start=1):
        compared += [(name, site, tensor.grad.norm()) for name, tensor in p.items() if tensor.grad is not None]
    for name, site, want in compared:
        got, want = ours[name][site], float(want.detach())
        assert abs(got - want) <= TOLERANCE * abs(want), f"{overrides}: {name} at {site} is {got!r}, expected {want!r}"
    return len(compared)


def ln(x):
    return F.layer_norm(x, x.shape[-1:], eps=1e-5)


def relu_ffn(u, p):
    return F.relu(u @ p["w_1"]) @ p["w_2"]


def attn(u, p, heads=2, kv_heads=2, q_norm=None, k_norm=None, v_norm=None, score=None, inner=None, mask=None):
    """Compute one head at a time. Head i uses the keys and values of head i // (heads // kv_heads)."""
    q, k, v = u @ p["w_q"], u @ p["w_k"], u @ p["w_v"]
    d_head = q.shape[-1] // heads
    out = []
    for i in range(heads):
        j = i * kv_heads // heads
        q_slice, kv_slice = slice(i * d_head, (i + 1) * d_head), slice(j * d_head, (j + 1) * d_head)
        qi, ki, vi = q[..., q_slice], k[..., kv_slice], v[..., kv_slice]
        if q_norm:
            qi, ki = q_norm(qi, q, q_slice), k_norm(ki, k, kv_slice)
        if v_norm:
            vi = v_norm(vi)
        scores = score(qi, ki) if score else torch.einsum("btf,bsf->bts", qi, ki) / math.sqrt(d_head)
        if mask is not None:
            scores = scores + mask
        out.append(torch.einsum("bts,bsf->btf", F.softmax(scores, -1), vi))
    y = torch.cat(out, -1)
    y = inner(y) if inner else y
    return y @ p["w_o"]


def layered(attention, ffn=relu_ffn):
    """Return the forward pass of a Pre-LN stack with this attention and FFN."""
    def forward(x, params):
        for p in params:
            x = x + attention(ln(x), p)
            x = x + ffn(ln(x), p)
        return x
    return forward


# ---- attention ----

def grouped_queries_are_repeated_heads():
    """Compare with repeated heads in nn.MultiheadAttention. The gradient of a shared head is the sum of theirs."""
    def repeated(w, group, d_head):
        return torch.cat([head for head in w.split(d_head, -1) for _ in range(group)], -1)

    for heads, kv_heads in ((4, 2), (4, 1), (8, 4)):
        experiment = configs.build({"shape.heads": heads, "shape.kv_heads": kv_heads, "shape.depth": 1,
                                    "final_norm": "off"})
        arrays = make_arrays(experiment)
        d_head, group, p = 16 // heads, heads // kv_heads, tensors(arrays, "block001/")
        mha = nn.MultiheadAttention(16, heads, batch_first=True, dtype=torch.float64)
        load_attention(mha, {**p, "w_k": repeated(p["w_k"], group, d_head), "w_v": repeated(p["w_v"], group, d_head)})
        x = torch.tensor(arrays["x0"])
        x = x + mha(ln(x), ln(x), ln(x), need_weights=False)[0]
        x = x + relu_ffn(ln(x), p)
        F.cross_entropy((x @ torch.tensor(arrays["head/w_head"])).flatten(0, 1),
                        torch.tensor(arrays["targets"]).flatten()).backward()
        ours = ref.measure(experiment, arrays)
        w_q, w_k, w_v = mha.in_proj_weight.grad.split(16)
        for name, grad in (("w_k", w_k), ("w_v", w_v)):
            want = float(grad.view(kv_heads, group, d_head, 16).sum(1).norm())
            assert math.isclose(ours[name][1], want, rel_tol=TOLERANCE), f"{heads}/{kv_heads}: {name}"
        assert math.isclose(ours["w_q"][1], float(w_q.norm()), rel_tol=TOLERANCE)


def attentions_are_written_out():
    count = check({}, layered(attn))
    count += check({"shape.heads": 4, "shape.kv_heads": 2, "shape.d_head": 7},
                   layered(lambda u, p: attn(u, p, 4, 2)))
    count += check({"shape.heads": 6, "shape.kv_heads": 3, "shape.d_head": 2, "attention_scale": 0.3},
                   layered(lambda u, p: attn(u, p, 6, 3, score=lambda q, k: 0.3 * q @ k.transpose(1, 2))))
    hidden = torch.full((5, 5), -math.inf, dtype=torch.float64).triu(1)
    return count + check({"attention": "causal", "shape.d_head": 3},
                         layered(lambda u, p: attn(u, p, mask=hidden)))


def query_and_key_norms_are_written_out():
    def head(x, _whole, _slice):
        return ln(x)

    def full(_x, whole, slice_):
        return ln(whole)[..., slice_]

    def cosine(q, k):
        return 10 * F.cosine_similarity(q.unsqueeze(2), k.unsqueeze(1), dim=-1)

    count = 0
    for shape in ({}, {"shape.heads": 4, "shape.kv_heads": 2, "shape.d_head": 6}):
        heads, kv = (4, 2) if shape else (2, 2)
        for name, how in (("head", {"q_norm": head, "k_norm": head}), ("full", {"q_norm": full, "k_norm": full}),
                          ("qkv-head", {"q_norm": head, "k_norm": head, "v_norm": ln}), ("cosine", {"score": cosine})):
            count += check({"qk_norm": name, **shape}, layered(lambda u, p: attn(u, p, heads, kv, **how)))
    return count


def gains_of_query_norms_have_the_right_size():
    sizes = {"full": (24, 12, None), "head": (6, 6, None), "qkv-head": (6, 6, 6), "cosine": (None,) * 3}
    for kind, wanted in sizes.items():
        experiment = configs.build({"shape.heads": 4, "shape.kv_heads": 2, "shape.d_head": 6, "qk_norm": kind,
                                    "attn.inner_norm": True, "ffn.inner_norm": True})
        p = blocks.block_parameters(experiment, experiment["variants"][0], make_arrays(experiment), "stack", 1)
        for name, size in zip("qkv", wanted):
            gain = p.get(f"gain_attn_{name}")
            assert (None if gain is None else gain.size) == size, f"{kind}: {name}"
        assert p["gain_attn_inner"].size == 24 and p["gain_ffn_inner"].size == 40


# ---- norms and activations ----

def dyt_is_a_tanh():
    x, alpha, gain, bias = random_tensor(2, 3, 7), torch.tensor(0.4), random_tensor(7), random_tensor(7, seed=5)
    same(blocks.dyt(x, gain, bias, alpha), F.linear(torch.tanh(alpha * x), torch.diag(gain), bias), "DyT")
    return check({"norm": "dyt", "dyt_alpha": 0.3}, dyt_stack, {"alpha_attn_pre": 0.3, "alpha_ffn_pre": 0.3})


def dyt_stack(x, params):
    for p in params:
        x = x + attn(torch.tanh(p["alpha_attn_pre"] * x), p)
        x = x + relu_ffn(torch.tanh(p["alpha_ffn_pre"] * x), p)
    return x


def inner_norms_are_written_out():
    def inner_ffn(u, p):
        return ln(F.silu(u @ p["w_1"]) * (u @ p["w_3"])) @ p["w_2"]

    return check({"attn.inner_norm": True, "ffn.inner_norm": True, "activation": "swiglu", "shape.d_head": 5},
                 layered(lambda u, p: attn(u, p, inner=ln), inner_ffn))


def gelus_with_tanh_are_torchs():
    x = random_tensor(100)
    same(blocks.ACTIVATIONS["gelu-tanh"](x), F.gelu(x, approximate="tanh"), "gelu-tanh")
    slopes = [torch.autograd.grad(function(x.requires_grad_()).sum(), x)[0]
              for function in (blocks.gelu_tanh, lambda x: F.gelu(x, approximate="tanh"))]
    same(*slopes, "slope of gelu-tanh")
    assert (blocks.gelu(x) - blocks.gelu_tanh(x)).abs().max() > 1e-5
    return check({"activation": "geglu-tanh"}, layered(attn, lambda u, p: (
        F.gelu(u @ p["w_1"], approximate="tanh") * (u @ p["w_3"])) @ p["w_2"]))


# ---- residuals ----

def b2t(x, params):
    for p in params:
        y = ln(x + attn(x, p))
        x = ln(y + relu_ffn(y, p) + x)
    return x


def dual(x, params, end=ln):
    r = x
    for p in params:
        s = attn(x, p)
        x, r = ln(x + s), r + s
        s = relu_ffn(x, p)
        x, r = ln(x + s), r + s
    return x + end(r)


def two_norms(x, params):
    for p in params:  # without gains the two norms are equal
        x = x + attn(ln(x), p) + relu_ffn(ln(x), p)
    return x


def two_norms_then_post(x, params):
    for p in params:
        x = ln(x + attn(ln(x), p) + relu_ffn(ln(x), p))
    return x


def learned(x, params):
    for p in params:
        x = x + p["scale_attn"] * ln(attn(ln(x), p))
        x = x + p["scale_ffn"] * ln(relu_ffn(ln(x), p))
    return x


def hybrid_star(x, params, pre_blocks=1):
    """As in the paper, where an FFN's residual begins behind its norm in all blocks but the first."""
    def head(x, _whole, _slice):
        return ln(x)

    for block, p in enumerate(params):
        is_pre = block < pre_blocks
        y = x + attn(ln(x) if is_pre else x, p, q_norm=head, k_norm=head, v_norm=ln)
        x = (y if is_pre else ln(y)) + relu_ffn(ln(y), p)
    return ln(x)


def half_gain(x, params):
    for p in params:
        x = x + 0.5 * ln(attn(x, p))
        x = x + 0.5 * ln(relu_ffn(x, p))
    return x


def scaled(a, b):
    def forward(x, params):
        for p in params:
            x = ln(a * x + b * attn(x, p))
            x = ln(a * x + b * relu_ffn(x, p))
        return x
    return forward


def residuals_are_written_out():
    post = configs.both("post")
    count = check({**post, "block_residual": True}, b2t)
    count += check({**post, "dual_residual": True, "final_norm": "auto"}, dual)
    count += check({**post, "dual_residual": True}, lambda x, params: dual(x, params, lambda r: r))
    count += check(configs.TWO_NORMS, two_norms)
    count += check({**configs.TWO_NORMS, **configs.both("pre-post")}, two_norms_then_post)
    for kind, initial in (("scalar", 0.3), ("vector", [0.3] * 16)):
        count += check({**configs.both("sandwich"), "branch_parameter": kind, "branch_scale": 0.3}, learned,
                       {"scale_attn": initial, "scale_ffn": initial})
    count += check({**configs.both("branch"), "branch_norm_gain": 0.5}, half_gain)
    hybrid = {"attn.norm": "post", "ffn.norm": "none", "qk_norm": "qkv-head", "final_norm": "on"}
    count += check({**hybrid, "first_block_pre": True}, hybrid_star)
    count += check(hybrid, lambda x, params: hybrid_star(x, params, 0))
    L = 3
    for key, value, a, b in (("residual_scale", "admin", math.sqrt((2 * L + 1) / math.log(2 * L + 1) - 1), 1),
                             ("residual_scale", "admin-constant", math.sqrt(2 * L), 1),
                             ("residual_scale", "deepnorm", 1.5650845800732873, 1),
                             ("branch_scale", "inverse-sqrt-depth", 1, 1 / math.sqrt(L))):
        count += check({**post, key: value}, scaled(a, b))
    return count


def single_sub_layers_are_written_out():
    """Blocks of one sub-layer, and the rules that count residual branches: here one for each block."""
    def attention_only(x, params):
        for p in params:
            x = x + attn(ln(x), p)
        return x

    def pure(x, params):
        for p in params:
            x = attn(x, p)
        return x

    def ffn_only(a):
        def forward(x, params):
            for p in params:
                x = ln(a * x + relu_ffn(x, p))
            return x
        return forward

    post, L = configs.both("post"), 3
    count = check(configs.ATTENTION_ONLY, attention_only)
    count += check({**configs.both("none"), **configs.ATTENTION_ONLY, "attn.residual": False}, pure)
    for rule, a in (("deepnorm", L ** 0.25), ("admin", math.sqrt((L + 1) / math.log(L + 1) - 1)),
                    ("admin-constant", math.sqrt(L)), (1.0, 1.0)):
        count += check({**post, **configs.FFN_ONLY, "residual_scale": rule}, ffn_only(a))
    return count


def inputs_are_scaled_and_normed():
    """Values of x_0 are measured after scaling and norm."""
    def forward(x, params):
        x = ln(0.37 * x)
        return layered(attn)(x, params), x

    count = check({"input_scale": 0.37, "input_norm": True}, forward)

    def t_fixup(x, params):
        x = 27 ** -0.25 * x
        return layered(attn)(x, params), x

    return count + check({"input_scale": "t-fixup"}, t_fixup)


def constants_match_the_papers():
    """Constants of Wang et al. 2022 for 6 + 6 and 12 layers, and Admin's closed forms for 12 and 18 sub-layers."""
    def a(scale, part, depth):
        variant = configs.build({"residual_scale": scale})["variants"][0]
        return blocks.residual_scale(variant, "attn", part, depth)

    for scale, part, depth, want in (("deepnorm", "encoder", 6, 1.418), ("deepnorm", "decoder", 6, 2.060),
                                     ("deepnorm", "stack", 12, 2.213), ("admin-constant", "decoder", 6, 4.2426),
                                     ("admin-constant", "encoder", 6, 3.4641), ("admin", "decoder", 6, 2.3351),
                                     ("admin", "stack", 6, 2.0169), ("keel", "stack", 6, 12.0),
                                     ("keel", "decoder", 6, 18.0)):
        assert abs(a(scale, part, depth) - want) < 6e-4, f"{scale}, {part} of {depth}: {a(scale, part, depth)}"


TESTS = (grouped_queries_are_repeated_heads, attentions_are_written_out, query_and_key_norms_are_written_out,
         gains_of_query_norms_have_the_right_size, dyt_is_a_tanh, inner_norms_are_written_out,
         gelus_with_tanh_are_torchs, residuals_are_written_out, single_sub_layers_are_written_out,
         inputs_are_scaled_and_normed, constants_match_the_papers)
