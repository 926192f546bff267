#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Release a version: set it everywhere, run every test, commit, and make the tag. Nothing leaves this machine.

    release.py VERSION [--dry-run] [--no-check]

The texts come first, in a commit of their own: the section "## [VERSION] - Unreleased" of CHANGELOG.md, and a <release>
in the metainfo, whose date is that of the plan. CONTRIBUTING.md has the recipe.

--dry-run: only show what would be done.
--no-check: leave out ./check, for a trial.
"""

import argparse
import datetime
import difflib
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
METAINFO = 'data/org.normscope.Normscope.metainfo.xml.in'
# The places of the version and of its date. In the last two people write; the newest release is the first one.
PLACES = {
    'meson.build': r"^  version: '(?P<version>[^']+)'",
    'src/python/normscope/_version.py': r"^RELEASE = '(?P<version>[^']+)'",
    'CITATION.cff': r'^version: (?P<version>\S+)\ndate-released: (?P<date>\S+)$',
    'CHANGELOG.md': r'^## \[(?P<version>\d[^]]*)\] - (?P<date>\S+)$',
    METAINFO: r'<release version="(?P<version>[^"]+)" date="(?P<date>[^"]+)"',
}
TEXTS = ['CHANGELOG.md', METAINFO]


def read(name):
    with open(os.path.join(ROOT, name), encoding='utf-8') as file:
        return file.read()


def find(reader):
    """Return the groups of each place; empty where there is no version."""
    found = {name: re.search(pattern, reader(name), re.M) for name, pattern in PLACES.items()}
    return {name: match.groupdict() if match else {} for name, match in found.items()}


def problems(reader):
    """Yield the places that differ from meson.build. Both texts may be those of the next release."""
    found = find(reader)
    version, date = found['meson.build'].get('version'), found['CITATION.cff'].get('date')
    if found['CHANGELOG.md'].get('date') == 'Unreleased':
        text_version, text_date = found['CHANGELOG.md']['version'], None
    else:
        text_version, text_date = version, date
    for name, place in found.items():
        wanted, wanted_date = (text_version, text_date) if name in TEXTS else (version, date)
        if place.get('version') is None or place['version'] != wanted:
            yield f'{name}: the newest version is {place.get("version")} instead of {wanted}'
        elif 'date' in place and wanted_date and place['date'] != wanted_date:
            yield f'{name}: the date of {wanted} is {place["date"]} instead of {wanted_date}'


def change(text, pattern, values):
    """Return the text with other values of the pattern's groups."""
    match = re.search(pattern, text, re.M)
    for group in reversed(list(match.groupdict())):
        text = text[:match.start(group)] + values[group] + text[match.end(group):]
    return text


def git(*words):
    return subprocess.run(['git', *words], cwd=ROOT, check=True, capture_output=True, text=True).stdout.strip()


def numbers(version):
    return [int(word) for word in version.split('.')]


def refusal(version):
    """Return why the version cannot be released, or None."""
    if not re.fullmatch(r'(0|[1-9]\d*)(\.(0|[1-9]\d*)){2}', version):
        return f'The version {version} is not three numbers, such as 1.2.3.'
    if git('status', '--porcelain'):
        return 'There are changes that are not committed: commit them, or put them aside with "git stash -u".'
    found = find(read)
    current, tags = found['meson.build']['version'], git('tag', '--list', 'v[0-9]*').split()
    newest = max((tag[1:] for tag in tags if re.fullmatch(r'v\d+\.\d+\.\d+', tag)), key=numbers, default='0.0.0')
    if numbers(version) < numbers(current) or numbers(version) <= numbers(newest):
        return f'The version {version} is not greater: meson.build has {current}, the newest tag is v{newest}.'
    for name in TEXTS:
        if found[name].get('version') != version:
            return f'{name}: the newest version is {found[name].get("version")}; write the text of {version} first.'
    return '\n'.join(problems(read)) or None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('version')
    parser.add_argument('--dry-run', action='store_true')
    parser.add_argument('--no-check', action='store_true')
    options = parser.parse_args()
    version = options.version
    why = refusal(version)
    if why:
        sys.exit(why)
    values = {'version': version, 'date': datetime.date.today().isoformat()}
    for name, pattern in PLACES.items():
        old = read(name)
        new = change(old, pattern, values)
        for line in difflib.unified_diff(old.splitlines(), new.splitlines(), name, name, n=0, lineterm=''):
            print(line)
        if not options.dry_run:
            with open(os.path.join(ROOT, name), 'w', encoding='utf-8') as file:
                file.write(new)
    steps = [[os.path.join(ROOT, 'check')]] if not options.no_check else []
    if options.dry_run or git('status', '--porcelain'):
        steps.append(['git', 'commit', '--all', '--message', f'release: {version}'])
    steps.append(['git', 'tag', '--annotate', '--message', f'Normscope {version}', f'v{version}'])
    for step in steps:
        print('+', *step, flush=True)
        if not options.dry_run and subprocess.run(step, cwd=ROOT, check=False).returncode:
            sys.exit('This step failed. "git restore ." removes the changes that are not committed.')
    print(f'To publish it: git push origin HEAD v{version}')


if __name__ == '__main__':
    main()
