#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Black-box tests of `normscope-cli train --map` and `--coordinate-check`, and of their figures.

    sensitivity.py NORMSCOPE-CLI
"""

import csv
import io
import json
import math
import os
import signal
import subprocess
import sys
import time

from cli import CLI, FORMAT, Tap, cli, same

SHAPE = {'depth': 2, 'd_model': 16, 'heads': 2, 'd_ff': 24, 'seq_len': 6, 'batch': 2, 'vocab': 13}
STEPS = 20
NAMES = ['Pre-LN', 'Post, "short" warm-up']
PATIENCE = 60  # seconds until the test gives up
MAP = ['--map', '--learning-rates', '1e-3,1e-2', '--points', '1,2']


def write_experiment(folder, steps=STEPS, own_rate=0.5, **training):
    tree = {**FORMAT, 'shape': SHAPE, 'data': {'source': 'tokens', 'positions': 'learned'},
            'sampling': {'seed': 5, 'seeds': 2}, 'training': {'steps': steps, **training},
            'variants': [{'name': NAMES[0]}, {'name': NAMES[1], 'attn': {'norm': 'post'}, 'ffn': {'norm': 'post'},
                                              'warmup': 10, 'learning_rate': own_rate}]}
    with open(os.path.join(folder, 'e.normscope'), 'w', encoding='utf-8') as file:
        json.dump(tree, file)


def good(folder, command, *args):
    done = cli(command, 'e.normscope', *args, folder=folder)
    assert done.returncode == 0, f'{args}: {done.returncode} {done.stderr[:600]}'
    assert done.stderr == '', f'{args}: {done.stderr[:600]}'
    return done.stdout


def read_json(folder, *args):
    return json.loads(good(folder, 'train', '--format', 'json', *args), parse_constant=lambda word: 1 / 0)


def read_csv(text):
    return list(csv.DictReader(line for line in io.StringIO(text) if not line.startswith('#')))


def a_cell_is_the_training_with_its_settings(folder):
    """The mean of a cell is the last row of the table of `train` with that learning rate and depth."""
    write_experiment(folder)
    tree = read_json(folder, *MAP, '--per-seed')
    same(tree['format'], 'normscope-sensitivity')
    same([variant['name'] for variant in tree['variants']], NAMES)
    for cell in tree['variants'][1]['cells']:
        write_experiment(folder, own_rate=cell['learning_rate'])
        single = good(folder, 'train', '--depth', str(cell['depth']))
        last = [line for line in single.splitlines() if line.startswith('last 2')][0].split()
        assert abs(float(last[-1]) - cell['mean']) < 5.1e-5, f'{last}, {cell}'
        same([run['seed'] for run in cell['runs']], [5, 6])
        same(cell['worst'], max(run['loss'] for run in cell['runs']))
        same(cell['best'], min(run['loss'] for run in cell['runs']))


def every_format_has_the_same_numbers(folder):
    write_experiment(folder)
    tree = read_json(folder, *MAP, '--over', 'warmup', '--per-seed')
    rows = read_csv(good(folder, 'train', '--format', 'csv', *MAP, '--over', 'warmup'))
    seeds = read_csv(good(folder, 'train', '--format', 'csv', *MAP, '--over', 'warmup', '--per-seed'))
    table = good(folder, 'train', *MAP, '--over', 'warmup', '--of-seeds', 'best').splitlines()
    cells = [(variant['name'], cell) for variant in tree['variants'] for cell in variant['cells']]
    same(len(cells), 8)
    for row, (name, cell) in zip(rows, cells):
        same([row['variant'], int(row['warmup']), float(row['learning_rate'])],
             [name, cell['warmup'], cell['learning_rate']])
        for key in ('worst', 'mean', 'best'):
            same(float(row[key]), cell[key])
    same([float(row['loss']) for row in seeds], [run['loss'] for _, cell in cells for run in cell['runs']])
    same(table[0], NAMES[0])
    shown = [float(word) for line in table[2:4] for word in line.split()[1:3] if word not in '–✕']
    best = [cell['best'] for name, cell in cells[:4]]
    assert all(min(abs(value - other) for other in best) < 5.1e-5 for value in shown), f'{shown}, {best}'
    good(folder, 'train', *MAP, '-o', 'map.npy')
    with open(os.path.join(folder, 'map.npy'), 'rb') as file:
        head = file.read(400)
    assert b"('depth', '<i8'), ('learning_rate', '<f8'), ('worst', '<f8')" in head, head


def a_rate_that_overflows_is_a_cross(folder):
    write_experiment(folder, optimizer='sgd')
    tree = read_json(folder, '--map', '--learning-rates', '1e-2,1e6', '--points', '2')
    cell = tree['variants'][0]['cells'][1]
    same([cell['outcome'], cell['worst'], cell['diverged']], ['diverged', None, 2])
    assert '✕' in good(folder, 'train', '--map', '--learning-rates', '1e-2,1e6', '--points', '2').splitlines()[2]


def a_figure_is_drawn_with_its_sentence(folder):
    write_experiment(folder)
    good(folder, 'plot', '--figure', 'sensitivity', '--learning-rates', '1e-3..1e-1:3', '--points', '1,3', '-o',
         'a.svg')
    with open(os.path.join(folder, 'a.svg'), encoding='utf-8') as file:
        text = file.read()
    assert 'at depth 1' in text and 'at depth 3' in text, text[:1500]
    good(folder, 'plot', '--figure', 'sensitivity', '--over', 'warmup', '--of-seeds', 'mean', '--learning-rates',
         '1e-3,2e-3,1e-2', '--points', '0,5', '--no-titles', '-o', 'b.png')


def an_interrupted_map_writes_what_there_is(folder):
    write_experiment(folder, steps=200000)
    with subprocess.Popen([CLI, 'train', 'e.normscope', '--map', '--format', 'csv', '--points', '1,2'], cwd=folder,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        time.sleep(1.5)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=PATIENCE)
    same(process.returncode, 130)
    assert 'interrupted' in err, err
    rows = read_csv(out)
    assert len(rows) < 40, len(rows)
    assert all(float(row['worst']) > 0 for row in rows), rows[:2]


def bad_input_is_refused(folder):
    write_experiment(folder)
    for args, words in [(['--map', '--learning-rates', '0'], '--learning-rates: “0” is no list'),
                        (['--map', '--points', '3,2'], '--points: “3,2” is no list'),
                        (['--map', '--points', '0'], '--points: “0” is no list'),
                        (['--map', '--over', 'width'], '--over: “width” is not allowed'),
                        (['--map', '--of-seeds', 'all'], '--of-seeds: “all” is not allowed'),
                        (['--shard', '1/2'], '--shard is of a map'),
                        (['--map', '--first', '3'], '--first has no meaning with --map'),
                        (['--map', '--per-seed'], '--per-seed: a table shows means only'),
                        (['--points', '2'], '--points is of a map'),
                        (['--over', 'depth'], '--over is of a map')]:
        done = cli('train', 'e.normscope', *args, folder=folder)
        same(done.returncode, 2)
        assert words in done.stderr, f'{args}: {done.stderr}'
    done = cli('plot', 'e.normscope', '--points', '2', '-o', 'a.png', folder=folder)
    same(done.returncode, 2)
    assert '--points' in done.stderr and 'sensitivity' in done.stderr, done.stderr


def write_two_scalings(folder):
    tree = {**FORMAT, 'shape': SHAPE, 'data': {'source': 'tokens', 'positions': 'learned'}, 'sampling': {'seeds': 3},
            'training': {'learning_rate': 0.05},
            'variants': [{'name': 'Standard'}, {'name': 'Scaled', 'init': {'mup_base': 16}}]}
    with open(os.path.join(folder, 'e.normscope'), 'w', encoding='utf-8') as file:
        json.dump(tree, file)


def a_coordinate_check_is_drawn(folder):
    """The words of the figure say what the standard scaling and μP do; a bad list of widths is refused."""
    write_two_scalings(folder)
    picture = good(folder, 'plot', '--figure', 'coordinate-check', '--widths', '16,32,64', '--format', 'svg', '-o', '-')
    for words in 'Coordinate check', 'Standard ', 'Scaled ', 'after 4 steps':
        assert words in picture, words
    for bad in '0,2', '4..2', 'wide':
        done = cli('plot', 'e.normscope', '--figure', 'coordinate-check', '--widths', bad, '-o', 'x.svg', folder=folder)
        assert done.returncode != 0 and 'allowed' in done.stderr, f'{bad}: {done.returncode} {done.stderr}'
        assert not os.path.exists(os.path.join(folder, 'x.svg')), bad
    done = cli('plot', 'e.normscope', '--figure', 'flow', '--widths', '16,32', '-o', 'x.svg', folder=folder)
    assert done.returncode != 0 and '--widths' in done.stderr, done.stderr


def the_numbers_of_a_coordinate_check(folder):
    """CSV, JSON and table have the same numbers; other formats and other widths are refused."""
    write_two_scalings(folder)
    options = ['train', '--coordinate-check', '--widths', '8,16,32']
    rows = list(csv.DictReader(io.StringIO(good(folder, *options, '--format', 'csv'))))
    tree = json.loads(good(folder, *options, '--format', 'json'))
    table = good(folder, *options)
    same(tree['format'], 'normscope-coordinate-check')
    places = {(size['quantity'], size['part'], size['layer']) for size in tree['variants'][0]['sizes']}
    assert ('rms_ffn', 'stack', 1) in places and ('rms_logits', 'head', 0) in places, places
    same(len(rows), 2 * len(places) * 3 * 5)
    values = {(variant['name'], size['quantity'], size['part'], size['layer'], v['d_model'], v['step']): v
              for variant in tree['variants'] for size in variant['sizes'] for v in size['values']}
    for row in rows:
        value = values[row['variant'], row['quantity'], row['part'], int(row['layer']), int(row['d_model']),
                       int(row['step'])]
        same(float(row['log10_mean']), value['log10_mean'])
        same((row['seeds'], value['seeds']), ('3', 3))
    for variant in tree['variants']:
        for size in variant['sizes']:
            place = variant['name'], size['quantity'], size['part'], size['layer']
            points = [values[*place, d, 4]['log10_mean'] for d in (8, 16, 32)]
            slope = (points[2] - points[0]) / math.log10(4)
            assert abs(size['exponent'] - slope) < 1e-9, (size['exponent'], slope)
        [worst] = [size for size in variant['sizes']
                   if all(size[key] == variant[key] for key in ('quantity', 'part', 'layer'))]
        same((worst['verdict'], worst['exponent']), (variant['verdict'], variant['exponent']))
        assert f"exponent {variant['exponent']:.2f} ± {variant['exponent_error']:.2f}\n{variant['quantity']}, " in table
        for value in worst['values']:
            assert f"{value['geometric_mean']:.4g}" in table, (value, table)
    for bad in ['--format', 'npy'], ['--per-seed'], ['--map'], ['--estimate'], ['--over', 'depth'], ['--widths', '9,8']:
        done = cli('train', 'e.normscope', *options[1:], *bad, folder=folder)
        assert done.returncode != 0 and 'allowed' in done.stderr, f'{bad}: {done.returncode} {done.stderr}'
    done = cli('train', 'e.normscope', '--widths', '8,16', folder=folder)
    assert done.returncode != 0 and '--coordinate-check' in done.stderr, done.stderr


def main():
    tap = Tap()
    for function in [a_cell_is_the_training_with_its_settings, every_format_has_the_same_numbers,
                     a_rate_that_overflows_is_a_cross, a_figure_is_drawn_with_its_sentence, a_coordinate_check_is_drawn,
                     the_numbers_of_a_coordinate_check,
                     an_interrupted_map_writes_what_there_is, bad_input_is_refused]:
        tap.run(function)
    print(f'1..{tap.count}')
    sys.exit(1 if tap.failed else 0)


if __name__ == '__main__':
    main()
