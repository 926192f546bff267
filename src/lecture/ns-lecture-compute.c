/* Compute what a step shows and asks.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A kind of data has a row: how it is computed, and what that takes, in words, where it takes long.
 */
#include "lecture/ns-lecture-picture.h"
#include "lecture/ns-lecture-private.h"

#include <glib/gi18n-lib.h>

void
ns_lecture_evidence_clear (NsLectureEvidence *evidence)
{
  g_clear_pointer (&evidence->result, ns_result_unref);
  g_clear_pointer (&evidence->sweep, ns_sweep_unref);
  g_clear_pointer (&evidence->paths, ns_paths_unref);
  g_clear_pointer (&evidence->training, ns_training_unref);
  g_clear_pointer (&evidence->sensitivity, ns_sensitivity_unref);
  g_clear_pointer (&evidence->coordinates, ns_coordinate_check_unref);
  g_clear_pointer (&evidence->marks, ns_marks_free);
}

/* ---- each kind of data ---- */

typedef struct
{
  const NsLectureStep *step;
  NsEngine *engine;
  NsProgress *progress;
  NsLectureEvidence *evidence;
} Job;

static gboolean
compute_nothing (const Job *job, GError **error)
{
  (void) job;
  (void) error;
  return TRUE;
}

static gboolean
compute_result (const Job *job, GError **error)
{
  const NsLectureStep *step = job->step;
  NsQuantitySet quantities = ns_flow_options_get_quantities (&step->view.options.flow);

  job->evidence->result = ns_engine_run_quantities (job->engine, step->experiment, &quantities, 0,
                                                    (guint) step->experiment->sampling.seeds, job->progress, error);
  return job->evidence->result != NULL;
}

static gboolean
compute_sweep (const Job *job, GError **error)
{
  NsSweep *sweep = job->evidence->sweep = ns_lecture_step_new_sweep (job->step, error);

  return sweep != NULL && ns_engine_run_sweep (job->engine, sweep, job->progress, error);
}

static gboolean
compute_paths (const Job *job, GError **error)
{
  NsPaths *paths = job->evidence->paths = ns_lecture_step_new_paths (job->step, error);

  return paths != NULL && ns_engine_fill_paths (job->engine, paths, job->progress, error);
}

static gboolean
compute_training (const Job *job, GError **error)
{
  NsTraining *training = job->evidence->training = ns_lecture_step_new_training (job->step, error);

  return training != NULL && ns_engine_train (job->engine, training, job->progress, error);
}

static gboolean
compute_sensitivity (const Job *job, GError **error)
{
  NsSensitivity *map = job->evidence->sensitivity = ns_lecture_step_new_sensitivity (job->step, error);

  return map != NULL && ns_engine_fill_sensitivity (job->engine, map, job->progress, error);
}

static gboolean
compute_coordinates (const Job *job, GError **error)
{
  const NsLectureStep *step = job->step;
  NsCoordinateCheck *check = job->evidence->coordinates
      = ns_coordinate_check_new_from_text (step->experiment, step->view.options.widths, error);

  return check != NULL && ns_engine_check_coordinates (job->engine, check, job->progress, error);
}

/* ---- in words ---- */

static guint
count_runs (const NsExperiment *experiment)
{
  return experiment->variants->len * (guint) experiment->sampling.seeds;
}

/* "8 trainings of 300 steps" */
static char *
dup_trainings (guint n, int steps)
{
  g_autofree char *of_steps = g_strdup_printf (g_dngettext (GETTEXT_PACKAGE, "%d step", "%d steps", (gulong) steps),
                                               steps);

  /* Translators: a number of trainings, “300 steps” */
  return g_strdup_printf (g_dngettext (GETTEXT_PACKAGE, "%u training of %s", "%u trainings of %s", n), n, of_steps);
}

static char *
dup_training_work (const NsLectureStep *step)
{
  return dup_trainings (count_runs (step->experiment), (int) step->experiment->training.steps);
}

