# Copyright (C) 2026 The Normscope developers
# SPDX-License-Identifier: GPL-3.0-or-later
"""Check dumped inputs, targets and weights against docs/MODEL.md; part of cross_check.py."""

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
    """x_0 = E[id] + P[t], and a token's target is the id of the next one: equal ids have equal embeddings."""
    B, T, d = arrays["x0"].shape
    rows = (arrays["x0"].astype(float) - positions[:T]).reshape(B * T, d)
    next_ids = arrays["targets"].reshape(B * T)[:-1]
    embeddings, repeats = {}, 0
    for identity, row in zip(next_ids, rows[1:]):
        repeats += int(identity) in embeddings
        known = embeddings.setdefault(int(identity), row)
        assert np.allclose(known, row, atol=1e-5), f"{what}: two embeddings of id {identity}"
    assert repeats >= 5, f"{what}: too few repeated ids"
    assert len({row.round(3).tobytes() for row in embeddings.values()}) == len(embeddings), f"{what}: equal embeddings"


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


def scaled_embeddings(cli):
    """x_0 = s E[id] + P[t]: s scales only the embeddings; input_scale and input_norm apply after the dumped input."""
    base = {"data.source": "tokens", "data.positions": "learned", "shape.d_model": 36, "shape.heads": 3}
    for stack, names in (("single", ("x0",)), ("encoder-decoder", ("x0", "y0"))):
        shape = {**base, "shape.stack": stack}
        none, one, root, half = (cli.dump(configs.build({**shape, "data.embed_scale": scale}))[1]
                                 for scale in (0.0, 1.0, "sqrt-d-model", 0.5))
        for name in names:
            embedded = one[name].astype(float) - none[name]
            assert np.allclose(root[name] - none[name], 6 * embedded, atol=1e-4), f"{name}: sqrt-d-model"
            assert np.allclose(half[name] - none[name], 0.5 * embedded, atol=1e-5), f"{name}: 0.5"
            assert np.array_equal(none[name][0], none[name][1]) and none[name].std() > 0.5, f"{name}: positions"
        _, later, _ = cli.dump(configs.build({**shape, "input_scale": 0.5, "input_norm": True}))
        assert all(np.array_equal(later[name], one[name]) for name in names), "input_scale is in the dump"


def source_and_target(cli):
    """Source and target are different token streams with the same embeddings and positions; the targets are the next
    ids of the target stream."""
    shape = {"shape.stack": "encoder-decoder", "shape.d_model": 33, "shape.heads": 3, "shape.seq_len": 12,
             "shape.batch": 3, "shape.vocab": 7}
    zero = np.zeros((12, 33))
    for positions, added in (("none", zero), ("sinusoidal", sinusoidal(12, 33))):
        tokens = {"data.source": "tokens", "data.positions": positions}
        _, both, _ = cli.dump(configs.build({**shape, **tokens}))
        stream_checks({**both, "x0": both["y0"]}, added, f"target, positions {positions}")
        source, target = ((both[name] - added).reshape(36, 33).round(3) for name in ("x0", "y0"))
        assert {row.tobytes() for row in source} == {row.tobytes() for row in target}, "two sets of embeddings"
        assert not np.array_equal(source, target), "source and target are the same tokens"
        _, single, _ = cli.dump(configs.build({**shape, **tokens, "shape.stack": "single"}))
        assert np.array_equal(single["x0"], both["x0"]), "the source is not a single stack's input"
    _, both, _ = cli.dump(configs.build({**shape, "shape.seq_len": 50}))
    _, single, _ = cli.dump(configs.build({**shape, "shape.seq_len": 50, "shape.stack": "single"}))
    assert np.array_equal(single["x0"], both["x0"]) and np.array_equal(single["targets"], both["targets"])
    close(both["y0"].std(), 1.0, 0.03, "deviation of y_0")
    assert abs(np.corrcoef(both["x0"].ravel(), both["y0"].ravel())[0, 1]) < 0.05, "x_0 and y_0 are correlated"


