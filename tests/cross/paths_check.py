# Copyright (C) 2026 The Normscope developers
# SPDX-License-Identifier: GPL-3.0-or-later
"""Compare `normscope-cli paths` with PyTorch's autograd in float64.

    paths_check.py NORMSCOPE_CLI

`normscope-cli dump` writes weights and input, and the model of tests/golden/reference.py runs on them. What the program
sweeps down the stack by its own equations is here found by hooks: a contribution from the gradient of ½‖x_l‖² where the
branches' inputs are detached and the norms' statistics are constants; a length of paths from gradients that a hook
multiplies by t at every branch, as a polynomial in t; a gain from autograd with the same random gradient, drawn again;
a step of an optimizer by adding it to the parameters.
"""

import contextlib
import json
import math
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "golden"))

from tap import Tap, require_torch  # noqa: E402

require_torch()

import numpy as np  # noqa: E402
import torch  # noqa: E402

import configs  # noqa: E402
import reference  # noqa: E402
import reference_own  # noqa: E402
import reference_blocks as blocks  # noqa: E402
from cli import Cli, write  # noqa: E402

# The program computes in single precision. Cosines and shares are compared absolutely, gains relatively.
TOLERANCE = 2e-5
SUM_TOLERANCE = 1e-5
# A change is the difference of two forward passes.
STEP_TOLERANCE = 1e-3
# A quantity of a step is measured with one that changes h by up to 0.8 %.
SIZE_TOLERANCE = 0.02
PROBES = 2
MATRICES = ("w_1", "w_2", "w_3")
PROBE_STREAM = reference_own.PROBE_STREAM

# Every placement in every topology, norm and residual, and a decoder with each; covers_all() checks the first of these.
NAMES = ["pre", "post", "sandwich", "branch", "none", "pre-post", "pre-deep", "post-deep", "xiong-theory",
         "bias-sandwich-rmsnorm", "parallel-pre", "parallel-post", "parallel-sandwich", "parallel-branch",
         "parallel-pre-post", "parallel-no-residual", "mix-all-post", "no-residuals", "post-final", "scales-post",
         "dyt-post-bias", "dyt-everywhere", "branch-gain-half", "inner-post-swiglu", "two-norms", "two-norms-post",
         "layer-scale-sandwich", "residual-dual-bias", "residual-dual-off", "residual-dual-unit",
         "residual-dual-sandwich", "ed-pre", "ed-post", "ed-pre-post", "ed-uniform", "ed-no-cross-residual",
         "ed-mixed", "ed-mixed-2", "ed-deepnorm", "ed-b2t", "ed-residual-dual", "ed-residual-dual-unit", "ed-dyt",
         "ed-input-norm", "ed-one-token", "batches-mean", "batches-ed-norm", "parallel-none", "two-norms-bias",
         "two-norms-mix", "mixed-placements", "one-token-bias", "ed-sandwich", "ed-branch", "ed-none",
         "ed-no-residuals", "ed-qkv-head", "ed-rezero", "rotary-half", "rotary-bias", "rotary-gpt-neox",
         "rotary-llama3", "ed-rotary", "first-block-pre", "hybrid-star"]
# What else can have experts; of the maps only those of the experts.
EXPERTS = ["experts", "experts-qwen2", "experts-one", "experts-parallel", "experts-sigmoid", "experts-no-norm",
           "ffn-only-experts", "hyper-experts", "mhc-experts"]
MORE = {"b2t": configs.both("post", block_residual=True, **{"shape.depth": 4}),
        "b2t-scaled": configs.both("pre-post", block_residual=True, residual_scale=0.7, branch_scale=1.3)}


# ---- the reference ----

@contextlib.contextmanager
def patched(place=blocks, **functions):
    """Replace functions of a module or a class."""
    old = {name: getattr(place, name) for name in functions}
    for name, function in functions.items():
        setattr(place, name, function)
    try:
        yield
    finally:
        for name, function in old.items():
            setattr(place, name, function)


