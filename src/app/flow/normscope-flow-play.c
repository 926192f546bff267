/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/flow/normscope-flow-play.h"

#include <glib/gi18n-lib.h>
#include <math.h>

#include "app/controls/normscope-flow-plot-controls.h"
#include "app/shared/normscope-update.h"
#include "engine/experiment/ns-quantity.h"

/* Beyond every block. */
#define FAR_X 1e9
/* A stack is crossed in about this many steps where each is a press of a key. */
#define MAX_STEPS 48

typedef enum { STOPPED, FORWARD, BACKWARD } Phase;

struct _NormscopeFlowPlay
{
  GtkWidget *view;
  NormscopePlot *plot;
  NormscopeSession *session;
  GtkButton *button;
  GtkLabel *label;
  char *hint; /* the text of the label when nothing plays */

  Phase phase;
  double x;           /* how far the pass has come, axis units */
  double first, last; /* blocks, or the input */
  double former_cursor;
  guint tick_id;      /* 0 while it pauses */
  gint64 frame_time;  /* of the last frame, µs; 0 before the first */
};

/* ---- what is shown ---- */

static double
get_block (NormscopeFlowPlay *self)
{
  double x = self->phase == FORWARD ? ceil (self->x - 0.5) : floor (self->x + 0.5);

  return ns_figure_nearest_x (normscope_plot_get_figure (self->plot), CLAMP (x, self->first, self->last));
}

static char *
dup_state (NormscopeFlowPlay *self)
{
  const NsExperiment *experiment = normscope_session_get_experiment (self->session);
  NsPlace place = ns_flow_get_place (experiment, get_block (self));
  int block = (int) place.block, depth = (int) ns_experiment_get_depth (experiment, place.part);
  gboolean forward = self->phase == FORWARD;

  if (block == 0)
    return g_strdup (forward ? _ ("Forward pass, input") : _ ("Backward pass, input"));
  if (place.part == NS_PART_ENCODER)
    return g_strdup_printf (forward ? _ ("Forward pass, encoder block %d of %d")
                                    : _ ("Backward pass, encoder block %d of %d"),
                            block, depth);
  if (place.part == NS_PART_DECODER)
    return g_strdup_printf (forward ? _ ("Forward pass, decoder block %d of %d")
                                    : _ ("Backward pass, decoder block %d of %d"),
                            block, depth);
  return g_strdup_printf (forward ? _ ("Forward pass, block %d of %d") : _ ("Backward pass, block %d of %d"), block,
                          depth);
}

static void
show_label (NormscopeFlowPlay *self)
{
  g_autofree char *state = self->phase != STOPPED ? dup_state (self) : NULL;
  g_autofree char *paused = NULL;

  if (state != NULL && self->tick_id == 0)
    /* Translators: what is shown, and the keys while it pauses */
    paused = g_strdup_printf (_ ("%s · Space: go on · ← →: step · Esc: end"), state);
  gtk_label_set_label (self->label, paused != NULL ? paused : state != NULL ? state : self->hint);
}

static void
show_button (NormscopeFlowPlay *self)
{
  const char *text = self->tick_id != 0 ? _ ("Pause") : _ ("Play: follow the gradient");
  g_autofree char *tooltip = g_strdup_printf ("%s (%s)", text, _ ("Space"));

  gtk_button_set_icon_name (self->button,
                            self->tick_id != 0 ? "media-playback-pause-symbolic" : "media-playback-start-symbolic");
  normscope_update_tooltip (GTK_WIDGET (self->button), tooltip);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->button), GTK_ACCESSIBLE_PROPERTY_LABEL, text, -1);
}

static void
show (NormscopeFlowPlay *self)
{
  const NsFigure *figure = normscope_plot_get_figure (self->plot);

  for (guint p = 0; p < figure->panels->len; p++)
    if (p != NORMSCOPE_GRADIENT_PANEL)
      normscope_plot_set_reveal (self->plot, p, -FAR_X, self->phase == FORWARD ? self->x : FAR_X);
    else if (self->phase == FORWARD)
      normscope_plot_set_reveal (self->plot, p, FAR_X, FAR_X);
    else
      normscope_plot_set_reveal (self->plot, p, self->x, FAR_X);
  normscope_session_set_cursor (self->session, get_block (self));
  show_label (self);
}

