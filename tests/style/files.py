#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Check all files: sizes, licences, links between pages, and no paths of a particular machine."""

import os
import re

from tap import ROOT, Planted, Tap, project_files

MAX_LINES = 500
MAX_COLUMNS = 120
MAX_PROSE = 100
CODE = ('.c', '.h', '.py', '.sh', '.ui', '.css', 'meson.build', 'meson_options.txt')
TEXT = CODE + ('.md', '.in', '.xml', '.json', '.normscope', '.po', '.txt', 'run', 'check')
# Folders that exist on one machine only; a path of the system (/usr/bin, /proc) is fine.
MACHINE = re.compile(r'(?<![\w.$})>-])/(?:work|root|home|Users|tmp)/\w+')
LICENCE = 'SPDX-License-Identifier: GPL-3.0-or-later'
LINK = re.compile(r'\]\(([^)\s]+)\)')
CITED = re.compile(r'(docs/\w+\.md), "([^"]+)"')
# Words that mean "not done".
OPEN = re.compile(r'\b(?:TODO|FIXME|XXX|HACK)\b')
FAST_MATH = re.compile(r'^[^#]*(?:-ffast-math|-Ofast|-funsafe-math-optimizations|-ffinite-math-only)|'
                       r'(?:#pragma|attribute).*fast-math')


def lines_of(root, names):
    for name in names:
        try:
            with open(os.path.join(root, name), encoding='utf-8') as file:
                yield name, file.read().split('\n')
        except UnicodeDecodeError:
            continue


def sizes(root, names):
    for name, lines in lines_of(root, names):
        if name.startswith('src/') and name.endswith(('.c', '.h')) and len(lines) - 1 > MAX_LINES:
            yield f'{name}: {len(lines) - 1} lines, at most {MAX_LINES} are allowed'
        if name.endswith(('.c', '.h', '.py')):
            for number, line in enumerate(lines, 1):
                if len(line) > MAX_COLUMNS:
                    yield f'{name}:{number}: {len(line)} columns, at most {MAX_COLUMNS} are allowed'


def prose(root, names):
    """Check that prose is wrapped. Tables, code, pictures and generated parts may be wider."""
    for name, lines in lines_of(root, [name for name in names if name.endswith('.md') and '/' not in name
                                       or name.startswith('docs/') and name.endswith('.md')]):
        is_code = is_generated = False
        for number, line in enumerate(lines, 1):
            if line.startswith('```'):
                is_code = not is_code
            if line.startswith('<!-- '):
                is_generated = not is_generated
            if len(line) > MAX_PROSE and not (is_code or is_generated or line.startswith(('|', '    ', '!['))):
                yield f'{name}:{number}: {len(line)} columns, at most {MAX_PROSE} are allowed in prose'


def blanks(root, names):
    for name, lines in lines_of(root, [name for name in names if name.endswith(TEXT) and name != 'COPYING']):
        if name.endswith('.po'):
            continue
        for number, line in enumerate(lines, 1):
            if line != line.rstrip() and not name.endswith('.md'):
                yield f'{name}:{number}: trailing blanks'
            if '\t' in line and name.endswith(('.c', '.h', '.py', 'meson.build')):
                yield f'{name}:{number}: a tab'
        if lines[-1] != '':
            yield f'{name}: no newline at the end'


def licences(root, names):
    for name, lines in lines_of(root, [name for name in names if name.endswith(CODE)]):
        if any(line.strip() for line in lines) and LICENCE not in '\n'.join(lines[:12]):
            yield f'{name}: no "{LICENCE}" in its first lines'


def paths(root, names):
    for name, lines in lines_of(root, names):
        for number, line in enumerate(lines, 1):
            match = MACHINE.search(line)
            if match:
                yield f'{name}:{number}: a path of a particular machine: {match.group(0)}'


def leftovers(root, names):
    for name, lines in lines_of(root, [name for name in names if name.endswith(CODE)]):
        if name == 'tests/style/files.py':
            continue
        for number, line in enumerate(lines, 1):
            match = OPEN.search(line)
            if match:
                yield f'{name}:{number}: {match.group(0)} is left'


def fast_math(root, names):
    for name, lines in lines_of(root, [name for name in names if name.endswith(('.c', '.h', 'meson.build'))]):
        for number, line in enumerate(lines, 1):
            if FAST_MATH.search(line):
                yield f'{name}:{number}: this flag breaks NaN and Inf, which are valid results'


