# Copyright (C) 2026 The Normscope developers
# SPDX-License-Identifier: GPL-3.0-or-later
"""Hyper-Connections in PyTorch: several residual streams, and what mixes them around a sub-layer.

Part of reference.py, written from the equations of Zhu et al. 2024 (arXiv:2409.19606) and of mHC (Xie et al. 2025,
arXiv:2512.24880). The streams of a token are kept side by side, [B, T, n·d].
"""

import numpy as np
import torch

SINKHORN_STEPS = 20


def stream_count(variant):
    """Return n, or None for one stream with a residual."""
    return variant.get("streams")


def split(x, n):
    return x.unflatten(-1, (n, -1))  # [B, T, n, d]


def expand(x, variant):
    """Return n copies of the input of the stack."""
    n = stream_count(variant)
    return x if n is None else x.repeat(1, 1, n)


def reduce(x, variant):
    """Return the sum of the streams, which the head reads."""
    n = stream_count(variant)
    return x if n is None else split(x, n).sum(-2)


def mix_parameters(variant, block, sub, d):
    """Return what mixes the streams of d features in a sub-layer of block 1, 2, ..., as arrays by name."""
    n, kind = stream_count(variant), variant["stream_weights"]
    if n is None:
        return {}
    number = 2 * (block - 1) + ("attn", "ffn").index(sub)
    p = {"mix_in": np.eye(n)[number % n], "mix_streams": np.eye(n), "mix_out": np.ones(n)}
    if kind == "dynamic":
        p |= {"mix_in_w": np.zeros((d, 1)), "mix_streams_w": np.zeros((d, n)), "mix_out_w": np.zeros((d, 1)),
              "mix_scale": np.full(2, 0.01)}
    if kind == "manifold":
        p = {"mix_in": 2 * p["mix_in"] - 1, "mix_streams": 8 * (p["mix_streams"] - 1), "mix_out": np.zeros(n),
             "mix_in_w": np.zeros((n * d, n)), "mix_streams_w": np.zeros((n * d, n * n)),
             "mix_out_w": np.zeros((n * d, n)), "mix_scale": np.full(3, 0.01)}
    return {f"{name}_{sub}": value for name, value in p.items()}


def sinkhorn(h):
    """Return the matrix [..., old stream, new stream] that mHC makes of any; its H^res is the transpose."""
    h_res = (h - h.amax(dim=(-2, -1), keepdim=True)).exp().mT
    for _ in range(SINKHORN_STEPS):
        h_res = h_res / h_res.sum(-2, keepdim=True)  # of each column, T_c
        h_res = h_res / h_res.sum(-1, keepdim=True)  # of each row, T_r
    return h_res.mT


def mix_weights(x, p, sub, variant):
    """Return A_m [..., n], A_r [..., n, n] and B [..., n]."""
    a_m, a_r, b = (p[f"mix_{name}_{sub}"] for name in ("in", "streams", "out"))
    if variant["stream_weights"] == "static":
        return a_m, a_r, b
    n, eps, scale = len(b), variant["norm_eps"], p[f"mix_scale_{sub}"]
    w_m, w_r, w_b = (p[f"mix_{name}_w_{sub}"] for name in ("in", "streams", "out"))
    if variant["stream_weights"] == "dynamic":  # Zhu et al. 2024, equations 10 to 13
        streams = split(x, n)
        normed = torch.nn.functional.layer_norm(streams, streams.shape[-1:], eps=eps)
        return (a_m + scale[0] * torch.tanh(normed @ w_m).squeeze(-1), a_r + scale[0] * torch.tanh(normed @ w_r),
                b + scale[1] * torch.tanh(normed @ w_b).squeeze(-1))
    normed = x / torch.sqrt((x * x).mean(-1, keepdim=True) + eps)  # Xie et al. 2025, equations 7 to 9
    return (torch.sigmoid(scale[0] * (normed @ w_m) + a_m),
            sinkhorn(scale[1] * (normed @ w_r).unflatten(-1, (n, n)) + a_r),
            2 * torch.sigmoid(scale[2] * (normed @ w_b) + b))


def mix_in(x, a_m):
    """Return A_mᵀ·H, the input of the sub-layer."""
    return (split(x, a_m.shape[-1]) * a_m[..., None]).sum(-2)


def mix_out(x, s, a_r, b):
    """Return A_rᵀ·H + Bᵀ·s, the new streams."""
    return (a_r.mT @ split(x, b.shape[-1]) + b[..., None] * s.unsqueeze(-2)).flatten(-2)
