#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Hostile input and unwritable output: normscope-cli prints a message and leaves every file unchanged.

    hostile.py NORMSCOPE-CLI
"""

import base64
import ctypes
import json
import os
import resource
import shutil
import stat
import struct
import subprocess
import sys
import tempfile
import time
import zlib

from cli import CLI, FORMAT, TINY, Skip, Tap, cli, limited, same
from provenance import experiment_chunk, png

# Limits far above what a refusal needs, even with sanitizers, and far below what the inputs ask for.
MAX_CPU_SECONDS = 20
MAX_MIB = 1024
# A file that is too large must not be read.
MAX_MIB_UNREAD = 60
ONCE = [*TINY, '--seeds', '1']
LECTURE = os.path.join(os.path.dirname(os.path.abspath(__file__)), '../lecture/lectures/everything.normscope-lecture')
FOLDERS = ('--out', '--figures')  # options for a folder to write
# Every command that writes files, and a name for its output.
WRITERS = [(['run', *ONCE, '-o'], 'x.json'), (['run', *ONCE, '-o'], 'x.csv'), (['run', *ONCE, '-o'], 'x.npy'),
           (['run', *ONCE, '-o'], 'x.txt'), (['plot', *ONCE, '-o'], 'x.png'), (['plot', *ONCE, '-o'], 'x.svg'),
           (['plot', *ONCE, '-o'], 'x.pdf'), (['dump', *ONCE, '--variant', 'pre', '--out'], 'x'),
           (['script', *ONCE, '--variant', 'pre', '--out'], 'z'), (['presets', 'default', '-o'], 'x.normscope'),
           (['scaling', *ONCE, '--depths', '1,2', '-o'], 'y.json'),
           (['lecture', LECTURE, '--handout'], 'l.pdf'), (['lecture', LECTURE, '--figures'], 'l')]


def contents(folder):
    """Map every path below the folder to its bytes, or to its size for a large file, or to its kind for no file."""
    found = {}
    for path, folders, names in os.walk(folder):
        for name in names + folders:
            place = os.path.join(path, name)
            info = os.lstat(place)
            is_file = stat.S_ISREG(info.st_mode) and os.access(place, os.R_OK)
            found[os.path.relpath(place, folder)] = info.st_size if is_file else info.st_mode
            if is_file and info.st_size <= 1 << 20:
                with open(place, 'rb') as file:
                    found[os.path.relpath(place, folder)] = file.read()
    return found


def refused(args, status, words, folder, stdin=None, prepare=None, max_mib=MAX_MIB):
    """Run the command and return a problem with its message, the files afterwards, time or memory; else None."""
    before = contents(folder)

    def begin():
        # Kill a process that does not end.
        resource.setrlimit(resource.RLIMIT_CPU, (2 * MAX_CPU_SECONDS, 2 * MAX_CPU_SECONDS))
        if prepare is not None:
            prepare()
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        with open(stdin or os.devnull, 'rb') as source, subprocess.Popen(
                [CLI, *args], cwd=folder, stdin=source, stdout=out, stderr=err, preexec_fn=begin) as process:
            _, ended, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(ended)
        out.seek(0)
        err.seek(0)
        printed, text = out.read(), err.read().decode()
    if process.returncode != status or printed:
        return f'{args}: status {process.returncode} instead of {status}; {printed[:100]}; {text[:1000]}'
    if any(word not in text for word in words) or text.count('\n') != 1 or len(text) > 2000:
        return f'{args}: {words} are not all in one line: {text[:1000]}'
    if contents(folder) != before:
        return f'{args}: {sorted(before)} became {sorted(contents(folder))}, or their contents changed'
    if usage.ru_utime + usage.ru_stime > MAX_CPU_SECONDS or usage.ru_maxrss > max_mib << 10:
        return f'{args}: {usage.ru_utime + usage.ru_stime} s, {usage.ru_maxrss >> 10} MiB'
    return None


def write(folder, name, data):
    with open(os.path.join(folder, name), 'wb') as file:
        file.write(data.encode() if isinstance(data, str) else data)


def put_old(folder, args, name):
    """Create an earlier output: a dump, or any file."""
    if args[-1] in FOLDERS:
        more = ['--width', '600'] if args[0] == 'lecture' else ['--depth', '1']
        same(cli(*args, name, *more, folder=folder).returncode, 0)
    else:
        write(folder, name, 'precious')


# ---- unwritable places ----

def drop_override():
    """Drop the capabilities that let root read and write anywhere."""
    libc = ctypes.CDLL(None, use_errno=True)
    for capability in (1, 2):  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH
        if libc.prctl(24, capability, 0, 0, 0) != 0:  # PR_CAPBSET_DROP
            raise OSError(ctypes.get_errno(), 'prctl')


def as_ordinary_user():
    if os.geteuid() == 0:
        drop_override()


def unwritable_folder(folder):
    try:
        subprocess.run(['true'], check=True, preexec_fn=as_ordinary_user)
    except subprocess.SubprocessError as error:
        raise Skip('root cannot drop its capabilities here') from error
    for args, name in WRITERS:
        for old in (False, True):
            with tempfile.TemporaryDirectory(dir=folder) as place:
                if old:
                    put_old(place, args, name)
                os.chmod(place, 0o555)
                try:
                    problem = refused([*args, name], 1, [name, 'Permission denied'], place, prepare=as_ordinary_user)
                finally:
                    os.chmod(place, 0o755)
                if problem:
                    return problem
    return None


def read_only_file(folder):
    for args, name in WRITERS:
        if args[-1] not in FOLDERS:
            put_old(folder, args, name)
            os.chmod(os.path.join(folder, name), 0o444)
            problem = refused([*args, name], 1, [name, 'Permission denied'], folder, prepare=as_ordinary_user)
            if problem:
                return problem
    return None


def disk_full_half_way(folder):
    """A limit on the file size stops a write half-way, like a full disk."""
    for args, name in WRITERS:
        for old in (False, True):
            with tempfile.TemporaryDirectory(dir=folder) as place:
                if old:
                    put_old(place, args, name)
                problem = refused([*args, name], 1, [name, 'cannot be written'], place, prepare=limited(300))
                if problem:
                    return problem
                # The same command succeeds without the limit.
                same(cli(*args, name, folder=place).returncode, 0)
    return None


def full_device(folder):
    if not os.path.exists('/dev/full'):
        raise Skip('there is no /dev/full')
    for args, name in WRITERS:
        form = os.path.splitext(name)[1][1:]
        more = ['--format', form] if args[0] in ('plot', 'scaling') or form in ('json', 'csv', 'npy') else []
        if args[-1] not in FOLDERS:
            problem = refused([*args, '/dev/full', *more], 1, ['/dev/full', 'No space left'], folder)
            if problem:
                return problem
    return None


# ---- concurrent and killed ----

def is_dump(path):
    with open(os.path.join(path, 'result.json'), encoding='utf-8') as file:
        layers = len(json.load(file)['variants'][0]['layers'])
    blocks = [name for name in os.listdir(path) if name.startswith('block')]
    return len(blocks) == layers and all(len(os.listdir(os.path.join(path, block))) == 6 for block in blocks)


def concurrent_dumps(folder):
    """Dumps of different depth into one folder all succeed; the last one stays, complete, and nothing else."""
    for old in (False, True):
        for _ in range(8):
            if not old and os.path.exists(os.path.join(folder, 'd')):
                shutil.rmtree(os.path.join(folder, 'd'))
            running = [subprocess.Popen([CLI, 'dump', *ONCE, '--depth', str(depth), '--variant', 'pre', '--out', 'd'],
                                        cwd=folder, stderr=subprocess.PIPE, text=True) for depth in range(1, 7)]
            texts = [process.communicate()[1] for process in running]
            for process, text in zip(running, texts):
                if process.returncode != 0:
                    return f'status {process.returncode}: {text}'
            same(os.listdir(folder), ['d'])
            if not is_dump(os.path.join(folder, 'd')):
                return f'incomplete or mixed: {contents(folder).keys()}'
    return None


def killed_dumps(folder):
    """The next dump removes what killed ones left, but not what others use and not a user's hidden folder."""
    mine = os.path.join(folder, '.d.backup')
    os.mkdir(mine)
    write(folder, '.d.backup/note.txt', 'precious')
    left = 0
    for i in range(20):
        before = set(os.listdir(folder))
        with subprocess.Popen([CLI, 'dump', *ONCE, '--depth', '400', '--variant', 'pre', '--out', 'd'], cwd=folder,
                              stderr=subprocess.DEVNULL) as process:
            while process.poll() is None and not set(os.listdir(folder)) - before:
                time.sleep(0.0005)
            time.sleep(0.0005 * i)
            process.kill()
        left += bool(set(os.listdir(folder)) - {'.d.backup', 'd'})
        # Another dump at the same time keeps its hidden folder.
        if i == 10:
            with subprocess.Popen([CLI, 'dump', *ONCE, '--depth', '1000', '--variant', 'pre', '--out', 'd'],
                                  cwd=folder) as slow:
                same(cli('dump', *ONCE, '--variant', 'pre', '--out', 'd', folder=folder).returncode, 0)
                same(slow.wait(), 0)
        if i % 5 == 0:
            same(cli('dump', *ONCE, '--variant', 'pre', '--out', 'd', folder=folder).returncode, 0)
            same(sorted(os.listdir(folder)), ['.d.backup', 'd'])
    same(cli('script', *ONCE, '--variant', 'pre', '--out', 'd', folder=folder).returncode, 0)
    same(sorted(os.listdir(folder)), ['.d.backup', 'd'])
    same(os.listdir(mine), ['note.txt'])
    assert left > 5, f'only {left} of 20 killed dumps left something: the test shows nothing'


