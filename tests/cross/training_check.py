# Copyright (C) 2026 The Normscope developers
# SPDX-License-Identifier: GPL-3.0-or-later
"""Compare the engine's training with PyTorch's optimizers over PyTorch's autograd, in float64.

    training_check.py NORMSCOPE_CLI DUMP_TRAINING DUMP_TRAINING_DOUBLE

DUMP_TRAINING_DOUBLE trains with the double build of the engine and writes its weights at the start, the batch of each
step and the weights after it. The reference of tests/golden/training.py starts from the same weights, gets the same
batches, and has to arrive at the same weights after every step. DUMP_TRAINING is the same program with the engine that
users have, in float, whose losses have to follow.
"""

import copy
import itertools
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
import reference_blocks  # noqa: E402
import training  # noqa: E402
from cli import Cli, write  # noqa: E402
from compare import make_arrays  # noqa: E402
from training_dump import Run  # noqa: E402

WEIGHT_TOLERANCE = 1e-9
LOSS_TOLERANCE = 1e-3  # of the float build
SIZE_TOLERANCE = 1e-4  # likewise
SIZE_STEPS = 4  # of a coordinate check
STEPS, FEW_STEPS = 20, 3

TRAINING = {"steps": STEPS, "optimizer": "adam", "learning_rate": 3e-3, "momentum": 0.9, "beta1": 0.9, "beta2": 0.999,
            "epsilon": 1e-8, "weight_decay": 0.0, "clip": None, "warmup": 0, "schedule": "constant",
            "embeddings": True}
DATA = {"data.source": "tokens", "data.positions": "learned"}
DEMO = configs.both("post", **DATA, **{"attention": "causal", "input_norm": True, "bias": True})

ADAMW = {"optimizer": "adamw", "weight_decay": 0.1}

# Settings of the training of one small model, 20 steps each.
OPTIMIZERS = {
    "sgd": {"optimizer": "sgd", "learning_rate": 0.1, "momentum": 0.0},
    "momentum": {"optimizer": "sgd", "learning_rate": 0.03},
    "sgd-decay": {"optimizer": "sgd", "learning_rate": 0.03, "weight_decay": 0.1},
    "adam": {},
    "adam-decay": {"weight_decay": 0.1},
    "adam-constants": {"beta1": 0.8, "beta2": 0.95, "epsilon": 1e-3},
    "adamw": {"optimizer": "adamw", "weight_decay": 0.1},
    "adamw-warm-up": {"optimizer": "adamw", "weight_decay": 0.1, "warmup": 7},
    "warm-up-1": {"warmup": 1},
    "warm-up-longer-than-the-run": {"warmup": 100},
    "cosine": {"schedule": "cosine"},
    "cosine-warm-up": {"schedule": "cosine", "warmup": 5},
    "linear": {"schedule": "linear"},
    "linear-warm-up": {"schedule": "linear", "warmup": 6},
    "inverse-sqrt": {"schedule": "inverse-sqrt"},
    "inverse-sqrt-warm-up": {"schedule": "inverse-sqrt", "warmup": 4},
    "clip": {"clip": 0.5},
    "clip-sometimes": {"optimizer": "sgd", "learning_rate": 0.1, "clip": 2.0},
    "sgd-everything": {"optimizer": "sgd", "learning_rate": 0.05, "weight_decay": 0.01, "clip": 1.0, "warmup": 5,
                       "schedule": "linear"},
    "adamw-everything": {"optimizer": "adamw", "weight_decay": 0.1, "clip": 1.0, "warmup": 5, "schedule": "cosine"},
    "frozen": {"embeddings": False, "optimizer": "adamw", "weight_decay": 0.1, "clip": 1.0},
}
FROZEN = OPTIMIZERS["frozen"]
# μP above and below its base width, with every kind of parameter.
MUP = {**DEMO, **configs.RELATIVE, "init.mup_base": 4, "branch_parameter": "vector"}
MUP_OPTIMIZERS = {"sgd": {"optimizer": "sgd", "learning_rate": 0.01, "weight_decay": 0.1},
                  "adam": {"weight_decay": 0.1}, "adamw": ADAMW}
