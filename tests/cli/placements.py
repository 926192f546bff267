#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The page of help “Which placement when”: every sentence of its lists has a measurement that agrees.

    placements.py NORMSCOPE-CLI
"""

import os
import re
import shlex
import sys

from cli import Tap, cli, same

# Cards that tests/document/test-claim-trainings.c trains.
TRAINED = {'train-pre', 'train-post', 'train-post-warm-up'}


def read_bullets(folder):
    same(cli('help', '--markdown', '-o', 'guide.md', folder=folder).returncode, 0)
    with open(os.path.join(folder, 'guide.md'), encoding='utf-8') as file:
        page = re.search(r'<a id="topic-placements">.*?(?=<a id=)', file.read(), re.DOTALL)[0]
    found = [' '.join(each.split()) for each in re.findall(r'^- (.*?)(?=^- |^$|\Z)', page, re.MULTILINE | re.DOTALL)]
    assert len(found) >= 12, page
    return found


def every_sentence_has_a_measurement(folder):
    for bullet in read_bullets(folder):
        commands, cards = re.findall(r'`(normscope-cli [^`]*)`', bullet), re.findall(r'\(#claim-([^)]*)\)', bullet)
        assert commands or cards, f'no measurement: {bullet}'
        assert set(cards) <= TRAINED, f'no test trains {cards}'
        assert all('--expect' in command for command in commands), bullet


def every_command_finds_what_it_states(folder):
    """Of its expectations and as many that lie beside them, each command misses the latter alone."""
    for bullet in read_bullets(folder):
        for command in re.findall(r'`(normscope-cli [^`]*)`', bullet):
            words = shlex.split(command)
            same(words[:2], ['normscope-cli', 'scaling'])
            stated = [re.fullmatch(r'(\S+:\S+:)(-?[\d.]+)(±[\d.]+)', word) for word in words]
            beside = [f'--expect={each[1]}{float(each[2]) + 3:.2f}{each[3]}' for each in stated if each]
            done = cli(*words[1:], *beside, '-o', 'table.csv', folder=folder)
            missed = [each.replace('−', '-') for each in re.findall(r'misses the expected (\S+) ', done.stderr)]
            wanted = [f'{float(each[2]) + 3:.2f}' for each in stated if each]
            same((done.returncode, missed), (3, wanted), f'{command}: {done.stderr}')


def main():
    tap = Tap()
    for test in [every_sentence_has_a_measurement, every_command_finds_what_it_states]:
        tap.run(test)
    print(f'1..{tap.count}')
    sys.exit(1 if tap.failed else 0)


if __name__ == '__main__':
    main()
