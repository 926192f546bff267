# Copyright (C) 2026 The Normscope developers
# SPDX-License-Identifier: GPL-3.0-or-later
"""Compare the whole program with PyTorch's autograd in float64.

    cross_check.py NORMSCOPE_CLI

`normscope-cli dump` writes weights and input, tests/golden/reference.py computes the expected numbers from them, and
these are compared with the results of `dump` and `run`. NORMSCOPE_CROSS_SEED selects other random configurations.
"""

import copy
import json
import math
import os
import re
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "golden"))

from tap import Tap, require_torch  # noqa: E402

require_torch()

import numpy as np  # noqa: E402

import configs  # noqa: E402
import data_checks  # noqa: E402
import reference  # noqa: E402
from cli import Cli, write  # noqa: E402

TOLERANCE = 1e-3
ZERO_TOLERANCE = 1e-6  # relative to the block's gradient, for gradients that are 0 in theory or only rounding errors
COSINE_FLOOR = 0.01
N_RANDOM = 40


# ---- comparing ----

def square_error(want, have, noise, block_noise):
    """Return the error of an expected gradient's square, to compare with TOLERANCE; have is None if it is negative."""
    allowed = 2 * TOLERANCE * noise ** 2 + (ZERO_TOLERANCE * block_noise) ** 2
    square = math.copysign(want * want, want)
    off = max(square, 0) if have is None else abs(have * have - square)
    return off / allowed * TOLERANCE if off > 0 else 0.0


def differences(expected, got, zeros=(), buried={}, noise=None):
    """Return (problems, number of compared values, largest error). A value missing on one side is a problem.

    `noise` is of reference.measure_kinds() if the values are expected gradients.
    """
    problems, count, worst = [], 0, 0.0
    for name in sorted(expected.keys() | got.keys()):
        ours = expected.get(name)
        theirs = got.get(name, [None] * len(ours or got[name]))
        for site, (want, have) in enumerate(zip(ours or [None] * len(theirs), theirs)):
            if noise and want is not None and name not in reference.NO_PARAMETERS:
                off = square_error(want, have, noise[name][site], noise["block"][site] or 0)
                count, worst = count + 1, max(worst, off)
                if not off <= TOLERANCE:
                    problems.append(f"{name} at site {site} is {have!r}, expected {want!r} ({off:.3g})")
                continue
            if have is None and (want is None or name in reference.COSINES | reference.RELATIVE and math.isnan(want)):
                continue  # relative to a zero vector: NaN, null in JSON
            if name in reference.TOKENS and not math.isnan(want) and \
                    reference.token_scale(name, site, expected) == math.inf:
                continue  # the directions of rounding errors
            if want is None or have is None or not math.isfinite(want) or not math.isfinite(have):
                problems.append(f"{name} at site {site} is {have}, expected {want}")
                continue
            count += 1
            if have == want:
                off = 0.0
            elif expected["block"][site] and (name in zeros or site in buried.get(name, ())):
                allowed = ZERO_TOLERANCE * expected["block"][site]
                off = abs(have - want) / max(allowed, 0 if name in zeros else TOLERANCE * want) * TOLERANCE
            elif name in reference.COSINES:
                off = abs(have - want) / max(abs(want), COSINE_FLOOR)
            elif name in reference.TOKENS:
                off = abs(have - want) / reference.token_scale(name, site, expected)
            elif want == 0:
                off = math.inf
            else:
                off = abs(have - want) / abs(want)
            worst = max(worst, off)
            if not off <= TOLERANCE:
                problems.append(f"{name} at site {site} is {have!r}, expected {want!r} ({off:.3g})")
    return problems, count, worst


def expect(problems):
    if problems:
        more = f"\n... and {len(problems) - 8} more" if len(problems) > 8 else ""
        raise AssertionError("\n".join(problems[:8]) + more)


