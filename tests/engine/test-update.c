/* Test the size of an optimizer step: against the recorded gradients, for small steps, threads and memory, what is not
 * defined. tests/cross/paths_check.py compares the numbers with PyTorch.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "check.h"

#include "engine/experiment/ns-derived.h"
#include "engine/experiment/ns-experiment.h"
#include "engine/run/ns-paths.h"
#include "engine/run/ns-sweep.h"
#include "tests.h"

#include <string.h>

#ifdef NS_DOUBLE
#define RATE 1e-5     /* so small that all is linear */
#define CURVED 1e-2   /* what a step of RATE may differ from its first order */
#define CLOSE 1e-10
#else
#define RATE 1e-3
#define CURVED 0.2
#define CLOSE 1e-4
#endif

static const NsShape small = {
  .depth = 3, .d_model = 24, .heads = 3, .d_ff = 40, .seq_len = 6, .batch = 2, .vocab = 12,
};

static const char wirings[] = "pre post sandwich deepnorm parallel b2t residual mix "
                              "pre:norm=dyt,bias=on,name=DyT post:bias=on,activation=swiglu,name=Gated "
                              "pre:branch_parameter=vector,branch_scale=0.5,name=Scales "
                              "pre:experts=4,shared_experts=1,activation=gelu,name=Experts";

static NsPaths *
run_on (const NsExperiment *experiment, NsOptimizer optimizer, double rate, guint n_threads, guint64 budget)
{
  g_autoptr (NsEngine) engine = ns_engine_new (n_threads, budget);
  g_autoptr (GError) error = NULL;
  const NsPathsSettings settings = { .kind = NS_PATHS_UPDATE, .optimizer = optimizer, .learning_rate = rate };
  NsPaths *paths = ns_engine_run_paths (engine, experiment, &settings, 0, (guint) experiment->sampling.seeds, NULL,
                                        &error);

  g_assert_no_error (error);
  return paths;
}

static double
number (const NsPaths *paths, guint variant, NsPathsMap map, gint64 row)
{
  double value = 7;

  g_assert_true (ns_paths_get_value (paths, variant, map, row, 0, 0, &value, NULL));
  return value;
}

static void
assert_near (double a, double b, double tolerance)
{
  if (!(check_relative_error (a, b, 0) <= tolerance))
    g_error ("%.17g and %.17g differ by more than %g", a, b, tolerance);
}

/* ‖ΔW‖·‖W‖⁻¹ = η·‖g‖/‖W‖ for SGD: the ratio of two tensors' updates of equal size is that of their gradients; and
 * the sum of the squares of all gradients is the first-order change of the loss. */
static void
check_gradients (const NsExperiment *e)
{
  g_autoptr (NsPaths) paths = run_on (e, NS_OPTIMIZER_SGD, RATE, 1, 0);
  g_autoptr (NsResult) result = check_run (e, 1, 0);
  gint64 head = ns_experiment_get_head_site (e);

  for (guint v = 0; v < e->variants->len; v++)
    {
      double sum = 0, value;

      for (NsTensor t = 0; t < NS_N_TENSORS; t++)
        for (gint64 site = 0; site <= head; site++)
          {
            double g;

            if (!ns_tensor_exists (t, e, v, site))
              {
                g_assert_false (ns_paths_get_value (paths, v, NS_MAP_UPDATE_W, site, t, 0, &value, NULL));
                continue;
              }
            g = check_value (result, v, ns_tensor_get_quantity (t), site, 0);
            sum += g * g;
            if (ns_tensor_info (t)->role == NS_ROLE_LINEAR_BIAS || ns_tensor_info (t)->role == NS_ROLE_NORM_BIAS)
              g_assert_false (ns_paths_get_value (paths, v, NS_MAP_UPDATE_W, site, t, 0, &value, NULL));
            else
              g_assert_true (ns_paths_get_value (paths, v, NS_MAP_UPDATE_W, site, t, 0, &value, NULL));
            if (ns_tensor_info (t)->role == NS_ROLE_GAIN)
              {
                gint64 rows, n;

                ns_tensor_get_shape (t, &e->shape, ns_experiment_variant (e, v), &rows, &n);
                assert_near (value, RATE * g / sqrt ((double) n), CLOSE);
              }
          }
      assert_near (number (paths, v, NS_MAP_LOSS_CHANGE_FIRST_ORDER, 0), -RATE * sum, CLOSE);
    }
}

