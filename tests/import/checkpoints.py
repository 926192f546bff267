# Copyright (C) 2026 The Normscope developers
# SPDX-License-Identifier: GPL-3.0-or-later
"""The weights of a file give the numbers of plain PyTorch on the same file, for every family.

    checkpoints.py NORMSCOPE-CLI

The files are written here, after the description of the format. PyTorch runs in float64 on the values as the file has
them; the program computes in float32.
"""

import hashlib
import json
import math
import os
import re
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "golden"))
import tap

tap.require_torch()

import numpy as np
import torch
from torch.nn import functional as F

import checkpoint_models as models
import llama4_model

CLI = sys.argv[1]
B, T, STEPS = 3, 7, 6
TOLERANCE = 1e-5
TYPES = {"F32": torch.float32, "F16": torch.float16, "BF16": torch.bfloat16}


def to_bytes(tensor, dtype):
    stored = tensor.detach().to(TYPES[dtype])
    return (stored.view(torch.int16) if dtype != "F32" else stored).contiguous().numpy().tobytes()


def write(path, tensors, dtype="F32", extra=None):
    """Write {name: tensor} as safetensors; extra: {name: (dtype, shape, bytes)}."""
    header, data = {"__metadata__": {"format": "pt"}}, b""
    for name, tensor in tensors.items():
        values = to_bytes(tensor, dtype)
        header[name] = {"dtype": dtype, "shape": list(tensor.shape),
                        "data_offsets": [len(data), len(data) + len(values)]}
        data += values
    for name, (kind, shape, values) in (extra or {}).items():
        header[name] = {"dtype": kind, "shape": shape, "data_offsets": [len(data), len(data) + len(values)]}
        data += values
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + data)


def write_shards(folder, tensors, n=3):
    names, shards = list(tensors), {}
    for i in range(n):
        shard = f"model-{i + 1:05d}-of-{n:05d}.safetensors"
        write(os.path.join(folder, shard), {name: tensors[name] for name in names[i::n]})
        shards.update({name: shard for name in names[i::n]})
    with open(os.path.join(folder, "model.safetensors.index.json"), "w") as file:
        json.dump({"metadata": {"total_size": 1}, "weight_map": shards}, file)
    return shards


# The tensors of the head transforms of BERT, RoBERTa and DistilBERT, and the quantities of their gradients.
HEAD_TENSORS = {f"{name}.{kind}": quantity
                for dense, norm in (("cls.predictions.transform.dense", "cls.predictions.transform.LayerNorm"),
                                    ("lm_head.dense", "lm_head.layer_norm"), ("vocab_transform", "vocab_layer_norm"))
                for name, kind, quantity in ((dense, "weight", "w_head_dense"), (dense, "bias", "b_head_dense"),
                                             (norm, "weight", "gain_head_dense"), (norm, "bias", "bias_head_dense"))}