def vocabulary_of_the_encoder(cli):
    """With encoder_vocab x_0 = E_e[id] of a table and of ids of its own; the decoder keeps its tokens. With a text
    both read the same bytes, in two tables. Without a table the key has no effect."""
    seed, d, V, V_e = 77, 13, 11, 4
    shape = {"shape.stack": "encoder-decoder", "shape.d_model": d, "shape.heads": 1, "shape.seq_len": 25,
             "shape.batch": 2, "shape.vocab": V, "sampling.seed": seed}
    tokens, own = {"data.source": "tokens", "data.embed_std": 0.5}, {"shape.encoder_vocab": V_e}
    _, common, _ = cli.dump(configs.build({**shape, **tokens}))
    _, arrays, _ = cli.dump(configs.build({**shape, **tokens, **own}))
    rows = 0.5 * normal_numbers(seed, 0, 78, V_e * d).reshape(V_e, d)
    ids = philox(seed, 0, 67, range(16)).T.reshape(-1)[:50] * V_e // 2 ** 32
    near(arrays["x0"].reshape(50, d), rows[ids.astype(int)], "tokens of the encoder")
    assert set(ids) == set(range(V_e)), "some tokens do not occur"
    assert all(np.array_equal(arrays[name], common[name]) for name in ("y0", "targets")), "the decoder changed"
    _, larger, _ = cli.dump(configs.build({**shape, **tokens, "shape.encoder_vocab": 300}))
    assert len({row.tobytes() for row in larger["x0"].reshape(50, d)}) > V, "the encoder has too few tokens"

    text = {**configs.TEXT_DATA, "shape.vocab": 256, "shape.encoder_vocab": 256}
    _, arrays, _ = cli.dump(configs.build({**shape, **text}))
    rows, data = normal_numbers(seed, 0, 78, 256 * d).reshape(256, d), configs.TEXT.encode()
    near(arrays["x0"].reshape(50, d), rows[[data[n % len(data)] for n in range(50)]], "bytes of the encoder")

    for same in ({"shape.stack": "single", **tokens}, {}):
        plain, other = (cli.dump(configs.build({**shape, **same, **more}))[1]["x0"] for more in ({}, own))
        assert np.array_equal(plain, other), f"encoder_vocab changes {same}"


def texts_of_source_and_target(cli):
    """The source is bytes 0 .. N - 1, the target bytes N .. 2 N - 1, and the targets are the next bytes; a short text
    repeats."""
    data = configs.TEXT.encode()
    for T, B in ((5, 2), (17, 3), (40, 3)):
        _, arrays, _ = cli.dump(configs.build({**configs.TRANSLATION, **configs.TEXT_DATA, "shape.seq_len": T,
                                               "shape.batch": B}))
        N = T * B
        wanted = [data[(N + n + 1) % len(data)] for n in range(N)]
        assert arrays["targets"].reshape(-1).tolist() == wanted, f"targets of windows of {T} bytes"
        rows = {}
        for name, first in (("x0", 0), ("y0", N)):
            for n, row in enumerate(arrays[name].reshape(N, -1)):
                known = rows.setdefault(data[(first + n) % len(data)], row)
                assert np.allclose(known, row, atol=1e-5), f"{name}: byte {n} of windows of {T}"


def text_windows(cli):
    data = configs.TEXT.encode()
    for T, B in ((5, 2), (17, 3), (40, 3)):  # the last one repeats the text
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


# ---- initialization ----

class Matrix:
    """A dumped matrix and its place: "w_o" in block l of a part; "w_head" has no block."""

    def __init__(self, path, array):
        *folders, self.name = path.split("/")
        self.path, self.array = path, array.astype(float)
        self.n_in, self.n_out = array.shape
        self.part = folders[0] if folders[0] in ("encoder", "decoder") else "stack"
        self.l = int(folders[-1][5:]) if folders[-1].startswith("block") else None
        self.kind = self.name.replace("cross_", "")


def matrices(cli, overrides):
    return [Matrix(path, array) for path, array in cli.dump(configs.build(overrides))[1].items() if "/" in path]


def xavier(w):
    return math.sqrt(2 / (w.n_in + w.n_out))


def mitchell(w):
    if w.kind == "w_o":
        return 1 / math.sqrt(2 * 64 * w.l)
    return 1 / math.sqrt(2 * 100 * w.l) if w.kind == "w_2" else 1 / math.sqrt(64)


def t5(w):
    """d = 64, f = 100, 2 heads of 24, so A = 48."""
    return {"w_q": (64 * 24) ** -0.5, "w_o": 48 ** -0.5, "w_2": 100 ** -0.5}.get(w.kind, 64 ** -0.5)


def fairseq(w):
    return xavier(w) / math.sqrt(2) if w.kind in ("w_q", "w_k", "w_v") else xavier(w)


