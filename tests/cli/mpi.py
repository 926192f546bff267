#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests of the commands that share their work under mpirun.

    mpi.py NORMSCOPE-CLI MPIRUN

The output has to be the same bytes as that of one process. MPIRUN is empty where there is none.
"""

import os
import pathlib
import re
import signal
import struct
import subprocess
import sys
import time

from cli import CLI, Skip, Tap, cli, same
from items import COMMANDS, SIZES, read, split

MPIRUN = sys.argv[2]
# Root may start mpirun in a container, and there may be fewer cores than ranks.
ENV = {**os.environ, 'OMPI_ALLOW_RUN_AS_ROOT': '1', 'OMPI_ALLOW_RUN_AS_ROOT_CONFIRM': '1'}
PATIENCE = 120  # seconds
LONG = ['run', '--depth', '200', '--seeds', '1000', '--checkpoint', 'c']


def start(folder, n, *args):
    if not MPIRUN:
        raise Skip('this build has no MPI, or there is no mpirun')
    return subprocess.Popen([MPIRUN, '--oversubscribe', '-n', str(n), CLI, *args], cwd=folder, env=ENV,
                            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def ranks(folder, n, *args):
    with start(folder, n, *args) as run:
        try:
            out, err = run.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            run.kill()
            raise
    return run.returncode, out, err.decode()


def processes(folder):
    """Return the process ids of the program in the folder, by their ranks."""
    found = {}
    for entry in pathlib.Path('/proc').iterdir():
        try:
            if entry.name.isdigit() and os.readlink(entry / 'cwd') == os.path.realpath(folder):
                rank = re.search(rb'OMPI_COMM_WORLD_RANK=(\d+)\0', (entry / 'environ').read_bytes())
                if rank:
                    found[int(rank[1])] = int(entry.name)
        except OSError:
            pass
    return found


def whole_items(folder):
    """Return the number of items in the checkpoint; 0 while it is missing or being written."""
    try:
        return len(split(read(os.path.join(folder, 'c')))[2])
    except (OSError, struct.error, AssertionError):
        return 0


def wait_for_items(folder, n):
    end = time.monotonic() + PATIENCE
    while whole_items(folder) < n:
        assert time.monotonic() < end, f'no checkpoint with {n} items appears'
        time.sleep(0.02)


def any_number_of_ranks_writes_the_same_bytes(folder):
    for name, command in COMMANDS.items():
        wanted = subprocess.run([CLI, *command, '-f', 'csv'], cwd=folder, capture_output=True, check=True).stdout
        for n in (1, 2, 3):
            same(ranks(folder, n, *command, '-f', 'csv'), (0, wanted, ''), f'{name} with {n}: ')
        same(ranks(folder, 2, *command, '-f', 'csv', '--threads', '2', '--checkpoint', name), (0, wanted, ''), name)
        # what ranks have computed, one process reads, and the other way round
        same(cli(*command, '-f', 'csv', '--checkpoint', name, folder=folder).stdout.encode(), wanted)
        same(ranks(folder, 2, *command, '-f', 'csv', '--checkpoint', name), (0, wanted, ''), name)


def claims_are_shared(folder):
    command = ['scaling', *SIZES, '--seeds', '2', '--depths', '1,2,4', '--claims', '-f', 'json']
    wanted = subprocess.run([CLI, *command], cwd=folder, capture_output=True, check=True).stdout
    same(ranks(folder, 3, *command)[:2], (0, wanted))


def ranks_share_a_shard(folder):
    for i in (1, 2):
        status, out, err = ranks(folder, 2, *COMMANDS['map'], '--checkpoint', 'c', '--shard', f'{i}/2')
        same((status, out, err.count('\n')), (0, b'', 1), err)
    wanted = cli(*COMMANDS['map'], '-f', 'csv', folder=folder).stdout
    same(cli('merge', 'c.1-of-2', 'c.2-of-2', '-f', 'csv', folder=folder).stdout, wanted)


def a_missed_expectation_is_the_status(folder):
    status, out, err = ranks(folder, 2, 'scaling', *SIZES, '--depths', '1,2,4', '--expect', 'pre:w_2@last:7±0.1')
    assert status == 3 and b'w_2@last' in out and 'misses the expected 7' in err, (status, err)


def a_rank_that_dies_ends_the_run(folder):
    """Whichever rank: the status tells it, nothing is written, the checkpoint has whole items and goes on."""
    for victim in (1, 0, 2):
        with start(folder, 3, *LONG) as run:
            wait_for_items(folder, 2)
            os.kill(processes(folder)[victim], signal.SIGKILL)
            out, err = run.communicate(timeout=PATIENCE)
        assert run.returncode not in (0, None) and out == b'' and b'signal 9' in err, (victim, run.returncode, err)
        same(processes(folder), {})
        data = read(os.path.join(folder, 'c'))
        if victim != 0:
            assert re.search(rb'interrupted; c has \d+ of 1000 items', err), err
            assert len(split(data)[2]) >= 2, len(data)
        os.remove(os.path.join(folder, 'c'))


def a_stopped_rank_is_named(folder):
    """A rank that is stopped, as a debugger or a full terminal does, does not die; the run goes on when it does."""
    short = ['run', '--depth', '20', '--seeds', '200', '-f', 'csv']
    wanted = subprocess.run([CLI, *short], cwd=folder, capture_output=True, check=True).stdout
    with start(folder, 3, *short, '--checkpoint', 'c') as run:
        wait_for_items(folder, 2)
        stopped = processes(folder)[2]
        os.kill(stopped, signal.SIGSTOP)
        try:
            line = b''
            while b'rank 2 of 3' not in line:
                line = run.stderr.readline()
                assert line, 'it ended before the rank was named'
                assert b'rank 1' not in line, line
        finally:
            os.kill(stopped, signal.SIGCONT)
        assert b'sent nothing for 30 seconds' in line, line
        out, err = run.communicate(timeout=PATIENCE)
    same((run.returncode, out), (0, wanted), err)


def an_interrupt_keeps_the_checkpoint(folder):
    with start(folder, 2, *LONG) as run:
        wait_for_items(folder, 2)
        run.send_signal(signal.SIGINT)
        out, err = run.communicate(timeout=PATIENCE)
    assert run.returncode not in (0, None) and out == b'', (run.returncode, err)
    found = re.search(rb'interrupted; c has (\d+) of 1000 items', err)
    assert found, err
    same(err.count(b'interrupted;'), 1, err)
    same(len(split(read(os.path.join(folder, 'c')))[2]), int(found[1]))
    same(processes(folder), {})


def an_error_is_told_once(folder):
    for args, words in [(['run', '--depth', '0'], 'shape.depth: 0'), (['run', 'nowhere'], 'nowhere'),
                        (['plot', '-o', 'x.png'], 'plot does not share'), (['train', *SIZES], 'train does not share'),
                        (['run', *SIZES, '-f', 'json', '--verify'], '--verify'),
                        (['run', *SIZES, '-o', 'no/x.csv'], 'no/x.csv'),
                        (['run', *SIZES, '--checkpoint', 'text'], 'no checkpoint of a sweep')]:
        pathlib.Path(folder, 'text').write_text('notes', encoding='utf-8')
        status, out, err = ranks(folder, 2, *args)
        same((out, err.count('normscope-cli: ')), (b'', 1), f'{args}: {err} ')
        assert status in (1, 2) and words in err, (args, status, err)


def another_launcher_is_refused(folder):
    """By the environment alone: a launcher of another MPI, and srun without one."""
    done = cli('run', *SIZES, folder=folder, env={'SLURM_STEP_NUM_TASKS': '3', 'SLURM_PROCID': '0'})
    same((done.returncode, done.stdout), (2, ''))
    assert 'srun has started 3 processes without MPI' in done.stderr, done.stderr
    done = cli('run', *SIZES, folder=folder, env={'SLURM_STEP_NUM_TASKS': '1', 'SLURM_PROCID': '0', **ENV})
    same(done.returncode, 0, done.stderr)
    done = cli('run', *SIZES, folder=folder, env={'PMI_SIZE': '2', 'PMI_RANK': '0', **ENV})
    assert done.returncode in (1, 2) and re.search('MPI has 1|no MPI|MPI cannot be loaded', done.stderr), done.stderr


def a_plain_start_does_not_load_mpi(folder):
    done = subprocess.run(['ldd', CLI], cwd=folder, capture_output=True, text=True, check=True)
    assert 'libmpi' not in done.stdout, done.stdout


def main():
    tap = Tap()
    for function in [any_number_of_ranks_writes_the_same_bytes, claims_are_shared, ranks_share_a_shard,
                     a_missed_expectation_is_the_status, a_rank_that_dies_ends_the_run, a_stopped_rank_is_named,
                     an_interrupt_keeps_the_checkpoint, an_error_is_told_once, another_launcher_is_refused,
                     a_plain_start_does_not_load_mpi]:
        tap.run(function)
    print(f'1..{tap.count}')
    sys.exit(1 if tap.failed else 0)


if __name__ == '__main__':
    main()
