/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/paths/normscope-paths-view.h"

#include <adwaita.h>
#include <glib/gi18n-lib.h>

#include "app/controls/normscope-figure-bar.h"
#include "app/paths/normscope-paths-data.h"
#include "app/paths/normscope-paths-figure.h"
#include "app/paths/normscope-paths-pins.h"
#include "app/shared/normscope-help-button.h"
#include "app/shared/normscope-readout.h"
#include "app/shared/normscope-sentence.h"
#include "app/work/normscope-run-status.h"
#include "engine/experiment/ns-experiment.h"

/* A figure without data replaces the one on the screen only after this, so that a quick run does not flicker. */
#define EMPTY_DELAY_MS 300
/* Paths that fill are drawn again only when this many times the time of the last drawing has passed: large maps leave
 * the processor to the engine. */
#define REDRAW_PATIENCE 8

struct _NormscopePathsView
{
  GtkBox parent_instance;

  NormscopeFigureBar *bar;
  GtkRevealer *error_revealer;
  GtkLabel *error_label;
  GtkStack *stack;
  GtkOverlay *overlay;
  NormscopePlot *plot;
  NormscopeReadout *readout;
  GtkProgressBar *progress_bar;
  AdwStatusPage *busy_page;
  AdwStatusPage *error_page;
  NormscopeSentence *sentence;
  GtkLabel *hint_label;
  GtkWidget *cancel_button;
  GtkLabel *status_label;

  NormscopeSession *session;
  NormscopeRunner *runner;
  NormscopeFillRunner *paths_runner;
  NormscopeRunStatus *status;

  NormscopePathsData data;
  NormscopePathsFigure *figure;
  gint64 drawn_at; /* when the newest figure came to the screen, monotonic */
  guint submit_id, empty_id;
};

G_DEFINE_FINAL_TYPE (NormscopePathsView, normscope_paths_view, GTK_TYPE_BOX)

/* ---- the figure ---- */

static NsFigureKind
get_kind_of_view (NormscopePathsView *self)
{
  return normscope_session_get_paths (self->session)->figure;
}

static const NsFigureInfo *
get_info (NormscopePathsView *self)
{
  return ns_figure_info (get_kind_of_view (self));
}

/* Return TRUE if there are numbers for the chosen figure, perhaps of former settings. */
static gboolean
has_data (NormscopePathsView *self)
{
  return normscope_paths_data_has (&self->data, get_kind_of_view (self));
}

static NsFigureSource
get_source (NormscopePathsView *self)
{
  return normscope_paths_data_get_source (&self->data, get_kind_of_view (self));
}

/* Return TRUE if the result, the paths or the figure are on their way. */
static gboolean
is_busy (NormscopePathsView *self)
{
  return normscope_background_get_busy (NORMSCOPE_BACKGROUND (self->paths_runner))
         || normscope_background_get_busy (NORMSCOPE_BACKGROUND (self->runner))
         || normscope_paths_figure_get_making (self->figure) != NULL;
}

static void
busy_cb (NormscopePathsView *self)
{
  NormscopeBackground *runner = NORMSCOPE_BACKGROUND (self->runner);
  gboolean busy = gtk_widget_get_mapped (GTK_WIDGET (self)) && is_busy (self);

  /* The paths come after the result. */
  if (!normscope_background_get_busy (runner))
    runner = NORMSCOPE_BACKGROUND (self->paths_runner);
  normscope_run_status_set_running (self->status, busy ? runner : NULL,
                                    normscope_paths_figure_is_stale (self->figure));
  gtk_accessible_update_state (GTK_ACCESSIBLE (self->plot), GTK_ACCESSIBLE_STATE_BUSY, busy, -1);
}

static void
shown_cb (NormscopePathsView *self)
{
  const NsFigureSource *source = &normscope_paths_figure_get_shown (self->figure)->source;

  g_clear_handle_id (&self->empty_id, g_source_remove);
  gtk_stack_set_visible_child_name (self->stack, "plot");
  normscope_run_status_set_shown (self->status, source->result, source->paths);
  self->drawn_at = g_get_monotonic_time ();
  busy_cb (self);
}

static void
show_error (NormscopePathsView *self, const char *message)
{
  gboolean has_figure = has_data (self);

  gtk_label_set_label (self->error_label, message != NULL ? message : "");
  gtk_revealer_set_reveal_child (self->error_revealer, message != NULL && has_figure);
  if (message != NULL && !has_figure)
    {
      g_autofree char *markup = g_markup_escape_text (message, -1);

      g_clear_handle_id (&self->empty_id, g_source_remove);
      adw_status_page_set_description (self->error_page, markup);
      gtk_stack_set_visible_child_name (self->stack, "error");
      normscope_sentence_set_text (self->sentence, "", NULL);
    }
}

