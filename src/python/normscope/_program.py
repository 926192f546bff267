# SPDX-License-Identifier: GPL-3.0-or-later
"""Run the program normscope-cli: find it, show its progress, pass signals on, raise its messages."""

from __future__ import annotations

import errno
import html
import json
import numbers
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Mapping, Sequence
from typing import IO, Any, Callable

import numpy

from ._parameters import PARAMETERS

try:
    import fcntl
    import termios
    import tty
except ImportError:  # no terminals here: no progress
    fcntl = termios = tty = None  # type: ignore[assignment]

NAME = 'normscope-cli'
PREFIX = f'{NAME}: '
INTERRUPTED = 128 + signal.SIGINT
BAR_WIDTH = 20
MAX_QUOTED = 80  # characters of a value in a message


class Error(Exception):
    """A message of the program, with its exit status (docs/FORMATS.md), or None if it did not run."""

    def __init__(self, message: str, status: int | None = None) -> None:
        super().__init__(message)
        self.status = status


def _shorten(text: str) -> str:
    return repr(text if len(text) <= MAX_QUOTED else text[:MAX_QUOTED - 1] + '…')


def find_program() -> str:
    """Return the path of the program.

    It is the one of the environment variable NORMSCOPE_CLI, or else in PATH, or else next to the package: in the
    folder bin of the prefix that the package is installed in, or in the folder build of the source tree.
    """
    chosen = os.environ.get('NORMSCOPE_CLI')
    if chosen:
        if not shutil.which(os.path.abspath(chosen)):
            raise Error(f'NORMSCOPE_CLI is {_shorten(chosen)}, which is no program')
        return os.path.abspath(chosen)
    tree, prefix = pathlib.Path(__file__).resolve().parents[3:5]  # of src/python, lib/python3/site-packages
    for place in (NAME, str(prefix / 'bin' / NAME), str(tree / 'build' / 'src' / 'cli' / NAME)):
        found = shutil.which(place)
        if found:
            return found
    raise Error(f'{NAME} was not found: install Normscope, or set NORMSCOPE_CLI to the path of the program')


# ---- arguments ----

def _takes_list(name: str) -> bool:
    return any(name in (keyword, each.path) and each.allowed.startswith('up to')
               for keyword, each in PARAMETERS.items())


def _text_of(name: str, value: object) -> str:
    if value is None:
        return 'null'
    if isinstance(value, str):
        return value
    if isinstance(value, (bool, numpy.bool_)):
        return 'true' if value else 'false'
    if isinstance(value, numbers.Integral):
        try:
            return str(int(value))
        except ValueError as error:  # thousands of digits
            raise Error(f'{name}: {error}') from error
    if isinstance(value, numbers.Real):
        return repr(float(value))
    if isinstance(value, os.PathLike):
        return str(os.fspath(value))
    if isinstance(value, (list, tuple, numpy.ndarray)) and _takes_list(name):
        return ' '.join(_text_of(name, each) for each in value)
    raise Error(f'{name}: {value!r} is not allowed; allowed: a number, a text, True, False or None')


def settings_to_options(settings: object) -> list[str]:
    """Return options that set the keys of an experiment by their paths."""
    if not isinstance(settings, (Mapping, type(None))):
        raise Error(f"settings: {settings!r} is not allowed; allowed: values by their keys, {{'shape.depth': 24}}")
    return [f'--set={path}={_text_of(path, value)}' for path, value in (settings or {}).items()]


def to_options(options: Mapping[str, object], parameters: Mapping[str, object]) -> list[str]:
    """Return keyword arguments as options of the program.

    True is an option without a value, None and False leave one out, and a list of texts repeats it, unless the option
    is a parameter of the experiment, which has its value.
    """
    found = []
    for name, value in options.items():
        option = '--' + name.replace('_', '-')
        if name == 'settings':
            found += settings_to_options(value)
        elif name in parameters:
            found.append(f'{option}={_text_of(name, value)}')
        elif value is True:
            found.append(option)
        elif isinstance(value, (Sequence, range)) and not isinstance(value, str):
            texts = [_text_of(name, item) for item in value]
            repeated = any(isinstance(item, str) for item in value)
            found += [f'{option}={text}' for text in (texts if repeated else [','.join(texts)])]
        elif value is not None and value is not False:
            found.append(f'{option}={_text_of(name, value)}')
    return found


