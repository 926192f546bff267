/* Ask, then show: a question hides what is measured until the answer is shown.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The answer is measured in the background, of the experiment on the screen, by runs and sweeps of its own: the view
 * need not show what it needs. They begin after a moment, so that the picture of the step comes first. A step that
 * shows a training is another matter: the audience sees it train before it hears the answer, so asking for the answer
 * starts the view's own training, and the answer comes at its end.
 */
#include "app/lecture/normscope-presenter-private.h"

#include <glib/gi18n-lib.h>
#include <math.h>

#include "engine/experiment/ns-experiment.h"

#define MEASURE_DELAY_MS 400
#define PROGRESS_MS 100
/* ---- measuring ---- */

static void
forget_tasks (NormscopePresenter *self)
{
  g_clear_handle_id (&self->asked.measure_id, g_source_remove);
  g_clear_handle_id (&self->asked.progress_id, g_source_remove);
  if (self->asked.is_measured && self->measuring != NULL)
    normscope_scaling_runner_stop (self->measuring);
  g_clear_pointer (&self->asked.run, normscope_task_unref);
  g_clear_pointer (&self->asked.sweep, normscope_task_unref);
  g_clear_pointer (&self->asked.training, normscope_task_unref);
  g_clear_pointer (&self->asked.trained, ns_training_unref);
  self->asked.is_measured = FALSE;
}

/* Return TRUE if the answer comes from the training that the view shows. */
static gboolean
is_trained_by_view (NormscopePresenter *self)
{
  const NsLectureStep *step = self->asked.step;

  return ns_question_needs_training (step->question)
         && ns_figure_info (step->view.figure)->needs == NS_FIGURE_NEEDS_TRAINING;
}

/* Show the figure again, without the veil. */
static void
open_values (NormscopePresenter *self)
{
  normscope_presenter_keep_guess (self);
  normscope_presenter_remove_sketch (self);
  self->asked.is_open = FALSE;
  normscope_session_set_asking (self->session, FALSE);
}

static void
fail (NormscopePresenter *self, const char *message)
{
  forget_tasks (self);
  self->asked.is_wanted = FALSE;
  open_values (self);
  normscope_question_card_fail (self->asked.card, message);
}

static guint64
get_hidden (NormscopePresenter *self)
{
  NsFlowOptions options;

  normscope_session_get_flow_options (self->session, &options);
  return options.hidden;
}

/* Say how far the guess of a number is off, "\nThe guess is 1.6 times too large.", or nothing. */
static char *
dup_guess_words (NormscopePresenter *self, double measured)
{
  double guess, factor;

  if (!normscope_question_card_get_guess (self->asked.card, &guess))
    return g_strdup ("");
  factor = guess / measured;
  if (!(guess > 0 && measured > 0))
    return g_strdup_printf (_ ("\nThe guess %.3g is off by %.2g."), guess, fabs (guess - measured));
  if (fabs (log (factor)) < 0.05)
    return g_strdup_printf (_ ("\nThe guess %.3g is right."), guess);
  if (factor > 1)
    return g_strdup_printf (_ ("\nThe guess %.3g is %.2g times too large."), guess, factor);
  return g_strdup_printf (_ ("\nThe guess %.3g is %.2g times too small."), guess, 1 / factor);
}

/* Say how many hands were raised for a right answer, or whether one reader's answer is right. */
static char *
dup_hands_words (NormscopePresenter *self, guint64 right)
{
  guint n = 0, n_right = 0;

  for (guint c = 0; c < NS_QUESTION_MAX_CHOICES; c++)
    {
      guint votes = normscope_question_card_get_votes (self->asked.card, c);

      n += votes;
      n_right += (right >> c & 1) != 0 ? votes : 0;
    }
  if (n > 0 && normscope_question_card_is_alone (self->asked.card))
    return g_strdup (n_right > 0 ? _ ("\nYour answer is right.") : _ ("\nYour answer is not right."));
  /* Translators: hands raised for the right answer, and all hands */
  return n > 0 ? g_strdup_printf (_ ("\n%u of %u hands were right."), n_right, n) : g_strdup ("");
}

