#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Count the subtests in Meson's test logs (testlog*.json); show the ends of what failed, the slowest tests and the
share of compiling. The last line has the totals. Exit with status 1 if anything failed or nothing passed.
"""

import argparse
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
N_SLOWEST = 10


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
        # What a test that has to fail prints is not counted.
        subtests = [] if test['result'] == 'EXPECTEDFAIL' else read_tap(test.get('stdout') or '') or []
        for outcome, name, why in subtests:
            yield outcome, f'{title} {name}'.strip(), why
        if test['result'] == 'SKIP' and not any(outcome == 'skipped' for outcome, *_ in subtests):
            yield 'skipped', title, 'no reason given'
        elif is_failed(test) and not any(outcome == 'failed' for outcome, *_ in subtests):
            # A crash, a timeout or a broken plan has no line in the output.
            yield 'failed', title, f'{test["result"].lower()}, status {test.get("returncode")}'
        elif test['result'] in GOOD and not subtests:
            yield 'passed', title, ''


def print_times(logs, compiling, total):
    """Print the slowest tests and the share of compiling. logs: paths, and when Meson began to build or None."""
    tests = [(test['duration'], f'{get_folder(log)}: {test["name"]}')
             for log, _ in logs for test in read_log(log) if 'duration' in test]
    if tests:
        slowest = sorted(tests)[:-N_SLOWEST - 1:-1]
        print('The slowest tests:', *(f'{seconds:6.1f} s  {title}' for seconds, title in slowest), sep='\n')
    for log, began in logs:
        starts = [test['starttime'] for test in read_log(log) if 'starttime' in test]
        if began is not None and starts:
            compiling += min(starts) - began
    if total:
        one_by_one = sum(seconds for seconds, _ in tests)
        print(f'Compiling took {compiling:.0f} s of {total:.0f} s, {100 * compiling / total:.0f} %; '
              f'all tests one by one would take {one_by_one:.0f} s.')


def read_arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('logs', nargs='*', metavar='[SECONDS@]LOG', help='SECONDS: the time when Meson began to build')
    parser.add_argument('--to-repeat', metavar='LOG', help='print the names of the tests of the suite live that '
                        f'failed, or nothing if there are more than {MAX_REPEATED}')
    parser.add_argument('--repeated', metavar='LOG', action='append', default=[],
                        help='the log of a second run of tests that failed; what passed in it counts as passed')
    parser.add_argument('--step', metavar='OUTCOME:NAME:WHY', action='append', default=[],
                        help='a test that is not Meson\'s')
    parser.add_argument('--compiling', metavar='SECONDS', type=float, default=0, help='spent before the tests')
    parser.add_argument('--total', metavar='SECONDS', type=float, default=0, help='spent on everything')
    return parser.parse_intermixed_args()


def main():
    arguments = read_arguments()
    if arguments.to_repeat:
        print_to_repeat(arguments.to_repeat)
        return
    logs = [(log.split('@', 1)[1], float(log.split('@', 1)[0])) if re.match(r'[\d.]+@', log) else (log, None)
            for log in arguments.logs]
    repeated = {f'{get_folder(log)}: {test["name"]}': test
                for log in arguments.repeated for test in read_log(log) if test['result'] in GOOD}
    found = [step.split(':', 2) for step in arguments.step]
    for log, _ in logs:
        found += outcomes(log, repeated)
    counts = {'passed': 0, 'failed': 0, 'skipped': 0}
    lines = {'failed': [], 'skipped': []}
    for outcome, name, why in found:
        counts[outcome] += 1
        if outcome != 'passed':
            lines[outcome].append(f'{outcome}: {name}' + (f': {why}' if why else ''))
    print_times(logs, arguments.compiling, arguments.total)
    for line in lines['skipped'] + lines['failed']:
        print(line)
    print(f'{counts["passed"]} passed, {counts["failed"]} failed, {counts["skipped"]} skipped')
    sys.exit(1 if counts['failed'] or not counts['passed'] else 0)


main()
