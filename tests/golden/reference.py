# Copyright (C) 2026 The Normscope developers
# SPDX-License-Identifier: GPL-3.0-or-later
"""The model and its measurements in PyTorch, float64, gradients by autograd.

An independent implementation to test the engine against: the two share only docs/MODEL.md. The equations come in
their natural order, without regard to speed; those of a block are in reference_blocks.py.

Sites: each part (the stack, or the encoder and then the decoder) has depth + 1 sites, its input and its blocks
1..depth; the last site is the head. In a single stack site 0 is the input, depth + 1 is the head.
"""

import json
import math
from pathlib import Path

import numpy as np
import torch

from reference_blocks import block_forward, block_parameters, ends_in_norm, has_bias, has_final_norm, input_scale
from reference_blocks import norm_at, norm_parameters, sub_layers

# A value counts as buried in rounding if PyTorch's relative error in single precision exceeds this.
BURIED = 3e-5
# Quantities other than gradients: norms of the forward pass, cosines, those of the residual stream, and those without a
# logarithm in a result.
ACTIVATIONS = {"rms_x", "rms_y_attn", "rms_y_cross", "rms_attn", "rms_cross", "rms_ffn"}
COSINES = {"token_cos"}
STREAM = {"rms_x", "rms_y_attn", "rms_y_cross", "token_cos"}
STREAM_GRADIENTS = {"grad_x", "grad_y_attn", "grad_y_cross", "grad_z_attn", "grad_z_cross", "grad_z_ffn"}
NO_PARAMETERS = ACTIVATIONS | COSINES | STREAM_GRADIENTS | {"loss"}
ESTIMATES = ("norm", "mean", "expected")
NO_LOGARITHM = COSINES | {"loss"}


def parts(experiment):
    return ["encoder", "decoder"] if experiment["shape"]["stack"] == "encoder-decoder" else ["stack"]


def head_site(experiment):
    return len(parts(experiment)) * (experiment["shape"]["depth"] + 1)


# ---- parameters ----

def leaf(array, dtype=torch.float64):
    return torch.tensor(array, dtype=dtype).requires_grad_()


def leaves(p, dtype):
    return {name: leaf(array, dtype) for name, array in p.items()}


def input_parameters(experiment, variant):
    return norm_parameters(variant, "input", experiment["shape"]["d_model"]) if variant["input_norm"] else {}


def head_parameters(experiment, variant, arrays):
    """Return the parameters of the head and of the final norms of the parts."""
    d, p = experiment["shape"]["d_model"], {}
    if experiment["loss"] == "cross-entropy":
        p["w_head"] = arrays["head/w_head"]
        if has_bias(variant, "b_head"):
            p["b_head"] = np.zeros(p["w_head"].shape[1])
    if "encoder" in parts(experiment) and ends_in_norm(experiment, variant):
        p.update(norm_parameters(variant, "encoder_final", d))
    if has_final_norm(experiment, variant):
        p.update(norm_parameters(variant, "final", d))
    return p


# ---- the model ----

class Part:
    """The stack, the encoder or the decoder: parameters and intermediate results of the forward pass."""

    def __init__(self, experiment, arrays, name, dtype):
        [variant] = experiment["variants"]
        self.experiment, self.variant, self.name = experiment, variant, name
        self.raw = leaf(arrays["y0" if name == "decoder" else "x0"], dtype)
        self.input = leaves(input_parameters(experiment, variant), dtype)
        self.blocks = [leaves(block_parameters(experiment, variant, arrays, name, block), dtype)
                       for block in range(1, experiment["shape"]["depth"] + 1)]
        self.stream = []  # x_0 .. x_L
        self.added = []   # for each block, {sub-layer: output of the branch}
        self.inside = []  # for each block, {"y_attn": output of a sub-layer, "z_attn": its sum, ...}

    def forward(self, memory, head, final):
        """Return the output of the part, after the norm `final` if head has its parameters."""
        x = input_scale(self.variant, self.experiment["shape"]["depth"]) * self.raw
        x = norm_at(x, self.input, "input", self.variant)
        self.keep(x)
        r = x
        for block, p in enumerate(self.blocks, start=1):
            x, added, inside = block_forward(x, memory, p, self.experiment, self.variant, self.name, block)
            self.keep(x)
            self.added.append(added)
            self.inside.append(inside)
            for tensor in inside.values():
                tensor.retain_grad()
            r = r + sum(added.values())
        if self.variant["dual_residual"]:  # ResiDual (Xie et al. 2023)
            return x + norm_at(r, head, final, self.variant)
        return norm_at(x, head, final, self.variant)

    def keep(self, x):
        x.retain_grad()
        self.stream.append(x)


