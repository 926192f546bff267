#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""normscope-cli plot --pin, --note, --arrow and --reference: what is drawn, and what is refused.

    marks.py NORMSCOPE-CLI
"""

import os
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
            (['--pin', '1'] * 33, 'pins: 33 of them')):
        done = cli(*PLOT, *TINY, *args, folder=folder)
        problem = problem_of_refusal(done, 2, [words])
        assert problem is None, f'{args}: {problem}'
        same(files_below(folder), [], f'{args}: ')


def main():
    tap = Tap()
    for function in [marks_are_drawn, references_are_drawn, refusals]:
        tap.run(function)
    print(f'1..{tap.count}')
    sys.exit(1 if tap.failed else 0)


if __name__ == '__main__':
    main()
