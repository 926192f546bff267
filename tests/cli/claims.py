#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Black-box tests of normscope-cli scaling --claims: verdicts, cards, claims of a folder.

    claims.py NORMSCOPE-CLI

The default widths, up to 512, take longer than everything else. Tests that look at no claim about the width use NARROW
ones.
"""

import json
import os
import re
import sys

from cli import Tap, same
from scaling import THEORY, scaling, scaling_json

NARROW = ['--sweep', 'd_model=32,48,64']


def claims_by_id(*args):
    return {claim['id']: claim for claim in scaling_json(*args)['claims']}


def theory_and_lessons(folder):
    claims = claims_by_id(*THEORY, *NARROW, '--claims')
    verdicts = {name: claim['verdict'] for name, claim in claims.items()}
    same([verdicts[name] for name in ['theorem-1-post', 'theorem-1-pre', 'lesson-post', 'lesson-pre']],
         ['consistent', 'consistent', 'not-consistent', 'not-consistent'])
    same([verdicts[name] for name in ['appendix-f-post', 'appendix-f-pre', 'update-post', 'update-pre', 'stream-pre']],
         ['not-consistent', 'not-consistent', 'consistent', 'consistent', 'consistent'])
    # With the preset's head the gradient of cross-entropy grows with the width; its initialization is not GPT-2's.
    unmet = {name: claim['assumptions_not_met'] for name, claim in claims.items() if claim['assumptions_not_met']}
    trained = {name: unmet.pop(name) for name in list(unmet) if name.startswith('train-')}
    same(unmet, {'theorem-1-width-post': ['init.head'], 'theorem-1-width-pre': ['init.head'],
                 'stream-gpt2': ['init.residual']})
    # A Gaussian input has nothing to learn: no training runs.
    same(sorted(trained), ['train-learning-rates', 'train-post', 'train-post-warm-up', 'train-pre'])
    assert all('data.source' in keys and verdicts[name] == 'cannot-tell' for name, keys in trained.items()), trained


def claims_about_the_width(folder):
    claims = claims_by_id(*THEORY, '--set', 'init.head=lecun', '--sweep', 'd_model=32..128:5', '--claims')
    for name in ['theorem-1-width-post', 'theorem-1-width-pre']:
        same((claims[name]['verdict'], claims[name]['assumptions_not_met']), ('consistent', []))
        assert 0.2 < claims[name]['measured'] < 0.8, claims[name]


def claims_of_other_wirings(folder):
    """Each command has the seeds and depths that its verdicts need; an identity holds for each seed alone."""
    for wirings, seeds, depths, wanted in [
            (['rezero', 'sandwich', 'layernorm-scaling', 'skipinit'], 16, '2..48:8',
             {'identity-rezero': 'consistent', 'identity-skipinit': 'consistent', 'stream-peri': 'consistent',
              'stream-skipinit': 'consistent', 'layernorm-scaling-lemma': 'not-consistent',
              'layernorm-scaling-mean-field': 'consistent', 'rank-collapse-scaled': 'consistent'}),
            (['deepnorm'], 8, '2..16:4', {'update-deepnorm': 'consistent'}),
            (['residual', 'post'], 2, '2,4', {'identity-residual': 'consistent'})]:
        variants = [word for name in wirings
                    for word in ['--variant', f'{name}:attention=uniform,attention_output=off,norm_eps=0']]
        claims = claims_by_id('--preset', 'xiong-theory', '--d-model', '64', '--d-ff', '64', '--seeds', str(seeds),
                              '--depths', depths, '--depth', '16', *NARROW, *variants, '--claims')
        same({name: claims[name]['verdict'] for name in wanted}, wanted)
        same({name: claims[name]['assumptions_not_met'] for name in wanted}, {name: [] for name in wanted})
        assert 'Sub-LN' in claims['update-sub-ln']['why_not']
        for name, number in [('identity-rezero', 1), ('identity-residual', 0)]:
            same(claims[name]['measured'], number if name in wanted else None)


def one_command_for_many_wirings(folder):
    """A sweep that only a claim needs measures the claim's variants alone, with the same numbers."""
    wirings = ['pre', 'post', 'sandwich', 'deepnorm', 'rezero', 'layernorm-scaling', 'skipinit', 'residual']
    small = ['--d-model', '16', '--heads', '2', '--d-ff', '24', '--vocab', '20', '--depth', '8', '--depths',
             '2,3,4,6', '--sweep', 'd_model=16,20,24,32', '--seeds', '3', '--claims']

    def variants(names):
        return [word for name in names for word in ['--variant', name]]

    together, found = claims_by_id(*small, *variants(wirings)), 0
    for names in [*([name] for name in wirings), ['post', 'pre'], ['residual', 'post']]:
        for id, claim in claims_by_id(*small, *variants(names)).items():
            if claim['measured'] is not None:
                same(together[id], claim, f'{names}: {id} ')
                found += 1
    assert found >= 20, found
    # A claim that no wiring of the command is about stays undecided.
    alone = claims_by_id(*small, *variants(['rezero']))
    same([alone['stream-pre']['measured'], alone['stream-pre']['verdict']], [None, 'cannot-tell'])
    assert together['stream-pre']['measured'] is not None, together['stream-pre']


