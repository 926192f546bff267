/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/analysis/ns-coordinate-check.h"

#include "engine/experiment/ns-experiment.h"
#include "engine/experiment/ns-experiment-error.h"
#include "engine/run/ns-sweep.h"
#include "engine/train/ns-trainer.h"
#include "engine/train/ns-training.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <stdatomic.h>

struct _NsCoordinateCheck
{
  atomic_uint ref_count;
  NsExperiment *experiment;
  gint64 *widths;         /* [n_widths] */
  guint n_widths, n_steps;
  NsTraining **trainings; /* [n_widths] of n_steps + 1 steps, all recorded: record t is before the change of step t */
};

/* What a wrong scaling with the width makes grow, and what a norm behind it would hide. */
static const NsQuantity checked_sizes[] = { NS_Q_RMS_ATTN,    NS_Q_RMS_CROSS, NS_Q_RMS_FFN,   NS_Q_RMS_Z_ATTN,
                                            NS_Q_RMS_Z_CROSS, NS_Q_RMS_Z_FFN, NS_Q_RMS_SCORES, NS_Q_RMS_SCORES_CROSS,
                                            NS_Q_RMS_LOGITS };

/* ---- construction ---- */

/* Create the training at a width. */
static NsTraining *
new_training (const NsCoordinateCheck *check, NsSweep *widths, guint width, GError **error)
{
  g_autoptr (NsExperiment) experiment = ns_sweep_make_experiment (widths, width);
  NsQuantitySet quantities = { { 0 } };
  const NsTrainingPlan plan = { .n_first = check->n_steps + 1, .quantities = &quantities };

  for (gsize i = 0; i < G_N_ELEMENTS (checked_sizes); i++)
    ns_quantity_set_add (&quantities, checked_sizes[i]);
  experiment->training.steps = check->n_steps + 1;
  return ns_training_new (experiment, &plan, 0, (guint) experiment->sampling.seeds, error);
}

static gboolean
check_widths (const gint64 *widths, guint n, GError **error)
{
  if (n > NS_COORDINATE_MAX_WIDTHS)
    {
      g_set_error (error, NS_EXPERIMENT_ERROR, NS_EXPERIMENT_ERROR_VALUE,
                   _ ("%u widths are not allowed; allowed: up to %d"), n, NS_COORDINATE_MAX_WIDTHS);
      return FALSE;
    }
  for (guint w = 0; w < n; w++)
    if (widths[w] < 1 || (w > 0 && widths[w] <= widths[w - 1]))
      {
        g_set_error (error, NS_EXPERIMENT_ERROR, NS_EXPERIMENT_ERROR_VALUE,
                     _ ("%lld is not allowed as a width; allowed: whole numbers from 1, each above the one before"),
                     (long long) widths[w]);
        return FALSE;
      }
  return TRUE;
}

NsCoordinateCheck *
ns_coordinate_check_new (const NsExperiment *experiment, const gint64 *widths, guint n_widths, guint n_steps,
                         GError **error)
{
  NsMetric metric = { .quantity = NS_Q_RMS_X, .where = NS_AT_LAST, .part = NS_PART_STACK };
  g_autoptr (NsCoordinateCheck) check = NULL;
  g_autoptr (NsSweep) sweep = NULL;

  g_return_val_if_fail (n_widths > 0 && n_steps <= NS_COORDINATE_MAX_STEPS, NULL);
  if (!check_widths (widths, n_widths, error))
    return NULL;
  sweep = ns_sweep_new (experiment, NS_SWEEP_D_MODEL, widths, n_widths, metric, error);
  if (sweep == NULL)
    return NULL;
  check = g_new0 (NsCoordinateCheck, 1);
  check->ref_count = 1;
  check->experiment = ns_experiment_copy (experiment);
  check->widths = g_memdup2 (widths, n_widths * sizeof *widths);
  check->n_widths = n_widths;
  check->n_steps = n_steps;
  check->trainings = g_new0 (NsTraining *, n_widths);
  for (guint w = 0; w < n_widths; w++)
    {
      check->trainings[w] = new_training (check, sweep, w, error);
      if (check->trainings[w] == NULL)
        return NULL;
    }
  return g_steal_pointer (&check);
}