def cross_entropy(logits, targets):
    """Mean over the tokens; logits [B, T, V], targets [B, T]."""
    at_target = logits.gather(-1, targets.unsqueeze(-1)).squeeze(-1)
    return (torch.logsumexp(logits, -1) - at_target).mean()


def measure(experiment, arrays, upstream_scale=1.0, dtype=torch.float64):
    """Return {quantity: [value per site]}, with None at sites that lack the quantity.

    experiment: one variant, every key present. arrays: "x0", "targets" or "upstream", "block001/w_q", ...,
    "head/w_head"; in an encoder-decoder "y0", "encoder/block001/w_q", "decoder/block001/cross_w_q", ... The backward
    pass starts from upstream_scale instead of 1, which keeps scaled gradients within the range of float64.

    Each minibatch is a forward and a backward pass of its own, and sampling.estimate selects the number that represents
    their gradients. An expected gradient with a negative square is its negative root.
    """
    return collect([run_pass(experiment, one, upstream_scale, dtype) for one in minibatches(experiment, arrays)],
                   experiment["sampling"]["estimate"])


def noise(experiment, arrays, dtype=torch.float64):
    """Return measure() with gradient norms √((M·‖mean g‖² + mean ‖g‖²)/(M − 1)). The rounding error of the square of an
    expected gradient is proportional to their square."""
    return collect([run_pass(experiment, one, 1.0, dtype) for one in minibatches(experiment, arrays)], "noise")


def minibatches(experiment, arrays):
    """Yield the arrays of each minibatch, shape.batch consecutive sequences. The upstream gradient in a dump is that of
    the mean over the minibatches."""
    M, B = experiment["sampling"]["batches"], experiment["shape"]["batch"]
    for m in range(M):
        own = {name: arrays[name][m * B:(m + 1) * B] for name in ("x0", "y0", "targets", "upstream") if name in arrays}
        if "upstream" in own:
            own["upstream"] = M * own["upstream"]
        yield {**arrays, **own}


def run_pass(experiment, arrays, upstream_scale, dtype):
    """Run forward and backward pass of a minibatch. Return (parts, parameters of the head, loss)."""
    [variant] = experiment["variants"]
    chain = [Part(experiment, arrays, name, dtype) for name in parts(experiment)]
    head = leaves(head_parameters(experiment, variant, arrays), dtype)

    h = None
    for part in chain:
        h = part.forward(h, head, "encoder_final" if part.name == "encoder" else "final")

    loss = None
    if experiment["loss"] == "unit-gradient":
        h.backward(upstream_scale * torch.tensor(arrays["upstream"], dtype=dtype))
    else:
        logits = h @ head["w_head"]
        if "b_head" in head:
            logits = logits + head["b_head"]
        loss = cross_entropy(logits, torch.tensor(arrays["targets"], dtype=torch.int64))
        loss.backward(torch.tensor(upstream_scale, dtype=dtype))
    return chain, head, loss


# ---- measurements ----

def rms(x):
    """Return the root mean square, scaled by the largest entry so that squares do not underflow."""
    x = x.detach()
    largest = x.abs().max()
    if largest == 0 or not torch.isfinite(largest):
        return float(largest)
    return float(largest * (x / largest).square().mean().sqrt())


def token_cos(x):
    """Return the mean cosine over all pairs of different tokens of a sequence and all sequences; None for one token.

    NaN if a token is the zero vector (every unit of its last FFN dead, no residual), which has no direction.
    """
    B, T, _ = x.shape
    if T == 1:
        return None
    y = x.detach() / x.detach().abs().amax(dim=-1, keepdim=True)
    y = y / y.norm(dim=-1, keepdim=True)
    cosines = y @ y.transpose(-1, -2)
    return float((cosines.sum() - cosines.diagonal(dim1=-2, dim2=-1).sum()) / (B * T * (T - 1)))