/* Return images in patches with a class token; steps of W_patch and b_patch change the input. */
static NsExperiment *
new_image (void)
{
  NsShape shape = small;
  NsExperiment *image;

  shape.patch_features = 5;
  image = check_experiment (shape, "pre:bias=on post:bias=on,input_norm=on,input_scale=0.5,name=Input residual");
  image->data.class_token = NS_CLASS_TOKEN_NORMAL;
  image->data.positions = NS_POSITIONS_LEARNED;
  image->data.embed_scale = (NsScale){ 0, 0.7 };
  return image;
}

static void
test_gradients (void)
{
  NsShape pair = small;
  g_autoptr (NsExperiment) single = check_experiment (small, wirings), both = NULL, image = new_image ();

  pair.stack = NS_STACK_ENCODER_DECODER;
  pair.depth = 2;
  both = check_experiment (pair, "pre post deepnorm b2t residual post:bias=on,input_norm=on,name=Input "
                               "pre:position_bias=t5,name=T5 post:bias=on,head_transform=on,name=Head");
  single->sampling.batches = 2;
  single->sampling.estimate = NS_ESTIMATE_MEAN;
  check_gradients (single);
  check_gradients (both);
  check_gradients (image);
}

/* A small step changes the loss by its first order and everything else in proportion. */
static void
test_small_step (void)
{
  g_autoptr (NsExperiment) e = check_experiment (small, wirings);

  for (NsOptimizer optimizer = 0; optimizer < NS_N_FIRST_STEPS; optimizer++)
    {
      double rate = optimizer == NS_OPTIMIZER_SGD ? RATE : RATE / 100;
      g_autoptr (NsPaths) one = run_on (e, optimizer, rate, 1, 0), two = run_on (e, optimizer, 2 * rate, 1, 0);

      for (guint v = 0; v < e->variants->len; v++)
        {
          assert_near (number (one, v, NS_MAP_LOSS_CHANGE, 0),
                       number (one, v, NS_MAP_LOSS_CHANGE_FIRST_ORDER, 0), CURVED);
          assert_near (2 * number (one, v, NS_MAP_UPDATE_H, 0), number (two, v, NS_MAP_UPDATE_H, 0), CURVED);
          for (gint64 site = 1; site <= e->shape.depth; site++)
            assert_near (2 * number (one, v, NS_MAP_UPDATE_X, site), number (two, v, NS_MAP_UPDATE_X, site), CURVED);
          g_assert_cmpfloat (number (one, v, NS_MAP_UPDATE_X, 0), ==, 0);
#ifdef NS_DOUBLE
          g_assert_cmpint (ns_paths_judge_step (one, v), ==, NS_STEP_LINEAR);
#endif
        }
    }
}

/* Adam's step moves every element of a matrix by η, unless its gradient is 0. */
static void
test_adam (void)
{
  g_autoptr (NsExperiment) e = check_experiment (small, "post:init.scheme=normal,init.std=0.5,activation=gelu");
  g_autoptr (NsPaths) paths = run_on (e, NS_OPTIMIZER_ADAM, 0.01, 1, 0);
  double value;

  /* std is that of the drawn numbers up to their spread */
  g_assert_true (ns_paths_get_value (paths, 0, NS_MAP_UPDATE_W, 2, NS_T_W_2, 0, &value, NULL));
  assert_near (value, 0.02, 0.1);
  g_assert_true (ns_paths_get_value (paths, 0, NS_MAP_UPDATE_W, 2, NS_T_GAIN_FFN_POST, 0, &value, NULL));
  assert_near (value, 0.01, CLOSE);
}

