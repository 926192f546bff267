#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Round trips through pictures and links, refusal of newer versions, and values for each seed.

    provenance.py NORMSCOPE-CLI
"""

import base64
import csv
import json
import math
import os
import struct
import sys
import zlib

from cli import CLI, FORMAT, TINY, Tap, cli, count_stats, files_below, problem_of_refusal, run_json, same


def read(folder, name):
    with open(os.path.join(folder, name), 'rb') as file:
        return file.read()


def write(folder, name, data):
    with open(os.path.join(folder, name), 'wb') as file:
        file.write(data)


def good(*args, **more):
    done = cli(*args, **more)
    assert (done.returncode, done.stderr) == (0, ''), f'{args}: {done.returncode} {done.stderr}'
    return done.stdout


# ---- pictures ----

# A name with characters that are special in XML, JSON and terminals.
NAME = 'a<b> & "c" \\ ]]> # \' é'
ODD = [*TINY, '--variant', f'post:name={NAME}', '--variant', 'pre', '--seed', '9007199254740000']


def pictures_contain_the_experiment(folder):
    wanted = run_json(*ODD)
    for name in ['x.png', 'x.svg']:
        good('plot', *ODD, '-o', name, folder=folder)
        same(run_json(name, folder=folder), wanted, name + ': ')
        renamed = 'renamed-' + name.replace('.', '-')
        os.rename(os.path.join(folder, name), os.path.join(folder, renamed))
        good('plot', renamed, '-o', 'again-' + name, folder=folder)
        same(read(folder, 'again-' + name), read(folder, renamed), f'{name} drawn again: ')
        # Options override the experiment in the picture.
        same(run_json(renamed, '--depth', '1', folder=folder)['experiment']['shape']['depth'], 1)
    good('plot', 'again-x.png', '--figure', 'scaling', '--depths', '1,2', '-o', 'law.svg', folder=folder)
    same(run_json('law.svg', folder=folder), wanted, 'scaling: ')


def pictures_contain_provenance(folder):
    words = ['Normscope ' + cli('--version').stdout.split()[1], 'OpenBLAS', 'float32', 'normscope-experiment']
    for name in ['x.png', 'x.svg']:
        good('plot', *TINY, '-o', name, folder=folder)
        data = read(folder, name).decode('latin-1')
        missing = [word for word in words if word not in data]
        assert not missing, f'{missing} not in {name}'
    good('plot', *TINY, '-o', 'x.pdf', folder=folder)
    data = read(folder, 'x.pdf')
    for key in [b'/Keywords', b'/Creator']:
        assert key in data or b'/ObjStm' in data, f'{key} is not in the PDF'
    return problem_of_refusal(cli('run', 'x.pdf', folder=folder), 2, ['x.pdf', 'PDF', 'PNG or SVG'])


def png(*chunks):
    data = b'\x89PNG\r\n\x1a\n'
    for kind, body in [(b'IHDR', struct.pack('>IIBBBBB', 1, 1, 8, 0, 0, 0, 0)), *chunks,
                       (b'IDAT', zlib.compress(b'\0\0')), (b'IEND', b'')]:
        data += struct.pack('>I', len(body)) + kind + body + struct.pack('>I', zlib.crc32(kind + body))
    return data


def experiment_chunk(text, compressed=False):
    text = zlib.compress(text) if compressed else text
    return b'iTXt', b'normscope:experiment\0' + bytes([compressed, 0]) + b'\0\0' + text


BAD_PICTURES = [
    ('none.png', png(), ['contains no experiment']),
    ('other.png', png((b'tEXt', b'Comment\0{}')), ['contains no experiment']),
    ('two.png', png(experiment_chunk(b'{}'), experiment_chunk(b'{}')), ['more than one']),
    ('bomb.png', png(experiment_chunk(b' ' * (80 << 20), True)), ['decompressed data is too large']),
    ('nested.png', png(experiment_chunk(b'[' * 1000000)), ['nested']),
    ('nul.png', png(experiment_chunk(b'{\0}')), ['(embedded experiment)']),
    ('cut.png', png(experiment_chunk(b'{}'))[:-20], ['truncated']),
    ('checksum.png', png(experiment_chunk(b'{}')).replace(b'{}', b'[]'), ['checksum']),
    ('none.svg', b'<svg/>', ['contains no experiment']),
    ('page.svg', b'<html/>', ['not SVG']),
    ('entities.svg', b'<!DOCTYPE svg [<!ENTITY a "' + b'a' * 1000 + b'">]><svg><metadata>'
     b'<normscope:experiment>&a;</normscope:experiment></metadata></svg>', ['cannot be read as a picture']),
    ('file.svg', b'<!DOCTYPE svg [<!ENTITY a SYSTEM "file:///etc/passwd">]><svg><metadata>'
     b'<normscope:experiment>&a;</normscope:experiment></metadata></svg>', ['cannot be read as a picture']),
    ('deep.svg', b'<g>' * 100000, ['picture']),
]


def check_bad_pictures(tap):
    for name, data, words in BAD_PICTURES:
        def refused(folder, name=name, data=data, words=words):
            write(folder, name, data)
            for args in [['run', name, '-o', 'out.json'], ['plot', name, '-o', 'out.png']]:
                problem = problem_of_refusal(cli(*args, folder=folder), 2, [name, *words])
                if problem or files_below(folder) != [name]:
                    return problem or f'written: {files_below(folder)}'
        refused.__name__ = 'bad-picture/' + name
        tap.run(refused)


# ---- links ----

def links(folder):
    for args in [[], TINY, ODD, ['--preset', 'gpt2-small'], ['--source', 'text']]:
        link = good('link', *args)
        assert link.startswith('normscope:1:') and link.count('\n') == 1 and len(link) < 400, link
        same(json.loads(good('link', '--expand', link.strip())), json.loads(good('link', '--expand', *args)))
        write(folder, 'link.txt', ('\n ' + link[:30] + '\n' + link[30:]).encode())
        same(good('link', 'link.txt', folder=folder), link, 'from a file: ')
        same(good('link', '-', stdin=link), link, 'from a pipe: ')
    link = good('link', *ODD).strip()
    same(run_json(link), run_json(*ODD))
    good('plot', link, '-o', 'x.png', folder=folder)
    good('plot', *ODD, '-o', 'y.png', folder=folder)
    same(read(folder, 'x.png'), read(folder, 'y.png'))


def bad_links(folder):
    link = good('link', *ODD).strip()
    for bad, words in [(link[:-7], ['truncated']), (link[:40] + 'AAAA' + link[44:], ['the link']),
                       ('normscope:7:abc', ['normscope:1:']), ('normscope:1:****', ['character 1'])]:
        problem = problem_of_refusal(cli('run', bad), 2, words)
        if problem:
            return problem
    text = os.path.join(folder, 'text.txt')
    write(folder, 'text.txt', os.urandom(150000).hex().encode())
    return problem_of_refusal(cli('link', '--text-file', text), 2, ['too long for a link'])


# ---- files of a newer version ----

def newer_version(folder):
    tree = {**FORMAT, 'version': 2, 'shape': {'depth': 2, 'experts': [8, None]}}
    write(folder, 'newer.normscope', json.dumps(tree).encode())
    for args in [['run'], ['link'], ['link', '--expand'], ['scaling']]:
        problem = problem_of_refusal(cli(*args, 'newer.normscope', folder=folder), 2,
                                     ['newer.normscope', 'version: 2', 'newer Normscope', 'allowed: up to 1'])
        if problem:
            return problem
    del tree['format']
    link = 'normscope:1:' + base64.urlsafe_b64encode(zlib.compress(json.dumps(tree).encode())).decode().rstrip('=')
    return problem_of_refusal(cli('run', link), 2, ['the link', 'version: 2', 'newer Normscope'])


# ---- values of each seed ----

def per_seed(folder):
    tree = run_json(*ODD, '--per-seed')
    plain = run_json(*ODD)
    seeds = [9007199254740000, 9007199254740001]
    rows = list(csv.DictReader(good('run', *ODD, '--per-seed', '--format', 'csv').splitlines()))
    same(list(rows[0]), ['variant', 'part', 'layer', 'quantity', 'kind', 'seed', 'value', 'log10_value'])
    found = 0
    for row in rows:
        if row['part'] != 'stack':
            continue
        variant = next(item for item in tree['variants'] if item['name'] == row['variant'])
        layer = variant['layers'][int(row['layer']) - 1]
        stat = layer['grad'].get(row['quantity']) or layer[row['quantity']]
        at = seeds.index(int(row['seed']))
        same(float(row['value']), stat['seeds'][at])
        assert math.isclose(sum(stat['seeds']) / 2, stat['mean'], rel_tol=1e-12, abs_tol=1e-300)
        if row['log10_value']:
            same(float(row['log10_value']), stat['log10_seeds'][at])
        else:
            kind = 'cosine' if row['quantity'] == 'token_cos' else 'share' if row['kind'] == 'share' else 'number'
            same((row['kind'], 'log10_seeds' in stat), (kind, False))
        found += 1
    same(found, 2 * sum(count_stats(item['layers']) for item in tree['variants']))

    def without_seeds(node):
        if isinstance(node, dict):
            statistic = 'mean' in node
            return {key: without_seeds(value) for key, value in node.items()
                    if not (statistic and key in ('seeds', 'log10_seeds'))}
        return [without_seeds(item) for item in node] if isinstance(node, list) else node
    same(without_seeds(tree), plain)
    for seed in (0, 1):
        one = run_json(*ODD, '--seed', str(seeds[seed]), '--seeds', '1')
        same(one['variants'][1]['layers'][1]['grad']['w_2']['mean'],
             tree['variants'][1]['layers'][1]['grad']['w_2']['seeds'][seed])
    return problem_of_refusal(cli('run', *TINY, '--per-seed'), 2, ['--per-seed', 'json, csv or npy'])


FIELDS = {'<i4': 'i', '<i8': 'q', '<f8': 'd'}


def read_records(data):
    """Read the records of a .npy file by the format's specification."""
    same(data[:8], b'\x93NUMPY\x01\x00')
    length = struct.unpack('<H', data[8:10])[0]
    header = eval(data[10:10 + length].decode('latin-1'), {'__builtins__': {}})  # a dict of literals by specification
    same(((10 + length) % 64, len(header['shape'])), (0, 1))
    rows, at = [], 10 + length
    for _ in range(header['shape'][0]):
        row = {}
        for name, kind in header['descr']:
            size = 4 * int(kind[2:]) if kind.startswith('<U') else struct.calcsize('<' + FIELDS[kind])
            field = data[at:at + size]
            row[name] = field.decode('utf-32-le').rstrip('\0') if kind.startswith('<U') else \
                struct.unpack('<' + FIELDS[kind], field)[0]
            at += size
        rows.append(row)
    same(at, len(data))
    return rows


