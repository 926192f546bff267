# Copyright (C) 2026 The Normscope developers
# SPDX-License-Identifier: GPL-3.0-or-later
"""Small models of every family, in plain PyTorch, on tensors with the names of the family's files.

Each forward pass follows the published code of the family (Hugging Face's Transformers) and takes the tensors as the
file has them: fused and transposed where the family does so. It knows nothing of the program's names and layouts.
"""

import math

import torch
from torch.nn import functional as F

D, HEADS, KV, FFN, L, V, DH, POS = 24, 4, 2, 40, 2, 31, 6, 40
SOURCE_V = 23  # tokens of an encoder whose language is another one
BUCKETS, LONGEST = 8, 5  # of relative positions


class Model:
    """The tensors of a file, made at the first use with random values and asked for by name."""

    def __init__(self, seed):
        self.generator = torch.Generator().manual_seed(seed)
        self.tensors, self.stream = {}, []

    def get(self, name, *shape):
        if name not in self.tensors:
            scale = 0.3 if len(shape) == 1 else shape[-1] ** -0.5
            value = scale * torch.randn(*shape, generator=self.generator, dtype=torch.float64)
            self.tensors[name] = value.requires_grad_()
        return self.tensors[name]

    def linear(self, x, name, out, bias=True):
        y = x @ self.get(f"{name}.weight", out, x.shape[-1]).T
        return y + self.get(f"{name}.bias", out) if bias else y

    def conv1d(self, x, name, out):  # GPT-2
        return x @ self.get(f"{name}.weight", x.shape[-1], out) + self.get(f"{name}.bias", out)

    def layer_norm(self, x, name, eps=1e-5, bias=True):
        n = x.shape[-1]
        return F.layer_norm(x, (n,), self.get(f"{name}.weight", n), self.get(f"{name}.bias", n) if bias else None, eps)

    def rms_norm(self, x, name, eps=1e-6, more=0.0):
        gain = self.get(f"{name}.weight", x.shape[-1]) + more
        return gain * x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + eps)

    def record(self, x):
        """Keep x as the stream at a site, and its gradient."""
        x.retain_grad()
        self.stream.append(x)
        return x


def heads(x, n):
    return x.unflatten(-1, (n, -1)).transpose(1, 2)


def rotate(x, width=None, base=10000.0, every_two=False):
    width = width or x.shape[-1]
    angles = base ** (-torch.arange(0, width, 2, dtype=torch.float64) / width)
    phases = torch.outer(torch.arange(x.shape[2], dtype=torch.float64), angles)
    turned, rest = x[..., :width], x[..., width:]
    if every_two:  # GPT-J
        a, b = turned[..., 0::2], turned[..., 1::2]
        turned = torch.stack([a * phases.cos() - b * phases.sin(), a * phases.sin() + b * phases.cos()], -1).flatten(-2)
    else:
        a, b = turned.chunk(2, -1)
        turned = torch.cat([a * phases.cos() - b * phases.sin(), b * phases.cos() + a * phases.sin()], -1)
    return torch.cat([turned, rest], -1)


def soft_cap(x, cap):
    return x if cap is None else cap * torch.tanh(x / cap)


def attend(q, k, v, causal, scale=None, bias=0.0, cap=None, window=None):
    """q, k, v [B, heads, T, features]; the scores have a soft cap, and bias is added to them; a query sees the last
    `window` keys."""
    k, v = (x.repeat_interleave(q.shape[1] // x.shape[1], dim=1) for x in (k, v))
    scores = soft_cap(q @ k.transpose(2, 3) * (scale if scale is not None else q.shape[-1] ** -0.5), cap) + bias
    if causal:
        scores = scores.masked_fill(torch.ones(scores.shape[-2:], dtype=torch.bool).triu(1), -math.inf)
    if window is not None:
        scores = scores.masked_fill(torch.ones(scores.shape[-2:], dtype=torch.bool).tril(-window), -math.inf)
    return (scores.softmax(-1) @ v).transpose(1, 2).flatten(2)


def gelu_new(x):
    return F.gelu(x, approximate="tanh") if "approximate" in (F.gelu.__doc__ or "") else \
        0.5 * x * (1 + torch.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x ** 3)))


# ---- LLaMA and its relatives ----

