#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Black-box tests of `normscope-cli train`: the numbers in every format, records, interruption, checkpoints.

    train.py NORMSCOPE-CLI
"""

import csv
import io
import json
import math
import os
import re
import signal
import subprocess
import sys
import tempfile
import time

from cli import CLI, FORMAT, Tap, cli, same

SHAPE = {'depth': 2, 'd_model': 16, 'heads': 2, 'd_ff': 24, 'seq_len': 6, 'batch': 2, 'vocab': 13}
STEPS = 30
NAMES = ['Pre-LN', 'Post, "short" warm-up']
PATIENCE = 60  # seconds until the test gives up


def write_experiment(folder, steps=STEPS, seeds=2, rate=3e-3, **shape):
    tree = {**FORMAT, 'shape': {**SHAPE, **shape}, 'data': {'source': 'tokens', 'positions': 'learned'},
            'sampling': {'seed': 5, 'seeds': seeds}, 'training': {'steps': steps, 'learning_rate': rate},
            'variants': [{'name': NAMES[0]}, {'name': NAMES[1], 'attn': {'norm': 'post'}, 'ffn': {'norm': 'post'},
                                              'warmup': 10}]}
    with open(os.path.join(folder, 'e.normscope'), 'w', encoding='utf-8') as file:
        json.dump(tree, file)


def good(folder, *args):
    done = cli('train', 'e.normscope', *args, folder=folder)
    assert done.returncode == 0, f'{args}: {done.returncode} {done.stderr[:600]}'
    assert done.stderr == '', f'{args}: {done.stderr[:600]}'
    return done.stdout


def read_json(folder, *args):
    return json.loads(good(folder, '--format', 'json', *args), parse_constant=lambda word: 1 / 0)


def read_csv(text):
    return list(csv.DictReader(line for line in io.StringIO(text) if not line.startswith('#')))


def records_of(tree):
    return sorted({row['step'] for row in tree['variants'][0]['numbers']})


# ---- numbers ----

def losses_are_the_same_in_every_format(folder):
    write_experiment(folder)
    tree, table = read_json(folder, '--per-seed'), good(folder).splitlines()
    rows, seeds = read_csv(good(folder, '--format', 'csv')), read_csv(good(folder, '--format', 'csv', '--per-seed'))
    same([variant['name'] for variant in tree['variants']], NAMES)
    assert all(name in table[0] for name in NAMES), table[0]
    shown = {int(line.split()[0]): [float(cell) for cell in line.split()[1:]] for line in table[1:]
             if re.match(r' *\d+ +\d', line) and 'thread' not in line}
    same(sorted(shown), [0, 1, 2, 5, 10, 20, 29])
    for v, variant in enumerate(tree['variants']):
        same(len(variant['loss']['mean']), STEPS)
        same([run['seed'] for run in variant['runs']], [5, 6])
        for step, mean in enumerate(variant['loss']['mean']):
            values = [run['loss'][step] for run in variant['runs']]
            assert math.isclose(mean, sum(values) / 2, rel_tol=1e-12), f'{step}: {mean}, {values}'
            mine = [row for row in rows if row['variant'] == variant['name'] and int(row['step']) == step
                    and row['quantity'] == 'loss']
            same([float(row['mean']) for row in mine], [mean])
            same([row['seeds'] for row in mine], ['2'])
            same([float(row['value']) for row in seeds if row['variant'] == variant['name']
                  and int(row['step']) == step and row['quantity'] == 'loss'], values)
            if step in shown:
                assert abs(shown[step][v] - mean) < 5.1e-5, f'{shown[step]}, {mean}'
        assert variant['loss']['mean'][-1] < variant['loss']['mean'][0]
    assert math.isclose(tree['uniform_entropy'], math.log(13)) and math.isclose(tree['symbol_entropy'], math.log(13))
    assert any('entropy of uniform tokens 2.5649' in line for line in table), table
    rates = [variant['learning_rate'] for variant in tree['variants']]
    same(set(rates[0]), {3e-3})
    assert math.isclose(rates[1][0], 3e-4) and math.isclose(rates[1][9], 3e-3), rates[1]


def the_first_record_is_an_ordinary_run(folder):
    """Step 0 has the weights of `run`; on the same text, the same numbers follow if the batch is the same."""
    write_experiment(folder)
    tree = read_json(folder, '-q', 'rms_x,w_2,token_cos')
    same({row['quantity'] for row in tree['variants'][0]['numbers'] if not row['quantity'].startswith('update_')},
         {'rms_x', 'w_2', 'token_cos'})
    first = {(row['part'], row['layer'], row['quantity']): row['mean'] for row in tree['variants'][0]['numbers']
             if row['step'] == 0}
    assert 0.5 < first['input', 0, 'rms_x'] < 3, first
    assert first['stack', 2, 'w_2'] > 0 and first['stack', 1, 'update_w_2'] > 0, first
    again = read_json(folder)
    for row in again['variants'][0]['numbers']:
        key = row['part'], row['layer'], row['quantity']
        if row['step'] == 0 and key in first:
            same(row['mean'], first[key], f'{key}: ')


def records_are_where_they_were_asked_for(folder):
    write_experiment(folder)
    same(records_of(read_json(folder, '-q', 'rms_x')), list(range(20)) + list(range(20, 30)))
    same(records_of(read_json(folder, '-q', 'rms_x', '--first', '2', '--later', '0')), [0, 1, 29])
    even = records_of(read_json(folder, '-q', 'rms_x', '--first', '1', '--later', '3'))
    by_log = records_of(read_json(folder, '-q', 'rms_x', '--first', '1', '--later', '3', '--logarithmic'))
    same((even[0], even[-1], by_log[0], by_log[-1]), (0, 29, 0, 29))
    assert len(even) == 4 and len(by_log) == 4 and by_log[1] < even[1], f'{even}, {by_log}'


def numpy_has_the_rows_of_the_csv(folder):
    try:
        import numpy
    except ImportError:
        return None
    write_experiment(folder, steps=5)
    for more in ([], ['--per-seed']):
        good(folder, '-o', 'x.npy', *more)
        good(folder, '-o', 'x.csv', *more)
        array = numpy.load(os.path.join(folder, 'x.npy'))
        with open(os.path.join(folder, 'x.csv'), encoding='utf-8') as file:
            text = file.read()
        assert text.startswith('# ') and 'seeds' in text.split('variant,step')[0], text[:200]
        rows = read_csv(text)
        same(len(array), len(rows))
        same(list(array.dtype.names), list(rows[0]))
        for record, row in zip(array, rows):
            for name, cell in row.items():
                value = record[name]
                if array.dtype[name].kind == 'U':
                    same(str(value), cell)
                else:
                    known = cell == '' and numpy.isnan(value) or float(cell) == value or cell == 'nan'
                    assert known, f'{row}, {record}'


def threads_change_no_bit(folder):
    write_experiment(folder)
    texts = [good(folder, '--format', 'csv', '--per-seed', '--threads', n) for n in ('1', '2', '3')]
    same(texts[1] == texts[0], True)
    same(texts[2] == texts[0], True)


def a_divergence_is_a_result(folder):
    write_experiment(folder, rate=1e6)
    tree = json.loads(cli('train', 'e.normscope', '--optimizer', 'sgd', '--format', 'json', '--per-seed',
                          folder=folder).stdout)
    ends = [run['divergence'] for variant in tree['variants'] for run in variant['runs']]
    assert any(ends), ends
    end = next(end for end in ends if end)
    assert 0 < end['step'] < STEPS and end['part'] in ('stack', 'head'), end
    done = cli('train', 'e.normscope', '--optimizer', 'sgd', folder=folder)
    assert done.returncode == 0 and 'diverged with seed 5 at step' in done.stdout, done.stdout + done.stderr


def a_seed_has_its_place_in_json(folder):
    """Runs that end at different steps: each list has a value for each, null for one that has ended before."""
    write_experiment(folder, seeds=3, rate=1e6)
    args = ['--optimizer', 'sgd', '--per-seed', '--format']
    tree = read_json(folder, *args[:-1])
    wanted = {}
    for row in read_csv(good(folder, *args, 'csv')):
        key = row['variant'], int(row['step']), row['part'], int(row['layer']), row['quantity']
        wanted.setdefault(key, [None] * 3)[int(row['seed']) - 5] = float(row['value'])
    partial = 0
    for variant in tree['variants']:
        for number in variant['numbers']:
            values = wanted[variant['name'], number['step'], number['part'], number['layer'], number['quantity']]
            same(number['seeds'], [value if value is not None and math.isfinite(value) else None for value in values])
            partial += None in values
    assert partial > 0, 'no run has ended before another'


# ---- estimate ----

def an_estimate_takes_no_training(folder):
    write_experiment(folder, steps=1000000)
    done = good(folder, '--estimate')
    if not re.fullmatch(r'(about .*|less than a second) and [\d.]+\s[KMG]iB of memory on this machine\n'
                        r'weights and optimizer: \d+ × [\d.]+\s\w+; gradients and activations: \d+ × [\d.]+\s\w+; '
                        r'losses and records: [\d.]+\s\w+\n', done):
        return done
    same(os.listdir(folder), ['e.normscope'])
    return None


# ---- bad usage ----

def bad_usage(folder):
    write_experiment(folder)
    for args, words in [(['--format', 'xml'], ['--format', 'xml', 'table, csv, json, npy']),
                        (['--per-seed'], ['--per-seed', 'csv, json or npy']),
                        (['-q', 'w_2'], ['--quantity', 'csv, json or npy']),
                        (['-q', 'path_length', '-f', 'csv'], ['--quantity', 'path_length', 'run and scaling']),
                        (['--first', '-1', '--format', 'csv'], ['--first', '-1', 'from 0 to']),
                        (['--later', '1000001', '--format', 'csv'], ['--later', '1000001', 'from 0 to']),
                        (['--provenance', '--no-provenance', '--format', 'csv'], ['exclude']),
                        (['--steps', '0'], ['steps', '0', 'from 1 to']),
                        (['--source', 'gaussian'], ['gaussian', 'training', 'tokens']),
                        (['--loss', 'unit-gradient'], ['unit-gradient', 'training', 'cross-entropy']),
                        (['-o', 'no/x.csv'], ['no/x.csv']),
                        (['--checkpoint', 'no/x'], ['no/x'])]:
        done = cli('train', 'e.normscope', *args, folder=folder)
        if done.returncode not in (1, 2) or done.stdout or not all(word in done.stderr for word in words):
            return f'{args}: {done.returncode} {done.stderr}'
    same(os.listdir(folder), ['e.normscope'])


# ---- interruption and checkpoints ----

class Long:
    """A training that would take minutes."""

    def __init__(self, folder, *args):
        write_experiment(folder, steps=1000000, seeds=1)
        self.run = subprocess.Popen([CLI, 'train', 'e.normscope', '--threads', '1', '--first', '2', '--later', '2',
                                     *args], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def wait_for_cpu(self, seconds):
        """Wait until the program has used so much processor time."""
        end = time.monotonic() + PATIENCE
        ticks = os.sysconf('SC_CLK_TCK')
        while time.monotonic() < end:
            with open(f'/proc/{self.run.pid}/stat', encoding='utf-8') as file:
                fields = file.read().rpartition(')')[2].split()
            if sum(int(x) for x in fields[11:13]) / ticks >= seconds:
                return
            time.sleep(0.01)
        raise AssertionError('no processor time')

    def end(self, number):
        self.run.send_signal(number)
        out, errors = self.run.communicate(timeout=PATIENCE)
        return self.run.returncode, out, errors


def a_signal_keeps_what_there_is(folder):
    for number, args in [(signal.SIGINT, []), (signal.SIGTERM, ['-o', 'x.json'])]:
        long = Long(folder, *args)
        long.wait_for_cpu(0.3)
        status, out, errors = long.end(number)
        same(status, 128 + number, f'{errors}: ')
        assert 'the steps so far were written' in errors, errors
        if not args:
            assert NAMES[0] in out and re.search(r'(?m)^ +10 +\d', out), out
    with open(os.path.join(folder, 'x.json'), encoding='utf-8') as file:
        tree = json.load(file)
    run = tree['variants'][0]['runs'][0]
    assert 0 < run['steps'] < 1000000 and not run['finished'], run
    same(len(tree['variants'][0]['loss']['mean']), run['steps'])
    same(sorted(os.listdir(folder)), ['e.normscope', 'x.json'])


def a_resumed_training_has_the_same_bits(folder):
    """Ended by a signal again and again, the training yields what an uninterrupted one does."""
    write_experiment(folder, steps=3000, seeds=1)
    more = ['--per-seed', '--threads', '1', '-q', 'rms_x']
    wanted = good(folder, '--format', 'csv', *more)
    ended = 0
    for turn in range(8):
        run = subprocess.Popen([CLI, 'train', 'e.normscope', *more, '--checkpoint', 'c', '-o', 'x.csv',
                                '--no-provenance'], cwd=folder, stderr=subprocess.PIPE, text=True)
        try:
            run.wait(timeout=0.1 * 1.5 ** turn)
        except subprocess.TimeoutExpired:
            run.send_signal(signal.SIGINT)
        errors = run.communicate(timeout=PATIENCE)[1]
        if run.returncode == 0:
            break
        assert run.returncode in (-signal.SIGINT, 130), errors
        ended += 1
    else:
        good(folder, *more, '--checkpoint', 'c', '-o', 'x.csv', '--no-provenance')
    assert ended > 0, 'it was never interrupted'
    with open(os.path.join(folder, 'x.csv'), encoding='utf-8') as file:
        same(file.read() == wanted, True)
    # A finished training is there again at once.
    same(good(folder, *more, '--checkpoint', 'c', '--format', 'csv') == wanted, True)
    # The table has the time of all turns.
    last = good(folder, '--threads', '1', '--checkpoint', 'c', '--format', 'table').splitlines()[-1]
    found = re.search(r'\b1 thread · .* · (\d+) ms$', last)
    assert found and int(found[1]) >= 10, last
    same(sorted(os.listdir(folder)), ['c', 'e.normscope', 'x.csv'])


def a_killed_training_leaves_a_whole_checkpoint(folder):
    write_experiment(folder, steps=60)
    wanted = good(folder, '--format', 'csv', '--per-seed', '--threads', '1')
    cli('train', 'e.normscope', '--threads', '1', '--checkpoint', 'c', '--steps', '60', folder=folder)
    with open(os.path.join(folder, 'c'), 'rb') as file:
        whole = file.read()
    # What a kill leaves: the former checkpoint, and perhaps an unfinished sibling, which the next run removes.
    with open(os.path.join(folder, '.c.normscope-abcdef'), 'wb') as file:
        file.write(whole[:len(whole) // 2])
    same(good(folder, '--threads', '1', '--checkpoint', 'c', '--format', 'csv', '--per-seed') == wanted, True)
    same(sorted(os.listdir(folder)), ['c', 'e.normscope'])
    # Other files are refused, and stay.
    for damaged, word in [(whole[:len(whole) // 2], 'c'), (whole[:10], 'c'), (b'', 'c'), (b'x' * 1000, 'c'),
                          (whole[:-1], 'c')]:
        with open(os.path.join(folder, 'c'), 'wb') as file:
            file.write(damaged)
        done = cli('train', 'e.normscope', '--checkpoint', 'c', folder=folder)
        assert done.returncode in (1, 2) and word in done.stderr and not done.stdout, f'{len(damaged)}: {done}'
        with open(os.path.join(folder, 'c'), 'rb') as file:
            same(file.read() == damaged, True)
    with open(os.path.join(folder, 'c'), 'wb') as file:
        file.write(whole)
    done = cli('train', 'e.normscope', '--checkpoint', 'c', '--learning-rate', '0.004', folder=folder)
    assert done.returncode == 2 and 'another experiment' in done.stderr, done
    # Without an experiment it is that of the checkpoint.
    done = cli('train', '--checkpoint', 'c', '--format', 'csv', '--per-seed', folder=folder)
    same(done.stdout == wanted, True, done.stderr)


def one_training_has_a_checkpoint(folder):
    """A second training with the same file is refused, whether the file is there or not, and by whatever name."""
    os.symlink('c', os.path.join(folder, 'link'))
    for name in ['c', 'link']:
        for number, wanted in [(signal.SIGINT, 130), (signal.SIGKILL, -signal.SIGKILL)]:
            long = Long(folder, '--checkpoint', name)
            long.wait_for_cpu(0.2)
            for other in ['c', './c', 'link']:
                done = cli('train', 'e.normscope', '--checkpoint', other, folder=folder)
                same((done.returncode, done.stdout), (2, ''), done.stderr)
                assert other in done.stderr and 'another process is writing the checkpoint' in done.stderr, done.stderr
            same(long.end(number)[0], wanted)
    # A killed one does not keep the file, and what it has left is removed.
    long = Long(folder, '--checkpoint', 'c')
    long.wait_for_cpu(0.2)
    same(long.end(signal.SIGINT)[0], 130)
    same(sorted(os.listdir(folder)), ['c', 'e.normscope', 'link'])
    # One that cannot begin leaves nothing.
    done = cli('train', 'e.normscope', '--checkpoint', 'new', '-o', 'missing/x.csv', folder=folder)
    same((done.returncode, sorted(os.listdir(folder))), (1, ['c', 'e.normscope', 'link']), done.stderr)


def of_two_trainings_at_once_one_begins(folder):
    """Started together with one new file, one trains and the others are refused; none writes over another's work."""
    write_experiment(folder, steps=1000000, seeds=1)
    for turn in range(4):
        args = ['train', 'e.normscope', '--threads', '1', '--checkpoint', f'c{turn}']
        runs = [subprocess.Popen([CLI, *args], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
                for _ in range(3)]
        end = time.monotonic() + PATIENCE
        while sum(run.poll() is None for run in runs) > 1 and time.monotonic() < end:
            time.sleep(0.01)
        for run in runs:
            if run.poll() is None:
                run.send_signal(signal.SIGINT)
        texts = [run.communicate(timeout=PATIENCE)[1] for run in runs]
        same(sorted(run.returncode for run in runs), [2, 2, 130], f'{texts}: ')


def a_picture_has_the_final_losses(folder):
    """The sentence in a picture has the final losses of the table, and the steps are trained once for each seed."""
    write_experiment(folder)
    table = good(folder, '--format', 'table').splitlines()
    last = next(line for line in table if line.strip().startswith('last ')).split()[2:]
    done = cli('plot', 'e.normscope', '--figure', 'training', '-o', 'x.svg', folder=folder)
    same((done.returncode, done.stderr), (0, ''))
    with open(os.path.join(folder, 'x.svg'), encoding='utf-8') as file:
        text = re.search('<desc>(.*?)</desc>', file.read(), re.S)[1]
    found = re.findall(r' (?:to|at|reaches|ends at) (\d+\.\d+)', text)
    same(len(last), 2)
    for loss in last:
        assert any(abs(float(loss) - float(number)) < 0.0051 for number in found), f'{loss} is not in {text!r}'
    assert 'Means over the last 3 steps and 2 seeds.' in text, text
    for figure, sentence in [(['training-map', '-q', 'w_2'], r'Pre-LN: block 1 (loses|gains) a factor of [\d.]+ of'),
                             (['training-map', '-q', 'token_cos'], r'Pre-LN: token similarity at block \d goes from'),
                             (['training-profile', '--step', '3', '-q', 'grad_x'], r'Pre-LN: (flat|falls|rises)\b')]:
        done = cli('plot', 'e.normscope', '--figure', *figure, '-o', 'x.svg', folder=folder)
        same((done.returncode, done.stderr), (0, ''))
        with open(os.path.join(folder, 'x.svg'), encoding='utf-8') as file:
            text = file.read()
        assert re.search('<desc>[^<]*' + sentence, text), (figure, text[:2000])
        same('Training, step 3' in text, 'profile' in figure[0])
    # Pins and notes have the values of the step; kept curves are of initialization.
    pictures = []
    for more in [[], ['--pin', '1'], ['--note', '2:falls']]:
        done = cli('plot', 'e.normscope', '--figure', 'training-profile', '--step', '3', *more, '-o', 'x.svg',
                   folder=folder)
        same((done.returncode, done.stderr), (0, ''))
        with open(os.path.join(folder, 'x.svg'), encoding='utf-8') as file:
            pictures.append(file.read())
    same(len(set(pictures)), 3)
    # A line marks the step in a map, and nothing else changes.
    maps = []
    for more in [[], ['--step', 'last'], ['--step', '3'], ['--step', '20']]:
        done = cli('plot', 'e.normscope', '--figure', 'training-map', '-q', 'w_2', *more, '-o', 'x.svg', folder=folder)
        same((done.returncode, done.stderr), (0, ''))
        with open(os.path.join(folder, 'x.svg'), encoding='utf-8') as file:
            maps.append(file.read().count('<path'))
    assert maps[0] == maps[1] < maps[2] == maps[3], maps
    for args, words in [(['training', '--loss-axis', 'x'], 'log, linear'), (['training', '--loss'], '--loss'),
                        (['training', '--step', '1'], '--figure training-profile'),
                        (['training', '--branch', 'ffn'], '--figure skip-branch'),
                        (['flow', '--step', '1'], '--figure training-profile'),
                        (['training-profile', '--step', '-1'], 'a step from 0, or last'),
                        (['training-profile', '--step', '30'], '0 to 29, or last'),
                        (['training-map', '--step', '30'], '0 to 29, or last'),
                        (['training-profile', '--reference', 'e.normscope'], '--reference is not allowed'),
                        (['training-profile', '-q', 'gain'], 'passes of its own'),
                        (['training-map', '-q', 'loss'], 'allowed: one of')]:
        done = cli('plot', 'e.normscope', '-o', 'y.svg', '--figure', *args, folder=folder)
        same(done.returncode, 2)
        assert words in done.stderr, done.stderr
    assert not os.path.exists(os.path.join(folder, 'y.svg'))


def a_figure_of_a_training_takes_its_learning_rate(folder):
    """--learning-rate and --optimizer, which the figure update has, too, are of the experiment; --set comes later."""
    write_experiment(folder)
    kept = []
    for args in [['--learning-rate', '0.004', '--optimizer', 'sgd'],
                 ['--set', 'training.learning_rate=0.004', '--set', 'training.optimizer=sgd'],
                 ['--learning-rate', '0.1', '--set', 'training.learning_rate=0.004', '--optimizer', 'sgd']]:
        done = cli('plot', 'e.normscope', '--figure', 'training', '-o', 'x.svg', *args, folder=folder)
        same((done.returncode, done.stderr), (0, ''))
        with open(os.path.join(folder, 'x.svg'), encoding='utf-8') as file:
            kept.append(file.read())
    assert '&quot;learning_rate&quot;: 0.004' in kept[0] or '"learning_rate": 0.004' in kept[0]
    same(kept[0] == kept[1] == kept[2], True)
    done = cli('plot', 'e.normscope', '--figure', 'training', '-o', 'y.svg', '--learning-rate', '-3', folder=folder)
    same(done.returncode, 2)
    assert 'learning' in done.stderr and not os.path.exists(os.path.join(folder, 'y.svg')), done.stderr


def main():
    tap = Tap()
    for function in [losses_are_the_same_in_every_format, the_first_record_is_an_ordinary_run,
                     records_are_where_they_were_asked_for, numpy_has_the_rows_of_the_csv, threads_change_no_bit,
                     a_divergence_is_a_result, a_seed_has_its_place_in_json, a_picture_has_the_final_losses,
                     a_figure_of_a_training_takes_its_learning_rate, an_estimate_takes_no_training, bad_usage,
                     a_signal_keeps_what_there_is,
                     a_resumed_training_has_the_same_bits, a_killed_training_leaves_a_whole_checkpoint,
                     one_training_has_a_checkpoint, of_two_trainings_at_once_one_begins]:
        tap.run(function)
    print(f'1..{tap.count}')
    sys.exit(1 if tap.failed else 0)


if __name__ == '__main__':
    with tempfile.TemporaryDirectory():
        main()
