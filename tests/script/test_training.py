# Copyright (C) 2026 The Normscope developers
# SPDX-License-Identifier: GPL-3.0-or-later
"""The training of the PyTorch scripts: it agrees with the engine's, and detects errors.

    test_training.py NORMSCOPE-CLI
"""

import contextlib
import io
import json
import os
import re
import runpy
import subprocess
import sys
import tempfile
from pathlib import Path

import scripts  # before torch: it may skip
from scripts import CLI, LARGEST, detects, detects_changes, run

import torch

import configs
from tap import Tap

TRAINING = {"steps": 300, "optimizer": "adam", "learning_rate": 3e-3, "momentum": 0.9, "beta1": 0.9, "beta2": 0.999,
            "epsilon": 1e-8, "weight_decay": 0.0, "clip": None, "warmup": 0, "schedule": "constant",
            "embeddings": True}
TOKENS = {"data.source": "tokens", "data.positions": "learned"}
DEMO = configs.both("post", **TOKENS, **{"attention": "causal", "input_norm": True, "bias": True})

# name: configuration, settings of the training
TRAININGS = {
    "adam": (DEMO, {}),
    "adamw, warm-up, cosine, clip": (DEMO, {"optimizer": "adamw", "weight_decay": 0.1, "clip": 1.0, "warmup": 7,
                                            "schedule": "cosine", "steps": 25}),
    "sgd, momentum, decay, linear": (DEMO, {"optimizer": "sgd", "learning_rate": 0.05, "weight_decay": 0.01,
                                            "schedule": "linear", "steps": 20}),
    "inverse-sqrt, fewer steps": (DEMO, {"schedule": "inverse-sqrt", "warmup": 3, "steps": 5}),
    "frozen embeddings": (DEMO, {"embeddings": False}),
    "tied head": ({**configs.FIXED["head-tied"], **TOKENS}, {"optimizer": "adamw", "weight_decay": 0.1}),
    "muP, adamw": ({**DEMO, "init.mup_base": 4}, {"optimizer": "adamw", "weight_decay": 0.1}),
    "muP, sgd": ({**DEMO, "init.mup_base": 4, "branch_parameter": "scalar"}, {"optimizer": "sgd"}),
    "muP, sgd, more heads": ({**DEMO, **configs.RELATIVE, "init.mup_base": 4, "shape.d_head": 4, "shape.heads": 8,
                              "qk_norm": "head"}, {"optimizer": "sgd", "weight_decay": 0.1}),
    "muP, sgd, biases": ({**DEMO, **configs.RELATIVE, "init.mup_base": 4}, {"optimizer": "sgd", "weight_decay": 0.1}),
    "nGPT": (configs.FIXED["ngpt"], {}),
    "nGPT, tied head, sgd": (configs.FIXED["ngpt-tied"], {"optimizer": "sgd", "learning_rate": 0.05}),
    "nGPT, frozen embeddings": (configs.FIXED["ngpt-window"], {"embeddings": False}),
    "text": ({**configs.both("pre"), **configs.TEXT_DATA, "data.positions": "sinusoidal"}, {}),
    "Markov chain": ({**configs.both("pre"), "data.source": "markov", "data.embed_scale": "sqrt-d-model"}, {}),
    "encoder-decoder": ({**configs.TRANSLATION, **TOKENS, "data.task": "reversal"}, {"clip": 1.0}),
    **{name: ({**configs.FIXED[name], "loss": "cross-entropy", "data.class_token": "none", **TOKENS}, {})
       for name in ("ed-mixed-2", "dyt-post-bias", "gqa", "residual-dual-bias", "biases-uniform", "ed-token-types",
                    "batches-mean", "layer-scale", "qk-head-gqa-bias", "parallel-pre-post", "relative-batches-norm",
                    "ed-relative", "ed-depths-skip-init", "hyper-none")},
    **{f"Hyper-Connections, {kind}": ({**configs.FIXED[name], **TOKENS},
                                      {"optimizer": "sgd", "learning_rate": 0.05, "weight_decay": 0.1, "steps": 20})
       for kind, name in (("dynamic", "hyper-dynamic"), ("of mHC", "mhc"))},
    "Hyper-Connections": ({**configs.FIXED["hyper"], **TOKENS}, {"optimizer": "sgd", "learning_rate": 0.05,
                                                                 "weight_decay": 0.1, "steps": 20}),
}


