#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Test that every command works under a limit of the system or ends with status 1 and a sentence that names it.

Usage: limits.py CLI
"""

import os
import resource
import signal
import subprocess
import sys
import tempfile

CLI = os.path.abspath(sys.argv[1])
MIB = 1 << 20
PATIENCE = 300  # seconds; a program that takes longer hangs
NOBODY = 65534  # root has no limit of processes

COMMANDS = {
    'run': ['run', '--preset', 'tiny', '-o', 'x.json'],
    # 400 MiB of weights and 700 MiB of numbers computed with them, which takes seconds
    'large run': ['run', '--d-model', '64', '--d-ff', '262144', '--heads', '8', '--depth', '2', '--seq-len', '96',
                  '--seeds', '1', '--variant', 'pre', '-o', 'x.json'],
    'scaling': ['scaling', '--preset', 'tiny', '--seeds', '2', '-o', 'x.json'],
    'plot': ['plot', '--preset', 'tiny', '-o', 'x.png'],
    'verify': ['verify', '--preset', 'tiny', '-o', 'x.json'],
    'dump': ['dump', '--preset', 'tiny', '--variant', '0', '--out', 'd'],
}

VERIFIED = [80 * MIB, 1300 * MIB, 1, 4, 0]  # verify takes seconds

# A limit, its values, and the words of which a refusal has one.
SPACE = ['address space', 'of memory', 'cannot allocate', 'Cannot allocate']
LIMITS = [
    ('RLIMIT_AS', [80 * MIB, 150 * MIB, 205 * MIB, 410 * MIB, 580 * MIB, 620 * MIB, 1000 * MIB, 1300 * MIB], SPACE),
    ('RLIMIT_DATA', [30 * MIB, 200 * MIB, 620 * MIB, 1300 * MIB], SPACE),
    ('RLIMIT_NPROC', [1, 2], ['thread', 'temporarily unavailable']),
    ('RLIMIT_NOFILE', [4, 5, 7], ['open files', 'descriptor']),
    ('RLIMIT_FSIZE', [0, 100], ['too large', 'ended by a signal', 'report']),
]


def run(args, limit, value):
    """Run the command in a new folder; return its status and standard error."""
    def prepare():
        resource.setrlimit(getattr(resource, limit), (value, value))
        if limit == 'RLIMIT_NPROC' and os.geteuid() == 0:
            os.setgid(NOBODY)
            os.setuid(NOBODY)

    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o777)
        process = subprocess.Popen([CLI, *args], cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                   env=os.environ | {'TMPDIR': folder, 'NORMSCOPE_PYTHON': '/nonexistent'},
                                   preexec_fn=prepare, start_new_session=True)
        try:
            text = process.communicate(timeout=PATIENCE)[1].decode()
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            return None, 'it hangs'
        left = [name for name in os.listdir(folder) if name.startswith('.')]
        return process.returncode, f'left: {left}' if left else text


def problem(limit, value, words):
    for name, args in COMMANDS.items():
        if name == 'verify' and value not in VERIFIED:
            continue
        try:
            status, text = run(args, limit, value)
        except (PermissionError, subprocess.SubprocessError):
            return None  # nobody may not enter the build folder
        lines = [line for line in text.splitlines() if line.startswith('normscope')]
        if status != 0 and (status != 1 or len(lines) != 1 or not any(word in text for word in words)):
            return f'{name}: status {status}: {text}'
    return None


def main():
    cases = [(limit, value, words) for limit, values, words in LIMITS for value in values]
    failed = 0
    print(f'1..{len(cases)}')
    for number, (limit, value, words) in enumerate(cases, 1):
        text = problem(limit, value, words)
        print(f'{"not ok" if text else "ok"} {number} - {limit} {value}', flush=True)
        if text:
            print('# ' + text.replace('\n', '\n# '), flush=True)
        failed += text is not None
    return failed > 0


sys.exit(main())