gint64 *
ns_coordinate_read_widths (const NsExperiment *experiment, const char *widths, guint *n, GError **error)
{
  int d = (int) experiment->shape.d_model;
  g_autofree char *usual = g_strdup_printf ("%d,%d,%d,%d", MAX (d / 4, 1), MAX (d / 2, 2), MAX (d, 3), MAX (2 * d, 4));

  return ns_sweep_points_from_text (*widths != '\0' ? widths : usual, n, error);
}

NsCoordinateCheck *
ns_coordinate_check_new_from_text (const NsExperiment *experiment, const char *widths, GError **error)
{
  guint n;
  g_autofree gint64 *points = ns_coordinate_read_widths (experiment, widths, &n, error);

  return points != NULL ? ns_coordinate_check_new (experiment, points, n, NS_COORDINATE_STEPS, error) : NULL;
}

NsCoordinateCheck *
ns_coordinate_check_ref (NsCoordinateCheck *check)
{
  atomic_fetch_add (&check->ref_count, 1);
  return check;
}

void
ns_coordinate_check_unref (NsCoordinateCheck *check)
{
  if (check == NULL || atomic_fetch_sub (&check->ref_count, 1) > 1)
    return;
  for (guint w = 0; w < check->n_widths; w++)
    g_clear_pointer (&check->trainings[w], ns_training_unref); /* NULL after one that was refused */
  g_free (check->trainings);
  g_free (check->widths);
  ns_experiment_free (check->experiment);
  g_free (check);
}

/* ---- the job ---- */

/* Return the blocks that the training at a width passes; each of its steps is recorded. */
static guint64
count_blocks (const NsTraining *training)
{
  const NsExperiment *e = ns_training_get_experiment (training);
  guint64 blocks = 2 * (guint64) ns_experiment_count_blocks (e);
  guint64 passes = ns_trainer_takes_halves (e) ? 3 : 1, n_runs = e->variants->len * ns_training_get_n_seeds (training);

  return n_runs * (guint64) e->training.steps * passes * blocks;
}

gboolean
ns_engine_check_coordinates (NsEngine *engine, NsCoordinateCheck *check, NsProgress *progress, GError **error)
{
  guint64 total = 0;

  for (guint w = 0; w < check->n_widths; w++)
    total += count_blocks (check->trainings[w]);
  ns_progress_reserve (progress, total);
  for (guint w = 0; w < check->n_widths; w++)
    if (!ns_engine_train (engine, check->trainings[w], progress, error))
      return FALSE;
  return TRUE;
}

/* ---- reading ---- */

const NsExperiment *
ns_coordinate_check_get_experiment (const NsCoordinateCheck *check)
{
  return check->experiment;
}

const gint64 *
ns_coordinate_check_get_widths (const NsCoordinateCheck *check, guint *n)
{
  *n = check->n_widths;
  return check->widths;
}

guint
ns_coordinate_check_get_n_steps (const NsCoordinateCheck *check)
{
  return check->n_steps;
}

/* Return the number of trainings at a width that have ended. */
static guint
count_ended (const NsCoordinateCheck *check, guint width)
{
  const NsTraining *training = check->trainings[width];
  guint n = 0;

  for (guint v = 0; v < check->experiment->variants->len; v++)
    for (guint s = 0; s < ns_training_get_n_seeds (training); s++)
      n += ns_training_is_finished (training, v, s) ? 1 : 0;
  return n;
}

static guint
count_at_width (const NsCoordinateCheck *check)
{
  return check->experiment->variants->len * ns_training_get_n_seeds (check->trainings[0]);
}

guint
ns_coordinate_check_count_runs (const NsCoordinateCheck *check, guint *n_runs)
{
  guint n = 0;

  for (guint w = 0; w < check->n_widths; w++)
    n += count_ended (check, w);
  if (n_runs != NULL)
    *n_runs = check->n_widths * count_at_width (check);
  return n;
}

guint
ns_coordinate_check_count_widths (const NsCoordinateCheck *check)
{
  guint n = 0;

  for (guint w = 0; w < check->n_widths; w++)
    n += count_ended (check, w) == count_at_width (check) ? 1 : 0;
  return n;
}