def unless_buried(seen, arrays, measured, compare):
    """Return compare({}) or, if it finds problems, compare() of the values that are only rounding errors.

    These take three more passes of the reference. What compare() returns begins with a list of problems.
    """
    compared = compare({estimate: {} for estimate in reference.ESTIMATES})
    return compare(reference.buried(seen, arrays, measured)) if compared[0] else compared


def check_estimates(seen, arrays, dumped):
    """Compare every estimate of several minibatches with the reference; return (number of values, largest error)."""
    measured = reference.measure_kinds(seen, arrays)

    def compare(buried):
        problems, count, worst = [], 0, 0
        for estimate in reference.ESTIMATES:
            found, n, off = differences(measured[estimate], reference.result_values(dumped, seen, estimate=estimate),
                                        reference.structural_zeros(seen), buried[estimate],
                                        measured["noise"] if estimate == "expected" else None)
            problems += [f"{estimate}: {problem}" for problem in found]
            count, worst = count + n, max(worst, off)
        return problems, count, worst

    problems, count, worst = unless_buried(seen, arrays, measured, compare)
    expect(problems)
    return count, worst


def check_one(cli, experiment):
    """Compare dump and run of the first variant and seed with the reference."""
    seen, arrays, dumped = cli.dump(experiment)
    if seen["sampling"]["batches"] > 1:
        check_alone(cli, experiment, seen, dumped)
        count, worst = check_estimates(seen, arrays, dumped)
        return f"{count} values of {seen['sampling']['batches']} minibatches, largest error {worst:.2g}"
    measured, estimate = reference.measure_kinds(seen, arrays), seen["sampling"]["estimate"]
    expected, zeros = measured[estimate], reference.structural_zeros(seen)
    values, logs = (reference.result_values(dumped, seen, key) for key in ("mean", "log10_mean"))

    def compare(all_buried):
        buried = all_buried[estimate]
        problems, count, worst = differences(expected, values, zeros, buried)
        for name, sites in expected.items():
            if name in reference.NO_LOGARITHM | reference.TOKENS | zeros:
                continue
            for site, want in enumerate(sites):
                if want in (None, 0) or math.isnan(want) or site in buried.get(name, ()):
                    continue
                have, want = logs.get(name, [None] * len(sites))[site], math.log10(want)
                if have is None or abs(have - want) * math.log(10) > TOLERANCE:
                    problems.append(f"log10 of {name} at site {site} is {have}, expected {want}")
        return problems, count, worst, sum(map(len, buried.values()))

    problems, count, worst, lost = unless_buried(seen, arrays, measured, compare)
    expect(problems)
    check_alone(cli, experiment, seen, dumped)
    return f"{count} values, largest error {worst:.2g}" + (f", {lost} of them only rounding errors" if lost else "")


def check_alone(cli, experiment, seen, dumped):
    """Check that run and dump of the first variant and seed agree."""
    alone = copy.deepcopy(experiment)
    alone["variants"], alone["sampling"]["seeds"] = alone["variants"][:1], 1
    ran = cli.run(alone)
    if ran["variants"] != dumped["variants"]:
        expect(["run and dump disagree"] + differences(reference.result_values(dumped, seen),
                                                       reference.result_values(ran, seen))[0])


# ---- presets, scaled down ----

def check_preset(cli, name):
    experiment = json.loads(cli.call("presets", name))
    details, small = [], configs.shrink(experiment)
    if name == "pure-attention":  # the scale of rounding errors is of the mean sequence, and these differ much
        small["shape"]["batch"] = 1
    for variant in small["variants"]:
        details.append(f"{variant['name']}: {check_one(cli, {**small, 'variants': [variant]})}")
    return "\n".join(details)


# ---- built-in variants, in a single stack and in an encoder-decoder ----

