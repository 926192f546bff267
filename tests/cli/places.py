#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""No command writes over a file that it reads, under whatever name: the message names both, and nothing changes.

    places.py NORMSCOPE-CLI LECTURE

The commands and their options for files are those of the help pages.
"""

import json
import os
import shutil
import sys

from cli import TINY, Tap, cli, same
from hostile import contents
from options import commands, options
import weights

LECTURE = os.path.abspath(sys.argv[2])
ONCE = [*TINY, '--seeds', '1']
OUTPUTS = {'output', 'out', 'checkpoint', 'figures', 'handout'}
INPUTS = {'text-file', 'ids', 'weights', 'claims-folder', 'reference'}
FILES = {'FILE', 'FOLDER', 'DIR'}
# The arguments that a command needs besides an input and an output.
NEEDS = {'paths': ['--of', 'lengths'], 'plot': [], 'dump': ['--variant', '0'], 'script': ['--variant', '0'],
         'lecture': []}
# Commands that read no file.
READ_NOTHING = {'presets', 'help', 'bench'}


def refused(args, folder, *words):
    before = contents(folder)
    done = cli(*args, folder=folder)
    if done.returncode != 2 or done.stdout or done.stderr.count('\n') != 1 \
            or any(word not in done.stderr for word in ('which the command reads', *words)):
        return f'{args}: status {done.returncode}; {done.stdout[:100]}{done.stderr[:500]}'
    if contents(folder) != before:
        return f'{args}: files have changed'
    return None


def file_options(command):
    """Return the names of the options that take a file, as (outputs, inputs); each is known to this test."""
    names = {name for _, name, word in options(command) if word in FILES}
    assert names <= OUTPUTS | INPUTS, f'{command}: {names - OUTPUTS - INPUTS} are new'
    return sorted(names & OUTPUTS), sorted(names & INPUTS)


def put_names(folder):
    """Give a file and a folder other names: a link, a hard link, a path with dots, an absolute one."""
    with open(os.path.join(folder, 'in'), 'w', encoding='utf-8') as file:
        json.dump({'format': 'normscope-experiment', 'version': 1}, file)
    os.symlink('in', os.path.join(folder, 'link'))
    os.link(os.path.join(folder, 'in'), os.path.join(folder, 'hard'))
    os.mkdir(os.path.join(folder, 'sub'))
    return ['in', './in', 'sub/../in', 'link', 'hard', os.path.join(folder, 'in')]


def arguments(folder):
    """Every output of every command is refused when it is the file to read."""
    names = put_names(folder)
    for command in set(commands()) - READ_NOTHING:
        for output in file_options(command)[0]:
            for name in names:
                problem = refused([command, 'in', f'--{output}', name, *NEEDS.get(command, [])], folder, f'--{output}')
                if problem:
                    return problem
    return None


def input_options(folder):
    """The same of every option for a file to read."""
    names = put_names(folder)
    for command in commands():
        outputs, inputs = file_options(command)
        for output in outputs:
            for option in inputs:
                for name in names[2:5]:
                    problem = refused([command, f'--{option}', 'in', f'--{output}', name, *NEEDS.get(command, [])],
                                      folder, f'--{output}', f'--{option} in')
                    if problem:
                        return problem
    return None


def parts_of_a_folder(folder):
    """Weights of a folder or an index, claims of a folder; a result beside them can be written again and again."""
    weights.model(folder)
    file = os.path.join(folder, weights.FILE)
    os.rename(file, os.path.join(folder, 'model-00001.safetensors'))
    with open(file + '.index.json', 'w', encoding='utf-8') as index:
        json.dump({'weight_map': {name: 'model-00001.safetensors' for name, _ in weights.tensors()}}, index)
    shutil.copy(os.path.join(folder, 'config.json'), os.path.join(folder, 'x.claim'))
    os.symlink('.', os.path.join(folder, 'here'))
    for option, place in [('--weights', '.'), ('--weights', weights.FILE + '.index.json'), ('--weights', 'here'),
                          ('--claims-folder', '.')]:
        args = ['scaling' if option == '--claims-folder' else 'run', option, place]
        for output in ['x.claim', 'here/x.claim', 'model-00001.safetensors', weights.FILE + '.index.json']:
            problem = refused([*args, '--format', 'json', '-o', output], folder, '--output')
            if problem:
                return problem
    for _ in range(2):
        args = ['run', 'config.json', '--weights', '.', '--seeds', '1', '--seq-len', '4', '-o', 'x.json']
        same(cli(*args, folder=folder).returncode, 0)
    return None


def in_an_output_folder(folder):
    """A dump replaces its folder, and so the file in it."""
    same(cli('dump', *ONCE, '--variant', 'pre', '--out', 'd', folder=folder).returncode, 0)
    return refused(['dump', 'd/result.json', '--variant', '0', '--out', 'd'], folder, '--out d', 'd/result.json')


def two_outputs(folder):
    put_names(folder)
    for first, second in [('new', './new'), ('new', 'sub/../new'), ('in', 'hard')]:
        done = cli('run', *ONCE, '--checkpoint', first, '-o', second, folder=folder)
        same((done.returncode, done.stdout), (2, ''), done.stderr)
        assert 'writes there, too' in done.stderr, done.stderr
    same(sorted(os.listdir(folder)), ['hard', 'in', 'link', 'sub'])


def shards(folder):
    """merge keeps the checkpoints of the shards, and train the one from which it goes on."""
    names = [f'c.{i}-of-2' for i in (1, 2)]
    for i in '12':
        done = cli('run', *TINY, '--checkpoint', 'c', '--shard', i + '/2', folder=folder)
        same(done.returncode, 0, done.stderr)
    problem = refused(['merge', *names, '-o', names[1], '--format', 'json'], folder, '--output ' + names[1]) \
        or refused(['merge', *names, '--checkpoint', './' + names[0]], folder, '--checkpoint ./' + names[0])
    same(cli('merge', *names, '-o', 'all', folder=folder).returncode, 0)
    return problem


def good(folder):
    """Names of presets and pages are no files; an output can be written twice; /dev/null is none, either."""
    for _ in range(2):
        for args in [['presets', 'tiny', '-o', 'tiny'], ['help', 'quantity', '-o', 'quantity'],
                     ['run', 'tiny', '--seeds', '1', '-o', 'x.json'],
                     ['run', 'tiny', '--seeds', '1', '-o', '/dev/null'],
                     ['lecture', LECTURE, '--handout', 'l.pdf']]:
            done = cli(*args, folder=folder)
            same(done.returncode, 0, f'{args}: {done.stderr}')
    with open(os.path.join(folder, 'tiny'), encoding='utf-8') as source:
        done = cli('run', '-', '-o', 'x.json', stdin=source.read(), folder=folder)
    same(done.returncode, 0, done.stderr)


def main():
    tap = Tap()
    for function in [arguments, input_options, parts_of_a_folder, in_an_output_folder, two_outputs, shards, good]:
        tap.run(function)
    print(f'1..{tap.count}')
    sys.exit(1 if tap.failed else 0)


if __name__ == '__main__':
    main()
