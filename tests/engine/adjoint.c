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
#define N_DIRECTIONS 3 /* for each part of the input */

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

/* An operation at a point, and the derivatives that its forward pass has there. */
typedef struct
{
  const Operation *op;
  ns_real *x, *dy;
  double differences[3][N_DIRECTIONS];
} Point;

static ns_real *
draw_direction (const Operation *op, int part, guint id)
{
  return check_draw (op->parts[part], 900 + id);
}

static Point
take_point (const Operation *op)
{
  gsize n = adjoint_count_inputs (op), first = 0;
  Point p = { .op = op, .x = check_draw (n, 1), .dy = check_draw (op->n_out, 2) };
  NsMap map = { n, op->n_out, map_forward, (gpointer) op };

  /* keep the inputs away from 0, so that no difference spans a kink */
  for (gsize i = 0; i < n; i++)
    if (fabs (p.x[i]) < 0.5)
      p.x[i] += p.x[i] < 0 ? -0.5f : 0.5f;
  for (int part = 0; part < 3 && op->parts[part] > 0; first += op->parts[part++])
    for (guint id = 0; id < N_DIRECTIONS; id++)
      {
        g_autofree ns_real *drawn = draw_direction (op, part, id);

        p.differences[part][id]
            = ns_adjoint_difference (&map, p.x, p.dy, drawn, first, op->parts[part], STEP * op->step);
      }
  return p;
}

static void
point_clear (Point *p)
{
  g_free (p->x);
  g_free (p->dy);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Point, point_clear)

/* Return the largest relative error over the inputs and directions; Inf if a value is not finite. `planted` (nullable)
 * corrupts the output of the backward pass. */
static double
get_error (const Point *p, Planted planted)
{
  const Operation *op = p->op;
  g_autofree ns_real *dx = g_new0 (ns_real, adjoint_count_inputs (op));
  gsize first = 0;
  double worst = 0;

  op->backward (op, dx, p->dy, p->x);
  if (planted != NULL)
    planted (op, dx, p->dy, p->x);
  for (int part = 0; part < 3 && op->parts[part] > 0; first += op->parts[part++])
    {
      if (!isfinite (check_square (dx + first, op->parts[part])))
        return INFINITY;
      for (guint id = 0; id < N_DIRECTIONS; id++)
        {
          g_autofree ns_real *drawn = draw_direction (op, part, id);

          worst = fmax (worst, ns_adjoint_compare (p->differences[part][id], dx, drawn, first, op->parts[part], NULL));
        }
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

static void
assert_found (const Point *p, Planted planted)
{
  double error = get_error (p, planted);

  g_test_message ("%s, planted: %.2g", p->op->name, error);
  g_assert_cmpfloat (error, >, 5 * TOLERANCE);
}

void
adjoint_check_all (const Operation *op, const Planted *planted, guint n)
{
  g_auto (Point) p = take_point (op);
  double error = get_error (&p, NULL);

  g_test_message ("%s: %.2g", op->name, error);
  g_assert_cmpfloat (error, <=, TOLERANCE);
  g_assert_cmpfloat (get_error (&p, plant_entry), >, 5 * TOLERANCE);
  g_assert_cmpfloat (get_error (&p, plant_sign), >, 0.1);
  g_assert_cmpfloat (get_error (&p, plant_zero), >, 0.1);
  g_assert_true (isinf (get_error (&p, plant_nan)));
  for (guint i = 0; i < n; i++)
    assert_found (&p, planted[i]);
}

void
adjoint_check (const Operation *op)
{
  adjoint_check_all (op, NULL, 0);
}

void
adjoint_check_planted (const Operation *op, Planted planted)
{
  g_auto (Point) p = take_point (op);

  assert_found (&p, planted);
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
