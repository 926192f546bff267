/* Test sensitivity maps: the same bits as single trainings, with any threads and interruption; outcomes, the choice of
 * seeds, ranges of learning rates; plans from text.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "check.h"

#include "engine/experiment/ns-experiment.h"
#include "engine/train/ns-sensitivity-private.h"
#include "engine/train/ns-training-loss.h"
#include "engine/train/ns-training.h"
#include "tests.h"

#include <string.h>

static const NsShape small = {
  .depth = 2, .d_model = 12, .heads = 2, .d_ff = 20, .seq_len = 5, .batch = 2, .vocab = 11,
};

#define STEPS 24
#define SEEDS 2

static NsExperiment *
make_experiment (void)
{
  NsExperiment *e = check_experiment (small, "pre:bias=on post:norm=rmsnorm");

  e->data.source = NS_SOURCE_MARKOV;
  e->data.markov_temperature = 0.5;
  e->data.positions = NS_POSITIONS_LEARNED;
  e->training.steps = STEPS;
  e->training.learning_rate = 1e-2;
  ns_experiment_variant (e, 1)->training.learning_rate = 7; /* a map replaces it */
  ns_experiment_variant (e, 1)->training.warmup = 3;
  return e;
}

static NsSensitivity *
new_map (const NsExperiment *e, NsSensitivityAxis axis, const char *points, const char *rates)
{
  g_auto (NsSensitivityPlan) plan = { 0 };
  g_autoptr (GError) error = NULL;
  NsSensitivity *map;

  ns_sensitivity_plan_init (&plan, e, axis);
  ns_sensitivity_plan_set_points (&plan, points, &error);
  g_assert_no_error (error);
  ns_sensitivity_plan_set_rates (&plan, rates, &error);
  g_assert_no_error (error);
  map = ns_sensitivity_new (e, &plan, SEEDS, &error);
  g_assert_no_error (error);
  return map;
}

/* Compare a cell with the training of its experiment. */
static void
assert_cell (const NsSensitivity *map, guint point, guint rate)
{
  g_autoptr (NsExperiment) e = ns_sensitivity_make_experiment (map, point, rate);
  const NsTrainingPlan plan = { 0 };
  g_autoptr (NsEngine) engine = ns_engine_new (1, 0);
  g_autoptr (GError) error = NULL;
  g_autoptr (NsTraining) training = ns_training_new (e, &plan, 0, SEEDS, &error);

  g_assert_no_error (error);
  ns_engine_train (engine, training, NULL, &error);
  g_assert_no_error (error);
  for (guint v = 0; v < e->variants->len; v++)
    {
      NsSensitivityCell cell;
      NsSensitivityRun run;
      NsStat stat;
      gint64 step, site;

      for (guint s = 0; s < SEEDS; s++)
        {
          gboolean diverged = ns_training_get_divergence (training, v, s, &step, &site);

          g_assert_true (ns_sensitivity_get_run (map, v, point, rate, s, &run));
          g_assert_cmpint (run.step, ==, diverged ? step : -1);
          g_assert_true (!diverged || run.site == site);
          g_assert_true (!diverged || (run.outcome == NS_OUTCOME_DIVERGED && isnan (run.loss)));
        }
      if (!ns_training_get_final_loss (training, v, &stat) || stat.n < SEEDS)
        continue;
      g_assert_true (ns_sensitivity_get_cell (map, v, point, rate, NS_SEEDS_MEAN, &cell));
      g_assert_cmpuint (cell.n, ==, SEEDS);
      g_assert_cmpfloat_with_epsilon (cell.loss, stat.mean, 1e-14);
    }
}

static void
assert_same (const NsSensitivity *a, const NsSensitivity *b)
{
  for (guint i = 0; i < ns_sensitivity_get_n_runs (a); i++)
    {
      g_assert_true (a->runs[i].finished && b->runs[i].finished);
      g_assert_cmpint (memcmp (&a->runs[i].last, &b->runs[i].last, sizeof (double)), ==, 0);
      g_assert_cmpint (memcmp (&a->runs[i].half, &b->runs[i].half, sizeof (double)), ==, 0);
      g_assert_cmpint (a->runs[i].step, ==, b->runs[i].step);
    }
}

