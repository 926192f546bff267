#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Let the nth call of each kind fail in every command that writes, or kill the command there, and judge what is left.

    faults.py NORMSCOPE-CLI NORMSCOPE-VERIFY FAULTS-LIBRARY CARELESS SESSION [COMMAND…]

A failed call ends in exit status 0 and the same output as without it, or in exit status 1, one message and the files
that were there before. A killed command leaves the old output or the new one. The next run removes hidden files that
either leaves. TEST_FAULTS=every in the environment tries every n, TEST_FAULTS=stacks one n of each chain of calls to
the allocator and every n of the other kinds; otherwise a sample. TEST_FAULTS_SEED changes the sample.
"""

import concurrent.futures
import errno
import glob
import json
import os
import random
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree
import zlib

CLI, VERIFY, LIBRARY, CARELESS, SESSION = (os.path.abspath(path) for path in sys.argv[1:6])
PATHS = {'careless': CARELESS, 'session': SESSION}
WALK = os.environ.get('TEST_FAULTS', 'sample')
SEED = os.environ.get('TEST_FAULTS_SEED', '1')
WATCHDOG_SECONDS = 120
KINDS = ('small-memory', 'large-memory', 'map', 'open', 'read', 'write', 'sync', 'close', 'rename', 'make', 'remove',
         'mode', 'thread', 'process')
FRAMES, FRAME_BYTES, PATH_BYTES, MAX_STACKS = 24, 128, 256, 1 << 18
SHAPE = {'depth': 2, 'd_model': 8, 'heads': 2, 'd_ff': 16, 'seq_len': 4, 'vocab': 11}
EXPERIMENT = {'format': 'normscope-experiment', 'version': 1, 'shape': SHAPE, 'sampling': {'seeds': 2},
              'variants': [{'name': 'a'}]}
# Its file, numbers and outputs need allocations whose size the experiment decides.
LARGE = {**EXPERIMENT, 'shape': {**SHAPE, 'depth': 200, 'vocab': 256},
         'data': {'source': 'text', 'text': 'to be or not to be ' * 10000}}
LECTURE = {'format': 'normscope-lecture', 'title': 'a', 'steps': [
    {'title': 'b', 'text': '$x^2$', 'experiment': {key: EXPERIMENT[key] for key in ['shape', 'sampling', 'variants']},
     'question': {'kind': 'number', 'text': 'c', 'number': {'kind': 'value', 'quantity': 'rms_x'}}}]}
# The workspace of rotary positions has their angles, and the files have more keys.
ROTARY = {**EXPERIMENT, 'variants': [{'name': 'a', 'rotary': 'half', 'rotary_scaling': 'yarn', 'rotary_original': 3},
                                     {'name': 'b', 'rotary': 'interleaved', 'rotary_dim': 2}]}
# How each kind of call can fail.
CAUSES = {
    'small-memory': [('once', errno.ENOMEM)],
    'large-memory': [('once', errno.ENOMEM), ('on', errno.ENOMEM)],
    'map': [('once', errno.ENOMEM)],
    'open': [('once', errno.EMFILE), ('kill', 0)],
    'read': [('once', errno.EIO), ('once', errno.EINTR), ('short', 0)],
    'write': [('once', errno.ENOSPC), ('on', errno.EIO), ('once', errno.EINTR), ('short', 0), ('kill', 0), ('torn', 0)],
    'sync': [('once', errno.EIO), ('once', errno.EINTR), ('kill', 0)],
    'close': [('once', errno.EIO), ('kill', 0)],
    'rename': [('once', errno.EIO), ('kill', 0)],
    'make': [('once', errno.ENOSPC), ('kill', 0)],
    'remove': [('once', errno.EIO), ('kill', 0)],
    'mode': [('once', errno.EPERM), ('kill', 0)],
    'thread': [('once', errno.EAGAIN), ('on', errno.EAGAIN)],
    'process': [('once', errno.EAGAIN), ('on', errno.EMFILE)],
}
# An input that cannot be read is an error of the command line, as one that is not there.
UNREADABLE = 'e.normscope cannot be read|: x: Error (reading from|opening) file'
# Libraries that draw text leave out what they have no memory or file for, or use another font.
DRAWING = ('libfontconfig', 'libfreetype', 'libpango', 'libharfbuzz', 'libpixman', 'libcairo', 'libexpat', 'libpng',
           'libfribidi', 'libthai', 'libdatrie', 'libgraphite')


class Command:
    def __init__(self, name, args, output, program='normscope-cli'):
        self.name, self.args, self.output, self.program = name, args, output, program
        self.path = PATHS.get(program, CLI)
        self.draws = args[0] == 'plot' or '--handout' in args
        self.is_large = name.startswith('large')
        # Numbers that are not in the file are printed, and the other way round.
        self.keeps = '--checkpoint' in args
        # The file has the items that were finished, and the next run adds the others.
        self.grows = self.keeps and args[0] != 'train'
        content = (LARGE if self.is_large else LECTURE if args[0] == 'lecture' else
                   ROTARY if name.startswith('rotary') else EXPERIMENT)
        self.experiment = json.dumps(content)


# The test has to find something in a program that checks nothing.
PLANTED = Command('careless', ['x'], 'x', 'careless')
PLANTED_KINDS = {'small-memory', 'open', 'write', 'sync'}
COMMANDS = [
    Command('run-csv', ['run', 'e.normscope', '--threads', '2', '-o', 'x.csv'], 'x.csv'),
    Command('run-json', ['run', 'e.normscope', '--threads', '2', '-o', 'x.json'], 'x.json'),
    Command('run-npy', ['run', 'e.normscope', '--threads', '2', '-o', 'x.npy'], 'x.npy'),
    Command('run-table', ['run', 'e.normscope', '--threads', '2'], None),
    Command('scaling', ['scaling', 'e.normscope', '--threads', '2', '--depths', '1,2', '-o', 'x.json'], 'x.json'),
    Command('plot-png', ['plot', 'e.normscope', '--threads', '2', '-o', 'x.png'], 'x.png'),
    Command('plot-svg', ['plot', 'e.normscope', '--threads', '2', '-o', 'x.svg'], 'x.svg'),
    Command('plot-pdf', ['plot', 'e.normscope', '--threads', '2', '-o', 'x.pdf'], 'x.pdf'),
    Command('plot-text', ['plot', 'e.normscope', '--threads', '2', '--for', 'columns', '--text', 'editable', '-o',
                          'x.svg'], 'x.svg'),
    Command('dump', ['dump', 'e.normscope', '--threads', '2', '--variant', 'a', '--out', 'x'], 'x'),
    Command('script', ['script', 'e.normscope', '--threads', '2', '--variant', 'a', '--out', 'x'], 'x'),
    Command('link', ['link', 'e.normscope'], None),
    Command('lecture', ['lecture', 'e.normscope'], None),
    Command('lecture-handout', ['lecture', 'e.normscope', '--handout', 'x.pdf'], 'x.pdf'),
    Command('lecture-html', ['lecture', 'e.normscope', '--handout', 'x.html'], 'x.html'),
    Command('paths', ['paths', 'e.normscope', '--threads', '2', '--of', 'contributions', '-o', 'x.json'], 'x.json'),
    Command('train', ['train', 'e.normscope', '--threads', '2', '--source', 'tokens', '--loss', 'cross-entropy',
                      '--steps', '3', '-o', 'x.json'], 'x.json'),
    Command('map', ['train', 'e.normscope', '--threads', '2', '--source', 'tokens', '--loss', 'cross-entropy',
                    '--steps', '2', '--map', '--learning-rates', '1e-3', '--points', '1', '-o', 'x.json'], 'x.json'),
    Command('train-checkpoint', ['train', 'e.normscope', '--threads', '2', '--source', 'tokens', '--loss',
                                 'cross-entropy', '--steps', '3', '--checkpoint', 'x'], 'x'),
    Command('run-checkpoint', ['run', 'e.normscope', '--threads', '1', '--checkpoint', 'x'], 'x'),
    Command('help', ['help', '--markdown', '-o', 'x.md'], 'x.md'),
    Command('presets', ['presets', 'default', '-o', 'x.normscope'], 'x.normscope'),
    Command('verify', ['verify', 'e.normscope', '-o', 'x.json'], 'x.json'),
    Command('rotary-json', ['run', 'e.normscope', '--threads', '2', '-o', 'x.json'], 'x.json'),
    Command('rotary-dump', ['dump', 'e.normscope', '--threads', '2', '--variant', 'a', '--out', 'x'], 'x'),
    Command('rotary-script', ['script', 'e.normscope', '--threads', '2', '--variant', 'b', '--out', 'x'], 'x'),
    Command('rotary-scaling', ['scaling', 'e.normscope', '--threads', '2', '--depths', '1,2', '-o', 'x.json'],
            'x.json'),
    Command('large-csv', ['run', 'e.normscope', '--threads', '2', '--per-seed', '-o', 'x.csv'], 'x.csv'),
    Command('large-json', ['run', 'e.normscope', '--threads', '2', '--per-seed', '-o', 'x.json'], 'x.json'),
    Command('large-npy', ['run', 'e.normscope', '--threads', '2', '--per-seed', '-o', 'x.npy'], 'x.npy'),
    Command('large-table', ['run', 'e.normscope', '--threads', '2'], None),
    Command('large-scaling', ['scaling', 'e.normscope', '--depths', '1,2,200', '--seeds', '1', '-o', 'x.json'],
            'x.json'),
    Command('large-svg', ['plot', 'e.normscope', '--seeds', '1', '-o', 'x.svg'], 'x.svg'),
    Command('large-link', ['link', 'e.normscope'], None),
    Command('verify-engine', ['verify', 'e.normscope', '-o', 'x.json'], 'x.json', 'normscope-verify'),
]


class Ended:
    """What a run left: exit status, output, files, temporary files, and the call that failed."""

    def __init__(self, command, fault, old, again=False, temporary=None):
        self.next = None
        with tempfile.TemporaryDirectory(prefix='normscope-faults-') as place:
            folder = os.path.join(place, 'folder')
            shutil.copytree(old, folder, symlinks=True)
            temporary = temporary or os.path.join(place, 'tmp')
            os.makedirs(temporary, exist_ok=True)
            record = os.path.join(place, 'record')
            env = {**os.environ, 'FAULTS': f'{command.program} {fault}', 'FAULTS_RECORD': record, 'TMPDIR': temporary,
                   'XDG_STATE_HOME': folder, 'LD_PRELOAD': LIBRARY, 'NORMSCOPE_VERIFY': VERIFY,
                   'NORMSCOPE_PYTHON': '/bin/false'}
            self.run(command, folder, env)
            self.files, self.temporary = contents(folder), contents(temporary)
            self.read_record(record)
            if again and (without_leftovers(command, self)[1] or command.grows):
                self.next = Ended(command, 'open 0 once 0', folder, temporary=temporary)

    def run(self, command, folder, env):
        with subprocess.Popen([command.path, *command.args], cwd=folder, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env, start_new_session=True) as run:
            try:
                printed, message = run.communicate(timeout=WATCHDOG_SECONDS)
            except subprocess.TimeoutExpired:
                os.killpg(run.pid, signal.SIGKILL)
                self.status, self.printed, self.message = 'hangs', b'', ''
                return
        wait_for_children(run.pid)
        self.status, self.printed, self.message = run.returncode, still(printed), message.decode()

    def read_record(self, path):
        data = b''
        if os.path.exists(path):
            with open(path, 'rb') as file:
                data = file.read()
        if not data:
            data = bytes(8 * (len(KINDS) + 2) + PATH_BYTES + FRAMES * FRAME_BYTES)
        numbers = struct.unpack_from(f'{len(KINDS) + 2}Q', data)
        self.counts = dict(zip(KINDS, numbers))
        self.reached, self.size = numbers[-2:]
        at = 8 * len(numbers)
        self.path = text_of(data[at:at + PATH_BYTES])
        at += PATH_BYTES
        self.frames = [text_of(data[i:i + FRAME_BYTES]) for i in range(at, at + FRAMES * FRAME_BYTES, FRAME_BYTES)]
        self.stacks = data[at + FRAMES * FRAME_BYTES:]

    def is_from(self, libraries):
        return any(frame.startswith(libraries) for frame in self.frames)


def wait_for_children(group):
    """Wait for the processes that a killed one has started: they hold its lock until they run their program."""
    end = time.monotonic() + WATCHDOG_SECONDS
    while time.monotonic() < end and is_left(group) and \
            any(is_in_group(path, group) for path in glob.glob('/proc/[0-9]*/stat')):
        time.sleep(0.01)


def is_left(group):
    """Return whether a process of the group is left, be it one that has ended; /proc tells these apart, but slowly."""
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True


def is_in_group(path, group):
    try:
        with open(path, encoding='utf-8', errors='replace') as file:
            state, _, own = file.read().rpartition(')')[2].split()[:3]
    except OSError:
        return False  # it has ended
    return int(own) == group and state != 'Z'


def text_of(data):
    return data.split(b'\0')[0].decode(errors='replace')


def still(data):
    """Replace measured times, which differ from run to run."""
    if data.startswith(b'Normscope checkpoint'):
        data = data[:32] + data[48:-8]  # the elapsed time, the threads, and the checksum, which is also of them
    return re.sub(rb'("(?:elapsed|seconds|time)\w*": *)[\d.e+-]+|(\d threads? .* )?\d+ ms', rb'\1', data)


def contents(folder):
    """Map every path below the folder to its bytes, or to None for a folder."""
    found = {}
    for path, folders, names in os.walk(folder):
        for name in names:
            with open(os.path.join(path, name), 'rb') as file:
                found[os.path.relpath(os.path.join(path, name), folder)] = still(file.read())
        for name in folders:
            found[os.path.relpath(os.path.join(path, name), folder)] = None
    return found


def is_whole_pdf(data):
    """Check the table of the objects of a PDF without compressed ones."""
    end = re.search(rb'startxref\n(\d+)\n%%EOF\n?$', data)
    if not end:
        return False
    _, *lines = data[int(end[1]):end.start()].split(b'trailer')[0].splitlines()
    offsets = [int(line[:10]) for line in lines[1:]]
    return all(data[at:].startswith(f'{i} 0 obj'.encode()) for i, at in enumerate(offsets) if i > 0)


def is_whole_picture(name, data):
    """Check that nothing is missing in a picture, as far as its format tells."""
    if name.endswith('.svg'):
        ids = {element.get('id') for element in xml.etree.ElementTree.fromstring(data).iter()}
        return {link.decode() for link in re.findall(rb'(?:href="|url\()#([\w-]+)', data)} <= ids
    if name.endswith('.pdf'):
        return is_whole_pdf(data)
    at, last = 8, b''
    while at < len(data):
        length, = struct.unpack_from('>I', data, at)
        last = data[at + 4:at + 8]
        if zlib.crc32(data[at + 4:at + 8 + length]) != struct.unpack_from('>I', data, at + 8 + length)[0]:
            return False
        at += 12 + length
    return last == b'IEND'


def is_leftover(command, name):
    """An unfinished output is a hidden sibling of it: ".x.csv.normscope-0a1b2c"."""
    return re.fullmatch(r'\.' + re.escape(command.output or '') + r'\.normscope-\w{6}(/.*)?', name) is not None


def problem_of_end(command, kind, cause, ended, old, new, printed):
    """Judge a run that was not killed."""
    draws = command.draws and ended.is_from(DRAWING)
    if ended.status == 'hangs':  # fontconfig 2.14 keeps a lock when it has no memory; Ctrl+C ends the program
        return None if draws and kind == 'small-memory' and ended.is_from(('libfontconfig',)) else 'it hangs'
    left, _ = without_leftovers(command, ended)
    if ended.status == 0:
        if kind == 'sync' and cause == errno.EIO:
            return 'succeeds although the output may not be on the disk'
        if left == new and ended.printed == printed:
            return None
        if draws and set(left) == set(new) and is_whole_picture(command.output, left[command.output]):
            return None
        return f'succeeds with other output than without the fault: {sorted(ended.files)} {ended.printed[:200]}'
    if kind == 'small-memory' and ended.status == -signal.SIGABRT and re.search('GLib|GSlice', ended.message):
        return None if left in (old, new) else f'aborts and leaves {sorted(left)}'  # GLib's own locks and blocks
    if (kind == 'small-memory' or command.keeps) and left == new:
        old = new  # clearing up needs memory, too
    elif ended.printed and kind != 'write' and not draws and not command.keeps:  # Pango's assertions print there
        return f'fails, but prints {ended.printed[:200]}'
    if left != old:
        return f'fails and changes files: {sorted(ended.files)}: {ended.message[:300]}'
    if draws and kind == 'small-memory' and -ended.status in (signal.SIGSEGV, signal.SIGABRT, signal.SIGTRAP):
        return None  # these libraries do not check every allocation
    if ended.status != 1 and not (ended.status == 2 and re.search(UNREADABLE, ended.message)):
        return f'status {ended.status}: {ended.message[:300]}'
    if kind == 'small-memory' and re.search('GLib|GSlice', ended.message):
        return None  # of the self-check's program
    if not 10 < len(ended.message) < 1000 or ended.message.count('\n') != 1:
        return f'message {ended.message[:300]!r}'
    return None


def problem_of_kill(command, ended, old, new):
    """Judge a killed run."""
    if ended.status != -signal.SIGKILL:
        return f'status {ended.status} instead of a kill'
    left, _ = without_leftovers(command, ended)
    return None if left in (old, new) else f'killed, it leaves {sorted(left)}'


def problem_of_next(ended, new):
    """Judge the next run, which removes what was left."""
    if ended.status == 0 and ended.files == new and not ended.temporary:
        return None
    return f'the next run: {ended.status} {ended.message[:200]} {sorted(ended.files)} {sorted(ended.temporary)}'


def without_leftovers(command, ended):
    """Return the files without unfinished ones, and whether there are any."""
    left = {name: data for name, data in ended.files.items() if not is_leftover(command, name)}
    return without_growing(command, left), left != ended.files or bool(ended.temporary)


def without_growing(command, files):
    return {name: data for name, data in files.items() if not (command.grows and name == command.output)}


def problem_of(command, kind, n, how, cause, old_folder, new, printed):
    is_kill = how in ('kill', 'torn') and command.program != 'normscope-verify'
    ended = Ended(command, f'{kind} {n} {how} {cause}', old_folder, True)
    if ended.reached == 0:
        return None, False
    old, other = without_growing(command, contents(old_folder)), without_growing(command, new)
    if is_kill:
        problem = problem_of_kill(command, ended, old, other)
    else:
        problem = problem_of_end(command, kind, cause, ended, old, other, printed)
    if not problem and ended.next:
        problem = problem_of_next(ended.next, new)
    if not problem and command.grows and ended.next.printed != printed:
        problem = f'the next run prints {ended.next.printed[:200]}'
    if not problem:
        return None, True
    what = errno.errorcode.get(cause, '')
    chain = ' < '.join(frame for frame in ended.frames[:12] if frame)
    return f'{kind} {n} {how} {what}: {problem}; {ended.path} {ended.size or ""} {chain}', True


def numbers(command, kind, count, old_folder):
    """The calls to try."""
    if WALK == 'every' or WALK == 'stacks' and kind != 'small-memory':
        return range(1, count + 1)
    if WALK == 'stacks':
        data = Ended(command, f'{kind} 0 stacks 0', old_folder).stacks
        firsts = {}
        for n in range(1, min(count, MAX_STACKS) + 1):
            firsts.setdefault(data[8 * n - 8:8 * n], n)
        return list(firsts.values())
    choice = random.Random(f'{SEED} {command.name} {kind}')
    most = {'small-memory': 6, 'large-memory': 2, 'map': 1, 'thread': 3, 'process': 3}.get(kind, 4)
    picked = {1, count, *(choice.randint(1, count) for _ in range(most))}
    return sorted(choice.sample(sorted(picked), min(most, len(picked))))


def prepare(command, place):
    """Make the folders before the command: without an output and with an older one."""
    fresh, used = os.path.join(place, 'fresh'), os.path.join(place, 'used')
    for folder in (fresh, used):
        os.mkdir(folder)
        with open(os.path.join(folder, 'e.normscope'), 'w', encoding='utf-8') as file:
            file.write(command.experiment)
    if command.args[0] in ('dump', 'script') or command.keeps:
        other = [] if command.keeps else ['--depth', '1']
        subprocess.run([CLI, *command.args, *other], cwd=used, check=True, capture_output=True)
    elif command.output is not None:
        with open(os.path.join(used, command.output), 'w', encoding='utf-8') as file:
            file.write('precious')
    return (fresh, used) if command.output is not None else (fresh,)


def walk(command, pool, place):
    """Try the command's faults; return the number of runs and the problems."""
    tasks, problems, runs = [], [], 0
    folders = prepare(command, place)
    for turn, folder in enumerate(folders):
        whole = Ended(command, 'open 0 once 0', folder)
        if whole.status != 0:
            return 0, [f'without a fault: {whole.status} {whole.message}']
        if whole.counts['small-memory'] == 0:
            return 0, ['no calls are counted']
        for kind, count in whole.counts.items():
            if count == 0 or (kind.endswith('memory') and folder.endswith('used')):
                continue
            if command.is_large and kind != 'large-memory':
                continue
            calls = list(enumerate(numbers(command, kind, count, folder)))
            causes = list(enumerate(CAUSES[kind]))
            # A sample tries each call with each cause in one of the two folders.
            in_turn = (WALK == 'sample' and len(folders) == 2 and not kind.endswith('memory')
                       and min(len(calls), len(causes)) > 1)
            for i, n in calls:
                for j, (how, cause) in causes:
                    if in_turn and (i + j + turn) % 2 == 1:
                        continue
                    tasks.append(pool.submit(problem_of, command, kind, n, how, cause, folder, whole.files,
                                             whole.printed))
    for task in tasks:
        problem, reached = task.result()
        runs += reached
        if problem:
            problems.append(problem)
    return runs, problems


