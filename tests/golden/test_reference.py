# Copyright (C) 2026 The Normscope developers
# SPDX-License-Identifier: GPL-3.0-or-later
"""Test the reference against PyTorch's own layers: values and gradients in float64."""

import math
import random
import sys

from tap import Tap, require_torch

require_torch()

import numpy as np  # noqa: E402
import torch  # noqa: E402
from torch import nn  # noqa: E402
from torch.nn import functional as F  # noqa: E402

import configs  # noqa: E402
import reference as ref  # noqa: E402
import reference_blocks as blocks  # noqa: E402
import model_checks  # noqa: E402
import training_checks  # noqa: E402
import wiring_checks  # noqa: E402
import transformer_checks  # noqa: E402
from compare import HIDDEN, TOLERANCE, compare_sites, make_arrays, random_tensor, same, tensors  # noqa: E402
from transformer_checks import attention_norms, load_attention  # noqa: E402


def layernorm_is_torchs():
    x, upstream = random_tensor(2, 3, 7), random_tensor(2, 3, 7, seed=4)
    theirs = nn.LayerNorm(7, eps=0.01, dtype=torch.float64)
    x1, x2 = x.clone().requires_grad_(), x.clone().requires_grad_()
    gain, bias = ref.leaf(np.ones(7)), ref.leaf(np.zeros(7))
    y = blocks.layernorm(x1, gain, bias, 0.01)
    same(y, theirs(x2), "output")
    y.backward(upstream)
    theirs(x2).backward(upstream)
    same(x1.grad, x2.grad, "gradient of x")
    same(gain.grad, theirs.weight.grad, "gradient of the gain")
    same(bias.grad, theirs.bias.grad, "gradient of the bias")


def rmsnorm_is_a_normalized_vector():
    x, gain = random_tensor(2, 3, 7), random_tensor(7)
    same(blocks.rmsnorm(x, gain, 0.0), F.normalize(x, dim=-1) * math.sqrt(7) * gain, "eps 0")
    # x / sqrt(mean(x²) + eps) is LayerNorm of [x, -x], whose mean is 0.
    doubled = F.layer_norm(torch.cat([x, -x], -1), (14,), eps=0.1)[..., :7]
    same(blocks.rmsnorm(x, torch.ones(7, dtype=torch.float64), 0.1), doubled, "eps 0.1")


def activations_are_torchs():
    x = random_tensor(100)
    x[:3] = 0  # a dead token is exactly 0
    for name, theirs in (("relu", F.relu), ("gelu", F.gelu), ("silu", F.silu)):
        same(blocks.ACTIVATIONS[name](x), theirs(x), name)
        slopes = [torch.autograd.grad(function(x.requires_grad_()).sum(), x)[0]
                  for function in (blocks.ACTIVATIONS[name], theirs)]
        same(*slopes, f"slope of {name}")
    u, p = random_tensor(2, 3, 5), {"w_1": random_tensor(5, 6), "w_3": random_tensor(5, 6, seed=5),
                                    "w_2": random_tensor(6, 5)}
    for name, act in (("swiglu", F.silu), ("geglu", F.gelu)):
        theirs = F.linear(act(F.linear(u, p["w_1"].T)) * F.linear(u, p["w_3"].T), p["w_2"].T)
        same(blocks.ffn(u, p, {"activation": name}), theirs, name)


def cross_entropy_is_torchs():
    logits, targets = random_tensor(2, 3, 11), torch.tensor([[0, 10, 4], [4, 1, 3]])
    same(ref.cross_entropy(logits, targets), F.cross_entropy(logits.view(6, 11), targets.view(6)), "loss")


def token_cos_is_torchs():
    x = random_tensor(2, 4, 6)
    pairs = [F.cosine_similarity(x[b, i], x[b, j], dim=0)
             for b in range(2) for i in range(4) for j in range(4) if i != j]
    assert abs(ref.token_cos(x) - float(torch.stack(pairs).mean())) < 1e-12
    assert ref.token_cos(x[:, :1]) is None


def norms_of_tiny_gradients_do_not_vanish():
    assert math.isclose(ref.norm_of(torch.full((4,), 1e-200, dtype=torch.float64)), 2e-200, rel_tol=1e-12)
    assert ref.norm_of(torch.zeros(3, dtype=torch.float64)) == 0
    assert math.isnan(ref.norm_of(torch.tensor([1.0, math.nan])))


