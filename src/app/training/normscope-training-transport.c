/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/training/normscope-training-transport.h"

#include <glib/gi18n-lib.h>
#include <math.h>

#include "app/shared/normscope-update.h"
#include "engine/experiment/ns-experiment.h"
#include "engine/train/ns-training-progress.h"
#include "figures/ns-training-figure.h"

/* Play shows a record for about as long, and takes no longer than this in all. */
#define PLAY_MS     90
#define PLAY_MOST_S 8.0
/* The slider has no more numbers than this side by side. */
#define MARKS 8

struct _NormscopeTrainingTransport
{
  GtkBox parent_instance;

  GtkButton *train_button, *step_button, *play_button;
  GtkScale *scale;
  GtkLabel *label;

  NormscopeSession *session;
  NsTraining *training;
  int newest; /* record, or −1 */
  int shown;  /* record, or −1 */
  gboolean updating;
  gint64 play_from; /* monotonic; 0: it does not play */
  int play_first;
  guint tick_id;
};

G_DEFINE_FINAL_TYPE (NormscopeTrainingTransport, normscope_training_transport, GTK_TYPE_BOX)

enum
{
  TRAINING_TRANSPORT_SIGNAL_TRAIN,
  TRAINING_TRANSPORT_SIGNAL_STEP,
  TRAINING_TRANSPORT_SIGNAL_RECORD_CHANGED,
  N_TRAINING_TRANSPORT_SIGNALS
};
static guint training_transport_signals[N_TRAINING_TRANSPORT_SIGNALS];

/* ---- records ---- */

/* Return the last record that all variants have reached with the first seed, or, when they have ended, any; −1 if there
 * is none. The other seeds come later. */
static int
find_newest (NormscopeTrainingTransport *self)
{
  guint least = G_MAXUINT, most = 0;

  for (guint v = 0; v < ns_training_get_experiment (self->training)->variants->len; v++)
    {
      guint n = ns_training_count_records (self->training, v, 0);

      most = MAX (most, n);
      if (!ns_training_is_finished (self->training, v, 0))
        least = MIN (least, n);
    }
  return (int) (least != G_MAXUINT ? least : most) - 1;
}

/* Return the last record up to a step; −1 is the newest one. */
static int
find_record (NormscopeTrainingTransport *self, double step)
{
  const gint64 *records;
  guint n;
  int r = 0;

  if (self->newest < 0 || step < 0)
    return self->newest;
  records = ns_training_get_records (self->training, &n);
  while (r < self->newest && (double) records[r + 1] <= step)
    r++;
  return r;
}

static gint64
get_recorded_step (NormscopeTrainingTransport *self, int record)
{
  guint n;

  return ns_training_get_records (self->training, &n)[record];
}

int
normscope_training_transport_get_record (NormscopeTrainingTransport *self)
{
  g_return_val_if_fail (NORMSCOPE_IS_TRAINING_TRANSPORT (self), -1);
  return self->shown;
}

/* ---- what is shown ---- */

static char *
dup_text (NormscopeTrainingTransport *self, int record)
{
  if (self->training == NULL || record < 0)
    return g_strdup ("");
  /* Translators: a step of a training, and how many there are */
  return g_strdup_printf (_ ("Step %d of %d"), (int) get_recorded_step (self, record),
                          (int) ns_training_get_n_steps (self->training));
}

static void
show_play (NormscopeTrainingTransport *self)
{
  gboolean playing = self->tick_id != 0;

  gtk_button_set_icon_name (self->play_button, playing ? "media-playback-pause-symbolic"
                                                       : "media-playback-start-symbolic");
  normscope_update_tooltip (GTK_WIDGET (self->play_button),
                            playing ? _ ("Pause the replay") : _ ("Replay the steps that are recorded"));
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->play_button), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  playing ? _ ("Pause the replay") : _ ("Replay"), -1);
}

/* Move slider and text to the session's step. */
static void
show_record (NormscopeTrainingTransport *self)
{
  int record = self->training != NULL ? find_record (self, (double) normscope_session_get_step (self->session)) : -1;
  g_autofree char *text = dup_text (self, record);

  self->updating = TRUE;
  gtk_range_set_value (GTK_RANGE (self->scale), MAX (record, 0));
  self->updating = FALSE;
  gtk_label_set_label (self->label, text);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->scale), GTK_ACCESSIBLE_PROPERTY_VALUE_TEXT, text, -1);
  if (record == self->shown)
    return;
  self->shown = record;
  g_signal_emit (self, training_transport_signals[TRAINING_TRANSPORT_SIGNAL_RECORD_CHANGED], 0);
}

/* ---- from the user ---- */

