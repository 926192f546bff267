# Copyright (C) 2026 The Normscope developers
# SPDX-License-Identifier: GPL-3.0-or-later
"""Plain PyTorch models of the families that the import knows, built from a model's config.json.

Each is written from the model's published code: the modules of Hugging Face's Transformers, which is not needed here.
The keys of the config are read here again, and nothing of the program or of reference.py is used.
"""

import math
from types import SimpleNamespace

import torch
from torch import nn
from torch.nn import functional as F

from model_checks import (SparseMlp, bloom_bias, gelu_new, layer_norm_without_bias, llama3_angles, mpt_bias,
                          plain_angles, rotate_every_two, rotate_half, yarn_angles)

ACTIVATIONS = {"relu": F.relu, "gelu": F.gelu, "gelu_new": gelu_new, "gelu_pytorch_tanh": gelu_new, "silu": F.silu,
               "swish": F.silu}


class RmsNorm(nn.Module):
    """offset: 0, or 1 where the code multiplies by 1 + weight (Gemma)."""

    def __init__(self, features, eps, offset=0):
        super().__init__()
        self.weight, self.eps, self.offset = nn.Parameter(torch.full((features,), 1.0 - offset)), eps, offset

    def forward(self, x):
        return (self.offset + self.weight) * (x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.eps))


def layer_norm(eps):
    return lambda features: nn.LayerNorm(features, eps=eps)


def rms_norm(eps, offset=0):
    return lambda features: RmsNorm(features, eps, offset)


# ---- rotary positions ----

def rotary(config, width, rotate=rotate_half):
    """What the first `width` features of a head turn by: their angles, the rotation, the factor on what is turned."""
    base, rule = config.get("rope_theta", config.get("rotary_emb_base", 10000.0)), config.get("rope_scaling") or {}
    kind = rule.get("rope_type", "default")
    angles, factor = plain_angles(width, base), 1.0
    long_angles, original = None, math.inf
    if kind == "linear":
        angles = angles / rule["factor"]
    elif kind == "llama3":
        angles = llama3_angles(width, rule["factor"], rule["low_freq_factor"], rule["high_freq_factor"],
                               rule["original_max_position_embeddings"], base)
    elif kind == "yarn":
        angles = yarn_angles(width, rule["factor"], rule.get("beta_slow", 1), rule.get("beta_fast", 32),
                             rule["original_max_position_embeddings"], base, rule.get("truncate", True))
        factor = yarn_factor(rule)
    elif kind == "longrope":
        original, factor = longrope_factor(config, rule)
        angles, long_angles = (1.0 / (torch.tensor(rule[name], dtype=torch.float64) / angles)
                               for name in ("short_factor", "long_factor"))
    else:
        assert kind == "default", kind
    return SimpleNamespace(width=width, angles=angles, long_angles=long_angles, original=original, rotate=rotate,
                           factor=factor)


def longrope_factor(config, rule):
    """As in modeling_rope_utils.py of Transformers: (the original context, the factor on what is turned). The ratio of
    the two contexts counts where the config has the original one beside the rule."""
    original = config.get("original_max_position_embeddings")
    if original is not None:
        longer = config["max_position_embeddings"] / original
    else:
        original = rule.get("original_max_position_embeddings", config.get("max_position_embeddings"))
        longer = rule.get("factor") or config["max_position_embeddings"] / original
    if rule.get("attention_factor") is not None:
        return original, rule["attention_factor"]
    return original, 1.0 if longer <= 1 else math.sqrt(1 + math.log(longer) / math.log(original))


def yarn_factor(rule):
    """As in modeling_rope_utils.py of Transformers: the attention factor, or of two constants, or the paper's."""
    def mscale(constant=1.0):
        return 0.1 * constant * math.log(rule["factor"]) + 1 if rule["factor"] > 1 else 1.0

    if rule.get("attention_factor") is not None:
        return rule["attention_factor"]
    if rule.get("mscale") and rule.get("mscale_all_dim"):
        return mscale(rule["mscale"]) / mscale(rule["mscale_all_dim"])
    return mscale()


