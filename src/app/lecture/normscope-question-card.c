/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/lecture/normscope-question-card.h"

#include <glib/gi18n-lib.h>
#include <math.h>

#include "app/lecture/normscope-lecture-text.h"

typedef struct
{
  guint votes;
  GtkWidget *button, *mark;
  GtkLabel *count;
  GtkLevelBar *bar;
  char *text; /* plain, for its accessible name */
} Choice;

struct _NormscopeQuestionCard
{
  AdwBin parent_instance;

  NsQuestion *question;
  GtkBox *box;
  Choice choices[NS_QUESTION_MAX_CHOICES];
  guint n_choices;
  GtkWidget *guess, *reveal; /* guess is NULL unless a number is asked */
  GtkLabel *answer;
  GtkProgressBar *progress;
  gboolean revealed, is_alone;
};

G_DEFINE_FINAL_TYPE (NormscopeQuestionCard, normscope_question_card, ADW_TYPE_BIN)

/* ---- hands ---- */

static void
describe_choice (NormscopeQuestionCard *self, guint c, gboolean is_right)
{
  Choice *choice = &self->choices[c];
  g_autofree char *hands = self->is_alone
                               ? g_strdup (choice->votes > 0 ? _ ("chosen") : _ ("not chosen"))
                               : g_strdup_printf (ngettext ("%u hand", "%u hands", choice->votes), choice->votes);
  g_autofree char *name = g_strdup_printf ("%u: %s, %s%s%s", c + 1, choice->text, hands, is_right ? ", " : "",
                                           is_right ? _ ("right") : "");

  gtk_accessible_update_property (GTK_ACCESSIBLE (choice->button), GTK_ACCESSIBLE_PROPERTY_LABEL, name, -1);
}

static void
show_votes (NormscopeQuestionCard *self)
{
  guint total = 0;

  for (guint c = 0; c < self->n_choices; c++)
    total += self->choices[c].votes;
  for (guint c = 0; c < self->n_choices; c++)
    {
      Choice *choice = &self->choices[c];
      g_autofree char *count = g_strdup_printf ("%u", choice->votes);

      gtk_label_set_label (choice->count, count);
      if (self->is_alone && choice->votes > 0)
        gtk_widget_add_css_class (choice->button, "chosen");
      else
        gtk_widget_remove_css_class (choice->button, "chosen");
      gtk_widget_set_visible (GTK_WIDGET (choice->count), total > 0 && !self->is_alone);
      gtk_widget_set_visible (GTK_WIDGET (choice->bar), total > 0 && !self->is_alone);
      gtk_level_bar_set_value (choice->bar, total > 0 ? (double) choice->votes / total : 0);
      describe_choice (self, c, gtk_widget_get_visible (choice->mark));
    }
}

void
normscope_question_card_set_alone (NormscopeQuestionCard *self)
{
  g_return_if_fail (NORMSCOPE_IS_QUESTION_CARD (self));
  self->is_alone = TRUE;
  for (guint c = 0; c < self->n_choices; c++)
    gtk_widget_set_tooltip_text (self->choices[c].button, _ ("Choose this answer"));
  show_votes (self);
}

gboolean
normscope_question_card_is_alone (NormscopeQuestionCard *self)
{
  g_return_val_if_fail (NORMSCOPE_IS_QUESTION_CARD (self), FALSE);
  return self->is_alone;
}

void
normscope_question_card_vote (NormscopeQuestionCard *self, guint choice, gboolean take_back)
{
  guint *votes;

  g_return_if_fail (NORMSCOPE_IS_QUESTION_CARD (self));
  if (choice >= self->n_choices || (self->is_alone && self->revealed))
    return;
  for (guint c = 0; self->is_alone && c < self->n_choices; c++)
    self->choices[c].votes = 0;
  votes = &self->choices[choice].votes;
  if (!take_back)
    (*votes)++;
  else if (*votes > 0)
    (*votes)--;
  show_votes (self);
}

guint
normscope_question_card_get_votes (NormscopeQuestionCard *self, guint choice)
{
  g_return_val_if_fail (NORMSCOPE_IS_QUESTION_CARD (self), 0);
  return choice < self->n_choices ? self->choices[choice].votes : 0;
}

static void
clicked_cb (NormscopeQuestionCard *self, GtkWidget *button)
{
  GdkDevice *device = gdk_seat_get_keyboard (gdk_display_get_default_seat (gtk_widget_get_display (button)));
  gboolean shift = device != NULL && (gdk_device_get_modifier_state (device) & GDK_SHIFT_MASK) != 0;

  for (guint c = 0; c < self->n_choices; c++)
    if (self->choices[c].button == button)
      normscope_question_card_vote (self, c, shift);
}

/* ---- answers ---- */

