/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/scaling/normscope-scaling-view.h"

#include <adwaita.h>
#include <glib/gi18n-lib.h>
#include <math.h>

#include "app/shared/normscope-flap.h"
#include "app/shared/normscope-plot.h"
#include "app/shared/normscope-sentence.h"
#include "app/scaling/normscope-scaling-claims.h"
#include "app/scaling/normscope-scaling-options.h"
#include "app/scaling/normscope-scaling-plan.h"
#include "app/scaling/normscope-scaling-plot-controls.h"
#include "app/scaling/normscope-scaling-status.h"
#include "app/scaling/normscope-scaling-theory.h"
#include "app/scaling/normscope-scaling-undo.h"

/* Interval at which a running sweep is checked for new points. */
#define POLL_MS 50
/* A new sweep without points replaces the one on screen only after this, so that a dragged slider does not flicker. */
#define EMPTY_DELAY_US (150 * G_TIME_SPAN_MILLISECOND)
/* Shorter runs do not show that the view is busy. */
#define BUSY_DELAY_US (300 * G_TIME_SPAN_MILLISECOND)
/* Longer tasks show their progress and the time left. */
#define PROGRESS_DELAY_US (1000 * G_TIME_SPAN_MILLISECOND)

struct _NormscopeScalingView
{
  GtkBox parent_instance;

  NormscopeScalingBar *bar;
  GtkRevealer *error_revealer;
  GtkLabel *error_label;
  AdwFlap *flap;
  NormscopeScalingClaims *claims;
  NormscopePlot *plot;
  GtkProgressBar *progress_bar;
  NormscopeSentence *sentence;
  GtkStack *readout_stack;
  GtkLabel *hint_label;
  GtkLabel *readout_label;
  GtkLabel *status_label;

  NormscopeSession *session;
  NormscopeScalingRunner *runner;
  NsSweep *shown; /* on screen, or NULL */
  guint n_drawn;  /* count of its numbers in the figure */
  gboolean new_axes;
  gboolean stale;    /* the tasks for the current settings have not been started */
  gint64 started_at; /* monotonic time at which the list of tasks started */
  gint64 task_at;    /* monotonic time at which the running task started */
  gboolean claims_current; /* the cards reflect the current list of tasks */
  guint submit_id;
  guint poll_id;
  NormscopeScalingUndo *undo;
  NormscopeScalingTheory *theory;
};

G_DEFINE_FINAL_TYPE (NormscopeScalingView, normscope_scaling_view, GTK_TYPE_BOX)

/* ---- the tasks ---- */

/* Return the task whose sweep is to be shown, or NULL. */
static NormscopeTask *
get_main_task (NormscopeScalingView *self)
{
  GPtrArray *tasks = normscope_scaling_runner_get_tasks (self->runner);

  return tasks->len > 0 ? g_ptr_array_index (tasks, 0) : NULL;
}

/* ---- the figure ---- */

static void
get_options (NormscopeScalingView *self, NsScalingOptions *options)
{
  const NormscopeTask *task = get_main_task (self);
  gboolean stopped = task != NULL && task->sweep == self->shown && task->state != NORMSCOPE_TASK_WAITING;

  normscope_scaling_get_options (self->session, self->shown, stopped, options);
  normscope_scaling_theory_apply (self->theory, self->shown, options);
}

static void
show_readout (NormscopeScalingView *self)
{
  double cursor = normscope_session_get_asking (self->session) ? NAN : normscope_plot_get_cursor (self->plot);
  NsScalingOptions options;
  g_autofree char *text = NULL;
  guint n_points;

  gtk_stack_set_visible_child_name (self->readout_stack, isnan (cursor) ? "hint" : "readout");
  if (self->shown == NULL)
    return;
  get_options (self, &options);
  /* Without a crosshair, fill the hidden read-out with some line, so that the plot keeps its size when one appears. */
  if (isnan (cursor))
    cursor = (double) ns_sweep_get_points (self->shown, &n_points)[0];
  else if (options.log_x)
    cursor = pow (10, cursor);
  text = ns_scaling_readout (self->shown, &options, cursor);
  gtk_label_set_label (self->readout_label, text);
}

