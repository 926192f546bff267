# SPDX-License-Identifier: GPL-3.0-or-later
"""What the program returns: results, scaling laws, trainings, pictures."""

from __future__ import annotations

import difflib
import hashlib
import json
import os
import pathlib
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy
import numpy.typing

from ._parameters import PARAMETERS
from ._program import Error, read_json, run_program, to_options

if TYPE_CHECKING:
    import pandas

Array = numpy.typing.NDArray[numpy.float64]
Tree = dict[str, Any]

# Parts whose places are blocks, and all parts, in the order in which a quantity is looked for.
BLOCKS = ('decoder', 'stack', 'encoder')
PARTS = (*BLOCKS, 'head', 'input', 'decoder_input')
NO_QUANTITY = ('name', 'overflow', 'layer', 'part')


def _numbers(values: Iterable[float | None]) -> Array:
    """Return an array; null, which the program's JSON has for NaN and infinity, is NaN."""
    return numpy.array(list(values), dtype=float)


def unknown(kind: str, name: str, names: Iterable[str]) -> str:
    """Return a message that names what is nearest."""
    names = list(names)
    nearest = difflib.get_close_matches(name, names, 1)
    advice = f'did you mean {nearest[0]!r}?' if nearest else f'allowed: {", ".join(names)}'
    return f'{name!r} is not {kind}; {advice}'


class Picture:
    """A figure that the program has drawn. Notebooks show it."""

    def __init__(self, svg: str, experiment: Tree, options: list[str]) -> None:
        self.svg = svg
        self._experiment = experiment
        self._options = options

    def __repr__(self) -> str:
        return f'<{type(self).__name__}: {self._options[0].partition("=")[2]}>'

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the picture to a file: .svg, or .png or .pdf, for which the program draws it again."""
        run_program(['plot', *self._options, f'--output={os.fspath(path)}', '-'], self._experiment)

    def _repr_svg_(self) -> str:
        """Return the picture with names of its own, since a notebook puts all pictures into one document."""
        own = hashlib.sha256(self.svg.encode()).hexdigest()[:12]
        return re.sub(r'(\bid="|\bhref="#|\burl\(#)', rf'\g<1>n{own}-', self.svg)


class Output:
    """What a command has computed: `json`, a tree as in docs/FORMATS.md, and what can be done with its experiment."""

    _figure = 'flow'

    def __init__(self, tree: Tree) -> None:
        self.json = tree

    @property
    def experiment(self) -> Tree:
        """The whole experiment, with every key."""
        experiment: Tree = self.json['experiment']
        return experiment

    @property
    def variants(self) -> list[str]:
        """The names of the variants."""
        return [variant['name'] for variant in self.json['variants']]

    def __repr__(self) -> str:
        return f'<{type(self).__name__}: {", ".join(self.variants)}>'

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the experiment to a .normscope file, which `run` and the window open, or everything to a .json file,
        which `load` reads."""
        suffix = pathlib.Path(path).suffix
        if suffix == '.normscope':
            run_program(['link', '--expand', f'--output={os.fspath(path)}', '-'], self.experiment)
        elif suffix == '.json':
            pathlib.Path(path).write_text(json.dumps(self.json, ensure_ascii=False, indent=1) + '\n', encoding='utf-8')
        else:
            raise Error(f'{os.fspath(path)}: the extension {suffix!r} is not allowed; allowed: .normscope, .json')

    def plot(self, figure: str | None = None, *, progress: bool | None = None, **options: Any) -> Picture:
        """Draw a figure of the experiment, which is computed again for it.

        The figures and the options are those of `normscope-cli plot --help`: `plot('gain', variant='pre', theme='dark',
        width=800, settings={'shape.depth': 6})`.
        """
        texts = [f'--figure={figure or self._figure}', *self._figure_options(figure), *to_options(options, PARAMETERS)]
        picture = run_program(['plot', *texts, '--format=svg', '--output=-', '-'], self.experiment, progress=progress)
        return Picture(picture.decode('utf-8', 'replace'), self.experiment, texts)

    def _figure_options(self, figure: str | None) -> list[str]:
        return []

    def scaling(self, metric: str = 'w_2@last', *, progress: bool | None = None, **options: Any) -> Scaling:
        """Fit laws to a metric over depth or width.

        The options are those of `normscope-cli scaling --help`: `scaling('w_2@last', depths='1..64', seeds=16)`. An
        expectation (`expect`) that is missed is no error; `json['expectations']` has it.
        """
        texts = [f'--metric={metric}', *to_options(options, PARAMETERS)]
        done = run_program(['scaling', *texts, '--format=json', '-'], self.experiment, progress=progress,
                           allowed=(0, 3))
        return Scaling(read_json(done, 'normscope-scaling'))

    def paths(self, of: str, *, progress: bool | None = None, **options: Any) -> Maps:
        """Compute maps: what the blocks contribute, gains, similarities, or what every expert does (`routing`).

        The words and the options are those of `normscope-cli paths --help`: `paths('gain', probes=8)`.
        """
        texts = [f'--of={of}', *to_options(options, PARAMETERS)]
        done = run_program(['paths', *texts, '--per-seed', '--format=json', '-'], self.experiment, progress=progress)
        return Maps(read_json(done, 'normscope-paths'))

    def train(self, *, progress: bool | None = None, **options: Any) -> Training:
        """Train every variant with every seed.

        The options are those of `normscope-cli train --help`, except those of maps and coordinate checks:
        `train(source='tokens', steps=100, learning_rate=0.01, quantity='w_2')`. Ctrl+C ends the training, which then
        has the steps so far.
        """
        for name in {'map', 'coordinate_check'} & options.keys():
            raise Error(f'{name} is not of one training; allowed: train_map(), or plot("coordinate-check")')
        return Training(self._train(progress, options))

    def train_map(self, *, progress: bool | None = None, **options: Any) -> Output:
        """Train with many learning rates at several depths or warm-ups; `json` has the losses.

        The options are those of `train --map`: `train_map(learning_rates='1e-3..1e-1:5', points=[2, 4])`.
        """
        return Output(self._train(progress, {'map': True, **options}))

    def _train(self, progress: bool | None, options: Mapping[str, Any]) -> Tree:
        arguments = ['train', '--per-seed', *to_options(options, PARAMETERS), '--format=json', '-']
        done = run_program(arguments, self.experiment, progress=progress, keeps=True, stacklevel=4)
        return read_json(done, 'normscope-training', 'normscope-sensitivity')