def run_pass(experiment, arrays):
    """Return the parts after a forward and a backward pass whose graph is kept."""
    backward = torch.Tensor.backward
    with patched(torch.Tensor, backward=lambda x, gradient: backward(x, gradient, retain_graph=True)):
        return reference.run_pass(experiment, arrays, 1.0, torch.float64)[0]


def held_norm(x, p, name, variant):
    """A norm after a sum as a linear map whose factors are constants; any other norm as it is."""
    if not name.endswith("_post") or f"gain_{name}" not in p:
        return NORM_AT(x, p, name, variant)
    bias = p.get(f"bias_{name}", torch.zeros(()))
    if variant["norm"] == "dyt":
        return ((NORM_AT(x, p, name, variant) - bias) / x).detach() * x + bias
    centred = x - x.mean(-1, keepdim=True) if variant["norm"] == "layernorm" else x
    scale = 1 / ((centred ** 2).mean(-1, keepdim=True) + variant["norm_eps"]).sqrt()
    return centred * scale.detach() * p[f"gain_{name}"] + bias


NORM_AT, ATTENTION, FFN = blocks.norm_at, blocks.attention, blocks.ffn


def expected_contributions(experiment, arrays):
    """Return {(part, l, contributor, block): share}."""
    shares = {}
    with patched(norm_at=held_norm,
                 attention=lambda u, source, *rest: ATTENTION(u.detach(), source.detach(), *rest),
                 ffn=lambda u, *rest: FFN(u.detach(), *rest)):
        chain = run_pass(experiment, arrays)
    for part in chain:
        for block in range(1, len(part.stream)):
            x = part.stream[block]
            places = {("input", 0): part.stream[0]}
            places.update({(sub, k): added for k in range(1, block + 1) for sub, added in part.added[k - 1].items()})
            gradients = torch.autograd.grad((x * x.detach()).sum(), list(places.values()), retain_graph=True,
                                            allow_unused=True)
            for (sub, k), value, gradient in zip(places, places.values(), gradients):
                product = 0.0 if gradient is None else float((value * gradient).sum())
                shares[part.name, block, sub, k] = product / float((x * x).sum())
    return shares


def sites_of(chain):
    """Return [(place in files, layer, tensor)] of every site."""
    places = []
    for i, part in enumerate(chain):
        start = "decoder_input" if i else "input"
        places += [(part.name if layer else start, layer, x) for layer, x in enumerate(part.stream)]
    return places


def gradient_of(x):
    return torch.zeros_like(x) if x.grad is None else x.grad


def expected_similarity(experiment, arrays):
    chain = run_pass(experiment, arrays)
    values = {}
    for i, (part, layer, x) in enumerate(sites := sites_of(chain)):
        for other, other_layer, y in sites[i:]:
            for name, a, b in (("cos_x", x.detach(), y.detach()), ("cos_g", gradient_of(x), gradient_of(y))):
                norms = float(a.norm() * b.norm())
                values[name, part, layer, other, other_layer] = float((a * b).sum()) / norms if norms else None
    return values


def expected_gain(experiment, arrays):
    chain = run_pass(experiment, arrays)
    values = {}
    for m, (other, other_layer, y) in enumerate(sites := sites_of(chain)):
        norms = []
        for probe in range(PROBES):
            v = torch.tensor(reference_own.normal(experiment["sampling"]["seed"], m, PROBE_STREAM, probe * y.numel(),
                                                  y.numel()))
            gradients = torch.autograd.grad(y, [x for _, _, x in sites[:m + 1]], v.view_as(y), retain_graph=True,
                                            allow_unused=True)
            norms.append([0.0 if g is None else float(g.norm() / v.norm()) for g in gradients])
        for (part, layer, _), gain, error in zip(sites, np.mean(norms, 0),
                                                 np.std(norms, 0, ddof=1) / np.sqrt(PROBES)):
            values[part, layer, other, other_layer] = (gain, error)
    return values


def count_branch(y, t):
    """Multiply the gradient of a branch by t."""
    y.register_hook(lambda gradient: t * gradient)


def input_gradients(experiment, arrays, t):
    """Return the gradients at the inputs of the parts, with those of every branch multiplied by t."""
    def scaled(function):
        def call(*arguments):
            y = function(*arguments)
            count_branch(y, t)
            return y
        return call

    with patched(attention=scaled(ATTENTION), ffn=scaled(FFN)):
        chain = run_pass(experiment, arrays)
    return [gradient_of(part.stream[0]).flatten().numpy() for part in chain]