def llama(m, ids, p="model.", qkv_bias=False, qk="", norm="pre", more=0.0, act=F.silu, bases=(10000.0,) * L, scale=None,
          embed=1.0, fused=False, tied=False, kv=KV, windows=(None,) * L, score_cap=None, logit_cap=None, ffn=None):
    """bases, windows: of each block, the base of the rotary positions and the window of attention."""
    x = m.record(embed * m.get(p + "embed_tokens.weight", V, D)[ids])
    for layer in range(L):
        b = f"{p}layers.{layer}."
        u = x if norm == "branch" else m.rms_norm(x, b + "input_layernorm", more=more)
        if fused:
            q, k, v = m.linear(u, b + "self_attn.qkv_proj", (HEADS + 2 * kv) * DH, False).split(
                [HEADS * DH, kv * DH, kv * DH], -1)
        else:
            q, k, v = (m.linear(u, f"{b}self_attn.{n}_proj", h * DH, qkv_bias)
                       for n, h in (("q", HEADS), ("k", kv), ("v", kv)))
        if qk == "full":
            q, k = m.rms_norm(q, b + "self_attn.q_norm"), m.rms_norm(k, b + "self_attn.k_norm")
        q, k, v = heads(q, HEADS), heads(k, kv), heads(v, kv)
        if qk == "head":
            q, k = (m.rms_norm(y, f"{b}self_attn.{n}_norm", more=more) for n, y in (("q", q), ("k", k)))
        q, k = rotate(q, base=bases[layer]), rotate(k, base=bases[layer])
        s = m.linear(attend(q, k, v, True, scale, cap=score_cap, window=windows[layer]), b + "self_attn.o_proj", D,
                     False)
        if norm in ("branch", "sandwich"):
            s = m.rms_norm(s, b + "post_attention_layernorm", more=more)
        x = x + s
        u = x if norm == "branch" else m.rms_norm(
            x, b + ("pre_feedforward_layernorm" if norm == "sandwich" else "post_attention_layernorm"), more=more)
        if ffn is not None:
            x = m.record(x + ffn(m, u, b))
            continue
        if fused:
            gate, up = m.linear(u, b + "mlp.gate_up_proj", 2 * FFN, False).chunk(2, -1)
        else:
            gate, up = (m.linear(u, f"{b}mlp.{n}_proj", FFN, False) for n in ("gate", "up"))
        s = m.linear(act(gate) * up, b + "mlp.down_proj", D, False)
        if norm in ("branch", "sandwich"):
            s = m.rms_norm(s, b + "post_feedforward_layernorm", more=more)
        x = m.record(x + s)
    x = m.rms_norm(x, p + "norm", more=more)
    logits = x @ m.get(p + "embed_tokens.weight").T if tied else m.linear(x, "lm_head", V, False)
    return soft_cap(logits, logit_cap)


def gated(m, u, name, names, width):
    """A gated FFN. names: of its maps gate, up, down."""
    gate, up = (m.linear(u, f"{name}.{n}", width, False) for n in names[:2])
    return m.linear(F.silu(gate) * up, f"{name}.{names[2]}", D, False)


def experts(m, u, b, count, k, normalize, router="mlp.gate", each="mlp.experts", shared=0,
            names=("gate_proj", "up_proj", "down_proj")):
    tokens = u.flatten(0, 1)
    weights, chosen = m.linear(tokens, b + router, count, False).softmax(-1).topk(k)
    if normalize:
        weights = weights / weights.sum(-1, keepdim=True)
    y = torch.zeros_like(tokens)
    for e in range(count):
        rows, rank = (chosen == e).nonzero(as_tuple=True)
        y = y.index_add(0, rows, weights[rows, rank, None] * gated(m, tokens[rows], f"{b}{each}.{e}", names, FFN))
    if shared:
        gate = m.linear(tokens, b + "mlp.shared_expert_gate", 1, False).sigmoid()
        y = y + gate * gated(m, tokens, b + "mlp.shared_expert", names, shared * FFN)
    return y.view_as(u)


def mixtral(m, u, b):
    return experts(m, u, b, 4, 2, True, "block_sparse_moe.gate", "block_sparse_moe.experts", names=("w1", "w3", "w2"))


