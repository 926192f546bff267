/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/lecture/normscope-aside.h"

#include <glib/gi18n-lib.h>

#include "app/lecture/normscope-lecture-text.h"

#define MIN_HEIGHT_PX 90
/* Of the height, at most for a question, so that its text begins in view; the text gets what is left. */
#define QUESTION_SHARE 0.7

struct _NormscopeAside
{
  GtkWidget parent_instance;

  GtkWidget *text, *question; /* each scrolls on its own */
};

G_DEFINE_FINAL_TYPE (NormscopeAside, normscope_aside, GTK_TYPE_WIDGET)

/* Of what scrolls in it: a scrolled window asks for the height of lines that do not wrap. */
static int
get_natural_height (GtkWidget *part, int width)
{
  GtkWidget *child = gtk_scrolled_window_get_child (GTK_SCROLLED_WINDOW (part));
  int height = 0;

  if (gtk_widget_should_layout (part) && child != NULL)
    gtk_widget_measure (child, GTK_ORIENTATION_VERTICAL, width, NULL, &height, NULL, NULL);
  return height;
}

static void
normscope_aside_measure (GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum, int *natural,
                         int *minimum_baseline, int *natural_baseline)
{
  NormscopeAside *self = NORMSCOPE_ASIDE (widget);

  *minimum = *natural = 0;
  for (GtkWidget *part = self->text; part != NULL; part = gtk_widget_get_next_sibling (part))
    {
      int own_minimum = 0, own_natural = 0;

      if (!gtk_widget_should_layout (part))
        continue;
      gtk_widget_measure (part, orientation, for_size, &own_minimum, &own_natural, NULL, NULL);
      if (orientation == GTK_ORIENTATION_VERTICAL)
        {
          *minimum += own_minimum;
          *natural += own_natural;
        }
      else
        {
          *minimum = MAX (*minimum, own_minimum);
          *natural = MAX (*natural, own_natural);
        }
    }
}

/* The answers stay in view under a long text. */
static void
normscope_aside_size_allocate (GtkWidget *widget, int width, int height, int baseline)
{
  NormscopeAside *self = NORMSCOPE_ASIDE (widget);
  int text = get_natural_height (self->text, width), question = get_natural_height (self->question, width);
  GtkAllocation place = { 0, 0, width, height };

  if (question > 0)
    {
      question = MIN (question, MAX ((int) (QUESTION_SHARE * height), height - text));
      place.height = MAX (height - question, MIN_HEIGHT_PX);
    }
  gtk_widget_size_allocate (self->text, &place, -1);
  if (question == 0)
    return;
  place.y = place.height;
  place.height = MAX (height - place.y, MIN_HEIGHT_PX);
  gtk_widget_size_allocate (self->question, &place, -1);
}

static GtkSizeRequestMode
normscope_aside_get_request_mode (GtkWidget *widget)
{
  return GTK_SIZE_REQUEST_HEIGHT_FOR_WIDTH;
}

static void
normscope_aside_dispose (GObject *object)
{
  NormscopeAside *self = NORMSCOPE_ASIDE (object);

  g_clear_pointer (&self->text, gtk_widget_unparent);
  g_clear_pointer (&self->question, gtk_widget_unparent);
  G_OBJECT_CLASS (normscope_aside_parent_class)->dispose (object);
}

static void
normscope_aside_class_init (NormscopeAsideClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = normscope_aside_dispose;
  widget_class->measure = normscope_aside_measure;
  widget_class->size_allocate = normscope_aside_size_allocate;
  widget_class->get_request_mode = normscope_aside_get_request_mode;
  gtk_widget_class_set_css_name (widget_class, "aside");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_REGION);
}

static GtkWidget *
add_part (NormscopeAside *self)
{
  GtkScrolledWindow *part = GTK_SCROLLED_WINDOW (gtk_scrolled_window_new ());

  gtk_scrolled_window_set_policy (part, GTK_POLICY_NEVER, GTK_POLICY_AUTOMATIC);
  gtk_scrolled_window_set_propagate_natural_height (part, TRUE);
  gtk_scrolled_window_set_min_content_height (part, MIN_HEIGHT_PX);
  gtk_widget_insert_before (GTK_WIDGET (part), GTK_WIDGET (self), NULL);
  return GTK_WIDGET (part);
}

static void
normscope_aside_init (NormscopeAside *self)
{
  self->text = add_part (self);
  self->question = add_part (self);
}

GtkWidget *
normscope_aside_new (void)
{
  return g_object_new (NORMSCOPE_TYPE_ASIDE, NULL);
}

void
normscope_aside_set_step (NormscopeAside *self, const char *title, const char *text, GtkWidget *question)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 12), *heading = gtk_label_new (title);
  g_autofree char *plain = NULL, *spoken = NULL;

  g_return_if_fail (NORMSCOPE_IS_ASIDE (self));
  plain = normscope_lecture_text_dup_plain (text);
  spoken = g_strdup_printf ("%s\n%s", title, plain);
  gtk_widget_add_css_class (box, "body");
  gtk_widget_add_css_class (heading, "title-2");
  gtk_label_set_wrap (GTK_LABEL (heading), TRUE);
  gtk_label_set_wrap_mode (GTK_LABEL (heading), PANGO_WRAP_WORD_CHAR);
  gtk_label_set_xalign (GTK_LABEL (heading), 0);
  gtk_box_append (GTK_BOX (box), heading);
  if (*text != '\0')
    gtk_box_append (GTK_BOX (box), normscope_lecture_text_new (text));
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (self->text), box);
  if (question != NULL)
    gtk_widget_add_css_class (question, "body");
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (self->question), question);
  gtk_widget_set_visible (self->question, question != NULL);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL, title,
                                  GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, spoken, -1);
}
