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


# ---- wired as a built-in variant ----

# Keys of a variant that say where norms and residuals are and how they are scaled; all others are the model's own.
WIRING = ['topology', 'attn', 'ffn', 'cross', 'post_fraction', 'first_block_pre', 'norm_scale', 'residual_scale',
          'branch_scale', 'branch_parameter', 'branch_norm_gain', 'block_residual', 'dual_residual', 'ngpt',
          'streams', 'stream_weights', 'final_norm']
# What else belongs to the wiring of a built-in variant.
MORE = {'swin-v2': ['qk_norm'], 'olmo2': ['qk_norm'], 'hybrid': ['qk_norm'], 'hybrid-star': ['qk_norm'],
        'qk-norm': ['qk_norm'], 'cogview': ['init.residual'], 'sub-ln': ['init.residual'],
        'deepnorm': ['init.residual'], 'fixup': ['init.residual'], 'attention-only': ['sublayers'],
        'ffn-only': ['sublayers'], 't-fixup': ['init.residual', 'input_scale', 'input_norm']}
NO_WIRING = ['dyt', 'rms', 'gpt2-init', 'small-wang', 'spike-no-more', 'mitchell', 't5-init', 'fairseq', 'ds-init']


def builtin_ids():
    lines = cli('run', '--help').stdout.split('Built-in variants:\n')[1].split('\n\n')[0].splitlines()
    return [line.split()[0] for line in lines if line[:3].strip()]


def flat(variant):
    keys = {key: value for key, value in variant.items() if key != 'init'}
    return {**keys, **{f'init.{key}': value for key, value in variant['init'].items()}}


def each_wiring(folder):
    ids = builtin_ids()
    assert len(ids) > 30, ids
    builtins = {id: flat(expand('--variant', id)[0]['variants'][0]) for id in ids}
    for name in ['gpt2', 'llama-2-7b', 'gpt-j-6b', 'qwen3-0.6b', 'bert-base-uncased', 't5-base']:
        model = expand(config(name))[0]
        one_stack = model['shape']['stack'] == 'single'
        # nGPT has neither biases nor positions at its input nor grouped queries, a lone FFN no norms or positions of an
        # attention
        excluded = [*NO_WIRING, *(['ngpt'] if name != 'llama-2-7b' else []),
                    *(['ffn-only'] if name not in ('gpt2', 'bert-base-uncased') else []),
                    *([] if one_stack else ['parallel', 'parallel-two-norms', 'hyper', 'hyper-dynamic', 'mhc',
                                                'attention-only'])]
        wanted = [id for id in ids if id not in excluded]
        for start in range(0, len(wanted), 16):
            some = wanted[start:start + 16]
            options = [word for id in some for word in ['--variant', id]]
            wired, messages = expand(config(name), *options)
            same({**wired, 'variants': 0}, {**model, 'variants': 0}, name)
            same(len(wired['variants']), len(some))
            for id, variant in zip(some, wired['variants']):
                builtin, own = builtins[id], flat(model['variants'][0])
                taken = WIRING + MORE.get(id, [])
                keys = {*own, *builtin} if 'streams' in builtin else own  # absent unless there are several
                expected = {key: (builtin if key in taken else own)[key] for key in keys if key in own or key in taken}
                same({**flat(variant), 'name': 0}, {**expected, 'name': 0}, f'{name} as {id}: ')
                same(variant['name'], f'{own["name"]} as {builtin["name"]}')
                assert f'"{variant["name"]}"' in messages, messages


def no_wiring_is_refused(folder):
    assert set(NO_WIRING) < set(builtin_ids()), builtin_ids()
    for id in NO_WIRING:
        done = cli('link', '--expand', config('gpt2'), '--variant', id)
        problem = problem_of_refusal(done, 2, ['--variant', id, 'allowed: model:'])
        assert problem is None, problem
        # The way that the message names works.
        way = done.stderr.split('allowed: ')[1].split(', the model')[0]
        variant, builtin = (flat(expand(*source, '--variant', text)[0]['variants'][0])
                            for source, text in [([config('gpt2')], way), ([], id)])
        for setting in way.split(':')[1].split(','):
            key = setting.split('=')[0]
            same(variant[key], builtin[key], f'{way}: {key} ')
    for args, words in [(['gpt2', 'gpt2'], ['"gpt2"', 'pre, post']), (['gpt2', 'post:nrm=1'], ['post:', 'nrm']),
                        (['gpt2', 'ngpt'], ['bias', 'ngpt = true']),
                        (['t5-base', 'parallel'], ['topology', 'encoder-decoder'])]:
        problem = problem_of_refusal(cli('link', config(args[0]), '--variant', args[1]), 2, words)
        assert problem is None, problem


def wired_models(folder):
    options = ['--variant', 'model', '--variant', 'pre', '--variant', 'post', '--variant',
               'post:residual_scale=2,norm=rmsnorm', '--variant', 'model:activation=relu', '--variant', 'post:name=P']
    experiment, messages = expand(config('gpt2'), *options)
    names = [variant['name'] for variant in experiment['variants']]
    same(names, ['GPT-2', 'GPT-2 as Pre-LN', 'GPT-2 as Post-LN', 'GPT-2 as Post-LN, RMSNorm, Residual scale 2',
                 'GPT-2, ReLU', 'P'])
    same([variant['activation'] for variant in experiment['variants']], ['gelu-tanh'] * 4 + ['relu', 'gelu-tanh'])
    same([variant['attention'] for variant in experiment['variants']], ['causal'] * 6)
    for line in ['- "GPT-2" is wired like the model.', '- "GPT-2 as Pre-LN" is wired like the model.',
                 '- "GPT-2 as Post-LN" differs from the model: attn.norm pre → post, ffn.norm pre → post.',
                 '- "GPT-2, ReLU" differs from the model: activation gelu-tanh → relu.']:
        assert line in messages.splitlines(), messages
    # Equal wirings give equal numbers.
    small = run_json(config('gpt2'), *SMALL, '--variant', 'model', '--variant', 'pre', '--variant', 'post')['variants']
    same(small[0]['layers'], small[1]['layers'])
    assert small[0]['layers'] != small[2]['layers'], small
    same(problem_of_refusal(cli('run', config('gpt2'), '--variant', 'post', '--variant', 'post'), 2,
                            ['"GPT-2 as Post-LN" is also the name']), None)