static void
set_record (NormscopeTrainingTransport *self, int record)
{
  /* at the end of what there is: follow it */
  normscope_session_set_step (self->session, record >= self->newest ? -1 : get_recorded_step (self, record));
}

static void
stop_play (NormscopeTrainingTransport *self)
{
  if (self->tick_id == 0)
    return;
  gtk_widget_remove_tick_callback (GTK_WIDGET (self), self->tick_id);
  self->tick_id = 0;
  show_play (self);
  g_signal_emit (self, training_transport_signals[TRAINING_TRANSPORT_SIGNAL_RECORD_CHANGED], 0);
}

static void
moved_cb (NormscopeTrainingTransport *self)
{
  if (self->updating || self->training == NULL || self->newest < 0)
    return;
  stop_play (self);
  set_record (self, (int) lround (gtk_range_get_value (GTK_RANGE (self->scale))));
  show_record (self); /* between two records, or behind the newest */
}

static void
train_cb (NormscopeTrainingTransport *self)
{
  g_signal_emit (self, training_transport_signals[TRAINING_TRANSPORT_SIGNAL_TRAIN], 0);
}

static void
step_cb (NormscopeTrainingTransport *self)
{
  g_signal_emit (self, training_transport_signals[TRAINING_TRANSPORT_SIGNAL_STEP], 0);
}

static void
pressed_cb (NormscopeTrainingTransport *self, int n_press, double x, double y, GtkGesture *press)
{
  NormscopePlot *plot = NORMSCOPE_PLOT (gtk_event_controller_get_widget (GTK_EVENT_CONTROLLER (press)));
  gint64 step;
  NsHit hit;

  (void) n_press;
  if (self->newest < 0 || !normscope_plot_hit (plot, x, y, &hit) || hit.panel < 0)
    return;
  /* of heat maps there is a row */
  step = hit.row >= 0 ? ns_training_map_find_step (self->training, hit.x) : (gint64) llround (fmax (hit.x, 0));
  stop_play (self);
  set_record (self, find_record (self, (double) step));
}

void
normscope_training_transport_attach (NormscopeTrainingTransport *self, NormscopePlot *plot)
{
  GtkGesture *press = gtk_gesture_click_new ();

  g_return_if_fail (NORMSCOPE_IS_TRAINING_TRANSPORT (self));
  g_return_if_fail (NORMSCOPE_IS_PLOT (plot));
  g_signal_connect_object (press, "pressed", G_CALLBACK (pressed_cb), self, G_CONNECT_SWAPPED);
  gtk_widget_add_controller (GTK_WIDGET (plot), GTK_EVENT_CONTROLLER (press));
}

/* ---- replay ---- */

static gboolean
tick_cb (GtkWidget *widget, GdkFrameClock *clock, gpointer data)
{
  NormscopeTrainingTransport *self = NORMSCOPE_TRAINING_TRANSPORT (widget);
  int n = self->newest - self->play_first;
  double each_ms = fmin (PLAY_MS, PLAY_MOST_S * 1e3 / MAX (n, 1));
  double passed_ms = (double) (gdk_frame_clock_get_frame_time (clock) - self->play_from) / 1e3;
  int record = self->play_first + (int) (passed_ms / each_ms);

  if (record < self->newest)
    {
      set_record (self, record);
      return G_SOURCE_CONTINUE;
    }
  set_record (self, self->newest);
  self->tick_id = 0;
  show_play (self);
  g_signal_emit (self, training_transport_signals[TRAINING_TRANSPORT_SIGNAL_RECORD_CHANGED], 0);
  return G_SOURCE_REMOVE;
}

static gboolean
is_animated (GtkWidget *widget)
{
  gboolean animated = TRUE;

  g_object_get (gtk_widget_get_settings (widget), "gtk-enable-animations", &animated, NULL);
  return animated;
}

void
normscope_training_transport_play (NormscopeTrainingTransport *self)
{
  g_return_if_fail (NORMSCOPE_IS_TRAINING_TRANSPORT (self));
  if (self->newest < 1)
    return;
  if (self->tick_id != 0)
    {
      stop_play (self);
      return;
    }
  self->play_first = self->shown < self->newest ? MAX (self->shown, 0) : 0;
  if (!is_animated (GTK_WIDGET (self)))
    {
      /* each click is a step, as the desktop asks for no motion */
      set_record (self, self->shown < self->newest ? self->shown + 1 : 0);
      return;
    }
  self->play_from = g_get_monotonic_time ();
  set_record (self, self->play_first);
  self->tick_id = gtk_widget_add_tick_callback (GTK_WIDGET (self), tick_cb, NULL, NULL);
  show_play (self);
  g_signal_emit (self, training_transport_signals[TRAINING_TRANSPORT_SIGNAL_RECORD_CHANGED], 0);
}

