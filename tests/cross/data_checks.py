# Copyright (C) 2026 The Normscope developers
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether dumped inputs, targets and weights are what the model says they are: part of cross_check.py."""

import math

import numpy as np

import configs


def sinusoidal(T, d):
    """Vaswani et al. 2017: feature 2i is sin(t / 10000^(2i/d)), feature 2i + 1 the cosine."""
    position, feature = np.arange(T)[:, None], np.arange(d)[None, :]
    angle = position / 10000.0 ** (2 * (feature // 2) / d)
    return np.where(feature % 2 == 0, np.sin(angle), np.cos(angle))


def close(value, expected, relative, what):
    assert abs(value - expected) <= relative * abs(expected), f"{what} is {value:.5g}, expected {expected:.5g}"


def stream_checks(arrays, positions, what):
    """x_0 = E[id] + P[t], and a token's target is the id of the next: equal ids then have equal embeddings."""
    B, T, d = arrays["x0"].shape
    rows = (arrays["x0"].astype(float) - positions[:T]).reshape(B * T, d)
    next_ids = arrays["targets"].reshape(B * T)[:-1]
    embeddings, repeats = {}, 0
    for identity, row in zip(next_ids, rows[1:]):
        repeats += int(identity) in embeddings
        known = embeddings.setdefault(int(identity), row)
        assert np.allclose(known, row, atol=1e-5), f"{what}: two embeddings of id {identity}"
    assert repeats >= 5, f"{what}: too few repeats to tell"
    assert len({row.round(3).tobytes() for row in embeddings.values()}) == len(embeddings), f"{what}: ids look alike"


def tokens_and_positions(cli):
    shape = {"shape.d_model": 33, "shape.heads": 3, "shape.seq_len": 12, "shape.batch": 3, "shape.vocab": 7}
    zero = np.zeros((12, 33))
    for name, positions in (("none", zero), ("sinusoidal", sinusoidal(12, 33))):
        _, arrays, _ = cli.dump(configs.build({"data.source": "tokens", "data.positions": name, **shape}))
        assert 0 <= arrays["targets"].min() and arrays["targets"].max() < 7
        stream_checks(arrays, positions, f"tokens, positions {name}")
    _, plain, _ = cli.dump(configs.build({"data.source": "tokens", **shape}))
    _, learned, _ = cli.dump(configs.build({"data.source": "tokens", "data.positions": "learned", **shape}))
    added = learned["x0"].astype(float) - plain["x0"]
    assert np.allclose(added[0], added[1], atol=1e-5) and np.allclose(added[0], added[2], atol=1e-5)
    close(added[0].std(), 1.0, 0.15, "deviation of learned positions")
    assert np.array_equal(plain["targets"], learned["targets"])


def text_windows(cli):
    data = configs.TEXT.encode()
    for T, B in ((5, 2), (17, 3), (40, 3)):  # the last wraps round
        _, arrays, _ = cli.dump(configs.build({
            "data.source": "text", "data.text": configs.TEXT, "shape.vocab": 256, "shape.seq_len": T,
            "shape.batch": B}))
        wanted = [data[(n + 1) % len(data)] for n in range(B * T)]
        assert arrays["targets"].reshape(-1).tolist() == wanted, f"targets of windows of {T} bytes"
        if B * T > 40:
            stream_checks(arrays, np.zeros((T, 16)), "text")


def gaussian_input(cli):
    shape = {"shape.d_model": 64, "shape.seq_len": 50, "shape.batch": 4, "shape.depth": 1, "shape.vocab": 5}
    _, arrays, _ = cli.dump(configs.build({**shape, "loss": "unit-gradient"}))
    x, upstream = arrays["x0"].astype(float), arrays["upstream"].astype(float)
    assert x.shape == (4, 50, 64) and x.dtype == float and arrays["x0"].dtype == np.dtype("<f4")
    assert abs(x.mean()) < 0.05 and "head/w_head" not in arrays
    close(x.std(), 1.0, 0.03, "deviation of x_0")
    close((x ** 4).mean(), 3.0, 0.15, "fourth moment of x_0")
    close(np.linalg.norm(upstream), 1.0, 1e-5, "norm of the upstream gradient")
    close((upstream ** 4).mean() / (upstream ** 2).mean() ** 2, 3.0, 0.15, "kurtosis of the upstream gradient")
    assert abs(np.corrcoef(x.ravel(), upstream.ravel())[0, 1]) < 0.05
    _, arrays, _ = cli.dump(configs.build(shape))
    assert arrays["targets"].dtype == np.dtype("<i4") and set(arrays["targets"].ravel()) == set(range(5))
    _, small, _ = cli.dump(configs.build({**shape, "data.source": "tokens", "data.embed_std": 0.02,
                                          "shape.vocab": 300}))
    close(small["x0"].std(), 0.02, 0.05, "deviation of the embeddings")