def check_builtin(cli, name):
    """Use depth 4, so a mixed stack has both kinds of blocks."""
    details = []
    only_single = name.startswith("parallel") or name in ("hyper", "hyper-dynamic", "mhc", "attention-only", "ffn-only",
                                                          "ngpt")
    for stack in ("single", "encoder-decoder")[:1 if only_single else 2]:
        with tempfile.TemporaryDirectory(prefix="normscope-builtin-") as folder:
            out = Path(folder) / "dump"
            cli.call("dump", "--preset", "tiny", "--stack", stack, "--variant", name, "--out", out)
            experiment = json.loads((out / "experiment.json").read_text(encoding="utf-8"))
        details.append(f"{stack}: {check_one(cli, experiment)}")
    return "\n".join(details)


# ---- properties of the whole program ----

def the_array_of_records_has_every_estimate(cli):
    experiment = configs.build(configs.FIXED["batches-ed-mean"])
    result = cli.run(experiment)
    with tempfile.TemporaryDirectory(prefix="normscope-npy-") as folder:
        out = Path(folder) / "result.npy"
        cli.call("run", write(experiment, folder), "-o", out)
        rows = np.load(out)
    count, parts = 0, {"encoder": 0, "decoder": experiment["shape"]["depth"] + 1}
    for estimate in reference.ESTIMATES:
        values = reference.result_values(result, experiment, estimate=estimate)
        for row in rows[(rows["estimate"] == estimate) & np.isin(rows["part"], list(parts))]:
            want = values[str(row["quantity"])][parts[str(row["part"])] + row["layer"]]
            assert row["mean"] == want or np.isnan(row["mean"]) and want is None, row
            count += 1
    assert set(rows["quantity"][rows["estimate"] == ""]) >= {"loss", "rms_x", "grad_x"}
    return f"{count} rows"


def the_mean_of_minibatches_is_the_gradient_of_one_large_batch(cli):
    count = 0
    for name in ("batches-mean", "batches-ed-mean", "batches-long"):
        several = configs.build(configs.FIXED[name])
        one = copy.deepcopy(several)
        one["sampling"].update(batches=1, estimate="norm")
        one["shape"]["batch"] *= several["sampling"]["batches"]
        ours, theirs = (reference.result_values(cli.run(each), each) for each in (several, one))
        for quantity in ours.keys() - reference.STREAM_GRADIENTS:
            for a, b in zip(ours[quantity], theirs[quantity]):
                assert a == b or abs(a - b) <= 1e-5 * abs(b), f"{name}: {quantity} is {a} and {b}"
                count += a is not None
    return f"{count} values"


def statistics_over_seeds(cli):
    return ", ".join(statistics_of(cli, configs.FIXED[name]) for name in ("post", "ed-post"))


def statistics_of(cli, overrides):
    experiment = configs.build({**overrides, "sampling.seed": 40, "sampling.seeds": 5})
    second = copy.deepcopy(experiment["variants"][0])
    second["name"], second["attn"]["norm"], second["ffn"]["norm"] = "second", "pre", "sandwich"
    experiment["variants"].append(second)
    together = cli.run(experiment)
    singles = [cli.run(experiment, "--seed", seed, "--seeds", 1) for seed in range(40, 45)]
    count = 0
    for variant in range(2):
        values = [reference.result_values(single, experiment, variant=variant) for single in singles]
        stats = {key: reference.result_values(together, experiment, key, variant)
                 for key in ("mean", "std", "geometric_mean", "sd_factor", "log10_mean")}
        assert stats["mean"].keys() == values[0].keys()
        for name, sites in stats["mean"].items():
            for site, mean in enumerate(sites):
                if mean is None:
                    continue
                draws = np.array([value[name][site] for value in values])
                assert len(set(draws)) > 1 or name in reference.ACTIVATIONS | reference.RELATIVE, \
                    f"{name}: seeds do not differ"
                scale = abs(draws).max()
                assert abs(mean - draws.mean()) <= 1e-6 * scale, f"mean of {name} at {site}"
                assert abs(stats["std"][name][site] - draws.std(ddof=1)) <= 1e-6 * scale, f"std of {name} at {site}"
                if name not in reference.NO_LOGARITHM:
                    log10_mean = stats["log10_mean"][name][site]
                    assert abs(log10_mean - np.log10(draws).mean()) <= 1e-6, f"log10_mean of {name} at {site}"
                    center, factor = (stats[key][name][site] for key in ("geometric_mean", "sd_factor"))
                    assert abs(center - np.exp(np.log(draws).mean())) <= 1e-6 * scale, f"{name} at {site}"
                    assert abs(factor - np.exp(np.log(draws).std(ddof=1))) <= 1e-5 * factor, f"{name} at {site}"
                count += 1
    return f"{count} statistics of 5 seeds"


