# Copyright (C) 2026 The Normscope developers
# SPDX-License-Identifier: GPL-3.0-or-later
"""Run dump-training and read what it writes."""

import json
import subprocess
import tempfile
from pathlib import Path

import numpy as np


class Run:
    """What dump-training has written: losses, weights at the start, batches, weights after each step."""

    def __init__(self, program, experiment):
        with tempfile.TemporaryDirectory(prefix="normscope-training-") as folder:
            path = Path(folder) / "experiment.normscope"
            path.write_text(json.dumps(experiment), encoding="utf-8")
            done = subprocess.run([program, path, folder], capture_output=True, text=True, check=False)
            if done.returncode != 0:
                raise RuntimeError(f"{program}: status {done.returncode}: {done.stderr.strip()}")
            experts = experiment["variants"][0].get("experts")
            data, arrays, offset = (Path(folder) / "data.bin").read_bytes(), {}, 0
            for line in (Path(folder) / "index.txt").read_text(encoding="utf-8").splitlines():
                step, name, kind, *dims = line.split()
                dims = [int(each) for each in dims]
                count = int(np.prod(dims, dtype=np.int64))
                array = np.frombuffer(data, dtype=np.dtype(kind), count=count, offset=offset).reshape(dims)
                offset += array.nbytes
                if experts is not None and name.rsplit("/", 1)[-1] in ("w_1", "w_2", "w_3"):
                    array = array.reshape(experts, -1, dims[-1])  # one expert below the other
                arrays.setdefault(int(step), {})[name] = array
            assert offset == len(data), f"{len(data) - offset} bytes are left"
        self.start = {name: array.astype(np.float64) for name, array in arrays.pop(-1).items()}
        self.batches, self.weights, self.losses = [], [], []
        for _, each in sorted(arrays.items()):
            self.losses.append(float(each.pop("loss")))
            self.batches.append({name.removeprefix("batch/"): each.pop(name) for name in list(each)
                                 if name.startswith("batch/")})
            self.weights.append(each)