def expected_lengths(experiment, arrays):
    """Return [(shares, norms)] of each part: g^(k) are the coefficients of the polynomial g(t)."""
    depth, sequential = experiment["shape"]["depth"], experiment["variants"][0]["topology"] == "sequential"
    n = sum(depth * ((3 if part == "decoder" else 2) if sequential else 1) for part in reference.parts(experiment)) + 1
    nodes = np.cos(np.pi * (np.arange(n) + 0.5) / n)
    at = [np.stack(each) for each in zip(*(input_gradients(experiment, arrays, t) for t in nodes))]
    values = []
    for g, of_nodes in zip(input_gradients(experiment, arrays, 1.0), at):
        parts = np.linalg.solve(np.vander(nodes, increasing=True), of_nodes)
        square = float(g @ g)
        values.append((parts @ g / square, np.linalg.norm(parts, axis=1) / np.sqrt(square)))
    return values


# ---- a step of an optimizer ----

def all_parameters(experiment, chain, head):
    """Return {(place in files, layer, name): tensor}."""
    values = {}
    for i, part in enumerate(chain):
        values.update({("decoder_input" if i else "input", 0, name): p for name, p in part.input.items()})
        for block, parameters in enumerate(part.blocks, start=1):
            values.update({(part.name, block, name): p for name, p in parameters.items()})
    values.update({("head", experiment["shape"]["depth"] + 1, name): p for name, p in head.items()})
    return values


def run_with(experiment, arrays, changes):
    """Return (x_l of every site, h, loss) with the changes added to the parameters."""
    [variant] = experiment["variants"]
    chain = [reference.Part(experiment, arrays, name, torch.float64) for name in reference.parts(experiment)]
    head = reference.leaves(reference.head_parameters(experiment, variant, arrays), torch.float64)
    with torch.no_grad():
        for key, p in all_parameters(experiment, chain, head).items():
            p += changes[key]
    h = None
    for part in chain:
        h = part.forward(h, head, reference.end_of(part))
    if experiment["loss"] == "unit-gradient":
        loss = (h * torch.tensor(arrays["upstream"])).sum()
    else:
        logits = blocks.logits_of(h, head, variant)
        loss = torch.nn.functional.cross_entropy(logits.flatten(0, 1),
                                                 torch.tensor(arrays["targets"], dtype=torch.int64).flatten())
    return [x.detach() for _, _, x in sites_of(chain)], h.detach(), float(loss)


def rate_for(optimizer, parameters, gradients):
    """Return a learning rate that moves the parameters by a few percent."""
    size = math.sqrt(sum(float((p * p).sum()) for p in parameters.values()))
    if optimizer == "adam":
        return 0.02 * size / math.sqrt(sum(p.numel() for p in parameters.values()))
    return 0.02 * size / (math.sqrt(sum(float((g * g).sum()) for g in gradients.values())) or 1.0)


def expected_update(experiment, arrays, optimizer):
    """Return (learning rate, {(quantity, place, layer, tensor or None): value})."""
    chain, head, _ = reference.run_pass(experiment, arrays, 1.0, torch.float64)
    parameters = {key: p.detach() for key, p in all_parameters(experiment, chain, head).items()}
    gradients = {key: gradient_of(p) for key, p in all_parameters(experiment, chain, head).items()}
    directions = {key: g.sign() if optimizer == "adam" else g for key, g in gradients.items()}
    rate = float(f"{rate_for(optimizer, parameters, gradients):.6g}")

    def stepped(size):
        return run_with(experiment, arrays, {key: -size * u for key, u in directions.items()})

    (xs, h, loss), (new_xs, new_h, new_loss) = stepped(0.0), stepped(rate)
    change, small = new_h - h, stepped(rate / 10)[1] - h
    values = {}
    for (place, layer, _), x, new_x in zip(sites_of(chain), xs, new_xs):
        values["update_x", place, layer, None] = float((new_x - x).norm() / x.norm())
    at_head = ("head", experiment["shape"]["depth"] + 1)
    values["update_h", *at_head, None] = float(change.norm() / h.norm())
    values["loss_change", *at_head, None] = new_loss - loss
    values["loss_change_first_order", *at_head, None] = -rate * sum(float((g * u).sum()) for g, u in
                                                                    zip(gradients.values(), directions.values()))
    values["nonlinearity", *at_head, None] = float((10 * small - change).norm() / change.norm())
    for (place, layer, name), p in parameters.items():
        if float(p.norm()) > 0:
            values["update_w", place, layer, name] = rate * float(directions[place, layer, name].norm() / p.norm())
    return rate, values