def weights_do_not_depend_on_depth_or_variant(cli):
    _, shallow, _ = cli.dump(configs.build({"shape.depth": 3, "shape.seq_len": 9}))
    _, deep, _ = cli.dump(configs.build(configs.both("post", **{"shape.depth": 6, "shape.seq_len": 9,
                                                               "activation": "swiglu", "bias": True})))
    blocks = [name for name in shallow if name.startswith("block")]
    assert len(blocks) == 3 * 6, blocks
    for name in blocks + ["x0", "targets", "head/w_head"]:
        assert np.array_equal(shallow[name], deep[name]), f"{name} differs between depth 3 and 6"
    matrices = [deep[name] for name in sorted(deep) if name.endswith("/w_q")]
    assert len({matrix.tobytes() for matrix in matrices}) == 6, "blocks share weights"
    _, other, _ = cli.dump(configs.build({"shape.depth": 3, "shape.seq_len": 9, "sampling.seed": 1}))
    assert not any(np.array_equal(shallow[name], other[name]) for name in blocks + ["x0", "head/w_head"])
    return f"{len(blocks)} matrices"


def identity_paths_through_norms(cli):
    """Check every pair of placements with a norm after an addition, through which the identity path runs."""
    places, count = ("none", "pre", "post", "sandwich", "branch", "pre-post"), 0
    for attn in places:
        for ffn in places:
            if "post" in attn + ffn:
                seen, arrays, dumped = cli.dump(configs.build({"attn.norm": attn, "ffn.norm": ffn}))
                got, paths = reference.result_values(dumped, seen), reference.measure(seen, arrays)["identity"]
                for have, want in zip(got["identity"][:-1], paths):
                    assert abs(have - want) <= 1e-4 * want and want > 0, f"{attn}, {ffn}: {have}, expected {want}"
                    count += 1
    return f"{count} values"


def threads_do_not_change_a_bit(cli):
    for name in ("causal-bias-gelu", "ed-mixed-2"):
        experiment = configs.build({**configs.FIXED[name], "sampling.seeds": 5})
        one, two, five = (cli.run(experiment, "--threads", n)["variants"] for n in (1, 2, 5))
        assert one == two == five, name


def vanishing_gradients_are_exact(cli, overrides):
    """Compare gradients of hundreds of blocks without norm or residual, far below the smallest float.

    Autograd starts from an upstream gradient scaled by 2^900, so they do not underflow in float64.
    """
    experiment = configs.build({**configs.FIXED["vanishing"], **overrides})
    seen, arrays, dumped = cli.dump(experiment)
    expected = reference.measure(seen, arrays, upstream_scale=2.0 ** 900)
    got = reference.result_values(dumped, seen, "log10_mean")
    count, lowest = 0, 0.0
    for name in ("w_v", "w_o", "w_1", "w_2", "cross_w_v", "cross_w_o", "attn", "cross", "ffn", "block", "grad_x"):
        for site, want in enumerate(expected.get(name, ())):
            if want is None or want < 1e-290:  # near the underflow of float64 in spite of the scale
                continue
            have = got[name][site]
            assert have is not None, f"log10 of {name} at {site} is null, expected {math.log10(want) - 271:.6g}"
            want = math.log10(want) - 900 * math.log10(2)
            assert abs(have - want) * math.log(10) <= TOLERANCE, f"log10 of {name} at {site} is {have}, not {want}"
            count, lowest = count + 1, min(lowest, have)
    assert lowest < -60, f"the lowest log10 is {lowest}"
    return f"{count} values down to 1e{lowest:.0f}"


