#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Count the subtests in Meson's test logs (testlog*.json), show the ends of what failed; the last line has the totals.

    summary.py [--step=passed|failed|skipped:NAME:WHY ...] [--repeated=LOG] LOG ...
    summary.py --to-repeat LOG

--repeated: the log of a second run of tests that failed; what passed in it counts as passed, and a line says so.
--to-repeat: print the names of the tests of the suite live that failed, or nothing if there are more than three.
Otherwise exit with status 1 if anything failed or nothing passed.
"""

import json
import os
import re
import sys

LINE = re.compile(r'^(not )?ok\b[ \t]*\d*[ \t]*-?[ \t]*([^#]*?)[ \t]*(?:#[ \t]*(\w+)[ \t]*(.*))?$')
PLAN = re.compile(r'^1\.\.(\d+)(?:[ \t]*#[ \t]*SKIP\w*[ \t]*(.*))?$', re.I)
GOOD = {'OK', 'EXPECTEDFAIL'}
N_LAST_LINES = 12
# Chance does not strike more tests in one run.
MAX_REPEATED = 3


def read_tap(output):
    """Return the subtests of TAP output as (outcome, name, reason); None if the output is not TAP."""
    found, planned = [], None
    for line in output.splitlines():
        plan = PLAN.match(line)
        if plan:
            planned = int(plan.group(1))
            if planned == 0:
                return [('skipped', '', plan.group(2) or 'no reason given')]
            continue
        result = LINE.match(line)
        if not result:
            continue
        bad, name, directive, why = result.groups()
        if directive and not bad:
            # A test with a directive counts as skipped even if it passed.
            found.append(('skipped', name, why or 'no reason given'))
        else:
            found.append(('failed' if bad else 'passed', name, ''))
    return found if planned is not None or found else None


def print_end(title, test):
    """Print the last lines of what a failed test has written."""
    for stream in 'stdout', 'stderr':
        lines = [line for line in (test.get(stream) or '').splitlines() if line and not line.startswith('ok ')]
        if lines:
            print(f'{title}, end of {stream}:')
            print(*(f'    {line[:300]}' for line in lines[-N_LAST_LINES:]), sep='\n')


def read_log(log):
    with open(log, encoding='utf-8', errors='replace') as file:
        return [json.loads(line) for line in file if line.strip()]


def get_folder(log):
    return os.path.basename(os.path.dirname(os.path.dirname(os.path.abspath(log))))


def is_failed(test):
    return test['result'] not in GOOD | {'SKIP'}


def print_to_repeat(log):
    names = [test['name'] for test in read_log(log)
             if is_failed(test) and test['name'].split(' / ')[0].endswith(':live')]
    for name in names if len(names) <= MAX_REPEATED else []:
        print(name.split(' / ', 1)[1])


def outcomes(log, repeated):
    """Yield (outcome, name, reason) of each subtest; repeated: tests that passed when they were repeated, by title."""
    for test in read_log(log):
        title = f'{get_folder(log)}: {test["name"]}'
        if is_failed(test):
            print_end(title, test)
            if title in repeated:
                print(f'{title} failed ({test["result"].lower()}) and passed when it was repeated')
                test = repeated[title]
        subtests = read_tap(test.get('stdout') or '') or []
        for outcome, name, why in subtests:
            yield outcome, f'{title} {name}'.strip(), why
        if test['result'] == 'SKIP' and not any(outcome == 'skipped' for outcome, *_ in subtests):
            yield 'skipped', title, 'no reason given'
        elif is_failed(test) and not any(outcome == 'failed' for outcome, *_ in subtests):
            # A crash, a timeout or a broken plan has no line in the output.
            yield 'failed', title, f'{test["result"].lower()}, status {test.get("returncode")}'
        elif test['result'] in GOOD and not subtests:
            yield 'passed', title, ''


def main():
    if sys.argv[1:2] == ['--to-repeat']:
        print_to_repeat(sys.argv[2])
        return
    counts = {'passed': 0, 'failed': 0, 'skipped': 0}
    lines = {'failed': [], 'skipped': []}
    arguments = [argument for argument in sys.argv[1:] if not argument.startswith('--repeated=')]
    again = [argument[len('--repeated='):] for argument in sys.argv[1:] if argument.startswith('--repeated=')]
    repeated = {f'{get_folder(log)}: {test["name"]}': test
                for log in again for test in read_log(log) if test['result'] in GOOD}
    for argument in arguments:
        is_step = argument.startswith('--step=')
        found = [argument[len('--step='):].split(':', 2)] if is_step else outcomes(argument, repeated)
        for outcome, name, why in found:
            counts[outcome] += 1
            if outcome != 'passed':
                lines[outcome].append(f'{outcome}: {name}' + (f': {why}' if why else ''))
    for line in lines['skipped'] + lines['failed']:
        print(line)
    print(f'{counts["passed"]} passed, {counts["failed"]} failed, {counts["skipped"]} skipped')
    sys.exit(1 if counts['failed'] or not counts['passed'] else 0)


main()
