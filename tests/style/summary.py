#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Test the summary of `check`, which must not miss a failure."""

import json
import os
import subprocess
import sys

from tap import ROOT, Planted, Tap

SUMMARY = os.path.join(ROOT, 'build-aux', 'summary.py')


def counts_of(tests, *steps):
    """Run summary.py on these tests. Return the status, the last line and the lines before it."""
    text = ''.join(json.dumps({'name': name, 'result': result, 'returncode': 1, 'stdout': out}) + '\n'
                   for name, result, out in tests)
    with Planted({'build/meson-logs/testlog.json': text}) as folder:
        done = subprocess.run([sys.executable, SUMMARY, *steps, folder + '/build/meson-logs/testlog.json'],
                              capture_output=True, text=True, check=False)
    lines = done.stdout.splitlines() or ['']
    return done.returncode, lines[-1], lines[:-1]


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
        ('nothing', [], (1, '0 passed, 0 failed, 0 skipped')),
    ]
    for name, tests, wanted in cases:
        status, last, _ = counts_of(tests)
        tap.check('summary/' + name, [] if (status, last) == wanted else [f'{(status, last)} instead of {wanted}'])
    _, _, lines = counts_of([('a', 'SKIP', '1..0 # SKIP no display\n')], '--step=failed:setup:no compiler')
    wanted = ['skipped: build: a: no display', 'failed: setup: no compiler']
    tap.check('summary/reasons', [] if lines == wanted else [f'{lines} instead of {wanted}'])
    tap.done()


main()
