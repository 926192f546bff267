# Copyright (C) 2026 The Normscope developers
# SPDX-License-Identifier: GPL-3.0-or-later
"""The program's commands as functions."""

import json
import os
import subprocess
import tempfile
from pathlib import Path

import reference

# The program syncs each file, and hundreds of dumps to a disk take longer than all computations.
MEMORY = "/dev/shm"
if os.access(MEMORY, os.W_OK | os.X_OK) and "TMPDIR" not in os.environ:
    tempfile.tempdir = MEMORY


class Cli:
    def __init__(self, program):
        self.program = str(program)

    def call(self, *arguments):
        done = subprocess.run([self.program, *map(str, arguments)], capture_output=True, text=True, check=False,
                              encoding="utf-8")
        if done.returncode != 0:
            raise RuntimeError(f"normscope-cli {' '.join(map(str, arguments))}: status {done.returncode}: "
                               f"{done.stderr.strip()}")
        return done.stdout

    def dump(self, experiment):
        """Return (experiment as read by the program, arrays, result) for the first variant and seed."""
        with tempfile.TemporaryDirectory(prefix="normscope-dump-") as folder:
            path = write(experiment, folder)
            out = Path(folder) / "dump"
            self.call("dump", path, "--variant", experiment["variants"][0]["name"], "--out", out)
            seen, arrays = reference.load_dump(out)
            return seen, arrays, json.loads((out / "result.json").read_text(encoding="utf-8"))

    def preset_names(self):
        """Return the names of the presets: the first word of each indented line."""
        return [line.split()[0] for line in self.call("presets").splitlines() if line.startswith("  ")]

    def builtin_names(self):
        """Return the names of the built-in variants from --help; continuation lines have a deeper indent."""
        listed = self.call("run", "--help").split("\nBuilt-in variants:\n")[1].split("\n\n")[0]
        return [line.split()[0] for line in listed.splitlines() if line.startswith("  ") and line[2] != " "]

    def run(self, experiment, *options):
        """Run the whole experiment and return its result."""
        with tempfile.TemporaryDirectory(prefix="normscope-run-") as folder:
            return json.loads(self.call("run", write(experiment, folder), "--format", "json", *options))


def write(experiment, folder):
    path = Path(folder) / "experiment.normscope"
    path.write_text(json.dumps(experiment), encoding="utf-8")
    return path
