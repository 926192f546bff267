/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/lecture/normscope-step-editor.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "app/lecture/normscope-question-editor.h"
#include "app/shared/normscope-prose.h"
#include "engine/experiment/ns-text.h"

struct _NormscopeStepEditor
{
  GtkBox parent_instance;

  NormscopeLectureSession *lecture;
  GtkEditable *title;
  GtkTextView *text, *notes;
  NormscopeProse *preview;
  GtkLabel *error;
  NormscopeQuestionEditor *question;
  gboolean is_filling;
};

G_DEFINE_FINAL_TYPE (NormscopeStepEditor, normscope_step_editor, GTK_TYPE_BOX)

/* ---- to the lecture ---- */

static char *
dup_text (GtkTextView *view)
{
  GtkTextBuffer *buffer = gtk_text_view_get_buffer (view);
  GtkTextIter start, end;

  gtk_text_buffer_get_bounds (buffer, &start, &end);
  return gtk_text_buffer_get_text (buffer, &start, &end, FALSE);
}

/* Show the text, or why it cannot be typeset; the last text that could be stays. */
static void
preview (NormscopeStepEditor *self, const char *text)
{
  g_autoptr (GError) error = NULL;
  gboolean is_valid = normscope_prose_set_markup (self->preview, text, &error);

  gtk_widget_set_visible (GTK_WIDGET (self->preview), is_valid && *text != '\0');
  gtk_widget_set_visible (GTK_WIDGET (self->error), !is_valid);
  gtk_label_set_label (self->error, is_valid ? "" : error->message);
}

static void
step_edited_cb (NormscopeStepEditor *self, gpointer control)
{
  const NsLectureStep *step = normscope_lecture_session_get_step (self->lecture);
  const char *title = gtk_editable_get_text (self->title);
  g_autofree char *text = dup_text (self->text);
  gboolean has_title = ns_text_is_line (title) && strlen (title) <= NS_LECTURE_MAX_TITLE_BYTES;
  NsLectureStep *copy;

  if (self->is_filling || step == NULL)
    return;
  preview (self, text);
  if (has_title)
    gtk_widget_remove_css_class (GTK_WIDGET (self->title), "error");
  else
    gtk_widget_add_css_class (GTK_WIDGET (self->title), "error");
  copy = ns_lecture_step_copy (step);
  if (has_title)
    {
      g_free (copy->title);
      copy->title = g_strdup (title);
    }
  g_free (copy->text);
  copy->text = g_steal_pointer (&text);
  g_free (copy->notes);
  copy->notes = dup_text (self->notes);
  normscope_lecture_session_commit_step (self->lecture, copy, control);
}

/* ---- from the lecture ---- */

static void
set_text (GtkTextView *view, const char *text)
{
  g_autofree char *shown = dup_text (view);

  if (strcmp (shown, text) != 0)
    gtk_text_buffer_set_text (gtk_text_view_get_buffer (view), text, -1);
}

static void
refresh_editor (NormscopeStepEditor *self, guint change)
{
  const NsLectureStep *step = normscope_lecture_session_get_step (self->lecture);
  gboolean is_other = (change & (NORMSCOPE_LECTURE_CHANGED_INDEX | NORMSCOPE_LECTURE_CHANGED_OPEN)) != 0;

  gtk_widget_set_visible (GTK_WIDGET (self), step != NULL);
  if (step == NULL)
    return;
  self->is_filling = TRUE;
  /* An empty title is being typed; it does not reach the lecture. */
  if ((is_other || !gtk_widget_has_css_class (GTK_WIDGET (self->title), "error"))
      && strcmp (gtk_editable_get_text (self->title), step->title) != 0)
    {
      gtk_editable_set_text (self->title, step->title);
      gtk_widget_remove_css_class (GTK_WIDGET (self->title), "error");
    }
  set_text (self->text, step->text);
  set_text (self->notes, step->notes);
  preview (self, step->text);
  normscope_question_editor_refresh (self->question);
  self->is_filling = FALSE;
}

void
normscope_step_editor_rename (NormscopeStepEditor *self)
{
  g_return_if_fail (NORMSCOPE_IS_STEP_EDITOR (self));
  gtk_widget_grab_focus (GTK_WIDGET (self->title));
  gtk_editable_select_region (self->title, 0, -1);
}

/* ---- the object ---- */

