#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""normscope-cli verify: its report, its exit status, statements in exports, and checks that fail or are missing.

    verify.py NORMSCOPE-CLI NORMSCOPE-VERIFY [PYTHON-WITH-TORCH]
"""

import contextlib
import json
import os
import re
import signal
import stat
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree

from cli import CLI, TINY, Skip, Tap, cli, files_below, problem_of_refusal, run_json, same

sys.path.append(os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), 'golden'))

from warm_python import WarmPython  # noqa: E402

PROGRAM = os.path.abspath(sys.argv[2])
TORCH = sys.argv[3] if len(sys.argv) > 3 else None
SMALL = [*TINY, '--activation', 'gelu']
# Most tests run without PyTorch: they are faster and do not depend on its installation.
ALONE = {'NORMSCOPE_VERIFY': PROGRAM, 'NORMSCOPE_PYTHON': '/missing/python3'}
WITH_TORCH = {'NORMSCOPE_VERIFY': PROGRAM, 'NORMSCOPE_PYTHON': TORCH or ''}
# main() puts here a Python that has imported torch, which takes most of the time of a check.
WARM = {**WITH_TORCH}


def verify_json(*args, status=0, env=None, **more):
    done = cli('verify', *args, '--format', 'json', env=env or ALONE, **more)
    same((done.returncode, done.stderr), (status, ''), f'{args}: ')
    return json.loads(done.stdout, parse_constant=lambda word: 1 / 0)


def script(folder, name, text):
    """Write a Python program that replaces another one."""
    path = os.path.join(folder, name)
    with open(path, 'w', encoding='utf-8') as file:
        file.write(f'#!{sys.executable}\n{text}')
    os.chmod(path, os.stat(path).st_mode | stat.S_IXUSR)
    return path


def with_wrong_gradient(folder):
    """Return an environment in which normscope-verify reports its first gradient as wrong."""
    return {**ALONE, 'NORMSCOPE_VERIFY': script(folder, 'wrong-gradient', f'''
import json, subprocess, sys
text = subprocess.run([{PROGRAM!r}, *sys.argv[1:]], capture_output=True, text=True, check=True).stdout
report = json.loads(text[text.index('{{'):])
check = next(check for check in report['checks'] if check['kind'] == 'gradient')
report['passed'] = check['passed'] = False
check['error'] = 0.25
print(json.dumps(report))
''')}


# ---- the report ----

def passes(folder):
    done = cli('verify', *SMALL, env=ALONE)
    same((done.returncode, done.stderr), (0, ''))
    for word in ['Pre-LN: passed', 'Post-LN: passed', 'its own size', 'gradients', 'norms', 'adjoint',
                 'NOT CHECKED: PyTorch', 'Verified without PyTorch']:
        assert word in done.stdout, f'{word} is not in\n{done.stdout}'
    assert 'FAILED' not in done.stdout, done.stdout


def report_as_json(folder):
    got = verify_json(*SMALL, '--bias', 'on')
    same((got['format'], got['version'], got['passed'], got['pytorch']), ('normscope-verification', 1, True, None))
    same(got['experiment'], run_json(*SMALL, '--bias', 'on')['experiment'])
    same([variant['name'] for variant in got['variants']], ['Pre-LN', 'Post-LN'])
    for variant in got['variants']:
        same((variant['passed'], variant['reduced'], variant['pytorch']), (True, False, None))
        same((variant['shape']['depth'], variant['shape']['d_model']), (2, 8))
        checks = {(check['kind'], check['name']): check for check in variant['checks']}
        same(len(checks), len(variant['checks']))
        for name in ['w_q', 'w_k', 'w_v', 'w_o', 'w_1', 'w_2', 'w_head']:
            same(checks['gradient', name]['places'], 1 if name == 'w_head' else 2, name)
            assert 0 < checks['gradient', name]['error'] <= checks['gradient', name]['tolerance'] == 1e-5
            assert checks['norm', name]['error'] <= checks['norm', name]['tolerance'] == 1e-9
        for name in ['linear', 'norm', 'attention', 'activation']:
            assert checks['adjoint', name]['error'] <= checks['adjoint', name]['tolerance'] == 1e-6
        assert ('norm', 'b_2') in checks and ('gradient', 'gain_final') in checks or variant['name'] == 'Post-LN'
        assert all(check['passed'] for check in checks.values())


def report_in_a_file(folder):
    done = cli('verify', *SMALL, '-o', 'x.json', env=ALONE, folder=folder)
    same((done.returncode, done.stdout, done.stderr), (0, '', ''))
    with open(os.path.join(folder, 'x.json'), encoding='utf-8') as file:
        same(json.load(file), verify_json(*SMALL))
    same(cli('verify', *SMALL, '-o', 'x.txt', env=ALONE, folder=folder).returncode, 0)
    with open(os.path.join(folder, 'x.txt'), encoding='utf-8') as file:
        same(file.read(), cli('verify', *SMALL, env=ALONE).stdout)


def large_is_reduced(folder):
    large = ['--depth', '512', '--d-model', '1024', '--heads', '16', '--d-ff', '4096', '--seq-len', '256', '--batch',
             '8', '--vocab', '30000', '--variant', 'post:post_fraction=0.25']
    variant = verify_json(*large)['variants'][0]
    assert variant['reduced'] and variant['passed'] and 4 <= variant['shape']['depth'] < 512, variant['shape']
    text = cli('verify', *large, env=ALONE).stdout
    assert f"depth {variant['shape']['depth']} instead of 512" in text and 'same wiring' in text, text


def encoder_decoder(folder):
    variant = verify_json(*SMALL, '--stack', 'encoder-decoder')['variants'][1]
    names = {(check['kind'], check['name']) for check in variant['checks']}
    assert {('gradient', 'cross_w_q'), ('norm', 'cross_w_o'), ('adjoint', 'cross-attention')} <= names, names


# ---- failures ----

def failure_is_reported(folder):
    done = cli('verify', *SMALL, env=with_wrong_gradient(folder))
    same((done.returncode, done.stderr), (1, ''))
    for word in ['Pre-LN: FAILED', 'FAILED: gradients', 'relative error 0.25', 'NOT VERIFIED: 2 of 2']:
        assert word in done.stdout, f'{word} is not in\n{done.stdout}'
    got = verify_json(*SMALL, status=1, env=with_wrong_gradient(folder))
    same((got['passed'], got['variants'][0]['passed']), (False, False))


def overflow_is_no_pass(folder):
    deep = ['--depth', '200', '--d-model', '8', '--heads', '2', '--d-ff', '8', '--seq-len', '4', '--vocab', '8']
    done = cli('verify', *deep, '--variant', 'none:residual_scale=1000000', env=ALONE)
    same(done.returncode, 1)
    assert 'no gradient' in done.stdout and 'NOT VERIFIED' in done.stdout, done.stdout


def broken_program(folder):
    for text, words in [('print("out of luck"); raise SystemExit(1)', ['out of luck']), ('pass', ['no report']),
                        ('print("{")', ['{']), ('print(\'{"passed": true}\')', ['passed']),
                        ('import os; os.kill(os.getpid(), 11)', ['no report'])]:
        done = cli('verify', *SMALL, env={**ALONE, 'NORMSCOPE_VERIFY': script(folder, 'broken', text)})
        problem = problem_of_refusal(done, 1, ['broken', *words])
        if problem:
            return f'{text}: {problem}'


def missing_program(folder):
    """Each command that needs it says how to get it."""
    words = ['not found: /missing/x.', 'meson compile -C build normscope-verify', 'installed']
    for command in ['verify'], ['run', '--verify', '-f', 'json'], ['plot', '--verify', '-o', f'{folder}/x.svg']:
        done = cli(*command, *SMALL, env={**ALONE, 'NORMSCOPE_VERIFY': '/missing/x'})
        problem = problem_of_refusal(done, 1, words)
        if problem:
            return f'{command}: {problem}'
    return None


def bad_usage(folder):
    return (problem_of_refusal(cli('verify', '--format', 'csv', env=ALONE), 2, ['--format', 'csv', 'json'])
            or problem_of_refusal(cli('verify', 'no-such-file', env=ALONE), 2, ['no-such-file'])
            or problem_of_refusal(cli('verify', *SMALL, '-o', '/missing/x', env=ALONE), 1, ['/missing'])
            or problem_of_refusal(cli('run', *SMALL, '--verify', env=ALONE), 2, ['--verify', 'table', 'json'])
            or problem_of_refusal(cli('run', *SMALL, '--verify', '-f', 'csv', env=ALONE), 2,
                                  ['--verify', '--provenance']))


def internal_program(folder):
    text = json.dumps({'format': 'normscope-experiment', 'version': 1, 'shape': {'depth': 2, 'd_model': 8, 'heads': 2,
                                                                               'd_ff': 8, 'seq_len': 4}})
    for arguments, stdin, status in [(['0'], text, 0), (['1'], text, 0), (['2'], text, 1), (['x'], text, 1),
                                     ([], text, 1), (['0'], '{', 1)]:
        done = subprocess.run([PROGRAM, *arguments], input=stdin, capture_output=True, text=True, check=False)
        same((done.returncode, done.stderr), (status, ''), f'{arguments}: ')
        lines = [line for line in done.stdout.splitlines() if not line.startswith('progress ')]
        assert lines, done.stdout
        if status == 0:
            assert json.loads('\n'.join(lines))['passed']


def interrupted(folder):
    """An interruption kills the checking program and removes its files."""
    slow = script(folder, 'slow', 'import os, time\nopen(os.environ["STARTED"], "w").write(str(os.getpid()))\n'
                                  'time.sleep(600)\n')
    started = os.path.join(folder, 'started')
    temporary = os.path.join(folder, 'tmp')
    os.mkdir(temporary)
    env = {**os.environ, **ALONE, 'NORMSCOPE_VERIFY': slow, 'STARTED': started, 'TMPDIR': temporary}
    with subprocess.Popen([CLI, 'verify', *SMALL], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          env=env) as process:
        while not os.path.exists(started) or not open(started, encoding='utf-8').read():
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=20)
    same(process.returncode, 128 + signal.SIGINT)
    assert 'interrupted' in errors, errors
    same(os.listdir(temporary), [])
    with open(started, encoding='utf-8') as file:
        child = int(file.read())
    try:
        os.kill(child, 0)
    except ProcessLookupError:
        return None
    return f'process {child} is still running'


# ---- statements in exports ----

def statement_of(text):
    got = json.loads(text)
    same(list(got), ['passed', 'gradient', 'norm', 'adjoint', 'pytorch', 'reduced'])
    same((got['passed'], got['pytorch'], got['reduced']), (True, None, False))
    assert 0 < got['gradient'] <= 1e-5 and 0 < got['norm'] <= 1e-9 and 0 < got['adjoint'] <= 1e-6, got
    return got


def read(folder, name):
    with open(os.path.join(folder, name), 'rb') as file:
        return file.read()


def exports_state_it(folder):
    for name in ['x.png', 'x.svg', 'x.pdf', 'x.csv', 'x.json']:
        command = 'plot' if name[2:] in ('png', 'svg', 'pdf') else 'run'
        done = cli(command, *SMALL, '--verify', '-o', name, env=ALONE, folder=folder)
        same((done.returncode, done.stdout, done.stderr), (0, '', ''), name + ': ')
        same(cli(command, *SMALL, '-o', 'plain-' + name, folder=folder).returncode, 0)
        assert b'verified' not in read(folder, 'plain-' + name), name
    wanted = statement_of(re.search(rb'^# verified: (.*)$', read(folder, 'x.csv'), re.M)[1])
    same(json.loads(read(folder, 'x.json'))['verified'], wanted)
    chunk = re.search(rb'iTXtnormscope:verified\0\0\0\0\0(\{[^}]*\})', read(folder, 'x.png'))
    same(json.loads(chunk[1]), wanted)
    found = [element.text for element in xml.etree.ElementTree.fromstring(read(folder, 'x.svg')).iter()
             if element.tag.endswith('verified')]
    same([json.loads(text) for text in found], [wanted])
    same(re.sub(rb'^# verified: .*\n', b'', read(folder, 'x.csv'), flags=re.M), read(folder, 'plain-x.csv'))
    # The picture opens like any other, and a new export of it has no statement.
    same(cli('plot', 'x.png', '-o', 'again.png', folder=folder).returncode, 0)
    same(read(folder, 'again.png'), read(folder, 'plain-x.png'))
    same(run_json('x.svg', folder=folder)['experiment'], json.loads(read(folder, 'x.json'))['experiment'])


def exports_refuse_to_state_it(folder):
    with tempfile.TemporaryDirectory(prefix='normscope-cli-') as other:
        env = with_wrong_gradient(other)
        for command, name in [('plot', 'x.png'), ('run', 'x.csv'), ('run', 'x.json')]:
            done = cli(command, *SMALL, '--verify', '-o', name, env=env, folder=folder)
            problem = problem_of_refusal(done, 1, ['--verify', 'FAILED: gradients', 'NOT VERIFIED'])
            if problem:
                return problem
    return files_below(folder) and f'written: {files_below(folder)}'


# ---- PyTorch ----

def pytorch_agrees(folder):
    if TORCH is None:
        raise Skip('PyTorch is not installed')
    got = verify_json(*SMALL, env=WARM)
    assert got['passed'] and got['pytorch'], got['pytorch']
    for variant in got['variants']:
        assert variant['pytorch']['passed'] and variant['pytorch']['numbers'] > 30, variant['pytorch']
        assert 0 < variant['pytorch']['error'] <= 1e-4, variant['pytorch']
    text = cli('verify', *SMALL, env=WITH_TORCH).stdout
    assert text.count('passed: PyTorch') == 2 and 'including by PyTorch' in text, text


def modifying(folder, old, new):
    """A Python that runs modified scripts."""
    return script(folder, 'python3', f'''
import pathlib, subprocess, sys
for argument in sys.argv[1:]:
    path = pathlib.Path(argument)
    if path.suffix == '.py':
        path.write_text(path.read_text().replace({old!r}, {new!r}))
sys.exit(subprocess.run([{WARM['NORMSCOPE_PYTHON']!r}, *sys.argv[1:]]).returncode)
''')


def pytorch_disagrees(folder):
    """A modified script computes other numbers, and the verdict is a failure."""
    if TORCH is None:
        raise Skip('PyTorch is not installed')
    env = {**WARM, 'NORMSCOPE_PYTHON': modifying(folder, '"norm_eps": 1e-05', '"norm_eps": 0.1')}
    done = cli('verify', *SMALL, env=env)
    same(done.returncode, 1)
    assert done.stdout.count('FAILED: PyTorch') == 2 and 'passed: gradients' in done.stdout, done.stdout
    assert 'NOT VERIFIED: 2 of 2' in done.stdout, done.stdout


def pytorch_checks_maps(folder):
    """With --of, and before a figure of a map is drawn, PyTorch checks the map, too; a wrong map does not pass."""
    if TORCH is None:
        raise Skip('PyTorch is not installed')
    one = (*SMALL, '--variant', 'pre')
    [plain], [more] = (verify_json(*one, *maps, env=WARM)['variants']
                       for maps in ([], ['--of', 'similarity', '--of', 'gain']))
    assert more['passed'] and more['pytorch']['numbers'] > plain['pytorch']['numbers'] + 20, (plain, more)
    wrong = {**WARM, 'NORMSCOPE_PYTHON': modifying(folder, '("cos_g", gradient_of)', '("cos_g", torch.detach)')}
    assert verify_json(*one, env=wrong)['passed']
    assert not verify_json(*one, '--of', 'similarity', status=1, env=wrong)['passed']
    for figure, status in (('flow', 0), ('similarity', 1)):
        done = cli('plot', *one, '--figure', figure, '--verify', '-o', f'{folder}/{figure}.svg', env=wrong)
        same((done.returncode, os.path.exists(f'{folder}/{figure}.svg')), (status, status == 0))
    done = cli('verify', *one, '--of', 'loss')
    assert done.returncode == 2 and 'contributions' in done.stderr, done.stderr


# Modules that Python or torch import, and those that Python runs at its start.
PLANTED = ['torch', 'numpy', 'random', 'json', 'sitecustomize', 'usercustomize']


def plant_modules(folder):
    """Write modules that leave a mark when they are executed; return the mark's path."""
    mark = os.path.join(folder, 'executed')
    for name in PLANTED:
        with open(os.path.join(folder, name + '.py'), 'w', encoding='utf-8') as file:
            file.write(f'open({mark!r}, "a").write(__name__ + " ")\n__version__ = "planted"\n')
    return mark


