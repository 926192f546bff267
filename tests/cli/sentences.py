#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Compare what sentences say with the numbers of the same random experiments.

    sentences.py NORMSCOPE-CLI [EXPERIMENTS [SEED]]

Each experiment is random, in wiring and shape. The sentences are the verdict on each variant and the description of a
flow figure, the numbers those of JSON, seed by seed. Nothing of the program is used: this file reads the sentences by
its own grammar, and a clause that it cannot read is a failure, too.
"""

import itertools
import json
import math
import random
import re
import sys

import cli
from cli import Tap

FLAT = math.log10(1.25)
PLACEMENTS = ['none', 'pre', 'post', 'sandwich', 'branch', 'pre-post']
BASES = ['pre', 'post', 'none', 'sandwich', 'branch', 'deepnorm', 'dyt', 'parallel', 'b2t', 'residual', 'hybrid', 'mix',
         'keel', 'admin', 'rezero', 'sub-ln', 'normformer', 'layernorm-scaling', 'ngpt', 'hyper', 'qk-norm']
QUANTITIES = ['block', 'attn', 'ffn', 'w_2', 'w_q', 'grad_x']
# The first gradients grow 36:1 and 8400:1 to the input, but not down to block 1.
FIXED = [['--preset', 'gpt2-small', '--scaled', '-V', 'post:name=A'], ['--preset', 'llama-7b', '--scaled']]


def choose_experiment(rng):
    """Return the arguments of a small experiment of one or two variants, A and B."""
    def variant(name):
        keys = [f'name={name}']
        if rng.random() < 0.4:
            keys += [f'{sub}.norm={rng.choice(PLACEMENTS)}' for sub in ['attn', 'ffn']]
        if rng.random() < 0.3:
            keys += [f'{rng.choice(["attn", "ffn"])}.residual=off']
        if rng.random() < 0.3:
            keys += [f'residual_scale={rng.choice([0.7, 0.9, 0.98, 1.004, 1.04, 1.3])}']
        if rng.random() < 0.3:
            keys += [f'branch_scale={rng.choice([0.1, 0.5, 2])}']
        if rng.random() < 0.5:
            keys += ['init.scheme=normal', f'init.std={rng.choice([0.02, 0.1, 0.3])}']
        if rng.random() < 0.5:
            keys += [f'activation={rng.choice(["gelu", "swiglu", "relu"])}']
        return ['-V', f'{rng.choice(BASES)}:{",".join(keys)}']

    args = ['--depth', rng.choice(['1', '2', '3', '4', '6', '9', '14']), '--d-model', '16', '--heads', '2',
            '--d-ff', '24', '--seq-len', '5', '--vocab', '13', '--seeds', rng.choice(['1', '2', '3', '5']),
            '--seed', str(rng.randrange(1000))]
    if rng.random() < 0.5:
        args += ['--source', 'tokens', '--embed-std', rng.choice(['0.02', '0.3', '1', '5'])]
    if rng.random() < 0.2:
        args += ['--stack', 'encoder-decoder', '--decoder-depth', rng.choice(['1', '3', '7'])]
    if rng.random() < 0.3:
        args += ['--loss', 'unit-gradient']
    return args + variant('A') + (variant('B') if rng.random() < 0.5 else [])


# ---- numbers ----


class Curve:
    """log10 of a quantity at each layer of a part, 0 being the input, for each seed."""

    def __init__(self, layers):
        self.layers = layers

    def drift(self, start, end):
        """Return log10 of the ratio from start to end: the mean over the seeds, and their standard deviation."""
        each = [b - a for a, b in zip(self.layers[start], self.layers[end])]
        mean = sum(each) / len(each)
        return mean, math.sqrt(sum((x - mean)**2 for x in each) / max(len(each) - 1, 1))


def read_values(site, name, key):
    holder = site if name in site else site.get('grad', {})
    number = holder.get(name)
    if number is None:
        return None
    # JSON has no infinity: log10 of 0 is null
    return [-math.inf if x is None and plain == 0 else math.nan if x is None else x
            for x, plain in zip(number[key], number['seeds'])]


def read_parts(variant):
    """Return the sites of each part from its input on, the loss's part first."""
    parts = {}
    for layer in variant['layers']:
        parts.setdefault(layer['part'], []).append(layer)
    inputs = {'decoder': 'decoder_input'}
    return {part: [variant[inputs.get(part, 'input')], *layers] for part, layers in reversed(parts.items())}