static void
show_status (NormscopeScalingView *self)
{
  NormscopeTask *current = normscope_scaling_runner_get_current (self->runner), *task = get_main_task (self);
  g_autofree char *text = NULL;

  if (current != NULL && g_get_monotonic_time () - self->task_at > PROGRESS_DELAY_US)
    text = normscope_scaling_dup_progress_status (current, current == task, self->task_at);
  else if (task != NULL)
    text = normscope_scaling_dup_task_status (task, self->status_label);
  gtk_label_set_label (self->status_label, text != NULL ? text : "");
}

const NsSweep *
normscope_scaling_view_get_shown (NormscopeScalingView *self, NsScalingOptions *options)
{
  if (self->shown != NULL)
    get_options (self, options);
  return self->shown;
}

static void
show_figure (NormscopeScalingView *self)
{
  NsFigureSource source = { .sweep = self->shown };
  NsFigureOptions options;
  NsFigure *figure;
  g_autofree char *sentence = NULL;
  g_autoptr (GArray) links = NULL;

  if (self->shown == NULL)
    return;
  ns_figure_options_init (&options);
  get_options (self, &options.scaling);
  source.experiment = ns_sweep_get_experiment (self->shown);
  figure = ns_figure_make_linked (NS_FIGURE_SCALING, &source, &options, &sentence, &links);
  if (normscope_session_get_asking (self->session))
    normscope_sentence_hide (&sentence, &links);
  normscope_plot_take_figure (self->plot, figure, sentence, self->new_axes);
  self->new_axes = FALSE;
  normscope_sentence_set_text (self->sentence, sentence, links);
  show_readout (self);
  show_status (self);
}

static void
show_error (NormscopeScalingView *self, const char *message)
{
  if (message != NULL)
    gtk_label_set_label (self->error_label, message);
  gtk_revealer_set_reveal_child (self->error_revealer, message != NULL);
}

static void
show_claims (NormscopeScalingView *self)
{
  if (!adw_flap_get_reveal_flap (self->flap))
    return;
  normscope_scaling_claims_show (self->claims, normscope_session_get_experiment (self->session),
                                 normscope_scaling_runner_get_tasks (self->runner));
  self->claims_current = TRUE;
}

/* Redraw when the sweep has new numbers. A new sweep replaces the one on screen once it has numbers or has ended. */
static void
update_sweep (NormscopeScalingView *self)
{
  NormscopeTask *task = get_main_task (self);
  guint n;

  if (task == NULL)
    return;
  n = normscope_task_count_numbers (task);
  if (task->sweep != self->shown)
    {
      if (n == 0 && task->state == NORMSCOPE_TASK_WAITING && self->shown != NULL
          && g_get_monotonic_time () - self->started_at < EMPTY_DELAY_US)
        return;
      g_clear_pointer (&self->shown, ns_sweep_unref);
      self->shown = ns_sweep_ref (task->sweep);
    }
  else if (n == self->n_drawn)
    {
      return;
    }
  self->n_drawn = n;
  show_figure (self);
}

/* ---- progress ---- */

static void
show_progress (NormscopeScalingView *self)
{
  NormscopeTask *current = normscope_scaling_runner_get_current (self->runner);
  gint64 now = g_get_monotonic_time ();
  gboolean is_long = current != NULL && now - self->task_at > PROGRESS_DELAY_US;
  guint64 done, total;

  normscope_scaling_bar_set_busy (self->bar, current != NULL && now - self->started_at > BUSY_DELAY_US);
  gtk_widget_set_visible (GTK_WIDGET (self->progress_bar), is_long);
  if (is_long)
    {
      ns_progress_get (current->progress, &done, &total);
      gtk_progress_bar_set_fraction (self->progress_bar, total > 0 ? MIN (1.0, (double) done / (double) total) : 0);
    }
  show_status (self);
  gtk_accessible_update_state (GTK_ACCESSIBLE (self->plot), GTK_ACCESSIBLE_STATE_BUSY, current != NULL, -1);
}

