/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/flow/normscope-flow-view.h"

#include <adwaita.h>
#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

#include "app/flow/normscope-flow-marks.h"
#include "app/flow/normscope-flow-play.h"
#include "app/flow/normscope-flow-results.h"
#include "app/controls/normscope-flow-plot-controls.h"
#include "app/shared/normscope-plot.h"
#include "app/shared/normscope-readout.h"
#include "app/shared/normscope-sentence.h"
#include "app/work/normscope-run-status.h"
#include "engine/experiment/ns-experiment.h"
#include "figures/ns-links.h"

#define FORMER_MS 300 /* the picture of another document or step stays while a quick run makes the new one */

struct _NormscopeFlowView
{
  GtkBox parent_instance;

  GtkStack *stack;
  NormscopePlot *plot;
  AdwStatusPage *status_page;
  GtkRevealer *error_revealer;
  GtkLabel *error_label;
  GtkOverlay *overlay;
  NormscopeReadout *readout;
  NormscopeSentence *sentence;
  GtkLabel *status_label;
  GtkProgressBar *progress_bar;
  GtkWidget *cancel_button;
  GtkButton *play_button;
  GtkLabel *hint_label;

  NormscopeSession *session;
  NormscopeRunner *runner;
  NormscopeFlowResults results;
  gboolean new_axes; /* the next figure shows other quantities, so its axes start afresh */
  gboolean stale;    /* the current experiment runs when the view becomes visible */
  guint submit_id, former_id;

  NormscopeRunStatus *status;
  NormscopeFlowMarks *marks;
  NormscopeFlowPlay *play;
};

G_DEFINE_FINAL_TYPE (NormscopeFlowView, normscope_flow_view, GTK_TYPE_BOX)

/* ---- the result ---- */

static void
show_readout (NormscopeFlowView *self)
{
  const NsResult *shown = normscope_flow_results_get_shown (&self->results);
  double cursor = normscope_plot_get_cursor (self->plot);
  NsFlowOptions options;
  g_autofree char *line = NULL;
  gint64 x;

  /* Values that come and go with every frame cannot be read, and those of an open question must not be. */
  if (shown == NULL || isnan (cursor) || normscope_flow_play_is_running (self->play)
      || normscope_session_get_asking (self->session))
    {
      normscope_readout_take (self->readout, NULL, NULL);
      return;
    }
  normscope_session_get_flow_options (self->session, &options);
  x = (gint64) llround (cursor);
  line = ns_flow_readout (shown, &options, x);
  normscope_readout_take (self->readout, ns_flow_readout_table (shown, &options, x), line);
}

/* The plot's crosshair has moved: tell the session. */
static void
cursor_cb (NormscopeFlowView *self)
{
  if (self->session != NULL)
    normscope_session_set_cursor (self->session, normscope_plot_get_cursor (self->plot));
  show_readout (self);
}

static void
show_figure (NormscopeFlowView *self)
{
  const NsResult *shown = normscope_flow_results_get_shown (&self->results), *ghost = NULL;
  NsFigureOptions options;
  NsFigureSource source;
  NsFigure *figure;
  g_autofree char *sentence = NULL;
  g_autofree char *marks = NULL;
  g_autofree char *description = NULL;
  g_autoptr (GArray) links = NULL;

  if (shown == NULL)
    return;
  normscope_flow_play_stop (self->play);
  if (normscope_session_get_view (self->session)->ghost)
    ghost = normscope_flow_results_get_ghost (&self->results);
  source = normscope_flow_get_source (self->session, shown, ghost, &options);
  figure = ns_figure_make_linked (NS_FIGURE_FLOW, &source, &options, &sentence, &links);
  marks = ns_flow_dup_marks (shown, &options.flow);
  if (normscope_session_get_asking (self->session))
    {
      normscope_sentence_hide (&sentence, &links);
      g_clear_pointer (&marks, g_free);
    }
  description = marks != NULL ? g_strdup_printf ("%s\n%s", sentence, marks) : g_strdup (sentence);
  normscope_plot_take_figure (self->plot, figure, description, self->new_axes);
  self->new_axes = FALSE;
  normscope_sentence_set_text (self->sentence, sentence, links);
  gtk_stack_set_visible_child_name (self->stack, "plot");
  show_readout (self);
  normscope_run_status_set_shown (self->status, shown, NULL);
}