def get_depth(shape: Tree, part: str) -> int:
    """Return the number of blocks of a part: the stack, the encoder or the decoder."""
    return shape.get('decoder_depth') or shape['depth'] if part == 'decoder' else shape['depth']


class _Row(NamedTuple):
    """A quantity at a place, and at a step of a training: the value of each seed."""

    variant: str
    step: int
    part: str
    layer: int
    quantity: str
    values: Array


class _Blocks(Output):
    """Quantities of blocks: `output['w_2']['Pre-LN']` is an array by seed and block."""

    def _rows(self) -> Iterator[_Row]:
        raise NotImplementedError

    @property
    def seeds(self) -> list[int]:
        """The seed of each row of an array."""
        sampling = self.experiment['sampling']
        return list(range(sampling['seed'], sampling['seed'] + sampling['seeds']))

    @property
    def quantities(self) -> list[str]:
        """The names of the quantities."""
        return list(dict.fromkeys(row.quantity for row in self._rows()))

    def __getitem__(self, name: str) -> dict[str, Array]:
        """Return a quantity of every variant that has it.

        `w_2` is that of the blocks (of the decoder, if there is one), or of head or input, if no block has it; and
        `encoder:w_2`, `input:rms_x` that of one part. Where it does not exist, was not finite or was not reached, it is
        NaN.
        """
        part, _, quantity = name.rpartition(':')
        found: dict[str, list[_Row]] = {}
        for row in self._rows():
            if row.quantity == quantity and part in ('', row.part):
                found.setdefault(row.variant, []).append(row)
        if not found:
            raise KeyError(unknown('a quantity here', name, self.quantities))
        return {variant: self._array(rows) for variant, rows in found.items()}

    def _array(self, rows: list[_Row]) -> Array:
        """Return the rows of one quantity and variant by seed, step and block."""
        part = min((row.part for row in rows), key=PARTS.index)
        of_blocks = part in BLOCKS
        steps = {step: i for i, step in enumerate(self._steps())}
        n_blocks = get_depth(self.experiment['shape'], part) if of_blocks else 1
        array = numpy.full((len(self.seeds), len(steps), n_blocks), numpy.nan)
        for row in rows:
            if row.part == part:
                array[:, steps[row.step], row.layer - 1 if of_blocks else 0] = row.values
        return array if of_blocks else array[:, :, 0]

    def _steps(self) -> list[int]:
        return [0]

    def to_pandas(self) -> pandas.DataFrame:
        """Return a table with a row for each number, with the columns of a CSV (docs/FORMATS.md)."""
        import pandas
        columns: dict[str, list[Any]] = {name: [] for name in _Row._fields[:5]}
        rows = list(self._rows())
        for name in columns:
            columns[name] = [getattr(row, name) for row in rows for _ in self.seeds]
        columns['seed'] = self.seeds * len(rows)
        columns['value'] = [value for row in rows for value in row.values]
        return pandas.DataFrame(columns)


