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
from reference_blocks import logits_of, norm_at, norm_parameters, part_depth, rotary_pairs, soft_cap, sub_layers, wiring
from reference_streams import expand, reduce, stream_count

# A value counts as buried in rounding if PyTorch's relative error in single precision exceeds this.
BURIED = 3e-5
# Quantities other than gradients: norms of the forward pass, cosines and shares, those of the residual stream, and
# those without a logarithm in a result.
SUMS = {"rms_z_attn", "rms_z_cross", "rms_z_ffn"}
SUBS = ("attn", "cross", "ffn")
SKIP_RATIOS, GRAD_SKIP_RATIOS = ({f"{name}_ratio_{sub}" for sub in SUBS} for name in ("skip", "grad_skip"))
SKIP_COSINES = {f"{name}_cos_{sub}" for name in ("skip", "grad_skip") for sub in SUBS}
DATA = ("x0", "y0", "pixels", "x0_added", "targets", "upstream")  # with rows of every minibatch
SHARES = {f"share_{each}" for each in ("input", *SUBS)}
TOKENS = {"token_residual", "participation"}
ACTIVATIONS = ({"rms_x", "abs_x", "norm_x", "rms_y_attn", "rms_y_cross", "rms_attn", "rms_cross", "rms_ffn",
                "rms_scores", "rms_scores_cross", "rms_logits"} | SUMS | SKIP_RATIOS | TOKENS)
SCORES = {"entropy", "entropy_cross", "max_logit", "max_logit_cross", "router_entropy", "expert_load_max",
          "expert_load_min"}
SIMILARITIES = {"cos_x_prev", "cos_x_last", "grad_cos", "grad_cos_prev"}
COSINES = {"token_cos", "identity_share"} | SIMILARITIES | SKIP_COSINES | SHARES | SCORES
STREAM = {"rms_x", "abs_x", "norm_x", "rms_y_attn", "rms_y_cross", "token_cos"} | SUMS
STREAM_GRADIENTS = {"grad_x", "grad_y_attn", "grad_y_cross", "grad_z_attn", "grad_z_cross", "grad_z_ffn", "identity",
                    *GRAD_SKIP_RATIOS}
# Relative to a gradient, a part of the stream or its tokens, NaN where that is 0.
RELATIVE = ({"identity", "identity_share"} | SIMILARITIES | SKIP_RATIOS | GRAD_SKIP_RATIOS | SKIP_COSINES | SHARES |
            TOKENS)
# What only a variant with one residual stream has.
ONE_STREAM = {"identity", "identity_share"} | SKIP_RATIOS | GRAD_SKIP_RATIOS | SKIP_COSINES | SHARES
NO_PARAMETERS = ACTIVATIONS | COSINES | STREAM_GRADIENTS | {"loss"}
ESTIMATES = ("norm", "mean", "expected")
KINDS = (*ESTIMATES, "noise")
NO_LOGARITHM = COSINES | {"loss"}
# Below this, tokens are so alike that rounding in float spoils their differences.
RESIDUAL_FLOOR = 1e-3


def parts(experiment):
    return ["encoder", "decoder"] if experiment["shape"]["stack"] == "encoder-decoder" else ["stack"]


def head_site(experiment):
    return first_site(experiment, len(parts(experiment)))


def first_site(experiment, index):
    """Return the site of the input of part number index; for the number of parts that of the head."""
    return sum(part_depth(experiment["shape"], part) + 1 for part in parts(experiment)[:index])


# ---- parameters ----

def leaf(array, dtype=torch.float64):
    return torch.tensor(array, dtype=dtype).requires_grad_()


def leaves(p, dtype):
    return {name: leaf(array, dtype) for name, array in p.items()}


def input_parameters(experiment, variant, arrays, part):
    """Return what precedes the blocks of a part: its input norm, and the position biases that they share."""
    p = norm_parameters(variant, "input", experiment["shape"]["d_model"]) if variant["input_norm"] else {}
    folder = f"{'' if part == 'stack' else part + '/'}block000/"
    if variant.get("position_bias") == "t5":
        p["relative_bias"] = arrays[folder + "relative_bias"]
    if has_patches(experiment, part):
        p["w_patch"] = arrays[folder + "w_patch"]
        if variant["bias"]:
            p["b_patch"] = np.zeros(experiment["shape"]["d_model"])
    return p