double
ns_coordinate_check_get_elapsed_ms (const NsCoordinateCheck *check)
{
  double ms = 0;

  for (guint w = 0; w < check->n_widths; w++)
    ms += ns_training_get_elapsed_ms (check->trainings[w]);
  return ms;
}

/* Return TRUE if a training of the variant at a width has diverged before it had made so many steps. */
static gboolean
has_diverged (const NsCoordinateCheck *check, guint variant, guint width, guint step)
{
  gint64 at;

  for (guint s = 0; s < ns_training_get_n_seeds (check->trainings[width]); s++)
    if (ns_training_get_divergence (check->trainings[width], variant, s, &at, NULL) && at <= (gint64) step)
      return TRUE;
  return FALSE;
}

gboolean
ns_coordinate_check_get_stat (const NsCoordinateCheck *check, guint variant, const NsCoordinate *size, guint width,
                              guint step, NsStat *stat)
{
  g_return_val_if_fail (width < check->n_widths && step <= check->n_steps, FALSE);
  return ns_training_get_stat (check->trainings[width], variant, size->quantity, step, size->site, stat);
}

/* ---- verdicts ---- */

/* The results after no step and after `step` of them, at each width. */
typedef struct
{
  const NsCoordinateCheck *check;
  guint variant;
  NsResult **first, **last; /* [n_widths] */
  double *x;                /* [n_widths] the widths */
} Judge;

/* Return TRUE if all trainings of the variant have made the steps. */
static gboolean
judge_init (Judge *judge, const NsCoordinateCheck *check, guint variant, guint step)
{
  gboolean is_complete = TRUE;

  *judge = (Judge){ check, variant, g_new0 (NsResult *, check->n_widths), g_new0 (NsResult *, check->n_widths),
                    g_new (double, check->n_widths) };
  for (guint w = 0; w < check->n_widths; w++)
    {
      judge->x[w] = (double) check->widths[w];
      for (guint s = 0; s < ns_training_get_n_seeds (check->trainings[w]); s++)
        is_complete &= step < ns_training_count_records (check->trainings[w], variant, s);
    }
  for (guint w = 0; w < check->n_widths && is_complete; w++)
    {
      judge->first[w] = ns_training_get_result (check->trainings[w], 0);
      judge->last[w] = ns_training_get_result (check->trainings[w], step);
      is_complete = judge->first[w] != NULL && judge->last[w] != NULL;
    }
  return is_complete;
}

static void
judge_clear (Judge *judge)
{
  for (guint w = 0; w < judge->check->n_widths; w++)
    {
      g_clear_pointer (&judge->first[w], ns_result_unref);
      g_clear_pointer (&judge->last[w], ns_result_unref);
    }
  g_free (judge->first);
  g_free (judge->last);
  g_free (judge->x);
}

static double
get_log10 (const Judge *judge, const NsResult *result, const NsCoordinate *size, guint seed)
{
  double log10_value = NAN;

  ns_result_get_value (result, judge->variant, size->quantity, size->site, seed, NULL, &log10_value);
  return log10_value;
}

/* Fit p of size ∝ d^p after the steps or, with `change`, of the factor by which they have changed it. FALSE where there
 * is none. */
static gboolean
fit_size (const Judge *judge, const NsCoordinate *size, gboolean change, NsExponent *exponent)
{
  guint n = judge->check->n_widths, n_seeds = (guint) judge->check->experiment->sampling.seeds, n_values = n_seeds * n;
  g_autofree double *log10_y = g_new (double, n_values);
  NsFit fit;

  for (guint s = 0; s < n_seeds; s++)
    for (guint w = 0; w < n; w++)
      log10_y[s * n + w] = get_log10 (judge, judge->last[w], size, s)
                           - (change ? get_log10 (judge, judge->first[w], size, s) : 0);
  ns_fit_laws (judge->x, n, log10_y, n_seeds, &fit);
  if (fit.status == NS_FIT_NOT_FINITE || fit.exponent.n_seeds == 0)
    return FALSE;
  *exponent = fit.exponent;
  return TRUE;
}

