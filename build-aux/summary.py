#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Count the subtests in Meson's test logs (testlog*.json); the last line has the totals.

    summary.py [--step=passed|failed|skipped:NAME:WHY ...] LOG ...

Exit with status 1 if anything failed or nothing passed.
"""

import json
import os
import re
import sys

LINE = re.compile(r'^(not )?ok\b[ \t]*\d*[ \t]*-?[ \t]*([^#]*?)[ \t]*(?:#[ \t]*(\w+)[ \t]*(.*))?$')
PLAN = re.compile(r'^1\.\.(\d+)(?:[ \t]*#[ \t]*SKIP\w*[ \t]*(.*))?$', re.I)
GOOD = {'OK', 'EXPECTEDFAIL'}


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


def outcomes(log):
    folder = os.path.basename(os.path.dirname(os.path.dirname(os.path.abspath(log))))
    with open(log, encoding='utf-8', errors='replace') as file:
        tests = [json.loads(line) for line in file if line.strip()]
    for test in tests:
        title = f'{folder}: {test["name"]}'
        subtests = read_tap(test.get('stdout') or '') or []
        for outcome, name, why in subtests:
            yield outcome, f'{title} {name}'.strip(), why
        if test['result'] == 'SKIP' and not any(outcome == 'skipped' for outcome, *_ in subtests):
            yield 'skipped', title, 'no reason given'
        elif test['result'] not in GOOD | {'SKIP'} and not any(outcome == 'failed' for outcome, *_ in subtests):
            # A crash, a timeout or a broken plan has no line in the output.
            yield 'failed', title, f'{test["result"].lower()}, status {test.get("returncode")}'
        elif test['result'] in GOOD and not subtests:
            yield 'passed', title, ''


def main():
    counts = {'passed': 0, 'failed': 0, 'skipped': 0}
    lines = {'failed': [], 'skipped': []}
    for argument in sys.argv[1:]:
        found = [argument[len('--step='):].split(':', 2)] if argument.startswith('--step=') else outcomes(argument)
        for outcome, name, why in found:
            counts[outcome] += 1
            if outcome != 'passed':
                lines[outcome].append(f'{outcome}: {name}' + (f': {why}' if why else ''))
    for line in lines['skipped'] + lines['failed']:
        print(line)
    print(f'{counts["passed"]} passed, {counts["failed"]} failed, {counts["skipped"]} skipped')
    sys.exit(1 if counts['failed'] or not counts['passed'] else 0)


main()