def has_patches(experiment, part):
    return (experiment["shape"].get("patch_features") is not None and experiment["data"]["source"] == "gaussian"
            and part != "decoder")


def embed_patches(experiment, arrays, p, dtype):
    """Return s (pixels W + b) [B, T, d], 0 at class tokens, and what is added: positions and class tokens."""
    data, d = experiment["data"], experiment["shape"]["d_model"]
    scale = math.sqrt(d) if data["embed_scale"] == "sqrt-d-model" else data["embed_scale"]
    pixels = torch.tensor(arrays["pixels"], dtype=dtype)
    is_patch = torch.ones(pixels.shape[1], 1, dtype=dtype)
    if data["class_token"] != "none":
        is_patch[0] = 0
    mapped = torch.einsum("btp,pd->btd", pixels, p["w_patch"]) + p.get("b_patch", 0.0)
    return scale * is_patch * mapped + torch.tensor(arrays["x0_added"], dtype=dtype)


def head_parameters(experiment, variant, arrays):
    """Return the parameters of the head and of the final norms of the parts."""
    d, p = experiment["shape"]["d_model"], {}
    if experiment["loss"] == "cross-entropy":
        p["w_head"] = arrays["head/w_head"]
        if has_bias(variant, "b_head"):
            p["b_head"] = np.zeros(p["w_head"].shape[1])
        if variant["head_transform"]:
            p["w_head_dense"] = arrays["head/w_head_dense"]
            if has_bias(variant, "b_head_dense"):
                p["b_head_dense"] = np.zeros(d)
            p.update(norm_parameters(variant, "head_dense", d))
        if variant.get("ngpt"):
            p["s_z"] = np.full(p["w_head"].shape[1], d ** -0.5)
    if "encoder" in parts(experiment) and ends_in_norm(experiment, variant, "encoder"):
        p.update(norm_parameters(variant, "encoder_final", d))
    if has_final_norm(experiment, variant):
        p.update(norm_parameters(variant, "final", d))
    return p


# ---- the model ----

class Part:
    """The stack, the encoder or the decoder: parameters and intermediate results of the forward pass."""

    def __init__(self, experiment, arrays, name, dtype, **modes):
        [variant] = experiment["variants"]
        self.experiment, self.variant, self.name, self.modes = experiment, variant, name, modes
        self.input = leaves(input_parameters(experiment, variant, arrays, name), dtype)
        self.raw = leaf(arrays["y0" if name == "decoder" else "x0"], dtype)
        if has_patches(experiment, name):
            self.raw = embed_patches(experiment, arrays, self.input, dtype)
        self.blocks = [leaves(block_parameters(experiment, variant, arrays, name, block), dtype)
                       for block in range(1, part_depth(experiment["shape"], name) + 1)]
        self.stream = []  # x_0 .. x_L
        self.added = []   # for each block, {sub-layer: output of the branch}
        self.inside = []  # for each block, {"y_attn": output of a sub-layer, "z_attn": its sum, ...}
        self.terms = []   # for each block, {sub-layer: terms of its sum}
        self.scores = []  # for each block, {"entropy": ..., "max_logit": ..., "entropy_cross": ..., ...}
        self.output = None

    def forward(self, memory, head, final):
        """Return the output of the part, after the norm `final` if head has its parameters."""
        x = input_scale(self.variant, part_depth(self.experiment["shape"], self.name)) * self.raw
        x = expand(norm_at(x, self.input, "input", self.variant), self.variant)
        self.keep(x)
        r = x
        for block, p in enumerate(self.blocks, start=1):
            x, added, inside, terms, seen = block_forward(x, memory, p, self.experiment, self.variant, self.name,
                                                          block, table=self.input.get("relative_bias"),
                                                          **self.modes)
            self.keep(x)
            self.added.append(added)
            self.inside.append(inside)
            self.terms.append(terms)
            self.scores.append(seen)
            for tensor in inside.values():
                tensor.retain_grad()
            if self.variant["dual_residual"]:
                r = r + sum(added.values())
        if self.variant["dual_residual"]:  # ResiDual (Xie et al. 2023)
            self.output = x + norm_at(r, head, final, self.variant)
        else:
            self.output = norm_at(reduce(x, self.variant), head, final, self.variant)
        self.output.retain_grad()
        return self.output

    def keep(self, x):
        x.retain_grad()
        self.stream.append(x)