def problem_of_planted(pool, place):
    """Return a kind of call whose failure the test does not find in the careless program."""
    _, problems = walk(PLANTED, pool, place)
    found = {problem.split()[0] for problem in problems}
    missing = PLANTED_KINDS - found
    return f'nothing is found for {sorted(missing)}' if missing else None


# ---- the session of the window ----

SAVE = Command('session', ['save', '3', 'b'], 'normscope', 'session')
# The saved session is the old one or the new one; one without a document is possible, but never one with the other's.
SESSIONS = ('2 a', '3 b', '3 -', '2 -')


def load_session(files, place):
    """Return the session that these files are, and what remains after saving again."""
    with tempfile.TemporaryDirectory(dir=place) as folder:
        for name, data in sorted(files.items()):
            path = os.path.join(folder, name)
            if data is None:
                os.mkdir(path)
                continue
            with open(path, 'wb') as file:
                file.write(data)
        env = {**os.environ, 'XDG_STATE_HOME': folder}
        loaded = subprocess.run([SESSION, 'load'], env=env, capture_output=True, text=True, check=False)
        subprocess.run([SESSION, *SAVE.args], env=env, check=True)
        return loaded.stdout.strip(), set(contents(folder))


def problem_of_session(kind, n, how, cause, old, place):
    ended = Ended(SAVE, f'{kind} {n} {how} {cause}', old)
    if ended.reached == 0:
        return None
    loaded, after = load_session(ended.files, place)
    if loaded in SESSIONS and after == {'normscope', 'normscope/last-session.normscope', 'normscope/last-session.ini'}:
        return None
    return f'{kind} {n} {how} {cause}: session {loaded}, then {sorted(after)}'


