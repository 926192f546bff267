#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every reader of normscope-cli refuses pipes, devices and files that would cost much memory.

    readers.py NORMSCOPE-CLI
"""

import base64
import os
import resource
import signal
import socket
import struct
import subprocess
import sys
import zlib

from cli import TINY, Tap, cli, same
from hostile import as_ordinary_user, refused, sparse, write
from provenance import png

SECONDS = 60  # after which a command that waits for a pipe is killed
ONCE = [*TINY, '--seeds', '1', '--vocab', '256']


# ---- places where a file is read ----

def as_argument(*command):
    return lambda folder, name: [*command, os.path.join(folder, name)]


def as_input(folder, name):
    return ['run', *ONCE, '--text-file', os.path.join(folder, name)]


READERS = {
    'run': as_argument('run'), 'plot': as_argument('plot', '-o', 'x.png'), 'link': as_argument('link'),
    'expand': as_argument('link', '--expand'), 'scaling': as_argument('scaling'), 'verify': as_argument('verify'),
    'bench': as_argument('bench'), 'dump': as_argument('dump', '--variant', 'pre', '--out', 'd'),
    'script': as_argument('script', '--variant', 'pre', '--out', 'd'), 'text': as_input,
}


# ---- things that are no files ----

def fifo(path):
    os.mkfifo(path)


def link_to_fifo(path):
    os.mkfifo(path + '.fifo')
    os.symlink(path + '.fifo', path)


def unix_socket(path):
    with socket.socket(socket.AF_UNIX) as endpoint:
        endpoint.bind(path)


def link_to(target):
    return lambda path: os.symlink(target, path)


def loop(path):
    os.symlink(path, path)


def unreadable(path):
    write('/', path, 'precious')
    os.chmod(path, 0)


PLANTED = {
    'fifo': (fifo, 'it is a named pipe; allowed: a regular file'),
    'link-to-fifo': (link_to_fifo, 'it is a named pipe; allowed: a regular file'),
    'zero': (link_to('/dev/zero'), 'it is a device; allowed: a regular file'),
    'null': (link_to('/dev/null'), 'it is a device; allowed: a regular file'),
    'terminal': (link_to('/dev/ptmx'), 'it is a device; allowed: a regular file'),
    'socket': (unix_socket, 'it is a socket; allowed: a regular file'),
    'folder': (os.mkdir, 'it is a folder'),
    'dangling': (link_to('nowhere'), 'No such file or directory'),
    'loop': (loop, 'Too many levels of symbolic links'),
    'unreadable': (unreadable, 'Permission denied'),
}


def watched():
    """Kill a command that waits for ever, and take from root the right to read everything."""
    signal.alarm(SECONDS)
    as_ordinary_user()


def check_readers(tap):
    for kind, (plant, cause) in PLANTED.items():
        def reader(folder, plant=plant, cause=cause):
            plant(os.path.join(folder, 'planted'))
            for name, command in READERS.items():
                problem = refused(command(folder, 'planted'), 2, ['planted', cause], folder, prepare=watched)
                if problem:
                    return f'{name}: {problem}'
            return None
        reader.__name__ = 'reader/' + kind
        tap.run(reader)


def check_folders(tap):
    """Claims and presets in a folder: the planted one is left out with a warning, the others are read."""
    for kind, (plant, cause) in PLANTED.items():
        def claims(folder, plant=plant, cause=cause):
            plant(os.path.join(folder, 'planted.claim'))
            done = cli('scaling', *ONCE, '--depths', '1,2', '--claims-folder', folder, folder=folder,
                       preexec_fn=watched)
            same(done.returncode, 0, done.stderr)
            assert 'planted.claim' in done.stderr and cause in done.stderr, done.stderr
        claims.__name__ = 'claims/' + kind
        tap.run(claims)

        def presets(folder, plant=plant, cause=cause):
            place = os.path.join(folder, 'normscope', 'presets')
            os.makedirs(place)
            good = cli('presets', 'tiny').stdout
            write(place, 'good.normscope', good)
            plant(os.path.join(place, 'planted.normscope'))
            plant(os.path.join(place, 'presets.ini'))
            done = cli('presets', folder=folder, env={'XDG_DATA_HOME': folder}, preexec_fn=watched)
            same(done.returncode, 0, done.stderr)
            assert 'good' in done.stdout, done.stdout
            for name in ['planted.normscope', 'presets.ini']:
                assert any(name in line and cause in line for line in done.stderr.splitlines()), done.stderr
        presets.__name__ = 'presets/' + kind
        tap.run(presets)


def writer_stays_asleep(folder):
    """A program that waits to write into a pipe does not notice that somebody looked at it."""
    path = os.path.join(folder, 'planted')
    os.mkfifo(path)
    with subprocess.Popen(['sh', '-c', 'echo x > planted'], cwd=folder) as writer:
        problem = refused(['run', 'planted'], 2, ['planted', 'named pipe'], folder, prepare=watched)
        asleep = writer.poll() is None
        writer.kill()
    return problem or (None if asleep else 'the writer went on')


def standard_input_may_be_a_pipe(folder):
    same(cli('run', '-', *ONCE, folder=folder, stdin=cli('presets', 'tiny').stdout, preexec_fn=watched).returncode, 0)
    return refused(['run', '-'], 2, ['standard input', 'is empty'], folder, stdin='/dev/null', prepare=watched)


def given_pipe(args, command, folder):
    """Run the program with the output of a shell command in a pipe, as the shell does for <(…); "PIPE" is its name."""
    reading, writing = os.pipe()
    with subprocess.Popen(['sh', '-c', command], cwd=folder, stdout=writing, stderr=subprocess.DEVNULL):
        os.close(writing)
        done = cli(*(f'/dev/fd/{reading}' if arg == 'PIPE' else arg for arg in args), folder=folder,
                   pass_fds=[reading], preexec_fn=watched)
        os.close(reading)
    return done


def a_given_pipe_is_read(folder):
    """`run <(command)`: the same output as of the file."""
    write(folder, 'tiny', cli('presets', 'tiny').stdout)
    write(folder, 'config', '{"model_type": "gpt2", "n_embd": 16, "n_layer": 2, "n_head": 2, "vocab_size": 20}')
    write(folder, 'text', 'To be, or not to be, that is the question.')
    csv = ['--seeds', '1', '--format', 'csv', '--no-provenance']
    svg = ['-o', '-', '--format', 'svg', '--seeds', '1']
    for file, args in [('tiny', ['run', 'PIPE', *csv]), ('config', ['run', 'PIPE', '--seq-len', '4', *csv]),
                       ('tiny', ['link', 'PIPE']), ('text', ['run', *ONCE, '--text-file', 'PIPE', *csv]),
                       ('tiny', ['scaling', 'PIPE', '--depths', '1,2', *csv]), ('tiny', ['plot', 'PIPE', *svg]),
                       ('tiny', ['plot', *ONCE, '--reference', 'PIPE', *svg])]:
        done = cli(*(file if arg == 'PIPE' else arg for arg in args), folder=folder)
        piped = given_pipe(args, f'cat {file}', folder)
        same((piped.returncode, piped.stdout), (0, done.stdout), f'{args}: {piped.stderr}')
    done = given_pipe(['run', 'PIPE', '--weights', 'tiny'], 'cat config', folder)
    same(done.returncode, 2)
    assert '--weights' in done.stderr and 'config.json' in done.stderr, done.stderr


def a_given_pipe_has_the_limits_of_standard_input(folder):
    for args, command, word in [(['run', 'PIPE'], 'head -c 67108864 /dev/zero', '40 MiB'),
                                (['run', *ONCE, '--text-file', 'PIPE'], 'head -c 8388608 /dev/zero', '6 MiB'),
                                (['run', 'PIPE'], 'true', 'is empty')]:
        done = given_pipe(args, command, folder)
        same((done.returncode, done.stdout), (2, ''), done.stderr)
        assert '/dev/fd/' in done.stderr and word in done.stderr, done.stderr


# ---- sizes ----

# A refusal needs little more memory than starting the program; with sanitizers a multiple.
MORE_MIB = 60


def rest_mib():
    """Memory of a command that reads nothing."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    cli('presets', 'tiny')
    return max(before, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss) >> 10


