# Copyright (C) 2026 The Normscope developers
# SPDX-License-Identifier: GPL-3.0-or-later
"""Compare the import of each family of models with a plain PyTorch model of its published code.

    family_check.py NORMSCOPE_CLI MODELS.md
    family_check.py NORMSCOPE_CLI --print

A small config.json of each family is given to `normscope-cli dump`, which imports it, draws weights and input, and
measures the model. The plain model of tests/golden/family_models.py reads the same config, takes the same weights and
input, and computes in float64; so does tests/golden/reference.py. The differences are those of the table in MODELS.md.
"""

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

import family_models as plain  # noqa: E402
from family_llama4 import llama4  # noqa: E402
import reference  # noqa: E402
from cli import Cli  # noqa: E402

TOLERANCE = 1e-5            # of the program, which computes in float32
REFERENCE_TOLERANCE = 1e-13
# A number of the table and one measured elsewhere are rounding errors of different orders of summation.
FACTOR = 8
PARAMETERS = ("w_", "b_", "gain_", "bias_", "cross_w_", "cross_b_", "relative_")

# Sizes at which few tokens tell positions, heads and tensors apart.
STANDARD = {"num_hidden_layers": 3, "hidden_size": 32, "num_attention_heads": 4, "intermediate_size": 44,
            "vocab_size": 37, "initializer_range": 0.2}
SEQ2SEQ = {"encoder_layers": 2, "decoder_layers": 2, "d_model": 32, "encoder_attention_heads": 4,
           "decoder_attention_heads": 4, "encoder_ffn_dim": 44, "decoder_ffn_dim": 44, "init_std": 0.2,
           "vocab_size": 37}
GPT = {"n_layer": 3, "n_embd": 32, "n_head": 4, "n_inner": 44, "vocab_size": 37, "initializer_range": 0.2,
       "layer_norm_epsilon": 1e-5, "activation_function": "gelu_new"}
T5 = {"num_layers": 2, "d_model": 32, "num_heads": 4, "d_kv": 16, "d_ff": 44, "vocab_size": 37,
      "layer_norm_epsilon": 1e-6, "relative_attention_num_buckets": 8, "relative_attention_max_distance": 6}
T5_PLAIN = {**T5, "feed_forward_proj": "relu", "tie_word_embeddings": True}
T5_GATED = {**T5, "feed_forward_proj": "gated-gelu", "tie_word_embeddings": False}
LLAMA = {**STANDARD, "num_key_value_heads": 2, "rms_norm_eps": 1e-6, "hidden_act": "silu", "rope_theta": 100.0}
EXPERTS = {"num_experts": 4, "num_experts_per_tok": 3, "moe_intermediate_size": 22}
LLAMA4 = {**LLAMA, "head_dim": 8, "num_local_experts": 4, "num_experts_per_tok": 1, "use_qk_norm": True,
          "no_rope_layer_interval": 2}
GEMMA = {**LLAMA, "head_dim": 16, "hidden_activation": "gelu_pytorch_tanh"}
BERT = {**STANDARD, "layer_norm_eps": 1e-12, "hidden_act": "gelu"}
LONGER = {"factor": 4.0, "original_max_position_embeddings": 64}
LLAMA3 = {**LONGER, "rope_type": "llama3", "low_freq_factor": 1.0, "high_freq_factor": 4.0}
YARN = {**LONGER, "rope_type": "yarn"}
LONGROPE = {"rope_type": "longrope", "short_factor": [1.0, 1.2, 1.4, 1.1], "long_factor": [1.1, 1.5, 2.5, 4.0]}
FALCON = {"num_hidden_layers": 3, "hidden_size": 32, "num_attention_heads": 4, "vocab_size": 37,
          "initializer_range": 0.2, "layer_norm_epsilon": 1e-5, "rope_theta": 100.0}
IMAGE = {"id2label": {str(i): str(i) for i in range(37)}, "image_size": 6, "patch_size": 2, "num_channels": 3}