static gboolean
poll_cb (gpointer data)
{
  NormscopeScalingView *self = data;

  update_sweep (self);
  show_progress (self);
  if (!self->claims_current && g_get_monotonic_time () - self->started_at > BUSY_DELAY_US)
    show_claims (self);
  if (normscope_scaling_runner_get_current (self->runner) != NULL)
    return G_SOURCE_CONTINUE;
  self->poll_id = 0;
  return G_SOURCE_REMOVE;
}

static void
runner_changed_cb (NormscopeScalingView *self)
{
  NormscopeTask *task = get_main_task (self);

  self->task_at = g_get_monotonic_time ();
  update_sweep (self);
  /* The sweep has ended: draw it once more as final. */
  if (task->state != NORMSCOPE_TASK_WAITING && task->sweep == self->shown)
    show_figure (self);
  show_error (self, task->state == NORMSCOPE_TASK_FAILED ? task->error->message : NULL);
  show_claims (self);
  show_progress (self);
}

/* ---- running ---- */

/* Run the tasks for the current settings; unless `restart`, reuse the results of finished ones. */
static void
start_tasks (NormscopeScalingView *self, gboolean restart)
{
  const GError *invalid = normscope_session_get_error (self->session);
  g_autoptr (GError) error = NULL;
  GPtrArray *tasks = NULL;

  self->stale = FALSE;
  if (invalid == NULL)
    tasks = normscope_scaling_plan (normscope_session_get_experiment (self->session),
                                    normscope_scaling_bar_get_settings (self->bar),
                                    adw_flap_get_reveal_flap (self->flap),
                                    restart ? NULL : normscope_scaling_runner_get_tasks (self->runner), &error);
  show_error (self, invalid != NULL ? invalid->message : error != NULL ? error->message : NULL);
  if (tasks == NULL)
    {
      normscope_scaling_runner_stop (self->runner);
      show_figure (self);
      show_progress (self);
      return;
    }
  normscope_scaling_runner_take_tasks (self->runner, tasks);
  self->started_at = self->task_at = g_get_monotonic_time ();
  self->claims_current = FALSE;
  update_sweep (self);
  show_progress (self);
  if (normscope_scaling_runner_get_current (self->runner) == NULL)
    show_claims (self);
  else if (self->poll_id == 0)
    self->poll_id = g_timeout_add (POLL_MS, poll_cb, self);
}

static gboolean
submit_cb (gpointer data)
{
  NormscopeScalingView *self = data;

  self->submit_id = 0;
  start_tasks (self, FALSE);
  return G_SOURCE_REMOVE;
}

/* Start once for several changes in a row, before the next frame. */
static void
queue_submit (NormscopeScalingView *self)
{
  self->stale = TRUE;
  if (self->submit_id == 0 && self->session != NULL && gtk_widget_get_mapped (GTK_WIDGET (self)))
    self->submit_id = g_idle_add_full (G_PRIORITY_DEFAULT, submit_cb, self, NULL);
}

static void
view_run_cb (NormscopeScalingView *self)
{
  start_tasks (self, TRUE);
}

static void
cancel_cb (NormscopeScalingView *self)
{
  normscope_scaling_runner_stop (self->runner);
  update_sweep (self);
  show_figure (self);
  show_claims (self);
  show_progress (self);
}

AdwFlap *
normscope_scaling_view_get_flap (NormscopeScalingView *self)
{
  return self->flap;
}

