#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Test the summary of `check`, which must not miss a failure."""

import json
import os
import subprocess
import sys

from tap import ROOT, Planted, Tap

SUMMARY = os.path.join(ROOT, 'build-aux', 'summary.py')


def make_log(tests):
    return ''.join(json.dumps({'name': name, 'result': result, 'returncode': 1, 'stdout': out}) + '\n'
                   for name, result, out in tests)


def counts_of(tests, *steps, again=()):
    """Run summary.py on these tests. Return the status, the last line and the lines before it."""
    logs = {'build/meson-logs/testlog.json': make_log(tests), 'build/meson-logs/repeated.json': make_log(again)}
    with Planted(logs) as folder:
        steps = [step.replace('FOLDER', folder + '/build/meson-logs') for step in steps]
        # options stand between the logs, as in ./check
        done = subprocess.run([sys.executable, SUMMARY, folder + '/build/meson-logs/testlog.json', *steps, os.devnull],
                              capture_output=True, text=True, check=False)
    lines = done.stdout.splitlines() or ['']
    return done.returncode, lines[-1], lines[:-1]


def check_repeated(tap):
    """A test that passes when it is repeated counts, and is named; one that fails again is a failure."""
    live, other = 'normscope:live / app-a b', 'normscope:core / c'
    first = [(live, 'ERROR', '1..2\nok 1 /x\n'), (other, 'FAIL', '1..1\nnot ok 1 /y\n')]
    problems = []
    _, last, lines = counts_of(first, '--to-repeat=FOLDER/testlog.json')
    if [*lines, last] != ['app-a b']:
        problems.append(f'to be repeated: {[*lines, last]}')
    _, last, lines = counts_of([(f'{live}{i}', 'ERROR', '') for i in range(4)], '--to-repeat=FOLDER/testlog.json')
    if [*lines, last] != ['']:
        problems.append(f'four failures are repeated: {[*lines, last]}')
    status, last, lines = counts_of(first[:1], '--repeated=FOLDER/repeated.json',
                                    again=[(live, 'OK', '1..2\nok 1 /x\nok 2 /y\n')])
    if (status, last) != (0, '2 passed, 0 failed, 0 skipped') or not any('repeated' in line for line in lines):
        problems.append(f'passed when repeated: {status}, {lines}, {last}')
    status, last, _ = counts_of(first, '--repeated=FOLDER/repeated.json', again=first[:1])
    if (status, last) != (1, '1 passed, 2 failed, 0 skipped'):
        problems.append(f'failed again: {status}, {last}')
    tap.check('summary/repeated', problems)


def check_times(tap):
    """The slowest tests come first, and compiling is the time before the first test of each log."""
    with Planted({'build/meson-logs/testlog.json': ''.join(
            json.dumps({'name': name, 'result': 'OK', 'stdout': '', 'starttime': start, 'duration': seconds}) + '\n'
            for name, start, seconds in [('a', 130.0, 1.5), ('b', 140.0, 20.0)])}) as folder:
        command = [SUMMARY, '--compiling=10', '--total=160', f'100@{folder}/build/meson-logs/testlog.json']
        done = subprocess.run([sys.executable, *command], capture_output=True, text=True, check=False)
    lines = done.stdout.splitlines()
    problems = [] if [line.split()[-1] for line in lines[1:3]] == ['b', 'a'] else [f'slowest: {lines}']
    if 'Compiling took 40 s of 160 s, 25 %' not in done.stdout:
        problems.append(f'compiling: {lines}')
    tap.check('summary/times', problems)


def main():
    tap = Tap()
    cases = [
        ('all-pass', [('a', 'OK', 'ok 1 /x\nok 2 /y\n1..2\n'), ('b', 'OK', 'words\n')],
         (0, '3 passed, 0 failed, 0 skipped')),
        ('one-fails', [('a', 'FAIL', '1..2\nok 1 /x\nnot ok 2 /y\n')], (1, '1 passed, 1 failed, 0 skipped')),
        ('crash', [('a', 'ERROR', '1..3\nok 1 /x\n')], (1, '1 passed, 1 failed, 0 skipped')),
        ('timeout', [('a', 'TIMEOUT', '')], (1, '0 passed, 1 failed, 0 skipped')),
        ('skipped', [('a', 'SKIP', '1..0 # SKIP no display\n'), ('b', 'OK', 'ok 1 /x # SKIP why\nok 2 /y\n1..2\n')],
         (0, '1 passed, 0 failed, 2 skipped')),
        ('planted', [('a', 'EXPECTEDFAIL', '1..0\n'), ('b', 'EXPECTEDFAIL', '1..1\nnot ok 1 /x\n')],
         (0, '2 passed, 0 failed, 0 skipped')),
        ('nothing', [], (1, '0 passed, 0 failed, 0 skipped')),
    ]
    for name, tests, wanted in cases:
        status, last, _ = counts_of(tests)
        tap.check('summary/' + name, [] if (status, last) == wanted else [f'{(status, last)} instead of {wanted}'])
    _, _, lines = counts_of([('a', 'SKIP', '1..0 # SKIP no display\n')], '--step=failed:setup:no compiler')
    wanted = ['skipped: build: a: no display', 'failed: setup: no compiler']
    tap.check('summary/reasons', [] if lines == wanted else [f'{lines} instead of {wanted}'])
    check_repeated(tap)
    check_times(tap)
    tap.done()


main()
