# Copyright (C) 2026 The Normscope developers
# SPDX-License-Identifier: GPL-3.0-or-later
"""Compare the mean-field recursion of docs/MODEL.md with PyTorch's autograd in float64.

    mean_field_check.py NORMSCOPE_CLI

Both sides are written from the page: here are the recursion, in plain numbers, and the network of Xiong et al. 2020,
whose gradients come from autograd with PyTorch's own random numbers. What `plot --theory` draws must be the numbers of
this recursion, digit by digit, and the recursion must be near the mean of the measured squares.
"""

import math
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "golden"))

from tap import Tap, require_torch  # noqa: E402

require_torch()

import torch  # noqa: E402

torch.set_default_dtype(torch.float64)
torch.set_num_threads(1)

D, V, T, B, L = 256, 128, 8, 4, 6
N = B * T
SEEDS = 24
FINITE_WIDTH = 0.03


# ---- the recursion ----

def product(r):
    return (math.sqrt(max(0, 1 - r * r)) + r * (math.pi - math.acos(r))) / (2 * math.pi)


def kappa(r):
    return (math.pi - math.acos(r)) / (2 * math.pi)


def norm_squared(x, g):
    """Return the squared norm of a [D, D] matrix's gradient, from moments (token, sequence, batch) of both sides."""
    return D * D * (N * x[0] * g[0] + N * (T - 1) * x[1] * g[1] + N * (N - T) * x[2] * g[2])


def divide(x, by):
    return [value / by for value in x]


def recursion(place, depth, wrong_kappa=False):
    """Return {name: [squared norm of each block]} for Pre-LN or Post-LN; grad_x has x_0, too."""
    x, blocks = [1.0, 0.0, 0.0], []
    for _ in range(depth):
        block = {}
        for sub in ("attention", "ffn"):
            u = divide(x, x[0]) if place == "pre" else x
            if sub == "attention":
                branch = [(u[0] + (T - 1) * u[1]) / T] * 2 + [u[2]]
            else:
                branch = [0.5 * u[0]] + [u[0] * product(u[i] / u[0]) for i in (1, 2)]
            z = [a + b for a, b in zip(x, branch)]
            block[sub] = {"s": x[0] if place == "pre" else 1.0, "u": u, "branch": branch, "z": z}
            x = divide(z, z[0]) if place == "post" else z
        blocks.append(block)

    variance = 2 / (D + V)
    v = D * variance
    g = [variance / N ** 2 * value for value in (1 + (math.exp(v) - 2) / V,
                                                 math.expm1(v * x[1] / x[0]) / V, math.expm1(v * x[2] / x[0]) / V)]
    if place == "pre":
        g = divide(g, x[0])
    found = {"w_v": [], "w_1": [], "w_2": [], "grad_x": [N * D * g[0]]}
    for block in reversed(blocks):
        for sub in ("ffn", "attention"):
            at = block[sub]
            if place == "post":
                g = divide(g, at["z"][0])
            if sub == "ffn":
                k = [0.5] + [0.5 if wrong_kappa else kappa(at["u"][i] / at["u"][0]) for i in (1, 2)]
                back = [a * b for a, b in zip(k, g)]
                found["w_2"].append(norm_squared(at["branch"], g))
                found["w_1"].append(norm_squared(at["u"], back))
            else:
                mean = (g[0] + (T - 1) * g[1]) / T
                back = [mean, mean, g[2]]
                found["w_v"].append(norm_squared(at["u"], back))
            g = [a + b / at["s"] for a, b in zip(g, back)]
        found["grad_x"].append(N * D * g[0])
    return {name: values[::-1] for name, values in found.items()}


# ---- the network ----

def layer_norm(x):
    x = x - x.mean(-1, keepdim=True)
    return x / x.square().mean(-1, keepdim=True).sqrt()