class Case:
    """A family's config, random tensors, ids, and what PyTorch measures on them."""

    def __init__(self, name, folder):
        config, self.forward = models.MODELS[name]
        self.folder = folder
        self.config = {"model_type": name.split(",")[0], **config}
        self.two_parts = "d_model" in config and ("encoder_layers" in config or "num_layers" in config)
        self.model = models.Model(len(name))
        stream = np.random.default_rng(7).integers(0, self.config.get("src_vocab_size", models.V), 2 * B * T + 1)
        self.ids = torch.tensor(stream[:(2 if self.two_parts else 1) * B * T + 1])
        with open(self.path("config.json"), "w") as file:
            json.dump(self.config, file)
        np.save(self.path("ids.npy"), self.ids.numpy())
        self.run_torch()

    def path(self, name):
        return os.path.join(self.folder, name)

    def run_torch(self):
        N, self.model.stream = B * T, []
        parts = [self.ids[i * N:(i + 1) * N].view(B, T) for i in range(2 if self.two_parts else 1)]
        targets = self.ids[(len(parts) - 1) * N + 1:len(parts) * N + 1]
        logits = self.forward(self.model, parts if self.two_parts else parts[0])
        loss = F.cross_entropy(logits.flatten(0, 1), targets)
        if loss.requires_grad:
            loss.backward()
        return float(loss)

    def measure(self, dtype="F32"):
        """{(quantity, site): value} on the values as they are stored."""
        self.model.tensors = {name: t.detach().to(TYPES[dtype]).double().requires_grad_()
                              for name, t in self.model.tensors.items()}
        numbers = {("loss", "head"): self.run_torch()}
        for site, x in enumerate(self.model.stream):
            numbers["rms_x", site] = float(x.detach().square().mean().sqrt())
            numbers["grad_x", site] = float(x.grad.norm())
        for name, tensor in self.model.tensors.items():
            quantity = HEAD_TENSORS.get(name)
            if quantity is not None:
                numbers[quantity, "head"] = float(tensor.grad.norm())
        per_part = models.L + 1
        for site in range(len(self.model.stream)):
            part = min(site // per_part, int(self.two_parts))
            layer = site - part * per_part
            if layer > 0:
                squares = [float(t.grad.square().sum()) for name, t in self.model.tensors.items()
                           if self.is_in(name, part, layer - 1)]
                numbers["block", site] = math.sqrt(sum(squares))
            shared = f"{('encoder', 'decoder')[part]}.{models.T5_BIASES}"  # stored in the first block
            if layer == 0 and shared in self.model.tensors:
                numbers["relative_bias", site] = float(self.model.tensors[shared].grad.norm())
        return numbers

    def is_in(self, name, part, layer):
        """True for a tensor of this block: the first number in its name is the block's."""
        if name.endswith(models.T5_BIASES):
            return False
        parts = name.split(".")
        numbers = [i for i, word in enumerate(parts) if word.isdigit()]
        in_part = not self.two_parts or ("decoder" if part else "encoder") in parts
        return numbers != [] and parts[numbers[0]] == str(layer) and in_part


def run(case, weights, *options):
    """Run the program; return (status, result, messages)."""
    command = [CLI, "run", case.path("config.json"), "--weights", weights, "--ids", case.path("ids.npy"), "--batch",
               str(B), "--seq-len", str(T), "--seeds", "1", "--format", "json", *options]
    done = subprocess.run(command, capture_output=True, text=True)
    return done.returncode, json.loads(done.stdout) if done.returncode == 0 else None, done.stderr


def get_numbers(variant):
    """The program's numbers of a variant, as Case.measure() has them."""
    inputs = [variant[key] for key in ("input", "decoder_input") if key in variant]
    numbers, per_part = {("loss", "head"): variant["loss"]["mean"]}, models.L + 1
    for part, values in enumerate(inputs):
        numbers["rms_x", part * per_part] = values["rms_x"]["mean"]
        numbers["grad_x", part * per_part] = values["grad_x"]["mean"]
        if "relative_bias" in values.get("grad", {}):
            numbers["relative_bias", part * per_part] = values["grad"]["relative_bias"]["mean"]
    for values in variant["layers"]:
        site = (per_part if values["part"] == "decoder" else 0) + values["layer"]
        numbers["rms_x", site], numbers["grad_x", site] = values["rms_x"]["mean"], values["grad_x"]["mean"]
        numbers["block", site] = values["grad"]["block"]["mean"]
    for quantity in set(HEAD_TENSORS.values()) & variant["head"]["grad"].keys():
        numbers[quantity, "head"] = variant["head"]["grad"][quantity]["mean"]
    return numbers


def compare(ours, theirs):
    """The worst relative difference and its quantity."""
    assert ours.keys() == theirs.keys(), sorted(ours.keys() ^ theirs.keys(), key=str)
    return max((abs(ours[key] - theirs[key]) / abs(theirs[key]), str(key)) for key in theirs)


def check(case, weights, theirs):
    status, result, messages = run(case, weights)
    assert status == 0, messages
    assert len(result["variants"]) == 2 and result["variants"][0]["name"] != result["variants"][1]["name"]
    worst = compare(get_numbers(result["variants"][0]), theirs)
    assert worst[0] < TOLERANCE, f"{worst[1]} differs by {worst[0]:.1e}"
    return worst


# ---- agreement ----

def numbers_are_those_of_pytorch(name):
    with tempfile.TemporaryDirectory() as folder:
        case, worst = Case(name, folder), []
        for dtype in TYPES:
            theirs, path = case.measure(dtype), case.path(f"{dtype}.safetensors")
            write(path, case.model.tensors, dtype)
            worst.append(check(case, path, theirs))
            if dtype == "F32":
                write_shards(folder, case.model.tensors)
                worst.append(check(case, folder, theirs))
        return "worst: %s, %.1e" % max(worst)[::-1]


def swap(tensors, one, other):
    return {**tensors, one: tensors[other], other: tensors[one]}


def wrong_files_are_detected():
    """Files with swapped or turned tensors, which have the right names and shapes."""
    def roll(tensors, name, dim):
        return {**tensors, name: tensors[name].roll(1, dim)}

    layer = "model.layers.1."
    errors = [
        ("llama", lambda t: swap(t, layer + "self_attn.k_proj.weight", layer + "self_attn.v_proj.weight")),
        ("llama", lambda t: swap(t, layer + "mlp.gate_proj.weight", layer + "mlp.up_proj.weight")),
        ("llama", lambda t: swap(t, layer + "input_layernorm.weight", layer + "post_attention_layernorm.weight")),
        ("gpt2", lambda t: roll(t, "transformer.h.1.attn.c_attn.weight", 1)),
        ("gpt2", lambda t: roll(t, "transformer.wpe.weight", 0)),
        ("gpt2", lambda t: roll(t, "transformer.h.0.mlp.c_fc.bias", 0)),
        ("gpt_neox", lambda t: roll(t, "gpt_neox.layers.1.attention.query_key_value.bias", 0)),
        ("falcon, new", lambda t: roll(t, "transformer.h.1.self_attention.query_key_value.weight", 0)),
        ("falcon, new", lambda t: swap(t, "transformer.h.1.ln_attn.weight", "transformer.h.1.ln_mlp.weight")),
        ("falcon, RW", lambda t: swap(t, "transformer.h.0.input_layernorm.bias",
                                      "transformer.h.0.post_attention_layernorm.bias")),
        ("phi3", lambda t: roll(t, layer + "mlp.gate_up_proj.weight", 0)),
        ("gemma", lambda t: {**t, "model.norm.weight": t["model.norm.weight"] + 1}),
        ("bart", lambda t: swap(t, "model.decoder.layers.0.encoder_attn.k_proj.weight",
                                "model.decoder.layers.0.encoder_attn.v_proj.weight")),
        ("bart", lambda t: roll(t, "final_logits_bias", 1)),
        ("bert", lambda t: roll(t, "cls.predictions.transform.dense.weight", 0)),
        ("bert", lambda t: {**t, "cls.predictions.transform.dense.weight":
                            t["cls.predictions.transform.dense.weight"].T.contiguous()}),
        ("roberta", lambda t: swap(t, "lm_head.dense.bias", "lm_head.layer_norm.bias")),
        ("distilbert", lambda t: roll(t, "vocab_layer_norm.weight", 0)),
        ("t5", lambda t: roll(t, "shared.weight", 0)),
        ("t5", lambda t: swap(t, "encoder." + models.T5_BIASES, "decoder." + models.T5_BIASES)),
        ("t5", lambda t: roll(t, "decoder." + models.T5_BIASES, 1)),
    ]
    for name, change in errors:
        with tempfile.TemporaryDirectory() as folder:
            case = Case(name, folder)
            theirs = case.measure()
            write(case.path("model.safetensors"), change(case.model.tensors))
            result = run(case, folder)[1]
            worst = compare(get_numbers(result["variants"][0]), theirs)
            assert worst[0] > TOLERANCE, f"{name}: {worst}"
    return f"{len(errors)} errors"


# ---- files that are refused ----

def refuse(case, weights, *words, options=()):
    status, _, messages = run(case, weights, *options)
    assert status != 0, f"accepted: {words}"
    for word in words:
        assert word in messages, f"{word!r} is not in {messages!r}"


def biases_of_t5_are_checked():
    """A table of another shape is refused; the one of the cross-attention, which the model ignores, is accepted."""
    with tempfile.TemporaryDirectory() as folder:
        case = Case("t5", folder)
        path, good, name = case.path("x.safetensors"), case.model.tensors, "encoder." + models.T5_BIASES
        write(path, {key: t for key, t in good.items() if key != name})
        refuse(case, path, "lacks tensors", name)
        write(path, {**good, name: good[name][1:]})
        refuse(case, path, name, "[7, 4]", "[8, 4]")
        write(path, {**good, "decoder.block.0.layer.1.EncDecAttention.relative_attention_bias.weight": good[name]})
        check(case, path, case.measure())
        refuse(case, path, name, "[8, 4]", "[9, 4]", options=["--position-buckets", "9"])


def experts_are_those_of_the_file():
    """Another number of experts would need matrices that the file does not have; another choice does not."""
    with tempfile.TemporaryDirectory() as folder:
        case = Case("qwen2_moe", folder)
        weights = case.path("model.safetensors")
        write(weights, case.model.tensors)
        for option, value, needs in (("experts", 3, "[3, 24]"), ("experts", 8, "[8, 24]"),
                                     ("shared-experts", 1, "[40, 24]")):
            refuse(case, weights, "mlp.", f"the config needs {needs}", options=(f"--{option}", str(value)))
        refuse(case, weights, "lacks tensors", "gate_proj.weight", options=("--experts", "null"))
        status, result, messages = run(case, weights, "--experts-per-token", "3", "--expert-weights", "normalized")
        assert status == 0, messages
    return "4 refused"


def packed_experts_are_checked():
    """Llama 4: the other part of the model is left out by name, and the experts' tensors have three dimensions."""
    with tempfile.TemporaryDirectory() as folder:
        case = Case("llama4, the whole model", folder)
        path, good = case.path("model.safetensors"), case.model.tensors
        vision = {f"{name}.weight": torch.zeros(2, 3) for name in ("vision_model.layernorm_pre",
                                                                   "multi_modal_projector.linear_1")}
        write(path, {**good, **vision})
        check(case, path, case.measure())
        _, _, messages = run(case, path)
        assert "multi_modal_projector.linear_1" in messages and "vision_model" in messages, messages
        name = "language_model.model.layers.1.feed_forward.experts.gate_up_proj"
        write(path, {key: t for key, t in good.items() if key != name})
        refuse(case, path, "lacks tensors", "feed_forward.experts.gate_up_proj")
        write(path, {**good, name: good[name].transpose(1, 2)})
        refuse(case, path, name, "[5, 80, 24]", "[5, 24, 80]")
        write(path, {**good, name: good[name][1:]})
        refuse(case, path, name, "[4, 24, 80]", "[5, 24, 80]")
        write(path, {n: t for n, t in good.items() if n != name},
              extra={name: ("I8", [5, 24, 80], bytes(5 * 24 * 80))})
        refuse(case, path, name, "I8", "F32, F16, BF16")
        write(path, {**good, "language_model.model.layers.1.feed_forward.gate_proj.weight": torch.zeros(2, 2)})
        refuse(case, path, "do not belong", "feed_forward.gate_proj")
    return "5 refused"


def other_heads_are_not_used():
    """BERT: the pooler and the next-sentence head change nothing, and the dense layer must be there."""
    with tempfile.TemporaryDirectory() as folder:
        case = Case("bert", folder)
        path, good = case.path("model.safetensors"), case.model.tensors
        others = {name: torch.ones(2, 3) for name in ("bert.pooler.dense.weight", "cls.seq_relationship.bias")}
        write(path, {**good, **others})
        check(case, path, case.measure())
        _, _, messages = run(case, path)
        assert "Not used" in messages and "Left out" not in messages, messages
        assert all(name in messages for name in others), messages
        for name in ("cls.predictions.transform.dense.weight", "cls.predictions.transform.LayerNorm.bias"):
            write(path, {key: t for key, t in good.items() if key != name})
            refuse(case, path, "lacks tensors", name)
    return "2 refused"


def tensors_are_checked_by_name():
    with tempfile.TemporaryDirectory() as folder:
        case = Case("gpt2", folder)
        path, good = case.path("x.safetensors"), case.model.tensors
        write(path, {name: t for name, t in good.items() if "h.1.ln_2.bias" not in name})
        refuse(case, path, "lacks tensors", "h.1.ln_2.bias")
        write(path, {**good, "h.2.ln_1.weight": good["transformer.h.1.ln_1.weight"]})
        refuse(case, path, "do not belong", "h.2.ln_1.weight")
        write(path, {**good, "transformer.wte.weight": good["transformer.wte.weight"][1:]})
        refuse(case, path, "transformer.wte.weight", "[30, 24]", "[31, 24]")
        write(path, {**good, "transformer.h.0.attn.c_attn.weight": good["transformer.h.0.attn.c_attn.weight"].T})
        refuse(case, path, "c_attn.weight", "[72, 24]", "[24, 72]")
        name = "transformer.ln_f.bias"
        write(path, {n: t for n, t in good.items() if n != name}, extra={name: ("I8", [models.D], bytes(models.D))})
        refuse(case, path, name, "I8", "F32, F16, BF16")
        refuse(case, path, "at least [41, 24]", options=("--seq-len", "41"))
        # buffers are accepted, and so are names without the prefix
        bare = {name.replace("transformer.", ""): t for name, t in good.items()}
        write(path, bare, extra={"h.0.attn.bias": ("BOOL", [1, 1, 4, 4], bytes(16)),
                                 "lm_head.weight": ("F32", [31, 24], to_bytes(good["transformer.wte.weight"], "F32"))})
        check(case, path, case.measure())


def older_names_of_norms_are_read():
    with tempfile.TemporaryDirectory() as folder:
        case = Case("bert", folder)
        theirs = case.measure()
        write(case.path("model.safetensors"),
              {name.replace("Norm.weight", "Norm.gamma").replace("Norm.bias", "Norm.beta"): t
               for name, t in case.model.tensors.items()})
        return "%.1e" % check(case, folder, theirs)[0]


PATCH = "vit.embeddings.patch_embeddings.projection"


class Images(Case):
    """The same of ViT, with the pixels that the program draws."""

    def __init__(self, folder):
        self.folder, self.two_parts, self.model = folder, False, models.Model(5)
        with open(self.path("config.json"), "w") as file:
            json.dump({"model_type": "vit", **models.STANDARD, "image_size": 12, "patch_size": 4, "num_channels": 3,
                       "id2label": {str(i): "x" for i in range(5)}}, file)
        subprocess.run([CLI, "dump", self.path("config.json"), *self.options, "--out", self.path("drawn")], check=True,
                       capture_output=True)
        self.pixels, self.targets = (torch.tensor(np.load(self.path(f"drawn/{name}.npy"))) for name in
                                     ("pixels", "targets"))
        self.run_torch()

    options = ["--batch", str(B), "--seeds", "1"]

    def run_torch(self):
        self.model.stream = []
        logits = models.vit(self.model, self.pixels.double(), 5)
        loss = F.cross_entropy(logits[:, 0], self.targets[:, 0].long())
        loss.backward()
        return float(loss)

    def run(self, path):
        return subprocess.run([CLI, "run", self.path("config.json"), "--weights", path, *self.options, "-f", "json"],
                              capture_output=True, text=True)

    def get_variant(self, path):
        done = self.run(path)
        assert done.returncode == 0 and "patch" not in done.stderr, done.stderr
        return json.loads(done.stdout)["variants"][0]


def images_have_the_numbers_of_pytorch():
    """ViT, with the gradients of the projection of its patches; other names and shapes are found."""
    with tempfile.TemporaryDirectory() as folder:
        case, worst, path = Images(folder), [], os.path.join(folder, "model.safetensors")

        def compare_file(tensors, dtype="F32"):
            write(path, tensors, dtype)
            variant = case.get_variant(path)
            ours = {**get_numbers(variant), **{name: variant["input"]["grad"][name]["mean"]
                                               for name in ("w_patch", "b_patch")}}
            return compare(ours, theirs)

        for dtype in TYPES:
            theirs = case.measure(dtype)
            theirs.update({f"{quantity}_patch": float(case.model.tensors[f"{PATCH}.{kind}"].grad.norm())
                           for quantity, kind in (("w", "weight"), ("b", "bias"))})
            worst.append(compare_file(case.model.tensors, dtype))
        assert max(worst)[0] < TOLERANCE, worst
        theirs = {**case.measure("F32"), "w_patch": 1.0, "b_patch": 1.0}
        good = case.model.tensors
        for changed in ({f"{PATCH}.weight": good[f"{PATCH}.weight"].detach().transpose(2, 3).contiguous()},
                        {f"{PATCH}.bias": 1.01 * good[f"{PATCH}.bias"].detach()}):
            write(path, {**good, **changed})
            ours = get_numbers(case.get_variant(path))
            assert max(abs(ours[key] - theirs[key]) / theirs[key] for key in ours) > 1e-4, "was not detected"
        for shape in ((models.D, 3, 4, 5), (models.D, 3, 2, 8), (models.D, 48), (models.D + 1, 3, 4, 4)):
            write(path, {**good, f"{PATCH}.weight": torch.zeros(shape)})
            done = case.run(path)
            assert done.returncode != 0 and f"{PATCH}.weight" in done.stderr and "needs [24, 48]" in done.stderr, done
        write(path, {name: t for name, t in good.items() if name != f"{PATCH}.bias"})
        done = case.run(path)
        assert done.returncode != 0 and PATCH.removeprefix("vit.") + ".bias" in done.stderr, done.stderr
        return "worst: %s, %.1e" % max(worst)[::-1]


def indices_are_checked():
    with tempfile.TemporaryDirectory() as folder:
        case = Case("llama", folder)
        shards, index = write_shards(folder, case.model.tensors), case.path("model.safetensors.index.json")

        def write_map(weight_map):
            with open(index, "w") as file:
                json.dump({"weight_map": weight_map}, file)

        name, first = "model.norm.weight", sorted(set(shards.values()))
        for bad in ("../x.safetensors", "/etc/passwd", "a/b", "", ".."):
            write_map({**shards, name: bad})
            refuse(case, index, "weight_map", "same folder")
        write_map({**shards, name: 3})
        refuse(case, index, "weight_map", name)
        write_map({**shards, name: next(other for other in first if other != shards[name])})
        refuse(case, index, "not in its shard", name)
        write_map({n: s for n, s in shards.items() if n != name})
        refuse(case, index, "20", "21")
        write_map({})
        refuse(case, index, "empty")
        write_map(shards)
        os.unlink(case.path(first[1]))
        refuse(case, folder, first[1], "missing")


def results_name_the_file():
    with tempfile.TemporaryDirectory() as folder:
        case, path = Case("llama", folder), os.path.join(folder, "model.safetensors")
        write(path, case.model.tensors)
        with open(path, "rb") as file:
            content = file.read()
        result = run(case, path)[1]
        expected = {"variant": result["variants"][0]["name"], "file": "model.safetensors", "bytes": len(content),
                    "tensors": len(case.model.tensors), "checksum": "sha256 " + hashlib.sha256(content).hexdigest()}
        assert result["weights"] == [expected], result["weights"]
        assert result["ids"] == len(case.ids)
        comment = f"# weights: {expected['variant']}: model.safetensors, {len(content)} bytes, {expected['checksum']}\n"
        done = subprocess.run([CLI, "run", case.path("config.json"), "--weights", path, "--seeds", "1", "-f", "csv",
                               "--provenance"], capture_output=True, text=True)
        assert comment in done.stdout, done.stdout[:2000]
        assert "random tokens" in done.stderr, done.stderr
        refuse(case, path, "draws its weights", options=("--verify",))
        plain = subprocess.run([CLI, "run", "--depth", "1", "--seeds", "1", "-f", "json"], capture_output=True,
                               text=True)
        assert "weights" not in json.loads(plain.stdout)


def call(command, case, *options):
    """Run a command on the checkpoint of a case; return (status, output, messages)."""
    done = subprocess.run([CLI, command, case.path("config.json"), "--weights", case.folder, *options],
                          capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


def every_command_knows_the_weights():
    """A dump has the file's numbers; a sweep leaves the trained model out; what cannot hold its weights says so."""
    with tempfile.TemporaryDirectory() as folder:
        case = Case("gpt2", folder)
        write(case.path("model.safetensors"), case.model.tensors)
        tensors = {name.removeprefix("transformer."): t.detach() for name, t in case.model.tensors.items()}
        status, _, messages = call("dump", case, "--out", case.path("dump"))
        assert status == 0, messages
        for array, name, part in (("block002/w_q", "h.1.attn.c_attn.weight", 0),
                                  ("block001/b_v", "h.0.attn.c_attn.bias", 2),
                                  ("block002/gain_ffn_pre", "h.1.ln_2.weight", 0), ("head/bias_final", "ln_f.bias", 0),
                                  ("block001/w_2", "h.0.mlp.c_proj.weight", 0)):
            ours, theirs = np.load(case.path(f"dump/{array}.npy")), tensors[name].numpy()
            width = ours.shape[-1]
            assert np.array_equal(ours, theirs[..., part * width:(part + 1) * width].astype("f4")), array

        status, output, messages = call("scaling", case, "--depths", "1..6", "-f", "json")
        assert status == 0, messages
        trained, drawn = json.loads(output)["variants"]
        assert (trained["status"], trained["best"]) == ("too-few-points", None), trained
        assert [point["mean"] is not None for point in drawn["points"]] == [True] * 5, drawn
        assert all(point["mean"] is None for point in trained["points"]), trained

        status, _, messages = call("paths", case, "--of", "gain")
        assert status == 0, messages
        picture = case.path("picture.svg")
        status, _, messages = call("plot", case, "-o", picture)
        assert status == 0, messages
        done = subprocess.run([CLI, "link", "--expand", picture], capture_output=True, text=True, check=True)
        names = [variant["name"] for variant in json.loads(done.stdout)["variants"]]
        assert names == ["GPT-2"], names  # the picture names no file, so it holds the model at its initialization

        for command, words, options in (("train", "--checkpoint", ("--checkpoint", case.path("training"))),
                                        ("verify", "draws its weights", ()),
                                        ("script", "gains and biases", ("--out", case.path("script"))),
                                        ("link", "no checkpoint", ())):
            status, _, messages = call(command, case, *options)
            assert status != 0 and words in messages, (command, status, messages)


# ---- training ----

TRAINING = {"optimizer": "sgd", "momentum": 0, "learning_rate": 0.05, "schedule": "constant", "warmup": 0,
            "clip": "null", "weight_decay": 0, "embeddings": "true", "steps": STEPS}
# Tables of sines, and a bias of 0, which these models keep as they are.
KEPT = {"marian": "embed_positions|final_logits_bias", "pegasus": "embed_positions|final_logits_bias"}
WITH_TWO_TABLES = ("bart", "mbart")


def train(case):
    """Train on one sequence; return (status, result, messages)."""
    np.save(case.path("ids.npy"), case.ids[:(2 if case.two_parts else 1) * T + 1].numpy())
    options = [word for key, value in TRAINING.items() for word in ("--set", f"training.{key}={value}")]
    status, output, messages = call("train", case, "--ids", case.path("ids.npy"), "--batch", "1", "--seq-len", str(T),
                                    "--seeds", "1", "--format", "json", *options)
    return status, json.loads(output) if status == 0 else None, messages


def train_torch(case):
    """The losses of gradient descent on the same sequence."""
    kept = KEPT.get(case.config["model_type"], "$^")
    case.model.tensors = {name: t.detach().float().double().requires_grad_() for name, t in case.model.tensors.items()}
    parts = [case.ids[i * T:(i + 1) * T].view(1, T) for i in range(2 if case.two_parts else 1)]
    targets = case.ids[(len(parts) - 1) * T + 1:len(parts) * T + 1]
    optimizer = torch.optim.SGD([t for name, t in case.model.tensors.items() if not re.search(kept, name)],
                                lr=TRAINING["learning_rate"])
    losses = []
    for _ in range(STEPS):
        case.model.stream = []
        logits = case.forward(case.model, parts if case.two_parts else parts[0])
        loss = F.cross_entropy(logits.flatten(0, 1), targets)
        losses.append(float(loss))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return losses


def trainings_start_at_the_weights(name):
    with tempfile.TemporaryDirectory() as folder:
        case = Case(name, folder)
        write(case.path("model.safetensors"), case.model.tensors)
        status, result, messages = train(case)
        if case.config["model_type"] in WITH_TWO_TABLES:
            assert status != 0 and "tables of their own" in messages, (status, messages)
            return "refused"
        assert status == 0, messages
        ours, theirs = result["variants"][0]["loss"]["mean"], train_torch(case)
        worst = max(abs(a - b) / b for a, b in zip(ours, theirs, strict=True))
        assert worst < TOLERANCE, f"losses {ours}, not {theirs}"
        drawn = result["variants"][1]["loss"]["mean"]
        assert max(abs(a - b) for a, b in zip(drawn, theirs)) > 100 * TOLERANCE, "drawn weights have the same losses"
        counts = np.unique(np.load(case.path("ids.npy")), return_counts=True)[1]
        entropy = math.log(counts.sum()) - float((counts * np.log(counts)).sum()) / counts.sum()
        assert result["floor"] is None and abs(result["symbol_entropy"] - entropy) < 1e-9, result["floor"]
        return f"{worst:.1e}, loss {theirs[0]:.3f} to {theirs[-1]:.3f}"


def pickles_are_refused():
    with tempfile.TemporaryDirectory() as folder:
        case = Case("llama", folder)
        torch.save(case.model.tensors, case.path("pytorch_model.bin"))
        refuse(case, folder, "pytorch_model.bin", "safetensors")
        refuse(case, case.path("pytorch_model.bin"), "pickles", "save_file")
        refuse(case, case.path("none.safetensors"), "none.safetensors")


def ids_are_checked():
    with tempfile.TemporaryDirectory() as folder:
        case = Case("llama", folder)
        theirs = case.measure()
        write(case.path("model.safetensors"), case.model.tensors)
        for dtype in ("u1", "i2", "i4", "u8"):
            np.save(case.path("ids.npy"), case.ids.numpy().astype(dtype))
            check(case, folder, theirs)
        with open(case.path("ids.npy"), "w") as file:
            file.write(", ".join(str(int(i)) for i in case.ids) + "\n")
        check(case, folder, theirs)
        for text, word in (("1 2 x", "token 2"), ("", "no ids"), ("1 -2", "token 1"), ("5 31", "token 1"),
                           ("1 2.5", "2.5"), ("99999999999", "token 0")):
            with open(case.path("ids.npy"), "w") as file:
                file.write(text)
            refuse(case, folder, word)
        for array, word in ((np.zeros(9), "<f8"), (np.zeros((2, 2, 2), "i4"), "dimensions"),
                            (np.asfortranarray(np.zeros((3, 2), "i4")), "fortran_order"), (np.zeros(9, ">i4"), ">i4")):
            np.save(case.path("ids.npy"), array)
            refuse(case, folder, word)
        with open(case.path("ids.npy"), "r+b") as file:
            file.truncate(100)
        refuse(case, folder, "")


def main():
    test = tap.Tap()
    for name in models.MODELS:
        test.run(numbers_are_those_of_pytorch, name, name=name)
        test.run(trainings_start_at_the_weights, name, name=f"training of {name}")
    for function in (wrong_files_are_detected, biases_of_t5_are_checked, experts_are_those_of_the_file,
                     packed_experts_are_checked, other_heads_are_not_used, tensors_are_checked_by_name,
                     older_names_of_norms_are_read, images_have_the_numbers_of_pytorch, indices_are_checked,
                     results_name_the_file, every_command_knows_the_weights, pickles_are_refused, ids_are_checked):
        test.run(function)
    test.finish()


main()
