/* Measure the answers of questions.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "document/ns-file.h"
#include "figures/ns-curve.h"
#include "figures/ns-scaling.h"
#include "figures/ns-trend.h"
#include "lecture/ns-lecture-private.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

/* What is measured. */
typedef struct
{
  const NsQuestionSource *source;
  const NsExperiment *experiment;
  GHashTable *results; /* NsResult of the training by its step, owned */
  GError **error;      /* the first error stays */
} Evidence;

/* A measured number. */
typedef struct
{
  NsMeanKind mean;
  double value;     /* may underflow to 0 where log10 is finite */
  double log10;     /* NAN without a logarithm */
  double spread;    /* one standard deviation over the seeds: of the value, or of its log10 for a geometric mean */
  gint64 site;
} Number;

static void
fail (Evidence *evidence, const char *format, const char *detail)
{
  if (*evidence->error == NULL)
    g_set_error (evidence->error, NS_DOCUMENT_ERROR, NS_DOCUMENT_ERROR_INPUT, format, detail);
}

static NsMeanKind
get_mean (NsQuantity quantity)
{
  return ns_quantity_has_log10 (quantity) ? NS_MEAN_GEOMETRIC : NS_MEAN_ARITHMETIC;
}

/* Return the values at initialization, or at a step of the training; NULL when memory is refused. */
static const NsResult *
get_result (Evidence *evidence, const NsPoint *point)
{
  NsResult *result;

  if (!point->in_training)
    return evidence->source->result;
  result = g_hash_table_lookup (evidence->results, GINT_TO_POINTER (point->step));
  if (result != NULL)
    return result;
  result = ns_question_dup_result (evidence->source->training, point->step);
  if (result == NULL)
    fail (evidence, "%s", _ ("The system refused memory for the numbers of a step"));
  else
    g_hash_table_insert (evidence->results, GINT_TO_POINTER (point->step), result);
  return result;
}

/* Return the curve of a point; its result is NULL when memory is refused. */
static NsTrendSource
get_source (Evidence *evidence, const NsPoint *point)
{
  const NsResult *result = get_result (evidence, point);

  return (NsTrendSource) {
    .result = result,
    .variant = point->variant,
    .quantity = point->quantity,
    .mean = get_mean (point->quantity),
    .n_seeds = result != NULL ? ns_result_get_n_seeds (result) : 0,
  };
}

/* ---- numbers ---- */

static gboolean
is_trained_loss (const NsPoint *point)
{
  return point->in_training && point->quantity == NS_Q_LOSS;
}

static gboolean
read_summary (Evidence *evidence, const NsPoint *point, gint64 site, NsSummary *summary)
{
  const NsResult *result;
  NsStat stat;

  if (is_trained_loss (point))
    return ns_question_measure_loss (evidence->source->training, point->variant, point->step, summary);
  result = get_result (evidence, point);
  if (result == NULL || !ns_result_get_stat (result, point->variant, point->quantity, site, &stat))
    return FALSE;
  *summary = ns_stat_summarize (&stat, get_mean (point->quantity));
  return TRUE;
}

static gboolean
read_site (Evidence *evidence, const NsPoint *point, gint64 site, Number *number)
{
  NsSummary summary;

  if (!read_summary (evidence, point, site, &summary))
    return FALSE;
  number->mean = get_mean (point->quantity);
  number->value = number->mean == NS_MEAN_GEOMETRIC ? pow (10, summary.center) : summary.center;
  number->log10 = number->mean == NS_MEAN_GEOMETRIC ? summary.center : NAN;
  number->spread = summary.spread;
  number->site = site;
  return TRUE;
}

/* Find the largest or smallest number over the blocks; a NaN is neither. */
static gboolean
find_extreme (Evidence *evidence, const NsPoint *point, Number *number)
{
  const NsExperiment *experiment = evidence->experiment;
  NsPart part = ns_point_get_part (point, experiment);
  gboolean found = FALSE;

  for (gint64 block = 1; block <= ns_experiment_get_depth (experiment, part); block++)
    {
      Number here;
      double left, right;

      if (!read_site (evidence, point, ns_experiment_get_site (experiment, part, block), &here))
        continue;
      left = isnan (here.log10) ? here.value : here.log10;
      right = found ? isnan (number->log10) ? number->value : number->log10 : left;
      if (isnan (left) || (found && (point->block == NS_BLOCK_MAX ? left <= right : left >= right)))
        continue;
      *number = here;
      found = TRUE;
    }
  return found;
}

