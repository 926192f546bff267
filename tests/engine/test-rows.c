/* Test that numbers taken from other runs have the bits of a new run, and that no setting is overlooked.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "check.h"

#include "engine/experiment/ns-experiment.h"
#include "engine/experiment/ns-params-private.h"
#include "engine/experiment/ns-variants.h"
#include "engine/run/ns-paths.h"
#include "engine/run/ns-result-private.h"
#include "engine/run/ns-result-rows.h"
#include "engine/run/ns-sweep.h"
#include "tests.h"

#include <string.h>

static const NsShape tiny = { .depth = 3, .d_model = 16, .heads = 2, .d_ff = 24, .seq_len = 6, .batch = 2, .vocab = 9 };

static guint
count_known (const NsResult *result, const NsExperiment *experiment, const NsQuantitySet *quantities)
{
  guint seeds = (guint) experiment->sampling.seeds;
  g_autofree NsResultRow *rows = g_new0 (NsResultRow, seeds * experiment->variants->len);

  return ns_result_find_rows (result, experiment, quantities, 0, seeds, rows);
}

/* ---- bits ---- */

/* Put the experiment together from both, and compare it with a new run. */
static void
compare (const NsResult *a, const NsResult *b, const NsExperiment *experiment, const NsQuantitySet *quantities)
{
  guint seeds = (guint) experiment->sampling.seeds, n = seeds * experiment->variants->len;
  g_autofree NsResultRow *rows = g_new0 (NsResultRow, n);
  g_autoptr (NsEngine) engine = ns_engine_new (1, 0);
  g_autoptr (NsResult) fresh = ns_engine_run_quantities (engine, experiment, quantities, 0, seeds, NULL, NULL);
  g_autoptr (NsResult) made = NULL;

  g_assert_cmpuint (ns_result_find_rows (a, experiment, quantities, 0, seeds, rows), <, n);
  g_assert_cmpuint (ns_result_find_rows (b, experiment, quantities, 0, seeds, rows), ==, n);
  made = ns_result_new_from_rows (experiment, quantities, 0, seeds, rows);
  g_assert_false (ns_result_is_partial (made));
  g_assert_true (ns_experiment_equal (ns_result_get_experiment (made), experiment));
  g_assert_cmpuint (ns_result_get_n_numbers (made), ==, ns_result_get_n_numbers (fresh));
  for (guint v = 0; v < experiment->variants->len; v++)
    for (guint s = 0; s < seeds; s++)
      {
        double *x, *y;
        gint64 *x_overflow, *y_overflow;
        gsize x_n, y_n;

        ns_result_get_row (made, v, s, &x, &x_n, &x_overflow);
        ns_result_get_row (fresh, v, s, &y, &y_n, &y_overflow);
        g_assert_cmpmem (x, x_n * sizeof *x, y, y_n * sizeof *y);
        g_assert_cmpint (*x_overflow, ==, *y_overflow);
      }
}

/* Variants of two runs in another order and with other names, of seeds in the middle, one of which overflows. */
static void
test_bits (void)
{
  g_autoptr (NsExperiment) a = check_experiment (tiny, "pre post mix"), b = check_experiment (tiny, "sandwich pre");
  g_autoptr (NsExperiment) wanted = check_experiment (tiny, "mix sandwich pre none:residual_scale=1000000");
  g_autoptr (NsResult) first = NULL, second = NULL;
  NsQuantitySet asked = { { 0 } };

  g_ptr_array_add (b->variants, ns_variant_from_text ("none:residual_scale=1000000", NULL));
  for (int batches = 1; batches <= 2; batches++)
    {
      NsExperiment *all[] = { a, b, wanted };

      for (gsize i = 0; i < G_N_ELEMENTS (all); i++)
        {
          all[i]->sampling.batches = batches;
          all[i]->sampling.seed = 5 + (i == 2);
          all[i]->sampling.seeds = i == 2 ? 2 : 3;
        }
      wanted->sampling.estimate = batches == 2 ? NS_ESTIMATE_MEAN : NS_ESTIMATE_NORM;
      g_free (ns_experiment_variant (wanted, 0)->name);
      ns_experiment_variant (wanted, 0)->name = g_strdup ("Another name");
      g_clear_pointer (&first, ns_result_unref);
      g_clear_pointer (&second, ns_result_unref);
      first = check_run (a, 2, 0);
      second = check_run (b, 1, 0);
      compare (first, second, wanted, NULL);
      ns_quantity_set_add (&asked, NS_Q_W_2);
      ns_quantity_set_add (&asked, NS_Q_GRAD_X);
      ns_quantity_set_add (&asked, NS_Q_RMS_X);
      compare (first, second, wanted, &asked);
    }
}