static void
answer_question (NormscopePresenter *self)
{
  const NsQuestion *question = self->asked.step->question;
  const NsQuestionSource source = {
    .result = self->asked.run != NULL ? self->asked.run->result : NULL,
    .sweep = self->asked.sweep != NULL ? self->asked.sweep->sweep : NULL,
    .training = self->asked.training != NULL ? self->asked.training->training : self->asked.trained,
    .hidden = get_hidden (self),
  };
  g_auto (NsAnswer) answer = { 0 };
  g_autoptr (GError) error = NULL;
  g_autofree char *measured = NULL, *more = NULL, *words = NULL;

  if (!ns_question_evaluate (question, &source, &answer, &error))
    {
      fail (self, error->message);
      return;
    }
  normscope_presenter_keep_guess (self);
  measured = ns_answer_dup_text (&answer, question);
  if (question->kind == NS_QUESTION_CHOICE)
    more = dup_hands_words (self, answer.right);
  else if (question->kind == NS_QUESTION_NUMBER)
    more = dup_guess_words (self, answer.number);
  else
    {
      g_autofree char *sketch = normscope_presenter_dup_sketch_error (self, &answer);

      more = g_strconcat ("\n", sketch, NULL);
    }
  /* Translators: the answer to a question of a lecture */
  words = g_strdup_printf (question->kind == NS_QUESTION_CHOICE ? _ ("Right is %s%s") : _ ("Measured: %s%s"), measured,
                           more);
  self->asked.is_wanted = FALSE;
  g_clear_handle_id (&self->asked.progress_id, g_source_remove);
  g_clear_pointer (&self->asked.guess, g_free);
  open_values (self);
  normscope_question_card_reveal (self->asked.card, answer.right, words);
}

static const GError *
get_task_error (const NormscopeTask *task)
{
  return task != NULL && task->state == NORMSCOPE_TASK_FAILED ? task->error : NULL;
}

static gboolean
is_done (const NormscopeTask *task)
{
  return task == NULL || task->state == NORMSCOPE_TASK_DONE;
}

/* Take the view's training once it has finished. Return FALSE before. */
static gboolean
question_needs_training (NormscopePresenter *self)
{
  if (!is_trained_by_view (self))
    return TRUE;
  if (self->asked.trained == NULL)
    self->asked.trained = normscope_engine_find_training (self->engine, self->asked.step->experiment);
  return self->asked.trained != NULL;
}

static void
check (NormscopePresenter *self)
{
  const GError *error = get_task_error (self->asked.run);

  if (!self->asked.is_wanted || !self->asked.is_measured)
    return;
  if (error == NULL)
    error = get_task_error (self->asked.sweep);
  if (error == NULL)
    error = get_task_error (self->asked.training);
  if (error != NULL)
    fail (self, error->message);
  else if (is_done (self->asked.run) && is_done (self->asked.sweep) && is_done (self->asked.training)
           && question_needs_training (self))
    answer_question (self);
}

static void
add_task (GPtrArray *tasks, NormscopeTask *task)
{
  if (task != NULL)
    g_ptr_array_add (tasks, normscope_task_ref (task));
}

/* Make the tasks of the question for the experiment on the screen. */
static void
measure (NormscopePresenter *self)
{
  const NsExperiment *experiment = normscope_session_get_experiment (self->session);
  const GError *invalid = normscope_session_get_error (self->session);
  NsLectureStep *step = self->asked.step;
  GPtrArray *tasks = g_ptr_array_new_with_free_func ((GDestroyNotify) normscope_task_unref);
  g_autoptr (GError) error = NULL;

  forget_tasks (self);
  ns_experiment_free (step->experiment);
  step->experiment = ns_experiment_copy (experiment);
  if (invalid != NULL)
    g_propagate_error (&error, g_error_copy (invalid));
  else if (ns_question_validate (step->question, experiment, &error))
    {
      if (ns_question_needs_result (step->question))
        self->asked.run = normscope_task_new_run (experiment, NULL);
      if (ns_question_needs_sweep (step->question))
        {
          NsSweep *sweep = ns_lecture_step_new_sweep (step, &error);

          self->asked.sweep = sweep != NULL ? normscope_task_new_sweep (sweep) : NULL;
        }
      if (ns_question_needs_training (step->question) && !is_trained_by_view (self) && error == NULL)
        {
          NsTraining *training = ns_lecture_step_new_training (step, &error);

          self->asked.training = training != NULL ? normscope_task_new_training (training) : NULL;
        }
    }
  self->asked.is_measured = error == NULL;
  add_task (tasks, self->asked.run);
  add_task (tasks, self->asked.sweep);
  add_task (tasks, self->asked.training);
  normscope_scaling_runner_take_tasks (self->measuring, tasks);
  if (error != NULL && self->asked.is_wanted)
    fail (self, error->message);
}