def claims_outside(folder):
    claims = claims_by_id('--preset', 'tiny', '--depths', '2..8', *NARROW, '--variant', 'post', '--claims')
    same(claims['theorem-1-pre']['verdict'], 'cannot-tell')
    assert 'Pre-LN' in claims['theorem-1-pre']['why_not']
    assert 'attention' in claims['theorem-1-post']['assumptions_not_met']


def cards(folder):
    text = scaling(*THEORY, *NARROW, '--claims', '--ratio', '1/0').stdout
    for word in ['not consistent', 'Xiong et al. 2020', 'All assumptions are met.', 'Measured: exponent −0.']:
        assert word in text, f'{word} not in {text}'
    text = scaling('--preset', 'tiny', '--depths', '2..8', '--claims').stdout
    widths = re.findall(r'Over widths of (\d+ to \d+), .*?Measured: exponent [^(]*\(4 seeds, d = (\d+ to \d+)\)', text,
                        re.DOTALL)
    assert len(widths) == 2 and all(stated == measured for stated, measured in widths), widths
    assert 'outside its assumptions' in text and 'Not met: ' in text, text
    assert 'Attention: Full; the theorem assumes Uniform.' in text, text


def claims_use_depths_and_widths(folder):
    points = ['--depths', '2,3,4,5', '--sweep', 'd_model=8,16,24,32']
    text = scaling('--preset', 'tiny', *points, '--claims').stdout
    assert 'L = 2 to 5' in text and '\n       24  ' in text, text


def own_claims(folder):
    good = ('[Claim]\nTitle=Mine\nStatement=S\nSource=Me\n[Check]\nKind=exponent\nVariant=pre\nMetric=rms_x@last\n'
            'Law=sqrt\n')
    for name, text in [('mine.claim', good), ('bad.claim', good.replace('Law', 'Lwa'))]:
        with open(os.path.join(folder, name), 'w', encoding='utf-8') as file:
            file.write(text)
    done = scaling(*THEORY, *NARROW, '--claims-folder', folder, '--format', 'json')
    claims = {claim['id']: claim['verdict'] for claim in json.loads(done.stdout)['claims']}
    same(claims['mine'], 'consistent')
    assert 'bad' not in claims and 'bad.claim' in done.stderr and 'Lwa' in done.stderr, done.stderr


def claim_about_learning_rates(folder):
    text = ('[Claim]\nTitle=Rates\nStatement=S\nSource=Me\n[Assumptions]\nshape.depth=1..2\n[Check]\n'
            'Kind=learning-rates\nVariant=post\nOver=pre\nRates=0.0001,0.01,0.03,0.1,0.3,100\nLeast=0.001\n')
    with open(os.path.join(folder, 'rates.claim'), 'w', encoding='utf-8') as file:
        file.write(text)
    small = ['--depth', '2', '--d-model', '8', '--heads', '2', '--d-ff', '16', '--seq-len', '16', '--batch', '4',
             '--vocab', '8', '--source', 'markov', '--set', 'training.steps=60', '--set', 'training.optimizer=adam',
             '--depths', '1..2', *NARROW, '--claims-folder', folder]
    card = claims_by_id(*small, '--seeds', '5')['rates']
    same((card['verdict'], card['why_not'], card['accepted_from']), ('consistent', None, 0.001))
    assert card['measured'] > 0.1 and card['error'] >= 1, card
    card = scaling(*small, '--seeds', '5').stdout.split('\nRates — consistent\n')[1]
    assert 'Post-LN trains over a factor of ' in card and '×/÷' in card, card
    few = claims_by_id(*small, '--seeds', '4')['rates']
    same((few['verdict'], few['measured']), ('cannot-tell', None))
    assert 'at least 5 seeds' in few['why_not'], few
    card = claims_by_id(*small, '--seeds', '5', '--set', 'shape.depth=3')['rates']
    same((card['verdict'], card['assumptions_not_met']), ('cannot-tell', ['shape.depth']))


def main():
    tap = Tap()
    for function in [theory_and_lessons, claims_about_the_width, claims_of_other_wirings,
                     one_command_for_many_wirings, claims_outside, cards,
                     claims_use_depths_and_widths, own_claims, claim_about_learning_rates]:
        tap.run(function)
    print(f'1..{tap.count}')
    sys.exit(1 if tap.failed else 0)


if __name__ == '__main__':
    main()
