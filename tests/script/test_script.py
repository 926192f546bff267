# Copyright (C) 2026 The Normscope developers
# SPDX-License-Identifier: GPL-3.0-or-later
"""The PyTorch scripts of normscope-cli: they run, compute the same numbers, and detect differences.

    test_script.py NORMSCOPE-CLI
"""

import ast
import json
import os
import re
import runpy
import subprocess
import sys
import tempfile
from pathlib import Path

from scripts import CLI, LARGEST, detects, detects_changes, export, run  # before torch: it may skip

import torch

import configs
from cli import Cli
from tap import Tap

N_RANDOM = 40
NUMBERS = {}  # that a plain script compares, by the name of its configuration


def check(experiment, name=None):
    """The script agrees with the program. Keep how many numbers it compares, under the name."""
    with tempfile.TemporaryDirectory(prefix="normscope-script-") as folder:
        status, text = run(export(folder, experiment))
        found = LARGEST.search(text)
        assert status == 0 and found, f"status {status}:\n{text}"
        assert float(found[1]) <= 1e-3 and int(found[2]) > 8, text
        NUMBERS[name] = int(found[2])
        return "\n".join(text.splitlines()[-3:]) if "rounding" in text or "beyond" in text else found[0]


# Every placement and topology, an encoder-decoder, residuals off, learned scales, second streams, minibatches.
WITH_MAPS = {
    **{name: configs.FIXED[name] for name in (
        "pre", "post", "sandwich", "branch", "none", "pre-post", "parallel-pre", "parallel-post", "two-norms-post",
        "mix-all-post", "no-residuals", "vanishing-causal-gated", "layer-scale-sandwich", "dyt-post-bias",
        "residual-dual-bias", "b2t", "xiong-theory", "unit-gradient-pre", "batches-mean", "batches-unit",
        "one-token-bias", "ed-post", "ed-mixed-2", "ed-rezero", "ed-residual-dual", "ed-deepnorm", "batches-ed-norm",
        "attention-only-dual", "ffn-only-post", "ed-depths-deepnorm-2-5", "ed-depths-dual", "experts",
        "experts-batches")},
    "deep": {"shape.depth": 60, **configs.both("post"), "shape.d_model": 8, "shape.d_ff": 16, "shape.seq_len": 4},
    "overflow": {"shape.depth": 60, "attention": "uniform", **configs.both("none"), "branch_scale": 9.0,
                 "shape.d_model": 8, "shape.d_ff": 16},
}
MAPS = ("contributions", "lengths", "gain", "similarity", "update", "routing")


def check_maps(name):
    """The maps agree; their numbers are compared besides those of every script. Only one depends on the step."""
    experiment, details, numbers = configs.build(WITH_MAPS[name]), [], 0
    for maps, step in ((MAPS, ["--probes", "2", "--learning-rate", "0.01"]),
                       (["update"], ["--optimizer", "adam", "--learning-rate", "1e-5", "--matrices-only"])):
        with tempfile.TemporaryDirectory(prefix="normscope-script-") as folder:
            status, text = run(export(folder, experiment, *(word for kind in maps for word in ("--of", kind)), *step))
            found = LARGEST.search(text)
            assert status == 0 and found, f"status {status}:\n{text[-1000:]}"
            for kind in maps:
                is_there = kind != "routing" or "experts" in WITH_MAPS[name]
                assert f"\n{kind}: " in text or name == "overflow" or not is_there, f"no {kind}"
            details.append(found[0])
            numbers = numbers or int(found[2])
    if name not in NUMBERS:
        check(experiment, name)
    more = numbers - NUMBERS[name]
    assert more > 3 * experiment["shape"]["depth"] or name == "overflow", f"{more} numbers of maps"
    return "\n".join(details)