def initialization_schemes(cli):
    shape = {"shape.d_model": 64, "shape.heads": 2, "shape.d_ff": 100, "shape.depth": 2, "shape.vocab": 150,
             "activation": "swiglu"}
    deviations = {
        "xavier-normal": lambda i, o: math.sqrt(2 / (i + o)),
        "xavier-uniform": lambda i, o: math.sqrt(2 / (i + o)),
        "lecun-normal": lambda i, o: math.sqrt(1 / i),
        "kaiming-normal": lambda i, o: math.sqrt(2 / i),
        "normal": lambda i, o: 0.05,
    }
    count = 0
    for scheme, deviation in deviations.items():
        _, arrays, _ = cli.dump(configs.build({**shape, "init.scheme": scheme, "init.std": 0.05}))
        for name, weight in arrays.items():
            if "/" not in name:
                continue
            weight, std = weight.astype(float), deviation(*weight.shape)
            close(weight.std(), std, 0.06, f"{scheme}: deviation of {name}")
            assert abs(weight.mean()) < 0.06 * std, f"{scheme}: mean of {name}"
            uniform = scheme == "xavier-uniform"
            close((weight ** 4).mean() / std ** 4, 1.8 if uniform else 3.0, 0.25, f"{scheme}: kurtosis of {name}")
            assert not uniform or abs(weight).max() <= math.sqrt(3) * std * (1 + 1e-6), f"{scheme}: range of {name}"
            count += 1
    return f"{count} matrices"


def initialization_of_branches(cli):
    """init.residual: which matrices it multiplies, and by what."""
    L = 3
    shape = {"shape.depth": L, "activation": "geglu"}
    gpt2, beta = 1 / math.sqrt(2 * L), (8 * L) ** -0.25
    cases = (
        ("gpt2", True, dict.fromkeys(("w_o", "w_2"), gpt2)),
        ("gpt2", False, dict.fromkeys(("w_v", "w_2"), gpt2)),
        (0.25, True, dict.fromkeys(("w_o", "w_2"), 0.25)),
        ("deepnorm", True, dict.fromkeys(("w_v", "w_o", "w_1", "w_2", "w_3"), beta)),
    )
    for residual, output, factors in cases:
        _, plain, _ = cli.dump(configs.build({**shape, "attention_output": output}))
        _, scaled, _ = cli.dump(configs.build({**shape, "attention_output": output, "init.residual": residual}))
        assert plain.keys() == scaled.keys()
        for name, weight in plain.items():
            factor = factors.get(name.split("/")[-1], 1.0) if name != "head/w_head" else 1.0
            assert np.allclose(scaled[name], weight * factor, rtol=1e-6, atol=0), f"{residual}: {name}"


def philox(seed, block, stream, counters):
    """Philox 4x32-10 (Salmon et al. 2011): the four words of each counter, as float64 columns."""
    mask, out = 0xFFFFFFFF, []
    for counter in counters:
        x = [counter & mask, counter >> 32, block, stream]
        key = [seed & mask, seed >> 32]
        for _ in range(10):
            low, high = 0xD2511F53 * x[0], 0xCD9E8D57 * x[2]
            x = [(high >> 32) ^ x[1] ^ key[0], high & mask, (low >> 32) ^ x[3] ^ key[1], low & mask]
            key = [(key[0] + 0x9E3779B9) & mask, (key[1] + 0xBB67AE85) & mask]
        out.append(x)
    return np.array(out, dtype=float)


def normal_numbers(seed, block, stream, count):
    """As docs/MODEL.md defines them: element 64 g + 16 w + i is word w of counter 16 g + i."""
    words = philox(seed, block, stream, range(16 * -(-count // 64)))
    radius = np.sqrt(-2 * np.log((np.floor(words[:, [0, 2]] / 2 ** 9) + 0.5) / 2 ** 23))
    angle = 2 * np.pi * words[:, [1, 3]] / 2 ** 32
    columns = np.stack([radius * np.cos(angle), radius * np.sin(angle)], -1).reshape(-1, 16, 4)
    return columns.transpose(0, 2, 1).reshape(-1)[:count]


def numbers_are_philox(cli):
    """Known answers first, then whole matrices, the input and the ids, from the definition alone."""
    assert [f"{int(word):08x}" for word in philox(0, 0, 0, [0])[0]] == "6627e8d5 e169c58d bc57ac4c 9b00dbd8".split()
    seed = 2 ** 40 + 12345
    shape = {"shape.d_model": 13, "shape.heads": 1, "shape.d_ff": 21, "shape.depth": 3, "shape.vocab": 17}
    _, arrays, _ = cli.dump(configs.build({**shape, "activation": "swiglu", "sampling.seed": seed}))
    for l in range(1, 4):
        for stream, name in enumerate(("w_q", "w_k", "w_v", "w_o", "w_1", "w_2", "w_3")):
            weight = arrays[f"block{l:03d}/{name}"]
            wanted = normal_numbers(seed, l, stream, weight.size) * math.sqrt(2 / sum(weight.shape))
            wanted = wanted.reshape(weight.shape)
            assert np.allclose(weight, wanted, rtol=1e-4, atol=1e-6), f"block {l}: {name}"
    x0 = arrays["x0"]
    assert np.allclose(x0, normal_numbers(seed, 0, 66, x0.size).reshape(x0.shape), rtol=1e-4, atol=1e-6), "x_0"
    head = arrays["head/w_head"]
    wanted = normal_numbers(seed, 0, 32, head.size).reshape(head.shape) * math.sqrt(2 / (13 + 17))
    assert np.allclose(head, wanted, rtol=1e-4, atol=1e-6), "w_head"


TESTS = (numbers_are_philox, tokens_and_positions, text_windows, gaussian_input, initialization_schemes,
         initialization_of_branches)
