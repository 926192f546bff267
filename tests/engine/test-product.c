/* Test products against sums in double, for numbers of rows, columns and products around those of tiles.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "check.h"

#include "engine/ops/ns-product-tiles.h"
#include "tests.h"

#define UNTOUCHED 12345
#define TOLERANCE 1e-5 /* sums of up to 300 products in single precision: 1e-6; one product less: 1e-3 */

/* Which of x and u is transposed. */
typedef enum { PLAIN, U, X, BOTH, N_KINDS } Kind;

static ns_real *
new_random (gsize n)
{
  ns_real *values = g_new (ns_real, n);

  for (gsize i = 0; i < n; i++)
    values[i] = (ns_real) g_test_rand_double_range (-1, 1);
  return values;
}

/* Return a product of random numbers, whose rows are further apart than they are long. */
static NsProduct
new_product (gsize N, gsize columns, gsize depth, Kind kind)
{
  gboolean x_transposed = kind == X || kind == BOTH, u_transposed = kind == U || kind == BOTH;
  NsProduct p = { .N = N, .columns = columns, .depth = depth, .alpha = 0.75, .x_transposed = x_transposed,
                  .u_transposed = u_transposed, .ldx = (x_transposed ? N : depth) + 3,
                  .ldu = (u_transposed ? depth : columns) + 7, .ldy = columns + 5 };

  p.x = new_random ((x_transposed ? depth : N) * p.ldx);
  p.u = new_random ((u_transposed ? columns : depth) * p.ldu);
  p.y = new_random (N * p.ldy);
  for (gsize n = 0; n < N; n++)
    for (gsize c = columns; c < p.ldy; c++)
      p.y[n * p.ldy + c] = UNTOUCHED;
  return p;
}

static void
free_product (NsProduct *p)
{
  g_free ((gpointer) p->x);
  g_free ((gpointer) p->u);
  g_free (p->y);
}

/* Return alpha·x[n, k]·u[k, c]. */
static double
get_term (const NsProduct *p, gsize n, gsize k, gsize c)
{
  return p->alpha * (double) p->x[p->x_transposed ? k * p->ldx + n : n * p->ldx + k]
         * (double) p->u[p->u_transposed ? c * p->ldu + k : k * p->ldu + c];
}

/* Return the worst error relative to the sum of the products' sizes; `planted` products are not expected. */
static double
worst_error (const NsProduct *product, double beta, gsize planted)
{
  NsProduct p = *product;
  g_autofree ns_real *y = g_memdup2 (p.y, p.N * p.ldy * sizeof *y);
  const ns_real *before = p.y;
  double worst = 0;

  p.y = y;
  p.beta = beta;
  ns_product (&p);
  for (gsize i = 0; i < p.N * p.ldy; i++)
    {
      gsize n = i / p.ldy, c = i % p.ldy;
      double sum = beta != 0 ? beta * (double) before[i] : 0, sizes = fabs (sum);

      if (c >= p.columns)
        {
          g_assert_cmpfloat ((double) y[i], ==, UNTOUCHED);
          continue;
        }
      for (gsize k = planted; k < p.depth; k++)
        {
          sum += get_term (&p, n, k, c);
          sizes += fabs (get_term (&p, n, k, c));
        }
      worst = MAX (worst, fabs (sum - (double) y[i]) / sizes);
    }
  return worst;
}

static const gsize rows[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 64, 65 };
static const gsize lengths[] = { 1, 16, 17, 63, 65, 128, 129, 300 };

static void
test_sums (gconstpointer data)
{
  Kind kind = (Kind) GPOINTER_TO_INT (data);

  for (gsize n = 0; n < G_N_ELEMENTS (rows); n++)
    for (gsize c = 0; c < G_N_ELEMENTS (lengths); c++)
      /* each pair of numbers of rows, columns and depth */
      for (gsize k = (n + c) % 3; k < G_N_ELEMENTS (lengths); k += 3)
        {
          NsProduct p = new_product (rows[n], lengths[c], lengths[k], kind);

          g_assert_cmpfloat (worst_error (&p, 0, 0), <, TOLERANCE);
          g_assert_cmpfloat (worst_error (&p, 1, 0), <, TOLERANCE);
          g_assert_cmpfloat (worst_error (&p, -0.5, 0), <, TOLERANCE);
          if (rows[n] > 4 && lengths[c] > 10 && lengths[k] > 1)
            g_assert_cmpfloat (worst_error (&p, 0, 1), >, 10 * TOLERANCE);
          free_product (&p);
        }
}

