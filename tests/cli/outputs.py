#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Everything that normscope-cli writes, read by other programs' parsers: with hostile names and texts, and with a
decimal comma in the locale.

    outputs.py NORMSCOPE-CLI
"""

import ast
import csv
import io
import json
import math
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET
import zlib

from cli import FORMAT, Skip, Tap, cli, same

SHAPE = {'depth': 2, 'd_model': 8, 'heads': 2, 'd_ff': 16, 'seq_len': 4, 'vocab': 256}
# Names that must work, in every file and on the terminal.
NAMES = ['=1+1', '+1', '-1', '@SUM(A1)', '＝1', "'=1", " '-x", 'a,=HYPERLINK("http://x")', 'a;=1', 'quo"te\'s',
         '<b>&amp;]]>--></svg>', '""" + exit(7) + """', "\\N{DASH} ''' \\", 'שלום \u200fעולם', '👩‍🚀 é\u0301 %s#',
         'سلام/../x' * 111]
# Names that cannot work: controls, separators, bidirectional controls, noncharacters.
BAD_NAMES = ['a\nb', '\x1b[2J', 'a\tb', '\x7f', '\x9b0m', 'a\u2028b', 'a\u202eb', '\u2066x\u2069', '\u202ax', '\uffff',
             '\ufdd0', '\U0001fffe', '', 'é' * 2049]
BIDI = '\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069'
# A text may contain anything but a zero byte.
TEXT = ('a\x1b[2J\u202e\u2066\n,=1+1 ;=2\t"""\'\'\' </svg>]]>\ufffe\uffff\U0001ffff\x9b\u2028\x7f' +
        '\\N{DASH} # \r\n-é👩‍🚀') * 4
# Characters that no output may contain as they are.
RAW = re.compile('[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\ufdd0-\ufdef\ufffe\uffff\U0001fffe\U0001ffff' +
                 BIDI + ']')
PRINTED = {'table': ['run'], 'scaling': ['scaling', '--depths', '1,2,4'], 'link': ['link'], 'help': ['run', '--help'],
           'expand': ['link', '--expand'], 'run json': ['run', '--format', 'json'],
           'csv': ['run', '--format', 'csv', '--provenance'], 'paths': ['paths', '--of', 'lengths'],
           'train': ['train', '--steps', '3'], 'train csv': ['train', '--steps', '3', '--format', 'csv'],
           'paths csv': ['paths', '--of', 'gain', '--format', 'csv'],
           'models': ['presets', '--models', '--format', 'csv']}
WRITTEN = [('run', 'r.json'), ('run', 'r.csv'), ('run', 'r.npy'), ('run', 'r.txt'), ('run', 's.json', '--per-seed'),
           ('run', 's.csv', '--per-seed'), ('run', 'm.csv', '--batches', '2'), ('paths', 'q.csv', '--of', 'gain'),
           ('paths', 'q.json', '--of', 'contributions'), ('paths', 'q.txt', '--of', 'similarity'),
           ('train', 't.csv', '--steps', '3'), ('train', 't.json', '--steps', '3'), ('train', 't.npy', '--steps', '3'),
           ('train', 't.txt', '--steps', '3'), ('plot', 'f.png'), ('plot', 'f.svg'),
           ('plot', 'f.pdf'), ('plot', 'w.svg', '--figure', 'wiring'), ('plot', 'w.pdf', '--figure', 'wiring'),
           ('plot', 'l.svg', '--figure', 'scaling', '--depths', '1,2,4'), ('scaling', 'l.json', '--depths', '1,2,4'),
           ('plot', 'l.pdf', '--figure', 'scaling', '--depths', '1,2,4'), ('scaling', 'l.csv', '--depths', '1,2,4'),
           ('scaling', 'l.txt', '--depths', '1,2,4'), ('presets', 'p.csv', '--models', '--format', 'csv'),
           ('presets', 'p.json', '--models', '--format', 'json'), ('link', 'x.link'),
           ('link', 'x.normscope', '--expand')]


def experiment(names, text=None, **shape):
    data = {'source': 'text', 'text': text} if text is not None else {'source': 'tokens'}
    norms = ['pre', 'post', 'sandwich', 'none']
    variants = [{'name': name, 'attn': {'norm': norms[i % 4]}, 'ffn': {'norm': norms[i % 4]}}
                for i, name in enumerate(names)]
    return {**FORMAT, 'shape': {**SHAPE, **shape}, 'data': data, 'sampling': {'seeds': 2}, 'variants': variants}


