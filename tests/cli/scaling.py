#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Black-box tests of normscope-cli scaling and plot --figure scaling: numbers, laws, messages, exit status.

    scaling.py NORMSCOPE-CLI
"""

import csv
import io
import json
import math
import os
import re
import signal
import sys
import tempfile

from cli import FORMAT, TINY, Tap, cli, files_below, interrupt, problem_of_refusal, same

TINY = TINY[2:]  # without the depth
THEORY = ['--preset', 'xiong-theory', '--d-model', '64', '--d-ff', '64', '--seeds', '8', '--depths', '2..64:8']


def scaling(*args, status=0, **more):
    done = cli('scaling', *args, **more)
    assert done.returncode == status, f'status {done.returncode}: {done.stderr}'
    return done


def scaling_json(*args, **more):
    return json.loads(scaling(*args, '--format', 'json', **more).stdout, parse_constant=lambda word: 1 / 0)


# ---- bad input ----

BAD = [
    ('depths-word', ['scaling', '--depths', 'many'], ['--depths', '“many”', '1..128']),
    ('depths-backward', ['scaling', '--depths', '9..3'], ['--depths', '“9..3”']),
    ('depths-unsorted', ['scaling', '--depths', '4,2'], ['--depths', '“4,2”', 'ascending']),
    ('depths-0', ['scaling', '--depths', '0..8'], ['--depths', '0..8']),
    ('depths-huge', ['scaling', '--depths', '1..2000000000:every'], ['--depths', '2000000000', 'from 1 to 65536']),
    ('depths-beyond', ['scaling', '--depths', '2,70000'], ['depth', '70000', 'from 1 to 65536']),
    ('metric', ['scaling', '--metric', 'w_9@last'], ['--metric', '“w_9”', 'w_2']),
    ('metric-where', ['scaling', '--metric', 'w_2@top'], ['--metric', '“@top”', '@last']),
    ('metric-part', ['scaling', '--metric', 'middle:w_2@last'], ['--metric', '“middle:”', 'encoder:', 'decoder:']),
    ('metric-part-of-none', ['scaling', '--metric', 'encoder:w_2@last'],
     ['encoder:w_2@last', 'no variant', 'allowed: w_2@last, or --stack encoder-decoder']),
    ('metric-of-none', ['scaling', '--metric', 'w_3'], ['w_3@last', 'no variant', 'allowed: w_q, ', 'loss']),
    ('metric-of-neither', ['scaling', '--metric', 'decoder:w_3'], ['decoder:w_3@last', 'no variant', 'allowed: w_q, ']),
    ('sweep', ['scaling', '--sweep', 'heads=1..4'], ['--sweep', 'heads=1..4', 'd_model=']),
    ('sweep-points', ['scaling', '--sweep', 'd_model=a..b'], ['--sweep', '“a..b”']),
    ('sweep-width', ['scaling', '--sweep', 'd_model=8..99999999'], ['--sweep', '99999999', 'from 1 to']),
    ('sweep-and-depths', ['scaling', '--sweep', 'depth=1..4', '--depths', '1..8'], ['--depths', '--sweep', 'exclude']),
    ('width-and-depths', ['scaling', '--sweep', 'd_model=32..64', '--depths', '2,4,8'],
     ['--depths 2,4,8', '--sweep d_model=32..64', 'exclude', '--claims']),
    ('plot-width-and-depths', ['plot', '-o', 'x.png', '--figure', 'scaling', '--sweep', 'd_model=32..64', '--depths',
                               '2,4'], ['--depths 2,4', '--sweep d_model=32..64', 'exclude']),
    ('ratio-word', ['scaling', '--ratio', 'post'], ['--ratio', '“post”', 'post/pre']),
    ('ratio-variant', ['scaling', '--ratio', 'post/deepnorm'], ['--ratio', '“deepnorm”', '“Pre-LN”', 'pre']),
    ('ratio-rms', ['scaling', '--ratio', 'rms/post'], ['--ratio', '“rms”', '“Post-LN”, pre, post']),
    ('ratio-init', ['scaling', '--ratio', 'gpt2-init/post'], ['--ratio', '“gpt2-init”', '“Post-LN”, pre, post']),
    ('expect-t5-init', ['scaling', '--expect', 't5-init:w_2@last:-0.5±0.1'], ['--expect', '“t5-init”', 'pre, post']),
    ('expect-short', ['scaling', '--expect', 'pre:-0.5'], ['--expect', 'pre:-0.5', 'VARIANT:METRIC']),
    ('expect-number', ['scaling', '--expect', 'pre:w_2@last:half'], ['--expect', 'half', 'VARIANT:METRIC']),
    ('expect-tolerance', ['scaling', '--expect', 'pre:w_2@last:-0.5±x'], ['--expect', '±x']),
    ('expect-negative', ['scaling', '--expect', 'pre:w_2@last:-0.5±-1'], ['--expect', '±-1']),
    ('expect-variant', ['scaling', '--expect', 'per:w_2@last:-0.5±0.1'], ['--expect', '“per”', '“Post-LN”']),
    ('expect-metric', ['scaling', '--expect', 'pre:w_8@last:-0.5±0.1'], ['--expect', 'w_8']),
    ('format', ['scaling', '--format', 'xml'], ['--format', 'xml', 'table, json, csv']),
    ('claims-as-csv', ['scaling', '--claims', '--format', 'csv'], ['--claims', 'csv', 'table, json']),
    ('claims-folder', ['scaling', '--claims-folder', 'none'], ['--claims-folder', 'none']),
    ('file', ['scaling', 'missing.normscope'], ['missing.normscope', 'No such file']),
    ('option', ['scaling', '--dephts', '1..4'], ['--dephts', '--depths']),
    ('plot-mixed', ['plot', '-o', 'x.png', '--ratio', 'post/pre'], ['--ratio', '--figure scaling']),
    ('plot-quantity', ['plot', '-o', 'x.png', '--figure', 'scaling', '--quantity', 'w_2'],
     ['--quantity', '--figure flow']),
    ('plot-depths', ['plot', '-o', 'x.png', '--figure', 'scaling', '--depths', 'x'], ['--depths', '“x”']),
    ('plot-theory-depth', ['plot', '-o', 'x.png', '--figure', 'scaling', '--theory', '--theory-depth', '1000001'],
     ['--theory-depth', '“1000001”', 'from 1 to 1000000']),
    ('plot-theory-depth-of-flow', ['plot', '-o', 'x.png', '--theory-depth', '1000'],
     ['--theory-depth', '--figure scaling']),
]


def check_refusals(tap):
    for name, args, words in BAD:
        with tempfile.TemporaryDirectory(prefix='normscope-cli-') as folder:
            problem = problem_of_refusal(cli(*args, folder=folder), 2, words)
            if files_below(folder):
                problem = f'written: {files_below(folder)}'
        tap.check(f'bad/{name}', problem)


# ---- numbers ----

def slope(points):
    """Compute the exponent from the numbers of the CSV, by least squares over x >= 2."""
    xs, ys = [math.log(x) for x, _ in points if x >= 2], [y for x, y in points if x >= 2]
    middle_x, middle_y = sum(xs) / len(xs), sum(ys) / len(ys)
    return (sum((x - middle_x) * (y - middle_y) for x, y in zip(xs, ys))
            / sum((x - middle_x) ** 2 for x in xs))


def exponents_match_the_csv(folder):
    rows = list(csv.DictReader(io.StringIO(scaling(*THEORY, '--format', 'csv').stdout)))
    result = scaling_json(*THEORY)
    assert {row['metric'] for row in rows} == {'w_2@last'}
    same((result['format'], result['axis'], result['metric']), ('normscope-scaling', 'depth', 'w_2@last'))
    for variant in result['variants']:
        seeds = {}
        for row in rows:
            if row['variant'] == variant['name']:
                assert math.isclose(10 ** float(row['log10']), float(row['value']), rel_tol=1e-12)
                seeds.setdefault(row['seed'], []).append((int(row['depth']), math.log(float(row['value']))))
        slopes = [slope(points) for points in seeds.values()]
        mean = sum(slopes) / len(slopes)
        std = math.sqrt(sum((p - mean) ** 2 for p in slopes) / (len(slopes) - 1))
        same(variant['exponent']['seeds'], 8)
        assert math.isclose(variant['exponent']['p'], mean, abs_tol=1e-12), (variant['exponent'], mean)
        # 2.364624251592784: Student's t, 0.975, 7 degrees of freedom
        assert math.isclose(variant['exponent']['error'], 2.364624251592784 * std / math.sqrt(8), rel_tol=1e-9)


def numbers_match_run(folder):
    args = ['--preset', 'tiny', '--seeds', '3']
    one = json.loads(cli('run', *args, '--depth', '5', '--format', 'json').stdout)
    sweep = scaling_json(*args, '--depths', '2,5,9', '--metric', 'block@last')
    for got, wanted in zip(sweep['variants'], one['variants']):
        same([point['depth'] for point in got['points']], [2, 5, 9])
        assert math.isclose(got['points'][1]['mean'], wanted['layers'][-1]['grad']['block']['mean'], rel_tol=1e-5)


def theory_to_a_million(folder):
    plain = ['plot', '--preset', 'xiong-theory', '--seeds', '2', '--figure', 'scaling', '--depths', '2,4,8']
    for name, more, found in [('without', [], False), ('over', ['--theory'], True),
                              ('far', ['--theory', '--theory-depth', '1000000'], True)]:
        done = cli(*plain, *more, '-o', f'{name}.svg', folder=folder)
        assert done.returncode == 0, done.stderr
        with open(os.path.join(folder, f'{name}.svg'), encoding='utf-8') as file:
            text = file.read()
        assert ('Mean field at depth' in text) == found, name
        assert ('Mean field at depth 1000000' in text) == (name == 'far'), name





def laws_of_theory(folder):
    result = scaling_json(*THEORY, '--ratio', 'post/pre')
    pre, post = result['variants']
    same((pre['best'], post['best'], result['ratio']['best']), ('1/sqrt', 'constant', 'sqrt'))
    assert abs(pre['exponent']['p'] + 0.5) < 4 * pre['exponent']['error'] < 0.4, pre['exponent']
    assert abs(post['exponent']['p']) < 4 * post['exponent']['error'] < 0.4, post['exponent']
    assert all(abs(sum(law['weight'] for law in variant['laws']) - 1) < 1e-9 for variant in result['variants'])


def textbook(folder):
    """Without norms and residuals the gradient is an exponential of the depth."""
    args = ['--variant', 'none:attn.residual=off,ffn.residual=off', '--metric', 'grad_x@first', '--depths',
            '2,4,8,16,24,32,48', '--seeds', '4']
    text = scaling(*args).stdout
    assert 'closest law exponential (× 0.56 a block, 0.55 to 0.58; off by ' in text, text
    assert '0.56ᴸ' in text, text
    fit, = scaling_json(*args)['variants']
    same((fit['status'], fit['best'], fit['deviates']), ('ok', 'exponential', False))
    law, = [law for law in fit['laws'] if law['law'] == 'exponential']
    assert law['number_from'] < law['number'] < law['number_to'] and law['weight'] > 0.99, law
    drawn = cli('plot', '--figure', 'scaling', *args, '-o', 'x.svg', folder=folder)
    assert drawn.returncode == 0, drawn.stderr
    with open(os.path.join(folder, 'x.svg'), encoding='utf-8') as file:
        assert 'closest law exponential (× 0.56 a block, 0.55 to 0.58; off by ' in file.read()


def laws_beside_their_weights(folder):
    """A law that the weights reject is named with the reason; a curve without a law says so."""
    args = [*THEORY[:-1], '2..128:12', '--ratio', 'post/pre', '--seeds', '16']
    result, text = scaling_json(*args), scaling(*args).stdout
    rejected = 0
    for fit in [*result['variants'], result['ratio']]:
        weight, = [law['weight'] for law in fit['laws'] if law['law'] == fit['best']]
        name = fit.get('name') or f"{fit['numerator']} / {fit['denominator']}"
        line, = [line for line in text.splitlines() if line.startswith(name + ': ')]
        assert (', with a small significant deviation (off by' in line) == fit['deviates'], (fit, line)
        if weight < 0.05:
            rejected += 1
            assert fit['deviates'] or 'within the seeds’ spread' in line, (fit, line)
    assert rejected > 0, result
    none = [*TINY, '--d-model', '64', '--variant', 'pre:residual_scale=1.03', '--metric', 'rms_x@last', '--depths',
            '2..128:14', '--seeds', '8']
    fit, = scaling_json(*none)['variants']
    same((fit['status'], fit['best'], len(fit['laws'])), ('none', None, 9))
    text = scaling(*none).stdout
    assert ': none of these laws fits: the closest, ' in text and 'standard deviations of a seed.' in text, text


def sentences(folder):
    text = scaling(*THEORY, '--ratio', '1/0').stdout
    for word in ['depth L', 'Pre-LN: L⁻⁰·', 'closest law 1/√L', 'Post-LN / Pre-LN: L⁰·']:
        assert word in text, f'{word} not in {text}'


def expectations(folder):
    for text, status in [('pre:w_2@last:-0.5±0.1', 0), ('Pre-LN:w_2@last:−0.5 ± 0.1', 0), ('0:w_2@last:-0.5+-0.1', 0),
                         ('post/pre:w_2@last:0.5±0.1', 0), ('post:token_cos@first:0±1', 0),
                         ('pre:w_2@last:0±0.1', 3), ('post:w_2@last:-0.5±0.1', 3), ('pre:w_2@last:-0.2', 3),
                         ('post:gain_final:0±1', 3)]:
        done = scaling(*THEORY, '--expect', text, status=status)
        assert ('misses' in done.stderr) == (status == 3), (text, done.stderr)
        assert ('misses' if status == 3 else 'meets') in done.stdout, (text, done.stdout)
    both = ['--expect', 'pre:w_2@last:-0.5±0.1', '--expect', 'pre:rms_x@last:-0.5±0.1']
    result = scaling_json(*THEORY, *both, status=3)
    same([expectation['met'] for expectation in result['expectations']], [True, False])
    same([expectation['metric'] for expectation in result['expectations']], ['w_2@last', 'rms_x@last'])


def parts(folder):
    """The metrics of encoder and decoder match a run and have their own titles. Expectations distinguish them, even if
    a variant is named like a part."""
    both = ['--stack', 'encoder-decoder', *TINY]
    run = json.loads(cli('run', *both, '--depth', '3', '--format', 'json').stdout)
    measured = {}
    for metric, part, layer in [('encoder:w_2@first', 'encoder', 1), ('decoder:w_2@first', 'decoder', 1),
                                ('w_2@last', 'decoder', 3), ('encoder:rms_x@last', 'encoder', 3)]:
        result = scaling_json(*both, '--depths', '2,3', '--metric', metric)
        same(result['metric'], metric)
        for ours, theirs in zip(result['variants'], run['variants']):
            entry, = [entry for entry in theirs['layers'] if (entry['part'], entry['layer']) == (part, layer)]
            wanted = entry['rms_x' if 'rms_x' in metric else 'grad']
            wanted = wanted.get('w_2', wanted)
            point, = [point for point in ours['points'] if point['depth'] == 3]
            assert math.isclose(point['mean'], wanted['mean'], rel_tol=1e-6), (metric, point, wanted)
            measured[metric, ours['name']] = point['mean']
        title = scaling(*both, '--depths', '2,3', '--metric', metric).stdout.splitlines()[0]
        assert title.startswith(part + ': '), title
    assert measured['encoder:w_2@first', 'Post-LN'] != measured['decoder:w_2@first', 'Post-LN']

    named = [*both, '--variant', 'pre:name=decoder', '--depths', '1,2,3,4,6,8']
    texts = ['decoder:w_2@last:0±9', 'decoder:decoder:w_2@last:0±9', 'decoder:encoder:w_2@last:0±9']
    result = scaling_json(*named, *[word for text in texts for word in ['--expect', text]])
    same([entry['metric'] for entry in result['expectations']], ['w_2@last', 'decoder:w_2@last', 'encoder:w_2@last'])
    same([entry['variant'] for entry in result['expectations']], ['decoder'] * 3)
    first, second, third = [entry['exponent']['p'] for entry in result['expectations']]
    same(first, second)
    assert first != third, first


def variants_by_id(folder):
    """The id of a built-in variant selects the variant with its settings, whatever its name and position."""
    args = [*TINY, '--depths', '2,3', '--variant', 'rms:name=a', '--variant', 'gpt2-init:name=b', '--variant',
            'pre:name=c,bias=true', '--variant', 'post:name=d']
    for over, name in [('rms', 'a'), ('gpt2-init', 'b'), ('pre', 'c')]:
        ratio = scaling_json(*args, '--ratio', f'post/{over}')['ratio']
        same((ratio['numerator'], ratio['denominator']), ('d', name))



def width(folder):
    result = scaling_json(*THEORY[:-2], '--depth', '4', '--sweep', 'd_model=16..64:4')
    same(result['axis'], 'd_model')
    same([point['d_model'] for point in result['variants'][0]['points']], [16, 25, 40, 64])
    assert result['variants'][1]['exponent']['p'] > 0.5, result['variants'][1]['exponent']


def data_without_a_law(folder):
    """Degenerate data: too few points, an overflow, zeros, a constant, a short range, a single seed."""
    two = scaling_json(*TINY, '--depths', '4,8')['variants'][0]
    same((two['status'], two['best'], two['laws']), ('too-few-points', None, []))
    overflow = scaling_json(*TINY, '--depths', '2..64', '--variant', 'none:residual_scale=1e6')
    same((overflow['variants'][0]['status'], overflow['variants'][0]['best']), ('not-finite', None))
    assert None in [point['mean'] for point in overflow['variants'][0]['points']]
    zero = scaling(*TINY, '--depths', '2..16', '--variant', 'pre:attention=uniform', '--metric', 'w_q').stdout
    assert 'exactly 0' in zero, zero
    flat = scaling_json(*TINY, '--depths', '2..16', '--variant', 'post:norm_eps=0', '--metric', 'rms_x')['variants'][0]
    same(flat['best'], 'constant')
    assert abs(flat['exponent']['p']) < 1e-4, flat['exponent']
    short = scaling(*TINY, '--depths', '6,7,8,9').stdout
    assert 'cannot tell' in short, short
    one = scaling_json(*TINY[:-1], '1', '--depths', '2..16')['variants'][0]['exponent']
    same((one['error'], one['seeds']), (None, 1))


def outputs(folder):
    for name, start in [('x.json', '{'), ('x.csv', '# generator: Normscope '), ('x.txt', '‖')]:
        same(scaling(*TINY, '--depths', '1..4', '-o', name, folder=folder).stdout, '')
        with open(os.path.join(folder, name), encoding='utf-8') as file:
            assert file.read().startswith(start), name
    for name, start in [('x.png', b'\x89PNG'), ('x.svg', b'<?xml'), ('x.pdf', b'%PDF')]:
        for more in [[], ['--ratio', 'post/pre'], ['--sweep', 'd_model=8,16,24,32']]:
            depths = [] if '--sweep' in more else ['--depths', '1..4']
            done = cli('plot', '--figure', 'scaling', *TINY, *depths, *more, '-o', name, folder=folder)
            same((done.returncode, done.stderr), (0, ''))
            with open(os.path.join(folder, name), 'rb') as file:
                assert file.read().startswith(start), name
    done = cli('scaling', *TINY, '--depths', '1..4', '-o', 'no/such/x.json', folder=folder)
    return problem_of_refusal(done, 1, ['no/such/x.json'])


def several_minibatches(folder):
    """Table, JSON and CSV name the estimate of a gradient; other quantities have none."""
    several = [*TINY, '--depths', '1..4', '--batches', '3', '--estimate', 'mean']
    same(scaling(*several, '-f', 'csv').stdout.split('\n')[0], 'variant,metric,estimate,depth,seed,value,log10')
    same(scaling_json(*several)['estimate'], 'mean')
    same('norm of the mean over 3 minibatches' in scaling(*several).stdout.split('\n')[0], True)
    other = [*several, '--metric', 'rms_x']
    same(scaling(*other, '-f', 'csv').stdout.split('\n')[0], 'variant,metric,depth,seed,value,log10')
    same('estimate' in scaling_json(*other), False)


def provenance_in_files(folder):
    """A CSV in a file has its provenance, which reproduces the table; a CSV on a pipe has none."""
    same(scaling(*TINY, '--depths', '1..4', '-o', 'x.csv', folder=folder).stdout, '')
    with open(os.path.join(folder, 'x.csv'), encoding='utf-8') as file:
        lines = file.read().splitlines(keepends=True)
    keys = dict(line[2:].rstrip('\n').split(': ', 1) for line in lines if line.startswith('#'))
    same(sorted(keys), ['blas', 'experiment', 'generator', 'precision', 'seeds'])
    with open(os.path.join(folder, 'again.normscope'), 'w', encoding='utf-8') as file:
        file.write(keys['experiment'])
    rows = ''.join(line for line in lines if not line.startswith('#'))
    same(scaling('again.normscope', '--depths', '1..4', '--format', 'csv', folder=folder).stdout, rows)
    same(scaling(*TINY, '--depths', '1..4', '-f', 'csv', '--provenance').stdout, ''.join(lines))
    same(scaling(*TINY, '--depths', '1..4', '-o', 'y.csv', '--no-provenance', folder=folder).stdout, '')
    with open(os.path.join(folder, 'y.csv'), encoding='utf-8') as file:
        same(file.read(), rows)
    result = scaling_json(*TINY, '--depths', '1..4')
    same((result['blas'], result['precision']), (keys['blas'], keys['precision']))
    return problem_of_refusal(cli('scaling', *TINY, '--provenance', '--no-provenance'), 2, ['--no-provenance'])


def threads_change_nothing(folder):
    same(*[scaling(*THEORY, '--format', 'csv', '-j', threads).stdout for threads in ['1', '3']])


def from_a_file(folder):
    with open(os.path.join(folder, 'e.normscope'), 'w', encoding='utf-8') as file:
        json.dump({**FORMAT, 'shape': {'d_model': 16, 'd_ff': 32}, 'sampling': {'seeds': 2},
                   'variants': [{'name': 'a/b:c'}, {'name': 'd', 'attn': {'norm': 'post'}, 'ffn': {'norm': 'post'}}]},
                  file)
    result = scaling_json('e.normscope', '--depths', '2..8', '--ratio', 'd/a/b:c', '--expect', 'a/b:c:w_2@last:0±9',
                          folder=folder)
    same(result['ratio']['denominator'], 'a/b:c')
    same(result['expectations'][0]['variant'], 'a/b:c')


def interrupted(folder):
    long = ['--depths', '1..4096:every', '--seeds', '1000']
    for args in [['scaling', *long, '-o', 'x.json'], ['scaling', *long, '--claims'],
                 ['plot', '--figure', 'scaling', *long, '-o', 'x.png']]:
        status, text = interrupt(args, signal.SIGINT, folder)
        same(status, 130)
        assert 'interrupted' in text, text
        same(files_below(folder), [])


def main():
    tap = Tap()
    check_refusals(tap)
    for function in [exponents_match_the_csv, numbers_match_run, theory_to_a_million, laws_of_theory, textbook,
                     laws_beside_their_weights, sentences,
                     expectations, parts, variants_by_id, width, data_without_a_law, outputs, several_minibatches,
                     provenance_in_files, threads_change_nothing, from_a_file, interrupted]:
        tap.run(function)
    print(f'1..{tap.count}')
    sys.exit(1 if tap.failed else 0)


if __name__ == '__main__':
    main()