# ---- what the program reads and writes ----

def _to_plain(value: object) -> object:
    """Return a number of NumPy as one of Python; all else is no JSON."""
    if isinstance(value, numbers.Integral):
        return int(value)
    if isinstance(value, numbers.Real):
        return float(value)
    raise TypeError(f'{value!r} is not allowed')


def _to_json(experiment: object) -> bytes:
    try:
        return json.dumps(experiment, default=_to_plain).encode()
    except (TypeError, ValueError, RecursionError) as error:
        raise Error(f'the experiment cannot be written as JSON: {error}; allowed: dicts with texts as keys, lists, '
                    'texts, numbers, True, False and None') from error


def _start(command: Sequence[str], source: IO[bytes], output: IO[bytes]) -> _Child:
    try:
        return _Child(command, source, output)
    except (UnicodeEncodeError, ValueError) as error:  # half a surrogate pair, a NUL
        bad = next((each for each in command if re.search('[\0\ud800-\udfff]', each)), '')
        raise Error(f'{_shorten(bad)} cannot be an argument of {NAME}: {error}') from error
    except OSError as error:
        longest = max(command[1:], key=len, default='')
        where = f'; the longest argument has {len(longest)} characters' if error.errno == errno.E2BIG else ''
        raise Error(f'{command[0]} cannot be started: {error.strerror}{where}') from error


def read_json(data: bytes, *formats: str) -> dict[str, Any]:
    """Return the tree that a command has written, which is of one of the formats."""
    try:
        tree = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise Error(f'{find_program()} wrote no JSON ({error}); is it {NAME}?') from error
    found = tree.get('format') if isinstance(tree, dict) else None
    if found not in formats:
        raise Error(f'{find_program()} wrote the format {found!r}; expected: {", ".join(formats)}. Is it {NAME} of the '
                    'same version?')
    return tree


# ---- progress ----

class _Bar:
    """A bar with the program's line of progress, in a notebook or a terminal."""

    def __init__(self, wanted: bool | None) -> None:
        self._line = ''
        self._share: float | None = None
        self._shown: Any = None
        self._display = _notebook_display()
        self._visible = wanted if wanted is not None else self._display is not None or _is_terminal(sys.stderr)

    def _repr_html_(self) -> str:
        value = '' if self._share is None else f' value="{self._share:.4f}"'
        return f'<progress max="1"{value}></progress> {html.escape(self._line)}' if self._line else ''

    def __repr__(self) -> str:
        done = round((self._share or 0) * BAR_WIDTH)
        return f'[{"#" * done}{"." * (BAR_WIDTH - done)}] {self._line}' if self._line else ''

    def show(self, line: str, share: float | None = None) -> None:
        """Show a line, and how much of the work is done; an empty line removes the bar."""
        if not self._visible or line == self._line:
            return
        self._line, self._share = line, share
        if self._display is None:
            print(f'\r{repr(self)[:shutil.get_terminal_size().columns - 1]}\033[K', end='', file=sys.stderr, flush=True)
        elif self._shown is None:
            self._shown = self._display(self, display_id=True)
        else:
            self._shown.update(self)


def _is_terminal(stream: Any) -> bool:
    return stream is not None and hasattr(stream, 'isatty') and stream.isatty()


def _notebook_display() -> Callable[..., Any] | None:
    """Return IPython's function that shows an object, in a notebook; otherwise None."""
    if 'IPython' not in sys.modules:
        return None
    from IPython import get_ipython
    from IPython.display import display
    return display if hasattr(get_ipython(), 'kernel') else None


# ---- the program ----

def _take_terminal() -> None:
    """Make standard error this session's terminal. Its end stops the program even under nohup, as on a server."""
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    fcntl.ioctl(2, termios.TIOCSCTTY, 0)


