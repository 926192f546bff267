# Copyright (C) 2026 The Normscope developers
# SPDX-License-Identifier: GPL-3.0-or-later
"""Compare the laws of `normscope-cli scaling` with NumPy.

    laws_check.py NORMSCOPE_CLI

The numbers of the CSV are fitted anew from docs/MODEL.md, section "Against depth or width": a design matrix for each
law, least squares by QR, Student's quantile by numerical integration. The JSON must have the same free numbers with
their intervals, weights, misfits and verdict. Planted errors in this reference must be found.
"""

import csv
import io
import json
import math
import subprocess
import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "golden"))

from tap import Tap, require_torch  # noqa: E402

require_torch()

import numpy as np  # noqa: E402

SMALL = ["--d-model", "64", "--heads", "2", "--d-ff", "64", "--seq-len", "8", "--batch", "2", "--vocab", "32"]
NAMED = {
    "constant": lambda x: np.ones_like(x),
    "1/sqrt": lambda x: x ** -0.5,
    "ln": np.log,
    "ln/sqrt": lambda x: np.log(x) / np.sqrt(x),
    "sqrt": np.sqrt,
    "linear": lambda x: x,
}
FREE = {"power": np.log, "exponential": lambda x: x, "stretched-exponential": np.sqrt}
# The law whose curve is that of the free law at some p, and that p.
CONTAINED = {"power": {"constant": 0, "1/sqrt": -0.5, "sqrt": 0.5, "linear": 1},
             "exponential": {"constant": 0}, "stretched-exponential": {"constant": 0}}


def student_cdf(t, df):
    """Integrate the density of Student's t from 0 to t, with the substitution t = √df·tan θ."""
    theta = np.linspace(0, math.atan(t / math.sqrt(df)), 20001)
    heights = np.cos(theta) ** (df - 1)
    area = float(np.sum((heights[1:] + heights[:-1]) / 2) * (theta[1] - theta[0]))
    return 0.5 + area * math.exp(math.lgamma((df + 1) / 2) - math.lgamma(df / 2)) / math.sqrt(math.pi)


def student_quantile(df):
    low, high = 0.0, 1000.0
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (middle, high) if student_cdf(middle, df) < 0.975 else (low, middle)
    return low


def interval(values):
    n = len(values)
    return student_quantile(n - 1) * np.std(values, ddof=1) / math.sqrt(n) if n > 1 else math.nan


