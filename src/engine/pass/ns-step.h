/* One optimizer step on all parameters, and what it changes.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * θ' = θ − η·u with u = g or sign g, g = ∂L/∂θ (docs/MODEL.md, "Update size"). Neither the new parameters nor the
 * gradient are kept as matrices: a walk up the stack runs each block forward and backward from the ∂L/∂x_l that one
 * backward pass has left, keeps the factors of this block's gradients, dW = xᵀ·dy, and runs the block again with
 * x'·W − η·x'·u from the changed input. Two such runs go side by side, with η and with η/10.
 */
#pragma once

#include "engine/ops/ns-kinds.h"
#include "engine/pass/ns-pass.h"

/* A ratio of norms and its log10; NaN where it is not defined. */
typedef struct
{
  double value, log10_value;
} NsStepRatio;

typedef struct
{
  NsOptimizer optimizer;
  double learning_rate; /* η */
  gboolean matrices_only; /* leave biases, gains, alphas and learned scales alone */
  /* Receives ‖Δx_l‖/‖x_l‖ of every site. */
  void (*stream) (gpointer data, gint64 site, NsStepRatio change);
  /* Receives ‖Δθ‖/‖θ‖ of every parameter that is not 0. */
  void (*tensor) (gpointer data, NsTensor tensor, gint64 site, NsStepRatio change);
  gpointer data;
  /* results; NaN after an overflow */
  NsStepRatio h;              /* ‖Δh‖/‖h‖ at the input of the head */
  double log10_rms;           /* log10 of the root mean square of h */
  double loss, first_order;   /* L(θ') − L(θ), and −η·⟨g, u⟩ */
  double nonlinearity;        /* ‖10·Δh(η/10) − Δh(η)‖/‖Δh(η)‖ */
} NsStep;

/* Return the elements of memory that a step needs; G_MAXUINT64 when they cannot be counted. */
guint64 ns_step_count_elements (const NsPlan *plan);
/* The calls of ns_progress_step() for each block of the stack. */
#define NS_STEP_PASSES 4
/* After a forward pass, whose sink must not record: take the step. memory: of ns_step_count_elements(). */
NsPassState ns_pass_step (NsPass *pass, NsStep *step, ns_real *memory, NsProgress *progress);
