/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/lecture/normscope-lecture-reader.h"

#include <glib/gi18n-lib.h>

#include "app/lecture/normscope-lecture-text.h"
#include "app/lecture/normscope-presenter-private.h"

struct _NormscopeLectureReader
{
  GtkBox parent_instance;

  NormscopeLectureSession *lecture;
  NormscopePresenter *presenter; /* borrowed: the reader is in it */
  GtkLabel *title, *position;
  GtkScrolledWindow *scrolled;
  GtkBox *body, *asked; /* the step's title and text, and its question */
  GtkWidget *card; /* below it while the question is asked, or NULL */
  GtkWidget *ask;  /* in place of the card */
  GtkWidget *back, *next;
};

G_DEFINE_FINAL_TYPE (NormscopeLectureReader, normscope_lecture_reader, GTK_TYPE_BOX)

/* ---- the question ---- */

static void
offer_question (NormscopeLectureReader *self)
{
  const NsLectureStep *step = normscope_lecture_session_get_step (self->lecture);

  gtk_widget_set_visible (self->ask, self->card == NULL && step != NULL && step->question != NULL
                                         && step->question->kind != NS_QUESTION_NONE);
}

static void
forget_card (NormscopeLectureReader *self)
{
  if (self->card == NULL)
    return;
  /* A presentation may have asked the next question already. */
  if (GTK_WIDGET (self->presenter->asked.card) == self->card)
    normscope_presenter_end_question (self->presenter);
  normscope_presenter_take_focus_out (self->presenter, self->card);
  gtk_box_remove (self->asked, self->card);
  self->card = NULL;
  offer_question (self);
}

static void
ask_alone (NormscopeLectureReader *self)
{
  const NsLectureStep *step = normscope_lecture_session_get_step (self->lecture);

  forget_card (self);
  if (step == NULL || !gtk_widget_get_mapped (GTK_WIDGET (self))
      || normscope_presenter_get_presenting (self->presenter))
    return;
  self->card = normscope_presenter_ask (self->presenter, step);
  if (self->card == NULL)
    return;
  normscope_question_card_set_alone (NORMSCOPE_QUESTION_CARD (self->card));
  gtk_box_append (self->asked, self->card);
  offer_question (self);
}

static void
replaced_cb (NormscopeLectureReader *self, guint change)
{
  if ((change & NORMSCOPE_CHANGED_REPLACED) != 0)
    forget_card (self);
}

/* ---- the step ---- */

static GtkWidget *
reader_label_new (const char *text, const char *css_class)
{
  GtkWidget *label = gtk_label_new (text);

  gtk_label_set_wrap (GTK_LABEL (label), TRUE);
  gtk_label_set_wrap_mode (GTK_LABEL (label), PANGO_WRAP_WORD_CHAR);
  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_widget_add_css_class (label, css_class);
  return label;
}

/* Offer the steps that there are. The focus stays in the reader, where Page Up and Page Down work: at an end it goes
 * from the one button to the other. */
static void
enable_buttons (NormscopeLectureReader *self, guint index, guint n)
{
  gboolean had_focus = gtk_widget_has_focus (self->back) || gtk_widget_has_focus (self->next);

  gtk_widget_action_set_enabled (GTK_WIDGET (self), "reader.back", index > 0);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "reader.next", index + 1 < n);
  if (had_focus && !gtk_widget_has_focus (self->back) && !gtk_widget_has_focus (self->next))
    gtk_widget_grab_focus (index > 0 ? self->back : self->next);
}

static void
refresh_reader (NormscopeLectureReader *self)
{
  const NsLecture *lecture = normscope_lecture_session_get_lecture (self->lecture);
  const NsLectureStep *step = normscope_lecture_session_get_step (self->lecture);
  guint index = normscope_lecture_session_get_index (self->lecture);
  guint n = normscope_lecture_session_get_n_steps (self->lecture);
  g_autofree char *position = g_strdup_printf (_ ("Step %u of %u"), index + 1, n), *plain = NULL;
  GtkWidget *child;

  forget_card (self);
  while ((child = gtk_widget_get_first_child (GTK_WIDGET (self->body))) != NULL)
    gtk_box_remove (self->body, child);
  enable_buttons (self, index, n);
  gtk_label_set_label (self->title, lecture != NULL ? lecture->title : "");
  gtk_label_set_label (self->position, n > 0 ? position : "");
  offer_question (self);
  if (step == NULL)
    return;
  gtk_box_append (self->body, reader_label_new (step->title, "title-2"));
  if (*step->text != '\0')
    gtk_box_append (self->body, normscope_lecture_text_new (step->text));
  gtk_adjustment_set_value (gtk_scrolled_window_get_vadjustment (self->scrolled), 0);
  plain = normscope_lecture_text_dup_plain (step->text);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL, step->title,
                                  GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, plain, -1);
}