/* Whoever asks about token similarity in the sentence wants to see its panel. */
static void
link_cb (NormscopeFlowView *self, const char *page)
{
  NormscopeView view = *normscope_session_get_view (self->session);

  if (strcmp (page, NS_PAGE_OF_QUANTITY "token_cos") != 0)
    return;
  view.token_cos = NS_TOKEN_COS_ALWAYS;
  normscope_session_set_view (self->session, &view);
}

/* Without a figure, say why. */
static void
show_page (NormscopeFlowView *self, const char *title, const char *message)
{
  g_autofree char *markup = g_markup_escape_text (message, -1);

  adw_status_page_set_title (self->status_page, title);
  adw_status_page_set_description (self->status_page, markup);
  gtk_stack_set_visible_child_name (self->stack, "error");
}

static void
show_error (NormscopeFlowView *self, const char *message)
{
  gtk_label_set_label (self->error_label, message != NULL ? message : "");
  gtk_revealer_set_reveal_child (self->error_revealer, message != NULL && self->results.whole != NULL);
  if (message != NULL && self->results.whole == NULL)
    show_page (self, _ ("This Experiment Cannot Run"), message);
}

NormscopePicture *
normscope_flow_view_dup_picture (NormscopeFlowView *self, gboolean titles)
{
  const NsResult *result = normscope_flow_view_get_result (self);

  return result != NULL ? normscope_flow_dup_picture (self->session, result, titles) : NULL;
}

const NsResult *
normscope_flow_view_get_result (NormscopeFlowView *self)
{
  g_return_val_if_fail (NORMSCOPE_IS_FLOW_VIEW (self), NULL);
  return self->results.partial == NULL ? self->results.whole : NULL;
}

NormscopePlot *
normscope_flow_view_get_plot (NormscopeFlowView *self)
{
  g_return_val_if_fail (NORMSCOPE_IS_FLOW_VIEW (self), NULL);
  return self->plot;
}

void
normscope_flow_view_toggle_axis (NormscopeFlowView *self, int panel)
{
  g_return_if_fail (NORMSCOPE_IS_FLOW_VIEW (self));
  normscope_flow_toggle_axis (self->session, panel, self->plot);
}

void
normscope_flow_view_play (NormscopeFlowView *self)
{
  g_return_if_fail (NORMSCOPE_IS_FLOW_VIEW (self));
  if (normscope_flow_view_get_result (self) == NULL)
    return;
  normscope_flow_play_toggle (self->play);
  show_readout (self);
}

/* ---- running ---- */

/* Ask the runner for what the figure needs. Return TRUE if the result on screen has it, or its run measures it. */
static gboolean
ask_for_quantities (NormscopeFlowView *self)
{
  const NsResult *shown = normscope_flow_results_get_shown (&self->results);
  NsQuantitySet quantities;
  NsFlowOptions options;

  normscope_session_get_flow_options (self->session, &options);
  quantities = ns_flow_options_get_quantities (&options);
  normscope_runner_set_quantities (self->runner, &quantities);
  return shown != NULL && ns_result_has_all (shown, &quantities);
}

static void
result_cb (NormscopeFlowView *self, NsResult *result, gboolean complete)
{
  if (self->submit_id != 0) /* of settings that have changed meanwhile */
    return;
  normscope_flow_results_set_whole (&self->results, result);
  g_clear_handle_id (&self->former_id, g_source_remove); /* the next document has its own time */
  self->stale = self->stale && !(complete && ask_for_quantities (self)); /* another view may have asked for it */
  show_error (self, NULL);
  normscope_flow_marks_set_result (self->marks, self->results.whole);
  show_figure (self);
}