/* A product so long that x is read in parts. */
static void
test_long (gconstpointer data)
{
  NsProduct p = new_product (200, 70, 1000, (Kind) GPOINTER_TO_INT (data));

  g_assert_cmpfloat (worst_error (&p, 0, 0), <, TOLERANCE);
  g_assert_cmpfloat (worst_error (&p, 0.5, 0), <, TOLERANCE);
  free_product (&p);
}

/* The bits of a sum depend neither on the number of rows nor on the columns that are computed with it. */
static void
test_same_bits (gconstpointer data)
{
  Kind kind = (Kind) GPOINTER_TO_INT (data);
  NsProduct whole;
  g_autofree ns_real *y = NULL;

  if (!ns_product_tiles_are_supported ())
    {
      g_test_skip ("no AVX-512: OpenBLAS multiplies");
      return;
    }
  whole = new_product (150, 200, 700, kind);
  y = g_memdup2 (whole.y, whole.N * whole.ldy * sizeof *y);
  ns_product (&whole);
  for (gsize n = 0; n < G_N_ELEMENTS (rows); n++)
    for (gsize c = 0; c < G_N_ELEMENTS (lengths); c++)
      {
        gsize row = whole.N - rows[n], first = MIN (lengths[c], 199);
        NsProduct part = whole;

        part.N = rows[n];
        part.columns = MIN (200 - first, lengths[c]);
        part.x += whole.x_transposed ? row : row * whole.ldx;
        part.u += whole.u_transposed ? first * whole.ldu : first;
        part.y = y + row * whole.ldy + first;
        ns_product (&part);
        for (gsize i = 0; i < part.N; i++)
          g_assert_cmpmem (part.y + i * whole.ldy, part.columns * sizeof *y,
                           whole.y + (row + i) * whole.ldy + first, part.columns * sizeof *y);
      }
  free_product (&whole);
}

/* With beta 0 what was there does not count. NaN and infinity stay in their rows and columns. */
static void
test_not_finite (gconstpointer data)
{
  NsProduct p = new_product (9, 70, 130, (Kind) GPOINTER_TO_INT (data));

  for (gsize i = 0; i < p.N * p.ldy; i++)
    p.y[i] = NAN;
  ((ns_real *) p.x)[p.x_transposed ? 129 * p.ldx + 3 : 3 * p.ldx + 129] = NAN;
  ((ns_real *) p.u)[p.u_transposed ? 66 * p.ldu + 128 : 128 * p.ldu + 66] = INFINITY;
  ns_product (&p);
  for (gsize n = 0; n < p.N; n++)
    for (gsize c = 0; c < p.columns; c++)
      g_assert_cmpint (fpclassify (p.y[n * p.ldy + c]), ==, n == 3 ? FP_NAN : c == 66 ? FP_INFINITE : FP_NORMAL);
  free_product (&p);
}

static void
count_threads (void)
{
  g_autoptr (GDir) threads = g_dir_open ("/proc/self/task", 0, NULL);
  guint n = 0;

  g_assert_nonnull (threads);
  while (g_dir_read_name (threads) != NULL)
    n++;
  g_assert_cmpuint (n, ==, 1);
}

/* OpenBLAS has no threads that would compete with the engine's, also where nobody has forbidden them, as the tests'
 * environment does. */
static void
test_threads (void)
{
  if (!g_file_test ("/proc/self/task", G_FILE_TEST_IS_DIR))
    {
      g_test_skip ("the system does not list threads");
      return;
    }
  g_unsetenv ("OPENBLAS_NUM_THREADS");
  g_test_trap_subprocess ("/product/threads/subprocess", 0, G_TEST_SUBPROCESS_INHERIT_STDERR);
  g_test_trap_assert_passed ();
}

void
add_product_tests (void)
{
  static const char *const names[N_KINDS] = { "plain", "u-transposed", "x-transposed", "both-transposed" };
  static const struct
  {
    const char *name;
    GTestDataFunc function;
  } tests[] = { { "sums", test_sums }, { "long", test_long }, { "same-bits", test_same_bits },
                { "not-finite", test_not_finite } };

  for (int kind = 0; kind < N_KINDS; kind++)
    for (gsize i = 0; i < G_N_ELEMENTS (tests); i++)
      {
        g_autofree char *path = g_strdup_printf ("/product/%s/%s", names[kind], tests[i].name);

        g_test_add_data_func (path, GINT_TO_POINTER (kind), tests[i].function);
      }
  g_test_add_func ("/product/threads", test_threads);
  g_test_add_func ("/product/threads/subprocess", count_threads);
}