# ---- names ----

def names(folder):
    write(folder, 'x', 'precious')
    for name in ['x', 'x.gif', 'x.', 'x.pngs', 'png']:
        problem = refused(['plot', *ONCE, '-o', name], 2, [name, '.png, .svg or .pdf'], folder)
        if problem:
            return problem
    for command, allowed in [('run', '.json, .csv, .npy, .txt'), ('scaling', '.json, .csv, .txt')]:
        for name in ['x.xlsx', 'y.jsn']:
            problem = refused([command, *ONCE, '-o', name], 2, [name, '.' + name.split('.')[1], allowed], folder)
            if problem:
                return problem
    for args, _ in WRITERS:
        problem = refused([*args, ''], 2, ['value is empty'], folder)
        if problem:
            return problem
    # A table needs no extension, and neither does an explicit format.
    for more, name in [([], 'table'), ([], 'run-0.5'), (['--format', 'json'], 'x.xlsx'), ([], 'x.JSON')]:
        same(cli('run', *ONCE, '-o', name, *more, folder=folder).returncode, 0)
        with open(os.path.join(folder, name), encoding='utf-8') as file:
            same(file.read(1) == '{', 'table' not in name and '0.5' not in name, name + ': ')
    return None


# ---- too large ----

def huge_pictures(folder):
    """The size is refused before the experiment runs, which would take minutes."""
    long = ['--depth', '1000', '--seeds', '1000']
    write(folder, 'x.png', 'precious')
    for name in ['x.png', 'x.svg', 'x.pdf']:
        for size, words in [(['--width', '100000', '--height', '100000'], ['100000', 'at most 32767']),
                            (['--width', '32767', '--height', '32767'], ['32767', 'at most 512 MiB']),
                            (['--scale', '1e9'], ['1e+09', 'at most 32767']),
                            (['--width', 'inf'], ['at least 16']), (['--height', 'nan'], ['at least 16']),
                            (['--width=-5'], ['-5', 'at least 16']), (['--scale', '0'], ['above 0'])]:
            problem = refused(['plot', *long, '-o', name, *size], 2, words, folder)
            if problem:
                return problem
    return None


