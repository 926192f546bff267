/* Lectures and their steps as values.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "lecture/ns-lecture.h"

#include "engine/experiment/ns-experiment.h"
#include "figures/ns-curve.h"
#include "lecture/ns-lecture-private.h"

#include <math.h>
#include <string.h>

/* ---- the view ---- */

void
ns_lecture_view_init (NsLectureView *view)
{
  *view = (NsLectureView) { .figure = NS_FIGURE_FLOW, .cursor = NAN };
  ns_figure_options_init (&view->options);
  ns_scaling_settings_init (&view->scaling);
  for (int v = 0; v < NS_MAX_VARIANTS; v++)
    view->styles[v] = v;
}

const NsFigureOption *
ns_lecture_list_options (NsFigureKind figure, guint list)
{
  if (list == 0)
    return figure == NS_FIGURE_SCALING ? NULL : ns_figure_info (figure)->options;
  return list == 1 && figure == NS_FIGURE_TRAINING ? ns_figure_info (NS_FIGURE_TRAINING_PROFILE)->options : NULL;
}

/* Compare the options that the figure has. */
static gboolean
options_equal (NsFigureKind figure, const NsFigureOptions *a, const NsFigureOptions *b)
{
  for (guint list = 0; list < NS_LECTURE_OPTION_LISTS; list++)
    for (const NsFigureOption *o = ns_lecture_list_options (figure, list); o != NULL && o->name != NULL; o++)
      if (!ns_figure_option_is_equal (o, a, b))
        return FALSE;
  return TRUE;
}

static gboolean
colors_equal (const NsLectureView *a, const NsLectureView *b)
{
  for (int v = 0; v < NS_MAX_VARIANTS; v++)
    {
      if (a->styles[v] != b->styles[v] || a->has_color[v] != b->has_color[v])
        return FALSE;
      if (a->has_color[v])
        {
          /* Files have colours of 8 bits. */
          g_autofree char *first = ns_lecture_dup_color (&a->colors[v]);
          g_autofree char *second = ns_lecture_dup_color (&b->colors[v]);

          if (strcmp (first, second) != 0)
            return FALSE;
        }
    }
  return TRUE;
}

/* Compare what the figure shows: not the axis that is not swept, nor the variants of a ratio that is not drawn. */
static gboolean
scaling_equal (const NsScalingSettings *a, const NsScalingSettings *b)
{
  NsScalingSettings other = *b;

  if (!a->ratio && !b->ratio)
    {
      other.numerator = a->numerator;
      other.denominator = a->denominator;
    }
  return (ns_scaling_settings_compare (a, &other) & ~(guint) NS_SCALING_CHANGED_UNSEEN) == 0;
}

gboolean
ns_lecture_view_equal (const NsLectureView *a, const NsLectureView *b)
{

  if (a->figure != b->figure || a->hidden != b->hidden || a->text_scale != b->text_scale
      || !(a->cursor == b->cursor || (isnan (a->cursor) && isnan (b->cursor))))
    return FALSE;
  return a->options.flow.band == b->options.flow.band
         && options_equal (a->figure, &a->options, &b->options) && colors_equal (a, b);
}

/* ---- steps ---- */

NsLectureStep *
ns_lecture_step_new (const char *title, NsExperiment *experiment)
{
  NsLectureStep *step = g_new0 (NsLectureStep, 1);

  g_atomic_ref_count_init (&step->refs);
  step->title = g_strdup (title);
  step->text = g_strdup ("");
  step->notes = g_strdup ("");
  step->experiment = experiment;
  ns_lecture_view_init (&step->view);
  return step;
}

NsLectureStep *
ns_lecture_step_copy (const NsLectureStep *step)
{
  NsLectureStep *copy = g_new (NsLectureStep, 1);

  *copy = *step;
  g_atomic_ref_count_init (&copy->refs);
  copy->title = g_strdup (step->title);
  copy->text = g_strdup (step->text);
  copy->notes = g_strdup (step->notes);
  copy->experiment = ns_experiment_copy (step->experiment);
  copy->marks = ns_marks_copy (step->marks);
  copy->question = ns_question_copy (step->question);
  return copy;
}