def read_curve(sites, name):
    values = [read_values(site, name, 'log10_seeds') for site in sites]
    return Curve({layer: each for layer, each in enumerate(values) if each is not None})


# ---- words ----


def parse_ratio(text):
    """Read "4.1", "412", "2.3·10⁻⁵", "10³¹²" as log10."""
    digits = str.maketrans('⁰¹²³⁴⁵⁶⁷⁸⁹⁻', '0123456789-')
    mantissa, _, exponent = text.partition('10') if re.fullmatch(r'10[⁰¹²³⁴⁵⁶⁷⁸⁹]+', text) else text.partition('·10')
    return math.log10(float(mantissa or 1)) + (int(exponent.translate(digits)) if exponent else 0)


def check_change(text, log10_change):
    """Check "to a third", "to 28 %", "to 3.4 times" or "by a factor of 280" after a verb of the same direction."""
    what = text.removeprefix('to ').removeprefix('by a factor of ')
    if text.startswith('by'):
        assert abs(log10_change) > 1.99, f'{text} of 10^{log10_change:.3f}'
        check_ratio(what, abs(log10_change))
    elif what.endswith(' times'):
        check_ratio(what.removesuffix(' times'), log10_change)
    else:
        said = -math.log10(PARTS[what]) if what in PARTS else math.log10(float(what.removesuffix(' %')) / 100)
        assert abs(said - log10_change) < 0.03, f'{text} of 10^{log10_change:.3f}'


def check_ratio(text, log10_ratio):
    said = parse_ratio(text)
    tolerance = 0.51 if re.match('10[⁰¹²³⁴⁵⁶⁷⁸⁹]', text) else 0.03
    assert abs(said - log10_ratio) < tolerance, f'{text} of 10^{log10_ratio:.3f}'


PARTS = {'half': 2, 'a third': 3, 'a quarter': 4, 'a fifth': 5, 'a tenth': 10}
CHANGE = rf'(to (?:{"|".join(PARTS)}|[0-9.]+ (?:%|times))|by a factor of [0-9.·⁰¹²³⁴⁵⁶⁷⁸⁹]+)'
NUMBER = r'(>?[−0-9.·<⁰¹²³⁴⁵⁶⁷⁸⁹⁻]+)'


class Report:
    def __init__(self):
        self.clauses = 0
        self.wrong = []


def direction_word(drift):
    return 'flat' if abs(drift) < FLAT else 'grows' if drift > 0 else 'shrinks'


def check_step(words, curve, start, end):
    """Check "flat", "no clear trend" or "shrinks to a third"."""
    drift, spread = curve.drift(start, end)
    if words == 'no clear trend':
        assert abs(drift) <= spread and abs(drift) >= FLAT, f'{words}: 10^{drift:.3f} ± {spread:.3f}'
        return
    assert words.split()[0] == direction_word(drift), f'{words}: 10^{drift:.3f}'
    if words != 'flat':
        check_change(re.fullmatch(f'(?:grows|shrinks) {CHANGE}', words)[1], drift)


