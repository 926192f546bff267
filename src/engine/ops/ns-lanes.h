/* Sums of many products in NS_LANES partial sums, which vectorize without reassociation and round the same on every
 * machine.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Private to the operations. Element i of an array adds to partial sum i mod NS_LANES. The partial sums are vectors of
 * four: GCC keeps those in registers, longer vectors in memory, and an array of single numbers it adds one by one. A
 * sum looks like this:
 *
 *     NsLanes sums = { 0 };
 *
 *     for (; i + NS_LANES <= n; i += NS_LANES)
 *       add_squares (&sums, x + i, NS_LANES);
 *     add_squares (&sums, x + i, n - i);
 *     return ns_sum_lanes (&sums);
 *
 * where add_squares() is inline and goes through the vectors with NS_EACH_FOUR (k).
 */
#pragma once

#include "engine/ops/ns-real.h"

#include <string.h>

/* Without AVX GCC would return a vector of four in another way; none of these functions is ever called. */
#pragma GCC diagnostic ignored "-Wpsabi"

#define NS_LANES 16
#define NS_FOURS (NS_LANES / 4)

typedef double NsFour __attribute__ ((vector_size (4 * sizeof (double))));
/* Four values in a row of an array, of any alignment. */
typedef ns_real NsRealFour __attribute__ ((vector_size (4 * sizeof (ns_real)), aligned (sizeof (ns_real)), may_alias));
typedef gint64 NsFourBits __attribute__ ((vector_size (4 * sizeof (gint64))));

typedef struct
{
  NsFour v[NS_FOURS];
} NsLanes;

/* Repeat the next statement for each vector k of NS_LANES values. */
#define NS_EACH_FOUR(k) _Pragma ("GCC unroll 4") for (gsize k = 0; k < NS_FOURS; k++)

/* Return the k-th four of the n values of x, 0 where there are less. */
NS_INLINE NsRealFour
ns_four_real (const ns_real *x, gsize k, gsize n)
{
  NsRealFour rest = { 0 };

  if (4 * k + 4 <= n)
    return ((const NsRealFour *) x)[k];
  for (gsize j = 0; j < 3; j++)
    if (4 * k + j < n)
      rest[j] = x[4 * k + j];
  return rest;
}

NS_INLINE NsFour
ns_four_widen (NsRealFour values)
{
  return __builtin_convertvector(values, NsFour);
}

/* The same in double. */
NS_INLINE NsFour
ns_four (const ns_real *x, gsize k, gsize n)
{
  return ns_four_widen (ns_four_real (x, k, n));
}

/* Return the k-th four doubles from x on. */
NS_INLINE NsFour
ns_four_double (const double *x, gsize k)
{
  NsFour four;

  memcpy (&four, x + 4 * k, sizeof four);
  return four;
}

NS_INLINE NsFour
ns_four_absolute (NsFour a)
{
  return (NsFour) ((NsFourBits) a & G_MAXINT64); /* without the sign */
}

/* Add terms [NS_LANES] that are computed one by one. */
NS_INLINE void
ns_lanes_add (NsLanes *sums, const double *terms)
{
  NS_EACH_FOUR (k)
    for (gsize j = 0; j < 4; j++)
      sums->v[k][j] += terms[4 * k + j];
}

NS_INLINE double
ns_sum_lanes (const NsLanes *sums)
{
  double sum = 0;

  NS_EACH_FOUR (k)
    for (gsize j = 0; j < 4; j++)
      sum += sums->v[k][j];
  return sum;
}