/* ---- before the figure is there ---- */

static void
show_empty (NormscopePathsView *self)
{
  gboolean busy = is_busy (self);

  adw_status_page_set_title (self->busy_page, busy ? _ ("Computing…") : _ ("Not Computed"));
  /* Translators: what is shown while a figure is computed; %s is what the figure shows */
  adw_status_page_set_description (self->busy_page, _ (get_info (self)->help));
  gtk_widget_set_visible (adw_status_page_get_child (self->busy_page), !busy);
  gtk_stack_set_visible_child_name (self->stack, "busy");
  normscope_paths_figure_forget (self->figure);
  normscope_run_status_set_shown (self->status, NULL, NULL);
}

static gboolean
empty_cb (gpointer data)
{
  NormscopePathsView *self = data;

  self->empty_id = 0;
  show_empty (self);
  return G_SOURCE_REMOVE;
}

/* Show that the figure is on its way, if none or another one is on the screen and it takes long. */
static void
queue_empty (NormscopePathsView *self)
{
  if (!normscope_paths_figure_is_chosen (self->figure) && self->empty_id == 0)
    self->empty_id = g_timeout_add (EMPTY_DELAY_MS, empty_cb, self);
}

/* Make the chosen figure of the newest numbers. */
static void
make_figure (NormscopePathsView *self, gboolean new_axes)
{
  NsFigureSource source;

  normscope_paths_figure_stop (self->figure);
  if (has_data (self) && gtk_widget_get_mapped (GTK_WIDGET (self)))
    {
      source = get_source (self);
      normscope_paths_figure_make (self->figure, &source, new_axes);
      queue_empty (self);
    }
  busy_cb (self);
}

/* ---- running ---- */

/* Compute what the figure lacks: first the result, which the wiring shows, too, then the paths. */
static void
start (NormscopePathsView *self)
{
  const NsExperiment *experiment = normscope_session_get_experiment (self->session);
  const NsViewChoice *choice = normscope_session_get_paths (self->session);
  const GError *invalid = normscope_session_get_error (self->session);
  NsPathsSettings settings;
  gboolean wants_paths = ns_view_choice_get_settings (choice, &settings);

  normscope_fill_runner_stop (self->paths_runner);
  if (invalid != NULL)
    normscope_runner_stop (self->runner);
  else if (!normscope_paths_data_is_result_of (&self->data, experiment))
    normscope_runner_submit (self->runner, experiment);
  else if (wants_paths && !normscope_paths_data_are_paths_of (&self->data, experiment, choice))
    normscope_fill_runner_submit (self->paths_runner, experiment, &settings);
  else if (wants_paths && !ns_paths_is_complete (self->data.paths))
    normscope_fill_runner_resume (self->paths_runner, self->data.paths, NULL);
  show_error (self, invalid != NULL ? invalid->message : NULL);
  if (invalid == NULL && !has_data (self))
    queue_empty (self);
}

static gboolean
submit_cb (gpointer data)
{
  NormscopePathsView *self = data;

  self->submit_id = 0;
  start (self);
  return G_SOURCE_REMOVE;
}

/* Start once for several changes in a row, before the next frame. */
static void
queue_submit (NormscopePathsView *self)
{
  if (self->submit_id == 0 && gtk_widget_get_mapped (GTK_WIDGET (self)))
    self->submit_id = g_idle_add_full (G_PRIORITY_DEFAULT, submit_cb, self, NULL);
}

static void
result_cb (NormscopePathsView *self, NsResult *result, gboolean complete)
{
  normscope_paths_data_set_result (&self->data, result, complete);
  if (!gtk_widget_get_mapped (GTK_WIDGET (self)) || self->submit_id != 0)
    return;
  if (get_info (self)->needs != NS_FIGURE_NEEDS_PATHS)
    make_figure (self, FALSE);
  if (complete)
    start (self);
}

/* Return TRUE if paths that fill are worth another figure. */
static gboolean
is_time (NormscopePathsView *self)
{
  const NormscopePicture *shown = normscope_paths_figure_get_shown (self->figure);
  gint64 age = g_get_monotonic_time () - self->drawn_at;

  return normscope_paths_figure_get_making (self->figure) == NULL && age > REDRAW_PATIENCE * shown->made_us;
}

static void
paths_cb (NormscopePathsView *self, NsPaths *paths)
{
  const NormscopePicture *newest = normscope_paths_figure_get_making (self->figure);

  if (newest == NULL)
    newest = normscope_paths_figure_get_shown (self->figure);
  if (self->submit_id != 0) /* of settings that have changed meanwhile */
    return;
  normscope_paths_data_set_paths (&self->data, paths);
  show_error (self, NULL);
  if (newest == NULL || newest->source.paths != paths || ns_paths_is_complete (paths) || is_time (self))
    make_figure (self, FALSE);
}