NormscopePlot *
normscope_scaling_view_get_plot (NormscopeScalingView *self)
{
  return self->plot;
}

void
normscope_scaling_view_toggle_axis (NormscopeScalingView *self, gboolean is_vertical)
{
  g_return_if_fail (NORMSCOPE_IS_SCALING_VIEW (self));
  normscope_scaling_toggle_axis (self->bar, is_vertical ? 0 : NORMSCOPE_X_AXIS);
}

/* ---- changes ---- */

static void
view_session_changed_cb (NormscopeScalingView *self, guint change)
{
  if ((change & NORMSCOPE_CHANGED_VIEW) != 0)
    normscope_plot_scale_view (self->plot, GTK_WIDGET (self),
                               normscope_session_get_text_scale (self->session));
  if ((change & NORMSCOPE_CHANGED_EXPERIMENT) != 0)
    queue_submit (self);
  if ((change & (NORMSCOPE_CHANGED_VIEW | NORMSCOPE_CHANGED_VARIANTS)) != 0)
    show_figure (self);
}

static void
bar_changed_cb (NormscopeScalingView *self, guint change)
{
  if ((change & (NS_SCALING_CHANGED_SWEEP | NS_SCALING_CHANGED_AXES)) != 0)
    {
      self->new_axes = TRUE;
      normscope_plot_set_cursor (self->plot, NAN);
    }
  gtk_label_set_label (self->hint_label, normscope_scaling_get_hint (normscope_scaling_bar_get_settings (self->bar)));
  if ((change & NS_SCALING_CHANGED_SWEEP) != 0)
    queue_submit (self);
  else
    show_figure (self);
}

static void
claims_revealed_cb (NormscopeScalingView *self)
{
  if (adw_flap_get_reveal_flap (self->flap) && self->session != NULL)
    queue_submit (self);
}

/* ---- set-up of a claim ---- */

static void
view_set_up_cb (NormscopeScalingView *self, const NsClaim *claim)
{
  normscope_scaling_undo_set_up (self->undo, claim);
}

void
normscope_scaling_view_undo (NormscopeScalingView *self)
{
  g_return_if_fail (NORMSCOPE_IS_SCALING_VIEW (self));
  normscope_scaling_undo_undo (self->undo);
}

/* ---- the object ---- */