/* ---- time ---- */

void
normscope_flow_play_stop (NormscopeFlowPlay *self)
{
  guint id = self->tick_id;

  if (self->phase == STOPPED)
    return;
  self->phase = STOPPED;
  self->tick_id = 0;
  if (id != 0)
    gtk_widget_remove_tick_callback (GTK_WIDGET (self->plot), id);
  normscope_plot_set_locked (self->plot, FALSE);
  normscope_plot_clear_reveal (self->plot);
  normscope_session_set_cursor (self->session, self->former_cursor);
  show_button (self);
  show_label (self);
}

/* Move by some blocks in the direction of the pass. Return FALSE if that was the end. */
static gboolean
advance (NormscopeFlowPlay *self, double blocks)
{
  self->x += self->phase == FORWARD ? blocks : -blocks;
  if (self->phase == FORWARD && self->x >= self->last + 0.5)
    {
      self->phase = BACKWARD;
      self->x = self->last + 0.5;
    }
  else if (self->phase == BACKWARD && self->x <= self->first - 0.5)
    {
      return FALSE;
    }
  show (self);
  return TRUE;
}

static gboolean
tick_cb (GtkWidget *widget, GdkFrameClock *clock, gpointer data)
{
  NormscopeFlowPlay *self = data;
  gint64 now = gdk_frame_clock_get_frame_time (clock);
  double seconds = self->frame_time != 0 ? (double) (now - self->frame_time) / G_USEC_PER_SEC : 0.0;

  self->frame_time = now;
  if (advance (self, seconds * (self->last - self->first + 1.0) / NORMSCOPE_PLAY_SECONDS))
    return G_SOURCE_CONTINUE;
  self->tick_id = 0;
  normscope_flow_play_stop (self);
  return G_SOURCE_REMOVE;
}

static gboolean
start (NormscopeFlowPlay *self)
{
  const NsFigure *figure = normscope_plot_get_figure (self->plot);

  if (figure == NULL || figure->is_partial || !gtk_widget_get_mapped (GTK_WIDGET (self->plot)))
    return FALSE;
  self->first = ns_figure_nearest_x (figure, -FAR_X);
  self->last = ns_figure_nearest_x (figure, FAR_X);
  if (isnan (self->first))
    return FALSE;
  self->former_cursor = normscope_plot_get_cursor (self->plot);
  self->phase = FORWARD;
  self->x = self->first - 0.5;
  normscope_plot_set_locked (self->plot, TRUE);
  return TRUE;
}

static void
set_running (NormscopeFlowPlay *self, gboolean running)
{
  if (!running && self->tick_id != 0)
    gtk_widget_remove_tick_callback (GTK_WIDGET (self->plot), self->tick_id);
  self->tick_id = running ? gtk_widget_add_tick_callback (GTK_WIDGET (self->plot), tick_cb, self, NULL) : 0;
  self->frame_time = 0;
  show_button (self);
  show (self);
}

static gboolean
wants_animations (NormscopeFlowPlay *self)
{
  gboolean enabled;

  g_object_get (gtk_widget_get_settings (self->view), "gtk-enable-animations", &enabled, NULL);
  return enabled;
}

/* Move to whole blocks: a step of time, or with `direction` to the left or right. */
static void
step (NormscopeFlowPlay *self, int direction)
{
  double middle = self->phase == FORWARD ? get_block (self) + 0.5 : get_block (self) - 0.5;
  gboolean with_pass = (direction > 0) == (self->phase == FORWARD);

  /* Finish the block that is half there. */
  if (with_pass && fabs (self->x - middle) > 0.01)
    {
      if (!advance (self, fabs (self->x - middle)))
        normscope_flow_play_stop (self);
    }
  else if (with_pass)
    {
      if (!advance (self, 1.0))
        normscope_flow_play_stop (self);
    }
  else if (self->phase == BACKWARD && self->x + 1.0 > self->last + 0.5)
    {
      self->phase = FORWARD;
      self->x = self->last + 0.5 - 0.001;
      show (self);
    }
  else
    {
      self->x = CLAMP (middle + direction, self->first - 0.5, self->last + 0.5);
      show (self);
    }
}