# Wirings with every parameter that there is, each way in which it gets its gradient, and every input. 3 steps each.
WIRINGS = [
    "relative-causal", "relative-batches-norm", "ed-relative-t5", "relative-parallel",
    "dyt-everywhere", "ed-mixed-2", "ed-qkv-head", "dyt-qkv-head", "ed-rezero", "bias-sandwich-rmsnorm", "ed-qk-head",
    "batches-ed-mean", "bert", "ed-mixed", "deepnorm", "mix-half-rmsnorm", "layernorm-scaling-sandwich", "two-norms",
    "two-norms-post", "parallel-pre-post", "b2t", "residual-dual-bias", "ed-residual-dual", "scales-post", "gqa",
    "qk-cosine-gqa-bias", "biases-uniform", "ed-uniform-bias-no-output", "inner-parallel-gate", "layer-scale-0",
    "input-norm-scale", "embed-scale-number", "tokens-sinusoidal-odd", "ed-token-types", "head-tied", "ed-tied",
    "batches-mean", "text-learned", "text-short", "no-residuals", "ed-cross-residual-only", "one-token-bias",
    "two-tokens", "branch-gain-0-bias", "rotary-bias", "rotary-gpt-j", "rotary-yarn", "rotary-gqa-qk-head", "ed-rotary",
    "first-block-pre", "experts-mixtral", "experts-qwen2", "ed-experts", "ed-depths-1-3",
    "ed-depths-dual", "ed-depths-skip-init", "ed-depths-t5", "window-rotary-local", "score-cap",
    "logit-cap", "ngpt", "ngpt-tied", "ngpt-large-step", "ngpt-batches-mean", "bert-head", "head-transform-dyt",
    "head-transform-mup", "ed-encoder-vocab",
]
SGD = {"optimizer": "sgd", "learning_rate": 0.1}
FEW = {"optimizer": "adamw", "weight_decay": 0.1, "clip": 1.0, "steps": FEW_STEPS, "learning_rate": 1e-2}


def make(overrides, **settings):
    experiment = configs.build(overrides)
    experiment["training"] = {**TRAINING, **settings}
    return experiment


def compare_start(run, model):
    """The engine has the parameters that the definitions name, with their values at the start."""
    ours = {name: tensor.detach().numpy() for name, tensor in model.parameters().items()}
    assert ours.keys() == run.start.keys(), f"parameters differ: {sorted(ours.keys() ^ run.start.keys())}"
    for name, array in ours.items():
        assert np.allclose(run.start[name].reshape(array.shape), array, rtol=1e-15, atol=0), f"{name} starts elsewhere"


def find_difference(run, steps):
    """Return (number of weights compared, the largest difference, where it is), over all steps."""
    compared, worst, where = 0, 0.0, ""
    for t, (ours, (loss, _, theirs)) in enumerate(zip(run.weights, steps, strict=True)):
        assert ours.keys() == theirs.keys(), f"parameters differ: {sorted(ours.keys() ^ theirs.keys())}"
        pairs = [(name, ours[name].reshape(tensor.shape), tensor.numpy()) for name, tensor in theirs.items()]
        for name, a, b in [*pairs, ("loss", np.array(run.losses[t]), np.array(loss))]:
            gap = float(np.abs(a - b).max())
            compared += a.size
            if not gap <= worst:
                worst, where = gap, f"{name} after step {t}"
    return compared, worst, where


