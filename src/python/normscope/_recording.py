# SPDX-License-Identifier: GPL-3.0-or-later
"""A recording of a model: its numbers, tables and file."""

from __future__ import annotations

import json
import math
import os
import pathlib
import tempfile
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy

from ._parameters import PARAMETERS
from ._program import Error, run_program, to_options
from ._result import Array, Output, Picture, unknown

if TYPE_CHECKING:
    import pandas

Tree = dict[str, Any]
FORMAT, VERSION = 'normscope-recording', 1
NAMES = ('step', 'part', 'layer', 'quantity', 'value')


def _without_nan(tree: Any) -> Any:
    """Return the tree with null for NaN and infinity, which JSON lacks."""
    if isinstance(tree, dict):
        return {key: _without_nan(value) for key, value in tree.items()}
    if isinstance(tree, list):
        return [_without_nan(value) for value in tree]
    return None if isinstance(tree, float) and not math.isfinite(tree) else tree


class Recording:
    """What was recorded of a model: `recording['rms_x']` is an array by step and block.

    `json` is the tree of docs/FORMATS.md, with NaN and infinity as they are.
    """

    def __init__(self, tree: Tree) -> None:
        self.json = tree

    def __repr__(self) -> str:
        if 'steps' not in self.json:
            return f'<{type(self).__name__}: not finished>'
        n_steps, depth = len(self.json['steps']), self.json['shape']['depth']
        return f'<{type(self).__name__}: {self.json["model"]}, {depth} blocks, {n_steps} ' \
               f'step{"s" if n_steps > 1 else ""}>'

    def _tree(self) -> Tree:
        if 'steps' not in self.json:
            raise Error('the recording is not finished: its numbers are there after the with block')
        return self.json

    @property
    def experiment(self) -> Tree | None:
        """The experiment that is simulated beside the recording; None if the file has none."""
        experiment: Tree | None = self._tree()['experiment']
        return experiment

    @property
    def losses(self) -> Array:
        """The loss of each step; NaN where the model did not return it."""
        return numpy.array([step['loss'] for step in self._tree()['steps']], dtype=float)

    @property
    def quantities(self) -> list[str]:
        """The names of the quantities; others the recording lacks."""
        return list(dict.fromkeys(name for _, _, _, name, _ in self._rows()))

    def _rows(self) -> Iterator[tuple[int, str, int, str, float]]:
        for step in self._tree()['steps']:
            end = len(step['layers']) + 1
            places = [(step['input'], 'input', 0)] + [(layer, 'stack', layer['layer']) for layer in step['layers']]
            for tree, part, layer in places:
                for name, value in {**tree.get('grad', {}), **tree}.items():
                    if name not in ('grad', 'parameters', 'layer', 'part'):
                        yield step['step'], part, layer, name, math.nan if value is None else value
            if step['loss'] is not None:
                yield step['step'], 'head', end, 'loss', step['loss']

    def __getitem__(self, name: str) -> Array:
        """Return a quantity of the blocks by step and block, or `input:rms_x` by step.

        Where the recording lacks it, it is NaN; what no block has is a KeyError.
        """
        part, _, quantity = name.rpartition(':')
        rows = [row for row in self._rows() if row[3] == quantity and part in ('', row[1])]
        parts = [row[1] for row in rows]
        if not rows:
            raise KeyError(unknown('a quantity that was recorded', name, self.quantities))
        kept = 'stack' if 'stack' in parts else parts[0]
        depth = self._tree()['shape']['depth'] if kept == 'stack' else 1
        array = numpy.full((len(self._tree()['steps']), depth), numpy.nan)
        for step, where, layer, _, value in rows:
            if where == kept:
                array[step, layer - 1 if kept == 'stack' else 0] = value
        return array if kept == 'stack' else array[:, 0]

    def parameters(self, step: int = -1) -> dict[str, float]:
        """Return the gradient norm of every parameter of the model at a step, by its name in the model."""
        tree = self._tree()['steps'][step]
        found = {f'{path}.{name}': value for path, layer in zip(self._tree()['blocks'], tree['layers'])
                 for name, value in layer['parameters'].items()}
        return {name: math.nan if value is None else value for name, value in {**found, **tree['parameters']}.items()}

    def to_pandas(self) -> pandas.DataFrame:
        """Return a table with a row for each number."""
        import pandas
        table = pandas.DataFrame(list(self._rows()), columns=list(NAMES))
        table.insert(0, 'variant', self._tree()['name'])
        return table

    def plot(self, experiment: Mapping[str, Any] | Output | None = None, *, figure: str = 'flow',
             step: int | None = None, progress: bool | None = None, **options: Any) -> RecordingPicture:
        """Draw a step, the first by default, as dashed curves over those of an experiment: by default that of the
        recording, which is a simulated initialization of the same shape.

        The options are those of the flow figure, `normscope-cli plot --help`: `plot(gradient='w_2', theme='dark')`.
        What the recording lacks has no dashed curve. A recorded training is also drawn alone, with the figures
        'training' (its losses), 'training-profile' (the blocks at a step, the last by default) and 'training-map' (a
        quantity by step and block).
        """
        chosen = experiment.experiment if isinstance(experiment, Output) else experiment or self.experiment
        if not isinstance(chosen, Mapping):
            raise Error('the recording has no experiment; give one: plot(normscope.run(depth=24))')
        tree = self._tree()
        if figure == 'flow':
            tree = {**tree, 'steps': [{**tree['steps'][step or 0], 'step': 0}]}
        elif step is not None:
            options['step'] = range(len(tree['steps']))[step]
        if tree['experiment'] is None:
            tree['experiment'] = dict(chosen)
        picture = RecordingPicture(figure, _without_nan(tree), dict(chosen), to_options(options, PARAMETERS))
        picture.draw(progress)
        return picture

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the recording to a .json file (docs/FORMATS.md), which `load` reads."""
        suffix = pathlib.Path(path).suffix
        if suffix != '.json':
            raise Error(f'{os.fspath(path)}: the extension {suffix!r} is not allowed; allowed: .json')
        text = json.dumps(_without_nan(self._tree()), ensure_ascii=False, indent=1, allow_nan=False)
        pathlib.Path(path).write_text(text + '\n', encoding='utf-8')


class RecordingPicture(Picture):
    """A figure of a recording, drawn by the program. Notebooks show it."""

    def __init__(self, figure: str, recording: Tree, experiment: Tree, options: list[str]) -> None:
        super().__init__('', experiment, [f'--figure={figure}', *options])
        self._is_flow = figure == 'flow'
        self._recording = recording

    def _plot(self, output: str, options: list[str], progress: bool | None) -> bytes:
        with tempfile.TemporaryDirectory(prefix='normscope-') as folder:
            file = pathlib.Path(folder, 'recording.json')
            file.write_text(json.dumps(self._recording), encoding='utf-8')
            files = [f'--reference={file}', '-'] if self._is_flow else [str(file)]
            return run_program(['plot', *self._options, *options, f'--output={output}', *files],
                               self._experiment, progress=progress, stacklevel=5)

    def draw(self, progress: bool | None = None) -> None:
        """Draw the picture."""
        self.svg = self._plot('-', ['--format=svg'], progress).decode('utf-8', 'replace')

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the picture to a file: .svg, or .png or .pdf, for which the program draws it again."""
        self._plot(os.fspath(path), [], None)