static gboolean
measure (Evidence *evidence, const NsPoint *point, Number *number)
{
  const NsExperiment *experiment = evidence->experiment;
  gint64 layer = point->block;
  gint64 site;
  gboolean found;

  if (layer == NS_BLOCK_LAST)
    layer = ns_experiment_get_depth (experiment, ns_point_get_part (point, experiment));
  else if (layer == NS_BLOCK_INPUT)
    layer = 0;
  if (ns_quantity_is_of_head (point->quantity))
    site = ns_experiment_get_head_site (experiment);
  else
    site = layer < 0 ? -1 : ns_experiment_get_site (experiment, ns_point_get_part (point, experiment), layer);
  found = site >= 0 ? read_site (evidence, point, site, number) : find_extreme (evidence, point, number);
  if (!found)
    fail (evidence, _ ("the variant has no %s there"), ns_quantity_info (point->quantity)->name);
  return found;
}

/* Return log10 of a / b, or NAN. */
static double
get_log10_ratio (const Number *a, const Number *b)
{
  if (!isnan (a->log10) && !isnan (b->log10))
    return a->log10 - b->log10;
  return a->value / b->value > 0 ? log10 (a->value / b->value) : NAN;
}

/* ---- exponents and laws ---- */

static gboolean
fit (Evidence *evidence, const NsTest *test, NsFit *found)
{
  g_return_val_if_fail (evidence->source->sweep != NULL, FALSE);

  if (test->has_over)
    ns_scaling_fit_ratio (evidence->source->sweep, test->of.variant, test->over.variant, found);
  else
    ns_scaling_fit (evidence->source->sweep, test->of.variant, found);
  if (found->n_points >= NS_FIT_MIN_POINTS && found->status != NS_FIT_NOT_FINITE)
    return TRUE;
  fail (evidence, "%s",
        found->status == NS_FIT_NOT_FINITE
            ? _ ("the sweep has values that are 0 or not finite, so there is no exponent")
            : _ ("the sweep has too few points for an exponent"));
  return FALSE;
}

/* ---- tests ---- */

static gboolean
is_in_range (const NsTest *test, double value)
{
  return value >= test->min && value <= test->max;
}

static gboolean
matches_trend (Evidence *evidence, const NsTest *test)
{
  NsTrendSource source = get_source (evidence, &test->of);
  NsTrend trend;
  NsRuns runs;

  if (source.result == NULL)
    return FALSE;
  trend = ns_trend_measure (&source, ns_point_get_part (&test->of, evidence->experiment));
  switch (trend.kind)
    {
    case NS_TREND_FLAT:
    case NS_TREND_WITHIN_SEEDS:
      runs = NS_RUNS_FLAT;
      break;
    case NS_TREND_DRIFTS:
      runs = trend.last_log10 < trend.first_log10 ? NS_RUNS_FALLS : NS_RUNS_RISES;
      break;
    case NS_TREND_PEAK:
      runs = NS_RUNS_PEAKS;
      break;
    case NS_TREND_LOW:
      runs = NS_RUNS_DIPS;
      break;
    case NS_TREND_ZERO:
      runs = NS_RUNS_ZERO;
      break;
    case NS_TREND_NOT_FINITE:
      runs = NS_RUNS_NOT_FINITE;
      break;
    case NS_TREND_ABSENT:
    case NS_TREND_SINGLE:
    default:
      fail (evidence, _ ("%s exists in fewer than two blocks, so there is no trend"),
            ns_quantity_info (test->of.quantity)->name);
      return FALSE;
    }
  return runs == (NsRuns) test->word;
}

static gboolean
matches_comparison (Evidence *evidence, const NsTest *test)
{
  Number a, b;
  double log10_ratio;
  NsCompares compares;

  if (!measure (evidence, &test->of, &a) || !measure (evidence, &test->over, &b))
    return FALSE;
  log10_ratio = get_log10_ratio (&a, &b);
  if (isnan (log10_ratio))
    {
      fail (evidence, _ ("%s is not finite, or 0, so it cannot be compared"),
            ns_quantity_info (test->of.quantity)->name);
      return FALSE;
    }
  if (fabs (log10_ratio) < log10 (NS_FLAT_RATIO))
    compares = NS_COMPARES_NEAR;
  else
    compares = log10_ratio > 0 ? NS_COMPARES_LARGER : NS_COMPARES_SMALLER;
  return compares == (NsCompares) test->word;
}

