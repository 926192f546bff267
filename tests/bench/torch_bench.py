# Copyright (C) 2026 The Normscope developers
# SPDX-License-Identifier: GPL-3.0-or-later
"""Normscope beside PyTorch eager, on this machine, in one run. Prints times and ratios; asserts only that both
compute the same thing.

    torch_bench.py NORMSCOPE_CLI [--only default|gpt2-small|sweep] [--memory]

The engine's time is that of `normscope-cli run` with many seeds less that with few, over their difference: what one
more seed costs, its weights drawn anew, without starting a program. PyTorch's is the best of several passes with
every norm taken; drawing the weights is timed apart.
"""

import argparse
import copy
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "golden"))

import configs  # noqa: E402
from cli import Cli, write  # noqa: E402

DEFAULT = {"shape.depth": 24, "shape.d_model": 128, "shape.heads": 4, "shape.d_ff": 512, "shape.seq_len": 32,
           "shape.batch": 2, "shape.vocab": 256}
GPT2_SMALL = {"shape.depth": 12, "shape.d_model": 768, "shape.heads": 12, "shape.d_ff": 3072, "shape.seq_len": 64,
              "shape.batch": 1, "shape.vocab": 50257, "activation": "gelu", "attention": "causal", "bias": True}
GPT2_XL = {**GPT2_SMALL, "shape.depth": 48, "shape.d_model": 1600, "shape.heads": 25, "shape.d_ff": 6400,
           "shape.seq_len": 128}
SWEEP_DEPTHS = (1, 16, 64, 128)


def torch_worker(experiment, threads, runs, dump=None):
    environment = {**os.environ, "OMP_NUM_THREADS": str(threads), "OPENBLAS_NUM_THREADS": str(threads),
                   "MKL_NUM_THREADS": str(threads)}
    task = {"experiment": experiment, "threads": threads, "runs": runs, "dump": dump and str(dump)}
    done = subprocess.run([sys.executable, "-B", HERE / "torch_model.py", json.dumps(task)], env=environment,
                          capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"PyTorch failed: {done.stderr}")
    return json.loads(done.stdout)


def wall_ms(cli, experiment, seeds, threads):
    many = copy.deepcopy(experiment)
    many["sampling"]["seeds"] = seeds
    begin = time.perf_counter()
    cli.run(many, "--threads", threads)
    return 1e3 * (time.perf_counter() - begin)


def engine_ms(cli, experiment, threads, more_seeds, runs=3):
    """Of one seed, its weights included."""
    few = min(wall_ms(cli, experiment, 1, threads) for _ in range(runs))
    many = min(wall_ms(cli, experiment, 1 + more_seeds, threads) for _ in range(runs))
    return (many - few) / more_seeds


def check_same(cli, experiment):
    """PyTorch with the dumped weights finds the numbers of the dump's result."""
    with tempfile.TemporaryDirectory(prefix="normscope-bench-") as folder:
        out = Path(folder) / "dump"
        cli.call("dump", write(experiment, folder), "--variant", experiment["variants"][0]["name"], "--out", out)
        found = torch_worker(experiment, 1, 0, out)
        [variant] = json.loads((out / "result.json").read_text(encoding="utf-8"))["variants"]
    pairs = [(found["loss"], variant["loss"]["mean"]), (found["grad_x"][0], variant["input"]["grad_x"]["mean"])]
    for layer, w_2, grad_x in zip(variant["layers"], found["w_2"], found["grad_x"][1:]):
        pairs += [(w_2, layer["grad"]["w_2"]["mean"]), (grad_x, layer["grad_x"]["mean"])]
    worst = max(abs(theirs - ours) / abs(theirs) for theirs, ours in pairs)
    if not worst <= 1e-3:
        sys.exit(f"the two do not compute the same: off by {worst:.3g}")
    print(f"  both give the same {len(pairs)} numbers to {worst:.1g}")


def report(name, torch, engine, threads):
    whole, passed, init = torch["whole_ms"], torch["pass_ms"], torch["init_ms"]
    print(f"  {name}, {threads}: PyTorch {passed:.2f} ms forward and backward, {whole:.2f} ms with norms, "
          f"{init:.2f} ms to draw weights")
    print(f"  {name}: Normscope {engine:.2f} ms with norms, weights drawn")
    print(f"  {name}: PyTorch / Normscope = {whole / engine:.2f}; with its weights drawn, too: "
          f"{(whole + init) / engine:.2f}", flush=True)


def bench_default(cli):
    print("default shape: L 24, d_model 128, 4 heads, d_ff 512, 2 x 32 tokens, one variant, one thread")
    for placement in ("pre", "post"):
        experiment = configs.build(configs.both(placement, **DEFAULT))
        check_same(cli, experiment)
        report(f"{placement}-LN", torch_worker(experiment, 1, 20), engine_ms(cli, experiment, 1, 20), "1 thread")


