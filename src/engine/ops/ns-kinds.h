/* The kinds of norm, activation and rotary scaling that an experiment chooses from, and of optimizer.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <glib.h>

/* The most residual streams of Hyper-Connections. */
#define NS_MAX_STREAMS 16

typedef enum { NS_NORM_LAYERNORM, NS_NORM_RMSNORM, NS_NORM_DYT } NsNormKind;

typedef enum
{
  NS_ACT_RELU,
  NS_ACT_GELU,
  NS_ACT_SILU,
  NS_ACT_SWIGLU,
  NS_ACT_GEGLU,
  NS_ACT_GELU_TANH,
  NS_ACT_GEGLU_TANH,
} NsActivation;

/* Rules that change the angles of rotary positions for a longer context. */
typedef enum
{
  NS_ROTARY_SCALING_NONE,
  NS_ROTARY_SCALING_LINEAR,
  NS_ROTARY_SCALING_LLAMA3,
  NS_ROTARY_SCALING_YARN,
  NS_ROTARY_SCALING_LONGROPE,
} NsRotaryScaling;

/* u of one step θ − η·u. Adam's first step is the sign of the gradient; without decay AdamW is Adam. */
typedef enum { NS_OPTIMIZER_SGD, NS_OPTIMIZER_ADAM, NS_OPTIMIZER_ADAMW, NS_N_OPTIMIZERS } NsOptimizer;

/* The number of optimizers, the first ones, whose first step differs. */
#define NS_N_FIRST_STEPS NS_OPTIMIZER_ADAMW

/* Return TRUE for activations with a gate, φ(x·W₁) ⊙ x·W₃ (Shazeer 2020). */
static inline gboolean
ns_activation_is_gated (NsActivation activation)
{
  return activation == NS_ACT_SWIGLU || activation == NS_ACT_GEGLU || activation == NS_ACT_GEGLU_TANH;
}
