# SPDX-License-Identifier: GPL-3.0-or-later
"""Recognize the parts of a block of any PyTorch model.

A branch is recognized by arithmetic, not by its name: the output s of a module is what a sub-layer adds if a sum
z = a·x + b·s is read by another module, or is the block's output. Names decide only which branch is the attention, and
which matrix is W_Q.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

import torch

from ._measure import Tensor, fit

ATTENTION = re.compile('att', re.I)
CROSS = re.compile('cross|encoder_att|enc_?dec|multihead_attn', re.I)
FFN = re.compile(r'mlp|ffn|feed|\bff|dense|\bfc|linear|lin\d|intermediate|moe|expert|layer\.1\b', re.I)

# The last names of a matrix: of the attention, and of the FFN.
ATTENTION_NAMES = {
    'w_q': 'q_proj query q_lin wq to_q q w_q query_proj', 'w_k': 'k_proj key k_lin wk to_k k w_k key_proj',
    'w_v': 'v_proj value v_lin wv to_v v w_v value_proj',
    'w_o': 'o_proj out_proj wo to_out.0 out_lin c_proj dense proj o w_o'}
FFN_NAMES = {
    'w_1': 'fc1 c_fc linear1 lin1 w1 gate_proj wi wi_0 dense_h_to_4h intermediate.dense w_1',
    'w_2': 'fc2 c_proj linear2 lin2 w2 down_proj wo dense_4h_to_h output.dense w_2', 'w_3': 'wi_1 w3 w_3'}
FUSED = ('in_proj_weight', 'in_proj_bias', 'c_attn', 'qkv', 'Wqkv')
MATRICES = [('attn', ATTENTION_NAMES), ('ffn', FFN_NAMES)]


Key = tuple[str, str, int]  # the path of a module in the block, 'in' or 'out', and which of its calls


class Event(NamedTuple):
    """A tensor with the shape of the stream that a module of the block reads ('in') or returns ('out')."""

    path: str
    side: str
    call: int
    tensor: Tensor
    version: int

    @property
    def key(self) -> Key:
        return self.path, self.side, self.call

    @property
    def intact(self) -> bool:
        return self.tensor._version == self.version


class Branch(NamedTuple):
    """A sub-layer: what it adds, the sum z, the residual that it is added to, and its output y in the stream."""

    sub: str
    added: Key
    residual: Key
    z: Key
    y: Key | None


INPUT, OUTPUT = ('', 'in', 0), ('', 'out', 0)


class Plan(NamedTuple):
    """What is known of a block: its branches, the sub-layers and places of its norms."""

    branches: list[Branch]
    norms: dict[str, str]

    @property
    def keys(self) -> set[Key]:
        """The tensors to look at."""
        return {key for branch in self.branches for key in branch[1:] if key is not None}


def _sub_layer(paths: Iterable[str], chosen: Mapping[str, str | None]) -> str | None:
    """Return the sub-layer that modules with these paths belong to."""
    paths = list(paths)
    for sub, path in chosen.items():
        if path is not None and any(each == path or each.startswith(path + '.') for each in paths):
            return sub
    for path in paths:
        if ATTENTION.search(path):
            return 'cross' if CROSS.search(path) else 'attn'
    return 'ffn' if any(FFN.search(path) for path in paths) else None


def _find_sum(events: list[Event], start: int, residuals: list[int]) -> tuple[int, int, int] | None:
    """Return the first sum z after an event, the nearest term s before it, and which residual it is added to."""
    for z in range(start, len(events)):
        for s in range(z - 1, start - 1, -1):
            for x in residuals:
                if events[s].side == 'out' and len({id(events[i].tensor) for i in (x, s, z)}) == 3 and \
                        fit(events[z].tensor, [events[x].tensor, events[s].tensor]) is not None:
                    return z, s, x
    return None


def _find_parallel(events: list[Event], chosen: Mapping[str, str | None]) -> list[Branch]:
    """Return the branches of a block x + Attn + FFN, which has one sum."""
    outs = [i for i, event in enumerate(events) if event.side == 'out' and event.tensor is not events[-1].tensor]
    for z in range(1, len(events)):
        for i in outs:
            for j in outs:
                names = [_sub_layer([events[k].path], chosen) for k in (i, j)]
                if i < z and j < z and names == ['attn', 'ffn'] and \
                        fit(events[z].tensor, [events[k].tensor for k in (0, i, j)]) is not None:
                    return [Branch('attn', events[i].key, INPUT, events[z].key, None),
                            Branch('ffn', events[j].key, INPUT, events[z].key, None)]
    return []


def find_branches(events: list[Event], trail: list[tuple[int, str]], chosen: Mapping[str, str | None]) -> list[Branch]:
    """Return the branches of a block, from its input (the first event) to its output (the last one).

    trail has the paths of all modules that ran, with the number of events before each.
    """
    if not all(event.intact for event in events):
        return []
    branches: list[Branch] = []
    start, residuals = 1, [0]
    while (found := _find_sum(events, start, residuals)) is not None:
        z, s, x = found
        sub = _sub_layer([path for before, path in trail if start <= before <= s] + [events[s].path], chosen)
        if sub is None and [branch.sub for branch in branches] == ['attn']:
            sub = 'ffn'
        if branches:
            branches[-1] = branches[-1]._replace(y=events[x].key)
        branches.append(Branch(sub or '', events[s].key, events[x].key, events[z].key, None))
        # the stream goes on from the sum itself, or from the output of a norm that reads it
        readers = {event.path for event in events[z:] if event.side == 'in' and event.tensor is events[z].tensor}
        residuals = [z] + [i for i in range(z + 1, len(events))
                           if events[i].side == 'out' and events[i].path in readers]
        start = z + 1
    if len([branch for branch in branches if branch.sub in ('attn', 'ffn')]) < 2:
        parallel = _find_parallel(events, chosen)
        branches = parallel or branches
    subs = [branch.sub for branch in branches]
    return [branch for branch in branches if branch.sub in ('attn', 'ffn') and subs.count(branch.sub) == 1]


def find_norms(block: torch.nn.Module, events: list[Event], branches: list[Branch]) -> dict[str, str]:
    """Return the place of each norm by its path: attn_pre, ffn_post, …"""
    tensor_of = {event.key: event.tensor for event in events}
    of = {branch.sub: branch for branch in branches}
    if 'attn' not in of or 'ffn' not in of:
        return {}
    tensor = {(sub, what): tensor_of.get(getattr(of[sub], what)) for sub in of
              for what in ('added', 'z', 'y', 'residual')}
    parallel = of['attn'].z == of['ffn'].z
    found: dict[str, str] = {}
    for path, module in block.named_modules():
        read, made = tensor_of.get((path, 'in', 0)), tensor_of.get((path, 'out', 0))
        weight = getattr(module, 'weight', None)
        if read is None or made is None or weight is None or weight.dim() != 1:
            continue
        if made is tensor['attn', 'added']:
            found[path] = 'attn_branch'
        elif made is tensor['ffn', 'added']:
            found[path] = 'ffn_branch'
        elif made is tensor_of[OUTPUT]:
            found[path] = 'attn_post' if parallel else 'ffn_post'
        elif made is tensor['attn', 'y'] and not parallel:
            found[path] = 'attn_post'
        elif read is tensor['attn', 'residual']:
            found[path] = 'ffn_pre' if parallel and 'attn_pre' in found.values() else 'attn_pre'
        elif read is tensor['ffn', 'residual']:
            found[path] = 'ffn_pre'
    return found if len(set(found.values())) == len(found) else {}


class Part(NamedTuple):
    """A tensor of docs/MODEL.md within a parameter: which of how many equal parts along an axis."""

    path: str
    index: int = 0
    count: int = 1
    axis: int = 0


def _matrix_name(path: str, gated: bool) -> list[str]:
    """Return the matrices that a parameter with this path may be: one, or three that are fused."""
    where, _, last = path.rpartition('.')
    stem = where if last in ('weight', 'bias') else path
    sub = 'attn' if ATTENTION.search(stem) else 'ffn'
    if CROSS.search(stem):
        return []
    if stem.rpartition('.')[2] in FUSED:
        return ['w_q', 'w_k', 'w_v']
    if stem.rpartition('.')[2] == 'up_proj':
        return ['w_3' if gated else 'w_1']
    for kind, names in MATRICES:
        for name, words in names.items():
            if any(stem == word or stem.endswith('.' + word) for word in words.split()) and \
                    (kind == sub or (kind == 'attn' and name != 'w_o' and len(stem) > 2)):
                return [name]
    return []


def find_tensors(block: torch.nn.Module, norms: Mapping[str, str]) -> dict[str, Part]:
    """Return the tensors of docs/MODEL.md that a block's parameters are, by their names."""
    found: dict[str, list[Part]] = {}
    parameters = dict(block.named_parameters())
    gated = any('gate_proj' in path for path in parameters)
    for path, parameter in parameters.items():
        where, _, last = path.rpartition('.')
        if where in norms and last in ('weight', 'bias'):
            found.setdefault(f'{"gain" if last == "weight" else "bias"}_{norms[where]}', []).append(Part(path))
            continue
        names = _matrix_name(path, gated) if parameter.dim() == (1 if last.endswith('bias') else 2) else []
        axis = [i for i, size in enumerate(parameter.shape) if size % 3 == 0] if len(names) == 3 else [0]
        if not axis:
            continue
        transposed = 'c_attn' in path and parameter.dim() == 2  # a Conv1D of GPT-2 is [in, out]
        for i, name in enumerate(names):
            part = Part(path, i, len(names), 1 if transposed else 0)
            found.setdefault(name.replace('w_', 'b_') if last.endswith('bias') else name, []).append(part)
    matrices = [path for path, each in parameters.items() if each.dim() == 2 and not ATTENTION.search(path)]
    if not {'w_1', 'w_2', 'w_3'} & found.keys() and len(matrices) == 2:  # the two of a Sequential
        for n, path in enumerate(matrices, 1):
            found[f'w_{n}'] = [Part(path)]
            if path.replace('weight', 'bias') in parameters and path.endswith('weight'):
                found[f'b_{n}'] = [Part(path.replace('weight', 'bias'))]
    return {name: parts[0] for name, parts in found.items() if len(parts) == 1}


