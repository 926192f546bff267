#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""normscope-cli plot --figure, for the figures of the Paths view: the numbers of the sentence in the picture are those
that `paths` and `run` print; options, themes and undefined values.

    paths_figures.py NORMSCOPE-CLI
"""

import csv
import os
import re
import sys
import xml.etree.ElementTree

from cli import TINY, Tap, cli, files_below, problem_of_refusal, same

FIGURES = ['contributions', 'identity-path', 'gain', 'similarity', 'lengths', 'skip-branch', 'update', 'experts']
SVG = '{http://www.w3.org/2000/svg}'


def sentence(folder, *args):
    """The description of a picture."""
    done = cli('plot', '-o', 'x.svg', *TINY, *args, folder=folder, env={'DISPLAY': '', 'WAYLAND_DISPLAY': ''})
    same((done.returncode, done.stdout, done.stderr), (0, '', ''), f'{args}: ')
    return xml.etree.ElementTree.parse(os.path.join(folder, 'x.svg')).getroot().find(f'{SVG}desc').text


def numbers(folder, *args):
    done = cli(*args, *TINY, '--format', 'csv', folder=folder)
    same(done.returncode, 0, done.stderr)
    return list(csv.DictReader(done.stdout.splitlines()))


def find(rows, column='mean', **key):
    found = [row for row in rows if all(row[name] == value for name, value in key.items())]
    same(len(found), 1, f'{key}: ')
    return float(found[0][column])


def read(text, pattern):
    """The numbers that the groups of a pattern match in a sentence."""
    match = re.search(pattern, text)
    assert match, f'{pattern!r} is not in {text!r}'
    return [float(group.replace('−', '-')) for group in match.groups()]


def near(found, wanted, digits=2):
    for one, other in zip(found, wanted, strict=True):
        assert abs(one - other) <= 0.51 * 10 ** (1 - digits) * abs(other) + 1e-12, f'{found} is not {wanted}'


def gain(folder):
    rows = numbers(folder, 'paths', '--of', 'gain', '--probes', '3')
    text = sentence(folder, '--figure', 'gain', '--probes', '3')
    for name in ['Pre-LN', 'Post-LN']:
        near(read(text, rf'In {name} .* with ([\d.]+) times'),
             [find(rows, 'geometric_mean', variant=name, quantity='gain', layer='1', other_layer='2')], 3)
    assert '3 random gradients' in text, text


def experts(folder):
    """The extremes of both maps, which say the same as the quantities of a run."""
    variant = ['--variant', 'pre:experts=4,name=MoE']
    rows = numbers(folder, 'paths', '--of', 'routing', *variant)
    same({row['other'] for row in rows}, {'expert'})
    same({(row['layer'], row['other_layer']) for row in rows},
         {(str(layer), str(expert)) for layer in (1, 2) for expert in (1, 2, 3, 4)})
    for word, quantity, column, digits in [('load', 'expert_load', 'mean', 3),
                                           ('gradient', 'expert_grad', 'geometric_mean', 3)]:
        values = [float(row[column]) for row in rows if row['quantity'] == quantity]
        found = read(sentence(folder, '--figure', 'experts', '--experts', word, *variant),
                     r'In MoE .* go from ([\d.e−-]+) to ([\d.e−-]+)[;.]')
        near([number for number in found], [min(values), max(values)], digits)
        assert len(values) == 8, values


def similarity(folder):
    rows = numbers(folder, 'paths', '--of', 'similarity')
    for of, quantity in [('outputs', 'cos_x'), ('gradients', 'cos_g')]:
        found = read(sentence(folder, '--figure', 'similarity', '--of', of), r'In Pre-LN .* cosine of ([−\d.-]+)\.')
        near(found, [find(rows, variant='Pre-LN', quantity=quantity, layer='1', other_layer='2')], 3)


def contributions(folder):
    rows = numbers(folder, 'paths', '--of', 'contributions')

    def total(what):
        return 100 * sum(float(row['mean']) for row in rows
                         if row['variant'] == 'Pre-LN' and row['layer'] == '2' and row['other'] == what)

    for to in ['all', 'last']:
        text = sentence(folder, '--figure', 'contributions', '--to', to)
        found = read(text, r'In Pre-LN .* is ([\d.−]+) % input, ([\d.−]+) % attention and ([\d.−]+) % FFN')
        near(found, [total('input'), total('attn'), total('ffn')])
        assert abs(sum(found) - 100) < 2, text


def lengths(folder):
    rows = numbers(folder, 'paths', '--of', 'lengths')
    text = sentence(folder, '--figure', 'lengths')
    near(read(text, r'Pre-LN: .* through ([\d.]+) of 4 branches'),
         [find(rows, variant='Pre-LN', quantity='mean_length')], 3)


def update(folder):
    rows = numbers(folder, 'paths', '--of', 'update', '--optimizer', 'adam', '--learning-rate', '1e-4')
    text = sentence(folder, '--figure', 'update', '--optimizer', 'adam', '--learning-rate', '1e-4')
    first_order = find(rows, variant='Pre-LN', quantity='loss_change_first_order')
    pattern = (r'In Pre-LN a step of Adam .* by ([\d.]+) times its norm and the loss by ([−\d.]+) \(to first '
               r'order ([−\d.]+)\)')
    near(read(text, pattern), [find(rows, 'geometric_mean', variant='Pre-LN', quantity='update_h'),
                               find(rows, variant='Pre-LN', quantity='loss_change'), first_order])
    # the sentence has the means of its picture and says so
    assert 'Geometric means over 2 seeds; changes of the loss are arithmetic ones.' in text, text
    text = sentence(folder, '--figure', 'update', '--optimizer', 'adam', '--learning-rate', '1e-4', '--norm-axis',
                    'linear')
    near(read(text, pattern)[:1], [find(rows, variant='Pre-LN', quantity='update_h')], 2)
    assert text.endswith('\nArithmetic means over 2 seeds.'), text


def of_a_run(folder):
    rows = numbers(folder, 'run')
    text = sentence(folder, '--figure', 'identity-path')
    near(read(text, r'In Pre-LN ([\d.]+) % of the gradient at block 1'),
         [100 * find(rows, variant='Pre-LN', quantity='identity_share', layer='1')])
    text = sentence(folder, '--figure', 'skip-branch', '--branch', 'ffn')
    near(read(text, r'In Pre-LN the FFN adds ([\d.]+) times .*? and ([\d.]+) times'),
         [find(rows, 'geometric_mean', variant='Pre-LN', quantity='skip_ratio_ffn', layer=layer) for layer in '12'])


def undefined(folder):
    """Values that are no numbers are said, and the picture is drawn."""
    cut = ['--variant', 'pre:attn.residual=off,ffn.residual=off']
    assert 'nothing of the gradient' in sentence(folder, '--figure', 'identity-path', *cut)
    assert 'is 0 % input' in sentence(folder, '--figure', 'contributions', *cut)
    assert 'has no residual' in sentence(folder, '--figure', 'skip-branch', *cut)
    for figure in FIGURES:
        experts = ',experts=2' if figure == 'experts' else ''
        sentence(folder, '--figure', figure, '--variant', f'pre:name=A{experts}', '--seq-len', '1', '--seeds', '1',
                 '--depth', '1')
        text = sentence(folder, '--figure', figure, '--variant', f'none:init.scheme=normal,init.std=1e6{experts}',
                        '--depth', '9')
        assert 'overflows in block' in text, text


def looks(folder):
    """Every figure in every format, dark, and with an encoder and a decoder."""
    for figure in FIGURES:
        for name in ['x.png', 'x.pdf', 'x.svg']:
            done = cli('plot', '--figure', figure, '-o', name, '--dark', '--stack', 'encoder-decoder', *TINY,
                       '--variant', 'pre:experts=2', folder=folder)
            same((done.returncode, done.stderr), (0, ''), f'{figure}: ')


def refused(folder):
    for args, words in [(['--figure', 'gain', '--probes', '0'], ['--probes', '“0”', '1 to 1024']),
                        (['--figure', 'experts'], ['--figure experts', 'no variant has experts', 'pre:experts=8']),
                        (['--figure', 'gain', '--probes', '1025'], ['--probes', '“1025”', '1 to 1024']),
                        (['--figure', 'lengths', '--probes', '4'], ['--probes', '--figure lengths', '--figure gain']),
                        (['--figure', 'similarity', '--of', 'x'], ['--of', '“x”', 'outputs, gradients']),
                        (['--figure', 'update', '--learning-rate', '0'], ['--learning-rate', '“0”', '1e-12', '1e+06']),
                        (['--figure', 'update', '--learning-rate', '1e-3x'], ['--learning-rate', '“1e-3x”', 'usual']),
                        (['--figure', 'gain', '--note', '1:here'], ['--note', '1:here', 'block']),
                        (['--figure', 'lengths', '--arrow', '1'], ['--arrow', '--figure lengths', 'similarity']),
                        (['--figure', 'gain', '--reference', 'x'], ['--reference', '--figure gain', 'identity-path']),
                        (['--figure', 'gain', '--matrices-only'], ['--matrices-only', '--figure update']),
                        (['--figure', 'gain', '--norm-axis', 'log'], ['--norm-axis', '--figure gain', 'lengths']),
                        (['--figure', 'contributions', '--to', 'first'], ['--to', '“first”', 'all, last'])]:
        problem = problem_of_refusal(cli('plot', '-o', 'z.svg', *TINY, *args, folder=folder), 2, words)
        if problem:
            return problem
    assert 'z.svg' not in files_below(folder)


def main():
    tap = Tap()
    for function in [gain, experts, similarity, contributions, lengths, update, of_a_run, undefined, looks, refused]:
        tap.run(function)
    print(f'1..{tap.count}')
    sys.exit(1 if tap.failed else 0)


if __name__ == '__main__':
    main()