def check_trend(clause, curve, start, end, place):
    """Check what a curve does from one layer to another; place names them as "from block 6 to the input"
    or "by block 6"."""
    clause, _, first_block = clause.partition(': ')
    drift, spread = curve.drift(start, end)
    flat_place = re.sub('^by', 'up to', place)
    turn = re.fullmatch(rf'(grows|shrinks) {CHANGE} (?:from block \d+ to|at) a (peak|low) in block (\d+), and '
                        rf'from there (grows|shrinks) {CHANGE} (?:at|by) (.*)', clause)
    if turn:
        at = int(turn[4])
        assert place.endswith(turn[7]), f'the ends are {place}'
        assert (turn[1] == 'grows') == (turn[3] == 'peak') != (turn[5] == 'grows'), 'directions of a turn'
        check_step(f'{turn[1]} {turn[2]}', curve, start, at)
        check_step(f'{turn[5]} {turn[6]}', curve, at, end)
        return
    for pattern, flat in [(f'is flat {flat_place}', True), (f'(?:grows|shrinks) {CHANGE} {place}', False),
                          (f'shows no trend beyond the spread of the seeds {flat_place}', None)]:
        said = re.fullmatch(pattern, clause)
        if said:
            break
    assert said, 'cannot be read'
    if flat is False:
        check_change(said[1], drift)
    if flat is None:
        assert FLAT <= abs(drift) <= spread, f'10^{drift:.3f} ± {spread:.3f} is a trend'
    else:
        assert clause.split()[1 if flat else 0] == direction_word(drift), f'10^{drift:.3f}'
    if first_block:
        down = re.fullmatch(r'(.*) down to block 1, (.*) through it', first_block)
        up = re.fullmatch(r'(.*) through block 1, (.*) from there', first_block)
        assert down or up, 'cannot be read'
        check_step((down or up)[1], curve, start, 1)
        check_step((down or up)[2], curve, 1, end)
    elif max(start, end) > 1:
        # the ends alone must not hide that block 1 does something else
        rest, _ = curve.drift(max(start, end), 1) if start > end else curve.drift(1, end)
        jump = drift - rest
        is_large = abs(jump) >= math.log10(1.5) + 1e-6 and abs(jump) > abs(drift) / 2 + 1e-6
        assert not is_large, f'block 1 makes 10^{jump:.3f} of 10^{drift:.3f}'


def check_path(clause, sites):
    sizes = read_values(sites[0], 'identity', 'log10_seeds')
    size = sum(sizes) / len(sizes)
    if clause.startswith('no identity path') or clause == 'the identity path carries nothing to the input':
        assert size == -math.inf, f'the path is 10^{size}'
        return
    said = re.fullmatch(rf"an identity path carries the last block's gradient to the input (unchanged|almost unchanged "
                        rf'\({NUMBER} % (?:larger|smaller)\)|(?:grown|shrunk) {CHANGE})(?:, {NUMBER} % of the gradient '
                        r'there(?: \(the branches make up the difference to 100 %\))?)?', clause)
    assert said, 'cannot be read'
    if said[1].startswith('unchanged'):
        assert abs(size) < 3e-4, f'10^{size:.5f} is a change'
    elif said[2]:
        assert 2e-4 < abs(size) < FLAT and (size > 0) == ('larger' in said[1]), f'10^{size:.5f}'
        change = abs(10**size - 1) * 100
        assert said[2] == '<0.1' and change < 0.1 or abs(float(said[2]) - change) < 0.06 * change, f'{change:.3f} %'
    else:
        assert (size > 0) == said[1].startswith('grown') and abs(size) > FLAT - 1e-6, f'10^{size:.3f}'
        check_change(said[3], size)
    if said[4]:
        check_share(said[4], read_values(sites[0], 'identity_share', 'seeds'))


def check_share(text, shares):
    share = 100 * sum(shares) / len(shares)
    if text == '<0.1':
        assert abs(share) < 0.1, f'{share} %'
        return
    said = float(text.replace('−', '-')) if '·' not in text else 10**parse_ratio(text.lstrip('−'))
    assert abs(abs(said) - abs(share)) <= max(0.051 * abs(share), 0.006), f'{share} %'
    assert text.startswith('−') == (share < 0) or said == 0, f'{share} %'


def check_tokens(clause, sites):
    similarity = sum(read_values(sites[-1], 'token_cos', 'seeds')) / len(read_values(sites[-1], 'token_cos', 'seeds'))
    said = re.search(rf'{NUMBER}(?:\)$| at block|$)', clause)[1]
    assert said == '>0.999' and 0.9995 <= similarity < 1 or abs(
        float(said.replace('−', '-')) - similarity) < 6e-4, f'{similarity}'
    assert 'one vector' not in clause or similarity >= 0.99, f'{similarity}'
    assert 'distinct' not in clause or similarity < 0.9, f'{similarity}'