def write_experiment(folder, tree, name='e.normscope'):
    with open(os.path.join(folder, name), 'w', encoding='utf-8') as file:
        json.dump(tree, file)


def good(*args, folder, env=None):
    done = cli(*args, folder=folder, env=env)
    assert done.returncode == 0, f'{args}: {done.returncode} {done.stderr[:600]}'
    raw = RAW.search(done.stderr + done.stdout)
    assert not raw, f'{args}: prints {raw.group()!r}'
    return done.stdout


def write_all(folder, env=None):
    """Write every kind of file from e.normscope; return the names below the folder `out`."""
    os.mkdir(os.path.join(folder, 'out'))
    for command, name, *more in WRITTEN:
        source = [] if command == 'presets' else ['e.normscope']
        good(command, *source, *more, '-o', os.path.join('out', name), folder=folder, env=env)
    good('dump', 'e.normscope', '--variant', '0', '--out', 'out/dump', folder=folder, env=env)
    good('script', 'e.normscope', '--variant', '1', '--out', 'out/script', folder=folder, env=env)
    return sorted(os.path.relpath(os.path.join(path, name), os.path.join(folder, 'out'))
                  for path, _, names in os.walk(os.path.join(folder, 'out')) for name in names)


# ---- independent parsers: each returns the experiment in the file, or None ----

def strict_json(text):
    def refuse(word):
        raise ValueError(word)
    return json.loads(text, parse_constant=refuse)


def check_text(data):
    text = data.decode('utf-8')
    raw = RAW.search(text)
    assert not raw, f'contains {raw.group()!r} at {raw.start()}'
    return text


def read_json(path, data):
    tree = strict_json(check_text(data))
    if isinstance(tree, list):  # the models
        return None
    return tree if tree['format'] == FORMAT['format'] else tree['experiment']


def read_csv(path, data):
    text = check_text(data)
    comments = [line for line in text.split('\n') if line.startswith('# ')]
    rows = list(csv.reader(io.StringIO(''.join(line + '\n' for line in text.split('\n')[:-1] if line[:2] != '# ')),
                           strict=True))
    width = len(rows[0])
    assert all(len(row) == width for row in rows) and len(rows) > 1, 'rows of different lengths'
    for column in {'mean', 'std', 'value', 'log10', 'layer'} & set(rows[0]):
        for row in rows[1:]:
            float(row[rows[0].index(column)] or 'nan')
    found = [json.loads(line.split(': ', 1)[1]) for line in comments if line.startswith('# experiment: ')]
    return found[0] if found else None


def read_svg(path, data):
    check_text(data)
    root = ET.fromstring(data)
    same(root.tag, '{http://www.w3.org/2000/svg}svg')
    if shutil.which('xmllint'):
        subprocess.run(['xmllint', '--noout', path], check=True, capture_output=True)
    ids = [element.get('id') for element in root.iter() if element.get('id')]
    same(len(ids), len(set(ids)), 'ids that occur twice: ')
    for element in root.iter():
        for link in [element.get('href'), element.get('{http://www.w3.org/1999/xlink}href')]:
            assert link is None or link[1:] in ids or link.startswith('data:'), f'{link} leads nowhere'
    return json.loads(root.find('.//{https://normscope.org/ns}experiment').text)


def read_pdf(path, data):
    if not shutil.which('pdfinfo'):
        raise Skip('pdfinfo is not installed (poppler-utils)')
    info = subprocess.run(['pdfinfo', '-enc', 'UTF-8', path], check=True, capture_output=True)
    text = subprocess.run(['pdftotext', path, '-'], check=True, capture_output=True)
    same(info.stderr + text.stderr, b'', 'complaints about the PDF: ')
    fields = re.search(r'^Keywords:(.*)^Creator:.*^Pages: +1$', info.stdout.decode(), re.S | re.M)
    if shutil.which('qpdf'):
        subprocess.run(['qpdf', '--check', path], check=True, capture_output=True)
    return json.loads(fields.group(1))


