#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Check files that other programs read: translations, desktop file, metainfo, schema, MIME type, templates.

    texts.py BUILD
    texts.py --potfiles      print the contents of po/POTFILES.in
"""

import os
import re
import re
import shutil
import subprocess
import sys

from tap import ROOT, Planted, Tap, project_files, read

MARKED = re.compile(r'(?<![\w"])(?:_|N_|C_|NC_|Q_|ngettext|g_dngettext|g_dpgettext2?|pgettext|g_dgettext)\s*'
                    r'\(\s*(?:GETTEXT_PACKAGE,\s*)?"')
TEMPLATE_MARKED = re.compile(r'translatable="(?:yes|true|1)"|translatable=\'(?:yes|true|1)\'')


def run(*command):
    """Return the output of a command in a list if it fails, otherwise an empty list."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, cwd=ROOT)
    return [f'{" ".join(command)}: status {done.returncode}\n{done.stdout}'] if done.returncode else []


def is_marked(name, reader):
    if not name.startswith(('src/', 'ui/', 'data/')):
        return False
    if name.endswith(('.desktop.in', '.metainfo.xml.in', '.gschema.xml')):
        return True
    return bool(name.endswith(('.c', '.h')) and MARKED.search(reader(name)) or
                name.endswith('.ui') and TEMPLATE_MARKED.search(reader(name)))


KEYWORDS = ['--keyword=' + word for word in ('_', 'N_', 'C_:1c,2', 'NC_:1c,2', 'g_dcgettext:2', 'g_dngettext:2,3',
                                             'g_dpgettext2:2c,3')]


def extraction_problems(names, folder):
    """Return the warnings of xgettext. A macro such as G_GSIZE_FORMAT cuts off a string; %zu and PRId64 do not."""
    done = subprocess.run(['xgettext', '--from-code=UTF-8', '-o', os.devnull, '--flag=g_strdup_printf:1:c-format',
                           '--flag=g_set_error:4:c-format', '--flag=g_string_append_printf:2:c-format',
                           *KEYWORDS, *names],
                          capture_output=True, text=True, check=False, cwd=folder)
    return [done.stderr] if done.stderr or done.returncode else []


def untranslated(catalogue, names, folder):
    """Yield the strings of the files that a catalogue does not translate."""
    strings = os.path.join(folder, 'strings.pot')
    problems = run('xgettext', '--from-code=UTF-8', *KEYWORDS, '-o', strings, '-D', folder, '-D', ROOT, *names)
    if problems:
        yield from problems
        return
    merged = subprocess.run(['msgmerge', '-q', '--no-fuzzy-matching', '-o', '-', catalogue, strings],
                            capture_output=True, text=True, check=True).stdout
    missing = subprocess.run(['msgattrib', '--no-obsolete', '--untranslated', '--no-wrap', '-'], input=merged,
                             capture_output=True, text=True, check=True).stdout
    for text in re.findall(r'^msgid "(.+)"$', missing, re.M):
        yield f'{os.path.basename(catalogue)} does not translate “{text}”'


def potfiles_problems(listed, names, reader):
    for name in listed:
        if name not in names:
            yield f'po/POTFILES.in: {name} does not exist'
    for name in names:
        if name not in listed and is_marked(name, reader):
            yield f'{name} has strings to translate and is not in po/POTFILES.in'


def listed_in(path):
    return [line.strip() for line in read(path).splitlines() if line.strip() and not line.startswith('#')]


def check_translations(tap, names):
    planted = {'src/a.c': 'puts (_("words"));', 'ui/b.ui': '<property translatable="yes">words</property>'}
    tap.rejects('translations/planted', list(potfiles_problems(['src/gone.c'], sorted(planted), planted.get)),
                'src/gone.c does not exist', 'src/a.c has', 'ui/b.ui has')
    tap.check('translations/potfiles', potfiles_problems(listed_in('po/POTFILES.in'), names, read))

    if not shutil.which('msgfmt'):
        tap.skip('translations/msgfmt', 'msgfmt is not installed (gettext)')
        return
    bad = ('msgid ""\nmsgstr "Content-Type: text/plain; charset=UTF-8\\n"\n\n'
           '#, c-format\nmsgid "%d blocks"\nmsgstr "%s x"\n')
    with Planted({'bad.po': bad}) as folder:
        tap.rejects('translations/msgfmt-planted',
                    run('msgfmt', '--check-format', '-o', os.devnull, folder + '/bad.po'),
                    "format specifications in 'msgid' and 'msgstr'")
    bad = 'void f (void)\n{\n  g_set_error (e, q, 0, _("byte %" G_GSIZE_FORMAT " is wrong"), n);\n}\n'
    with Planted({'bad.c': bad}) as folder:
        tap.rejects('translations/xgettext-planted', extraction_problems(['bad.c'], folder), 'bad.c:3')
    tap.check('translations/xgettext', extraction_problems([name for name in names if is_marked(name, read)], ROOT))
    languages = ' '.join(listed_in('po/LINGUAS')).split()
    catalogues = [name for name in names if name.startswith('po/') and name.endswith('.po')]
    tap.check('translations/linguas', [f'po/LINGUAS and the .po files differ: {sorted(languages)} {catalogues}']
              if {f'po/{language}.po' for language in languages} != set(catalogues) else [])
    header = 'msgid ""\nmsgstr "Content-Type: text/plain; charset=UTF-8\\n"\n\n'
    with Planted({'bad.c': 'puts (_("new words"), _("old words"));\n',
                  'bad.po': header + 'msgid "old words"\nmsgstr "alte Worte"\n'}) as folder:
        tap.rejects('translations/complete-planted', list(untranslated(folder + '/bad.po', ['bad.c'], folder)),
                    'bad.po does not translate “new words”')
    for name in catalogues:
        tap.check('translations/' + name, run('msgfmt', '--check', '--check-accelerators=_', '-o', os.devnull, name))
        with Planted({}) as folder:
            tap.check('translations/complete/' + name,
                      untranslated(os.path.join(ROOT, name), listed_in('po/POTFILES.in'), folder))


