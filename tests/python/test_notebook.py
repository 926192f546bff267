#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Execute docs/normscope.ipynb in a temporary folder: no cell may fail, and the outputs are those that are stored.

    test_notebook.py NORMSCOPE-CLI            compare
    test_notebook.py NORMSCOPE-CLI --write    store the outputs of this execution in the notebook
"""

import json
import os
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PACKAGE, NOTEBOOK = ROOT / 'src' / 'python', ROOT / 'docs' / 'normscope.ipynb'
sys.path[:0] = [str(ROOT / 'tests' / 'cli')]
sys.dont_write_bytecode = True

from cli import CLI, Tap, same  # noqa: E402

try:
    import ipykernel  # noqa: F401
    import nbclient
    import nbformat
    import numpy  # noqa: F401
    import torch  # noqa: F401
except ImportError as missing:
    if os.environ.get('CI') == 'true':
        print(f'not ok 1 the notebook can be executed\n1..1\n# {missing}')
        sys.exit(1)
    print(f'1..0 # SKIP {missing} (Debian: python3-nbclient python3-nbformat python3-ipykernel python3-torch)')
    sys.exit(0)

NUMBER = re.compile(r'-?\d+(?:\.\d+)?(?:e[-+]?\d+)?')
# Other kernels of BLAS round differently, and the last of three digits with them.
TOLERANCE = 0.02
MACHINE = re.compile(r'(?<![\w.])/(?:home|root|tmp|usr|work|var|opt|Users)/[^\s"\'<]*|C:\\')
# What the text says: the exponents of both variants, and numbers of a recording beside the simulated ones.
WANTED = [r'Pre-LN: L\^\(-0\.[3-7]\d ± 0\.\d+\)', r'Post-LN: L\^\(-?0\.[01]\d ± 0\.\d+\)',
          r'Pre-LN: [\d.]+ in block 1, [\d.]+ in block 24, a factor of \d', r'Post-LN +token_cos +24 +1 +1 ±',
          r'Pre-LN +w_2 +1 +[\d.]+ +[\d.]+ ±', 'Model, 24 blocks, 1 step']


def execute(notebook, folder):
    """Execute the notebook in a folder, with this Python, and return it."""
    spec = pathlib.Path(folder, 'kernels', 'python3')
    spec.mkdir(parents=True)
    argv = [sys.executable, '-B', '-m', 'ipykernel_launcher', '-f', '{connection_file}']
    (spec / 'kernel.json').write_text(json.dumps({'argv': argv, 'display_name': 'Python 3', 'language': 'python'}))
    work = pathlib.Path(folder, 'work')
    work.mkdir()
    os.environ.update(JUPYTER_PATH=str(folder), JUPYTER_RUNTIME_DIR=f'{folder}/runtime', IPYTHONDIR=f'{folder}/ipython',
                      JUPYTER_CONFIG_DIR=f'{folder}/config', HOME=str(folder), PYTHONPATH=str(PACKAGE),
                      NORMSCOPE_CLI=CLI, PYDEVD_DISABLE_FILE_VALIDATION='1')
    done = nbformat.from_dict(json.loads(json.dumps(notebook)))
    client = nbclient.NotebookClient(done, timeout=120, kernel_name='python3', allow_errors=True,
                                     resources={'metadata': {'path': str(work)}})
    client.execute()
    for cell in done.cells:
        cell.metadata.clear()  # the times of the execution
        if cell.cell_type == 'code':
            cell.outputs = join_streams([output for output in cell.outputs if not is_empty(output)])
    done.metadata = notebook.metadata
    return done


def join_streams(outputs):
    """Join the pieces in which a text has come."""
    joined = []
    for output in outputs:
        if joined and output.output_type == joined[-1].output_type == 'stream' and output.name == joined[-1].name:
            joined[-1].text += output.text
        else:
            joined.append(output)
    return joined


def is_empty(output):
    """A bar of progress, which is there only on a slow machine, ends as an empty text."""
    return output.get('output_type') == 'display_data' and output.get('data', {}).get('text/html') == ''


def errors_of(notebook):
    return [f'{cell.source.splitlines()[0]}: {output.get("ename")}: {output.get("evalue")}{output.get("text", "")}'
            for cell in code_of(notebook) for output in cell.outputs
            if output.output_type == 'error' or output.get('name') == 'stderr']


def code_of(notebook):
    return [cell for cell in notebook.cells if cell.cell_type == 'code']


def texts_of(cell):
    """Return the outputs of a cell that are words and numbers."""
    texts = [output.get('text') or output.get('data', {}).get('text/plain', '') for output in cell.outputs
             if 'image/svg+xml' not in output.get('data', {})]
    return re.sub(r'0x[0-9a-f]+', '0x', '\n'.join(texts))


def kinds_of(cell):
    return [sorted(output.get('data', {output.output_type: ''})) for output in cell.outputs]


def difference(got, wanted):
    """Return how two texts differ: in their words, or in a number by more than rounding."""
    if NUMBER.sub('', got).split() != NUMBER.sub('', wanted).split():
        return f'{got!r} instead of {wanted!r}'
    for mine, its in zip(NUMBER.findall(got), NUMBER.findall(wanted)):
        a, b = float(mine), float(its)
        digits = its.partition('e')[0].partition('.')[2]
        unit = 1.1 * 10 ** -len(digits) * (abs(b) < 1 or not digits)  # of the last digit
        if abs(a - b) > max(TOLERANCE * abs(b), unit) and not max(abs(a), abs(b)) < 1e-5:  # rounding
            return f'{a} instead of {b} in {got!r}'
    return None


STORED = nbformat.read(NOTEBOOK, as_version=4)


class Done:
    notebook = None


def no_cell_fails(folder):
    Done.notebook = execute(STORED, folder)
    same(os.listdir(f'{folder}/work'), [])
    return '; '.join(errors_of(Done.notebook))


def the_numbers_of_the_text_are_there(folder):
    text = '\n'.join(texts_of(cell) for cell in code_of(Done.notebook))
    missing = [pattern for pattern in WANTED if not re.search(pattern, text)]
    same(missing, [], f'{text}\n')
    pictures = [output for cell in code_of(Done.notebook) for output in cell.outputs
                if 'image/svg+xml' in output.get('data', {})]
    same(len(pictures), 3)


def the_outputs_are_those_that_are_stored(folder):
    for got, wanted in zip(code_of(Done.notebook), code_of(STORED)):
        problem = difference(texts_of(got), texts_of(wanted))
        same(kinds_of(got), kinds_of(wanted), f'{got.source}: ')
        if problem:
            return f'{problem}; write them again: tests/python/test_notebook.py NORMSCOPE-CLI --write'
    return None


def the_file_names_no_machine(folder):
    text = NOTEBOOK.read_text(encoding='utf-8')
    same(MACHINE.findall(text), [])
    assert len(text) < 2e6, f'{len(text)} bytes'
    same(sorted(STORED.metadata), ['kernelspec', 'language_info'])
    same([cell.metadata for cell in STORED.cells if cell.metadata], [])


def errors_are_seen(folder):
    """Planted errors: a cell that fails, other numbers, a path."""
    broken = nbformat.from_dict(json.loads(json.dumps(STORED)))
    broken.cells = [cell for cell in broken.cells if cell.cell_type == 'code'][:1]
    broken.cells[0].source = 'import normscope\nnormscope.run(dept=3)'
    found = errors_of(execute(broken, folder))
    assert len(found) == 1 and "did you mean 'depth'" in found[0], found
    assert difference('Pre-LN: 0.50 ± 0.03', 'Pre-LN: 0.58 ± 0.03') and difference('Post-LN: 0.5', 'Pre-LN: 0.5')
    assert not difference('Pre-LN: 0.503', 'Pre-LN: 0.501')
    assert MACHINE.search('File "/ho' + 'me/me/x.py"') and not MACHINE.search('src/home/x.py')


def write():
    import tempfile
    with tempfile.TemporaryDirectory(prefix='normscope-notebook-') as folder:
        done = execute(STORED, folder)
    if errors_of(done):
        print('\n'.join(errors_of(done)), file=sys.stderr)
        return 1
    nbformat.validate(done)
    NOTEBOOK.write_text(json.dumps(done, indent=1, sort_keys=True, ensure_ascii=False) + '\n', encoding='utf-8')
    return 0


def main():
    if sys.argv[2:] == ['--write']:
        return write()
    tap = Tap()
    for test in [no_cell_fails, the_numbers_of_the_text_are_there, the_outputs_are_those_that_are_stored,
                 the_file_names_no_machine, errors_are_seen]:
        tap.run(test)
    print(f'1..{tap.count}')
    return tap.failed > 0


sys.exit(main())