# ---- whole stacks of torch.nn modules ----

def torch_stack(experiment, arrays):
    """Measure the same stack built of nn.TransformerEncoderLayer. Return [{name: value}] by site."""
    [variant] = experiment["variants"]
    shape = experiment["shape"]
    d, depth, T = shape["d_model"], shape["depth"], shape["seq_len"]
    norm_first = variant["attn"]["norm"] == "pre"
    layers = [nn.TransformerEncoderLayer(d, shape["heads"], shape["d_ff"], dropout=0.0,
                                         activation=variant["activation"], layer_norm_eps=variant["norm_eps"],
                                         batch_first=True, norm_first=norm_first, dtype=torch.float64)
              for _ in range(depth)]
    final = nn.LayerNorm(d, eps=variant["norm_eps"], dtype=torch.float64) if norm_first else nn.Identity()
    for block, layer in enumerate(layers, start=1):
        p = tensors(arrays, f"block{block:03d}/")
        load_attention(layer.self_attn, p)
        with torch.no_grad():
            layer.linear1.weight.copy_(p["w_1"].T)
            layer.linear2.weight.copy_(p["w_2"].T)
            layer.linear1.bias.zero_()
            layer.linear2.bias.zero_()
    mask = nn.Transformer.generate_square_subsequent_mask(T).double() if variant["attention"] == "causal" else None

    within = []  # for each block, (input, output) of its two norms
    for layer in layers:
        within.append([])
        for norm in (layer.norm1, layer.norm2):
            norm.register_forward_hook(lambda _, given, out, block=within[-1]: block.append((given[0], out)))
    x = ref.leaf(arrays["x0"])
    stream = [x]
    for layer in layers:
        x = layer(x, src_mask=mask)
        x.retain_grad()
        stream.append(x)
    head, bias = ref.leaf(arrays["head/w_head"]), ref.leaf(np.zeros(shape["vocab"]))
    loss = F.cross_entropy((final(x) @ head + bias).flatten(0, 1), torch.tensor(arrays["targets"]).flatten())
    for tensor in [tensor for block in within for pair in block for tensor in pair]:
        tensor.retain_grad()
    loss.backward()

    sites = [{"grad_x": float(stream[0].grad.norm()), "rms_x": float(stream[0].square().mean().sqrt())}]
    place = "pre" if norm_first else "post"
    for layer, out, ((x_1, y_1), (x_2, _)) in zip(layers, stream[1:], within):
        site = attention_norms(layer.self_attn, d)
        # Pre-LN: the second norm's input is the attention's output. Post-LN: the norms follow the sums.
        z_attn, y_attn, z_ffn = (x_2, x_2, out) if norm_first else (x_1, y_1, x_2)
        site["rms_y_attn"] = float(y_attn.square().mean().sqrt())
        for name, tensor in (("y_attn", y_attn), ("z_attn", z_attn), ("z_ffn", z_ffn)):
            site[f"grad_{name}"] = float(tensor.grad.norm())
        for sub, norm in (("attn", layer.norm1), ("ffn", layer.norm2)):
            site[f"gain_{sub}_{place}"] = float(norm.weight.grad.norm())
            site[f"bias_{sub}_{place}"] = float(norm.bias.grad.norm())
        for i, linear in ((1, layer.linear1), (2, layer.linear2)):
            site[f"w_{i}"], site[f"b_{i}"] = float(linear.weight.grad.norm()), float(linear.bias.grad.norm())
        site["block"] = math.hypot(*(float(q.grad.norm()) for q in layer.parameters()))
        site["grad_x"], site["rms_x"] = float(out.grad.norm()), float(out.square().mean().sqrt())
        sites.append(site)
    sites.append({"loss": float(loss), "w_head": float(head.grad.norm()), "b_head": float(bias.grad.norm())})
    if norm_first:
        sites[-1].update(gain_final=float(final.weight.grad.norm()), bias_final=float(final.bias.grad.norm()))
    return sites


def encoder_stacks_are_torchs(overrides):
    experiment = configs.build({**overrides, "bias": True, "shape.heads": 4, "shape.depth": 4})
    arrays = make_arrays(experiment)
    return compare_sites(ref.measure(experiment, arrays), torch_stack(experiment, arrays),
                         {"attn", "ffn", "b_k"} | HIDDEN)


