#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Test the Python package against the program: the same numbers, its messages, Ctrl+C, files, pictures, progress.

    test_package.py NORMSCOPE-CLI
"""

import csv
import inspect
import io
import json
import math
import os
import pathlib
import pty
import re
import shutil
import signal
import subprocess
import sys
import time
import types
import warnings
import xml.etree.ElementTree

ROOT = pathlib.Path(__file__).resolve().parents[2]
PACKAGE = ROOT / 'src' / 'python'
sys.path[:0] = [str(PACKAGE), str(ROOT / 'tests' / 'cli')]
sys.dont_write_bytecode = True

from cli import CLI, Skip, Tap, cli, same  # noqa: E402

try:
    import numpy
except ImportError as missing:
    if os.environ.get('CI') == 'true':
        print(f'not ok 1 NumPy is present\n1..1\n# {missing}')
        sys.exit(1)
    print(f'1..0 # SKIP {missing} (Debian: python3-numpy)')
    sys.exit(0)

import make_parameters  # noqa: E402
import normscope  # noqa: E402

TINY = {'depth': 3, 'd_model': 8, 'heads': 2, 'd_ff': 16, 'seq_len': 4, 'vocab': 11, 'seeds': 2}
PATIENCE = 60  # seconds until the test gives up
ENDLESS = {'source': 'tokens', 'steps': 1000000, 'threads': 1, 'first': 2, 'later': 2}


def options(**parameters):
    return [f'--{name.replace("_", "-")}={value}' for name, value in parameters.items()]


def rows_of(command, *args):
    """Return the rows of a CSV with the value of each seed, which has NaN and infinity."""
    done = cli(command, *args, '--per-seed', '--format', 'csv')
    assert done.returncode == 0, done.stderr
    return list(csv.DictReader(io.StringIO(done.stdout)))


def is_same(mine, text):
    """Compare a number with one of a CSV; the JSON has null for NaN and infinity, which is NaN here."""
    value = float(text or 'nan')
    return mine == value if math.isfinite(value) else math.isnan(mine)


def compare(result, rows):
    """Check each number of a run, and that an array has no others."""
    depth, arrays, found = result.experiment['shape']['depth'], {}, {}
    for row in rows:
        part, layer, name = row['part'], int(row['layer']), f'{row["part"]}:{row["quantity"]}'
        arrays[name] = arrays.get(name) or result[name]
        array = arrays[name][row['variant']]
        place = (result.seeds.index(int(row['seed'])),) + ((layer - 1,) if array.ndim == 2 else ())
        same(array.shape, (len(result.seeds), depth) if part in ('stack', 'encoder', 'decoder') else array.shape[:1])
        assert is_same(array[place], row['value']), f'{row}: {array[place]}'
        found.setdefault((row['variant'], name), set()).add(place)
    for (variant, name), places in found.items():
        array = arrays[name][variant]
        assert numpy.isnan(array).sum() >= array.size - len(places), f'{name}: numbers that the program does not have'
    return len(rows)


# ---- numbers ----

def values_are_those_of_the_program(folder):
    variants = ['pre', 'mix', 'none']
    args = [*options(**TINY), *[f'--variant={name}' for name in variants], '--quantity=gain,update_h_sgd']
    result = normscope.run(variants=variants, quantities=['gain', 'update_h_sgd'], **TINY)
    assert compare(result, rows_of('run', *args)) > 500
    same(result.variants, ['Pre-LN', 'Mix-LN', 'No norm'])
    same((result['w_2']['Pre-LN'].shape, result['loss']['Pre-LN'].shape), ((2, 3), (2,)))
    assert set(result['gain_final']) == {'Pre-LN', 'Mix-LN'}, result['gain_final']
    assert (result['w_2']['Pre-LN'] == result['stack:w_2']['Pre-LN']).all()


def an_encoder_decoder_has_both_parts(folder):
    shape = {**TINY, 'stack': 'encoder-decoder', 'depth': 2}
    result = normscope.run(**shape)
    compare(result, rows_of('run', *options(**shape)))
    assert (result['w_2']['Pre-LN'] == result['decoder:w_2']['Pre-LN']).all()
    assert (result['w_2']['Pre-LN'] != result['encoder:w_2']['Pre-LN']).any()


def what_is_not_finite_is_nan_and_never_0(folder):
    settings = {**TINY, 'depth': 12, 'seq_len': 1, 'residual_scale': 1e6}
    rows = rows_of('run', '--variant=none', *options(**settings))
    assert any(row['value'] in ('inf', 'nan') for row in rows), 'nothing overflows'
    result = normscope.run(variants='none', **settings)
    compare(result, rows)
    assert numpy.isnan(result['rms_x']['No norm']).any() and numpy.isnan(result['token_cos']['No norm']).all()
    assert result.overflow['No norm']['seed'] == 0, result.overflow


def tables_are_those_of_the_program(folder):
    try:
        import pandas
    except ImportError as error:
        raise Skip(f'{error} (Debian: python3-pandas)') from error
    rows = rows_of('run', *options(**TINY))
    table = normscope.run(**TINY).to_pandas()
    same(list(table), ['variant', 'part', 'layer', 'quantity', 'seed', 'value', 'log10_value'])
    index = table.set_index(['variant', 'part', 'layer', 'quantity', 'seed'])
    same(len(index), len(rows))
    for row in rows:
        mine = index.loc[(row['variant'], row['part'], int(row['layer']), row['quantity'], int(row['seed']))]
        assert is_same(mine['value'], row['value']) and is_same(mine['log10_value'], row['log10_value']), row
    training = normscope.run(**TINY).train(source='tokens', steps=3, quantity='w_2').to_pandas()
    assert isinstance(training, pandas.DataFrame) and sorted(set(training['step'])) == [0, 1, 2], training
    scaling = normscope.run(**TINY).scaling(depths=[1, 2, 4]).to_pandas()
    same(list(scaling['depth']), [1, 2, 4] * 2)


# ---- parameters ----

def parameters_are_those_of_the_engine(folder):
    rows = make_parameters.read_rows(make_parameters.FORMATS.read_text(encoding='utf-8'))
    module = (PACKAGE / 'normscope' / '_parameters.py').read_text(encoding='utf-8')
    if make_parameters.make_module(rows) != module:
        return 'normscope/_parameters.py is stale: src/python/make_parameters.py > src/python/normscope/_parameters.py'
    assert make_parameters.make_module(rows[1:]) != module and len(rows) > 70
    same([row.keyword for row in rows], list(normscope.PARAMETERS))
    small = {'depth': 1, 'seeds': 1}
    defaults = options(**{**{row.keyword: row.default for row in rows}, **small})
    done = cli('link', '--expand', '--variant=pre', *defaults)
    assert done.returncode == 0, f'a keyword is no option: {done.stderr}'
    same(json.loads(done.stdout), normscope.run(variants='pre', **small).experiment)
    words = ' '.join(normscope.run.__doc__.split())
    for row in rows:
        assert f'{row.keyword} ({row.path}): {row.help} [{row.allowed}; default {row.default}' in words, row


def settings_arrive(folder):
    done = normscope.run(depth=numpy.int64(2), d_model=8, d_head=None, heads=1, d_ff=8, embed_std=numpy.float32(0.5),
                         bias=True, bias_k=None, input_norm=numpy.bool_(True), init_scheme='normal', seeds=1,
                         variants=['pre', 'post:residual_scale=1.5'],
                         rotary_short_factors=[1, 2.5],
                         settings={'rotary_long_factors': numpy.array([0.5]), 'sampling.seed': 7, 'warmup': 3,
                                   'training.warmup': 5}).experiment
    same((done['shape']['depth'], done['shape']['d_head'], done['data']['embed_std']), (2, None, 0.5))
    same((done['sampling']['seed'], done['training']['warmup']), (7, 5))
    for variant, scale in zip(done['variants'], [1, 1.5]):
        same((variant['rotary_short_factors'], variant['rotary_long_factors']), ([1, 2.5], [0.5]))
        same((variant['bias'], variant['input_norm'], variant['init']['scheme'], variant['warmup'],
              variant['residual_scale']), (True, True, 'normal', 3, scale))


ERRORS = [
    (lambda: normscope.run(dept=3), ["'dept'", "did you mean 'depth'"], None),
    (lambda: normscope.run(xyzzy=3), ["'xyzzy'", 'allowed: stack, depth'], None),
    (lambda: normscope.run(depth=[3]), ['depth', '[3]', 'a number'], None),
    (lambda: normscope.run(settings={'shape.dept': 3}), ['“shape.dept”', '“shape.depth”'], 2),
    (lambda: normscope.run(depth=0), ['shape.depth: 0 is not allowed', 'from 1 to 65536'], 2),
    (lambda: normscope.run(variants=['nope']), ['--variant', '"nope"', 'pre, post'], 2),
    (lambda: normscope.run('/nowhere.normscope'), ['/nowhere.normscope'], 2),
    (lambda: normscope.run({'format': 'normscope-experiment', 'shape': {'dept': 1}}), ['shape.dept'], 2),
    (lambda: normscope.run(**TINY).train(), ['data.source', 'gaussian', 'tokens'], 2),
    (lambda: normscope.run(**TINY).train(map=True), ['map', 'train_map()'], None),
    (lambda: normscope.run(**TINY).scaling('w_9@last'), ['w_9'], 2),
    (lambda: normscope.run(**TINY).plot('flwo'), ['flwo', '“flow”'], 2),
    (lambda: normscope.run(**TINY).plot(themes='dark'), ['--themes', '--theme'], 2),
    (lambda: normscope.run(**TINY).plot().save('/nowhere/x.png'), ['/nowhere'], 1),
    (lambda: normscope.run(**TINY).save('x.csv'), ["'.csv'", '.normscope, .json'], None),
]


def errors_have_the_message_of_the_program(folder):
    for function, words, status in ERRORS:
        try:
            function()
        except normscope.Error as error:
            text = str(error)
            if error.status != status or not all(word in text for word in words) or 'normscope-cli: ' in text:
                return f'{inspect.getsource(function)}: {error.status} {text}'
        else:
            return f'{inspect.getsource(function)}: no error'
    try:
        normscope.run(**TINY)['w_22']
    except KeyError as error:
        assert "did you mean 'w_2'" in str(error), error
    else:
        return 'w_22: no error'


def what_the_program_assumes_is_a_warning(folder):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter('always')
        normscope.run(ROOT / 'tests/import/configs/gpt2.json', scaled=True, depth=1, d_model=8, d_head=4, heads=2,
                      d_ff=8, vocab=11, seeds=1)
        normscope.run(**TINY)
    same([(warning.filename, warning.category) for warning in caught], [(__file__, UserWarning)])
    assert 'assumptions:\n- ' in str(caught[0].message), caught[0]


# ---- the program ----

def run_python(text, *args, env=None, **more):
    return subprocess.run([sys.executable, '-B', '-c', text, *args], capture_output=True, text=True, check=False,
                          timeout=PATIENCE, env={**os.environ, 'PYTHONPATH': str(PACKAGE), **(env or {})}, **more)


def the_program_is_found(folder):
    find = 'import normscope; print(normscope.find_program())'
    root = pathlib.Path(folder).resolve()
    site, programs = root / 'lib' / 'python3' / 'site-packages', root / 'bin'
    programs.mkdir()
    shutil.copytree(PACKAGE / 'normscope', site / 'normscope')
    path = {'NORMSCOPE_CLI': '', 'PATH': str(root)}
    absent = run_python(find, env={**path, 'PYTHONPATH': str(site)})
    assert 'normscope-cli was not found' in absent.stderr and 'NORMSCOPE_CLI' in absent.stderr, absent
    (programs / 'normscope-cli').symlink_to(CLI)
    same(run_python(find, env={**path, 'PYTHONPATH': str(site)}).stdout.strip(), str(programs / 'normscope-cli'))
    (root / 'normscope-cli').symlink_to(CLI)
    same(run_python(find, env={**path, 'PYTHONPATH': str(site)}).stdout.strip(), str(root / 'normscope-cli'))
    same(run_python(find, env={**path, 'NORMSCOPE_CLI': CLI}).stdout.strip(), CLI)
    wrong = run_python(find, env={**path, 'NORMSCOPE_CLI': '/nowhere'}).stderr
    assert "NORMSCOPE_CLI is '/nowhere'" in wrong, wrong


def it_needs_numpy_only(folder):
    done = run_python('import sys, normscope; print(*{"pandas", "matplotlib", "torch", "IPython"} & {*sys.modules})')
    same((done.returncode, done.stdout.strip()), (0, ''), done.stderr)


def children_of(pid):
    return [int(word) for word in pathlib.Path(f'/proc/{pid}/task/{pid}/children').read_text().split()]


def wait_for(condition, what):
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, f'waiting for {what}'
        time.sleep(0.01)


SCRIPT = f'''
import normscope
result = normscope.run(**{TINY})
print('ready', flush=True)
try:
    done = COMMAND
except KeyboardInterrupt:
    print('stopped')
else:
    print('kept', done.interrupted, done.losses['Pre-LN'].shape[1], flush=True)
'''
COMMANDS = {'run': 'normscope.run(depth=1024, seeds=1000, threads=1)', 'train': f'result.train(**{ENDLESS})'}


class Busy:
    """A Python that computes something endless. Its group of processes gets the signals, as from a terminal."""

    def __init__(self, command, prepare=None):
        self.python = subprocess.Popen([sys.executable, '-B', '-c', SCRIPT.replace('COMMAND', COMMANDS[command])],
                                       stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                       env={**os.environ, 'PYTHONPATH': str(PACKAGE)}, start_new_session=True,
                                       preexec_fn=prepare)
        same(self.python.stdout.readline(), 'ready\n')
        wait_for(lambda: children_of(self.python.pid), 'the program')
        self.child, = children_of(self.python.pid)
        wait_for(lambda: self.cpu() > 0.3, 'processor time')

    def cpu(self):
        fields = pathlib.Path(f'/proc/{self.child}/stat').read_text().rpartition(')')[2].split()
        return sum(int(x) for x in fields[11:13]) / os.sysconf('SC_CLK_TCK')

    def is_gone(self):
        try:
            return pathlib.Path(f'/proc/{self.child}/stat').read_text().rpartition(')')[2].split()[0] == 'Z'
        except OSError:
            return True

    def end(self, number):
        os.killpg(self.python.pid, number)
        out, errors = self.python.communicate(timeout=PATIENCE)
        return out, errors


def an_interrupted_run_stops_the_program(folder):
    busy = Busy('run')
    out, errors = busy.end(signal.SIGINT)
    same((out, busy.python.returncode), ('stopped\n', 0), errors)
    assert busy.is_gone()


def an_interrupted_training_has_its_steps(folder):
    busy = Busy('train')
    out, errors = busy.end(signal.SIGINT)
    found = re.fullmatch(r'kept True (\d+)\n', out)
    assert found and 1 < int(found.group(1)) < ENDLESS['steps'], f'{out} {errors}'
    assert '<string>:6: UserWarning: interrupted; the steps so far were written' in errors, errors
    assert busy.is_gone()


def a_killed_python_takes_the_program_along(folder):
    for hang_up in signal.SIG_DFL, signal.SIG_IGN:  # SIG_IGN is that of nohup
        busy = Busy('train', lambda: signal.signal(signal.SIGHUP, hang_up))
        busy.end(signal.SIGKILL)
        wait_for(busy.is_gone, 'the end of the program')


# ---- progress ----

class Notebook:
    """IPython as a notebook has it: it keeps what is displayed, and interrupts at the second bar."""

    def __init__(self):
        self.shown = []
        kernel = types.SimpleNamespace(kernel=None)
        self.modules = {'IPython': types.SimpleNamespace(get_ipython=lambda: kernel),
                        'IPython.display': types.SimpleNamespace(display=self.display)}

    def display(self, shown, display_id):
        self.update(shown)
        return self

    def update(self, shown):
        self.shown.append(shown._repr_html_())
        if 'value=' in self.shown[-1] and sum('value=' in text for text in self.shown) == 2:
            os.kill(os.getpid(), signal.SIGINT)

    def __enter__(self):
        sys.modules.update(self.modules)
        return self

    def __exit__(self, *_):
        for name in self.modules:
            del sys.modules[name]


def a_notebook_has_a_bar(folder):
    result = normscope.run(**TINY)
    with Notebook() as notebook, warnings.catch_warnings():
        warnings.simplefilter('ignore')
        training = result.train(**ENDLESS)
    assert training.interrupted
    bars = [re.fullmatch(r'<progress max="1" value="([\d.]+)"></progress> (\d+) of 4000000 steps, .* · Pre-LN .*', text)
            for text in notebook.shown]
    shares = [float(bar.group(1)) for bar in bars if bar]
    assert len(shares) >= 2 and 0 <= shares[0] <= shares[1] < 0.5, notebook.shown
    same(notebook.shown[-1], '')
    with Notebook() as notebook:
        normscope.run(**TINY)
    same(notebook.shown, [])


def a_terminal_has_a_bar_and_a_pipe_has_none(folder):
    text = SCRIPT.replace('COMMAND', f'result.train(**{ {**ENDLESS, "steps": 12000} })')
    terminal, end = pty.openpty()
    python = subprocess.Popen([sys.executable, '-B', '-c', text], stdout=subprocess.PIPE, stderr=end, text=True,
                              env={**os.environ, 'PYTHONPATH': str(PACKAGE), 'COLUMNS': '60'})
    os.close(end)
    shown = b''
    while True:
        try:
            shown += os.read(terminal, 65536)
        except OSError:
            break
    out, _ = python.communicate(timeout=PATIENCE)
    os.close(terminal)
    same(out, 'ready\nkept False 12000\n')
    lines = [line.removesuffix('\033[K') for line in shown.decode().split('\r')]
    assert any(re.match(r'\[#*\.+\] \d+ of 48000 steps', line) for line in lines), lines
    assert max(len(line) for line in lines) < 60 and lines[-1] == '', lines
    same(run_python(text).stderr, '')


# ---- files, pictures, laws, trainings ----

def saved_and_opened_again(folder):
    result = normscope.run(variants=['deepnorm'], **TINY)
    for name in 'x.normscope', 'x.json':
        result.save(pathlib.Path(folder) / name)
    for again in (normscope.run(f'{folder}/x.normscope'), normscope.load(f'{folder}/x.json'),
                  normscope.run(result.experiment)):
        same(again.json, result.json)
        assert (again['w_2']['DeepNorm'] == result['w_2']['DeepNorm']).all()
    same(json.loads(cli('run', f'{folder}/x.normscope', '--per-seed', '--format', 'json').stdout), result.json)
    same(sorted(os.listdir(folder)), ['x.json', 'x.normscope'])
    scaling, training = result.scaling(depths=[1, 2, 4]), result.train(source='tokens', steps=2)
    for output in scaling, training:
        output.save(f'{folder}/y.json')
        again = normscope.load(f'{folder}/y.json')
        same((type(again), again.json), (type(output), output.json))
    try:
        normscope.load(f'{folder}/x.normscope')
    except normscope.Error as error:
        assert 'normscope-experiment' in str(error) and 'normscope-result' in str(error), error
    else:
        return 'an experiment is no result'


def pictures_are_those_of_the_program(folder):
    result = normscope.run(**TINY)
    result.save(f'{folder}/x.normscope')
    for figure, more, args in [
            (None, {}, ['--figure=flow']),
            ('gain', {'variant': 'pre', 'theme': 'dark', 'width': 700, 'settings': {'shape.depth': 4}},
             ['--figure=gain', '--variant=pre', '--theme=dark', '--width=700', '--depth=4']),
            ('scaling', {'depths': range(1, 4), 'no_band': True}, ['--figure=scaling', '--depths=1,2,3', '--no-band']),
            ('flow', {'pin': ['1', '1:3'], 'theory': False}, ['--pin=1', '--pin=1:3'])]:
        wanted = cli('plot', f'{folder}/x.normscope', *args, '--format=svg', '--output=-')
        assert wanted.returncode == 0, wanted.stderr
        picture = result.plot(figure, **more)
        assert picture.svg == wanted.stdout, f'{figure}: another picture'
    picture.save(f'{folder}/x.svg')
    picture.save(f'{folder}/x.png')
    assert pathlib.Path(folder, 'x.svg').read_text(encoding='utf-8') == picture.svg
    assert pathlib.Path(folder, 'x.png').read_bytes()[:4] == b'\x89PNG'


def pictures_of_one_notebook_share_no_names(folder):
    result = normscope.run(**TINY)
    names = []
    for picture in result.plot(), result.plot(theme='dark'):
        text = picture._repr_svg_()
        same(len(list(xml.etree.ElementTree.fromstring(text).iter())),
             len(list(xml.etree.ElementTree.fromstring(picture.svg).iter())))
        names.append(set(re.findall(r'\bid="([^"]*)"', text)))
        used = set(re.findall(r'\bhref="#([^"]*)"|\burl\(#([^)]*)\)', text))
        assert used and {a or b for a, b in used} <= names[-1], used
    assert names[0] and not names[0] & names[1]


def laws_are_those_of_the_program(folder):
    result = normscope.run(**TINY)
    result.save(f'{folder}/x.normscope')
    args = ['--depths=1,2,4,8,16,32', '--metric=w_2@last', '--ratio=post/pre', '--seeds=8']
    tree = json.loads(cli('scaling', f'{folder}/x.normscope', *args, '--format=json').stdout)
    scaling = result.scaling('w_2@last', depths=[1, 2, 4, 8, 16, 32], ratio='post/pre', seeds=8)
    same(scaling.json, tree)
    same(list(scaling.exponents), ['Pre-LN', 'Post-LN', 'Post-LN/Pre-LN'])
    for name, fit in zip(scaling.exponents, [*tree['variants'], tree['ratio']]):
        mine = scaling.exponents[name]
        same((mine.p, mine.error, mine.seeds, mine.law),
             (fit['exponent']['p'], fit['exponent']['error'], 8, fit['best']))
        same(list(scaling.laws[name].values()), fit['laws'])
    assert scaling.laws['Pre-LN']['exponential']['number'] > 0, scaling.laws
    assert any(exponent.law for exponent in scaling.exponents.values()), scaling.exponents
    same((list(scaling.x), scaling.axis, scaling.metric), ([1, 2, 4, 8, 16, 32], 'depth', 'w_2@last'))
    same(list(scaling['Post-LN']), [point['geometric_mean'] for point in tree['variants'][1]['points']])
    wanted = cli('plot', f'{folder}/x.normscope', '--figure=scaling', *args, '--format=svg', '--output=-').stdout
    assert scaling.plot().svg == wanted, 'another picture'
    width = result.scaling(sweep='d_model=4,8,16', seeds=1)
    same((width.axis, list(width.x), math.isnan(width.exponents['Pre-LN'].error)), ('d_model', [4, 8, 16], True))
    assert 'd_model' in width.plot().svg
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter('always')
        missed = result.scaling(depths=[1, 2, 4, 8], expect='pre:w_2@last:9±0.1')
    assert len(caught) == 1 and 'misses the expected' in str(caught[0].message), caught
    same([expectation['met'] for expectation in missed.json['expectations']], [False])


def maps_are_those_of_the_program(folder):
    """What every expert does, by seed, block and expert, and a map between any two blocks."""
    result = normscope.run(variants=['pre:experts=4', 'post'], **TINY)
    maps = result.paths('routing')
    same(maps.quantities, ['expert_load', 'expert_grad'])
    same(list(maps['expert_load']), [result.variants[0]])  # Post-LN has no experts
    loads, gradients = (maps[name][result.variants[0]] for name in maps.quantities)
    same((loads.shape, gradients.shape), ((2, 3, 4), (2, 3, 4)))
    assert numpy.allclose(loads.sum(axis=2), 1), loads
    assert numpy.allclose(loads.max(axis=2), result['expert_load_max'][result.variants[0]]), loads
    assert numpy.allclose(gradients.max(axis=2), result['expert_grad_max'][result.variants[0]], rtol=1e-5), gradients
    same(maps.places('expert_load')[result.variants[0]],
         ([('stack', block) for block in (1, 2, 3)], [('expert', expert) for expert in (1, 2, 3, 4)]))
    gains = result.paths('gain', probes=2)['gain']['Post-LN']
    assert numpy.isnan(gains[0, 1, 0]) and gains[0, 1, 1] == 1, gains[0]
    assert '<svg' in maps.plot().svg
    try:
        maps['load']
        assert False, 'a map of that name'
    except KeyError as error:
        assert 'expert_load' in str(error), error


def trainings_are_those_of_the_program(folder):
    result = normscope.run(variants=['pre', 'post:warmup=3'], **TINY)
    result.save(f'{folder}/x.normscope')
    for more in {'steps': 30, 'first': 3, 'later': 2}, {'steps': 9, 'optimizer': 'sgd', 'learning_rate': 1e6}:
        args = [f'{folder}/x.normscope', '--source=tokens', '--quantity=w_2,rms_x', *options(**more)]
        training = result.train(source='tokens', quantity='w_2,rms_x', **more)
        losses, found = training.losses, {}
        for row in rows_of('train', *args):
            seed, step = int(row['seed']), int(row['step'])
            if row['quantity'] == 'loss':
                assert is_same(losses[row['variant']][seed, step], row['value']), row
                found.setdefault(row['variant'], set()).add((seed, step))
            elif row['part'] == 'stack':
                array = training[row['quantity']][row['variant']]
                same(array.shape, (2, len(training.recorded), 3))
                mine = array[seed, training.recorded.index(step), int(row['layer']) - 1]
                assert is_same(mine, row['value']), f'{row}: {mine}'
        for name, places in found.items():
            assert numpy.isfinite(losses[name]).sum() <= len(places)
    assert not training.interrupted and all(array.shape[1] < 9 for array in losses.values()), losses
    rates = result.train(source='tokens', steps=5).learning_rates
    first, second = rates.values()
    assert first[0] == 0.003 and math.isclose(second[0], 0.001), rates
    maps = result.train_map(source='tokens', steps=3, learning_rates=[0.001, 0.01], points=[1, 2])
    same((maps.json['format'], len(maps.json['variants'][0]['cells'])), ('normscope-sensitivity', 4))


# ---- the version ----

def make_checkout(folder):
    """Make a checkout of the package with one commit. Return it, a function that calls git there, and the release."""
    root = pathlib.Path(folder, 'checkout')
    shutil.copytree(PACKAGE, root / 'src' / 'python', ignore=shutil.ignore_patterns('build', '*.egg-info'))
    (root / 'build-aux').mkdir()
    shutil.copy(ROOT / 'build-aux' / 'version.sh', root / 'build-aux')

    def git(*words):
        return subprocess.run(['git', '-c', 'user.name=x', '-c', 'user.email=x', *words], cwd=root, check=True,
                              env={**os.environ, 'GIT_CONFIG_GLOBAL': os.devnull}, capture_output=True,
                              text=True).stdout.strip()

    git('init')
    git('add', '.')
    git('commit', '-m', 'x')
    return root, git, re.search(r"^RELEASE = '(.*)'$", (PACKAGE / 'normscope/_version.py').read_text(), re.M).group(1)


def version_in(path):
    done = run_python('import normscope; print(normscope.__version__)', env={'PYTHONPATH': str(path)})
    same(done.stderr, '')
    return done.stdout.strip()


def the_version_has_the_revision(folder):
    if not shutil.which('git'):
        raise Skip('git is not installed')
    root, git, release = make_checkout(folder)
    path = root / 'src' / 'python'
    revision = f'{release}+g{git("rev-parse", "--short=7", "HEAD")}'
    same(version_in(path), revision)
    git('tag', '-a', f'v{release}', '-m', 'x')
    same(version_in(path), release)
    with open(path / 'pyproject.toml', 'a', encoding='utf-8') as file:
        file.write('\n')
    same(version_in(path), f'{revision}.dirty')
    (root / '.git').rename(root / 'not.git')
    same(version_in(path), release)
    (root / 'build-aux' / 'version.sh').unlink()
    same(version_in(path), release)


def an_installed_package_has_the_revision_of_its_sources(folder):
    done = run_python('import setuptools, wheel, pip')
    if done.returncode or not shutil.which('git'):
        raise Skip(done.stderr.strip().splitlines()[-1] if done.returncode else 'git is not installed')
    root, git, release = make_checkout(folder)
    subprocess.run([sys.executable, '-m', 'pip', 'wheel', '--no-index', '--no-build-isolation', '--no-deps',
                    '-w', folder, root / 'src' / 'python'], check=True, capture_output=True)
    site = pathlib.Path(folder, 'site')
    wheel, = pathlib.Path(folder).glob('*.whl')
    shutil.unpack_archive(wheel, site, 'zip')
    same(version_in(site), f'{release}+g{git("rev-parse", "--short=7", "HEAD")}')
    same(wheel.name.split('-')[1], version_in(site))


# ---- hostile values ----

def refused_by(call, *words):
    """Return a problem unless the call raises an Error with the words."""
    try:
        call()
    except normscope.Error as error:
        text = str(error)
        missing = [word for word in words if word not in text]
        return f'{missing} not in: {text[:500]}' if missing or len(text) > 3000 else None
    except Exception as error:  # every other exception is a failure
        return f'{type(error).__name__}: {error}'
    return 'nothing was raised'


def hostile_arguments_are_errors(_):
    circular, deep = {}, {}
    circular['a'], place = circular, deep
    for _ in range(100000):
        place['a'] = {}
        place = place['a']
    parameters = [
        ({'text': 'a\0b'}, ['argument', 'a\\x00b']), ({'text': 'a\ud800'}, ['argument', '\\ud800']),
        ({'text': 'x' * 3000000}, ['cannot be started', 'Argument list too long', '30000']),
        ({'settings': [1]}, ['settings', '[1]', 'shape.depth']), ({'settings': {'shape.depth\0': 2}}, ['argument']),
        ({'settings': {1: 2}}, ['--set', '1']), ({'seed': 10 ** 5000}, ['seed', 'digits']),
        ({'text': b'x'}, ['text', "b'x'"]),
        ({'depth': 1j}, ['depth', '1j']), ({'depth': {1}}, ['depth', '{1}']),
        ({'embed_std': math.nan}, ['embed_std', 'nan']),
        ({'quantities': ['']}, ['--quantity', 'empty']), ({'threads': -1}, ['--threads', '-1']),
        ({'foo\0': 1}, ['foo']),
        ({'variants': ['\ud800']}, ['argument']), ({'text_file': pathlib.Path('/nowhere\udcff')}, ['/nowhere']),
    ]
    files = [
        (3, ['file', '3', 'a path']), ([1], ['file', '[1]']), (b'x', ['file', "b'x'"]), ('a\0', ['argument']),
        ('\ud800', ['argument']), ('', ['“”']), (circular, ['JSON', 'Circular']), (deep, ['JSON', 'recursion']),
        ({'a': object()}, ['JSON', 'object']), ({'a': {1}}, ['JSON', '{1}']), ({(1, 2): 3}, ['JSON', 'tuple']),
        ({'a': 10 ** 5000}, ['JSON', 'digits']), ({'shape': {'depth': math.nan}}, ['depth', 'NaN']),
        ({1: 2}, ['format']),
        ({'a': '\ud800'}, ['surrogate']), ('--help', ['--help']), ('/', ['folder']),
    ]
    found = [(more, refused_by(lambda more=more: normscope.run(**{**TINY, **more}), *words))
             for more, words in parameters]
    found += [(file, refused_by(lambda file=file: normscope.run(file, **TINY), *words)) for file, words in files]
    found = [f'{"tree" if what is circular or what is deep else str(what)[:60]}: {problem}' for what, problem in found
             if problem]
    same(normscope.run({'format': 'normscope-experiment', 'version': 1, 'shape': {'depth': numpy.int64(3)}},
                       **{**TINY, 'depth': numpy.int64(3)}).experiment['shape']['depth'], 3)
    return '\n'.join(found) or None


def odd_programs_are_errors(folder):
    """Whatever NORMSCOPE_CLI is, a call ends with an Error that names it."""
    result = normscope.run(**TINY)
    texts = {'no-shebang': b'\x7fgarbage', 'empty': b'', 'no-interpreter': b'#!/no/such\n', 'silent': b'#!/bin/sh\n',
             'number': b'#!/bin/sh\necho 3\n', 'list': b'#!/bin/sh\necho "[]"\n', 'object': b'#!/bin/sh\necho "{}"\n',
             'other': b'#!/bin/sh\necho \'{"format": "normscope-lecture"}\'\n', 'killed': b'#!/bin/sh\nkill -9 $$\n',
             'bytes': b'#!/bin/sh\nprintf "\\377\\376"\n',
             'nested': b'#!/bin/sh\nhead -c 200000 /dev/zero | tr "\\0" "["\n'}
    for name, text in texts.items():
        path = pathlib.Path(folder, name)
        path.write_bytes(text)
        path.chmod(0o755)
    plain = pathlib.Path(folder, 'no-program')
    plain.write_bytes(b'')
    calls = [lambda: normscope.run(**TINY), lambda: result.scaling(depths='1,2'), lambda: result.paths('lengths'),
             lambda: result.train(source='tokens', steps=2)]
    found, before = [], os.environ.get('NORMSCOPE_CLI')
    try:
        for name in [*(str(pathlib.Path(folder, name)) for name in texts), str(plain), folder, '/dev/null', 'nowhere',
                     'normscope-cli --threads 1', '~/normscope-cli', '/tmp/\udcff', 'x' * 5000, '/bin/true',
                     '/bin/false']:
            os.environ['NORMSCOPE_CLI'] = name
            problems = [refused_by(call) for call in calls]
            found += [f'{name[-60:]}, call {i}: {problem}' for i, problem in enumerate(problems) if problem]
    finally:
        os.environ['NORMSCOPE_CLI'] = before or CLI
    return '\n'.join(found) or None


def files_that_are_no_json_are_errors(folder):
    path = pathlib.Path(folder, 'x.json')
    for data in [b'', b'{', b'\xff\xfe', b'[' * 200000, b'3', b'{"format": 3}']:
        path.write_bytes(data)
        problem = refused_by(lambda: normscope.load(path), 'x.json')
        if problem:
            return f'{data[:20]}: {problem}'
    return None


def main():
    os.environ['NORMSCOPE_CLI'] = CLI
    tap = Tap()
    for test in [values_are_those_of_the_program, an_encoder_decoder_has_both_parts,
                 what_is_not_finite_is_nan_and_never_0, tables_are_those_of_the_program,
                 parameters_are_those_of_the_engine, settings_arrive, errors_have_the_message_of_the_program,
                 what_the_program_assumes_is_a_warning, the_program_is_found, it_needs_numpy_only,
                 an_interrupted_run_stops_the_program, an_interrupted_training_has_its_steps,
                 a_killed_python_takes_the_program_along, a_notebook_has_a_bar,
                 a_terminal_has_a_bar_and_a_pipe_has_none, saved_and_opened_again, pictures_are_those_of_the_program,
                 pictures_of_one_notebook_share_no_names, laws_are_those_of_the_program,
                 maps_are_those_of_the_program, trainings_are_those_of_the_program, hostile_arguments_are_errors,
                 odd_programs_are_errors, files_that_are_no_json_are_errors, the_version_has_the_revision,
                 an_installed_package_has_the_revision_of_its_sources]:
        tap.run(test)
    print(f'1..{tap.count}')
    return tap.failed > 0


sys.exit(main())
