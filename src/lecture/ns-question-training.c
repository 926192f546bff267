/* What questions ask about a training.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "document/ns-file.h"
#include "engine/experiment/ns-training-settings.h"
#include "engine/train/ns-training-loss.h"
#include "lecture/ns-lecture-private.h"

#include <glib/gi18n-lib.h>
#include <math.h>

/* A loss that has fallen by less than this share of the first one has not fallen. */
#define FALL 0.02

/* ---- what is measured ---- */

static gboolean
has_diverged (const NsTraining *training, guint variant)
{
  for (guint s = 0; s < ns_training_get_n_seeds (training); s++)
    if (ns_training_get_divergence (training, variant, s, NULL, NULL))
      return TRUE;
  return FALSE;
}

gboolean
ns_question_measure_loss (const NsTraining *training, guint variant, int step, NsSummary *loss)
{
  NsStat stat;

  if (step == NS_STEP_LAST && has_diverged (training, variant))
    {
      *loss = (NsSummary) { .center = INFINITY };
      return TRUE;
    }
  if (step == NS_STEP_LAST ? !ns_training_get_final_loss (training, variant, &stat)
                           : !ns_training_get_smooth_loss (training, variant, step, &stat))
    return FALSE;
  *loss = ns_stat_summarize (&stat, NS_MEAN_ARITHMETIC);
  return TRUE;
}

gboolean
ns_question_has_outcome (const NsTraining *training, guint variant, NsOutcome outcome)
{
  NsStat first, last;

  if (has_diverged (training, variant))
    return outcome == NS_OUTCOME_DIVERGES;
  if (!ns_training_get_loss_stat (training, variant, 0, &first)
      || !ns_training_get_final_loss (training, variant, &last))
    return FALSE;
  if (ns_training_stalls (training, variant))
    return outcome == NS_OUTCOME_STALLS;
  return outcome == NS_OUTCOME_LEARNS && last.mean < (1 - FALL) * first.mean;
}

NsResult *
ns_question_dup_result (const NsTraining *training, int step)
{
  gint64 at = step == NS_STEP_LAST ? ns_training_get_n_steps (training) - 1 : step;

  return ns_training_get_result (training, ns_training_find_record (training, at));
}

/* ---- what is recorded for it ---- */

static void
add_test (const NsTest *test, NsQuantitySet *quantities)
{
  for (guint i = 0; test->parts != NULL && i < test->parts->len; i++)
    add_test (g_ptr_array_index (test->parts, i), quantities);
  if ((ns_test_info (test->kind)->fields & NS_TEST_HAS_STEP) == 0)
    return;
  if (test->of.in_training)
    ns_quantity_set_add (quantities, test->of.quantity);
  if (ns_test_has_over (test) && test->over.in_training)
    ns_quantity_set_add (quantities, test->over.quantity);
}

void
ns_question_add_recorded (const NsQuestion *question, NsQuantitySet *quantities)
{
  for (guint c = 0; question != NULL && c < question->choices->len; c++)
    add_test (((const NsChoice *) g_ptr_array_index (question->choices, c))->test, quantities);
  if (question != NULL && question->number != NULL)
    add_test (question->number, quantities);
}

/* ---- checks ---- */

gboolean
ns_question_check_training (const char *key, const NsExperiment *experiment, GError **error)
{
  g_autoptr (GError) cause = NULL;

  return ns_experiment_validate_training (experiment, &cause) || ns_lecture_refuse (error, key, "%s", cause->message);
}

gboolean
ns_question_check_step (const NsPoint *point, const char *key, const NsExperiment *experiment, GError **error)
{
  int most = (int) experiment->training.steps - 1, recorded = (int) NS_TRAINING_PLAN_DEFAULT.n_first - 1;

  if (!point->in_training)
    return TRUE;
  if (!ns_question_check_training (key, experiment, error))
    return FALSE;
  if (point->step > most)
    return ns_lecture_refuse (error, key, _ ("%d is not allowed; allowed: 0 to %d, or \"last\""), point->step, most);
  /* the same in the window and on the command line */
  if (point->quantity != NS_Q_LOSS && point->step > recorded)
    return ns_lecture_refuse (error, key, _ ("%d is not allowed; allowed: 0 to %d, or \"last\": at other steps only "
                                             "the loss is sure to be recorded"),
                              point->step, recorded);
  return TRUE;
}