static void
failed_cb (NormscopePathsView *self, const GError *error)
{
  if (gtk_widget_get_mapped (GTK_WIDGET (self)))
    show_error (self, error->message);
}

/* What is on the screen stays there. */
static void
cancel_cb (NormscopePathsView *self)
{
  g_clear_handle_id (&self->submit_id, g_source_remove);
  g_clear_handle_id (&self->empty_id, g_source_remove);
  normscope_runner_stop (self->runner);
  normscope_fill_runner_stop (self->paths_runner);
  normscope_paths_figure_stop (self->figure);
  busy_cb (self);
  if (!normscope_paths_figure_is_chosen (self->figure))
    show_empty (self);
}

static void
view_changed_cb (NormscopePathsView *self, guint change)
{
  const guint redraws = NORMSCOPE_CHANGED_VIEW | NORMSCOPE_CHANGED_VARIANTS | NORMSCOPE_CHANGED_PATHS
                        | NORMSCOPE_CHANGED_MARKS;

  if ((change & NORMSCOPE_CHANGED_REPLACED) != 0) /* numbers of another document or step are not shown as this one's */
    normscope_paths_data_clear (&self->data);
  if ((change & NORMSCOPE_CHANGED_VIEW) != 0)
    normscope_plot_scale_view (self->plot, GTK_WIDGET (self), normscope_session_get_text_scale (self->session));
  if ((change & (NORMSCOPE_CHANGED_EXPERIMENT | NORMSCOPE_CHANGED_PATHS)) != 0)
    queue_submit (self);
  if ((change & redraws) != 0)
    make_figure (self, (change & (NORMSCOPE_CHANGED_VIEW | NORMSCOPE_CHANGED_PATHS)) != 0);
}

/* ---- what others ask for ---- */

const NormscopePicture *
normscope_paths_view_get_shown (NormscopePathsView *self)
{
  g_return_val_if_fail (NORMSCOPE_IS_PATHS_VIEW (self), NULL);
  return normscope_paths_figure_is_chosen (self->figure) ? normscope_paths_figure_get_shown (self->figure) : NULL;
}

NormscopePicture *
normscope_paths_view_dup_picture (NormscopePathsView *self, gboolean titles)
{
  const NormscopePicture *shown = normscope_paths_view_get_shown (self);
  NsFigureOptions options;

  if (shown == NULL)
    return NULL;
  options = *shown->options;
  ns_figure_options_set_titles (&options, titles);
  return normscope_picture_new (shown->kind, &shown->source, &options);
}

const NsPaths *
normscope_paths_view_get_paths (NormscopePathsView *self)
{
  const NormscopePicture *shown = normscope_paths_view_get_shown (self);

  return shown != NULL ? shown->source.paths : NULL;
}

const NsResult *
normscope_paths_view_get_result (NormscopePathsView *self)
{
  const NormscopePicture *shown = normscope_paths_view_get_shown (self);

  return shown != NULL ? shown->source.result : NULL;
}

NormscopePlot *
normscope_paths_view_get_plot (NormscopePathsView *self)
{
  g_return_val_if_fail (NORMSCOPE_IS_PATHS_VIEW (self), NULL);
  return self->plot;
}

/* ---- recovery ---- */

static void
restore_cb (NormscopePathsView *self)
{
  if (has_data (self))
    normscope_session_revert (self->session, get_source (self).experiment);
}

static void
reset_cb (NormscopePathsView *self)
{
  normscope_session_take_experiment (self->session, ns_experiment_new ());
}

/* ---- the object ---- */