def sparse(folder, name, head=b'', size=2 << 30):
    with open(os.path.join(folder, name), 'wb') as file:
        file.write(head)
        file.truncate(size)


def two_gibibytes(folder):
    os.mkdir(os.path.join(folder, 'claims'))
    sparse(folder, 'claims/x.claim', b'[Claim]\nTitle=')
    for name, head, size in [('x.normscope', b'{"format": "normscope-experiment", "loss": "', '40 MiB'),
                             ('x.json', b'', '40 MiB'), ('x.png', b'\x89PNG\r\n\x1a\n', '64 MiB'),
                             ('x.svg', b'<svg>', '64 MiB'), ('link.txt', b'normscope:1:', '128 KiB'),
                             ('config.json', b'{"model_type": "gpt2", "x": "', '40 MiB')]:
        sparse(folder, name, head)
        for command in [['run', name], ['plot', name, '-o', 'y.png'], ['link', name], ['run', '-']]:
            problem = refused(command, 2, ['too large', size], folder,
                              os.path.join(folder, name) if command[-1] == '-' else None, max_mib=MAX_MIB_UNREAD)
            if problem:
                return problem
        os.remove(os.path.join(folder, name))
    sparse(folder, 'text.txt', b'words ')
    problem = refused(['run', '--text-file', 'text.txt'], 2, ['text.txt', '6 MiB'], folder,
                      max_mib=MAX_MIB_UNREAD)
    done = cli('scaling', *ONCE, '--depths', '1,2', '--claims-folder', 'claims', folder=folder)
    if 'x.claim' not in done.stderr or '256 KiB' not in done.stderr:
        return f'the large claim is not reported: {done.stderr}'
    return problem


