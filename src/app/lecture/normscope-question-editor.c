/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/lecture/normscope-question-editor.h"

#include <glib/gi18n-lib.h>

#include "app/lecture/normscope-test-editor.h"
#include "app/shared/normscope-drop-down.h"
#include "engine/experiment/ns-experiment.h"

struct _NormscopeQuestionEditor
{
  GtkBox parent_instance;

  NormscopeLectureSession *lecture;
  GtkDropDown *kind;
  GtkBox *details;
  GtkEditable *text;
  GPtrArray *texts, *tests; /* of the choices; or the one test of a number or a curve: borrowed widgets */
  NsQuestion *shown;        /* as the widgets have it, or NULL */
  NsLectureStep *step;      /* whose question is shown, or NULL */
  gboolean is_filling;
};

G_DEFINE_FINAL_TYPE (NormscopeQuestionEditor, normscope_question_editor, GTK_TYPE_BOX)

static void fill_question (NormscopeQuestionEditor *self);

/* ---- to the lecture ---- */

/* Return the question of the widgets; caller frees. */
static NsQuestion *
dup_question (NormscopeQuestionEditor *self)
{
  NsQuestion *question;

  if (self->shown == NULL)
    return NULL;
  question = ns_question_copy (self->shown);
  g_free (question->text);
  question->text = g_strdup (gtk_editable_get_text (self->text));
  if (question->kind == NS_QUESTION_CHOICE)
    g_ptr_array_set_size (question->choices, 0);
  for (guint i = 0; i < self->tests->len; i++)
    {
      NsTest *test = normscope_test_editor_dup_test (g_ptr_array_index (self->tests, i));

      if (question->kind == NS_QUESTION_CHOICE)
        {
          ns_question_take_choice (question, gtk_editable_get_text (g_ptr_array_index (self->texts, i)), test);
          continue;
        }
      question->curve = test->of;
      if (question->kind == NS_QUESTION_NUMBER)
        {
          ns_test_free (question->number);
          question->number = g_steal_pointer (&test);
        }
      ns_test_free (test);
    }
  return question;
}

/* Make a question, which is taken, that of the current step. */
static void
commit (NormscopeQuestionEditor *self, NsQuestion *question, gconstpointer control)
{
  const NsLectureStep *step = normscope_lecture_session_get_step (self->lecture);
  NsLectureStep *copy;

  if (step == NULL)
    {
      ns_question_free (question);
      return;
    }
  ns_question_free (self->shown);
  self->shown = ns_question_copy (question);
  copy = ns_lecture_step_copy (step);
  ns_question_free (copy->question);
  copy->question = question;
  normscope_lecture_session_commit_step (self->lecture, copy, control);
}

static void
question_edited_cb (NormscopeQuestionEditor *self, GtkWidget *control)
{
  if (!self->is_filling)
    commit (self, dup_question (self), control);
}

static void
kind_cb (NormscopeQuestionEditor *self)
{
  NsQuestionKind kind = (NsQuestionKind) gtk_drop_down_get_selected (self->kind);
  NsQuestion *question = NULL;

  if (self->is_filling)
    return;
  if (kind != NS_QUESTION_NONE)
    {
      question = ns_question_new (kind);
      if (self->shown != NULL)
        {
          g_free (question->text);
          question->text = g_strdup (self->shown->text);
        }
    }
  commit (self, question, NULL);
  fill_question (self);
}

static void
add_choice_cb (NormscopeQuestionEditor *self)
{
  NsQuestion *question = dup_question (self);

  ns_question_take_choice (question, _ ("None of these"), ns_test_new (NS_TEST_OTHERWISE));
  commit (self, question, NULL);
  fill_question (self);
}

static void
remove_choice_cb (NormscopeQuestionEditor *self, GtkWidget *button)
{
  guint index = GPOINTER_TO_UINT (g_object_get_data (G_OBJECT (button), "choice"));
  NsQuestion *question = dup_question (self);

  g_ptr_array_remove_index (question->choices, index);
  commit (self, question, NULL);
  fill_question (self);
}

/* ---- to the widgets ---- */

static GtkWidget *
add_entry (NormscopeQuestionEditor *self, GtkBox *box, const char *label, const char *text)
{
  GtkWidget *entry = gtk_entry_new ();

  gtk_editable_set_text (GTK_EDITABLE (entry), text);
  gtk_entry_set_placeholder_text (GTK_ENTRY (entry), label);
  gtk_widget_set_hexpand (entry, TRUE);
  gtk_accessible_update_property (GTK_ACCESSIBLE (entry), GTK_ACCESSIBLE_PROPERTY_LABEL, label, -1);
  g_signal_connect_object (entry, "changed", G_CALLBACK (question_edited_cb), self, G_CONNECT_SWAPPED);
  gtk_box_append (box, entry);
  return entry;
}

static void
add_test (NormscopeQuestionEditor *self, NormscopeTestEditorMode mode, const NsTest *test)
{
  GtkWidget *editor = normscope_test_editor_new (mode, test, self->step->experiment);

  g_signal_connect_object (editor, "changed", G_CALLBACK (question_edited_cb), self, G_CONNECT_SWAPPED);
  g_ptr_array_add (self->tests, editor);
  gtk_box_append (self->details, editor);
}