def placements_are_their_equations():
    """Compare one block of each placement with its equation, built of nn.MultiheadAttention and layer_norm."""
    equations = {
        "none": lambda x, F, n: x + F(x),
        "pre": lambda x, F, n: x + F(n(x)),
        "post": lambda x, F, n: n(x + F(x)),
        "sandwich": lambda x, F, n: x + n(F(n(x))),
        "branch": lambda x, F, n: x + n(F(x)),
        "pre-post": lambda x, F, n: n(x + F(n(x))),
    }
    for placement, equation in equations.items():
        experiment = configs.build(configs.both(placement, **{"shape.depth": 1, "final_norm": "off"}))
        arrays = make_arrays(experiment)
        d = experiment["shape"]["d_model"]
        p = tensors(arrays, "block001/")
        mha = nn.MultiheadAttention(d, 2, batch_first=True, dtype=torch.float64)
        load_attention(mha, p)
        x0 = ref.leaf(arrays["x0"])

        def norm(x):
            return F.layer_norm(x, (d,), eps=1e-5)

        y = equation(x0, lambda u: mha(u, u, u, need_weights=False)[0], norm)
        y = equation(y, lambda u: F.relu(u @ p["w_1"]) @ p["w_2"], norm)
        loss = F.cross_entropy((y @ torch.tensor(arrays["head/w_head"])).flatten(0, 1),
                               torch.tensor(arrays["targets"]).flatten())
        loss.backward()
        ours = ref.measure(experiment, arrays)
        for name, site, want in (("loss", 2, float(loss)), ("grad_x", 0, float(x0.grad.norm())),
                                 ("w_q", 1, float(mha.in_proj_weight.grad[:d].norm()))):
            assert math.isclose(ours[name][site], want, rel_tol=TOLERANCE), f"{placement}: {name}"

        parallel = configs.build(configs.both(placement, **{**configs.PARALLEL, "shape.depth": 1,
                                                            "final_norm": "off"}))
        x1 = ref.leaf(arrays["x0"])

        def branch_norm(s):
            return norm(s) if placement in ("sandwich", "branch") else s

        u = norm(x1) if placement in ("pre", "sandwich", "pre-post") else x1
        y = x1 + branch_norm(mha(u, u, u, need_weights=False)[0]) + branch_norm(F.relu(u @ p["w_1"]) @ p["w_2"])
        y = norm(y) if placement in ("post", "pre-post") else y
        loss = F.cross_entropy((y @ torch.tensor(arrays["head/w_head"])).flatten(0, 1),
                               torch.tensor(arrays["targets"]).flatten())
        loss.backward()
        ours = ref.measure(parallel, arrays)
        assert math.isclose(ours["loss"][2], float(loss), rel_tol=TOLERANCE), f"parallel {placement}: loss"
        assert math.isclose(ours["grad_x"][0], float(x1.grad.norm()), rel_tol=TOLERANCE), f"parallel {placement}"


def scales_match_a_block_by_hand():
    """Compare DeepNorm, LayerNorm scaling and branch scales with a block by hand."""
    experiment = configs.build(configs.both("post", residual_scale="deepnorm", branch_scale=0.5,
                                            **{"shape.depth": 1}))
    arrays = make_arrays(experiment)
    ours = ref.measure(experiment, arrays)
    x = torch.tensor(arrays["x0"])
    p = tensors(arrays, "block001/")
    mha = nn.MultiheadAttention(16, 2, batch_first=True, dtype=torch.float64)
    load_attention(mha, p)
    alpha = 2 ** 0.25
    attn = 0.5 * mha(x, x, x, need_weights=False)[0]
    x = F.layer_norm(alpha * x + attn, (16,))
    ffn = 0.5 * F.relu(x @ p["w_1"]) @ p["w_2"]
    x = F.layer_norm(alpha * x + ffn, (16,))
    for name, tensor in (("rms_attn", attn), ("rms_ffn", ffn), ("rms_x", x)):
        assert math.isclose(ours[name][1], float(tensor.square().mean().sqrt()), rel_tol=1e-9), name
    experiment["variants"][0]["norm_scale"] = "layernorm-scaling"
    experiment["variants"][0]["attn"]["norm"] = "pre"
    assert blocks.norm_scale(experiment["variants"][0], 4) == 0.5
    assert blocks.placement({**experiment["variants"][0], "post_fraction": 0.25}, "ffn", 1, 7) == "post"
    assert blocks.placement({**experiment["variants"][0], "post_fraction": 0.25}, "ffn", 2, 7) == "pre"


