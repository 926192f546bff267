# Copyright (C) 2026 The Normscope developers
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests of training.py: the same steps with PyTorch's own layers, and schedules at chosen steps."""

import math

import numpy as np
import torch
from torch import nn

import configs
import training
from compare import make_arrays, same, tensors
from transformer_checks import load_block

SETTINGS = {"steps": 20, "optimizer": "adam", "learning_rate": 3e-3, "momentum": 0.9, "beta1": 0.9, "beta2": 0.99,
            "epsilon": 1e-8, "weight_decay": 0.0, "clip": None, "warmup": 0, "schedule": "constant",
            "embeddings": True}
STEPS = 4


def make(overrides, **settings):
    """Return an experiment over tokens with learned positions, its weights, and a batch for each step."""
    experiment = configs.build({"data.source": "tokens", "data.positions": "learned", "bias": True, **overrides})
    experiment["training"] = {**SETTINGS, **settings}
    shape = experiment["shape"]
    rng, arrays = np.random.default_rng(4), make_arrays(experiment)
    arrays["input/embedding"] = rng.normal(size=(shape["vocab"], shape["d_model"]))
    arrays["input/position"] = rng.normal(size=(shape["seq_len"], shape["d_model"]))
    batches = [{name: rng.integers(0, shape["vocab"], size=(shape["batch"], shape["seq_len"]))
                for name in ("ids", "targets")} for _ in range(STEPS)]
    return experiment, arrays, batches


class Stack(nn.Module):
    """Embedding, positions, nn.TransformerEncoderLayers and head."""

    def __init__(self, experiment, arrays):
        super().__init__()
        shape, [variant] = experiment["shape"], experiment["variants"]
        d, pre = shape["d_model"], variant["attn"]["norm"] == "pre"
        self.embedding = nn.Embedding.from_pretrained(torch.tensor(arrays["input/embedding"]), freeze=False)
        self.positions = nn.Parameter(torch.tensor(arrays["input/position"]))
        self.layers = nn.ModuleList(
            nn.TransformerEncoderLayer(d, shape["heads"], shape["d_ff"], dropout=0.0, batch_first=True,
                                       norm_first=pre, dtype=torch.float64) for _ in range(shape["depth"]))
        for block, layer in enumerate(self.layers, start=1):
            load_block(layer, tensors(arrays, f"block{block:03d}/"))
        self.final = nn.LayerNorm(d, dtype=torch.float64) if pre else nn.Identity()
        self.head = nn.Linear(d, shape["vocab"], dtype=torch.float64)
        with torch.no_grad():
            self.head.bias.zero_()
            if variant["init"]["head"] != "tied":
                self.head.weight.copy_(torch.tensor(arrays["head/w_head"]).T)
        if variant["init"]["head"] == "tied":
            self.head.weight = self.embedding.weight

    def forward(self, ids):
        x = self.embedding(ids) + self.positions
        for layer in self.layers:
            x = layer(x)
        return self.head(self.final(x))


def train_modules(experiment, arrays, batches):
    """Train with AdamW and clipping as users write it. Return the module."""
    settings, model = experiment["training"], Stack(experiment, arrays)
    decayed = [p for p in model.parameters() if p.dim() >= 2]
    optimizer = torch.optim.AdamW([{"params": decayed},
                                   {"params": [p for p in model.parameters() if p.dim() < 2], "weight_decay": 0.0}],
                                  lr=settings["learning_rate"], betas=(0.9, 0.99), weight_decay=0.1)
    for batch in batches:
        optimizer.zero_grad()
        logits = model(torch.tensor(batch["ids"]))
        nn.functional.cross_entropy(logits.flatten(0, 1), torch.tensor(batch["targets"]).flatten()).backward()
        nn.utils.clip_grad_norm_(model.parameters(), 0.5)
        optimizer.step()
    return model


def steps_are_those_of_torchs_layers():
    for placement in ("pre", "post"):
        for head in ("scheme", "tied"):
            experiment, arrays, batches = make(configs.both(placement, **{"init.head": head}), optimizer="adamw",
                                               weight_decay=0.1, clip=0.5)
            model = train_modules(experiment, arrays, batches)
            [*_, (_, _, ours)] = training.train(experiment, arrays, batches)
            assert ("head/w_head" in ours) == (head != "tied")
            pairs = {"input/embedding": model.embedding.weight, "input/position": model.positions,
                     "head/b_head": model.head.bias}
            for block, layer in enumerate(model.layers, start=1):
                q, _, v = layer.self_attn.in_proj_weight.chunk(3)
                found = {"w_q": q.T, "w_v": v.T, "w_1": layer.linear1.weight.T, "w_2": layer.linear2.weight.T,
                         "b_1": layer.linear1.bias, "b_o": layer.self_attn.out_proj.bias,
                         f"gain_attn_{placement}": layer.norm1.weight, f"bias_ffn_{placement}": layer.norm2.bias}
                pairs.update({f"block{block:03d}/{name}": tensor for name, tensor in found.items()})
            for name, theirs in pairs.items():
                same(ours[name], theirs, f"{placement}, head {head}: {name}")


def rates_follow_the_schedule():
    """Compare with the definitions, worked out by hand at some steps of 20 after a warm-up of 5."""
    wanted = {"constant": {5: 1, 19: 1}, "cosine": {5: 1, 11: 0.5 * (1 + math.cos(math.pi * 0.4)), 14: 0.5 * (
        1 + math.cos(math.pi * 0.6))}, "linear": {5: 1, 8: 0.8, 17: 0.2}, "inverse-sqrt": {4: 1, 19: 0.5}}
    for kind, rates in wanted.items():
        settings = {**SETTINGS, "warmup": 5, "schedule": kind}
        weight = torch.zeros(2, 2, requires_grad=True)
        optimizer = training.make_optimizer(settings, {"w": weight})
        schedule, seen = training.make_schedule(settings, optimizer), []
        for _ in range(20):
            seen.append(optimizer.param_groups[0]["lr"] / settings["learning_rate"])
            optimizer.step()
            schedule.step()
        for step, rate in {0: 0.2, 3: 0.8, 4: 1, **rates}.items():
            assert math.isclose(seen[step], rate, rel_tol=1e-12), f"{kind}: {seen[step]} at step {step}, not {rate}"


def frozen_tables_stay():
    experiment, arrays, batches = make(configs.both("pre"), embeddings=False)
    [*_, (_, _, ours)] = training.train(experiment, arrays, batches)
    same(ours["input/embedding"], torch.tensor(arrays["input/embedding"]), "embedding")
    same(ours["input/position"], torch.tensor(arrays["input/position"]), "positions")


TESTS = (steps_are_those_of_torchs_layers, rates_follow_the_schedule, frozen_tables_stay)