/* A hidden view waits for the whole result, and so does a question: axes that grow would give hints. */
static void
partial_cb (NormscopeFlowView *self, NsResult *partial)
{
  if (self->submit_id != 0 || !gtk_widget_get_mapped (GTK_WIDGET (self))
      || normscope_session_get_asking (self->session))
    return;
  normscope_flow_results_set_partial (&self->results, partial);
  normscope_flow_marks_set_result (self->marks, partial);
  show_error (self, NULL);
  show_figure (self);
}

static void
show_nothing (NormscopeFlowView *self)
{
  normscope_flow_marks_set_result (self->marks, NULL);
  normscope_run_status_set_shown (self->status, NULL, NULL);
  normscope_sentence_set_text (self->sentence, "", NULL);
  normscope_plot_filter_again (self->plot, ""); /* a question's filter empties it */
  show_readout (self);
}

/* Take a partial result from the screen, since its run has ended or a question is open. */
static void
drop_partial (NormscopeFlowView *self)
{
  if (!normscope_flow_results_drop_partial (&self->results))
    return;
  normscope_flow_marks_set_result (self->marks, self->results.whole);
  if (self->results.whole != NULL)
    show_figure (self);
  else
    show_nothing (self);
}

/* Take the picture of another document or step from the screen: it must not be taken for this one's. */
static gboolean
drop_former (gpointer data)
{
  NormscopeFlowView *self = data;

  g_clear_handle_id (&self->former_id, g_source_remove);
  if (normscope_flow_results_drop_former (&self->results) && self->results.partial == NULL)
    {
      show_nothing (self);
      gtk_stack_set_visible_child_name (self->stack, "busy");
    }
  return G_SOURCE_REMOVE;
}

static void
failed_cb (NormscopeFlowView *self, const GError *error)
{
  drop_former (self);
  drop_partial (self);
  show_error (self, error->message);
}

static gboolean
submit_cb (gpointer data)
{
  NormscopeFlowView *self = data;
  const GError *error = normscope_session_get_error (self->session);

  self->submit_id = 0;
  if (error != NULL)
    {
      normscope_runner_stop (self->runner);
      failed_cb (self, error);
    }
  else
    normscope_runner_submit (self->runner, normscope_session_get_experiment (self->session));
  return G_SOURCE_REMOVE;
}

/* Submit one job for several changes in a row, before the next frame; none while another view needs the processors. */
static void
queue_submit (NormscopeFlowView *self)
{
  self->stale = (self->stale || self->results.whole != NULL) && !gtk_widget_get_mapped (GTK_WIDGET (self));
  if (self->stale)
    normscope_runner_stop (self->runner);
  else if (self->submit_id == 0)
    self->submit_id = g_idle_add_full (G_PRIORITY_DEFAULT, submit_cb, self, NULL);
  if (self->submit_id != 0 && self->results.is_former && self->former_id == 0)
    self->former_id = g_timeout_add (FORMER_MS, drop_former, self);
}

/* Run again if the result lacks what the figure needs. */
static void
measure_more (NormscopeFlowView *self)
{
  if (ask_for_quantities (self) || normscope_flow_results_get_shown (&self->results) == NULL)
    return;
  self->stale = TRUE;
  if (gtk_widget_get_mapped (GTK_WIDGET (self))) /* else another view may use the runner */
    queue_submit (self);
}

