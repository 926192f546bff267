/* Claims about the learning rates that train a variant: their numbers from tiny maps, and when they are checked at all.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "claims.h"

#include "engine/experiment/ns-experiment.h"
#include "tests.h"

#include <math.h>

#define STEPS 60
#define RATES 6

static const double rates[RATES] = { 1e-4, 0.01, 0.03, 0.1, 0.3, 100 };

static NsExperiment *
make_experiment (void)
{
  NsExperiment *experiment = claims_make_experiment (STEPS);

  experiment->training.optimizer = NS_OPTIMIZER_ADAM;
  return experiment;
}

static NsClaim *
make_claim (const char *over, double least, double most)
{
  NsClaim *claim = claims_make (NS_CHECK_RATES, "post", least, most);

  claim->over = g_strdup (over);
  claim->rates = g_memdup2 (rates, sizeof rates);
  claim->n_rates = RATES;
  return claim;
}

static NsSensitivity *
fill (const NsClaim *claim, const NsExperiment *experiment)
{
  g_autoptr (GError) error = NULL;
  NsEngine *engine = ns_engine_new (2, 0);
  NsSensitivity *map = ns_claim_map_new (claim, experiment, &error);

  g_assert_no_error (error);
  ns_engine_fill_sensitivity (engine, map, NULL, &error);
  g_assert_no_error (error);
  ns_engine_free (engine);
  return map;
}

static NsClaimResult
evaluate (const NsClaim *claim, const NsExperiment *experiment, NsSensitivity *map)
{
  NsSensitivity *const maps[] = { map };
  NsEvidence evidence = { .maps = maps, .n_maps = 1 };
  NsClaimResult result;

  ns_claim_evaluate (claim, experiment, &evidence, &result);
  return result;
}

static NsClaimResult
evaluate_ends (const char *over, double least, double most, const NsExperiment *experiment, NsSensitivity *map)
{
  g_autoptr (NsClaim) claim = make_claim (over, least, most);

  return evaluate (claim, experiment, map);
}

/* Compute a seed's factor from its losses; 1 without any rate. */
static double
get_factor (const NsSensitivity *map, guint variant, guint seed)
{
  double loss[RATES], best = INFINITY;
  guint at = 0, first, last;

  for (guint r = 0; r < RATES; r++)
    {
      NsSensitivityRun run;

      g_assert_true (ns_sensitivity_get_run (map, variant, 0, r, seed, &run));
      loss[r] = run.outcome == NS_OUTCOME_LEARNED ? run.loss : INFINITY;
      if (loss[r] > 0.95 * ns_sensitivity_get_symbol_entropy (map))
        loss[r] = INFINITY;
      if (loss[r] < best)
        best = loss[at = r];
    }
  if (isinf (best))
    return 1;
  for (first = at; first > 0 && loss[first - 1] <= 1.05 * best;)
    first--;
  for (last = at; last + 1 < RATES && loss[last + 1] <= 1.05 * best;)
    last++;
  return rates[last] / rates[first];
}

/* Compute what is to be measured: the geometric mean, and the factor of its interval. */
static void
get_expected (const NsSensitivity *map, gboolean is_ratio, double *mean, double *error)
{
  double logs[SEEDS], sum = 0, squares = 0;

  for (guint s = 0; s < SEEDS; s++)
    {
      logs[s] = log (get_factor (map, 0, s)) - (is_ratio ? log (get_factor (map, 1, s)) : 0);
      sum += logs[s];
    }
  for (guint s = 0; s < SEEDS; s++)
    squares += (logs[s] - sum / SEEDS) * (logs[s] - sum / SEEDS);
  *mean = exp (sum / SEEDS);
  *error = exp (2.776445 * sqrt (squares / (SEEDS - 1) / SEEDS)); /* Student, 4 degrees of freedom */
}

static void
test_verdicts (gconstpointer over)
{
  g_autoptr (NsExperiment) experiment = make_experiment ();
  g_autoptr (NsClaim) claim = make_claim (over, 0.001, 0);
  g_autoptr (NsSensitivity) map = fill (claim, experiment);
  NsClaimResult result = evaluate (claim, experiment, map);
  double mean, error;

  g_assert_cmpuint (ns_sensitivity_get_experiment (map)->variants->len, ==, over != NULL ? 2 : 1);
  get_expected (map, over != NULL, &mean, &error);
  g_test_message ("%g ×/÷ %g, %g, %g", mean, error, result.factors[0], result.factors[1]);
  g_assert_cmpfloat (fabs (result.measured / mean - 1), <, 1e-9);
  g_assert_cmpfloat (fabs (result.error / error - 1), <, 1e-5);
  g_assert_cmpfloat (result.factors[0], >, 1);
  g_assert_cmpuint (result.n_seeds, ==, SEEDS);
  g_assert_cmpuint (result.n_points, ==, RATES);
  g_assert_cmpuint (result.n_open[0] + result.n_open[1], ==, 0);
  g_assert_cmpint (result.verdict, ==, NS_VERDICT_CONSISTENT);
  error *= 1.001;
  g_assert_cmpint (evaluate_ends (over, mean / error, 0, experiment, map).verdict, ==, NS_VERDICT_CONSISTENT);
  g_assert_cmpint (evaluate_ends (over, mean * error, 0, experiment, map).verdict, ==, NS_VERDICT_NOT_CONSISTENT);
  g_assert_cmpint (evaluate_ends (over, 0, mean * error, experiment, map).verdict, ==, NS_VERDICT_CONSISTENT);
  g_assert_cmpint (evaluate_ends (over, 0, mean / error, experiment, map).verdict, ==, NS_VERDICT_NOT_CONSISTENT);
  g_assert_cmpint (evaluate_ends (over, mean / error, mean * error, experiment, map).verdict, ==,
                   NS_VERDICT_CONSISTENT);
  /* the same map whatever the learning rate of the experiment is */
  experiment->training.learning_rate = 0.123;
  g_assert_true (ns_claim_map_fits (claim, experiment, map));
  experiment->training.steps++;
  g_assert_false (ns_claim_map_fits (claim, experiment, map));
  g_assert_cmpint (evaluate (claim, experiment, map).why_not, ==, NS_WHY_NOT_RUN);
}