static guint
count_different (const NsPaths *a, const NsPaths *b)
{
  const NsExperiment *e = ns_paths_get_experiment (a);
  guint n = 0;

  for (guint v = 0; v < e->variants->len; v++)
    for (guint m = NS_MAP_UPDATE_X; m <= NS_MAP_UPDATE_W; m++)
      {
        gint64 rows, columns;

        ns_paths_get_size (a, v, (NsPathsMap) m, &rows, &columns);
        g_assert_cmpint (rows, >, 0);
        for (gint64 cell = 0; cell < rows * columns; cell++)
          for (guint s = 0; s < ns_paths_get_n_seeds (a); s++)
            {
              double x[2] = { 0 }, y[2] = { 0 };
              gint64 r = cell / columns, c = cell % columns;
              gboolean has = ns_paths_get_value (a, v, (NsPathsMap) m, r, c, s, &x[0], &x[1]);

              g_assert_true (has == ns_paths_get_value (b, v, (NsPathsMap) m, r, c, s, &y[0], &y[1]));
              n += memcmp (x, y, sizeof x) != 0;
            }
      }
  return n;
}

/* The same bits for any number of threads, also where the products run on several and blocks run again. */
static void
test_same_bits (void)
{
  NsShape wide = small;
  g_autoptr (NsExperiment) e = NULL;

  wide.stack = NS_STACK_ENCODER_DECODER;
  wide.d_ff = 2816; /* matrices of several panels */
  wide.d_model = 192;
  wide.depth = 2;
  e = check_experiment (wide, "pre:final_norm=on,input_norm=on residual");
  for (NsOptimizer optimizer = 0; optimizer < NS_N_FIRST_STEPS; optimizer++)
    {
      g_autoptr (NsPaths) one = run_on (e, optimizer, RATE, 1, (guint64) 1 << 30);
      g_autoptr (NsPaths) three = run_on (e, optimizer, RATE, 3, 0), again = run_on (e, optimizer, RATE, 2, 1);

      g_assert_cmpuint (count_different (one, three), ==, 0);
      g_assert_cmpuint (count_different (one, again), ==, 0);
    }
}

static NsSweep *
sweep (const NsExperiment *e, NsQuantity quantity, const gint64 *depths, guint n, guint n_threads)
{
  g_autoptr (NsEngine) engine = ns_engine_new (n_threads, 0);
  g_autoptr (NsProgress) progress = ns_progress_new ();
  NsSweep *swept = ns_sweep_new (e, NS_SWEEP_DEPTH, depths, n, (NsMetric){ quantity, NS_AT_LAST, NS_PART_STACK }, NULL);
  guint64 done, total;

  g_assert_true (ns_engine_run_sweep (engine, swept, progress, NULL));
  ns_progress_get (progress, &done, &total);
  g_assert_cmpuint (done, ==, total);
  return swept;
}

/* A sweep has the change per unit of learning rate that a small step makes, whatever the other depths and threads. */
static void
test_sweep (void)
{
  static const gint64 depths[] = { 1, 2, 3 };
  NsShape pair = small;
  g_autoptr (NsExperiment) single = check_experiment (small, wirings), both = NULL;

  pair.stack = NS_STACK_ENCODER_DECODER;
  both = check_experiment (pair, "pre post:bias=on,input_norm=on,name=Input residual");
  for (NsQuantity q = NS_Q_UPDATE_H_SGD; q <= NS_Q_UPDATE_H_ADAM_W; q++)
    for (int i = 0; i < 2; i++)
      {
        const NsExperiment *e = i == 0 ? single : both;
        g_autoptr (NsEngine) engine = ns_engine_new (1, 0);
        NsPathsSettings settings = { .kind = NS_PATHS_UPDATE };
        g_autoptr (NsPaths) paths = NULL;
        g_autoptr (NsResult) result = check_run (e, 1, 0);
        g_autoptr (NsSweep) all = sweep (e, q, depths, 3, 2), one = sweep (e, q, depths + 2, 1, 1);

        g_assert_true (ns_quantity_is_of_step (q, &settings.optimizer, &settings.matrices_only));
        settings.learning_rate = settings.optimizer == NS_OPTIMIZER_SGD ? 1e-3 : 1e-5;
        paths = ns_engine_run_paths (engine, e, &settings, 0, 1, NULL, NULL);
        for (guint v = 0; v < e->variants->len; v++)
          {
            double value, other, h = 1; /* rms (h) behind a final norm */

            g_assert_true (ns_sweep_get_value (all, v, 2, 0, &value, NULL));
            g_assert_true (ns_sweep_get_value (one, v, 0, 0, &other, NULL));
            g_assert_cmpfloat (value, ==, other);
            if (!ns_experiment_has_final_norm (e, v))
              h = check_value (result, v, NS_Q_RMS_X, ns_experiment_get_head_site (e) - 1, 0);
            else if (ns_experiment_variant (e, v)->norm == NS_NORM_DYT || ns_experiment_variant (e, v)->dual_residual)
              continue;
            assert_near (value, number (paths, v, NS_MAP_UPDATE_H, 0) * h / settings.learning_rate, 0.05);
          }
      }
}

