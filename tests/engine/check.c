/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "check.h"

#include "engine/experiment/ns-experiment.h"
#include "engine/experiment/ns-validate.h"
#include "engine/experiment/ns-variant-name.h"
#include "engine/experiment/ns-variants.h"
#include "engine/ops/ns-probe.h"
#include "engine/ops/ns-random.h"
#include "engine/run/ns-result-rows.h"
#include "engine/verify/ns-adjoint.h"

#include <string.h>

ns_real *
check_draw (gsize n, guint id)
{
  g_autofree float *drawn = g_new (float, n);
  ns_real *x = g_new (ns_real, n);

  ns_random_fill ((NsRandomKey){ 20260101, id, NS_STREAM_TEST, 0, 0 }, NS_DISTRIBUTION_NORMAL, 0, n, drawn);
  for (gsize i = 0; i < n; i++)
    x[i] = drawn[i];
  return x;
}

double
check_dot (const ns_real *x, const ns_real *y, gsize n)
{
  return ns_dot (x, y, n);
}

double
check_square (const ns_real *x, gsize n)
{
  return check_dot (x, x, n);
}

double
check_relative_error (double a, double b, double scale)
{
  return ns_relative_error (a, b, scale);
}

NsExperiment *
check_experiment (NsShape shape, const char *variants)
{
  g_auto (GStrv) texts = g_strsplit (variants, " ", -1);
  NsExperiment *experiment = ns_experiment_new ();
  GError *error = NULL;

  experiment->shape = shape;
  experiment->sampling.seeds = 1;
  g_ptr_array_set_size (experiment->variants, 0);
  for (guint i = 0; texts[i] != NULL; i++)
    {
      NsVariant *variant = ns_variant_from_text (texts[i], &error);

      g_assert_no_error (error);
      g_ptr_array_add (experiment->variants, variant);
      /* Automatic names are cut off, so long ones may be equal. */
      if (ns_variant_has_automatic_name (variant))
        ns_experiment_name_variant (experiment, i);
    }
  ns_experiment_validate (experiment, &error);
  g_assert_no_error (error);
  return experiment;
}

NsResult *
check_run_on (NsEngine *engine, const NsExperiment *experiment)
{
  GError *error = NULL;
  NsResult *result = ns_engine_run (engine, experiment, 0, (guint) experiment->sampling.seeds, NULL, &error);

  g_assert_no_error (error);
  g_assert_nonnull (result);
  return result;
}

NsResult *
check_run (const NsExperiment *experiment, guint n_threads, guint64 budget)
{
  g_autoptr (NsEngine) engine = ns_engine_new (n_threads, budget);

  return check_run_on (engine, experiment);
}

NsResult *
check_merge (const NsResult *a, const NsResult *b)
{
  const NsExperiment *experiment = ns_result_get_experiment (a);
  guint first_seed = ns_result_get_first_seed (a), n_seeds = ns_result_get_n_seeds (a) + ns_result_get_n_seeds (b);
  guint n_rows = n_seeds * experiment->variants->len;
  g_autofree NsResultRow *rows = g_new0 (NsResultRow, n_rows);

  ns_result_find_rows (a, experiment, ns_result_get_quantities (a), first_seed, n_seeds, rows);
  g_assert_cmpuint (ns_result_find_rows (b, experiment, ns_result_get_quantities (a), first_seed, n_seeds, rows), ==,
                    n_rows);
  return ns_result_new_from_rows (experiment, ns_result_get_quantities (a), first_seed, n_seeds, rows);
}

guint
check_count_different (const NsResult *a, guint va, guint sa, const NsResult *b, guint vb, guint sb)
{
  gint64 depth = ns_result_get_experiment (a)->shape.depth;
  gint64 head = ns_experiment_get_head_site (ns_result_get_experiment (a));
  guint different = ns_result_get_overflow (a, va, sa) != ns_result_get_overflow (b, vb, sb), numbers = 0;

  for (gint64 site = 0; site <= head; site++)
    for (guint q = 0; q < NS_N_QUANTITIES; q++)
      {
        double x[2] = { 0, 0 }, y[2] = { 0, 0 };
        gboolean in_a = ns_result_get_value (a, va, (NsQuantity) q, site, sa, &x[0], &x[1]);
        gboolean in_b = ns_result_get_value (b, vb, (NsQuantity) q, site, sb, &y[0], &y[1]);

        numbers += in_a;
        if (in_a == in_b && memcmp (x, y, sizeof x) == 0)
          continue;
        if (different++ < 5)
          g_test_message ("%s at %d: %.17g (log10 %.17g), %.17g (log10 %.17g)", ns_quantity_info ((NsQuantity) q)->name,
                          (int) site, x[0], x[1], y[0], y[1]);
      }
  g_assert_cmpuint (numbers, >, 10 * depth);
  return different;
}

guint
check_count_different_all (const NsResult *a, const NsResult *b)
{
  guint n_variants = ns_result_get_experiment (a)->variants->len, n_seeds = ns_result_get_n_seeds (a), different = 0;

  g_assert_cmpuint (n_seeds, ==, ns_result_get_n_seeds (b));
  for (guint v = 0; v < n_variants; v++)
    for (guint s = 0; s < n_seeds; s++)
      different += check_count_different (a, v, s, b, v, s);
  return different;
}

double
check_log10 (const NsResult *result, guint variant, NsQuantity quantity, gint64 site, guint seed)
{
  double log10_value = NAN;

  g_assert_true (ns_result_get_value (result, variant, quantity, site, seed, NULL, &log10_value));
  return log10_value;
}

double
check_value (const NsResult *result, guint variant, NsQuantity quantity, gint64 site, guint seed)
{
  double value = NAN;

  g_assert_true (ns_result_get_value (result, variant, quantity, site, seed, &value, NULL));
  return value;
}