def cross_entropy(logits, targets):
    """Mean over the tokens that have a target, not −1; logits [B, T, V], targets [B, T]."""
    has_target = targets >= 0
    at_target = logits.gather(-1, targets.clamp(min=0).unsqueeze(-1)).squeeze(-1)
    return (torch.logsumexp(logits, -1) - at_target)[has_target].mean()


def measure(experiment, arrays, upstream_scale=1.0, dtype=torch.float64):
    """Return {quantity: [value per site]}, with None at sites that lack the quantity.

    experiment: one variant, every key present. arrays: "x0", "targets" or "upstream", "block001/w_q", ...,
    "head/w_head"; in an encoder-decoder "y0", "encoder/block001/w_q", "decoder/block001/cross_w_q", ... The backward
    pass starts from upstream_scale instead of 1, which keeps scaled gradients within the range of float64.

    Each minibatch is a forward and a backward pass of its own, and sampling.estimate selects the number that represents
    their gradients. An expected gradient with a negative square is its negative root.
    """
    return measure_kinds(experiment, arrays, upstream_scale, dtype)[experiment["sampling"]["estimate"]]


def measure_kinds(experiment, arrays, upstream_scale=1.0, dtype=torch.float64):
    """Return measure() for each kind of estimate, from the same passes: {kind: {quantity: [value per site]}}.

    The kind "noise" has the gradient norms √((M·‖mean g‖² + mean ‖g‖²)/(M − 1)). The rounding error of the square of an
    expected gradient is proportional to their square.
    """
    passes = []
    for one in minibatches(experiment, arrays):
        chain, head, loss = run_pass(experiment, one, upstream_scale, dtype)
        memory = None
        for part in chain:
            part.identity = identity_path(part, memory, experiment, one, head, dtype)
            part.products = products_with_end(part, memory, experiment, one, head, dtype)
            memory = part.output.detach()
        passes.append((chain, head, loss))
    return collect(passes)


def minibatches(experiment, arrays):
    """Yield the arrays of each minibatch, shape.batch consecutive sequences. The upstream gradient in a dump is that of
    the mean over the minibatches."""
    M, B = experiment["sampling"]["batches"], experiment["shape"]["batch"]
    for m in range(M):
        own = {name: arrays[name][m * B:(m + 1) * B] for name in DATA if name in arrays}
        if "upstream" in own:
            own["upstream"] = M * own["upstream"]
        yield {**arrays, **own}


def end_of(part):
    return "encoder_final" if part.name == "encoder" else "final"


def run_pass(experiment, arrays, upstream_scale, dtype):
    """Run forward and backward pass of a minibatch. Return (parts, parameters of the head, loss)."""
    [variant] = experiment["variants"]
    chain = [Part(experiment, arrays, name, dtype) for name in parts(experiment)]
    head = leaves(head_parameters(experiment, variant, arrays), dtype)

    h = None
    for part in chain:
        h = part.forward(h, head, end_of(part))

    loss = None
    if experiment["loss"] == "unit-gradient":
        h.backward(upstream_scale * torch.tensor(arrays["upstream"], dtype=dtype))
    else:
        chain[-1].logits = logits_of(h, head, {**variant, "logit_cap": None})
        logits = soft_cap(chain[-1].logits, variant.get("logit_cap"))
        loss = cross_entropy(logits, torch.tensor(arrays["targets"], dtype=torch.int64))
        loss.backward(torch.tensor(upstream_scale, dtype=dtype))
    return chain, head, loss


def identity_path(part, memory, experiment, arrays, head, dtype):
    """Return the gradient at x_0 .. x_L of a part that runs through no branch: no gradient passes the branches, and the
    gradient at the part's output is that of the whole network. Only branches read another part."""
    constants = {name: tensor.detach() for name, tensor in head.items()}
    cut = Part(experiment, arrays, part.name, dtype, cut=True)
    cut.forward(memory, constants, end_of(part)).backward(gradient_of(part.output))
    return [gradient_of(x) for x in cut.stream]


