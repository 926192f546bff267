# Copyright (C) 2026 The Normscope developers
# SPDX-License-Identifier: GPL-3.0-or-later
"""What performance.py measures with: Normscope's commands and PyTorch, each in a process of its own."""

import json
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
ENGLISH = {**os.environ, "LC_ALL": "C.UTF-8", "LANGUAGE": "C"}


def thread_counts():
    """1, 2, 4 … and all cores."""
    cores = len(os.sched_getaffinity(0))
    return sorted({n for n in (1, 2, 4, 8, 16, 32, 64) if n < cores} | {cores})


def best(runs):
    """Of each number the least that any run has."""
    return {key: min(run[key] for run in runs) if isinstance(value, float) else value
            for key, value in runs[0].items()}


class Torch:
    """PyTorch in this Python; version is None where it is absent."""

    def __init__(self):
        probe = subprocess.run([sys.executable, "-c", "import torch; print(torch.__version__)"], capture_output=True,
                               text=True, check=False)
        self.version = probe.stdout.strip() if probe.returncode == 0 else None

    def run(self, threads, *tasks):
        """The tasks' results and the process' peak memory."""
        environment = {**os.environ, **dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"),
                                                     str(threads))}
        job = json.dumps({"threads": threads, "tasks": tasks})
        done = subprocess.run([sys.executable, "-B", HERE / "torch_model.py", job], env=environment,
                              capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise RuntimeError(f"PyTorch failed: {done.stderr}")
        return json.loads(done.stdout)

    def time(self, threads, experiment, runs, draws=0):
        [found] = self.run(threads, {"experiment": experiment, "runs": runs, "draws": draws})["results"]
        return {key: value for key, value in found.items() if key.endswith("_ms")}


class Normscope:
    def __init__(self, build):
        self.program = build / "src" / "cli" / "normscope-cli"
        self.sweep_program = build / "tests" / "bench" / "bench-sweep"
        self.core = self.blas = None  # known after the first bench()

    def call(self, *command):
        done = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False,
                              env=ENGLISH, encoding="utf-8")
        if done.returncode != 0:
            raise RuntimeError(f"{' '.join(map(str, command))}: status {done.returncode}: {done.stderr.strip()}")
        return done.stdout

    def version(self):
        return self.call(self.program, "--version").strip()

    def bench(self, experiment, threads, rounds):
        """One seed of the first variant: with weights kept, with weights drawn, its products, its random numbers."""
        with tempfile.TemporaryDirectory(prefix="normscope-bench-") as folder:
            text = self.call(self.program, "bench", write(experiment, folder), "--threads", threads, "--rounds", rounds)
        times = [float(number) for number in re.findall(r"(?m) ([0-9.]+) ms", text)[:4]]
        self.core, self.blas = re.search(r"(?m)^\d+ threads? · (.+) · .*\n(.*)$", text).groups()
        return dict(zip(("pass_ms", "fresh_ms", "products_ms", "random_ms"), times, strict=True))

    def sweep(self):
        """Seconds of the whole sweep: weights drawn, weights kept, each depth run whole."""
        text = self.call(self.sweep_program)
        drawn, kept, whole = (float(number) / 1e3 for number in re.findall(r"(?m): ([0-9.]+) ms", text))
        return drawn, kept, whole

    def run_alone(self, experiment):
        """(seconds, peak resident GiB, result) of `normscope-cli run`, from its start to its end."""
        with tempfile.TemporaryDirectory(prefix="normscope-bench-") as folder:
            out = Path(folder) / "result.json"
            begin = time.perf_counter()
            with subprocess.Popen([self.program, "run", write(experiment, folder), "--output", out], env=ENGLISH,
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
                _, status, usage = os.wait4(process.pid, 0)
                process.returncode = os.waitstatus_to_exitcode(status)
            seconds = time.perf_counter() - begin
            if process.returncode != 0:
                raise RuntimeError(f"normscope-cli run: status {process.returncode}")
            return seconds, usage.ru_maxrss / 2 ** 20, json.loads(out.read_text(encoding="utf-8"))


def write(experiment, folder):
    path = Path(folder) / "experiment.normscope"
    path.write_text(json.dumps(experiment), encoding="utf-8")
    return path


def take_turns(torch, normscope, experiment, threads, runs, turns):
    """(PyTorch, Normscope), each the best of its turns, the same number of threads."""
    theirs, ours = [], []
    for _ in range(turns):
        if torch.version is not None:
            theirs.append(torch.time(threads, experiment, runs, 1))
        ours.append(normscope.bench(experiment, threads, runs))
    return best(theirs) if theirs else None, best(ours)


def worst_difference(torch, normscope, experiment):
    """Largest relative difference of the numbers that both find with the same weights."""
    with tempfile.TemporaryDirectory(prefix="normscope-bench-") as folder:
        out = Path(folder) / "dump"
        normscope.call(normscope.program, "dump", write(experiment, folder), "--variant",
                       experiment["variants"][0]["name"], "--out", out)
        [found] = torch.run(1, {"experiment": experiment, "runs": 0, "dump": str(out)})["results"]
        [variant] = json.loads((out / "result.json").read_text(encoding="utf-8"))["variants"]
    pairs = [(found["loss"], variant["loss"]["mean"]), (found["grad_x"][0], variant["input"]["grad_x"]["mean"])]
    for layer, w_2, grad_x in zip(variant["layers"], found["w_2"], found["grad_x"][1:]):
        pairs += [(w_2, layer["grad"]["w_2"]["mean"]), (grad_x, layer["grad_x"]["mean"])]
    return max(abs(theirs - ours) / abs(theirs) for theirs, ours in pairs)


def fit_sum(depths, times, last):
    """Least squares of t = a + b L (cost is linear in depth), summed over L = 1..last."""
    n, mean_l, mean_t = len(depths), sum(depths) / len(depths), sum(times) / len(times)
    slope = (sum(l * t for l, t in zip(depths, times)) - n * mean_l * mean_t) / (
        sum(l * l for l in depths) - n * mean_l ** 2)
    return last * (mean_t - slope * mean_l) + slope * last * (last + 1) / 2