gboolean
normscope_question_card_get_guess (NormscopeQuestionCard *self, double *guess)
{
  g_autofree char *text = NULL;
  char *end;

  g_return_val_if_fail (NORMSCOPE_IS_QUESTION_CARD (self), FALSE);
  if (self->guess == NULL)
    return FALSE;
  text = g_strdelimit (g_strdup (gtk_editable_get_text (GTK_EDITABLE (self->guess))), ",", '.');
  *guess = g_ascii_strtod (g_strstrip (text), &end);
  return end != text && *end == '\0' && isfinite (*guess);
}

void
normscope_question_card_take_hands (NormscopeQuestionCard *self, NormscopeQuestionCard *from)
{
  g_return_if_fail (NORMSCOPE_IS_QUESTION_CARD (self) && NORMSCOPE_IS_QUESTION_CARD (from));
  for (guint c = 0; c < self->n_choices; c++)
    self->choices[c].votes = normscope_question_card_get_votes (from, c);
  if (self->guess != NULL && from->guess != NULL)
    gtk_editable_set_text (GTK_EDITABLE (self->guess), gtk_editable_get_text (GTK_EDITABLE (from->guess)));
  show_votes (self);
}

static void
say (NormscopeQuestionCard *self, const char *text)
{
  gtk_label_set_label (self->answer, text);
  gtk_widget_set_visible (GTK_WIDGET (self->answer), TRUE);
}

void
normscope_question_card_set_progress (NormscopeQuestionCard *self, double fraction)
{
  g_return_if_fail (NORMSCOPE_IS_QUESTION_CARD (self));
  gtk_widget_set_sensitive (self->reveal, FALSE);
  gtk_widget_set_visible (GTK_WIDGET (self->progress), !isnan (fraction));
  if (!isnan (fraction))
    gtk_progress_bar_set_fraction (self->progress, CLAMP (fraction, 0, 1));
  say (self, isnan (fraction) ? _ ("Training…") : _ ("Measuring…"));
}

static void
end_question (NormscopeQuestionCard *self)
{
  self->revealed = TRUE;
  gtk_widget_set_visible (self->reveal, FALSE);
  gtk_widget_set_visible (GTK_WIDGET (self->progress), FALSE);
  if (self->guess != NULL)
    gtk_editable_set_editable (GTK_EDITABLE (self->guess), FALSE);
}

void
normscope_question_card_reveal (NormscopeQuestionCard *self, guint64 right, const char *words)
{
  g_return_if_fail (NORMSCOPE_IS_QUESTION_CARD (self));
  end_question (self);
  for (guint c = 0; c < self->n_choices; c++)
    {
      gboolean is_right = (right >> c & 1) != 0;

      gtk_widget_set_visible (self->choices[c].mark, is_right);
      if (is_right)
        gtk_widget_add_css_class (self->choices[c].button, "right");
      describe_choice (self, c, is_right);
    }
  say (self, words);
}

void
normscope_question_card_fail (NormscopeQuestionCard *self, const char *message)
{
  g_return_if_fail (NORMSCOPE_IS_QUESTION_CARD (self));
  end_question (self);
  say (self, message);
}

/* ---- construction ---- */

static GtkWidget *
make_label (const char *text, const char *css_class)
{
  GtkWidget *label = gtk_label_new (text);

  gtk_label_set_wrap (GTK_LABEL (label), TRUE);
  gtk_label_set_wrap_mode (GTK_LABEL (label), PANGO_WRAP_WORD_CHAR);
  gtk_label_set_xalign (GTK_LABEL (label), 0);
  if (css_class != NULL)
    gtk_widget_add_css_class (label, css_class);
  return label;
}

static void
add_answer (NormscopeQuestionCard *self, guint c, const NsChoice *from)
{
  Choice *choice = &self->choices[c];
  GtkWidget *line = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 8), *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 2);
  GtkWidget *text = normscope_lecture_text_new (from->text);
  g_autofree char *number = g_strdup_printf ("%u", c + 1);

  choice->text = normscope_lecture_text_dup_plain (from->text);
  choice->mark = gtk_label_new ("✓");
  choice->count = GTK_LABEL (gtk_label_new (NULL));
  choice->bar = GTK_LEVEL_BAR (gtk_level_bar_new ());
  choice->button = gtk_button_new ();
  gtk_widget_add_css_class (choice->button, "choice");
  gtk_widget_set_focus_on_click (choice->button, FALSE);
  gtk_widget_set_visible (choice->mark, FALSE);
  gtk_widget_add_css_class (choice->mark, "mark");
  gtk_widget_set_hexpand (text, TRUE);
  gtk_widget_set_can_target (text, FALSE);
  /* One colour for every share. */
  gtk_level_bar_remove_offset_value (choice->bar, GTK_LEVEL_BAR_OFFSET_LOW);
  gtk_level_bar_remove_offset_value (choice->bar, GTK_LEVEL_BAR_OFFSET_HIGH);
  gtk_level_bar_remove_offset_value (choice->bar, GTK_LEVEL_BAR_OFFSET_FULL);
  gtk_box_append (GTK_BOX (line), make_label (number, "number"));
  gtk_box_append (GTK_BOX (line), text);
  gtk_box_append (GTK_BOX (line), choice->mark);
  gtk_box_append (GTK_BOX (line), GTK_WIDGET (choice->count));
  gtk_box_append (GTK_BOX (box), line);
  gtk_box_append (GTK_BOX (box), GTK_WIDGET (choice->bar));
  gtk_button_set_child (GTK_BUTTON (choice->button), box);
  gtk_widget_set_tooltip_text (choice->button, _ ("Count a hand; with Shift, take one back"));
  g_signal_connect_swapped (choice->button, "clicked", G_CALLBACK (clicked_cb), self);
  gtk_box_append (self->box, choice->button);
}

