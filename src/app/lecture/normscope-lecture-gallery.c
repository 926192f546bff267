/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/lecture/normscope-lecture-gallery.h"

#include <glib/gi18n-lib.h>

#include "app/lecture/normscope-lecture-ahead.h"
#include "app/shared/normscope-theme.h"
#include "app/work/normscope-scaling-runner.h"
#include "lecture/ns-lecture-picture.h"
#include "lecture/ns-lectures.h"

#define GALLERY_WIDTH_PX 980
#define GALLERY_HEIGHT_PX 640
#define CARD_PX 200
#define CARD_PICTURE_PX 120
/* A picture is drawn larger than it is shown, so that its text leaves room for the curves. */
#define CARD_SCALE 0.5

/* What a card shows. */
typedef struct
{
  const NsLectureInfo *info;
  NsLectureStep *step;
  NormscopeTask *task; /* what the picture needs, or NULL */
} Card;

struct _NormscopeLectureGallery
{
  AdwWindow parent_instance;

  GtkFlowBox *cards;
  NormscopeScalingRunner *runner;
};

G_DEFINE_FINAL_TYPE (NormscopeLectureGallery, normscope_lecture_gallery, ADW_TYPE_WINDOW)

/* ---- pictures ---- */

static void
card_free (gpointer data)
{
  Card *card = data;

  ns_lecture_step_unref (card->step);
  g_clear_pointer (&card->task, normscope_task_unref);
  g_free (card);
}

static gboolean
trains (const NsLectureStep *step)
{
  NsFigureNeeds needs = ns_figure_info (step->view.figure)->needs;

  return needs == NS_FIGURE_NEEDS_TRAINING || needs == NS_FIGURE_NEEDS_SENSITIVITY
         || needs == NS_FIGURE_NEEDS_COORDINATES;
}

/* Return the first step that asks nothing and trains nothing, or else the first one. */
static NsLectureStep *
find_pictured_step (const NsLecture *lecture)
{
  for (guint i = 0; i < ns_lecture_get_n_steps (lecture); i++)
    {
      NsLectureStep *step = ns_lecture_get_step (lecture, i);

      if (step->question == NULL && !trains (step))
        return step;
    }
  return ns_lecture_get_step (lecture, 0);
}

static void
draw_card_cb (GtkDrawingArea *area, cairo_t *cr, int width, int height, gpointer data)
{
  const Card *card = data;
  const NormscopeTask *task = card->task;
  NsLectureEvidence evidence = { 0 };
  NsTheme theme;

  if (task != NULL && task->state != NORMSCOPE_TASK_DONE)
    return;
  if (task != NULL)
    {
      evidence.result = task->result;
      evidence.sweep = task->sweep;
      evidence.paths = task->paths;
    }
  normscope_theme_init (&theme);
  cairo_scale (cr, CARD_SCALE, CARD_SCALE);
  ns_lecture_step_draw (card->step, &evidence, cr, &theme, width / CARD_SCALE, height / CARD_SCALE, NULL);
}

static void
draw_pictures (NormscopeLectureGallery *self)
{
  for (GtkWidget *card = gtk_widget_get_first_child (GTK_WIDGET (self->cards)); card != NULL;
       card = gtk_widget_get_next_sibling (card))
    gtk_widget_queue_draw (gtk_widget_get_first_child (gtk_flow_box_child_get_child (GTK_FLOW_BOX_CHILD (card))));
}

/* ---- cards ---- */

static void
add_card_label (GtkBox *box, const char *text, const char *css_class)
{
  GtkWidget *label = gtk_label_new (text);

  gtk_label_set_wrap (GTK_LABEL (label), TRUE);
  gtk_label_set_xalign (GTK_LABEL (label), 0);
  /* Narrow by itself: a card is as wide as its picture. */
  gtk_label_set_max_width_chars (GTK_LABEL (label), 1);
  gtk_widget_set_hexpand (label, TRUE);
  gtk_widget_add_css_class (label, css_class);
  gtk_box_append (box, label);
}