class Fit:
    """All laws, fitted to log_y [seeds, points]; `wrong` plants an error."""

    def __init__(self, x, log_y, wrong=None):
        self.x, self.log_y = x, log_y
        self.n_seeds, self.n = log_y.shape
        self.laws = {}
        for name in [*NAMED, *FREE]:
            self.laws[name] = self.fit(name, wrong)
        lowest = min(law["aicc"] for law in self.laws.values())
        sharers = NAMED if wrong == "weights" else self.laws
        total = sum(math.exp((lowest - self.laws[name]["aicc"]) / 2) for name in sharers)
        for law in self.laws.values():
            law["weight"] = math.exp((lowest - law["aicc"]) / 2) / total
        self.slope, self.error = self.laws["power"]["p"], self.laws["power"]["error"]

    def fit(self, name, wrong):
        offset = np.log(NAMED[name](self.x)) if name in NAMED else np.zeros(self.n)
        columns = [np.ones(self.n)] + ([FREE[name](self.x)] if name in FREE else [])
        design = np.stack(columns, axis=1)
        q, _ = np.linalg.qr(design)
        seeds = self.log_y - offset
        numbers = np.linalg.lstsq(design, seeds.T, rcond=None)[0]
        residuals = seeds - seeds @ q @ q.T
        mean = residuals.mean(axis=0)
        if wrong == "spread" and name in FREE:
            residuals = seeds - seeds.mean(axis=1, keepdims=True)
        k = len(columns) + 1
        squares = float(mean @ mean)
        law = {
            "relative_error": math.sqrt(np.mean((np.exp(np.minimum(mean, 300)) - 1) ** 2)),
            "misfit": (math.sqrt(self.n_seeds * squares / np.sum(np.var(residuals, axis=0, ddof=1)))
                       if self.n_seeds > 1 else math.nan),
            "aicc": self.n * math.log(squares / self.n) + 2 * k + 2 * k * (k + 1) / (self.n - k - 1),
            "curve": offset + design[:, 1:] @ numbers[1:].mean(axis=1),
        }
        if name in FREE:
            law["p"], law["error"] = float(numbers[1].mean()), interval(numbers[1])
        if wrong == "interval" and name in FREE:
            law["error"] *= math.sqrt((self.n_seeds - 1) / self.n_seeds)
        return law

    def number(self, name):
        """Return (number, from, to) as the program states it."""
        p, error = self.laws[name]["p"], self.laws[name]["error"]
        if name == "power":
            return p, p - error, p + error
        if name == "exponential":
            return math.exp(p), math.exp(p - error), math.exp(p + error)
        near, far = abs(p) - error, abs(p) + error
        return 1 / p ** 2, 1 / far ** 2, math.nan if not near > 0 else 1 / near ** 2

    # ---- the verdict ----

    def is_significant(self, name):
        return self.laws[name]["misfit"] > student_quantile(self.n_seeds - 1) if self.n_seeds > 1 else False

    def fits(self, name):
        return (self.laws[name]["relative_error"] < 0.1 or not self.is_significant(name)
                or self.laws[name]["misfit"] <= 2 * math.sqrt(self.n_seeds))

    def local_slope(self, name):
        return float(np.polyfit(np.log(self.x), np.log(NAMED[name](self.x)), 1)[0])

    def seeds_prefer(self, best, other):
        def squares(name):
            residuals = self.log_y - self.laws[name]["curve"]
            residuals = residuals - residuals.mean(axis=1, keepdims=True)
            return np.sum(residuals ** 2, axis=1)

        gains = squares(other) - squares(best)
        return gains.mean() > (interval(gains) if self.n_seeds > 1 else 0)

    def verdict(self):
        """Return (status, best, deviates)."""
        lightest = lambda names: min(names, key=lambda name: self.laws[name]["aicc"])  # noqa: E731
        best, compared = lightest(NAMED), list(NAMED)
        outdone = (lightest(self.laws) in ("exponential", "stretched-exponential") and self.deviates(best)
                   and self.laws[best]["relative_error"]
                   >= max(0.05, 2 * self.laws[lightest(self.laws)]["relative_error"]))
        if self.laws[best]["relative_error"] >= 0.1 or outdone:
            best, compared = lightest(self.laws), list(self.laws)
            error = 0 if math.isnan(self.laws[best].get("error", 0)) else self.laws[best].get("error", 0)
            inside = [name for name, p in CONTAINED.get(best, {}).items() if abs(self.laws[best]["p"] - p) <= error]
            best = lightest(inside) if inside else best
        if not self.fits(best):
            return "none", None, False
        compared = [name for name in compared if name != best and best not in CONTAINED.get(name, {})]
        shares = {name: math.exp((self.laws[best]["aicc"] - self.laws[name]["aicc"]) / 2) for name in compared}
        if any(share / (1 + sum(shares.values())) > 0.05 for share in shares.values()):
            return "too-short", None, False
        if not all(self.seeds_prefer(best, name) for name in compared):
            return "too-short", None, False
        return "ok", best, self.deviates(best)

    def deviates(self, name):
        if self.n_seeds < 2:
            return self.laws[name]["weight"] < 0.05
        excluded = name in NAMED and abs(self.slope - self.local_slope(name)) > self.error
        return bool(self.is_significant(name) or excluded)


def list_wrong(stated, fit):
    """Name what the program states otherwise."""
    wrong = []

    def compare(name, mine, theirs, tolerance=1e-6):
        if math.isnan(mine) or math.isinf(mine):
            same = theirs is None
        else:
            same = theirs is not None and math.isclose(mine, theirs, rel_tol=tolerance, abs_tol=1e-9)
        if not same:
            wrong.append(f"{name}: {theirs}, NumPy {mine}")

    compare("exponent", fit.slope, stated["exponent"]["p"])
    compare("error", fit.error, stated["exponent"]["error"])
    for law in stated["laws"]:
        mine = fit.laws[law["law"]]
        for key in ("relative_error", "misfit", "aicc", "weight"):
            compare(f"{law['law']} {key}", mine[key], law[key], 1e-5)
        if law["law"] in FREE:
            for key, number in zip(("number", "number_from", "number_to"), fit.number(law["law"])):
                compare(f"{law['law']} {key}", number, law[key])
        if "sign" in law:
            compare("sign", math.copysign(1, mine["p"]), law["sign"])
    if len(stated["laws"]) != len(fit.laws):
        wrong.append(f"{len(stated['laws'])} laws")
    verdict = stated["status"], stated["best"], stated["deviates"]
    if verdict != fit.verdict():
        wrong.append(f"verdict {verdict}, NumPy {fit.verdict()}")
    return wrong


