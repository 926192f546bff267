#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Check that every place has the same version, and try build-aux/release.py in a repository of its own."""

import datetime
import os
import shutil
import subprocess
import sys

from tap import ROOT, Planted, Tap, read

sys.path.insert(0, os.path.join(ROOT, 'build-aux'))
import release  # noqa: E402

ENVIRONMENT = {**os.environ, 'GIT_CONFIG_GLOBAL': os.devnull, 'GIT_CONFIG_NOSYSTEM': '1', 'LC_ALL': 'C',
               **{f'GIT_{who}_{what}': 'x' for who in ('AUTHOR', 'COMMITTER') for what in ('NAME', 'EMAIL')}}
CHECK = '#!/bin/sh\ngit status --short > check.log\n[ ! -e fail ]\n'


def places(version, date, next_text=None):
    """Return the files with the places of a version; next_text: the version and the date of newer texts."""
    text, text_date = next_text or (version, date)
    return {'meson.build': f"project('x', 'c',\n  version: '{version}',\n  meson_version: '>= 1.0.0')\n",
            'src/python/normscope/_version.py': f"RELEASE = '{version}'\n",
            'CITATION.cff': f'cff-version: 1.2.0\nversion: {version}\ndate-released: {date}\n',
            'CHANGELOG.md': f'## [Unreleased]\n\n## [{text}] - {text_date}\n\n## [0.1.0] - 2001-01-01\n',
            release.METAINFO: f'<release version="{text}" date="2002-02-02"/>\n<release version="0.1.0" date="x"/>\n'}


def check_places(tap):
    good = places('1.1.0', '2002-02-02')
    bad = {**good, 'CHANGELOG.md': '## [Unreleased]\n## [1.0.0] - 2002-02-02\n',
           'src/python/normscope/_version.py': "RELEASE = '1.0.1'\n",
           'CITATION.cff': 'version: 1.1\ndate-released: 2002-02-02\n', release.METAINFO: '<releases/>'}
    tap.rejects('version/planted', release.problems(bad.get), 'CHANGELOG.md: the newest version is 1.0.0',
                '_version.py: the newest version is 1.0.1', 'CITATION.cff: the newest version is 1.1 instead of 1.1.0',
                'metainfo.xml.in: the newest version is None')
    bad = {**good, 'CITATION.cff': places('1.1.0', 'x')['CITATION.cff']}
    tap.rejects('version/planted-dates', release.problems(bad.get),
                'CHANGELOG.md: the date of 1.1.0 is 2002-02-02', 'metainfo.xml.in: the date of 1.1.0 is 2002-02-02')
    ahead = places('1.1.0', '2002-02-02', ('1.2.0', 'Unreleased'))
    tap.check('version/texts-come-first', release.problems(ahead.get))
    tap.rejects('version/planted-texts',
                release.problems({**ahead, release.METAINFO: good[release.METAINFO]}.get),
                'metainfo.xml.in: the newest version is 1.1.0 instead of 1.2.0')
    tap.check('version', release.problems(read))


def run(folder, *command):
    """Return the status of a command, and all that it prints."""
    done = subprocess.run(command, cwd=folder, env=ENVIRONMENT, text=True, check=False, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)
    return done.returncode, done.stdout.strip()


def state_of(folder):
    return [run(folder, 'git', *words)[1] for words in (['status', '--short'], ['log', '--format=%s'], ['tag'])]


def commit(folder, files):
    for name, text in files.items():
        with open(os.path.join(folder, name), 'w', encoding='utf-8') as file:
            file.write(text)
    run(folder, 'git', 'add', '.')
    run(folder, 'git', 'commit', '-m', 'texts')


def attempt(folder, *arguments):
    return run(folder, sys.executable, '-B', 'build-aux/release.py', *arguments)


