#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Check that the program uses each function that a header of src/ declares: a test can do without most others; and
that nothing calls functions of libraries that are not safe."""

import collections
import glob
import os
import re

from tap import ROOT, Planted, Tap

COMMENT = re.compile(r'/\*.*?\*/|//[^\n]*', re.S)
WORD = re.compile(r'[A-Za-z_]\w*')
FUNCTION = re.compile(r'^(?!typedef|static|return|G_)\w[\w \*]*?\b([a-z]\w+) \(', re.M)

# Functions that only tests call, and what the tests could not see or do otherwise.
FOR_TESTS = {
    'normscope_engine_get_memory_budget': 'the budget of the last run',
    'normscope_figure_bar_get_control': 'which widget sets an option',
    'normscope_figure_bar_get_entry': 'which widget sets an option',
    'normscope_help_get_shown': 'the id of a page',
    'normscope_kept_sweep_dup_path': 'the file of a sweep',
    'normscope_kept_sweep_set_delay_us': 'time',
    'normscope_plot_get_marker': 'what is drawn',
    'normscope_plot_get_n_drawings': 'what is drawn',
    'normscope_plot_get_reveal': 'what is drawn',
    'normscope_plot_has_settled': 'what is drawn',
    'normscope_plot_is_moving': 'what is drawn',
    'normscope_presenter_bar_is_awake': 'what is drawn',
    'normscope_prose_get_markup': 'what is drawn',
    'normscope_window_get_files': 'the state behind the widgets',
    'normscope_window_get_lecture': 'the state behind the widgets',
    'normscope_window_get_session': 'the state behind the widgets',
    'normscope_window_print_to': 'printing without a printer',
    'normscope_wiring_get_diagram': 'what is drawn',
    'normscope_wiring_row_get_variant': 'which widget is of a variant',
    'ns_config_get_nearest': 'each row of the table',
    'ns_config_get_rewirings': 'each row of the table',
    'ns_kept_pass_get_n_common': 'whether work is left out',
    'ns_random_fill_plain': 'the plain counterpart of a fast function',
    'ns_result_is_missing': 'a run that has not come so far',
    'ns_training_foreach_weights': 'weights, bit by bit',
    'ns_weights_get_bytes': 'memory',
}

# Functions of libraries that nothing calls, and why.
UNSAFE = {
    'adw_toast_new': 'libadwaita 1.2 ends the program when a toast that moves is dismissed; normscope_message_show()',
}

def unsafe(root, functions):
    """Yield the calls of functions that nothing may call."""
    for path in sorted(glob.glob(os.path.join(root, 'src', '**', '*.c'), recursive=True)):
        with open(path, encoding='utf-8') as file:
            words = set(WORD.findall(COMMENT.sub('', file.read())))
        for function in sorted(words & set(functions)):
            yield f'{os.path.relpath(path, root)}: {function}(): {functions[function]}'

def unused(root):
    """Return {function: header} of those that occur in src/ only where they are declared and defined."""
    counts, declared = collections.Counter(), {}
    for path in glob.glob(os.path.join(root, 'src', '**', '*.[ch]'), recursive=True):
        with open(path, encoding='utf-8') as file:
            text = COMMENT.sub('', file.read())
        counts.update(WORD.findall(text))
        if path.endswith('.h'):
            declared.update((name, os.path.relpath(path, root)) for name in FUNCTION.findall(text))
    # G_DEFINE_QUARK defines ns_x_error_quark(), and a macro calls it.
    return {name: header for name, header in declared.items() if counts[name] <= 2 and not name.endswith('_quark')}

def problems(root, allowed):
    found = unused(root)
    for name, header in sorted(found.items()):
        if name not in allowed:
            yield f'{header}: {name}() is not used in src/'
    for name in sorted(set(allowed) - set(found)):
        yield f'tests/style/callers.py: {name}() is used in src/, or is not there'

def main():
    tap = Tap()
    files = {
        'src/a.h': 'int ns_used (void);\n/* ns_unused() */\nchar *ns_unused (int a,\n                 int b);\n'
                   'void ns_hook (void);\n',
        'src/a.c': 'int\nns_used (void)\n{\n}\nchar *\nns_unused (int a, int b)\n{\n}\nvoid\nns_hook (void)\n{\n}\n',
        'src/b.c': 'static int\nb (void)\n{\n  return ns_used ();\n}\n',
    }
    with Planted(files) as folder:
        tap.rejects('callers/planted', problems(folder, {'ns_hook': '', 'ns_gone': ''}), 'ns_unused()', 'ns_gone()')
        tap.check('callers/allowed', [line for line in problems(folder, {'ns_hook': '', 'ns_unused': ''})])
        tap.rejects('callers/unsafe/planted', unsafe(folder, {'ns_used': 'a reason'}), 'src/b.c: ns_used(): a reason')
    tap.check('callers/src', problems(ROOT, FOR_TESTS))
    tap.check('callers/unsafe', unsafe(ROOT, UNSAFE))
    tap.done()

main()