SCHEMES = {
    "xavier-normal": xavier, "xavier-uniform": xavier, "lecun-normal": lambda w: math.sqrt(1 / w.n_in),
    "kaiming-normal": lambda w: math.sqrt(2 / w.n_in), "normal": lambda w: 0.05, "small": lambda w: math.sqrt(2 / 320),
    "mitchell": mitchell, "t5": t5, "fairseq": fairseq,
}


def initialization_schemes(cli):
    shape = {"shape.d_model": 64, "shape.heads": 2, "shape.d_head": 24, "shape.d_ff": 100, "shape.depth": 2,
             "shape.vocab": 150, "activation": "swiglu"}
    count = 0
    for stack in ("single", "encoder-decoder"):
        for scheme, deviation in SCHEMES.items():
            for w in matrices(cli, {**shape, "shape.stack": stack, "init.scheme": scheme, "init.std": 0.05}):
                std, what = deviation(w), f"{scheme}: {{}} of {w.path}"
                close(w.array.std(), std, 0.06, what.format("deviation"))
                assert abs(w.array.mean()) < 0.06 * std, what.format("mean")
                uniform = scheme in ("xavier-uniform", "fairseq")
                close((w.array ** 4).mean() / std ** 4, 1.8 if uniform else 3.0, 0.25, what.format("kurtosis"))
                assert not uniform or abs(w.array).max() <= math.sqrt(3) * std * (1 + 1e-6), what.format("range")
                count += 1
    return f"{count} matrices"


def initialization_of_the_head(cli):
    """init.head: normal with standard deviation 1/sqrt(d) or a number, for any init.scheme; or the embedding."""
    shape = {"shape.d_model": 64, "shape.depth": 1, "shape.vocab": 150, "init.scheme": "xavier-uniform",
             "init.residual": "ds-init"}
    for rule, std in (("lecun", 1 / 8), (0.3, 0.3)):
        [w] = [w for w in matrices(cli, {**shape, "init.head": rule}) if w.name == "w_head"]
        close(w.array.std(), std, 0.03, f"deviation of the head, {rule}")
        close((w.array ** 4).mean() / std ** 4, 3.0, 0.15, f"kurtosis of the head, {rule}")
    for source in ({"data.source": "tokens"}, {**configs.TEXT_DATA, "shape.stack": "encoder-decoder"}):
        _, arrays, _ = cli.dump(configs.build({**shape, **source, "init.head": "tied", "data.embed_std": 0.25,
                                               "data.embed_scale": 2.0}))
        head, targets = arrays["head/w_head"], arrays["targets"].ravel()
        tokens = arrays["y0" if "y0" in arrays else "x0"].reshape(len(targets), -1)
        # the target of a token is the token after it
        assert np.allclose(tokens[1:], 2 * head[:, targets[:-1]].T, rtol=1e-6), "the head is not the embedding"


def mitchell_without_an_output(cli):
    """Without an output projection, W_V is the last matrix of the attention."""
    shape = {"shape.d_model": 64, "shape.heads": 2, "shape.depth": 3, "attention_output": False}
    for w in matrices(cli, {**shape, "init.scheme": "mitchell"}):
        if w.kind == "w_v":
            close(w.array.std(), 1 / math.sqrt(2 * 64 * w.l), 0.06, f"deviation of {w.path}")


def last_matrices(factor):
    return lambda w, output: factor(w) if w.kind in ("w_2", "w_o" if output else "w_v") else 1.0


def by_part(stack, encoder, decoder):
    """A factor for each part, on all matrices except W_Q and W_K."""
    factors = {"stack": stack, "encoder": encoder, "decoder": decoder}
    return lambda w, output: 1.0 if w.kind in ("w_q", "w_k") else factors[w.part]


def fixup(w, output):
    """0 for a branch's end; else n ** (-1 / (2m - 2)), m = 4 or 3 matrices of an attention, 3 of a gated FFN."""
    n = L * (2 if w.part == "stack" else 5)
    if last_matrices(lambda _: 0.0)(w, output) == 0.0:
        return 0.0
    return n ** (-1 / 4) if w.kind in ("w_1", "w_3") or not output else n ** (-1 / 6)