def find_owner(path: str, norms: Mapping[str, str], tensors: Mapping[str, Part]) -> str | None:
    """Return the sub-layer that a parameter belongs to, or None if that is not known."""
    where = path.rpartition('.')[0]
    if where in norms:
        return norms[where].partition('_')[0]
    for name, part in tensors.items():
        if part.path == path:
            words = name.split('_')
            return 'attn' if 'attn' in words or words[-1] in ('q', 'k', 'v', 'o') else 'ffn'
    return None if re.search('norm|ln', path, re.I) else _sub_layer([path], {})


def guess_experiment(block: torch.nn.Module, plan: Plan | None,
                     tensors: Mapping[str, Part], sizes: Mapping[str, int | None]) -> dict[str, object]:
    """Return an experiment with the sizes of a model, and with its norms, gate and biases as far as recognized."""
    shape = {name: size for name, size in sizes.items() if size is not None}
    d_model = sizes['d_model'] or 1
    parameters = dict(block.named_parameters())
    for name in ('w_2', 'w_1'):
        if name in tensors:
            shape['d_ff'] = max(parameters[tensors[name].path].numel() // d_model, 1)
    words = ('num_heads', 'n_head', 'n_heads', 'num_attention_heads', 'nhead')
    heads = [getattr(module, word) for module in block.modules() for word in words if hasattr(module, word)]
    shape['heads'] = next((each for each in heads if isinstance(each, int) and each > 0 and d_model % each == 0), 1)
    places = set(plan.norms.values()) if plan is not None else set()
    wiring = {frozenset({'pre'}): 'pre', frozenset({'post'}): 'post', frozenset({'branch'}): 'branch',
              frozenset({'pre', 'branch'}): 'sandwich', frozenset({'pre', 'post'}): 'pre-post'}
    variant: dict[str, object] = {'bias': any(name.startswith('b_') for name in tensors)}
    for sub in ('attn', 'ffn'):
        own = frozenset(place.partition('_')[2] for place in places if place.startswith(sub))
        variant[sub] = {'norm': wiring.get(own, 'pre')}
    if 'w_3' in tensors:
        variant['activation'] = 'swiglu'
    norms = [type(module).__name__ for module in block.modules() if 'norm' in type(module).__name__.lower()]
    if norms and all('rms' in name.lower() for name in norms):
        variant['norm'] = 'rmsnorm'
    return {'format': 'normscope-experiment', 'version': 1, 'shape': shape, 'variants': [variant]}
