/* The steps of a lecture that is presented.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Undo reaches back to the beginning of a step: a change made live is dropped by going on, and never mixed with the
 * steps before. At the end the last step is shown as it is in the file, with the history from before the presentation.
 * An experiment that is opened meanwhile is a live change of the step, too, but stays at the end.
 */
#include "app/lecture/normscope-presenter-private.h"

static void
enable_steps (NormscopePresenter *self)
{
  guint n = self->with_lecture ? normscope_lecture_session_get_n_steps (self->lecture) : 0;
  guint index = n > 0 ? normscope_lecture_session_get_index (self->lecture) : 0;

  gtk_widget_action_set_enabled (GTK_WIDGET (self), "present.previous", index > 0);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "present.next", index + 1 < n);
}

static void
show_presented_step (NormscopePresenter *self)
{
  const NsLectureStep *step = normscope_lecture_session_get_step (self->lecture);
  GtkWidget *card;

  if (!self->with_lecture || step == NULL)
    return;
  for (guint f = 0; f < NS_N_FIGURES; f++)
    if (self->plots[f] != NULL)
      normscope_plot_animate_next (self->plots[f]);
  card = normscope_presenter_ask (self, step);
  normscope_aside_set_step (self->aside, step->title, step->text, card);
  normscope_presenter_bar_set_step (self->bar, step->title, normscope_lecture_session_get_index (self->lecture),
                                    normscope_lecture_session_get_n_steps (self->lecture));
  normscope_presenter_choose_text (self, step->view.text_scale);
  normscope_session_set_wiring_is_subject (self->session, step->view.figure == NS_FIGURE_WIRING);
  normscope_last_action_forget (self->action);
  normscope_session_clear_history (self->session);
  self->document = normscope_session_get_document (self->session);
  enable_steps (self);
}

/* The lecture may be closed meanwhile. */
static void
lecture_changed_cb (NormscopePresenter *self, guint change)
{
  if ((change & NORMSCOPE_LECTURE_CHANGED_OPEN) != 0)
    g_clear_pointer (&self->kept, g_hash_table_unref);
  if (self->with_lecture && normscope_lecture_session_get_n_steps (self->lecture) == 0)
    normscope_presenter_end (self);
}

static void
experiment_changed_cb (NormscopePresenter *self, guint change)
{
  if ((change & NORMSCOPE_CHANGED_EXPERIMENT) != 0)
    normscope_presenter_update_question (self);
}

void
normscope_presenter_set_lecture (NormscopePresenter *self, NormscopeLectureSession *lecture, NormscopeEngine *engine)
{
  g_return_if_fail (NORMSCOPE_IS_PRESENTER (self) && self->session != NULL);
  g_return_if_fail (NORMSCOPE_IS_LECTURE_SESSION (lecture) && self->lecture == NULL);

  self->lecture = g_object_ref (lecture);
  self->engine = normscope_engine_ref (engine);
  self->measuring = normscope_scaling_runner_new (engine);
  /* After the window has put the step on the screen. */
  g_signal_connect_object (lecture, "show", G_CALLBACK (show_presented_step), self,
                           G_CONNECT_SWAPPED | G_CONNECT_AFTER);
  g_signal_connect_object (lecture, "changed", G_CALLBACK (lecture_changed_cb), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->session, "changed", G_CALLBACK (experiment_changed_cb), self, G_CONNECT_SWAPPED);
}

static void
close_notes (NormscopePresenter *self)
{
  GtkWidget *notes = self->notes;

  g_clear_weak_pointer (&self->notes);
  if (notes != NULL)
    gtk_window_destroy (GTK_WINDOW (notes));
}

/* The keys of the presentation work in the speaker's window, too. */
static void
notes_cb (GtkWidget *widget, const char *name, GVariant *parameter)
{
  NormscopePresenter *self = NORMSCOPE_PRESENTER (widget);
  GtkWindow *window = GTK_WINDOW (gtk_widget_get_root (widget));

  if (!self->with_lecture)
    return;
  if (self->notes != NULL)
    {
      close_notes (self);
      return;
    }
  g_set_weak_pointer (&self->notes, normscope_presenter_notes_new (self->lecture, self->engine, self->started_at));
  gtk_widget_add_controller (self->notes, normscope_presenter_new_keys (self));
  gtk_window_set_transient_for (GTK_WINDOW (self->notes), window);
  normscope_presenter_notes_present (NORMSCOPE_PRESENTER_NOTES (self->notes), window);
}

void
normscope_presenter_begin_lecture (NormscopePresenter *self)
{
  self->started_at = g_get_monotonic_time ();
  normscope_session_begin_presentation (self->session);
  self->aside = NORMSCOPE_ASIDE (normscope_aside_new ());
  normscope_stage_set_aside (self->stage, self->aside);
  normscope_lecture_session_go_to (self->lecture, normscope_lecture_session_get_index (self->lecture));
}

void
normscope_presenter_end_lecture (NormscopePresenter *self)
{
  normscope_presenter_end_question (self);
  close_notes (self);
  normscope_stage_set_aside (self->stage, NULL);
  self->aside = NULL;
  self->with_lecture = FALSE;
  if (normscope_lecture_session_get_n_steps (self->lecture) > 0
      && normscope_session_get_document (self->session) == self->document)
    normscope_lecture_session_go_to (self->lecture, normscope_lecture_session_get_index (self->lecture));
  normscope_session_set_wiring_is_subject (self->session, FALSE);
  normscope_session_end_presentation (self->session);
  enable_steps (self);
}

/* ---- actions ---- */

static void
go_to (NormscopePresenter *self, guint index)
{
  if (self->with_lecture)
    normscope_lecture_session_go_to (self->lecture, index);
}

static void
next_cb (GtkWidget *widget, const char *name, GVariant *parameter)
{
  NormscopePresenter *self = NORMSCOPE_PRESENTER (widget);

  if (self->with_lecture)
    normscope_lecture_session_go_next (self->lecture);
}

static void
previous_cb (GtkWidget *widget, const char *name, GVariant *parameter)
{
  NormscopePresenter *self = NORMSCOPE_PRESENTER (widget);

  if (self->with_lecture)
    normscope_lecture_session_go_previous (self->lecture);
}

static void
first_cb (GtkWidget *widget, const char *name, GVariant *parameter)
{
  go_to (NORMSCOPE_PRESENTER (widget), 0);
}

static void
last_cb (GtkWidget *widget, const char *name, GVariant *parameter)
{
  NormscopePresenter *self = NORMSCOPE_PRESENTER (widget);

  if (self->with_lecture)
    go_to (self, normscope_lecture_session_get_n_steps (self->lecture) - 1);
}

static void
reveal_action_cb (GtkWidget *widget, const char *name, GVariant *parameter)
{
  normscope_presenter_reveal (NORMSCOPE_PRESENTER (widget));
}

void
normscope_presenter_install_steps (GtkWidgetClass *widget_class)
{
  gtk_widget_class_install_action (widget_class, "present.next", NULL, next_cb);
  gtk_widget_class_install_action (widget_class, "present.previous", NULL, previous_cb);
  gtk_widget_class_install_action (widget_class, "present.first", NULL, first_cb);
  gtk_widget_class_install_action (widget_class, "present.last", NULL, last_cb);
  gtk_widget_class_install_action (widget_class, "present.reveal", NULL, reveal_action_cb);
  gtk_widget_class_install_action (widget_class, "present.notes", NULL, notes_cb);
}