def check_verdict_clause(clause, sites):
    depth = len(sites) - 1
    clause = clause[0].lower() + clause[1:]
    gradient = re.fullmatch(r'(?:with the branches )?the gradient ∂L/∂x (.*)', clause)
    stream = re.fullmatch(r'the stream (.*)', clause)
    if gradient:
        check_trend(gradient[1], read_curve(sites, 'grad_x'), depth, 0, f'from block {depth} to the input')
    elif stream:
        check_trend(stream[1], read_curve(sites, 'rms_x'), 0, depth, f'by block {depth}')
    elif 'path' in clause:
        check_path(clause, sites)
    elif 'tokens' in clause:
        check_tokens(clause, sites)
    else:
        raise AssertionError('cannot be read')


def check_flow_clause(clause, curve, sites):
    """Check a clause of the sentence of a flow figure; a curve's ends are named by their blocks."""
    if 'token' in clause:
        check_tokens(clause, sites)
        return
    zero = re.fullmatch(r'exactly 0 in (?:(every block)|block (\d+)|blocks (\d+) to (\d+)|(\d+) of \d+ blocks)', clause)
    if zero:
        zeros = [layer for layer, each in curve.layers.items() if layer > 0 and -math.inf in each]
        said = (zeros if zero[1] else [int(zero[2])] if zero[2] else zeros if zero[5] and int(zero[5]) == len(zeros)
                else list(range(int(zero[3]), int(zero[4]) + 1)))
        assert zeros == said and (not zero[1] or len(zeros) == len(sites) - 1), f'0 in {zeros}'
        return
    flat = re.fullmatch('flat|shows no trend beyond the spread of the seeds', clause)
    drifts = re.fullmatch(rf'(rises|falls) {CHANGE} from block (\d+) to (\d+)', clause)
    turn = re.fullmatch(rf'(rises|falls) {CHANGE} at a (peak|low) in block (\d+), and from there (rises|falls) '
                        rf'{CHANGE} at block (\d+)', clause)
    first, last = min(layer for layer in curve.layers if layer > 0), max(curve.layers)
    if flat:
        drift, spread = curve.drift(first, last)
        assert abs(drift) < FLAT if clause.startswith('flat') else FLAT <= abs(drift) <= spread, f'10^{drift:.3f}'
    elif drifts:
        assert (int(drifts[3]), int(drifts[4])) == (first, last), f'the curve goes from {first} to {last}'
        drift, spread = curve.drift(first, last)
        check_change(drifts[2], drift)
        assert (drift > 0) == (drifts[1] == 'rises') and abs(drift) >= FLAT - 1e-6, f'10^{drift:.3f}'
    elif turn:
        at = int(turn[4])
        for word, ratio, drift in [(turn[1], turn[2], curve.drift(first, at)[0]),
                                   (turn[5], turn[6], curve.drift(at, last)[0])]:
            check_change(ratio, drift)
            assert (drift > 0) == (word == 'rises'), f'10^{drift:.3f}'
    else:
        only = re.fullmatch(rf'{NUMBER} in (?:its only block|block \d+, the only one that has it)', clause)
        assert only, 'cannot be read'
        value = sum(curve.layers[first]) / len(curve.layers[first])
        assert abs(parse_ratio(only[1]) - value) < 0.003, f'10^{value:.4f}'


def check_comparison(line, variants, quantity):
    """Check what is said of two variants at the top: "At the top A is 2.0 times B."."""
    said = re.fullmatch(r'(?:At the top|At the top of the decoder|In that block) (?:(\w) is ([^ ]+) times (\w)|(\w) '
                        r'and (\w) (?:are close|differ by no more than the spread of the seeds))\.', line)
    assert said, 'cannot be read'
    names = (said[1], said[3]) if said[1] else (said[4], said[5])
    tops = [next(iter(read_parts(variants[name]).values()))[-1] for name in names]
    each = [read_values(top, quantity, 'log10_seeds') for top in tops]
    drift, spread = Curve(dict(enumerate(each[::-1]))).drift(0, 1)
    if said[1]:
        check_ratio(said[2], drift)
    else:
        is_close = line.endswith('are close.')
        assert abs(drift) < FLAT if is_close else FLAT <= abs(drift) <= spread, f'10^{drift:.3f} ± {spread:.3f}'


