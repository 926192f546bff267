#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Pictures for print, plot --for column and columns: no sentences, no text that is cut or below 6 pt, editable text,
and the words in a file beside the picture.

    paper.py NORMSCOPE-CLI
"""

import os
import re
import sys
import xml.etree.ElementTree

from cli import TINY, Tap, cli, files_below, problem_of_refusal, same

SVG = '{http://www.w3.org/2000/svg}'
TRAINING = ['--source', 'tokens', '--steps', '4']
FIGURES = {
    'flow': ['--depth', '24'], 'scaling': ['--depths', '2,3,4,6'], 'depths': ['--depths', '3,6'], 'wiring': [],
    'block': [], 'contributions': [], 'identity-path': [], 'gain': [], 'similarity': [], 'lengths': [],
    'skip-branch': [], 'update': [],
    'experts': ['-V', 'pre:experts=4,name=MoE'], 'training': TRAINING, 'training-profile': TRAINING,
    'training-map': TRAINING, 'sensitivity': [*TRAINING, '--learning-rates', '1e-3,1e-2', '--points', '1,2'],
    'coordinate-check': [*TRAINING, '--widths', '4,8'],
}


def plot(folder, *args):
    return cli('plot', *TINY, *args, folder=folder, env={'DISPLAY': '', 'WAYLAND_DISPLAY': ''})


def draw(folder, *args):
    done = plot(folder, *args)
    same((done.returncode, done.stdout, done.stderr), (0, '', ''), f'{args}: ')


def read_texts(path):
    """Return (text, size in pt) of the runs of an SVG with editable text, and its description."""
    root = xml.etree.ElementTree.parse(path).getroot()
    texts = []
    for text in root.iter(f'{SVG}text'):
        xx, yx = map(float, re.match(r'matrix\(([-\d.]+) ([-\d.]+) ', text.get('transform')).groups())
        texts += [(run.text, 0.75 * float(run.get('font-size')) * (xx**2 + yx**2)**0.5)
                  for run in text.iter(f'{SVG}tspan')]
    return texts, root.find(f'{SVG}desc'), root


def every_figure(folder):
    """Of every figure: whole and large enough, or a refusal whose size has room."""
    listed = cli('plot', '--help').stdout.split('--figure WORD')[1].split('--depths')[0]
    same([name for name in FIGURES if f'{name}:' not in listed], [])
    same(len(re.findall(r'(?:^|; |\): )([a-z-]+): ', re.sub(r'\s+', ' ', listed))), len(FIGURES), 'figures: ')
    for figure, more in FIGURES.items():
        for purpose in ['column', 'columns']:
            args = ['--figure', figure, '--for', purpose, '--text', 'editable', '--caption', '-o', 'x.svg', *more]
            done = plot(folder, *args)
            if done.returncode != 0:
                same((figure, purpose), ('block', 'column'), f'{done.stderr}: ')
                size = re.search(r'allowed: ([\d.]+) × ([\d.]+) cm', done.stderr)
                assert size, done.stderr
                same(files_below(folder), [])
                done = plot(folder, *args, '--width-cm', size[1], '--height-cm', size[2])
            same((done.returncode, done.stderr), (0, ''), f'{figure} for {purpose}: ')
            texts, description, root = read_texts(os.path.join(folder, 'x.svg'))
            glyphs = [use for use in root.iter(f'{SVG}use') if 'glyph' in str(use.attrib)]
            assert len(texts) > 3 and not glyphs, f'{figure}: {texts}'
            small = [(text, size) for text, size in texts if size < 5.98 or '…' in text]
            same(small, [], f'{figure} for {purpose}: ')
            with open(os.path.join(folder, 'x.txt'), encoding='utf-8') as file:
                words = file.read()
            if figure != 'wiring':
                same(words, description.text + '\n', f'{figure}: ')
                lines = words.splitlines()
                assert len(lines) > (0 if figure == 'block' else 2), words
                drawn = ' '.join(text for text, _ in texts)
                same([line for line in lines if line in drawn or (' · ' in line and line.split(': ')[-1] in drawn)], [],
                     f'{figure}, words in the picture: ')
            for name in ['x.svg', 'x.txt']:
                os.remove(os.path.join(folder, name))


def same_place(folder):
    """Editable text is where its outlines are: everything else of the picture is the same."""
    draw(folder, '--for', 'column', '-o', 'outlines.svg')
    draw(folder, '--for', 'column', '-o', 'text.svg', '--text', 'editable')

    def paths(name):
        root = xml.etree.ElementTree.parse(os.path.join(folder, name)).getroot()
        in_glyphs = {id(path) for defs in root.iter(f'{SVG}defs') for path in defs.iter(f'{SVG}path')}
        return [path.get('d') for path in root.iter(f'{SVG}path') if id(path) not in in_glyphs]

    assert len(paths('text.svg')) > 10
    same(paths('text.svg'), paths('outlines.svg'))


def fewer_markers(folder):
    """In print there are at least ten radii between the circles of a curve."""
    counts = {}
    for name, args in {'screen': [], 'column': ['--for', 'column']}.items():
        draw(folder, '--depth', '30', '-V', 'pre', '-o', 'x.svg', *args)
        root = xml.etree.ElementTree.parse(os.path.join(folder, 'x.svg')).getroot()
        circles = [path.get('d') for path in root.iter(f'{SVG}path') if ' C ' in path.get('d')
                   and 'fill:rgb(0%,44' in path.get('fill', '') + path.get('style', '')]
        counts[name] = sum(len(re.findall(r'M [\d.]+ [\d.]+ C', d)) for d in circles)
    same(counts['screen'], 30)
    assert 4 <= counts['column'] <= 10, counts


def subject(folder):
    """A PDF has the words as its subject."""
    draw(folder, '--for', 'column', '-o', 'x.pdf', '--caption')
    with open(os.path.join(folder, 'x.pdf'), 'rb') as file:
        found = re.search(rb'/Subject (\(.*?[^\\]\)|<[0-9A-F]+>)', file.read(), re.DOTALL)
    assert found, 'no subject'
    hexadecimal = found[1].startswith(b'<')
    text = bytes.fromhex(found[1][1:-1].decode()).decode('utf-16') if hexadecimal else found[1][1:-1].decode('latin-1')
    with open(os.path.join(folder, 'x.txt'), encoding='utf-8') as file:
        same(file.read(), text + '\n')
    assert 'Pre-LN: ' in text and 'seeds' in text, text


def refused(folder):
    long = 'a long name that no reader of a paper would ever want to see in a legend'
    for args, status, words in [
            (['--for', 'column', '-V', f'pre:name={long}', '-o', 'z.svg'], 2, [long, '8.5 × 9.0 cm', 'allowed: ']),
            (['--for', 'column', '--width-cm', '2', '-o', 'z.pdf'], 2, ['2.0 × 9.0 cm', 'allowed: ']),
            (['--for', 'column', '--text-scale', '0.5', '-o', 'z.png'], 2, ['pt', 'at least 6 pt']),
            (['--for', 'slide', '--width-cm', '20', '-o', 'z.png'], 2, ['--for', '--width-cm']),
            (['--for', 'column', '--width', '200', '-o', 'z.png'], 2, ['--for', '--width-cm']),
            (['--text', 'editable', '-o', 'z.pdf'], 2, ['--text editable', 'SVG']),
            (['--text', 'x', '-o', 'z.svg'], 2, ['--text', '“x”', 'outlines, editable']),
            (['--caption', '-o', '-', '--format', 'svg'], 2, ['--caption', '-o -'])]:
        problem = problem_of_refusal(plot(folder, *args), status, words)
        if problem:
            return problem
    same(files_below(folder), [])


def main():
    tap = Tap()
    for function in [every_figure, same_place, fewer_markers, subject, refused]:
        tap.run(function)
    print(f'1..{tap.count}')
    sys.exit(1 if tap.failed else 0)


if __name__ == '__main__':
    main()