/* Return TRUE if a size is 0 at every width, as that of uniform scores or of a branch that starts at 0. */
static gboolean
is_zero (const Judge *judge, const NsCoordinate *size)
{
  for (gint64 s = 0; s < judge->check->experiment->sampling.seeds; s++)
    for (guint w = 0; w < judge->check->n_widths; w++)
      if (get_log10 (judge, judge->last[w], size, (guint) s) != -INFINITY)
        return FALSE;
  return TRUE;
}

/* Return an end of an exponent's interval: sign −1 the lower, 1 the upper one. One seed has no interval. */
static double
get_end (const NsExponent *exponent, int sign)
{
  return exponent->p + (isfinite (exponent->error) ? sign * exponent->error : 0);
}

/* Return TRUE for scores and logits, whose random part falls with the width in μP: only their growth counts. */
static gboolean
may_fall (NsQuantity quantity)
{
  return quantity == NS_Q_RMS_SCORES || quantity == NS_Q_RMS_SCORES_CROSS || quantity == NS_Q_RMS_LOGITS;
}

/* Set the verdict of a size. Return how far its exponent is out, as growth or as a fall: one that is there before the
 * first step is no effect of training and does not count. */
static double
judge_size (const Judge *judge, NsCoordinate *size)
{
  const double bound = NS_COORDINATE_FLAT;
  NsExponent *p = &size->exponent, change = { 0 };
  gboolean falls;

  if (!fit_size (judge, size, FALSE, p))
    {
      size->verdict = is_zero (judge, size) ? NS_COORDINATES_FLAT : NS_COORDINATES_UNKNOWN;
      return -INFINITY;
    }
  falls = !may_fall (size->quantity) && fit_size (judge, size, TRUE, &change);
  if (get_end (p, -1) > bound)
    size->verdict = NS_COORDINATES_GROW;
  else if (falls && MAX (get_end (p, 1), get_end (&change, 1)) < -bound)
    size->verdict = NS_COORDINATES_SHRINK;
  else if (get_end (p, 1) <= bound && (!falls || MAX (get_end (p, -1), get_end (&change, -1)) >= -bound))
    size->verdict = NS_COORDINATES_FLAT;
  return falls ? MAX (p->p, -MAX (p->p, change.p)) : p->p;
}

NsCoordinate *
ns_coordinate_check_judge (const NsCoordinateCheck *check, guint variant, guint step, guint *n, guint *worst)
{
  static const int ranks[] = { [NS_COORDINATES_FLAT] = 0, [NS_COORDINATES_UNKNOWN] = 1, [NS_COORDINATES_SHRINK] = 2,
                               [NS_COORDINATES_GROW] = 3, [NS_COORDINATES_DIVERGED] = 4 };
  GArray *list = g_array_new (FALSE, FALSE, sizeof (NsCoordinate));
  double farthest = -INFINITY;
  gboolean is_complete, diverged = FALSE;
  Judge judge;

  *worst = 0;
  is_complete = judge_init (&judge, check, variant, step);
  for (guint w = 0; w < check->n_widths; w++)
    diverged |= has_diverged (check, variant, w, step);
  for (gsize i = 0; i < G_N_ELEMENTS (checked_sizes); i++)
    for (gint64 site = 0; site <= ns_experiment_get_head_site (check->experiment); site++)
      {
        NsCoordinate size = { checked_sizes[i], site, diverged ? NS_COORDINATES_DIVERGED : NS_COORDINATES_UNKNOWN,
                              { NAN, NAN, NAN, 0 } };
        double out = -INFINITY;
        int above;

        if (!ns_quantity_exists (size.quantity, check->experiment, variant, site))
          continue;
        if (!diverged && is_complete)
          out = judge_size (&judge, &size);
        above = list->len == 0 ? 1 : ranks[size.verdict] - ranks[g_array_index (list, NsCoordinate, *worst).verdict];
        if (above > 0 || (above == 0 && out > farthest))
          {
            *worst = list->len;
            farthest = out;
          }
        g_array_append_val (list, size);
      }
  judge_clear (&judge);
  *n = list->len;
  return (NsCoordinate *) (gpointer) g_array_free (list, FALSE);
}

NsCoordinate
ns_coordinate_check_get_worst (const NsCoordinateCheck *check, guint variant, guint step)
{
  guint n, worst;
  g_autofree NsCoordinate *all = ns_coordinate_check_judge (check, variant, step, &n, &worst);

  return all[worst];
}