/* ---- what is known ---- */

/* Give a field another value. */
static void
change (const NsParam *param, gpointer base)
{
  gboolean ok = FALSE;

  switch (param->type)
    {
    case NS_TYPE_INTEGER:
    case NS_TYPE_BOOLEAN:
    case NS_TYPE_CHOICE:
      ok = ns_param_set_int (param, base, (gint64) param->min + (ns_param_get_int (param, base) == (gint64) param->min),
                             "", NULL);
      break;
    case NS_TYPE_NUMBER:
      ok = ns_param_set_number (param, base, ns_param_get_number (param, base) == param->min ? param->max : param->min,
                                "", NULL);
      break;
    case NS_TYPE_SCALE:
      ok = ns_param_set_number (param, base,
                                ns_param_get_scale (param, base).number == param->min ? param->max : param->min, "",
                                NULL);
      break;
    case NS_TYPE_STRING:
    case NS_TYPE_LIST:
    default:
      ok = ns_param_set_string (param, base, param->type == NS_TYPE_LIST ? "1 2" : "x", "", NULL);
    }
  g_assert_true (ok);
}

/* What has no part in a pass: rows are found whatever its value. The seed has: its rows are those of other seeds. */
static gboolean
is_free (const NsParam *param)
{
  static const char *const paths[] = { "name", "sampling.seeds", "sampling.estimate", NULL };

  return ns_param_is_of_training (param) || g_strv_contains (paths, ns_param_get_path (param));
}

/* Every setting of the table counts but those that have no part in a pass, and so do the rows' seeds. */
static void
test_every_setting (void)
{
  g_autoptr (NsExperiment) experiment = check_experiment (tiny, "pre post");
  g_autoptr (NsResult) result = ns_result_new_of (experiment, 0, 1, NULL);
  guint n_free = 0;
  gsize n;
  const NsParam *params = ns_params (&n);

  g_assert_cmpuint (count_known (result, experiment, NULL), ==, 2);
  for (gsize i = 0; i < n; i++)
    {
      g_autoptr (NsExperiment) other = ns_experiment_copy (experiment);
      gboolean in_variant = ns_param_is_in_variant (&params[i]);
      gpointer base = in_variant ? (gpointer) ns_experiment_variant (other, 1) : other;
      gconstpointer former = ns_experiment_variant (experiment, 1);

      change (&params[i], base);
      g_assert_false (ns_param_equal (&params[i], base, in_variant ? former : experiment));
      other->sampling.seeds = 1;
      g_test_message ("%s", ns_param_get_path (&params[i]));
      g_assert_cmpuint (count_known (result, other, NULL), ==, is_free (&params[i]) ? 2 : in_variant ? 1 : 0);
      n_free += is_free (&params[i]);
    }
  g_assert_cmpuint (n_free, <, n / 2);
}

/* What is no setting: tokens, weights of a file, quantities, and the seed with which a chain is drawn. */
static void
test_others (void)
{
  g_autoptr (NsExperiment) experiment = check_experiment (tiny, "pre post");
  g_autoptr (NsResult) result = NULL;
  NsQuantitySet asked = { { 0 } };

  experiment->sampling.seeds = 3;
  result = ns_result_new_of (experiment, 0, 3, NULL);
  ns_quantity_set_add (&asked, NS_Q_RMS_X);
  g_assert_cmpuint (count_known (result, experiment, &asked), ==, 6);
  ns_quantity_set_add (&asked, NS_Q_GAIN);
  g_assert_cmpuint (count_known (result, experiment, &asked), ==, 0);
  experiment->sampling.seed = 1;
  g_assert_cmpuint (count_known (result, experiment, NULL), ==, 4);
  experiment->data.ids = g_bytes_new_static ("\0\0\0\1", 4);
  g_assert_cmpuint (count_known (result, experiment, NULL), ==, 0);
  g_clear_pointer (&experiment->data.ids, g_bytes_unref);

  g_clear_pointer (&result, ns_result_unref);
  experiment->data.source = NS_SOURCE_MARKOV;
  result = ns_result_new_of (experiment, 0, 3, NULL);
  g_assert_cmpuint (count_known (result, experiment, NULL), ==, 6);
  experiment->sampling.seed = 2;
  g_assert_cmpuint (count_known (result, experiment, NULL), ==, 0);
}

