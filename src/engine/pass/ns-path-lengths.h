/* The gradient split by the number of branches that its paths run through.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Every sum z = a·x + b·s lets the gradient pass along the residual or through its branches. g^(k) is the part of ∂L/∂x
 * that has run through k branches between the loss and x; the norms after the sums carry every part. The parts add up
 * to the gradient (docs/MODEL.md, "Path lengths"; Veit et al. 2016).
 *
 * With each branch multiplied by t, the gradient is g(t) = Σ_k t^k·g^(k). A sweep therefore carries one of three sets
 * of components, which differ in how a branch mixes them.
 */
#pragma once

#include "engine/pass/ns-pass.h"

typedef enum
{
  NS_LENGTHS_PARTS,   /* g^(0), g^(1), …: one component more below each sum, up to a limit */
  NS_LENGTHS_MOMENTS, /* g, dg/dt = Σ_k k·g^(k) and d²g/dt² = Σ_k k·(k − 1)·g^(k) at t = 1 */
  NS_LENGTHS_PHASE,   /* real and imaginary part of g(e^(iφ)) */
} NsLengthsKind;

typedef struct
{
  NsLengthsKind kind;
  double phase; /* φ of NS_LENGTHS_PHASE */
  guint limit;  /* NS_LENGTHS_PARTS: the largest k; longer paths are dropped. NS_LENGTHS_MOMENTS: 1 without g″, or 2 */
  gboolean at_every_site; /* call back at every x_l, not at the inputs alone */
} NsLengths;

/* Receives the n components at x_l of a site, such as the input of a part: each [N, C], or v = NULL where it is 0. */
typedef void (*NsLengthsFunc) (gpointer data, gint64 site, const NsScaled *components, guint n);

/* Return the largest number of branches on a path: the sums of all parts. */
guint ns_lengths_count_sums (const NsPlan *plan);
/* Return the cost of all parts in backward passes. */
double ns_lengths_get_cost (const NsPlan *plan);
/* Return the arrays [N, C] that a sweep needs. */
gsize ns_lengths_count_arrays (const NsPlan *plan, NsLengths lengths);
/* After ns_pass_head(): sweep from ∂L/∂x_L, a copy of pass->dx, and of pass->dr with a dual residual (else NULL), down
 * to the inputs. arrays: memory of ns_lengths_count_arrays(). */
NsPassState ns_pass_lengths (NsPass *pass, NsLengths lengths, NsScaled end, const NsScaled *end_r, ns_real *arrays,
                             NsLengthsFunc func, gpointer data, NsProgress *progress);
