/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "adjoint.h"

#include "engine/verify/ns-adjoint.h"

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

static void
map_forward (gpointer data, ns_real *y, const ns_real *x)
{
  const Operation *op = data;

  op->forward (op, y, x);
}

double
adjoint_error (const Operation *op, Planted planted)
{
  gsize n = adjoint_count_inputs (op), first = 0;
  g_autofree ns_real *x = check_draw (n, 1), *dy = check_draw (op->n_out, 2), *dx = g_new0 (ns_real, n);
  NsMap map = { n, op->n_out, map_forward, (gpointer) op };
  double worst = 0, h = STEP * op->step;

  /* keep the inputs away from 0, so that no difference spans a kink */
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
        {
          g_autofree ns_real *drawn = check_draw (op->parts[part], 900 + id);

          worst = fmax (worst, ns_adjoint_error (&map, x, dy, dx, drawn, first, op->parts[part], h, NULL));
        }
      first += op->parts[part];
    }
  return worst;
}

/* ---- planted errors for any operation ---- */

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
