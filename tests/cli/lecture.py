#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""normscope-cli lecture: the report, measured answers, pictures, the hand-out, and what is refused.

    lecture.py NORMSCOPE-CLI LECTURE
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

from cli import Skip, Tap, cli, files_below, problem_of_refusal, run_json, same
from hostile import refused

LECTURE = os.path.abspath(sys.argv[2])
NAMES = ['01-two-curves', '02-how-many-times-larger', '03-draw-it', '04-which-law', '05-wiring',
         '06-from-block-to-block']


def tree():
    with open(LECTURE, encoding='utf-8') as file:
        return json.load(file)


def write(folder, lecture, name='l.normscope-lecture'):
    with open(os.path.join(folder, name), 'w', encoding='utf-8') as file:
        json.dump(lecture, file)
    return name


def report(folder):
    done = cli('lecture', LECTURE, '--check')
    same((done.returncode, done.stderr), (0, ''))
    for words in ['3: rises', '1: With an exponent', '6 steps are valid', 'Two curves']:
        assert words in done.stdout, done.stdout
    same(cli('lecture', LECTURE).stdout, done.stdout, 'without options: ')
    with open(LECTURE, encoding='utf-8') as file:
        same(cli('lecture', '-', stdin=file.read()).stdout, done.stdout, 'from standard input: ')


def number_is_that_of_run(folder):
    """The ratio of the second step, from the numbers of the command run."""
    step = tree()['steps'][1]
    path = os.path.join(folder, 'e.normscope')
    with open(path, 'w', encoding='utf-8') as file:
        json.dump({'format': 'normscope-experiment', **step['experiment']}, file)
    done = cli('run', path, '--per-seed', '--format', 'csv')
    same(done.returncode, 0, done.stderr)
    rows = [line.split(',') for line in done.stdout.splitlines() if line and not line.startswith('#')]
    at = {name: i for i, name in enumerate(rows[0])}
    values = {}
    for row in rows[1:]:
        if row[at['variant']] == 'Pre-LN' and row[at['quantity']] == 'rms_x':
            values[row[at['layer']], row[at['seed']]] = float(row[at['value']])
    seeds = sorted({seed for _, seed in values})
    ratio = 1
    for seed in seeds:
        ratio *= values['6', seed] / values['0', seed]
    ratio **= 1 / len(seeds)
    assert f'answer: {ratio:.3g}' in cli('lecture', LECTURE).stdout, ratio


def figures(folder):
    for extension in ['svg', 'png', 'pdf']:
        done = cli('lecture', LECTURE, '--figures', 'f', '--format', extension, folder=folder)
        same((done.returncode, done.stdout, done.stderr), (0, '', ''))
        # A second run replaces the pictures of the first one.
        same(files_below(os.path.join(folder, 'f')), [f'{name}.{extension}' for name in NAMES])
    same(cli('lecture', LECTURE, '--figures', 'f', folder=folder).returncode, 0)
    for name in NAMES:
        path = os.path.join(folder, 'f', f'{name}.svg')
        xml.etree.ElementTree.parse(path)
        # A picture contains its step's experiment.
        assert 'variants' in run_json(path)
    same(os.listdir(folder), ['f'])


def handout(folder):
    for paper, size in [('a4', '595.276 x 841.89'), ('letter', '612 x 792')]:
        done = cli('lecture', LECTURE, '--handout', 'h.pdf', '--paper', paper, folder=folder)
        same((done.returncode, done.stdout, done.stderr), (0, '', ''))
        if not shutil.which('pdftotext'):
            raise Skip('pdftotext is not installed')
        path = os.path.join(folder, 'h.pdf')
        text = subprocess.run(['pdftotext', '-layout', path, '-'], capture_output=True, text=True, check=True).stdout
        info = subprocess.run(['pdfinfo', path], capture_output=True, text=True, check=True).stdout
        assert size in info, info
        for words in ['1. Two curves', '5. Wiring', 'With an exponent', 'Everything that a lecture can hold · 1']:
            assert words in text, f'{words!r} is not in {text}'
        # Questions first; the answers are on the last page only.
        *pages, last = text.rstrip('\f').split('\f')
        assert 'Answers' in last and '3: rises' in last, last
        assert not any('Answers' in page for page in pages), pages


