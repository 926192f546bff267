/* An operation's backward pass against its forward pass: for y = f (x) with Jacobian J, any direction d and any
 * upstream gradient g, <g, J·d> = <Jᵀ·g, d>. J·d is taken from the forward pass alone, by central differences of
 * fourth order; Jᵀ·g is what the backward pass gives. In double the two agree to 1e-6, in float to 1e-3.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "check.h"

#include "engine/ops/ns-attention.h"
#include "engine/pass/ns-linear.h"

#ifdef NS_DOUBLE
#define TOLERANCE 1e-6
#define VALUE_TOLERANCE 1e-12
#else
#define TOLERANCE 1e-3
#define VALUE_TOLERANCE 1e-5
#endif

typedef struct _Operation Operation;
struct _Operation
{
  const char *name;
  gsize n_out;
  gsize parts[3]; /* elements of the inputs, which stand one after the other; 0: none */
  double step;    /* as a multiple of STEP */
  void (*forward) (const Operation *op, ns_real *y, const ns_real *x);
  void (*backward) (const Operation *op, ns_real *dx, const ns_real *dy, const ns_real *x);
  /* what it takes, by operation */
  int kind;
  double scale, beta;
  gboolean flag;
  NsAttentionShape shape;
  NsMatrix W;
};

typedef void (*Planted) (const Operation *op, ns_real *dx, const ns_real *dy, const ns_real *x);

gsize adjoint_count_inputs (const Operation *op);
/* The largest relative error over the inputs and some directions each; Inf where a number is not finite. `planted`, or
 * NULL, spoils what the backward pass gave. */
double adjoint_error (const Operation *op, Planted planted);
/* The error is within TOLERANCE, and errors that suit any operation are caught. */
void adjoint_check (const Operation *op);
/* This error is caught. */
void adjoint_check_planted (const Operation *op, Planted planted);

/* What the linear maps work with, for matrices of [in, out] and N tokens. */
NsLinearScratch *linear_scratch_new (gsize in, gsize out, gsize N);
void linear_scratch_free (NsLinearScratch *scratch);
