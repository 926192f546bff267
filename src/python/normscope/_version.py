# SPDX-License-Identifier: GPL-3.0-or-later
"""The version of the package, with git's revision."""

import pathlib
import subprocess
from importlib.metadata import Distribution

RELEASE = '0.3.0'


def find_version() -> str:
    """Return the version: that of the checkout with its revision, or else that with which the package was installed."""
    folder = pathlib.Path(__file__).resolve().parents[1]
    script = folder / '../../build-aux/version.sh'
    if script.exists():
        try:
            return subprocess.run([script, RELEASE], capture_output=True, text=True, check=True).stdout.strip()
        except (OSError, subprocess.CalledProcessError):  # no checkout, or no git
            return RELEASE
    for installed in folder.glob('normscope-*.dist-info'):
        return Distribution.at(installed).version
    return RELEASE


VERSION = find_version()
