/* All the memory of one pass at a time: activations kept for the backward pass, gradients, scratch.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One piece of memory, sized by walking the same code with no memory behind it; nothing is allocated during a pass.
 * Threads: a workspace belongs to one job at a time.
 */
#pragma once

#include "engine/ns-linear.h"
#include "engine/ns-plan.h"

/* What a norm leaves for its backward pass. */
typedef struct
{
  NsScaled x, y;      /* in, out; borrowed */
  ns_real *mean, *rstd; /* [N] */
  double var_weight;
} NsNormCache;

/* What one sub-layer leaves for its backward pass. Arrays are [N, C] unless said; those that no variant of the
 * experiment needs are NULL. */
typedef struct
{
  NsScaled x;                   /* the sub-layer's input, borrowed */
  NsScaled u;                   /* what the branch reads: norm_pre (x), or x */
  NsScaled s;                   /* what the branch gives, before its norm */
  NsScaled z;                   /* a·x + b·s */
  NsNormCache pre, branch, post;
  ns_real *u_array, *z_array;   /* where u and z stand when they are arrays of their own */
  NsScaled q, k, v, mixed;      /* attention; mixed: P·v of all heads */
  ns_real *probs;               /* [B, H, T, T] */
  NsScaled h, g, act;           /* FFN [N, F]: x·W_1, x·W_3, act (h) (⊙ g) */
} NsSubCache;

typedef struct
{
  NsSubCache attn, ffn;
  NsScaled middle; /* the sequential block's stream between the sub-layers */
} NsBlockCache;

typedef struct
{
  gsize N, C, F, V, n_probs;
  gboolean keep_activations; /* a cache for each block; else one for all, filled again block by block */
  NsScaled *x;               /* [depth + 1] the residual stream x_0 … x_L, [N, C] each */
  NsBlockCache *blocks;      /* [depth] or [1] */
  NsNormCache final;
  ns_real *final_out, *logits; /* [N, C], [N, V] */
  gint32 *targets;             /* [N] */
  float *input;                /* [N, C]: what is drawn as float */
  /* backward */
  ns_real *dx, *ds, *du, *dmixed, *dq, *dk, *dv; /* [N, C] */
  ns_real *dh, *dg;                              /* [N, F] */
  ns_real *scratch_tt;                           /* [T, T] */
  ns_real *branch;                               /* [N, C] what the branch adds, in the forward pass */
  double *features, *features2;                  /* [max (C, F, V)] */
  NsLinearScratch linear;
} NsWorkspace;

/* Memory that workspaces take turns in, so that a dragged slider does not ask the system for fresh pages each time. */
typedef struct
{
  gpointer memory;
  guint64 bytes;
} NsWorkspaceMemory;

/* Bytes of a workspace that serves every variant of the experiment, for a team of that size; G_MAXUINT64 when that is
 * beyond any memory. */
guint64 ns_workspace_get_bytes (const NsExperiment *experiment, gboolean keep_activations, guint team_size);
/* Lays a workspace out in *memory, which grows, or shrinks when it is far too large. FALSE when there is no memory. */
gboolean ns_workspace_init (NsWorkspace *workspace, NsWorkspaceMemory *memory, const NsExperiment *experiment,
                            gboolean keep_activations, NsTeam *team);
void ns_workspace_memory_clear (NsWorkspaceMemory *memory);
/* The cache of block l = 1..depth. */
NsBlockCache *ns_workspace_get_block (NsWorkspace *workspace, gint64 block);