# ---- comparing ----

class Comparison:
    def __init__(self):
        self.count, self.worst, self.problems = 0, 0.0, []

    def add(self, name, have, want, scale=1.0, tolerance=TOLERANCE):
        self.count += 1
        if want is None or not np.isfinite(want):
            if have is not None:
                self.problems.append(f"{name} is {have}, expected none")
            return
        off = abs(have - want) / scale if have is not None else np.inf
        self.worst = max(self.worst, off)
        if not off <= tolerance:
            self.problems.append(f"{name} is {have!r}, expected {want!r}")

    def finish(self):
        assert not self.problems, "\n".join(self.problems[:8] + [f"{len(self.problems)} of {self.count} values differ"])


def rows(cli, path, kind, *options):
    [variant] = json.loads(cli.call("paths", path, "--of", kind, "--format", "json", *options))["variants"]
    return variant


def check_similarity(cli, path, experiment, arrays, found):
    want = expected_similarity(experiment, arrays)
    got = {(r["quantity"], r["part"], r["layer"], r["other"], r["other_layer"]): r["mean"]
           for r in rows(cli, path, "similarity")["numbers"]}
    assert got.keys() == want.keys(), got.keys() ^ want.keys()
    for key, value in want.items():
        found.add(key, got[key], value)


def expected_routing(experiment, arrays):
    """Return {(quantity, block, expert): value}; an expert counts from 1, its choices are counted from the mask."""
    counts, real = [], blocks.describe_routing
    [variant] = experiment["variants"]

    def kept(everything, mask):
        counts.append(mask.flatten(0, -2).sum(0))
        return real(everything, mask)

    with patched(describe_routing=kept, MIN_MARGIN=1e-5):  # the seed is not that of the configurations
        [part] = run_pass(experiment, arrays)
    found = {}
    for block, p in enumerate(part.blocks, 1):
        for e in range(variant["experts"]):
            gradients = [p[name].grad[e] for name in MATRICES if name in p]
            found["expert_load", block, e + 1] = float(counts[block - 1][e] / counts[block - 1].sum())
            found["expert_grad", block, e + 1] = math.sqrt(sum(float((g * g).sum()) for g in gradients))
    return found


def check_routing(cli, path, experiment, arrays, found):
    if "experts" not in experiment["variants"][0]:
        assert rows(cli, path, "routing")["numbers"] == []
        return
    want = expected_routing(experiment, arrays)
    got = {(r["quantity"], r["layer"], r["other_layer"]): r["mean"] for r in rows(cli, path, "routing")["numbers"]}
    assert got.keys() == want.keys(), got.keys() ^ want.keys()
    for key, value in want.items():
        found.add(key, got[key], value, abs(value) or 1.0)


def check_contributions(cli, path, experiment, arrays, found):
    want = expected_contributions(experiment, arrays)
    got = {(r["part"], r["layer"], r["other"], r["other_layer"]): r["mean"]
           for r in rows(cli, path, "contributions", "--all-blocks")["numbers"]}
    assert got.keys() == want.keys(), got.keys() ^ want.keys()
    for key, value in want.items():
        found.add(key, got[key], value, max(1.0, abs(value)))
    last = {(r["part"], r["layer"], r["other"], r["other_layer"]): r["mean"]
            for r in rows(cli, path, "contributions")["numbers"]}
    assert last == {key: value for key, value in got.items() if key[1] == experiment["shape"]["depth"]}, last
    for part, block in {key[:2] for key in want}:
        total = sum(value for key, value in got.items() if key[:2] == (part, block))
        assert abs(total - 1) < SUM_TOLERANCE, f"the shares of {part} {block} sum to {total!r}"