L = 3  # depth in initialization_of_branches()
RESIDUALS = {
    "gpt2": last_matrices(lambda w: 1 / math.sqrt(2 * L)),
    0.25: last_matrices(lambda w: 0.25),
    "wang": last_matrices(lambda w: 2 / (L * math.sqrt(16)) / xavier(w)),
    "deepnorm": by_part((8 * L) ** -0.25, 0.87 * (L ** 5) ** (-1 / 16), (12 * L) ** -0.25),
    "sub-ln": by_part(math.sqrt(math.log(2 * L)), math.sqrt(math.log(3 * L) * math.log(2 * L) / 3),
                      math.sqrt(math.log(3 * L))),
    "t-fixup": by_part(0.67 * L ** -0.25, 0.67 * L ** -0.25, (9 * L) ** -0.25),
    "ds-init": lambda w, output: 1 / math.sqrt(w.l),
    "fixup": fixup,
}


def initialization_of_branches(cli):
    """init.residual scales the right matrices by the right factors, and never the head."""
    count = 0
    for stack in ("single", "encoder-decoder"):
        for output in (True, False):
            shape = {"shape.depth": L, "activation": "geglu", "attention_output": output, "shape.stack": stack}
            plain = matrices(cli, shape)
            for rule, factor in RESIDUALS.items():
                scaled = matrices(cli, {**shape, "init.residual": rule})
                assert [w.path for w in plain] == [w.path for w in scaled]
                for w, v in zip(plain, scaled):
                    wanted = w.array * (1.0 if w.l is None else factor(w, output))
                    assert np.allclose(v.array, wanted, rtol=1e-6, atol=0), f"{rule}: {w.path}"
                    count += 1
    return f"{count} matrices"


def all_matrices_are_independent(cli):
    """No two matrices are equal or correlated, and weights do not depend on the depth."""
    shape = {"shape.stack": "encoder-decoder"}
    shallow = {w.path: w.array for w in matrices(cli, {**shape, "shape.depth": 2})}
    deep = {w.path: w.array for w in matrices(cli, {**shape, "shape.depth": 4, "bias": True, "norm": "dyt"})}
    assert all(np.array_equal(array, deep[path]) for path, array in shallow.items()), "depth changes weights"
    assert len(shallow) == 2 * 6 + 2 * 10 + 1 and len({array.tobytes() for array in deep.values()}) == len(deep)
    flat = [array.ravel() for array in deep.values() if array.shape == (16, 16)]
    correlation = abs(np.corrcoef(flat) - np.eye(len(flat))).max()
    assert correlation < 0.35, f"two matrices are correlated: {correlation:.2f}"


