/* The memory of a pass: activations kept for the backward pass, gradients, scratch.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One allocation, whose size comes from the code that lays it out; nothing is allocated during a pass. An array that no
 * variant of the experiment needs is NULL. Sizes are those of NsPlan; A = H·D and K = G·D are the widths of queries and
 * of keys.
 *
 * Threads: a workspace belongs to one job at a time.
 */
#pragma once

#include "engine/experiment/ns-settings.h"
#include "engine/ops/ns-routing.h"
#include "engine/ops/ns-scaled.h"
#include "engine/ops/ns-token-mix.h"
#include "engine/pass/ns-batch.h"
#include "engine/pass/ns-linear.h"
#include "engine/pass/ns-plan.h"

/* The data of a norm that its backward pass reads. */
typedef struct
{
  NsScaled x, y;        /* input and output; borrowed */
  ns_real *mean, *rstd; /* [rows of ns_plan_get_norm_shape()] */
  double var_weight;    /* see ns_norm_forward() */
} NsNormCache;

/* The data of a sub-layer that its backward pass reads. Arrays are [N, C] unless another shape is given. */
typedef struct
{
  NsScaled x;                   /* the sub-layer's input, borrowed */
  NsScaled u;                   /* input of the branch: norm_pre (x), or x */
  NsScaled source;              /* input of keys and values, borrowed: u, or the encoder's output */
  NsScaled last;                /* input of the branch's last matrix: mixed or act, or its inner norm [N, A or F] */
  NsScaled s;                   /* output of the branch, before its norm */
  NsScaled z;                   /* a·x + b·s */
  NsNormCache pre, branch, post, inner, q_norm, k_norm, v_norm;
  NsScaled streams;             /* Hyper-Connections: the input, borrowed [N, X]; x is then in x_array */
  ns_real *x_array;             /* Σ_i A_m,i·x_i */
  ns_real *u_array, *z_array;   /* memory of u and z, where a norm needs both its input and its output */
  ns_real *inner_array;         /* likewise, memory of last */
  NsScaled q, k, v, mixed;      /* attention [N, A], [N, K]; mixed: P·v of all heads [N, A] */
  ns_real *q_array, *k_array, *v_array; /* the projections u·W_Q, …, where q, k, v are their norms */
  ns_real *probs;               /* [B, H, T, T] */
  NsScaled h, g, act;           /* FFN [N, F], of experts [S, F]: x·W_1, x·W_3, act (h) (⊙ g) */
  NsRouting routing;            /* experts */
  NsScaled rows, out;           /* [S, C] their inputs and outputs */
  NsScaled shared_h, shared_g, shared_act; /* shared expert [N, n·F], as h, g, act */
  NsScaled shared_out;          /* its output before the gate */
  ns_real *gate;                /* [N] the sigmoid of its gate */
} NsSubCache;

typedef struct
{
  NsSubCache sub[NS_N_SUBS]; /* by NsSub */
  NsScaled middle[2];        /* [N, X] the stream between the sub-layers */
} NsBlockCache;

/* The data of a part, besides its blocks, that its backward pass reads. */
typedef struct
{
  ns_real *raw;                 /* [N, C] the input before its norm */
  NsNormCache input, final;
  ns_real *dual;                /* [N, C] memory of r */
  NsScaled r;                   /* the second stream of a dual residual */
  ns_real *out_array;           /* [N, C] memory of out */
  ns_real *merged;              /* [N, C] the sum of several streams */
  NsScaled out;                 /* input of the head or the decoder */
} NsPartCache;

/* The input of an image: its pixels, and what is added to its mapped patches; NULL without patches. */
typedef struct
{
  ns_real *pixels; /* [N, P], 0 at a class token */
  ns_real *added;  /* [N, C]: positions, and the class token */
} NsPatchCache;

/* The data of the head transform that its backward pass reads, [N, C] each; NULL if no variant has one. */
typedef struct
{
  NsScaled x;         /* its input, borrowed */
  NsScaled u, act, t; /* x·W_dense + b, its activation, the norm of that: the input of W_head */
  NsNormCache norm;
} NsHeadCache;

/* Arrays of nGPT (ns-ngpt.h); NULL if no variant needs them. */
typedef struct
{
  ns_real *gain;     /* [C] 1/√C: from the root mean square 1 to the length 1 */
  ns_real *vector;   /* [max (C, A, F, V)] scratch: learned factors as they are used */
  ns_real *residual; /* [N, C] (1 − λ) ⊙ x */
  ns_real *q;        /* [N, A] queries times both factors, theirs and the keys' */
  ns_real *h, *g;    /* [N, F] inputs of the activation and the gate */
  ns_real *logits;   /* [N, V] before their factors */
} NsNgptArrays;

/* Arrays of weights of n streams that depend on the token (ns-token-streams.h); NULL if no variant needs them. R is N·n
 * rows of one stream, or N rows of all. */
typedef struct
{
  ns_real *normed, *dnormed;     /* [N, X] the normalized streams */
  ns_real *mean, *rstd;          /* [R] */
  double var_weight, exp2;       /* see ns_norm_forward(); of the normalized streams */
  ns_real *l[NS_N_MIX_PARTS];    /* [N, n], [N, n], [N, n·n] what the maps make of them, and their gradients */
  ns_real *dl[NS_N_MIX_PARTS];
  double *gradient;              /* [N, n·(n + 2)] of the weights, then of l */
  double exponents[NS_N_MIX_PARTS]; /* the powers of two of a part's gradients */
  double *base, *dbase;          /* [n·(n + 2)], [M, n·(n + 2)] the part that the token does not change */
  double *dscale;                /* [M, NS_N_MIX_PARTS] of the scales */
  ns_real *dmap;                 /* [X, n·n] gradient of a map */
} NsTokenMixArrays;

