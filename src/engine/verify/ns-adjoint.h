/* The adjoint identity: for y = f (x) with Jacobian J, any direction d and any upstream gradient g,
 * <g, J·d> = <Jᵀ·g, d>.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * J·d is taken from the forward pass alone, by central differences of fourth order; Jᵀ·g is what a backward pass gave.
 * The two share no code, so that neither can be wrong in the other's way. In double they agree to 1e-6 and better.
 *
 * Threads: pure functions.
 */
#pragma once

#include "engine/ops/ns-real.h"

/* A map as its forward pass computes it. */
typedef struct
{
  gsize n_in, n_out;
  void (*forward) (gpointer data, ns_real *y, const ns_real *x);
  gpointer data;
} NsMap;

/* |<g, J·d> − <dx, d>| over the largest of the two and ‖dx‖, for a d that is `drawn` [n] at inputs first ..
 * first + n − 1 and 0 elsewhere; dx [n_in] is Jᵀ·g as the backward pass gave it. +Inf where a number is not finite.
 * *scale (nullable) grows to the largest of the three. */
double ns_adjoint_error (const NsMap *map, const ns_real *x, const ns_real *g, const ns_real *dx, const ns_real *drawn,
                         gsize first, gsize n, double h, double *scale);

/* Σ x·y in double. */
double ns_dot (const ns_real *x, const ns_real *y, gsize n);
/* |a − b| over the largest of |a|, |b| and |scale|; +Inf when one of them is not finite. 0 for three zeros. */
double ns_relative_error (double a, double b, double scale);