def endless_input(folder):
    return refused(['run', '-'], 2, ['40 MiB'], folder, stdin='/dev/zero')


# ---- pictures with a hostile chunk ----

def bomb(mebibytes):
    """Return a zlib stream in which a kilobyte expands to a mebibyte of blanks. A reader stops before its checksum."""
    packer = zlib.compressobj(9)
    stream = packer.compress(b' ' * (1 << 20)) + packer.flush(zlib.Z_FULL_FLUSH)
    return stream + stream[2:] * (mebibytes - 1) + packer.flush()


def chunk(kind, body, length=None, checksum=None):
    checksum = zlib.crc32(kind + body) if checksum is None else checksum
    return struct.pack('>I', len(body) if length is None else length) + kind + body + struct.pack('>I', checksum)


def spliced(data):
    """Return a picture with raw bytes inserted after its header."""
    whole = png()
    return whole[:33] + data + whole[33:]


KEYWORD = b'normscope:experiment\0'
EXPERIMENT = json.dumps(FORMAT).encode()
CHUNKS = [
    ('itxt-bomb', png((b'iTXt', KEYWORD + b'\1\0\0\0' + bomb(4096))), ['decompressed data is too large']),
    ('ztxt-bomb', png((b'zTXt', KEYWORD + b'\0' + bomb(4096))), ['contains no experiment']),
    ('long', spliced(chunk(b'iTXt', KEYWORD + b'\0\0\0\0' + EXPERIMENT, 0x7fffffff)), ['truncated']),
    ('longest', spliced(chunk(b'iTXt', KEYWORD + b'\0\0\0\0' + EXPERIMENT, 0xffffffff)), ['truncated']),
    ('short', spliced(chunk(b'iTXt', KEYWORD + b'\0\0\0\0' + EXPERIMENT, 5)), ['checksum']),
    ('nothing', spliced(chunk(b'iTXt', KEYWORD + b'\0\0\0\0' + EXPERIMENT, 0)), ['checksum']),
    ('checksum', spliced(chunk(b'iTXt', KEYWORD + b'\0\0\0\0' + EXPERIMENT, None, 1)), ['checksum']),
    ('checksum-of-another', spliced(chunk(b'tEXt', b'Comment\0x', None, 1)), ['checksum']),
    ('no-flags', png((b'iTXt', KEYWORD)), ['malformed']),
    ('no-language', png((b'iTXt', KEYWORD + b'\0\0')), ['malformed']),
    ('no-keyword-again', png((b'iTXt', KEYWORD + b'\0\0en\0')), ['malformed']),
    ('flag', png((b'iTXt', KEYWORD + b'\2\0\0\0' + EXPERIMENT)), ['malformed']),
    ('method', png((b'iTXt', KEYWORD + b'\1\1\0\0' + zlib.compress(EXPERIMENT))), ['malformed']),
    ('stream', png((b'iTXt', KEYWORD + b'\1\0\0\0' + b'no stream at all')), ['compressed data is corrupt']),
    ('stream-cut', png((b'iTXt', KEYWORD + b'\1\0\0\0' + zlib.compress(EXPERIMENT)[:-3])), ['truncated']),
    ('stream-empty', png((b'iTXt', KEYWORD + b'\1\0\0\0')), ['truncated']),
    ('stream-longer', png((b'iTXt', KEYWORD + b'\1\0\0\0' + zlib.compress(EXPERIMENT) + b'x')), ['follows its end']),
    ('no-text', png(experiment_chunk(b'')), ['is empty']),
    ('not-utf-8', png(experiment_chunk(b'{"format": "\xff\xfe"}')), ['not text in UTF-8']),
    ('latin-1', png(experiment_chunk('{"format": "ü"}'.encode('latin-1'))), ['not text in UTF-8']),
    ('not-json', png(experiment_chunk(b'rm -rf ~')), ['(embedded experiment)']),
    ('escape', png(experiment_chunk(b'{"\\u001b[2J": 1}')), ['(embedded experiment)']),
    ('nested', png(experiment_chunk(b'[' * 100000 + b']' * 100000)), ['nested']),
    ('nested-objects', png(experiment_chunk(b'{"a":' * 100000 + b'1' + b'}' * 100000, True)), ['nested']),
]