typedef struct
{
  gsize N, C, F, V, A, K, M, n_probs;
  gsize n, X;                /* the most streams of a variant, 0: none has several; features of all, max (n, 1)·C */
  gsize E, S, F_shared;      /* experts, rows of their arrays (N·k, at least N), hidden features of the shared one */
  NsParts parts;
  gboolean keep_activations; /* TRUE: a cache for each block; FALSE: one cache, filled again block by block */
  NsScaled *x;               /* [sites but the head]: the residual stream x_0 … x_L, y_0 …, [N, X] each */
  NsBlockCache *blocks;      /* [blocks of all parts] or [1] */
  NsScaled *own_x;           /* while those are of NsActivations (ns_workspace_use()): the workspace's own */
  NsBlockCache *own_blocks;
  gboolean own_keep_activations;
  NsPartCache part[2];
  NsPatchCache patch;
  NsHeadCache head;
  ns_real *logits;           /* [N, V] */
  ns_real *logit_slopes;     /* [V], of a soft cap */
  gint32 *targets;           /* [N] */
  NsBatchSource batch;       /* prepared by the first pass on this workspace */
  double *batch_memory;
  float *input;              /* [N, C] the drawn input, then the upstream gradient; float in both builds */
  ns_real *rotary_cos, *rotary_sin; /* [T, r/2] the angles of rotary positions */
  ns_real *rotary_local_cos, *rotary_local_sin; /* [T, r/2] those of blocks with a window */
  ns_real *position_bias[2]; /* [H, 2T − 1] biases of the scores of each part */
  ns_real *bias_table[2];    /* [buckets, H] relative biases at initialization, of each part */
  ns_real *branch_gain;      /* [C] initial gain of branch norms, where it is not 1 */
  NsNgptArrays ngpt;
  /* backward */
  ns_real *dx, *ds, *du;                         /* [N, X], [N, C], [N, X] */
  ns_real *dmixed_out;                           /* [N, C] Σ_j B_j·dz_j */
  double *mix, *dmix;                            /* [n·(n + 2)], or of each token, the weights of the streams; [M, n²],
                                                    or of a map, their gradient */
  NsTokenMixArrays token_mix;
  ns_real *dmixed, *dq;                          /* [N, A] */
  ns_real *dk, *dv;                              /* [N, K] */
  ns_real *dskip, *dr;                           /* [N, C] of the block residual, of the dual residual */
  ns_real *end_gradient;                         /* [N, X] at the end of the part */
  ns_real *above_gradient;                       /* [N, X] at the site above */
  ns_real *identity, *identity_skip;             /* [N, C] of the identity path, of its block residual */
  ns_real *share, *share_skip;                   /* [N, C] of the shares in x_L, of their block residual */
  ns_real *dsource, *dsource_part;               /* [N, C] of the encoder's output: sum, and one block's share */
  ns_real *scratch_tt;                           /* [T, T], with a soft cap of scores [2T, T] */
  ns_real *dh, *dg;                              /* [N, F], of experts [S, F] */
  ns_real *drows, *dslots;                       /* [S, C] of the experts' inputs and outputs, [S] of their weights */
  ns_real *router;                               /* [N, E] logits of the router, and their gradient */
  ns_real *dshared, *dshared_h, *dshared_g;      /* [N, C], [N, n·F] of the shared expert */
  ns_real *dgate;                                /* [N] of its gate */
  ns_real *branch;                               /* [N, C] output of the branch after its norm, forward */
  double *features, *features2;                  /* scratch: [M, max (X, A, F, V)], [M, max (C, A, F)] */
  double *numbers;                               /* scratch: [M] */
  double *dbias, *dbias_table;                   /* [H, 2T − 1] of one block; [M, buckets, H] of all so far */
  double *batch_norms;                           /* [M] norms of the minibatches' gradients; NULL when M is 1 */
  NsRoot *batch_sums;                            /* [NS_N_SUBS, M] likewise of sub-layers; NULL when M is 1 */
  NsRoot *expert_sums;                           /* [E, 1 + M] of an expert's gradients, whole and by minibatch */
  NsLinearScratch linear;
} NsWorkspace;

/* Memory reused from one workspace to the next, so that a dragged slider needs no fresh pages. */
typedef struct
{
  gpointer memory;
  guint64 bytes;
} NsWorkspaceMemory;

/* Return a workspace with its sizes, and without memory. */
NsWorkspace ns_workspace_get_sizes (const NsExperiment *experiment, gboolean keep_activations);
/* Return the bytes of a workspace that serves every variant of the experiment with a team of that size; G_MAXUINT64
 * when they cannot be counted. */
guint64 ns_workspace_get_bytes (const NsExperiment *experiment, gboolean keep_activations, guint team_size);
/* Lay a workspace out in *memory, which grows, or shrinks when it is more than four times too large. FALSE when the
 * system gives no memory. */
gboolean ns_workspace_init (NsWorkspace *workspace, NsWorkspaceMemory *memory, const NsExperiment *experiment,
                            gboolean keep_activations, NsTeam *team);
/* Lay the arrays of gradients, dx .. scratch_tt, out again in *memory, which has the bytes that the next function
 * returns: each with `copies` times as many rows. */
void ns_workspace_widen (NsWorkspace *workspace, const NsExperiment *experiment, gsize copies, gpointer memory);
guint64 ns_workspace_get_widened_bytes (const NsExperiment *experiment, gsize copies);
void ns_workspace_memory_clear (NsWorkspaceMemory *memory);
/* Return the cache of the block at a site: its own, or the one for all. */
NsBlockCache *ns_workspace_get_block (NsWorkspace *workspace, gint64 site);