void
normscope_paths_view_set_session (NormscopePathsView *self, NormscopeSession *session, NormscopeRunner *runner,
                                  NormscopeEngine *engine)
{
  g_return_if_fail (NORMSCOPE_IS_PATHS_VIEW (self));
  g_return_if_fail (NORMSCOPE_IS_SESSION (session) && self->session == NULL);
  g_return_if_fail (NORMSCOPE_IS_RUNNER (runner) && engine != NULL);

  self->session = g_object_ref (session);
  self->runner = g_object_ref (runner);
  self->paths_runner = normscope_fill_runner_new (engine, &normscope_paths_kind);
  self->status = normscope_run_status_new (session, self->status_label, self->progress_bar, self->cancel_button);
  self->figure = normscope_paths_figure_new (session, self->plot, self->readout, self->sentence, self->hint_label);
  g_signal_connect_object (self->figure, "shown", G_CALLBACK (shown_cb), self, G_CONNECT_SWAPPED);
  normscope_figure_bar_set_session (self->bar, session, NS_VIEW_PATHS);
  normscope_paths_pins_install (self->plot, session);
  g_signal_connect_object (session, "changed", G_CALLBACK (view_changed_cb), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (runner, "result", G_CALLBACK (result_cb), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (runner, "failed", G_CALLBACK (failed_cb), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (runner, "notify::busy", G_CALLBACK (busy_cb), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->paths_runner, "result", G_CALLBACK (paths_cb), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->paths_runner, "failed", G_CALLBACK (failed_cb), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->paths_runner, "notify::busy", G_CALLBACK (busy_cb), self, G_CONNECT_SWAPPED);
  normscope_plot_scale_view (self->plot, GTK_WIDGET (self), normscope_session_get_text_scale (self->session));
}

static void
normscope_paths_view_map (GtkWidget *widget)
{
  NormscopePathsView *self = NORMSCOPE_PATHS_VIEW (widget);

  GTK_WIDGET_CLASS (normscope_paths_view_parent_class)->map (widget);
  if (self->session == NULL)
    return;
  make_figure (self, FALSE);
  queue_submit (self);
  busy_cb (self);
}

static void
normscope_paths_view_unmap (GtkWidget *widget)
{
  NormscopePathsView *self = NORMSCOPE_PATHS_VIEW (widget);

  g_clear_handle_id (&self->submit_id, g_source_remove);
  g_clear_handle_id (&self->empty_id, g_source_remove);
  GTK_WIDGET_CLASS (normscope_paths_view_parent_class)->unmap (widget);
  if (self->session == NULL)
    return;
  normscope_runner_stop (self->runner);
  normscope_fill_runner_stop (self->paths_runner);
  normscope_paths_figure_stop (self->figure);
  busy_cb (self);
}

static void
normscope_paths_view_dispose (GObject *object)
{
  NormscopePathsView *self = NORMSCOPE_PATHS_VIEW (object);

  g_clear_handle_id (&self->submit_id, g_source_remove);
  g_clear_handle_id (&self->empty_id, g_source_remove);
  g_clear_object (&self->figure);
  g_clear_pointer (&self->status, normscope_run_status_free);
  normscope_paths_data_clear (&self->data);
  g_clear_object (&self->paths_runner);
  g_clear_object (&self->runner);
  g_clear_object (&self->session);
  G_OBJECT_CLASS (normscope_paths_view_parent_class)->dispose (object);
}

static void
bind_template (GtkWidgetClass *widget_class)
{
  gtk_widget_class_set_template_from_resource (widget_class, "/org/normscope/Normscope/normscope-paths-view.ui");
  gtk_widget_class_bind_template_child (widget_class, NormscopePathsView, bar);
  gtk_widget_class_bind_template_child (widget_class, NormscopePathsView, error_revealer);
  gtk_widget_class_bind_template_child (widget_class, NormscopePathsView, error_label);
  gtk_widget_class_bind_template_child (widget_class, NormscopePathsView, stack);
  gtk_widget_class_bind_template_child (widget_class, NormscopePathsView, overlay);
  gtk_widget_class_bind_template_child (widget_class, NormscopePathsView, plot);
  gtk_widget_class_bind_template_child (widget_class, NormscopePathsView, readout);
  gtk_widget_class_bind_template_child (widget_class, NormscopePathsView, progress_bar);
  gtk_widget_class_bind_template_child (widget_class, NormscopePathsView, busy_page);
  gtk_widget_class_bind_template_child (widget_class, NormscopePathsView, error_page);
  gtk_widget_class_bind_template_child (widget_class, NormscopePathsView, sentence);
  gtk_widget_class_bind_template_child (widget_class, NormscopePathsView, hint_label);
  gtk_widget_class_bind_template_child (widget_class, NormscopePathsView, cancel_button);
  gtk_widget_class_bind_template_child (widget_class, NormscopePathsView, status_label);
  gtk_widget_class_bind_template_callback (widget_class, cancel_cb);
  gtk_widget_class_bind_template_callback (widget_class, queue_submit);
  gtk_widget_class_bind_template_callback (widget_class, restore_cb);
  gtk_widget_class_bind_template_callback (widget_class, reset_cb);
}

static void
normscope_paths_view_class_init (NormscopePathsViewClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = normscope_paths_view_dispose;
  widget_class->map = normscope_paths_view_map;
  widget_class->unmap = normscope_paths_view_unmap;

  g_type_ensure (NORMSCOPE_TYPE_FIGURE_BAR);
  g_type_ensure (NORMSCOPE_TYPE_PLOT);
  g_type_ensure (NORMSCOPE_TYPE_READOUT);
  g_type_ensure (NORMSCOPE_TYPE_SENTENCE);
  bind_template (widget_class);
  gtk_widget_class_set_css_name (widget_class, "pathsview");
}

static void
normscope_paths_view_init (NormscopePathsView *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  normscope_readout_attach (self->readout, self->overlay, self->plot);
}
