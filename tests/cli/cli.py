#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Black-box tests of normscope-cli: numbers, messages, exit status, and no incomplete files.

    cli.py NORMSCOPE-CLI
"""

import csv
import json
import math
import os
import pathlib
import re
import resource
import select
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time

CLI = os.path.abspath(sys.argv[1])
TINY = ['--depth', '2', '--d-model', '8', '--heads', '2', '--d-ff', '16', '--seq-len', '4', '--vocab', '11', '--seeds',
        '2']
FORMAT = {'format': 'normscope-experiment', 'version': 1}


class Tap:
    def __init__(self):
        self.count = 0
        self.failed = 0

    def check(self, name, problem):
        """Pass if there is no problem; a problem is a text or an exception."""
        self.count += 1
        self.failed += bool(problem)
        print(f'{"not ok" if problem else "ok"} {self.count} {name}', flush=True)
        if problem:
            print(f'{name}: {problem}', file=sys.stderr)

    def skip(self, name, reason):
        self.count += 1
        print(f'ok {self.count} {name} # SKIP {reason}', flush=True)

    def run(self, function):
        name = function.__name__.replace('_', '-')
        with tempfile.TemporaryDirectory(prefix='normscope-cli-') as folder:
            try:
                problem = function(folder)
            except Skip as reason:
                self.skip(name, reason)
                return
            except Exception as error:  # an exception is a failure
                problem = f'{type(error).__name__}: {error}'
        self.check(name, problem)


class Skip(Exception):
    pass


def cli(*args, folder='/', stdin='', env=None, **more):
    return subprocess.run([CLI, *args], cwd=folder, input=stdin, capture_output=True, text=True, timeout=120,
                          env={**os.environ, **(env or {})}, check=False, **more)


def run_json(*args, **more):
    done = cli('run', *args, '--format', 'json', **more)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout, parse_constant=lambda word: 1 / 0)


def same(got, wanted, what=''):
    assert got == wanted, f'{what}{got!r} instead of {wanted!r}'


def files_below(folder):
    return sorted(os.path.relpath(os.path.join(path, name), folder)
                  for path, _, names in os.walk(folder) for name in names)


# ---- bad input: the message has the key, the value and the allowed values ----

def experiment(**members):
    return json.dumps({**FORMAT, **members})


FORTY = [{'name': f'v{i}'} for i in range(40)]
BAD_FILES = [
    ('unknown-key', experiment(shape={'dept': 3}), ['shape.dept', '3', 'depth']),
    ('unknown-variant-key', experiment(variants=[{'attn': {'nrm': 'pre'}}]), ['variants[0].attn.nrm', 'pre', 'norm']),
    ('wrong-type', experiment(shape={'depth': '3'}), ['shape.depth', '"3"', 'from 1 to']),
    ('boolean-as-number', experiment(variants=[{'bias': 1}]), ['variants[0].bias', '1', 'true or false']),
    ('heads', experiment(shape={'heads': 3}), ['shape.heads', '3', '128', '1, 2, 4']),
    ('depth-0', experiment(shape={'depth': 0}), ['shape.depth', '0', 'from 1 to']),
    ('depth-1e9', experiment(shape={'depth': 1e9}), ['shape.depth', '1000000000', 'from 1 to']),
    ('depth-nan', experiment(shape={'depth': math.nan}), ['shape.depth', 'NaN', 'from 1 to']),
    ('depth-negative', experiment(shape={'depth': -1}), ['shape.depth', '-1', 'from 1 to']),
    ('std-negative', experiment(data={'embed_std': -0.5}), ['data.embed_std', '-0.5', 'from 0']),
    ('no-variants', experiment(variants=[]), ['variants', '0', 'from 1 to 16']),
    ('forty-variants', experiment(variants=FORTY), ['variants', '40', 'from 1 to 16']),
    ('name-twice', experiment(variants=[{'name': 'a'}, {'name': 'a'}]), ['variants[1].name', '"a"', 'no other']),
    ('empty-text', experiment(data={'source': 'text', 'text': ''}), ['data.text', '""', 'non-empty']),
    ('short-text', experiment(data={'source': 'text', 'text': 'abc'}), ['data.text', 'abc', 'seq_len', '32']),
    ('stack', experiment(shape={'stack': 'encoder'}), ['shape.stack', '"encoder"', 'single, encoder-decoder']),
    ('newer-version', json.dumps({**FORMAT, 'version': 2, 'shape': {'depth': 'x'}}),
     ['version: 2', 'newer Normscope', 'allowed: up to 1']),
    ('other-format', '{"format": "something"}', ['format', 'something', 'normscope-experiment']),
    ('truncated', experiment(shape={'depth': 3})[:-9], ['line 1', 'truncated']),
    ('empty', '', ['empty', 'experiment file']),
    ('binary', '\x00\x01\x02', ['byte 1', '0x00']),
    ('nested', '[' * 100000, ['nested']),
]

BAD_ARGUMENTS = [
    ('no-command', [], ['Usage', 'run', 'plot', 'dump', 'presets']),
    ('unknown-command', ['rnu'], ['rnu', '“run”', 'dump']),
    ('unknown-option', ['run', '--dept', '3'], ['--dept', '--depth', '--help']),
    ('unknown-short-option', ['run', '-Z'], ['-Z']),
    ('option-without-value', ['run', '--depth'], ['--depth']),
    ('option-0', ['run', '--depth', '0'], ['depth', '0', 'from 1 to']),
    ('option-nan', ['run', '--depth', 'nan'], ['depth', 'nan', 'from 1 to']),
    ('option-negative', ['run', '--embed-std', '-1'], ['embed_std', '-1', 'from 0']),
    ('option-word', ['run', '--activation', 'rleu'], ['activation', 'rleu', 'relu, gelu']),
    ('option-boolean', ['run', '--bias', 'maybe'], ['bias', 'maybe', 'true or false']),
    ('option-empty-text', ['run', '--source', 'text', '--text', ''], ['data.text', '""', 'non-empty']),
    ('set-without-value', ['run', '--set', 'training.steps'], ['--set', '“training.steps”', 'KEY=VALUE']),
    ('set-key', ['run', '--set', 'training.step=3'], ['--set', '“training.step”', '“training.steps”']),
    ('set-value', ['run', '--set', 'training.steps=0'], ['training.steps', '0', 'from 1 to']),
    ('warmup-of-variant', ['run', '--variant', 'post:warmup=-1'], ['--variant', 'warmup', '-1', 'from 0 to', 'null']),
    ('markov-vocab', ['run', '--source', 'markov', '--vocab', '513'], ['shape.vocab', '513', 'markov', '512']),
    ('option-heads', ['run', '--heads', '3'], ['heads', '3', '128']),
    ('memory-of-minibatches', ['run', '--batches', '1024', '--batch', '65536', '--seq-len', '4096'],
     ['sampling.batches: 1024 minibatches of batch 65536 × seq_len 4096', 'iB', 'this machine has']),
    ('memory', ['run', '--depth', '65536', '--d-model', '65536', '--d-ff', '1048576', '--seq-len', '65536'],
     ['depth 65536', 'PiB', 'this machine has']),
    ('memory-of-seeds', ['run', '--depth', '65536', '--seeds', '10000', '--d-model', '8', '--heads', '1'],
     ['of 2 variants with 10000 seeds', 'this machine has']),
    ('memory-of-steps', ['train', '--source', 'tokens', '--steps', '1000000000', '--seeds', '1000'],
     ['a training of 1000000000 steps: ', '1000 seeds', 'this machine has']),
    ('memory-of-a-map', ['paths', '--of', 'similarity', '--depth', '65536'], ['the map “similarity”: ', 'depth 65536']),
    ('format', ['run', '--format', 'xml'], ['--format', 'xml', 'table, json, csv, npy']),
    ('quantity', ['run', '--quantity', 'w_9'], ['--quantity', 'w_9', 'w_q', 'help quantity']),
    ('threads', ['run', '--threads', '-1'], ['--threads', '-1', 'from 0']),
    ('two-files', ['run', 'a', 'b'], ['“b”', '--help']),
    ('missing-file', ['run', 'missing.normscope'], ['missing.normscope', 'No such file']),
    ('folder-as-file', ['run', '/'], ['/', 'folder']),
    ('file-and-preset', ['run', 'a', '--preset', 'tiny'], ['a', 'tiny', 'exclude']),
    ('preset', ['run', '--preset', 'tinny'], ['tinny', '“tiny”', 'default']),
    ('preset-as-file', ['run', 'tiny'], ['--preset tiny']),
    ('preset-to-print', ['presets', 'tinny'], ['tinny', '“tiny”', 'default']),
    ('models-and-preset', ['presets', 'tiny', '--models'], ['--models', 'tiny']),
    ('scaled-what', ['presets', '--scaled'], ['--scaled', 'name of a preset']),
    ('format-of-what', ['presets', '--format', 'csv'], ['--format', '--models']),
    ('models-format', ['presets', '--models', '--format', 'xml'], ['xml', 'table', 'csv']),
    ('help-page', ['help', 'xylophone'], ['“xylophone”', 'help --list']),
    ('variant', ['run', '--variant', 'foo'], ['--variant', 'foo', 'pre, post']),
    ('variant-key', ['run', '--variant', 'pre:foo=1'], ['--variant', 'foo', 'residual_scale']),
    ('many-variants', ['run'] + 17 * ['--variant', 'pre'], ['--variant', '17', 'from 1 to 16']),
    ('text-file', ['run', '--text-file', 'missing.txt'], ['missing.txt', 'No such file']),
    ('empty-text-file', ['run', '--text-file', '/dev/null'], ['/dev/null', 'device']),
    ('plot-without-output', ['plot'], ['--output', '.png, .svg or .pdf']),
    ('plot-to-output', ['plot', '-o', '-'], ['--output', '“-”', '--format png']),
    ('plot-extension', ['plot', '-o', 'x.gif'], ['x.gif', '.png, .svg or .pdf']),
    ('plot-figure', ['plot', '-o', 'x.png', '--figure', 'flw'], ['--figure', 'flw', 'flow']),
    ('plot-quantity', ['plot', '-o', 'x.png', '--quantity', 'rms_x'], ['--quantity', 'rms_x', 'w_2']),
    ('plot-size', ['plot', '-o', 'x.png', '--width', '1', *TINY], ['1 ×', '16']),
    ('plot-for', ['plot', '-o', 'x.png', '--for', 'poster', *TINY], ['--for', 'poster', 'slide, column or columns']),
    ('plot-for-and-size', ['plot', '-o', 'x.png', '--for', 'slide', '--width', '800', *TINY], ['--for', '--width-cm']),
    ('plot-half-a-paper', ['plot', '-o', 'x.png', '--width-cm', '8', *TINY], ['--width-cm', '--height-cm']),
    ('plot-dpi', ['plot', '-o', 'x.png', '--width-cm', '8', '--height-cm', '8', '--dpi', '1', *TINY], ['--dpi', '24']),
    ('plot-huge', ['plot', '-o', 'x.png', '--width', '100000', '--height', '100000', *TINY], ['100000']),
    ('paths-of-nothing', ['paths'], ['--of', 'contributions, lengths, gain, similarity, update, routing']),
    ('paths-of', ['paths', '--of', 'lenght'], ['--of', 'lenght', '“lengths”']),
    ('paths-format', ['paths', '--of', 'gain', '--format', 'npy'], ['--format', 'npy', 'words, csv, json']),
    ('paths-extension', ['paths', '--of', 'gain', '-o', 'x.npy'], ['x.npy', '.csv']),
    ('paths-per-seed', ['paths', '--of', 'gain', '--per-seed'], ['--per-seed', 'csv or json']),
    ('paths-probes', ['paths', '--of', 'gain', '--probes', '0'], ['--probes', '0', 'from 1 to 1024']),
    ('paths-optimizer', ['paths', '--of', 'update', '--optimizer', 'lion'], ['--optimizer', 'lion', 'sgd, adam']),
    ('paths-optimizer-of', ['paths', '--of', 'gain', '--optimizer', 'sgd'], ['--optimizer', 'update']),
    ('paths-learning-rate', ['paths', '--of', 'update', '--learning-rate', '0'], ['--learning-rate', '1e-12', '1e+06']),
    ('paths-learning-rate-text', ['paths', '--of', 'update', '--learning-rate', '1e-3x'], ['--learning-rate', '1e-3x']),
    ('paths-learning-rate-nan', ['paths', '--of', 'update', '--learning-rate', 'nan'], ['--learning-rate', 'nan']),
    ('paths-matrices-only-of', ['paths', '--of', 'gain', '--matrices-only'], ['--matrices-only', 'update']),
    ('paths-learning-rate-of', ['paths', '--of', 'gain', '--learning-rate', '1'], ['--learning-rate', 'update']),
    ('paths-all-blocks', ['paths', '--of', 'gain', '--all-blocks'], ['--all-blocks', 'contributions']),
    ('dump-without-folder', ['dump', '--variant', 'pre'], ['--out', 'folder']),
    ('dump-without-variant', ['dump', '--out', 'd'], ['--variant', '“Pre-LN”', '“Post-LN”']),
    ('dump-variant', ['dump', '--variant', 'foo', '--out', 'd'], ['--variant', 'foo', '“Pre-LN”']),
]


def problem_of_refusal(done, status, words):
    text = done.stderr
    if done.returncode != status:
        return f'status {done.returncode} instead of {status}; {text}'
    if done.stdout:
        return f'unexpected output: {done.stdout[:100]}'
    missing = [word for word in words if word not in text]
    return f'{missing} not in: {text}' if missing else None


def check_refusals(tap):
    for name, text, words in BAD_FILES:
        with tempfile.TemporaryDirectory(prefix='normscope-cli-') as folder:
            with open(os.path.join(folder, 'bad.normscope'), 'w', encoding='utf-8') as file:
                file.write(text)
            done = cli('run', 'bad.normscope', '-o', 'out.json', folder=folder)
            problem = problem_of_refusal(done, 2, ['bad.normscope', *words])
            if files_below(folder) != ['bad.normscope']:
                problem = f'written: {files_below(folder)}'
        tap.check(f'bad-file/{name}', problem)
    for name, args, words in BAD_ARGUMENTS:
        with tempfile.TemporaryDirectory(prefix='normscope-cli-') as folder:
            done = cli(*args, folder=folder)
            problem = problem_of_refusal(done, 2, words)
            if files_below(folder):
                problem = f'written: {files_below(folder)}'
        tap.check(f'bad-argument/{name}', problem)


# ---- outputs that cannot be written ----

def output_cannot_be_written(folder):
    dump = ['dump', '--variant', 'pre', *TINY, '--out']
    for args, path in [(['run', *TINY, '-o'], 'no/such/x.json'), (['plot', *TINY, '-o'], 'no/such/x.png'),
                       (dump, 'no/such/d'), (['presets', 'tiny', '-o'], 'no/such/x'), (['run', *TINY, '-o'], folder)]:
        done = cli(*args, path, folder=folder)
        problem = problem_of_refusal(done, 1, [path])
        if problem:
            return problem
    return files_below(folder)


def full_disk(folder):
    if not os.path.exists('/dev/full'):
        raise Skip('there is no /dev/full')
    done = cli('run', *TINY, '-o', '/dev/full', folder=folder)
    problem = problem_of_refusal(done, 1, ['/dev/full', 'No space left'])
    for args in [['run', *TINY], ['run', *TINY, '--format', 'json'], ['presets'], ['--help'], ['run', '--help']]:
        with open('/dev/full', 'w', encoding='utf-8') as full:
            done = subprocess.run([CLI, *args], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
        if done.returncode != 1 or 'No space left' not in done.stderr:
            return f'{args}: status {done.returncode}, {done.stderr}'
    return problem


def closed_streams(folder):
    """Without standard streams nothing is lost in silence, and no output file gets their numbers and messages."""
    same(cli('run', *TINY, '-o', 'whole.csv', folder=folder).returncode, 0)
    with open(os.path.join(folder, 'whole.csv'), 'rb') as file:
        whole = file.read()
    for closed in [(1,), (2,), (0, 1), (1, 2), (0, 1, 2)]:
        def close(numbers=closed):
            for number in numbers:
                os.close(number)
        done = subprocess.run([CLI, 'run', *TINY, '-o', 'x.csv'], cwd=folder, preexec_fn=close, capture_output=True,
                              check=False)
        with open(os.path.join(folder, 'x.csv'), 'rb') as file:
            written = file.read()
        if done.returncode != 0 or written != whole:
            return f'{closed} closed: status {done.returncode}, {written[:200]}'
        done = subprocess.run([CLI, 'run', *TINY], cwd=folder, preexec_fn=close, capture_output=True, check=False)
        if 1 in closed and done.returncode != 1 or 2 not in closed and b'standard output' not in done.stderr:
            return f'{closed} closed: status {done.returncode}, {done.stderr}'
    return None


def output_nobody_reads(folder):
    """"run | head" ends without a message, as for any other tool."""
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, 'wb') as pipe:
        done = subprocess.run([CLI, 'run', *TINY], cwd=folder, stdout=pipe, stderr=subprocess.PIPE, check=False)
    same((done.returncode, done.stderr), (-signal.SIGPIPE, b''))


def limited(size):
    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
    return limit


def disk_full_half_way(folder):
    """A limit on the file size stops a write half-way, like a full disk."""
    for args in [['run', '-o', 'old.json'], ['plot', '-o', 'old.png'], ['dump', '--variant', 'pre', '--out', 'old']]:
        name = args[-1]
        if args[0] == 'dump':
            same(cli(*args, *TINY, folder=folder).returncode, 0)
        else:
            with open(os.path.join(folder, name), 'w', encoding='utf-8') as file:
                file.write('precious')
        before = {path: os.stat(os.path.join(folder, path)).st_mtime_ns for path in files_below(folder)}
        done = cli(*args, '--depth', '3', '--seeds', '1', folder=folder, preexec_fn=limited(2000))
        problem = problem_of_refusal(done, 1, [name])
        after = {path: os.stat(os.path.join(folder, path)).st_mtime_ns for path in files_below(folder)}
        if problem or before != after:
            return problem or f'{args}: {sorted(before)} became {sorted(after)}'
    return None


def small_file_system(folder):
    if os.geteuid() != 0:
        raise Skip('mounting a small file system requires root')
    if subprocess.run(['mount', '-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', folder], capture_output=True,
                      check=False).returncode != 0:
        raise Skip('a small file system cannot be mounted here')
    try:
        for args in [['dump', '--variant', 'pre', '--out', 'd'], ['run', '-o', 'x.json']]:
            done = cli(*args, folder=folder)
            problem = problem_of_refusal(done, 1, [args[-1], 'No space left'])
            if problem or os.listdir(folder):
                return problem or f'left behind: {os.listdir(folder)}'
    finally:
        subprocess.run(['umount', folder], check=True)
    return None


def dump_over_other_files(folder):
    os.mkdir(os.path.join(folder, 'mine'))
    with open(os.path.join(folder, 'mine', 'note.txt'), 'w', encoding='utf-8') as file:
        file.write('precious')
    done = cli('dump', '--variant', 'pre', *TINY, '--out', 'mine', folder=folder)
    same(files_below(folder), ['mine/note.txt'])
    return problem_of_refusal(done, 1, ['mine', 'earlier dump'])


# ---- interruption ----

LONG = ['--depth', '1024', '--seeds', '1000']


def wait(process):
    """Wait for the end of the program and return its output; kill it after a timeout."""
    try:
        return process.communicate(timeout=60)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        raise


def read_until(file, word, seconds):
    """Read until the word appears, the input ends or the time is over."""
    text = b''
    deadline = time.monotonic() + seconds
    while word not in text and select.select([file], [], [], max(0, deadline - time.monotonic()))[0]:
        try:
            piece = os.read(file, 65536)
        except OSError:  # the other end of the terminal is closed
            break
        if not piece:
            break
        text += piece
    return text


def interrupt(args, number, folder, after=None):
    """Send a signal to a long command and return its status and standard error.

    With `after`, run it on a terminal and wait for this word before the signal.
    """
    primary, secondary = os.openpty() if after else os.pipe()
    process = subprocess.Popen([CLI, *args], cwd=folder, stdout=subprocess.PIPE, stderr=secondary)
    os.close(secondary)
    if after:
        text = read_until(primary, after, 60)
    else:
        time.sleep(1.5)
        text = b''
    process.send_signal(number)
    start = time.monotonic()
    out, _ = wait(process)
    took = time.monotonic() - start
    text += read_until(primary, b'\0', 60)
    os.close(primary)
    assert out == b'', 'unexpected output'
    assert took < 5, f'took {took} s to stop'
    return process.returncode, text.decode()


def interrupted(folder):
    for args in [['run', *LONG, '-o', 'x.json'], ['plot', *LONG, '-o', 'x.png'], ['run', *LONG],
                 ['bench', *LONG, '--rounds', '10000']]:
        status, text = interrupt(args, signal.SIGINT, folder)
        same(status, 130)
        assert 'interrupted' in text and '\r' not in text, text
        same(files_below(folder), [])
    status, text = interrupt(['run', *LONG], signal.SIGTERM, folder)
    same(status, 128 + signal.SIGTERM)


def interrupted_dump(folder):
    """A signal during the writing of arrays removes the new files and keeps the earlier dump."""
    same(cli('dump', '--variant', 'pre', *TINY, '--out', 'd', folder=folder).returncode, 0)
    before = files_below(folder)
    args = ['dump', '--variant', 'pre', *TINY, '--depth', '4000', '--out', 'd']  # a short run with many files
    process = subprocess.Popen([CLI, *args], cwd=folder, stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 60
    seen = False
    while not seen and process.poll() is None and time.monotonic() < deadline:
        seen = any('block0' in path for path in files_below(folder) if not path.startswith('d/'))
        time.sleep(0.005)
    process.send_signal(signal.SIGINT)
    _, text = wait(process)
    assert seen, 'no array appeared before the signal'
    same(process.returncode, 130)
    assert 'interrupted' in text, text
    same(files_below(folder), before)


def progress_on_a_terminal(folder):
    status, text = interrupt(['run', *LONG], signal.SIGINT, folder, after=b' left\x1b[K')
    same(status, 130)
    assert ' of ' in text and ' left' in text and '\r' in text, repr(text)
    assert '\r\x1b[Knormscope-cli: interrupted' in text, f'the progress line was not cleared: {text!r}'
    status, text = interrupt(['bench', *TINY, '--rounds', '10000'], signal.SIGINT, folder, after=b' left\x1b[K')
    same(status, 130)
    total = 2 * 10001 * (7 * 2 + 4)  # two variants; in each round: three passes, products, the weights of all sites
    assert f' of {total} blocks' in text, repr(text)


# ---- help and version ----

def help_lists_every_key(folder):
    printed = cli('presets', 'tiny')
    tree = json.loads(printed.stdout)

    def keys(node, prefix=''):
        for key, value in node.items():
            if isinstance(value, dict):
                yield from keys(value, f'{prefix}{key}.')
            else:
                yield prefix + key
    wanted = [key.split('.', 1)[1] for part in ['shape', 'data', 'sampling'] for key in keys({part: tree[part]})]
    wanted += ['loss', *keys(tree['variants'][0])]
    assert len(wanted) >= 30, wanted
    for command in ['run', 'plot', 'dump', 'script', 'link', 'paths']:
        page = cli(command, '--help')
        same(page.returncode, 0)
        options = [line.split()[-2] if line.startswith('  -') else line.split()[0]
                   for line in page.stdout.splitlines() if line.startswith('      --')]
        for key in wanted:
            option = '--' + key.replace('_', '-').replace('.', '-')
            assert option in options, f'{option} is not in {command} --help'
        assert 'from 1 to' in page.stdout and 'default 24 blocks' in page.stdout
        assert max(map(len, page.stdout.splitlines())) <= 100, 'lines too long'
    for command in ['bench', 'presets', 'help']:
        same(cli(command, '--help').returncode, 0)
    same(cli('--help').returncode, 0)


def version(folder):
    done = cli('--version')
    same(done.returncode, 0)
    assert re.fullmatch(r'normscope \d+\.\d+\.\d+(\+g[0-9a-f]{7,}(\.dirty)?)?\n', done.stdout), done.stdout
    same(run_json(*TINY)['generator'], done.stdout.strip())


# ---- experiments from files, presets and options ----

def options_override(folder):
    path = os.path.join(folder, 'x.normscope')
    with open(path, 'w', encoding='utf-8') as file:
        json.dump({**FORMAT, 'shape': {'depth': 3, 'd_model': 16, 'heads': 2, 'd_ff': 8, 'seq_len': 4},
                   'sampling': {'seeds': 1}, 'variants': [{'name': 'a'}, {'name': 'b', 'bias': True}]}, file)
    got = run_json(path)['experiment']
    same((got['shape']['depth'], got['shape']['vocab'], len(got['variants'])), (3, 256, 2))
    got = run_json(path, '--depth', '2', '--d_model=8', '--attn.norm', 'post', '--ffn-residual', 'off', '--bias',
                   '--init-scheme', 'normal', '--init.residual', 'gpt2', '--post-fraction', '0.5',
                   '--residual-scale', '2', '--seed', '9007199254740991', '--loss', 'unit-gradient')['experiment']
    same((got['shape']['depth'], got['shape']['d_model'], got['sampling']['seed']), (2, 8, 9007199254740991))
    same(got['loss'], 'unit-gradient')
    for variant in got['variants']:
        same(variant['attn'], {'norm': 'post', 'residual': True, 'inner_norm': False})
        same(variant['ffn'], {'norm': 'pre', 'residual': False, 'inner_norm': False})
        same((variant['bias'], variant['post_fraction'], variant['residual_scale']), (True, 0.5, 2.0))
        same(variant['init'], {'scheme': 'normal', 'std': 0.02, 'residual': 'gpt2', 'head': 'scheme'})
    got = run_json(path, '--variant', 'pre', '--variant', 'post:residual_scale=1.5,init.scheme=normal,name=P',
                   '--post-fraction', 'null')
    same([variant['name'] for variant in got['variants']], ['Pre-LN', 'P'])
    same(got['experiment']['variants'][1]['residual_scale'], 1.5)
    with open(path, encoding='utf-8') as file:
        same(run_json('-', stdin=file.read())['variants'], run_json(path)['variants'])


def settings_of_training(folder):
    """Options, --set and variants set the keys of training; none of them changes a run."""
    table = cli('run', *TINY, '--variant', 'post').stdout
    done = cli('run', *TINY, '--variant', 'post', '--steps', '7', '--warmup', '5', '--set', 'training.learning_rate=1')
    same(re.sub(r'[0-9.]+ ms', '', done.stdout), re.sub(r'[0-9.]+ ms', '', table), 'table')

    link = cli('link', *TINY, '--variant', 'post:warmup=100,learning_rate=0.5', '--variant', 'post:warmup=0', '--steps',
               '7', '--optimizer', 'sgd', '--set', 'training.clip=2').stdout
    path = os.path.join(folder, 'link.txt')
    with open(path, 'w', encoding='utf-8') as file:
        file.write(link)
    saved = run_json(path)['experiment']
    same([saved['training'][key] for key in ('steps', 'optimizer', 'clip', 'warmup')], [7, 'sgd', 2, 0], 'training')
    first, second = saved['variants']
    same((first['name'], first['warmup'], first['learning_rate']),
         ('Post-LN, learning rate 0.5, warm-up 100', 100, 0.5))
    same((second['name'], second['warmup'], 'learning_rate' in second), ('Post-LN, no warm-up', 0, False))

    update = cli('paths', *TINY, '--of', 'update', '--learning-rate', '1e-4', '--set',
                 'training.learning_rate=9').stdout
    if '1.00·10⁻⁴' not in update:
        return f'the command has its own --learning-rate: {update}'
    return None


def preset_names(text):
    """Extract the names from the list, in which presets are indented by two blanks and headings are not."""
    return [line.split()[0] for line in text.splitlines() if line.startswith('  ')]


def short_options(folder):
    long = run_json('--preset', 'tiny', '--threads', '1', '--output', '-')
    for args in [['-p', 'tiny', '-j', '1'], ['-ptiny', '-j1'], ['-j1', '-ptiny', '-o', '-'], ['-ptiny', '-j1', '-o-']]:
        same(run_json(*args), long, f'{args}: ')
    # The last line has the time.
    same(cli('run', '-ptiny', '-qw_1,w_2', '-j1').stdout.splitlines()[:-1],
         cli('run', '-p', 'tiny', '-q', 'w_1,w_2', '-j', '1').stdout.splitlines()[:-1])
    same(run_json(*TINY, '-Vpost:residual_scale=2', '-V', 'pre')['variants'],
         run_json(*TINY, '--variant', 'post:residual_scale=2', '--variant', 'pre')['variants'])
    same(cli('link', '-xptiny').stdout, cli('link', '--expand', '--preset', 'tiny').stdout)
    same(cli('run', '-hj1').stdout, cli('run', '--help').stdout)
    done = cli('run', *TINY, '-o', '-j1', '-fjson', folder=folder)
    same((done.returncode, files_below(folder)), (0, ['-j1']))
    for args, words in [(['-jx'], ['“x”', '-j']), (['-j'], ['-j']), (['-j-1'], ['--threads', '-1']), (['-Zj1'], ['-Z']),
                        (['-fxml'], ['xml'])]:
        problem = problem_of_refusal(cli('run', '-ptiny', *args), 2, words)
        assert problem is None, problem


def presets(folder):
    done = cli('presets', env={'XDG_DATA_HOME': folder})
    same(done.returncode, 0)
    same(done.stderr, '')
    names = preset_names(done.stdout)
    for wanted in ['default', 'xiong-theory', 'gpt2-small', 'transformer-base-encoder', 'tiny', 'llama-7b']:
        assert wanted in names, f'{wanted} is not in {names}'
    for name in names:
        printed = cli('presets', name)
        same(printed.returncode, 0)
        same(json.loads(printed.stdout)['format'], 'normscope-experiment')
        scaled = cli('presets', name, '--scaled')
        same(scaled.returncode, 0)
        shape, full = json.loads(scaled.stdout)['shape'], json.loads(printed.stdout)['shape']
        same(shape['depth'], full['depth'], name + ': ')
        assert shape['d_model'] <= 128 and shape['vocab'] <= 1024, f'{name}: {shape}'
    shrunk = ['--depth', '2', '--seq-len', '4', '--seeds', '1', '--d-model', '24', '--d-ff', '24', '--vocab', '64']
    for name in ['default', 'xiong-theory', 'gpt2-small', 'bert-base']:
        printed = cli('presets', name)
        same(run_json('-', *shrunk, stdin=printed.stdout)['variants'],
             run_json('--preset', name, *shrunk)['variants'], name + ': ')
    same(run_json('--seeds', '1')['experiment'], run_json('--preset', 'default', '--seeds', '1')['experiment'])


def user_presets(folder):
    env = {'XDG_DATA_HOME': folder}
    own = os.path.join(folder, 'normscope', 'presets')
    os.makedirs(own)
    for name, text in [('mine', experiment(shape={'depth': 3})), ('newer', json.dumps({**FORMAT, 'version': 9})),
                       ('broken', '{'), ('tiny', experiment())]:
        with open(os.path.join(own, name + '.normscope'), 'w', encoding='utf-8') as file:
            file.write(text)
    done = cli('presets', env=env)
    same(done.returncode, 0)
    assert 'mine' in preset_names(done.stdout) and 'newer' not in preset_names(done.stdout), done.stdout
    for wanted in ['newer.normscope', 'newer Normscope', 'broken.normscope', 'tiny.normscope', 'built-in preset']:
        assert wanted in done.stderr, f'{wanted} is not in {done.stderr}'
    same(len(done.stderr.splitlines()), 3)
    same(json.loads(cli('presets', 'mine', env=env).stdout)['shape']['depth'], 3)
    same(run_json('--preset', 'mine', '--seeds', '1', env=env)['experiment']['shape']['depth'], 3)
    same(json.loads(cli('presets', 'tiny', env=env).stdout)['shape']['depth'], 4)


def user_index(folder):
    """The list and --about report errors in presets.ini and keep the preset."""
    env = {'XDG_DATA_HOME': folder}
    own = os.path.join(folder, 'normscope', 'presets')
    os.makedirs(own)
    with open(os.path.join(own, 'mine.normscope'), 'w', encoding='utf-8') as file:
        file.write(experiment())
    for text, words in [('[mine]\nTitle=x\n[broken\n', ['presets.ini', 'line 3', '“[broken”', 'KEY=VALUE']),
                        ('[mine]\nVariant=nosuch\n', ['presets.ini', '[mine] Variant', '“nosuch”', 'pre, post'])]:
        with open(os.path.join(own, 'presets.ini'), 'w', encoding='utf-8') as file:
            file.write(text)
        for args in [['presets'], ['presets', '--about', 'mine']]:
            done = cli(*args, env=env)
            same(done.returncode, 0)
            assert 'mine' in done.stdout, done.stdout
            for word in ['left out', *words]:
                assert word in done.stderr, f'{word} is not in {done.stderr}'
            assert 'preset was left out' not in done.stderr, done.stderr


def models(folder):
    rows = json.loads(cli('presets', '--models', '--format', 'json').stdout)
    table = {row['id']: row for row in rows}
    same(table['bert-base']['placement'], 'Post-LN')
    same(table['gpt-neox-20b']['placement'], 'Parallel, two norms')
    assert 'norm_eps' in table['bert-base']['not_confirmed']
    read = list(csv.DictReader(cli('presets', '--models', '--format', 'csv').stdout.splitlines()))
    same([row['id'] for row in read], [row['id'] for row in rows])
    same([row['equation'] for row in read], [row['equation'] for row in rows])
    page = cli('presets', '--models').stdout.splitlines()
    same(len(page), len(rows) + 1)
    about = cli('presets', 'qwen3-0.6b', '--about').stdout
    for wanted in ['QK-norm', 'Not confirmed: shape.d_ff, rotary_base', 'of memory on this machine', '1024 → 128']:
        assert wanted in about, f'{wanted} is not in {about}'


def pages(folder):
    page = cli('help', 'shape.depth').stdout
    for wanted in ['Depth  (parameter:shape.depth)', '--depth', 'from 1 to 65536', 'See also:']:
        assert wanted in page, f'{wanted} is not in {page}'
    same(cli('help', 'token_cos').stdout.splitlines()[0], 'Token similarity  (quantity:token_cos)')
    found = cli('help', 'attention', 'residual').stdout.splitlines()
    same(found[0].split()[0], 'parameter:attn.residual')
    ids = [line.split()[0] for line in cli('help', '--list').stdout.splitlines() if line.startswith('  ')]
    assert len(ids) == len(set(ids)) > 200 and 'claim:theorem-1-post' in ids
    same(cli('help', '--markdown', '-o', 'guide.md', folder=folder).returncode, 0)
    with open(os.path.join(folder, 'guide.md'), encoding='utf-8') as file:
        guide = file.read()
    for link in re.findall(r'\]\(#([^)]*)\)', guide):
        assert f'<a id="{link}">' in guide, f'nothing has the name {link}'


def text_input(folder):
    got = run_json(*TINY, '--source', 'text', '--vocab', '256')['experiment']['data']
    assert len(got['text']) > 4000, 'not the sample text'
    path = os.path.join(folder, 'text.txt')
    with open(path, 'w', encoding='utf-8') as file:
        file.write('Grüße aus der Tiefe\n' * 3)
    got = run_json('--preset', 'tiny', '--text-file', path)['experiment']
    same((got['data']['source'], got['data']['text'], got['shape']['vocab']),
         ('text', 'Grüße aus der Tiefe\n' * 3, 256))
    done = cli('run', '--text-file', path, '--seq-len', '200')
    return problem_of_refusal(done, 2, [path, 'seq_len', '200'])


# ---- numbers ----

def result_as_json(folder):
    got = run_json(*TINY)
    same((got['format'], got['version']), ('normscope-result', 1))
    same([variant['name'] for variant in got['variants']], ['Pre-LN', 'Post-LN'])
    for variant in got['variants']:
        same([(layer['layer'], layer['part']) for layer in variant['layers']], [(1, 'stack'), (2, 'stack')])
        same(variant['overflow'], None)
        assert 0 < variant['loss']['mean'] < 20, variant['loss']
        for site in [variant['input'], *variant['layers']]:
            assert site['grad_x']['mean'] > 0 and site['rms_x']['mean'] > 0 and -1 <= site['token_cos']['mean'] <= 1
        for layer in variant['layers']:
            grad = {name: stat['mean'] for name, stat in layer['grad'].items()}
            tensors = [value for name, value in grad.items() if name not in ('attn', 'ffn', 'block')]
            same(set(layer['grad']['w_2']), {'mean', 'std', 'geometric_mean', 'sd_factor', 'log10_mean'})
            for name in ['w_q', 'w_k', 'w_v', 'w_o', 'w_1', 'w_2']:
                assert grad[name] > 0, f'{name} is {grad[name]}'
            # The squares add up exactly for one seed, and approximately for means over two.
            assert math.isclose(grad['block'], math.sqrt(sum(value ** 2 for value in tensors)), rel_tol=0.05)
        assert variant['head']['grad']['w_head']['mean'] > 0
    one = run_json(*TINY, '--seeds', '1')['variants'][0]['layers'][0]['grad']
    same(one['block']['std'], 0.0)
    assert math.isclose(one['w_2']['log10_mean'], math.log10(one['w_2']['mean']), rel_tol=1e-9)


def statistics_over_seeds(folder):
    """The statistics of two seeds are the mean and the sample standard deviation of their single runs."""
    both = run_json(*TINY, '--seed', '7')['variants'][0]['layers'][1]['grad']['w_2']
    each = [run_json(*TINY, '--seeds', '1', '--seed', str(seed))['variants'][0]['layers'][1]['grad']['w_2']['mean']
            for seed in (7, 8)]
    assert each[0] != each[1]
    assert math.isclose(both['mean'], sum(each) / 2, rel_tol=1e-12)
    assert math.isclose(both['std'], abs(each[0] - each[1]) / math.sqrt(2), rel_tol=1e-9)


def threads_change_nothing(folder):
    outputs = {cli('run', *TINY, '--seeds', '5', '--format', 'csv', '--threads', str(n)).stdout for n in (1, 2, 3)}
    same(len(outputs), 1)


def count_stats(node):
    """Count the statistics in a part of a result."""
    if isinstance(node, list):
        return sum(map(count_stats, node))
    if not isinstance(node, dict):
        return 0
    return 1 if 'mean' in node else sum(map(count_stats, node.values()))


def result_as_csv(folder):
    done = cli('run', *TINY, '-o', 'x.csv', folder=folder)
    same((done.returncode, done.stdout, done.stderr), (0, '', ''))
    with open(os.path.join(folder, 'x.csv'), encoding='utf-8', newline='') as file:
        text = file.read()
    assert '\r' not in text
    lines = text.splitlines(keepends=True)
    rows = list(csv.DictReader(line for line in lines if not line.startswith('#')))
    same(list(rows[0]), ['variant', 'part', 'layer', 'quantity', 'kind', 'mean', 'std', 'geometric_mean', 'sd_factor',
                         'log10_mean', 'seeds'])
    tree = run_json(*TINY)
    found = 0
    for row in rows:
        variant = next(item for item in tree['variants'] if item['name'] == row['variant'])
        if row['part'] == 'stack':
            layer = variant['layers'][int(row['layer']) - 1]
            stat = layer['grad'].get(row['quantity']) or layer[row['quantity']]
            same((float(row['mean']), float(row['std']), row['seeds']), (stat['mean'], stat['std'], '2'))
            assert ('geometric_mean' in stat) == (row['geometric_mean'] != ''), row
            if 'geometric_mean' in stat:
                assert math.isclose(float(row['geometric_mean']), 10 ** stat['log10_mean'], rel_tol=1e-9), row
                same(float(row['sd_factor']), stat['sd_factor'])
            found += 1
    same(found, sum(count_stats(variant['layers']) for variant in tree['variants']))


def result_as_table(folder):
    done = cli('run', *TINY)
    same((done.returncode, done.stderr), (0, ''))
    lines = done.stdout.splitlines()
    assert lines[0].startswith('Pre-LN · loss ') and 'grad_x' in lines[2], lines[:3]
    tree = run_json(*TINY)
    block = next(line for line in lines if line.split()[:1] == ['2']).split()
    assert math.isclose(float(block[lines[2].split().index('grad_x')]),
                        tree['variants'][0]['layers'][1]['grad_x']['geometric_mean'], rel_tol=1e-3)
    assert '2 seeds · ' in lines[-1] and lines[-1].endswith(' ms'), lines[-1]
    assert sum('This is P' in line for line in lines) == 2, lines
    assert "An identity path carries the last block's gradient to the input unchanged, " in done.stdout, done.stdout
    narrow = cli('run', *TINY, '--quantity', 'w_2,rms_x').stdout.splitlines()
    same(narrow[2].split(), ['block', 'w_2', 'rms_x'])


def only_if_named(folder):
    """Quantities that take passes of their own are in no output unless they are named, and then in every format."""
    names = ['path_length', 'gain', 'update_h_sgd']
    table = cli('run', *TINY, '--quantity', ','.join(names)).stdout.splitlines()
    same(table[2].split(), ['block', *names])
    head = next(line.split() for line in table if line.split()[:1] == ['head'])
    plain, named = run_json(*TINY), run_json(*TINY, '--quantity', ','.join(names))
    assert 'gain' not in plain['variants'][0]['layers'][0] and 'update_h_sgd' not in plain['variants'][0]
    same(list(named['variants'][0]['input'])[-1:], list(plain['variants'][0]['input'])[-1:])
    block, last = named['variants'][0]['layers']
    assert last['path_length']['mean'] == 0 < block['path_length']['mean'], block
    same(last['gain']['mean'], 1)
    assert math.isclose(float(head[1]), named['variants'][0]['update_h_sgd']['mean'], rel_tol=1e-3), head
    for name in ('own.csv', 'own.npy'):
        for options, is_there in (((), False), (('--quantity', 'gain'), True)):
            cli('run', *TINY, '-o', name, *options, folder=folder)
            text = pathlib.Path(folder, name).read_bytes().decode('latin-1').replace('\0', '')
            same((re.search('(?<!_)gain(?!_)', text) is not None, 'path_length' in text), (is_there, False))


def locale_changes_nothing(folder):
    if shutil.which('localedef') is None or not os.path.exists('/usr/share/i18n/locales/de_DE'):
        raise Skip('localedef or the definition of de_DE is not installed')
    subprocess.run(['localedef', '-i', 'de_DE', '-f', 'UTF-8', './de_DE.UTF-8'], cwd=folder, check=True)
    comma = {'LOCPATH': str(folder), 'LC_ALL': 'de_DE.UTF-8', 'LANGUAGE': 'C'}
    shown = subprocess.run(['bash', '-c', 'printf %.1f 1,5'], env={**os.environ, **comma}, capture_output=True,
                           text=True, check=False).stdout
    same(shown, '1,5')  # the locale is active
    same(cli('run', *TINY, '--format', 'csv', env=comma).stdout, cli('run', *TINY, '--format', 'csv').stdout)


def vanishing_and_overflow(folder):
    deep = ['--depth', '1000', '--d-model', '32', '--heads', '2', '--d-ff', '64', '--seq-len', '4', '--seeds', '1',
            '--activation', 'gelu']
    got = run_json(*deep, '--variant', 'none', '--attn-residual', 'off', '--ffn-residual', 'off')['variants'][0]
    first = got['layers'][0]['grad']['w_2']
    assert got['overflow'] is None and isinstance(first['log10_mean'], float), first
    assert first['log10_mean'] < -300, first
    got = run_json(*deep, '--variant', 'none', '--residual-scale', '1000000')['variants'][0]
    assert 1 <= got['overflow']['layer'] <= 1001 and got['overflow']['seed'] == 0, got['overflow']
    same(got['layers'][999]['rms_x']['mean'], None)


def forced_kernels(folder):
    done = cli('run', *TINY, env={'OPENBLAS_CORETYPE': 'Haswell'})
    same(done.returncode, 0)
    assert 'OPENBLAS_CORETYPE' in done.stderr, done.stderr


def kernels_of_the_processor(folder):
    """OpenBLAS takes the kernels of a Pentium 4 for a processor that it does not know; the program takes others."""
    flags = pathlib.Path('/proc/cpuinfo').read_text(encoding='utf-8').split()
    if not {'avx2', 'fma'} <= set(flags):
        raise Skip('no AVX2 here')
    done = cli('bench', *TINY, '--rounds', '1')
    same((done.returncode, done.stderr), (0, ''))
    assert 'Prescott' not in done.stdout, done.stdout


def bench(folder):
    done = cli('bench', *TINY, '--rounds', '2')
    same((done.returncode, done.stderr), (0, ''))
    times = [float(line.split(' ms')[0].split()[-1]) for line in done.stdout.splitlines() if ' ms' in line]
    assert len(times) == 10 and min(times) > 0, done.stdout
    return problem_of_refusal(cli('bench', '--rounds', '0'), 2, ['--rounds', '0', 'from 1'])


def no_escape_sequences(folder):
    """Escape sequences in a name from a file do not reach the terminal."""
    path = os.path.join(folder, 'x.normscope')
    name = 'evil\x1b[2J\x9b2J'
    for variants in [[{'name': name}], [{'name': name}, {'name': name}], [{'name': 'a', name: 1}]]:
        with open(path, 'w', encoding='utf-8') as file:
            file.write(experiment(variants=variants))
        done = cli('run', path, *TINY)
        assert 'evil' in done.stdout + done.stderr, done.stderr
        assert '\x1b' not in done.stdout + done.stderr and '\x9b' not in done.stdout + done.stderr


def names_on_a_line(folder):
    """A name with a line break is refused on one line, by every command."""
    for args in [['run', *TINY], ['bench', *TINY, '--rounds', '1'], ['scaling', *TINY]]:
        problem = problem_of_refusal(cli(*args, '--variant', 'post:name=a\nb'), 2, ['name: "a\\nb"', 'control char'])
        if problem:
            return problem
    done = cli('run', '--variant', 'post:name=a b', '--variant', 'pre:name=a b')
    assert 'variants[1].name: "a b"' in done.stderr and done.stderr.count('\n') == 1, done.stderr
    return None


# ---- plot ----

def plots(folder):
    heads = {'x.png': b'\x89PNG\r\n\x1a\n', 'x.svg': b'<?xml', 'x.pdf': b'%PDF'}
    env = {'DISPLAY': '', 'WAYLAND_DISPLAY': ''}
    for name, head in heads.items():
        done = cli('plot', *TINY, '-o', name, '--width', '640', '--height', '400', '--scale', '2', folder=folder,
                   env=env)
        same((done.returncode, done.stdout, done.stderr), (0, '', ''))
        with open(os.path.join(folder, name), 'rb') as file:
            data = file.read()
        assert data.startswith(head), data[:20]
        if name == 'x.png':
            same(struct.unpack('>II', data[16:24]), (1280, 800))
            assert b'normscope-experiment' in data, 'the experiment is not in the picture'
    cli('plot', *TINY, '-o', 'dark.png', '--dark', '--quantity', 'w_2', '--text-scale', '1.5', folder=folder)
    assert os.path.getsize(os.path.join(folder, 'dark.png')) > 1000
    piped = subprocess.run([CLI, 'plot', *TINY, '-o', '-', '--format', 'svg'], capture_output=True, check=False).stdout
    assert piped.startswith(b'<?xml'), piped[:20]
    divided = cli('plot', *TINY, '--stack', 'encoder-decoder', '--quantity', 'cross', '--magnitude', 'rms_cross', '-o',
                  '-', '--format', 'svg').stdout
    assert 'encoder has no ‖∂L/∂θ_cross‖; decoder ' in divided, divided[:2000]


# ---- paths ----

def paths(folder):
    """A summary in words, the same numbers in both formats, and nothing after an interruption."""
    for kind, words in [('contributions', 'share'), ('lengths', 'branches on average'), ('gain', '2 probes'),
                        ('similarity', 'cosine'), ('update', 'input of the head'), ('routing', 'no experts')]:
        args = ['paths', *TINY, '--of', kind, '--probes', '2']
        shown = cli(*args, folder=folder)
        same((shown.returncode, shown.stderr, shown.stdout.count('\n')), (0, '', 2))
        assert words in shown.stdout and shown.stdout.startswith('Pre-LN: '), shown.stdout
        for name in ['x.json', 'x.csv', 'x.txt']:
            done = cli(*args, '-o', name, folder=folder)
            same((done.returncode, done.stdout, done.stderr), (0, '', ''))
        with open(os.path.join(folder, 'x.txt'), encoding='utf-8') as file:
            same(file.read(), shown.stdout)
        printed = cli(*args, '--format', 'csv').stdout.splitlines()
        with open(os.path.join(folder, 'x.csv'), encoding='utf-8') as file:
            same([line.rstrip('\n') for line in file if not line.startswith('#')], printed)
        with open(os.path.join(folder, 'x.json'), encoding='utf-8') as file:
            tree = json.load(file)
        same((tree['format'], tree['of']), ('normscope-paths', kind))
        rows = [row for variant in tree['variants'] for row in variant['numbers']]
        same(len(rows), len(printed) - 1)
        same(printed[0].split(',')[:6], ['variant', 'quantity', 'part', 'layer', 'other', 'other_layer'])
        for row, line in zip(rows, printed[1:]):
            cells = dict(zip(printed[0].split(','), line.split(',')))
            same((row['quantity'], row['part'], str(row['layer']), row.get('other', '')),
                 (cells['quantity'], cells['part'], cells['layer'], cells['other']))
            same(row['mean'], float(cells['mean']))
    two = cli('paths', *TINY, '--stack', 'encoder-decoder', '--of', 'lengths').stdout
    assert 'Pre-LN, encoder: ' in two and 'Post-LN, decoder: ' in two, two
    paths_of_seeds()
    before = files_below(folder)
    for kind, name, more in [('contributions', 'y.csv', []), ('gain', 'y.json', ['--seeds', '2'])]:
        status, _ = interrupt(['paths', *LONG, '--of', kind, '-o', name, *more], signal.SIGINT, folder,
                              after=b' left\x1b[K')
        same((status, files_below(folder)), (130, before))


def paths_of_seeds():
    """The numbers of each seed are those of the statistics; what is not defined is null, not 0."""
    args = ['paths', *TINY, '--seeds', '3', '--seed', '5', '--of', 'gain', '--probes', '2', '--per-seed']
    lines = csv.DictReader(cli(*args, '--format', 'csv').stdout.splitlines())
    seeds, keys = {}, ['variant', 'quantity', 'part', 'layer', 'other', 'other_layer']
    for line in lines:
        numbers = [int(line['seed'])] + [float(line[key]) for key in ['value', 'log10_value', 'standard_error']]
        seeds.setdefault(tuple(line[key] for key in keys), []).append(numbers)
    tree = json.loads(cli(*args, '--format', 'json').stdout)
    for variant in tree['variants']:
        for row in variant['numbers']:
            mine = seeds.pop((variant['name'], *[str(row[key]) for key in keys[1:]]))
            same(mine, [list(numbers) for numbers in
                        zip([5, 6, 7], row['seeds'], row['log10_seeds'], row['standard_error_seeds'])])
            error = math.hypot(*row['standard_error_seeds']) / 3
            assert math.isclose(sum(row['seeds']) / 3, row['mean'], rel_tol=1e-12), row
            assert math.isclose(error, row['standard_error'], rel_tol=1e-12), row
    same(seeds, {})
    for kind in ['contributions', 'lengths', 'gain', 'similarity']:
        tree = json.loads(cli('paths', *TINY, '--variant', 'none:init.scheme=normal,init.std=1e6,final_norm=off',
                              '--depth', '8', '--of', kind, '--per-seed', '--format', 'json').stdout)
        [variant] = tree['variants']
        assert variant['overflow'] is not None and variant['numbers'], variant['overflow']
        for row in variant['numbers']:
            same([number for number in row['seeds'] + [row['mean']] if number is not None], [])


# ---- dump ----

def read_npy(path):
    """Read shape, type and values of a .npy file by the format's specification."""
    with open(path, 'rb') as file:
        data = file.read()
    same(data[:8], b'\x93NUMPY\x01\x00')
    length = struct.unpack('<H', data[8:10])[0]
    same((10 + length) % 64, 0)
    header = eval(data[10:10 + length].decode('latin-1'), {'__builtins__': {}})  # a dict of literals by specification
    same(sorted(header), ['descr', 'fortran_order', 'shape'])
    same(header['fortran_order'], False)
    count = math.prod(header['shape'])
    same(len(data), 10 + length + 4 * count)
    kind = {'<f4': 'f', '<i4': 'i'}[header['descr']]
    return header['shape'], header['descr'], struct.unpack(f'<{count}{kind}', data[10 + length:])