# The decoder needs the residual of the cross-attention: uniform attention has no queries, so without it the decoder's
# input would not affect the loss.
VANISHING = {"shape.stack": "encoder-decoder", "shape.depth": 150, "cross.residual": True}

PLANTED = {
    "causal-bias-gelu": (("norm_eps", 0.1), ("branch_scale", 1.01), ("activation", "silu"), ("attention", "full")),
    "ed-mixed-2": (("final_norm", "off"), ("residual_scale", 1.01), ("attention_scale", 0.36), ("input_scale", 1.01),
                   ("cross.norm", None), ("cross.inner_norm", None), ("block_residual", True), ("dual_residual", True),
                   ("attention", "uniform"), ("norm", "dyt"), ("qk_norm", "head"), ("input_norm", True)),
    "ed-deepnorm": (("residual_scale", (2 * 3) ** 0.25), ("final_norm", "on")),
    "rotary-half": (("rotary", "none"), ("rotary", "interleaved"), ("rotary_base", 105.0), ("rotary_dim", 4),
                    ("rotary_scaling", "linear")),
    "rotary-yarn": (("rotary_scaling", "none"), ("rotary_factor", 4.1), ("rotary_original", 16), ("rotary_low", 2.0)),
    "rotary-yarn-fractional": (("rotary_truncate", True), ("rotary_attention_factor", None),
                               ("rotary_attention_factor", 1.31)),
    "vit-patches": (("data.embed_scale", 1.01), ("data.class_token", "none"), ("bias", False)),
    "rotary-longrope": (("rotary_short_factors", None), ("rotary_short_factors", [1.0, 1.25, 1.5, 3.1]),
                        ("rotary_original", 65), ("rotary_factor", 4.1), ("rotary_scaling", "none")),
    "rotary-longrope-long": (("rotary_long_factors", None), ("rotary_original", 5), ("rotary_attention_factor", None)),
    "head-transform-post": (("activation", "gelu"), ("norm_eps", 0.1)),
    "alibi-scaled": (("position_bias", "none"), ("position_bias", "alibi"), ("attention_scale", 0.36)),
    "first-block-pre": (("first_block_pre", False), ("attn.norm", "pre"), ("ffn.norm", "pre-post")),
    "ed-rotary": (("rotary", "none"), ("rotary", "interleaved"), ("rotary_base", 105.0)),
    "batches-ed-mean": (("sampling.estimate", "norm"), ("sampling.batches", 2), ("shape.batch", 1)),
}


def interleaved(arrays):
    """Permute weights as if query head i of 4 used key head i % 2 instead of i // 2."""
    order = np.array([0, 2, 1, 3]).repeat(4) * 4 + np.tile(np.arange(4), 4)
    changed = dict(arrays)
    for name, array in arrays.items():
        if name.endswith("w_q"):
            changed[name] = array[:, order]
        elif name.endswith("w_o"):
            changed[name] = array[order]
    return changed


def one_of_each_kind(arrays):
    """Return the names of the arrays, of those that every block has only one: in the first block for the first kind, in
    the second for the next, and so on."""
    kinds = {}
    for name in arrays:
        kinds.setdefault(re.sub(r"block\d+", "block", name), []).append(name)
    return [names[i % len(names)] for i, names in enumerate(kinds.values())]