class Result(_Blocks):
    """A run: `result['w_2']['Pre-LN']` is an array by seed and block, `result['loss']['Pre-LN']` one by seed."""

    def _rows(self, seeds: str = 'seeds') -> Iterator[_Row]:
        shape = self.experiment['shape']
        end = get_depth(shape, 'decoder' if shape['stack'] == 'encoder-decoder' else 'stack') + 1
        for variant in self.json['variants']:
            places = [(variant[part], part, 0) for part in ('input', 'decoder_input') if part in variant]
            places += [(block, block['part'], block['layer']) for block in variant['layers']]
            places += [(variant['head'], 'head', end), (variant, 'head', end)]
            for tree, part, layer in places:
                for name, number in {**tree.get('grad', {}), **tree}.items():
                    if name not in (*NO_QUANTITY, 'grad', 'input', 'decoder_input', 'layers', 'head'):
                        yield _Row(variant['name'], 0, part, layer, name, self._values(number, seeds))

    def _values(self, statistic: Tree | None, seeds: str) -> Array:
        return _numbers((statistic or {}).get(seeds, [None] * len(self.seeds)))

    def _array(self, rows: list[_Row]) -> Array:
        return super()._array(rows)[:, 0]

    def to_pandas(self) -> pandas.DataFrame:
        table = super().to_pandas().drop(columns='step')
        table['log10_value'] = [value for row in self._rows('log10_seeds') for value in row.values]
        return table

    @property
    def overflow(self) -> dict[str, Tree | None]:
        """The lowest block of each variant in which the forward pass overflows, and the seed; None without one."""
        return {variant['name']: variant['overflow'] for variant in self.json['variants']}


class Maps(Output):
    """Maps of one kind: `maps['expert_load']['Pre-LN']` is an array by seed, row and column. `places` says what rows
    and columns are. Where a map has no number, it is NaN."""

    @property
    def _figure(self) -> str:  # type: ignore[override]
        return 'experts' if self.json['of'] == 'routing' else str(self.json['of'])

    @property
    def quantities(self) -> list[str]:
        """The names of the maps."""
        return list(dict.fromkeys(row['quantity'] for variant in self.json['variants'] for row in variant['numbers']))

    def _rows(self, name: str) -> dict[str, list[Tree]]:
        if name not in self.quantities:
            raise KeyError(unknown('a map here', name, self.quantities))
        found = {variant['name']: [row for row in variant['numbers'] if row['quantity'] == name]
                 for variant in self.json['variants']}
        return {variant: rows for variant, rows in found.items() if rows}

    def places(self, name: str) -> dict[str, tuple[list[tuple[Any, ...]], list[tuple[Any, ...]]]]:
        """Return, for each variant, the places of a map's rows, such as `('stack', 3)`, and of its columns, such as
        `('expert', 1)`."""
        return {variant: (list(dict.fromkeys((row['part'], row['layer']) for row in rows)),
                          list(dict.fromkeys((row.get('other'), row.get('other_layer')) for row in rows)))
                for variant, rows in self._rows(name).items()}

    def __getitem__(self, name: str) -> dict[str, Array]:
        arrays = {}
        for variant, rows in self._rows(name).items():
            places, others = self.places(name)[variant]
            array = numpy.full((len(rows[0]['seeds']), len(places), len(others)), numpy.nan)
            at, across = ({place: i for i, place in enumerate(each)} for each in (places, others))
            for row in rows:
                column = across[row.get('other'), row.get('other_layer')]
                array[:, at[row['part'], row['layer']], column] = _numbers(row['seeds'])
            arrays[variant] = array
        return arrays


class Exponent(NamedTuple):
    """The exponent p of a power law, half its 95 % interval, its standard deviation over the seeds, and their number;
    `law` is the closest law, or None if the data do not separate it from others or none fits."""

    p: float
    error: float
    std: float
    seeds: int
    law: str | None


