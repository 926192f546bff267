#!/usr/bin/env python3
# Copyright (C) 2026 The Normscope developers
# SPDX-License-Identifier: GPL-3.0-or-later
"""Measure the performance goals of the project on this machine: goal, measured, met or not, what limits it.

    performance.py BUILD [--short] [--without-window] [--row NAME ...] [--write]

BUILD is the build folder of an optimized build. --short omits models of a billion weights and more. --write writes the
table into docs/PERFORMANCE.md. Goals are ratios within one run; times are printed, never asserted. The only assertion
is that both sides compute the same numbers. Rows that need PyTorch report its absence. build-aux/performance builds
first and runs everything.
"""

import argparse
import datetime
import os
import platform
import re
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(HERE.parent / "golden"))

import configs  # noqa: E402
from peers import Normscope, Torch, best, fit_sum, take_turns, thread_counts, worst_difference  # noqa: E402

DOCUMENT = ROOT / "docs" / "PERFORMANCE.md"
MARKS = ("<!-- measured: written by build-aux/performance -->", "<!-- end of measured -->")


def shape(depth, d_model, heads, d_ff, batch, seq_len, vocab):
    return {"shape.depth": depth, "shape.d_model": d_model, "shape.heads": heads, "shape.d_ff": d_ff,
            "shape.batch": batch, "shape.seq_len": seq_len, "shape.vocab": vocab}


GPT2 = {"activation": "gelu", "attention": "causal", "bias": True}
LLAMA = {"activation": "swiglu", "attention": "causal", "norm": "rmsnorm"}
DEFAULT = shape(24, 128, 4, 512, 2, 32, 256)
GPT2_SMALL = shape(12, 768, 12, 3072, 1, 64, 50257) | GPT2
GPT2_XL = shape(48, 1600, 25, 6400, 1, 64, 50257) | GPT2
LLAMA_7B = shape(32, 4096, 32, 11008, 1, 64, 32000) | LLAMA
ADAM = {"optimizer": "adam", "learning_rate": 3e-3, "beta1": 0.9, "beta2": 0.999, "epsilon": 1e-8, "clip": None,
        "warmup": 0, "schedule": "constant"}
WARM_UP_STEPS = 300
WARM_UP_SHAPE = shape(6, 64, 4, 256, 8, 32, 256) | {"data.source": "tokens", "data.positions": "learned",
                                                    "attention": "causal"}
WARM_UP = {
    "Post-LN": configs.both("post", input_norm=True),
    "Post-LN, warm-up": configs.both("post", input_norm=True),
    "Pre-LN": configs.both("pre"),
    "DeepNorm": configs.both("post", input_norm=True, residual_scale="deepnorm", **{"init.residual": "deepnorm"}),
}
SWEEP_LAST, SWEEP_SEEDS, SWEEP_MEASURED = 128, 8, (1, 32, 64, 128)
FRAME_MS = 1000 / 60
STAGES = ("handlers of the event", "engine, first seed of all variants",
          "to the worker thread and back to the main loop", "figure, sentence and read-out",
          "wait for the frame clock", "layout and painting")


@dataclass
class Figure:
    """One line of the table. met is None without a measurement."""
    case: str
    against: str
    goal: str
    measured: str
    met: bool | None
    more: list = field(default_factory=list)  # printed, not in the table
    limit: str = ""  # what limits it, from LIMITS


