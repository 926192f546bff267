# Copyright (C) 2026 The Normscope developers
# SPDX-License-Identifier: GPL-3.0-or-later
"""Normscope beside PyTorch eager, on this machine, in one run. Prints times and ratios; asserts only that both
compute the same thing.

    torch_bench.py NORMSCOPE_CLI [--only default|gpt2-small|sweep] [--memory]

The engine's times are those of `normscope-cli bench`, PyTorch's come from torch_model.py; both take every norm, and
both are timed with the weights kept and with the weights drawn anew. They take turns, and the best of each counts.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "golden"))

try:
    import torch as pytorch
except ImportError as missing:
    print(f"{missing} (Debian: python3-torch)")
    sys.exit(1 if os.environ.get("CI") == "true" else 77)

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


def engine_times(cli, experiment, threads, rounds):
    """{"pass_ms", "fresh_ms"} of one seed with all norms: weights kept, weights drawn anew."""
    with tempfile.TemporaryDirectory(prefix="normscope-bench-") as folder:
        text = cli.call("bench", write(experiment, folder), "--threads", threads, "--rounds", rounds)
    passed, fresh = (float(number) for number in re.findall(r"(?m) ([0-9.]+) ms", text)[:2])
    return {"pass_ms": passed, "fresh_ms": fresh}


def best(*runs):
    """Of the runs' numbers; lists are the same in each."""
    return {key: min(run[key] for run in runs) if isinstance(value, float) else value
            for key, value in runs[0].items()}


def take_turns(cli, experiment, threads, torch_runs, rounds, turns=3):
    """(PyTorch, Normscope), each the best of its turns."""
    torch, engine = [], []
    for _ in range(turns):
        torch.append(torch_worker(experiment, threads, torch_runs))
        engine.append(engine_times(cli, experiment, threads, rounds))
    return best(*torch), best(*engine)


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


def report(name, torch, engine):
    fresh = torch["whole_ms"] + torch["init_ms"]
    print(f"  {name}: PyTorch {torch['whole_ms']:.2f} ms with all norms ({torch['pass_ms']:.2f} ms without), "
          f"{fresh:.2f} ms with its weights drawn")
    print(f"  {name}: Normscope {engine['pass_ms']:.2f} ms with all norms, {engine['fresh_ms']:.2f} ms with its "
          "weights drawn")
    print(f"  {name}: PyTorch / Normscope = {torch['whole_ms'] / engine['pass_ms']:.2f} "
          f"(PyTorch without norms: {torch['pass_ms'] / engine['pass_ms']:.2f}; both with weights drawn: "
          f"{fresh / engine['fresh_ms']:.2f})", flush=True)


def bench_default(cli):
    print("default shape: L 24, d_model 128, 4 heads, d_ff 512, 2 x 32 tokens, one variant, one seed, one thread")
    for placement in ("pre", "post"):
        experiment = configs.build(configs.both(placement, **DEFAULT))
        check_same(cli, experiment)
        report(f"{placement}-LN", *take_turns(cli, experiment, 1, 20, 20))


def bench_gpt2_small(cli):
    print("GPT-2 small: L 12, d_model 768, 12 heads, d_ff 3072, vocabulary 50257, 64 tokens")
    experiment = configs.build(GPT2_SMALL)
    torch, engine = {}, {}
    for n in (n for n in (1, 2, 4, 8, 16, 32, 64) if n <= os.cpu_count()):
        torch[n], engine[n] = take_turns(cli, experiment, n, 3, 3, turns=2)
    best_torch = min(torch, key=lambda n: torch[n]["whole_ms"])
    best_engine = min(engine, key=lambda n: engine[n]["pass_ms"])
    report(f"best of {list(torch)} threads (PyTorch {best_torch}, Normscope {best_engine})", torch[best_torch],
           engine[best_engine])
    report("1 thread", torch[1], engine[1])


def fit_sum(depths, times, last):
    """Least squares of t = a + b L (cost is linear in depth), summed over L = 1..last."""
    n, mean_l, mean_t = len(depths), sum(depths) / len(depths), sum(times) / len(times)
    slope = (sum(l * t for l, t in zip(depths, times)) - n * mean_l * mean_t) / (
        sum(l * l for l in depths) - n * mean_l ** 2)
    return last * (mean_t - slope * mean_l) + slope * last * (last + 1) / 2


def bench_sweep(cli):
    print("sweep: w_2@last for every depth 1..128 at the default shape, one variant, one seed, one thread, weights "
          f"kept (measured at {SWEEP_DEPTHS}, fitted linearly)")
    torch, engine = [], []
    for depth in SWEEP_DEPTHS:
        found, times = take_turns(cli, configs.build({**DEFAULT, "shape.depth": depth}), 1, 6, 6, turns=2)
        torch.append(found["pass_ms"])
        engine.append(times["pass_ms"])
        print(f"  depth {depth}: PyTorch {torch[-1]:.2f} ms without norms, Normscope {engine[-1]:.2f} ms with all",
              flush=True)
    ours, theirs = fit_sum(SWEEP_DEPTHS, engine, 128), fit_sum(SWEEP_DEPTHS, torch, 128)
    print(f"  all depths: PyTorch {theirs / 1e3:.2f} s, Normscope run by run {ours / 1e3:.2f} s, "
          f"ratio {theirs / ours:.2f}")


PEAK = "import resource, subprocess, sys; done = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL); " \
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
    if options.memory:
        bench_memory()
        return
    print(f"PyTorch {pytorch.__version__}, {os.cpu_count()} cores")
    cli = Cli(options.cli)
    for name, bench in (("default", bench_default), ("gpt2-small", bench_gpt2_small), ("sweep", bench_sweep)):
        if options.only in (None, name):
            bench(cli)


if __name__ == "__main__":
    main()