def products_with_end(part, memory, experiment, arrays, head, dtype):
    """Return m, ‖x_L/m‖² and ⟨what c puts into x_L, x_L⟩/m² for the input c of a part, as "input", and for every
    branch, as (sub-layer, block). With the norms after the sums held, x_L is linear in them. m is the largest number in
    x_L."""
    constants = {name: tensor.detach() for name, tensor in head.items()}
    linear = Part(experiment, arrays, part.name, dtype, cut=True, held=True)
    linear.forward(memory, constants, end_of(part))
    end = linear.stream[-1]
    m = float(end.detach().abs().max()) or 1.0
    places = {"input": linear.stream[0]}
    places.update({(sub, block): c for block, added in enumerate(linear.added) for sub, c in added.items()})
    gradients = torch.autograd.grad(end, list(places.values()), end.detach() / m, allow_unused=True)
    return m, float((end.detach() / m).square().sum()), {
        place: 0.0 if gradient is None else float((c.detach() / m * gradient).sum())
        for (place, c), gradient in zip(places.items(), gradients)}


# ---- measurements ----

def share(place, products):
    """Return the share of a place over the rows of all minibatches. products: of each minibatch."""
    largest = max(m for m, _, _ in products)
    whole, part = (sum((m / largest) ** 2 * term for m, term in terms) for terms in
                   (((m, square) for m, square, _ in products), ((m, at[place]) for m, _, at in products)))
    return part / whole if whole > 0 else math.nan


def compare_terms(branch, residual):
    """Return the ratio of the norms and the cosine of two lists of tensors, over the rows of all minibatches."""
    branch, residual = torch.cat(branch).detach(), torch.cat(residual).detach()
    if norm_of(residual) == 0:
        return math.nan, math.nan
    return norm_of(branch) / norm_of(residual), float((unit(branch) * unit(residual)).sum())


def rms(x):
    """Return the root mean square, scaled by the largest entry so that squares do not underflow."""
    x = x.detach()
    largest = x.abs().max()
    if largest == 0 or not torch.isfinite(largest):
        return float(largest)
    return float(largest * (x / largest).square().mean().sqrt())


def token_norm(x):
    """Return the root mean square of the tokens' lengths."""
    largest = x.detach().abs().max()
    if largest == 0 or not torch.isfinite(largest):
        return float(largest)
    return float(largest * (x.detach() / largest).norm(dim=-1).square().mean().sqrt())


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


def spread(x):
    """Return what the tokens of a sequence are like relative to their mean, averaged over the sequences."""
    B, T, _ = x.shape
    if T == 1:
        return {}
    if not all(each.any() for each in x.detach()):
        return {name: math.nan for name in TOKENS}
    x = x.detach() / x.detach().abs().amax(dim=(1, 2), keepdim=True)
    singular = torch.linalg.svdvals(x - x.mean(dim=1, keepdim=True))
    eigenvalues = (singular / singular.amax(dim=-1, keepdim=True)) ** 2  # of the Gram matrix, up to a factor
    return {"token_residual": float((singular.norm(dim=-1) / x.flatten(1).norm(dim=-1)).mean()),
            "participation": float((eigenvalues.sum(-1) ** 2 / (eigenvalues ** 2).sum(-1)).mean())}


def norm_of(gradient):
    """Return the Frobenius norm, scaled by the largest entry so that squares do not underflow."""
    largest = float(gradient.abs().max())
    if largest == 0 or not math.isfinite(largest):
        return largest
    return largest * float((gradient / largest).norm())


def unit(x):
    """Return x with norm 1, which is NaN for zeros."""
    x = x / x.abs().max()
    return x / x.norm()


def cosine_of(a, b):
    """Return the cosine between two lists of tensors, over the rows of all minibatches."""
    return float((unit(torch.cat(a).detach()) * unit(torch.cat(b).detach())).sum())


def relative(paths, gradients, ends):
    """Return the quantities of the identity path, over the rows of all minibatches. paths, gradients, ends: of each
    minibatch the identity path and the gradient at a site, and the gradient at the end of the part."""
    path, gradient, end = (torch.cat(each).detach() for each in (paths, gradients, ends))
    if norm_of(gradient) == 0:
        share = math.nan
    elif norm_of(path) == 0:
        share = 0.0
    else:
        share = float((unit(path) * unit(gradient)).sum()) * norm_of(path) / norm_of(gradient)
    return {"identity": norm_of(path) / norm_of(end) if norm_of(end) > 0 else math.nan, "identity_share": share,
            "grad_cos": float((unit(gradient) * unit(end)).sum())}