class _Child:
    """The program, with a pseudo-terminal as its standard error, so that it prints its progress.

    It runs in a session of its own: Ctrl+C reaches it once, from here. The pseudo-terminal is that session's terminal,
    so that the program ends with this process, however that ends.
    """

    process: subprocess.Popen[bytes]
    errors: int

    def __init__(self, command: Sequence[str], source: IO[bytes], output: IO[bytes]) -> None:
        if termios is None:
            self.errors, end = os.pipe()
            self.process = subprocess.Popen(command, stdin=source, stdout=output, stderr=end)
            os.close(end)
            return
        self.errors, terminal = os.openpty()
        try:
            tty.setraw(terminal)
            self.process = subprocess.Popen(command, stdin=source, stdout=output, stderr=terminal,
                                            start_new_session=True, preexec_fn=_take_terminal)
        except BaseException:
            os.close(self.errors)
            raise
        finally:
            os.close(terminal)

    def read(self) -> bytes:
        """Return what the program has written to its standard error; empty at the end."""
        try:
            return os.read(self.errors, 65536)
        except OSError:  # nobody has the other end of the pseudo-terminal
            return b''

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        os.close(self.errors)


def _read_messages(text: str) -> str:
    """Return the messages of the program, without its name; not what it announces, such as the time that it takes."""
    found = re.search(f'^{PREFIX}', text, re.M)
    return re.sub(f'^{PREFIX}', '', text[found.start():], flags=re.M).strip() if found else ''


def _show_progress(bar: _Bar, text: str) -> None:
    """Show the last line of what the program has written so far; a line of progress has no end."""
    announced, _, line = text.rpartition('\n')
    counts = [int(word) for word in re.findall(r'\d+', line)[:2]]  # "42 of 96 blocks, 3 s left"
    if line:
        bar.show(line, min(counts[0] / counts[1], 1) if len(counts) == 2 and counts[1] else None)
    elif announced and not _read_messages(text):
        bar.show(announced.rpartition('\n')[2])


def _follow(child: _Child, bar: _Bar) -> tuple[str, bool]:
    """Wait until the program ends. Return its messages, and whether it was interrupted: each Ctrl+C is passed on."""
    text, interrupted = b'', False
    while True:
        try:
            piece = child.read()
            if not piece:
                child.process.wait()
                break
            # a line of progress begins with a carriage return, and replaces the former one
            text = re.sub(rb'[^\n]*\r', b'', text + piece).replace(b'\033[K', b'')
            _show_progress(bar, text.decode('utf-8', 'replace'))
        except KeyboardInterrupt:
            interrupted = True
            child.process.send_signal(signal.SIGINT)
    bar.show('')
    return _read_messages(text.decode('utf-8', 'replace')), interrupted


def run_program(arguments: Sequence[str], experiment: object = None, *, progress: bool | None = None,
                keeps: bool = False, allowed: Sequence[int] = (0,), stacklevel: int = 3) -> bytes:
    """Run the program and return what it writes to its standard output.

    The experiment, as a tree of JSON, is its standard input. A status that is not allowed raises an Error with the
    program's message; a message of a program that succeeds becomes a warning, at the caller that many levels up.
    Ctrl+C stops the program and raises KeyboardInterrupt, unless it keeps what it has computed and has written it.
    """
    command = [find_program(), *arguments]
    with tempfile.TemporaryFile() as source, tempfile.TemporaryFile() as output:
        source.write(b'' if experiment is None else _to_json(experiment))
        source.seek(0)
        child = _start(command, source, output)
        try:
            messages, interrupted = _follow(child, _Bar(progress))
        finally:
            child.close()
        output.seek(0)
        data, status = output.read(), child.process.returncode
    if interrupted and not (keeps and data):
        raise KeyboardInterrupt
    if status not in allowed and not (interrupted and status == INTERRUPTED):
        raise Error(messages or f'{NAME} ended with status {status} and without a message', status)
    if messages:
        warnings.warn(messages, stacklevel=stacklevel)
    return data