def read_png(path, data):
    same(data[:8], b'\x89PNG\r\n\x1a\n')
    at, found, pixels, kinds = 8, None, b'', []
    while at < len(data):
        length, kind = struct.unpack('>I4s', data[at:at + 8])
        body = data[at + 8:at + 8 + length]
        same(struct.unpack('>I', data[at + 8 + length:at + 12 + length])[0], zlib.crc32(kind + body), 'checksum: ')
        kinds.append(kind)
        if kind == b'IHDR':
            width, height, depth, colours = struct.unpack('>IIBB', body[:10])
        elif kind == b'IDAT':
            pixels += body
        elif kind == b'iTXt':
            keyword, rest = body.split(b'\0', 1)
            text = check_text(rest[2:].split(b'\0', 2)[2])
            found = json.loads(text) if keyword == b'normscope:experiment' else found
        at += 12 + length
    same((kinds[0], kinds[-1], depth), (b'IHDR', b'IEND', 8))
    same(len(zlib.decompress(pixels)), height * (1 + width * {2: 3, 6: 4}[colours]), 'bytes of pixels: ')
    return found


def read_npy(path, data):
    try:
        import numpy  # pylint: disable=import-outside-toplevel
    except ImportError:
        header = ast.literal_eval(data[10:10 + struct.unpack('<H', data[8:10])[0]].decode())
        same((data[:8], header['fortran_order']), (b'\x93NUMPY\1\0', False))
        return None
    array = numpy.load(path, allow_pickle=False)
    assert array.size > 0 and (array.dtype.names or numpy.isfinite(array).all()), 'no finite numbers'
    return None


def read_script(path, data):
    tree = ast.parse(check_text(data))
    found = [node.value.args[0].value for node in ast.walk(tree) if isinstance(node, ast.Assign)
             and getattr(node.targets[0], 'id', '') == 'EXPERIMENT']
    calls = {node.func.id for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)}
    assert 'exit' not in calls, 'a name became code'
    return strict_json(found[0])


def read_text(path, data):
    check_text(data)


READERS = {'json': read_json, 'normscope': read_json, 'csv': read_csv, 'svg': read_svg, 'pdf': read_pdf,
           'png': read_png, 'npy': read_npy, 'py': read_script, 'txt': read_text, 'link': read_text}


def check_files(folder, names, variants, text):
    """Read each file by its parser; the experiment in it has the variants' names and the text."""
    for name in names:
        path = os.path.join(folder, 'out', name)
        with open(path, 'rb') as file:
            data = file.read()
        try:
            found = READERS[name.rsplit('.', 1)[1]](path, data)
            if found is None:
                continue
            wanted = [variants['script' in name]] if '/' in name else variants
            same([variant['name'] for variant in found['variants']], wanted, 'names: ')
            same(found['data']['text'], text, 'text: ')
        except (AssertionError, ValueError, KeyError, SyntaxError, ET.ParseError, subprocess.SubprocessError) as error:
            return f'{name}: {type(error).__name__}: {error}'
    return None


# ---- hostile names and texts ----

def names_in_every_output(folder):
    write_experiment(folder, experiment(NAMES))
    for args in PRINTED.values():
        source = ['e.normscope'] if args[0] not in ('presets',) and '--help' not in args else []
        good(*args, *source, folder=folder)
    return check_files(folder, write_all(folder), NAMES, None)


def text_in_every_output(folder):
    write_experiment(folder, experiment(['Pre', 'Post'], TEXT))
    for args in PRINTED.values():
        source = ['e.normscope'] if args[0] not in ('presets',) and '--help' not in args else []
        good(*args, *source, folder=folder)
    problem = check_files(folder, write_all(folder), ['Pre', 'Post'], TEXT)
    link = good('link', 'e.normscope', folder=folder).strip()
    for source in ['out/f.png', 'out/f.svg', 'out/r.json', link]:
        if source != 'out/r.json':
            same(strict_json(good('link', '--expand', source, folder=folder))['data']['text'], TEXT, source + ': ')
    return problem


def bad_names_are_refused(folder):
    for name in BAD_NAMES:
        write_experiment(folder, experiment([name]))
        for args in [['run', 'e.normscope'], ['plot', 'e.normscope', '-o', 'x.svg'], ['run', '--name', name],
                     ['run', '--variant', f'post:name={name}']]:
            done = cli(*args, folder=folder)
            if done.returncode != 2 or 'name' not in done.stderr or 'control characters' not in done.stderr:
                return f'{args}, {name!r}: {done.returncode} {done.stderr[:300]}'
            if RAW.search(done.stderr) or done.stderr.count('\n') != 1 or done.stdout:
                return f'{args}: prints {done.stderr!r}'
    same(os.listdir(folder), ['e.normscope'])


