/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/lecture/normscope-presenter-notes.h"

#include <glib/gi18n-lib.h>

#include "app/lecture/normscope-lecture-ahead.h"
#include "app/lecture/normscope-lecture-text.h"
#include "app/shared/normscope-theme.h"
#include "lecture/ns-lecture-picture.h"

#define CLOCK_MS 1000
#define NOTES_WIDTH_PX 900
#define HEIGHT_PX 600
#define SIDE_PX 320
#define PICTURE_PX 210
/* The picture of the present step comes first. */
#define PICTURE_DELAY_MS 800

struct _NormscopePresenterNotes
{
  AdwWindow parent_instance;

  NormscopeLectureSession *lecture;
  gint64 started_at; /* monotonic */
  GtkLabel *position, *title, *notes, *next_title, *clock, *elapsed;
  GtkScrolledWindow *next_text;
  guint clock_id;

  /* The picture of the next step. */
  GtkDrawingArea *picture;
  NormscopeEngine *engine;
  NormscopeScalingRunner *runner;
  NsLectureStep *next;  /* or NULL */
  NormscopeTask *task;  /* what it needs, or NULL */
  NsTraining *training; /* a kept one that it shows, or NULL */
  guint picture_id;
};

G_DEFINE_FINAL_TYPE (NormscopePresenterNotes, normscope_presenter_notes, ADW_TYPE_WINDOW)

/* ---- the clock ---- */

static void show_training (NormscopePresenterNotes *self);

static gboolean
clock_cb (gpointer data)
{
  NormscopePresenterNotes *self = data;
  gint64 seconds = (g_get_monotonic_time () - self->started_at) / G_TIME_SPAN_SECOND;
  g_autoptr (GDateTime) now = g_date_time_new_now_local ();
  g_autofree char *time = g_date_time_format (now, "%H:%M");
  g_autofree char *elapsed = NULL;

  if (seconds < 3600)
    elapsed = g_strdup_printf ("%d:%02d", (int) (seconds / 60), (int) (seconds % 60));
  else
    elapsed = g_strdup_printf ("%d:%02d:%02d", (int) (seconds / 3600), (int) (seconds / 60 % 60), (int) (seconds % 60));
  gtk_label_set_label (self->clock, time);
  gtk_label_set_label (self->elapsed, elapsed);
  show_training (self);
  return G_SOURCE_CONTINUE;
}

/* ---- the picture of the next step ---- */

static void
forget_picture (NormscopePresenterNotes *self)
{
  g_clear_handle_id (&self->picture_id, g_source_remove);
  normscope_scaling_runner_stop (self->runner);
  g_clear_pointer (&self->next, ns_lecture_step_unref);
  g_clear_pointer (&self->task, normscope_task_unref);
  g_clear_pointer (&self->training, ns_training_unref);
  gtk_widget_set_visible (GTK_WIDGET (self->picture), FALSE);
}

/* Return TRUE if the picture of the next step needs no task: a training is the speaker's to begin, so the picture is of
 * one that has finished before, or says what will be trained. */
static gboolean
needs_no_task (NormscopePresenterNotes *self)
{
  NsFigureNeeds needs = ns_figure_info (self->next->view.figure)->needs;

  return needs == NS_FIGURE_NEEDS_EXPERIMENT || needs == NS_FIGURE_NEEDS_TRAINING
         || needs == NS_FIGURE_NEEDS_SENSITIVITY || needs == NS_FIGURE_NEEDS_COORDINATES;
}

/* Take the training that the next step shows, if there is one by now. */
static void
show_training (NormscopePresenterNotes *self)
{
  if (self->next == NULL || self->training != NULL
      || ns_figure_info (self->next->view.figure)->needs != NS_FIGURE_NEEDS_TRAINING)
    return;
  self->training = normscope_engine_find_training (self->engine, self->next->experiment);
  if (self->training != NULL)
    gtk_widget_queue_draw (GTK_WIDGET (self->picture));
}

static void
computed_cb (NormscopePresenterNotes *self)
{
  gboolean is_ready = self->next != NULL && self->picture_id == 0
                      && (needs_no_task (self) || (self->task != NULL && self->task->state == NORMSCOPE_TASK_DONE));

  gtk_widget_set_visible (GTK_WIDGET (self->picture), is_ready);
  gtk_widget_queue_draw (GTK_WIDGET (self->picture));
}