def refusals(folder):
    """Yield what is accepted and may not be, or changes the repository."""
    def refused(what, words, *arguments):
        before = state_of(folder)
        status, out = attempt(folder, *arguments)
        if status != 1 or words not in out or state_of(folder) != before:
            yield f'{what}: {status}, {out}, {state_of(folder)} after {before}'

    yield from refused('a version with two numbers', 'three numbers', '1.2')
    yield from refused('a lower version', 'not greater', '1.0.9')
    yield from refused('the version of a tag', 'not greater', '1.1.0')
    yield from refused('a version without texts', 'CHANGELOG.md: the newest version is 1.1.0', '1.2.0')
    commit(folder, {'CHANGELOG.md': places('1.1.0', '2002-02-02', ('1.2.0', 'Unreleased'))['CHANGELOG.md']})
    yield from refused('half of the texts', 'metainfo.xml.in: the newest version is 1.1.0', '1.2.0')
    commit(folder, places('1.1.0', '2002-02-02', ('1.2.0', 'Unreleased')))
    os.rename(os.path.join(folder, 'check'), os.path.join(folder, 'moved'))
    yield from refused('a changed tree', 'not committed', '1.2.0')
    os.rename(os.path.join(folder, 'moved'), os.path.join(folder, 'check'))


def trial(folder):
    """Yield what is wrong with a release of 1.2.0."""
    before = state_of(folder)
    status, out = attempt(folder, '1.2.0', '--dry-run')
    if status or state_of(folder) != before or "+  version: '1.2.0'," not in out or 'git tag' not in out:
        yield f'a dry run: {status}, {out}, {state_of(folder)} after {before}'
    commit(folder, {'fail': ''})
    status, out = attempt(folder, '1.2.0')
    if status != 1 or state_of(folder)[2] != 'v1.1.0' or 'version: 1.2.0' not in run(folder, 'cat', 'CITATION.cff')[1]:
        yield f'tests that fail: {status}, {out}, {state_of(folder)}'
    run(folder, 'git', 'restore', '.')
    run(folder, 'git', 'rm', '-q', 'fail')
    run(folder, 'git', 'commit', '-m', 'fixed')
    status, out = attempt(folder, '1.2.0')
    today = datetime.date.today().isoformat()
    found = release.find(lambda name: run(folder, 'cat', name)[1])
    kind = run(folder, 'git', 'cat-file', '-t', 'v1.2.0')[1]
    commit_of_tag = run(folder, 'git', 'show', '--name-only', '--format=%s', 'v1.2.0^{commit}')[1].split('\n')
    if (status, kind, commit_of_tag) != (0, 'tag', ['release: 1.2.0', '', *sorted(found)]):
        yield f'{status}, {out}, a {kind} of {commit_of_tag}'
    if any(place['version'] != '1.2.0' or place.get('date', today) != today for place in found.values()):
        yield f'the places: {found}'
    if len(run(folder, 'cat', 'check.log')[1].splitlines()) != len(found):
        yield 'the tests ran without the new version'
    if run(folder, 'build-aux/version.sh', '1.2.0') != (0, '1.2.0'):
        yield f'version.sh at the tag: {run(folder, "build-aux/version.sh", "1.2.0")}'


def check_release(tap):
    if not shutil.which('git'):
        tap.skip('release', 'git is not installed')
        return
    with Planted({**places('1.1.0', '2002-02-02'), 'check': CHECK, '.gitignore': 'check.log\n'}) as folder:
        os.chmod(os.path.join(folder, 'check'), 0o755)
        os.mkdir(os.path.join(folder, 'build-aux'))
        for name in ('release.py', 'version.sh'):
            shutil.copy(os.path.join(ROOT, 'build-aux', name), os.path.join(folder, 'build-aux'))
        run(folder, 'git', 'init', '-q')
        commit(folder, {})
        run(folder, 'git', 'tag', '-a', '-m', 'x', 'v1.1.0')
        tap.check('release/refusals', refusals(folder))
        tap.check('release/trial', trial(folder))


def main():
    tap = Tap()
    check_places(tap)
    check_release(tap)
    tap.done()


main()