def every_command_wires(folder):
    wired = run_json(config('gpt2'), *SMALL, '--variant', 'post')
    same(wired['variants'][0]['name'], 'GPT-2 as Post-LN')
    link = cli('link', config('gpt2'), *SMALL, '--variant', 'post').stdout.strip()
    same(run_json(link), wired)
    same([run_json(config('gpt2'), *SMALL, '--seeds', '1', '--variant', 'pre')['variants'][0]['layers'][0]['part'],
          cli('plot', config('gpt2'), *SMALL, '--variant', 'post', '-o', 'a.svg', folder=folder).returncode],
         ['stack', 0])
    same(run_json('a.svg', folder=folder), wired)
    for args in [['dump', '--out', 'd'], ['script', '--out', 's'], ['scaling', '--depths', '1,2,3', '-o', 'x.json'],
                 ['verify'], ['plot', '--figure', 'wiring', '-o', 'w.svg']]:
        done = cli(args[0], config('gpt2'), *SMALL, *args[1:], '--variant', 'post', folder=folder)
        assert done.returncode == 0 and '"GPT-2 as Post-LN" differs from the model' in done.stderr, f'{args}: {done}'
    for file, words in [('d/experiment.json', []), ('s/experiment.json', []), ('x.json', []), ('w.svg', [])]:
        if os.path.exists(os.path.join(folder, file)):
            with open(os.path.join(folder, file), encoding='utf-8') as opened:
                assert 'GPT-2 as Post-LN' in opened.read(), (file, words)


# ---- scaled down ----

def scaled(folder):
    experiment, messages = expand(config('llama-7b'), '--scaled')
    shape = experiment['shape']
    same([shape[key] for key in ['depth', 'd_model', 'heads', 'd_ff', 'vocab']], [32, 128, 8, 344, 1024])
    same(experiment['sampling']['seeds'], 8)
    line = next(line for line in messages.splitlines() if 'Scaled down' in line)
    for words in ['d_model 4096 → 128', 'd_ff 11008 → 344', 'vocab 32000 → 1024', 'seeds 1 → 8', 'depth and wiring']:
        assert words in line, line
    # Options apply to the scaled model, and a wiring has its deviations.
    experiment, messages = expand(config('llama-7b'), '--scaled', '--depth', '4', '--variant', 'post')
    same(experiment['shape']['depth'], 4)
    assert experiment['variants'][0]['init']['std'] > 0.1, experiment
    assert '- Options change: depth 32 → 4.' in messages.splitlines(), messages
    # The same for presets and experiments; for a preset it equals "presets --scaled".
    preset, messages = expand('--preset', 'gpt3-175b', '--scaled')
    assert messages.startswith('normscope-cli: Scaled down: ') and 'd_model 12288 → 128' in messages, messages
    printed = json.loads(cli('presets', 'gpt3-175b', '--scaled').stdout)
    same(preset, printed)
    same(expand('--preset', 'tiny', '--scaled')[0], expand('--preset', 'tiny')[0])
    assert 'Nothing is scaled down' in expand('--preset', 'tiny', '--scaled')[1]
    assert 'Did you mean --scaled?' in cli('run', '--scale').stderr
    assert '--scaled' in cli('scaling', '--help').stdout


def offers_work(folder):
    """The command line that a refusal ends with gives a model of the config's sizes."""
    model = {'model_type': 'electra', 'dim': 96, 'n_layers': 3, 'n_heads': 6, 'hidden_dim': 200, 'vocab_size': 50}
    message = cli('run', '-', stdin=json.dumps(model)).stderr
    shape = expand(*message.split('(')[1].split(')')[0].split())[0]['shape']
    same([shape[key] for key in ['depth', 'd_model', 'heads', 'd_ff', 'vocab']], [3, 96, 6, 200, 50])


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
    ('unknown', {'model_type': 'other', 'dim': 3},
     ['bad.json', 'model_type', '“other”', 'lacks', 'vocab_size', 'gpt2']),
    ('no-family', {'architectures': ['OtherForCausalLM']}, ['bad.json', 'architectures', 'OtherForCausalLM', 'llama']),
    ('palm', {'architectures': ['PaLMForCausalLM']}, ['bad.json', 'PaLMForCausalLM', '--preset palm-8b']),
    ('experts', {'model_type': 'llama', 'num_local_experts': 8},
     ['bad.json', 'num_local_experts: 8', '0, 1 or no such']),
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
    for function in [becomes_an_experiment, every_command_accepts_a_config, an_encoder_decoder, each_wiring,
                     no_wiring_is_refused, wired_models, every_command_wires, scaled,
                     offers_work,
                     help_names_the_families, formats_doc_lists_every_family]:
        tap.run(function)
    print(f'1..{tap.count}')
    sys.exit(1 if tap.failed else 0)


if __name__ == '__main__':
    main()
