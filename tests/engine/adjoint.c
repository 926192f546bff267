/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "adjoint.h"

#include <string.h>

#ifdef NS_DOUBLE
#define STEP 1e-3
#else
#define STEP 0.04
#endif

gsize
adjoint_count_inputs (const Operation *op)
{
  return op->parts[0] + op->parts[1] + op->parts[2];
}

/* f (x + h·d) − f (x − h·d). */
static double
difference (const Operation *op, const ns_real *x, const ns_real *d, const ns_real *dy, double h)
{
  gsize n = adjoint_count_inputs (op);
  g_autofree ns_real *y = g_new0 (ns_real, op->n_out), *at = g_new (ns_real, n);
  double up, down;

  for (gsize i = 0; i < n; i++)
    at[i] = (ns_real) (x[i] + h * d[i]);
  op->forward (op, y, at);
  up = check_dot (dy, y, op->n_out);
  memset (y, 0, op->n_out * sizeof *y);
  for (gsize i = 0; i < n; i++)
    at[i] = (ns_real) (x[i] - h * d[i]);
  op->forward (op, y, at);
  down = check_dot (dy, y, op->n_out);
  return up - down;
}

/* What one direction within inputs first .. first + n − 1 is off by, relative to what such a direction gives. */
static double
direction_error (const Operation *op, const ns_real *x, const ns_real *dy, const ns_real *dx, gsize first, gsize n,
                 guint id)
{
  g_autofree ns_real *drawn = check_draw (n, 900 + id), *d = g_new0 (ns_real, adjoint_count_inputs (op));
  double h = STEP * op->step, expected, typical = sqrt (check_square (dx + first, n));

  memcpy (d + first, drawn, n * sizeof *d);
  expected = (8 * difference (op, x, d, dy, h) - difference (op, x, d, dy, 2 * h)) / (12 * h);
  return check_relative_error (expected, check_dot (dx + first, drawn, n), typical);
}

double
adjoint_error (const Operation *op, Planted planted)
{
  gsize n = adjoint_count_inputs (op), first = 0;
  g_autofree ns_real *x = check_draw (n, 1), *dy = check_draw (op->n_out, 2), *dx = g_new0 (ns_real, n);
  double worst = 0;

  /* a kink lies between two points of the difference only when an input is that close to it */
  for (gsize i = 0; i < n; i++)
    if (fabs (x[i]) < 0.5)
      x[i] += x[i] < 0 ? -0.5f : 0.5f;
  op->backward (op, dx, dy, x);
  if (planted != NULL)
    planted (op, dx, dy, x);
  for (int part = 0; part < 3 && op->parts[part] > 0; part++)
    {
      if (!isfinite (check_square (dx + first, op->parts[part])))
        return INFINITY;
      for (guint id = 0; id < 3; id++)
        worst = fmax (worst, direction_error (op, x, dy, dx, first, op->parts[part], id));
      first += op->parts[part];
    }
  return worst;
}

/* ---- planted errors that suit any operation ---- */

static void
plant_entry (const Operation *op, ns_real *dx, const ns_real *dy, const ns_real *x)
{
  gsize largest = 0;

  for (gsize i = 0; i < op->parts[0]; i++)
    largest = fabs (dx[i]) > fabs (dx[largest]) ? i : largest;
  dx[largest] *= 1.5f;
}

static void
plant_sign (const Operation *op, ns_real *dx, const ns_real *dy, const ns_real *x)
{
  for (gsize i = 0; i < op->parts[0]; i++)
    dx[i] = -dx[i];
}

static void
plant_nan (const Operation *op, ns_real *dx, const ns_real *dy, const ns_real *x)
{
  dx[adjoint_count_inputs (op) - 1] = NAN;
}

static void
plant_zero (const Operation *op, ns_real *dx, const ns_real *dy, const ns_real *x)
{
  memset (dx, 0, adjoint_count_inputs (op) * sizeof *dx);
}

void
adjoint_check (const Operation *op)
{
  double error = adjoint_error (op, NULL);

  g_test_message ("%s: %.2g", op->name, error);
  g_assert_cmpfloat (error, <=, TOLERANCE);
  g_assert_cmpfloat (adjoint_error (op, plant_entry), >, 5 * TOLERANCE);
  g_assert_cmpfloat (adjoint_error (op, plant_sign), >, 0.1);
  g_assert_cmpfloat (adjoint_error (op, plant_zero), >, 0.1);
  g_assert_true (isinf (adjoint_error (op, plant_nan)));
}

void
adjoint_check_planted (const Operation *op, Planted planted)
{
  double error = adjoint_error (op, planted);

  g_test_message ("%s, planted: %.2g", op->name, error);
  g_assert_cmpfloat (error, >, 5 * TOLERANCE);
}

/* ---- scratch ---- */

NsLinearScratch *
linear_scratch_new (gsize in, gsize out, gsize N)
{
  NsLinearScratch *s = g_new0 (NsLinearScratch, 1);

  s->panel = g_new (ns_real *, 1);
  s->panel[0] = g_new (ns_real, ns_linear_panel_elements (in, out));
  s->partial = g_new (double, NS_LINEAR_MAX_PANELS);
  s->gram_x = g_new (ns_real, N * N);
  s->gram_y = g_new (ns_real, N * N);
  return s;
}

void
linear_scratch_free (NsLinearScratch *s)
{
  g_free (s->panel[0]);
  g_free (s->panel);
  g_free (s->partial);
  g_free (s->gram_x);
  g_free (s->gram_y);
  g_free (s);
}
