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
from ._program import Error, find_program, read_json, run_program, settings_to_options, to_options
from ._recording import FORMAT as RECORDING
from ._recording import Recording, check_recording
from ._result import FORMATS, Exponent, Maps, Output, Picture, Result, Scaling, Training, unknown
from ._version import VERSION as __version__

if TYPE_CHECKING:
    import torch

    from typing_extensions import Unpack

    from ._record import Recorder

__all__ = ['PARAMETERS', 'Error', 'Exponent', 'Maps', 'Output', 'Parameter', 'Parameters', 'Picture', 'Recording',
           'Result', 'Scaling', 'Training', '__version__', 'find_program', 'load', 'record', 'run']


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
        'quantity': list(quantities) or None, **parameters}, PARAMETERS) + settings_to_options(settings)
    if not isinstance(file, (str, os.PathLike, Mapping, type(None))):
        raise Error(f'file: {file!r} is not allowed; allowed: a path, a link, or an experiment as a dict')
    files = [] if file is None else ['--', '-' if isinstance(file, Mapping) else str(os.fspath(file))]
    done = run_program(['run', *options, '--per-seed', '--format=json', *files],
                       file if isinstance(file, Mapping) else None, progress=progress)
    return Result(read_json(done, 'normscope-result'))


def record(model: torch.nn.Module, blocks: str | Sequence[torch.nn.Module] | torch.nn.ModuleList, *,
           attn: str | None = None, ffn: str | None = None, tensors: Mapping[str, str] | None = None,
           batch_first: bool = True, experiment: Mapping[str, Any] | Output | None = None,
           name: str = 'recorded') -> Recorder:
    """Record a model of PyTorch: the quantities of docs/MODEL.md by hooks, at every block and step.

        with normscope.record(model, blocks='transformer.h') as recording:
            loss = model(**batch).loss
            loss.backward()
        recording['rms_x']                # an array by step and block
        recording.save('mine.json')

    blocks: the path of the model's list of blocks, the list itself, or several modules of the model. A block reads and
        returns the stream, alone or as the first tensor of a tuple or dict; features are its last axis.
    attn, ffn: the path of the module within a block whose branch is the attention's or the FFN's, where its name does
        not tell. A branch is recognized by the sum that it is added in; what is not recognized is absent.
    tensors: parameters within a block by the names of docs/MODEL.md, {'w_1': 'mlp.0.weight'}, where their names do not
        tell.
    batch_first: False if the stream is [tokens, sequences, features].
    experiment: an experiment, or a result's, that is to be simulated beside the recording; by default one of the same
        sizes, with the norms and biases that were recognized.
    name: the name of the recording in tables and figures.

    Gradients of parameters are those that the optimizer finds after the last backward pass of a step; several backward
    passes of one step are minibatches. A step ends where an optimizer changes the weights, where the gradients are set
    to zero, or by `recording.step()`.
    """
    try:
        from ._record import Recorder
    except ImportError as error:
        raise ImportError(f'normscope.record needs PyTorch: {error} (Debian: python3-torch)') from error
    if isinstance(experiment, Output):
        experiment = experiment.experiment
    return Recorder(model, blocks, {'attn': attn, 'ffn': ffn, 'tensors': tensors, 'batch_first': batch_first,
                                    'experiment': experiment, 'name': name})


def load(path: str | os.PathLike[str]) -> Output | Recording:
    """Read the .json file of a result, a scaling, a training or a recording again."""
    try:
        with open(path, encoding='utf-8') as file:
            tree = json.load(file)
    except (ValueError, RecursionError) as error:
        raise Error(f'{os.fspath(path)} is no JSON: {error}') from error
    found = tree.get('format') if isinstance(tree, dict) else None
    if found not in (*FORMATS, RECORDING):
        raise Error(f'{os.fspath(path)}: the format {found!r} is not allowed; allowed: '
                    f'{", ".join([*FORMATS, RECORDING])}')
    return check_recording(tree, os.fspath(path)) if found == RECORDING else FORMATS[found](tree)


def _describe(keyword: str, parameter: Parameter) -> str:
    default = parameter.default + (f' {parameter.unit}' if parameter.unit and parameter.default != 'null' else '')
    text = f'{keyword} ({parameter.path}): {parameter.help} [{parameter.allowed}; default {default}]'
    return textwrap.fill(text, 110, initial_indent=' ' * 4, subsequent_indent=' ' * 8, break_on_hyphens=False)


if run.__doc__ is not None:  # python -OO has no docstrings
    run.__doc__ += '\n'.join(_describe(*item) for item in PARAMETERS.items()) + '\n'
