/* A variant's settings as the constants of its equations.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Threads: immutable once made.
 */
#pragma once

#include "engine/experiment/ns-quantity.h"
#include "engine/experiment/ns-settings.h"
#include "engine/ops/ns-random.h"

typedef struct
{
  const NsExperiment *experiment; /* borrowed */
  const NsVariant *variant;       /* borrowed */
  gint64 depth;                   /* L of this pass */
  gsize B, T, N, C, F, V;
  gsize D, H, G;                  /* features of a head, query heads, key and value heads */
  gint64 n_parts;                 /* 2: an encoder, then a decoder */
  double b;                       /* branch scale */
  gboolean gated, final_norm, encoder_norm;
  gboolean norm_bias;             /* norms have a bias */
  NsDistribution distribution;
} NsPlan;

/* The experiment is valid. */
void ns_plan_init (NsPlan *plan, const NsExperiment *experiment, guint variant);
/* Sites as in ns-quantity.h, at the pass's own depth. */
gint64 ns_plan_get_head_site (const NsPlan *plan);
NsPart ns_plan_get_part (const NsPlan *plan, gint64 site);
gint64 ns_plan_get_layer (const NsPlan *plan, gint64 site);

/* The standard deviation of a weight matrix of the block at a site, or of the head, with the init scheme and the
 * residual rule. */
double ns_plan_get_std (const NsPlan *plan, NsTensor tensor, gint64 site);
/* The distribution of a weight matrix: that of the init scheme, but normal for a head with a rule of its own. */
NsDistribution ns_plan_get_distribution (const NsPlan *plan, NsTensor tensor);
/* Return TRUE when W_head is Eᵀ, the embedding's matrix [V, C] transposed. */
gboolean ns_plan_has_tied_head (const NsPlan *plan);
/* The random stream of a weight matrix: an encoder has those of a single stack. */
NsStream ns_tensor_get_stream (NsTensor tensor, NsPart part);
/* The matrix that a stream is of. */
NsTensor ns_stream_get_tensor (NsStream stream);
/* 1/sqrt (l) of LayerNorm scaling (Sun et al. 2025), else 1. */
double ns_plan_get_norm_scale (const NsPlan *plan, gint64 site);
/* The features that the norm runs over, and how many times N it has of them. */
void ns_plan_get_norm_shape (const NsPlan *plan, NsNormPlace norm, gsize *rows, gsize *features);
/* W_Q = W_K = 0, so that every visible position weighs the same. */
gboolean ns_plan_is_uniform (const NsPlan *plan);
/* Whether tokens see only what is before them: in a causal stack and in a decoder's self-attention. */
gboolean ns_plan_is_causal (const NsPlan *plan, NsSub sub, gint64 site);
/* The factor on q·kᵀ. Cosine attention's norms leave vectors of length √D. */
double ns_plan_get_attention_scale (const NsPlan *plan);