# One word for each thing, see CONTRIBUTING. "Tokens" is a genitive only.
OTHER_WORDS = re.compile(r'(?<![-–])\b(Seeds?|Loss|Stream|Streams|Vorwärtsdurchlauf|Lernschrittweite)\b(?![-–:])'
                         r'|(?<!eines )(?<!des )(?<!jedes )\bTokens\b')


def other_words(catalogue):
    """Name the German strings that have another word for a thing."""
    text = open(catalogue, encoding='utf-8').read()
    for string in re.findall(r'^msgstr(?:\[\d\])? ((?:"(?:[^"\\]|\\.)*"\n?)+)', text, re.MULTILINE):
        words = ''.join(re.findall(r'"((?:[^"\\]|\\.)*)"', string))
        found = OTHER_WORDS.search(words)
        if found:
            yield f'“{found[0]}” in “{words[max(found.start() - 30, 0):found.end() + 30]}”'


def check_words(tap):
    with Planted({'bad.po': 'msgid "a"\nmsgstr "Die Tokens "\n"von 3 Seeds, die Länge eines Tokens"\n'}) as folder:
        tap.rejects('words/planted', list(other_words(folder + '/bad.po')), '“Tokens” in')
    tap.check('words/de.po', other_words(os.path.join(ROOT, 'po/de.po')))


def check_tool(tap, name, tool, package, good, bad_text, bad_name):
    """Run a validator on our files, and on a broken file that it must refuse."""
    if not shutil.which(tool[0]):
        tap.skip(name, f'{tool[0]} is not installed ({package})')
        return
    with Planted({bad_name: bad_text}) as folder:
        bad = folder if tool[0] == 'glib-compile-schemas' else os.path.join(folder, bad_name)
        tap.check(name + '-planted', [] if run(*tool, bad) else [f'{tool[0]} accepts a broken file'])
    for path in good:
        tap.check(f'{name}/{os.path.basename(path) or "data"}', run(*tool, path))


def main():
    names = project_files()
    if sys.argv[1] == '--potfiles':
        print('# Files with strings to translate, one per line. A test compares this list with the sources.')
        print('\n'.join(name for name in names if is_marked(name, read)))
        return
    tap = Tap()
    build = sys.argv[1]
    app = 'org.normscope.Normscope'
    check_translations(tap, names)
    check_words(tap)
    check_tool(tap, 'desktop-file', ['desktop-file-validate'], 'desktop-file-utils',
               [os.path.join(build, 'data', app + '.desktop')], '[Desktop Entry]\nType=Nothing\n', 'bad.desktop')
    check_tool(tap, 'metainfo', ['appstreamcli', 'validate', '--no-net'], 'appstream',
               [os.path.join(build, 'data', app + '.metainfo.xml')],
               '<component type="desktop-application"><id>x</id></component>\n', 'bad.metainfo.xml')
    check_tool(tap, 'schema', ['glib-compile-schemas', '--strict', '--dry-run'], 'libglib2.0-dev-bin',
               [os.path.join(ROOT, 'data')],
               '<schemalist><schema id="a"><key name="b" type="i"/></schema></schemalist>\n', 'bad.gschema.xml')
    xml = [name for name in names if name.endswith(('.ui', '.xml', '.svg'))]
    if not shutil.which('xmllint'):
        tap.skip('xml', 'xmllint is not installed (libxml2-utils)')
    else:
        with Planted({'bad.xml': '<a><b></a>\n'}) as folder:
            tap.check('xml-planted', [] if run('xmllint', '--noout', folder + '/bad.xml') else ['xmllint accepts it'])
        tap.check('xml', run('xmllint', '--noout', *xml))
    tap.done()


main()