static void
add_hint (NormscopeQuestionCard *self)
{
  switch (self->question->kind)
    {
    case NS_QUESTION_NUMBER:
      self->guess = gtk_entry_new ();
      gtk_entry_set_placeholder_text (GTK_ENTRY (self->guess), _ ("A guess"));
      gtk_entry_set_max_length (GTK_ENTRY (self->guess), 24);
      gtk_accessible_update_property (GTK_ACCESSIBLE (self->guess), GTK_ACCESSIBLE_PROPERTY_LABEL, _ ("A guess"), -1);
      gtk_box_append (self->box, self->guess);
      break;
    case NS_QUESTION_SKETCH:
      gtk_box_append (self->box, make_label (_ ("Draw the curve into the axes, or set points with the arrow keys."),
                                             "hint"));
      break;
    default:
      break;
    }
}

static void
reveal_clicked_cb (NormscopeQuestionCard *self)
{
  gtk_widget_activate_action (GTK_WIDGET (self), "present.reveal", NULL);
}

static void
normscope_question_card_finalize (GObject *object)
{
  NormscopeQuestionCard *self = NORMSCOPE_QUESTION_CARD (object);

  for (guint c = 0; c < NS_QUESTION_MAX_CHOICES; c++)
    g_free (self->choices[c].text);
  g_clear_pointer (&self->question, ns_question_free);
  G_OBJECT_CLASS (normscope_question_card_parent_class)->finalize (object);
}

static void
normscope_question_card_class_init (NormscopeQuestionCardClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = normscope_question_card_finalize;
  gtk_widget_class_set_css_name (GTK_WIDGET_CLASS (klass), "questioncard");
  gtk_widget_class_set_accessible_role (GTK_WIDGET_CLASS (klass), GTK_ACCESSIBLE_ROLE_GROUP);
}

static void
normscope_question_card_init (NormscopeQuestionCard *self)
{
  self->box = GTK_BOX (gtk_box_new (GTK_ORIENTATION_VERTICAL, 8));
  adw_bin_set_child (ADW_BIN (self), GTK_WIDGET (self->box));
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL, _ ("Question"), -1);
}

GtkWidget *
normscope_question_card_new (const NsQuestion *question)
{
  NormscopeQuestionCard *self = g_object_new (NORMSCOPE_TYPE_QUESTION_CARD, NULL);

  self->question = ns_question_copy (question);
  if (question->text[0] != '\0')
    gtk_box_append (self->box, normscope_lecture_text_new (question->text));
  self->n_choices = MIN (question->choices->len, NS_QUESTION_MAX_CHOICES);
  for (guint c = 0; c < self->n_choices; c++)
    add_answer (self, c, g_ptr_array_index (question->choices, c));
  add_hint (self);
  self->reveal = gtk_button_new_with_label (_ ("Show the Answer"));
  gtk_widget_set_focus_on_click (self->reveal, FALSE);
  gtk_widget_set_tooltip_text (self->reveal, _ ("Show what is measured (Space)"));
  g_signal_connect_swapped (self->reveal, "clicked", G_CALLBACK (reveal_clicked_cb), self);
  if (self->guess != NULL)
    g_signal_connect_swapped (self->guess, "activate", G_CALLBACK (reveal_clicked_cb), self);
  gtk_box_append (self->box, self->reveal);
  self->progress = GTK_PROGRESS_BAR (gtk_progress_bar_new ());
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->progress), GTK_ACCESSIBLE_PROPERTY_LABEL, _ ("Progress"), -1);
  gtk_widget_set_visible (GTK_WIDGET (self->progress), FALSE);
  gtk_box_append (self->box, GTK_WIDGET (self->progress));
  self->answer = GTK_LABEL (make_label (NULL, "answer"));
  gtk_widget_set_visible (GTK_WIDGET (self->answer), FALSE);
  gtk_box_append (self->box, GTK_WIDGET (self->answer));
  show_votes (self);
  return GTK_WIDGET (self);
}