def measure(cli, options):
    """Return [(name, what the program states, x, log_y)] for each variant and the ratio."""
    def call(form):
        done = subprocess.run([cli, "scaling", *options, "--format", form], check=True, capture_output=True, text=True,
                              encoding="utf-8")
        return done.stdout

    result = json.loads(call("json"))
    values = {}
    for row in csv.DictReader(io.StringIO(call("csv"))):
        x = float(row[result["axis"]])
        if x >= 2:
            values.setdefault(row["variant"], {}).setdefault(x, []).append(float(row["log10"]) * math.log(10))
    curves = {name: (np.array(sorted(points)), np.array([points[x] for x in sorted(points)]).T)
              for name, points in values.items()}
    stated = [(variant["name"], variant, *curves[variant["name"]]) for variant in result["variants"]]
    if "ratio" in result:
        ratio = result["ratio"]
        x, over = curves[ratio["denominator"]]
        stated.append(("ratio", ratio, x, curves[ratio["numerator"]][1] - over))
    return stated


TEXTBOOK = ["--variant", "none:attn.residual=off,ffn.residual=off", "--metric", "grad_x@first"]
STREAM = ["--metric", "rms_x@last", "--depths", "2..128:14", "--seeds", "8"]
THEORY = ["--preset", "xiong-theory", "--d-model", "64", "--d-ff", "64"]
# Name, options, and the laws that are named; "none" or "too-short" without one.
CASES = [
    ("the textbook's picture", [*SMALL, *TEXTBOOK, "--depths", "2..48:8", "--seeds", "8"], {"exponential"}),
    ("a gain", [*SMALL, "--variant", "pre", "--variant", "dyt", "--metric", "gain@first", "--depths", "8..96:7",
                "--seeds", "8"], {"sqrt", "stretched-exponential"}),
    ("the theory", [*THEORY, "--ratio", "post/pre", "--depths", "2..64:10", "--seeds", "8"],
     {"1/sqrt", "constant", "sqrt"}),
    ("a large residual", [*SMALL, "--variant", "pre:residual_scale=1.1", *STREAM], {"exponential"}),
    ("a small residual", [*SMALL, "--variant", "pre:residual_scale=0.9", *STREAM], {"power"}),
    ("no law", [*SMALL, "--variant", "pre:residual_scale=1.03", *STREAM], {"none"}),
    ("widths", [*SMALL, "--depth", "3", "--sweep", "d_model=16..96:6", "--seeds", "3"], {"too-short"}),
    ("one seed", [*SMALL, *TEXTBOOK, "--depths", "2..48:8", "--seeds", "1"], {"exponential"}),
]
ERRORS = {"spread": "a misfit without the seeds' own slopes", "weights": "weights of the named laws alone",
          "interval": "intervals without Bessel's correction"}


def main():
    tap = Tap()
    for name, options, wanted in CASES:
        measured = measure(sys.argv[1], options)
        wrong = [f"{curve}: {line}" for curve, stated, x, log_y in measured
                 for line in list_wrong(stated, Fit(x, log_y))]
        tap.ok(not wrong, f"{name}: NumPy has the same fits and verdicts", "\n".join(wrong))
        verdicts = {stated["best"] or stated["status"] for _, stated, _, _ in measured}
        tap.ok(verdicts == wanted, f"{name}: {', '.join(sorted(wanted))}", f"{sorted(verdicts)}")
        if name == CASES[0][0]:
            _, stated, x, log_y = measured[0]
            for error, words in ERRORS.items():
                tap.ok(list_wrong(stated, Fit(x, log_y, error)), f"detected: {words}")
    tap.finish()


if __name__ == "__main__":
    main()
