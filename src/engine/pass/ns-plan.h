/* A variant's settings, turned into the constants of its equations.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Threads: immutable after ns_plan_init().
 */
#pragma once

#include "engine/experiment/ns-parts.h"
#include "engine/experiment/ns-quantity.h"
#include "engine/experiment/ns-settings.h"
#include "engine/experiment/ns-weight-source.h"
#include "engine/ops/ns-random.h"
#include "engine/ops/ns-routing.h"

typedef struct
{
  const NsExperiment *experiment; /* borrowed */
  const NsVariant *variant;       /* borrowed */
  NsParts parts;                  /* of this pass */
  gsize B, T, N;                  /* sequences of all minibatches, tokens in each, tokens in all: N = B·T */
  gsize M;                        /* minibatches: rows m·N/M .. (m + 1)·N/M − 1 of an array [N, …] are those of m */
  gsize C, F, V;                  /* d_model, d_ff, vocabulary */
  gsize P;                        /* pixels of a patch of the input; 0: the input is no patches */
  gsize D, H, G;                  /* features of a head, query heads, key and value heads */
  gsize n, X;                     /* residual streams, 0 with a plain residual; features of all: max (n, 1)·C */
  gsize E, k;                     /* experts, and those of a token; 0: a plain FFN */
  double b[2];                    /* branch scale in each part */
  double logit_scale;             /* factor on the logits */
  double score_cap, logit_cap;    /* soft caps of scores and of logits; 0: none */
  gboolean gated, final_norm, encoder_norm, head_transform;
  NsDistribution distribution;
  float truncate; /* NsRandomKey's, of all normal weights */
} NsPlan;

/* Fill the plan for a valid experiment, which has to outlive it. */
void ns_plan_init (NsPlan *plan, const NsExperiment *experiment, guint variant);
/* Sites as in ns-parts.h, at the pass's own depth. */
gint64 ns_plan_get_head_site (const NsPlan *plan);
NsPart ns_plan_get_part (const NsPlan *plan, gint64 site);
gint64 ns_plan_get_index (const NsPlan *plan, gint64 site);
gint64 ns_plan_get_layer (const NsPlan *plan, gint64 site);
gint64 ns_plan_get_depth (const NsPlan *plan, gint64 site);
gint64 ns_plan_get_input (const NsPlan *plan, gint64 part);
gint64 ns_plan_get_last (const NsPlan *plan, gint64 part);

/* Return the standard deviation of a weight matrix of the block at a site, or of the head: init scheme,
 * residual rule and μP together. */
double ns_plan_get_std (const NsPlan *plan, NsTensor tensor, gint64 site);
/* Return d_model over the base width of μP (Yang et al. 2022, arXiv:2203.03466), 1 with the standard scaling. */
double ns_plan_get_mup_ratio (const NsPlan *plan);
/* Return the distribution of a weight matrix: that of the init scheme, but normal for a head with a rule of its own. */
NsDistribution ns_plan_get_distribution (const NsPlan *plan, NsTensor tensor);
/* Return the value that every element of a gain, bias, α or branch scale at a site starts with. */
double ns_plan_get_initial (const NsPlan *plan, NsTensor tensor, gint64 site);
/* Return the value that one element of such a vector starts with: what mixes streams differs in its elements. */
double ns_plan_get_initial_element (const NsPlan *plan, NsTensor tensor, gint64 site, gsize element);
/* Return the standard deviation of relative position biases: 1/√d_model (code of T5), with μP at the base width. */
double ns_plan_get_relative_bias_std (const NsPlan *plan);
/* Return c, the factor on the input of a part. */
double ns_plan_get_input_scale (const NsPlan *plan, gint64 part);
/* Return TRUE when W_head is Eᵀ, the embedding's matrix [V, C] transposed. */
gboolean ns_plan_has_tied_head (const NsPlan *plan);
/* Return the random stream of a weight matrix. An encoder has the streams of a single stack. */
NsStream ns_tensor_get_stream (NsTensor tensor, NsPart part);
/* Return the matrix that a stream belongs to. */
NsTensor ns_stream_get_tensor (NsStream stream);
/* Return the placement of a sub-layer's norms in the block at a site. */
NsPlacement ns_plan_get_placement (const NsPlan *plan, NsSub sub, gint64 site);
/* Return a: the residual scale of a sub-layer of the block at a site, 0 without a residual. */
double ns_plan_get_residual_scale (const NsPlan *plan, NsSub sub, gint64 site);
/* Return b: the branch scale in the block at a site. */
double ns_plan_get_branch_scale (const NsPlan *plan, gint64 site);
/* Return 1/√l for LayerNorm scaling (Sun et al. 2025), else 1. */
double ns_plan_get_norm_scale (const NsPlan *plan, gint64 site);
/* Get the shape of a norm's input: the features of one norm, and the number of rows, N or N times the number of
 * heads. */
void ns_plan_get_norm_shape (const NsPlan *plan, NsNormPlace norm, gsize *rows, gsize *features);
/* Return the sizes of the routing of a variant with experts. */
NsRoutingShape ns_plan_get_routing_shape (const NsPlan *plan);
/* Return s, the factor on embedded tokens and patches. */
double ns_plan_get_embed_scale (const NsPlan *plan);
/* Return the table in which part 0 .. n − 1 looks up its tokens. */
NsTable ns_plan_get_embedding (const NsPlan *plan, gint64 part);
/* Return the standard deviation of the embedding. */
double ns_plan_get_embed_std (const NsPlan *plan);
/* nGPT: return the factor from the stored values of a learned step or learned factors to those that are used. */
double ns_plan_get_ngpt_unit (const NsPlan *plan, NsTensor tensor);
/* Return TRUE when W_Q = W_K = 0, so that every visible position has the same weight. */
gboolean ns_plan_is_uniform (const NsPlan *plan);
/* Return TRUE when a token sees only itself and earlier tokens: in a causal stack and in a decoder's self-attention. */
gboolean ns_plan_is_causal (const NsPlan *plan, NsSub sub, gint64 site);
/* Return the tokens that a token sees at most in the attention of the block at a site; 0: all. */
gsize ns_plan_get_window (const NsPlan *plan, NsSub sub, gint64 site);
/* Return the factor on q·kᵀ. In cosine attention the norms leave vectors of length √D, which it divides out. */
double ns_plan_get_attention_scale (const NsPlan *plan);
/* Return the factor on ALiBi's biases: 1, or that on q·kᵀ, in cosine attention of vectors of length 1. */
double ns_plan_get_alibi_factor (const NsPlan *plan);
