/* The window's lecture: its panel, its document, and steps that are captured from the screen and shown on it.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/window/normscope-window-private.h"

#include <glib/gi18n-lib.h>

#include "app/lecture/normscope-lecture-panel.h"
#include "app/lecture/normscope-lecture-reader.h"
#include "app/lecture/normscope-lecture-scene.h"
#include "app/shared/normscope-flap.h"

/* Width of the panel. */
#define PANEL_PX 330

NormscopeLectureSession *
normscope_window_get_lecture (NormscopeWindow *self)
{
  g_return_val_if_fail (NORMSCOPE_IS_WINDOW (self), NULL);
  return self->lecture;
}

/* Return the figure of the visible view. */
static NsFigureKind
get_figure (NormscopeWindow *self)
{
  const char *name = adw_view_stack_get_visible_child_name (self->views);

  if (adw_view_stack_get_visible_child (self->views) == GTK_WIDGET (self->paths_view))
    return normscope_session_get_paths (self->session)->figure;
  if (adw_view_stack_get_visible_child (self->views) == GTK_WIDGET (self->training_view))
    return normscope_session_get_training (self->session)->figure;
  for (NsFigureKind kind = 0; kind < NS_N_FIGURES; kind++)
    if (g_strcmp0 (ns_figure_info (kind)->view, name) == 0)
      return kind;
  return NS_FIGURE_FLOW;
}

/* Put the current step of the lecture on the screen. */
static void
show_step_cb (NormscopeWindow *self)
{
  const NsLectureStep *step = normscope_lecture_session_get_step (self->lecture);
  const char *view = ns_figure_info (step->view.figure)->view;
  NormscopeScene scene;

  normscope_lecture_get_scene (step, self->session, &scene);
  normscope_files_show_scene (self->files, &scene, step->title);
  if (view != NULL)
    adw_view_stack_set_visible_child_name (self->views, view);
}

/* ---- capturing ---- */

static NsLectureStep *
capture (NormscopeWindow *self, const char *title)
{
  g_autoptr (GError) error = NULL;
  NsLectureStep *step = normscope_lecture_capture (self->session, get_figure (self), title, &error);

  if (step == NULL)
    normscope_window_show_message (self, error->message);
  return step;
}

/* Without a lecture, begin one. */
static void
add_step_cb (GtkWidget *widget, const char *name, GVariant *parameter)
{
  NormscopeWindow *self = NORMSCOPE_WINDOW (widget);
  guint n = normscope_lecture_session_get_n_steps (self->lecture);
  guint index = n > 0 ? normscope_lecture_session_get_index (self->lecture) + 1 : 0;
  g_autofree char *title = g_strdup_printf (_ ("Step %u"), n + 1);
  NsLectureStep *step;
  NsLecture *lecture;

  if (n >= NS_LECTURE_MAX_STEPS || (step = capture (self, title)) == NULL)
    return;
  if (!normscope_lecture_session_is_open (self->lecture))
    gtk_widget_activate_action (widget, "win.new-lecture", NULL);
  lecture = ns_lecture_copy (normscope_lecture_session_get_lecture (self->lecture));
  ns_lecture_take_step (lecture, index, step);
  normscope_lecture_session_commit (self->lecture, lecture, index, NULL);
}

/* Keep title, texts and question; the question must fit the experiment. */
static void
update_step_cb (GtkWidget *widget, const char *name, GVariant *parameter)
{
  NormscopeWindow *self = NORMSCOPE_WINDOW (widget);
  const NsLectureStep *old = normscope_lecture_session_get_step (self->lecture);
  g_autoptr (NsLectureStep) step = NULL;
  g_autoptr (GError) error = NULL;

  if (old == NULL || (step = capture (self, old->title)) == NULL)
    return;
  g_free (step->text);
  step->text = g_strdup (old->text);
  g_free (step->notes);
  step->notes = g_strdup (old->notes);
  step->question = ns_question_copy (old->question);
  if (!ns_question_validate (step->question, step->experiment, &error))
    {
      g_autofree char *message
          = g_strdup_printf (_ ("Not updated: the question does not fit this experiment: %s"), error->message);

      normscope_window_show_message (self, message);
      return;
    }
  normscope_lecture_session_commit_step (self->lecture, g_steal_pointer (&step), NULL);
}

/* ---- the panel ---- */

static void
lecture_cb (NormscopeWindow *self, guint change)
{
  gboolean is_open = normscope_lecture_session_is_open (self->lecture);

  gtk_widget_action_set_enabled (GTK_WIDGET (self), "win.update-step",
                                 normscope_lecture_session_get_step (self->lecture) != NULL);
  normscope_window_enable_undo (self);
  if ((change & NORMSCOPE_LECTURE_CHANGED_OPEN) == 0)
    return;
  /* There is nothing to read in a new one. */
  gtk_stack_set_visible_child_name (self->lecture_panel,
                                    normscope_lecture_session_get_n_steps (self->lecture) > 0 ? "reader" : "editor");
  adw_flap_set_reveal_flap (self->lecture_flap, is_open);
}