def bench_gpt2_small(cli):
    print("GPT-2 small: L 12, d_model 768, 12 heads, d_ff 3072, vocabulary 50257, 64 tokens")
    experiment = configs.build(GPT2_SMALL)
    counts = [n for n in (1, 2, 4, 8, 16, 32, 64) if n <= os.cpu_count()]
    torch = {n: torch_worker(experiment, n, 4) for n in counts}
    engine = {n: engine_ms(cli, experiment, n, 2 * n, runs=1) for n in counts}
    best = min(counts, key=lambda n: torch[n]["whole_ms"])
    best_engine = min(counts, key=engine.get)
    report("Pre-LN", torch[best], engine[best_engine],
           f"best of {counts} threads: PyTorch {best}, Normscope {best_engine} (over seeds)")
    report("Pre-LN", torch[1], engine[1], "1 thread")


def fit_sum(depths, times, last):
    """Least squares of t = a + b L (cost is linear in depth), summed over L = 1..last."""
    n, mean_l, mean_t = len(depths), sum(depths) / len(depths), sum(times) / len(times)
    slope = (sum(l * t for l, t in zip(depths, times)) - n * mean_l * mean_t) / (
        sum(l * l for l in depths) - n * mean_l ** 2)
    return last * (mean_t - slope * mean_l) + slope * last * (last + 1) / 2


def bench_sweep(cli):
    print("sweep: w_2@last for every depth 1..128 at the default shape, one variant, one seed, one thread "
          f"(measured at {SWEEP_DEPTHS}, fitted linearly)")
    torch, engine = [], []
    for depth in SWEEP_DEPTHS:
        experiment = configs.build({**DEFAULT, "shape.depth": depth})
        found = torch_worker(experiment, 1, 5)
        torch.append(found["pass_ms"] + found["init_ms"])
        engine.append(engine_ms(cli, experiment, 1, max(4, 256 // depth) if depth < 64 else 4, runs=2))
        print(f"  depth {depth}: PyTorch {torch[-1]:.2f} ms, Normscope {engine[-1]:.2f} ms", flush=True)
    ours, theirs = fit_sum(SWEEP_DEPTHS, engine, 128), fit_sum(SWEEP_DEPTHS, torch, 128)
    print(f"  all depths: PyTorch {theirs / 1e3:.2f} s, Normscope run by run {ours / 1e3:.2f} s, "
          f"ratio {theirs / ours:.2f}")


PEAK = "import os, resource, subprocess, sys; done = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL); " \
       "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss); sys.exit(done.returncode)"


def peak_mb(*command):
    """Largest resident memory of a command, through a process that has had no other child."""
    done = subprocess.run([sys.executable, "-c", PEAK, *map(str, command)], capture_output=True, text=True,
                          check=False)
    if done.returncode != 0:
        return f"failed ({done.stderr.strip().splitlines()[-1] if done.stderr.strip() else done.returncode})"
    return f"{int(done.stdout) / 1024:.0f} MB"


def bench_memory():
    experiment = configs.build(GPT2_XL)
    cli = sys.argv[1]
    print("peak memory, GPT-2 XL: L 48, d_model 1600, 25 heads, d_ff 6400, 128 tokens, one seed")
    with tempfile.TemporaryDirectory(prefix="normscope-bench-") as folder:
        path = write(experiment, folder)
        print(f"  Normscope: {peak_mb(cli, 'run', path, '--format', 'json', '--threads', 1)}", flush=True)
    parameters = 48 * (12 * 1600 ** 2) + 1600 * 50257
    needed, have = 2 * 4 * parameters, os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    if needed > 0.9 * have:
        print(f"  PyTorch: not run, weights and gradients alone are {needed / 2 ** 20:.0f} MB of "
              f"{have / 2 ** 20:.0f} MB")
        return
    task = json.dumps({"experiment": experiment, "threads": os.cpu_count(), "runs": 0, "dump": None})
    print(f"  PyTorch: {peak_mb(sys.executable, '-B', HERE / 'torch_model.py', task)}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cli", metavar="NORMSCOPE_CLI")
    parser.add_argument("--only", choices=("default", "gpt2-small", "sweep"))
    parser.add_argument("--memory", action="store_true", help="peak memory at the shape of GPT-2 XL, nothing else")
    options = parser.parse_args()
    try:
        import torch
    except ImportError as error:
        print(f"{error} (Debian: python3-torch)")
        sys.exit(1 if os.environ.get("CI") == "true" else 77)
    if options.memory:
        bench_memory()
        return
    print(f"PyTorch {torch.__version__}, {os.cpu_count()} cores")
    cli = Cli(options.cli)
    for name, bench in (("default", bench_default), ("gpt2-small", bench_gpt2_small), ("sweep", bench_sweep)):
        if options.only in (None, name):
            bench(cli)


if __name__ == "__main__":
    main()