static void
fill (NsSensitivity *map, guint n_threads, guint64 budget)
{
  g_autoptr (NsEngine) engine = ns_engine_new (n_threads, budget);
  g_autoptr (NsProgress) progress = ns_progress_new ();
  g_autoptr (GError) error = NULL;
  guint64 done, total;

  ns_engine_fill_sensitivity (engine, map, progress, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (ns_sensitivity_count_finished (map), ==, ns_sensitivity_get_n_runs (map));
  ns_progress_get (progress, &done, &total);
  g_assert_cmpuint (done, ==, total);
}

/* Each cell has the bits of a training of its own; the last rate overflows. */
static void
test_cells (void)
{
  g_autoptr (NsExperiment) e = make_experiment ();
  static const char *const points[] = { "1,3", "0,8" };
  static const char *const rates = "1e-3,1e-2,1e6";

  e->training.optimizer = NS_OPTIMIZER_SGD; /* so that the last rate overflows */
  for (int axis = 0; axis < 2; axis++)
    {
      g_autoptr (NsSensitivity) map = new_map (e, (NsSensitivityAxis) axis, points[axis], rates);
      g_autoptr (NsSensitivity) other = new_map (e, (NsSensitivityAxis) axis, points[axis], rates);
      g_autoptr (NsExperiment) cell = ns_sensitivity_make_experiment (map, 1, 2);
      NsSensitivityRun run;

      g_assert_cmpint (cell->shape.depth, ==, axis == 0 ? 3 : 2);
      g_assert_cmpint (cell->training.warmup, ==, axis == 0 ? 0 : 8);
      g_assert_cmpfloat (cell->training.learning_rate, ==, 1e6);
      g_assert_true (isnan (ns_experiment_variant (cell, 1)->training.learning_rate));
      g_assert_cmpint (ns_experiment_variant (cell, 1)->training.warmup, ==, axis == 0 ? 3 : NS_NULL_CHOICE);
      g_assert_false (ns_sensitivity_get_run (map, 0, 0, 0, 0, &run));
      fill (map, 1, 0);
      fill (other, 3, axis == 0 ? 0 : 1);
      assert_same (map, other);
      for (guint p = 0; p < 2; p++)
        for (guint r = 0; r < 3; r++)
          assert_cell (map, p, r);
      g_assert_true (ns_sensitivity_get_run (map, 0, 1, 2, 0, &run));
      g_assert_cmpint (run.outcome, ==, NS_OUTCOME_DIVERGED);
    }
}

/* ---- cancelled ---- */

typedef struct
{
  const NsSensitivity *map;
  NsProgress *progress;
  guint wanted;
} Canceller;

static gpointer
cancel_when_some (gpointer data)
{
  const Canceller *c = data;

  while (ns_sensitivity_count_finished (c->map) < c->wanted)
    g_usleep (100);
  ns_progress_cancel (c->progress);
  return NULL;
}

/* What is finished stays, and the rest comes out the same. */
static void
test_cancelled (void)
{
  g_autoptr (NsExperiment) e = make_experiment ();
  g_autoptr (NsSensitivity) whole = new_map (e, NS_SENSITIVITY_DEPTH, "1,2,4", "1e-3..1e-1:8");
  g_autoptr (NsSensitivity) map = new_map (e, NS_SENSITIVITY_DEPTH, "1,2,4", "1e-3..1e-1:8");
  g_autoptr (NsEngine) engine = ns_engine_new (2, 0);
  g_autoptr (NsProgress) progress = ns_progress_new ();
  g_autoptr (GError) error = NULL;
  Canceller canceller = { map, progress, 3 };
  GThread *thread = g_thread_new ("cancel", cancel_when_some, &canceller);

  g_assert_false (ns_engine_fill_sensitivity (engine, map, progress, &error));
  g_assert_error (error, NS_ENGINE_ERROR, NS_ENGINE_ERROR_CANCELLED);
  g_thread_join (thread);
  g_assert_cmpuint (ns_sensitivity_count_finished (map), >=, 3);
  g_assert_cmpuint (ns_sensitivity_count_finished (map), <, ns_sensitivity_get_n_runs (map));
  fill (map, 2, 0);
  fill (whole, 1, 0);
  assert_same (map, whole);
}

/* ---- reading, with numbers chosen by the test ---- */

static void
set_run (NsSensitivity *map, guint rate, guint seed, double half, double last)
{
  for (guint v = 0; v < map->experiment->variants->len; v++)
    {
      NsSensitivityNumbers *run = ns_sensitivity_at (map, v, 0, rate, seed);

      run->first = 5;
      run->half = half;
      run->last = last;
      run->step = isnan (last) ? 3 : -1;
      run->finished = TRUE;
    }
}

static void
assert_outcome (const NsSensitivity *map, guint rate, NsSeedsChoice seeds, NsTrainingOutcome outcome, double loss)
{
  NsSensitivityCell cell;

  g_assert_true (ns_sensitivity_get_cell (map, 0, 0, rate, seeds, &cell));
  g_assert_cmpint (cell.outcome, ==, outcome);
  g_assert_true (isnan (loss) ? isnan (cell.loss) : fabs (cell.loss - loss) < 1e-12);
}

static void
test_outcomes (void)
{
  g_autoptr (NsExperiment) e = make_experiment ();
  g_autoptr (NsSensitivity) map = new_map (e, NS_SENSITIVITY_DEPTH, "2", "1e-4..1e-1:7");
  NsSensitivityCell cell;

  map->entropy = 3;
  g_assert_false (ns_sensitivity_get_cell (map, 0, 0, 0, NS_SEEDS_MEAN, &cell));
  set_run (map, 0, 0, 3, 2);
  assert_outcome (map, 0, NS_SEEDS_WORST, NS_OUTCOME_LEARNED, 2); /* of the seeds so far */
  set_run (map, 0, 1, 3, 2.4);
  assert_outcome (map, 0, NS_SEEDS_WORST, NS_OUTCOME_LEARNED, 2.4);
  assert_outcome (map, 0, NS_SEEDS_MEAN, NS_OUTCOME_LEARNED, 2.2);
  assert_outcome (map, 0, NS_SEEDS_BEST, NS_OUTCOME_LEARNED, 2);
  /* one seed stalls */
  set_run (map, 1, 0, 3.1, 3.05);
  set_run (map, 1, 1, 2.5, 2.1);
  assert_outcome (map, 1, NS_SEEDS_WORST, NS_OUTCOME_STALLED, 3.05);
  assert_outcome (map, 1, NS_SEEDS_MEAN, NS_OUTCOME_LEARNED, 2.575);
  assert_outcome (map, 1, NS_SEEDS_BEST, NS_OUTCOME_LEARNED, 2.1);
  /* on its way: not yet at the entropy at half of the steps */
  set_run (map, 2, 0, 4, 3);
  assert_outcome (map, 2, NS_SEEDS_WORST, NS_OUTCOME_LEARNED, 3);
  set_run (map, 6, 0, 3.1, 2.95); /* it still falls */
  assert_outcome (map, 6, NS_SEEDS_WORST, NS_OUTCOME_LEARNED, 2.95);
  /* NaN, and a loss above the first one */
  set_run (map, 3, 0, NAN, NAN);
  set_run (map, 3, 1, 2, 2);
  assert_outcome (map, 3, NS_SEEDS_WORST, NS_OUTCOME_DIVERGED, NAN);
  assert_outcome (map, 3, NS_SEEDS_MEAN, NS_OUTCOME_DIVERGED, NAN);
  assert_outcome (map, 3, NS_SEEDS_BEST, NS_OUTCOME_LEARNED, 2);
  set_run (map, 4, 0, 4, 6.1);
  assert_outcome (map, 4, NS_SEEDS_BEST, NS_OUTCOME_DIVERGED, 6.1);
  set_run (map, 5, 0, 4, 5.9); /* within the noise of the first loss */
  assert_outcome (map, 5, NS_SEEDS_BEST, NS_OUTCOME_LEARNED, 5.9);
}

static void
test_range (void)
{
  /* the best is 2.0, the limit 2.1; a stalled one and a gap end the range */
  static const double losses[] = { 2.05, 2.2, 2.1, 2.0, 2.099, 2.101, 2.05 };
  g_autoptr (NsExperiment) e = make_experiment ();
  g_autoptr (NsSensitivity) map = new_map (e, NS_SENSITIVITY_DEPTH, "2", "1e-4..1e-1:7");
  NsStabilityRange range;

  map->entropy = 3;
  for (guint s = 0; s < SEEDS; s++)
    for (guint r = 0; r < 7; r++)
      {
        g_assert_false (ns_sensitivity_get_range (map, 0, 0, NS_SEEDS_WORST, &range));
        set_run (map, r, s, 2.5, losses[r] - (s == 0 ? 0.01 : 0));
      }
  g_assert_true (ns_sensitivity_get_range (map, 0, 0, NS_SEEDS_WORST, &range));
  g_assert_cmpuint (range.best, ==, 3);
  g_assert_cmpuint (range.first, ==, 2);
  g_assert_cmpuint (range.last, ==, 4);
  g_assert_cmpfloat (range.loss, ==, 2.0);
  g_assert_cmpfloat_with_epsilon (range.factor, 10, 1e-12);
  g_assert_false (range.is_open);
  /* it reaches the end of the map */
  set_run (map, 5, 1, 2.5, 2.1);
  g_assert_true (ns_sensitivity_get_range (map, 0, 0, NS_SEEDS_WORST, &range));
  g_assert_cmpuint (range.last, ==, 6);
  g_assert_true (range.is_open);
  /* nothing learns more than the frequencies of tokens */
  for (guint r = 0; r < 7; r++)
    for (guint s = 0; s < SEEDS; s++)
      set_run (map, r, s, 4, 3.2);
  g_assert_false (ns_sensitivity_get_range (map, 0, 0, NS_SEEDS_BEST, &range));
  for (guint r = 0; r < 7; r++)
    for (guint s = 0; s < SEEDS; s++)
      set_run (map, r, s, 2.5, losses[r]);
  /* nothing learns */
  for (guint r = 0; r < 7; r++)
    set_run (map, r, 0, 3, 3);
  g_assert_false (ns_sensitivity_get_range (map, 0, 0, NS_SEEDS_WORST, &range));
  g_assert_true (ns_sensitivity_get_range (map, 0, 0, NS_SEEDS_BEST, &range));
}

/* ---- plans ---- */

static void
test_plans (void)
{
  static const char *const bad_points[] = { "",    "x",      "0,1",   "2,2",    "4,2",    "1.5",  "2..8",
                                            "1,,", "2..8:1", "2..8:99", "8..2:3", "70000", " 2", "-1" };
  static const char *const bad_rates[] = { "0", "-1e-3", "nan", "inf", "1e-3,1e-3", "1e-2..1e-3:3", "1e7", "1e-3..:3" };
  g_autoptr (NsExperiment) e = make_experiment ();
  g_auto (NsSensitivityPlan) plan = { 0 }, warmups = { 0 };

  e->shape.depth = 6;
  e->training.steps = 300;
  e->training.learning_rate = 3e-3;
  ns_sensitivity_plan_init (&plan, e, NS_SENSITIVITY_DEPTH);
  g_assert_cmpuint (plan.n_points, ==, 4);
  g_assert_cmpint (plan.points[0], ==, 2);
  g_assert_cmpint (plan.points[2], ==, 6);
  g_assert_cmpint (plan.points[3], ==, 12);
  g_assert_cmpuint (plan.n_rates, ==, 10);
  g_assert_cmpfloat (plan.rates[5], ==, 3e-3);
  g_assert_cmpfloat_with_epsilon (plan.rates[8], 3e-2, 1e-12);
  ns_sensitivity_plan_init (&warmups, e, NS_SENSITIVITY_WARMUP);
  g_assert_cmpuint (warmups.n_points, ==, 4);
  g_assert_cmpint (warmups.points[0], ==, 0);
  g_assert_cmpint (warmups.points[3], ==, 100);
  g_assert_true (ns_sensitivity_plan_set_points (&warmups, "0,10", NULL));
  for (gsize i = 0; i < G_N_ELEMENTS (bad_points); i++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_false (ns_sensitivity_plan_set_points (&plan, bad_points[i], &error));
      g_assert_nonnull (strstr (error->message, "allowed: "));
    }
  for (gsize i = 0; i < G_N_ELEMENTS (bad_rates); i++)
    g_assert_false (ns_sensitivity_plan_set_rates (&plan, bad_rates[i], NULL));
  g_assert_cmpuint (plan.n_points, ==, 4); /* unchanged */
  g_assert_true (ns_sensitivity_plan_set_points (&plan, "1..4:6", NULL)); /* 1 1 2 2 3 4 */
  g_assert_cmpuint (plan.n_points, ==, 4);
  g_assert_true (ns_sensitivity_plan_set_rates (&plan, "1e-4..1e-1:4", NULL));
  g_assert_cmpfloat (plan.rates[3], ==, 1e-1);
  g_assert_cmpfloat_with_epsilon (plan.rates[1], 1e-3, 1e-12);
}

void
add_sensitivity_tests (void)
{
  g_test_add_func ("/sensitivity/cells", test_cells);
  g_test_add_func ("/sensitivity/cancelled", test_cancelled);
  g_test_add_func ("/sensitivity/outcomes", test_outcomes);
  g_test_add_func ("/sensitivity/range", test_range);
  g_test_add_func ("/sensitivity/plans", test_plans);
}