def dump(folder):
    done = cli('dump', *TINY, '--variant', 'Post-LN', '--out', 'd', '--activation', 'swiglu', folder=folder)
    same((done.returncode, done.stdout, done.stderr), (0, '', ''))
    root = os.path.join(folder, 'd')
    wanted = {'x0': ((2, 4, 8), '<f4'), 'targets': ((2, 4), '<i4'), 'head/w_head': ((8, 11), '<f4'),
              **{f'block00{block}/{name}': (shape, '<f4') for block in (1, 2) for name, shape in
                 [('w_q', (8, 8)), ('w_k', (8, 8)), ('w_v', (8, 8)), ('w_o', (8, 8)), ('w_1', (8, 16)),
                  ('w_3', (8, 16)), ('w_2', (16, 8))]}}
    same(files_below(root), sorted(['experiment.json', 'result.json', *(f'{name}.npy' for name in wanted)]))
    for name, (shape, descr) in wanted.items():
        got_shape, got_descr, values = read_npy(os.path.join(root, name + '.npy'))
        same((got_shape, got_descr), (shape, descr), name + ': ')
        assert len(set(values)) > 1 and all(map(math.isfinite, values)), name
    assert all(0 <= token < 11 for token in read_npy(os.path.join(root, 'targets.npy'))[2])

    with open(os.path.join(root, 'experiment.json'), encoding='utf-8') as file:
        one = json.load(file)
    with open(os.path.join(root, 'result.json'), encoding='utf-8') as file:
        result = json.load(file)
    same((len(one['variants']), one['variants'][0]['name'], one['sampling']['seeds']), (1, 'Post-LN', 1))
    same(result['experiment'], one)
    again = run_json(os.path.join(root, 'experiment.json'))
    same(again['variants'], result['variants'], 'running experiment.json does not reproduce result.json')
    values = read_npy(os.path.join(root, 'x0.npy'))[2]
    rms = math.sqrt(sum(value * value for value in values) / len(values))
    assert math.isclose(rms, result['variants'][0]['input']['rms_x']['mean'], rel_tol=1e-5), rms

    for name, variant in [('1', 'Post-LN'), ('pre', 'Pre-LN'), ('deepnorm', 'DeepNorm')]:
        same(cli('dump', *TINY, '--variant', name, '--out', 'd', folder=folder).returncode, 0)
        with open(os.path.join(root, 'experiment.json'), encoding='utf-8') as file:
            same(json.load(file)['variants'][0]['name'], variant)


def main():
    tap = Tap()
    check_refusals(tap)
    for function in [output_cannot_be_written, full_disk, closed_streams, output_nobody_reads, disk_full_half_way,
                     small_file_system, dump_over_other_files,
                     interrupted, interrupted_dump, progress_on_a_terminal, help_lists_every_key, version,
                     options_override, settings_of_training,
                     short_options, presets, user_presets, user_index, models, pages, text_input, result_as_json,
                     statistics_over_seeds,
                     threads_change_nothing, result_as_csv, result_as_table, only_if_named,
                     locale_changes_nothing,
                     vanishing_and_overflow, forced_kernels, kernels_of_the_processor, bench, no_escape_sequences,
                     names_on_a_line, plots, paths, dump]:
        tap.run(function)
    print(f'1..{tap.count}')
    sys.exit(1 if tap.failed else 0)


if __name__ == '__main__':
    main()