def messages_are_printable(folder):
    """Names of files, options and keys reach the terminal without control characters."""
    hostile = 'x\x1b[2J\u202e\x9b'
    write_experiment(folder, {**FORMAT, hostile: 1}, 'key.json')
    write_experiment(folder, {**FORMAT, 'loss': hostile}, 'value.json')
    write_experiment(folder, {'model_type': hostile}, 'model.json')
    write_experiment(folder, {**FORMAT, 'version': 2}, hostile + '.json')
    os.mkdir(os.path.join(folder, 'claims'))
    with open(os.path.join(folder, 'claims', hostile + '.claim'), 'w', encoding='utf-8') as file:
        file.write(f'[Claim]\nTitle={hostile}\nStatement=x\nSource=x\n')
    for args in [['run', 'key.json'], ['run', 'value.json'], ['run', 'model.json'], ['run', hostile + '.json'],
                 ['run', hostile], [hostile], ['run', '--' + hostile], ['run', '--loss', hostile], ['presets', hostile],
                 ['run', '-o', hostile + '/x'], ['run', '-o', 'x.' + hostile], ['run', '--threads', hostile],
                 ['run', '--preset', hostile], ['run', '--variant', hostile], ['run', '--variant', 'pre:x=' + hostile],
                 ['scaling', '--metric', hostile], ['scaling', '--depths', hostile], ['scaling', '--expect', hostile],
                 ['scaling', '--depths', '1,2', '--seeds', '1', '--claims-folder', 'claims'], ['run', 'a', hostile]]:
        done = cli(*args, folder=folder)
        if RAW.search(done.stderr + done.stdout):
            return f'{args}: prints {done.stderr!r}'
        if done.returncode == 0 and 'claims' not in args or 'x' not in done.stderr:
            return f'{args}: {done.returncode} {done.stderr}'
    return None


def presets_are_printable(folder):
    """A user's presets: names of files with controls are refused; descriptions are shown without."""
    own = os.path.join(folder, 'normscope', 'presets')
    os.makedirs(own)
    for name in ['mine', 'x\x1b[2J', 'y\u202e', '=1']:
        write_experiment(own, experiment(['A']), name + '.normscope')
    with open(os.path.join(own, 'presets.ini'), 'w', encoding='utf-8') as file:
        for name in ['mine', '=1']:
            file.write(f'[{name}]\nTitle=T\x1b[2J\u202e{name}\nDescription=D\x9b\u2066\nGroup=G\x7f\n'
                       f'Source=S\x1b\nNotes=N\x1b\nVariant=post\n')
    env = {'XDG_DATA_HOME': folder}
    for args in [['presets'], ['presets', 'mine'], ['presets', 'mine', '--about'], ['presets', '--models'],
                 ['presets', '--models', '--format', 'json'], ['presets', '--models', '--format', 'csv']]:
        done = cli(*args, folder=folder, env=env)
        if done.returncode != 0 or RAW.search(done.stdout + done.stderr):
            return f'{args}: {done.returncode}, {done.stdout[-600:]!r} {done.stderr!r}'
    same(done.stderr.count('the file name is not allowed'), 2)
    assert "\n'=1,T\ufffd[2J\ufffd=1," in done.stdout, done.stdout[-400:]


def file_names_of_any_bytes(folder):
    """A claim is named after its file, whose name need not be text."""
    with open(os.path.join(os.fsencode(folder), b'x\xff\xe2.claim'), 'w', encoding='utf-8') as file:
        file.write('[Claim]\nTitle=T\nStatement=S\nSource=S\n[Check]\nKind=exponent\nVariant=pre\nMetric=w_2@last\n'
                   'Law=1/sqrt\n')
    write_experiment(folder, experiment(['Pre']))
    tree = strict_json(good('scaling', 'e.normscope', '--depths', '1,2,4', '--claims-folder', '.', '--format', 'json',
                            folder=folder))
    same([claim['id'] for claim in tree['claims'] if claim['title'] == 'T'], ['x\ufffd\ufffd'])