HALVES, NEIGHBOURS, LEARNED, SINES = "rotary, halves", "rotary, neighbours", "learned", "sinusoidal"
ALIBI, SCALED_ALIBI, WINDOWS = "ALiBi", "ALiBi, scaled", ", windows"
BIASES = "the relative position biases"
RELATIVE = "relative biases"

# Windows shorter than the sequences, of 9 tokens.
WINDOW = {"sliding_window": 4}
PATTERN = {**GEMMA, **WINDOW, "query_pre_attn_scalar": 24, "sliding_window_pattern": 3, "rope_theta": 1000.0,
           "rope_local_base_freq": 100.0}

# model_type, name, the module of Transformers that the plain model follows, its function here, the config, positions.
FAMILIES = [
    ("bart", "BART", "bart", plain.bart, {**SEQ2SEQ, "activation_function": "gelu"}, LEARNED),
    ("bert", "BERT", "bert", plain.bert, BERT, LEARNED),
    ("bloom", "BLOOM", "bloom", plain.bloom,
     {**{k: v for k, v in GPT.items() if k != "activation_function"}, "n_head": 6, "n_embd": 48}, ALIBI),
    ("camembert", "CamemBERT", "camembert", plain.bert, BERT, LEARNED),
    ("distilbert", "DistilBERT", "distilbert", plain.distilbert,
     {"n_layers": 3, "dim": 32, "n_heads": 4, "hidden_dim": 44, "vocab_size": 37, "initializer_range": 0.2,
      "activation": "gelu"}, LEARNED),
    ("falcon", "Falcon", "falcon", plain.falcon, {**FALCON, "multi_query": True}, HALVES),
    ("falcon", "Falcon, new blocks", "falcon", plain.falcon,
     {**FALCON, "new_decoder_architecture": True, "num_kv_heads": 2}, HALVES),
    ("falcon", "Falcon, new blocks, one norm", "falcon", plain.falcon,
     {**FALCON, "new_decoder_architecture": True, "num_kv_heads": 2, "num_ln_in_parallel_attn": 1}, HALVES),
    ("falcon", "Falcon-RW", "falcon", plain.falcon,
     {**FALCON, "multi_query": False, "parallel_attn": False, "alibi": True, "bias": True}, SCALED_ALIBI),
    ("fsmt", "FSMT", "fsmt", plain.marian, {**SEQ2SEQ, "src_vocab_size": 37, "tgt_vocab_size": 37,
                                            "activation_function": "relu"}, SINES),
    ("fsmt", "FSMT, two vocabularies", "fsmt", plain.marian, {**SEQ2SEQ, "src_vocab_size": 29, "tgt_vocab_size": 37,
                                                              "activation_function": "relu"}, SINES),
    ("gemma", "Gemma", "gemma", plain.gemma, GEMMA, HALVES),
    ("gemma2", "Gemma 2", "gemma2", plain.gemma2,
     {**GEMMA, **WINDOW, "query_pre_attn_scalar": 24, "attn_logit_softcapping": 1.0, "final_logit_softcapping": 1.5},
     HALVES + WINDOWS),
    ("gemma3_text", "Gemma 3", "gemma3", plain.gemma3,
     {**PATTERN, "rope_scaling": {"rope_type": "linear", "factor": 4.0}}, HALVES + ", linear" + WINDOWS),
    ("gemma3_text", "Gemma 3, to both sides", "gemma3", plain.gemma3,
     {**{k: v for k, v in PATTERN.items() if not k.startswith("rope")}, "use_bidirectional_attention": True,
      "layer_types": ["full_attention", "sliding_attention", "full_attention"],
      "rope_parameters": {"full_attention": {"rope_type": "default", "rope_theta": 1000.0},
                          "sliding_attention": {"rope_type": "default", "rope_theta": 50.0}}}, HALVES + WINDOWS),
    ("gpt2", "GPT-2", "gpt2", plain.gpt2, GPT, LEARNED),
    ("gpt_neox", "GPT-NeoX", "gpt_neox", plain.neox,
     {**BERT, "layer_norm_eps": 1e-5, "rotary_pct": 0.5, "rotary_emb_base": 100}, HALVES + ", half of a head"),
    ("gptj", "GPT-J", "gptj", plain.gptj, {**GPT, "rotary_dim": 4}, NEIGHBOURS + ", half of a head"),
    ("llama", "LLaMA", "llama", plain.llama, LLAMA, HALVES),
    ("llama", "LLaMA, linear scaling", "llama", plain.llama,
     {**LLAMA, "rope_scaling": {"rope_type": "linear", "factor": 4.0}}, HALVES + ", linear"),
    ("llama", "Llama 3.1", "llama", plain.llama, {**LLAMA, "rope_scaling": LLAMA3}, HALVES + ", llama3"),
    ("llama", "LLaMA with biases", "llama", plain.llama, {**LLAMA, "attention_bias": True, "mlp_bias": True}, HALVES),
    ("llama4_text", "Llama 4", "llama4", llama4, {**LLAMA4, "num_local_experts": 2, "rope_scaling": LLAMA3},
     NEIGHBOURS + ", llama3, not in all blocks"),
    ("llama4_text", "Llama 4 without QK-norm", "llama4", llama4,
     {**LLAMA4, "use_qk_norm": False, "num_experts_per_tok": 2, "no_rope_layer_interval": 3},
     NEIGHBOURS + ", not in all blocks"),
    ("marian", "Marian", "marian", plain.marian, {**SEQ2SEQ, "activation_function": "swish"}, SINES),
    ("bart", "BART, decoder of 3", "bart", plain.bart,
     {**SEQ2SEQ, "activation_function": "gelu", "decoder_layers": 3}, LEARNED),
    ("mbart", "mBART", "mbart", plain.mbart, {**SEQ2SEQ, "activation_function": "gelu"}, LEARNED),
    ("mistral", "Mistral", "mistral", plain.mistral, {**LLAMA, **WINDOW}, HALVES + WINDOWS),
    ("mixtral", "Mixtral", "mixtral", plain.mixtral, {**LLAMA, "num_local_experts": 4, "num_experts_per_tok": 2},
     HALVES),
    ("mpt", "MPT", "mpt", plain.mpt, {"n_layers": 3, "d_model": 48, "n_heads": 6, "expansion_ratio": 2,
                                      "vocab_size": 37, "initializer_range": 0.2}, ALIBI),
    ("mt5", "mT5", "mt5", plain.t5, T5_GATED, RELATIVE),
    ("olmo2", "OLMo 2", "olmo2", plain.olmo2, LLAMA, HALVES),
    ("opt", "OPT", "opt", plain.opt, {"num_hidden_layers": 3, "hidden_size": 32, "num_attention_heads": 4,
                                      "ffn_dim": 44, "vocab_size": 37, "init_std": 0.2,
                                      "activation_function": "relu"}, LEARNED),
    ("pegasus", "Pegasus", "pegasus", plain.pegasus, {**SEQ2SEQ, "activation_function": "relu"}, SINES),
    ("phi", "Phi", "phi", plain.phi, {**BERT, "layer_norm_eps": 1e-5, "hidden_act": "gelu_new", "rope_theta": 100.0,
                                      "partial_rotary_factor": 0.5}, HALVES + ", half of a head"),
    ("phi3", "Phi-3", "phi3", plain.mistral, {**LLAMA, "sliding_window": 2}, HALVES + WINDOWS),
    ("phi3", "Phi-3, LongRoPE", "phi3", plain.llama,
     {**LLAMA, "rope_scaling": LONGROPE, "max_position_embeddings": 64, "original_max_position_embeddings": 16},
     HALVES + ", longrope"),
    ("phi3", "Phi-3, LongRoPE, longer sequences", "phi3", plain.llama,
     {**LLAMA, "rope_scaling": {**LONGROPE, "factor": 3.0, "original_max_position_embeddings": 8}},
     HALVES + ", longrope"),
    ("qwen2", "Qwen2", "qwen2", plain.qwen2, {**LLAMA, **WINDOW, "use_sliding_window": True, "max_window_layers": 1},
     HALVES + WINDOWS),
    ("qwen2", "Qwen2, YaRN", "qwen2", plain.qwen2, {**LLAMA, **WINDOW, "rope_scaling": YARN}, HALVES + ", yarn"),
    ("qwen2", "Qwen2, YaRN with mscale, fractional ramp", "qwen2", plain.qwen2,
     {**LLAMA, "rope_scaling": {**YARN, "mscale": 2.0, "mscale_all_dim": 0.5, "truncate": False, "beta_fast": 8}},
     HALVES + ", yarn"),
    ("qwen2", "Qwen2, YaRN with a factor", "qwen2", plain.qwen2,
     {**LLAMA, "rope_scaling": {**YARN, "attention_factor": 1.3, "beta_slow": 0.5}}, HALVES + ", yarn"),
    ("qwen3", "Qwen3", "qwen3", plain.qwen3,
     {**LLAMA, "sliding_window": 3, "head_dim": 16, "use_sliding_window": True,
      "layer_types": ["sliding_attention", "full_attention", "sliding_attention"]}, HALVES + WINDOWS),
    ("qwen2_moe", "Qwen2-MoE", "qwen2_moe", plain.qwen2_moe,
     {**LLAMA, **EXPERTS, "norm_topk_prob": False, "shared_expert_intermediate_size": 44}, HALVES),
    ("qwen3_moe", "Qwen3-MoE", "qwen3_moe", plain.qwen3_moe,
     {**LLAMA, **EXPERTS, "norm_topk_prob": True, "head_dim": 16}, HALVES),
    ("roberta", "RoBERTa", "roberta", plain.bert, BERT, LEARNED),
    ("t5", "T5", "t5", plain.t5, T5_PLAIN, RELATIVE),
    ("t5", "T5, decoder of 1", "t5", plain.t5, {**T5_PLAIN, "num_decoder_layers": 1}, RELATIVE),
    ("vit", "ViT", "vit", plain.vit, {**BERT, **IMAGE}, LEARNED),
    ("xlm-roberta", "XLM-RoBERTa", "xlm_roberta", plain.bert, BERT, LEARNED),
]