/* A pass that overflows, a step that does, and no gradient at all. */
static void
test_undefined (void)
{
  NsShape deep = small;
  g_autoptr (NsExperiment) e = NULL;
  g_autoptr (NsPaths) paths = NULL, far = NULL;
  double value;

  deep.depth = 40;
  e = check_experiment (deep, "none:init.scheme=normal,init.std=1e6,final_norm=off,name=Overflow "
                              "pre:branch_scale=0,name=Zero none:final_norm=off");
  paths = run_on (e, NS_OPTIMIZER_SGD, RATE, 1, 0);
  g_assert_cmpint (ns_paths_get_overflow (paths, 0, 0), >, 0);
  g_assert_true (isnan (number (paths, 0, NS_MAP_UPDATE_X, 1)));
  g_assert_true (isnan (number (paths, 0, NS_MAP_UPDATE_H, 0)));
  g_assert_true (isnan (number (paths, 0, NS_MAP_LOSS_CHANGE, 0)));
  g_assert_false (ns_paths_get_value (paths, 0, NS_MAP_UPDATE_W, 1, NS_T_W_2, 0, &value, NULL));
  g_assert_cmpint (ns_paths_judge_step (paths, 0), ==, NS_STEP_UNKNOWN);
  /* branches that count nothing leave x alone; only final norm and head move */
  g_assert_cmpfloat (number (paths, 1, NS_MAP_UPDATE_X, deep.depth), ==, 0);
  g_assert_true (ns_paths_get_value (paths, 1, NS_MAP_UPDATE_W, 1, NS_T_W_2, 0, &value, NULL));
  g_assert_cmpfloat (value, ==, 0);
  g_assert_cmpfloat (number (paths, 1, NS_MAP_UPDATE_H, 0), >, 0);
  /* without norms a huge step overflows, though the pass does not */
  far = run_on (e, NS_OPTIMIZER_ADAM, 1e6, 1, 0);
  g_assert_cmpint (ns_paths_get_overflow (far, 2, 0), ==, 0);
  g_assert_true (isfinite (number (far, 2, NS_MAP_UPDATE_X, 1)));
#ifndef NS_DOUBLE
  g_assert_true (isnan (number (far, 2, NS_MAP_UPDATE_X, deep.depth)));
  g_assert_true (isnan (number (far, 2, NS_MAP_UPDATE_H, 0)));
#endif
  g_assert_cmpfloat (number (far, 2, NS_MAP_LOSS_CHANGE_FIRST_ORDER, 0), <=, 0);
}

void
add_update_tests (void)
{
  g_test_add_func ("/update/gradients", test_gradients);
  g_test_add_func ("/update/small-step", test_small_step);
  g_test_add_func ("/update/adam", test_adam);
  g_test_add_func ("/update/same-bits", test_same_bits);
  g_test_add_func ("/update/sweep", test_sweep);
  g_test_add_func ("/update/undefined", test_undefined);
}
