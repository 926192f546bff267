# Copyright (C) 2026 The Normscope developers
# SPDX-License-Identifier: GPL-3.0-or-later
"""Test Anything Protocol for the Python tests."""

import os
import sys
import traceback


class Tap:
    def __init__(self):
        self.count = self.failed = 0

    def ok(self, passed, name, detail=""):
        self.count += 1
        self.failed += not passed
        print(f"{'ok' if passed else 'not ok'} {self.count} - {name}", flush=True)
        for line in str(detail).splitlines():
            print(f"# {line}", flush=True)
        return passed

    def run(self, function, *args, name=None):
        """Run a test, which fails by raising. Print its return value as a comment."""
        name = name or function.__name__.replace("_", " ")
        try:
            detail = function(*args)
        except Exception as error:
            where = "" if isinstance(error, AssertionError) else traceback.format_exc()
            self.ok(False, name, f"{error}\n{where}")
        else:
            self.ok(True, name, detail or "")

    def comment(self, text):
        print(f"# {text}", flush=True)

    def finish(self):
        print(f"1..{self.count}")
        sys.exit(1 if self.failed else 0)


def require_torch():
    """Skip the test if PyTorch is missing. Fail instead in CI, where it is installed."""
    try:
        import numpy  # noqa: F401
        import torch  # noqa: F401
    except ImportError as error:
        if os.environ.get("CI") == "true":
            print(f"not ok 1 - PyTorch and NumPy are present\n# {error}\n1..1")
            sys.exit(1)
        print(f"1..0 # SKIP {error} (Debian: python3-torch)")
        sys.exit(0)