static void
add_choice_row (NormscopeQuestionEditor *self, guint index)
{
  const NsChoice *choice = g_ptr_array_index (self->shown->choices, index);
  GtkBox *row = GTK_BOX (gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6));
  g_autofree char *label = g_strdup_printf (_ ("Choice %u"), index + 1);
  g_autofree char *remove_label = g_strdup_printf (_ ("Remove choice %u"), index + 1);
  GtkWidget *remove = gtk_button_new_from_icon_name ("list-remove-symbolic");

  g_ptr_array_add (self->texts, add_entry (self, row, label, choice->text));
  gtk_widget_set_tooltip_text (remove, remove_label);
  gtk_accessible_update_property (GTK_ACCESSIBLE (remove), GTK_ACCESSIBLE_PROPERTY_LABEL, remove_label, -1);
  gtk_widget_set_sensitive (remove, self->shown->choices->len > 2);
  g_object_set_data (G_OBJECT (remove), "choice", GUINT_TO_POINTER (index));
  g_signal_connect_object (remove, "clicked", G_CALLBACK (remove_choice_cb), self, G_CONNECT_SWAPPED);
  gtk_box_append (row, remove);
  gtk_box_append (self->details, GTK_WIDGET (row));
  add_test (self, NORMSCOPE_TEST_EDITOR_TEST, choice->test);
}

static void
add_details (NormscopeQuestionEditor *self)
{
  self->text = GTK_EDITABLE (add_entry (self, self->details, _ ("Question"), self->shown->text));
  if (self->shown->kind == NS_QUESTION_NUMBER)
    add_test (self, NORMSCOPE_TEST_EDITOR_NUMBER, self->shown->number);
  else if (self->shown->kind == NS_QUESTION_SKETCH)
    {
      g_autoptr (NsTest) curve = ns_test_new (NS_TEST_TREND);

      curve->of = self->shown->curve;
      add_test (self, NORMSCOPE_TEST_EDITOR_CURVE, curve);
    }
  for (guint i = 0; i < self->shown->choices->len; i++)
    add_choice_row (self, i);
  if (self->shown->kind == NS_QUESTION_CHOICE)
    {
      GtkWidget *add = gtk_button_new_with_mnemonic (_ ("Add _Choice"));

      gtk_widget_set_sensitive (add, self->shown->choices->len < NS_QUESTION_MAX_CHOICES);
      g_signal_connect_object (add, "clicked", G_CALLBACK (add_choice_cb), self, G_CONNECT_SWAPPED);
      gtk_box_append (self->details, add);
    }
}

static void
fill_question (NormscopeQuestionEditor *self)
{
  const NsLectureStep *step = normscope_lecture_session_get_step (self->lecture);
  GtkWidget *child;

  self->is_filling = TRUE;
  g_clear_pointer (&self->step, ns_lecture_step_unref);
  g_clear_pointer (&self->shown, ns_question_free);
  g_ptr_array_set_size (self->texts, 0);
  g_ptr_array_set_size (self->tests, 0);
  self->text = NULL;
  while ((child = gtk_widget_get_first_child (GTK_WIDGET (self->details))) != NULL)
    gtk_box_remove (self->details, child);
  if (step != NULL)
    {
      self->step = ns_lecture_step_ref ((NsLectureStep *) step);
      self->shown = ns_question_copy (step->question);
    }
  gtk_drop_down_set_selected (self->kind, self->shown != NULL ? self->shown->kind : NS_QUESTION_NONE);
  if (self->shown != NULL)
    add_details (self);
  self->is_filling = FALSE;
}

void
normscope_question_editor_refresh (NormscopeQuestionEditor *self)
{
  const NsLectureStep *step;

  g_return_if_fail (NORMSCOPE_IS_QUESTION_EDITOR (self));
  step = normscope_lecture_session_get_step (self->lecture);
  if (step != NULL && self->step != NULL && ns_question_equal (step->question, self->shown)
      && ns_experiment_equal (step->experiment, self->step->experiment))
    return;
  fill_question (self);
}

static void
normscope_question_editor_finalize (GObject *object)
{
  NormscopeQuestionEditor *self = NORMSCOPE_QUESTION_EDITOR (object);

  g_clear_object (&self->lecture);
  g_clear_pointer (&self->step, ns_lecture_step_unref);
  g_clear_pointer (&self->shown, ns_question_free);
  g_ptr_array_unref (self->texts);
  g_ptr_array_unref (self->tests);
  G_OBJECT_CLASS (normscope_question_editor_parent_class)->finalize (object);
}

static void
normscope_question_editor_class_init (NormscopeQuestionEditorClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = normscope_question_editor_finalize;
}

static void
normscope_question_editor_init (NormscopeQuestionEditor *self)
{
  const char *const kinds[] = { _ ("No question"), _ ("Choice"), _ ("Number"), _ ("Sketch of a curve"), NULL };

  gtk_orientable_set_orientation (GTK_ORIENTABLE (self), GTK_ORIENTATION_VERTICAL);
  gtk_box_set_spacing (GTK_BOX (self), 6);
  self->texts = g_ptr_array_new ();
  self->tests = g_ptr_array_new ();
  self->kind = GTK_DROP_DOWN (gtk_drop_down_new_from_strings (kinds));
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->kind), GTK_ACCESSIBLE_PROPERTY_LABEL, _ ("Kind of question"),
                                  -1);
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->kind), _ ("Kind of question"));
  normscope_drop_down_set_narrow (self->kind);
  g_signal_connect_object (self->kind, "notify::selected", G_CALLBACK (kind_cb), self, G_CONNECT_SWAPPED);
  gtk_box_append (GTK_BOX (self), GTK_WIDGET (self->kind));
  self->details = GTK_BOX (gtk_box_new (GTK_ORIENTATION_VERTICAL, 6));
  gtk_box_append (GTK_BOX (self), GTK_WIDGET (self->details));
}

GtkWidget *
normscope_question_editor_new (NormscopeLectureSession *lecture)
{
  NormscopeQuestionEditor *self = g_object_new (NORMSCOPE_TYPE_QUESTION_EDITOR, NULL);

  self->lecture = g_object_ref (lecture);
  fill_question (self);
  return GTK_WIDGET (self);
}