WRONG_MAPS = [  # a kind, and a wrong replacement in its part of a script or in its settings
    ("contributions", "linear_in_branches(*given) for given, _", "run_part(*given)[1:3] for given, _"),
    ("contributions", "z / sigma.detach()", "z / sigma"),
    ("contributions", "share(place, products)\n", "1.01 * share(place, products)\n"),
    ("lengths", "added.register_hook(cut)", "pass"),
    ("lengths", "c * re - s * im, s * re", "c * re + s * im, s * re"),
    ("lengths", "float(shares @ k.double())", "float(shares @ k.double()) + 0.1"),
    ("gain", "/ norm_of(probe) for", "/ math.sqrt(probe.numel()) for"),
    ("gain", "x[:m + 1], v,", "x[:m + 1], v.flip(0),"),
    ("gain", "math.sqrt(len(probes))", "math.sqrt(len(probes) - 0.9)"),
    ("similarity", '("cos_g", gradient_of)', '("cos_g", torch.detach)'),
    ("similarity", '("cos_x", torch.detach)', '("cos_x", torch.exp)'),
    ("update", "p -= rate * directions[key]", "p += rate * directions[key]"),
    ("update", '"learning_rate": 0.01', '"learning_rate": 0.0101'),
    ("update", '"optimizer": "sgd"', '"optimizer": "adam"'),
    ("update", '"matrices_only": false', '"matrices_only": true'),
    ("update", "stepped(rate / 10)", "stepped(rate / 9)"),
]


def with_map(kind, name):
    """Return the experiment, or one with experts if the map is of these."""
    return configs.build(configs.FIXED["experts" if kind == "routing" else name])


def planted_errors_in_maps_are_detected():
    with tempfile.TemporaryDirectory(prefix="normscope-script-") as folder:
        for kind in MAPS:
            experiment = with_map(kind, "post")
            script = export(folder, experiment, "--of", kind, "--learning-rate", "0.01") if kind == "update" else \
                export(folder, experiment, "--of", kind)
            text = script.read_text(encoding="utf-8")
            assert run(script)[0] == 0
            for _, old, new in (change for change in WRONG_MAPS if change[0] == kind):
                detects(script, text, old, new)
            numbers = text[text.index(f'{{"{kind}": {{'):]
            start = text.index(numbers) + re.search(r'"[^"]*": 0?\.\d', numbers[numbers.index('"numbers"'):]).end() + \
                numbers.index('"numbers"') - 1
            digit = str((int(text[start]) + 5) % 10)
            script.write_text(text[:start] + digit + text[start + 1:], encoding="utf-8")
            assert run(script)[0] == 1, f"{kind}: a wrong number was not detected"
    return f"{len(WRONG_MAPS) + len(MAPS)} errors"


def only_chosen_maps():
    """A script has the code of its maps alone; own weights give maps, too, and each seed others."""
    experiment = configs.build(configs.FIXED["ed-post"])
    with tempfile.TemporaryDirectory(prefix="normscope-script-") as folder:
        for kind in (None, *MAPS):
            script = export(folder, with_map(kind, "ed-post"), *(["--of", kind] if kind else []))
            text = script.read_text(encoding="utf-8")
            assert [name for name in MAPS if f"def {name}(" in text] == [kind] * bool(kind), kind
            assert ("PATHS" in text) == ("def print_paths" in text) == bool(kind), kind
            assert (script.parent / "probes").exists() == (kind == "gain"), kind
            assert "#:" not in text, kind
            if kind:
                status, own = run(script, "--own-weights")
                assert status == 0 and f"\n{kind}: " in own and run(script, "--own-weights", "--seed", "5")[1] != own
        probes = run(export(folder, experiment, "--of", "gain", "--probes", "3"))[1]
        assert probes != run(export(folder, experiment, "--of", "gain", "--probes", "2"))[1]
    with tempfile.TemporaryDirectory(prefix="normscope-script-") as folder:
        text = export(folder, configs.build(WITH_MAPS["deep"]), "--of", "lengths").read_text(encoding="utf-8")
        assert "exp(ikp)" not in text and '"mean_length"' in text, "estimated lengths"


def preset(name):
    printed = subprocess.run([CLI, "presets", name], check=True, capture_output=True, text=True).stdout
    experiment, details = configs.shrink(json.loads(printed)), []
    for variant in experiment["variants"]:
        details.append(f"{variant['name']}: {check({**experiment, 'variants': [variant]})}")
    return "\n".join(details)


# ---- as a program ----

