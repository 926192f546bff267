#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Benchmark: the same work by two ranks of MPI with one thread each, and by one process with two threads.

    ranks.py NORMSCOPE-CLI MPIRUN

Prints the efficiency for each command: the time of the threads over that of the ranks, with mpirun's own start, and
the same of the processor time, which says something on a loaded machine, too. The two are timed in turn, and the least
times count, since other load only adds to them.
"""

import os
import resource
import subprocess
import sys
import time

CLI, MPIRUN = os.path.abspath(sys.argv[1]), sys.argv[2]
ROUNDS = 3
GOAL = 0.9
ENV = {**os.environ, 'OMPI_ALLOW_RUN_AS_ROOT': '1', 'OMPI_ALLOW_RUN_AS_ROOT_CONFIRM': '1'}
TOKENS = ['--source', 'tokens', '--loss', 'cross-entropy', '--steps', '10']
COMMANDS = {
    'scaling': ['scaling', '--depths', '1..64', '--seeds', '16', '--metric', 'block@total'],
    'run': ['run', '--depth', '12', '--seeds', '64'],
    'train --map': ['train', '--map', *TOKENS, '--seeds', '2', '--points', '2,4', '--learning-rates', '1e-4..1e-1:8'],
}


def processor_seconds():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def seconds(command):
    """Return the time on the clock and that of the processors."""
    start, before = time.monotonic(), processor_seconds()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=ENV)
    return time.monotonic() - start, processor_seconds() - before


def main():
    for name, command in COMMANDS.items():
        times = [(*seconds([CLI, *command, '--threads', '2']),
                  *seconds([MPIRUN, '--oversubscribe', '-n', '2', CLI, *command])) for _ in range(ROUNDS)]
        threads, threads_cpu, ranks, ranks_cpu = (min(column) for column in zip(*times))
        print(f'{name}: two threads {threads:.2f} s, two ranks {ranks:.2f} s, efficiency {threads / ranks:.2f}'
              f' (goal: {GOAL}); processor time {threads_cpu:.2f} s and {ranks_cpu:.2f} s,'
              f' {threads_cpu / ranks_cpu:.2f}', flush=True)


if __name__ == '__main__':
    main()
