# Copyright (C) 2026 The Normscope developers
# SPDX-License-Identifier: GPL-3.0-or-later
"""One forward and backward pass with norms as a PyTorch user would write them: torch.nn, float32, eager.

peers.py runs it in a separate process with its own number of threads and its own peak memory. It prints one result per
task:

    torch_model.py '{"threads": 1, "tasks": [{"experiment": {...}, "runs": 5, "draws": 1, "dump": null}]}'
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

ACTIVATIONS = {"relu": F.relu, "gelu": F.gelu, "silu": F.silu}


class Block(nn.Module):
    """Pre-LN or Post-LN. One product gives queries, keys and values, as in every fast implementation."""

    def __init__(self, shape, variant):
        super().__init__()
        d, bias = shape["d_model"], variant["bias"]
        self.heads, self.pre = shape["heads"], variant["attn"]["norm"] == "pre"
        self.causal, self.activation = variant["attention"] == "causal", ACTIVATIONS[variant["activation"]]
        self.norm1, self.norm2 = (nn.LayerNorm(d, eps=variant["norm_eps"]) for _ in range(2))
        self.qkv, self.out = nn.Linear(d, 3 * d, bias=bias), nn.Linear(d, d, bias=bias)
        self.up, self.down = nn.Linear(d, shape["d_ff"], bias=bias), nn.Linear(shape["d_ff"], d, bias=bias)
        if self.causal:
            mask = torch.full((shape["seq_len"],) * 2, -torch.inf).triu(1)
            self.register_buffer("mask", mask)

    def attention(self, x):
        B, T, d = x.shape
        q, k, v = self.qkv(x).view(B, T, 3, self.heads, d // self.heads).permute(2, 0, 3, 1, 4)
        scores = (q * (d // self.heads) ** -0.5) @ k.transpose(-1, -2)
        if self.causal:
            scores = scores + self.mask
        return self.out((scores.softmax(-1) @ v).transpose(1, 2).reshape(B, T, d))

    def ffn(self, x):
        return self.down(self.activation(self.up(x)))

    def forward(self, x):
        if self.pre:
            attn = self.attention(self.norm1(x))
            x = x + attn
            ffn = self.ffn(self.norm2(x))
            return x + ffn, attn, ffn
        attn = self.attention(x)
        x = self.norm1(x + attn)
        ffn = self.ffn(x)
        return self.norm2(x + ffn), attn, ffn


class Stack(nn.Module):
    def __init__(self, experiment):
        super().__init__()
        shape, [variant] = experiment["shape"], experiment["variants"]
        self.blocks = nn.ModuleList(Block(shape, variant) for _ in range(shape["depth"]))
        pre = variant["attn"]["norm"] == "pre"
        self.final = nn.LayerNorm(shape["d_model"], eps=variant["norm_eps"]) if pre else nn.Identity()
        self.head = nn.Linear(shape["d_model"], shape["vocab"], bias=variant["bias"])
        self.initialize()

    def initialize(self):
        with torch.no_grad():
            for module in self.modules():
                if isinstance(module, nn.Linear):
                    for part in module.weight.chunk(3) if module.out_features == 3 * module.in_features else (
                            module.weight,):
                        nn.init.xavier_normal_(part)
                    if module.bias is not None:
                        module.bias.zero_()

    def load(self, folder):
        """Load the weights that `normscope-cli dump` wrote."""
        def matrix(name):
            return torch.from_numpy(np.load(Path(folder) / f"{name}.npy").T.copy())

        with torch.no_grad():
            self.head.weight.copy_(matrix("head/w_head"))
            for l, block in enumerate(self.blocks, start=1):
                w = {name: matrix(f"block{l:03d}/{name}") for name in ("w_q", "w_k", "w_v", "w_o", "w_1", "w_2")}
                block.qkv.weight.copy_(torch.cat([w["w_q"], w["w_k"], w["w_v"]]))
                block.out.weight.copy_(w["w_o"])
                block.up.weight.copy_(w["w_1"])
                block.down.weight.copy_(w["w_2"])


def forward_backward(model, x0, targets):
    model.zero_grad(set_to_none=True)
    x = x0.detach().requires_grad_()
    stream, added = [x], []
    for block in model.blocks:
        x, attn, ffn = block(x)
        x.retain_grad()
        stream.append(x)
        added += [attn, ffn]
    loss = F.cross_entropy(model.head(model.final(x)).flatten(0, 1), targets.flatten())
    loss.backward()
    return loss, stream, added


@torch.no_grad()
def norms(model, loss, stream, added):
    """Return every value that a run reports, with one call per tensor and one transfer at the end."""
    gradients = []
    for parameter in model.parameters():
        gradients.append(parameter.grad)
    for block in model.blocks:  # w_q, w_k and w_v separately
        gradients += block.qkv.weight.grad.chunk(3)
    gradients += [x.grad for x in stream]
    gradient_norms = torch.stack([gradient.norm() for gradient in gradients])
    rms = torch.stack([x.norm() / x.numel() ** 0.5 for x in stream + added])
    sums = torch.stack([F.normalize(x, dim=-1).sum(1).square().sum() for x in stream])
    B, T, _ = stream[0].shape
    cosines = (sums - B * T) / max(B * T * (T - 1), 1)
    return torch.cat([loss.reshape(1), gradient_norms, rms, cosines]).tolist()


def measure(task):
    experiment, folder, runs = task["experiment"], task.get("dump"), task["runs"]
    torch.manual_seed(0)
    shape = experiment["shape"]
    begin = time.perf_counter()
    model = Stack(experiment)
    made = time.perf_counter() - begin

    if folder:
        model.load(folder)
        x0 = torch.from_numpy(np.load(Path(folder) / "x0.npy"))
        targets = torch.from_numpy(np.load(Path(folder) / "targets.npy")).long()
    else:
        x0 = torch.randn(shape["batch"], shape["seq_len"], shape["d_model"])
        targets = torch.randint(shape["vocab"], (shape["batch"], shape["seq_len"]))

    passes, wholes, inits = [], [], []
    for run in range(runs + 1):  # the first run warms up
        begin = time.perf_counter()
        found = forward_backward(model, x0, targets)
        passed = time.perf_counter()
        norms(model, *found)
        done = time.perf_counter()
        if run > 0 or runs == 0:
            passes.append(passed - begin)
            wholes.append(done - begin)
    for _ in range(task.get("draws", 0)):
        begin = time.perf_counter()
        model.initialize()
        inits.append(time.perf_counter() - begin)

    return {
        "pass_ms": 1e3 * min(passes), "whole_ms": 1e3 * min(wholes), "init_ms": 1e3 * min(inits, default=made),
        "loss": float(found[0]), "w_2": [float(block.down.weight.grad.norm()) for block in model.blocks],
        "grad_x": [float(x.grad.norm()) for x in found[1]],
    }


def main():
    job = json.loads(sys.argv[1])
    torch.set_num_threads(job["threads"])
    results = [measure(task) for task in job["tasks"]]
    peak_kib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(json.dumps({"results": results, "peak_gib": peak_kib / 2 ** 20, "version": torch.__version__}))


if __name__ == "__main__":
    main()