/* One step of time; deep stacks are crossed in MAX_STEPS of them. */
static void
press (NormscopeFlowPlay *self)
{
  int n = MAX (1, (int) ceil ((self->last - self->first + 1.0) / MAX_STEPS));
  Phase phase = self->phase;

  for (int i = 0; i < n && self->phase == phase; i++)
    step (self, self->phase == FORWARD ? 1 : -1);
}

void
normscope_flow_play_toggle (NormscopeFlowPlay *self)
{
  gboolean is_new = self->phase == STOPPED;

  if (is_new && !start (self))
    return;
  if (wants_animations (self))
    {
      set_running (self, self->tick_id == 0);
      return;
    }
  if (is_new || self->tick_id != 0)
    set_running (self, FALSE);
  press (self);
}

gboolean
normscope_flow_play_is_running (NormscopeFlowPlay *self)
{
  return self->tick_id != 0;
}

/* ---- keys ---- */

static gboolean
play_key_cb (NormscopeFlowPlay *self, guint key, guint code, GdkModifierType state)
{
  gboolean on_plot = gtk_widget_is_focus (GTK_WIDGET (self->plot));
  int forward = gtk_widget_get_direction (GTK_WIDGET (self->plot)) == GTK_TEXT_DIR_RTL ? -1 : 1;

  if ((state & (GDK_CONTROL_MASK | GDK_ALT_MASK)) != 0
      || (!on_plot && !gtk_widget_is_focus (GTK_WIDGET (self->button))))
    return GDK_EVENT_PROPAGATE;
  if (on_plot && (key == GDK_KEY_space || key == GDK_KEY_KP_Space))
    {
      normscope_flow_play_toggle (self);
      return GDK_EVENT_STOP;
    }
  if (self->phase == STOPPED)
    return GDK_EVENT_PROPAGATE;
  switch (key)
    {
    case GDK_KEY_Escape:
      normscope_flow_play_stop (self);
      return GDK_EVENT_STOP;
    case GDK_KEY_Right:
    case GDK_KEY_KP_Right:
    case GDK_KEY_Left:
    case GDK_KEY_KP_Left:
      if (self->tick_id == 0)
        step (self, key == GDK_KEY_Right || key == GDK_KEY_KP_Right ? forward : -forward);
      return GDK_EVENT_STOP;
    default:
      return GDK_EVENT_PROPAGATE;
    }
}

/* ---- the object ---- */

NormscopeFlowPlay *
normscope_flow_play_new (GtkWidget *view, NormscopePlot *plot, NormscopeSession *session, GtkButton *button,
                         GtkLabel *label)
{
  NormscopeFlowPlay *self = g_new0 (NormscopeFlowPlay, 1);
  GtkEventController *key = gtk_event_controller_key_new ();

  self->view = view;
  self->plot = plot;
  self->session = session;
  self->button = button;
  self->label = label;
  self->hint = g_strdup (gtk_label_get_label (label));
  self->former_cursor = NAN;
  /* Before the plot moves its crosshair. */
  gtk_event_controller_set_propagation_phase (key, GTK_PHASE_CAPTURE);
  g_signal_connect_swapped (key, "key-pressed", G_CALLBACK (play_key_cb), self);
  gtk_widget_add_controller (view, key);
  show_button (self);
  return self;
}

void
normscope_flow_play_free (NormscopeFlowPlay *self)
{
  if (self->tick_id != 0)
    gtk_widget_remove_tick_callback (GTK_WIDGET (self->plot), self->tick_id);
  g_free (self->hint);
  g_free (self);
}
