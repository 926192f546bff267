/* Check the backward pass of an operation against its forward pass: for y = f(x) with Jacobian J, any direction d and
 * any upstream gradient g, <g, J·d> = <Jᵀ·g, d>. J·d comes from the forward pass by fourth-order central differences,
 * Jᵀ·g from the backward pass. The two agree to 1e-6 in double and to 1e-3 in float.
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
  gsize parts[3]; /* elements of each input, stored one after the other; 0: none */
  double step;    /* as a multiple of STEP */
  void (*forward) (const Operation *op, ns_real *y, const ns_real *x);
  void (*backward) (const Operation *op, ns_real *dx, const ns_real *dy, const ns_real *x);
  /* arguments of the operation */
  int kind;
  double scale, beta;
  gboolean flag;
  NsAttentionShape shape;
  NsMatrix W;
};

typedef void (*Planted) (const Operation *op, ns_real *dx, const ns_real *dy, const ns_real *x);

gsize adjoint_count_inputs (const Operation *op);
/* Assert that the relative error over the inputs, and a few directions for each, is within TOLERANCE and that the
 * generic planted errors exceed it. */
void adjoint_check (const Operation *op);
/* The same, and assert that it finds these planted errors, which corrupt the output of the backward pass. */
void adjoint_check_all (const Operation *op, const Planted *planted, guint n);
/* Assert that the check finds this planted error. */
void adjoint_check_planted (const Operation *op, Planted planted);

/* Allocate the scratch memory of the linear maps for matrices [in, out] and N tokens; free with
 * linear_scratch_free(). */
NsLinearScratch *linear_scratch_new (gsize in, gsize out, gsize N);
void linear_scratch_free (NsLinearScratch *scratch);
