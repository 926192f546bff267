# Copyright (C) 2026 The Normscope developers
# SPDX-License-Identifier: GPL-3.0-or-later
"""The training of a user of PyTorch, for performance.py: torch.nn modules, float32, eager, torch.optim.

    torch_training.py '{"threads": 1, "tasks": [{"experiment": {…}, "program": "…/dump-training", "foreach": true}]}'

Prints the time of a step, that of all, the losses and the peak memory of the process as JSON. With "program",
dump-training, the weights and batches are those of the engine, and the losses of the engine are among the results;
without, they are random.
"""

import json
import resource
import sys
import time
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

import torch_model

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "golden"))

import training  # noqa: E402
from training_dump import Run  # noqa: E402


class Block(torch_model.Block):
    """A block whose residual has a factor, DeepNorm's."""

    def __init__(self, shape, variant):
        super().__init__(shape, variant)
        deepnorm = variant["residual_scale"] == "deepnorm"
        self.alpha = (2 * shape["depth"]) ** 0.25 if deepnorm else 1.0

    def forward(self, x):
        if self.pre or self.alpha == 1.0:
            return super().forward(x)[0]
        x = self.norm1(self.alpha * x + self.attention(x))
        return self.norm2(self.alpha * x + self.ffn(x))


class Model(torch_model.Stack):
    """Token embedding, learned positions, a norm of their sum if the variant has it, blocks and head."""

    def __init__(self, experiment):
        super().__init__(experiment)
        shape, [variant] = experiment["shape"], experiment["variants"]
        d = shape["d_model"]
        self.blocks = nn.ModuleList(Block(shape, variant) for _ in range(shape["depth"]))
        self.initialize()
        self.embedding = nn.Embedding(shape["vocab"], d)
        self.positions = nn.Parameter(torch.randn(shape["seq_len"], d))
        self.input_norm = nn.LayerNorm(d, eps=variant["norm_eps"]) if variant["input_norm"] else nn.Identity()
        for module in self.modules():
            if isinstance(module, nn.LayerNorm) and not variant["bias"]:
                module.bias.requires_grad_(False)

    def load(self, start):
        """Load the weights of dump-training."""
        def matrix(name):
            return torch.from_numpy(start[name].T.astype(np.float32))

        with torch.no_grad():
            self.embedding.weight.copy_(matrix("input/embedding").T)
            self.positions.copy_(matrix("input/position").T)
            self.head.weight.copy_(matrix("head/w_head"))
            for l, block in enumerate(self.blocks, start=1):
                w = {name: matrix(f"block{l:03d}/{name}") for name in ("w_q", "w_k", "w_v", "w_o", "w_1", "w_2")}
                block.qkv.weight.copy_(torch.cat([w["w_q"], w["w_k"], w["w_v"]]))
                for linear, name in ((block.out, "w_o"), (block.up, "w_1"), (block.down, "w_2")):
                    linear.weight.copy_(w[name])

    def forward(self, ids):
        x = self.input_norm(self.embedding(ids) + self.positions)
        for block in self.blocks:
            x = block(x)
        return self.head(self.final(x))


def as_ids(array):
    return torch.from_numpy(array.astype(np.int64))


def make_optimizer(settings, model, foreach):
    trained = [parameter for parameter in model.parameters() if parameter.requires_grad]
    return torch.optim.Adam(trained, lr=settings["learning_rate"], betas=(settings["beta1"], settings["beta2"]),
                            eps=settings["epsilon"], foreach=foreach)


def draw_batches(experiment, n):
    shape = experiment["shape"]
    ids = torch.randint(shape["vocab"], (n, 2, shape["batch"], shape["seq_len"]))
    return [(batch[0], batch[1]) for batch in ids]


def measure(task):
    torch.manual_seed(0)
    settings, model = training.training_of(task["experiment"]), Model(task["experiment"])
    if "program" in task:
        run = Run(task["program"], task["experiment"])
        batches = [(as_ids(batch["ids"]), as_ids(batch["targets"])) for batch in run.batches]
        model.load(run.start)
    else:
        run, batches = None, draw_batches(task["experiment"], settings["steps"])
    optimizer = make_optimizer(settings, model, task["foreach"])
    schedule = training.make_schedule(settings, optimizer)
    losses, times = [], []
    for ids, targets in batches:
        begin = time.perf_counter()
        optimizer.zero_grad(set_to_none=True)
        loss = F.cross_entropy(model(ids).flatten(0, 1), targets.flatten())
        loss.backward()
        optimizer.step()
        schedule.step()
        losses.append(loss.item())
        times.append(time.perf_counter() - begin)
    return {"step_ms": 1e3 * sorted(times)[len(times) // 4], "total_s": sum(times), "losses": losses,
            "engine_losses": run.losses if run is not None else None}


def main():
    job = json.loads(sys.argv[1])
    torch.set_num_threads(job["threads"])
    results = [measure(task) for task in job["tasks"]]
    print(json.dumps({"results": results, "peak_gib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2 ** 20}))


if __name__ == "__main__":
    main()