def dump(cli, family):
    """Return (experiment, arrays, {quantity: [value per site]} of the program) of the family's config."""
    model_type, config = family[0], family[4]
    with tempfile.TemporaryDirectory(prefix="normscope-family-") as folder:
        path, out = Path(folder) / "config.json", Path(folder) / "dump"
        path.write_text(json.dumps({"model_type": model_type, **config}), encoding="utf-8")
        size = ["--batch", 2] + (["--seq-len", 9] if "image_size" not in config else [])
        cli.call("dump", path, *size, "--out", out)
        seen, arrays = reference.load_dump(out)
        result = json.loads((out / "result.json").read_text(encoding="utf-8"))
    return seen, arrays, reference.result_values(result, seen)


def is_rounding(name, m):
    """Without positions, a key bias shifts all scores of a query alike; its gradient is 0."""
    return name in ("b_k", "cross_b_k") and (m.rotary is None or name == "cross_b_k")


def compare(ours, m, arrays):
    """Return (number of values, largest relative difference, its place) between ours and the plain model."""
    count, worst, place = 0, 0.0, ""
    theirs = plain.measure(m, arrays)
    for site, values in enumerate(theirs):
        extra = {name for name, found in ours.items() if name.startswith(PARAMETERS) and found[site] is not None}
        assert extra <= set(values), f"the model has no {extra - set(values)} at site {site}"
        for name, want in values.items():
            have = ours[name][site] if name in ours else None
            assert have is not None, f"the program has no {name} at site {site}"
            if is_rounding(name, m):
                continue
            count += 1
            off = abs(have - want) / abs(want)
            assert math.isfinite(off), f"{name} at site {site} is {have}, expected {want}"
            if off > worst:
                worst, place = off, f"{name} at site {site}"
    return count, worst, place