static gboolean
measure_cb (gpointer data)
{
  NormscopePresenter *self = data;

  self->asked.measure_id = 0;
  measure (self);
  return G_SOURCE_REMOVE;
}

static double
get_progress (const NormscopeTask *task)
{
  guint64 done, total;

  if (is_done (task))
    return 1;
  ns_progress_get (task->progress, &done, &total);
  return total > 0 ? (double) done / (double) total : 0;
}

static void
show_progress (NormscopePresenter *self)
{
  const NormscopeTask *tasks[] = { self->asked.run, self->asked.sweep, self->asked.training };
  double sum = 0;
  guint n = 0;

  for (gsize i = 0; i < G_N_ELEMENTS (tasks); i++)
    if (tasks[i] != NULL)
      {
        sum += get_progress (tasks[i]);
        n++;
      }
  normscope_question_card_set_progress (self->asked.card, is_trained_by_view (self) ? NAN : sum / MAX (n, 1));
}

static gboolean
progress_cb (gpointer data)
{
  NormscopePresenter *self = data;

  show_progress (self);
  check (self); /* the view's training ends without a signal; this may remove the source */
  return G_SOURCE_CONTINUE;
}

/* Show the values at once, and let the view train if it has not. */
static void
train (NormscopePresenter *self)
{
  open_values (self);
  show_progress (self);
  g_signal_emit_by_name (self, "train");
}

/* ---- the question ---- */

gboolean
normscope_presenter_reveal (NormscopePresenter *self)
{
  if (self->asked.is_wanted && is_trained_by_view (self))
    g_signal_emit_by_name (self, "train"); /* it may have been paused */
  if (!self->asked.is_open || self->asked.is_wanted)
    return self->asked.is_wanted;
  self->asked.is_wanted = TRUE;
  if (!self->asked.is_measured)
    measure (self);
  check (self);
  if (self->asked.is_wanted && is_trained_by_view (self))
    train (self);
  if (self->asked.is_wanted)
    self->asked.progress_id = g_timeout_add (PROGRESS_MS, progress_cb, self);
  return TRUE;
}

void
normscope_presenter_update_question (NormscopePresenter *self)
{
  if (!self->asked.is_open && !self->asked.is_wanted)
    return;
  forget_tasks (self);
  if (self->asked.is_wanted)
    {
      self->asked.progress_id = g_timeout_add (PROGRESS_MS, progress_cb, self);
      measure (self);
    }
  else
    {
      self->asked.measure_id = g_timeout_add (MEASURE_DELAY_MS, measure_cb, self);
    }
}

void
normscope_presenter_end_question (NormscopePresenter *self)
{
  if (self->measuring != NULL)
    g_signal_handlers_disconnect_by_func (self->measuring, check, self);
  forget_tasks (self);
  normscope_presenter_keep_hands (self);
  normscope_presenter_take_focus_out (self, self->aside);
  normscope_presenter_remove_sketch (self);
  normscope_presenter_set_filters (self, FALSE);
  g_clear_pointer (&self->asked.step, ns_lecture_step_unref);
  self->asked = (NormscopeAsked) { 0 };
  normscope_session_set_asking (self->session, FALSE);
}

GtkWidget *
normscope_presenter_ask (NormscopePresenter *self, const NsLectureStep *step)
{
  normscope_presenter_end_question (self);
  if (step->question == NULL || step->question->kind == NS_QUESTION_NONE || self->measuring == NULL)
    return NULL;
  self->asked.of = ns_lecture_step_ref ((NsLectureStep *) step);
  self->asked.step = ns_lecture_step_copy (step);
  self->asked.card = NORMSCOPE_QUESTION_CARD (normscope_question_card_new (step->question));
  self->asked.is_open = TRUE;
  if (step->question->kind == NS_QUESTION_SKETCH)
    normscope_presenter_add_sketch (self);
  normscope_presenter_restore_hands (self);
  normscope_presenter_set_filters (self, TRUE);
  normscope_session_set_asking (self->session, TRUE);
  g_signal_connect_object (self->measuring, "changed", G_CALLBACK (check), self, G_CONNECT_SWAPPED);
  self->asked.measure_id = g_timeout_add (MEASURE_DELAY_MS, measure_cb, self);
  /* The view has given it to Train; the space bar is to show the answer. */
  if (is_trained_by_view (self))
    gtk_window_set_focus (GTK_WINDOW (gtk_widget_get_root (GTK_WIDGET (self))), NULL);
  return GTK_WIDGET (self->asked.card);
}
