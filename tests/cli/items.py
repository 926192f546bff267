#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Black-box tests of --checkpoint, --shard and `normscope-cli merge`, for every command that consists of items.

    items.py NORMSCOPE-CLI

The output has to be the same bytes as that of one process without a checkpoint, whatever happened in between.
"""

import glob
import json
import os
import random
import re
import resource
import signal
import struct
import subprocess
import sys
import time

from cli import CLI, Tap, cli, same

SIZES = ['--d-model', '8', '--heads', '2', '--d-ff', '16', '--seq-len', '4', '--vocab', '11', '--seeds', '3']
TRAIN = ['--source', 'tokens', '--loss', 'cross-entropy', '--steps', '4']
# DeepNorm and GPT-2's initialization depend on the depth: an item for each depth.
COMMANDS = {
    'run': ['run', *SIZES, '--depth', '3', '--batches', '2'],
    'run-quantity': ['run', *SIZES, '--depth', '3', '-q', 'w_2,path_length'],
    'scaling': ['scaling', *SIZES, '--depths', '1,2,5', '--variant', 'pre', '--variant', 'deepnorm', '--ratio',
                'pre/deepnorm', '--expect', 'pre:grad_x@first:0±9'],
    'width': ['scaling', *SIZES, '--sweep', 'd_model=8,16', '--depth', '2', '--metric', 'block@total'],
    'map': ['train', '--map', *SIZES, *TRAIN, '--learning-rates', '1e-3,100', '--points', '1,2'],
}
COMMANDS['run-per-seed'] = [*COMMANDS['run'], '--per-seed']
COMMANDS['map-per-seed'] = [*COMMANDS['map'], '--over', 'warmup', '--per-seed']
WORD = struct.Struct('=Q')
MASK = (1 << 64) - 1


# ---- the format, written a second time ----

def checksum(data):
    def mix(total, word):
        total = (total ^ word) * 0x9E3779B97F4A7C15 & MASK
        return total ^ total >> 32

    total, last = 0, 0
    for at in range(0, len(data), 8):
        if at:
            total = mix(total, last)
        last, = WORD.unpack(data[at:at + 8].ljust(8, b'\0'))
    # a whole word is held back until the next one comes
    if len(data) % 8 == 0 and data:
        total, last = mix(total, last), 0
    return mix(mix(total, last), len(data))


def make_head(tree):
    text = json.dumps(tree).encode()
    text += b' ' * (-len(text) % 8)
    head = b'Normscope items 1\n'.ljust(24, b'\0') + WORD.pack(len(text)) + text
    return head + WORD.pack(checksum(head))


def make_record(head, item, numbers):
    body = b''.join(map(WORD.pack, [item, len(numbers), *numbers]))
    return body + WORD.pack(checksum(head[-8:] + body))


def read(path):
    with open(path, 'rb') as file:
        return file.read()


def write(path, data):
    with open(path, 'wb') as file:
        file.write(data)


def split(data):
    """Return the head, its tree and the records of a checkpoint."""
    length, = WORD.unpack(data[24:32])
    head = data[:40 + length]
    same(head[-8:], WORD.pack(checksum(head[:-8])))
    at, records = len(head), []
    while at < len(data):
        n, = WORD.unpack(data[at + 8:at + 16])
        record = data[at:at + 8 * (n + 3)]
        same(record[-8:], WORD.pack(checksum(head[-8:] + record[:-8])))
        records.append(record)
        at += len(record)
    return head, json.loads(head[32:-8]), records


# ---- helpers ----

def good(folder, *args, quiet=True, status=0, env=None):
    done = cli(*args, folder=folder, env=env)
    assert done.returncode == status, f'{args}: {done.returncode} {done.stderr[:600]}'
    assert not quiet or done.stderr == '', f'{args}: {done.stderr[:600]}'
    return done


def bad(folder, args, *words, status=2, env=None):
    done = cli(*args, folder=folder, env=env)
    same((done.returncode, done.stdout), (status, ''), f'{args}: {done.stderr} ')
    assert done.stderr.count('\n') == 1 and all(word in done.stderr for word in words), (args, words, done.stderr)


def outputs(command):
    return (['csv', 'json'] + (['table'] if '--per-seed' not in command else [])
            + (['npy'] if command[0] != 'scaling' else []))


def plain(folder, command, kind):
    """Return the output of one process; tables without the time."""
    done = subprocess.run([CLI, *command, '-f', kind], cwd=folder, capture_output=True, check=True)
    return without_time(done.stdout)


def without_time(data):
    return re.sub(' · \\d threads? · \\d+ ms|, \\d+ ms'.encode(), b'', data)


# ---- tests ----

def a_checkpoint_changes_no_byte(folder):
    for name, command in COMMANDS.items():
        for kind in outputs(command):
            wanted = plain(folder, command, kind)
            for _ in range(2):  # computed, and read
                done = subprocess.run([CLI, *command, '-f', kind, '--checkpoint', f'{name}-{kind}'], cwd=folder,
                                      capture_output=True, check=True)
                same((done.stdout, done.stderr), (wanted, b''), f'{name} {kind}: ')


def shards_merge_to_the_same_bytes(folder):
    for name, command in COMMANDS.items():
        for n in (1, 2, 3, 7):
            for i in range(1, n + 1):
                good(folder, *command, '-f', 'csv', '--checkpoint', f'{name}-{n}', '--shard', f'{i}/{n}', quiet=False)
            files = sorted(glob.glob(f'{name}-{n}.*-of-{n}', root_dir=folder), reverse=True)
            same(len(files), n)
            taken = [record[:8] for file in files for record in split(read(os.path.join(folder, file)))[2]]
            same(len(taken), len(set(taken)), f'{name} {n} ')
            done = subprocess.run([CLI, 'merge', *files, '-f', 'csv'], cwd=folder, capture_output=True, check=True)
            same(done.stdout, plain(folder, command, 'csv'), f'{name} in {n}: ')
            good(folder, 'merge', *files, '-f', 'csv', '-o', 'x.csv', '--checkpoint', 'all')
            wanted = good(folder, *command, '-o', 'y.csv') and read(os.path.join(folder, 'y.csv'))
            same(read(os.path.join(folder, 'x.csv')), wanted)
            same(len(split(read(os.path.join(folder, 'all')))[2]), len(taken))


def expectations_that_are_missed_are_told_by_merge(folder):
    missed = ['scaling', *SIZES, '--depths', '1,2,4', '--expect', 'pre:w_2@last:7±0.1']
    good(folder, *missed, '--checkpoint', 'c', '--shard', '1/1', quiet=False)
    done = good(folder, 'merge', 'c.1-of-1', quiet=False, status=3)
    assert 'misses the expected 7' in done.stderr, done.stderr


def claims_are_kept_with_their_sweeps_runs_and_maps(folder):
    command = ['scaling', *SIZES, '--seeds', '2', '--depths', '1,2,4', '--claims', '-f', 'json']
    wanted = good(folder, *command, quiet=False).stdout
    for _ in range(2):
        same(good(folder, *command, '--checkpoint', 'c', quiet=False).stdout, wanted)
    same(good(folder, 'merge', 'c', '-f', 'json', quiet=False).stdout, wanted)


def killed_at_any_moment_it_goes_on(folder):
    """Kill −9 at random moments until the command ends by itself."""
    random.seed(7)
    for name, command, args in [('run', COMMANDS['run'], ['--seeds', '40', '--depth', '12']),
                                ('scaling', COMMANDS['scaling'], ['--seeds', '20', '--depths', '1..40']),
                                ('map', COMMANDS['map'], ['--seeds', '9', '--steps', '400'])]:
        longer = [*command, *args, '-f', 'csv']
        start = time.monotonic()
        wanted = subprocess.run([CLI, *longer], cwd=folder, capture_output=True, check=True).stdout
        took = time.monotonic() - start
        path, kills, most = os.path.join(folder, name), 0, 0
        while True:
            with subprocess.Popen([CLI, *longer, '--threads', '2', '--checkpoint', name], cwd=folder,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE) as run:
                try:
                    out, _ = run.communicate(timeout=took * random.uniform(0.1, 0.6) if kills < 12 else 100)
                except subprocess.TimeoutExpired:
                    run.kill()
                    out, _ = run.communicate()
                if run.returncode == 0:
                    break
                # killed after it has begun to print, too
                assert run.returncode == -signal.SIGKILL and wanted.startswith(out), run.returncode
                kills += 1
            size = os.path.getsize(path) if os.path.exists(path) else 0
            assert size >= most - 4096, f'{name}: {size} bytes after {most}'
            most = max(size, most)
        same(out, wanted, f'{name} after {kills} kills: ')
        assert kills > 0, name


def a_torn_tail_is_cut_at_every_byte(folder):
    command = [*COMMANDS['scaling'], '-f', 'csv']
    wanted = good(folder, *command).stdout
    good(folder, *command, '--checkpoint', 'whole')
    head, _, records = split(read(os.path.join(folder, 'whole')))
    before, last = head + b''.join(records[:-1]), records[-1]
    for cut in range(len(last)):
        write(os.path.join(folder, 'torn'), before + last[:cut])
        done = good(folder, *command, '--checkpoint', 'torn', quiet=cut == 0)
        assert cut == 0 or f'the last {cut} bytes' in done.stderr, done.stderr
        same(done.stdout, wanted, f'{cut}: ')
        same(read(os.path.join(folder, 'torn')), before + last)
    for cut in (*range(0, len(head), 97), len(head) - 1):  # killed while the head was written
        write(os.path.join(folder, 'torn'), head[:cut])
        same(good(folder, *command, '--checkpoint', 'torn').stdout, wanted, f'head {cut}: ')
    # a block of the last record that never reached the disk
    write(os.path.join(folder, 'torn'), before + last[:24] + bytes(len(last) - 24))
    same(good(folder, *command, '--checkpoint', 'torn', quiet=False).stdout, wanted)
    bad(folder, ['merge', 'torn', 'nowhere'], 'nowhere')


def damage_before_the_end_is_refused(folder):
    command = [*COMMANDS['map'], '-f', 'csv', '--checkpoint', 'x']
    good(folder, *command)
    data = read(os.path.join(folder, 'x'))
    head, _, records = split(data)
    random.seed(3)
    places = [*range(0, len(head), 41), *range(len(head), len(head) + len(records[0])),
              *(random.randrange(len(head), len(data) - len(records[-1])) for _ in range(60))]
    for at in places:
        broken = data[:at] + bytes([data[at] ^ 1 << random.randrange(8)]) + data[at + 1:]
        write(os.path.join(folder, 'x'), broken)
        for args in command, ['merge', 'x']:
            done = cli(*args, folder=folder)
            assert done.returncode == 2 and 'x: ' in done.stderr and done.stdout == '', f'{at}: {done}'
        same(read(os.path.join(folder, 'x')), broken, f'{at}: ')


def another_experiment_is_refused(folder):
    base = COMMANDS['scaling']
    good(folder, *base, '--checkpoint', 'c')
    before = read(os.path.join(folder, 'c'))
    for args, words in [
            ([*base, '--seq-len', '5'], ['another experiment', 'seq_len 4 → 5']),
            ([*base, '--seeds', '4'], ['another experiment', 'seeds 3 → 4']),
            ([*base, '--variant', 'post'], ['another experiment', 'Post-LN']),
            ([*base[:-2]], ['expect', 'not given here']),
            ([*base, '--metric', 'w_1@last'], ['metric', 'not given there', 'w_1@last here']),
            ([*base, '--depths', '1,2,6'], ['depths', '1,2,5 there', '1,2,6 here']),
            ([*COMMANDS['run'], '--depth', '6'], ['another command', 'scaling'])]:
        bad(folder, [*args, '--checkpoint', 'c'], 'c: ', *words)
    env = {'OPENBLAS_CORETYPE': 'Nehalem' if b'Nehalem' not in before else 'Sandybridge'}
    done = cli(*base, '--checkpoint', 'c', folder=folder, env=env)
    assert done.returncode == 2 and 'OPENBLAS_CORETYPE' in done.stderr, done
    same(read(os.path.join(folder, 'c')), before)
    training = ['train', *SIZES, *TRAIN]
    bad(folder, [*training, '--checkpoint', 'c'], 'no checkpoint of a training')
    good(folder, *training, '--checkpoint', 't')
    bad(folder, [*base, '--checkpoint', 't'], 't: ', 'no checkpoint of a sweep')
    write(os.path.join(folder, 'text'), b'notes that are not to be lost')
    bad(folder, [*base, '--checkpoint', 'text'], 'no checkpoint of a sweep')
    same(read(os.path.join(folder, 'text')), b'notes that are not to be lost')


def files_that_contradict_or_lack_items_are_refused(folder):
    base = COMMANDS['map']
    for i in (1, 2):
        good(folder, *base, '--checkpoint', 'c', '--shard', f'{i}/2', quiet=False)
    bad(folder, ['merge', 'c.1-of-2'], '12 of 24 items are missing', 'depth', 'learning rate', '; …')
    good(folder, 'merge', 'c.1-of-2', 'c.1-of-2', '--checkpoint', 'half', quiet=False)  # a file twice is no harm
    same(good(folder, *base, '-f', 'csv', '--checkpoint', 'half').stdout.encode(), plain(folder, base, 'csv'))
    head, _, records = split(read(os.path.join(folder, 'c.1-of-2')))
    item, n, *numbers = struct.unpack(f'={len(records[0]) // 8 - 1}Q', records[0][:-8])
    same(n, len(numbers))
    other = [numbers[0] ^ 1, *numbers[1:]]
    write(os.path.join(folder, 'other'), head + make_record(head, item, other))
    bad(folder, ['merge', 'c.1-of-2', 'c.2-of-2', 'other'], 'other: ', 'has other numbers')
    for what, forged in [('impossible', make_record(head, item, [*numbers[:3], 1000, 0])),
                         ('not as many numbers', make_record(head, item, numbers[:-1])),
                         ('not as many numbers', make_record(head, item, numbers + [0]))]:
        write(os.path.join(folder, 'forged'), head + forged + records[1])
        bad(folder, ['merge', 'forged'], 'forged: ', what)
        bad(folder, [*base, '--checkpoint', 'forged'], 'forged: ', what)
    write(os.path.join(folder, 'forged'), head + make_record(head, 24, numbers) + records[1])
    bad(folder, ['merge', 'forged'], 'forged: ', 'damaged at byte')
    for i in (1, 2):
        good(folder, *base, '--steps', '5', '--checkpoint', 'd', '--shard', f'{i}/2', quiet=False)
    bad(folder, ['merge', 'c.1-of-2', 'd.2-of-2'], 'd.2-of-2: ', 'another experiment', 'steps')


def forged_heads_are_refused(folder):
    good(folder, *COMMANDS['run'], '--checkpoint', 'c')
    _, tree, _ = split(read(os.path.join(folder, 'c')))
    for change, words in [({'command': 'plot'}, ['“plot”']), ({'version': 2}, ['damaged']),
                          ({'generator': tree['generator'].replace('.', '.9', 1)}, ['is of Normscope ', 'this is']),
                          ({'items': -1}, ['damaged']),
                          ({'items': 1 << 62}, ['another version']), ({'options': []}, ['damaged']),
                          ({'options': {'quantity': 'w_2'}}, ['damaged']), ({'more': 1}, ['damaged']),
                          ({'options': {'quantity': ['nonsense']}}, ['nonsense']),
                          ({'options': {'quantity': ['w_2'], 'output': ['evil']}}, ['another computation']),
                          ({'experiment': {'shape': {'depth': -1}}}, ['shape.depth'])]:
        write(os.path.join(folder, 'forged'), make_head({**tree, **change}))
        bad(folder, ['merge', 'forged'], *words)
    same(sorted(os.listdir(folder)), ['c', 'forged'])


def shards_have_numbers(folder):
    base = COMMANDS['map']
    for shard in ('0/2', '3/2', '1', '/', '1/0', 'a/b', '1/2/3', '-1/2', '1/99999999999'):
        bad(folder, [*base, '--checkpoint', 'c', '--shard', shard], '--shard', 'allowed')
    bad(folder, [*base, '--shard', '1/2'], '--shard', '--checkpoint')
    bad(folder, [*base, '--checkpoint', 'c', '--shard', '1/2', '-o', 'x.csv'], '--output', 'merge')
    bad(folder, ['train', *SIZES, *TRAIN, '--checkpoint', 'c', '--shard', '1/2'], '--shard', '--map')
    bad(folder, [*COMMANDS['run'], '-f', 'json', '--verify', '--checkpoint', 'c'], '--verify')
    bad(folder, ['merge'], 'no checkpoint')
    same(os.listdir(folder), [])


def a_job_array_of_slurm_gives_the_shards(folder):
    base = [*COMMANDS['map'], '--checkpoint', 'c']
    for place, task in enumerate((4, 7, 10), 1):
        env = {'SLURM_ARRAY_TASK_ID': str(task), 'SLURM_ARRAY_TASK_MIN': '4', 'SLURM_ARRAY_TASK_STEP': '3',
               'SLURM_ARRAY_TASK_COUNT': '3', 'SLURM_ARRAY_TASK_MAX': '10'}
        done = good(folder, *base, quiet=False, env=env)
        assert f'shard {place}/3' in done.stderr, done.stderr
        # what is given goes first; without a checkpoint Slurm has no part in it
        good(folder, *base[:-1], 'other', '--shard', f'{place}/4', quiet=False, env=env)
        same(good(folder, *base[:-2], '-f', 'csv', env=env).stdout.encode(), plain(folder, base[:-2], 'csv'))
    same(good(folder, 'merge', *(f'c.{i}-of-3' for i in (3, 1, 2)), '-f', 'csv').stdout.encode(),
         plain(folder, base[:-2], 'csv'))
    good(folder, *base[:-1], 'plain', quiet=False, env={'SLURM_ARRAY_TASK_ID': '0', 'SLURM_ARRAY_TASK_MIN': '0',
                                                        'SLURM_ARRAY_TASK_COUNT': '1'})
    assert os.path.exists(os.path.join(folder, 'plain.1-of-1'))
    for env in ({'SLURM_ARRAY_TASK_ID': '5', 'SLURM_ARRAY_TASK_MIN': '1', 'SLURM_ARRAY_TASK_COUNT': '3'},
                {'SLURM_ARRAY_TASK_ID': '5'}, {'SLURM_ARRAY_TASK_ID': 'x', 'SLURM_ARRAY_TASK_COUNT': '3'}):
        bad(folder, base, 'Slurm', '--shard', env=env)


def two_processes_do_not_write_one_checkpoint(folder):
    long = ['run', '--depth', '200', '--seeds', '1000', '--checkpoint', 'c']
    with subprocess.Popen([CLI, *long], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as run:
        try:
            while not os.path.exists(os.path.join(folder, 'c')) or os.path.getsize(os.path.join(folder, 'c')) < 10000:
                time.sleep(0.02)
            bad(folder, long, 'c: ', 'another process')
        finally:
            run.send_signal(signal.SIGINT)
        out, err = run.communicate(timeout=60)
    same((run.returncode, out), (130, b''), err)
    assert re.search(rb'interrupted; c has \d+ of 1000 items', err), err
    split(read(os.path.join(folder, 'c')))  # whole records only


def an_output_that_cannot_be_appended_to_ends_the_run(folder):
    """A file at its size limit: the error is told, and the checkpoint has whole items."""
    command = [*COMMANDS['map'], '-f', 'csv', '--checkpoint', 'c']
    done = cli(*command, folder=folder, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (5200, -1)))
    same((done.returncode, done.stdout), (1, ''))
    assert 'c cannot be written' in done.stderr and done.stderr.count('\n') == 1, done.stderr
    split(read(os.path.join(folder, 'c')))
    same(good(folder, *command).stdout.encode(), plain(folder, COMMANDS['map'], 'csv'))


def main():
    tap = Tap()
    for function in [a_checkpoint_changes_no_byte, shards_merge_to_the_same_bytes,
                     expectations_that_are_missed_are_told_by_merge, claims_are_kept_with_their_sweeps_runs_and_maps,
                     killed_at_any_moment_it_goes_on, a_torn_tail_is_cut_at_every_byte,
                     damage_before_the_end_is_refused, another_experiment_is_refused,
                     files_that_contradict_or_lack_items_are_refused, forged_heads_are_refused, shards_have_numbers,
                     a_job_array_of_slurm_gives_the_shards, two_processes_do_not_write_one_checkpoint,
                     an_output_that_cannot_be_appended_to_ends_the_run]:
        tap.run(function)
    print(f'1..{tap.count}')
    sys.exit(1 if tap.failed else 0)


if __name__ == '__main__':
    main()
