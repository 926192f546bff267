# SPDX-License-Identifier: GPL-3.0-or-later
"""A real Slurm of one node in a temporary folder, without systemd, accounting and cgroups.

    with Slurm(cpus=4) as slurm:
        job = slurm.submit('job.sh', folder)
        state = slurm.wait(job, seconds=60)

munged, slurmctld and slurmd run in the foreground, as children of this process, with a key, sockets, ports and folders
of their own; a Slurm or munge that the machine has is neither used nor disturbed. Everything ends with the block, or
when this process dies. Unavailable says why a machine cannot do that.
"""

import contextlib
import ctypes
import os
import pathlib
import re
import secrets
import shutil
import signal
import socket
import subprocess
import tempfile
import time

DAEMONS = {'munged': 'munge', 'slurmctld': 'slurmctld', 'slurmd': 'slurmd', 'sbatch': 'slurm-client'}
PATH = f'{os.environ.get("PATH", os.defpath)}:/usr/sbin:/sbin'
PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36
START_SECONDS = 30
CLIENT_SECONDS = 3
ATTEMPTS = 3
LOG_LINES = 15
# States in which a job does not change any more.
FINAL = {'BOOT_FAIL', 'CANCELLED', 'COMPLETED', 'DEADLINE', 'FAILED', 'NODE_FAIL', 'OUT_OF_MEMORY', 'TIMEOUT'}

# The node has as many processors as it is told (config_overrides), so that small machines run parallel jobs, too.
# All addresses are 127.0.0.1. The daemons listen on every interface, since the host's name may have another address
# or none, as in a container; without the key nobody can use them.
CONFIGURATION = '''
ClusterName=normscope
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={controller_port}
SlurmdPort={node_port}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge/socket
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
TmpFS={folder}/tmp
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
SlurmdParameters=config_overrides
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SwitchType=switch/none
MpiDefault=none
ReturnToService=2
EnforcePartLimits=ALL
KillWait=2
MinJobAge=600
SchedulerParameters=batch_sched_delay=0,sched_interval=1
NodeName={host} NodeAddr=127.0.0.1 CPUs={cpus} RealMemory=65536 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
'''


class Unavailable(Exception):
    """This machine cannot run a Slurm of its own; the text says why."""


def free_ports(count):
    """Return ports that nobody listens to now; another process may take one, so Slurm starts several times."""
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for one in sockets:
            one.bind(('127.0.0.1', 0))
        return [one.getsockname()[1] for one in sockets]


def descendants(pid):
    """Return the processes below a process, by their parents in /proc."""
    children = {}
    for entry in pathlib.Path('/proc').iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(OSError, IndexError):
                parent = int((entry / 'stat').read_text().rpartition(')')[2].split()[1])
                children.setdefault(parent, []).append(int(entry.name))
    found, queue = [], [pid]
    while queue:
        below = children.get(queue.pop(), [])
        found += below
        queue += below
    return found