def records(folder):
    for more in [[], ['--per-seed']]:
        good('run', *ODD, *more, '-o', 'x.npy', folder=folder)
        got = read_records(read(folder, 'x.npy'))
        table = list(csv.DictReader(good('run', *ODD, *more, '--format', 'csv').splitlines()))
        same(len(got), len(table))
        for record, row in zip(got, table):
            same(list(record), list(row))
            for key, value in record.items():
                if isinstance(value, float):
                    same(repr(value), repr(float(row[key] or 'nan')), key + ': ')
                else:
                    same(str(value), row[key])


# ---- the comment lines of a CSV ----

def csv_comment(folder):
    good('run', *ODD, '-o', 'x.csv', folder=folder)
    text = read(folder, 'x.csv').decode()
    head = [line for line in text.splitlines() if line.startswith('# ')]
    same(text.splitlines()[:len(head)], head, 'the comment is not at the beginning: ')
    comment = dict(line[2:].split(': ', 1) for line in head)
    same(sorted(comment), ['blas', 'experiment', 'generator', 'precision', 'seeds'])
    same((comment['precision'], comment['seeds']), ('float32', '9007199254740000..9007199254740001'))
    same(comment['generator'], 'Normscope ' + cli('--version').stdout.split()[1])
    same(json.loads(comment['experiment']), run_json(*ODD)['experiment'])
    write(folder, 'x.normscope', comment['experiment'].encode())
    plain = good('run', 'x.normscope', '--format', 'csv', folder=folder)
    same('\n'.join(head) + '\n' + plain, text)
    same(good('run', *ODD, '--format', 'csv'), plain)
    same(good('run', *ODD, '--format', 'csv', '--provenance'), text)
    good('run', *ODD, '-o', 'y.csv', '--no-provenance', folder=folder)
    same(read(folder, 'y.csv').decode(), plain)
    result = run_json(*TINY)
    assert result['blas'].startswith('OpenBLAS ') and result['precision'] == 'float32', result['blas']
    return problem_of_refusal(cli('run', *TINY, '--provenance', '--no-provenance'), 2, ['--provenance', 'exclude'])


def main():
    tap = Tap()
    check_bad_pictures(tap)
    for function in [pictures_contain_the_experiment, pictures_contain_provenance, links, bad_links, newer_version,
                     per_seed, records, csv_comment]:
        tap.run(function)
    print(f'1..{tap.count}')
    sys.exit(1 if tap.failed else 0)


if __name__ == '__main__':
    main()
