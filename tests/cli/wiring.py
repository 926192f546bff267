#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""normscope-cli plot --figure wiring and --figure block: the variants it shows, its size, and the metadata of the file.

    wiring.py NORMSCOPE-CLI
"""

import json
import os
import struct
import subprocess
import sys
import xml.etree.ElementTree

from cli import CLI, TINY, Tap, cli, experiment, files_below, problem_of_refusal, same

NO_DISPLAY = {'DISPLAY': '', 'WAYLAND_DISPLAY': ''}


def write_experiment(folder):
    names = ['Mine', 'a < b', 'post']
    variants = [{'name': names[0]}, {'name': names[1], 'attn': {'norm': 'sandwich'}}, {'name': names[2]}]
    with open(os.path.join(folder, 'x.normscope'), 'w', encoding='utf-8') as file:
        file.write(experiment(variants=variants))


def wiring(folder, name, *args):
    done = cli('plot', '--figure', 'wiring', '-o', name, *args, folder=folder, env=NO_DISPLAY)
    same((done.returncode, done.stdout, done.stderr), (0, '', ''), f'{args}: ')
    with open(os.path.join(folder, name), 'rb') as file:
        return file.read()


def png_size(data):
    assert data.startswith(b'\x89PNG\r\n\x1a\n'), data[:20]
    return struct.unpack('>II', data[16:24])


def formats(folder):
    png = wiring(folder, 'x.png', *TINY)
    width, height = png_size(png)
    same(width, 1280)
    assert b'normscope:experiment' in png and b'"d_model": 8' in png, 'the experiment is not in the picture'
    assert b'Normscope ' in png, 'the program is not in the picture'
    assert wiring(folder, 'x.pdf', *TINY).startswith(b'%PDF')
    svg = wiring(folder, 'x.svg', *TINY)
    root = xml.etree.ElementTree.fromstring(svg)
    same(root.find('{http://www.w3.org/2000/svg}title').text, 'Wiring')
    assert b'normscope-experiment' in svg
    same(svg, wiring(folder, 'y.svg', *TINY), 'a second time: ')
    piped = subprocess.run([CLI, 'plot', '--figure', 'wiring', *TINY, '-o', '-', '--format', 'svg'],
                           capture_output=True, check=True)
    same(piped.stdout, svg, 'piped: ')


def picture_is_an_experiment(folder):
    wiring(folder, 'x.png', *TINY, '--variant', 'deepnorm', '--variant', 'pre')
    again = cli('run', 'x.png', '--format', 'json', folder=folder)
    same(again.returncode, 0, again.stderr)
    same([variant['name'] for variant in json.loads(again.stdout)['experiment']['variants']], ['DeepNorm', 'Pre-LN'])


def chosen_variants(folder):
    """All variants, one of the experiment's by name or number, a built-in one, several."""
    write_experiment(folder)

    def height(*args):
        return png_size(wiring(folder, 'x.png', 'x.normscope', '--no-titles', '--theme', 'light', *args))[1]

    every, first, second = height(), height('--variant', 'Mine'), height('--variant', 'a < b')
    assert every > 2.5 * first, (every, first)
    assert second < first, (second, first)  # its norms make it wider
    same(wiring(folder, 'x.png', 'x.normscope', '--variant', '1'), wiring(folder, 'y.png', 'x.normscope', '--variant',
                                                                          'a < b'), 'by its number: ')
    assert height('--variant', 'pre', '--variant', 'post') > 1.5 * first
    off = wiring(folder, 'x.svg', *TINY, '--variant', 'pre:attn.residual=false')
    assert off != wiring(folder, 'y.svg', *TINY, '--variant', 'pre'), 'a setting changes nothing'
    unknown = cli('plot', '--figure', 'wiring', '-o', 'z.png', 'x.normscope', '--variant', 'foo', folder=folder)
    problem = problem_of_refusal(unknown, 2, ['--variant', 'foo', '“Mine”'])
    assert 'z.png' not in files_below(folder)
    return problem


def names(folder):
    titled = png_size(wiring(folder, 'x.png', *TINY))[1]
    assert titled > png_size(wiring(folder, 'x.png', *TINY, '--no-titles'))[1]


def sizes(folder):
    same(png_size(wiring(folder, 'x.png', *TINY, '--width', '640', '--height', '200', '--scale', '2')), (1280, 400))
    width, height = png_size(wiring(folder, 'x.png', *TINY, '--width', '640'))
    default = png_size(wiring(folder, 'y.png', *TINY))
    same(width, 640)
    assert abs(height * 2 - default[1]) <= 2, (height, default)
    on_paper = png_size(wiring(folder, 'x.png', *TINY, '--width-cm', '10', '--height-cm', '5', '--dpi', '254'))
    assert on_paper == (1000, 500), on_paper


def themes(folder):
    pictures = [wiring(folder, 'x.png', *TINY, '--theme', theme)
                for theme in ['light', 'dark', 'high-contrast', 'high-contrast-dark']]
    pictures.append(wiring(folder, 'x.png', *TINY, '--transparent'))
    same(len(set(pictures)), 5)


def computes_nothing(folder):
    """A model that is too large to run still has a wiring figure."""
    same(png_size(wiring(folder, 'x.png', '--preset', 'gpt3-175b'))[0], 1280)
    same(png_size(wiring(folder, 'x.png', '--depth', '1000', '--d-model', '65536', '--heads', '64'))[0], 1280)


def refused(folder):
    for args, words in [(['--quantity', 'w_2'], ['--quantity', 'flow', 'wiring']),
                        (['--depths', '1..4'], ['--depths', 'scaling', 'wiring']),
                        (['--width', '1'], ['16'])]:
        done = cli('plot', '--figure', 'wiring', '-o', 'x.png', *TINY, *args, folder=folder)
        problem = problem_of_refusal(done, 2, words)
        if problem or files_below(folder):
            return problem or 'a file was written'
    return None


def measured(folder):
    """The block with its values: those of the run, of the chosen block; a block that does not exist is refused."""
    def block(name, *args):
        done = cli('plot', '--figure', 'block', '-o', name, *TINY, *args, folder=folder, env=NO_DISPLAY)
        same((done.returncode, done.stdout, done.stderr), (0, '', ''), f'{args}: ')
        with open(os.path.join(folder, name), 'rb') as file:
            return file.read()

    first = block('1.svg')
    same(xml.etree.ElementTree.fromstring(first).find('{http://www.w3.org/2000/svg}title').text, 'Block')
    same(block('x.svg', '--block', '1'), first, 'block 1 is the default: ')
    assert block('2.svg', '--block', '2') != first
    assert block('s.svg', '--seed', '5') != first, 'other weights, same values'
    for value in ['0', '3', 'two', '1e400']:
        done = cli('plot', '--figure', 'block', '-o', 'z.svg', *TINY, '--block', value, folder=folder)
        problem = problem_of_refusal(done, 2, ['--block', value, '1'])
        if problem:
            return problem
    assert 'z.svg' not in files_below(folder)
    done = cli('plot', '--block', '1', '-o', 'z.svg', *TINY, folder=folder)
    return problem_of_refusal(done, 2, ['--block', 'flow'])


def is_in_the_help(folder):
    text = cli('plot', '--help', folder=folder).stdout
    assert 'wiring' in text and '--block' in text, text


def main():
    tap = Tap()
    for function in [formats, picture_is_an_experiment, chosen_variants, names, sizes, themes, computes_nothing,
                     measured, refused, is_in_the_help]:
        tap.run(function)
    print(f'1..{tap.count}')
    sys.exit(1 if tap.failed else 0)


if __name__ == '__main__':
    main()