def check_chunks(tap):
    for name, data, words in CHUNKS:
        def hostile_chunk(folder, data=data, words=words):
            write(folder, 'x.png', data)
            write(folder, 'old.png', 'precious')
            write(folder, 'old.json', 'precious')
            return (refused(['run', 'x.png', '-o', 'old.json'], 2, ['x.png', *words], folder) or
                    refused(['plot', 'x.png', '-o', 'old.png'], 2, ['x.png', *words], folder))
        hostile_chunk.__name__ = 'hostile-chunk/' + name
        tap.run(hostile_chunk)


# ---- nested ----

def deeply_nested(folder):
    write(folder, 'old.png', 'precious')
    for begin, end in [('[', ']'), ('{"a":', '}'), ('[{"a":', '}]')]:
        for tree in [begin * 100000, begin * 100000 + '1' + end * 100000,
                     '{"format": "normscope-experiment", "variants": ' + begin * 100000 + '1' + end * 100000 + '}',
                     '{"format": "normscope-experiment", "version": 2, "x": ' + begin * 33 + '1' + end * 33 + '}',
                     '{"model_type": "gpt2", "n_embd": ' + begin * 100000 + '1' + end * 100000 + '}']:
            encoded = base64.urlsafe_b64encode(zlib.compress(tree.encode(), 9)).decode().rstrip('=')
            write(folder, 'x.normscope', tree)
            write(folder, 'x.svg', '<svg><metadata><normscope:experiment>' + tree.replace('"', '&quot;') +
                  '</normscope:experiment></metadata></svg>')
            for source in ['x.normscope', 'x.svg', 'normscope:1:' + encoded]:
                # Two of the links exceed the limit for the JSON in a link.
                word = 'nested' if len(tree) < 1 << 20 or not source.startswith('normscope:') else 'link'
                problem = refused(['plot', source, '-o', 'old.png'], 2, [word], folder)
                if problem:
                    return problem
    return None


# ---- model configs ----

CONFIG = {'model_type': 'gpt2', 'n_embd': 64, 'n_layer': 2, 'n_head': 2, 'vocab_size': 100}
BAD_CONFIGS = [
    ('family', {'model_type': 'x' * 5000}, ['model_type', 'xxx…']),
    ('family-type', {'model_type': [1]}, ['model_type']),
    ('classes', {'architectures': ['y' * 5000] * 100}, ['architectures']),
    ('missing', {'model_type': 'gpt2'}, ['n_embd']),
    ('zero', {**CONFIG, 'n_head': 0}, ['n_head', '0', 'from 1']),
    ('huge', {**CONFIG, 'n_embd': 1 << 62}, ['n_embd', str(1 << 62)]),
    ('text', {**CONFIG, 'n_layer': 'two' * 1000}, ['n_layer', 'twotwo', '…']),
    ('object', {**CONFIG, 'n_layer': {'a' * 1000: 1}}, ['n_layer', 'aaa', '…']),
]


def check_configs(tap):
    for name, tree, words in BAD_CONFIGS:
        def hostile_config(folder, tree=tree, words=words):
            write(folder, 'config.json', json.dumps(tree))
            write(folder, 'old.json', 'precious')
            return refused(['run', 'config.json', '-o', 'old.json'], 2, ['config.json', *words], folder)
        hostile_config.__name__ = 'hostile-config/' + name
        tap.run(hostile_config)


def good_config(folder):
    """The config from which the bad ones are made is valid."""
    write(folder, 'config.json', json.dumps(CONFIG))
    same(cli('run', 'config.json', '--seeds', '1', '--seq-len', '4', folder=folder).returncode, 0)


def main():
    tap = Tap()
    for function in [unwritable_folder, read_only_file, disk_full_half_way, full_device, concurrent_dumps, killed_dumps,
                     names, huge_pictures,
                     two_gibibytes, endless_input, deeply_nested]:
        tap.run(function)
    check_chunks(tap)
    tap.run(good_config)
    check_configs(tap)
    print(f'1..{tap.count}')
    sys.exit(1 if tap.failed else 0)


if __name__ == '__main__':
    main()