def a_planted_error_is_caught(cli, name):
    """The comparison detects small errors in weights, wiring and results."""
    seen, arrays, dumped = cli.dump(configs.build(configs.FIXED[name]))
    zeros = reference.structural_zeros(seen)
    got = reference.result_values(dumped, seen)
    expected = reference.measure(seen, arrays)
    assert not differences(expected, got, zeros)[0]

    def caught(what, expected, result=got):
        assert differences(expected, result, zeros)[0], f"{what} was not detected"

    for array in one_of_each_kind(arrays):
        changed = dict(arrays)
        if array == "x0" and "pixels" in arrays:
            continue  # computed from the pixels, which data_checks.py compares
        if array == "targets":
            changed[array] = (arrays[array] + 1) % seen["shape"]["vocab"]
        else:
            changed[array] = arrays[array] * np.float32(1.01)
        caught(array, reference.measure(seen, changed))
    last = [array for array in arrays if array.endswith("block002/w_o")][-1]
    caught("w_o transposed", reference.measure(seen, {**arrays, last: arrays[last].T.copy()}))
    for path, value in PLANTED[name]:
        wrong = configs.build({**configs.FIXED[name], path: value})
        caught(f"{path} = {value}", reference.measure(wrong, arrays))
    for quantity, sites in got.items():
        # the values that the comparison of this quantity reads; the others agree
        near, near_expected = ({name: values[name] for name in (quantity, "block", "token_residual") if name in values}
                               for values in (got, expected))
        for site in (site for site, value in enumerate(sites) if value is not None):
            # a cosine may be about 0
            wrong = 2 * abs(sites[site]) + COSINE_FLOOR if quantity in reference.COSINES else 0.0
            for planted in (None, math.nan, math.inf) + ((wrong,) if quantity not in zeros else ()):
                result = {**near, quantity: sites[:site] + [planted] + sites[site + 1:]}
                caught(f"{planted} for {quantity} at {site}", near_expected, result)


def a_wrong_grouping_of_heads_is_caught(cli):
    for name in ("gqa", "ed-qk-full", "ed-cosine"):
        seen, arrays, dumped = cli.dump(configs.build(configs.FIXED[name]))
        got = reference.result_values(dumped, seen)
        assert not differences(reference.measure(seen, arrays), got)[0], name
        assert differences(reference.measure(seen, interleaved(arrays)), got)[0], f"{name}: was not detected"


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    cli, tap = Cli(sys.argv[1]), Tap()
    for name, overrides in configs.FIXED.items():
        tap.run(check_one, cli, configs.build(overrides), name=f"fixed {name}")

    # Use a fixed seed: a random configuration can be so ill-conditioned, for example by saturated attention, that
    # float32 does not reach 1e-3, and the test must not fail by chance. Other seeds are for exploration.
    seed = int(os.environ.get("NORMSCOPE_CROSS_SEED") or 1)
    tap.comment(f"random configurations of NORMSCOPE_CROSS_SEED={seed}")
    for name, overrides in configs.random_configs(seed, N_RANDOM).items():
        tap.run(check_one, cli, configs.build(overrides), name=name)

    presets = cli.preset_names()
    assert len(presets) >= 5, presets
    for name in presets:
        tap.run(check_preset, cli, name, name=f"preset {name}")
    builtins = cli.builtin_names()
    assert len(builtins) >= 30, builtins
    for name in builtins:
        tap.run(check_builtin, cli, name, name=f"variant {name}")
    tap.run(check_one, cli, configs.build({"data.source": "text", "shape.vocab": 256, "shape.seq_len": 9}),
            name="the sample text")
    for test in (the_mean_of_minibatches_is_the_gradient_of_one_large_batch,
                 the_array_of_records_has_every_estimate, statistics_over_seeds,
                 weights_do_not_depend_on_depth_or_variant, identity_paths_through_norms, threads_do_not_change_a_bit,
                 a_wrong_grouping_of_heads_is_caught, *data_checks.TESTS):
        tap.run(test, cli)
    tap.run(vanishing_gradients_are_exact, cli, {"shape.depth": 400}, name="gradients of a stack vanish")
    tap.run(vanishing_gradients_are_exact, cli, VANISHING, name="gradients of an encoder and a decoder vanish")
    for name in PLANTED:
        tap.run(a_planted_error_is_caught, cli, name, name=f"a planted error in {name} is caught")
    tap.finish()


if __name__ == "__main__":
    main()
