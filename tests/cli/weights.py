#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""A checkpoint that others change while it is read: an error that names the file, and no numbers.

    weights.py NORMSCOPE-CLI
"""

import json
import os
import random
import struct
import subprocess
import sys
import time

from cli import CLI, Tap, cli, same

D, LAYERS, VOCAB, TOKENS = 64, 4, 50, 8
CONFIG = {'model_type': 'gpt2', 'n_embd': D, 'n_layer': LAYERS, 'n_head': 4, 'vocab_size': VOCAB, 'n_positions': TOKENS}
FILE = 'model.safetensors'
# Many passes, each of which reads every matrix: a second after the file has been opened.
LONG = ['run', 'config.json', '--weights', FILE, '--seeds', '300', '--threads', '1', '--memory-budget', '1',
        '-f', 'json']


def tensors():
    yield 'wte.weight', [VOCAB, D]
    yield 'wpe.weight', [TOKENS, D]
    for layer in range(LAYERS):
        for name, shape in [('ln_1.weight', [D]), ('ln_1.bias', [D]), ('attn.c_attn.weight', [D, 3 * D]),
                            ('attn.c_attn.bias', [3 * D]), ('attn.c_proj.weight', [D, D]), ('attn.c_proj.bias', [D]),
                            ('ln_2.weight', [D]), ('ln_2.bias', [D]), ('mlp.c_fc.weight', [D, 4 * D]),
                            ('mlp.c_fc.bias', [4 * D]), ('mlp.c_proj.weight', [4 * D, D]), ('mlp.c_proj.bias', [D])]:
            yield f'h.{layer}.{name}', shape
    yield 'ln_f.weight', [D]
    yield 'ln_f.bias', [D]


def checkpoint(seed):
    """Return the bytes of a safetensors file with random F32 numbers."""
    source, header, data = random.Random(seed), {}, bytearray()
    for name, shape in tensors():
        n = shape[0] * (shape[1] if len(shape) > 1 else 1)
        begin = len(data)
        data += struct.pack(f'<{n}f', *(source.gauss(0, 0.05) for _ in range(n)))
        header[name] = {'dtype': 'F32', 'shape': shape, 'data_offsets': [begin, len(data)]}
    text = json.dumps(header).encode()
    return struct.pack('<Q', len(text)) + text + bytes(data)


def write(path, data):
    with open(path, 'wb') as file:
        file.write(data)


def model(folder):
    write(os.path.join(folder, 'config.json'), json.dumps(CONFIG).encode())
    write(os.path.join(folder, FILE), checkpoint(1))


# ---- changes ----

def in_place(path):
    with open(path, 'r+b') as file:
        file.write(checkpoint(2))


def rewritten(path):
    write(path, checkpoint(2))


def truncated(path):
    os.truncate(path, 5000)


def emptied(path):
    os.truncate(path, 0)


def grown(path):
    with open(path, 'ab') as file:
        file.write(b'more')


def replaced(path):
    write(path + '.new', checkpoint(2))
    os.replace(path + '.new', path)


CHANGES = {in_place: 'written again', rewritten: 'written again', truncated: 'had', emptied: 'had', grown: 'had',
           replaced: 'another file in its place', os.remove: 'No such file'}


def cpu_seconds(pid):
    with open(f'/proc/{pid}/stat', encoding='utf-8') as file:
        fields = file.read().rpartition(')')[2].split()
    return sum(int(x) for x in fields[11:13]) / os.sysconf('SC_CLK_TCK')


def change_during(args, change, folder, seconds=0.0):
    """Run the command, and change the file once it has been opened and so much processor time was used. Return status,
    output and message."""
    with subprocess.Popen([CLI, *args], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        lines = b''
        while b'sha256' not in lines:
            line = process.stderr.readline()
            assert line, f'ended before it had read the weights: {lines}'
            lines += line
        while process.poll() is None and cpu_seconds(process.pid) < seconds:
            time.sleep(0.01)
        assert process.poll() is None, 'ended before the change: the test shows nothing'
        change(os.path.join(folder, FILE))
        out, err = process.communicate()
    return process.returncode, out, err.decode()


def changed_during_a_run(folder):
    for change, word in CHANGES.items():
        model(folder)
        status, out, err = change_during(LONG, change, folder)
        if (status, out) != (2, b'') or FILE not in err or word not in err or err.count('changed') != 1:
            return f'{change.__name__}: status {status}, {len(out)} bytes; {err[-500:]}'
    return None


def changed_during_other_commands(folder):
    more = ['--seeds', '200', '--threads', '1', '--memory-budget', '1']
    for args in [['plot', '-o', 'x.png'], ['paths', '--of', 'lengths', '-f', 'json', '-o', 'x.json'],
                 ['paths', '--of', 'gain', '-f', 'json', '-o', 'x.json']]:
        model(folder)
        whole = [args[0], 'config.json', *args[1:], '--weights', FILE, *more]
        status, out, err = change_during(whole, truncated, folder)
        same(sorted(os.listdir(folder)), ['config.json', FILE], f'{args}: ')
        if (status, out) != (2, b'') or FILE not in err or 'changed' not in err:
            return f'{args}: status {status}; {err[-500:]}'
    return None


def training_goes_on(folder):
    """A training has its weights in memory from the first step on."""
    model(folder)
    args = ['train', 'config.json', '--weights', FILE, '--seeds', '1', '--steps', '600', '--threads', '1', '-f', 'csv',
            '--no-provenance']
    wanted = cli(*args, folder=folder)
    same(wanted.returncode, 0, wanted.stderr)
    status, out, err = change_during(args, truncated, folder, 0.3)
    same((status, out.decode()), (0, wanted.stdout), err)


def unchanged(folder):
    """An untouched file gives the same numbers whether its matrices are read once or for every pass."""
    model(folder)
    args = ['run', 'config.json', '--weights', FILE, '--seeds', '3', '-f', 'csv', '--no-provenance']
    kept, read = cli(*args, folder=folder), cli(*args, '--memory-budget', '1', folder=folder)
    same(kept.returncode, 0, kept.stderr)
    same(kept.stdout, read.stdout)
    rewritten(os.path.join(folder, FILE))
    assert cli(*args, folder=folder).stdout != kept.stdout, 'other weights, same numbers'


def main():
    tap = Tap()
    for function in [unchanged, changed_during_a_run, changed_during_other_commands, training_goes_on]:
        tap.run(function)
    print(f'1..{tap.count}')
    sys.exit(1 if tap.failed else 0)


if __name__ == '__main__':
    main()