def one_large_key(length, members):
    """One long key with many short ones below it: the paths of all keys take LENGTH times MEMBERS bytes."""
    return ('{"format": "normscope-experiment", "' + 'k' * length + '": {' +
            ','.join(f'"{i}": 0' for i in range(members)) + '}}').encode()


def with_experiment(data, more=0):
    """A picture of 26 kB, or of more if the chunk has padding that does not compress."""
    return png((b'iTXt', b'normscope:experiment\0\1\0\0\0' + zlib.compress(data, 9)),
               (b'tEXt', b'Comment\0' + os.urandom(more)))


def link_to_experiment(data):
    return b'normscope:1:' + base64.urlsafe_b64encode(zlib.compress(data, 9)).rstrip(b'=')


def svg(data):
    return b'<svg><metadata><normscope:experiment>' + data.replace(b'"', b'&quot;') + \
        b'</normscope:experiment></metadata></svg>'


LARGE_KEY = one_large_key(2400000, 10000)
VALUES = b'{"format": "normscope-experiment", "x": [' + b'0,' * 200000 + b'0]}'
MULTIPLIED = {
    'large-key.normscope': (LARGE_KEY, ['a key of 2400000 bytes is too long; allowed: up to 1024']),
    'large-key.png': (with_experiment(LARGE_KEY, 100000), ['decompressed data is too large']),
    'large-key-stored.png': (png((b'iTXt', b'normscope:experiment\0\0\0\0\0' + LARGE_KEY)), ['is too long']),
    'large-key.svg': (svg(LARGE_KEY), ['is too long']),
    'many-elements.svg': (b'<svg>' + b'<a/>' * 1000001 + b'</svg>', ['more than 1000000 elements']),
    'large-key.link': (link_to_experiment(one_large_key(600000, 10000)), ['a key of 600000 bytes is too long']),
    'large-key.json': (LARGE_KEY.replace(b'format', b'model_type'), ['is too long']),
    'many-values.normscope': (VALUES, ['too many values; allowed: 65536']),
    'many-values.link': (link_to_experiment(VALUES), ['too many values']),
    'many-values.png': (png((b'iTXt', b'normscope:experiment\0\0\0\0\0' + VALUES)), ['too many values']),
    'many-objects.json': (b'{"model_type": "gpt2", "x": [' + b'{},' * 200000 + b'0]}', ['too many values']),
}


