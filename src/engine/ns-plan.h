/* A variant's settings as the constants of its equations.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Threads: immutable once made.
 */
#pragma once

#include "engine/ns-quantity.h"
#include "engine/ns-random.h"

typedef struct
{
  const NsExperiment *experiment; /* borrowed */
  const NsVariant *variant;       /* borrowed */
  gint64 depth;                   /* L of this pass */
  gsize B, T, N, C, H, F, V;
  double a;                       /* residual scale; whether the residual is on is the wiring's */
  double b;                       /* branch scale */
  gboolean gated, final_norm, layernorm_bias;
  NsDistribution distribution;
} NsPlan;

/* The experiment is valid. */
void ns_plan_init (NsPlan *plan, const NsExperiment *experiment, guint variant);
/* The standard deviation of a weight matrix, with the init scheme and the residual rule. */
double ns_plan_get_std (const NsPlan *plan, NsTensor tensor);
/* The random stream of a weight matrix. */
NsStream ns_tensor_get_stream (NsTensor tensor);
/* 1/sqrt (l) of LayerNorm scaling (Sun et al. 2025), else 1. */
double ns_plan_get_norm_scale (const NsPlan *plan, gint64 block);