static gboolean
compute_cb (gpointer data)
{
  NormscopePresenterNotes *self = data;
  GPtrArray *tasks = g_ptr_array_new_with_free_func ((GDestroyNotify) normscope_task_unref);

  self->picture_id = 0;
  show_training (self);
  self->task = normscope_lecture_new_task (self->next);
  if (self->task != NULL)
    g_ptr_array_add (tasks, normscope_task_ref (self->task));
  normscope_scaling_runner_take_tasks (self->runner, tasks);
  computed_cb (self);
  return G_SOURCE_REMOVE;
}

static void
draw_cb (GtkDrawingArea *area, cairo_t *cr, int width, int height, gpointer data)
{
  NormscopePresenterNotes *self = data;
  NsLectureEvidence evidence = { .training = self->training };
  g_autofree char *sentence = NULL;
  NsTheme theme;

  if (self->next == NULL)
    return;
  if (self->task != NULL)
    {
      evidence.result = self->task->result;
      evidence.sweep = self->task->sweep;
      evidence.paths = self->task->paths;
    }
  normscope_theme_init (&theme);
  theme.text_scale = theme.line_scale = 0.75;
  ns_lecture_step_draw (self->next, &evidence, cr, &theme, width, height, &sentence);
  gtk_accessible_update_property (GTK_ACCESSIBLE (area), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION,
                                  sentence != NULL ? sentence : "", -1);
}

/* ---- the step ---- */

static void
show_next (NormscopePresenterNotes *self, guint index)
{
  const NsLecture *lecture = normscope_lecture_session_get_lecture (self->lecture);
  const NsLectureStep *next = NULL;

  if (lecture != NULL && index + 1 < ns_lecture_get_n_steps (lecture))
    next = ns_lecture_get_step (lecture, index + 1);
  gtk_label_set_label (self->next_title, next != NULL ? next->title : _ ("This is the last step."));
  gtk_scrolled_window_set_child (self->next_text, normscope_lecture_text_new (next != NULL ? next->text : ""));
  forget_picture (self);
  if (next != NULL)
    {
      self->next = ns_lecture_step_copy (next);
      self->picture_id = g_timeout_add (PICTURE_DELAY_MS, compute_cb, self);
    }
}

static void
show_notes_of_step (NormscopePresenterNotes *self)
{
  const NsLectureStep *step = normscope_lecture_session_get_step (self->lecture);
  guint index = normscope_lecture_session_get_index (self->lecture);
  g_autofree char *position = NULL;

  if (step == NULL)
    return;
  position = g_strdup_printf ("%u/%u", index + 1, normscope_lecture_session_get_n_steps (self->lecture));
  gtk_label_set_label (self->position, position);
  gtk_label_set_label (self->title, step->title);
  gtk_label_set_label (self->notes, step->notes[0] != '\0' ? step->notes : _ ("This step has no notes."));
  show_next (self, index);
}

/* ---- the place ---- */

static GdkMonitor *
find_other_monitor (GtkWindow *beside)
{
  GdkSurface *surface = gtk_native_get_surface (GTK_NATIVE (beside));
  GdkDisplay *display = gtk_widget_get_display (GTK_WIDGET (beside));
  GListModel *monitors = gdk_display_get_monitors (display);
  GdkMonitor *here = surface != NULL ? gdk_display_get_monitor_at_surface (display, surface) : NULL;

  for (guint i = 0; here != NULL && i < g_list_model_get_n_items (monitors); i++)
    {
      g_autoptr (GdkMonitor) monitor = g_list_model_get_item (monitors, i);

      if (monitor != here)
        return monitor; /* the display keeps it */
    }
  return NULL;
}

void
normscope_presenter_notes_present (NormscopePresenterNotes *self, GtkWindow *beside)
{
  GdkMonitor *other;

  g_return_if_fail (NORMSCOPE_IS_PRESENTER_NOTES (self));
  other = find_other_monitor (beside);
  if (other != NULL)
    gtk_window_fullscreen_on_monitor (GTK_WINDOW (self), other);
  gtk_window_present (GTK_WINDOW (self));
}

/* ---- construction ---- */

static GtkLabel *
add_label (GtkWidget *box, const char *css_class, const char *accessible)
{
  GtkWidget *label = gtk_label_new (NULL);

  gtk_label_set_wrap (GTK_LABEL (label), TRUE);
  gtk_label_set_wrap_mode (GTK_LABEL (label), PANGO_WRAP_WORD_CHAR);
  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_widget_add_css_class (label, css_class);
  if (accessible != NULL)
    gtk_widget_set_tooltip_text (label, accessible);
  gtk_box_append (GTK_BOX (box), label);
  return GTK_LABEL (label);
}

