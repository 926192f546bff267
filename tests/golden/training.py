# Copyright (C) 2026 The Normscope developers
# SPDX-License-Identifier: GPL-3.0-or-later
"""Train the model of reference.py with PyTorch's own optimizers and schedules, in float64.

An independent implementation to test the engine's training against: forward pass and gradients are those of
reference.py, by autograd; the steps are those of torch.optim, torch.optim.lr_scheduler and torch.nn.utils. Matrices
decay, vectors and numbers do not (two parameter groups). Weights and batches come from outside, as arrays:

- "block001/w_q", "head/w_head", ... as in a dump, and the tables of the input, those of TABLES that the experiment has;
- for each step a dict of "ids" [B, T] and "targets" [B, T]; in an encoder-decoder also "decoder_ids".

Block 0 of a part is its input, with the norm there. A head that is tied to the embedding stays tied.
"""

import math
import warnings

import numpy as np
import torch
from torch.optim.lr_scheduler import ConstantLR, CosineAnnealingLR, LambdaLR, LinearLR, SequentialLR

import reference
import reference_blocks as blocks

warnings.filterwarnings("ignore", message="The epoch parameter")  # PyTorch's own SequentialLR uses it

# Tables of the input: token embeddings [V, d] and those of an encoder that has its own [V_e, d], positions [T, d],
# token types [n, d].
TABLES = ("input/embedding", "input/encoder_embedding", "input/position", "input/token_type")
# Keys of the training that a variant may have values of its own for.
OWN = ("optimizer", "learning_rate", "warmup", "schedule")
# Uniform attention has none of these.
QUERIES_AND_KEYS = [f"{kind}_{name}" for kind in ("w", "b", "cross_w", "cross_b") for name in "qk"]


def training_of(experiment):
    """Return the settings of the training of the only variant: its own where they are not null."""
    [variant] = experiment["variants"]
    own = {key: variant[key] for key in OWN if variant.get(key) is not None}
    return {**experiment["training"], **own}


class TrainedPart(reference.Part):
    """A part whose parameters stay from step to step."""

    def feed(self, raw):
        """Give it the next input, before its scale and norm."""
        self.raw = raw if raw.requires_grad else raw.requires_grad_()
        for kept in (self.stream, self.added, self.inside, self.terms, self.scores):
            kept.clear()


