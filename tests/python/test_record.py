#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Test recordings of PyTorch models: the program's numbers for the same weights, steps, wirings, files, messages.

    test_record.py NORMSCOPE-CLI
"""

import json
import math
import os
import pathlib
import re
import runpy
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PACKAGE = ROOT / 'src' / 'python'
sys.path[:0] = [str(PACKAGE), str(ROOT / 'tests' / 'cli')]
sys.dont_write_bytecode = True

from cli import CLI, Tap, cli, same  # noqa: E402

try:
    import numpy
    import torch
    import torch.utils.checkpoint
except ImportError as missing:
    if os.environ.get('CI') == 'true':
        print(f'not ok 1 PyTorch is present\n1..1\n# {missing}')
        sys.exit(1)
    print(f'1..0 # SKIP {missing} (Debian: python3-torch)')
    sys.exit(0)

import normscope  # noqa: E402
from torch import nn  # noqa: E402
from torch.nn import functional as F  # noqa: E402

L, D, H, FF, T, B, V = 3, 16, 2, 24, 5, 2, 11
SHAPE = {'depth': L, 'd_model': D, 'heads': H, 'd_ff': FF, 'seq_len': T, 'batch': B, 'vocab': V, 'seeds': 1}

# ---- a plain transformer, with the names of several libraries ----


class RMSNorm(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(size))

    def forward(self, x):
        return x / torch.sqrt((x * x).mean(-1, keepdim=True) + 1e-5) * self.weight


class LayerNorm(nn.LayerNorm):
    """Without a bias, which the program's has only with `bias`."""

    def __init__(self, size):
        super().__init__(size)
        self.register_parameter('bias', None)


