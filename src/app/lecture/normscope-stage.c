/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/lecture/normscope-stage.h"

/* The text's width: a share of the stage's, within a range that reads well. */
#define ASIDE_SHARE 0.29
#define ASIDE_MIN_PX 320
#define ASIDE_MAX_PX 640
/* Its height below the plots. */
#define BELOW_SHARE 0.2

struct _NormscopeStage
{
  GtkWidget parent_instance;

  GtkWidget *content, *aside;
};

G_DEFINE_FINAL_TYPE (NormscopeStage, normscope_stage, GTK_TYPE_WIDGET)

static gboolean
has_aside (NormscopeStage *self)
{
  return self->aside != NULL && gtk_widget_get_visible (self->aside);
}

static void
normscope_stage_measure (GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum, int *natural,
                         int *minimum_baseline, int *natural_baseline)
{
  NormscopeStage *self = NORMSCOPE_STAGE (widget);
  int min = 0, nat = 0;

  if (self->content != NULL)
    gtk_widget_measure (self->content, orientation, -1, minimum, natural, NULL, NULL);
  else
    *minimum = *natural = 0;
  if (!has_aside (self))
    return;
  gtk_widget_measure (self->aside, orientation, -1, &min, &nat, NULL, NULL);
  if (orientation == GTK_ORIENTATION_HORIZONTAL)
    *minimum = MAX (*minimum, min);
  else
    *minimum += min;
  *natural = MAX (*minimum, *natural);
}

static void
allocate (GtkWidget *child, int x, int y, int width, int height)
{
  gtk_widget_size_allocate (child, &(GtkAllocation) { x, y, width, height }, -1);
}

static void
normscope_stage_size_allocate (GtkWidget *widget, int width, int height, int baseline)
{
  NormscopeStage *self = NORMSCOPE_STAGE (widget);
  int content_min, min, nat, room;

  if (self->content == NULL)
    return;
  if (!has_aside (self))
    {
      allocate (self->content, 0, 0, width, height);
      return;
    }
  gtk_widget_measure (self->content, GTK_ORIENTATION_HORIZONTAL, -1, &content_min, NULL, NULL, NULL);
  gtk_widget_measure (self->aside, GTK_ORIENTATION_HORIZONTAL, -1, &min, NULL, NULL, NULL);
  room = MAX (min, CLAMP ((int) (width * ASIDE_SHARE), ASIDE_MIN_PX, ASIDE_MAX_PX));
  if (width - room >= content_min)
    {
      gboolean mirrored = gtk_widget_get_direction (widget) == GTK_TEXT_DIR_RTL;

      allocate (self->content, mirrored ? room : 0, 0, width - room, height);
      allocate (self->aside, mirrored ? 0 : width - room, 0, room, height);
      return;
    }
  gtk_widget_measure (self->aside, GTK_ORIENTATION_VERTICAL, width, &min, &nat, NULL, NULL);
  room = MAX (min, MIN (nat, (int) (height * BELOW_SHARE)));
  allocate (self->content, 0, 0, width, height - room);
  allocate (self->aside, 0, height - room, width, room);
}

static void
normscope_stage_dispose (GObject *object)
{
  NormscopeStage *self = NORMSCOPE_STAGE (object);

  g_clear_pointer (&self->aside, gtk_widget_unparent);
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
normscope_stage_set_aside (NormscopeStage *self, GtkWidget *aside)
{
  g_return_if_fail (NORMSCOPE_IS_STAGE (self));
  if (self->aside == aside)
    return;
  g_clear_pointer (&self->aside, gtk_widget_unparent);
  self->aside = aside;
  if (aside != NULL)
    gtk_widget_insert_after (aside, GTK_WIDGET (self), self->content);
}
