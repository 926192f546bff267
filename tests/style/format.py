#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Check that the C sources follow .clang-format.

Line breaks and the alignment of tables and comments are free: clang-format runs without a column limit, which
keeps the existing breaks, and a run of blanks inside a line counts as one. Packed lists of enumerators are free,
too.
"""

import difflib
import os
import re
import shutil
import subprocess
import tempfile

from tap import ROOT, Planted, Tap, project_files

BLANKS = re.compile(r'(?<=\S)[ \t]+')
GETTEXT = re.compile(r'(?<!\w)([NCQ]?_) \(')
LITERAL = re.compile(r'(= |return |, |\()\((?:const )?\w+(?: \*)?(?:\[\])?\) \{')
BODY = re.compile(r'\b(if|else|for|while|do|switch|struct|union|enum)\b|^\{$|\) \{')
VALUE = r'[A-Z][A-Z0-9_]*( = [^,]+)?'
ENUM = re.compile(rf'^(typedef )?enum( \w+)? \{{.*\}}.*;|^\s+({VALUE}, )*{VALUE},?( /\*.*\*/)?$')


BAD = {
    'brace': 'static int\nf (int a) {\n  return a;\n}\n',
    'indent': 'static int\nf (int a)\n{\n   return a;\n}\n',
    'else': 'static int\nf (int a)\n{\n  if (a)\n    {\n      a++;\n    } else {\n      a--;\n    }\n  return a;\n}\n',
    'crowded': 'static int\nf (int a)\n{\n  a++; a++;\n  return a;\n}\n',
    'pointer': 'static int\nf (int* a)\n{\n  return *a;\n}\n',
    'return-type': 'static int f (int a)\n{\n  return a;\n}\n',
}


def normalized(text):
    # The style of GTK, which clang-format lacks: no blank after _ and a blank before { of a compound literal.
    return [GETTEXT.sub(r'\1(', BLANKS.sub(' ', line).replace('){', ') {')) for line in text.splitlines()]


def only_breaks_differ(old, new):
    """Return True if only free line breaks differ: in tables and chains of ?:, but not around the braces of a body."""
    joined, wanted = (' '.join(line.rstrip('\\').strip() for line in lines) for lines in [old, new])
    joined = LITERAL.sub(r'\1{', joined)
    if LITERAL.sub(r'\1{', wanted) != joined or BODY.search(joined) or re.match(r'[A-Za-z_]', (new or [''])[0]):
        return False
    crowded = any(';' in line.rstrip()[:-1] for line in old)
    return len(old) != len(new) and not crowded or joined[:1] in set(':?"')


def formatted(root, names, style):
    """Return each file as clang-format writes it. One process formats all: starting it takes longer than a file."""
    with tempfile.TemporaryDirectory(prefix='normscope-format-') as folder:
        for name in names:
            os.makedirs(os.path.dirname(os.path.join(folder, name)), exist_ok=True)
            shutil.copyfile(os.path.join(root, name), os.path.join(folder, name))
        if names:
            subprocess.run(['clang-format', '-i', f'--style=file:{style}', *names], cwd=folder, check=True)
        return {name: read_text(os.path.join(folder, name)) for name in names}


def read_text(path):
    with open(path, encoding='utf-8') as file:
        return file.read()


def problems_of(name, written, wanted):
    old, new = normalized(written), normalized(wanted)
    if old == new:
        return
    for tag, old_from, old_to, new_from, new_to in difflib.SequenceMatcher(None, old, new, False).get_opcodes():
        if tag == 'equal' or (old_from < old_to and all(ENUM.match(line) for line in old[old_from:old_to])):
            continue
        if old_to - old_from == 1 and old[old_from].startswith('G_DEFINE_QUARK '):
            continue  # clang-format reads the dashes in its argument as subtractions
        if old_to - old_from == 1 and 'G_GNUC_' in old[old_from - 1]:
            continue  # clang-format reads the name after an attribute as a continuation
        if only_breaks_differ(old[old_from:old_to], new[new_from:new_to]):
            continue
        is_at = '\n'.join(['  - ' + line for line in old[old_from:old_to]])
        wanted = '\n'.join(['  + ' + line for line in new[new_from:new_to]])
        yield f'{name}:{old_from + 1}: written (-), wanted (+)\n{is_at}\n{wanted}'


def problems_in(root, names, style):
    wanted = formatted(root, names, style)
    for name in names:
        yield from problems_of(name, read_text(os.path.join(root, name)), wanted[name])


def main():
    tap = Tap()
    if not shutil.which('clang-format'):
        tap.skip('format', 'clang-format is not installed')
        tap.done()
    version = subprocess.run(['clang-format', '--version'], capture_output=True, text=True, check=True).stdout
    if int(re.search(r'version (\d+)', version).group(1)) < 14:
        tap.skip('format', 'clang-format is older than 14')
        tap.done()

    with tempfile.NamedTemporaryFile('w', suffix='.clang-format') as style:
        with open(os.path.join(ROOT, '.clang-format'), encoding='utf-8') as file:
            style.write(re.sub(r'(?m)^ColumnLimit:.*', 'ColumnLimit: 0', file.read()))
        style.flush()

        good = ('static const int table[][2] = {\n  { 1, 2 }, { 3, 4 },\n  { 10, 20 },  { 30, 40 },\n};\n\n'
                'typedef enum { NS_A, NS_B } Kind;\n')
        with Planted({'good.c': good}) as folder:
            tap.check('format/table', problems_in(folder, ['good.c'], style.name))

        bad = 'static int\nf(int a)\n{\n    if(a){ return a ; }\n  return 0;\n}\n'
        with Planted({'bad.c': bad}) as folder:
            found = list(problems_in(folder, ['bad.c'], style.name))
            tap.rejects('format/planted', found, 'f (int a)', 'if (a)')
        with Planted({f'{name}.c': text for name, text in BAD.items()}) as folder:
            found = list(problems_in(folder, [f'{name}.c' for name in BAD], style.name))
            for name in BAD:
                tap.rejects('format/planted-' + name, found, f'{name}.c')

        sources = [name for name in project_files() if name.endswith(('.c', '.h'))]
        if not sources:
            tap.skip('format/sources', 'there are no C sources')
        rooms = {}
        for name in sources:
            rooms.setdefault('/'.join(name.split('/')[:2]), []).append(name)
        wanted = formatted(ROOT, sources, style.name)
        for room, names in sorted(rooms.items()):
            tap.check('format/' + room, [problem for name in names
                                         for problem in problems_of(name, read_text(os.path.join(ROOT, name)),
                                                                    wanted[name])])
    tap.done()


main()
