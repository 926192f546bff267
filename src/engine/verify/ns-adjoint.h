/* The adjoint identity: for y = f (x) with Jacobian J, any direction d and any upstream gradient g,
 * <g, J·d> = <Jᵀ·g, d>.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * J·d comes from the forward pass alone, by central differences of fourth order; Jᵀ·g comes from the backward pass. The
 * two share no code, so that they do not share an error. In double precision they agree to 1e-6 or better.
 *
 * Threads: pure functions; any thread.
 */
#pragma once

#include "engine/ops/ns-real.h"

/* A map, as computed by its forward pass: y [n_out] += f (x [n_in]); y is 0 at the call. */
typedef struct
{
  gsize n_in, n_out;
  void (*forward) (gpointer data, ns_real *y, const ns_real *x);
  gpointer data;
} NsMap;

/* Return the relative error of the identity, |<g, J·d> − <dx, d>| over the largest of |<g, J·d>|, |<dx, d>| and ‖dx‖
 * over the moved inputs; +Inf if a number is not finite. dx [n_in] is Jᵀ·g from the backward pass; d is `drawn` [n] at
 * inputs first .. first + n − 1 and 0 elsewhere; h is the step along d. *scale (nullable) is raised to the largest of
 * the three. */
double ns_adjoint_error (const NsMap *map, const ns_real *x, const ns_real *g, const ns_real *dx, const ns_real *drawn,
                         gsize first, gsize n, double h, double *scale);

/* The two halves of ns_adjoint_error(): <g, J·d> by central differences of fourth order,
 * (8·(f(h) − f(−h)) − (f(2h) − f(−2h))) / 12h, and the error of a dx against it. */
double ns_adjoint_difference (const NsMap *map, const ns_real *x, const ns_real *g, const ns_real *drawn, gsize first,
                              gsize n, double h);
double ns_adjoint_compare (double difference, const ns_real *dx, const ns_real *drawn, gsize first, gsize n,
                           double *scale);

/* Return |a − b| over the largest of |a|, |b| and |scale|; +Inf when one of them is not finite, 0 for three zeros. */
double ns_relative_error (double a, double b, double scale);