static void
add_card (NormscopeLectureGallery *self, const NsLectureInfo *info, GPtrArray *tasks)
{
  g_autoptr (NsLecture) lecture = ns_lectures_load (info->id, NULL, NULL);
  GtkWidget *child = gtk_flow_box_child_new (), *picture = gtk_drawing_area_new ();
  GtkBox *box = GTK_BOX (gtk_box_new (GTK_ORIENTATION_VERTICAL, 6));
  Card *card = g_new0 (Card, 1);

  card->info = info;
  card->step = ns_lecture_step_ref (find_pictured_step (lecture));
  card->task = normscope_lecture_new_task (card->step);
  if (card->task != NULL)
    g_ptr_array_add (tasks, normscope_task_ref (card->task));
  gtk_drawing_area_set_content_width (GTK_DRAWING_AREA (picture), CARD_PX);
  gtk_drawing_area_set_content_height (GTK_DRAWING_AREA (picture), CARD_PICTURE_PX);
  gtk_drawing_area_set_draw_func (GTK_DRAWING_AREA (picture), draw_card_cb, card, NULL);
  gtk_widget_add_css_class (picture, "picture");
  gtk_box_append (box, picture);
  add_card_label (box, info->title, "heading");
  add_card_label (box, info->about, "about");
  gtk_flow_box_child_set_child (GTK_FLOW_BOX_CHILD (child), GTK_WIDGET (box));
  gtk_widget_set_valign (child, GTK_ALIGN_START);
  gtk_accessible_update_property (GTK_ACCESSIBLE (child), GTK_ACCESSIBLE_PROPERTY_LABEL, info->title,
                                  GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, info->about, -1);
  g_object_set_data_full (G_OBJECT (child), "card", card, card_free);
  gtk_flow_box_insert (self->cards, child, -1);
}

static void
chosen_cb (NormscopeLectureGallery *self, GtkFlowBoxChild *child)
{
  const char *id = ((const Card *) g_object_get_data (G_OBJECT (child), "card"))->info->id;
  g_autoptr (GtkWidget) window = g_object_ref (GTK_WIDGET (gtk_window_get_transient_for (GTK_WINDOW (self))));

  /* First, so that a question about unsaved changes is above the other window. */
  gtk_window_close (GTK_WINDOW (self));
  gtk_widget_activate_action (window, "win.shipped-lecture", "s", id);
}

/* ---- the object ---- */

static void
normscope_lecture_gallery_dispose (GObject *object)
{
  NormscopeLectureGallery *self = NORMSCOPE_LECTURE_GALLERY (object);

  if (self->runner != NULL)
    normscope_scaling_runner_stop (self->runner);
  g_clear_object (&self->runner);
  G_OBJECT_CLASS (normscope_lecture_gallery_parent_class)->dispose (object);
}

static void
normscope_lecture_gallery_class_init (NormscopeLectureGalleryClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = normscope_lecture_gallery_dispose;
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_Escape, 0, "window.close", NULL);
}

static void
normscope_lecture_gallery_init (NormscopeLectureGallery *self)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0), *scrolled = gtk_scrolled_window_new ();

  gtk_window_set_title (GTK_WINDOW (self), _ ("Lectures"));
  gtk_window_set_default_size (GTK_WINDOW (self), GALLERY_WIDTH_PX, GALLERY_HEIGHT_PX);
  gtk_window_set_modal (GTK_WINDOW (self), TRUE);
  gtk_widget_add_css_class (GTK_WIDGET (self), "lecture-gallery");
  self->cards = GTK_FLOW_BOX (gtk_flow_box_new ());
  gtk_flow_box_set_selection_mode (self->cards, GTK_SELECTION_NONE);
  gtk_flow_box_set_homogeneous (self->cards, TRUE);
  gtk_flow_box_set_max_children_per_line (self->cards, 4);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->cards), GTK_ACCESSIBLE_PROPERTY_LABEL, _ ("Lectures"), -1);
  g_signal_connect_object (self->cards, "child-activated", G_CALLBACK (chosen_cb), self, G_CONNECT_SWAPPED);
  gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (scrolled), GTK_POLICY_NEVER, GTK_POLICY_AUTOMATIC);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scrolled), GTK_WIDGET (self->cards));
  gtk_widget_set_vexpand (scrolled, TRUE);
  gtk_box_append (GTK_BOX (box), adw_header_bar_new ());
  gtk_box_append (GTK_BOX (box), scrolled);
  adw_window_set_content (ADW_WINDOW (self), box);
}

NormscopeLectureGallery *
normscope_lecture_gallery_new (GtkWindow *parent, NormscopeEngine *engine)
{
  NormscopeLectureGallery *self = g_object_new (NORMSCOPE_TYPE_LECTURE_GALLERY, "transient-for", parent, NULL);
  GPtrArray *tasks = g_ptr_array_new_with_free_func ((GDestroyNotify) normscope_task_unref);

  self->runner = normscope_scaling_runner_new (engine);
  g_signal_connect_object (self->runner, "changed", G_CALLBACK (draw_pictures), self, G_CONNECT_SWAPPED);
  for (const NsLectureInfo *info = ns_lectures_list (NULL); info->id != NULL; info++)
    add_card (self, info, tasks);
  normscope_scaling_runner_take_tasks (self->runner, tasks);
  return self;
}
