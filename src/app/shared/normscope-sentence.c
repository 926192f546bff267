/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/shared/normscope-sentence.h"

#include <glib/gi18n-lib.h>

#define LINES 2
/* The width of the popover, in characters. */
#define POPOVER_CHARS 70
#define BUTTON_GAP_PX 6

struct _NormscopeSentence
{
  GtkWidget parent_instance;

  GtkWidget *box;
  GtkLabel *label;
  GtkMenuButton *more;
  GtkLabel *whole; /* in the popover of the button */
};

G_DEFINE_FINAL_TYPE (NormscopeSentence, normscope_sentence, GTK_TYPE_WIDGET)

void
normscope_sentence_set_text (NormscopeSentence *self, const char *text)
{
  g_autofree char *paragraph = NULL;

  g_return_if_fail (NORMSCOPE_IS_SENTENCE (self));
  g_return_if_fail (text != NULL);

  paragraph = g_strdelimit (g_strdup (text), "\n", ' ');
  gtk_label_set_label (self->label, paragraph);
  gtk_label_set_label (self->whole, text);
}

/* Reserve the place of the button even if the text is not cut, since hiding it would change the line breaks. */
static void
normscope_sentence_size_allocate (GtkWidget *widget, int width, int height, int baseline)
{
  NormscopeSentence *self = NORMSCOPE_SENTENCE (widget);
  gboolean is_cut;

  gtk_widget_allocate (self->box, width, height, baseline, NULL);
  is_cut = pango_layout_is_ellipsized (gtk_label_get_layout (self->label));
  gtk_widget_set_opacity (GTK_WIDGET (self->more), is_cut ? 1 : 0);
  gtk_widget_set_sensitive (GTK_WIDGET (self->more), is_cut);
}

static void
normscope_sentence_measure (GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum, int *natural,
                            int *minimum_baseline, int *natural_baseline)
{
  gtk_widget_measure (NORMSCOPE_SENTENCE (widget)->box, orientation, for_size, minimum, natural, NULL, NULL);
}

static GtkSizeRequestMode
normscope_sentence_get_request_mode (GtkWidget *widget)
{
  return GTK_SIZE_REQUEST_HEIGHT_FOR_WIDTH;
}

static void
normscope_sentence_dispose (GObject *object)
{
  g_clear_pointer (&NORMSCOPE_SENTENCE (object)->box, gtk_widget_unparent);
  G_OBJECT_CLASS (normscope_sentence_parent_class)->dispose (object);
}

static void
normscope_sentence_class_init (NormscopeSentenceClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = normscope_sentence_dispose;
  widget_class->size_allocate = normscope_sentence_size_allocate;
  widget_class->measure = normscope_sentence_measure;
  widget_class->get_request_mode = normscope_sentence_get_request_mode;
  gtk_widget_class_set_css_name (widget_class, "sentence");
}

static GtkLabel *
new_label (void)
{
  GtkLabel *label = GTK_LABEL (gtk_label_new (NULL));

  gtk_label_set_xalign (label, 0);
  gtk_label_set_yalign (label, 0);
  gtk_label_set_wrap (label, TRUE);
  gtk_label_set_selectable (label, TRUE);
  return label;
}

static void
normscope_sentence_init (NormscopeSentence *self)
{
  GtkWidget *popover = gtk_popover_new ();

  self->label = new_label ();
  gtk_label_set_lines (self->label, LINES);
  gtk_label_set_ellipsize (self->label, PANGO_ELLIPSIZE_END);
  gtk_widget_set_hexpand (GTK_WIDGET (self->label), TRUE);
  gtk_widget_add_css_class (GTK_WIDGET (self->label), "sentence");

  self->whole = new_label ();
  gtk_label_set_max_width_chars (self->whole, POPOVER_CHARS);
  gtk_popover_set_child (GTK_POPOVER (popover), GTK_WIDGET (self->whole));

  self->more = GTK_MENU_BUTTON (gtk_menu_button_new ());
  /* Translators: opens the rest of a sentence that was cut after two lines */
  gtk_menu_button_set_label (self->more, _ ("_More"));
  gtk_menu_button_set_use_underline (self->more, TRUE);
  gtk_menu_button_set_always_show_arrow (self->more, FALSE);
  gtk_menu_button_set_direction (self->more, GTK_ARROW_UP);
  gtk_menu_button_set_popover (self->more, popover);
  gtk_menu_button_set_has_frame (self->more, FALSE);
  gtk_widget_set_valign (GTK_WIDGET (self->more), GTK_ALIGN_END);

  self->box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, BUTTON_GAP_PX);
  gtk_box_append (GTK_BOX (self->box), GTK_WIDGET (self->label));
  gtk_box_append (GTK_BOX (self->box), GTK_WIDGET (self->more));
  gtk_widget_set_parent (self->box, GTK_WIDGET (self));
}