NsLectureStep *
ns_lecture_step_ref (NsLectureStep *step)
{
  g_atomic_ref_count_inc (&step->refs);
  return step;
}

void
ns_lecture_step_unref (NsLectureStep *step)
{
  if (step == NULL || !g_atomic_ref_count_dec (&step->refs))
    return;
  g_free (step->title);
  g_free (step->text);
  g_free (step->notes);
  ns_experiment_free (step->experiment);
  ns_marks_free (step->marks);
  ns_question_free (step->question);
  g_free (step);
}

gboolean
ns_lecture_step_equal (const NsLectureStep *a, const NsLectureStep *b)
{
  if (ns_lecture_step_needs (a, NS_FIGURE_NEEDS_SWEEP) && !scaling_equal (&a->view.scaling, &b->view.scaling))
    return FALSE;
  return a == b
         || (strcmp (a->title, b->title) == 0 && strcmp (a->text, b->text) == 0 && strcmp (a->notes, b->notes) == 0
             && ns_experiment_equal (a->experiment, b->experiment) && ns_lecture_view_equal (&a->view, &b->view)
             && ns_marks_equal (a->marks, b->marks) && ns_question_equal (a->question, b->question));
}

void
ns_lecture_step_get_options (const NsLectureStep *step, const NsSweep *sweep, NsFigureOptions *options)
{
  const NsLectureView *view = &step->view;

  *options = view->options;
  options->flow.hidden = view->hidden;
  options->flow.styles = view->styles;
  options->flow.colors = view->colors;
  options->flow.has_color = view->has_color;
  options->flow.marks = step->marks;
  options->flow.n_seeds_wanted = (guint) step->experiment->sampling.seeds;
  options->paths.band = view->options.flow.band;
  options->paths.hidden = view->hidden;
  options->paths.styles = view->styles;
  options->paths.colors = view->colors;
  options->paths.has_color = view->has_color;
  options->paths.marks = step->marks;
  options->paths.n_seeds_wanted = options->flow.n_seeds_wanted;
  options->training.hidden = view->hidden;
  options->training.styles = view->styles;
  options->training.colors = view->colors;
  options->training.has_color = view->has_color;
  options->sensitivity.hidden = view->hidden;
  options->sensitivity.styles = view->styles;
  options->sensitivity.colors = view->colors;
  options->sensitivity.has_color = view->has_color;
  if (sweep == NULL)
    return;
  ns_scaling_settings_get_options (&view->scaling, sweep, &options->scaling);
  options->scaling.band = view->options.flow.band;
  options->scaling.hidden = view->hidden;
  options->scaling.styles = view->styles;
  options->scaling.colors = view->colors;
  options->scaling.has_color = view->has_color;
}

gboolean
ns_lecture_step_needs (const NsLectureStep *step, NsFigureNeeds needs)
{
  if (ns_figure_info (step->view.figure)->needs == needs)
    return TRUE;
  return (needs == NS_FIGURE_NEEDS_RESULT && ns_question_needs_result (step->question))
         || (needs == NS_FIGURE_NEEDS_SWEEP && ns_question_needs_sweep (step->question))
         || (needs == NS_FIGURE_NEEDS_TRAINING && ns_question_needs_training (step->question));
}

NsPaths *
ns_lecture_step_new_paths (const NsLectureStep *step, GError **error)
{
  const NsPathsSettings settings
      = ns_paths_options_get_settings (&step->view.options.paths, ns_figure_info (step->view.figure)->paths_kind);

  return ns_paths_new (step->experiment, &settings, 0, (guint) step->experiment->sampling.seeds, error);
}

NsTraining *
ns_lecture_step_new_training (const NsLectureStep *step, GError **error)
{
  NsQuantitySet recorded;
  const NsTrainingPlan plan = ns_figure_get_training_plan (step->view.figure, &step->view.options, &recorded);

  ns_question_add_recorded (step->question, &recorded);
  return ns_training_new (step->experiment, &plan, 0, (guint) step->experiment->sampling.seeds, error);
}

void
ns_lecture_step_init_sensitivity_plan (const NsLectureStep *step, NsSensitivityPlan *plan)
{
  ns_sensitivity_plan_init (plan, step->experiment, (NsSensitivityAxis) step->view.options.sensitivity.over);
}