# What limits each figure of a row, in the order in which the row yields them: at most two sentences, and nothing that
# another machine or another day changes.
LIMITS = {
    "default": (
        "Both sides spend most of their time in products of 64 tokens with weights of 128 to 512 features; the next "
        "row bounds the ratio from above. Normscope saves ∂L/∂W, which Gram matrices replace, allocations, and the "
        "calls between operations.",
        "Norms, softmax, activations and sums of squares touch each activation a few times. Their share falls as "
        "1/d_model."),
    "depth-step": (
        "The backward pass runs through all blocks, since every gradient depends on those above. The lower blocks keep "
        "their activations, which leaves out the forward pass, about two fifths of the time.",),
    "gpt2-small": (
        "The weights come from memory, 4 bytes for every 64 multiplications and additions. So a second core gains less "
        "than the first.",),
    "products": (
        "The pass over the activations and, with weights drawn, cache misses. One thread, so that products and random "
        "numbers can be added.",),
    "sweep": (
        "Matrix products: one forward pass to the deepest stack and one block backward for each depth, 2·L blocks "
        "instead of L².",),
    "paths": (
        "Each column of the map is a backward pass from its block for all probes at once, half a stack on average.",
        "The same passes. The map is drawn while it fills, from coarse to fine."),
    "quantities": (
        "The other quantities read arrays that the pass has in the cache. Only the participation ratio needs a "
        "product.",
        "Without gradients a run ends after the forward pass."),
    "experts": (
        "Tokens are grouped by expert, so a pass costs what the active experts cost. The more experts there are, the "
        "fewer tokens are in a product.",),
    "training": (
        "Two thirds of a step are products; two threads take half of the minibatch each. PyTorch's time is the lower "
        "quartile of its steps, with the faster of Adam one tensor at a time and `foreach`.",
        "The same steps. The variants' runs advance side by side, one on each core."),
    "training-gpt2": (
        "Weights, two moments and one gradient take 16 bytes for each weight on both sides; the rest are activations "
        "and the program. PyTorch updates one tensor at a time here, since `foreach` needs more.",),
    "gpt2-xl": (
        "The run uses its whole budget for weights and activations, 1 GiB by default. A smaller `--memory-budget` "
        "lowers the peak and costs time for drawing and recomputing.",
        "Weights beyond the budget are drawn once for the forward pass and once for the backward pass, and once more "
        "if the activations do not fit either."),
    "llama-7b": (
        "Each weight is drawn twice, about half of the time. Keeping all of them would take 26 GB.",),
    "deep": (
        "The first use of new memory for the weights of 1000 blocks, 0.8 GB, can take longer than the passes, and the "
        "activations exceed the budget, so the forward pass runs twice. Therefore the window shows what each pass has "
        "measured so far.",),
    "window": (
        "The slider's own frame comes at once, and the next one before the engine is done. So the picture takes the "
        "frame after that.",
        "Most of the time the engine computes the first seed; layout, painting and the frame clock take the rest.",
        "A drag is measured from one picture to the next, so it takes a whole number of frames. The frame clock begins "
        "its beat late after a pause, so two frames take somewhat more than 33 ms.",
        "Cairo draws lines, bands and text on the processor.",
        "GTK, the fonts and the program take 93 MB, the weights of eight seeds 151 MB, the activations of their "
        "sixteen passes 250 MB. Those of the first seed are enough while a slider is dragged: to keep no others would "
        "lower the peak to 317 MB, but the complete picture would wait for fourteen forward passes."),
}


def warm_up(name):
    """Return one variant of the experiment “Why warm-up”, for as many steps as are timed."""
    experiment = configs.build(WARM_UP_SHAPE | WARM_UP[name], name)
    experiment["training"] = ADAM | {"steps": 20, "warmup": 100 if "warm-up" in name else 0}
    return experiment


def ms(number):
    return f"{number:.0f} ms" if number >= 100 else f"{number:.1f} ms"


def no_torch():
    return "no PyTorch here (Debian: python3-torch)"