def norm_of(gradient):
    """Return the Frobenius norm, scaled by the largest entry so that squares do not underflow."""
    largest = float(gradient.abs().max())
    if largest == 0 or not math.isfinite(largest):
        return largest
    return largest * float((gradient / largest).norm())


def gradient_of(p):
    return torch.zeros_like(p) if p.grad is None else p.grad  # None: the loss does not depend on it


def estimate(gradients, kind):
    """Estimate the gradient norm of several tensors. gradients: a list over the minibatches for each tensor."""
    M = len(gradients[0])
    norms = [math.hypot(*(norm_of(each[m]) for each in gradients)) for m in range(M)]
    mean_norm = math.hypot(*(norm_of(sum(each) / M) for each in gradients))
    if M == 1 or kind == "mean":
        return mean_norm
    if kind == "norm":
        return sum(norms) / M
    mean_square = sum(norm * norm for norm in norms) / M
    if kind == "noise":
        return math.sqrt((M * mean_norm * mean_norm + mean_square) / (M - 1))
    square = (M * mean_norm * mean_norm - mean_square) / (M - 1)
    return math.copysign(math.sqrt(abs(square)), square)


def sub_layer(name):
    """Return the sub-layer of a tensor such as "cross_w_q", "gain_attn_pre", "scale_ffn" or "b_1"."""
    for sub in ("attn", "cross", "ffn"):
        if sub in name.split("_"):
            return sub
    return "attn" if name[2:] in ("q", "k", "v", "o") else "ffn"


def join(dicts):
    """Return {name: [value of each minibatch]}. dicts: {name: value} of each minibatch."""
    return {name: [each[name] for each in dicts] for name in dicts[0]}


def gradients_by_name(parameters):
    """Return {name: [gradient of each minibatch]}. parameters: {name: tensor} of each minibatch."""
    return {name: [gradient_of(p) for p in each] for name, each in join(parameters).items()}


def mean_norm(tensors):
    """Return the mean of the norms of the gradients of a tensor of the stream, one for each minibatch."""
    return sum(norm_of(gradient_of(x)) for x in tensors) / len(tensors)


def collect(passes, kind):
    """Measure all values. passes: (parts, parameters of the head, loss) of each minibatch. kind: of the estimate."""
    chains, heads, losses = zip(*passes)
    depth = len(chains[0][0].blocks)
    last = len(chains[0]) * (depth + 1)
    values = {}

    def put(name, site, value):
        if value is not None:
            values.setdefault(name, [None] * (last + 1))[site] = value

    def put_gradients(parameters, site):
        gradients = gradients_by_name(parameters)
        for name, each in gradients.items():
            put(name, site, estimate([each], kind))
        return gradients

    for i, parts_of_all in enumerate(zip(*chains)):
        first, name = i * (depth + 1), parts_of_all[0].name
        for site, xs in enumerate(zip(*(part.stream for part in parts_of_all)), start=first):
            put("grad_x", site, mean_norm(xs))
            put("rms_x", site, rms(torch.cat(xs)))
            put("token_cos", site, token_cos(torch.cat(xs)))
        put_gradients([part.input for part in parts_of_all], first)
        for block in range(depth):
            site, added = first + 1 + block, [part.added[block] for part in parts_of_all]
            gradients = put_gradients([part.blocks[block] for part in parts_of_all], site)
            for sub in sub_layers(name):
                put(sub, site, estimate([each for key, each in gradients.items() if sub_layer(key) == sub], kind))
                put(f"rms_{sub}", site, rms(torch.cat([adds[sub] for adds in added])))
            put("block", site, estimate(list(gradients.values()), kind))
            for key, each in join([part.inside[block] for part in parts_of_all]).items():
                put(f"grad_{key}", site, mean_norm(each))
                if key.startswith("y"):
                    put(f"rms_{key}", site, rms(torch.cat(each)))
    put_gradients(heads, last)
    if losses[0] is not None:
        put("loss", last, float(sum(losses) / len(losses)))
    return values