class Slurm:
    def __init__(self, cpus=4):
        self.cpus = cpus
        self.daemons = []
        self.programs = {name: shutil.which(name, path=PATH) for name in DAEMONS}

    def __enter__(self):
        missing = [package for name, package in DAEMONS.items() if not self.programs[name]]
        if missing:
            raise Unavailable('not installed: ' + ', '.join(missing))
        if os.geteuid() != 0:
            raise Unavailable('only root can start a Slurm that runs jobs')
        self.libc = ctypes.CDLL(None, use_errno=True)
        # Steps of jobs leave their parents; as descendants of this process they can be found and ended.
        self.libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
        self.temporary = tempfile.TemporaryDirectory(prefix='normscope-slurm-')
        try:
            for attempt in range(ATTEMPTS):
                self.folder = pathlib.Path(self.temporary.name, str(attempt))
                try:
                    self.start()
                    return self
                except Unavailable:
                    self.stop()
                    if attempt == ATTEMPTS - 1:
                        raise
        except BaseException:
            self.__exit__()
            raise

    def __exit__(self, *_):
        """End everything below this process, whoever started it."""
        self.stop()
        self.temporary.cleanup()

    def start(self):
        for path in ['state', 'spool', 'munge', 'tmp']:
            (self.folder / path).mkdir(parents=True)
        # munged wants its socket within everybody's reach, and its key in nobody's.
        for path in [self.temporary.name, self.folder, self.folder / 'munge']:
            os.chmod(path, 0o711)
        key = self.folder / 'munge.key'
        key.touch(mode=0o600)
        key.write_bytes(secrets.token_bytes(128))
        controller_port, node_port = free_ports(2)
        configuration = self.folder / 'slurm.conf'
        configuration.write_text(CONFIGURATION.format(
            host=socket.gethostname().partition('.')[0], folder=self.folder, cpus=self.cpus,
            controller_port=controller_port, node_port=node_port))
        if self.version() >= (23, 11):
            (self.folder / 'cgroup.conf').write_text('CgroupPlugin=disabled\n')
        self.environment = {**{name: value for name, value in os.environ.items()
                               if not name.startswith(('SLURM', 'SBATCH'))},
                            'PATH': PATH, 'SLURM_CONF': str(configuration), 'TMPDIR': f'{self.folder}/tmp'}
        munge = self.folder / 'munge'
        self.run_daemon('munged', '--foreground', '--force', f'--key-file={key}', f'--socket={munge}/socket',
                        f'--pid-file={munge}/pid', f'--log-file={munge}/log', f'--seed-file={munge}/seed',
                        '--num-threads=2')
        self.wait_until('munged', (munge / 'socket').exists)
        self.run_daemon('slurmctld', '-D', '-i', '-f', str(configuration))
        self.run_daemon('slurmd', '-D', '-f', str(configuration))
        self.wait_until('the node', lambda: self.ask('sinfo', '--noheader', '--format=%T').strip() == 'idle')

    def version(self):
        text = subprocess.run([self.programs['slurmd'], '-V'], capture_output=True, text=True, check=False).stdout
        return tuple(int(number) for number in re.findall(r'\d+', text)[:2])

    def run_daemon(self, name, *arguments):
        """Start a daemon that dies with this process."""
        with open(self.folder / f'{name}.out', 'wb') as output:
            self.daemons.append(subprocess.Popen(
                [self.programs[name], *arguments], stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT,
                env=self.environment, start_new_session=True,
                preexec_fn=lambda: self.libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)))

    def wait_until(self, what, condition):
        end = time.monotonic() + START_SECONDS
        while not condition():
            ended = [daemon for daemon in self.daemons if daemon.poll() is not None]
            if ended:
                name = os.path.basename(ended[0].args[0])
                raise Unavailable(f'{name} ended with status {ended[0].returncode}: {self.last_words(name)}')
            if time.monotonic() > end:
                raise Unavailable(f'{what} is not ready after {START_SECONDS} s: {self.last_words("slurmctld")}; '
                                  f'{self.last_words("slurmd")}')
            time.sleep(0.1)

    def log(self, name):
        paths = [self.folder / f'{name}.log', self.folder / f'{name}.out']
        return '\n'.join(path.read_text(errors='replace') for path in paths if path.exists()).strip().splitlines()

    def last_words(self, name):
        lines = self.log(name)
        errors = [line for line in lines if re.search(r'error|fatal', line, re.I)] or lines
        return (errors or ['it says nothing'])[-1]

    def show_logs(self):
        return '\n'.join(f'{name}: {line}' for name in ('slurmctld', 'slurmd') for line in self.log(name)[-LOG_LINES:])

    def ask(self, *command):
        """Return what a client prints, or '' after an error; without a controller, clients wait for long."""
        try:
            return subprocess.run(command, capture_output=True, text=True, env=self.environment, check=False,
                                  stdin=subprocess.DEVNULL, timeout=CLIENT_SECONDS).stdout
        except subprocess.TimeoutExpired:
            return ''

    def submit(self, *arguments, folder, environment=None):
        """Submit a job as a user does, and return its number."""
        command = ['sbatch', '--parsable', *map(str, arguments)]
        done = subprocess.run(command, cwd=folder, env={**self.environment, **(environment or {})}, text=True,
                              stdin=subprocess.DEVNULL, capture_output=True, check=False)
        if done.returncode != 0:
            raise RuntimeError(f'{" ".join(command)}: {done.stderr.strip()}')
        return done.stdout.strip().partition(';')[0]

    def states(self, job):
        """Return the state of each task of a job; a single job has one."""
        text = self.ask('squeue', '--noheader', '--array', '--states=all', '--format=%T', f'--jobs={job}')
        return text.split()

    def wait(self, job, seconds):
        """Wait for a job and return the states of its tasks as a sorted list."""
        end = time.monotonic() + seconds
        while True:
            states = self.states(job)
            if states and set(states) <= FINAL:
                return sorted(states)
            if time.monotonic() > end:
                shown = ', '.join(states) or 'unknown'
                raise RuntimeError(f'job {job} is {shown} after {seconds} s\n{self.show_logs()}')
            time.sleep(0.2)

    def stop(self):
        """Kill daemons, steps and jobs: what they would tidy up is in the temporary folder."""
        while True:
            # The daemons' parent is this process, also that of orphans.
            with contextlib.suppress(ChildProcessError):
                while os.waitpid(-1, os.WNOHANG)[0]:
                    pass
            left = descendants(os.getpid())
            if not left:
                break
            for pid in left:
                with contextlib.suppress(OSError):
                    os.kill(pid, signal.SIGKILL)
            time.sleep(0.01)
        self.daemons = []