void
normscope_scaling_view_set_session (NormscopeScalingView *self, NormscopeSession *session,
                                    NormscopeScalingRunner *runner, NormscopeMessage *message)
{
  g_return_if_fail (NORMSCOPE_IS_SCALING_VIEW (self));
  g_return_if_fail (NORMSCOPE_IS_SESSION (session) && self->session == NULL);

  self->session = g_object_ref (session);
  self->runner = g_object_ref (runner);
  g_signal_connect_object (self->runner, "changed", G_CALLBACK (runner_changed_cb), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (session, "changed", G_CALLBACK (view_session_changed_cb), self, G_CONNECT_SWAPPED);
  normscope_scaling_bar_set_session (self->bar, session);
  self->undo = normscope_scaling_undo_new (GTK_WIDGET (self), message, session);
  normscope_plot_scale_view (self->plot, GTK_WIDGET (self),
                             normscope_session_get_text_scale (self->session));
  gtk_label_set_label (self->hint_label, normscope_scaling_get_hint (normscope_scaling_bar_get_settings (self->bar)));
}

static void
normscope_scaling_view_map (GtkWidget *widget)
{
  NormscopeScalingView *self = NORMSCOPE_SCALING_VIEW (widget);

  GTK_WIDGET_CLASS (normscope_scaling_view_parent_class)->map (widget);
  if (self->stale)
    queue_submit (self);
}

static void
normscope_scaling_view_unmap (GtkWidget *widget)
{
  NormscopeScalingView *self = NORMSCOPE_SCALING_VIEW (widget);

  g_clear_handle_id (&self->submit_id, g_source_remove);
  if (self->runner != NULL && normscope_scaling_runner_get_current (self->runner) != NULL)
    {
      cancel_cb (self);
      self->stale = TRUE;
    }
  GTK_WIDGET_CLASS (normscope_scaling_view_parent_class)->unmap (widget);
}

static void
normscope_scaling_view_dispose (GObject *object)
{
  NormscopeScalingView *self = NORMSCOPE_SCALING_VIEW (object);

  g_clear_handle_id (&self->submit_id, g_source_remove);
  g_clear_handle_id (&self->poll_id, g_source_remove);
  g_clear_object (&self->undo);
  g_clear_object (&self->theory);
  g_clear_pointer (&self->shown, ns_sweep_unref);
  g_clear_object (&self->runner);
  g_clear_object (&self->session);
  G_OBJECT_CLASS (normscope_scaling_view_parent_class)->dispose (object);
}

static void
bind_view_template (GtkWidgetClass *widget_class)
{
  gtk_widget_class_set_template_from_resource (widget_class, "/org/normscope/Normscope/normscope-scaling-view.ui");
  gtk_widget_class_bind_template_child (widget_class, NormscopeScalingView, bar);
  gtk_widget_class_bind_template_child (widget_class, NormscopeScalingView, error_revealer);
  gtk_widget_class_bind_template_child (widget_class, NormscopeScalingView, error_label);
  gtk_widget_class_bind_template_child (widget_class, NormscopeScalingView, flap);
  gtk_widget_class_bind_template_child (widget_class, NormscopeScalingView, claims);
  gtk_widget_class_bind_template_child (widget_class, NormscopeScalingView, plot);
  gtk_widget_class_bind_template_child (widget_class, NormscopeScalingView, progress_bar);
  gtk_widget_class_bind_template_child (widget_class, NormscopeScalingView, sentence);
  gtk_widget_class_bind_template_child (widget_class, NormscopeScalingView, readout_stack);
  gtk_widget_class_bind_template_child (widget_class, NormscopeScalingView, hint_label);
  gtk_widget_class_bind_template_child (widget_class, NormscopeScalingView, readout_label);
  gtk_widget_class_bind_template_child (widget_class, NormscopeScalingView, status_label);
  gtk_widget_class_bind_template_callback (widget_class, bar_changed_cb);
  gtk_widget_class_bind_template_callback (widget_class, view_run_cb);
  gtk_widget_class_bind_template_callback (widget_class, cancel_cb);
  gtk_widget_class_bind_template_callback (widget_class, claims_revealed_cb);
  gtk_widget_class_bind_template_callback (widget_class, view_set_up_cb);
  gtk_widget_class_bind_template_callback (widget_class, show_readout);
}

static void
normscope_scaling_view_class_init (NormscopeScalingViewClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = normscope_scaling_view_dispose;
  widget_class->map = normscope_scaling_view_map;
  widget_class->unmap = normscope_scaling_view_unmap;

  g_type_ensure (NORMSCOPE_TYPE_PLOT);
  g_type_ensure (NORMSCOPE_TYPE_SENTENCE);
  g_type_ensure (NORMSCOPE_TYPE_SCALING_BAR);
  g_type_ensure (NORMSCOPE_TYPE_SCALING_CLAIMS);
  bind_view_template (widget_class);
  gtk_widget_class_set_css_name (widget_class, "scalingview");
}

static void
normscope_scaling_view_init (NormscopeScalingView *self)
{
  self->stale = TRUE;
  gtk_widget_init_template (GTK_WIDGET (self));
  normscope_flap_set_up (self->flap);
  normscope_scaling_add_plot_controls (self->plot, self->bar);
  self->theory = normscope_scaling_theory_new ();
  g_signal_connect_object (self->theory, "ready", G_CALLBACK (show_figure), self, G_CONNECT_SWAPPED);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->plot), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _("The measured quantity against depth or width"), -1);
}