def turn(x, rule):
    T = x.shape[2]
    phases = torch.outer(torch.arange(T, dtype=torch.float64), rule.angles if T <= rule.original else rule.long_angles)
    both = phases.repeat_interleave(2, 1) if rule.rotate is rotate_every_two else torch.cat([phases, phases], 1)
    turned, rest = x[..., :rule.width], x[..., rule.width:]
    turned = rule.factor * (turned * both.cos() + rule.rotate(turned) * both.sin())
    return torch.cat([turned, rest], dim=-1)


def outside(T, window):
    """Which keys are too far from each query: masking_utils.py of Transformers, with a causal mask and for attention to
    both sides."""
    query, key = torch.arange(T)[:, None], torch.arange(T)
    return (key <= query - window) | (key >= query + window)


# ---- a block ----

class Block(nn.Module):
    """m: what a function below reads from a config. The names of norms and maps are those of the program."""

    def __init__(self, m, number, causal, has_cross=False):
        super().__init__()
        self.m, self.number, self.causal, self.seen = m, number, causal, {}
        self.window = m.window if number in m.windowed else None
        self.rotary = m.rotary if self.window is None else m.rotary_local or m.rotary
        self.subs = ["attn", "cross", "ffn"] if has_cross else ["attn", "ffn"]
        self.norms, self.maps = nn.ModuleDict(), nn.ModuleDict()
        for sub in self.subs:
            for place in m.places:
                if sub != "ffn" or m.parallel != "one norm":
                    self.norms[f"{sub}_{place}"] = m.norm(m.d)
            if sub != "ffn":
                self.add_attention("cross_" if sub == "cross" else "", sub)
        self.sparse = None if m.experts is None else m.sparse(m.d, m.f, m.act, *m.experts)
        if self.sparse is not None:
            return
        self.maps["1"], self.maps["2"] = nn.Linear(m.d, m.f, bias=m.mlp_bias), nn.Linear(m.f, m.d, bias=m.mlp_bias)
        if m.gated:
            self.maps["3"] = nn.Linear(m.d, m.f, bias=m.mlp_bias)

    def add_attention(self, w, sub):
        m = self.m
        queries, keys = m.heads * m.d_head, m.kv_heads * m.d_head
        self.maps[w + "q"] = nn.Linear(m.d, queries, bias=m.qkv_bias)
        self.maps[w + "k"] = nn.Linear(m.d, keys, bias=m.qkv_bias)
        self.maps[w + "v"] = nn.Linear(m.d, keys, bias=m.qkv_bias)
        self.maps[w + "o"] = nn.Linear(queries, m.d, bias=m.out_bias)
        if m.qk_norm is not None:
            self.norms[sub + "_q"] = m.norm(m.d_head if m.qk_norm == "head" else queries)
            self.norms[sub + "_k"] = m.norm(m.d_head if m.qk_norm == "head" else keys)

    def attend(self, u, source, sub):
        m, w = self.m, "cross_" if sub == "cross" else ""
        q, k, v = self.maps[w + "q"](u), self.maps[w + "k"](source), self.maps[w + "v"](source)
        if m.qk_norm == "full":
            q, k = self.norms[sub + "_q"](q), self.norms[sub + "_k"](k)
        q, k, v = (x.view(*x.shape[:2], -1, m.d_head).transpose(1, 2) for x in (q, k, v))
        if m.qk_norm == "head":
            q, k = self.norms[sub + "_q"](q), self.norms[sub + "_k"](k)
        if self.rotary is not None and self.number not in m.unturned:
            q, k = m.after(turn(q, self.rotary)), m.after(turn(k, self.rotary))
        k, v = (x.repeat_interleave(m.heads // m.kv_heads, dim=1) for x in (k, v))
        scores = m.scale * (q @ k.transpose(2, 3))
        if m.score_cap is not None:  # before the mask
            scores = m.score_cap * torch.tanh(scores / m.score_cap)
        if m.relative is not None and sub == "attn":
            scores = scores + self.biases(scores.shape[-1])
        if m.alibi is not None:
            scores = scores + m.alibi(m.heads, scores.shape[-1])
        if self.causal and sub == "attn":
            T = scores.shape[-1]
            scores = scores.masked_fill(torch.ones(T, T, dtype=torch.bool).triu(1), -math.inf)
        if self.window is not None:
            scores = scores.masked_fill(outside(scores.shape[-1], self.window), -math.inf)
        weights = scores.softmax(-1)
        self.keep_scores(scores.detach(), weights.detach(), "_cross" if sub == "cross" else "")
        return self.maps[w + "o"]((weights @ v).transpose(1, 2).reshape(*u.shape[:2], -1))

    def keep_scores(self, scores, weights, suffix):
        visible = scores.isfinite().sum(-1)
        share = torch.special.entr(weights).sum(-1) / visible.clamp(min=2).log()
        self.seen["max_logit" + suffix], self.seen["entropy" + suffix] = scores.max(), share[visible > 1].mean()

    def feed(self, u):
        if self.sparse is not None:
            return self.sparse(u)
        y = self.m.act(self.maps["1"](u))
        return self.maps["2"](y * self.maps["3"](u) if self.m.gated else y)

    def norm(self, x, name):
        return self.norms[name](x) if name in self.norms else x

    def forward(self, x, memory=None):
        if self.m.parallel:
            u = self.norms["attn_pre"](x)
            return x + self.attend(u, u, "attn") + self.feed(u if self.m.parallel == "one norm"
                                                             else self.norms["ffn_pre"](x))
        for sub in self.subs:
            u = self.norm(x, sub + "_pre")
            y = self.feed(u) if sub == "ffn" else self.attend(u, memory if sub == "cross" else u, sub)
            x = self.norm(x + self.norm(y, sub + "_branch"), sub + "_post")
        return x


same = nn.Identity()  # after rotary positions


# ---- the families: what a config says, and what the code of the family adds ----

def model(**settings):
    m = SimpleNamespace(stack="decoder", places=("pre",), parallel=None, gated=False, qk_norm=None, rotary=None,
                        alibi=None, relative=None, score_cap=None, logit_cap=None, logit_scale=1.0, qkv_bias=False,
                        head_act=None, out_bias=False, mlp_bias=False, head_bias=False, input_norm=False,
                        patch=None, window=None, windowed=(), rotary_local=None, experts=None, sparse=SparseMlp,
                        unturned=(), after=same)
    vars(m).update(settings)
    m.kv_heads = getattr(m, "kv_heads", None) or m.heads
    m.d_head = getattr(m, "d_head", None) or m.d // m.heads
    m.scale = settings.get("scale", m.d_head ** -0.5)
    m.final_norm = settings.get("final_norm", "post" not in m.places)
    return m


def sizes(c):
    return dict(depth=c["num_hidden_layers"], d=c["hidden_size"], heads=c["num_attention_heads"],
                f=c["intermediate_size"])


def llama(c, **more):
    d_head = c.get("head_dim") or c["hidden_size"] // c["num_attention_heads"]
    return model(**{**sizes(c), "kv_heads": c.get("num_key_value_heads"), "d_head": d_head, "gated": True,
                    "norm": rms_norm(c["rms_norm_eps"]), "act": ACTIVATIONS[c["hidden_act"]],
                    "rotary": rotary(c, d_head), "qkv_bias": c.get("attention_bias", False),
                    "out_bias": c.get("attention_bias", False), "mlp_bias": c.get("mlp_bias", False), **more})


def windows(c, first=1, full=lambda number: False):
    """The windows of the blocks from `first` on but those that are full; the list of a config comes first."""
    numbers = range(1, c["num_hidden_layers"] + 1)
    kinds = c.get("layer_types", ["full_attention" if number < first or full(number) else "sliding_attention"
                                  for number in numbers])
    return {"window": c["sliding_window"], "windowed": [n for n in numbers if kinds[n - 1] == "sliding_attention"]}


def mistral(c):
    return llama(c, **windows(c))


def qwen_windows(c):
    return windows(c, c.get("max_window_layers", 28) + 1) if c.get("use_sliding_window") else {}


def qwen2(c):
    return llama(c, qkv_bias=True, **qwen_windows(c))


def qwen3(c):
    return llama(c, qk_norm="head", **qwen_windows(c))


def mixtral(c):
    return llama(c, experts=(c["num_local_experts"], c["num_experts_per_tok"], True, 0))


def qwen2_moe(c):
    shared = c["shared_expert_intermediate_size"] // c["moe_intermediate_size"]
    experts = (c["num_experts"], c["num_experts_per_tok"], c["norm_topk_prob"], shared)
    return llama({**c, "intermediate_size": c["moe_intermediate_size"]}, qkv_bias=True, experts=experts)


def qwen3_moe(c):
    experts = (c["num_experts"], c["num_experts_per_tok"], c["norm_topk_prob"], 0)
    return llama({**c, "intermediate_size": c["moe_intermediate_size"]}, qk_norm="head", experts=experts)


def olmo2(c):
    return llama(c, places=("branch",), qk_norm="full")


def gemma(c, **more):
    c = {**c, "hidden_act": c["hidden_activation"]}
    return llama(c, norm=rms_norm(c["rms_norm_eps"], offset=1), **more)


def gemma2(c, **more):
    more = more or windows(c, full=lambda number: number % 2 == 0)
    return gemma(c, places=("pre", "branch"), scale=c["query_pre_attn_scalar"] ** -0.5,
                 score_cap=c.get("attn_logit_softcapping"), logit_cap=c.get("final_logit_softcapping"), **more)


def gemma3(c):
    both_sides, rope = c.get("use_bidirectional_attention", False), c.get("rope_parameters")
    local = {"rope_theta": c["rope_local_base_freq"]} if rope is None else rope["sliding_attention"]
    full = c if rope is None else {"rope_theta": rope["full_attention"]["rope_theta"],
                                   "rope_scaling": rope["full_attention"]}
    seen = windows(c, full=lambda number: number % c["sliding_window_pattern"] == 0)
    if both_sides:
        seen["window"] = seen["window"] // 2 + 1
    return gemma2(c, qk_norm="head", rotary=rotary(full, c["head_dim"]), rotary_local=rotary(local, c["head_dim"]),
                  stack="encoder" if both_sides else "decoder", **seen)


def gpt(c, **more):
    return dict(depth=c["n_layer"], d=c["n_embd"], heads=c["n_head"], f=c["n_inner"], mlp_bias=True,
                norm=layer_norm(c["layer_norm_epsilon"]), act=ACTIVATIONS[c["activation_function"]], **more)


def gpt2(c):
    return model(**gpt(c, qkv_bias=True, out_bias=True))


def gptj(c):
    return model(**gpt(c, parallel="one norm", head_bias=True, rotary=rotary(c, c["rotary_dim"], rotate_every_two)))


def by_distance(bias):
    """Less what the code adds to all scores of a query: the softmax ignores it, but the largest score shows it."""
    def subtracted(heads, T):
        scores = bias(heads, T)
        return scores - scores.transpose(1, 2)
    return subtracted


def bloom(c):
    return model(**gpt({**c, "activation_function": "gelu_new"}, qkv_bias=True, out_bias=True, input_norm=True,
                       alibi=by_distance(bloom_bias)))


def mpt(c):
    return model(depth=c["n_layers"], d=c["d_model"], heads=c["n_heads"], f=c["expansion_ratio"] * c["d_model"],
                 norm=lambda features: layer_norm_without_bias(features, 1e-5), act=F.gelu,
                 alibi=by_distance(mpt_bias))


def falcon_bias(heads, T, d_head):
    """As in Falcon's code, which adds BLOOM's bias before it divides the scores (without its rounding to bfloat16)."""
    return bloom_bias(heads, T) / math.sqrt(d_head)


def falcon(c):
    new, heads, d = c.get("new_decoder_architecture", False), c["num_attention_heads"], c["hidden_size"]
    d_head = d // heads
    kv_heads = c["num_kv_heads"] if new else 1 if c.get("multi_query", True) else heads
    parallel = None if not c.get("parallel_attn", True) else \
        "two norms" if new and c.get("num_ln_in_parallel_attn", 2) == 2 else "one norm"
    positions = dict(alibi=by_distance(lambda heads, T: falcon_bias(heads, T, d_head))) if c.get("alibi") else \
        dict(rotary=rotary(c, d_head))
    return model(depth=c["num_hidden_layers"], d=d, heads=heads, f=4 * d, kv_heads=kv_heads, parallel=parallel,
                 norm=layer_norm(c["layer_norm_epsilon"]), act=F.gelu, qkv_bias=c.get("bias", False),
                 out_bias=c.get("bias", False), mlp_bias=c.get("bias", False), **positions)


def all_biases(c, **more):
    return dict(sizes(c), norm=layer_norm(c["layer_norm_eps"]), act=ACTIVATIONS[c["hidden_act"]], qkv_bias=True,
                out_bias=True, mlp_bias=True, **more)


def neox(c):
    width = int(c["hidden_size"] // c["num_attention_heads"] * c["rotary_pct"])
    return model(**all_biases(c, parallel="two norms", rotary=rotary(c, width)))


def phi(c):
    width = int(c["partial_rotary_factor"] * (c["hidden_size"] // c["num_attention_heads"]))
    return model(**all_biases(c, parallel="one norm", head_bias=True, rotary=rotary(c, width)))


def bert(c):
    return model(**all_biases(c, stack="encoder", places=("post",), head_bias=True, input_norm=True,
                              head_act=ACTIVATIONS[c["hidden_act"]]))


def distilbert(c):
    return model(depth=c["n_layers"], d=c["dim"], heads=c["n_heads"], f=c["hidden_dim"], norm=layer_norm(1e-12),
                 act=ACTIVATIONS[c["activation"]], qkv_bias=True, out_bias=True, mlp_bias=True, stack="encoder",
                 places=("post",), head_bias=True, input_norm=True, head_act=ACTIVATIONS[c["activation"]])


def vit(c):
    return model(**all_biases(c, stack="encoder", head_bias=True), patch=c["patch_size"],
                 channels=c["num_channels"], grid=c["image_size"] // c["patch_size"], kernel=same)


def opt(c):
    return model(depth=c["num_hidden_layers"], d=c["hidden_size"], heads=c["num_attention_heads"], f=c["ffn_dim"],
                 norm=layer_norm(1e-5), act=ACTIVATIONS[c["activation_function"]], qkv_bias=True, out_bias=True,
                 mlp_bias=True)


def bart(c, place="post", input_norm=True):
    return model(stack="pair", depth=c["encoder_layers"], decoder_depth=c["decoder_layers"],
                 d=c["d_model"], heads=c["encoder_attention_heads"],
                 f=c["encoder_ffn_dim"], norm=layer_norm(1e-5), act=ACTIVATIONS[c["activation_function"]],
                 qkv_bias=True, out_bias=True, mlp_bias=True, places=(place,), input_norm=input_norm)


def mbart(c):
    return bart(c, "pre")


def marian(c):
    return bart(c, input_norm=False)


def pegasus(c):
    return bart(c, "pre", False)


def t5_bucket(offset, causal, buckets, longest):
    """The bucket of a key that is `offset` tokens after the query."""
    first, apart = 0, max(-offset, 0)
    if not causal:
        buckets //= 2
        first, apart = buckets * (offset > 0), abs(offset)
    exact = buckets // 2
    if apart < exact:
        return first + apart
    share = torch.log(torch.tensor(float(apart)) / exact) / math.log(longest / exact)
    return first + min(exact + int(share * (buckets - exact)), buckets - 1)


def t5(c):
    gate, _, act = c["feed_forward_proj"].rpartition("-")
    return model(stack="pair", depth=c["num_layers"],
                 decoder_depth=c.get("num_decoder_layers", c["num_layers"]),
                 d=c["d_model"], heads=c["num_heads"], d_head=c["d_kv"],
                 f=c["d_ff"], norm=rms_norm(c["layer_norm_epsilon"]), scale=1.0, gated=gate == "gated",
                 logit_scale=c["d_model"] ** -0.5 if c["tie_word_embeddings"] else 1.0,
                 relative=(c["relative_attention_num_buckets"], c["relative_attention_max_distance"]),
                 act=gelu_new if gate else ACTIVATIONS[act])


# ---- the whole model ----

def leaf(array):
    return torch.tensor(array, dtype=torch.float64).requires_grad_()


def load(linear, matrix):
    with torch.no_grad():
        linear.weight.copy_(torch.tensor(matrix).T)
        if linear.bias is not None:
            linear.bias.zero_()


def gradient_norm(parameters):
    return math.hypot(*(0.0 if p.grad is None else float(p.grad.norm()) for p in parameters))


def norm_gradients(norm, name):
    return {f"{'gain' if kind == 'weight' else 'bias'}_{name}": gradient_norm([p])
            for kind, p in norm.named_parameters()}


def map_gradients(linear, name):
    """"cross_q" has the gradients "cross_w_q" and "cross_b_q"."""
    w, last = ("cross_", name[6:]) if name.startswith("cross_") else ("", name)
    return {f"{w}{'w' if kind == 'weight' else 'b'}_{last}": gradient_norm([p])
            for kind, p in linear.named_parameters()}


def stream_values(x):
    return {"rms_x": float(x.detach().square().mean().sqrt()), "grad_x": float(x.grad.norm())}


def block_values(block):
    values, sums = {name: float(value) for name, value in block.seen.items()}, {sub: [] for sub in block.subs}
    for name, norm in block.norms.items():
        values.update(norm_gradients(norm, name))
        sums[name.split("_")[0]] += norm.parameters()
    for name, linear in block.maps.items():
        values.update(map_gradients(linear, name))
        sums["ffn" if name in "123" else "cross" if name.startswith("cross_") else "attn"] += linear.parameters()
    if block.sparse is not None:
        values.update(block.sparse.site())
        sums["ffn"] += block.sparse.parameters()
    values.update({sub: gradient_norm(parameters) for sub, parameters in sums.items()})
    return {**values, "block": gradient_norm(block.parameters())}


class Patches(nn.Module):
    """The embeddings of modeling_vit.py: a convolution whose steps are as long as its kernel, the class token in front,
    positions added. A dump has the pixels of a patch in one row and the class token and positions in one array."""

    def __init__(self, m, arrays):
        super().__init__()
        side, grid = m.patch, m.grid
        pixels = torch.tensor(arrays["pixels"], dtype=torch.float64)[:, 1:]
        tiles = pixels.reshape(len(pixels), grid, grid, m.channels, side, side)
        self.images = tiles.permute(0, 3, 1, 4, 2, 5).reshape(len(pixels), m.channels, grid * side, grid * side)
        self.projection = nn.Conv2d(m.channels, m.d, kernel_size=side, stride=side).double()
        with torch.no_grad():
            kernel = torch.tensor(arrays["block000/w_patch"]).T.reshape(m.d, m.channels, side, side)
            self.projection.weight.copy_(m.kernel(kernel))
            self.projection.bias.zero_()
        self.added = torch.tensor(arrays["x0_added"], dtype=torch.float64)

    def forward(self):
        patches = self.projection(self.images).flatten(2).transpose(1, 2)
        return torch.cat([torch.zeros_like(patches[:, :1]), patches], dim=1) + self.added


class Part(nn.Module):
    """A stack of blocks with the norms at its ends; `prefix` is the folder of its weights, `x` its input."""

    def __init__(self, m, arrays, prefix, x, causal, has_cross=False):
        super().__init__()
        self.x = leaf(arrays[x])
        self.embedding = None if m.patch is None else Patches(m, arrays)
        self.first = m.norm(m.d) if m.input_norm else nn.Identity()
        depth = m.decoder_depth if has_cross else m.depth
        self.blocks = nn.ModuleList(Block(m, i + 1, causal, has_cross) for i in range(depth))
        self.last = m.norm(m.d) if m.final_norm else nn.Identity()
        self.double()
        self.table, self.rule = None, (causal, *(m.relative or ()))
        if m.relative is not None:
            self.table = leaf(arrays[f"{prefix}block000/relative_bias"])
            for block in self.blocks:
                block.biases = self.biases
        for number, block in enumerate(self.blocks, start=1):
            for name, linear in block.maps.items():
                w, end = ("cross_w_", name[6:]) if name.startswith("cross_") else ("w_", name)
                load(linear, arrays[f"{prefix}block{number:03d}/{w}{end}"])
            if block.sparse is not None:
                folder = f"{prefix}block{number:03d}/"
                block.sparse.load({name.removeprefix(folder): torch.tensor(array) for name, array in arrays.items()
                                   if name.startswith(folder)})

    def forward(self, memory=None):
        self.stream = [self.first(self.x if self.embedding is None else self.embedding())]
        for block in self.blocks:
            self.stream.append(block(self.stream[-1], memory))
        for x in self.stream:
            x.retain_grad()
        return self.last(self.stream[-1])

    def biases(self, T):
        rows = [[t5_bucket(key - query, *self.rule) for key in range(T)] for query in range(T)]
        return self.table[torch.tensor(rows)].permute(2, 0, 1)

    def values(self):
        sites = [{**stream_values(self.stream[0]), **norm_gradients(self.first, "input")}]
        if self.table is not None:
            sites[0]["relative_bias"] = float(self.table.grad.norm())
        if self.embedding is not None:
            sites[0].update(map_gradients(self.embedding.projection, "patch"))
        return sites + [{**block_values(block), **stream_values(x)}
                        for block, x in zip(self.blocks, self.stream[1:])]


def measure(m, arrays):
    """Return [{quantity: value}] by site of the model m with the weights and the input of a dump."""
    if m.stack == "pair":
        parts = [Part(m, arrays, "encoder/", "x0", False), Part(m, arrays, "decoder/", "y0", True, True)]
    else:
        parts = [Part(m, arrays, "", "x0", m.stack == "decoder")]
    head = nn.Linear(*arrays["head/w_head"].shape, bias=m.head_bias).double()
    load(head, arrays["head/w_head"])
    out = None
    for part in parts:
        out = part(out)
    if m.head_act is not None:
        dense, norm = nn.Linear(m.d, m.d).double(), m.norm(m.d).double()
        load(dense, arrays["head/w_head_dense"])
        out = norm(m.head_act(dense(out)))
    logits = m.logit_scale * head(out)
    if m.logit_cap is not None:
        logits = m.logit_cap * torch.tanh(logits / m.logit_cap)
    targets = torch.tensor(arrays["targets"]).long()
    if m.patch is not None:  # the class token alone predicts, as in ViTForImageClassification
        logits, targets = logits[:, :1], targets[:, :1]
    loss = F.cross_entropy(logits.flatten(0, 1), targets.flatten())
    loss.backward()
    sites = [site for part in parts for site in part.values()]
    sites.append({"loss": float(loss), **map_gradients(head, "head")})
    if m.head_act is not None:
        sites[-1].update({**map_gradients(dense, "head_dense"), **norm_gradients(norm, "head_dense")})
    for part, name in zip(parts[::-1], ("final", "encoder_final")):
        sites[-1].update(norm_gradients(part.last, name))
    return sites