def make(name):
    overrides, settings = TRAININGS[name]
    return {**configs.build(overrides), "training": {**TRAINING, **settings}}


def export(folder, experiment, *options):
    return scripts.export(folder, experiment, "--of", "training", *options)


def losses(text):
    return [line.split()[3] for line in text.splitlines() if re.match(r"training: +\d", line)]


def check(name):
    """Losses and weights agree; their numbers are compared besides those of the pass at the start."""
    experiment = make(name)
    with tempfile.TemporaryDirectory(prefix="normscope-script-") as folder:
        script, differences = export(folder, experiment), []
        status, text = run(script, kept=differences)
        found = LARGEST.search(text)
        assert status == 0 and found and float(found[1]) <= 1e-3, f"status {status}:\n{text}"
        steps = min(experiment["training"]["steps"], 20)
        assert len(losses(text)) == steps and losses(text)[0] != losses(text)[-1], text
        weights = len(list((script.parent / "trained").rglob("*.npy")))
    assert len(differences) == steps + weights, f"{len(differences)} numbers of {steps} steps and {weights} tensors"
    worst, where = max(each for each in differences if each[0] is not None)
    return f"{worst:.2g}: {where}; {found[0]}"


ADAMW = {"optimizer": "adamw", "weight_decay": 0.1, "warmup": 30, "schedule": "cosine"}
WRONG = [  # settings, and a wrong replacement in the script
    ({}, '            group["lr"] = learning_rate(step)\n', '            group["lr"] = learning_rate(step) * '
     'math.sqrt(1 - 0.999 ** (step + 1)) ** -1 * (1 - 0.9 ** (step + 1))\n'),  # no bias correction
    (ADAMW, 'settings["weight_decay"] if is_matrix(name, tensor) else 0.0', 'settings["weight_decay"]'),
    (ADAMW, 'settings["weight_decay"] if is_matrix(name, tensor) else 0.0', '0.0'),
    (ADAMW, "rate * (step + 1) / warmup", "rate * step / warmup"),
    (ADAMW, "rate * (step + 1) / warmup", "rate * (step + 1) / (warmup + 1)"),
    ({"schedule": "cosine", "steps": 25}, "done = (step - warmup) / (steps - warmup)",
     "done = (step - warmup + 1) / (steps - warmup)"),
    ({"clip": 0.5, "optimizer": "sgd"}, "if clip is not None", "if False"),
    ({"optimizer": "sgd"}, 'momentum=settings["momentum"]', 'momentum=settings["momentum"], nesterov=True'),
    ({"optimizer": "adamw", "weight_decay": 0.1}, 'if settings["optimizer"] == "adamw" else', "if False else"),
    ({}, 'betas=(settings["beta1"], settings["beta2"])', 'betas=(settings["beta1"], 0.99)'),
    ({}, 'return 1 if is_sgd else 1 / ratio', 'return 1'),
    ({"optimizer": "sgd"}, 'return ratio if is_sgd', 'return 1 if is_sgd'),
    ({}, 'arrays["batches/ids"][step]', 'arrays["batches/ids"][0]'),
    ({}, 'x = x + tables["position"]', 'x = x + tables["position"].detach()'),
]


def planted_errors_are_detected():
    changes = {}  # of each experiment
    for settings, old, new in WRONG:
        overrides = {**DEMO, "init.mup_base": 4} if "ratio" in old else DEMO
        experiment = {**configs.build(overrides), "training": {**TRAINING, **settings}}
        changes.setdefault(json.dumps(experiment), []).append((old, new))
    for experiment, each in changes.items():
        with tempfile.TemporaryDirectory(prefix="normscope-script-") as folder:
            script = export(folder, json.loads(experiment))
            text = script.read_text(encoding="utf-8")
            assert run(script)[0] == 0, experiment
            for old, new in each:
                detects(script, text, old, new)
    return f"{len(WRONG)} errors"


def wrong_files_are_detected():
    """Each file that the training has, and a loss."""
    with tempfile.TemporaryDirectory(prefix="normscope-script-") as folder:
        experiment = make("encoder-decoder")
        experiment["training"]["steps"] = 4
        script = export(folder, experiment)
        paths = [path for name in ("batches", "input", "trained/input", "trained/decoder/block001", "trained/head")
                 for path in sorted((script.parent / name).glob("*.npy"))]
        detects_changes(script, paths, 11)
        text = script.read_text(encoding="utf-8")
        wrong = re.sub(r'("losses": \[)(\d+)', lambda found: found[1] + str(int(found[2]) + 1), text, count=1)
        assert wrong != text
        script.write_text(wrong, encoding="utf-8")
        assert run(script)[0] == 1, "a wrong loss was not detected"
        script.write_text(text, encoding="utf-8")
        assert run(script)[0] == 0
    return f"{len(paths)} files"