class Bench:
    def __init__(self, build):
        self.build, self.torch, self.normscope = build, Torch(), Normscope(build)
        self.cores = thread_counts()[-1]
        self.default = {}  # {placement: times of bench() at the default shape with one thread}
        self.normscope.bench(configs.build({}), 1, 1)
        self.torch.core = self.normscope.core

    def check_same(self, experiment):
        if self.torch.version is not None:
            worst = worst_difference(self.torch, self.normscope, experiment)
            if not worst <= 1e-3:
                sys.exit(f"PyTorch and Normscope disagree: relative difference {worst:.3g}")

    def row_default(self):
        ratios, more = [], []
        for placement in ("pre", "post"):
            experiment = configs.build(configs.both(placement, **DEFAULT))
            self.check_same(experiment)
            theirs, ours = take_turns(self.torch, self.normscope, experiment, 1, 20, turns=3)
            self.default[placement] = ours
            if theirs is None:
                continue
            fresh = (theirs["whole_ms"] + theirs["init_ms"]) / ours["fresh_ms"]
            ratios.append((theirs["whole_ms"] / ours["pass_ms"], fresh))
            more.append(f"{placement}-LN: PyTorch {ms(theirs['whole_ms'])} ({ms(theirs['pass_ms'])} without norms), "
                        f"Normscope {ms(ours['pass_ms'])}; both with their weights drawn: PyTorch "
                        f"{ms(theirs['whole_ms'] + theirs['init_ms'])}, Normscope {ms(ours['fresh_ms'])}")
        kept, fresh = map(min, zip(*ratios)) if ratios else (None, None)
        yield Figure("default shape, one variant, one seed, one thread; weights kept",
                     "PyTorch eager, forward, backward and norms, one thread", ">= 5 times as fast",
                     no_torch() if kept is None else f"{kept:.1f} times ({fresh:.1f} with the weights drawn on both "
                     "sides); the slower of Pre-LN and Post-LN", None if kept is None else kept >= 5, more)
        worst = max(times["pass_ms"] / times["products_ms"] for times in self.default.values())
        yield Figure("default shape, one variant, one seed, one thread; weights kept", "its own matrix products alone",
                     "<= 1.5", f"{worst:.2f} (the slower of Pre-LN and Post-LN)", worst <= 1.5)

    def row_depth_step(self):
        """PyTorch runs the deeper of the two stacks whole, each variant and seed after the other."""
        first, every = self.normscope.depth_step()
        case = "complete picture after a depth step: default shape, 2 variants, 8 seeds, all cores; weights kept"
        against, goal = "PyTorch, its best thread count", ">= 6 times as fast"
        more = [f"{name}: {ms(kept)}, {kept / whole:.2f} times {ms(whole)}, the time without kept activations"
                for name, (kept, whole) in (("first seed", first), ("all seeds", every))]
        if self.torch.version is None:
            yield Figure(case, against, goal, no_torch(), None, more)
            return
        theirs = {threads: 8 * sum(self.torch.time(threads, configs.build(configs.both(
            placement, **DEFAULT | {"shape.depth": 25})), 10)["whole_ms"] for placement in ("pre", "post"))
                  for threads in thread_counts()}
        more += [f"PyTorch, {threads} threads: {ms(time)}" for threads, time in theirs.items()]
        ratio = min(theirs.values()) / every[0]
        yield Figure(case, against, goal, f"{ratio:.1f} times", ratio >= 6, more)

    def row_gpt2_small(self):
        experiment, case = configs.build(GPT2_SMALL), "GPT-2 small, 64 tokens, all cores; weights kept"
        against, goal = "PyTorch, its best thread count", ">= 2.5 times as fast"
        ours, theirs = [], {n: [] for n in thread_counts()}
        for _ in range(2):
            ours.append(self.normscope.bench(experiment, self.cores, 2))
            for threads, found in theirs.items() if self.torch.version else ():
                found.append(self.torch.time(threads, experiment, 3, 1))
        ours = best(ours)
        if self.torch.version is None:
            yield Figure(case, against, goal, no_torch(), None)
            return
        theirs = {threads: best(found) for threads, found in theirs.items()}
        threads, least = min(theirs.items(), key=lambda item: item[1]["whole_ms"])
        ratio = least["whole_ms"] / ours["pass_ms"]
        fresh = (least["whole_ms"] + least["init_ms"]) / ours["fresh_ms"]
        yield Figure(case, against, goal, f"{ratio:.1f} times ({fresh:.1f} with the weights drawn on both sides)",
                     ratio >= 2.5,
                     [f"{n} threads: PyTorch {ms(found['whole_ms'])} ({ms(found['pass_ms'])} without norms)"
                      for n, found in theirs.items()]
                     + [f"Normscope, {self.cores} threads: {ms(ours['pass_ms'])}, with its weights drawn "
                        f"{ms(ours['fresh_ms'])}; PyTorch with its weights drawn "
                        f"{ms(least['whole_ms'] + least['init_ms'])} with {threads} threads"])

    def row_products(self):
        ratios, more = {}, []
        for d_model, tokens in ((256, 64), (512, 64), (512, 256), (768, 64), (1024, 64)):
            experiment = configs.build(shape(6, d_model, d_model // 64, 4 * d_model, 1, tokens, 256))
            times = self.normscope.bench(experiment, 1, 8 if d_model <= 512 else 4)
            fresh = times["fresh_ms"] / (times["products_ms"] + times["random_ms"])
            kept = times["pass_ms"] / times["products_ms"]
            ratios[d_model, tokens] = max(fresh, kept)
            more.append(f"d_model {d_model}, {tokens} tokens: {fresh:.2f} with weights drawn ({ms(times['fresh_ms'])} "
                        f"over {ms(times['products_ms'])} + {ms(times['random_ms'])}), {kept:.2f} with weights kept")
        wide = {key: ratio for key, ratio in ratios.items() if key[0] > 256}
        yield Figure("shapes above d_model 256 (512, 768, 1024; 6 blocks, one thread)",
                     "its own matrix products plus its own random numbers", "<= 1.25",
                     f"{min(wide.values()):.2f} to {max(wide.values()):.2f}; at 256: {ratios[256, 64]:.2f}",
                     max(wide.values()) <= 1.25, more)

    def row_sweep(self):
        drawn, kept, whole = self.normscope.sweep()
        case = f"sweep of w_2 at the last block, L = 1..{SWEEP_LAST}, 2 variants, {SWEEP_SEEDS} seeds, all cores"
        against, goal = "PyTorch run depth by depth, its best thread count", ">= 100 times as fast"
        more = [f"Normscope {drawn:.2f} s with its weights drawn, {kept:.2f} s with weights kept; every depth run "
                f"whole would take {whole:.1f} s, {whole / kept:.1f} times as long"]
        if self.torch.version is None:
            yield Figure(case, against, goal, no_torch(), None, more)
            return
        kept_s, drawn_s, n = {}, {}, len(SWEEP_MEASURED)
        for threads in thread_counts():
            tasks = [{"experiment": configs.build(configs.both(placement, **DEFAULT | {"shape.depth": depth})),
                      "runs": 4, "draws": 1} for placement in ("pre", "post") for depth in SWEEP_MEASURED]
            results = self.torch.run(threads, *tasks)["results"]
            for seconds, keys in ((kept_s, ["pass_ms"]), (drawn_s, ["pass_ms", "init_ms"])):
                times = [sum(found[key] for key in keys) for found in results]
                seconds[threads] = SWEEP_SEEDS / 1e3 * sum(fit_sum(SWEEP_MEASURED, times[i:i + n], SWEEP_LAST)
                                                           for i in (0, n))
            more.append(f"PyTorch, {threads} threads, no norms: {kept_s[threads]:.0f} s with weights kept, "
                        f"{drawn_s[threads]:.0f} s with each model's weights drawn (depths "
                        f"{', '.join(map(str, SWEEP_MEASURED))} measured, summed by fit)")
        ratio, fresh = min(kept_s.values()) / kept, min(drawn_s.values()) / drawn
        yield Figure(case, against, goal, f"{ratio:.0f} times ({fresh:.0f} with the weights drawn on both sides)",
                     ratio >= 100, more)

    def row_paths(self):
        found = self.normscope.paths()
        more = [f"{kind}: {ms(time)}, {runs:.1f} ordinary runs" for kind, (time, runs) in found.items()]
        time, runs = found["gain"]
        case = "gain map of one seed, default shape, 2 variants, 4 probes, all cores"
        yield Figure(case, "an ordinary run of that seed", "<= 20 times as long", f"{runs:.1f} times", runs <= 20, more)
        yield Figure(case, "", "< 1 s", ms(time), time < 1000)

    def row_quantities(self):
        found = self.normscope.quantities()
        case = "default shape, 2 variants, one seed, all cores"
        against = "a run that is asked for gradient norms and sizes alone"
        more = [f"{name}: {ratio:.3f} times" for name, ratio in found.items()]
        ratio = found["with all of these"]
        yield Figure(f"every quantity; {case}", against, "<= 1.25 times as long", f"{ratio:.2f} times", ratio <= 1.25,
                     more)
        ratio = found["rms_x alone"]
        yield Figure(f"`rms_x` alone; {case}", against, "<= 0.45 times as long", f"{ratio:.2f} times", ratio <= 0.45)

    def row_experts(self):
        found = self.normscope.experts()
        ratio = found["8 experts"]
        yield Figure("2 of 8 experts of d_ff 512; blocks of an FFN alone, d_model 256, 2048 tokens, all cores",
                     "a plain FFN of d_ff 1024, the active width", "<= 1.5 times as long", f"{ratio:.2f} times",
                     ratio <= 1.5, [f"{name}: {value:.2f} times" for name, value in found.items()])

    def row_training(self):
        """The experiment “Why warm-up”: the same weights and batches on both sides. PyTorch's Adam updates one tensor
        at a time or, with foreach, several at once."""
        runs = [warm_up(name) for name in WARM_UP]
        four = {**runs[0], "variants": [run["variants"][0] for run in runs]}
        case, against = "the experiment “Why warm-up”", "PyTorch eager, its best thread count and Adam"
        ways = [(threads, foreach) for threads in thread_counts() for foreach in (False, True)]
        ours, together, theirs = [], [], {way: [] for way in ways if self.torch.version}
        for _ in range(2):
            ours.append(min(self.normscope.train(runs[0], 100, threads) / 100 for threads in thread_counts()))
            together.append(self.normscope.train(four, WARM_UP_STEPS, self.cores))
            for way, times in theirs.items():
                times.append(self.train_torch(runs[0], *way))
        ours, together = min(ours), min(together)
        goal = Figure(f"{case}: 4 runs of {WARM_UP_STEPS} steps, all cores", "this machine", "<= 6 s",
                      f"{together:.1f} s", together <= 6)
        if self.torch.version is None:
            yield Figure(f"{case}: one step", against, ">= 3 times as fast", no_torch(), None)
            yield goal
            return
        best_way, step = min(((way, min(times)) for way, times in theirs.items()), key=lambda item: item[1])
        whole = WARM_UP_STEPS * (step + sum(self.train_torch(run, *best_way) for run in runs[1:]))
        more = [f"PyTorch, {threads} threads, {'foreach' if foreach else 'one tensor at a time'}: "
                f"{ms(1e3 * min(times))} for a step of {runs[0]['variants'][0]['name']}"
                for (threads, foreach), times in theirs.items()]
        more.append(f"Normscope: {ms(1e3 * ours)}")
        yield Figure(f"{case}: one step", against, ">= 3 times as fast", f"{step / ours:.1f} times", step / ours >= 3,
                     more)
        goal.measured += f", PyTorch one run after the other {whole:.1f} s, {whole / together:.1f} times as long"
        yield goal

    def train_torch(self, experiment, threads, foreach):
        """Return the seconds of a step, after checking the losses."""
        found = self.torch.train(threads, experiment, self.normscope.dump_training, foreach)
        worst = max(abs(a - b) for a, b in zip(found["losses"][:10], found["engine_losses"][:10], strict=True))
        if not worst <= 1e-2:
            sys.exit(f"PyTorch and Normscope disagree: losses differ by {worst:.3g}")
        return found["step_ms"] / 1e3

    def row_training_gpt2(self):
        """Both untied, with Adam; PyTorch updates one tensor at a time, which takes less memory than foreach."""
        experiment = configs.build(GPT2_SMALL | {"data.source": "tokens", "data.positions": "learned"}
                                   | configs.both("pre"), "GPT-2 small")
        experiment["training"] = ADAM | {"steps": 3, "learning_rate": 1e-4}
        seconds, gib, result = self.normscope.run_alone(experiment, "train")
        case, against, goal = "GPT-2 small, training, 64 tokens, Adam", "PyTorch's peak memory", "less"
        ours = f"Normscope {gib:.2f} GiB, {seconds:.1f} s for 3 steps from start to end"
        if self.torch.version is None:
            yield Figure(case, against, goal, no_torch(), None, [ours])
            return
        found = self.torch.run(self.cores, {"experiment": experiment, "foreach": False}, script="torch_training.py")
        [theirs] = found["results"]
        yield Figure(case, against, goal, f"{gib / found['peak_gib']:.2f} times ({gib:.2f} GiB against "
                     f"{found['peak_gib']:.2f} GiB)", gib < found["peak_gib"],
                     [ours, f"PyTorch {found['peak_gib']:.2f} GiB, {theirs['step_ms'] / 1e3:.1f} s for a step"])

    def row_gpt2_xl(self):
        experiment = configs.build(GPT2_XL)
        seconds, gib, _ = self.normscope.run_alone(experiment)
        case = "GPT-2 XL (1.5 billion weights), 64 tokens, all cores"
        ours = f"Normscope {gib:.2f} GiB, {seconds:.1f} s from start to end"
        goals = (("PyTorch's peak memory", "<= 1/8"), ("PyTorch's time", "faster"))
        needed, have = 2 * 4 * (48 * 12 * 1600 ** 2 + 1600 * 50257) / 2 ** 30, available_gib()
        if self.torch.version is None or needed * 1.1 > have:
            why = (no_torch() if self.torch.version is None else
                   f"PyTorch needs {needed:.1f} GiB for weights and gradients; {have:.1f} GiB are free here")
            for against, goal in goals:
                yield Figure(case, against, goal, why, None, [ours])
            return
        found = self.torch.run(self.cores, {"experiment": experiment, "runs": 1, "draws": 1})
        theirs = found["results"][0]
        kept, fresh = theirs["whole_ms"] / 1e3, (theirs["whole_ms"] + theirs["init_ms"]) / 1e3
        more = [ours, f"PyTorch {found['peak_gib']:.2f} GiB, {kept:.1f} s with its weights kept, {fresh:.1f} s with "
                "its weights drawn"]
        yield Figure(case, *goals[0], f"1/{found['peak_gib'] / gib:.1f} ({gib:.2f} GiB against "
                     f"{found['peak_gib']:.2f} GiB)", gib * 8 <= found["peak_gib"], more)
        yield Figure(case, *goals[1], f"{kept / seconds:.1f} times ({fresh / seconds:.1f} with the weights drawn on "
                     "both sides; Normscope draws them in either case)", kept > seconds)

    def row_llama_7b(self):
        seconds, gib, result = self.normscope.run_alone(configs.build(LLAMA_7B))
        [variant] = result["variants"]
        finished = len(variant["layers"]) == 32 and variant["loss"]["mean"] > 0
        yield Figure("LLaMA-7B (6.6 billion weights), 64 tokens, all cores", "this machine",
                     "finishes, peak memory < 2 GiB", f"{gib:.2f} GiB, {seconds:.0f} s from start to end",
                     finished and gib < 2, [f"loss {variant['loss']['mean']:.4f}"])

    def run_in_window(self, name):
        """Run a benchmark of the window through Meson, which sets up the environment; "" where there is no window."""
        log = self.build / "meson-logs" / "performance.txt"
        done = subprocess.run(["meson", "test", "-C", self.build, "--no-rebuild", "--benchmark", "--logbase",
                               "performance", name], capture_output=True, text=True, check=False)
        return log.read_text(encoding="utf-8") if done.returncode == 0 else ""

    def row_deep(self):
        case = "slider event to picture, default shape with 1000 blocks, 2 variants"
        text = self.run_in_window("deep")
        times = {key: re.search(rf"slider event to {what}: median ([0-9]+)\.\d ms.*worst ([0-9]+)\.", text)
                 for key, what in (("first", "the first picture of 1000 blocks"), ("gradients", "its first gradients"),
                                   ("whole", "its whole first seed"))}
        if not all(times.values()):
            yield Figure(case, "", "< 1 s", "no window here: the benchmark “deep” did not run", None)
            return
        first, gradients, whole = (f"{found[1]} ms (worst {found[2]})" for found in times.values())
        yield Figure(case, "", "< 1 s, an incomplete one allowed",
                     f"blocks of the forward pass {first}, with gradients {gradients}, whole first seed {whole}",
                     int(times["gradients"][1]) < 1000, re.findall(r"round \d+: first picture.*", text))

    def row_window(self):
        text = self.run_in_window("latency")
        slider = re.search(r"event to figure, from idle: median ([0-9.]+) ms", text)
        drag = re.search(r"event to figure, dragging: median ([0-9.]+) ms", text)
        drawing = re.search(r"drawing at 1600 x 1000: median ([0-9.]+) ms", text)
        memory = re.search(r"peak resident memory.*?: (\d+) MB", text)
        if not (slider and drag and drawing and memory):
            yield Figure("the window", "the frame clock", "measured",
                         "no window here: the benchmark “latency” did not run", None)
            return
        slider, drag, drawing, memory = (float(found.group(1)) for found in (slider, drag, drawing, memory))
        stages = re.findall(f"# ({'|'.join(STAGES)}): median (-?[0-9.]+) ms", text)
        frames, dragging = slider / FRAME_MS, drag / FRAME_MS
        yield Figure("slider event to picture, default shape", "the frame clock, 60 Hz", "median <= 2 frames",
                     f"{frames:.1f} frames: {ms(slider)} from rest, {ms(drag)} while dragging", frames <= 2)
        yield Figure("slider event to picture, default shape", "", "median <= 50 ms", ms(slider), slider <= 50)
        yield Figure("slider event to picture while dragging, default shape", "", "median <= 33 ms",
                     f"{ms(drag)}, {dragging:.1f} frames", drag <= 2 * FRAME_MS,
                     [f"{name}: {time} ms" for name, time in stages])
        yield Figure("drawing at 1600 x 1000, default shape", "", "<= 5 ms", ms(drawing), drawing <= 5)
        yield Figure("the window at the default shape", "", "peak memory < 300 MB", f"{memory:.0f} MB", memory < 300)

    def rows(self):
        return {"default": self.row_default, "depth-step": self.row_depth_step,
                "gpt2-small": self.row_gpt2_small, "products": self.row_products,
                "sweep": self.row_sweep, "paths": self.row_paths, "quantities": self.row_quantities,
                "experts": self.row_experts,
                "training": self.row_training, "training-gpt2": self.row_training_gpt2,
                "gpt2-xl": self.row_gpt2_xl, "llama-7b": self.row_llama_7b, "deep": self.row_deep,
                "window": self.row_window}


LONG_ROWS = ("gpt2-xl", "llama-7b")
WINDOW_ROWS = ("deep", "window")


def available_gib():
    found = re.search(r"MemAvailable:\s+(\d+)", Path("/proc/meminfo").read_text(encoding="utf-8"))
    return int(found.group(1)) / 2 ** 20


def processor():
    try:
        found = re.search(r"model name\s*: (.*)", Path("/proc/cpuinfo").read_text(encoding="utf-8"))
    except OSError:
        found = None
    return found.group(1) if found else platform.processor()


def describe(bench):
    """Return lines that describe the machine."""
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 2 ** 30
    system = platform.freedesktop_os_release()["PRETTY_NAME"]
    forced = os.environ.get("OPENBLAS_CORETYPE")
    return [f"Machine: {processor()}, {bench.cores} cores, {memory:.0f} GiB; {system}",
            f"BLAS core: {bench.normscope.core}" + (f", FORCED by OPENBLAS_CORETYPE={forced}: figures "
                                                                   "of another processor" if forced else ""),
            f"Versions: {bench.normscope.version()}, {bench.normscope.blas}, PyTorch "
            f"{bench.torch.version or 'absent'}",
            f"Date: {datetime.date.today().isoformat()}; other work on the machine at the start: load "
            f"{LOAD_AT_START:.1f}"]


def verdict(figure):
    return {True: "met", False: "not met", None: "not measured"}[figure.met]


def write_table(bench, figures):
    """Replace the part of the document between MARKS."""
    text = DOCUMENT.read_text(encoding="utf-8")
    begin, end = (text.index(mark) for mark in MARKS)
    machine = f"{processor()}, {bench.cores} cores"
    lines = [f"- {line}" for line in describe(bench)]
    lines += ["", "| case | against | goal | measured | | machine | what limits it |", "| --- " * 7 + "|"]
    lines += [f"| {figure.case} | {figure.against} | {figure.goal} | {figure.measured} | {verdict(figure)} "
              f"| {machine} | {figure.limit} |" for figure in figures]
    DOCUMENT.write_text("\n".join([text[:begin] + MARKS[0], "", *lines, "", text[end:]]), encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", metavar="BUILD", type=Path)
    parser.add_argument("--short", action="store_true", help="without " + " and ".join(LONG_ROWS))
    parser.add_argument("--without-window", action="store_true", help="without the benchmarks of the window")
    parser.add_argument("--row", action="append", help="only this one; may be given several times")
    parser.add_argument("--write", action="store_true", help="write the table into docs/PERFORMANCE.md")
    options = parser.parse_args()
    bench, figures = Bench(options.build.resolve()), []
    rows = bench.rows()
    unknown = set(options.row or ()) - set(rows)
    if unknown:
        parser.error(f"--row {', '.join(sorted(unknown))}: rows are {', '.join(rows)}")
    for name, row in rows.items():
        left_out = (options.short and name in LONG_ROWS) or (options.without_window and name in WINDOW_ROWS)
        if name not in options.row if options.row else left_out:
            continue
        for i, figure in enumerate(row()):
            figure.limit = LIMITS[name][i]
            figures.append(figure)
            print(f"{figure.case}, against {figure.against}" if figure.against else figure.case)
            print(f"  goal {figure.goal}; measured {figure.measured}: {verdict(figure)}")
            print("".join(f"    {line}\n" for line in figure.more), end="", flush=True)
    print("\n".join(describe(bench)))
    if options.write:
        write_table(bench, figures)
        print(f"written: {DOCUMENT.relative_to(ROOT)}")


LOAD_AT_START = os.getloadavg()[0]

if __name__ == "__main__":
    main()
