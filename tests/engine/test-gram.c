/* Test Gram matrices against sums in double, for numbers of rows and columns around those of tiles and vectors.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "check.h"

#include "engine/ops/ns-gram-tiles.h"
#include "engine/ops/ns-gram.h"
#include "tests.h"

#define UNTOUCHED 12345
#define TOLERANCE 1e-5 /* sums of up to 1024 products in single precision: 1e-6; one product less: 1e-3 */

typedef void (*Gram) (ns_real *g, const ns_real *x, gsize N, gsize C, NsProgress *progress);

/* Return the worst error of the lower triangle of n × n sums of k products, relative to the sum of their sizes. */
static double
worst_error (Gram function, gsize n, gsize k, gboolean by_rows)
{
  g_autofree ns_real *x = g_new (ns_real, n * k), *g = g_new (ns_real, n * n);
  gsize step = by_rows ? k : 1, inner = by_rows ? 1 : n;
  double worst = 0;

  for (gsize i = 0; i < n * k; i++)
    x[i] = (ns_real) g_test_rand_double_range (-1, 1);
  for (gsize i = 0; i < n * n; i++)
    g[i] = UNTOUCHED;
  function (g, x, by_rows ? n : k, by_rows ? k : n, NULL);
  for (gsize i = 0; i < n; i++)
    for (gsize j = 0; j < n; j++)
      {
        double sum = 0, size = 0;

        if (j > i)
          {
            g_assert_cmpfloat ((double) g[i * n + j], ==, UNTOUCHED);
            continue;
          }
        for (gsize c = 0; c < k; c++)
          {
            double product = (double) x[i * step + c * inner] * x[j * step + c * inner];

            sum += product;
            size += fabs (product);
          }
        worst = MAX (worst, fabs (sum - (double) g[i * n + j]) / size);
      }
  return worst;
}

static void
test_gram (gconstpointer data)
{
  static const gsize counts[] = { 1, 2, 7, 8, 9, 15, 16, 17, 31, 32, 33, 47, 48, 49, 60, 63, 64, 65, 130 };
  static const gsize lengths[] = { 1, 5, 15, 16, 17, 100, 127, 128, 129, 144, 300, 1024 };
  gboolean by_rows = data == ns_gram_rows;

  g_test_message ("tiles: %s", ns_gram_tiles_are_supported () ? "yes" : "no");
  for (gsize n = 0; n < G_N_ELEMENTS (counts); n++)
    for (gsize k = 0; k < G_N_ELEMENTS (lengths); k++)
      g_assert_cmpfloat (worst_error ((Gram) data, counts[n], lengths[k], by_rows), <, TOLERANCE);
}

/* NaN and infinity stay in the rows that have them, and the largest sums overflow. */
static void
test_not_finite (void)
{
  g_autofree ns_real *x = g_new (ns_real, 20 * 130), *g = g_new0 (ns_real, 20 * 20);

  for (gsize i = 0; i < 20 * 130; i++)
    x[i] = 1;
  x[3 * 130 + 129] = NAN;
  x[5 * 130] = INFINITY;
  x[9 * 130 + 128] = (ns_real) 3e38;
  ns_gram_rows (g, x, 20, 130, NULL);
  for (int i = 0; i < 20; i++)
    for (int j = 0; j <= i; j++)
      if (i == 3 || j == 3)
        g_assert_true (isnan (g[i * 20 + j]));
      else if (i == 5 || j == 5 || (i == 9 && j == 9))
        g_assert_true (isinf (g[i * 20 + j]));
      else
        g_assert_cmpfloat ((double) g[i * 20 + j], ==, i == 9 || j == 9 ? (double) (float) 3e38 : 130.0);
}

void
add_gram_tests (void)
{
  g_test_add_data_func ("/gram/rows", (gconstpointer) ns_gram_rows, test_gram);
  g_test_add_data_func ("/gram/columns", (gconstpointer) ns_gram_columns, test_gram);
  g_test_add_func ("/gram/not-finite", test_not_finite);
}