def check_multiplied(tap):
    limit = rest_mib() + MORE_MIB
    for name, (data, words) in MULTIPLIED.items():
        def multiplied(folder, name=name, data=data, words=words):
            write(folder, name, data)
            return refused(['run', name], 2, [name, *words], folder, prepare=watched, max_mib=limit)
        multiplied.__name__ = 'multiplied/' + name
        tap.run(multiplied)

    def claim(folder):
        write(folder, 'x.claim', '[' + 'g' * 200000 + ']\n' + ''.join(f'{i}=1\n' for i in range(9000)))
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
        done = cli('scaling', *ONCE, '--depths', '1,2', '--claims-folder', folder, folder=folder, preexec_fn=watched)
        after = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
        assert 'x.claim' in done.stderr, done.stderr
        assert after <= max(before, limit << 10), f'{after >> 10} MiB'
    claim.__name__ = 'multiplied/x.claim'
    tap.run(claim)


# First bytes, size and limit of a file that must not be read as a whole.
TOO_LARGE = {
    'x.normscope': (b'{"format": "normscope-experiment", "loss": "', 60, '40 MiB for an experiment'),
    'blank.json': (b'   ', 60, '40 MiB for an experiment'),
    'x.png': (b'\x89PNG\r\n\x1a\n', 65, '64 MiB for a picture'),
    'x.svg': (b'<svg>', 65, '64 MiB for a picture'),
    'link.txt': (b'normscope:1:', 1, '128 KiB for a link'),
}


