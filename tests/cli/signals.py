#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Test that SIGINT and SIGTERM end every command in every state, soon and without traces.

Usage: signals.py CLI VERIFY

Soon: the processor time between the signal and the end is limited, not the time on the clock, so that the load of the
machine does not matter. Without traces: no temporary file or folder, no half-written output, no program that goes on.
"""

import array
import fcntl
import os
import pathlib
import select
import signal
import subprocess
import sys
import tempfile
import termios
import time

CLI = os.path.abspath(sys.argv[1])
LECTURE = str(pathlib.Path(__file__).resolve().parent.parent / 'lecture/lectures/everything.normscope-lecture')
PROGRAMS = {os.path.basename(program) for program in sys.argv[1:3]}
TICKS = os.sysconf('SC_CLK_TCK')
LIMIT = 0.5  # seconds of processor time per thread
PATIENCE = 60  # seconds until the test gives up

SMALL = ['--depth', '3', '--seeds', '1', '--threads', '1']
# One block each, with a step of several seconds: a product of attention, the loss, a matrix, the activation.
ATTENTION = ['--depth', '1', '--seq-len', '8192', '--d-model', '1024', '--heads', '1', '--d-ff', '8', '--batch', '1',
             '--variant', 'pre', '--seeds', '1', '--threads', '1']
LOSS = ['--depth', '1', '--seq-len', '512', '--d-model', '16', '--vocab', '65536', '--batch', '2', '--loss',
        'cross-entropy', '--variant', 'pre', '--seeds', '9', '--threads', '1']
FFN = ['--depth', '1', '--seq-len', '256', '--d-model', '4096', '--d-ff', '65536', '--batch', '1', '--variant', 'pre',
       '--seeds', '1', '--threads', '2']
LONG = ['--depth', '1024', '--seeds', '1000']
WIDE = ['--d-model', '256', '--d-ff', '1024', '--depth', '40', '--seeds', '1', '--variant', 'pre', '--threads', '1']


def cpu(pid):
    """Return the processor time of a process and of its children that have ended, in seconds; None without one."""
    try:
        fields = pathlib.Path(f'/proc/{pid}/stat').read_text().rpartition(')')[2].split()
    except (OSError, ValueError):
        return None
    return sum(int(x) for x in fields[11:15]) / TICKS


def catches_signals(pid):
    """Tell if main() has set the handlers: while the program is loaded, only SIGINT may have one."""
    fields = dict(line.split(':', 1) for line in pathlib.Path(f'/proc/{pid}/status').read_text().splitlines())
    return 'SigCgt' in fields and bool(int(fields['SigCgt'], 16) >> (signal.SIGTERM - 1) & 1)


def programs_in(folder):
    """List programs of ours that still run with this working folder."""
    found = []
    for entry in pathlib.Path('/proc').iterdir():
        if entry.name.isdigit():
            try:
                name = os.path.basename(os.readlink(entry / 'exe'))
                if os.readlink(entry / 'cwd') == str(folder) and (name in PROGRAMS or name.startswith('python')):
                    found.append(f'{entry.name} {name}')
            except OSError:
                pass
    return found


def pending(fd):
    """Return the number of bytes in a pipe."""
    count = array.array('i', [0])
    fcntl.ioctl(fd, termios.FIONREAD, count)
    return count[0]


class Case:
    """A command in a folder of its own."""

    def __init__(self, args, stdin=None, reads=True, loading=False):
        self.loading = loading
        self.folder = tempfile.TemporaryDirectory()
        self.path = pathlib.Path(self.folder.name).resolve()
        self.temporary = self.path / 'tmp'
        self.temporary.mkdir()
        self.work = self.path / 'work'
        self.work.mkdir()
        self.stdin = self.stdin_end = None
        if stdin is not None:
            self.stdin_end, self.stdin = os.pipe()
            os.write(self.stdin, stdin)
        self.out, out_end = os.pipe()
        self.errors = open(self.path / 'errors', 'w+b')
        self.process = subprocess.Popen([CLI, *args], cwd=self.work, stdout=out_end, stderr=self.errors,
                                        stdin=self.stdin_end if stdin is not None else subprocess.DEVNULL,
                                        env=os.environ | {'TMPDIR': str(self.temporary)})
        os.close(out_end)
        self.reads = reads
        self.text = b''

    def drain(self):
        while self.reads and select.select([self.out], [], [], 0)[0]:
            piece = os.read(self.out, 65536)
            if not piece:
                self.reads = False
            self.text += piece

    def wait_until(self, moment):
        """Wait for the moment, a number of seconds of processor time or a function, and until the program catches
        signals, unless it may still be loaded; FALSE if the program ended."""
        deadline = time.monotonic() + PATIENCE
        while self.process.poll() is None:
            self.drain()
            if ((moment(self) if callable(moment) else (cpu(self.process.pid) or 0) >= moment)
                    and (self.loading or catches_signals(self.process.pid))):
                return True
            assert time.monotonic() < deadline, 'the moment did not come'
            time.sleep(0.002)
        return False

    def end(self, number):
        """Send the signal; return the exit status and the processor time to the end."""
        # wait4() counts the children that have ended, too
        before = cpu(self.process.pid) or 0
        # send_signal() would reap a program that has just ended
        os.kill(self.process.pid, number)
        deadline = time.monotonic() + PATIENCE
        while True:
            self.drain()
            pid, status, usage = os.wait4(self.process.pid, os.WNOHANG)
            if pid != 0:
                break
            if time.monotonic() > deadline:
                self.process.kill()
                os.wait4(self.process.pid, 0)
                raise AssertionError(f'signal {number} was ignored')
            time.sleep(0.002)
        self.process.returncode = os.waitstatus_to_exitcode(status)
        return self.process.returncode, usage.ru_utime + usage.ru_stime - before

    def close(self):
        if self.process.returncode is None:
            self.process.kill()
            self.process.wait()
        for fd in [self.stdin, self.stdin_end, self.out]:
            if fd is not None:
                os.close(fd)
        self.errors.close()
        self.folder.cleanup()

    def traces(self):
        deadline = time.monotonic() + PATIENCE
        while programs_in(self.work) and time.monotonic() < deadline:  # a killed child takes a moment
            time.sleep(0.01)
        hidden = [str(p.relative_to(self.path)) for p in self.path.rglob('*') if p.name.startswith('.')]
        return hidden + [str(p) for p in self.temporary.iterdir()] + programs_in(self.work)


def check(args, moment, number, stdin=None, reads=True, loading=False, whole=None, threads=1):
    """Interrupt the command at a moment. `whole` tells if an output file is complete."""
    case = Case(args, stdin, reads, loading)
    try:
        in_time = case.wait_until(moment)
        if not in_time:
            assert case.process.returncode == 0, f'status {case.process.returncode}'
        else:
            caught = catches_signals(case.process.pid)
            status, took = case.end(number)
            case.errors.seek(0)
            text = case.errors.read().decode()
            if status == -number:
                assert not caught, 'the signal was not handled'
            elif status != 0:
                assert status == 128 + number, f'status {status}: {text}'
                assert 'normscope-cli: interrupted' in text, text
            assert took <= LIMIT * (threads + 1), f'{took:.2f} s of processor time after the signal'
        assert case.traces() == [], f'left: {case.traces()}'
        for path in case.work.iterdir():
            assert whole is not None and whole(path), f'half-written: {path}'
        return in_time
    finally:
        case.close()


# ---- moments ----

def everything_read(case):
    return pending(case.stdin) == 0


def blocked_in_output(case):
    return pending(case.out) >= 4096


def has(pattern):
    return lambda case: any(case.work.glob(pattern)) or any(case.temporary.glob(pattern))


def child_runs(case):
    return any(not text.startswith(f'{case.process.pid} ') for text in programs_in(case.work))


# ---- complete files ----

def whole_json(path):
    return path.read_bytes().rstrip().endswith(b'}')


def whole_svg(path):
    return path.read_bytes().rstrip().endswith(b'</svg>')


def whole_png(path):
    return path.read_bytes().endswith(b'IEND\xaeB\x60\x82')


def whole_dump(path):
    return (path / 'result.json').exists() and len(list(path.glob('block*'))) == 40


HALF = b'{ "normscope": 1, '
CASES = [
    # name, arguments, moments, more
    ('reading standard input: run', ['run', '-'], [everything_read], {'stdin': HALF}),
    ('reading standard input: link', ['link', '-'], [everything_read], {'stdin': HALF}),
    ('reading standard input: verify', ['verify', '-'], [everything_read], {'stdin': HALF}),
    ('starting', ['run', *SMALL, '-o', 'x.json'], [0, 0.01, 0.02, 0.03], {'whole': whole_json, 'loading': True}),
    ('writing to a full pipe', ['run', *SMALL, '--depth', '400', '--format', 'json'], [blocked_in_output],
     {'reads': False}),
    ('attention', ['run', *ATTENTION, '-o', 'x.json'], [0.3, 1.2, 2.9], {'whole': whole_json}),
    ('loss', ['run', *LOSS, '-o', 'x.csv'], [0.3, 1], {}),
    ('feed-forward network and weights', ['run', *FFN, '-o', 'x.json'], [0.1, 0.9, 2.5], {'threads': 2}),
    ('many seeds', ['run', *LONG, '-o', 'x.npy'], [0.2, 0.9], {'threads': os.cpu_count()}),
    ('sweep', ['scaling', '--seeds', '1000', '-o', 'x.json'], [0.1, 0.8], {'threads': os.cpu_count()}),
    ('bench', ['bench', '--rounds', '10000'], [0.1, 0.7], {'threads': os.cpu_count()}),
    ('drawing', ['plot', *SMALL, '--width', '4000', '--height', '3000', '-o', 'x.png'], [0.05, 0.15, 0.3, has('.x*')],
     {'whole': whole_png}),
    ('writing a file', ['plot', *SMALL, '-o', 'x.svg'], [has('.x*'), has('x.svg')], {'whole': whole_svg}),
    ('writing a link', ['link', '--depth', '9', '-o', 'x.txt'], [has('.x*')], {'whole': lambda path: True}),
    ('dump', ['dump', *WIDE, '--out', 'd'], [0.1, has('.d.*'), has('.d.*/block*'), has('.d.*/block03*')],
     {'whole': whole_dump}),
    ('script', ['script', *WIDE, '--out', 'd'], [has('.d.*/experiment.py'), has('.d.*/block02*')],
     {'whole': whole_dump}),
    ('lecture', ['lecture', LECTURE, '--figures', 'd', '--format', 'png', '--scale', '2'],
     [0.1, has('.d.*'), has('.d.*/03*')], {'whole': lambda path: len(list(path.iterdir())) == 5,
                                           'threads': os.cpu_count()}),
    ('verify', ['verify', '--preset', 'tiny'], [0.01, has('.verify*'), child_runs], {'threads': 2}),
    ('run with verification', ['run', '--preset', 'tiny', '--verify', '-o', 'x.json'], [child_runs],
     {'whole': whole_json, 'threads': 2}),
]


def main():
    failed = 0
    print(f'1..{len(CASES)}')
    for number, (name, args, moments, more) in enumerate(CASES, 1):
        problem = None
        signals = [signal.SIGINT, signal.SIGTERM]
        for i, moment in enumerate(moments):
            try:
                check(args, moment, signals[(number + i) % 2], **more)
            except AssertionError as error:
                problem = f'moment {i + 1}: {error}'
                break
        print(f'{"not ok" if problem else "ok"} {number} - {name}', flush=True)
        if problem:
            print('# ' + problem.replace('\n', '\n# '), flush=True)
        failed += problem is not None
    return failed > 0


sys.exit(main())
