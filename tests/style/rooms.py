#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Check that each room includes and calls only what ROOMS, LADDERS and FORBIDDEN allow.

    rooms.py includes                 check the #include lines of src/
    rooms.py symbols BUILD NM CC      check the undefined symbols of the static libraries in BUILD/src/
"""

import glob
import os
import re
import subprocess
import sys

from tap import ROOT, Planted, Tap

C_HEADERS = ('assert complex ctype errno fenv float inttypes iso646 limits locale math setjmp signal stdalign stdarg '
             'stdatomic stdbool stddef stdint stdio stdlib stdnoreturn string tgmath threads time uchar wchar wctype '
             'dirent fcntl poll pthread sched strings unistd sys/file sys/mman sys/resource sys/stat sys/sysinfo '
             'sys/time sys/types sys/prctl sys/wait sys/utsname immintrin cpuid malloc').split()

# Allowed includes of each room: other rooms, and system headers.
GLIB = r'glib\.h|glib/.*|glibconfig\.h'
GOBJECT = r'glib-object\.h|gobject/.*'
GIO = r'gio/.*'
CAIRO = r'cairo.*\.h|pango/.*'
ZLIB = r'zlib\.h'
TOOLKIT = r'gtk/.*|gdk/.*|gsk/.*|adwaita\.h'
ROOMS = {
    'engine': (set(), f'{GLIB}|cblas\\.h|openblas.*\\.h|Random123/.*'),
    'document': ({'engine'}, f'{GLIB}|{GOBJECT}|{GIO}|json-glib/.*|{ZLIB}'),
    'script': ({'engine', 'document'}, f'{GLIB}|{GOBJECT}|{GIO}|json-glib/.*'),
    'import': ({'engine', 'document'}, f'{GLIB}|{GOBJECT}|{GIO}|json-glib/.*'),
    'plot': (set(), f'{GLIB}|{GOBJECT}|{CAIRO}|{ZLIB}'),
    'prose': ({'plot'}, f'{GLIB}|{GOBJECT}|{CAIRO}'),
    'figures': ({'engine', 'plot'}, GLIB),
    'lecture': ({'engine', 'document', 'plot', 'prose', 'figures'},
                f'{GLIB}|{GOBJECT}|{GIO}|json-glib/.*|{CAIRO}'),
    'help': ({'engine', 'document', 'plot', 'prose', 'figures'}, GLIB),
    'cli': ({'engine', 'document', 'script', 'import', 'plot', 'prose', 'figures', 'lecture', 'help'},
            f'{GLIB}|{GOBJECT}|{GIO}|json-glib/.*|{CAIRO}|cblas\\.h|mpi\\.h|dlfcn\\.h'),
    'app': ({'engine', 'document', 'script', 'import', 'plot', 'prose', 'figures', 'lecture', 'help'},
            f'{GLIB}|{GOBJECT}|{GIO}|json-glib/.*|{CAIRO}|{TOOLKIT}|cblas\\.h|glib-unix\\.h|graphene.*|gdk-pixbuf/.*'),
    'python': (set(), '(?!)'),  # no C: it knows the command line's program alone
}
# The sub-folders of a room in order: a file may include its own folder and earlier ones. Folders on the same rung may
# not include each other. '' is the room itself, without a sub-folder. A room that is not listed has no sub-folders.
LADDERS = {
    'engine': [['ops'], ['experiment'], ['pass'], ['run'], ['train'], ['analysis'], ['verify']],
    'document': [[''], ['items']],
    'figures': [[''], ['paths', 'training'], ['table']],
    'app': [['shared'], ['session'], ['work'], ['controls'],
            ['sidebar', 'wiring', 'flow', 'paths', 'scaling', 'training', 'lecture', 'help', 'dialogs'], ['window']],
}
LIBRARIES = ['engine', 'document', 'script', 'import', 'plot', 'prose', 'figures', 'lecture', 'help']
# Libraries without circular calls between files.
ONE_WAY = ['plot', 'prose', 'figures']

# Forbidden calls of each room. A library reports by its return value; it neither prints nor exits.
PRINTS = (r'(__)?v?printf(_chk)?|puts|putchar|perror|_?IO_putc|stdout|stderr|g_print|g_printerr|g_set_print_handler|'
          r'exit|_exit|quick_exit|abort|err|errx|warn|warnx')
WINDOW = r'gtk_.*|gdk_(?!pixbuf).*|gsk_.*|adw_.*'
DRAWS = r'cairo_.*|pango_.*'
FORBIDDEN = {
    'engine': f'{PRINTS}|{WINDOW}|{DRAWS}|json_.*|g_object_.*|g_type_.*|g_signal_.*|g_value_.*|g_settings_.*|'
              r'g_file_.*|g_mapped_file_.*|g_io_.*|g_dir_.*|fopen(64)?|fread|fwrite|open(64)?|openat|g_fopen|g_open|'
              r'g_mutex_.*|g_cond_.*|g_thread_.*|g_async_queue_.*|g_task_.*|g_idle_.*|g_rec_mutex_.*|g_rw_lock_.*',
    'document': f'{PRINTS}|{WINDOW}|{DRAWS}|cblas_.*|openblas_.*',
    'script': f'{PRINTS}|{WINDOW}|{DRAWS}|cblas_.*|openblas_.*',
    'import': f'{PRINTS}|{WINDOW}|{DRAWS}|cblas_.*|openblas_.*',
    'plot': f'{PRINTS}|{WINDOW}|json_.*|cblas_.*|openblas_.*',
    'prose': f'{PRINTS}|{WINDOW}|json_.*|cblas_.*|openblas_.*|g_file_.*|fopen(64)?',
    'figures': f'{PRINTS}|{WINDOW}|{DRAWS}|json_.*|cblas_.*|openblas_.*|g_file_.*|fopen(64)?',
    'lecture': f'{PRINTS}|{WINDOW}|cblas_.*|openblas_.*',
    'help': f'{PRINTS}|{WINDOW}|{DRAWS}|json_.*|cblas_.*|openblas_.*|g_file_.*|fopen(64)?',
}
# ns-limits.c reads the limits of the system and refuses to start under those that OpenBLAS does not survive.
EXCEPTIONS = {'engine': {'_exit', 'g_file_get_contents'}}

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(<([^>]+)>|"([^"]+)"|(\S.*))', re.M)


def include_problems(root):
    folders = sorted(name for name in os.listdir(os.path.join(root, 'src'))
                     if os.path.isdir(os.path.join(root, 'src', name)))
    for room in folders:
        if room not in ROOMS:
            yield f'src/{room}: not a room of tests/style/rooms.py'
            continue
        rooms, headers = ROOMS[room]
        system = re.compile(f'({headers}|({"|".join(C_HEADERS)})\\.h)$')
        files = glob.glob(os.path.join(root, 'src', room, '**', '*.[ch]'), recursive=True)
        for path in sorted(files):
            with open(path, encoding='utf-8') as file:
                text = file.read()
            for match in INCLUDE.finditer(text):
                line = text.count('\n', 0, match.start()) + 1
                place = f'{os.path.relpath(path, root)}:{line}'
                angle, quoted, computed = match.group(2, 3, 4)
                if computed:
                    yield f'{place}: #include {computed} must name its file'
                elif angle:
                    if not system.match(angle):
                        yield f'{place}: src/{room} must not include <{angle}>'
                elif '..' in quoted.split('/'):
                    yield f'{place}: "{quoted}" leaves its folder; write "room/file.h"'
                else:
                    owner = quoted.split('/')[0] if '/' in quoted else room
                    if owner in ROOMS and owner != room and owner not in rooms:
                        yield f'{place}: src/{room} must not include "{quoted}"'


def ladder_problems(root):
    """Yield includes of later sub-folders, and files and folders outside LADDERS."""
    for path in sorted(glob.glob(os.path.join(root, 'src', '**', '*.[ch]'), recursive=True)):
        name = os.path.relpath(path, root)
        room, *folders = name.split('/')[1:-1]
        rung = {folder: i for i, folders_of_rung in enumerate(LADDERS.get(room, [])) for folder in folders_of_rung}
        folder = '/'.join(folders)
        if folder not in rung:
            if folder:
                yield f'{name}: src/{room}/{folder} is not a folder of tests/style/rooms.py'
            elif rung and name != f'src/{room}/main.c':
                yield f'{name}: a file of src/{room} belongs in one of {", ".join(rung)}'
            continue
        with open(path, encoding='utf-8') as file:
            text = file.read()
        for match in INCLUDE.finditer(text):
            parts = (match.group(3) or '').split('/')
            other = '/'.join(parts[1:-1])
            if parts[0] == room and other != folder and rung.get(other, 99) >= rung[folder]:
                line = text.count('\n', 0, match.start()) + 1
                yield f'{name}:{line}: {os.path.dirname(name)} must not include "{match.group(3)}"'


def symbols(nm, archive, *options):
    """Return the undefined or the defined names of an archive."""
    text = subprocess.run([nm, '-P', *options, archive], capture_output=True, text=True, check=True).stdout
    return {line.split()[0] for line in text.splitlines() if len(line.split()) >= 2 and not line.endswith(':')}


def symbol_problems(build, nm):
    archives = {room: sorted(glob.glob(os.path.join(build, 'src', room, '*.a'))) for room in LIBRARIES}
    owner = {}
    for room, paths in archives.items():
        for path in paths:
            for name in symbols(nm, path, '--defined-only', '--extern-only'):
                owner.setdefault(name, room)
    for room, paths in archives.items():
        forbidden = re.compile(f'({FORBIDDEN[room]})$')
        for path in paths:
            for name in sorted(symbols(nm, path, '--undefined-only')):
                plain = name.split('@')[0]
                if plain in owner:
                    if owner[plain] != room and owner[plain] not in ROOMS[room][0]:
                        yield f'src/{room} ({os.path.basename(path)}) must not call {plain} of src/{owner[plain]}'
                elif forbidden.match(plain) and plain not in EXCEPTIONS.get(room, ()):
                    yield f'src/{room} ({os.path.basename(path)}) must not call {plain}'


def calls_between_objects(nm, archive):
    """Return {object: {object that it calls: a name}} of a static library."""
    text = subprocess.run([nm, '-A', '-P', archive], capture_output=True, text=True, check=True).stdout
    defined, undefined = {}, []
    for line in text.splitlines():
        place, rest = line.split(': ', 1)
        name, kind = rest.split()[:2]
        owner = os.path.basename(place[place.index('[') + 1:place.index(']')]).removesuffix('.o').removesuffix('.c')
        if kind == 'U':
            undefined.append((owner, name))
        elif kind.isupper():
            defined[name] = owner
    calls = {}
    for caller, name in undefined:
        if defined.get(name, caller) != caller:
            calls.setdefault(caller, {}).setdefault(defined[name], name)
    return calls


def find_circle(calls):
    """Return a list of objects that call each other in a circle, or None."""
    done = set()

    def visit(node, path):
        if node in path:
            return path[path.index(node):]
        if node in done:
            return None
        for callee in sorted(calls.get(node, ())):
            circle = visit(callee, path + [node])
            if circle:
                return circle
        done.add(node)
        return None

    return next((circle for circle in (visit(node, []) for node in sorted(calls)) if circle), None)


def circle_problems(build, nm, rooms):
    for room in rooms:
        for archive in sorted(glob.glob(os.path.join(build, 'src', room, '*.a'))):
            calls = calls_between_objects(nm, archive)
            circle = find_circle(calls)
            if circle:
                steps = zip(circle, circle[1:] + circle[:1])
                yield f'src/{room}: a circle: ' + ', '.join(f'{a} calls {calls[a][b]} of {b}' for a, b in steps)


def check_includes(tap):
    bad = {
        'src/engine/a.c': '#include <gtk/gtk.h>\n#include <cairo.h>\n#include "document/ns-document.h"\n',
        'src/plot/b.c': '# include "engine/run/ns-engine.h"\n#include "../engine/run/ns-engine.h"\n',
        'src/figures/c.h': '#include <json-glib/json-glib.h>\n#include NS_HEADER\n',
        'src/cli/d.c': '#include <adwaita.h>\n',
        'src/cellar/e.c': '\n',
    }
    with Planted(bad) as folder:
        tap.rejects('includes/planted', include_problems(folder), 'a.c:1', 'a.c:2', 'a.c:3', 'b.c:1', 'b.c:2', 'c.h:1',
                    'c.h:2', 'd.c:1', 'src/cellar')
    good = {'src/figures/a.c': '#include <math.h>\n#include "engine/run/ns-result.h"\n#include "ns-format.h"\n'}
    with Planted(good) as folder:
        tap.check('includes/allowed', include_problems(folder))
    tap.check('includes/src', include_problems(ROOT))

    bad = {
        'src/engine/ops/a.c': '#include "engine/run/ns-engine.h"\n',
        'src/engine/attic/b.c': '\n',
        'src/engine/c.c': '\n',
        'src/app/flow/d.c': '#include "app/scaling/normscope-scaling-view.h"\n',
        'src/plot/sub/e.c': '\n',
        'src/figures/f.c': '#include "figures/ns-flow.h"\n#include "figures/paths/ns-paths-words.h"\n',
        'src/figures/paths/g.c': '#include "figures/table/ns-figure-table.h"\n#include "figures/training/a.h"\n',
    }
    with Planted(bad) as folder:
        tap.rejects('ladder/planted', ladder_problems(folder), 'a.c:1', 'src/engine/attic', 'src/engine/c.c', 'd.c:1',
                    'src/plot/sub', 'f.c:2', 'g.c:1', 'g.c:2')
    good = {'src/app/main.c': '#include "app/window/normscope-application.h"\n',
            'src/app/flow/a.c': '#include "app/session/normscope-session.h"\n#include "app/flow/b.h"\n',
            'src/figures/table/b.c': '#include "figures/ns-flow.h"\n#include "figures/paths/ns-paths-words.h"\n'}
    with Planted(good) as folder:
        tap.check('ladder/allowed', ladder_problems(folder))
    tap.check('ladder/src', ladder_problems(ROOT))


def check_symbols(tap, build, nm, cc):
    bad = {
        'engine.c': 'int printf (const char *, ...); void exit (int); int json_node_new (void);\n'
                    'int ns_engine_run (void) { if (printf ("x%d", 1)) exit (1); return json_node_new (); }\n',
        'plot.c': 'int ns_engine_run (void); int gtk_init (void);\n'
                  'int ns_plot (void) { return ns_engine_run () + gtk_init (); }\n',
    }
    with Planted(bad) as folder:
        for room in ['engine', 'plot']:
            out = os.path.join(folder, 'src', room)
            os.makedirs(out)
            subprocess.run([*cc, '-c', f'{folder}/{room}.c', '-o', f'{out}/{room}.o'], check=True)
            subprocess.run(['ar', 'rcs', f'{out}/lib{room}.a', f'{out}/{room}.o'], check=True)
        tap.rejects('symbols/planted', symbol_problems(folder, nm), 'call printf', 'call exit', 'call json_node_new',
                    'call ns_engine_run of src/engine', 'call gtk_init')

    bad = {
        'one.c': 'int ns_two (void); int ns_one (void) { return ns_two (); }\n',
        'two.c': 'int ns_one (void); int ns_three (void); int ns_two (void) { return ns_one () + ns_three (); }\n',
        'three.c': 'int ns_three (void) { return 3; }\n',
    }
    with Planted(bad) as folder:
        out = os.path.join(folder, 'src', 'figures')
        os.makedirs(out)
        for name in bad:
            subprocess.run([*cc, '-c', f'{folder}/{name}', '-o', f'{out}/{name}.o'], check=True)
        subprocess.run(['ar', 'rcs', f'{out}/lib.a', *sorted(glob.glob(f'{out}/*.o'))], check=True)
        tap.rejects('circles/planted', circle_problems(folder, nm, ['figures']), 'one calls ns_two of two')
        subprocess.run(['ar', 'd', f'{out}/lib.a', 'one.c.o'], check=True)
        tap.check('circles/allowed', circle_problems(folder, nm, ['figures']))
    if glob.glob(os.path.join(build, 'src', '*', '*.p', '*-unity0.c')):
        tap.skip('circles/src', 'the objects of a unity build have several files')
    else:
        tap.check('circles/src', circle_problems(build, nm, ONE_WAY))

    for room in LIBRARIES:
        if not os.path.exists(os.path.join(ROOT, 'src', room, 'meson.build')):
            tap.skip(f'symbols/{room}-is-built', f'src/{room} does not exist')
        else:
            found = glob.glob(os.path.join(build, 'src', room, '*.a'))
            tap.check(f'symbols/{room}-is-built', [] if found else [f'no static library in {build}/src/{room}'])
    tap.check('symbols/src', symbol_problems(build, nm))


def main():
    tap = Tap()
    if sys.argv[1] == 'includes':
        check_includes(tap)
    else:
        check_symbols(tap, sys.argv[2], sys.argv[3], sys.argv[4:])
    tap.done()


main()
