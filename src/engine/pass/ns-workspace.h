/* All the memory of one pass at a time: activations kept for the backward pass, gradients, scratch.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One piece of memory, sized by walking the same code with no memory behind it; nothing is allocated during a pass.
 * Threads: a workspace belongs to one job at a time.
 */
#pragma once

#include "engine/experiment/ns-settings.h"
#include "engine/pass/ns-linear.h"
#include "engine/pass/ns-plan.h"

/* What a norm leaves for its backward pass. */
typedef struct
{
  NsScaled x, y;      /* in, out; borrowed */
  ns_real *mean, *rstd; /* [N] */
  double var_weight;
} NsNormCache;

/* What one sub-layer leaves for its backward pass. Arrays are [N, C] unless said; those that no variant of the
 * experiment needs are NULL. A = H·D and K = G·D are the widths of queries and of keys. */
typedef struct
{
  NsScaled x;                   /* the sub-layer's input, borrowed */
  NsScaled u;                   /* what the branch reads: norm_pre (x), or x */
  NsScaled source;              /* what keys and values are made of, borrowed: u, or the encoder's output */
  NsScaled last;                /* what the branch's last matrix reads, inner norm included: mixed or act [N, A or F] */
  NsScaled s;                   /* what the branch gives, before its norm */
  NsScaled z;                   /* a·x + b·s */
  NsNormCache pre, branch, post, inner, q_norm, k_norm, v_norm;
  ns_real *u_array, *z_array;   /* where u and z stand when they are arrays of their own */
  ns_real *inner_array;         /* likewise last */
  NsScaled q, k, v, mixed;      /* attention [N, A], [N, K]; mixed: P·v of all heads [N, A] */
  ns_real *q_array, *k_array, *v_array; /* the projections themselves, where a norm makes q, k, v of them */
  ns_real *probs;               /* [B, H, T, T] */
  NsScaled h, g, act;           /* FFN [N, F]: x·W_1, x·W_3, act (h) (⊙ g) */
} NsSubCache;

typedef struct
{
  NsSubCache sub[NS_N_SUBS]; /* by NsSub */
  NsScaled middle[2];        /* the stream between the sub-layers */
} NsBlockCache;

/* What a part leaves beside its blocks. */
typedef struct
{
  ns_real *raw;                 /* [N, C] the input before its norm */
  NsNormCache input, final;
  ns_real *dual;                /* [N, C] the second stream of a dual residual */
  NsScaled r;                   /* it */
  ns_real *out_array;           /* [N, C] */
  NsScaled out;                 /* what the head or the decoder reads */
} NsPartCache;

typedef struct
{
  gsize N, C, F, V, A, K, n_probs;
  gint64 n_parts, depth;
  gboolean keep_activations; /* a cache for each block; else one for all, filled again block by block */
  NsScaled *x;               /* [n_parts·(depth + 1)] by site: the residual stream x_0 … x_L, y_0 …, [N, C] each */
  NsBlockCache *blocks;      /* [n_parts·depth] or [1] */
  NsPartCache part[2];
  ns_real *logits;           /* [N, V] */
  gint32 *targets;           /* [N] */
  float *input;              /* [N, C]: what is drawn as float */
  ns_real *branch_gain;      /* [C] the initial gain of branch norms where it is not 1 */
  /* backward */
  ns_real *dx, *ds, *du;                         /* [N, C] */
  ns_real *dmixed, *dq;                          /* [N, A] */
  ns_real *dk, *dv;                              /* [N, K] */
  ns_real *dskip, *dr;                           /* [N, C] of a block's shortcut, of the dual stream */
  ns_real *dsource, *dsource_part;               /* [N, C] of the encoder's output, in all and from one block */
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
/* The cache of the block at a site. */
NsBlockCache *ns_workspace_get_block (NsWorkspace *workspace, gint64 site);