static GtkWidget *
add_heading (NormscopeStepEditor *self, const char *title)
{
  GtkWidget *label = gtk_label_new (title);

  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_widget_add_css_class (label, "heading");
  gtk_box_append (GTK_BOX (self), label);
  return label;
}

static GtkTextView *
add_text (NormscopeStepEditor *self, const char *title, const char *tooltip, int height)
{
  GtkWidget *label = add_heading (self, title);
  GtkWidget *view = gtk_text_view_new ();
  GtkWidget *scrolled = gtk_scrolled_window_new ();

  gtk_text_view_set_wrap_mode (GTK_TEXT_VIEW (view), GTK_WRAP_WORD_CHAR);
  /* Tab leads to the next control. */
  gtk_text_view_set_accepts_tab (GTK_TEXT_VIEW (view), FALSE);
  gtk_widget_set_tooltip_text (view, tooltip);
  gtk_accessible_update_relation (GTK_ACCESSIBLE (view), GTK_ACCESSIBLE_RELATION_LABELLED_BY, label, NULL, -1);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scrolled), view);
  gtk_scrolled_window_set_min_content_height (GTK_SCROLLED_WINDOW (scrolled), height);
  gtk_scrolled_window_set_has_frame (GTK_SCROLLED_WINDOW (scrolled), TRUE);
  gtk_box_append (GTK_BOX (self), scrolled);
  g_signal_connect_object (gtk_text_view_get_buffer (GTK_TEXT_VIEW (view)), "changed", G_CALLBACK (step_edited_cb),
                           self, G_CONNECT_SWAPPED);
  return GTK_TEXT_VIEW (view);
}

static void
normscope_step_editor_finalize (GObject *object)
{
  g_clear_object (&NORMSCOPE_STEP_EDITOR (object)->lecture);
  G_OBJECT_CLASS (normscope_step_editor_parent_class)->finalize (object);
}

static void
normscope_step_editor_class_init (NormscopeStepEditorClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = normscope_step_editor_finalize;
}

static void
normscope_step_editor_init (NormscopeStepEditor *self)
{
  GtkWidget *label;

  gtk_orientable_set_orientation (GTK_ORIENTABLE (self), GTK_ORIENTATION_VERTICAL);
  gtk_box_set_spacing (GTK_BOX (self), 6);
  label = add_heading (self, _ ("Title of the step"));
  self->title = GTK_EDITABLE (gtk_entry_new ());
  gtk_entry_set_max_length (GTK_ENTRY (self->title), 100);
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->title), _ ("Title of the step (F2)"));
  gtk_accessible_update_relation (GTK_ACCESSIBLE (self->title), GTK_ACCESSIBLE_RELATION_LABELLED_BY, label, NULL, -1);
  g_signal_connect_object (self->title, "changed", G_CALLBACK (step_edited_cb), self, G_CONNECT_SWAPPED);
  gtk_box_append (GTK_BOX (self), GTK_WIDGET (self->title));
}

GtkWidget *
normscope_step_editor_new (NormscopeLectureSession *lecture)
{
  NormscopeStepEditor *self = g_object_new (NORMSCOPE_TYPE_STEP_EDITOR, NULL);

  self->lecture = g_object_ref (lecture);
  self->text = add_text (self, _ ("Text"), _ ("Markup: *emphasis*, **strong**, - lists, $formulas$, [words](page)"),
                         90);
  self->error = GTK_LABEL (gtk_label_new (""));
  gtk_label_set_wrap (self->error, TRUE);
  gtk_label_set_xalign (self->error, 0);
  gtk_widget_add_css_class (GTK_WIDGET (self->error), "error");
  gtk_box_append (GTK_BOX (self), GTK_WIDGET (self->error));
  self->preview = NORMSCOPE_PROSE (normscope_prose_new ());
  gtk_box_append (GTK_BOX (self), GTK_WIDGET (self->preview));
  self->notes = add_text (self, _ ("Notes for the speaker"), _ ("The audience does not see them"), 50);
  add_heading (self, _ ("Question"));
  self->question = NORMSCOPE_QUESTION_EDITOR (normscope_question_editor_new (lecture));
  gtk_box_append (GTK_BOX (self), GTK_WIDGET (self->question));
  g_signal_connect_object (lecture, "changed", G_CALLBACK (refresh_editor), self, G_CONNECT_SWAPPED);
  refresh_editor (self, NORMSCOPE_LECTURE_CHANGED_OPEN);
  return GTK_WIDGET (self);
}
