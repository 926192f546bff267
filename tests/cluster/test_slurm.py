#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Test the Slurm that other tests start: jobs run and fail as they should, nothing is left, reasons are given.

    test_slurm.py NORMSCOPE-CLI
"""

import contextlib
import os
import pathlib
import signal
import subprocess
import sys
import time
import unittest.mock

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / 'cli'))

from cli import CLI, TINY, Skip, Tap, cli  # noqa: E402
from slurm import PATH, Slurm, Unavailable, descendants  # noqa: E402

ARRAY = f'''#!/bin/bash
#SBATCH --array=3-7:2
#SBATCH --output=%a.csv
exec {CLI} run {' '.join(TINY)} --seed "$SLURM_ARRAY_TASK_ID" --format csv
'''
FAILING = '#!/bin/bash\nexit $((3 * SLURM_ARRAY_TASK_ID))\n'
# Two steps with processes in sessions of their own.
SLEEPING = '#!/bin/bash\nsrun --ntasks=1 setsid sleep 300 &\nsetsid sleep 300 &\ntouch started\nwait\n'
KILLED = f'''
import sys
sys.path.insert(0, {str(pathlib.Path(__file__).resolve().parent)!r})
import slurm, time
with slurm.Slurm() as one:
    print(one.folder, flush=True)
    time.sleep(300)
'''


@contextlib.contextmanager
def running():
    """Run a Slurm, or skip the test with the reason."""
    with contextlib.ExitStack() as stack:
        try:
            slurm = stack.enter_context(Slurm())
        except Unavailable as reason:
            raise Skip(str(reason)) from reason
        yield slurm


def write(folder, name, text):
    path = pathlib.Path(folder, name)
    path.write_text(text)
    return path


def reason_of(slurm):
    try:
        with slurm:
            return 'it started'
    except Unavailable as reason:
        return str(reason)


def users_of(folder):
    """Return the processes whose arguments or environment name a folder."""
    found = []
    for entry in pathlib.Path('/proc').iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            try:
                if any(str(folder).encode() in (entry / name).read_bytes() for name in ['cmdline', 'environ']):
                    found.append((entry / 'cmdline').read_bytes().replace(b'\0', b' ').decode())
            except OSError:
                pass
    return found


def missing_programs(_):
    slurm = Slurm()
    slurm.programs = {name: None if name in ('munged', 'sbatch') else '/bin/true' for name in slurm.programs}
    reason = reason_of(slurm)
    assert reason == 'not installed: munge, slurm-client', reason


def other_users(_):
    slurm = Slurm()
    slurm.programs = {name: '/bin/true' for name in slurm.programs}
    with unittest.mock.patch('os.geteuid', return_value=1000):
        reason = reason_of(slurm)
    assert 'only root' in reason, reason


def daemons_that_end(_):
    with running():
        pass
    for name in ['munged', 'slurmctld', 'slurmd']:
        slurm = Slurm()
        slurm.programs[name] = '/bin/false'
        reason = reason_of(slurm)
        assert reason.startswith('false ended with status 1'), reason
        assert not descendants(os.getpid()), descendants(os.getpid())


def array(folder):
    with running() as slurm:
        states = slurm.wait(slurm.submit(write(folder, 'array.sh', ARRAY), folder=folder), 60)
        assert states == ['COMPLETED'] * 3, f'{states}\n{slurm.show_logs()}'
    for seed in [3, 5, 7]:
        wanted = cli('run', *TINY, '--seed', str(seed), '--format', 'csv').stdout
        assert pathlib.Path(folder, f'{seed}.csv').read_text() == wanted != '', f'seed {seed} differs'


def failures(folder):
    with running() as slurm:
        job = slurm.submit('--array=0-1', write(folder, 'fails.sh', FAILING), folder=folder)
        states = slurm.wait(job, 60)
        assert states == ['COMPLETED', 'FAILED'], states
        try:
            slurm.submit('--ntasks=1000', write(folder, 'large.sh', FAILING), folder=folder)
            return 'a job that fits no node is accepted'
        except RuntimeError as error:
            assert 'sbatch' in str(error) and 'More processors' in str(error), error


def nothing_is_left(folder):
    with running() as slurm:
        path = slurm.temporary.name
        job = slurm.submit('--ntasks=2', write(folder, 'sleeps.sh', SLEEPING), folder=folder)
        end = time.monotonic() + 60
        while not os.path.exists(os.path.join(folder, 'started')) and time.monotonic() < end:
            time.sleep(0.1)
        try:
            slurm.wait(job, 1)
            return 'a job that sleeps has ended'
        except RuntimeError as error:
            assert 'is RUNNING after 1 s' in str(error), error
        assert users_of(path), 'the test does not see processes'
    assert not os.path.exists(path), f'{path} is left'
    assert not users_of(path), users_of(path)


def killed(_):
    """A test that is killed, such as by a timeout, leaves no daemon."""
    with running():
        pass
    with subprocess.Popen([sys.executable, '-B', '-c', KILLED], stdout=subprocess.PIPE, text=True) as process:
        path = process.stdout.readline().strip()
        process.send_signal(signal.SIGKILL)
    end = time.monotonic() + 20
    while users_of(path) and time.monotonic() < end:
        time.sleep(0.1)
    left = users_of(path)
    subprocess.run(['rm', '-rf', os.path.dirname(path)], env={'PATH': PATH}, check=True)
    assert path and not left, left


def main():
    tap = Tap()
    for function in [missing_programs, other_users, daemons_that_end, array, failures, nothing_is_left, killed]:
        tap.run(function)
    print(f'1..{tap.count}')
    sys.exit(1 if tap.failed else 0)


main()