static void
reader_changed_cb (NormscopeLectureReader *self, guint change)
{
  if (gtk_widget_get_mapped (GTK_WIDGET (self)) && (change & ~(guint) NORMSCOPE_LECTURE_CHANGED_FILE) != 0)
    refresh_reader (self);
}

static void
normscope_lecture_reader_map (GtkWidget *widget)
{
  NormscopeLectureReader *self = NORMSCOPE_LECTURE_READER (widget);

  GTK_WIDGET_CLASS (normscope_lecture_reader_parent_class)->map (widget);
  refresh_reader (self);
  gtk_widget_grab_focus (gtk_widget_is_sensitive (self->next) ? self->next : self->back);
}

static void
normscope_lecture_reader_unmap (GtkWidget *widget)
{
  forget_card (NORMSCOPE_LECTURE_READER (widget));
  GTK_WIDGET_CLASS (normscope_lecture_reader_parent_class)->unmap (widget);
}

/* ---- actions ---- */

static void
back_cb (GtkWidget *widget, const char *name, GVariant *parameter)
{
  normscope_lecture_session_go_previous (NORMSCOPE_LECTURE_READER (widget)->lecture);
}

static void
next_step_cb (GtkWidget *widget, const char *name, GVariant *parameter)
{
  normscope_lecture_session_go_next (NORMSCOPE_LECTURE_READER (widget)->lecture);
}

static void
again_cb (GtkWidget *widget, const char *name, GVariant *parameter)
{
  NormscopeLectureSession *lecture = NORMSCOPE_LECTURE_READER (widget)->lecture;

  normscope_lecture_session_go_to (lecture, normscope_lecture_session_get_index (lecture));
}

static void
ask_cb (GtkWidget *widget, const char *name, GVariant *parameter)
{
  ask_alone (NORMSCOPE_LECTURE_READER (widget));
}

/* ---- the object ---- */

static void
normscope_lecture_reader_finalize (GObject *object)
{
  g_clear_object (&NORMSCOPE_LECTURE_READER (object)->lecture);
  G_OBJECT_CLASS (normscope_lecture_reader_parent_class)->finalize (object);
}

static void
normscope_lecture_reader_class_init (NormscopeLectureReaderClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = normscope_lecture_reader_finalize;
  widget_class->map = normscope_lecture_reader_map;
  widget_class->unmap = normscope_lecture_reader_unmap;
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_REGION);
  gtk_widget_class_install_action (widget_class, "reader.back", NULL, back_cb);
  gtk_widget_class_install_action (widget_class, "reader.next", NULL, next_step_cb);
  gtk_widget_class_install_action (widget_class, "reader.again", NULL, again_cb);
  gtk_widget_class_install_action (widget_class, "reader.ask", NULL, ask_cb);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_Page_Up, 0, "reader.back", NULL);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_Page_Down, 0, "reader.next", NULL);
}

static GtkWidget *
add_reader_button (GtkBox *box, GtkWidget *button, const char *action, const char *tooltip)
{
  gtk_actionable_set_detailed_action_name (GTK_ACTIONABLE (button), action);
  gtk_widget_set_tooltip_text (button, tooltip);
  if (gtk_button_get_icon_name (GTK_BUTTON (button)) != NULL)
    {
      gtk_accessible_update_property (GTK_ACCESSIBLE (button), GTK_ACCESSIBLE_PROPERTY_LABEL, tooltip, -1);
      gtk_widget_add_css_class (button, "flat");
    }
  gtk_box_append (box, button);
  return button;
}