def phi(m, ids):
    x = m.record(m.get("model.embed_tokens.weight", V, D)[ids])
    for layer in range(L):
        b = f"model.layers.{layer}."
        u = m.layer_norm(x, b + "input_layernorm")
        q, k, v = (heads(m.linear(u, f"{b}self_attn.{n}_proj", h * DH), h)
                   for n, h in (("q", HEADS), ("k", KV), ("v", KV)))
        s = m.linear(attend(rotate(q, 2), rotate(k, 2), v, True), b + "self_attn.dense", D)
        x = m.record(x + s + m.linear(gelu_new(m.linear(u, b + "mlp.fc1", FFN)), b + "mlp.fc2", D))
    return m.linear(m.layer_norm(x, "model.final_layernorm"), "lm_head", V)


# ---- GPT ----

def gpt2(m, ids, p="transformer."):
    x = m.record(m.get(p + "wte.weight", V, D)[ids] + m.get(p + "wpe.weight", POS, D)[:ids.shape[1]])
    for layer in range(L):
        b = f"{p}h.{layer}."
        q, k, v = m.conv1d(m.layer_norm(x, b + "ln_1"), b + "attn.c_attn", 3 * D).split(D, -1)
        x = x + m.conv1d(attend(heads(q, HEADS), heads(k, HEADS), heads(v, HEADS), True), b + "attn.c_proj", D)
        x = m.record(x + m.conv1d(gelu_new(m.conv1d(m.layer_norm(x, b + "ln_2"), b + "mlp.c_fc", FFN)),
                                  b + "mlp.c_proj", D))
    return m.layer_norm(x, p + "ln_f") @ m.get(p + "wte.weight").T


def gptj(m, ids):
    p = "transformer."
    x = m.record(m.get(p + "wte.weight", V, D)[ids])
    for layer in range(L):
        b = f"{p}h.{layer}."
        u = m.layer_norm(x, b + "ln_1")
        q, k, v = (heads(m.linear(u, f"{b}attn.{n}_proj", D, False), HEADS) for n in "qkv")
        q, k = (rotate(y, 4, every_two=True) for y in (q, k))
        s = m.linear(attend(q, k, v, True), b + "attn.out_proj", D, False)
        x = m.record(x + s + m.linear(gelu_new(m.linear(u, b + "mlp.fc_in", FFN)), b + "mlp.fc_out", D))
    return m.linear(m.layer_norm(x, p + "ln_f"), "lm_head", V)


def gpt_neox(m, ids):
    p = "gpt_neox."
    x = m.record(m.get(p + "embed_in.weight", V, D)[ids])
    for layer in range(L):
        b = f"{p}layers.{layer}."
        u, w = m.layer_norm(x, b + "input_layernorm"), m.layer_norm(x, b + "post_attention_layernorm")
        fused = m.linear(u, b + "attention.query_key_value", 3 * D)
        q, k, v = heads(fused, HEADS).split(DH, -1)
        s = m.linear(attend(rotate(q, 2), rotate(k, 2), v, True), b + "attention.dense", D)
        x = m.record(x + s + m.linear(F.gelu(m.linear(w, b + "mlp.dense_h_to_4h", FFN)), b + "mlp.dense_4h_to_h", D))
    return m.linear(m.layer_norm(x, p + "final_layer_norm"), "embed_out", V, False)


# ---- ALiBi: slopes of 1/4, 1/16, ... for HEADS = 4 ----

def slopes():
    return 4.0 ** -torch.arange(1, HEADS + 1, dtype=torch.float64)[:, None, None]


def bloom(m, ids):
    p = "transformer."
    x = m.record(m.layer_norm(m.get(p + "word_embeddings.weight", V, D)[ids], p + "word_embeddings_layernorm"))
    bias = slopes() * torch.arange(ids.shape[1])
    for layer in range(L):
        b = f"{p}h.{layer}."
        fused = m.linear(m.layer_norm(x, b + "input_layernorm"), b + "self_attention.query_key_value", 3 * D)
        q, k, v = heads(fused, HEADS).split(DH, -1)
        x = x + m.linear(attend(q, k, v, True, bias=bias), b + "self_attention.dense", D)
        h = gelu_new(m.linear(m.layer_norm(x, b + "post_attention_layernorm"), b + "mlp.dense_h_to_4h", FFN))
        x = m.record(x + m.linear(h, b + "mlp.dense_4h_to_h", D))
    return m.layer_norm(x, p + "ln_f") @ m.get(p + "word_embeddings.weight").T