def check(cli, family, rows):
    _, name, module, build, config, positions = family
    seen, arrays, ours = dump(cli, family)
    m = build(config)
    count, worst, place = compare(ours, m, arrays)
    _, exact, exact_place = compare(reference.measure(seen, arrays), m, arrays)
    rows.append((name, f"`modeling_{module}.py`", positions, str(count), f"{worst:.0e}"))
    assert worst <= TOLERANCE, f"{place} differs by {worst:.2g}"
    assert exact <= REFERENCE_TOLERANCE, f"reference: {exact_place} differs by {exact:.2g}"
    return f"{count} values; worst relative difference {worst:.2g} ({place}), of the reference {exact:.2g}"


# ---- planted errors ----

def wrong_models(family):
    """Yield (what is wrong, a plain model with a small error)."""
    _, _, _, build, config, positions = family
    wrong = build(config)
    wrong.act = plain.gelu_new if wrong.act is not plain.gelu_new else plain.F.gelu
    yield "activation", wrong
    wrong = build(config)
    wrong.scale *= 1.001
    yield "scale of the attention", wrong
    wrong = build(config)
    norm = wrong.norm
    wrong.norm = lambda features: spoiled(norm(features))
    yield "epsilon of the norms", wrong
    for cap in ("score_cap", "logit_cap"):
        if getattr(wrong, cap) is not None:
            wrong = build(config)
            setattr(wrong, cap, 1.01 * getattr(wrong, cap))
            yield cap, wrong
    if positions in (ALIBI, SCALED_ALIBI):
        wrong = build(config)
        wrong.alibi = None
        yield "no bias of the scores", wrong
        wrong = build(config)
        right = wrong.alibi
        wrong.alibi = lambda heads, T: 1.001 * right(heads, T)
        yield "scale of the bias", wrong
    if wrong.window is not None:
        for what, change in (("length", {"window": wrong.window + 1}), ("blocks", {"windowed": wrong.windowed[1:]})):
            wrong = build(config)
            vars(wrong).update(change)
            yield f"{what} of the window", wrong
    if wrong.rotary_local is not None:
        wrong = build(config)
        wrong.rotary_local = wrong.rotary
        yield "rotary positions in windows", wrong
    if positions == RELATIVE:
        wrong = build(config)
        wrong.relative = 8, 7
        yield "distance of the last bias", wrong
    if wrong.head_act is not None:
        wrong = build(config)
        wrong.head_act = plain.gelu_new if wrong.head_act is not plain.gelu_new else plain.F.gelu
        yield "activation before the head", wrong
    if "longrope" in positions:
        wrong = build(config)
        wrong.rotary.angles, wrong.rotary.long_angles = wrong.rotary.long_angles, wrong.rotary.angles
        yield "long factors for short ones", wrong
    if wrong.experts is not None:
        wrong = build(config)
        count, k, normalize, shared = wrong.experts
        wrong.experts = (count, k, not normalize, shared)
        yield "weights of the experts", wrong
    if wrong.patch is not None:
        wrong = build(config)
        wrong.kernel = lambda kernel: kernel.transpose(2, 3)
        yield "rows and columns of a patch", wrong
    if not positions.startswith("rotary"):
        return
    for what, change in (("base", lambda r: vars(r).update(angles=r.angles * 1.001, original=math.inf)),
                         ("factor", lambda r: setattr(r, "factor", r.factor * 1.001)),
                         ("pairs", lambda r: setattr(r, "rotate", plain.rotate_half if r.rotate is
                                                     plain.rotate_every_two else plain.rotate_every_two))):
        wrong = build(config)
        if what == "factor" and wrong.after is not plain.same:
            continue  # a norm takes it out again
        change(wrong.rotary)
        yield f"rotary {what}", wrong
    wrong = build(config)
    wrong.rotary = None
    yield "no rotary positions", wrong
    if wrong.unturned:
        for what, change in (("blocks", {"unturned": ()}), ("norm", {"after": lambda x: 1.001 * x})):
            wrong = build(config)
            vars(wrong).update(change)
            yield f"{what} of rotary positions", wrong


