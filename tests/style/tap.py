# SPDX-License-Identifier: GPL-3.0-or-later
"""Helpers of the style tests: the list of files, and results as TAP."""

import os
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SKIPPED_FOLDERS = {'.git', '__pycache__', 'normscope-output'}


class Tap:
    def __init__(self):
        self.lines = []
        self.failed = False

    def check(self, name, problems):
        """Report a test that passes if there are no problems. Each problem is a line of text."""
        problems = list(problems)
        self.lines.append(f'{"not ok" if problems else "ok"} {len(self.lines) + 1} {name}')
        print(self.lines[-1], flush=True)
        # Meson shows the standard error of a failed test, and keeps TAP comments to its log.
        for problem in problems[:100]:
            print(problem, file=sys.stderr)
        if len(problems) > 100:
            print(f'... and {len(problems) - 100} more', file=sys.stderr)
        self.failed |= bool(problems)

    def skip(self, name, reason):
        self.lines.append(f'ok {len(self.lines) + 1} {name} # SKIP {reason}')
        print(self.lines[-1], flush=True)

    def rejects(self, name, problems, *words):
        """Report a test of the checker: each of the words must occur in the problems of the planted files."""
        text = '\n'.join(problems)
        self.check(name, [f'not detected: {word}\nproblems: {text or "none"}' for word in words
                          if word not in text])

    def done(self):
        print(f'1..{len(self.lines)}')
        sys.exit(1 if self.failed else 0)


def project_files():
    """List the paths below the root: files that git tracks or would track, or all files of an unpacked archive."""
    git = subprocess.run(['git', '-C', ROOT, 'ls-files', '-z', '--cached', '--others', '--exclude-standard'],
                         capture_output=True, check=False) if os.path.exists(os.path.join(ROOT, '.git')) else None
    if git is not None and git.returncode == 0:
        names = {name for name in git.stdout.decode().split('\0') if name}
        return sorted(name for name in names if os.path.isfile(os.path.join(ROOT, name)))
    names = []
    for folder, folders, files in os.walk(ROOT):
        folders[:] = [name for name in folders if name not in SKIPPED_FOLDERS and not name.startswith('build')
                      or name == 'build-aux']
        names += [os.path.relpath(os.path.join(folder, name), ROOT) for name in files]
    return sorted(names)


def read(path):
    with open(os.path.join(ROOT, path), encoding='utf-8') as file:
        return file.read()


class Planted:
    """A temporary tree of files with planted errors."""

    def __init__(self, files):
        self.files = files

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory(prefix='normscope-style-')
        for path, text in self.files.items():
            path = os.path.join(self.folder.name, path)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, 'w', encoding='utf-8') as file:
                file.write(text)
        return self.folder.name

    def __exit__(self, *_):
        self.folder.cleanup()
