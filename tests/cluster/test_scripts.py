#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Run the scripts and commands of docs/CLUSTER.md as they are on the page, with small sizes, under a real Slurm.

    test_scripts.py NORMSCOPE-CLI yes|no: whether it has MPI

What the jobs write must have the bytes that one process writes, also when tasks are killed and submitted again.
"""

import os
import pathlib
import re
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / 'cli'))

from cli import CLI, Skip, Tap, cli  # noqa: E402
from slurm import Slurm, Unavailable  # noqa: E402

PAGE = pathlib.Path(__file__).resolve().parent.parent.parent / 'docs/CLUSTER.md'
BLOCK = re.compile(r'^```(\w+)\n(.*?)^```$', re.M | re.S)
NAME = re.compile(r'\A#!/bin/bash\n# ([\w.-]+):')
# The sizes of the page, and those of the test; each of them must occur.
SIZES = {'1-64': '1-3', 'of-64': 'of-3', '--ntasks=64': '--ntasks=3', '--d-model 256': '--d-model 32',
         '--d-ff 1024': '--d-ff 64', '--seeds 32': '--seeds 2', '1..1024': '1..32'}
# Long enough to be killed: seconds for each task.
LONG = {'1..32': '1..192:every', '--seeds 2': '--seeds 4'}
# mpirun refuses root, srun does not.
ROOT = {'OMPI_ALLOW_RUN_AS_ROOT': '1', 'OMPI_ALLOW_RUN_AS_ROOT_CONFIRM': '1'}
SECONDS = 240
MPI = sys.argv[2] == 'yes'


class Page:
    """The scripts by their names, and the blocks of commands."""

    def __init__(self, sizes):
        text = PAGE.read_text(encoding='utf-8')
        blocks = BLOCK.findall(text)
        self.missing = [size for size in SIZES if not any(size in block for _, block in blocks)]
        self.scripts, self.commands = {}, []
        for language, block in blocks:
            for old, new in {**SIZES, **sizes}.items():
                block = block.replace(old, new)
            name = NAME.match(block)
            if name:
                self.scripts[name.group(1)] = block
            elif language == 'sh':
                self.commands.append(block)

    def using(self, *words):
        """Return the only block of commands with all the words."""
        found = [block for block in self.commands if all(word in block for word in words)]
        assert len(found) == 1, f'{len(found)} blocks of commands have {", ".join(words)}'
        return found[0]


class Cluster:
    """A Slurm, and a folder with the scripts of the page, in which normscope-cli is in PATH."""

    def __init__(self, slurm, folder, page):
        self.slurm, self.folder, self.page = slurm, pathlib.Path(folder), page
        programs = self.folder / 'bin'
        programs.mkdir()
        (programs / 'normscope-cli').symlink_to(CLI)
        self.environment = {**slurm.environment, **ROOT, 'PATH': f'{programs}:{slurm.environment["PATH"]}'}
        for name, text in page.scripts.items():
            (self.folder / name).write_text(text)

    def run(self, commands):
        done = subprocess.run(['bash', '-euc', commands], cwd=self.folder, env=self.environment, text=True,
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=SECONDS, check=False)
        assert done.returncode == 0, f'{commands}: {done.stderr}'

    def jobs(self):
        return sorted(set(self.slurm.ask('squeue', '--noheader', '--states=all', '--format=%F').split()))

    def wait(self):
        """Wait for all jobs, each of which must be completed."""
        for job in self.jobs():
            states = self.slurm.wait(job, SECONDS)
            assert set(states) == {'COMPLETED'}, f'job {job}: {states}\n{self.logs()}\n{self.slurm.show_logs()}'

    def logs(self):
        return '\n'.join(f'{path.name}: {path.read_text(errors="replace")}' for path in self.folder.glob('*.log'))

    def compare(self, commands, output):
        """Compare an output with what one process writes for the same command."""
        command = re.search(r'sbatch\b.*\.sh (scaling .*?)(?: -o \S+)?\)?$', commands, re.M).group(1)
        one = cli(*command.split(), '-o', 'one.json', folder=self.folder)
        assert one.returncode == 0, one.stderr
        wanted, found = ((self.folder / name).read_bytes() for name in ('one.json', output))
        assert len(wanted) > 1000 and found == wanted, f'{output} is not what one process writes\n{self.logs()}'


def on_cluster(function, sizes=None):
    """Make a test of a function of a cluster."""
    def test(folder):
        page = Page(sizes or {})
        assert not page.missing, f'not on the page: {", ".join(page.missing)}'
        try:
            with Slurm() as slurm:
                return function(Cluster(slurm, folder, page))
        except Unavailable as reason:
            raise Skip(str(reason)) from reason
    test.__name__ = function.__name__
    return test


def prepare(cluster):
    cluster.run(cluster.page.using('normscope-cli link'))


def array(cluster):
    prepare(cluster)
    commands = cluster.page.using('sbatch', 'sweep-array.sh', 'merge')
    cluster.run(commands)
    cluster.wait()
    shards = sorted(path.name for path in cluster.folder.glob('sweep.*-of-*'))
    assert shards == [f'sweep.{i}-of-3' for i in (1, 2, 3)], shards
    cluster.compare(commands, 'sweep.json')


def killed(cluster, commands, checkpoints, output):
    """Kill the job while it computes, submit it again, and compare."""
    prepare(cluster)
    cluster.run(commands)
    first = cluster.jobs()
    end = time.monotonic() + SECONDS
    # an empty checkpoint has the experiment alone
    while time.monotonic() < end and not any(path.stat().st_size > 8192 for path in cluster.folder.glob(checkpoints)):
        time.sleep(0.05)
    cluster.slurm.ask('scancel', '--full', '--signal=KILL', *first)
    cluster.slurm.ask('scancel', *first)
    states = [state for job in first for state in cluster.slurm.wait(job, SECONDS)]
    assert set(states) != {'COMPLETED'}, 'the sweep is too short to be killed'
    assert not (cluster.folder / output).exists(), 'a killed job has written an output'
    cluster.run(commands)
    for job in set(cluster.jobs()) - set(first):
        states = cluster.slurm.wait(job, SECONDS)
        assert set(states) == {'COMPLETED'}, f'{states}\n{cluster.logs()}'
    assert 'goes on' in cluster.logs(), f'no task goes on from its checkpoint\n{cluster.logs()}'
    cluster.compare(commands, output)


def killed_array(cluster):
    killed(cluster, cluster.page.using('sbatch', 'sweep-array.sh', 'merge'), 'sweep.*-of-3', 'sweep.json')


def mpi_commands(cluster):
    known = subprocess.run(['srun', '--mpi=list'], env=cluster.environment, text=True, capture_output=True, check=False)
    if 'pmix' not in known.stdout + known.stderr:
        raise Skip('this Slurm has no PMIx')
    if not MPI:
        raise Skip('this build has no MPI')
    return cluster.page.using('sbatch', 'sweep-mpi.sh')


def mpi(cluster):
    commands = mpi_commands(cluster)
    prepare(cluster)
    cluster.run(commands)
    cluster.wait()
    cluster.compare(commands, 'sweep-mpi.json')


def mpirun(cluster):
    assert 'mpirun' in cluster.page.scripts['sweep-mpi.sh'], 'the page starts the ranks in another way'
    mpi(cluster)


def srun_without_mpi(cluster):
    prepare(cluster)
    cluster.run(cluster.page.using('sbatch', 'sweep-mpi.sh'))
    states = cluster.slurm.wait(cluster.jobs()[0], SECONDS)
    assert states == ['FAILED'] and 'without MPI' in cluster.logs(), f'{states}\n{cluster.logs()}'
    assert not (cluster.folder / 'sweep-mpi.json').exists(), 'there is an output'


def killed_mpi(cluster):
    killed(cluster, mpi_commands(cluster), 'sweep-mpi', 'sweep-mpi.json')


def main():
    tap = Tap()
    for test in [on_cluster(array), on_cluster(killed_array, LONG), on_cluster(mpi),
                 on_cluster(mpirun, {'srun --mpi=pmix --kill-on-bad-exit=1': 'mpirun'}), on_cluster(killed_mpi, LONG),
                 on_cluster(srun_without_mpi, {'--mpi=pmix': '--mpi=none'})]:
        tap.run(test)
    print(f'1..{tap.count}')
    sys.exit(1 if tap.failed else 0)


main()