def mpt(m, ids):
    p = "transformer."
    x = m.record(m.get(p + "wte.weight", V, D)[ids])
    bias = slopes() * torch.arange(1 - ids.shape[1], 1)
    for layer in range(L):
        b = f"{p}blocks.{layer}."
        q, k, v = (heads(y, HEADS) for y in
                   m.linear(m.layer_norm(x, b + "norm_1", bias=False), b + "attn.Wqkv", 3 * D, False).chunk(3, -1))
        x = x + m.linear(attend(q, k, v, True, bias=bias), b + "attn.out_proj", D, False)
        h = F.gelu(m.linear(m.layer_norm(x, b + "norm_2", bias=False), b + "ffn.up_proj", 2 * D, False))
        x = m.record(x + m.linear(h, b + "ffn.down_proj", D, False))
    return m.layer_norm(x, p + "norm_f", bias=False) @ m.get(p + "wte.weight").T


def falcon(m, ids, groups=1, norms="one", alibi=False, bias=False):
    """groups: heads of keys; of the three layouts of query_key_value each has a group of queries, a key, a value."""
    p = "transformer."
    x = m.record(m.get(p + "word_embeddings.weight", V, D)[ids])
    for layer in range(L):
        b = f"{p}h.{layer}."
        u = m.layer_norm(x, b + ("ln_attn" if norms == "two" else "input_layernorm"))
        fused = m.linear(u, b + "self_attention.query_key_value", D + 2 * groups * DH, bias)
        fused = fused.view(*ids.shape, groups, HEADS // groups + 2, DH)
        q, k, v = (y.flatten(2, 3).transpose(1, 2) for y in (fused[..., :-2, :], fused[..., -2:-1, :],
                                                             fused[..., -1:, :]))
        q, k = (q, k) if alibi else (rotate(q), rotate(k))
        a = attend(q, k, v, True, bias=slopes() * torch.arange(ids.shape[1]) / math.sqrt(DH) if alibi else 0.0)
        a = m.linear(a, b + "self_attention.dense", D, bias)
        if norms == "sequential":
            x = x + a
            u, a = m.layer_norm(x, b + "post_attention_layernorm"), 0
        elif norms == "two":
            u = m.layer_norm(x, b + "ln_mlp")
        h = F.gelu(m.linear(u, b + "mlp.dense_h_to_4h", FFN, bias))
        x = m.record(x + a + m.linear(h, b + "mlp.dense_4h_to_h", D, bias))
    return m.layer_norm(x, p + "ln_f") @ m.get(p + "word_embeddings.weight").T


# ---- BERT, OPT and encoder-decoders ----

def head_transform(m, x, dense, norm):
    return m.layer_norm(F.gelu(m.linear(x, dense, D)), norm, 1e-12)


def bert(m, ids, p="bert.", head="cls.predictions", first=0, norm="weight"):
    e = p + "embeddings."
    x = m.get(e + "word_embeddings.weight", V, D)[ids]
    x = x + m.get(e + "position_embeddings.weight", POS, D)[first:first + ids.shape[1]]
    x = x + m.get(e + "token_type_embeddings.weight", 1 if first else 2, D)[0]
    x = m.record(m.layer_norm(x, e + "LayerNorm", 1e-12))
    for layer in range(L):
        b = f"{p}encoder.layer.{layer}."
        q, k, v = (heads(m.linear(x, f"{b}attention.self.{n}", D), HEADS) for n in ("query", "key", "value"))
        s = m.linear(attend(q, k, v, False), b + "attention.output.dense", D)
        x = m.layer_norm(x + s, b + "attention.output.LayerNorm", 1e-12)
        s = m.linear(F.gelu(m.linear(x, b + "intermediate.dense", FFN)), b + "output.dense", D)
        x = m.record(m.layer_norm(x + s, b + "output.LayerNorm", 1e-12))
    names = ("transform.dense", "transform.LayerNorm") if head == "cls.predictions" else ("dense", "layer_norm")
    x = head_transform(m, x, *(f"{head}.{name}" for name in names))
    return x @ m.get(e + "word_embeddings.weight").T + m.get(head + ".bias", V)


def vit(m, pixels, classes, channels=3, side=4):
    """pixels [B, T, n]: those of a patch in a row, and none in the row of the class token."""
    rows = math.isqrt(pixels.shape[1] - 1)
    tiles = pixels[:, 1:].reshape(-1, rows, rows, channels, side, side)
    images = tiles.permute(0, 3, 1, 4, 2, 5).reshape(-1, channels, rows * side, rows * side)
    p = "vit.embeddings."
    patches = F.conv2d(images, m.get(p + "patch_embeddings.projection.weight", D, channels, side, side),
                       m.get(p + "patch_embeddings.projection.bias", D), stride=side).flatten(2).transpose(1, 2)
    token = m.get(p + "cls_token", 1, 1, D).expand(len(pixels), 1, D)
    x = m.record(torch.cat([token, patches], 1) + m.get(p + "position_embeddings", 1, rows * rows + 1, D))
    for layer in range(L):
        b = f"vit.encoder.layer.{layer}."
        u = m.layer_norm(x, b + "layernorm_before", 1e-12)
        q, k, v = (heads(m.linear(u, f"{b}attention.attention.{n}", D), HEADS) for n in ("query", "key", "value"))
        x = x + m.linear(attend(q, k, v, False), b + "attention.output.dense", D)
        u = m.layer_norm(x, b + "layernorm_after", 1e-12)
        x = m.record(x + m.linear(F.gelu(m.linear(u, b + "intermediate.dense", FFN)), b + "output.dense", D))
    return m.linear(m.layer_norm(x, "vit.layernorm", 1e-12), "classifier", classes)


def distilbert(m, ids, sines=False):
    e = "distilbert.embeddings."
    table = m.get(e + "position_embeddings.weight", POS, D)
    if sines:  # the code fills the table so; the file has it, too
        angles = torch.arange(POS)[:, None] / 10000.0 ** (torch.arange(D, dtype=torch.float64) // 2 * 2 / D)
        table = torch.where(torch.arange(D) % 2 == 0, angles.sin(), angles.cos())
    x = m.get(e + "word_embeddings.weight", V, D)[ids] + table[:ids.shape[1]]
    x = m.record(m.layer_norm(x, e + "LayerNorm", 1e-12))
    for layer in range(L):
        b = f"distilbert.transformer.layer.{layer}."
        q, k, v = (heads(m.linear(x, f"{b}attention.{n}_lin", D), HEADS) for n in "qkv")
        x = m.layer_norm(x + m.linear(attend(q, k, v, False), b + "attention.out_lin", D), b + "sa_layer_norm", 1e-12)
        s = m.linear(F.gelu(m.linear(x, b + "ffn.lin1", FFN)), b + "ffn.lin2", D)
        x = m.record(m.layer_norm(x + s, b + "output_layer_norm", 1e-12))
    x = head_transform(m, x, "vocab_transform", "vocab_layer_norm")
    return x @ m.get(e + "word_embeddings.weight").T + m.get("vocab_projector.bias", V)


def bart_attention(m, b, name, x, source, causal):
    q, k, v = (heads(m.linear(y, f"{b}{name}.{n}_proj", D), HEADS) for n, y in (("q", x), ("k", source), ("v", source)))
    return m.linear(attend(q, k, v, causal), f"{b}{name}.out_proj", D)


def bart_stack(m, x, p, pre, act, source=None, causal=False, depth=L):
    """The blocks of a part; its input is recorded already."""
    for layer in range(depth):
        b = f"{p}layers.{layer}."
        names = [("self_attn", x, "self_attn_layer_norm")]
        names += [("encoder_attn", source, "encoder_attn_layer_norm")] if source is not None else []
        for name, other, norm in names:
            u = m.layer_norm(x, b + norm) if pre else x
            x = x + bart_attention(m, b, name, u, u if name == "self_attn" else other, causal and name == "self_attn")
            x = x if pre else m.layer_norm(x, b + norm)
        u = m.layer_norm(x, b + "final_layer_norm") if pre else x
        x = x + m.linear(act(m.linear(u, b + "fc1", FFN)), b + "fc2", D)
        x = m.record(x if pre else m.layer_norm(x, b + "final_layer_norm"))
    return x


def opt(m, ids, pre=True):
    p = "model.decoder."
    positions = m.get(p + "embed_positions.weight", POS, D)[2:2 + ids.shape[1]]
    x = m.record(m.get(p + "embed_tokens.weight", V, D)[ids] + positions)
    x = bart_stack(m, x, p, pre, F.relu, causal=True)
    return (m.layer_norm(x, p + "final_layer_norm") if pre else x) @ m.get(p + "embed_tokens.weight").T


def sines(T):  # Marian, Pegasus
    steps = 10000 ** (-torch.arange(D // 2, dtype=torch.float64) / (D // 2))
    angles = torch.outer(torch.arange(T, dtype=torch.float64), steps)
    return torch.cat([angles.sin(), angles.cos()], 1)


def fairseq_sines(T):
    steps = torch.exp(torch.arange(D // 2, dtype=torch.float64) * -(math.log(10000) / (D // 2 - 1)))
    angles = torch.outer(torch.arange(2, T + 2, dtype=torch.float64), steps)
    return torch.cat([angles.sin(), angles.cos()], 1)


def bart(m, ids, pre=False, act=F.gelu, positions=None, norm=True, scale=1.0, source=None, logits=True, depth=L):
    """source: tokens of an encoder with a table of its own; depth: of the decoder."""
    encoder, decoder = ids

    def embed(part, tokens):
        table = f"model.{part}.embed_tokens.weight" if source else "model.shared.weight"
        x = scale * m.get(table, source if source and part == "encoder" else V, D)[tokens]
        T = tokens.shape[1]
        x = x + (positions(T) if positions else m.get(f"model.{part}.embed_positions.weight", POS, D)[2:2 + T])
        return m.record(m.layer_norm(x, f"model.{part}.layernorm_embedding") if norm else x)

    x = bart_stack(m, embed("encoder", encoder), "model.encoder.", pre, act)
    x = m.layer_norm(x, "model.encoder.layer_norm") if pre else x
    x = bart_stack(m, embed("decoder", decoder), "model.decoder.", pre, act, x, True, depth)
    x = m.layer_norm(x, "model.decoder.layer_norm") if pre else x
    y = x @ m.get("model.decoder.embed_tokens.weight" if source else "model.shared.weight", V, D).T
    return y + m.get("final_logits_bias", 1, V) if logits else y


def fsmt(m, ids, source):
    return bart(m, ids, positions=fairseq_sines, norm=False, act=F.relu, scale=math.sqrt(D), source=source,
                logits=False)


T5_BIASES = "block.0.layer.0.SelfAttention.relative_attention_bias.weight"


def t5_bucket(offset, both_sides, n=BUCKETS, longest=LONGEST):
    """The bucket of a key that is `offset` tokens after the query."""
    first, apart = 0, max(-offset, 0)
    if both_sides:
        n //= 2
        first, apart = n * (offset > 0), abs(offset)
    exact = n // 2
    if apart < exact:
        return first + apart
    share = torch.log(torch.tensor(float(apart)) / exact) / math.log(longest / exact)
    return first + min(exact + int(share * (n - exact)), n - 1)


def t5(m, ids, gated=False, tied=True, depth=L):
    def biases(p, T):
        table = m.get(f"{p}.{T5_BIASES}", BUCKETS, HEADS)
        rows = torch.tensor([[t5_bucket(s - t, p == "encoder") for s in range(T)] for t in range(T)])
        return table[rows].movedim(-1, 0)

    def attention(name, x, source, causal, bias=0.0):
        q, k, v = (heads(m.linear(y, f"{name}.{n}", HEADS * DH, False), HEADS) for n, y in
                   (("q", x), ("k", source), ("v", source)))
        return m.linear(attend(q, k, v, causal, 1.0, bias), name + ".o", D, False)

    def part(p, tokens, source):
        x = m.record(m.get("shared.weight", V, D)[tokens])
        for layer in range(depth if source is not None else L):
            b, n = f"{p}.block.{layer}.layer.", 0
            u = m.rms_norm(x, f"{b}0.layer_norm")
            x = x + attention(b + "0.SelfAttention", u, u, source is not None, biases(p, x.shape[1]))
            if source is not None:
                n = 1
                x = x + attention(b + "1.EncDecAttention", m.rms_norm(x, f"{b}1.layer_norm"), source, False)
            f = f"{b}{n + 1}.DenseReluDense."
            u = m.rms_norm(x, f"{b}{n + 1}.layer_norm")
            h = gelu_new(m.linear(u, f + "wi_0", FFN, False)) * m.linear(u, f + "wi_1", FFN, False) if gated else \
                F.relu(m.linear(u, f + "wi", FFN, False))
            x = m.record(x + m.linear(h, f + "wo", D, False))
        return m.rms_norm(x, p + ".final_layer_norm")

    x = part("decoder", ids[1], part("encoder", ids[0], None))
    return x / math.sqrt(D) @ m.get("shared.weight").T if tied else m.linear(x, "lm_head", V, False)


# ---- the families: the keys of a config, and the model ----

STANDARD = {"num_hidden_layers": L, "hidden_size": D, "num_attention_heads": HEADS, "intermediate_size": FFN,
            "vocab_size": V, "max_position_embeddings": POS}
GQA = {**STANDARD, "num_key_value_heads": KV, "head_dim": DH, "rms_norm_eps": 1e-6}
FALCON = {"num_hidden_layers": L, "hidden_size": D, "num_attention_heads": HEADS, "ffn_hidden_size": FFN,
          "vocab_size": V}
SPARSE = {k: v for k, v in GQA.items() if k not in ("intermediate_size", "head_dim")}
SPARSE["moe_intermediate_size"] = FFN
GPT = {"n_layer": L, "n_embd": D, "n_head": HEADS, "n_inner": FFN, "vocab_size": V, "n_positions": POS}
PARTS = {"encoder_layers": L, "decoder_layers": L, "d_model": D, "encoder_attention_heads": HEADS,
         "decoder_attention_heads": HEADS, "encoder_ffn_dim": FFN, "decoder_ffn_dim": FFN, "vocab_size": V,
         "max_position_embeddings": POS - 2}
FSMT = {**{k: v for k, v in PARTS.items() if k != "vocab_size"}, "tgt_vocab_size": V}
T5 = {"num_layers": L, "d_model": D, "num_heads": HEADS, "d_kv": DH, "d_ff": FFN, "vocab_size": V,
      "relative_attention_num_buckets": BUCKETS, "relative_attention_max_distance": LONGEST}
BERT = {**STANDARD, "type_vocab_size": 2}
DISTILBERT = {"n_layers": L, "dim": D, "n_heads": HEADS, "hidden_dim": FFN, "vocab_size": V,
              "max_position_embeddings": POS}
ROBERTA = {**STANDARD, "type_vocab_size": 1, "layer_norm_eps": 1e-12}
GEMMA = dict(more=1.0, act=gelu_new, embed=math.sqrt(D), tied=True)


def roberta(m, ids):
    return bert(m, ids, "roberta.", "lm_head", 2)


MODELS = {
    "llama": (GQA, llama),
    "mistral": ({**GQA, "sliding_window": 3}, lambda m, i: llama(m, i, windows=(3, 3))),
    "qwen2": ({**{k: v for k, v in GQA.items() if k != "head_dim"}, "use_sliding_window": True, "sliding_window": 4,
               "max_window_layers": 1}, lambda m, i: llama(m, i, qkv_bias=True, windows=(None, 4))),
    "qwen3": (GQA, lambda m, i: llama(m, i, qk="head")),
    "mixtral": ({**GQA, "num_local_experts": 4, "rms_norm_eps": 1e-6, "rope_theta": 10000.0},
                lambda m, i: llama(m, i, ffn=mixtral)),
    "qwen2_moe": ({**SPARSE, "num_experts": 4, "num_experts_per_tok": 2, "shared_expert_intermediate_size": 2 * FFN},
                  lambda m, i: llama(m, i, qkv_bias=True, ffn=lambda *u: experts(*u, 4, 2, False, shared=2))),
    "qwen3_moe": ({**SPARSE, "num_experts": 12, "num_experts_per_tok": 3, "head_dim": DH, "norm_topk_prob": True},
                  lambda m, i: llama(m, i, qk="head", ffn=lambda *u: experts(*u, 12, 3, True))),
    "olmo2": (GQA, lambda m, i: llama(m, i, qk="full", norm="branch")),
    "gemma": (GQA, lambda m, i: llama(m, i, **GEMMA)),
    "gemma2": ({**GQA, "query_pre_attn_scalar": 9, "sliding_window": 3, "attn_logit_softcapping": 0.5,
                "final_logit_softcapping": 2.0},
               lambda m, i: llama(m, i, norm="sandwich", scale=1 / 3, windows=(3, None), score_cap=0.5, logit_cap=2.0,
                                  **GEMMA)),
    "gemma3_text": ({**GQA, "query_pre_attn_scalar": 9, "sliding_window": 3, "sliding_window_pattern": 2},
                    lambda m, i: llama(m, i, norm="sandwich", scale=1 / 3, qk="head", bases=(1e4, 1e6),
                                       windows=(3, None), **GEMMA)),
    "phi3": ({**GQA, "sliding_window": 2}, lambda m, i: llama(m, i, fused=True, windows=(2, 2))),
    "phi": ({**STANDARD, "num_key_value_heads": KV, "partial_rotary_factor": 1 / 3}, phi),
    "gpt2": (GPT, gpt2),
    "gptj": ({**GPT, "rotary_dim": 4, "tie_word_embeddings": False}, gptj),
    "gpt_neox": ({**STANDARD, "rotary_pct": 1 / 3}, gpt_neox),
    "bloom": (GPT, bloom),
    "mpt": ({"n_layers": L, "d_model": D, "n_heads": HEADS, "expansion_ratio": 2, "vocab_size": V}, mpt),
    "falcon": (FALCON, falcon),
    "falcon, new": ({**FALCON, "new_decoder_architecture": True, "num_kv_heads": KV},
                    lambda m, i: falcon(m, i, KV, "two")),
    "falcon, new, one norm": ({**FALCON, "new_decoder_architecture": True, "num_kv_heads": KV,
                               "num_ln_in_parallel_attn": 1}, lambda m, i: falcon(m, i, KV)),
    "falcon, RW": ({**FALCON, "multi_query": False, "parallel_attn": False, "alibi": True, "bias": True},
                   lambda m, i: falcon(m, i, HEADS, "sequential", True, True)),
    "opt": ({"num_hidden_layers": L, "hidden_size": D, "num_attention_heads": HEADS, "ffn_dim": FFN, "vocab_size": V,
             "max_position_embeddings": POS - 2}, opt),
    "opt, post-LN": ({"model_type": "opt", "num_hidden_layers": L, "hidden_size": D, "num_attention_heads": HEADS,
                      "ffn_dim": FFN, "vocab_size": V, "do_layer_norm_before": False}, lambda m, i: opt(m, i, False)),
    "bert": (BERT, bert),
    "distilbert": (DISTILBERT, distilbert),
    "distilbert, sines": ({**DISTILBERT, "sinusoidal_pos_embds": True}, lambda m, i: distilbert(m, i, True)),
    "roberta": (ROBERTA, roberta),
    "camembert": (ROBERTA, roberta),
    "xlm-roberta": (ROBERTA, roberta),
    "bart": (PARTS, bart),
    "bart, deeper decoder": ({**PARTS, "decoder_layers": 3}, lambda m, i: bart(m, i, depth=3)),
    "mbart": (PARTS, lambda m, i: bart(m, i, pre=True)),
    "marian": (PARTS, lambda m, i: bart(m, i, positions=sines, norm=False)),
    "marian, one decoder block": ({**PARTS, "decoder_layers": 1},
                                  lambda m, i: bart(m, i, positions=sines, norm=False, depth=1)),
    "pegasus": (PARTS, lambda m, i: bart(m, i, positions=sines, norm=False, pre=True)),
    "fsmt": ({**FSMT, "src_vocab_size": V}, lambda m, i: fsmt(m, i, V)),
    "fsmt, two vocabularies": ({**FSMT, "src_vocab_size": SOURCE_V}, lambda m, i: fsmt(m, i, SOURCE_V)),
    "t5": (T5, t5),
    "t5, one decoder block": ({**T5, "num_decoder_layers": 1}, lambda m, i: t5(m, i, depth=1)),
    "t5, deeper decoder": ({**T5, "num_decoder_layers": 3}, lambda m, i: t5(m, i, depth=3)),
    "mt5": (T5, lambda m, i: t5(m, i, True, False)),
}
