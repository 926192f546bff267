/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/lecture/normscope-stage.h"

/* The text's width: a share of the stage's, within a range that reads well; more for a long text. */
#define ASIDE_SHARE 0.29
#define ASIDE_MIN_PX 320
#define ASIDE_MAX_PX 640
#define ASIDE_MOST_SHARE 0.45
/* Its height below the plots. */
#define BELOW_SHARE 0.2

struct _NormscopeStage
{
  GtkWidget parent_instance;

  GtkWidget *content, *side, *foot;
  NormscopeAside *aside;
};

G_DEFINE_FINAL_TYPE (NormscopeStage, normscope_stage, GTK_TYPE_WIDGET)

static gboolean
is_there (gpointer child)
{
  return child != NULL && gtk_widget_get_visible (child);
}

static int
get_size (gpointer child, GtkOrientation orientation, int for_size, gboolean is_natural)
{
  int minimum = 0, natural = 0;

  if (is_there (child))
    gtk_widget_measure (child, orientation, for_size, &minimum, &natural, NULL, NULL);
  return is_natural ? natural : minimum;
}

static void
normscope_stage_measure (GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum, int *natural,
                         int *minimum_baseline, int *natural_baseline)
{
  NormscopeStage *self = NORMSCOPE_STAGE (widget);
  int content = get_size (self->content, orientation, -1, FALSE), side = get_size (self->side, orientation, -1, FALSE);
  int aside = get_size (self->aside, orientation, -1, FALSE), foot = get_size (self->foot, orientation, -1, FALSE);

  *minimum = orientation == GTK_ORIENTATION_HORIZONTAL ? MAX (MAX (content + side, aside), foot)
                                                       : MAX (content + aside, side) + foot;
  *natural = MAX (*minimum, get_size (self->content, orientation, -1, TRUE));
}

/* Place a child; x is that of a language that runs to the right. */
static void
allocate (NormscopeStage *self, gpointer child, int x, int y, int width, int height)
{
  if (gtk_widget_get_direction (GTK_WIDGET (self)) == GTK_TEXT_DIR_RTL)
    x = gtk_widget_get_width (GTK_WIDGET (self)) - x - width;
  gtk_widget_size_allocate (child, &(GtkAllocation) { x, y, width, height }, -1);
}

/* Place the text in what is left of the plots' place, and return what it leaves of width and height. */
static void
allocate_aside (NormscopeStage *self, int x, int *width, int *height)
{
  int least, most;

  if (!is_there (self->aside))
    return;
  least = MAX (get_size (self->aside, GTK_ORIENTATION_HORIZONTAL, -1, FALSE),
               CLAMP ((int) ((x + *width) * ASIDE_SHARE), ASIDE_MIN_PX, ASIDE_MAX_PX));
  most = MIN ((int) ((x + *width) * ASIDE_MOST_SHARE),
              *width - get_size (self->content, GTK_ORIENTATION_HORIZONTAL, -1, FALSE));
  if (least <= *width - get_size (self->content, GTK_ORIENTATION_HORIZONTAL, -1, FALSE))
    {
      int room = normscope_aside_fit (self->aside, least, MAX (least, most), *height);

      *width -= room;
      allocate (self, self->aside, x + *width, 0, room, *height);
    }
  else
    {
      int room = MAX (get_size (self->aside, GTK_ORIENTATION_VERTICAL, *width, FALSE),
                      MIN (get_size (self->aside, GTK_ORIENTATION_VERTICAL, *width, TRUE),
                           (int) (*height * BELOW_SHARE)));

      *height -= room;
      allocate (self, self->aside, x, *height, *width, room);
    }
}

static void
normscope_stage_size_allocate (GtkWidget *widget, int width, int height, int baseline)
{
  NormscopeStage *self = NORMSCOPE_STAGE (widget);
  int foot = get_size (self->foot, GTK_ORIENTATION_VERTICAL, width, TRUE);
  int side = get_size (self->side, GTK_ORIENTATION_HORIZONTAL, -1, FALSE);

  height -= foot;
  if (is_there (self->foot))
    allocate (self, self->foot, 0, height, width, foot);
  if (is_there (self->side))
    allocate (self, self->side, 0, 0, side, height);
  width -= side;
  allocate_aside (self, side, &width, &height);
  if (self->content != NULL)
    allocate (self, self->content, side, 0, width, height);
}

static void
normscope_stage_dispose (GObject *object)
{
  NormscopeStage *self = NORMSCOPE_STAGE (object);

  g_clear_pointer ((GtkWidget **) &self->aside, gtk_widget_unparent);
  g_clear_pointer (&self->side, gtk_widget_unparent);
  g_clear_pointer (&self->foot, gtk_widget_unparent);
  g_clear_pointer (&self->content, gtk_widget_unparent);
  G_OBJECT_CLASS (normscope_stage_parent_class)->dispose (object);
}

static void
normscope_stage_class_init (NormscopeStageClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = normscope_stage_dispose;
  widget_class->measure = normscope_stage_measure;
  widget_class->size_allocate = normscope_stage_size_allocate;
  gtk_widget_class_set_css_name (widget_class, "stage");
}

static void
normscope_stage_init (NormscopeStage *self)
{
}

GtkWidget *
normscope_stage_new (void)
{
  return g_object_new (NORMSCOPE_TYPE_STAGE, NULL);
}

void
normscope_stage_set_content (NormscopeStage *self, GtkWidget *content)
{
  g_return_if_fail (NORMSCOPE_IS_STAGE (self) && self->content == NULL);
  self->content = content;
  gtk_widget_insert_after (content, GTK_WIDGET (self), NULL);
}

void
normscope_stage_set_aside (NormscopeStage *self, NormscopeAside *aside)
{
  g_return_if_fail (NORMSCOPE_IS_STAGE (self));
  if (self->aside == aside)
    return;
  g_clear_pointer ((GtkWidget **) &self->aside, gtk_widget_unparent);
  self->aside = aside;
  if (aside != NULL)
    gtk_widget_insert_after (GTK_WIDGET (aside), GTK_WIDGET (self), self->content);
}

void
normscope_stage_set_side (NormscopeStage *self, GtkWidget *side)
{
  g_return_if_fail (NORMSCOPE_IS_STAGE (self));
  g_clear_pointer (&self->side, gtk_widget_unparent);
  self->side = side;
  if (side != NULL)
    gtk_widget_insert_after (side, GTK_WIDGET (self), NULL);
}

void
normscope_stage_set_foot (NormscopeStage *self, GtkWidget *foot)
{
  g_return_if_fail (NORMSCOPE_IS_STAGE (self));
  g_clear_pointer (&self->foot, gtk_widget_unparent);
  self->foot = foot;
  if (foot != NULL)
    gtk_widget_insert_before (foot, GTK_WIDGET (self), NULL);
}