def measure(place, seed):
    """Return the same squared norms of one network with random weights, input and targets."""
    torch.manual_seed(seed)
    matrices = [[(torch.randn(D, D) / math.sqrt(D)).requires_grad_() for _ in range(3)] for _ in range(L)]
    head = torch.randn(D, V) * math.sqrt(2 / (D + V))
    x = torch.randn(B, T, D).requires_grad_()
    streams = [x]
    for w_v, w_1, w_2 in matrices:
        for branch in (lambda u, w=w_v: (u @ w).mean(1, keepdim=True).expand(B, T, D),
                       lambda u, w=w_1, o=w_2: torch.relu(u @ w) @ o):
            x = x + branch(layer_norm(x)) if place == "pre" else layer_norm(x + branch(x))
        x.retain_grad()
        streams.append(x)
    logits = (layer_norm(x) if place == "pre" else x) @ head
    torch.nn.functional.cross_entropy(logits.reshape(N, V), torch.randint(V, (N,))).backward()
    found = {name: [float(block[i].grad.square().sum()) for block in matrices]
             for i, name in enumerate(("w_v", "w_1", "w_2"))}
    found["grad_x"] = [float(s.grad.square().sum()) for s in streams]
    return found


def list_misses(predicted, measured):
    """Name the numbers whose prediction is farther off than four standard errors and the error of a finite width."""
    misses = []
    for name, values in predicted.items():
        for i, value in enumerate(values):
            seeds = torch.tensor([m[name][i] for m in measured])
            mean, error = float(seeds.mean()), float(seeds.std()) / math.sqrt(len(measured))
            if abs(value / mean - 1) > 4 * error / mean + 2 * FINITE_WIDTH:
                misses.append(f"{name}[{i}]: {math.sqrt(mean):.4g}, predicted {math.sqrt(value):.4g}")
    return misses


# ---- what the program draws ----

def drawn(cli, place, quantity, depth, folder):
    """Return the theory of a quantity at the first block of a stack, from the sentence of a sweep."""
    path = Path(folder) / "x.svg"
    subprocess.run([cli, "plot", "--figure", "scaling", "--theory", "--depths", f"1,{depth}", "--seeds", "1",
                    "--variant", f"{place}:norm_eps=0,attention=uniform,attention_output=off,name=X",
                    "--d-model", str(D), "--d-ff", str(D), "--heads", "1", "--vocab", str(V), "--seq-len", str(T),
                    "--batch", str(B), "--source", "gaussian", "--metric", f"{quantity}@first", "-o", str(path)],
                   check=True, capture_output=True)
    match = re.search(r"Mean field at depth \d+: X ([\d.]+?)(?:·10([⁰¹²³⁴⁵⁶⁷⁸⁹⁻]+))?\.<", path.read_text("utf-8"))
    power = (match.group(2) or "0").translate(str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-"))
    return float(match.group(1)) * 10 ** int(power)


def list_wrong(cli, place, folder):
    """Name the numbers that the program draws differently in three digits."""
    wrong = []
    for depth in (2, L):
        for quantity, index in (("w_2", 0), ("w_1", 0), ("w_v", 0), ("grad_x", 1)):
            number = drawn(cli, place, quantity, depth, folder)
            wanted = math.sqrt(recursion(place, depth)[quantity][index])
            if abs(number / wanted - 1) > 0.0051:
                wrong.append(f"{quantity} at depth {depth}: {number}, wanted {wanted:.4g}")
    return wrong


def main():
    tap = Tap()
    with tempfile.TemporaryDirectory(prefix="normscope-mean-field-") as folder:
        for place in ("pre", "post"):
            measured = [measure(place, seed) for seed in range(SEEDS)]
            misses = list_misses(recursion(place, L), measured)
            tap.ok(not misses, f"{place}: the recursion is near autograd", "\n".join(misses))
            planted = list_misses(recursion(place, L, wrong_kappa=True), measured)
            tap.ok(planted, f"{place}: a wrong factor of ReLU is detected", "\n".join(planted[:2]))
            wrong = list_wrong(sys.argv[1], place, folder)
            tap.ok(not wrong, f"{place}: the program draws the recursion", "\n".join(wrong))
    tap.finish()


if __name__ == "__main__":
    main()