def spoiled(norm):
    norm.eps += 1e-3
    return norm


def errors_are_detected(cli):
    count = 0
    for family in FAMILIES:
        _, arrays, ours = dump(cli, family)
        for what, wrong in wrong_models(family):
            assert compare(ours, wrong, arrays)[1] > TOLERANCE, f"{family[1]}: {what} is not detected"
            count += 1
    return f"{count} errors"


# ---- the table ----

HEAD = ("model", "published code", "positions", "values", "worst difference")


def table(rows):
    lines = [HEAD, ["---"] * len(HEAD), *rows]
    return "".join("| " + " | ".join(line).replace("|  |", "| |") + " |\n" for line in lines)


def cells(line):
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def the_table_has_these_numbers(path, rows):
    text = Path(path).read_text(encoding="utf-8")
    found = text.split("<!-- agreement", 1)[1].split("\n", 1)[1].split("<!-- /agreement -->")[0].splitlines()
    assert found[:2] == table(rows).splitlines()[:2], found[:2]
    assert len(found) - 2 == len(rows), f"{len(found) - 2} rows, expected {len(rows)}"
    for line, row in zip(found[2:], rows):
        written = cells(line)
        assert written[:4] == list(row[:4]), f"{written}, expected {row}"
        says, is_now = float(written[4]), float(row[4])
        assert says / FACTOR <= is_now <= says * FACTOR, f"{row[0]}: the table has {says}, now it is {is_now}"