static void
add_head (NormscopeLectureReader *self)
{
  GtkBox *head = GTK_BOX (gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6));
  GtkBox *line = GTK_BOX (gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6));

  self->title = GTK_LABEL (reader_label_new (NULL, "heading"));
  gtk_widget_set_hexpand (GTK_WIDGET (self->title), TRUE);
  gtk_box_append (head, GTK_WIDGET (self->title));
  add_reader_button (head, gtk_button_new_with_mnemonic (_ ("_Edit")), "win.lecture-panel::editor",
                     _ ("Edit the lecture"));
  add_reader_button (head, gtk_button_new_from_icon_name ("window-close-symbolic"), "win.close-lecture",
                     _ ("Close the lecture"));
  self->position = GTK_LABEL (reader_label_new (NULL, "dim-label"));
  gtk_widget_set_hexpand (GTK_WIDGET (self->position), TRUE);
  gtk_box_append (line, GTK_WIDGET (self->position));
  add_reader_button (line, gtk_button_new_from_icon_name ("view-refresh-symbolic"), "reader.again",
                     _ ("Show the step again, without your changes"));
  gtk_box_append (GTK_BOX (self), GTK_WIDGET (head));
  gtk_box_append (GTK_BOX (self), GTK_WIDGET (line));
}

static void
add_foot (NormscopeLectureReader *self)
{
  GtkBox *steps = GTK_BOX (gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6));
  GtkWidget *present = gtk_button_new_with_mnemonic (_ ("_Present (F5)"));

  gtk_box_set_homogeneous (steps, TRUE);
  self->back = add_reader_button (steps, gtk_button_new_with_mnemonic (_ ("_Back")), "reader.back",
                                  _ ("Previous step (Page Up)"));
  self->next = add_reader_button (steps, gtk_button_new_with_mnemonic (_ ("_Next")), "reader.next",
                                  _ ("Next step (Page Down)"));
  gtk_box_append (GTK_BOX (self), GTK_WIDGET (steps));
  gtk_widget_add_css_class (present, "suggested-action");
  gtk_widget_add_css_class (present, "present");
  add_reader_button (GTK_BOX (self), present, "win.present", _ ("Present the lecture from this step on"));
}

static void
normscope_lecture_reader_init (NormscopeLectureReader *self)
{
  gtk_orientable_set_orientation (GTK_ORIENTABLE (self), GTK_ORIENTATION_VERTICAL);
  gtk_box_set_spacing (GTK_BOX (self), 6);
  gtk_widget_add_css_class (GTK_WIDGET (self), "background");
  gtk_widget_add_css_class (GTK_WIDGET (self), "lecture-panel");
  add_head (self);
  self->body = GTK_BOX (gtk_box_new (GTK_ORIENTATION_VERTICAL, 12));
  self->asked = GTK_BOX (gtk_box_new (GTK_ORIENTATION_VERTICAL, 12));
  gtk_widget_add_css_class (GTK_WIDGET (self->asked), "body");
  gtk_box_append (self->asked, GTK_WIDGET (self->body));
  self->ask = add_reader_button (self->asked, gtk_button_new_with_mnemonic (_ ("Ask the _Question")), "reader.ask",
                                 _ ("Hide the values and ask the question of this step"));
  self->scrolled = GTK_SCROLLED_WINDOW (gtk_scrolled_window_new ());
  gtk_scrolled_window_set_child (self->scrolled, GTK_WIDGET (self->asked));
  /* The bar stays in view, so that a long step says that it goes on. */
  gtk_scrolled_window_set_overlay_scrolling (self->scrolled, FALSE);
  gtk_scrolled_window_set_policy (self->scrolled, GTK_POLICY_NEVER, GTK_POLICY_AUTOMATIC);
  gtk_widget_set_vexpand (GTK_WIDGET (self->scrolled), TRUE);
  gtk_box_append (GTK_BOX (self), GTK_WIDGET (self->scrolled));
  add_foot (self);
}

GtkWidget *
normscope_lecture_reader_new (NormscopeLectureSession *lecture, NormscopePresenter *presenter,
                              NormscopeSession *session)
{
  NormscopeLectureReader *self = g_object_new (NORMSCOPE_TYPE_LECTURE_READER, NULL);

  self->lecture = g_object_ref (lecture);
  self->presenter = presenter;
  g_signal_connect_object (session, "changed", G_CALLBACK (replaced_cb), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (lecture, "changed", G_CALLBACK (reader_changed_cb), self, G_CONNECT_SWAPPED);
  /* After the window has put the step on the screen. */
  g_signal_connect_object (lecture, "show", G_CALLBACK (ask_alone), self, G_CONNECT_SWAPPED | G_CONNECT_AFTER);
  return GTK_WIDGET (self);
}
