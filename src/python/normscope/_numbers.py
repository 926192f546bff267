# SPDX-License-Identifier: GPL-3.0-or-later
"""Make the numbers of a step from the sums of its passes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from ._recognize import Part
from ._recording import Tree

OF_SEQUENCES = ('token_cos', 'token_residual', 'participation')
COSINES = ('cos_x_prev', 'cos_x_last', 'grad_cos', 'grad_cos_prev')


def _root(square: Any) -> float:
    value = float(square)
    return math.sqrt(value) if value >= 0 else math.nan


def _add(passes: Sequence[Any], site: int, name: str) -> dict[str, float]:
    """Return sums over all passes of a step; empty if one of them lacks them."""
    found = [each.sums.get((site, name)) for each in passes]
    if not all(found):
        return {}
    return {key: sum(float(sums[key]) for sums in found) for key in found[0] if all(key in sums for sums in found)}


def _cosine(sums: Mapping[str, float]) -> float:
    size = math.sqrt(sums['a']) * math.sqrt(sums['b']) if sums['a'] >= 0 <= sums['b'] else math.nan
    return sums['product'] / size if size != 0 else math.nan


def _number_stream(passes: Sequence[Any], site: int) -> Tree:
    """Return the quantities of x_l and of its gradient."""
    values: Tree = {}
    if sums := _add(passes, site, 'x'):
        values['rms_x'] = _root(sums['square'] / sums['numbers'])
        values['norm_x'] = _root(sums['square'] / sums['tokens'])
        values['abs_x'] = sums['abs'] / sums['numbers']
        values.update({name: sums[name] / sums['sequences'] for name in OF_SEQUENCES if name in sums})
    for name in COSINES:
        if sums := _add(passes, site, name):
            values[name] = _cosine(sums)
    return values


def _number_branches(passes: Sequence[Any], site: int) -> Tree:
    values: Tree = {}
    for sub in ('attn', 'ffn'):
        for name in (sub, f'z_{sub}', f'y_{sub}'):
            if sums := _add(passes, site, name):
                values[f'rms_{name}'] = _root(sums['square'] / sums['numbers'])
        if sums := _add(passes, site, f'skip_{sub}'):
            values[f'skip_ratio_{sub}'] = _root(sums['b'] / sums['a']) if sums['a'] != 0 else math.nan
            values[f'skip_cos_{sub}'] = _cosine(sums)
    return values


def _number_gradients(passes: Sequence[Any], site: int) -> Tree:
    """Return the norms of the stream's gradients, the mean over the passes as in docs/MODEL.md."""
    values: Tree = {}
    for name in ('x', 'y_attn', 'z_attn', 'z_ffn'):
        found = [each.gradients.get((site, name)) for each in passes]
        if all(square is not None for square in found):
            values[f'grad_{name}'] = sum(map(_root, found)) / len(found)
    return values


def _number_tensors(path: str, squares: Mapping[str, Mapping[int, float]], tensors: Mapping[str, Part],
                    owners: Mapping[str, str | None]) -> Tree:
    """Return the gradient norms of a block's parameters: by their names in docs/MODEL.md, of the sub-layers, and by
    their own names."""
    own = {name: squares[f'{path}.{name}'] for name in owners if f'{path}.{name}' in squares}
    grad = {}
    for name, part in tensors.items():
        square = own.get(part.path, {}).get(-1 if part.count == 1 else part.index)
        if square is not None:
            grad[name] = _root(square)
    for sub in ('attn', 'ffn'):
        mine = [square[-1] for name, square in own.items() if owners[name] == sub]
        if mine and all(owners[name] is not None for name in own):
            grad[sub] = _root(sum(mine))
    if own:
        grad['block'] = _root(sum(square[-1] for square in own.values()))
    return {'grad': grad, 'parameters': {name: _root(square[-1]) for name, square in own.items()}}


def number_step(step: int, passes: Sequence[Any], blocks: Sequence[str], squares: Mapping[str, Mapping[int, Any]],
                tensors: Mapping[int, Mapping[str, Part]], owners: Mapping[int, Mapping[str, str | None]]) -> Tree:
    """Return a step as a tree of JSON; what it lacks is absent, and NaN and infinity are numbers."""
    squares = {name: {part: float(square) for part, square in parts.items()} for name, parts in squares.items()}
    losses = [float(each.loss) for each in passes if each.loss is not None]
    layers = []
    for i, path in enumerate(blocks):
        site = i + 1
        layers.append({'layer': site, 'part': 'stack',
                       **_number_tensors(path, squares, tensors.get(i, {}), owners.get(i, {})),
                       **_number_gradients(passes, site), **_number_stream(passes, site),
                       **_number_branches(passes, site)})
    others = {name: _root(parts[-1]) for name, parts in squares.items()
              if not any(name.startswith(path + '.') for path in blocks)}
    broken = [layer['layer'] for layer in layers if not math.isfinite(layer.get('rms_x', 0))]
    return {'step': step, 'passes': len(passes), 'loss': sum(losses) / len(losses) if losses else None,
            'overflow': {'layer': broken[0]} if broken else None,
            'input': {**_number_gradients(passes, 0), **_number_stream(passes, 0)}, 'layers': layers,
            'parameters': others}