def dead(experiment):
    """Return the sub-layers that a factor of 0 cuts off. Their gradients are 0, except for the factor itself."""
    [variant] = experiment["variants"]
    found = set()
    for part in ref.parts(experiment):
        for sub in blocks.sub_layers(variant, part):
            place = variant["post_fraction"] is None and blocks.wiring(variant, sub, "norm") in ("branch", "sandwich")
            if variant["branch_scale"] == 0 or variant["branch_norm_gain"] == 0 and place:
                found.add(sub)
    return found


def is_dead(experiment, tensor, site, cut):
    """Return True if a sub-layer in `cut` cuts off the tensor, or a cross-attention in `cut` cuts off its encoder."""
    [variant] = experiment["variants"]
    sub = ref.sub_layer(tensor)
    if tensor in ref.ACTIVATIONS:
        return tensor not in ref.STREAM and not tensor.startswith(("rms_scores", "rms_logits")) and sub in cut
    if "cross" in cut and (site <= experiment["shape"]["depth"] or "encoder_final" in tensor):
        return True
    if sub not in cut or tensor in ref.STREAM_GRADIENTS | {"block", "loss", "w_head", "b_head", sub}:
        return False
    if "final" in tensor:
        return False
    if variant["branch_scale"] == 0:
        return "_post" not in tensor and not tensor.startswith("scale_")
    return "_post" not in tensor and tensor not in (f"gain_{sub}_branch", f"bias_{sub}_branch")


def scores_are_zero(experiment):
    [variant] = experiment["variants"]
    return variant["attention"] == "uniform" or variant["attention_scale"] == 0 and variant["qk_norm"] != "cosine"


def structural_zeros_are_zeros_and_nothing_else_is():
    for name, overrides in {**configs.FIXED, **configs.random_configs(1, 30)}.items():
        experiment = configs.build(overrides)
        if name == "experts-llama4":  # with these arrays the choice of experts is too close
            experiment["shape"]["seq_len"] += 1
        values = ref.measure(experiment, make_arrays(experiment))
        zeros, cut = ref.structural_zeros(experiment), dead(experiment)
        for tensor, sites in values.items():
            for site, value in enumerate(sites):
                if value is None or tensor in ref.COSINES | ref.RELATIVE:
                    continue
                message = f"{name}: {tensor} at site {site} is {value}"
                assert math.isfinite(value), message
                if is_dead(experiment, tensor, site, cut):
                    assert value == 0, f"{message} although it is cut off"
                elif tensor in zeros:
                    assert abs(value) <= 1e-12 * abs(values["block"][site]), f"{message}, block {values['block'][site]}"
                elif tensor.startswith("rms_scores") and scores_are_zero(experiment):
                    assert value == 0, f"{message} although every score is 0"
                elif tensor == "relative_bias" and experiment["shape"]["seq_len"] == 1:
                    assert value == 0, f"{message} although a token has nothing to choose from"
                elif tensor != "expert_grad_min":  # 0 without tokens
                    assert value != 0, message


def an_upstream_scale_multiplies_gradients_only():
    experiment = configs.build(configs.FIXED["pre"])
    arrays = make_arrays(experiment)
    one, big = ref.measure(experiment, arrays), ref.measure(experiment, arrays, upstream_scale=2.0 ** 100)
    assert math.isclose(big["w_1"][2], one["w_1"][2] * 2.0 ** 100, rel_tol=1e-12)
    assert big["rms_x"] == one["rms_x"] and big["loss"] == one["loss"]


