# Copyright (C) 2026 The Normscope developers
# SPDX-License-Identifier: GPL-3.0-or-later
"""Run Normscope's commands and PyTorch for performance.py, each in a separate process."""

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
    """Return 1, 2, 4, … and the number of cores."""
    cores = len(os.sched_getaffinity(0))
    return sorted({n for n in (1, 2, 4, 8, 16, 32, 64) if n < cores} | {cores})


def best(runs):
    """Return the minimum of each number over the runs."""
    return {key: min(run[key] for run in runs) if isinstance(value, float) else value
            for key, value in runs[0].items()}


class Torch:
    """PyTorch in this Python. version is None without PyTorch."""

    def __init__(self):
        # Not in the current folder, where Python would search for torch.
        probe = subprocess.run([sys.executable, "-c", "import torch; print(torch.__version__)"], cwd=HERE,
                               capture_output=True, text=True, check=False)
        self.version = probe.stdout.strip() if probe.returncode == 0 else None
        self.core = None  # OpenBLAS's kernels; where OpenBLAS has fallen back to the oldest, Normscope chooses better

    def run(self, threads, *tasks, script="torch_model.py"):
        """Run the tasks. Return their results and the peak memory of the process."""
        environment = {**os.environ, **dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"),
                                                     str(threads))}
        if self.core is not None:
            environment.setdefault("OPENBLAS_CORETYPE", self.core)
        job = json.dumps({"threads": threads, "tasks": tasks})
        done = subprocess.run([sys.executable, "-B", HERE / script, job], env=environment,
                              capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise RuntimeError(f"PyTorch failed: {done.stderr}")
        return json.loads(done.stdout)

    def time(self, threads, experiment, runs, draws=0):
        [found] = self.run(threads, {"experiment": experiment, "runs": runs, "draws": draws})["results"]
        return {key: value for key, value in found.items() if key.endswith("_ms")}


    def train(self, threads, experiment, program, foreach):
        """Train the only variant on the weights and batches of dump-training. Return times and losses."""
        [found] = self.run(threads, {"experiment": experiment, "program": str(program), "foreach": foreach},
                           script="torch_training.py")["results"]
        return found


class Normscope:
    def __init__(self, build):
        self.program = build / "src" / "cli" / "normscope-cli"
        self.depth_step_program = build / "tests" / "bench" / "bench-depth-step"
        self.sweep_program = build / "tests" / "bench" / "bench-sweep"
        self.paths_program = build / "tests" / "bench" / "bench-paths"
        self.training_program = build / "tests" / "bench" / "bench-training"
        self.dump_training = build / "tests" / "cross" / "dump-training"
        self.quantities_program = build / "tests" / "bench" / "bench-quantities"
        self.experts_program = build / "tests" / "bench" / "bench-experts"
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
        """Time one seed of the first variant: weights kept, the same without the quantities of paths and tokens,
        weights drawn, products only, random numbers only."""
        with tempfile.TemporaryDirectory(prefix="normscope-bench-") as folder:
            text = self.call(self.program, "bench", write(experiment, folder), "--threads", threads, "--rounds", rounds)
        times = [float(number) for number in re.findall(r"(?m) ([0-9.]+) ms", text)[:5]]
        self.core, self.blas = re.search(r"(?m)^\d+ threads? · (.+) · .*\n(.*)$", text).groups()
        return dict(zip(("pass_ms", "norms_ms", "fresh_ms", "products_ms", "random_ms"), times, strict=True))

    def depth_step(self):
        """Return the milliseconds of a step of the depth: ((first seed, without kept activations), (all seeds, …))."""
        text = self.call(self.depth_step_program)
        return [(float(kept), float(whole)) for kept, whole in
                re.findall(r"(?m): ([0-9.]+) ms, without kept activations ([0-9.]+) ms$", text)]

    def sweep(self):
        """Return the seconds of a sweep with weights drawn, with weights kept, and as whole runs of each depth."""
        text = self.call(self.sweep_program)
        drawn, kept, whole = (float(number) / 1e3 for number in re.findall(r"(?m): ([0-9.]+) ms", text))
        return drawn, kept, whole

    def paths(self):
        """Return {kind: (milliseconds, ordinary runs)} of the paths of one seed."""
        text = self.call(self.paths_program)
        return {kind: (float(time), float(runs))
                for kind, time, runs in re.findall(r"(?m)^  (\w+): ([0-9.]+) ms, ([0-9.]+) ordinary runs$", text)}

    def train(self, experiment, steps, threads):
        """Train every variant for so many steps. Return the seconds."""
        with tempfile.TemporaryDirectory(prefix="normscope-bench-") as folder:
            text = self.call(self.training_program, write(experiment, folder), steps, threads)
        return float(re.search(r": ([0-9.]+) ms", text).group(1)) / 1e3

    def quantities(self):
        """Return {set of quantities: time relative to a run for gradient norms and sizes}."""
        return self.ratios(self.quantities_program)

    def experts(self):
        """Return {"8 experts": time relative to a plain FFN of the active width}."""
        return self.ratios(self.experts_program)

    def ratios(self, program):
        return {name: float(ratio)
                for name, ratio in re.findall(r"(?m)^  (.+): ([0-9.]+) times as long$", self.call(program))}

    def run_alone(self, experiment, command="run"):
        """Return (seconds, peak resident GiB, result) of a whole `normscope-cli run`, or of another command."""
        with tempfile.TemporaryDirectory(prefix="normscope-bench-") as folder:
            out = Path(folder) / "result.json"
            begin = time.perf_counter()
            with subprocess.Popen([self.program, command, write(experiment, folder), "--output", out], env=ENGLISH,
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
                _, status, usage = os.wait4(process.pid, 0)
                process.returncode = os.waitstatus_to_exitcode(status)
            seconds = time.perf_counter() - begin
            if process.returncode != 0:
                raise RuntimeError(f"normscope-cli {command}: status {process.returncode}")
            return seconds, usage.ru_maxrss / 2 ** 20, json.loads(out.read_text(encoding="utf-8"))


def write(experiment, folder):
    path = Path(folder) / "experiment.normscope"
    path.write_text(json.dumps(experiment), encoding="utf-8")
    return path


def take_turns(torch, normscope, experiment, threads, runs, turns):
    """Run PyTorch and Normscope in turn with the same number of threads. Return the best times of each."""
    theirs, ours = [], []
    for _ in range(turns):
        if torch.version is not None:
            theirs.append(torch.time(threads, experiment, runs, 1))
        ours.append(normscope.bench(experiment, threads, runs))
    return best(theirs) if theirs else None, best(ours)


def worst_difference(torch, normscope, experiment):
    """Return the largest relative difference between PyTorch and Normscope with the same weights."""
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
    """Fit t = a + b L by least squares (cost is linear in depth). Return the sum over L = 1..last."""
    n, mean_l, mean_t = len(depths), sum(depths) / len(depths), sum(times) / len(times)
    slope = (sum(l * t for l, t in zip(depths, times)) - n * mean_l * mean_t) / (
        sum(l * l for l in depths) - n * mean_l ** 2)
    return last * (mean_t - slope * mean_l) + slope * last * (last + 1) / 2