/* Return TRUE if no other visible variant has as large, or as small, a number. */
static gboolean
is_extreme (Evidence *evidence, const NsTest *test)
{
  guint n = evidence->experiment->variants->len;
  Number own;

  if (!measure (evidence, &test->of, &own))
    return FALSE;
  for (guint v = 0; v < n; v++)
    {
      NsPoint point = test->of;
      Number other;
      double difference;

      point.variant = v;
      if (v == test->of.variant || !ns_variant_is_visible (evidence->source->hidden, v))
        continue;
      if (!measure (evidence, &point, &other))
        return FALSE;
      difference = isnan (own.log10) ? own.value - other.value : own.log10 - other.log10;
      if (!(test->word == NS_EXTREME_LARGEST ? difference > 0 : difference < 0))
        return FALSE;
    }
  return TRUE;
}

static gboolean
matches_ratio (Evidence *evidence, const NsTest *test)
{
  Number a, b;

  return measure (evidence, &test->of, &a) && measure (evidence, &test->over, &b)
         && is_in_range (test, pow (10, get_log10_ratio (&a, &b)));
}

static gboolean
matches (Evidence *evidence, const NsTest *test)
{
  guint n = test->parts != NULL ? test->parts->len : 0, n_right = 0;
  Number number;
  NsFit found;

  for (guint i = 0; i < n; i++)
    n_right += matches (evidence, g_ptr_array_index (test->parts, i)) ? 1 : 0;
  switch (test->kind)
    {
    case NS_TEST_TREND:
      return matches_trend (evidence, test);
    case NS_TEST_VALUE:
      return measure (evidence, &test->of, &number) && is_in_range (test, number.value);
    case NS_TEST_RATIO:
      return matches_ratio (evidence, test);
    case NS_TEST_COMPARE:
      return matches_comparison (evidence, test);
    case NS_TEST_EXTREME:
      return is_extreme (evidence, test);
    case NS_TEST_EXPONENT:
      return fit (evidence, test, &found) && is_in_range (test, found.exponent.p);
    case NS_TEST_LAW:
      return fit (evidence, test, &found) && found.status == NS_FIT_OK && found.best == (NsLaw) test->word;
    case NS_TEST_OUTCOME:
      return ns_question_has_outcome (evidence->source->training, test->of.variant, (NsOutcome) test->word);
    case NS_TEST_WIRING:
      return ns_test_matches_wiring (test, evidence->experiment);
    case NS_TEST_ALL:
      return n_right == n;
    case NS_TEST_ANY:
      return n_right > 0;
    case NS_TEST_NOT:
      return n_right == 0;
    case NS_TEST_OTHERWISE:
    case NS_N_TESTS:
    default:
      return FALSE;
    }
}

/* ---- questions ---- */

static void
choose (Evidence *evidence, const NsQuestion *question, NsAnswer *answer)
{
  guint otherwise = NS_QUESTION_MAX_CHOICES;

  for (guint c = 0; c < question->choices->len; c++)
    {
      const NsChoice *choice = g_ptr_array_index (question->choices, c);

      if (choice->test->kind == NS_TEST_OTHERWISE)
        otherwise = c;
      else if (matches (evidence, choice->test))
        {
          answer->right |= G_GUINT64_CONSTANT (1) << c;
          answer->n_right++;
        }
    }
  if (answer->n_right == 0 && otherwise < NS_QUESTION_MAX_CHOICES)
    {
      answer->right = G_GUINT64_CONSTANT (1) << otherwise;
      answer->n_right = 1;
    }
  if (answer->n_right == 0)
    fail (evidence, "%s", _ ("no choice is right"));
  else if (answer->n_right > 1)
    {
      g_autofree char *text = ns_answer_dup_text (answer, question);

      fail (evidence, _ ("more than one choice is right: %s"), text);
    }
}

/* Return one standard deviation of log10 of a ratio over the seeds. Losses of a training are means over steps, which no
 * result has: their spreads are added as if they were independent. */
