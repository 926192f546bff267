#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every command accepts a model's config.json as its file and prints the assumptions to standard error.

    model_config.py NORMSCOPE-CLI FOLDER-OF-CONFIGS
"""

import json
import os
import sys

from cli import Tap, cli, files_below, problem_of_refusal, run_json, same

CONFIGS = os.path.abspath(sys.argv[2])
SMALL = ['--depth', '2', '--d-model', '16', '--heads', '4', '--d-ff', '24', '--vocab', '20', '--seq-len', '4',
         '--seeds', '1']


def config(name):
    return os.path.join(CONFIGS, name + '.json')


def expand(*args, **more):
    done = cli('link', '--expand', *args, **more)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout), done.stderr


def becomes_an_experiment(folder):
    experiment, messages = expand(config('gpt2'))
    shape = {key: experiment['shape'][key] for key in ['stack', 'depth', 'd_model', 'heads', 'd_ff', 'vocab']}
    same(shape, {'stack': 'single', 'depth': 12, 'd_model': 768, 'heads': 12, 'd_ff': 3072, 'vocab': 50257})
    variant = experiment['variants'][0]
    same([variant['name'], variant['attn']['norm'], variant['activation'], variant['init']['residual']],
         ['GPT-2', 'pre', 'gelu-tanh', 'gpt2'])
    lines = messages.splitlines()
    assert 'gpt2.json' in lines[0] and len(lines) >= 5, messages
    assert all(line.startswith('- ') for line in lines[1:]), messages
    assert 'attn_pdrop' in messages and 'n_inner = 3072' in messages, messages
    # The output is an experiment file, which has no assumptions.
    name = os.path.join(folder, 'gpt2.normscope')
    with open(name, 'w', encoding='utf-8') as file:
        json.dump(experiment, file)
    same(expand(name), (experiment, ''))


def every_command_accepts_a_config(folder):
    small = run_json(config('gpt2'), *SMALL)
    same([small['variants'][0]['name'], len(small['variants'][0]['layers'])], ['GPT-2', 2])
    with open(config('gpt2'), encoding='utf-8') as file:
        same(run_json('-', *SMALL, stdin=file.read()), small, 'standard input: ')
    link = cli('link', config('gpt2'), *SMALL)
    assert link.stdout.startswith('normscope:') and 'gpt2.json' in link.stderr, link
    same(run_json(link.stdout.strip()), small, 'link: ')
    for args in [['dump', '--out', 'dumped'], ['script', '--out', 'script'], ['plot', '-o', 'flow.svg'],
                 ['scaling', '--depths', '1,2,3']]:
        done = cli(args[0], config('gpt2'), *SMALL, *args[1:], folder=folder)
        assert done.returncode == 0 and 'gpt2.json' in done.stderr, f'{args}: {done}'
    found = files_below(folder)
    assert 'dumped/block001/w_q.npy' in found and 'flow.svg' in found, found
    same(run_json('flow.svg', folder=folder), small, 'picture: ')


def an_encoder_decoder(folder):
    done = run_json(config('opus-mt-en-de'), *SMALL)
    same([layer['part'] for layer in done['variants'][0]['layers']], ['encoder'] * 2 + ['decoder'] * 2)
    assert 'cross' in done['variants'][0]['layers'][2]['grad'], done['variants'][0]['layers'][2]


def help_names_the_families(folder):
    done = cli('run', '--help').stdout
    missing = [name for name in ['gpt2', 'llama', 'xlm-roberta', 'config.json'] if name not in done]
    assert not missing, missing


def formats_doc_lists_every_family(folder):
    with open(os.path.join(CONFIGS, '../../../docs/FORMATS.md'), encoding='utf-8') as file:
        table = file.read().split('<!-- families -->')[1].split('<!-- /families -->')[0]
    listed = [name.strip('` ') for line in table.strip().splitlines()[2:] for name in line.split('|')[1].split(',')]
    known = cli('run', '--help').stdout.split('model_type:')[1].replace(',', ' ').split()
    same(sorted(listed), known)
    # A family's required keys are in its row or in one of the groups of keys that the row names.
    for name in known:
        message = cli('run', '-', stdin=json.dumps({'model_type': name})).stderr
        required = message.split(' lacks required keys: ')[1].strip().split(', ')
        row = next(line for line in table.splitlines() if f'`{name}`' in line)
        groups = {'standard': STANDARD, 'GPT': GPT, 'seq2seq': SEQ2SEQ}
        keys = row.split('|')[3] + ' '.join(f'`{key}`' for group in groups if f'{group} keys' in row
                                            for key in groups[group])
        missing = [key for key in required if f'`{key}`' not in keys]
        assert not missing, f'{name}: {missing}'


STANDARD = ['num_hidden_layers', 'hidden_size', 'num_attention_heads', 'intermediate_size']
GPT = ['n_layer', 'n_embd', 'n_head', 'vocab_size']
SEQ2SEQ = ['encoder_layers', 'decoder_layers', 'd_model', 'encoder_attention_heads', 'decoder_attention_heads',
           'encoder_ffn_dim', 'decoder_ffn_dim']

BAD = [
    ('unknown', {'model_type': 'palm', 'dim': 3}, ['bad.json', 'model_type', '“palm”', 'lacks', 'vocab_size', 'gpt2']),
    ('no-family', {'architectures': ['PaLMForCausalLM']}, ['bad.json', 'architectures', 'PaLMForCausalLM', 'llama']),
    ('missing', {'model_type': 'gpt2', 'n_layer': 2}, ['bad.json', 'GPT-2', 'n_embd, n_head, vocab_size']),
    ('depth-0', {'model_type': 'gpt2', 'n_layer': 0, 'n_embd': 8, 'n_head': 2, 'vocab_size': 9},
     ['bad.json', 'n_layer', '0', 'from 1 to']),
    ('heads', {'model_type': 'gpt2', 'n_layer': 1, 'n_embd': 8, 'n_head': 3, 'vocab_size': 9},
     ['bad.json', 'n_head: 3', 'n_embd: 8']),
    ('activation', {'model_type': 'gpt2', 'n_layer': 1, 'n_embd': 8, 'n_head': 2, 'vocab_size': 9,
                    'activation_function': 'mish'}, ['bad.json', 'activation_function', '"mish"', 'gelu_new']),
]


def check_bad_configs(tap):
    for name, members, words in BAD:
        def refused(folder, members=members, words=words):
            with open(os.path.join(folder, 'bad.json'), 'w', encoding='utf-8') as file:
                json.dump(members, file)
            return problem_of_refusal(cli('run', 'bad.json', folder=folder), 2, words)
        refused.__name__ = f'bad-{name}'
        tap.run(refused)


def main():
    tap = Tap()
    check_bad_configs(tap)
    for function in [becomes_an_experiment, every_command_accepts_a_config, an_encoder_decoder,
                     help_names_the_families, formats_doc_lists_every_family]:
        tap.run(function)
    print(f'1..{tap.count}')
    sys.exit(1 if tap.failed else 0)


if __name__ == '__main__':
    main()
