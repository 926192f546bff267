/* Phrases for the names of variants, for ns-variant-name.c alone.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <glib/gi18n-lib.h>

/* Phrases that are shorter than "parameter: value". */
static const struct
{
  const char *path;
  const char *value; /* NULL matches every value, which replaces %s */
  const char *phrase;
} phrases[] = {
  { "attn.residual", "false", N_ ("no attention residual") },
  { "cross.residual", "false", N_ ("no cross-attention residual") },
  { "ffn.residual", "false", N_ ("no FFN residual") },
  { "attn.inner_norm", "true", N_ ("attention inner norm") },
  { "attn.inner_norm", "false", N_ ("no attention inner norm") },
  { "ffn.inner_norm", "true", N_ ("FFN inner norm") },
  { "ffn.inner_norm", "false", N_ ("no FFN inner norm") },
  { "attention_output", "false", N_ ("no output projection") },
  { "bias", "true", N_ ("biases") },
  { "bias", "false", N_ ("no biases") },
  { "bias_qkv", "true", N_ ("biases of q, k, v") },
  { "bias_qkv", "false", N_ ("no biases of q, k, v") },
  { "bias_k", "true", N_ ("key biases") },
  { "bias_k", "false", N_ ("no key biases") },
  { "bias_output", "true", N_ ("output biases") },
  { "bias_output", "false", N_ ("no output biases") },
  { "bias_ffn", "true", N_ ("FFN biases") },
  { "bias_ffn", "false", N_ ("no FFN biases") },
  { "bias_norms", "true", N_ ("norm biases") },
  { "bias_norms", "false", N_ ("no norm biases") },
  { "bias_head", "true", N_ ("head biases") },
  { "bias_head", "false", N_ ("no head biases") },
  { "rotary", "none", N_ ("no rotary positions") },
  { "rotary", "half", N_ ("rotary") },
  { "rotary", "interleaved", N_ ("rotary of neighbours") },
  { "rotary_skip_every", "null", N_ ("rotary in all blocks") },
  { "rotary_skip_every", NULL, N_ ("no rotary every %s blocks") },
  { "init.truncate", "null", N_ ("not truncated") },
  /* Translators: normal weights, "truncated at 2σ" */
  { "init.truncate", NULL, N_ ("truncated at %sσ") },
  { "position_bias", "none", N_ ("no position bias") },
  { "position_bias", "t5", N_ ("relative biases") },
  { "position_bias", NULL, "%s" },
  { "window", "null", N_ ("no window") },
  { "window", NULL, N_ ("window of %s") },
  { "score_cap", "null", N_ ("no soft cap of scores") },
  { "score_cap", NULL, N_ ("scores capped at %s") },
  { "logit_scale", NULL, N_ ("logits × %s") },
  { "logit_cap", "null", N_ ("no soft cap of logits") },
  { "logit_cap", NULL, N_ ("logits capped at %s") },
  { "experts", "null", N_ ("no experts") },
  { "experts", NULL, N_ ("%s experts") },
  { "experts_per_token", NULL, N_ ("%s experts per token") },
  { "expert_weights", "normalized", N_ ("normalized expert weights") },
  { "expert_weights", "softmax", N_ ("softmax expert weights") },
  { "expert_weights", "sigmoid-input", N_ ("sigmoid weights of expert inputs") },
  { "shared_experts", "null", N_ ("no shared expert") },
  { "shared_experts", NULL, N_ ("shared expert of width %s") },
  { "sublayers", "both", N_ ("attention and FFN") },
  { "sublayers", "attention", N_ ("attention only") },
  { "sublayers", "ffn", N_ ("FFN only") },
  { "shared_expert_gate", "true", N_ ("shared expert with a gate") },
  { "shared_expert_gate", "false", N_ ("shared expert without a gate") },
  { "first_block_pre", "true", N_ ("Pre-LN first block") },
  { "first_block_pre", "false", N_ ("no Pre-LN first block") },
  { "block_residual", "true", N_ ("block residual") },
  { "block_residual", "false", N_ ("no block residual") },
  { "dual_residual", "true", N_ ("dual residual") },
  { "dual_residual", "false", N_ ("no dual residual") },
  { "streams", "null", N_ ("one stream") },
  { "streams", NULL, N_ ("Hyper-Connections ×%s") },
  { "stream_weights", "static", N_ ("static weights of streams") },
  { "stream_weights", "dynamic", N_ ("dynamic weights of streams") },
  { "stream_weights", "manifold", N_ ("mHC") },
  { "ngpt", "true", N_ ("nGPT") },
  { "ngpt", "false", N_ ("no nGPT") },
  { "input_norm", "true", N_ ("input norm") },
  { "input_norm", "false", N_ ("no input norm") },
  { "final_norm", "on", N_ ("final norm") },
  { "final_norm", "off", N_ ("no final norm") },
  { "head_transform", "true", N_ ("head transform") },
  { "head_transform", "false", N_ ("no head transform") },
  { "warmup", "0", N_ ("no warm-up") },
  { "warmup", NULL, N_ ("warm-up %s") },
  { "learning_rate", NULL, N_ ("learning rate %s") },
  { "optimizer", NULL, "%s" },
  /* Translators: a learning rate after the warm-up, "Cosine schedule" */
  { "schedule", NULL, N_ ("%s schedule") },
  { "norm", NULL, "%s" },
  { "activation", NULL, "%s" },
  { "topology", NULL, "%s" },
  /* Translators: a kind of attention, "Causal attention" */
  { "attention", NULL, N_ ("%s attention") },
  /* Translators: an initialization scheme, "Xavier uniform init" */
  { "init.scheme", NULL, N_ ("%s init") },
};