# ---- spreadsheets ----

FORMULA = re.compile("['\\s]*[=+@＝＋－＠-]")


def spreadsheet_cells(text, separator):
    """Split lines as a spreadsheet does: a quote begins a quoted cell only at the cell's start."""
    return [cell for line in text.split('\n') for cell in next(csv.reader([line], delimiter=separator), [])]


def cells_are_no_formulas(folder):
    write_experiment(folder, experiment(NAMES, TEXT))
    for args in [['run'], ['run', '--per-seed'], ['scaling', '--depths', '1,2,4']]:
        good(*args, 'e.normscope', '-o', 'x.csv', folder=folder)
        with open(os.path.join(folder, 'x.csv'), encoding='utf-8', newline='') as file:
            text = file.read()
        for separator in ',;\t':
            for cell in spreadsheet_cells(text, separator):
                numeric = re.fullmatch(r'[-+]?(inf|[0-9].*)', cell)
                if cell[:1] != "'" and FORMULA.match(cell) and not numeric:
                    return f'{args}: the cell {cell!r} is a formula'
        # The documented way to read a name back.
        rows = list(csv.DictReader(line for line in io.StringIO(text) if line[0] != '#'))
        back = {re.sub("^'(?=['\\s]*[=+@＝＋－＠-])", '', row['variant']) for row in rows}
        same(back, set(NAMES), f'{args}: ')
    return None


# ---- long values ----

LONG = 'y ' * 50000


def long_values(folder):
    """Every message shortens what it quotes."""
    runs = [['run', LONG], ['run', 'a', LONG], [LONG], ['run', '--' + LONG], ['presets', LONG],
            ['presets', '--models', LONG], ['run', '--variant', 'pre:' + LONG],
            ['run', '--variant', 'pre:attention=' + LONG],
            ['run', '--variant', LONG + ':x=1'], ['dump', '--out', 'd', '--variant', LONG], ['run', '-o', LONG + '/x'],
            ['run', '-o', 'x.' + LONG], ['plot', '-o', LONG], ['dump', '--variant', '0', '--out', LONG + '/x'],
            ['scaling', '--expect', LONG + ':w_2@last:1'], ['scaling', '--metric', LONG + ':w_2'],
            ['scaling', '--metric', 'w_2@' + LONG], ['run', '--text-file', LONG]]
    options = {'run': set(), 'plot': set(), 'scaling': set(), 'bench': set()}
    for command, seen in options.items():
        shown = cli(command, '--help').stdout
        seen.update(re.findall(r'^ +(?:-\w, )?--([\w-]+) [A-Z]', shown, re.M))
        for option in sorted(seen if command == 'run' else seen - options['run']):
            if option not in ('name', 'text', 'output'):
                runs.append([command, '--' + option, LONG, *(['-o', 'x.png'] if command == 'plot' else [])])
    assert len(options['run']) > 40, options['run']
    quoted = 0
    for args in runs:
        done = cli(*args, folder=folder)
        short = [arg[:20] for arg in args]
        if done.returncode not in (1, 2) or len(done.stderr) > 2000:
            return f'{short}: {done.returncode}, {len(done.stderr)} characters: {done.stderr[:300]}'
        # An option of another figure is refused without its value.
        if 'y y y' in done.stderr and not re.search(r'…[^…]* \(\d{5,6} characters\)', done.stderr):
            return f'{short}: the length is missing: {done.stderr[:600]}'
        quoted += 'y y y' in done.stderr
    assert quoted > 80, f'{quoted} of {len(runs)} values are quoted'
    for tree in [{**FORMAT, LONG[:999]: 1}, {**FORMAT, 'loss': LONG}, {**FORMAT, 'shape': {LONG[:999]: 1}},
                 {**FORMAT, 'variants': [{'name': LONG + '\n'}]}, {'model_type': LONG}, {'format': LONG},
                 {'architectures': [LONG]}, {'model_type': 'gpt2', 'n_embd': LONG, 'n_layer': 1,
                                                                         'n_head': 1, 'vocab_size': 9},
                 {**FORMAT, 'variants': [{'name': LONG}, {'name': LONG}]}]:
        write_experiment(folder, tree)
        done = cli('run', 'e.normscope', folder=folder)
        if done.returncode != 2 or len(done.stderr) > 2000 or ' characters)' not in done.stderr:
            return f'{str(tree)[:80]}: {done.returncode}, {len(done.stderr)} characters: {done.stderr[:300]}'
    same(os.listdir(folder), ['e.normscope'])