def walk_session(pool, place):
    """Fail and kill at every call while a session replaces another one."""
    old = os.path.join(place, 'old')
    os.mkdir(old)
    subprocess.run([SESSION, 'save', '2', 'a'], env={**os.environ, 'XDG_STATE_HOME': old}, check=True)
    counts = Ended(SAVE, 'open 0 once 0', old).counts
    faults = [(kind, n, how, cause) for kind in ('open', 'write', 'sync', 'close', 'rename', 'mode')
              for n in range(1, counts[kind] + 1) for how, cause in CAUSES[kind]]
    tasks = [pool.submit(problem_of_session, *fault, old, place) for fault in faults]
    return len(faults), [problem for problem in (task.result() for task in tasks) if problem]


def main():
    names = sys.argv[6:]
    commands = [command for command in [*COMMANDS, SAVE] if not names or command.name in names]
    if not os.path.exists(SESSION) and SAVE in commands:
        commands.remove(SAVE)
    failed = 0
    print(f'1..{len(commands) + 1}', flush=True)
    with concurrent.futures.ThreadPoolExecutor(max(2, len(os.sched_getaffinity(0)))) as pool:
        for i, command in enumerate([PLANTED, *commands]):
            with tempfile.TemporaryDirectory(prefix='normscope-faults-') as place:
                if command is PLANTED:
                    runs, problems = 0, list(filter(None, [problem_of_planted(pool, place)]))
                elif command is SAVE:
                    runs, problems = walk_session(pool, place)
                else:
                    runs, problems = walk(command, pool, place)
            failed += bool(problems)
            print(f'{"not ok" if problems else "ok"} {i + 1} {command.name}: {runs} faults', flush=True)
            for problem in problems:
                print(f'{command.name}: {problem}', file=sys.stderr, flush=True)
    return failed > 0


if __name__ == '__main__':
    sys.exit(main())