def tied_heads_are_the_embedding(cli):
    """Gemma has no positions at the input: each of its tokens is √d times a column of the head, LLaMA's is none."""
    for name, tied in (("Gemma", True), ("Gemma 2", True), ("LLaMA", False)):
        _, arrays, _ = dump(cli, next(family for family in FAMILIES if family[1] == name))
        head, tokens = np.asarray(arrays["head/w_head"]).T, np.asarray(arrays["x0"]).reshape(-1, 32)
        cosines = tokens @ head.T / np.outer(np.linalg.norm(tokens, axis=1), np.linalg.norm(head, axis=1))
        found = np.abs(tokens[:, None] - math.sqrt(32) * head).max(-1).min(-1).max()
        assert (found < 1e-5) == tied and (cosines.max(-1).min() > 1 - 1e-6) == tied, f"{name}: {found}"
    return "3 models"


def every_family_is_compared(cli):
    """The program's own list of families, in its message about an unknown one."""
    with tempfile.TemporaryDirectory(prefix="normscope-family-") as folder:
        path = Path(folder) / "config.json"
        path.write_text('{"model_type": "no such family"}', encoding="utf-8")
        try:
            cli.call("link", path)
        except RuntimeError as error:
            known = set(str(error).split("supported: ")[1].strip().split(", "))
    different = known ^ {family[0] for family in FAMILIES}
    assert not different, different
    return f"{len(known)} families"


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    cli, rows = Cli(sys.argv[1]), []
    if sys.argv[2] == "--print":
        for family in FAMILIES:
            check(cli, family, rows)
        print(table(rows), end="")
        return
    tap = Tap()
    for family in FAMILIES:
        tap.run(check, cli, family, rows, name=family[1])
    tap.run(errors_are_detected, cli)
    tap.run(tied_heads_are_the_embedding, cli)
    tap.run(every_family_is_compared, cli)
    tap.run(the_table_has_these_numbers, sys.argv[2], rows)
    tap.finish()


if __name__ == "__main__":
    main()