def _check(condition: object, path: str, place: str, wanted: str) -> None:
    if not condition:
        raise Error(f'{path}: {place}: not a recording; allowed: {wanted}')


def _is_number(value: Any) -> bool:
    return value is None or isinstance(value, (int, float)) and not isinstance(value, bool)


def _check_place(tree: Any, path: str, place: str) -> None:
    """Check the numbers of a site, those in `grad` and `parameters`, too."""
    _check(isinstance(tree, dict), path, place, 'an object of numbers')
    for name, value in tree.items():
        if name in ('grad', 'parameters'):
            _check(isinstance(value, dict) and all(map(_is_number, value.values())), path, f'{place}.{name}',
                   'an object of numbers or null')
        elif name != 'part':
            _check(_is_number(value), path, f'{place}.{name}', 'a number or null')


def check_recording(tree: Tree, path: str) -> Recording:
    """Return a recording of a file; an Error says what is wrong in it."""
    version = tree.get('version', 1)
    if not isinstance(version, int) or version > VERSION:
        raise Error(f'{path}: version: {version!r} was written by a newer Normscope; allowed: up to {VERSION}')
    shape, steps, blocks = tree.get('shape'), tree.get('steps'), tree.get('blocks')
    _check(isinstance(shape, dict) and isinstance(shape.get('depth'), int) and shape['depth'] > 0, path, 'shape.depth',
           'a number of blocks')
    _check(isinstance(blocks, list) and len(blocks) == shape['depth'], path, 'blocks', 'a name for each block')
    _check(isinstance(steps, list) and steps, path, 'steps', 'a list of one step or more')
    for i, step in enumerate(steps):
        place = f'steps[{i}]'
        _check(isinstance(step, dict) and step.get('step') == i, path, f'{place}.step', f'the number {i}')
        _check(_is_number(step.get('loss')), path, f'{place}.loss', 'a number or null')
        layers = step.get('layers')
        _check(isinstance(layers, list) and len(layers) == shape['depth'], path, f'{place}.layers',
               f'{shape["depth"]} blocks')
        _check_place(step.get('input'), path, f'{place}.input')
        _check_place({'parameters': step.get('parameters')}, path, place)
        for n, layer in enumerate(layers):
            _check_place(layer, path, f'{place}.layers[{n}]')
            _check(layer.get('layer') == n + 1, path, f'{place}.layers[{n}].layer', f'the number {n + 1}')
            for name in ('grad', 'parameters'):
                _check(name in layer, path, f'{place}.layers[{n}].{name}', 'an object of numbers or null')
    for name, default in (('name', 'recorded'), ('model', ''), ('experiment', None)):
        tree.setdefault(name, default)
    return Recording(tree)