HTML = '{http://www.w3.org/1999/xhtml}'
SVG = '{http://www.w3.org/2000/svg}'
MATHML = '{http://www.w3.org/1998/Math/MathML}'
XLINK = '{http://www.w3.org/1999/xlink}'


def words_of(element):
    return ' '.join(''.join(element.itertext()).split())


def html(folder):
    """One well-formed file: the texts of all steps, their figures within it, formulas as MathML, the answers last."""
    done = cli('lecture', LECTURE, '--handout', 'h.html', folder=folder)
    same((done.returncode, done.stdout, done.stderr), (0, '', ''))
    page = xml.etree.ElementTree.parse(os.path.join(folder, 'h.html')).getroot()
    same((page.tag, page.get('lang')), (HTML + 'html', 'en'))
    same(words_of(page.find(f'.//{HTML}h1')), 'Everything that a lecture can hold')
    *steps, answers = page.findall(f'.//{HTML}section')
    titles = [f'{i + 1}. {step["title"]}' for i, step in enumerate(tree()['steps'])]
    same([words_of(step.find(f'{HTML}h2')) for step in steps], titles)
    same([len(step.findall(f'{HTML}figure/{SVG}svg')) for step in steps], [1] * len(titles))
    same(len(page.findall(f'.//{MATHML}math')) > 0, True)
    assert words_of(answers).startswith('Answers') and '3: rises' in words_of(answers), words_of(answers)
    assert not any('Answers' in words_of(step) for step in steps)
    # Each figure has the experiment of its step, and uses no part of another one.
    ids = [element.get('id') for element in page.iter() if element.get('id')]
    same(len(ids), len(set(ids)))
    for figure in page.iter(SVG + 'svg'):
        own = {element.get('id') for element in figure.iter()}
        used = {element.get(XLINK + 'href')[1:] for element in figure.iter(SVG + 'use')}
        assert used and used <= own, used - own
        assert 'normscope-experiment' in words_of(figure.find(SVG + 'metadata'))
    # Nothing is loaded from elsewhere.
    for element in page.iter():
        for name, value in element.attrib.items():
            if name.endswith(('href', 'src')):
                assert value.startswith(('#', 'data:')), (element.tag, name, value[:60])


def same_bytes(folder):
    for extension in ['pdf', 'html']:
        names = [f'{name}.{extension}' for name in 'ab']
        for name in names:
            same(cli('lecture', LECTURE, '--handout', name, folder=folder).returncode, 0)
        first, second = (open(os.path.join(folder, name), 'rb').read() for name in names)
        assert first == second, f'two hand-outs differ: {extension}'


def wrong_questions(folder):
    """Every wrong question is reported with its step, and nothing is written."""
    lecture = tree()
    lecture['steps'][0]['question']['choices'][0]['test']['is'] = 'rises'
    lecture['steps'][3]['question']['choices'].pop()
    lecture['steps'][3]['question']['choices'].append({'text': 'x', 'test': {'kind': 'wiring', 'is': 'none'}})
    lecture['steps'][3]['question']['choices'][0]['test']['tests'][0]['min'] = 0.89
    name = write(folder, lecture)
    done = cli('lecture', name, '--figures', 'f', '--handout', 'h.pdf', folder=folder)
    same((done.returncode, done.stdout), (2, ''))
    lines = done.stderr.splitlines()
    same(len(lines), 2, done.stderr)
    assert 'step 1, “Two curves”' in lines[0] and 'more than one choice is right: 1: falls; 3: rises' in lines[0], lines
    assert 'step 4, “Which law?”' in lines[1] and 'no choice is right' in lines[1], lines
    same(os.listdir(folder), [name])


