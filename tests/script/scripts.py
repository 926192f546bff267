# Copyright (C) 2026 The Normscope developers
# SPDX-License-Identifier: GPL-3.0-or-later
"""Write and run the PyTorch scripts of normscope-cli, for the tests of this folder."""

import contextlib
import io
import json
import os
import re
import runpy
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "golden"))

from tap import require_torch  # noqa: E402

sys.dont_write_bytecode = True
require_torch()

import torch  # noqa: E402

CLI = os.path.abspath(sys.argv[1])
LARGEST = re.compile(r"^largest relative difference to Normscope: (\S+) \(.*\), of (\d+) numbers$", re.M)


def export(folder, experiment, *options):
    """Write the script of the experiment's first variant to a new folder."""
    path = Path(folder) / "experiment.normscope"
    path.write_text(json.dumps(experiment), encoding="utf-8")
    out = Path(folder) / "out"
    done = subprocess.run([CLI, "script", path, "--variant", "0", "--out", out, *map(str, options)], check=False,
                          capture_output=True, text=True)
    assert done.returncode == 0 and not done.stdout, done.stderr
    return out / "experiment.py"


def run(script, *arguments, kept=None):
    """Run the script in this process, so torch loads only once; return (exit status, output).

    kept: a list that receives the differences of a training.
    """
    out, before = io.StringIO(), sys.argv
    sys.argv = [str(script), *arguments]
    try:
        with contextlib.redirect_stdout(out):
            main = runpy.run_path(str(script))["main"]
            if kept is not None:
                differences = main.__globals__["training_differences"]
                main.__globals__["training_differences"] = lambda arrays: kept.extend(differences(arrays)) or kept
            status = main()
    finally:
        sys.argv = before
    return status, out.getvalue()


def detects(script, text, old, new):
    """Replace a part of the script's text, and check that the script finds a difference."""
    assert text.count(old) == 1, f"{text.count(old)} times {old}"
    script.write_text(text.replace(old, new), encoding="utf-8")
    status, output = run(script)
    assert status == 1, f"{new} was not detected: {output[-300:]}"


def detects_changes(script, paths, n_ids):
    """Change the numbers of each file, and check that the script finds a difference."""
    for path in paths:
        data = path.read_bytes()
        start = 10 + int.from_bytes(data[8:10], "little")
        is_ids = b"'<i4'" in data[:start]
        values = torch.frombuffer(bytearray(data[start:]), dtype=torch.int32 if is_ids else torch.float32)
        changed = (values + 1) % n_ids if is_ids else values * 1.01 + 1e-4
        path.write_bytes(data[:start] + changed.to(values.dtype).numpy().tobytes())
        assert run(script)[0] == 1, f"a change of {path.name} was not detected"
        path.write_bytes(data)
    assert run(script)[0] == 0