static void
changed_cb (NormscopeFlowView *self, guint change)
{
  if ((change & NORMSCOPE_CHANGED_CURSOR) != 0)
    normscope_plot_set_cursor (self->plot, normscope_session_get_cursor (self->session));
  if ((change & ~(guint) (NORMSCOPE_CHANGED_CURSOR | NORMSCOPE_CHANGED_SELECTED)) != 0)
    normscope_flow_play_stop (self->play);
  if (normscope_session_get_asking (self->session))
    drop_partial (self);
  if ((change & NORMSCOPE_CHANGED_VIEW) != 0)
    {
      normscope_plot_scale_view (self->plot, GTK_WIDGET (self), normscope_session_get_text_scale (self->session));
      self->new_axes = TRUE;
    }
  if ((change & NORMSCOPE_CHANGED_EXPERIMENT) != 0)
    {
      ask_for_quantities (self);
      if ((change & NORMSCOPE_CHANGED_REPLACED) != 0)
        normscope_flow_results_drop_ghost (&self->results);
      else
        normscope_flow_results_keep_ghost (&self->results);
      queue_submit (self);
    }
  else if ((change & (NORMSCOPE_CHANGED_VIEW | NORMSCOPE_CHANGED_MARKS)) != 0)
    {
      measure_more (self);
      show_figure (self);
    }
}

/* ---- progress ---- */

static void
busy_cb (NormscopeFlowView *self)
{
  NormscopeBackground *runner = NORMSCOPE_BACKGROUND (self->runner);
  gboolean busy = normscope_background_get_busy (runner);

  normscope_run_status_set_running (self->status, busy ? runner : NULL, FALSE);
  gtk_accessible_update_state (GTK_ACCESSIBLE (self->plot), GTK_ACCESSIBLE_STATE_BUSY, busy, -1);
}

/* The last whole figure stays on screen. */
static void
cancel_cb (NormscopeFlowView *self)
{
  normscope_runner_stop (self->runner);
  drop_former (self);
  drop_partial (self);
  if (self->results.whole == NULL)
    show_page (self, _ ("Run Stopped"), _ ("The run was stopped before its first result."));
}

/* ---- recovery from an error ---- */

static void
restore_cb (NormscopeFlowView *self)
{
  if (self->results.whole != NULL)
    normscope_session_revert (self->session, ns_result_get_experiment (self->results.whole));
}

static void
reset_cb (NormscopeFlowView *self)
{
  normscope_session_take_experiment (self->session, ns_experiment_new ());
}

/* ---- the object ---- */