def philox(seed, block, stream, counters):
    """Philox 4x32-10 (Salmon et al. 2011): the four words of each counter as float64, [counters, 4]."""
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
    """Normal numbers as defined in docs/MODEL.md: element 64 g + 16 w + i is word w of counter 16 g + i."""
    words = philox(seed, block, stream, range(16 * -(-count // 64)))
    radius = np.sqrt(-2 * np.log((np.floor(words[:, [0, 2]] / 2 ** 9) + 0.5) / 2 ** 23))
    angle = 2 * np.pi * words[:, [1, 3]] / 2 ** 32
    columns = np.stack([radius * np.cos(angle), radius * np.sin(angle)], -1).reshape(-1, 16, 4)
    return columns.transpose(0, 2, 1).reshape(-1)[:count]


def numbers_are_philox(cli):
    """A known answer of Philox, then matrices, input and head computed from the definition."""
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


def near(found, wanted, what):
    assert np.allclose(found, wanted, rtol=1e-4, atol=1e-6), what


def token_types(cli):
    """x_0 = s E[id] + P[t] + S[segment of t]: n segments share one vector each, which embed_scale does not multiply, in
    source and target alike."""
    seed, T, d = 77, 7, 13
    tokens = {"data.source": "tokens", "data.positions": "learned", "data.embed_std": 0.25, "data.embed_scale": 3.0,
              "shape.d_model": d, "shape.heads": 1, "shape.seq_len": T, "shape.batch": 3, "sampling.seed": seed}
    for stack in ("single", "encoder-decoder"):
        _, plain, _ = cli.dump(configs.build({**tokens, "shape.stack": stack}))
        for n in (1, 2, 3, 7, 20):  # more segments than tokens: some have none
            _, typed, _ = cli.dump(configs.build({**tokens, "shape.stack": stack, "data.token_types": n}))
            rows = 0.25 * normal_numbers(seed, 0, 71, n * d).reshape(n, d)
            added = np.stack([rows[t * n // T] for t in range(T)])
            for name in ("x0", "y0") if stack == "encoder-decoder" else ("x0",):
                near(typed[name], plain[name] + added, f"{name} of {n} segments")
            assert np.array_equal(typed["targets"], plain["targets"])
    _, gaussian, _ = cli.dump(configs.build({"data.token_types": 2}))
    assert np.array_equal(gaussian["x0"], cli.dump(configs.build({}))[1]["x0"]), "Gaussian input has token types"


def class_token(cli):
    """x_0 = [c, s g] + P of a Gaussian input; the decoder's input, tokens and texts have no class token."""
    seed, T, d, B, M = 78, 5, 13, 2, 2
    shape = {"shape.d_model": d, "shape.heads": 1, "shape.seq_len": T, "shape.batch": B, "sampling.batches": M,
             "sampling.seed": seed}
    patches = normal_numbers(seed, 0, 66, M * B * T * d).reshape(M * B, T, d)
    image = {"data.embed_std": 0.25, "data.embed_scale": 0.5}
    learned = 0.25 * normal_numbers(seed, 0, 65, T * d).reshape(T, d)
    for stack in ("single", "encoder-decoder"):
        _, plain, _ = cli.dump(configs.build({**shape, **image, "shape.stack": stack, "data.positions": "learned"}))
        near(plain["x0"], patches, "x_0 without a class token")
        for kind, std in (("zero", 0), ("normal", 0.25)):
            for positions, added in (("none", 0), ("sinusoidal", sinusoidal(T, d)), ("learned", learned)):
                _, arrays, _ = cli.dump(configs.build({**shape, **image, "shape.stack": stack, "data.class_token": kind,
                                                       "data.positions": positions}))
                wanted = 0.5 * patches
                wanted[:, 0] = std * normal_numbers(seed, 0, 72, d)
                near(arrays["x0"], wanted + added, f"class token {kind}, positions {positions}")
                others = [name for name in ("y0", "targets") if name in arrays]
                assert all(np.array_equal(arrays[name], plain[name]) for name in others), "class token in y_0"
    for source in ({"data.source": "tokens"}, configs.TEXT_DATA):
        plain, other = (cli.dump(configs.build({**shape, **source, "data.class_token": kind}))[1]["x0"]
                        for kind in ("none", "zero"))
        assert np.array_equal(plain, other), "tokens have a class token"


def patches(cli):
    """x_0 = [c, s (g W + b)] + P of Gaussian pixels g; b is 0."""
    seed, T, d, B, n = 79, 5, 13, 2, 7
    shape = {"shape.d_model": d, "shape.heads": 1, "shape.seq_len": T, "shape.batch": B, "sampling.seed": seed,
             "data.embed_std": 0.25, "data.embed_scale": 0.5, "init.scheme": "normal", "init.std": 0.3}
    pixels = normal_numbers(seed, 0, 66, B * T * n).reshape(B, T, n)
    w = 0.3 * normal_numbers(seed, 0, 36, n * d).reshape(n, d)
    for stack in ("single", "encoder-decoder"):
        folder = "" if stack == "single" else "encoder/"
        _, plain, _ = cli.dump(configs.build({**shape, "shape.stack": stack}))
        for kind, first in (("none", None), ("zero", 0), ("normal", 0.25 * normal_numbers(seed, 0, 72, d))):
            for positions, added in (("none", np.zeros((T, d))), ("sinusoidal", sinusoidal(T, d))):
                _, arrays, _ = cli.dump(configs.build({**shape, "shape.stack": stack, "shape.patch_features": n,
                                                       "data.class_token": kind, "data.positions": positions,
                                                       "bias": True}))
                own, rest = pixels.copy(), np.broadcast_to(added, (B, T, d)).copy()
                if first is not None:
                    own[:, 0] = 0
                    rest[:, 0] += first
                near(arrays["pixels"], own, "pixels")
                near(arrays[folder + "block000/w_patch"], w, "W_patch")
                near(arrays["x0_added"], rest, "what is added")
                near(arrays["x0"], 0.5 * own @ w + rest, f"patches, class token {kind}, positions {positions}")
                others = [name for name in ("y0", "targets") if name in arrays]
                assert all(np.array_equal(arrays[name], plain[name]) for name in others), "patches change others"


TESTS = (numbers_are_philox, tokens_and_positions, token_types, class_token, patches, scaled_embeddings,
         source_and_target, vocabulary_of_the_encoder, texts_of_source_and_target, text_windows, gaussian_input,
         initialization_schemes, initialization_of_the_head, mitchell_without_an_output, initialization_of_branches,
         all_matrices_are_independent)
