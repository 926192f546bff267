/* Rotary positions: the pairs of a head's features turn by an angle that grows with the token's position (Su et al.
 * 2021, arXiv:2104.09864, eq. 34). Forward and backward.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Of the D features of a head the first r, an even number, form r/2 pairs; the others stay. Token t turns pair i by
 * t·θ_i:
 *
 *   (a, b) ← m·(a·cos − b·sin, a·sin + b·cos)
 *
 * with θ_i = base^(−2i/r), which a rule for longer contexts may change, and m = 1 but for one rule.
 *
 * Threads: pure functions.
 */
#pragma once

#include "engine/ops/ns-kinds.h"
#include "engine/ops/ns-progress.h"
#include "engine/ops/ns-real.h"

/* The settings of the angles. */
typedef struct
{
  gsize dim;               /* r */
  double base;
  NsRotaryScaling scaling; /* the fields below are its */
  double factor;           /* s: the context is that many times longer */
  double original;         /* T₀: tokens of the context before */
  double low, high;        /* turns over T₀: θ of fewer than `low` is divided by s, θ of more than `high` stays */
  double attention_factor; /* m of YaRN and LongRoPE; 0: the rule's own */
  gboolean fractional;     /* YaRN's ramp begins and ends between whole pairs */
  const double *rescale;    /* [r/2] λ of LongRoPE: θ is divided by it; borrowed; NULL: 1 */
} NsRotaryRule;

/* The angles of all tokens. */
typedef struct
{
  gboolean interleaved;     /* pairs 2i, 2i + 1 (GPT-J), or i, i + r/2 (GPT-NeoX, LLaMA) */
  gsize T, pairs;           /* tokens of a sequence; r/2 */
  const ns_real *cos, *sin; /* [T, pairs], both times m */
} NsRotary;

/* Return θ_i of pair i, 0 .. r/2 − 1. */
double ns_rotary_get_frequency (const NsRotaryRule *rule, gsize pair);
/* Return TRUE if the rule has a factor m other than 1. */
gboolean ns_rotary_scaling_has_factor (NsRotaryScaling scaling);
/* Return m, the factor on the turned features: the rule's attention factor, by default 0.1·ln s + 1 with YaRN (Peng et
 * al. 2023, arXiv:2309.00071) and √(1 + ln s/ln T₀) with LongRoPE (Ding et al. 2024, arXiv:2402.13753, and the code of
 * Phi-3); else 1. */
double ns_rotary_get_factor (const NsRotaryRule *rule);
/* Fill cos and sin [T, r/2], times m. */
void ns_rotary_fill (const NsRotaryRule *rule, gsize T, ns_real *cos, ns_real *sin);

/* Turn x [rows, heads·D] in place; row n is token n mod T of its sequence. backward turns by the opposite angles, the
 * transpose: from ∂L/∂y to ∂L/∂x. Once progress, the job's or NULL, is cancelled, the rest stays as it was. */
void ns_rotary_forward (ns_real *x, const NsRotary *rotary, gsize rows, gsize heads, gsize D, NsProgress *progress);
void ns_rotary_backward (ns_real *dx, const NsRotary *rotary, gsize rows, gsize heads, gsize D, NsProgress *progress);