def structural_zeros(experiment):
    """Return the names of the block tensors whose gradient is exactly 0 in theory.

    A key bias, or the bias of the keys' norm, adds the same number to all scores of a query, which the softmax ignores.
    Scores have no gradient if each query attends to one position only, if W_Q = W_K = 0, or if their factor is 0. Then
    the pre-norm of cross-attention has none either, since it only feeds the queries.
    """
    [variant] = experiment["variants"]
    no_scores = (variant["attention"] == "uniform" or experiment["shape"]["seq_len"] == 1
                 or variant["attention_scale"] == 0 and variant["qk_norm"] != "cosine")
    zeros = set()
    for sub, w in (("attn", ""), ("cross", "cross_")):
        if variant["qk_norm"] == "none":
            zeros.add(f"{w}b_k")
        zeros.add(f"bias_{sub}_k")
        if no_scores:
            zeros |= {f"{w}{name}" for name in ("w_q", "w_k", "b_q", "b_k")}
            for norm in (f"{sub}_q", f"{sub}_k", "cross_pre"):
                zeros |= {f"{kind}_{norm}" for kind in ("gain", "bias", "alpha")}
    return zeros


def can_be_buried(name):
    """Gradients of queries and keys are differences; those of scalars are sums with cancelling terms."""
    last = name.split("_")[-1]
    return (last in ("q", "k") or name.startswith(("scale_", "alpha_"))) and name not in ACTIVATIONS


def buried(experiment, arrays, expected):
    """Return {name: sites} of the values that are rounding errors in PyTorch's float32.

    Once tokens have collapsed to one vector, the gradient of a score is the difference of equal numbers, and gradients
    of queries and keys are pure rounding. Perturb the inputs by half a unit in the last place, so that no value agrees
    by chance.
    """
    rng, found, zeros = np.random.default_rng(0), {}, structural_zeros(experiment)
    if experiment["sampling"]["estimate"] == "expected":
        return found  # noise() says how exact these can be
    for _ in range(3):
        shaken = {name: array if array.dtype.kind == "i" else
                  array * (1 + 2.0 ** -24 * rng.choice((-1, 1), size=array.shape))
                  for name, array in arrays.items()}
        for name, sites in measure(experiment, shaken, dtype=torch.float32).items():
            for site, value in enumerate(sites):
                want = expected[name][site]
                in_block = expected["block"][site] is not None
                if can_be_buried(name) and name not in zeros and in_block and value is not None and \
                        not abs(value - want) <= BURIED * abs(want):
                    found.setdefault(name, set()).add(site)
    return found


# ---- files ----

def load_dump(directory):
    """Load (experiment, arrays) from the output of `normscope-cli dump`."""
    directory = Path(directory)
    experiment = json.loads((directory / "experiment.json").read_text(encoding="utf-8"))
    arrays = {}
    for path in sorted(directory.rglob("*.npy")):
        arrays[path.relative_to(directory).with_suffix("").as_posix()] = np.load(path)
    return experiment, arrays


def result_values(result, experiment, statistic="mean", variant=0, estimate=None):
    """Convert the values of a result file to the form of measure(), of the chosen or a given estimate."""
    names, depth, last = parts(experiment), experiment["shape"]["depth"], head_site(experiment)
    entry = result["variants"][variant]
    values = {}

    def put(name, site, stat):
        if stat is not None and estimate is not None:
            stat = stat.get("estimates", {}).get(estimate, stat)
        if stat is not None and statistic in stat:
            values.setdefault(name, [None] * (last + 1))[site] = stat[statistic]

    def put_all(group, site):
        for name, stat in group.items():
            if name == "grad":
                put_all(stat, site)
            elif isinstance(stat, dict) or stat is None:
                put(name, site, stat)

    put_all(entry["input"], 0)
    if "decoder" in names:
        put_all(entry["decoder_input"], depth + 1)
    for layer in entry["layers"]:
        put_all(layer, names.index(layer["part"]) * (depth + 1) + layer["layer"])
    put_all(entry["head"], last)
    put("loss", last, entry["loss"])
    return values


if __name__ == "__main__":
    import sys
    if len(sys.argv) != 2:
        sys.exit("usage: reference.py DUMP_DIRECTORY")
    json.dump(measure(*load_dump(sys.argv[1])), sys.stdout, indent=1)
    print()
