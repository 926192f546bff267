#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""normscope-cli plot --pin, --note, --arrow, --reference, --factor and --depths: what is drawn, and what is refused.

    marks.py NORMSCOPE-CLI
"""

import csv
import os
import re
import sys

from cli import TINY, Tap, cli, experiment, files_below, problem_of_refusal, same

PLOT = ['plot', '-o', 'x.svg', '--no-titles']


def draw(folder, *args):
    done = cli(*PLOT, *args, folder=folder)
    same((done.returncode, done.stdout, done.stderr), (0, '', ''), f'{args}: ')
    with open(os.path.join(folder, 'x.svg'), encoding='utf-8') as file:
        return file.read()


def marks_are_drawn(folder):
    plain = draw(folder, *TINY)
    same(draw(folder, *TINY), plain, 'a second time: ')
    for args in (['--pin', '1'], ['--pin', 'last'], ['--pin', '1:2'], ['--pin', 'rms_x@0'], ['--note', '1:falls'],
                 ['--note', 'Post-LN/w_2@1:x', '-q', 'w_2'], ['--arrow', '1'], ['--arrow', 'rms_x@2:up'],
                 ['--pin', '1', '--pin', '2', '--note', '1:a', '--note', '2:b']):
        assert draw(folder, *TINY, *args) != plain, f'{args} draws nothing'
    # A note on a quantity that is not shown waits.
    same(draw(folder, *TINY, '--note', 'w_1@1:x'), plain)
    # The axis of the decoder has blocks of its own.
    parts = [*TINY, '--stack', 'encoder-decoder']
    assert draw(folder, *parts, '--pin', '1') == draw(folder, *parts, '--pin', 'decoder:1')
    assert draw(folder, *parts, '--pin', '1') != draw(folder, *parts, '--pin', 'encoder:1')
    assert draw(folder, *parts, '--pin', 'encoder:1:decoder:2') != draw(folder, *parts, '--pin', 'encoder:1')


def references_are_drawn(folder):
    with open(os.path.join(folder, 'other.normscope'), 'w', encoding='utf-8') as file:
        file.write(experiment(variants=[{'name': 'Kept', 'attn': {'norm': 'sandwich'}}]))
    plain = draw(folder, *TINY)
    assert draw(folder, *TINY, '--reference', 'other.normscope') != plain
    twice = draw(folder, *TINY, '--reference', 'other.normscope', '--reference', 'other.normscope')
    assert twice != plain


def lines_and_depths_are_drawn(folder):
    editable = ['--text', 'editable', '--width', '1600']
    for args in ([], ['--stack', 'encoder-decoder'], ['--gradient-axis', 'linear']):
        assert 'per block' not in draw(folder, *TINY, *editable, *args)
        same(draw(folder, *TINY, *editable, *args, '--factor', '0.95').count('× 0.95 per block'), 1, f'{args}: ')
        picture = draw(folder, *TINY, *editable, *args, '--depths', '2,3,5')
        same([name for name in ('Pre-LN, 2', 'Pre-LN, 3', 'Pre-LN, 5', 'Post-LN, 2', 'Post-LN, 3', 'Post-LN, 5')
              if f'>{name}<' not in picture], [], f'{args}: ')
    same(draw(folder, *TINY, '--figure', 'depths'), draw(folder, *TINY, '--depths', '6,12,24,48'))
    # One depth is a run of that depth.
    done = cli('plot', '-o', 'x.svg', '--caption', *TINY, '--depths', '4', folder=folder)
    same((done.returncode, done.stderr), (0, ''))
    with open(os.path.join(folder, 'x.txt'), encoding='utf-8') as file:
        ratio = float(re.search(r'Pre-LN, last block relative to the first: ([\d.]+) at depth 4', file.read())[1])
    rows = cli('run', *TINY, '--depth', '4', '--quantity', 'block', '--format', 'csv', folder=folder).stdout
    found = {}
    for row in csv.DictReader(line for line in rows.splitlines() if not line.startswith('#')):
        if row['variant'] == 'Pre-LN' and row['quantity'] == 'block':
            found[row['layer']] = float(row['log10_mean'])
    assert abs(ratio / 10 ** (found['4'] - found['1']) - 1) < 6e-3, (ratio, found)


def refusals(folder):
    for args, words in (
            (['--pin', '9'], '--pin: "9" does not begin with a block'),
            (['--pin', ''], '--pin: the value is empty'),
            (['--pin', '-1'], '--pin: "-1"'),
            (['--pin', '1:2:1'], '--pin: "1:2:1"'),
            (['--pin', 'nothing@1'], '--pin: "nothing@1"'),
            (['--pin', '1:w_2@2'], '--pin: "1:w_2@2"'),
            (['--pin', 'encoder:1'], '--pin: "encoder:1"'),
            (['--note', 'x'], '--note: "x"'),
            (['--note', '1'], 'notes[0].text'),
            (['--note', '1:' + 'a' * 201], 'notes[0].text'),
            (['--note', '1:a\nb'], 'notes[0].text'),
            (['--arrow', '9:x'], '--arrow: "9:x"'),
            (['--reference', 'missing.normscope'], '--reference: '),
            (['--figure', 'wiring', '--pin', '1'], '--pin is not allowed with --figure wiring'),
            (['--factor', '0'], '--factor: “0” is not allowed; allowed: none, or a number from 0.0001 to 10000'),
            (['--depths', '3,2'], '--depths: “3,2” is not a list of points'),
            (['--depths', '0'], '--depths: “0” is not a list of points'),
            (['--depths', '2', '--figure', 'flow'], 'allowed: --figure scaling, depths'),
            (['--depths', '2', '--factor', '2'], '--factor is not allowed with --figure depths'),
            (['--pin', '1'] * 33, 'pins: 33 of them')):
        done = cli(*PLOT, *TINY, *args, folder=folder)
        problem = problem_of_refusal(done, 2, [words])
        assert problem is None, f'{args}: {problem}'
        same(files_below(folder), [], f'{args}: ')


def main():
    tap = Tap()
    for function in [marks_are_drawn, references_are_drawn, lines_and_depths_are_drawn, refusals]:
        tap.run(function)
    print(f'1..{tap.count}')
    sys.exit(1 if tap.failed else 0)


if __name__ == '__main__':
    main()
