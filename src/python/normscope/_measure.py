# SPDX-License-Identifier: GPL-3.0-or-later
"""Sums over the tensors of PyTorch, from which docs/MODEL.md's quantities follow. Nothing waits for the device."""

from __future__ import annotations

from typing import Any

import torch

Tensor = torch.Tensor


def wide(x: Tensor) -> Tensor:
    """Return the tensor in float64, which squares of float32 fit into; in float32 where the device has no float64."""
    return x.detach().to(torch.float32 if x.device.type == 'mps' else torch.float64)


def first_tensor(tree: Any) -> Tensor | None:
    """Return the first tensor of numbers in what a module reads or returns: a tensor, tuple, list or dict."""
    if isinstance(tree, torch.Tensor):
        return tree if tree.is_floating_point() else None
    items = tree.values() if isinstance(tree, dict) else tree if isinstance(tree, (tuple, list)) else ()
    return next((found for found in map(first_tensor, items) if found is not None), None)


def replace_tensor(tree: Any, old: Tensor, new: Tensor) -> Any:
    """Return the tuple with a tensor replaced."""
    return tuple(new if item is old else item for item in tree)


def by_sequence(x: Tensor, batch_first: bool) -> Tensor:
    """Return [sequences, tokens, features]; features are the last axis, and what lies between the first and the last
    one are tokens."""
    if x.dim() <= 2:
        return x.reshape(1, -1, x.shape[-1])
    return (x if batch_first else x.transpose(0, 1)).flatten(1, -2)


def dot(x: Tensor, y: Tensor) -> Tensor:
    return (wide(x) * wide(y)).sum()


def square(x: Tensor) -> Tensor:
    """Return the sum of squares, also of a sparse gradient."""
    return wide(x.coalesce().values() if x.is_sparse else x).square().sum()


def sums_of(x: Tensor, batch_first: bool) -> dict[str, Tensor | int]:
    """Return sums over a stream x_l, which add up over the passes of a step."""
    rows = wide(by_sequence(x, batch_first))
    n, t, _ = rows.shape
    sums: dict[str, Tensor | int] = {'numbers': rows.numel(), 'tokens': n * t,
                                     'square': rows.square().sum(), 'abs': rows.abs().sum(), 'sequences': n}
    if t > 1:
        rows = rows / rows.abs().amax((1, 2), keepdim=True)
        tokens = rows / rows.abs().amax(-1, keepdim=True)
        tokens = tokens / tokens.norm(dim=-1, keepdim=True)
        pairs = tokens.sum(1).square().sum(-1) - tokens.square().sum((1, 2))
        differences = rows - rows.mean(1, keepdim=True)
        sums['token_residual'] = (differences.norm(dim=(1, 2)) / rows.norm(dim=(1, 2))).sum()
        differences = differences / differences.norm(dim=(1, 2), keepdim=True)
        flipped = differences.transpose(1, 2)
        gram = differences @ flipped if t < rows.shape[-1] else flipped @ differences  # with the same norm
        sums['token_cos'] = pairs.sum() / (t * (t - 1))
        sums['participation'] = (1 / gram.square().sum((1, 2))).sum()
    return sums


def fit(z: Tensor, terms: list[Tensor]) -> list[float] | None:
    """Return the factors of z = a·x + b·s + …, or None if z is no such sum up to rounding.

    A term that is lost in the rounding of z is none: then any other tensor would do as well.
    """
    n = z.numel()
    chosen = torch.arange(0, n, max(n // 4096, 1), device=z.device)
    columns = [wide(x.reshape(-1)[chosen]).cpu() for x in terms]
    target = wide(z.reshape(-1)[chosen]).cpu()
    sizes = [float(column.norm()) for column in columns]
    if not all(0 < size < float('inf') for size in [*sizes, float(target.norm())]):
        return None
    matrix = torch.stack([column / size for column, size in zip(columns, sizes)], 1)
    gram = matrix.T @ matrix
    if float(torch.linalg.eigvalsh(gram)[0]) < 1e-6:  # the terms are one direction
        return None
    found = torch.linalg.solve(gram, matrix.T @ target)
    found = found + torch.linalg.solve(gram, matrix.T @ (target - matrix @ found))
    error = float((target - matrix @ found).norm())
    if error > 4 * torch.finfo(z.dtype).eps * float(target.norm()) or error > 0.05 * float(found.abs().min()):
        return None
    if float(found.abs().min()) < 1e-9 * float(target.norm()):
        return None
    return [float(factor) / size for factor, size in zip(found, sizes)]