NsSensitivity *
ns_lecture_step_new_sensitivity (const NsLectureStep *step, GError **error)
{
  g_auto (NsSensitivityPlan) plan = { 0 };

  ns_lecture_step_init_sensitivity_plan (step, &plan);
  return ns_sensitivity_new (step->experiment, &plan, (guint) step->experiment->sampling.seeds, error);
}

NsSweep *
ns_lecture_step_new_sweep (const NsLectureStep *step, GError **error)
{
  const NsScalingSettings *settings = &step->view.scaling;
  g_autofree char *text = ns_scaling_settings_dup_points (settings, settings->axis);
  guint n_points;
  g_autofree gint64 *points = ns_sweep_points_from_text (text, &n_points, error);

  if (points == NULL)
    return NULL;
  return ns_sweep_new (step->experiment, settings->axis, points, n_points,
                       ns_scaling_settings_get_metric (settings, step->experiment), error);
}

/* ---- lectures ---- */

NsLecture *
ns_lecture_new (const char *title, const char *language)
{
  NsLecture *lecture = g_new0 (NsLecture, 1);

  g_atomic_ref_count_init (&lecture->refs);
  lecture->title = g_strdup (title);
  lecture->language = g_strdup (language);
  lecture->steps = g_ptr_array_new_with_free_func ((GDestroyNotify) ns_lecture_step_unref);
  return lecture;
}

NsLecture *
ns_lecture_copy (const NsLecture *lecture)
{
  NsLecture *copy = ns_lecture_new (lecture->title, lecture->language);

  for (guint i = 0; i < lecture->steps->len; i++)
    g_ptr_array_add (copy->steps, ns_lecture_step_ref (g_ptr_array_index (lecture->steps, i)));
  return copy;
}

NsLecture *
ns_lecture_ref (NsLecture *lecture)
{
  g_atomic_ref_count_inc (&lecture->refs);
  return lecture;
}

void
ns_lecture_unref (NsLecture *lecture)
{
  if (lecture == NULL || !g_atomic_ref_count_dec (&lecture->refs))
    return;
  g_free (lecture->title);
  g_free (lecture->language);
  g_ptr_array_unref (lecture->steps);
  g_free (lecture);
}

gboolean
ns_lecture_equal (const NsLecture *a, const NsLecture *b)
{
  if (a == b)
    return TRUE;
  if (strcmp (a->title, b->title) != 0 || strcmp (a->language, b->language) != 0 || a->steps->len != b->steps->len)
    return FALSE;
  for (guint i = 0; i < a->steps->len; i++)
    if (!ns_lecture_step_equal (ns_lecture_get_step (a, i), ns_lecture_get_step (b, i)))
      return FALSE;
  return TRUE;
}

guint
ns_lecture_get_n_steps (const NsLecture *lecture)
{
  return lecture->steps->len;
}

NsLectureStep *
ns_lecture_get_step (const NsLecture *lecture, guint step)
{
  g_return_val_if_fail (step < lecture->steps->len, NULL);
  return g_ptr_array_index (lecture->steps, step);
}

void
ns_lecture_take_step (NsLecture *lecture, guint index, NsLectureStep *step)
{
  g_return_if_fail (index <= lecture->steps->len && lecture->steps->len < NS_LECTURE_MAX_STEPS);
  g_ptr_array_insert (lecture->steps, (int) index, step);
}

void
ns_lecture_replace_step (NsLecture *lecture, guint index, NsLectureStep *step)
{
  g_return_if_fail (index < lecture->steps->len);
  ns_lecture_step_unref (g_ptr_array_index (lecture->steps, index));
  lecture->steps->pdata[index] = step;
}

void
ns_lecture_remove_step (NsLecture *lecture, guint index)
{
  g_return_if_fail (index < lecture->steps->len);
  g_ptr_array_remove_index (lecture->steps, index);
}

void
ns_lecture_move_step (NsLecture *lecture, guint from, guint to)
{
  g_return_if_fail (from < lecture->steps->len && to < lecture->steps->len);
  g_ptr_array_insert (lecture->steps, (int) to, g_ptr_array_steal_index (lecture->steps, from));
}
