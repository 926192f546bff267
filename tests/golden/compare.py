# Copyright (C) 2026 The Normscope developers
# SPDX-License-Identifier: GPL-3.0-or-later
"""Helpers of the reference's tests: arrays of the right shapes, and comparison of tensors."""

import math

import numpy as np
import torch

import reference as ref
import reference_blocks as blocks

TOLERANCE = 1e-10
# Quantities of the forward pass that torch's modules do not expose.
HIDDEN = (ref.ACTIVATIONS - {"rms_x"}) | ref.COSINES | (ref.STREAM_GRADIENTS - {"grad_x"})


def gap(a, b):
    """Return the largest difference relative to the largest entry."""
    a, b = a.detach(), b.detach()
    assert a.shape == b.shape, f"shapes {tuple(a.shape)} and {tuple(b.shape)}"
    assert torch.isfinite(a).all() and torch.isfinite(b).all(), "non-finite values"
    return float((a - b).abs().max() / b.abs().max().clamp(min=1e-300))


def same(a, b, name):
    found = gap(a, b)
    assert found <= TOLERANCE, f"{name}: relative error {found:.3g}"


def compare_sites(ours, theirs, not_compared=()):
    """Compare values of measure() with [{name: value}] by site, which must be complete. Return the number of values and
    the worst relative difference."""
    compared, worst = 0, 0.0
    for site, expected in enumerate(theirs):
        for name, want in expected.items():
            got = ours[name][site]
            assert abs(got - want) <= TOLERANCE * abs(want), f"{name} at site {site} is {got!r}, expected {want!r}"
            worst = max(worst, abs(got - want) / abs(want) if want else 0.0)
            compared += 1
        missing = {name for name, values in ours.items() if values[site] is not None} - set(expected)
        missing -= set(not_compared)
        assert not missing, f"not compared at site {site}: {missing}"
    return f"{compared} values, worst relative difference {worst:.1e}"


def folders(experiment):
    """List (part, folder) of every block, such as ("decoder", "decoder/block001/")."""
    return [(part, f"block{block:03d}/" if part == "stack" else f"{part}/block{block:03d}/")
            for part in ref.parts(experiment) for block in range(1, blocks.part_depth(experiment["shape"], part) + 1)]


def make_arrays(experiment, seed=1):
    """Draw weights and data of the right shapes; the equations hold for any distribution."""
    rng = np.random.default_rng(seed)
    shape = experiment["shape"]
    B, T, d, f, V = (shape[key] for key in ("batch", "seq_len", "d_model", "d_ff", "vocab"))
    B *= experiment["sampling"]["batches"]
    heads, kv_heads, d_head = blocks.head_sizes(shape)
    A, K = heads * d_head, kv_heads * d_head

    def normal(*dims):
        return rng.normal(size=dims) * math.sqrt(2 / sum(dims))

    arrays = {"x0": rng.normal(size=(B, T, d)), "y0": rng.normal(size=(B, T, d)),
              "targets": rng.integers(0, V, size=(B, T)), "upstream": rng.normal(size=(B, T, d)),
              "head/w_head": normal(d, V)}
    arrays["upstream"] /= np.linalg.norm(arrays["upstream"])
    for part, folder in folders(experiment):
        for w in ("", "cross_") if part == "decoder" else ("",):
            arrays.update({f"{folder}{w}w_q": normal(d, A), f"{folder}{w}w_k": normal(d, K),
                           f"{folder}{w}w_v": normal(d, K), f"{folder}{w}w_o": normal(A, d)})
        arrays.update({f"{folder}w_1": normal(d, f), f"{folder}w_3": normal(d, f), f"{folder}w_2": normal(f, d)})
        arrays.update({folder + name: array for name, array in expert_arrays(experiment, normal).items()})
    [variant] = experiment["variants"]
    if shape.get("patch_features") is not None:
        n = shape["patch_features"]
        folder = "encoder/" if shape["stack"] == "encoder-decoder" else ""
        arrays.update({"pixels": rng.normal(size=(B, T, n)), "x0_added": rng.normal(size=(B, T, d)),
                       f"{folder}block000/w_patch": normal(n, d)})
    if variant["head_transform"]:
        arrays["head/w_head_dense"] = normal(d, d)
    if variant.get("position_bias") == "t5":
        for prefix in sorted({folder.split("block")[0] for _, folder in folders(experiment)}):
            arrays[f"{prefix}block000/relative_bias"] = normal(variant["position_buckets"], heads)
    return arrays


def expert_arrays(experiment, normal):
    """Draw the matrices of a block that has experts."""
    [variant] = experiment["variants"]
    d, f, E = experiment["shape"]["d_model"], experiment["shape"]["d_ff"], variant.get("experts")
    if E is None:
        return {}
    shapes = {"w_1": (d, f), "w_2": (f, d), "w_3": (d, f)}
    arrays = {name: np.stack([normal(*dims) for _ in range(E)]) for name, dims in shapes.items()}
    # apart from each other, so that no choice is close
    arrays["router"] = 8 * normal(d, E)
    if variant.get("shared_experts") is not None:
        wide = variant["shared_experts"] * f
        arrays |= {"shared_w_1": normal(d, wide), "shared_w_2": normal(wide, d), "shared_w_3": normal(d, wide),
                   "shared_gate": normal(d, 1)}
    return arrays


def tensors(arrays, folder):
    return {name[len(folder):]: torch.tensor(array) for name, array in arrays.items() if name.startswith(folder)}


def random_tensor(*dims, seed=3):
    return torch.randn(*dims, dtype=torch.float64, generator=torch.Generator().manual_seed(seed))