# ---- a decimal comma ----

def comma_locale(folder):
    """Build German in a folder of its own; return the environment that selects it."""
    place = os.path.join(folder, 'locales')
    os.mkdir(place)
    if not shutil.which('localedef') or not os.path.exists('/usr/share/i18n/locales/de_DE'):
        raise Skip('the sources of locales are not installed (locales)')
    subprocess.run(['localedef', '-i', 'de_DE', '-f', 'UTF-8', os.path.join(place, 'de_DE.UTF-8')], check=True,
                   capture_output=True)
    env = {'LOCPATH': place, 'LC_ALL': 'de_DE.UTF-8'}
    seen = subprocess.run([sys.executable, '-c', 'import locale; locale.setlocale(locale.LC_ALL, ""); print("%s" %'
                           ' locale.localeconv()["decimal_point"])'], env={**os.environ, **env}, check=True,
                          capture_output=True, text=True)
    same(seen.stdout, ',\n', 'the locale does not work: ')
    return env


def numbers(name, data):
    """Return what a file says without its words in the user's language."""
    text = data.decode('utf-8')
    if name.endswith('.svg'):
        return re.sub(r'<(title|desc)>.*?</\1>', '', text, flags=re.S)
    return text


def a_decimal_comma_changes_no_file(folder):
    env = comma_locale(folder)
    names = {}
    for place, more in [('plain', {}), ('comma', {**env, 'LANGUAGE': 'C'}), ('german', {**env, 'LANGUAGE': 'de'})]:
        os.mkdir(os.path.join(folder, place))
        write_experiment(os.path.join(folder, place), experiment(['Pre', 'Post'], TEXT, seq_len=8))
        names[place] = write_all(os.path.join(folder, place), more)
        problem = check_files(os.path.join(folder, place), names[place], ['Pre', 'Post'], TEXT)
        if problem:
            return f'{place}: {problem}'
    same(names['comma'], names['plain'])
    same(names['german'], names['plain'])
    for name in names['plain']:
        data = {}
        for place in names:
            with open(os.path.join(folder, place, 'out', name), 'rb') as file:
                data[place] = re.sub(rb'\d+ ms|[\d.,]+ s\b|\d+ threads?', b'', file.read())
        # German words are in pictures, tables and the titles of models.
        if data['comma'] != data['plain']:
            return f'{name} differs with a decimal comma'
        if name.rsplit('.', 1)[1] in ('json', 'csv', 'npy', 'py', 'normscope', 'link') and name[:2] != 'p.':
            if data['german'] != data['plain']:
                return f'{name} differs in German'
    for args in PRINTED.values():
        source = ['e.normscope'] if args[0] not in ('presets',) and '--help' not in args else []
        shown = [re.sub(r'[\d.,]+ m?s\b', '', good(*args, *source, folder=os.path.join(folder, 'plain'), env=more))
                 for more in ({}, {**env, 'LANGUAGE': 'C'})]
        same(shown[1], shown[0], f'{args}: ')
    # Numbers are read with a point, and a comma is refused.
    done = cli('run', 'e.normscope', '--embed-std', '0,5', folder=os.path.join(folder, 'plain'), env=env)
    if done.returncode != 2 or '0,5' not in done.stderr:
        return f'0,5 is read: {done.stderr}'
    tree = strict_json(good('link', '--expand', '--embed-std', '0.5', folder=folder, env=env))
    same(tree['data']['embed_std'], 0.5)
    assert math.isclose(tree['variants'][0]['norm_eps'], 1e-5)


def main():
    tap = Tap()
    for function in [names_in_every_output, text_in_every_output, bad_names_are_refused, messages_are_printable,
                     presets_are_printable, file_names_of_any_bytes, cells_are_no_formulas,
                     long_values, a_decimal_comma_changes_no_file]:
        tap.run(function)
    print(f'1..{tap.count}')
    sys.exit(1 if tap.failed else 0)


if __name__ == '__main__':
    with tempfile.TemporaryDirectory():
        main()