def gradient_of(p):
    return torch.zeros_like(p) if p.grad is None else p.grad  # None: the loss does not depend on it


def norms_of(each):
    """Return the norms of a tensor's gradient in each minibatch, and that of their mean. each: these gradients."""
    norms = [norm_of(gradient) for gradient in each]
    return norms, norm_of(sum(each) / len(each)) if len(each) > 1 else norms[0]


def estimate(tensors):
    """Estimate the gradient norm of several tensors, for each kind of estimate. tensors: norms_of() each."""
    M = len(tensors[0][0])
    mean_norm = math.hypot(*(of_mean for _, of_mean in tensors))
    if M == 1:
        return dict.fromkeys(KINDS, mean_norm)
    norms = [math.hypot(*(each[m] for each, _ in tensors)) for m in range(M)]
    mean_square = sum(norm * norm for norm in norms) / M
    square = (M * mean_norm * mean_norm - mean_square) / (M - 1)
    return {"norm": sum(norms) / M, "mean": mean_norm, "expected": math.copysign(math.sqrt(abs(square)), square),
            "noise": math.sqrt((M * mean_norm * mean_norm + mean_square) / (M - 1))}


def sub_layer(name):
    """Return the sub-layer of a tensor such as "cross_w_q", "gain_attn_pre", "scale_ffn" or "b_1"."""
    for sub in ("attn", "cross", "ffn"):
        if sub in name.split("_"):
            return sub
    if name.startswith("s_"):  # of nGPT
        return "attn" if name == "s_qk" else "ffn"
    return "attn" if name[2:] in ("q", "k", "v", "o") else "ffn"


def join(dicts):
    """Return {name: [value of each minibatch]}. dicts: {name: value} of each minibatch."""
    return {name: [each[name] for each in dicts] for name in dicts[0]}


def gradients_by_name(parameters):
    """Return {name: [gradient of each minibatch]}. parameters: {name: tensor} of each minibatch."""
    return {name: [gradient_of(p) for p in each] for name, each in join(parameters).items()}


def expert_estimates(gradients):
    """Return the estimates of the gradient norm of each expert; none of a plain FFN. gradients: of a block."""
    matrices = [each for name, each in gradients.items() if name in ("w_1", "w_2", "w_3")]
    if "router" not in gradients:
        return []
    return [estimate([norms_of([gradient[e] for gradient in each]) for each in matrices])
            for e in range(len(matrices[0][0]))]


def mean_norm(tensors):
    """Return the mean of the norms of the gradients of a tensor of the stream, one for each minibatch."""
    return sum(norm_of(gradient_of(x)) for x in tensors) / len(tensors)