def estimates_follow_from_the_gradients_of_single_minibatches():
    """The expected square is the mean product of two different minibatches, the mean that of one large batch."""
    for overrides in (configs.FIXED["batches-text"], configs.FIXED["batches-ed"],
                      {"bias": True, "sampling.estimate": "expected"}):
        experiment = configs.build({**overrides, "sampling.batches": 3, "shape.batch": 6})
        arrays = make_arrays(experiment)
        experiment["shape"]["batch"] = 2
        weights = {key: array for key, array in arrays.items() if key not in ("x0", "y0", "targets", "upstream")}
        [*minibatches] = ref.minibatches(experiment, arrays)
        assert len(minibatches) == 3 and all(m["x0"].shape[0] == 2 and weights.keys() <= m.keys() for m in minibatches)
        runs = [ref.run_pass(experiment, m, 1.0, torch.float64) for m in minibatches]
        gradients = [run[0][-1].blocks[1]["w_2"].grad.flatten() for run in runs]
        products = [float(a @ b) for i, a in enumerate(gradients) for j, b in enumerate(gradients) if i != j]
        square = sum(products) / len(products)
        site = ref.head_site(experiment) - len(runs[0][0][-1].blocks) + 1
        got = ref.measure(experiment, arrays)["w_2"][site]
        assert math.isclose(math.copysign(got * got, got), square, rel_tol=1e-9), f"{got}, {square}"
        experiment["sampling"]["estimate"] = "norm"
        norms = [float(g.norm()) for g in gradients]
        assert math.isclose(ref.measure(experiment, arrays)["w_2"][site], sum(norms) / 3, rel_tol=1e-12)
        experiment["sampling"].update(batches=1)
        experiment["shape"]["batch"] = 6
        whole = float((sum(gradients) / 3).norm())
        assert math.isclose(ref.measure(experiment, arrays)["w_2"][site], whole, rel_tol=1e-9)


def planted_errors_are_detected():
    """The comparison detects a slightly wrong eps, activation or wiring."""
    experiment = configs.build({**configs.FIXED["post"], "bias": True, "shape.heads": 4})
    arrays = make_arrays(experiment)
    expected = torch_stack(experiment, arrays)[1]["w_1"]
    for key, value in (("norm_eps", 1.1e-5), ("activation", "gelu"), ("branch_scale", 1.0001), ("norm", "rmsnorm")):
        wrong = configs.build({**configs.FIXED["post"], "bias": True, "shape.heads": 4, key: value})
        got = ref.measure(wrong, arrays)["w_1"][1]
        assert abs(got - expected) > TOLERANCE * expected, f"{key} = {value} is not detected"


def main():
    tap = Tap()
    torch.manual_seed(0)
    random.seed(0)
    for test in (layernorm_is_torchs, rmsnorm_is_a_normalized_vector, activations_are_torchs, cross_entropy_is_torchs,
                 token_cos_is_torchs, norms_of_tiny_gradients_do_not_vanish):
        tap.run(test)
    for placement in ("pre", "post"):
        for activation in ("relu", "gelu"):
            for attention in ("full", "causal"):
                overrides = configs.both(placement, activation=activation, attention=attention)
                tap.run(encoder_stacks_are_torchs, overrides,
                        name=f"nn.TransformerEncoderLayer {placement} {activation} {attention}")
    for test, overrides in transformer_checks.TESTS:
        tap.run(test, overrides, name=f"nn.Transformer {overrides['attn.norm']} {overrides['activation']}")
    for name in model_checks.MODELS:
        tap.run(model_checks.biases_are_those_of_the_model, name, name=f"modules of {name}")
    for name in model_checks.ROTARY_MODELS:
        tap.run(model_checks.rotary_positions_are_those_of_the_model, name, name=f"rotary positions of {name}")
    for name in model_checks.BIAS_MODELS:
        tap.run(model_checks.score_biases_are_those_of_the_model, name, name=f"biases of the scores of {name}")
    for name in model_checks.SPARSE_MODELS:
        tap.run(model_checks.experts_are_those_of_the_model, name, name=f"experts of {name}")
    for test in (model_checks.phantom_biases_are_detected, model_checks.wrong_experts_are_detected,
                 model_checks.wrong_score_biases_are_detected, model_checks.wrong_rotary_positions_are_detected,
                 transformer_checks.wrong_encoders_and_decoders_are_detected, *wiring_checks.TESTS,
                 placements_are_their_equations, scales_match_a_block_by_hand,
                 structural_zeros_are_zeros_and_nothing_else_is, an_upstream_scale_multiplies_gradients_only,
                 estimates_follow_from_the_gradients_of_single_minibatches, planted_errors_are_detected,
                 *training_checks.TESTS):
        tap.run(test)
    tap.finish()


if __name__ == "__main__":
    sys.dont_write_bytecode = True
    main()