def shipped(folder):
    """A lecture that comes with the program, in two languages: the same answers in other words."""
    answers = []
    for language, title in [('en', 'Encoder and decoder'), ('de', 'Encoder und Decoder')]:
        done = cli('lecture', 'encoder-decoder', '--check', '--language', language, folder=folder)
        same(done.returncode, 0, done.stderr)
        lines = done.stdout.splitlines()
        same(lines[0], title)
        answers.append([line.split('answer: ')[1][:1] for line in lines if ' choice ' in line])
    same(len(answers[0]), 3)
    same(answers[0], answers[1])


def bad_lectures(folder):
    lecture = tree()
    lecture['steps'][2]['experiment']['shape']['heads'] = 5
    name = write(folder, lecture)
    problem = refused(['lecture', name, '--figures', 'f'], 2, [name, 'steps[2].experiment: shape.heads: 5'], folder)
    assert not problem, problem
    write(folder, {'format': 'normscope-experiment'}, 'e')
    for args, words in [
            (['lecture'], ['the lecture is missing', 'cut-the-wires']),
            (['lecture', './missing'], ['missing', 'No such file']),
            (['lecture', 'cut-the-wire'], ['no lecture “cut-the-wire”', 'Did you mean “cut-the-wires”?']),
            (['lecture', '.'], ['it is a folder']),
            (['lecture', '/dev/null'], ['it is a device']),
            (['lecture', 'e'], ['e: format', '"normscope-lecture"']),
            (['lecture', name, '--format', 'svg'], ['--format', '--figures']),
            (['lecture', name, '--paper', 'a4'], ['--paper', '--handout']),
            (['lecture', LECTURE, '--figures', 'f', '--format', 'gif'], ['gif', 'png, svg']),
            (['lecture', LECTURE, '--handout', 'h.pdf', '--paper', 'a5'], ['a5', 'a4']),
            (['lecture', LECTURE, '--handout', 'h.html', '--paper', 'a4'], ['--paper', 'PDF', 'h.html']),
            (['lecture', LECTURE, '--figures', 'f', '--width', '1'], ['1 × 720', 'at least 16']),
            (['lecture', name, name], ['l.normscope-lecture'])]:
        problem = refused(args, 2, words, folder)
        assert not problem, problem


def huge_lecture(folder):
    """A file beyond the limit is refused unread."""
    path = os.path.join(folder, 'huge.normscope-lecture')
    with open(path, 'wb') as file:
        file.truncate(41 << 20)
    problem = refused(['lecture', 'huge.normscope-lecture'], 2, ['too large', '40 MiB for a lecture'], folder,
                      max_mib=60)
    assert not problem, problem


def other_files_stay(folder):
    os.mkdir(os.path.join(folder, 'mine'))
    write(folder, {}, 'mine/note.txt')
    problem = refused(['lecture', LECTURE, '--figures', 'mine'], 1, ['not pictures of a lecture'], folder)
    assert not problem, problem
    os.rename(os.path.join(folder, 'mine', 'note.txt'), os.path.join(folder, 'mine', '01-a.svg'))
    same(cli('lecture', LECTURE, '--figures', 'mine', folder=folder).returncode, 0)
    same(len(os.listdir(os.path.join(folder, 'mine'))), len(NAMES))


def full_disk(folder):
    if not os.path.exists('/dev/full'):
        raise Skip('there is no /dev/full')
    done = cli('lecture', LECTURE, '--handout', '/dev/full')
    problem = problem_of_refusal(done, 1, ['/dev/full'])
    assert not problem, problem


def main():
    tap = Tap()
    for function in [report, number_is_that_of_run, figures, handout, html, same_bytes, wrong_questions, shipped,
                     bad_lectures, huge_lecture, other_files_stay, full_disk]:
        tap.run(function)
    print(f'1..{tap.count}')
    sys.exit(1 if tap.failed else 0)


if __name__ == '__main__':
    main()
