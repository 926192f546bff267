# Copyright (C) 2026 The Normscope developers
# SPDX-License-Identifier: GPL-3.0-or-later
"""The short form of a block in PyTorch: the program's text runs, and computes what the engine computes.

    test_block.py NORMSCOPE-CLI
"""

import math
import re
import runpy
import subprocess
import tempfile
from pathlib import Path

from scripts import CLI  # before torch: it may skip

import torch

from tap import Tap

SHAPE = ["--depth", "6", "--d-model", "16", "--heads", "2", "--d-ff", "24", "--seq-len", "5", "--vocab", "11"]
TOLERANCE = 1e-4  # of the engine's single precision
MOST_LINES = 30

# Settings that no built-in variant has.
OTHERS = ["pre:bias=on,attention=causal,activation=swiglu",
          "post:attn.residual=off,branch_scale=0.5,residual_scale=1.5", "parallel:attn.norm=pre-post,ffn.norm=pre-post",
          "deepnorm:sublayers=ffn", "none:attention=uniform,bias_ffn=on",
          "sandwich:branch_parameter=vector,branch_scale=0.7,norm=rmsnorm,activation=geglu-tanh", "dyt:bias_norms=on",
          "pre:attention_output=off,activation=gelu,attention_scale=0.3", "ngpt:activation=swiglu,attention=causal",
          "mix:post_fraction=0.5", "qk-norm:bias=on", "residual:branch_scale=inverse-sqrt-depth"]


def builtins():
    listed = subprocess.run([CLI, "help", "--list"], check=True, capture_output=True, text=True).stdout
    found = re.findall(r"^  variant:(\S+)", listed, re.M)
    assert len(found) > 40, listed[-300:]
    return found


def program(*args):
    return subprocess.run([CLI, "script", *args], check=False, capture_output=True, text=True)


def text_of(variant, *more):
    done = program("--block", "--variant", variant, *SHAPE, *more)
    assert done.returncode == 0 and not done.stderr, done.stderr
    return done.stdout


def export(variant, folder, *more):
    """Run the engine; return the numbers of its blocks, its parameters, and what the first block reads."""
    done = program("--variant", variant, *SHAPE, *more, "--out", str(Path(folder) / "out"))
    assert done.returncode == 0, done.stderr
    whole = runpy.run_path(str(Path(folder) / "out" / "experiment.py"))
    head, [[given, (_, stream, *_)]], _ = whole["run_gradients"](whole["dumped_arrays"](), torch.float64)
    return whole["NUMBERS"], given[2], stream, lambda r: whole["norm"](r, head, "final")


def rms(x):
    return float(x.detach().square().mean().sqrt())


def largest_difference(text, numbers, blocks, stream, final_norm):
    """Run the text's blocks one after the other, forward and backward; return the largest relative difference."""
    streams = re.search(r"\[batch, tokens, (\d+), (\d+)\]", text)
    copied = [{name: each.detach().clone().requires_grad_() for name, each in p.items()} for p in blocks]
    x = stream[0].detach().clone().requires_grad_()
    x = r = x.unflatten(-1, (int(streams[1]), -1)) if streams else x
    outputs = [x]
    for number, p in enumerate(copied, 1):
        scope = dict(p)
        exec(text, scope)  # noqa: S102
        if "def block(x, r, l)" in text:
            x, r = scope["block"](x, r, number)
        else:
            x = scope["block"](x, number)
        outputs.append(x)
    for output in outputs:
        output.retain_grad()
    end = x + final_norm(r) if r is not outputs[0] else x
    end.backward(stream[-1].grad.view(end.shape))
    worst = 0.0
    for number, p in enumerate(copied, 1):
        gradients = [each.grad for each in p.values() if each.grad is not None]
        found = {"rms_x": rms(outputs[number]), "grad_x": float(outputs[number].grad.norm()),
                 "block": math.sqrt(sum(float(each.square().sum()) for each in gradients))}
        for name, value in found.items():
            worst = max(worst, abs(value - numbers[name][number]) / max(abs(numbers[name][number]), 1e-12))
    return worst


def check(variant):
    text = text_of(variant)
    code = [line for line in text.splitlines() if line.strip() and not line.startswith(("#", "import", "from"))]
    assert len(code) <= MOST_LINES and max(map(len, text.splitlines()[2:])) <= 120, text
    with tempfile.TemporaryDirectory(prefix="normscope-block-") as folder:
        worst = largest_difference(text, *export(variant, folder))
    assert worst <= TOLERANCE, f"{worst}\n{text}"
    return f"{len(code)} lines, off by {worst:.2g}"


# Of a variant, a wrong replacement in its lines.
WRONG = [("pre", "x = x + ffn(", "x = ffn("), ("post", "x = norm(x + attn(x), gain_attn_post)", "x = x + attn(x)"),
         ("deepnorm", "12 ** 0.25", "11 ** 0.25"), ("mix", "if l <= 1:", "if l <= 2:"),
         ("layernorm-scaling", "/ l ** 0.5", "/ l"), ("b2t", "x_0 + ", ""), ("ngpt", "s_v * ", ""),
         ("hyper", "r.mT @ x", "x.flip(-2)"), ("keel", "a = 12", "a = 13"), ("qk-norm", "norm(k, gain_attn_k)", "k"),
         ("swin-v2", "10 * q", "9 * q"), ("residual", "r + f", "r"), ("admin", "math.log(13)", "math.log(12)"),
         ("hybrid-star", "norm(v, gain_attn_v)", "v"), ("pre", "/ 8 ** 0.5", "/ 8"), ("parallel", " + ffn(", " - ffn(")]


def wrong_lines_are_detected():
    for variant, old, new in WRONG:
        text = text_of(variant)
        assert old in text, f"{variant}: {old}\n{text}"
        with tempfile.TemporaryDirectory(prefix="normscope-block-") as folder:
            try:
                worst = largest_difference(text.replace(old, new), *export(variant, folder))
            except NameError:  # another block's parameter
                worst = math.inf
        assert not worst <= TOLERANCE, f"{variant}: {new} is off by {worst} only"
    return f"{len(WRONG)} errors"


def refusals():
    """What takes more than a few lines is refused by its key; a file of --out has what the standard output has."""
    for variant, key in [("pre:experts=4", "experts"), ("pre:rotary=half", "rotary"), ("pre:window=2", "window"),
                         ("pre:position_bias=alibi", "position_bias"), ("pre:score_cap=20", "score_cap")]:
        done = program("--block", "--variant", variant, *SHAPE)
        assert done.returncode == 2 and f"{key}: " in done.stderr and "allowed: null" in done.stderr, done.stderr
    done = program("--block", "--variant", "pre", "--stack", "encoder-decoder")
    assert done.returncode == 2 and "shape.stack: " in done.stderr and "allowed: single" in done.stderr, done.stderr
    with tempfile.TemporaryDirectory(prefix="normscope-block-") as folder:
        path = Path(folder) / "block.py"
        assert program("--block", "--variant", "post", *SHAPE, "--out", str(path)).stdout == ""
        assert path.read_text(encoding="utf-8") == text_of("post")
    assert "k, v = (y.repeat_interleave(2" in text_of("pre", "--kv-heads", "1")


def main():
    torch.set_num_threads(1)
    tap = Tap()
    for variant in [*builtins(), *OTHERS]:
        tap.run(check, variant, name=variant)
    tap.run(wrong_lines_are_detected)
    tap.run(refusals)
    tap.finish()


if __name__ == "__main__":
    main()