def more_steps_and_own_weights():
    with tempfile.TemporaryDirectory(prefix="normscope-script-") as folder:
        script = export(folder, make("adam"))
        status, text = run(script, "--steps", "40")
        assert status == 0 and len(losses(text)) == 40, text
        status, own = run(script, "--own-weights")
        assert status == 0 and len(losses(own)) == 20 and losses(own) != losses(text)[:20] and "Norm" not in own, own
        assert losses(run(script, "--own-weights", "--seed", "5")[1]) != losses(own)
        with contextlib.redirect_stderr(io.StringIO()) as words, contextlib.suppress(SystemExit):
            assert run(script, "--steps", "301") is None
        assert "300 steps" in words.getvalue(), words.getvalue()


def diverged():
    """A run that overflows in float32: the steps before it agree."""
    experiment = make("adam")
    experiment["training"].update(optimizer="sgd", learning_rate=1.0, momentum=0.0)
    experiment["variants"][0].update(**{"attn": {**experiment["variants"][0]["attn"], "norm": "none"},
                                        "ffn": {**experiment["variants"][0]["ffn"], "norm": "none"}},
                                     input_norm=False, final_norm="off", branch_scale=1e4)
    experiment["shape"]["depth"] = 3
    with tempfile.TemporaryDirectory(prefix="normscope-script-") as folder:
        script = export(folder, experiment)
        module = runpy.run_path(str(script))
        assert module["TRAINING"]["diverged"], module["TRAINING"]
        status, text = run(script)
        assert status == 0 and "diverged" in text, text
        return f"{len(module['TRAINING']['losses'])} steps"


def as_part_of_verify():
    with tempfile.TemporaryDirectory(prefix="normscope-script-") as folder:
        path = Path(folder) / "experiment.normscope"
        path.write_text(json.dumps(make("adam")), encoding="utf-8")
        counts = []
        for more in ([], ["--of", "training"]):
            done = subprocess.run([CLI, "verify", path, "--format", "json", *more], check=False, capture_output=True,
                                  text=True, env={**os.environ, "NORMSCOPE_PYTHON": sys.executable})
            assert done.returncode == 0, done.stdout + done.stderr
            counts.append(json.loads(done.stdout)["variants"][0]["pytorch"]["numbers"])
    assert counts[1] > counts[0] + 20, counts
    return f"{counts[1] - counts[0]} numbers"


def refusals():
    with tempfile.TemporaryDirectory(prefix="normscope-script-") as folder:
        for command in (["script", "--out", "d"], ["verify"]):
            done = subprocess.run([CLI, *command, "--variant", "pre", "--source", "gaussian", "--of", "training"],
                                  cwd=folder, check=False, capture_output=True, text=True)
            assert done.returncode == 2 and "data.source" in done.stderr, f"{command}: {done}"
        done = subprocess.run([CLI, "paths", "--variant", "pre", "--of", "training"], check=False, cwd=folder,
                              capture_output=True, text=True)
        assert done.returncode == 2 and "contributions" in done.stderr, done
        assert os.listdir(folder) == []


def an_earlier_script_is_replaced():
    with tempfile.TemporaryDirectory(prefix="normscope-script-") as folder:
        script = export(folder, make("encoder-decoder"))
        subprocess.run([CLI, "script", Path(folder) / "experiment.normscope", "--variant", "0", "--out",
                        script.parent], check=True)
        assert not (script.parent / "trained").exists() and "TRAINING" not in script.read_text(encoding="utf-8")
        assert run(script)[0] == 0


def main():
    tap = Tap()
    torch.set_num_threads(1)
    for name in TRAININGS:
        tap.run(check, name, name=f"training: {name}")
    for test in (planted_errors_are_detected, wrong_files_are_detected, more_steps_and_own_weights, diverged,
                 as_part_of_verify, refusals, an_earlier_script_is_replaced):
        tap.run(test)
    tap.finish()


if __name__ == "__main__":
    main()