def outside_code(lines):
    is_code = False
    for number, line in enumerate(lines, 1):
        if line.startswith('```'):
            is_code = not is_code
        elif not is_code and not line.startswith('    '):
            yield number, line


def anchors(lines):
    """Return the names that links give to the headings of a page: lower case, hyphens, no punctuation."""
    headings = [line.lstrip('#').strip() for _, line in outside_code(lines) if line.startswith('#')]
    return {re.sub(r'[^\w -]', '', heading.lower()).replace(' ', '-') for heading in headings}


def links(root, names):
    """Check relative links of pages, and sections that sources cite as docs/PAGE.md, "Section" or its first words."""
    pages = dict(lines_of(root, [name for name in names if name.endswith('.md')]))
    folders = {os.path.dirname(name) for name in names}
    for name, lines in pages.items():
        for number, line in outside_code(lines):
            for target in LINK.findall(re.sub(r'`[^`]*`', '', line)):
                path, _, anchor = target.partition('#')
                page = os.path.normpath(os.path.join(os.path.dirname(name), path)) if path else name
                if '://' in target:
                    continue
                if page not in names and page not in folders:
                    yield f'{name}:{number}: there is no {page}'
                elif anchor and anchor not in anchors(pages.get(page, [])):
                    yield f'{name}:{number}: {page} has no section #{anchor}'
    for name, lines in lines_of(root, [name for name in names if name.endswith(CODE)]):
        if name == 'tests/style/files.py':
            continue
        for number, line in enumerate(lines, 1):
            for page, section in CITED.findall(line):
                sections = [text.lstrip('#* ') for text in pages.get(page, []) if text.startswith(('#', '**'))]
                if not any(text.startswith(section) for text in sections):
                    yield f'{name}:{number}: {page} has no section "{section}"'


def main():
    tap = Tap()
    bad = {
        'src/a.c': '/* SPDX-License-Identifier: GPL-3.0-or-later */\n' + 'int a;\n' * 600,
        'src/b.c': 'int b; ' + '/* ' + 'x' * 150 + ' */\n\tint c; \n',
        'src/c.c': '/* SPDX-License-Identifier: GPL-3.0-or-later */\n/* ' + 'TO' + 'DO */\n'
                   + 'const char *p = "' + '/ho' + 'me/someone/x";\n',
        'docs/d.md': '| ' + 'x ' * 80 + '|\n' + 'word ' * 30 + '\n',
        'docs/e.md': '# First one\n```sh\n# no heading\n```\n[a](d.md) [b](#first-one) [c](../src/gone.c)\n'
                     '[d](#no-heading) `[e](gone.md)` [f](https://localhost/g) [h](d.md#part)\n',
        'src/d.c': '/* SPDX-License-Identifier: GPL-3.0-or-later */\n/* docs/e.md, "First" */\n'
                   '/* docs/e.md, "Second" */\n',
        'src/meson.build': '# SPDX-License-Identifier: GPL-3.0-or-later\nc_args: \'' + '-ffast' + '-math\'\n',
    }
    with Planted(bad) as folder:
        names = sorted(bad)
        tap.rejects('files/planted-sizes', sizes(folder, names), 'src/a.c: 601 lines', 'src/b.c:1')
        tap.rejects('files/planted-prose', prose(folder, names), 'docs/d.md:2')
        tap.rejects('files/planted-blanks', blanks(folder, names), 'src/b.c:2: trailing blanks', 'src/b.c:2: a tab')
        tap.rejects('files/planted-licences', licences(folder, names), 'src/b.c')
        tap.rejects('files/planted-paths', paths(folder, names), 'src/c.c:3')
        tap.rejects('files/planted-leftovers', leftovers(folder, names), 'src/c.c:2')
        problems = list(links(folder, names))
        tap.rejects('files/planted-links', problems, 'docs/e.md:5: there is no src/gone.c',
                    'docs/e.md:6: docs/e.md has no section #no-heading', 'docs/e.md:6: docs/d.md has no section #part',
                    'src/d.c:3: docs/e.md has no section "Second"')
        tap.check('files/planted-links-only', problems[4:])
        tap.rejects('files/planted-fast-math', fast_math(folder, names), 'src/meson.build:2')

    names = project_files()
    tap.check('files/found', [] if len(names) > 20 else ['too few files: ' + ' '.join(names)])
    for check in [sizes, prose, blanks, licences, paths, leftovers, fast_math, links]:
        tap.check('files/' + check.__name__.replace('_', '-'), check(ROOT, names))
    tap.done()


main()