@torch.no_grad()
def collect(passes):
    """Measure all values, by the kind of estimate. passes: (parts, parameters of the head, loss) of each minibatch."""
    chains, heads, losses = zip(*passes)
    last = sum(len(part.blocks) + 1 for part in chains[0])
    values = {kind: {} for kind in KINDS}

    one_stream = stream_count(chains[0][0].variant) is None

    def put(name, site, value):
        """value: a number, or an estimate of each kind."""
        if value is not None and (one_stream or name not in ONE_STREAM):
            for kind, of_kind in values.items():
                of_kind.setdefault(name, [None] * (last + 1))[site] = value[kind] if isinstance(value, dict) else value

    def put_gradients(gradients, site):
        norms = {name: norms_of(each) for name, each in gradients.items()}
        for name, each in norms.items():
            put(name, site, estimate([each]))
        return norms

    first = 0
    for parts_of_all in zip(*chains):
        depth, name = len(parts_of_all[0].blocks), parts_of_all[0].name
        for site, xs in enumerate(zip(*(part.stream for part in parts_of_all)), start=first):
            put("grad_x", site, mean_norm(xs))
            put("rms_x", site, rms(torch.cat(xs)))
            put("abs_x", site, float(torch.cat(xs).detach().abs().mean()))
            put("norm_x", site, token_norm(torch.cat(xs)))
            put("token_cos", site, token_cos(torch.cat(xs)))
            for quantity, value in spread(torch.cat(xs)).items():
                put(quantity, site, value)
            paths = [part.identity[site - first] for part in parts_of_all]
            ends = [gradient_of(part.stream[-1]) for part in parts_of_all]
            for quantity, value in relative(paths, [gradient_of(x) for x in xs], ends).items():
                put(quantity, site, value)
            put("cos_x_last", site, cosine_of(xs, [part.stream[-1] for part in parts_of_all]))
            if site > first:
                below = [part.stream[site - first - 1] for part in parts_of_all]
                put("cos_x_prev", site, cosine_of(xs, below))
                put("grad_cos_prev", site, cosine_of(*([gradient_of(x) for x in each] for each in (xs, below))))
        put_gradients(gradients_by_name([part.input for part in parts_of_all]), first)
        put("share_input", first, share("input", [part.products for part in parts_of_all]))
        for block in range(depth):
            site, added = first + 1 + block, [part.added[block] for part in parts_of_all]
            gradients = gradients_by_name([part.blocks[block] for part in parts_of_all])
            norms = put_gradients(gradients, site)
            for sub in sub_layers(parts_of_all[0].variant, name):
                put(sub, site, estimate([each for key, each in norms.items() if sub_layer(key) == sub]))
                put(f"rms_{sub}", site, rms(torch.cat([adds[sub] for adds in added])))
            put("block", site, estimate(list(norms.values())))
            experts = expert_estimates(gradients)
            for quantity, choose in (("expert_grad_max", max), ("expert_grad_min", min)) if experts else ():
                put(quantity, site, {kind: choose(each[kind] for each in experts) for kind in KINDS})
            for quantity, each in join([part.scores[block] for part in parts_of_all]).items():
                if quantity == "loads":
                    put("expert_load_max", site, float(sum(each).max() / sum(each).sum()))
                    put("expert_load_min", site, float(sum(each).min() / sum(each).sum()))
                    continue
                put(quantity, site, max(each) if quantity.startswith("max")
                    else math.sqrt(sum(x * x for x in each) / len(each)) if quantity.startswith("rms")
                    else sum(each) / len(each))
            for key, each in join([part.inside[block] for part in parts_of_all]).items():
                put(f"grad_{key}", site, mean_norm(each))
                put(f"rms_{key}", site, rms(torch.cat(each)))
            for sub, each in join([part.terms[block] for part in parts_of_all]).items():  # none with several streams
                if not wiring(parts_of_all[0].variant, sub, "residual"):
                    continue
                ratio, cosine = compare_terms([term.branch for term in each], [term.residual for term in each])
                put(f"skip_ratio_{sub}", site, ratio)
                put(f"skip_cos_{sub}", site, cosine)
                ratio, cosine = compare_terms([gradient_of(term.x_branch) for term in each],
                                              [gradient_of(term.x_residual) for term in each])
                put(f"grad_skip_ratio_{sub}", site, ratio)
                put(f"grad_skip_cos_{sub}", site, cosine)
            for sub in sub_layers(parts_of_all[0].variant, name):
                put(f"share_{sub}", site, share((sub, block), [part.products for part in parts_of_all]))
        first += depth + 1
    put_gradients(gradients_by_name(heads), last)
    if losses[0] is not None:
        put("loss", last, float(sum(losses) / len(losses)))
        put("rms_logits", last, rms(torch.cat([chain[-1].logits for chain in chains])))
    return values


def token_scale(name, site, expected):
    """Return the scale of the error of a quantity of TOKENS. Rounding changes the tokens by a fixed share of their
    norm, so the error of their differences is relative to a residual of RESIDUAL_FLOOR at least; without differences
    those have no direction."""
    residual = expected["token_residual"][site]
    if name == "token_residual":
        return max(residual, RESIDUAL_FLOOR)
    return math.inf if residual < 1e-3 * RESIDUAL_FLOOR else \
        expected[name][site] * max(1.0, RESIDUAL_FLOOR / residual)