# ---- experiments ----


def split_clauses(text):
    return [clause for clause in text.split('; ') if clause]


def is_finite(variant):
    """Return FALSE for numbers that a sentence names apart: overflow, 0 and NaN."""
    finite = variant['overflow'] is None
    for sites in read_parts(variant).values():
        for site, name in itertools.product(sites, ['grad_x', 'rms_x']):
            finite &= all(map(math.isfinite, read_values(site, name, 'log10_seeds') or []))
    return finite


def list_verdicts(args, variants):
    """Return (clause, check) of the verdicts."""
    done = cli.cli('run', *args)
    assert done.returncode == 0, done.stderr
    lines = [line for line in done.stdout.splitlines() if re.search(r'(This is|Closest:) [^.]', line)]
    assert len(lines) == len(variants), done.stdout
    for line, variant in zip(lines, variants.values()):
        parts = read_parts(variant)
        sentences = [line[:re.search(r'(This is|Closest:) ', line).start()].rstrip('. ')]
        if len(parts) == 2:
            sentences = re.split(r'\. Encoder, behind cross-attention: ', sentences[0].removeprefix('Decoder: '))
        assert len(sentences) == len(parts), line
        for sentence, sites in zip(sentences, parts.values()):
            for clause in split_clauses(sentence):
                yield clause, lambda clause=clause, sites=sites: check_verdict_clause(clause, sites)


def list_flow(args, variants, quantity):
    """Return (clause, check) of the sentence of a flow figure."""
    done = cli.cli('plot', *args, '--quantity', quantity, '--format', 'svg', '-o', '-')
    assert done.returncode == 0, done.stderr
    text = re.search('<desc>(.*?)</desc>', done.stdout, re.DOTALL)[1].replace('&gt;', '>').replace('&lt;', '<')
    for line in text.splitlines():
        if re.match('(At the top|In that block) ', line):
            yield line, lambda line=line: check_comparison(line, variants, quantity)
        elif line[:2] in ['A:', 'B:']:
            parts = read_parts(variants[line[0]])
            for clause in split_clauses(line[3:].removesuffix('.')):
                part = re.match(r'(?:in the )?(encoder|decoder) ', clause)
                sites = parts[part[1]] if part else next(iter(parts.values()))
                clause = clause[part.end():] if part else clause
                if not clause.startswith('in encoder and decoder') and 'has no' not in clause:
                    yield clause, lambda clause=clause, sites=sites: check_flow_clause(
                        clause, read_curve(sites, quantity), sites)


def compare(args, quantity, report):
    done = cli.cli('run', *args, '--format', 'json', '--per-seed')
    if done.returncode == 2 or 'not allowed' in done.stderr:
        return False
    assert done.returncode == 0, done.stderr
    variants = {variant['name']: variant for variant in json.loads(done.stdout)['variants']}
    if not all(map(is_finite, variants.values())):
        return False
    for clause, check in [*list_verdicts(args, variants), *list_flow(args, variants, quantity)]:
        report.clauses += 1
        try:
            check()
        except AssertionError as error:
            report.wrong.append(f'“{clause}”: {error} ({" ".join(args)} --quantity {quantity})')
    return True


def compare_random(n, seed):
    """Compare n random experiments whose numbers are finite."""
    rng, report, done = random.Random(seed), Report(), 0
    while done < n:
        done += compare(choose_experiment(rng), rng.choice(QUANTITIES), report)
    return report


def judge(report, least):
    print(f'# {report.clauses} clauses, {len(report.wrong)} wrong')
    assert report.clauses >= least, f'only {report.clauses} clauses'
    return '\n'.join(report.wrong)


def main():
    n, seed = ([int(text) for text in sys.argv[2:]] + [24, 33][len(sys.argv) - 2:])[:2]
    tap = Tap()
    fixed = Report()
    for args in FIXED:
        assert compare(args, 'grad_x', fixed)
    tap.check('two models', judge(fixed, 8))
    tap.check(f'{n} random experiments', judge(compare_random(n, seed), 4 * n))
    print(f'1..{tap.count}')
    sys.exit(1 if tap.failed else 0)


if __name__ == '__main__':
    main()