/* ---- partial results ---- */

static void
test_partial (void)
{
  g_autoptr (NsExperiment) one = check_experiment (tiny, "pre"), two = check_experiment (tiny, "post");
  g_autoptr (NsExperiment) both = check_experiment (tiny, "post pre");
  g_autoptr (NsResult) known = check_run (one, 1, 0), like = ns_result_new_of (two, 0, 1, NULL);
  g_autoptr (NsResult) partial = ns_result_new_partial (like), made = NULL;
  NsResultRow rows[2] = { { NULL, 0, 0 } };
  double value = 0;

  ns_result_set (partial, 0, NS_Q_RMS_X, 1, 0, 7, 1);
  g_assert_cmpuint (ns_result_find_rows (known, both, NULL, 0, 1, rows), ==, 1);
  g_assert_cmpuint (ns_result_find_rows (partial, both, NULL, 0, 1, rows), ==, 2);
  made = ns_result_new_from_rows (both, NULL, 0, 1, rows);
  g_assert_true (ns_result_is_partial (made));
  g_assert_true (ns_result_get_value (made, 0, NS_Q_RMS_X, 1, 0, &value, NULL));
  g_assert_cmpfloat (value, ==, 7);
  g_assert_false (ns_result_get_value (made, 0, NS_Q_RMS_X, 2, 0, &value, NULL));
  g_assert_cmpuint (check_count_different (made, 1, 0, known, 0, 0), ==, 0);
}

/* ---- paths and sweeps ---- */

static NsPaths *
new_paths (const NsExperiment *experiment, NsPathsKind kind)
{
  const NsPathsSettings settings = { .kind = kind, .n_probes = 3, .learning_rate = 0.1 };
  NsPaths *paths = ns_paths_new (experiment, &settings, 0, (guint) experiment->sampling.seeds, NULL);

  g_assert_nonnull (paths);
  return paths;
}

static void
fill_paths (NsPaths *paths)
{
  g_autoptr (NsEngine) engine = ns_engine_new (2, 0);

  g_assert_true (ns_engine_fill_paths (engine, paths, NULL, NULL));
}

static void
compare_paths (const NsPaths *a, const NsPaths *b)
{
  guint n_numbers = 0;

  for (guint v = 0; v < ns_paths_get_experiment (a)->variants->len; v++)
    for (NsPathsMap m = 0; m < NS_N_MAPS; m++)
      {
        gint64 rows, columns;

        ns_paths_get_size (a, v, m, &rows, &columns);
        for (gint64 i = 0; i < rows * columns; i++)
          for (guint s = 0; s < ns_paths_get_n_seeds (a); s++)
            {
              double x[2] = { 0, 0 }, y[2] = { 0, 0 };
              gboolean has = ns_paths_get_value (a, v, m, i / columns, i % columns, s, &x[0], &x[1]);

              g_assert_true (has == ns_paths_get_value (b, v, m, i / columns, i % columns, s, &y[0], &y[1]));
              g_assert_cmpmem (x, sizeof x, y, sizeof y);
              n_numbers += has;
            }
      }
  g_assert_cmpuint (n_numbers, >, 0);
}

/* Of every kind: a variant that is new, one under another name, seeds of which some are known. */
static void
test_paths (void)
{
  g_autoptr (NsExperiment) a = check_experiment (tiny, "pre post"), b = check_experiment (tiny, "sandwich pre");

  a->sampling.seeds = 2;
  b->sampling.seed = 1;
  b->sampling.seeds = 2;
  g_free (ns_experiment_variant (b, 1)->name);
  ns_experiment_variant (b, 1)->name = g_strdup ("Another name");
  for (NsPathsKind kind = 0; kind < NS_N_PATHS; kind++)
    if (kind != NS_PATHS_ROUTING)
      {
        g_autoptr (NsPaths) known = new_paths (a, kind), paths = new_paths (b, kind), fresh = new_paths (b, kind);

        g_test_message ("%s", ns_paths_kind_get_name (kind));
        fill_paths (known);
        fill_paths (fresh);
        g_assert_false (ns_paths_take_known (paths, known));
        g_assert_cmpuint (ns_paths_count_finished (paths, 0), ==, 0);
        g_assert_cmpuint (ns_paths_count_finished (paths, 1), ==, 1);
        fill_paths (paths);
        compare_paths (paths, fresh);

        g_clear_pointer (&paths, ns_paths_unref);
        paths = new_paths (b, kind);
        g_assert_true (ns_paths_take_known (paths, fresh));
        g_assert_true (ns_paths_is_complete (paths));
        compare_paths (paths, fresh);

        b->shape.seq_len++;
        g_clear_pointer (&paths, ns_paths_unref);
        paths = new_paths (b, kind);
        g_assert_false (ns_paths_take_known (paths, known));
        g_assert_cmpuint (ns_paths_count_finished (paths, 1), ==, 0);
        b->shape.seq_len--;
      }
}