def check_too_large(tap):
    limit = rest_mib() + 8
    for name, (head, mebibytes, words) in TOO_LARGE.items():
        def too_large(folder, name=name, head=head, mebibytes=mebibytes, words=words):
            sparse(folder, name, head, mebibytes << 20)
            return refused(['run', name], 2, [name, 'is too large; allowed: up to ' + words], folder, prepare=watched,
                           max_mib=limit)
        too_large.__name__ = 'too-large/' + name
        tap.run(too_large)

    def text(folder):
        sparse(folder, 'x.txt', b'words ', 7 << 20)
        return refused(['run', *ONCE, '--text-file', 'x.txt'], 2, ['x.txt', '6 MiB for a text'], folder,
                       prepare=watched, max_mib=limit)
    text.__name__ = 'too-large/text'
    tap.run(text)

    def ids(folder):
        sparse(folder, 'x.npy', b'', 7 << 20)
        return refused(['run', *ONCE, '--ids', 'x.npy'], 2, ['x.npy', '6 MiB for ids of tokens'], folder,
                       prepare=watched, max_mib=limit)
    ids.__name__ = 'too-large/ids'
    tap.run(ids)

    def shards(folder):
        write(folder, 'config.json', b'{"model_type": "gpt2", "n_embd": 8, "n_layer": 1, "n_head": 1, "vocab_size": 9}')
        sparse(folder, 'x.index.json', b'{', 60 << 20)
        done = cli('run', 'config.json', '--weights', 'x.index.json', folder=folder, preexec_fn=watched)
        same((done.returncode, done.stdout), (2, ''), done.stderr)
        assert 'x.index.json is too large; allowed: up to 40 MiB for an index of shards' in done.stderr, done.stderr
    shards.__name__ = 'too-large/shards'
    tap.run(shards)

    def header(folder):
        write(folder, 'config.json', b'{"model_type": "gpt2", "n_embd": 8, "n_layer": 1, "n_head": 1, "vocab_size": 9}')
        sparse(folder, 'x.safetensors', struct.pack('<Q', 50 << 20) + b'{', 60 << 20)
        done = cli('run', 'config.json', '--weights', 'x.safetensors', folder=folder, preexec_fn=watched)
        same((done.returncode, done.stdout), (2, ''), done.stderr)
        assert 'the header is too large; allowed: up to 40 MiB for names of tensors' in done.stderr, done.stderr
    header.__name__ = 'too-large/header'
    tap.run(header)

    def config(folder):
        write(folder, 'config.json', b'{"model_type": "gpt2", "x": "' + b'a' * (5 << 20) + b'"}')
        return refused(['run', 'config.json'], 2, ['config.json', '4 MiB for a model’s config'], folder,
                       prepare=watched)
    config.__name__ = 'too-large/config'
    tap.run(config)

    def listed(folder):
        place = os.path.join(folder, 'normscope', 'presets')
        os.makedirs(place)
        sparse(place, 'presets.ini', b'[x]\nTitle=', 2 << 20)
        sparse(place, 'x.normscope', b'{', 60 << 20)
        done = cli('presets', folder=folder, env={'XDG_DATA_HOME': folder}, preexec_fn=watched)
        assert '1 MiB for a list' in done.stderr and '40 MiB for an experiment' in done.stderr, done.stderr
    listed.__name__ = 'too-large/presets'
    tap.run(listed)


def largest_text_is_kept(folder):
    """A text of the largest size, all of whose bytes need six in JSON, survives files and pictures."""
    text = '\x01' * (6 << 20)
    write(folder, 'text.txt', text)
    for name in ['x.png', 'x.svg']:
        done = cli('plot', *ONCE, '--text-file', 'text.txt', '-o', name, folder=folder)
        same(done.returncode, 0, done.stderr)
        done = cli('link', '--expand', name, folder=folder)
        same(done.returncode, 0, done.stderr)
        same(done.stdout.count('\\u0001'), len(text))
    write(folder, 'x.normscope', done.stdout)
    done = cli('link', '--expand', 'x.normscope', folder=folder)
    same(done.returncode, 0, done.stderr)
    write(folder, 'text.txt', text + 'x')
    return refused(['run', *ONCE, '--text-file', 'text.txt'], 2, ['text.txt', '6 MiB for a text'], folder)


def main():
    tap = Tap()
    check_readers(tap)
    check_folders(tap)
    for function in [writer_stays_asleep, standard_input_may_be_a_pipe, a_given_pipe_is_read,
                     a_given_pipe_has_the_limits_of_standard_input, largest_text_is_kept]:
        tap.run(function)
    check_multiplied(tap)
    check_too_large(tap)
    print(f'1..{tap.count}')
    sys.exit(1 if tap.failed else 0)


if __name__ == '__main__':
    main()