def check_gain(cli, path, experiment, arrays, found):
    want = expected_gain(experiment, arrays)
    got = {(r["part"], r["layer"], r["other"], r["other_layer"]): (r["mean"], r["standard_error"])
           for r in rows(cli, path, "gain", "--probes", PROBES)["numbers"]}
    assert got.keys() == want.keys(), got.keys() ^ want.keys()
    for key, (gain, error) in want.items():
        found.add(key, got[key][0], gain, gain if gain else 1.0)
        found.add((*key, "error"), got[key][1], error, gain if gain else 1.0)
        if key[:2] == key[2:]:
            assert got[key] == (1.0, 0.0), f"the diagonal is {got[key]}"


def check_lengths(cli, path, experiment, arrays, found):
    variant = rows(cli, path, "lengths")
    assert variant["exact"] is True
    for i, (shares, norms) in enumerate(expected_lengths(experiment, arrays)):
        part = "decoder_input" if i else "input"
        mine = [r for r in variant["numbers"] if r["part"] == part]
        for k, (share, norm) in enumerate(zip(shares, norms)):
            for name, value in (("share", share), ("norm", norm)):
                [row] = [r for r in mine if r["quantity"] == name and r["other_layer"] == k]
                found.add((part, name, k), row["mean"], value, max(1.0, abs(value)))
        [mean] = [r["mean"] for r in mine if r["quantity"] == "mean_length"]
        [rest] = [r["mean"] for r in mine if r["quantity"] == "rest"]
        found.add((part, "mean"), mean, float(shares @ np.arange(len(shares))), len(shares))
        if np.isfinite(shares).all():
            total = sum(r["mean"] for r in mine if r["quantity"] == "share")
            assert abs(total - 1) < SUM_TOLERANCE and rest < SUM_TOLERANCE, f"sum {total!r}, rest {rest!r}"


def check_update(cli, path, experiment, arrays, found):
    for optimizer in ("sgd", "adam"):
        rate, want = expected_update(experiment, arrays, optimizer)
        got = {(r["quantity"], r["part"], r["layer"], r.get("other")): r["mean"]
               for r in rows(cli, path, "update", "--optimizer", optimizer, "--learning-rate", rate)["numbers"]}
        assert got.keys() == want.keys(), got.keys() ^ want.keys()
        for key, value in want.items():
            found.add((optimizer, *key), got[key], value, max(0.01, abs(value)), STEP_TOLERANCE)


def expected_sizes(experiment, arrays):
    """Return {quantity: rms (change of h)/rate} for steps so small that float64 sees no curvature."""
    sizes = {}
    chain, head, _ = reference.run_pass(experiment, arrays, 1.0, torch.float64)
    tensors = all_parameters(experiment, chain, head)
    parameters = {key: p.detach() for key, p in tensors.items()}
    gradients = {key: gradient_of(p) for key, p in tensors.items()}
    h = run_with(experiment, arrays, {key: 0 * p for key, p in parameters.items()})[1]
    for optimizer in ("sgd", "adam"):
        rate = 1e-5 * rate_for(optimizer, parameters, gradients)
        for suffix, is_stepped in (("", lambda name: True), ("_w", lambda name: "w_" in name)):
            change = run_with(experiment, arrays, {
                key: -rate * is_stepped(key[2]) * (g.sign() if optimizer == "adam" else g)
                for key, g in gradients.items()})[1] - h
            sizes[f"update_h_{optimizer}{suffix}"] = reference.rms(change) / rate
    return sizes


def expected_own(experiment, arrays):
    return reference_own.measure(experiment, arrays)