static double
get_ratio_spread (Evidence *evidence, const NsTest *test, const Number *a, const Number *b)
{
  NsTrendSource of, over;

  if (is_trained_loss (&test->of) || is_trained_loss (&test->over))
    return hypot (a->spread / a->value, b->spread / b->value) / G_LN10;
  of = get_source (evidence, &test->of);
  over = get_source (evidence, &test->over);
  return ns_ratio_spread (&of, a->site, &over, b->site);
}

static void
measure_ratio (Evidence *evidence, const NsTest *test, NsAnswer *answer)
{
  Number a, b;

  if (!measure (evidence, &test->of, &a) || !measure (evidence, &test->over, &b))
    return;
  answer->number = pow (10, get_log10_ratio (&a, &b));
  answer->is_factor = TRUE;
  answer->spread = pow (10, get_ratio_spread (evidence, test, &a, &b));
}

static void
measure_number (Evidence *evidence, const NsTest *test, NsAnswer *answer)
{
  Number number;
  NsFit found;

  if (test->kind == NS_TEST_RATIO)
    measure_ratio (evidence, test, answer);
  else if (test->kind == NS_TEST_VALUE && measure (evidence, &test->of, &number))
    {
      answer->number = number.value;
      answer->is_factor = number.mean == NS_MEAN_GEOMETRIC;
      answer->spread = answer->is_factor ? pow (10, number.spread) : number.spread;
    }
  else if (test->kind == NS_TEST_EXPONENT && fit (evidence, test, &found))
    {
      answer->number = found.exponent.p;
      answer->spread = found.exponent.std;
    }
  if (!isfinite (answer->number))
    fail (evidence, "%s", _ ("the number is not finite"));
}

static void
measure_curve (Evidence *evidence, const NsPoint *curve, NsAnswer *answer)
{
  const NsExperiment *experiment = evidence->experiment;
  NsPart part = ns_point_get_part (curve, experiment);
  gsize depth = (gsize) ns_experiment_get_depth (experiment, part);

  answer->is_log = ns_quantity_info (curve->quantity)->kind == NS_KIND_GRADIENT;
  answer->blocks = g_new (gint64, depth);
  answer->values = g_new (double, depth);
  answer->log10_values = g_new (double, depth);
  for (gint64 block = 1; block <= (gint64) depth; block++)
    {
      Number number;

      if (!read_site (evidence, curve, ns_experiment_get_site (experiment, part, block), &number))
        continue;
      answer->blocks[answer->n] = block;
      answer->values[answer->n] = number.value;
      answer->log10_values[answer->n++] = number.log10;
    }
  if (answer->n < 2)
    fail (evidence, _ ("%s exists in fewer than two blocks, so there is no curve"),
          ns_quantity_info (curve->quantity)->name);
}

static const NsExperiment *
get_experiment (const NsQuestionSource *source)
{
  if (source->result != NULL)
    return ns_result_get_experiment (source->result);
  if (source->training != NULL)
    return ns_training_get_experiment (source->training);
  return source->sweep != NULL ? ns_sweep_get_experiment (source->sweep) : NULL;
}

gboolean
ns_question_evaluate (const NsQuestion *question, const NsQuestionSource *source, NsAnswer *answer, GError **error)
{
  g_autoptr (GError) cause = NULL;
  g_autoptr (GHashTable) results
      = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) ns_result_unref);
  Evidence evidence = { source, get_experiment (source), results, &cause };

  g_return_val_if_fail (source->result != NULL || !ns_question_needs_result (question), FALSE);
  g_return_val_if_fail (source->sweep != NULL || !ns_question_needs_sweep (question), FALSE);
  g_return_val_if_fail (source->training != NULL || !ns_question_needs_training (question), FALSE);

  *answer = (NsAnswer) { .kind = question->kind, .number = NAN };
  if (question->kind == NS_QUESTION_CHOICE)
    choose (&evidence, question, answer);
  else if (question->kind == NS_QUESTION_NUMBER)
    measure_number (&evidence, question->number, answer);
  else if (question->kind == NS_QUESTION_SKETCH)
    measure_curve (&evidence, &question->curve, answer);
  if (cause == NULL)
    return TRUE;
  g_propagate_error (error, g_steal_pointer (&cause));
  return FALSE;
}

void
ns_answer_clear (NsAnswer *answer)
{
  g_clear_pointer (&answer->blocks, g_free);
  g_clear_pointer (&answer->values, g_free);
  g_clear_pointer (&answer->log10_values, g_free);
  answer->n = 0;
}