def structural_zeros(experiment):
    """Return the names of the block tensors whose gradient is exactly 0 in theory.

    A key bias, or the bias of the keys' norm, adds the same number to all scores of a query, which the softmax ignores,
    unless rotary positions turn it or a soft cap bends the scores.
    Scores have no gradient if each query attends to one position only, if W_Q = W_K = 0, or if their factor is 0. Then
    the pre-norm of cross-attention has none either, since it only feeds the queries. One expert whose weight is always
    1 does not depend on its router. A scale of what the token adds to the weights of streams multiplies 0 at first, and
    while the streams are equal, weights that add up to 1 mix them all the same.
    """
    [variant] = experiment["variants"]
    no_scores = (variant["attention"] == "uniform" or experiment["shape"]["seq_len"] == 1
                 or variant["attention_scale"] == 0 and variant["qk_norm"] != "cosine")
    alone = variant.get("experts_per_token") == 1 and variant.get("expert_weights") == "normalized"
    zeros = {"router"} if alone else set()
    if variant.get("streams") and variant["stream_weights"] != "static":
        zeros |= {"mix_scale_attn", "mix_scale_ffn"}
    if variant.get("streams") and variant["stream_weights"] == "manifold":
        zeros |= {f"mix_streams{map_}_{sub}" for map_ in ("", "_w") for sub in ("attn", "ffn")}
    for sub, w in (("attn", ""), ("cross", "cross_")):
        turned = sub == "attn" and rotary_pairs(variant, experiment["shape"]) > 0
        felt = turned or variant.get("score_cap") is not None
        if variant["qk_norm"] == "none" and not felt:
            zeros.add(f"{w}b_k")
        if not felt:
            zeros.add(f"bias_{sub}_k")
        if no_scores:
            zeros |= {"s_qk"} | {f"{w}{name}" for name in ("w_q", "w_k", "b_q", "b_k")}
            for norm in (f"{sub}_q", f"{sub}_k", "cross_pre"):
                zeros |= {f"{kind}_{norm}" for kind in ("gain", "bias", "alpha")}
    return zeros


def can_be_buried(name):
    """Gradients of queries and keys are differences; those of scalars are sums with cancelling terms."""
    last = name.split("_")[-1]
    return (last in ("q", "k") or name.startswith(("scale_", "alpha_", "mix_"))) and name not in ACTIVATIONS


def buried(experiment, arrays, measured):
    """Return {estimate: {name: sites}} of the values that are rounding errors in PyTorch's float32.

    measured: the result of measure_kinds(). There are none of expected gradients, since the kind "noise" says how exact
    these can be.

    Once tokens have collapsed to one vector, the gradient of a score is the difference of equal numbers, and gradients
    of queries and keys are pure rounding. Perturb the inputs by half a unit in the last place, so that no value agrees
    by chance.
    """
    rng, found, zeros = np.random.default_rng(0), {kind: {} for kind in ESTIMATES}, structural_zeros(experiment)
    for _ in range(3):
        shaken = {name: array if array.dtype.kind == "i" else
                  array * (1 + 2.0 ** -24 * rng.choice((-1, 1), size=array.shape))
                  for name, array in arrays.items()}
        chains, _, _ = zip(*(run_pass(experiment, one, 1.0, torch.float32) for one in minibatches(experiment, shaken)))
        for index, parts_of_all in enumerate(zip(*chains)):
            for block, parameters in enumerate(zip(*(part.blocks for part in parts_of_all)), start=1):
                site = first_site(experiment, index) + block
                for name, each in gradients_by_name(parameters).items():
                    if can_be_buried(name) and name not in zeros:
                        values = estimate([norms_of(each)])
                        for kind in ("norm", "mean"):
                            want = measured[kind][name][site]
                            if not abs(values[kind] - want) <= BURIED * abs(want):
                                found[kind].setdefault(name, set()).add(site)
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
    names, last = parts(experiment), head_site(experiment)
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
        put_all(entry["decoder_input"], first_site(experiment, 1))
    for layer in entry["layers"]:
        put_all(layer, first_site(experiment, names.index(layer["part"])) + layer["layer"])
    put_all(entry["head"], last)
    for name in ("loss", "rms_logits"):
        put(name, last, entry[name])
    return values


if __name__ == "__main__":
    import sys
    if len(sys.argv) != 2:
        sys.exit("usage: reference.py DUMP_DIRECTORY")
    json.dump(measure(*load_dump(sys.argv[1])), sys.stdout, indent=1)
    print()