/* With too few rates the range may be wider: only a verdict that this cannot change stays. */
static void
test_open (void)
{
  g_autoptr (NsExperiment) experiment = make_experiment ();
  g_autoptr (NsClaim) claim = make_claim (NULL, 1, 0);
  g_autoptr (NsSensitivity) map = NULL;
  NsClaimResult result;

  for (guint i = 0; i < RATES; i++)
    claim->rates[i] = 0.03 + i * 1e-4;
  map = fill (claim, experiment);
  result = evaluate (claim, experiment, map);
  g_assert_cmpuint (result.n_open[0], ==, SEEDS);
  g_assert_cmpint (result.verdict, ==, NS_VERDICT_CONSISTENT);
  claim->lower[0] = 2;
  result = evaluate (claim, experiment, map);
  g_assert_cmpint (result.verdict, ==, NS_VERDICT_CANNOT_TELL);
  g_assert_cmpint (result.why_not, ==, NS_WHY_NOT_OPEN);
  claim->lower[0] = 0;
  claim->upper[0] = 5;
  g_assert_cmpint (evaluate (claim, experiment, map).why_not, ==, NS_WHY_NOT_OPEN);
}

/* No rate trains either variant: the factor counts as 1. */
static void
test_none (void)
{
  g_autoptr (NsExperiment) experiment = make_experiment ();
  g_autoptr (NsClaim) claim = make_claim ("pre", 1.5, 0);
  g_autoptr (NsSensitivity) map = NULL;
  NsClaimResult result;

  for (guint i = 0; i < RATES; i++)
    claim->rates[i] = 1e-9 * (i + 1);
  map = fill (claim, experiment);
  result = evaluate (claim, experiment, map);
  g_assert_cmpuint (result.n_none[0], ==, SEEDS);
  g_assert_cmpuint (result.n_none[1], ==, SEEDS);
  g_assert_cmpfloat (result.measured, ==, 1);
  g_assert_cmpint (result.verdict, ==, NS_VERDICT_NOT_CONSISTENT);
}

/* Nothing is trained outside the assumptions or with few seeds, and an unfinished map judges nothing. */
static void
test_obstacles (void)
{
  g_autoptr (NsExperiment) experiment = make_experiment ();
  g_autoptr (GPtrArray) claims = g_ptr_array_new_with_free_func ((GDestroyNotify) ns_claim_free);
  g_autoptr (NsSensitivity) empty = NULL;
  g_autoptr (GArray) needs = NULL;
  const NsClaim *claim;

  g_ptr_array_add (claims, make_claim ("pre", 0.001, 0));
  g_ptr_array_add (claims, make_claim ("pre", 0, 1));
  g_ptr_array_add (claims, make_claim (NULL, 0, 1));
  claim = g_ptr_array_index (claims, 0);
  needs = ns_claims_list_needs (claims, experiment);
  g_assert_cmpuint (needs->len, ==, 2); /* the first two share a map */
  g_assert_true (g_array_index (needs, NsClaimNeed, 0).map_of == claim);
  g_assert_false (g_array_index (needs, NsClaimNeed, 0).is_training);
  g_assert_cmpint (claims_get_why_not (claim, experiment), ==, NS_WHY_NOT_RUN);
  empty = ns_claim_map_new (claim, experiment, NULL);
  g_assert_cmpint (evaluate (claim, experiment, empty).why_not, ==, NS_WHY_NOT_RUN);
  claims_assert_obstacles (claims, experiment);
  experiment->shape.depth = 2;
  g_ptr_array_set_size (experiment->variants, 1); /* Pre-LN alone */
  g_assert_cmpint (claims_get_why_not (claim, experiment), ==, NS_WHY_NOT_VARIANT);
}

void
add_claim_rates_tests (void)
{
  g_test_add_data_func ("/claim-rates/one", NULL, test_verdicts);
  g_test_add_data_func ("/claim-rates/ratio", "pre", test_verdicts);
  g_test_add_func ("/claim-rates/open", test_open);
  g_test_add_func ("/claim-rates/none", test_none);
  g_test_add_func ("/claim-rates/obstacles", test_obstacles);
}