class Model:
    """The parameters of one variant, and the network over them."""

    def __init__(self, experiment, arrays, dtype=torch.float64):
        [variant] = experiment["variants"]
        shape, self.experiment, self.dtype = experiment["shape"], experiment, dtype
        nothing = {name: np.zeros((1, 1, shape["d_model"])) for name in ("x0", "y0")}
        self.chain = [TrainedPart(experiment, {**arrays, **nothing}, name, dtype)
                      for name in reference.parts(experiment)]
        self.tables = {name: reference.leaf(arrays[name], dtype) for name in TABLES if name in arrays}
        if experiment["data"]["positions"] == "sinusoidal":  # constants, rounded to single precision
            table = self.tables["input/position"].detach()
            assert torch.allclose(table, sines(*table.shape).to(dtype), rtol=0, atol=1e-7), "sines"
            self.tables["input/position"] = table
        self.tied, self.uniform = variant["init"]["head"] == "tied", variant["attention"] == "uniform"
        self.variant = variant
        if self.tied:  # one matrix, which the lookup and the head share
            arrays = {**arrays, "head/w_head": arrays["input/embedding"].T}
        self.head = reference.leaves(reference.head_parameters(experiment, variant, arrays), dtype)
        if self.tied:
            del self.head["w_head"]

    def parameters(self):
        """Return {name: tensor} of all parameters, named as in a dump."""
        found = dict(self.tables)
        for part in self.chain:
            prefix = "" if part.name == "stack" else f"{part.name}/"
            for block, p in enumerate([part.input, *part.blocks]):
                found.update({f"{prefix}block{block:03d}/{name}": tensor for name, tensor in p.items()})
        found.update({f"head/{name}": tensor for name, tensor in self.head.items()})
        if self.uniform:
            found = {name: tensor for name, tensor in found.items() if name.split("/")[-1] not in QUERIES_AND_KEYS}
        return found

    def trained(self):
        """Return {name: tensor} of the parameters that steps change."""
        frozen = () if training_of(self.experiment)["embeddings"] else TABLES
        return {name: tensor for name, tensor in self.parameters().items()
                if name not in frozen and tensor.requires_grad}

    def embed(self, ids, part):
        """Return the input of a part [B, T, d]."""
        own = f"input/{part}_embedding"
        data, shape = self.experiment["data"], self.experiment["shape"]
        T, scale, n = shape["seq_len"], data["embed_scale"], data["token_types"]
        scale = math.sqrt(shape["d_model"]) if scale == "sqrt-d-model" else float(scale)
        if self.experiment["variants"][0].get("ngpt"):
            scale = 1.0
        x = scale * self.tables[own if own in self.tables else "input/embedding"][as_ids(ids)]
        if "input/position" in self.tables:
            x = x + self.tables["input/position"]
        if n > 0:
            x = x + self.tables["input/token_type"][torch.arange(T) * n // T]
        return x

    def loss(self, batch):
        h = None
        for part, ids in zip(self.chain, ("ids", "decoder_ids")):
            part.feed(self.embed(batch[ids], part.name))
            h = part.forward(h, self.head, reference.end_of(part))
        head = {**self.head, "w_head": self.tables["input/embedding"].T} if self.tied else self.head
        self.logits = blocks.logits_of(h, head, {**self.variant, "logit_cap": None})
        logits = blocks.soft_cap(self.logits, self.variant.get("logit_cap"))
        return reference.cross_entropy(logits, as_ids(batch["targets"]))

    def sizes(self, batch, values):
        """Return {(quantity, part, layer): size} of what a coordinate check looks at, with these parameters."""
        with torch.no_grad():
            for name, tensor in self.parameters().items():
                tensor.copy_(values[name])
        self.loss(batch)
        found = {("rms_logits", "head", 0): reference.rms(self.logits)}
        for part in self.chain:
            for layer, (added, inside, scores) in enumerate(zip(part.added, part.inside, part.scores), start=1):
                tensors = {**added, **{name: z for name, z in inside.items() if name.startswith("z_")}}
                found.update({(f"rms_{name}", part.name, layer): reference.rms(each) for name, each in tensors.items()})
                found.update({(name, part.name, layer): size for name, size in scores.items()
                              if name.startswith("rms")})
        return found


def as_ids(array):
    return torch.tensor(array, dtype=torch.int64)


def sines(T, d):
    """Return the positions of Vaswani et al. 2017 [T, d]."""
    t, i = torch.arange(T, dtype=torch.float64)[:, None], torch.arange(d)[None, :]
    angle = t / 10000 ** (2 * (i // 2) / d)
    return torch.where(i % 2 == 0, angle.sin(), angle.cos())


def is_matrix(name, tensor):
    """Return True for matrices and tables of vectors; position biases and the weights of streams are neither."""
    last = name.split("/")[-1]
    return tensor.dim() >= 2 and (not last.startswith(("relative_bias", "mix_")) or "_w_" in last)


def rate_factor(name, tensor, kind, ratio, shape):
    """Return the factor on the learning rate of a parameter in μP; ratio: the width over its base. Without a dimension
    that grows with the width a parameter has 1, as in the package mup: heads grow in number where their width is set,
    and in width where it is not."""
    last, more_heads = name.split("/")[-1], shape["d_head"] is not None
    finite = {"b_head", "s_z"} if more_heads else {"b_head", "s_z", "relative_bias"}
    per_head = more_heads and last.startswith(("gain_", "bias_")) and last.endswith(("_q", "_k", "_v"))
    if tensor.numel() == 1 or last in finite or (per_head and tensor.numel() == shape["d_head"]):
        return 1.0
    if name == "head/w_head":
        return 1 / ratio
    is_hidden = is_matrix(name, tensor) and not name.startswith("input/")
    if kind == "sgd":
        return 1.0 if is_hidden else ratio
    return 1 / ratio if is_hidden else 1.0


def make_optimizer(settings, trained, ratio=1.0, shape=None):
    """Return the optimizer of torch.optim over {name: tensor}."""
    rate, kind, groups = settings["learning_rate"], settings["optimizer"], {}
    for name, tensor in trained.items():
        factor = 1.0 if ratio == 1 else rate_factor(name, tensor, kind, ratio, shape)
        decay = settings["weight_decay"] / factor if is_matrix(name, tensor) else 0.0
        groups.setdefault((rate * factor, decay), []).append(tensor)
    groups = [{"params": params, "lr": lr, "weight_decay": decay} for (lr, decay), params in groups.items()]
    if kind == "sgd":
        return torch.optim.SGD(groups, lr=rate, momentum=settings["momentum"])
    options = {"lr": rate, "betas": (settings["beta1"], settings["beta2"]), "eps": settings["epsilon"]}
    return torch.optim.AdamW(groups, **options) if kind == "adamw" else torch.optim.Adam(groups, **options)


def make_schedule(settings, optimizer):
    """Return the schedule: linear over the warm-up, (t + 1)/W, and then the chosen one."""
    warm, rest, kind = settings["warmup"], max(settings["steps"] - settings["warmup"], 1), settings["schedule"]
    after = {
        "constant": lambda: ConstantLR(optimizer, factor=1.0, total_iters=0),
        "cosine": lambda: CosineAnnealingLR(optimizer, T_max=rest),
        "linear": lambda: LinearLR(optimizer, start_factor=1.0, end_factor=0.0, total_iters=rest),
        "inverse-sqrt": lambda: LambdaLR(optimizer, lambda t: math.sqrt(max(warm, 1) / (warm + t + 1))),
    }[kind]
    if warm == 0:
        return after()
    first = LinearLR(optimizer, start_factor=1 / warm, end_factor=1.0, total_iters=max(warm - 1, 1))
    return SequentialLR(optimizer, [first, after()], milestones=[warm])


@torch.no_grad()
def normalize_matrices(trained):
    """nGPT: give the vectors of d_model weights of each matrix the length 1, those of its outputs where it reads the
    stream (normalize_matrices() of the authors' code)."""
    for name, tensor in trained.items():
        if tensor.dim() == 2:
            of_outputs = not name.startswith("input/") and not name.endswith(("/w_o", "/w_2"))
            tensor /= tensor.norm(dim=0 if of_outputs else 1, keepdim=True)


def train(experiment, arrays, batches, make_optimizer=make_optimizer, make_schedule=make_schedule,
          clip=torch.nn.utils.clip_grad_norm_, normalize=normalize_matrices, dtype=torch.float64):
    """Yield (loss before the step, learning rate, {name: parameter after the step}) for each batch."""
    model, settings = Model(experiment, arrays, dtype), training_of(experiment)
    trained = model.trained()
    [variant] = experiment["variants"]
    ratio = blocks.mup_ratio(variant, experiment["shape"]["d_model"])
    optimizer = make_optimizer(settings, trained, *([ratio, experiment["shape"]] if ratio != 1 else []))
    schedule = make_schedule(settings, optimizer)
    for batch in batches:
        optimizer.zero_grad(set_to_none=True)
        loss = model.loss(batch)
        loss.backward()
        if settings["clip"] is not None:
            clip(list(trained.values()), settings["clip"])
        rate = optimizer.param_groups[0]["lr"]
        optimizer.step()
        schedule.step()
        if variant.get("ngpt"):
            normalize(trained)
        yield float(loss), rate, {name: tensor.detach().clone() for name, tensor in model.parameters().items()}