static char *
dup_sensitivity_work (const NsLectureStep *step)
{
  g_auto (NsSensitivityPlan) plan = { 0 };

  ns_lecture_step_init_sensitivity_plan (step, &plan);
  return dup_trainings (count_runs (step->experiment) * plan.n_points * plan.n_rates,
                        (int) step->experiment->training.steps);
}

static char *
dup_coordinates_work (const NsLectureStep *step)
{
  guint n = 0;
  g_autofree gint64 *widths
      = ns_coordinate_read_widths (step->experiment, step->view.options.widths, &n, NULL);

  return dup_trainings (count_runs (step->experiment) * (widths != NULL ? n : 0), NS_COORDINATE_STEPS);
}

/* ---- the table ---- */

static const struct
{
  gboolean (*compute) (const Job *job, GError **error); /* NULL: no step shows it */
  char *(*dup_work) (const NsLectureStep *step);        /* NULL: it takes no time to speak of */
} evidence_table[] = {
  [NS_FIGURE_NEEDS_EXPERIMENT] = { compute_nothing, NULL },
  [NS_FIGURE_NEEDS_RESULT] = { compute_result, NULL },
  [NS_FIGURE_NEEDS_SWEEP] = { compute_sweep, NULL },
  [NS_FIGURE_NEEDS_PATHS] = { compute_paths, NULL },
  [NS_FIGURE_NEEDS_TRAINING] = { compute_training, dup_training_work },
  [NS_FIGURE_NEEDS_SENSITIVITY] = { compute_sensitivity, dup_sensitivity_work },
  [NS_FIGURE_NEEDS_COORDINATES] = { compute_coordinates, dup_coordinates_work },
};

gboolean
ns_lecture_can_show (NsFigureKind figure)
{
  NsFigureNeeds needs = ns_figure_info (figure)->needs;

  return needs < G_N_ELEMENTS (evidence_table) && evidence_table[needs].compute != NULL;
}

char *
ns_lecture_step_dup_work (const NsLectureStep *step)
{
  GString *text = g_string_new (NULL);

  for (NsFigureNeeds needs = 0; needs < G_N_ELEMENTS (evidence_table); needs++)
    if (evidence_table[needs].dup_work != NULL && ns_lecture_step_needs (step, needs))
      {
        g_autofree char *work = evidence_table[needs].dup_work (step);

        g_string_append_printf (text, "%s%s", text->len > 0 ? ", " : "", work);
      }
  return g_string_free (text, text->len == 0);
}

/* ---- a step ---- */

static gboolean
compute_references (NsMarks *marks, const NsQuantitySet *quantities, const Job *job, GError **error)
{
  for (guint i = 0; i < marks->references->len; i++)
    {
      NsReference *reference = g_ptr_array_index (marks->references, i);

      if (reference->is_recorded)
        continue;
      reference->result
        = ns_engine_run_quantities (job->engine, reference->experiment, quantities, 0,
                                    (guint) reference->experiment->sampling.seeds, job->progress, error);
      if (reference->result == NULL)
        return FALSE;
      reference->variant = 0;
    }
  return TRUE;
}

gboolean
ns_lecture_step_compute (const NsLectureStep *step, NsEngine *engine, NsProgress *progress,
                         NsLectureEvidence *evidence, GError **error)
{
  const Job job = { step, engine, progress, evidence };
  NsQuantitySet quantities = ns_flow_options_get_quantities (&step->view.options.flow);

  *evidence = (NsLectureEvidence) { 0 };
  ns_engine_keep_weights (engine); /* the tables of a step run the same seeds */
  for (NsFigureNeeds needs = 0; needs < G_N_ELEMENTS (evidence_table); needs++)
    if (evidence_table[needs].compute != NULL && ns_lecture_step_needs (step, needs)
        && !evidence_table[needs].compute (&job, error))
      return FALSE;
  evidence->marks = ns_marks_copy (step->marks);
  return evidence->marks == NULL || compute_references (evidence->marks, &quantities, &job, error);
}
