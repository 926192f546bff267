#!/usr/bin/env python3
# Copyright (C) 2026 The Normscope developers
# SPDX-License-Identifier: GPL-3.0-or-later
"""Compare matrix products at 64 tokens: OpenBLAS as the engine calls it, and other libraries that are installed.

    products.py PROGRAM [--rounds N] [--seconds S] [WAY ...]

PROGRAM is bench-products, which says what it can time. A WAY is "[VARIABLE=VALUE ...] [COMMAND ...] NAME": a way of
PROGRAM, or the path of a shared library with CBLAS functions, perhaps with variables of the environment, or by another
command than PROGRAM. Without any, all that are found here. The ways take turns, each in a process of its own with one
thread; the table has the medians over the rounds, in GFLOP/s.
"""

import argparse
import ctypes.util
import os
import re
import shlex
import statistics
import subprocess
import sys

CORES = ("Haswell", "SkylakeX", "Cooperlake", "Sapphirerapids")
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "BLIS_NUM_THREADS"), "1")


class Way:
    def __init__(self, text, program):
        words = shlex.split(text)
        variables = [word for word in words if re.match(r"[A-Z_0-9]+=", word)]
        command = [word for word in words if word not in variables]
        self.text, self.about, self.times = text, {}, {}
        self.environment = {**os.environ, **ONE_THREAD, "LC_ALL": "C.UTF-8",
                            **dict(word.split("=", 1) for word in variables)}
        self.command = [*(command[:-1] or [program]), command[-1]]

    def run(self, seconds):
        done = subprocess.run([*self.command, str(seconds)], env=self.environment, capture_output=True, text=True,
                              encoding="utf-8", check=False)
        if done.returncode != 0:
            sys.exit(f"{self.text}: status {done.returncode}: {done.stderr.strip()}")
        for key, value in re.findall(r"(?m)^(.+): (.+)$", done.stdout):
            if key in ("core", "version"):
                self.about[key] = value
            else:
                self.times.setdefault(key, []).append(float(value))

    def row(self, keys):
        version = " ".join(self.about.get("version", "").split()[:2])
        core = f", {self.about['core']}" if "core" in self.about else ""
        cells = [f"{statistics.median(self.times[key]):.0f}" for key in keys]
        return f"| {self.text} | {version}{core} | " + " | ".join(cells) + " |"


def find_ways(program):
    found = subprocess.run([program], capture_output=True, text=True, check=True).stdout.split()
    openblas, blis = (ctypes.util.find_library(name) for name in ("openblas", "blis"))
    if openblas:
        found += [openblas, *(f"OPENBLAS_CORETYPE={core} {openblas}" for core in CORES)]
    return found + ([blis] if blis else [])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", metavar="PROGRAM")
    parser.add_argument("ways", metavar="WAY", nargs="*")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=0.3, help="of each width and round")
    options = parser.parse_intermixed_args()
    peak = Way("peak", options.program)
    ways = [Way(text, options.program) for text in options.ways or find_ways(options.program)]
    for _ in range(options.rounds):
        for way in [peak, *ways]:
            way.run(options.seconds)
    keys = list(ways[0].times)
    keys = [key for key in keys if key.startswith(keys[0].split()[0]) or key.endswith("all")]
    print(f"peak of fused multiply-adds: {statistics.median(peak.times['peak']):.0f} GFLOP/s\n")
    print("| way | version | " + " | ".join(keys) + " |")
    print("| --- | --- |" + " --- |" * len(keys))
    for way in ways:
        print(way.row(keys))


if __name__ == "__main__":
    main()