class Check:
    def __init__(self, program, double_program):
        self.program, self.double_program = program, double_program
        self.compared, self.worst, self.names = 0, 0.0, set()

    def weights(self, experiment):
        """Train with the double build and compare every weight after every step."""
        run = Run(self.double_program, experiment)
        assert len(run.losses) == experiment["training"]["steps"]
        compare_start(run, training.Model(experiment, run.start))
        compared, worst, where = find_difference(run, training.train(experiment, run.start, run.batches))
        assert worst <= WEIGHT_TOLERANCE, f"{where} differs by {worst:.3g}"
        self.compared, self.worst = self.compared + compared, max(self.worst, worst)
        self.names |= {name.rsplit("/", 1)[-1] for name in run.start}
        moved = [name for name, array in run.start.items() if not np.array_equal(array, run.weights[-1][name])]
        return f"{compared} weights, largest difference {worst:.2g}; {len(moved)} of {len(run.start)} tensors moved"

    def losses(self, experiment):
        """Train with the float build and compare the losses."""
        run = Run(self.program, experiment)
        theirs = [loss for loss, _, _ in training.train(experiment, run.start, run.batches)]
        worst = max(abs(a - b) for a, b in zip(run.losses, theirs, strict=True))
        assert worst <= LOSS_TOLERANCE, f"losses differ by {worst:.3g}: {run.losses}, {theirs}"
        return f"largest difference {worst:.2g}; loss {theirs[0]:.3f} to {theirs[-1]:.3f}"

    def both(self, experiment):
        return f"{self.weights(experiment)}\nfloat: {self.losses(experiment)}"

    def sizes(self, cli, experiment, widths, late=0):
        """Compare the sizes of a coordinate check after its last step at each width, and the worst of their exponents.
        late: the steps that the reference leaves out."""
        with tempfile.TemporaryDirectory(prefix="normscope-sizes-") as folder:
            text = cli.call("train", write(experiment, folder), "--coordinate-check", "--format", "json", "--widths",
                            ",".join(map(str, widths)))
        [variant] = json.loads(text)["variants"]
        ours = {(size["quantity"], size["part"], size["layer"], value["d_model"]): value["mean"]
                for size in variant["sizes"] for value in size["values"] if value["step"] == SIZE_STEPS}
        theirs, worst = {}, 0.0
        for d in widths:
            own = copy.deepcopy(experiment)
            own["shape"].update(d_model=d, d_ff=d * experiment["shape"]["d_ff"] // experiment["shape"]["d_model"])
            own["training"]["steps"] = SIZE_STEPS + 1
            run = Run(self.program, own)
            *_, (_, _, after) = itertools.islice(training.train(own, run.start, run.batches), SIZE_STEPS - late)
            found = training.Model(own, run.start).sizes(run.batches[SIZE_STEPS], after)
            theirs.update({(*place, d): size for place, size in found.items()})
        assert ours.keys() == theirs.keys(), sorted(ours.keys() ^ theirs.keys())
        worst = max(abs(ours[place] / theirs[place] - 1) for place in ours)
        assert worst <= SIZE_TOLERANCE, f"sizes differ by {worst:.3g}"
        x = np.log(widths)
        slopes = {place: np.polyfit(x, [math.log(theirs[(*place, d)]) for d in widths], 1)[0]
                  for place in {key[:-1] for key in theirs}}
        named = variant["quantity"], variant["part"], variant["layer"]
        assert variant["verdict"] != "grows" or named == max(slopes, key=slopes.get), (named, slopes)
        assert abs(variant["exponent"] - slopes[named]) <= SIZE_TOLERANCE, (variant["exponent"], slopes[named])
        return f"{len(ours)} sizes, largest difference {worst:.2g}; {variant['verdict']}: {named}, {slopes[named]:.3f}"

    # ---- planted errors ----

    def planted_sizes(self, *args):
        """The comparison detects a reference that is a step behind."""
        try:
            self.sizes(*args, late=1)
        except AssertionError as error:
            return str(error)
        raise AssertionError("not detected")

    def planted(self, settings, change, overrides=DEMO):
        """The comparison detects a reference that is wrong in one point. change: of the arguments of train()."""
        experiment = make(overrides, **settings)
        run = Run(self.double_program, experiment)
        wrong = copy.deepcopy(experiment)
        options = change(wrong) or {}
        _, worst, where = find_difference(run, training.train(wrong, run.start, run.batches, **options))
        assert worst > WEIGHT_TOLERANCE, f"not detected: the largest difference is {worst:.3g}"
        return f"{where} differs by {worst:.2g}"


def set_training(**changes):
    return lambda experiment: experiment["training"].update(changes)


def set_variant(**changes):
    return lambda experiment: experiment["variants"][0].update(changes)


def without_bias_correction(_):
    def make_optimizer(settings, trained):
        optimizer = training.make_optimizer(settings, trained)
        for tensor in trained.values():  # as if 10⁹ steps had passed with gradients of 0
            optimizer.state[tensor].update(step=torch.tensor(1e9), exp_avg=torch.zeros_like(tensor),
                                           exp_avg_sq=torch.zeros_like(tensor))
        return optimizer
    return {"make_optimizer": make_optimizer}


def with_decay_of(is_decayed):
    def change(_):
        def make_optimizer(settings, trained):
            groups = [{"params": [tensor], "weight_decay": settings["weight_decay"] if is_decayed(name) else 0.0}
                      for name, tensor in trained.items()]
            return torch.optim.AdamW(groups, lr=settings["learning_rate"], eps=settings["epsilon"],
                                     betas=(settings["beta1"], settings["beta2"]))
        return {"make_optimizer": make_optimizer}
    return change


def is_matrix(name):
    return not name.rsplit("/", 1)[-1].startswith(("gain_", "bias_", "b_", "scale_", "alpha_"))


def with_clip_of_each(_):
    return {"clip": lambda tensors, limit: [torch.nn.utils.clip_grad_norm_([each], limit) for each in tensors]}


def with_nesterov(_):
    return {"make_optimizer": lambda settings, trained: torch.optim.SGD(
        trained.values(), lr=settings["learning_rate"], momentum=settings["momentum"], nesterov=True)}


PLANTED = {
    "bias correction left out": ({}, without_bias_correction),
    "decay of gains": (ADAMW, with_decay_of(lambda name: is_matrix(name) or "/gain_" in name)),
    "decay of biases": (ADAMW, with_decay_of(lambda name: is_matrix(name) or "/b_" in name)),
    "no decay of the embedding": (ADAMW, with_decay_of(lambda name: is_matrix(name) and name != "input/embedding")),
    "no decay of the head": (ADAMW, with_decay_of(lambda name: is_matrix(name) and name != "head/w_head")),
    "decay in the gradient": (ADAMW, set_training(optimizer="adam")),
    "decay beside the gradient": ({"weight_decay": 0.1}, set_training(optimizer="adamw")),
    "warm-up longer by a step": ({"warmup": 7}, set_training(warmup=8)),
    "warm-up shorter by a step": ({"warmup": 7}, set_training(warmup=6)),
    "schedule longer by a step": ({"schedule": "cosine"}, set_training(steps=STEPS + 1)),
    "another schedule": ({"schedule": "cosine"}, set_training(schedule="linear")),
    "no clipping": ({"optimizer": "sgd", "clip": 0.5}, set_training(clip=None)),
    "clipping of each tensor": ({"optimizer": "sgd", "clip": 0.5}, with_clip_of_each),
    "Nesterov's momentum": ({"optimizer": "sgd"}, with_nesterov),
    "another momentum": ({"optimizer": "sgd"}, set_training(momentum=0.9001)),
    "another beta2": ({}, set_training(beta2=0.9991)),
    "another epsilon": ({}, set_training(epsilon=1.1e-8)),
    "frozen embeddings": ({}, set_training(embeddings=False)),
}


RATE_FACTOR = training.rate_factor


def with_rates(rate_factor):
    """The learning rates of μP with another factor; rate_factor (name, tensor, kind, ratio, shape)."""
    def change(_):
        def make_optimizer(settings, trained, ratio, shape):
            training.rate_factor = rate_factor
            try:
                return training.make_optimizer(settings, trained, ratio, shape)
            finally:
                training.rate_factor = RATE_FACTOR
        return {"make_optimizer": make_optimizer}
    return change


def set_mup(base):
    return lambda experiment: experiment["variants"][0]["init"].update(mup_base=base)


def head_as_vector(name, *args):
    return 1.0 if name == "head/w_head" else RATE_FACTOR(name, *args)


def embedding_as_matrix(name, tensor, kind, ratio, shape):
    return 1 / ratio if name == "input/embedding" else RATE_FACTOR(name, tensor, kind, ratio, shape)


def finite_as_vectors(name, tensor, kind, ratio, shape):
    finite = name == "head/b_head" or name.endswith("relative_bias")
    return ratio if finite else RATE_FACTOR(name, tensor, kind, ratio, shape)


# Of the wiring "rotary-gpt-j".
ROTARY_PLANTED = {
    "another rotary base": set_variant(rotary_base=100.1),
    "other rotary pairs": set_variant(rotary="half"),
    "another rotary width": set_variant(rotary_dim=2),
    "no rotary positions": set_variant(rotary="none"),
}
MUP_PLANTED = {
    "another base": ({}, set_mup(5)),
    "standard rates": ({}, with_rates(lambda *_: 1.0)),
    "rates of Adam for SGD": ({"optimizer": "sgd"}, with_rates(
        lambda name, tensor, _, *args: RATE_FACTOR(name, tensor, "adam", *args))),
    "rate of the head": ({}, with_rates(head_as_vector)),
    "rate of the embedding": ({}, with_rates(embedding_as_matrix)),
    "rates of what does not grow": ({"optimizer": "sgd"}, with_rates(finite_as_vectors)),
}


NGPT_PLANTED = {
    "matrices that keep their lengths": lambda _: {"normalize": lambda trained: None},
    "another first step": set_variant(branch_scale=0.051),
}


# ---- everything ----

def trainable(overrides):
    """Return the configuration with tokens as input and a loss to train."""
    source = overrides.get("data.source", "gaussian")
    positions = "none" if overrides.get("ngpt") else "learned"
    return {"data.positions": positions, **overrides, "loss": "cross-entropy",
            "data.source": "tokens" if source == "gaussian" else source, "data.class_token": "none"}


def builtin(cli, name):
    """Return a small experiment of a built-in variant, trained for a few steps."""
    experiment = json.loads(cli.call("link", "--expand", "--variant", name))
    experiment["shape"].update(depth=2, d_model=16, heads=4, d_ff=24, seq_len=5, batch=2, vocab=11)
    positions = "none" if experiment["variants"][0]["ngpt"] else "learned"
    experiment["data"].update(source="tokens", positions=positions)
    experiment.update(loss="cross-entropy", training={**TRAINING, **FEW})
    return experiment


ENCODER_DECODER = {
    "shifted text": {**configs.TRANSLATION, **configs.TEXT_DATA, "data.positions": "sinusoidal"},
    "tokens": {**configs.TRANSLATION, **DATA},
    "two vocabularies": {**configs.TRANSLATION, **DATA, "shape.encoder_vocab": 7, "init.head": "tied"},
    "reversal of tokens": {**configs.TRANSLATION, **DATA, "data.task": "reversal"},
    "reversal of a Markov chain": {**configs.TRANSLATION, **DATA, "data.source": "markov", "data.task": "reversal"},
}


def covers_every_parameter(check):
    """The wirings have every parameter of the golden configurations."""
    missing = set()
    for name, overrides in configs.FIXED.items():
        experiment = make({**trainable(overrides), "data.positions": "learned"})
        shape, arrays = experiment["shape"], make_arrays(experiment)
        rows = {"input/embedding": shape["vocab"], "input/position": shape["seq_len"],
                "input/encoder_embedding": (shape.get("encoder_vocab") or 0) * (len(reference.parts(experiment)) - 1),
                "input/token_type": experiment["data"]["token_types"]}
        arrays.update({table: np.zeros((n, shape["d_model"])) for table, n in rows.items() if n > 0})
        found = {each.rsplit("/", 1)[-1] for each in training.Model(experiment, arrays).parameters()}
        missing |= {f"{each} of {name}" for each in found - check.names}
    assert not missing, sorted(missing)
    return f"{len(check.names)} parameters"


def main():
    tap, cli = Tap(), Cli(sys.argv[1])
    reference_blocks.MIN_MARGIN = 1e-8  # experts are trained with the double build alone
    check = Check(sys.argv[2], sys.argv[3])
    torch.set_num_threads(1)
    for name, settings in OPTIMIZERS.items():
        tap.run(check.both, make(DEMO, **settings), name=f"{STEPS} steps, {name}")
    for name, overrides in ENCODER_DECODER.items():
        experiment = make(configs.both("post", **overrides), optimizer="adamw", weight_decay=0.1, clip=1.0)
        tap.run(check.both, experiment, name=f"{STEPS} steps, encoder-decoder, {name}")
    for kind, settings in {"adam": {}, "sgd": {"optimizer": "sgd", "learning_rate": 0.1}, "frozen": FROZEN}.items():
        tap.run(check.both, make(configs.FIXED["ngpt"], **settings), name=f"{STEPS} steps of nGPT, {kind}")
    tap.run(check.both, make({**configs.both("pre"), **DATA, "data.source": "markov"}),
            name=f"{STEPS} steps of a Markov chain")
    for name in cli.builtin_names():
        experiment = builtin(cli, name)
        if name in ("hyper", "hyper-dynamic", "mhc"):
            # the gradient of A_m before a norm is rounding alone at first, which Adam would blow up
            experiment["training"] = {**TRAINING, **FEW, **SGD}
        tap.run(check.weights, experiment, name=f"built-in {name}")
    for name in ("hyper-none", "hyper-dynamic-none", "mhc-none"):
        tap.run(check.weights, make(trainable(configs.FIXED[name]), **FEW), name=f"wiring {name}")
    for name in WIRINGS:
        tap.run(check.weights, make(trainable(configs.FIXED[name]), **FEW), name=f"wiring {name}")
    frozen = make({**trainable(configs.FIXED["head-tied"]), "bias": True}, **FEW, embeddings=False)
    tap.run(check.weights, frozen, name="a tied head that is frozen with the embedding")
    for name, settings in MUP_OPTIMIZERS.items():
        tap.run(check.both, make(MUP, **settings), name=f"{STEPS} steps, μP, {name}")
        wide = {**MUP, "init.mup_base": 100, "branch_parameter": "scalar", "init.scheme": "normal"}
        tap.run(check.weights, make(wide, **settings), name=f"{STEPS} steps, μP below its base, {name}")
        more = {**MUP, "shape.d_head": 4, "shape.heads": 8, "qk_norm": "head"}
        tap.run(check.weights, make(more, **settings), name=f"{STEPS} steps, μP with more heads, {name}")
    for name, placement in {"pre": "pre", "post": "post", "sandwich": "sandwich"}.items():
        wiring = {**configs.both(placement), **DATA, "attention": "causal", "bias": True, "logit_cap": 2.0}
        tap.run(check.sizes, cli, make(wiring, epsilon=1e-3, learning_rate=0.05), (8, 16, 32), name=f"sizes, {name}")
    mup = make({**MUP, "input_norm": False}, epsilon=1e-3)
    tap.run(check.sizes, cli, mup, (8, 16, 32), name="sizes, μP")
    pair = make({**configs.TRANSLATION, **DATA}, epsilon=1e-3, learning_rate=0.05)
    tap.run(check.sizes, cli, pair, (8, 16, 32), name="sizes, encoder-decoder")
    tap.run(check.planted_sizes, cli, pair, (8, 16, 32), name="planted: sizes a step before")
    own = make(DEMO, **FEW)
    own["variants"][0].update(optimizer="sgd", learning_rate=0.05, warmup=2, schedule="linear")
    tap.run(check.weights, own, name="a variant with values of its own")
    tap.run(covers_every_parameter, check)
    for name, (settings, change) in PLANTED.items():
        tap.run(check.planted, settings, change, name=f"planted: {name}")
    for name, change in ROTARY_PLANTED.items():
        tap.run(check.planted, FEW, change, trainable(configs.FIXED["rotary-gpt-j"]), name=f"planted: {name}")
    for name, change in NGPT_PLANTED.items():
        tap.run(check.planted, FEW, change, configs.FIXED["ngpt"], name=f"planted in nGPT: {name}")
    for name, (settings, change) in MUP_PLANTED.items():
        tap.run(check.planted, settings, change, MUP, name=f"planted in μP: {name}")
    tap.comment(f"{check.compared} weights, the largest difference is {check.worst:.2g}")
    tap.finish()


if __name__ == "__main__":
    main()