def planted_modules(folder):
    """Nothing in the current folder is executed, whatever searches it: Python, PYTHONPATH or PATH."""
    mark = plant_modules(folder)
    script(folder, 'python3', f'open({mark!r}, "a").write("python3 ")')
    for name, more in [('modules', {'NORMSCOPE_PYTHON': TORCH or sys.executable, 'PYTHONPATH': ':.:/nowhere'}),
                       ('programs', {'PATH': '.::' + os.environ['PATH']})]:
        got = verify_json(*SMALL, '--variant', 'pre', env={'NORMSCOPE_VERIFY': PROGRAM, **more}, folder=folder)
        assert got['passed'] and got['pytorch'] != 'planted', f'{name}: {got["pytorch"]}'
        assert TORCH is None or got['pytorch'], f'{name}: PyTorch was not found'
        assert not os.path.exists(mark), f'{name}: executed: {open(mark, encoding="utf-8").read()}'


def planted_beside_script(folder):
    """A script that normscope-cli has written imports nothing from its folder or from the current one."""
    if TORCH is None:
        raise Skip('PyTorch is not installed')
    same(cli('script', *SMALL, '--variant', 'pre', '--out', 'out', folder=folder).returncode, 0)
    out = os.path.join(folder, 'out')
    marks = [plant_modules(folder), plant_modules(out)]
    for place, name in [(out, 'experiment.py'), (folder, 'out/experiment.py')]:
        done = subprocess.run([TORCH, '-B', name], cwd=place, capture_output=True, text=True, check=False)
        same(done.returncode, 0, done.stderr)
        assert 'largest relative difference' in done.stdout, done.stdout
        for mark in marks:
            assert not os.path.exists(mark), f'{place}: executed: {open(mark, encoding="utf-8").read()}'