static NsSweep *
new_sweep (const NsExperiment *experiment, NsSweepAxis axis)
{
  const gint64 points[2][3] = { { 2, 3, 5 }, { 16, 24, 32 } };
  NsSweep *sweep = ns_sweep_new (experiment, axis, points[axis], 3, (NsMetric) { NS_Q_W_2, NS_AT_LAST, 0 }, NULL);

  g_assert_nonnull (sweep);
  return sweep;
}

static guint
count_values (const NsSweep *sweep, guint variant)
{
  guint n = 0;

  for (guint p = 0; p < 3; p++)
    for (guint s = 0; s < ns_sweep_get_n_seeds (sweep); s++)
      n += ns_sweep_get_value (sweep, variant, p, s, NULL, NULL);
  return n;
}

static void
compare_sweeps (const NsSweep *a, const NsSweep *b)
{
  for (guint v = 0; v < ns_sweep_get_experiment (a)->variants->len; v++)
    for (guint p = 0; p < 3; p++)
      for (guint s = 0; s < ns_sweep_get_n_seeds (a); s++)
        {
          double x[2], y[2];

          g_assert_true (ns_sweep_get_value (a, v, p, s, &x[0], &x[1]));
          g_assert_true (ns_sweep_get_value (b, v, p, s, &y[0], &y[1]));
          g_assert_cmpmem (x, sizeof x, y, sizeof y);
        }
}

/* The same over depth, whose present value does not count, and over width. */
static void
test_sweeps (void)
{
  g_autoptr (NsEngine) engine = ns_engine_new (2, 0);

  for (NsSweepAxis axis = NS_SWEEP_DEPTH; axis <= NS_SWEEP_D_MODEL; axis++)
    {
      g_autoptr (NsExperiment) a = check_experiment (tiny, "pre post"), b = check_experiment (tiny, "deepnorm pre");
      g_autoptr (NsSweep) known = NULL, sweep = NULL, fresh = NULL;

      a->sampling.seeds = 2;
      b->sampling.seeds = 3;
      ns_shape_set_depth (&b->shape, axis == NS_SWEEP_DEPTH ? 4 : 3);
      known = new_sweep (a, axis);
      sweep = new_sweep (b, axis);
      fresh = new_sweep (b, axis);
      g_assert_true (ns_engine_run_sweep (engine, known, NULL, NULL));
      g_assert_true (ns_engine_run_sweep (engine, fresh, NULL, NULL));
      g_assert_false (ns_sweep_take_known (sweep, known));
      g_assert_cmpuint (count_values (sweep, 0), ==, 0);
      g_assert_cmpuint (count_values (sweep, 1), ==, 2 * 3);
      g_assert_true (ns_engine_run_sweep (engine, sweep, NULL, NULL));
      compare_sweeps (sweep, fresh);

      g_clear_pointer (&sweep, ns_sweep_unref);
      b->shape.batch++;
      sweep = new_sweep (b, axis);
      g_assert_false (ns_sweep_take_known (sweep, fresh));
      g_assert_cmpuint (count_values (sweep, 1), ==, 0);
    }
}

void
add_rows_tests (void)
{
  g_test_add_func ("/rows/bits", test_bits);
  g_test_add_func ("/rows/every-setting", test_every_setting);
  g_test_add_func ("/rows/others", test_others);
  g_test_add_func ("/rows/partial", test_partial);
  g_test_add_func ("/rows/paths", test_paths);
  g_test_add_func ("/rows/sweeps", test_sweeps);
}
