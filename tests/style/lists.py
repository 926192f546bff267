#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Check that the build compiles every file of tests: one that no list names would be lost without a word.

    lists.py BUILD
"""

import json
import os
import re
import sys

from tap import ROOT, Tap, project_files

TEST = re.compile(r'tests/(\w+)/test-.*\.c')


def lost(names, compiled, rooms):
    """Yield the files of tests in these rooms that are not compiled."""
    for name in names:
        match = TEST.fullmatch(name)
        if match and match[1] in rooms and name not in compiled:
            yield f'{name}: no list in a meson.build names it'


def main():
    tap = Tap()
    with open(os.path.join(sys.argv[1], 'compile_commands.json'), encoding='utf-8') as file:
        compiled = {os.path.relpath(os.path.join(each['directory'], each['file']), ROOT) for each in json.load(file)}
    names = project_files()
    rooms = {match[1] for match in map(TEST.fullmatch, names) if match} - ({'app'} if 'no-app' in sys.argv else set())
    tap.rejects('lists/planted', lost(['tests/engine/test-planted.c'], compiled, rooms), 'test-planted.c')
    tap.check('lists/complete', lost(names, compiled, rooms))
    tap.done()


main()