def check_quantities(cli, path, experiment, arrays, found):
    """Those that `run` measures only if asked: at every block, and at the head."""
    sizes = expected_sizes(experiment, arrays)
    names = ",".join((*reference_own.QUANTITIES, *sizes))
    result = json.loads(cli.call("run", path, "--format", "json", "--quantity", names))
    got, want = reference.result_values(result, experiment), expected_own(experiment, arrays)
    for site in range(reference.head_site(experiment)):
        length, gain = want["path_length"][site], want["gain"][site]
        found.add(("path_length", site), got["path_length"][site], length, max(1.0, abs(length)))
        found.add(("gain", site), got["gain"][site], gain, gain if gain else 1.0)
    for name, size in sizes.items():
        have = result["variants"][0][name]["mean"]
        if have is not None:  # no step that is both linear and above rounding
            found.add(name, have, size, abs(size) or 1.0, SIZE_TOLERANCE)


CHECKS = [check_similarity, check_contributions, check_gain, check_lengths, check_update, check_quantities,
          check_routing]


def check(cli, name, functions=CHECKS):
    experiment = configs.build({**configs.FIXED, **MORE}[name])
    experiment["sampling"]["seed"] += 2 ** 40 + 7  # both words of the key
    found = Comparison()
    seen, arrays, _ = cli.dump(experiment)
    with tempfile.TemporaryDirectory(prefix="normscope-paths-") as folder:
        path = write(experiment, folder)
        for function in functions:
            function(cli, path, seen, arrays, found)
            found.finish()
    return f"{found.count} values, largest error {found.worst:.1e}"


def run_without_gains(experiment, arrays, changes, run=run_with):
    return run(experiment, arrays, {key: 0 * c if "gain" in key[2] else c for key, c in changes.items()})


def own_of_other_probes(experiment, arrays):
    with patched(reference_own, PROBE_STREAM=PROBE_STREAM + 1):
        return reference_own.measure(experiment, arrays)


def own_of_no_branches(experiment, arrays):
    with patched(reference_own, counted_branches=lambda t: contextlib.nullcontext()):
        return reference_own.measure(experiment, arrays)


# Errors in the reference, which the check of that kind must find.
PLANTED = [(check_similarity, "gradient_of", lambda x: x.detach()),
           (check_contributions, "held_norm", NORM_AT),
           (check_gain, "PROBE_STREAM", PROBE_STREAM + 1),
           (check_lengths, "count_branch", lambda y, t: None),
           (check_lengths, "count_branch", lambda y, t: y.register_hook(lambda gradient: t * t * gradient)),
           (check_update, "run_with", run_without_gains),
           (check_quantities, "run_with", run_without_gains),
           (check_quantities, "expected_own", own_of_other_probes),
           (check_quantities, "expected_own", own_of_no_branches),
           (check_routing, "MATRICES", ("w_1",))]


def planted(cli):
    missed = []
    for function, name, value in PLANTED:
        old = globals()[name]
        globals()[name] = value
        try:
            check(cli, "experts" if function is check_routing else "post", [function])
            missed.append(f"{function.__name__} with another {name}")
        except AssertionError:
            pass
        finally:
            globals()[name] = old
    assert not missed, f"not found: {missed}"


def covers_all(seen):
    """Every placement occurs in every topology that allows it, and in an encoder-decoder."""
    found = set()
    for name in seen:
        experiment = configs.build({**configs.FIXED, **MORE}[name])
        variant = experiment["variants"][0]
        found |= {(experiment["shape"]["stack"], variant["topology"], variant[sub]["norm"]) for sub in ("attn", "ffn")}
    for placement, places in blocks.PLACEMENTS.items():
        for stack, topology in (("single", "sequential"), ("single", "parallel"), ("encoder-decoder", "sequential")):
            assert (stack, topology, placement) in found, f"no {stack} {topology} {placement}"
        assert "pre" not in places or ("single", "parallel-two-norms", placement) in found, f"no two norms {placement}"
    return f"{len(seen)} configurations"


def main():
    cli, tap = Cli(sys.argv[1]), Tap()
    torch.set_num_threads(1)
    for name in [*NAMES, *MORE]:
        tap.run(check, cli, name, name=name)
    for name in EXPERTS:
        tap.run(check, cli, name, [check_routing], name=f"{name}, routing")
    tap.run(covers_all, [*NAMES, *MORE])
    tap.run(planted, cli)
    tap.finish()


if __name__ == "__main__":
    main()