def python_in_relative_folder(folder):
    """NORMSCOPE_PYTHON may be relative to the current folder."""
    if TORCH is None:
        raise Skip('PyTorch is not installed')
    os.mkdir(os.path.join(folder, 'bin'))
    warm = WARM['NORMSCOPE_PYTHON']
    script(folder, 'bin/python3', f'import os, sys; os.execv({warm!r}, [{warm!r}, *sys.argv[1:]])')
    env = {'NORMSCOPE_VERIFY': PROGRAM, 'NORMSCOPE_PYTHON': 'bin/python3'}
    assert verify_json(*SMALL, '--variant', 'pre', env=env, folder=folder)['pytorch']


def python_is_found(folder):
    """If the first python3 in PATH lacks torch, /usr/bin/python3 is used."""
    if TORCH != '/usr/bin/python3':
        raise Skip('PyTorch is not in /usr/bin/python3')
    script(folder, 'python3', 'raise SystemExit(1)')
    env = {'NORMSCOPE_VERIFY': PROGRAM, 'PATH': folder + os.pathsep + os.environ['PATH']}
    assert 'NORMSCOPE_PYTHON' not in os.environ
    assert verify_json(*SMALL, '--variant', 'pre', env=env)['pytorch']


def main():
    tap = Tap()
    for function in [passes, report_as_json, report_in_a_file, large_is_reduced, encoder_decoder, failure_is_reported,
                     overflow_is_no_pass, broken_program, missing_program, bad_usage, internal_program, interrupted,
                     exports_state_it, exports_refuse_to_state_it, planted_modules, planted_beside_script,
                     python_is_found]:
        tap.run(function)
    with tempfile.TemporaryDirectory(prefix='normscope-python-') as folder, contextlib.ExitStack() as stack:
        if TORCH is not None:
            WARM['NORMSCOPE_PYTHON'] = stack.enter_context(WarmPython(TORCH, folder)).program
        for function in [pytorch_agrees, pytorch_disagrees, pytorch_checks_maps, python_in_relative_folder]:
            tap.run(function)
    print(f'1..{tap.count}')
    sys.exit(1 if tap.failed else 0)


if __name__ == '__main__':
    main()
