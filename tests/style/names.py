#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Check that the .c files of a folder of src/ can be compiled as one unit, as -Dunity=on does.

A name that a .c file defines for itself (a static function or variable, an enumerator, a type, a macro) must not be
defined by another file of the same folder. Where another .c file has a local variable of that name, variables,
enumerators and typedefs would be shadowed and macros expanded: they must not occur there at all, except that only a
macro affects members. #undef at the end of a file makes a macro its own.
"""

import glob
import os
import re

from tap import ROOT, Planted, Tap

TOKEN = re.compile(r'(?P<blank>/\*.*?\*/|//[^\n]*|\s+|\\\n)|(?P<directive>#(?:\\\n|/\*.*?\*/|[^\n])*)|'
                   r'(?P<text>"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\')|(?P<name>[A-Za-z_]\w*)|(?P<number>\d[\w.]*)|'
                   r'(?P<sign>->|.)', re.S)
DIRECTIVE = re.compile(r'#\s*(define|undef)\s+(\w+)(\()?')
ATTRIBUTE = re.compile(r'__attribute__|_Alignas|G_GNUC_\w+')
TYPES = ('struct', 'union', 'enum')
# Macros of GLib that define names; those of classes contain the name of the class.
DEFINE = {'G_DEFINE_AUTOPTR_CLEANUP_FUNC': 0, 'G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC': 0, 'G_DEFINE_QUARK': 1}


class Source:
    """The names of a file.

    names: {(space, name): (kind, line)} at file scope; tags of types are a space of their own
    words, members: {word: line} of each word's first place; words before a parenthesis are in `calls`, too
    """

    def __init__(self, text):
        self.names, self.words, self.members, self.calls = {}, {}, {}, set()
        tokens, macros, line = [], {}, 1
        for match in TOKEN.finditer(text):
            kind, token = match.lastgroup, match.group()
            if kind == 'directive':
                found = DIRECTIVE.match(token)
                if found and found.group(1) == 'define':
                    macros[found.group(2)] = ('function-like macro' if found.group(3) else 'macro', line)
                elif found:
                    macros.pop(found.group(2), None)
            elif kind != 'blank':
                tokens.append((token, line))
            line += token.count('\n')
        for name, (kind, place) in macros.items():
            self.names['name', name] = kind, place
        self.tokens, self.ends = tokens, {}
        self.match_brackets()
        self.split()

    def match_brackets(self):
        """Fill ends, {index of a bracket: index of the one that closes it}."""
        opened = []
        for i, (token, line) in enumerate(self.tokens):
            if token in ('(', '[', '{'):
                opened.append(i)
            elif token in (')', ']', '}'):
                if not opened or self.tokens[opened[-1]][0] + token not in ('()', '[]', '{}'):
                    raise ValueError(f'line {line}: {token} closes nothing')
                self.ends[opened.pop()] = i
        if opened:
            raise ValueError(f'line {self.tokens[opened[-1]][1]}: a bracket is not closed')

    def split(self):
        """Split the file into declarations: lists of (token, line, index), without the contents of brackets."""
        i, declaration = 0, []
        while i < len(self.tokens):
            token, line = self.tokens[i]
            end = self.ends.get(i, i)
            heads = [head for head, _, _ in declaration]
            is_macro = token == '(' and len(heads) == 1 and heads[0].isupper()
            is_type = token == '{' and '=' not in heads and any(word in TYPES for word in heads[-2:])
            if is_type and 'enum' in heads[-2:]:
                self.add_enumerators(i, end)
            self.count(i, end, is_type)
            if is_macro:
                if heads[0] in DEFINE:
                    self.names['name', f'{heads[0]} {self.tokens[i + 1][0]}'] = 'name of ' + heads[0], line
                declaration = []
            elif token == '(' and heads and ATTRIBUTE.fullmatch(heads[-1]):
                declaration.pop()
            elif token == '{' and '=' not in heads and not is_type:
                self.add_function(declaration)
                declaration = []
            elif token == ';':
                self.add_declarators(declaration)
                declaration = []
            else:
                declaration.append((token, line, i))
            i = end + 1

    def count(self, start, end, is_type):
        for i in range(start, end + 1):
            token, line = self.tokens[i]
            if token[0].isalpha() or token[0] == '_':
                is_member = is_type or i > 0 and self.tokens[i - 1][0] in ('.', '->')
                (self.members if is_member else self.words).setdefault(token, line)
                if i + 1 < len(self.tokens) and self.tokens[i + 1][0] == '(':
                    self.calls.add(token)

    def add_enumerators(self, start, end):
        is_first = True
        i = start + 1
        while i < end:
            token, line = self.tokens[i]
            if is_first and self.tokens[i + 1][0] != '(':  # a macro that lists them
                self.names['name', token] = 'enumerator', line
            is_first = token == ','
            i = self.ends.get(i, i) + 1

    def add_function(self, declaration):
        heads = [head for head, _, _ in declaration]
        if ('static' in heads or 'NS_INLINE' in heads) and '(' in heads:
            name, line, _ = declaration[heads.index('(') - 1]
            self.names['name', name] = 'function', line

    def add_declarators(self, declaration):
        heads = [head for head, _, _ in declaration]
        for i, (head, line, _) in enumerate(declaration[:-2]):
            if head in TYPES and heads[i + 2] == '{':
                self.names['tag', heads[i + 1]] = head, line
        kind = 'typedef' if 'typedef' in heads else 'variable' if 'static' in heads else None
        starts = [0] + [i + 1 for i, head in enumerate(heads) if head == ','] + [len(heads) + 1]
        for start, end in zip(starts, starts[1:]):
            part = declaration[start:end - 1]
            part = part[:next((i for i, (head, _, _) in enumerate(part) if head == '='), len(part))]
            opened = next((index for head, _, index in part if head == '('), None)
            if opened is not None and self.tokens[opened + 1][0] == '*':  # a pointer to a function: (*name)
                part = self.tokens[opened:self.ends[opened]]
            elif opened is not None and kind == 'variable':
                continue  # the prototype of a function
            words = [(token, line) for token, line, *_ in part if token[0].isalpha() or token[0] == '_']
            if kind and words:
                self.names['name', words[-1][0]] = kind, words[-1][1]


def problems_of_folder(files):
    sources = {}
    for path, text in sorted(files.items()):
        try:
            sources[path] = Source(text)
        except ValueError as error:
            yield f'{path}: {error}'
    owners = {}
    # Headers first: a .c file must not define a name of its folder's headers.
    for path, source in sorted(sources.items(), key=lambda item: (not item[0].endswith('.h'), item[0])):
        for key, (kind, line) in source.names.items():
            if key in owners:
                first, first_kind, first_line = owners[key]
                yield f'{path}:{line}: the {kind} {key[1]} is also the {first_kind} of {first}:{first_line}'
            else:
                owners[key] = path, kind, line
    for (space, name), (owner, kind, line) in owners.items():
        if owner.endswith('.h') or space == 'tag' or kind == 'function':
            continue
        for path, source in sources.items():
            is_macro = 'macro' in kind and (kind == 'macro' or name in source.calls)
            if path == owner or (space, name) in source.names:
                continue
            place = (is_macro or path.endswith('.c') and 'macro' not in kind) and source.words.get(name)
            place = place or is_macro and source.members.get(name)
            if place:
                yield f'{path}:{place}: {name} is the {kind} of {owner}:{line}'


def name_problems(root):
    folders = {}
    for path in glob.glob(os.path.join(root, 'src', '**', '*.[ch]'), recursive=True):
        with open(path, encoding='utf-8') as file:
            folders.setdefault(os.path.dirname(path), {})[os.path.relpath(path, root)] = file.read()
    for folder in sorted(folders):
        yield from problems_of_folder(folders[folder])


# Each name is in two files of a folder, in the way that the key says.
BAD = {
    'parse': ('static int\nparse (int a)\n{\n  return a;\n}\n',
                 'static int\nparse (int a)\n{\n  return a;\n}\n'),
    'print': ('G_GNUC_PRINTF (1, 2)\nstatic void\nprint (const char *format, ...)\n{\n}\n',
                  'static void print (const char *format, ...) G_GNUC_PRINTF (1, 2);\nstatic void\n'
                  'print (const char *format, ...)\n{\n}\n'),
    'add': ('NS_AVX512 NS_INLINE void\nadd (int a)\n{\n}\n', 'NS_INLINE void\nadd (int a)\n{\n}\n'),
    'table': ('static const struct\n{\n  int a;\n} table[] = { { 1 } };\n', 'static int *other, table[2];\n'),
    'callback': ('static int (*const callback) (int);\n', 'static int (*callback) (int);\n'),
    'PROP_0': ('enum { PROP_0, N = sizeof (int) };\n', 'typedef enum\n{\n  FIRST = 1 << 2,\n  PROP_0\n} Kind;\n'),
    'Job': ('typedef struct\n{\n  int a;\n} Job;\n', 'typedef struct Work Job;\n'),
    'Callback': ('typedef int (*Callback) (int);\n', 'typedef int (*Callback) (void);\n'),
    'Node': ('struct Node\n{\n  int a;\n};\n', 'typedef struct Node\n{\n  int b;\n} Other;\n'),
    'LIMIT': ('#define LIMIT 3\n', '# define LIMIT(x) \\\n  (x)\n'),
    'G_DEFINE_QUARK quark': ('G_DEFINE_QUARK (quark, f)\n', 'G_DEFINE_QUARK (quark, g)\n'),
    'shadowed': ('static int shadowed;\n', 'void\nf (void)\n{\n  int shadowed = 1;\n}\n'),
    'SHADOWED': ('enum\n{\n  SHADOWED\n};\n', 'void\nf (int SHADOWED)\n{\n}\n'),
    'Shadowed': ('typedef int Shadowed;\n', 'void\nf (void)\n{\n  int Shadowed = 1;\n}\n'),
    'C': ('#define C 3\n', 'int\nf (NsPlan *plan)\n{\n  return plan->C;\n}\n'),
    'CALL': ('#define CALL(x) x\n', 'int\nf (int x)\n{\n  return CALL (x);\n}\n'),
    'shared': ('static int shared;\n', 'static int\nshared (void)\n{\n  return 1;\n}\n'),
}
GOOD = {
    'src/a/a.c': '#define D 3\nstatic int table[D];\n#undef D\nstatic int\nparse_a (int mine)\n{\n  return mine;\n}\n'
                 '#define CALL(x) x\nstruct A\n{\n  int field;\n};\n',
    'src/a/b.c': '#define D 4\n#undef D\nstatic int parse_b (int field);\nstatic int\nparse_b (int field)\n{\n'
                 '  int parse_a = a.table, D = CALL; /* table */\n  return parse_a + "table"[0];\n}\n',
    'src/b/a.c': 'static int table;\nint main (void)\n{\n}\n',
    'src/b/b/a.c': 'static int table;\nint main (void)\n{\n}\n',
}


def main():
    tap = Tap()
    with Planted({f'src/{i}/{file}.c': text for i, texts in enumerate(BAD.values()) for file, text in
                  zip('ab', texts)}) as folder:
        found = list(name_problems(folder))
        for i, name in enumerate(BAD):
            tap.rejects('names/planted-' + name.replace(' ', '-'), [line for line in found if f'src/{i}/b.c' in line],
                        f' {name} is ')
    with Planted({'src/a.h': '#define LIMIT 3\n', 'src/a.c': '#define LIMIT 4\n', 'src/b.c': 'int a[2;\n'}) as folder:
        tap.rejects('names/planted-header', name_problems(folder), 'src/a.c:1: the macro LIMIT', 'src/b.c: line 1')
    with Planted(GOOD) as folder:
        tap.check('names/allowed', name_problems(folder))
    tap.check('names/src', name_problems(ROOT))
    tap.done()


main()