gboolean
normscope_training_transport_is_playing (NormscopeTrainingTransport *self)
{
  g_return_val_if_fail (NORMSCOPE_IS_TRAINING_TRANSPORT (self), FALSE);
  return self->tick_id != 0;
}

/* ---- the scale of the slider ---- */

/* Return where a step is on the slider, between two records. */
static double
get_position (const gint64 *records, guint n, gint64 step)
{
  guint r = 0;

  while (r + 1 < n && records[r + 1] <= step)
    r++;
  return r + 1 < n ? r + (double) (step - records[r]) / (double) (records[r + 1] - records[r]) : r;
}

static void
add_mark (NormscopeTrainingTransport *self, double position, gint64 step)
{
  g_autofree char *text = g_strdup_printf ("%d", (int) step);

  gtk_scale_add_mark (self->scale, position, GTK_POS_BOTTOM, text);
}

/* Mark the first and the last step, and between them 1, 2, 5, 10, … where there is room for the number. */
static void
show_scale (NormscopeTrainingTransport *self)
{
  const gint64 *records;
  double gap, last = 0;
  gint64 end;
  guint n;

  gtk_scale_clear_marks (self->scale);
  if (self->training == NULL)
    return;
  records = ns_training_get_records (self->training, &n);
  end = records[n - 1];
  gap = MAX ((double) (n - 1) / MARKS, 1);
  add_mark (self, 0, 0);
  for (gint64 ten = 1; ten < end; ten *= 10)
    for (int i = 0; i < 3; i++)
      {
        gint64 step = ten * (gint64[]){ 1, 2, 5 }[i];
        double position = get_position (records, n, step);

        if (step >= end || position < last + gap || position > n - 1 - gap)
          continue;
        add_mark (self, position, step);
        last = position;
      }
  if (end > 0)
    add_mark (self, n - 1, end);
}

/* ---- from the training ---- */

/* Make the button as wide as the longest of its labels, so that the others do not move. */
static void
fix_width (GtkButton *button)
{
  const char *const labels[] = { _ ("Pause"), _ ("Train"), _ ("Train Again"), _ ("Go On") };
  glong n_chars = 0;

  for (gsize i = 0; i < G_N_ELEMENTS (labels); i++)
    n_chars = MAX (n_chars, g_utf8_strlen (labels[i], -1));
  gtk_label_set_width_chars (GTK_LABEL (gtk_button_get_child (button)), (int) n_chars);
}

static void
show_buttons (NormscopeTrainingTransport *self, gboolean running, gboolean stale)
{
  gboolean begins = self->training == NULL || stale;
  gboolean finished = !begins
                      && ns_training_count_finished_seeds (self->training) == ns_training_get_n_seeds (self->training);

  gtk_button_set_label (self->train_button, running            ? _ ("Pause")
                                            : begins           ? _ ("Train")
                                            : finished         ? _ ("Train Again")
                                                               : _ ("Go On"));
  normscope_update_tooltip (GTK_WIDGET (self->train_button),
                            running ? _ ("Pause the training (Space)")
                                    : _ ("Train every variant with every seed (Space)"));
  gtk_widget_set_sensitive (GTK_WIDGET (self->step_button), !running && !finished);
  gtk_widget_set_sensitive (GTK_WIDGET (self->play_button), self->newest > 0);
  gtk_widget_set_sensitive (GTK_WIDGET (self->scale), self->newest > 0);
}

void
normscope_training_transport_update (NormscopeTrainingTransport *self, NsTraining *training, gboolean running,
                                     gboolean stale)
{
  g_return_if_fail (NORMSCOPE_IS_TRAINING_TRANSPORT (self));

  if (training != self->training)
    {
      guint n = 0;

      stop_play (self);
      g_clear_pointer (&self->training, ns_training_unref);
      self->training = training != NULL ? ns_training_ref (training) : NULL;
      if (training != NULL)
        ns_training_get_records (training, &n);
      self->updating = TRUE;
      gtk_range_set_range (GTK_RANGE (self->scale), 0, MAX ((int) n - 1, 1));
      show_scale (self);
      self->updating = FALSE;
      self->shown = -1;
    }
  self->newest = training != NULL ? find_newest (self) : -1;
  gtk_range_set_fill_level (GTK_RANGE (self->scale), MAX (self->newest, 0));
  show_buttons (self, running, stale);
  show_record (self);
}

/* ---- the object ---- */