class Attention(nn.Module):
    def __init__(self, bias):
        super().__init__()
        self.q_proj, self.k_proj, self.v_proj, self.o_proj = (nn.Linear(D, D, bias=bias) for _ in range(4))

    def forward(self, x):
        q, k, v = (f(x).view(len(x), -1, H, D // H).transpose(1, 2) for f in (self.q_proj, self.k_proj, self.v_proj))
        weights = torch.softmax(q @ k.transpose(-1, -2) / math.sqrt(D // H), -1)
        return self.o_proj((weights @ v).transpose(1, 2).reshape(x.shape)), weights


class Mlp(nn.Module):
    def __init__(self, bias, gated):
        super().__init__()
        self.gate_proj, self.up_proj, self.down_proj = (
            nn.Linear(D, FF, bias=bias), nn.Linear(D, FF, bias=bias) if gated else None, nn.Linear(FF, D, bias=bias))

    def forward(self, x):
        gate = self.gate_proj(x)
        return self.down_proj(F.relu(gate) if self.up_proj is None else F.silu(gate) * self.up_proj(x))


class Block(nn.Module):
    """norm: pre, post, sandwich, branch or pre-post; a: the factor of the residual."""

    def __init__(self, norm='pre', make=LayerNorm, bias=False, gated=False, parallel=False, a=1.0):
        super().__init__()
        places = {'none': '', 'pre': 'p', 'post': 'q', 'sandwich': 'pb', 'branch': 'b', 'pre-post': 'pq'}[norm]
        self.self_attn, self.mlp, self.parallel, self.a = Attention(bias), Mlp(bias, gated), parallel, a
        for place in places:
            self.add_module(f'{place}1', make(D))
            if not parallel or place == 'b':
                self.add_module(f'{place}2', make(D))

    def norm(self, name, x):
        return getattr(self, name)(x) if hasattr(self, name) else x

    def forward(self, x, extra=None):
        u = self.norm('p1', x)
        s = self.norm('b1', self.self_attn(u)[0])
        if self.parallel:
            return self.norm('q1', x + s + self.norm('b2', self.mlp(u))), None
        y = self.norm('q1', self.a * x + s)
        return self.norm('q2', self.a * y + self.norm('b2', self.mlp(self.norm('p2', y)))), None


class Model(nn.Module):
    def __init__(self, blocks, final=None):
        super().__init__()
        self.transformer = nn.ModuleDict({'h': nn.ModuleList(blocks)})
        self.final, self.head = final, nn.Linear(D, V, bias=False)

    def forward(self, x, targets):
        for block in self.transformer['h']:
            x = block(x)
            x = x[0] if isinstance(x, tuple) else x
        x = x if self.final is None else self.final(x)
        return {'logits': self.head(x), 'loss': F.cross_entropy(self.head(x).view(-1, V), targets.view(-1))}


NAMES = {'w_q': 'self_attn.q_proj', 'w_k': 'self_attn.k_proj', 'w_v': 'self_attn.v_proj', 'w_o': 'self_attn.o_proj',
         'w_1': 'mlp.gate_proj', 'w_3': 'mlp.up_proj', 'w_2': 'mlp.down_proj'}


def dump(folder, variant, **more):
    """Write the weights of a variant; return its arrays, its result and the numbers of the script in float64."""
    done = cli('script', f'--variant={variant}', f'--out={folder}/d', *[
        f'--{name.replace("_", "-")}={value}' for name, value in {**SHAPE, **more}.items()])
    assert done.returncode == 0, done.stderr
    arrays = {str(path.relative_to(f'{folder}/d'))[:-4]: torch.from_numpy(numpy.load(path)).double()
              if path.stem != 'targets' else torch.from_numpy(numpy.load(path)).long()
              for path in pathlib.Path(folder, 'd').rglob('*.npy')}
    script = runpy.run_path(f'{folder}/d/experiment.py')
    exact = script['measure'](arrays)
    tree = json.loads(pathlib.Path(folder, 'd', 'result.json').read_text(encoding='utf-8'))
    return arrays, tree['variants'][0], exact


def load_weights(model, arrays):
    for block, module in enumerate(model.transformer['h'], 1):
        modules = dict(module.named_modules())
        for name, path in NAMES.items():
            if f'block{block:03d}/{name}' in arrays:
                modules[path].weight.data = arrays[f'block{block:03d}/{name}'].T.contiguous()
    for parameter in [each for name, each in model.named_parameters() if name.endswith('bias')]:
        nn.init.zeros_(parameter)
    model.head.weight.data = arrays['head/w_head'].T.contiguous()
    return model.double()


def numbers_of(variant):
    """Return the program's numbers by site and name."""
    sites = [variant['input'], *variant['layers']]
    return [{name: value['mean'] for name, value in {**site.get('grad', {}), **site}.items() if isinstance(value, dict)
             and 'mean' in value} for site in sites]


# What a recording lacks: it takes passes of its own, or what the branch alone does.
LACKING = {'identity', 'identity_share', 'path_length', 'gain', 'share_input', 'share_attn', 'share_ffn', 'entropy',
           'max_logit', 'rms_scores', 'grad_skip_ratio_attn', 'grad_skip_ratio_ffn', 'grad_skip_cos_attn',
           'grad_skip_cos_ffn'}


def compare(recording, variant, exact=None, lacking=LACKING):
    """Check that a recording has all numbers of the program but those that it lacks; return how many."""
    program, count = numbers_of(variant), 0
    for site, numbers in enumerate(program):
        tree = recording.json['steps'][0]['input'] if site == 0 else recording.json['steps'][0]['layers'][site - 1]
        mine = {**tree.get('grad', {}), **tree}
        missing = [name for name in numbers if name not in mine and name not in lacking]
        assert not missing, f'site {site}: the recording lacks {missing}'
        added = [name for name in mine if name not in numbers and name not in ('grad', 'parameters', 'layer', 'part')]
        assert not added, f'site {site}: the program lacks {added}'
        for name in set(numbers) & set(mine):
            floor = 1 if 'cos' in name else 1e-3 * numbers.get('block', 0)  # b_k: 0 in theory
            error = abs(mine[name] - numbers[name])
            assert error <= 1e-5 * max(abs(numbers[name]), floor), f'{name}@{site}: {mine[name]}, {numbers[name]}'
            if exact is not None:
                error = abs(mine[name] - exact[name][site])
                assert error <= 1e-9 * max(abs(numbers[name]), floor), f'{name}@{site}: off by {error}'
            count += 1
    return count


def record(model, arrays, **more):
    with normscope.record(model, 'transformer.h', **more) as recording:
        model(arrays['x0'], arrays['targets'])['loss'].backward()
    return recording


WIRINGS = [
    ('pre', {}, True),
    ('post', {'norm': 'post'}, False),
    ('pre:bias=true', {'bias': True, 'make': nn.LayerNorm}, True),
    ('post:norm=rmsnorm', {'norm': 'post', 'make': RMSNorm}, False),
    ('sandwich:activation=swiglu,norm=rmsnorm', {'norm': 'sandwich', 'make': RMSNorm, 'gated': True}, True),
    ('pre:attn.norm=branch,ffn.norm=branch', {'norm': 'branch'}, True),
    ('pre:attn.norm=pre-post,ffn.norm=pre-post', {'norm': 'pre-post'}, False),
    ('post:residual_scale=1.7', {'norm': 'post', 'a': 1.7}, False),
    ('pre:topology=parallel', {'parallel': True}, True),
    ('pre:attn.norm=none,ffn.norm=none,final_norm=off', {'norm': 'none'}, False),
]


def the_numbers_are_those_of_the_program(folder):
    for i, (variant, options, final) in enumerate(WIRINGS):
        path = f'{folder}/{i}'
        os.mkdir(path)
        arrays, result, exact = dump(path, variant)
        make = options.get('make', LayerNorm)
        model = load_weights(Model([Block(**options) for _ in range(L)], make(D) if final else None), arrays)
        try:
            count = compare(record(model, arrays), result, exact)
        except AssertionError as error:
            raise AssertionError(f'{variant}: {error}') from error
        assert count > 80, count


def a_layer_of_pytorch_is_recognized(folder):
    """nn.TransformerEncoderLayer has one matrix for queries, keys and values, and its branches end in a dropout."""
    for i, (variant, first) in enumerate([('pre:bias=true', True), ('post:bias=true', False)]):
        os.mkdir(f'{folder}/{i}')
        arrays, result, exact = dump(f'{folder}/{i}', variant)
        layers = [nn.TransformerEncoderLayer(D, H, FF, 0.0, 'relu', batch_first=True, norm_first=first)
                  for _ in range(L)]
        model = Model(layers, nn.LayerNorm(D) if first else None)
        for block, layer in enumerate(layers, 1):
            p = {name: arrays[f'block{block:03d}/{name}'] for name in NAMES if name != 'w_3'}
            layer.self_attn.in_proj_weight.data = torch.cat([p[f'w_{name}'].T for name in 'qkv'])
            for name, module in ('w_o', layer.self_attn.out_proj), ('w_1', layer.linear1), ('w_2', layer.linear2):
                module.weight.data = p[name].T.contiguous()
        for name, parameter in model.named_parameters():
            if name.endswith('bias'):
                nn.init.zeros_(parameter)
        model.head.weight.data = arrays['head/w_head'].T.contiguous()
        compare(record(model.double(), arrays), result, exact)


class Conv1D(nn.Module):
    """A linear map of GPT-2: its weight is [in, out]."""

    def __init__(self, n_in, n_out):
        super().__init__()
        self.weight, self.bias = nn.Parameter(torch.randn(n_in, n_out) / 4), nn.Parameter(torch.zeros(n_out))

    def forward(self, x):
        return x @ self.weight + self.bias


class Gpt2(nn.Module):
    def __init__(self):
        super().__init__()
        self.attn, self.mlp = nn.Module(), nn.Module()
        self.attn.c_attn, self.attn.c_proj, self.mlp.c_fc, self.mlp.c_proj = (
            Conv1D(D, 3 * D), Conv1D(D, D), Conv1D(D, FF), Conv1D(FF, D))
        self.ln_1, self.ln_2 = nn.LayerNorm(D), nn.LayerNorm(D)

    def forward(self, x):
        q, k, v = self.attn.c_attn(self.ln_1(x)).chunk(3, -1)
        x = x + self.attn.c_proj(torch.softmax(q @ k.transpose(-1, -2), -1) @ v)
        return x + self.mlp.c_proj(F.gelu(self.mlp.c_fc(self.ln_2(x)))), None


class Bert(nn.Module):
    def __init__(self):
        super().__init__()
        own = {name: nn.Linear(D, D) for name in ('query', 'key', 'value')}
        output = {'dense': nn.Linear(D, D), 'LayerNorm': nn.LayerNorm(D)}
        self.attention = nn.ModuleDict({'self': nn.ModuleDict(own), 'output': nn.ModuleDict(output)})
        self.intermediate = nn.ModuleDict({'dense': nn.Linear(D, FF)})
        self.output = nn.ModuleDict({'dense': nn.Linear(FF, D), 'LayerNorm': nn.LayerNorm(D)})

    def forward(self, x):
        q, k, v = (self.attention['self'][name](x) for name in ('query', 'key', 'value'))
        out = self.attention['output']
        x = out['LayerNorm'](out['dense'](torch.softmax(q @ k.transpose(-1, -2), -1) @ v) + x)
        return self.output['LayerNorm'](self.output['dense'](F.gelu(self.intermediate['dense'](x))) + x)


def names_of_libraries_are_known(folder):
    for make, fused, place, shape in (Gpt2, 'attn.c_attn.weight', 'pre', 1), (Bert, None, 'post', 0):
        model = Model([make() for _ in range(L)]).double()
        recording = record(model, dict(zip(('x0', 'targets'), batch(0))))
        wanted = {'w_q', 'w_k', 'w_v', 'w_o', 'w_1', 'w_2', 'b_1', 'b_2', 'b_o', f'gain_attn_{place}',
                  f'bias_ffn_{place}', 'attn', 'ffn', 'rms_attn', 'rms_ffn', 'rms_z_ffn', 'grad_y_attn', 'skip_cos_ffn'}
        same(wanted - set(recording.quantities), set(), f'{make.__name__}: ')
        same(recording.experiment['variants'][0]['ffn'], {'norm': place})
        block = model.transformer['h'][1]
        pieces = dict(block.named_parameters())[fused].grad.chunk(3, shape) if fused else [
            block.attention['self'][name].weight.grad for name in ('query', 'key', 'value')]
        for name, piece in zip('qkv', pieces):
            numpy.testing.assert_allclose(recording[f'w_{name}'][0, 1], float(piece.norm()), rtol=1e-12)
        whole = math.hypot(*(float(each.grad.norm()) for each in block.parameters()))
        numpy.testing.assert_allclose(recording['block'][0, 1], whole, rtol=1e-12)
        numpy.testing.assert_allclose(numpy.hypot(recording['attn'], recording['ffn']), recording['block'], rtol=1e-12)


class OfScript(nn.Module):
    """A block of the exported script, which is one function of its parameters."""

    def __init__(self, script, p, block):
        super().__init__()
        self.p, self.script, self.block = nn.ParameterDict(p), script, block

    def forward(self, x):
        return self.script['transformer_block'](x, dict(self.p.items()), 'stack', self.block, None, None)[0]


def the_exported_script_is_a_model(folder):
    """Blocks without modules: the branches are lacking, and the tensors are named by the user."""
    arrays, result, exact = dump(folder, 'deepnorm')
    script = runpy.run_path(f'{folder}/d/experiment.py')
    _, [(_, parameters)] = script['parameters'](arrays, torch.float64)
    model = Model([OfScript(script, p, i) for i, p in enumerate(parameters, 1)])
    model.head.weight.data = arrays['head/w_head'].T.contiguous()
    model.head.double()
    recording = record(model, arrays, tensors={name: f'p.{name}' for name in parameters[0]})
    branches = {f'{kind}_{sub}' for kind in ('rms', 'rms_z', 'rms_y', 'grad_z', 'grad_y', 'skip_ratio', 'skip_cos')
                for sub in ('attn', 'ffn')}
    assert compare(recording, result, exact, LACKING | branches) > 50
    assert 'rms_attn' not in recording.quantities and recording.json['branches'] == {}, recording.json['branches']


# ---- steps and passes ----

def make_model(**options):
    torch.manual_seed(1)
    return Model([Block(**options) for _ in range(L)]).double()


def batch(seed, dtype=torch.float64):
    generator = torch.Generator().manual_seed(seed)
    return (torch.randn(B, T, D, generator=generator, dtype=torch.float64).to(dtype),
            torch.randint(V, (B, T), generator=generator))


def steps_follow_the_optimizer(folder):
    for zero_first in True, False:
        model, before = make_model(), []
        optimizer = torch.optim.Adam(model.parameters(), 0.01)
        with normscope.record(model, 'transformer.h') as recording:
            for i in range(4):
                if zero_first:
                    optimizer.zero_grad(set_to_none=i % 2 == 0)
                loss = model(*batch(i))['loss']
                if not zero_first:
                    optimizer.zero_grad(set_to_none=i % 2 == 0)
                loss.backward()
                before.append((float(loss), float(model.transformer['h'][1].mlp.down_proj.weight.grad.norm())))
                optimizer.step()
                with torch.no_grad():
                    model(*batch(9))  # an evaluation
        same(recording['rms_x'].shape, (4, L))
        numpy.testing.assert_allclose(recording.losses, [loss for loss, _ in before], rtol=1e-12)
        numpy.testing.assert_allclose(recording['w_2'][:, 1], [norm for _, norm in before], rtol=1e-12)
        same(recording['input:rms_x'].shape, (4,))
        assert len(set(recording['rms_x'][:, -1])) == 4


def minibatches_of_a_step_are_one_step(folder):
    model = make_model()
    with normscope.record(model, 'transformer.h') as whole:
        pieces = [batch(i) for i in range(3)]
        model(*(torch.cat(each) for each in zip(*pieces)))['loss'].backward()
    model.zero_grad()
    with normscope.record(model, 'transformer.h') as parts:
        for piece in pieces:
            (model(*piece)['loss'] / 3).backward()
    same([step['passes'] for step in parts.json['steps']], [3])
    for name in whole.quantities:
        if not name.startswith('grad_') or 'cos' in name:
            numpy.testing.assert_allclose(parts[name], whole[name], rtol=1e-9, atol=1e-12, err_msg=name)
    ratio = parts['grad_x'] / whole['grad_x']  # of a third of the rows: the mean of the passes' norms
    assert (abs(ratio - 1 / math.sqrt(3)) < 0.05).all(), ratio
    with normscope.record(model, 'transformer.h') as told:
        for piece in pieces:
            model(*piece)['loss'].backward()
            told.step()
    same(len(told.json['steps']), 3)


def a_checkpoint_has_the_same_numbers(folder):
    plain = record(make_model(), dict(zip(('x0', 'targets'), batch(0))))
    for reentrant in True, False:
        model = make_model()
        forwards = [block.__call__ for block in model.transformer['h']]

        def run(x, targets, model=model, forwards=forwards, reentrant=reentrant):
            x = x.requires_grad_()
            for block in forwards:
                x = torch.utils.checkpoint.checkpoint(block, x, use_reentrant=reentrant)[0]
            return {'loss': F.cross_entropy(model.head(x).view(-1, V), targets.view(-1))}
        model.forward = run
        again = record(model, dict(zip(('x0', 'targets'), batch(0))))
        same(sorted(set(plain.quantities) - set(again.quantities)), [], f'reentrant {reentrant}: ')
        for name in plain.quantities:
            numpy.testing.assert_allclose(again[name], plain[name], rtol=1e-9, err_msg=f'{name} {reentrant}')


def mixed_types_are_measured_in_float64(folder):
    wide = record(make_model(), dict(zip(('x0', 'targets'), batch(0))))
    model = make_model()
    for block in model.transformer['h']:
        block.to(torch.bfloat16)
        block.register_forward_pre_hook(lambda module, args: (args[0].to(torch.bfloat16),))
        block.register_forward_hook(lambda module, args, output: (output[0].double(), None))
    half = record(model, dict(zip(('x0', 'targets'), batch(0))))
    for name in 'rms_x', 'grad_x', 'w_2', 'block', 'token_cos':
        numpy.testing.assert_allclose(half[name], wide[name], rtol=0.1, atol=0.02, err_msg=name)
    assert (half['w_2'] != wide['w_2']).all()
    # a norm of float16 that float16 cannot hold
    linear = Model([nn.Linear(D, D) for _ in range(2)]).double()
    with normscope.record(linear, 'transformer.h') as recording:
        (linear(torch.full((B, T, D), 3e4).half().double(), batch(0)[1])['loss'] * 1e200).backward()
    assert (recording['block'] > 1e100).all(), recording['block']


class Breaks(nn.Module):
    def __init__(self, value):
        super().__init__()
        self.weight, self.value = nn.Parameter(torch.ones(D).double()), value

    def forward(self, x):
        return x * self.weight * self.value


def what_is_not_finite_stays_so(folder):
    for value, name in (math.inf, 'inf'), (math.nan, 'nan'):
        model = Model([Breaks(1.0), Breaks(value), Breaks(1.0)]).double()
        recording = record(model, dict(zip(('x0', 'targets'), batch(0))))
        assert math.isfinite(recording['rms_x'][0, 0]), recording['rms_x']
        same([str(x) for x in recording['rms_x'][0, 1:]], [name, name])
        same(recording.json['steps'][0]['overflow'], {'layer': 2})
        recording.save(f'{folder}/x.json')
        tree = json.loads(pathlib.Path(folder, 'x.json').read_text(encoding='utf-8'), parse_constant=lambda _: 1 / 0)
        same(tree['steps'][0]['layers'][1]['rms_x'], None)
        assert numpy.isnan(normscope.load(f'{folder}/x.json')['rms_x'][0, 1:]).all()


def what_is_recognized_wrongly_is_lacking(folder):
    """A branch that is scaled after its module, without a module for that, has its factor; a gate has none."""
    class Gated(Block):
        def forward(self, x, extra=None):
            y = x + torch.sigmoid(x) * self.self_attn(self.p1(x))[0]  # not a sum of a module's output
            return y + 0.25 * self.mlp(self.p2(y))
    torch.manual_seed(0)
    model = Model([Gated() for _ in range(L)]).double()
    recording = record(model, dict(zip(('x0', 'targets'), batch(0))))
    assert not {'rms_attn', 'rms_z_attn', 'attn', 'gain_attn_pre'} & set(recording.quantities), recording.quantities
    model = Model([Block() for _ in range(L)]).double()
    sizes = []
    for block in model.transformer['h']:
        block.mlp.register_forward_hook(lambda module, args, output: sizes.append(float(output.square().mean()) ** 0.5))
        block.forward = lambda x, b=block: (lambda y: y + 0.25 * b.mlp(b.p2(y)))(x + b.self_attn(b.p1(x))[0])
    recording = record(model, dict(zip(('x0', 'targets'), batch(0))))
    numpy.testing.assert_allclose(recording['rms_ffn'][0], [0.25 * size for size in sizes[:L]], rtol=1e-9)


def an_error_is_seen(folder):
    """A planted error: other weights, a norm at another place, a gradient of another loss."""
    arrays, result, _ = dump(folder, 'pre')
    good = load_weights(Model([Block() for _ in range(L)], LayerNorm(D)), arrays)
    compare(record(good, arrays), result)
    wrong = [lambda model: model.transformer['h'][1].mlp.down_proj.weight.data.mul_(1.001),
             lambda model: model.transformer['h'][2].p2.weight.data.mul_(1.0001),
             lambda model: model.head.weight.data.mul_(1.0001)]
    for change in wrong:
        model = load_weights(Model([Block() for _ in range(L)], LayerNorm(D)), arrays)
        change(model)
        try:
            compare(record(model, arrays), result)
        except AssertionError:
            continue
        return 'a planted error is not seen'


# ---- pictures ----

def dashed(svg):
    return len(re.findall('stroke-dasharray', svg))


def a_picture_has_both(folder):
    recording = record(make_model(), dict(zip(('x0', 'targets'), batch(0))))
    experiment = recording.experiment
    same(experiment['shape'], {'depth': L, 'd_model': D, 'seq_len': T, 'batch': B, 'd_ff': FF, 'heads': 1})
    same(experiment['variants'], [{'bias': False, 'attn': {'norm': 'pre'}, 'ffn': {'norm': 'pre'}}])
    recording.save(f'{folder}/mine.json')
    same(recording.json['generator'], f'normscope {normscope.__version__}, torch {torch.__version__}')
    same(normscope.run(experiment, seeds=1).experiment['shape']['depth'], L)
    pathlib.Path(folder, 'x.normscope').write_text(json.dumps(experiment), encoding='utf-8')
    plain = cli('plot', f'{folder}/x.normscope', '--format=svg', '--output=-').stdout
    wanted = cli('plot', f'{folder}/x.normscope', f'--reference={folder}/mine.json', '--format=svg', '--output=-')
    assert wanted.returncode == 0 and dashed(wanted.stdout) > dashed(plain), wanted.stderr
    done = cli('plot', f'{folder}/mine.json', '--format=svg', '--output=-')
    same((done.stdout, done.returncode), (wanted.stdout, 0), done.stderr)
    for args, words in [(['run'], ['mine.json is a recording', 'plot']),
                        (['plot', '--figure=wiring', '--format=svg', '-o-'], ['wiring', 'flow']),
                        (['plot', '--figure=training-profile', '--step=1', '--format=svg', '-o-'], ['--step: 1', '0'])]:
        done = cli(*args, f'{folder}/mine.json')
        assert done.returncode == 2 and all(word in done.stderr for word in words), done.stderr
    for each in recording, normscope.load(f'{folder}/mine.json'):
        same(each.plot().svg, wanted.stdout)
    assert recording.plot(normscope.run(experiment, seeds=2)).svg != wanted.stdout
    recording.plot(quantity='w_2').save(f'{folder}/x.png')
    assert pathlib.Path(folder, 'x.png').read_bytes()[:4] == b'\x89PNG'
    same(repr(recording.plot()), '<RecordingPicture: flow>')
    assert 'url(#' not in recording.plot()._repr_svg_() or 'url(#n' in recording.plot()._repr_svg_()


def a_picture_shows_what_was_recorded(folder):
    """Other numbers, another picture; a quantity that is lacking has no curve; a step is chosen."""
    model = make_model()
    optimizer = torch.optim.SGD(model.parameters(), 0.5)
    with normscope.record(model, 'transformer.h') as recording:
        for i in range(2):
            optimizer.zero_grad()
            model(*batch(i))['loss'].backward()
            optimizer.step()
    pictures = [recording.plot(quantity='w_2', step=i).svg for i in (0, 1, -1)]
    assert pictures[0] != pictures[1] == pictures[2]
    for layer in recording.json['steps'][0]['layers']:
        del layer['grad']['w_2']
    without = recording.plot(quantity='w_2').svg
    assert 0 <= dashed(without) < dashed(pictures[0]), (dashed(without), dashed(pictures[0]))
    recording.json['steps'][0]['layers'][1]['rms_x'] = math.nan
    assert dashed(recording.plot().svg)
    recording.save(f'{folder}/nan.json')
    normscope.load(f'{folder}/nan.json').plot()


def a_recorded_training_has_its_figures(folder):
    """The losses, the blocks at a step and the map of all steps, and a training of many steps is not too long."""
    model = make_model()
    optimizer = torch.optim.SGD(model.parameters(), 0.5)
    with normscope.record(model, 'transformer.h') as recording:
        for i in range(300):
            optimizer.zero_grad()
            model(*batch(i % 7))['loss'].backward()
            optimizer.step()
    losses = recording.plot(figure='training').svg
    same(repr(recording.plot(figure='training-map')), '<RecordingPicture: training-map>')
    ends = [recording.plot(figure='training-profile', step=i).svg for i in (-1, 299, 298)]
    same(ends[0], ends[1])
    assert ends[0] == recording.plot(figure='training-profile').svg != ends[2]
    recording.save(f'{folder}/long.json')
    done = cli('plot', '--figure=training', '--format=svg', '--output=-', f'{folder}/long.json')
    same((done.stdout, done.returncode), (losses, 0), done.stderr)
    first, last = (f'{recording.losses[i]:.3g}' for i in (0, -1))
    assert first in losses and '300 steps' in losses, (first, last)
    for step in recording.json['steps']:
        step['loss'] = None
    without = recording.plot(figure='training').svg
    assert 'has no loss at the end' in without, without[-2000:]
    recording.json['steps'][7]['loss'] = 'low'
    try:
        recording.plot(figure='training')
    except normscope.Error as error:
        assert 'steps[7].loss: "low"' in str(error), error
    else:
        return 'a loss that is text is drawn'


def the_program_refuses_what_is_broken(folder):
    recording = record(make_model(), dict(zip(('x0', 'targets'), batch(0))))
    recording.save(f'{folder}/mine.json')
    text = pathlib.Path(folder, 'mine.json').read_text(encoding='utf-8')
    for old, new, words in [('"version": 1', '"version": 2', ['version', 'newer']),
                            ('"depth": 3,', '"depth": 4,', ['blocks', 'a list of 4']),
                            ('"rms_x": ', '"rms_x": -', ['steps[0]', 'rms_x']),
                            (text[-200:], '', ['truncated'])]:
        assert old in text
        pathlib.Path(folder, 'bad.json').write_text(text.replace(old, new), encoding='utf-8')
        done = cli('plot', f'--reference={folder}/bad.json', '--format=svg', '--output=-')
        if done.returncode != 2 or not all(word in done.stderr for word in ['--reference', 'bad.json', *words]):
            return f'{new}: {done.returncode} {done.stderr}'
    for function, words in [(lambda: recording.plot(step=0, theme='drak'), ['theme', 'drak']),
                            (lambda: recording.plot({'shape': {'dept': 1}}), ['format'])]:
        try:
            function()
        except normscope.Error as error:
            assert all(word in str(error) for word in words), error
        else:
            return f'{words}: no error'
    return None


# ---- files and messages ----

def saved_and_opened_again(folder):
    recording = record(make_model(), dict(zip(('x0', 'targets'), batch(0))))
    recording.save(f'{folder}/mine.json')
    again = normscope.load(f'{folder}/mine.json')
    same(again.json, recording.json)
    same(str(again), '<Recording: Model, 3 blocks, 1 step>')
    same(again.parameters(), recording.parameters())
    same(len(again.parameters()), len(list(make_model().named_parameters())))
    for name in again.quantities:
        assert (again[name] == recording[name]).all() or numpy.isnan(again[name]).any(), name
    tree, bad = json.loads(json.dumps(again.json)), []
    for change, words in [(lambda t: t.update(version=2), ['version', 'newer']),
                          (lambda t: t['shape'].update(depth=4), ['blocks']),
                          (lambda t: t['shape'].update(depth='3'), ['shape.depth']),
                          (lambda t: t.update(steps=[]), ['steps']),
                          (lambda t: t['steps'][0].update(step=1), ['steps[0].step']),
                          (lambda t: t['steps'][0]['layers'].pop(), ['steps[0].layers', '3 blocks']),
                          (lambda t: t['steps'][0]['layers'][1].update(rms_x='1'), ['steps[0].layers[1].rms_x']),
                          (lambda t: t['steps'][0]['layers'][1]['grad'].update(w_2=True), ['layers[1].grad']),
                          (lambda t: t['steps'][0]['layers'][1].pop('grad'), ['layers[1].grad']),
                          (lambda t: t['steps'][0].update(input=3), ['steps[0].input'])]:
        broken = json.loads(json.dumps(tree))
        change(broken)
        pathlib.Path(folder, 'bad.json').write_text(json.dumps(broken), encoding='utf-8')
        try:
            normscope.load(f'{folder}/bad.json')
        except normscope.Error as error:
            bad += [f'{words}: {error}'] if not all(word in str(error) for word in [*words, 'bad.json']) else []
        else:
            bad.append(f'{words}: no error')
    return '; '.join(bad)


def use(model, *, blocks='transformer.h', backward=True, calls=1, grad=True, **more):
    with normscope.record(model, blocks, **more):
        with torch.set_grad_enabled(grad):
            for _ in range(calls):
                loss = model(*batch(0))['loss']
        if backward:
            loss.backward()


class Twice(nn.Module):
    def __init__(self):
        super().__init__()
        self.h = nn.ModuleList([nn.Linear(D, D).double()])

    def forward(self, x, targets):
        return {'loss': self.h[0](self.h[0](x)).sum()}


ERRORS = [
    (lambda: use(make_model(), blocks='transformer.layers'), ["'transformer.layers'", "'transformer.h' (3 blocks)"]),
    (lambda: use(make_model(), blocks='head'), ["'head'", 'Linear', "'transformer.h' (3 blocks)"]),
    (lambda: use(make_model(), blocks=nn.ModuleList([nn.Linear(2, 2)])), ['Linear', 'not a module of the model']),
    (lambda: use(make_model(), blocks=[]), ['empty']),
    (lambda: use(make_model(), backward=False), ['no backward pass', 'loss.backward()']),
    (lambda: use(make_model(), calls=0, backward=False), ['none of the 3 blocks ran']),
    (lambda: use(make_model(), grad=False, backward=False), ['none of the 3 blocks ran', 'torch.no_grad()']),
    (lambda: use(make_model(), attn='attention'), ["attn='attention'", 'self_attn, mlp, p1, p2']),
    (lambda: use(make_model(), tensors={'w_1': 'mlp.fc'}), ["'mlp.fc'", 'mlp.gate_proj.weight']),
    (lambda: use(Twice(), blocks='h'), ['h.0', 'twice', 'share']),
    (lambda: normscope.record(make_model(), 'transformer.h').save('x.json'), ['not finished']),
]


def errors_say_what_is_allowed(folder):
    for function, words in ERRORS:
        try:
            function()
        except normscope.Error as error:
            if not all(word in str(error) for word in words):
                return f'{words}: {error}'
        else:
            return f'{words}: no error'
    model = make_model()
    with normscope.record(model, 'transformer.h') as recording:
        model(*batch(0))['loss'].backward()
    try:
        recording['rms_y']
    except KeyError as error:
        assert "'rms_y' is not a quantity that was recorded; did you mean" in str(error), error
    try:
        with normscope.record(model, 'transformer.h'):
            raise ValueError('mine')
    except ValueError:
        pass
    hooks = sum(len(module._forward_hooks) + len(module._forward_pre_hooks) for module in model.modules())
    same(hooks, 0, 'hooks that stay: ')


def torch_is_needed_by_record_alone(folder):
    pathlib.Path(folder, 'torch.py').write_text('raise ImportError("no torch here")\n', encoding='utf-8')
    done = subprocess.run([sys.executable, '-B', '-c', 'import normscope; normscope.load\n'
                           'try:\n    normscope.record(None, "h")\nexcept ImportError as error:\n    print(error)'],
                          capture_output=True, text=True, check=False,
                          env={**os.environ, 'PYTHONPATH': f'{folder}:{PACKAGE}'})
    same(done.stdout, 'normscope.record needs PyTorch: no torch here (Debian: python3-torch)\n', done.stderr)


def main():
    os.environ['NORMSCOPE_CLI'] = CLI
    torch.set_num_threads(1)
    tap = Tap()
    for test in [the_numbers_are_those_of_the_program, a_layer_of_pytorch_is_recognized, names_of_libraries_are_known,
                 the_exported_script_is_a_model, steps_follow_the_optimizer, minibatches_of_a_step_are_one_step,
                 a_checkpoint_has_the_same_numbers, mixed_types_are_measured_in_float64, what_is_not_finite_stays_so,
                 what_is_recognized_wrongly_is_lacking, an_error_is_seen, a_picture_has_both,
                 a_picture_shows_what_was_recorded, a_recorded_training_has_its_figures,
                 the_program_refuses_what_is_broken, saved_and_opened_again,
                 errors_say_what_is_allowed, torch_is_needed_by_record_alone]:
        tap.run(test)
    print(f'1..{tap.count}')
    return tap.failed > 0


sys.exit(main())