void
normscope_flow_view_set_session (NormscopeFlowView *self, NormscopeSession *session, NormscopeRunner *runner)
{
  g_return_if_fail (NORMSCOPE_IS_FLOW_VIEW (self));
  g_return_if_fail (NORMSCOPE_IS_SESSION (session) && self->session == NULL);
  g_return_if_fail (NORMSCOPE_IS_RUNNER (runner));

  self->session = g_object_ref (session);
  self->runner = g_object_ref (runner);
  self->status = normscope_run_status_new (session, self->status_label, self->progress_bar, self->cancel_button);
  self->marks = normscope_flow_marks_new (self->plot, session);
  self->play = normscope_flow_play_new (GTK_WIDGET (self), self->plot, session, self->play_button, self->hint_label);
  g_signal_connect_object (session, "changed", G_CALLBACK (changed_cb), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (runner, "result", G_CALLBACK (result_cb), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (runner, "partial", G_CALLBACK (partial_cb), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (runner, "failed", G_CALLBACK (failed_cb), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (runner, "notify::busy", G_CALLBACK (busy_cb), self, G_CONNECT_SWAPPED);
  normscope_plot_scale_view (self->plot, GTK_WIDGET (self), normscope_session_get_text_scale (self->session));
  normscope_flow_add_plot_controls (self->plot, session);
  ask_for_quantities (self);
  queue_submit (self);
}

static void
normscope_flow_view_map (GtkWidget *widget)
{
  NormscopeFlowView *self = NORMSCOPE_FLOW_VIEW (widget);

  GTK_WIDGET_CLASS (normscope_flow_view_parent_class)->map (widget);
  if (self->stale)
    queue_submit (self);
}

static void
normscope_flow_view_unmap (GtkWidget *widget)
{
  NormscopeFlowView *self = NORMSCOPE_FLOW_VIEW (widget);

  if (self->play != NULL)
    normscope_flow_play_stop (self->play);
  GTK_WIDGET_CLASS (normscope_flow_view_parent_class)->unmap (widget);
  g_clear_handle_id (&self->former_id, g_source_remove);
  if (self->runner != NULL
      && (self->submit_id != 0 || normscope_background_get_busy (NORMSCOPE_BACKGROUND (self->runner))))
    {
      g_clear_handle_id (&self->submit_id, g_source_remove);
      normscope_runner_stop (self->runner);
      drop_partial (self);
      self->stale = TRUE;
    }
}

static void
normscope_flow_view_dispose (GObject *object)
{
  NormscopeFlowView *self = NORMSCOPE_FLOW_VIEW (object);

  g_clear_handle_id (&self->submit_id, g_source_remove);
  g_clear_handle_id (&self->former_id, g_source_remove);
  g_clear_pointer (&self->play, normscope_flow_play_free);
  g_clear_pointer (&self->marks, normscope_flow_marks_free);
  g_clear_pointer (&self->status, normscope_run_status_free);
  normscope_flow_results_clear (&self->results);
  g_clear_object (&self->session);
  g_clear_object (&self->runner);
  G_OBJECT_CLASS (normscope_flow_view_parent_class)->dispose (object);
}

static void
normscope_flow_view_class_init (NormscopeFlowViewClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = normscope_flow_view_dispose;
  widget_class->map = normscope_flow_view_map;
  widget_class->unmap = normscope_flow_view_unmap;

  g_type_ensure (NORMSCOPE_TYPE_PLOT);
  g_type_ensure (NORMSCOPE_TYPE_READOUT);
  g_type_ensure (NORMSCOPE_TYPE_SENTENCE);
  gtk_widget_class_set_template_from_resource (widget_class, "/org/normscope/Normscope/normscope-flow-view.ui");
  gtk_widget_class_bind_template_child (widget_class, NormscopeFlowView, stack);
  gtk_widget_class_bind_template_child (widget_class, NormscopeFlowView, plot);
  gtk_widget_class_bind_template_child (widget_class, NormscopeFlowView, status_page);
  gtk_widget_class_bind_template_child (widget_class, NormscopeFlowView, error_revealer);
  gtk_widget_class_bind_template_child (widget_class, NormscopeFlowView, error_label);
  gtk_widget_class_bind_template_child (widget_class, NormscopeFlowView, overlay);
  gtk_widget_class_bind_template_child (widget_class, NormscopeFlowView, readout);
  gtk_widget_class_bind_template_child (widget_class, NormscopeFlowView, sentence);
  gtk_widget_class_bind_template_child (widget_class, NormscopeFlowView, status_label);
  gtk_widget_class_bind_template_child (widget_class, NormscopeFlowView, progress_bar);
  gtk_widget_class_bind_template_child (widget_class, NormscopeFlowView, cancel_button);
  gtk_widget_class_bind_template_child (widget_class, NormscopeFlowView, play_button);
  gtk_widget_class_bind_template_child (widget_class, NormscopeFlowView, hint_label);
  gtk_widget_class_bind_template_callback (widget_class, cursor_cb);
  gtk_widget_class_bind_template_callback (widget_class, cancel_cb);
  gtk_widget_class_bind_template_callback (widget_class, link_cb);
  gtk_widget_class_bind_template_callback (widget_class, restore_cb);
  gtk_widget_class_bind_template_callback (widget_class, reset_cb);
  gtk_widget_class_set_css_name (widget_class, "flowview");
}

static void
normscope_flow_view_init (NormscopeFlowView *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  normscope_readout_attach (self->readout, self->overlay, self->plot);
}
