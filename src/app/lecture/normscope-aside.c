/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/lecture/normscope-aside.h"

#include <glib/gi18n-lib.h>

#include "app/lecture/normscope-lecture-text.h"
#include "app/shared/normscope-prose.h"

#define MIN_HEIGHT_PX 90
/* Widths between the least and the most that are tried. */
#define N_WIDTHS 5

/* Sizes of the type that are tried after the widths, as a share of the style's. */
static const double type_scales[] = { 1, 0.92, 0.84, 0.77, 0.7, 0.64 };

struct _NormscopeAside
{
  GtkWidget parent_instance;

  GtkWidget *text, *question; /* each scrolls on its own */
  guint type;                 /* index of the size of the type */
  /* The last fit, and what it was made for. */
  int width, most, height, needed;
};

G_DEFINE_FINAL_TYPE (NormscopeAside, normscope_aside, GTK_TYPE_WIDGET)

/* ---- room for all of a step's text ---- */

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

static int
get_needed_height (NormscopeAside *self, int width)
{
  return get_natural_height (self->text, width) + get_natural_height (self->question, width);
}

static void
scale_type (GtkWidget *widget, double scale)
{
  if (NORMSCOPE_IS_PROSE (widget))
    normscope_prose_set_scale (NORMSCOPE_PROSE (widget), scale);
  else if (GTK_IS_LABEL (widget))
    {
      g_autoptr (PangoAttrList) attributes = pango_attr_list_new ();

      pango_attr_list_insert (attributes, pango_attr_scale_new (scale));
      gtk_label_set_attributes (GTK_LABEL (widget), attributes);
    }
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    scale_type (child, scale);
}

static void
set_type (NormscopeAside *self, guint type)
{
  if (self->type == type)
    return;
  self->type = type;
  scale_type (GTK_WIDGET (self), type_scales[type]);
}

int
normscope_aside_fit (NormscopeAside *self, int least, int most, int height)
{
  gboolean is_same = self->most == most && self->height == height;

  g_return_val_if_fail (NORMSCOPE_IS_ASIDE (self) && least <= most, least);
  if (is_same && self->width >= least && self->needed == get_needed_height (self, self->width))
    return self->width;
  set_type (self, 0);
  /* The plots stay where they are when an answer appears: only the type makes room for it. */
  self->width = is_same ? MAX (self->width, least) : least;
  for (int i = 1; !is_same && i < N_WIDTHS && get_needed_height (self, self->width) > height; i++)
    self->width = least + i * (most - least) / (N_WIDTHS - 1);
  while (get_needed_height (self, self->width) > height && self->type + 1 < G_N_ELEMENTS (type_scales))
    set_type (self, self->type + 1);
  self->most = most;
  self->height = height;
  self->needed = get_needed_height (self, self->width);
  return self->width;
}

/* ---- layout ---- */

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
  int question = get_natural_height (self->question, width);
  GtkAllocation place = { 0, 0, width, height };

  if (question > 0)
    place.height = MAX (height - question, MIN_HEIGHT_PX);
  gtk_widget_size_allocate (self->text, &place, -1);
  if (question == 0)
    return;
  place.y = place.height;
  place.height = MAX (height - place.y, MIN_HEIGHT_PX);
  gtk_widget_size_allocate (self->question, &place, -1);
}

/* The text has another size. */
static void
normscope_aside_system_setting_changed (GtkWidget *widget, GtkSystemSetting setting)
{
  GTK_WIDGET_CLASS (normscope_aside_parent_class)->system_setting_changed (widget, setting);
  NORMSCOPE_ASIDE (widget)->height = 0;
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
  widget_class->system_setting_changed = normscope_aside_system_setting_changed;
  gtk_widget_class_set_css_name (widget_class, "aside");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_REGION);
}

static GtkWidget *
add_part (NormscopeAside *self)
{
  GtkScrolledWindow *part = GTK_SCROLLED_WINDOW (gtk_scrolled_window_new ());

  gtk_scrolled_window_set_policy (part, GTK_POLICY_NEVER, GTK_POLICY_AUTOMATIC);
  /* A bar beside the text says that there is more; one over it would come with the pointer only. */
  gtk_scrolled_window_set_overlay_scrolling (part, FALSE);
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
  scale_type (GTK_WIDGET (self), type_scales[self->type]);
  self->height = 0; /* choose the width again */
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL, title,
                                  GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, spoken, -1);
}
