# SPDX-License-Identifier: GPL-3.0-or-later
"""Normscope in Python: gradients and activations of transformers at initialization, and in their first steps.

    import normscope
    result = normscope.run(depth=24, variants=['pre', 'post'], seeds=8)
    result['w_2']['Post-LN']              # an array by seed and block
    result.plot()                         # the program's own picture, which a notebook shows
    result.scaling('w_2@last').exponents  # the law that the gradient follows over depth
    result.train(source='tokens').losses['Pre-LN']
    result.save('x.normscope')

The program `normscope-cli` computes and draws; this package starts it and reads its JSON.
"""

from __future__ import annotations

import json
import os
import textwrap
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ._parameters import PARAMETERS, Parameter, Parameters
from ._program import Error, find_program, run_program, settings_to_options, to_options
from ._result import FORMATS, Exponent, Output, Picture, Result, Scaling, Training, unknown

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = ['PARAMETERS', 'Error', 'Exponent', 'Output', 'Parameter', 'Parameters', 'Picture', 'Result', 'Scaling',
           'Training', 'find_program', 'load', 'run']


def run(file: str | os.PathLike[str] | Mapping[str, Any] | None = None, /, *,
        variants: str | Sequence[str] | None = None, preset: str | None = None,
        settings: Mapping[str, object] | None = None, quantities: Sequence[str] = (), scaled: bool = False,
        text_file: str | os.PathLike[str] | None = None, threads: int | None = None,
        memory_budget: int | None = None, progress: bool | None = None, **parameters: Unpack[Parameters]) -> Result:
    """Run an experiment and return its numbers.

    file: an experiment, a picture or a model's config.json, a link, or the `experiment` of a result. Without a file
        and a preset it is the default experiment.
    variants: built-in variants in place of its own, with settings after a colon: ['pre', 'post:residual_scale=1.5'].
    settings: keys of the experiment by their paths, {'shape.depth': 24}; those of variants are set in every variant.
    quantities: quantities that are measured only where they are named, such as 'gain' and 'path_length'.
    scaled, text_file, threads, memory_budget: as the options of `normscope-cli run --help`.
    progress: show a bar; by default in a notebook and on a terminal.
    All other keyword arguments are parameters of the experiment, listed below.

    An Error has the program's message. What the program assumes, as for a config.json, is a warning.

"""
    for name in parameters:
        if name not in PARAMETERS:
            raise Error(unknown('a parameter', name, PARAMETERS))
    options = to_options({
        'variant': [variants] if isinstance(variants, str) else variants, 'preset': preset, 'scaled': scaled,
        'text_file': text_file, 'threads': threads, 'memory_budget': memory_budget,
        'quantity': list(quantities), **parameters}, PARAMETERS) + settings_to_options(settings)
    files = [] if file is None else ['--', '-' if isinstance(file, Mapping) else os.fspath(file)]
    done = run_program(['run', *options, '--per-seed', '--format=json', *files],
                       file if isinstance(file, Mapping) else None, progress=progress)
    return Result(json.loads(done))


def load(path: str | os.PathLike[str]) -> Output:
    """Read the .json file of a result, a scaling or a training again."""
    with open(path, encoding='utf-8') as file:
        tree = json.load(file)
    found = tree.get('format') if isinstance(tree, dict) else None
    if found not in FORMATS:
        raise Error(f'{os.fspath(path)}: the format {found!r} is not allowed; allowed: {", ".join(FORMATS)}')
    return FORMATS[found](tree)


def _describe(keyword: str, parameter: Parameter) -> str:
    default = parameter.default + (f' {parameter.unit}' if parameter.unit and parameter.default != 'null' else '')
    text = f'{keyword} ({parameter.path}): {parameter.help} [{parameter.allowed}; default {default}]'
    return textwrap.fill(text, 110, initial_indent=' ' * 4, subsequent_indent=' ' * 8, break_on_hyphens=False)


if run.__doc__ is not None:  # python -OO has no docstrings
    run.__doc__ += '\n'.join(_describe(*item) for item in PARAMETERS.items()) + '\n'