def as_a_program():
    """The script runs from any folder and needs only torch."""
    with tempfile.TemporaryDirectory(prefix="normscope-script-") as folder:
        script = export(folder, configs.build(configs.FIXED["pre"]))
        tree = ast.parse(script.read_text(encoding="utf-8"))
        needs = {name.name for node in ast.walk(tree) if isinstance(node, ast.Import) for name in node.names}
        needs |= {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
        others = {name.split(".")[0] for name in needs} - set(sys.stdlib_module_names)
        assert others == {"torch"}, others
        done = subprocess.run([sys.executable, "-B", script], cwd="/", capture_output=True, text=True, check=False)
        assert done.returncode == 0 and LARGEST.search(done.stdout), done.stdout + done.stderr
        modified = script.read_text(encoding="utf-8").replace('"norm_eps": 1e-05', '"norm_eps": 0.1')
        script.write_text(modified, encoding="utf-8")
        done = subprocess.run([sys.executable, "-B", script], capture_output=True, text=True, check=False)
        assert done.returncode == 1 and LARGEST.search(done.stdout), done.stdout + done.stderr


def the_table_matches_run():
    experiment = configs.build(configs.FIXED["sandwich"])
    with tempfile.TemporaryDirectory(prefix="normscope-script-") as folder:
        _, text = run(export(folder, experiment))
        table = subprocess.run([CLI, "run", Path(folder) / "experiment.normscope"], check=True, capture_output=True,
                               text=True).stdout
    rows = [line.split() for line in text.splitlines()]
    wanted = [line.split() for line in table.splitlines()]
    header = next(row for row in wanted if "grad_x" in row)
    assert rows[0][1:] == header[1:], f"{rows[0]} and {header}"
    for block in range(1, experiment["shape"]["depth"] + 1):
        ours = next(row for row in wanted if row[:1] == [str(block)])
        theirs = next(row for row in rows if row[:1] == [str(block)])
        assert len(ours) == len(theirs) == 9, f"{ours} and {theirs}"
        for a, b in zip(ours, theirs):
            assert abs(float(a) - float(b)) <= 2e-3 * abs(float(a)), f"{ours} and {theirs}"


# ---- detection of errors ----

def planted_errors_are_detected():
    experiment = configs.build(configs.FIXED["causal-bias-gelu"])
    with tempfile.TemporaryDirectory(prefix="normscope-script-") as folder:
        script = export(folder, experiment)
        text = script.read_text(encoding="utf-8")
        assert run(script)[0] == 0
        changes = [('"activation": "gelu"', '"activation": "silu"'), ('"attention": "causal"', '"attention": "full"'),
                   ('"branch_scale": 1.0', '"branch_scale": 1.01'), ('"norm_eps": 1e-05', '"norm_eps": 0.1'),
                   ('"w_2": [null, ', '"w_2": [null, 1'), ('"w_2": [null, ', '"w_9": [null, '),
                   ('"loss": [null, null, null, null, ', '"loss": [null, null, null, 1.0, ')]
        for old, new in changes:
            detects(script, text, old, new)
        script.write_text(text, encoding="utf-8")
        kinds = {}
        for path in sorted(script.parent.rglob("*.npy")):
            kinds.setdefault(path.name, []).append(path)
        paths = [paths[i % len(paths)] for i, paths in enumerate(kinds.values())]  # from each block in turn
        detects_changes(script, paths, experiment["shape"]["vocab"])


WRONG_CODE = {  # a configuration, and wrong replacements in its script
    "ed-mixed-2": [('norm(x, head, end), stream', 'norm(x, head if end == "final" else {}, end), stream'),
                   ('attention(u, memory, p', 'attention(u, u, p'), ('"decoder": True}', '"decoder": False}'),
                   ('residual(p, "cross", part, block) * x_residual', '0.99 * x_residual'),
                   ('added["cross"] = branch(', 'added["cross"] = 1.01 * branch('),
                   ('p["b_head"] = torch.zeros(V)', 'p["b_head"] = torch.linspace(0, 0.1, V)'),
                   ('y = norm(y, p, f"{sub}_inner")', 'pass')],
    "ed-deepnorm": [('0.81 * (L', '0.82 * (L')],
    "gqa": [('x.repeat_interleave(HEADS // KV_HEADS, dim=1)', 'x.repeat(1, HEADS // KV_HEADS, 1, 1)')],
    "qk-cosine": [('return 10\n', 'return 9.9\n'), ('torch.sqrt((x * x).sum(-1, keepdim=True) + D_HEAD * 1e-24)', '1')],
    "qk-head-gqa-bias": [('norm(k, p, f"{sub}_k")', 'k')],
    "dyt-post-bias": [('torch.tanh(p[f"alpha_{name}"] * x)', 'torch.tanh(x)')],
    "layer-scale": [('p[f"scale_{sub}"] * norm(s', '1.01 * p[f"scale_{sub}"] * norm(s')],
    "biases-gpt-j": [('and has_bias(group)', 'and VARIANT["bias"]'), ('if has_bias("head")', 'if False')],
    "biases-qwen2": [('has_bias("qkv") if group == "k" else VARIANT["bias"]', 'VARIANT["bias"]')],
    "biases-opt": [('if has_bias("norms")', 'if VARIANT["bias"]')],
    "b2t": [('z = z + x_block', 'z = z + 0.99 * x_block'), ('z / sigma.detach()', 'z / sigma'),
            ('(("", residual, branch), ("grad_"', '(("", residual, 1.01 * branch), ("grad_"')],
    "rotary-yarn-fractional": [('if VARIANT["rotary_truncate"]:', 'if True:'),
                               ('VARIANT.get("rotary_attention_factor") or ', '')],
    "vit-patches": [('torch.cat([torch.zeros_like(x[:, :1]), x[:, 1:]], dim=1)', 'x'),
                    ('linear(arrays["pixels"].to(dtype), p, "w_patch")', 'arrays["pixels"].to(dtype) @ p["w_patch"]')],
    "patches-batches": [('math.sqrt(d) if scale == "sqrt-d-model" else scale', '4.01')],
    "rotary-longrope": [('angles / torch.tensor(numbers', 'angles / torch.tensor([1.0] * len(numbers)'),
                        ('math.sqrt(1 + longer)', '1.0')],
    "rotary-longrope-long": [('if T > original', 'if T < original')],
    "head-transform-post": [('h = transform(h, head)', 'pass'),
                            ('(linear(h, head, "w_head_dense")), head, "head_dense")',
                             '(h @ head["w_head_dense"].T), head, "head_dense")')],
    "residual-dual": [('r = stream[0] + sum(', 'r = sum(')],
    "two-norms-bias": [('u = pre_norm(x_branch, p, "ffn_pre", block)', 'u = pre_norm(u, p, "ffn_pre", block)')],
    "input-norm": [('norm(input_scale(part) * x, p_input, "input")', 'input_scale(part) * x')],
    "t-fixup": [('(9 * DEPTH[part]) ** -0.25 if VARIANT["input', '(8 * DEPTH[part]) ** -0.25 if VARIANT["input')],
    "batches-norm": [('return sum(norms) / M', 'return sum(norms[1:]) / (M - 1)'),
                     ('arrays[name][m * B:(m + 1) * B]', 'arrays[name][:B]')],
    "batches-mean": [('for each in p) / M', 'for each in p) / (M - 0.1)')],
    "batches-unit": [('own["upstream"] = M * own["upstream"]', 'pass')],
    "first-block-pre": [("if block == 1 else", "if block == 2 else")],
    "alibi-scaled": [("slopes *= attention_scale()", "pass")],
    "alibi-bloom": [("8 * (i + 1) / (2 * n)", "8 * (i + 1) / n")],
    "window-after": [('VARIANT.get("window_after", 0)', '1'), ('"window_full_every", math.inf', '"no key", math.inf'),
                     ("distance >= window_of", "distance > window_of")],
    "window-rotary-local": [('VARIANT["rotary_base_local"] **', 'VARIANT["rotary_base"] **')],
    "caps-alibi-qk-head": [('cap * torch.tanh(x / cap)', 'cap * torch.atan(x / cap)'),
                           ('soft_cap(logits, VARIANT["logit_cap"])', 'logits'),
                           ('soft_cap(scores, VARIANT["score_cap"])', 'scores')],
    "logit-scale": [('logits = logit_scale() * logits', 'pass')],
    "ngpt": [("return 1 - step(p, sub)", "return 1"), ("return math.sqrt(D_HEAD)", "return 1 / math.sqrt(D_HEAD)"),
             ('p[f"scale_{sub}"]).abs()', 'p[f"scale_{sub}"] ** 2 * math.sqrt(d))'),
             ('* head["s_z"] * logits', '* head["s_z"].detach() * logits')],
    "relative": [("rows * (offsets > 0)", "0 * (offsets > 0)"), ("exact = rows // 2", "exact = rows // 2 + 1")],
    "relative-causal": [("(-offsets).clamp(min=0)", "(-offsets - 1).clamp(min=0)")],
    "experts-llama4": [("torch.sigmoid(logits) * chosen", "everything * chosen"),
                       ('block % VARIANT["rotary_skip_every"] != 0', "True"),
                       ('VARIANT["norm_eps"]) for x in (q, k)', "1) for x in (q, k)")],
    "ed-experts-sigmoid": [("y = y + shared", "y = y + 0.5 * shared")],
    "batches-text": [('mean_square) / (M - 1)  # unb', 'mean_square) / M  # unb')],
}


def wrong_code_is_detected():
    count = 0
    for name, changes in WRONG_CODE.items():
        with tempfile.TemporaryDirectory(prefix="normscope-script-") as folder:
            script = export(folder, configs.build(configs.FIXED[name]))
            text = script.read_text(encoding="utf-8")
            for old, new in changes:
                detects(script, text, old, new)
                count += 1
    return f"{count} errors"


def a_script_contains_only_its_variant():
    """A script has no directives of the template and no code for features that its variant lacks."""
    marks = {"cross_post": "ed-post", "tanh(p[": "dyt", "x_block": "b2t", "repeat_interleave": "gqa",
             'f"{sub}_k"': "qk-full", "return 10\n": "qk-cosine", "r = stream": "residual-dual",
             '"ffn_pre", block)\n    added': "two-norms", 'scale_{sub}"] * norm': "layer-scale", "rmsnorm": None,
             '_inner"': "inner", "math.floor": "mix", "/ math.sqrt(block) if": "layernorm-scaling",
             "F.cross_entropy": "pre", 'arrays["upstream"]': "unit-gradient-pre", "encode()": "text-short",
             "torch.randint(V, (n + 1,))": "tokens", "def minibatches": "batches-expected",
             "def as_shown": "batches-expected", "def alibi": "alibi", "def buckets": "relative",
             "def window_of": "window-rotary-local", "rotary_base_local": "window-rotary-local",
             "soft_cap(scores": "score-cap", "def step": "ngpt-large-step", "soft_cap(logits": "logit-cap"}
    longest = 0
    for name in {*filter(None, marks.values()), "pre"}:
        with tempfile.TemporaryDirectory(prefix="normscope-script-") as folder:
            text = export(folder, configs.build(configs.FIXED[name])).read_text(encoding="utf-8")
        code = re.sub(r'json\.loads\(r""".*?"""\)', "", text, flags=re.S)
        longest = max(longest, code.count("\n"))
        assert "#:" not in code and "@" not in re.sub(r" @ ", "", code), f"{name}: a directive of the template"
        for mark, owner in marks.items():
            if owner is not None and owner != "pre":
                assert (mark in code) == (name == owner), f"{name}: {mark!r}"
    return f"{longest} lines at most"


def hostile_names():
    """Names and texts cannot break out of their string literals."""
    controls = "\nb\r\t\x0b\x7f\u2028\u202e\u2066\uffff\U0001fffe"  # which a name cannot have
    for name in ['"""', '""" + exit(7) + """', "\\", '\\"""', "'''", "@NUMBERS@", "{}%s\\n", "é \\N{DASH}"]:
        text = name * 9 + controls
        experiment = configs.shrink(configs.build({"data.source": "text", "data.text": text, "shape.vocab": 256}))
        experiment["variants"][0]["name"] = name
        with tempfile.TemporaryDirectory(prefix="normscope-script-") as folder:
            script = export(folder, experiment)
            status, _ = run(script)
            seen = runpy.run_path(str(script))["EXPERIMENT"]
            found = seen["variants"][0]["name"]
            assert status == 0 and found == name, f"{name!r} became {found!r}"
            assert seen["data"]["text"] == text
            raw = "[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\uffff]"
            assert not re.search(raw, script.read_text(encoding="utf-8")), f"{name!r}: a control character"


# ---- --own-weights ----

def spread(x):
    x = x.double()
    return float((x - x.mean()).square().mean().sqrt())


OWN = [  # init.scheme, init.residual and other settings that affect the random numbers
    ("xavier-normal", "none", {}),
    ("xavier-uniform", "gpt2", {"data.source": "tokens", "data.positions": "learned"}),
    ("lecun-normal", "deepnorm", {**configs.TEXT_DATA, "data.positions": "sinusoidal"}),
    ("kaiming-normal", 0.5, {"data.source": "tokens", "attention_output": False}),
    ("normal", "gpt2", {"attention_output": False}),
    ("small", "wang", {"data.source": "tokens", "data.embed_scale": "sqrt-d-model"}),
    ("mitchell", "none", {"shape.heads": 4, "shape.kv_heads": 2, "shape.d_head": 30}),
    ("mitchell", "none", {"attention_output": False, "loss": "unit-gradient"}),
    ("t5", "sub-ln", {"shape.d_head": 40}),
    ("fairseq", "t-fixup", {}), ("xavier-uniform", "fixup", {}), ("normal", "fixup", {"activation": "swiglu"}),
    ("normal", "none", {"data.source": "tokens", "sampling.batches": 3}),
    ("normal", "none", {"loss": "unit-gradient", "sampling.batches": 3}),
    ("xavier-normal", "ds-init", {"data.source": "tokens", "data.positions": "learned", "data.embed_scale": 0.3}),
    ("normal", "none", {"data.source": "tokens", "data.positions": "learned", "data.token_types": 2}),
    ("normal", "none", {"data.class_token": "normal", "data.positions": "learned", "data.embed_std": 0.1}),
    ("normal", "none", {"data.source": "tokens", "data.positions": "learned", "data.token_types": 2,
                        "init.truncate": 1.0, "init.head": "tied"}),
    ("normal", "gpt2", {"data.class_token": "normal", "init.truncate": 0.5, "init.head": "lecun"}),
    ("normal", "none", {"data.class_token": "zero", "data.embed_scale": "sqrt-d-model"}),
    ("normal", "gpt2", {"shape.patch_features": 40, "data.class_token": "normal", "data.positions": "learned",
                        "data.embed_scale": 0.3}),
    ("fairseq", "deepnorm", {"shape.patch_features": 200, "sampling.batches": 3}),
    *((scheme, residual, {"shape.stack": "encoder-decoder", **more}) for scheme, residual, more in (
        ("fairseq", "deepnorm", {"data.source": "tokens", "data.positions": "learned"}),
        ("xavier-normal", "sub-ln", {}), ("t5", "t-fixup", {**configs.TEXT_DATA, "shape.d_head": 40}),
        ("mitchell", "ds-init", {}), ("small", "wang", {"attention_output": False}), ("normal", "gpt2", {}))),
]


def own_weights_have_the_same_distributions():
    details = []
    with tempfile.TemporaryDirectory(prefix="normscope-script-") as folder:
        script = export(folder, configs.build(configs.FIXED["tokens"]))
        first, other, again = (run(script, "--own-weights", "--seed", seed)[1] for seed in "355")
        assert first != other == again, "the seed has no effect"
    wide = {"shape.d_model": 96, "shape.heads": 2, "shape.d_ff": 192, "shape.depth": 3, "shape.seq_len": 64,
            "shape.vocab": 64, "activation": "swiglu"}
    for scheme, residual, more in OWN:
        experiment = configs.build({**wide, "init.scheme": scheme, "init.residual": residual, **more})
        with tempfile.TemporaryDirectory(prefix="normscope-script-") as folder:
            script = export(folder, experiment)
            status, text = run(script, "--own-weights")
            assert status == 0 and "difference" not in text and "head" in text, text
            module = runpy.run_path(str(script))
            ours, theirs, other, again = module["dumped_arrays"](), *map(module["own_arrays"], (3, 5, 5))
            assert all(torch.equal(other[name], again[name]) for name in other), "the seed does not decide"
            assert any(not torch.equal(other[name], theirs[name]) for name in other), "the seed has no effect"
        same_distribution(ours, theirs, experiment, f"{scheme}, {residual}")
        details.append(f"{scheme}, {residual}: {len(ours)} arrays")
    return "\n".join(details)


def same_distribution(ours, theirs, experiment, label):
    for name, x in ours.items():
        where = f"{label}: {name}"
        assert theirs[name].shape == x.shape, where
        if not x.is_floating_point():
            assert 0 <= theirs[name].min() and theirs[name].max() < experiment["shape"]["vocab"], where
            continue
        if spread(x) == 0:  # the last matrices of Fixup
            assert spread(theirs[name]) == 0, where
            continue
        assert abs(spread(theirs[name]) / spread(x) - 1) < 0.06, f"{where}: {spread(theirs[name])}, {spread(x)}"
        if name in ("x0", "y0"):  # the first token, and what the tokens of each half of a sequence share
            for of in (lambda x: x[:, 0], lambda x: x[:, :32].mean((0, 1)), lambda x: x[:, 32:].mean((0, 1))):
                few, own = spread(of(x)), spread(of(theirs[name]))
                assert abs(own - few) <= 0.35 * few, f"{where}: {own}, {few}"
        scheme = experiment["variants"][0]["init"]["scheme"]
        if scheme in ("xavier-uniform", "fairseq") and "block" in name:
            assert abs(float(theirs[name].abs().max() / x.abs().max()) - 1) < 0.01, where
    assert set(theirs) >= set(ours), label
    if experiment["data"]["source"] == "text":
        assert torch.equal(ours["targets"].long(), theirs["targets"].long()), label


# ---- the command ----

def bad_usage():
    with tempfile.TemporaryDirectory(prefix="normscope-script-") as folder:
        (Path(folder) / "mine").mkdir()
        (Path(folder) / "mine" / "note.txt").write_text("precious", encoding="utf-8")
        for arguments, status, word in [(["--variant", "pre"], 2, "--out"), (["--out", "d"], 2, "--variant"),
                                        (["--variant", "pre", "--out", "mine"], 1, "earlier dump"),
                                        (["--variant", "pre", "--out", "no/such/d"], 1, "no/such"),
                                        (["--variant", "pre", "--out", "d", "--of", "loss"], 2, "contributions"),
                                        (["--variant", "pre", "--out", "d", "--optimizer", "adam"], 2, "--of update"),
                                        (["--variant", "pre", "--out", "d", "--of", "gain", "--probes", "0"], 2,
                                         "1024")]:
            done = subprocess.run([CLI, "script", *arguments], cwd=folder, capture_output=True, text=True, check=False)
            assert done.returncode == status and word in done.stderr, f"{arguments}: {done.returncode} {done.stderr}"
        assert sorted(os.listdir(folder)) == ["mine"] and os.listdir(Path(folder) / "mine") == ["note.txt"]


def replaces_its_own_folder():
    with tempfile.TemporaryDirectory(prefix="normscope-script-") as folder:
        export(folder, configs.build(configs.FIXED["pre"]), "--of", "gain")
        script = export(folder, configs.build(configs.FIXED["post"]))
        assert run(script)[0] == 0 and not (script.parent / "probes").exists()
        done = subprocess.run([CLI, "dump", Path(folder) / "experiment.normscope", "--variant", "0", "--out",
                               script.parent], capture_output=True, text=True, check=False)
        assert done.returncode == 0 and not script.exists(), done.stderr


def main():
    tap = Tap()
    torch.set_num_threads(1)
    presets = Cli(CLI).preset_names()
    assert len(presets) >= 5, presets
    for name in presets:
        tap.run(preset, name, name=f"preset {name}")
    for name, overrides in configs.FIXED.items():
        tap.run(check, configs.build(overrides), name, name=f"fixed {name}")
    for name, overrides in configs.random_configs(1, N_RANDOM).items():
        tap.run(check, configs.build(overrides), name=name)
    for name in WITH_MAPS:
        tap.run(check_maps, name, name=f"maps of {name}")
    for test in (as_a_program, the_table_matches_run, planted_errors_are_detected, wrong_code_is_detected,
                 planted_errors_in_maps_are_detected, only_chosen_maps,
                 a_script_contains_only_its_variant, hostile_names, own_weights_have_the_same_distributions, bad_usage,
                 replaces_its_own_folder):
        tap.run(test)
    tap.finish()


if __name__ == "__main__":
    main()