static void
transport_changed_cb (NormscopeTrainingTransport *self, guint change)
{
  if ((change & NORMSCOPE_CHANGED_STEP) != 0)
    show_record (self);
}

void
normscope_training_transport_set_session (NormscopeTrainingTransport *self, NormscopeSession *session)
{
  g_return_if_fail (NORMSCOPE_IS_TRAINING_TRANSPORT (self));
  g_return_if_fail (NORMSCOPE_IS_SESSION (session) && self->session == NULL);
  self->session = g_object_ref (session);
  g_signal_connect_object (session, "changed", G_CALLBACK (transport_changed_cb), self, G_CONNECT_SWAPPED);
  normscope_training_transport_update (self, NULL, FALSE, FALSE);
}

static gboolean
normscope_training_transport_grab_focus (GtkWidget *widget)
{
  return gtk_widget_grab_focus (GTK_WIDGET (NORMSCOPE_TRAINING_TRANSPORT (widget)->train_button));
}

static void
normscope_training_transport_unmap (GtkWidget *widget)
{
  stop_play (NORMSCOPE_TRAINING_TRANSPORT (widget));
  GTK_WIDGET_CLASS (normscope_training_transport_parent_class)->unmap (widget);
}

static void
normscope_training_transport_dispose (GObject *object)
{
  NormscopeTrainingTransport *self = NORMSCOPE_TRAINING_TRANSPORT (object);

  g_clear_pointer (&self->training, ns_training_unref);
  g_clear_object (&self->session);
  G_OBJECT_CLASS (normscope_training_transport_parent_class)->dispose (object);
}

static void
normscope_training_transport_class_init (NormscopeTrainingTransportClass *klass)
{
  static const char *const names[N_TRAINING_TRANSPORT_SIGNALS] = { "train", "step", "record-changed" };

  G_OBJECT_CLASS (klass)->dispose = normscope_training_transport_dispose;
  GTK_WIDGET_CLASS (klass)->grab_focus = normscope_training_transport_grab_focus;
  GTK_WIDGET_CLASS (klass)->unmap = normscope_training_transport_unmap;
  for (int i = 0; i < N_TRAINING_TRANSPORT_SIGNALS; i++)
    training_transport_signals[i] =
        g_signal_new (names[i], G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  gtk_widget_class_set_css_name (GTK_WIDGET_CLASS (klass), "trainingtransport");
}

static GtkButton *
add_button (NormscopeTrainingTransport *self, const char *label, GCallback callback)
{
  GtkWidget *button = label != NULL ? gtk_button_new_with_label (label) : gtk_button_new ();

  g_signal_connect_swapped (button, "clicked", callback, self);
  gtk_widget_set_valign (button, GTK_ALIGN_CENTER); /* the slider with its numbers is higher */
  gtk_box_append (GTK_BOX (self), button);
  return GTK_BUTTON (button);
}

static void
normscope_training_transport_init (NormscopeTrainingTransport *self)
{
  self->newest = self->shown = -1;
  gtk_box_set_spacing (GTK_BOX (self), 6);
  self->train_button = add_button (self, _ ("Train"), G_CALLBACK (train_cb));
  fix_width (self->train_button);
  gtk_widget_add_css_class (GTK_WIDGET (self->train_button), "suggested-action");
  self->step_button = add_button (self, _ ("Step"), G_CALLBACK (step_cb));
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->step_button), _ ("Do one step of every variant"));
  self->play_button = add_button (self, NULL, G_CALLBACK (normscope_training_transport_play));
  show_play (self);
  self->scale = GTK_SCALE (gtk_scale_new_with_range (GTK_ORIENTATION_HORIZONTAL, 0, 1, 1));
  gtk_scale_set_draw_value (self->scale, FALSE);
  gtk_range_set_show_fill_level (GTK_RANGE (self->scale), TRUE);
  gtk_widget_set_hexpand (GTK_WIDGET (self->scale), TRUE);
  gtk_widget_set_size_request (GTK_WIDGET (self->scale), 120, -1);
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->scale), _ ("The recorded step that blocks and wiring show"));
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->scale), GTK_ACCESSIBLE_PROPERTY_LABEL, _ ("Step"), -1);
  g_signal_connect_swapped (self->scale, "value-changed", G_CALLBACK (moved_cb), self);
  gtk_box_append (GTK_BOX (self), GTK_WIDGET (self->scale));
  self->label = GTK_LABEL (gtk_label_new (NULL));
  gtk_label_set_width_chars (self->label, 16);
  gtk_label_set_xalign (self->label, 1);
  gtk_widget_add_css_class (GTK_WIDGET (self->label), "numeric");
  gtk_box_append (GTK_BOX (self), GTK_WIDGET (self->label));
}