class Scaling(Output):
    """A metric over depth or width: `scaling['Pre-LN']` has its geometric mean (else mean) at each point of `x`."""

    _figure = 'scaling'

    @property
    def metric(self) -> str:
        """The metric, as `w_2@last`."""
        return str(self.json['metric'])

    @property
    def axis(self) -> str:
        """What the metric is swept over: depth or d_model."""
        return str(self.json['axis'])

    @property
    def x(self) -> numpy.typing.NDArray[numpy.int64]:
        """The depths or widths."""
        return numpy.array([point[self.axis] for point in self.json['variants'][0]['points']])

    def __getitem__(self, variant: str) -> Array:
        if variant not in self.variants:
            raise KeyError(unknown('a variant here', variant, self.variants))
        points = self.json['variants'][self.variants.index(variant)]['points']
        return _numbers(point.get('geometric_mean', point['mean']) for point in points)

    @property
    def exponents(self) -> dict[str, Exponent]:
        """The exponent of each variant, and of the ratio, if there is one."""
        return {name: self._exponent(fit) for name, fit in self._fits().items()}

    @property
    def laws(self) -> dict[str, dict[str, Tree]]:
        """The laws of each variant, and of the ratio: `laws['Pre-LN']['exponential']['number']`."""
        return {name: {law['law']: law for law in fit['laws']} for name, fit in self._fits().items()}

    def _fits(self) -> dict[str, Tree]:
        fits = {variant['name']: variant for variant in self.json['variants']}
        if 'ratio' in self.json:
            ratio = self.json['ratio']
            fits[f'{ratio["numerator"]}/{ratio["denominator"]}'] = ratio
        return fits

    @staticmethod
    def _exponent(fit: Mapping[str, Any]) -> Exponent:
        p, error, std = _numbers(fit['exponent'][key] for key in ('p', 'error', 'std')).tolist()
        return Exponent(p, error, std, fit['exponent']['seeds'], fit['best'])

    def to_pandas(self) -> pandas.DataFrame:
        """Return a table with a row for each variant and point."""
        import pandas
        return pandas.DataFrame([{'variant': variant['name'], 'metric': self.metric, **point}
                                 for variant in self.json['variants'] for point in variant['points']])

    def _figure_options(self, figure: str | None) -> list[str]:
        if figure not in (None, 'scaling'):
            return []
        points = ','.join(str(value) for value in self.x)
        options = [f'--metric={self.metric}']
        options += [f'--depths={points}'] if self.axis == 'depth' else [f'--sweep={self.axis}={points}']
        if 'ratio' in self.json:
            options.append('--ratio={numerator}/{denominator}'.format(**self.json['ratio']))
        return options


class Training(_Blocks):
    """A training: `training.losses['Pre-LN']` is an array by seed and step, `training['w_2']['Pre-LN']` one by seed,
    recorded step and block."""

    _figure = 'training'

    @property
    def losses(self) -> dict[str, Array]:
        """The loss of each step; NaN from where a seed has diverged or was interrupted."""
        found = {}
        for variant in self.json['variants']:
            n_steps = len(variant['loss']['mean'])
            found[variant['name']] = numpy.array([_numbers(run['loss'] + [None] * (n_steps - len(run['loss'])))
                                                  for run in variant['runs']])
        return found

    @property
    def learning_rates(self) -> dict[str, Array]:
        """The learning rate of each step."""
        return {variant['name']: numpy.array(variant['learning_rate']) for variant in self.json['variants']}

    @property
    def recorded(self) -> list[int]:
        """The steps that were recorded."""
        return sorted({number['step'] for variant in self.json['variants'] for number in variant['numbers']})

    @property
    def interrupted(self) -> bool:
        """Whether some runs were stopped before their end."""
        return not all(run['finished'] for variant in self.json['variants'] for run in variant['runs'])

    def _steps(self) -> list[int]:
        return self.recorded

    def _rows(self) -> Iterator[_Row]:
        for variant in self.json['variants']:
            for number in variant['numbers']:
                yield _Row(variant['name'], number['step'], number['part'], number['layer'], number['quantity'],
                           _numbers(number['seeds']))


FORMATS: dict[str, type[Output]] = {'normscope-result': Result, 'normscope-scaling': Scaling,
                                    'normscope-training': Training, 'normscope-sensitivity': Output}
