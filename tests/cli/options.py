#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every option of every command refuses an empty value, and a list with an empty element, by its name.

    options.py NORMSCOPE-CLI

The options are those of the help pages, which the program makes from the tables that it parses with.
"""

import re
import sys

from cli import Tap, cli, same

# "  -o, --output FILE  Write to …", "      --depth N  …"
OPTION = re.compile(r'^  (?:-(\w), |    )--([a-z0-9-]+)(?: (\S+))?(?:  |$)', re.MULTILINE)
# The values of a list by the word for it in the help; each has an element, or the place of one.
LISTS = {
    'NAMES': ['{0},', ',{0}', '{0},,{1}', '{0}, ', ','],
    'POINTS': ['2,', ',2', '2,,4', ',', '..', '2..', '..4', '2..4:'],
    'KEY=POINTS': ['=', 'd_model=', '=8,16', 'd_model=8,', 'd_model=,8', 'd_model=8,,16'],
    'VARIANT': ['pre:', ':bias=on', 'pre:bias=on,', 'pre:,bias=on', 'pre:bias=on,,gated=on', 'pre:bias=', 'pre:=on'],
    'KEY=VALUE': ['=', 'shape.depth=', '=2'], 'A/B': ['/', 'post/', '/pre', 'post//pre'], 'I/N': ['/', '1/', '/2'],
    'X…': [',', '1,', ',1', '1,,2'], 'METRIC': ['@', '@last', 'w_2@', ':w_2@last'], 'NUMBER': [',', '1,'],
    'MARK': [':', ':3', '3:', '3:1:', '@3', 'w_2@', '/w_2@3:a'],
}
# What a command needs before it looks at another option, and what a message says that this option needs.
NEEDS = {'paths': ['--of', 'lengths'], 'plot': ['-o', 'x.png'], 'dump': ['--variant', '0', '--out', 'x'],
         'script': ['--variant', '0', '--out', 'x']}
NEEDED = re.compile(r'allowed:? (?:with )?(--[a-z-]+)(?: ([a-z-]+))?')


def commands():
    names = re.findall(r'^  ([a-z]+) .*', cli('--help').stdout, re.MULTILINE)
    assert len(names) > 10, names
    return names


def options(command):
    """Return (short name or '', long name, word for the value) of each option that takes a value."""
    found = [option for option in OPTION.findall(cli(command, '--help').stdout) if option[2]]
    assert found, f'{command} has no options'
    return found


def refused(args, name, short='', folder='/'):
    """Return a problem unless the command is a usage error in one line with the option's name, or its key."""
    done = cli(*args, folder=folder)
    names = f'--{name}' + (f'|-{short}\\b' if short else '') + '|[a-z_.]*' + name.replace('-', '[._-]') + ':'
    if done.returncode == 2 and not done.stdout and done.stderr.count('\n') == 1 \
            and re.search(f'^normscope-cli: .*({names})', done.stderr):
        return None
    return f'{args}: status {done.returncode}; {done.stdout[:100]}{done.stderr[:500]}'


def refused_in_context(command, name, value, folder):
    """Return a problem unless the value is refused; give the other options that are needed."""
    args = [command, f'--{name}', value, *NEEDS.get(command, [])]
    needed = NEEDED.search(cli(*args, folder=folder).stderr)
    more = [word for word in needed.groups() if word] if needed else []
    if more == ['--checkpoint']:
        more.append('x')
    return refused([*args, *more], 'depth' if value.startswith('shape.depth') else name, folder=folder)


def problems(found):
    bad = [problem for problem in found if problem]
    return f'{len(bad)} of them: ' + '\n'.join(bad[:40]) if bad else None


def empty_values(_):
    def each():
        for command in commands():
            for short, name, _ in options(command):
                yield refused([command, f'--{name}='], name)
                if command in ('plot', 'merge'):
                    yield refused([command, f'--{name}', ''], name)
                if short:
                    yield refused([command, f'-{short}', ''], name, short)
    return problems(list(each()))


def empty_arguments(_):
    def each():
        for command in commands():
            done = cli(command, '')
            if done.returncode != 2 or done.stdout or '“”' not in done.stderr or done.stderr.count('\n') != 1:
                yield f'{command}: status {done.returncode}; {done.stdout[:100]}{done.stderr[:500]}'
    return problems(list(each()))


def empty_elements(folder):
    seen = set()

    def each():
        for command in commands():
            for _, name, word in options(command):
                for value in LISTS.get(word, []):
                    seen.add(word)
                    if (name, value) in [('arrow', '3:'), ('arrow', '3:1:'), ('note', '3:1:')]:
                        continue  # the text of an arrow may be missing, and "1:" is one
                    yield refused_in_context(command, name, value.format('w_q', 'w_k'), folder)
    found = problems(list(each()))
    same(seen, set(LISTS))
    return found


def main():
    tap = Tap()
    for function in [empty_values, empty_arguments, empty_elements]:
        tap.run(function)
    print(f'1..{tap.count}')
    sys.exit(1 if tap.failed else 0)


if __name__ == '__main__':
    main()
