/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/verify/ns-adjoint.h"

#include "engine/ops/ns-probe.h"

#include <string.h>

double
ns_relative_error (double a, double b, double scale)
{
  double largest = fmax (fmax (fabs (a), fabs (b)), fabs (scale));

  if (!isfinite (a) || !isfinite (b) || !isfinite (scale))
    return INFINITY;
  return largest > 0 ? fabs (a - b) / largest : 0;
}

/* Return <g, f (x + h·d)>; at [n_in] and y [n_out] are scratch memory. */
static double
value_at (const NsMap *map, const ns_real *x, const ns_real *d, const ns_real *g, double h, ns_real *at, ns_real *y)
{
  for (gsize i = 0; i < map->n_in; i++)
    at[i] = (ns_real) (x[i] + h * d[i]);
  memset (y, 0, map->n_out * sizeof *y);
  map->forward (map->data, y, at);
  return ns_dot (g, y, map->n_out);
}

double
ns_adjoint_difference (const NsMap *map, const ns_real *x, const ns_real *g, const ns_real *drawn, gsize first, gsize n,
                       double h)
{
  g_autofree ns_real *d = g_new0 (ns_real, map->n_in), *at = g_new (ns_real, map->n_in);
  g_autofree ns_real *y = g_new (ns_real, map->n_out);
  double near, far;

  memcpy (d + first, drawn, n * sizeof *d);
  near = value_at (map, x, d, g, h, at, y) - value_at (map, x, d, g, -h, at, y);
  far = value_at (map, x, d, g, 2 * h, at, y) - value_at (map, x, d, g, -2 * h, at, y);
  return (8 * near - far) / (12 * h);
}

double
ns_adjoint_compare (double difference, const ns_real *dx, const ns_real *drawn, gsize first, gsize n, double *scale)
{
  double typical = sqrt (ns_dot (dx + first, dx + first, n)), from_backward = ns_dot (dx + first, drawn, n);

  if (scale != NULL)
    *scale = fmax (*scale, fmax (typical, fmax (fabs (difference), fabs (from_backward))));
  return ns_relative_error (difference, from_backward, typical);
}

double
ns_adjoint_error (const NsMap *map, const ns_real *x, const ns_real *g, const ns_real *dx, const ns_real *drawn,
                  gsize first, gsize n, double h, double *scale)
{
  return ns_adjoint_compare (ns_adjoint_difference (map, x, g, drawn, first, n, h), dx, drawn, first, n, scale);
}