static GtkWidget *
make_scrolled (GtkWidget *child)
{
  GtkWidget *scrolled = gtk_scrolled_window_new ();

  gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (scrolled), GTK_POLICY_NEVER, GTK_POLICY_AUTOMATIC);
  gtk_widget_set_vexpand (scrolled, TRUE);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scrolled), child);
  return scrolled;
}

static GtkWidget *
make_now (NormscopePresenterNotes *self)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 12), *notes = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);

  self->position = add_label (box, "dim-label", NULL);
  self->title = add_label (box, "title-1", NULL);
  self->notes = add_label (notes, "notes", NULL);
  gtk_label_set_yalign (self->notes, 0);
  gtk_box_append (GTK_BOX (box), make_scrolled (notes));
  gtk_widget_set_hexpand (box, TRUE);
  return box;
}

static GtkWidget *
make_side (NormscopePresenterNotes *self)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 12), *heading;

  self->clock = add_label (box, "clock", _ ("The time"));
  self->elapsed = add_label (box, "clock", _ ("Time since the start"));
  heading = GTK_WIDGET (add_label (box, "heading", NULL));
  gtk_label_set_label (GTK_LABEL (heading), _ ("Next step"));
  self->next_title = add_label (box, "title-3", NULL);
  self->picture = GTK_DRAWING_AREA (gtk_drawing_area_new ());
  gtk_drawing_area_set_content_height (self->picture, PICTURE_PX);
  gtk_drawing_area_set_draw_func (self->picture, draw_cb, self, NULL);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->picture), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Picture of the next step"), -1);
  gtk_box_append (GTK_BOX (box), GTK_WIDGET (self->picture));
  self->next_text = GTK_SCROLLED_WINDOW (make_scrolled (NULL));
  gtk_box_append (GTK_BOX (box), GTK_WIDGET (self->next_text));
  gtk_widget_set_size_request (box, SIDE_PX, -1);
  return box;
}

static void
normscope_presenter_notes_dispose (GObject *object)
{
  NormscopePresenterNotes *self = NORMSCOPE_PRESENTER_NOTES (object);

  g_clear_handle_id (&self->clock_id, g_source_remove);
  if (self->runner != NULL)
    forget_picture (self);
  g_clear_object (&self->runner);
  g_clear_pointer (&self->engine, normscope_engine_unref);
  g_clear_object (&self->lecture);
  G_OBJECT_CLASS (normscope_presenter_notes_parent_class)->dispose (object);
}

static void
normscope_presenter_notes_class_init (NormscopePresenterNotesClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = normscope_presenter_notes_dispose;
  gtk_widget_class_add_binding_action (GTK_WIDGET_CLASS (klass), GDK_KEY_Escape, 0, "window.close", NULL);
}

static void
normscope_presenter_notes_init (NormscopePresenterNotes *self)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0), *line = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 24);

  gtk_window_set_title (GTK_WINDOW (self), _ ("Notes"));
  gtk_window_set_default_size (GTK_WINDOW (self), NOTES_WIDTH_PX, HEIGHT_PX);
  gtk_widget_add_css_class (GTK_WIDGET (self), "presenter-notes");
  gtk_widget_add_css_class (line, "content");
  gtk_widget_set_vexpand (line, TRUE);
  gtk_box_append (GTK_BOX (box), adw_header_bar_new ());
  gtk_box_append (GTK_BOX (line), make_now (self));
  gtk_box_append (GTK_BOX (line), gtk_separator_new (GTK_ORIENTATION_VERTICAL));
  gtk_box_append (GTK_BOX (line), make_side (self));
  gtk_box_append (GTK_BOX (box), line);
  adw_window_set_content (ADW_WINDOW (self), box);
}

GtkWidget *
normscope_presenter_notes_new (NormscopeLectureSession *lecture, NormscopeEngine *engine, gint64 started_at)
{
  NormscopePresenterNotes *self = g_object_new (NORMSCOPE_TYPE_PRESENTER_NOTES, NULL);

  self->lecture = g_object_ref (lecture);
  self->started_at = started_at;
  self->engine = normscope_engine_ref (engine);
  self->runner = normscope_scaling_runner_new (engine);
  g_signal_connect_object (self->runner, "changed", G_CALLBACK (computed_cb), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (lecture, "changed", G_CALLBACK (show_notes_of_step), self, G_CONNECT_SWAPPED);
  self->clock_id = g_timeout_add (CLOCK_MS, clock_cb, self);
  clock_cb (self);
  show_notes_of_step (self);
  return GTK_WIDGET (self);
}