/* Put the panel to the right of what the window shows. */
static void
add_panel (NormscopeWindow *self)
{
  g_autoptr (GtkWidget) content = g_object_ref (adw_flap_get_content (self->flap));
  g_autoptr (GPropertyAction) show = NULL;
  g_autoptr (GPropertyAction) choose = NULL;
  AdwFlap *flap = ADW_FLAP (adw_flap_new ());
  GtkWidget *clamp = adw_clamp_new ();

  adw_flap_set_content (self->flap, NULL);
  adw_flap_set_flap_position (flap, GTK_PACK_END);
  /* Long titles would widen it, and it would cover the plots. */
  adw_clamp_set_maximum_size (ADW_CLAMP (clamp), PANEL_PX);
  self->lecture_panel = GTK_STACK (gtk_stack_new ());
  gtk_stack_add_named (self->lecture_panel,
                       normscope_lecture_reader_new (self->lecture, self->presenter, self->session), "reader");
  gtk_stack_add_named (self->lecture_panel, normscope_lecture_panel_new (self->lecture), "editor");
  adw_clamp_set_child (ADW_CLAMP (clamp), GTK_WIDGET (self->lecture_panel));
  gtk_widget_set_hexpand (clamp, FALSE);
  adw_flap_set_flap (flap, clamp);
  adw_flap_set_fold_policy (flap, ADW_FLAP_FOLD_POLICY_NEVER);
  adw_flap_set_separator (flap, gtk_separator_new (GTK_ORIENTATION_VERTICAL));
  adw_flap_set_content (flap, content);
  adw_flap_set_reveal_flap (flap, FALSE);
  adw_flap_set_locked (flap, TRUE);
  gtk_widget_set_hexpand (GTK_WIDGET (flap), TRUE);
  adw_flap_set_content (self->flap, GTK_WIDGET (flap));
  self->lecture_flap = flap;
  normscope_flap_set_up (flap);
  show = g_property_action_new ("show-lecture", flap, "reveal-flap");
  g_action_map_add_action (G_ACTION_MAP (self), G_ACTION (show));
  choose = g_property_action_new ("lecture-panel", self->lecture_panel, "visible-child-name");
  g_action_map_add_action (G_ACTION_MAP (self), G_ACTION (choose));
}

/* The panel gives way to the presentation and comes back after it. */
static void
lecture_presenting_cb (NormscopeWindow *self)
{
  gboolean presenting = normscope_presenter_get_presenting (self->presenter);

  if (presenting)
    self->had_panel = adw_flap_get_reveal_flap (self->lecture_flap);
  adw_flap_set_reveal_flap (self->lecture_flap, !presenting && self->had_panel);
}

void
normscope_window_bind_lecture (NormscopeWindow *self)
{
  self->lecture = normscope_lecture_session_new ();
  self->lecture_files = normscope_lecture_files_new (GTK_APPLICATION_WINDOW (self), self->lecture);
  self->lecture_ahead = normscope_lecture_ahead_new (self->lecture, self->engine);
  add_panel (self);
  g_signal_connect_object (self->lecture, "show", G_CALLBACK (show_step_cb), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->lecture, "changed", G_CALLBACK (lecture_cb), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->presenter, "notify::presenting", G_CALLBACK (lecture_presenting_cb), self,
                           G_CONNECT_SWAPPED);
  lecture_cb (self, NORMSCOPE_LECTURE_CHANGED_OPEN);
}

void
normscope_window_clear_lecture (NormscopeWindow *self)
{
  g_action_map_remove_action (G_ACTION_MAP (self), "show-lecture");
  g_clear_pointer (&self->lecture_ahead, normscope_lecture_ahead_free);
  g_action_map_remove_action (G_ACTION_MAP (self), "lecture-panel");
  g_clear_object (&self->lecture_files);
  g_clear_object (&self->lecture);
}

gboolean
normscope_window_lecture_has_focus (NormscopeWindow *self)
{
  GtkWidget *focus = gtk_window_get_focus (GTK_WINDOW (self));

  return focus != NULL && gtk_widget_get_ancestor (focus, NORMSCOPE_TYPE_LECTURE_PANEL) != NULL;
}

void
normscope_window_install_lecture (GtkWidgetClass *widget_class)
{
  gtk_widget_class_install_action (widget_class, "win.add-step", NULL, add_step_cb);
  gtk_widget_class_install_action (widget_class, "win.update-step", NULL, update_step_cb);
}
