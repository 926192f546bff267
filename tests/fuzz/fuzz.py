#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Run a libFuzzer target for some seconds, starting from the files of some folders.

    fuzz.py [--planted] TARGET NAME DICTIONARY FOUND SECONDS FOLDER...

FOUND/NAME keeps inputs that cover more code than the folders; the next run starts from them, too. Inputs that break
the target are written to FOUND/NAME-crash-... and similar names. With --planted, the target has an error that must be
found.
"""

import base64
import glob
import os
import re
import shutil
import subprocess
import sys

MAX_BYTES = 8192
# Limits for one input: a reader that needs more time or memory for so few bytes has an error.
MAX_SECONDS = 5
MAX_MIB = 1024
# For one allocation, which includes what a compressed input expands to. fuzz.c compares the sum with the input's size.
MAX_MIB_AT_ONCE = 64
# Minimum number of new inputs, far below what any machine reaches. Detects a target that stops immediately.
MIN_RUNS = 50

PLANTED = sys.argv[1] == '--planted'
TARGET, NAME, DICTIONARY, FOUND, SECONDS, *FOLDERS = sys.argv[2 if PLANTED else 1:]
TESTS = ['reads-its-corpus', 'tries-inputs', 'finds-nothing' if not PLANTED else 'finds-the-planted-error']


def number(pattern, text):
    match = re.search(pattern, text)
    return int(match.group(1)) if match else 0


def fuzz():
    """Return status, output and the inputs that broke the target."""
    new = os.path.join(FOUND, NAME)
    prefix = os.path.join(FOUND, NAME + '-')
    if PLANTED:
        shutil.rmtree(new, ignore_errors=True)
    os.makedirs(new, exist_ok=True)
    for path in glob.glob(prefix + '*-*'):
        os.remove(path)
    command = [TARGET, '-seed=1', f'-max_total_time={SECONDS}', f'-max_len={MAX_BYTES}', f'-timeout={MAX_SECONDS}',
               f'-rss_limit_mb={MAX_MIB}', f'-malloc_limit_mb={MAX_MIB_AT_ONCE}', '-print_final_stats=1',
               f'-artifact_prefix={prefix}', f'-dict={DICTIONARY}']
    env = {**os.environ, 'G_SLICE': 'always-malloc', 'G_DEBUG': 'gc-friendly'}
    done = subprocess.run([*command, new, *FOLDERS], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=env,
                          check=False, timeout=20 * int(SECONDS) + 60)
    return done.returncode, done.stderr.decode('utf-8', 'replace'), sorted(glob.glob(prefix + '*-*'))


def report(text, broken):
    # Leave out the progress on the corpus, which is long and does not explain the error.
    print('\n'.join(line for line in text.splitlines() if not re.match(r'#\d+\s+(NEW|REDUCE|pulse)', line)),
          file=sys.stderr)
    for path in broken:
        with open(path, 'rb') as file:
            data = file.read()
        print(f'{path}: {len(data)} bytes, in base64: {base64.b64encode(data).decode()}', file=sys.stderr)


def main():
    status, text, broken = fuzz()
    # libFuzzer skips empty files, since it always tries the empty input.
    files = sum(1 for folder in FOLDERS for entry in os.scandir(folder) if entry.stat().st_size > 0)
    read = number(r'INFO: seed corpus: files: (\d+)', text)
    runs = number(r'stat::number_of_executed_units:\s*(\d+)', text)
    broke = status != 0 and bool(broken)
    good = [files > 3 and read >= files, PLANTED or runs >= read + MIN_RUNS, broke if PLANTED else status == 0]
    for count, (name, passed) in enumerate(zip(TESTS, good), 1):
        print(f'{"ok" if passed else "not ok"} {count} {name}')
    print(f'# {runs} inputs')
    print(f'1..{len(TESTS)}')
    if not all(good):
        print(f'{NAME}: status {status}, {read} of {files} files read, {runs} inputs tried', file=sys.stderr)
        report(text, broken)
    sys.exit(0 if all(good) else 1)


main()
