/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/training/normscope-training-curves.h"

#include <adwaita.h>
#include <math.h>

#include "app/controls/normscope-flow-plot-controls.h"
#include "app/shared/normscope-plot-pair.h"
#include "app/shared/normscope-sentence.h"
#include "app/training/normscope-training-controls.h"
#include "app/training/normscope-training-figure.h"
#include "app/training/normscope-training-forecast.h"
#include "app/training/normscope-training-run.h"
#include "app/training/normscope-training-status.h"
#include "engine/experiment/ns-experiment.h"
#include "engine/train/ns-training-progress.h"

struct _NormscopeTrainingCurves
{
  NormscopeTrainingPage parent_instance;

  GtkRevealer *error_revealer;
  GtkLabel *error_label;
  GtkStack *stack;
  AdwStatusPage *empty_page;
  GtkWidget *begin_button;
  GtkOverlay *losses_overlay, *blocks_overlay, *map_overlay;
  NormscopePlot *losses_plot, *blocks_plot, *map_plot;
  NormscopeReadout *losses_readout, *blocks_readout, *map_readout;
  NormscopeTrainingTransport *transport;
  NormscopeSentence *sentence;
  GtkLabel *status_label;

  NormscopeSession *session;
  NormscopeTrainingRun *run;
  NormscopeTrainingForecast *forecast;
  NormscopeTrainingFigure *losses, *blocks, *map;
  NsTraining *training; /* the run's that is on the screen, or NULL */
  NsResult *result;     /* of the step under the slider, or NULL */
  guint n_reached;      /* the runs that it has */
  gboolean moves_cursor; /* to the step, which is not notified yet */
};

G_DEFINE_FINAL_TYPE (NormscopeTrainingCurves, normscope_training_curves, NORMSCOPE_TYPE_TRAINING_PAGE)

enum { TRAINING_CURVES_SIGNAL_RESULT, N_TRAINING_CURVES_SIGNALS };
static guint training_curves_signals[N_TRAINING_CURVES_SIGNALS];

static NsFigureKind
get_kind (NormscopeTrainingCurves *self)
{
  return normscope_session_get_training (self->session)->figure;
}

/* Return the figure that the view is about: of the sentence and of exports. */
static NormscopeTrainingFigure *
get_figure (NormscopeTrainingCurves *self)
{
  switch (get_kind (self))
    {
    case NS_FIGURE_TRAINING_PROFILE:
      return self->blocks;
    case NS_FIGURE_TRAINING_MAP:
      return self->map;
    default:
      return self->losses;
    }
}

/* Return the step under the slider, or −1. */
static int
get_shown_step (NormscopeTrainingCurves *self)
{
  int record = normscope_training_transport_get_record (self->transport);
  guint n;

  return self->training != NULL && record >= 0 ? (int) ns_training_get_records (self->training, &n)[record] : -1;
}

/* ---- figures ---- */

/* Make a figure of the training. One of former settings may have other variants than the session. */
static void
make (NormscopeTrainingCurves *self, NormscopeTrainingFigure *figure, NsFigureKind kind)
{
  NsFigureSource source = { .training = self->training, .variant = -1 };
  NsFigureOptions options;

  if (self->training == NULL || !gtk_widget_get_mapped (GTK_WIDGET (self)))
    return;
  source.experiment = ns_training_get_experiment (self->training);
  if (normscope_session_get_view (self->session)->ghost)
    source.former = normscope_training_run_get_ghost (self->run);
  normscope_session_get_training_options (self->session, &options);
  options.training.step = kind != NS_FIGURE_TRAINING_MAP ? get_shown_step (self) : -1; /* there a marker of the plot */
  if (source.experiment->variants->len != normscope_session_get_n_variants (self->session))
    options.training.hidden = 0;
  normscope_training_figure_make (figure, kind, &source, &options);
}

/* What a growing training changes. */
static void
make_growing (NormscopeTrainingCurves *self)
{
  if (get_kind (self) == NS_FIGURE_TRAINING)
    make (self, self->losses, NS_FIGURE_TRAINING);
  else if (get_kind (self) == NS_FIGURE_TRAINING_MAP)
    make (self, self->map, NS_FIGURE_TRAINING_MAP);
}

/* What the step under the slider changes. */
static void
make_blocks (NormscopeTrainingCurves *self)
{
  if (self->result != NULL && get_kind (self) != NS_FIGURE_TRAINING_MAP)
    make (self, self->blocks, NS_FIGURE_TRAINING_PROFILE);
}

/* ---- the step under the slider ---- */

/* The crosshairs are at the slider's step, unless the pointer moves them; the maps have a line there that stays. */
static void
show_step (NormscopeTrainingCurves *self)
{
  int step = get_shown_step (self);

  if (step < 0)
    return;
  self->moves_cursor = self->moves_cursor || normscope_plot_get_cursor (self->losses_plot) != step;
  normscope_training_figure_set_quiet (self->losses, TRUE);
  normscope_plot_set_cursor (self->losses_plot, step);
  normscope_training_figure_set_quiet (self->map, TRUE);
  normscope_plot_set_cell (self->map_plot, ns_training_map_get_x (step), NAN);
  normscope_plot_set_marker (self->map_plot, ns_training_map_get_x (step));
}

/* The pointer has moved a crosshair, or has left the plot. In a map it has a row. */
static void
cursor_cb (NormscopeTrainingCurves *self, GParamSpec *pspec, NormscopePlot *plot)
{
  gboolean is_map = plot == self->map_plot;
  double cursor = normscope_plot_get_cursor (plot);

  if (isnan (is_map ? normscope_plot_get_cursor_y (plot) : cursor))
    show_step (self); /* a change of this plot made here is notified after this call has ended */
  else if (!is_map && self->moves_cursor && cursor == get_shown_step (self))
    self->moves_cursor = FALSE;
  else
    normscope_training_figure_set_quiet (is_map ? self->map : self->losses, FALSE);
}

/* Show the losses only up to the step while it plays. */
static void
reveal (NormscopeTrainingCurves *self)
{
  int step = get_shown_step (self);

  if (!normscope_training_transport_is_playing (self->transport) || step < 0)
    normscope_plot_clear_reveal (self->losses_plot);
  else
    for (guint panel = 0; panel < 2; panel++)
      normscope_plot_set_reveal (self->losses_plot, panel, 0, step);
}

static void
emit_result (NormscopeTrainingCurves *self)
{
  NsResult *seen = gtk_widget_get_mapped (GTK_WIDGET (self)) ? self->result : NULL;

  g_signal_emit (self, training_curves_signals[TRAINING_CURVES_SIGNAL_RESULT], 0, seen, (gint64) get_shown_step (self));
}

static void
record_cb (NormscopeTrainingCurves *self)
{
  int record = normscope_training_transport_get_record (self->transport);
  NsTraining *training = record >= 0 ? self->training : NULL;

  g_clear_pointer (&self->result, ns_result_unref);
  self->n_reached = training != NULL ? ns_training_count_reached (training, (guint) record) : 0;
  self->result = training != NULL ? ns_training_get_result (training, (guint) record) : NULL;
  reveal (self);
  show_step (self);
  make_blocks (self);
  emit_result (self);
}

static void
blocks_cursor_cb (NormscopeTrainingCurves *self)
{
  if (gtk_widget_get_mapped (GTK_WIDGET (self->blocks_plot)))
    normscope_session_set_cursor (self->session, normscope_plot_get_cursor (self->blocks_plot));
}

/* ---- the training ---- */

static void
show_curves_state (NormscopeTrainingCurves *self)
{
  gboolean running = normscope_training_run_is_running (self->run);
  gboolean stale = normscope_training_run_is_stale (self->run);
  gboolean begins = !running && (self->training == NULL || stale);

  normscope_training_forecast_set_wanted (self->forecast, begins && gtk_widget_get_mapped (GTK_WIDGET (self)));
  normscope_training_show_plan (self->empty_page, GTK_BUTTON (self->begin_button), self->session, self->forecast);
  normscope_training_show_status (self->status_label, self->run, self->forecast);
  normscope_training_transport_update (self->transport, self->training, running, stale);
  gtk_stack_set_visible_child_name (self->stack, self->training != NULL ? "plots" : "empty");
  gtk_widget_set_visible (GTK_WIDGET (self->losses_overlay), get_kind (self) == NS_FIGURE_TRAINING);
  normscope_training_figure_set_nameless (self->blocks, get_kind (self) == NS_FIGURE_TRAINING);
  gtk_widget_set_visible (GTK_WIDGET (self->blocks_overlay), get_kind (self) != NS_FIGURE_TRAINING_MAP);
  gtk_widget_set_visible (GTK_WIDGET (self->map_overlay), get_kind (self) == NS_FIGURE_TRAINING_MAP);
  gtk_accessible_update_state (GTK_ACCESSIBLE (self->losses_plot), GTK_ACCESSIBLE_STATE_BUSY, running, -1);
}

static void
show_curves_error (NormscopeTrainingCurves *self, const GError *error)
{
  if (error != NULL)
    gtk_label_set_label (self->error_label, error->message);
  gtk_revealer_set_reveal_child (self->error_revealer, error != NULL);
}

static void
run_cb (NormscopeTrainingCurves *self)
{
  NsTraining *training = normscope_training_run_get_training (self->run);
  const GError *invalid = normscope_session_get_error (self->session);
  int record;

  if (invalid != NULL || normscope_training_run_is_running (self->run))
    show_curves_error (self, invalid);
  if (training != self->training)
    {
      normscope_training_figure_stop (self->losses);
      normscope_training_figure_stop (self->blocks);
      normscope_training_figure_stop (self->map);
      g_clear_pointer (&self->result, ns_result_unref);
      g_clear_pointer (&self->training, ns_training_unref);
      self->training = training != NULL ? ns_training_ref (training) : NULL;
      emit_result (self);
    }
  show_curves_state (self);
  record = normscope_training_transport_get_record (self->transport);
  if (record >= 0 && ns_training_count_reached (training, (guint) record) > self->n_reached)
    record_cb (self); /* a run of another seed has come to the step */
  make_growing (self);
}

static void
toggle_training (NormscopeTrainingCurves *self)
{
  if (!normscope_training_run_is_running (self->run))
    normscope_training_take_tokens (GTK_WIDGET (self), self->session);
  normscope_training_run_toggle (self->run);
}

static void
do_step (NormscopeTrainingCurves *self)
{
  normscope_training_take_tokens (GTK_WIDGET (self), self->session);
  normscope_training_run_step (self->run);
}

void
normscope_training_curves_train (NormscopeTrainingCurves *self)
{
  g_return_if_fail (NORMSCOPE_IS_TRAINING_CURVES (self));
  if (!normscope_training_run_is_running (self->run))
    toggle_training (self);
}

/* ---- from the session ---- */

static void
scale_plots (NormscopeTrainingCurves *self)
{
  double scale = normscope_session_get_text_scale (self->session);

  normscope_plot_scale_view (self->losses_plot, GTK_WIDGET (self), scale);
  normscope_plot_scale_view (self->blocks_plot, GTK_WIDGET (self), scale);
  normscope_plot_scale_view (self->map_plot, GTK_WIDGET (self), scale);
}

static void
curves_changed_cb (NormscopeTrainingCurves *self, guint change)
{
  const guint redraws = NORMSCOPE_CHANGED_VIEW | NORMSCOPE_CHANGED_VARIANTS | NORMSCOPE_CHANGED_TRAINING_FIGURE;

  if ((change & NORMSCOPE_CHANGED_CURSOR) != 0)
    normscope_plot_set_cursor (self->blocks_plot, normscope_session_get_cursor (self->session));
  if ((change & NORMSCOPE_CHANGED_VIEW) != 0)
    scale_plots (self);
  if ((change & (redraws | NORMSCOPE_CHANGED_MARKS)) != 0)
    {
      show_curves_state (self);
      normscope_training_figure_renew_axes (self->losses);
      normscope_training_figure_renew_axes (self->blocks);
      normscope_training_figure_renew_axes (self->map);
      make_growing (self);
      make_blocks (self);
    }
}

static void
curves_shown_cb (NormscopeTrainingCurves *self)
{
  const NormscopePicture *shown = normscope_training_figure_get_shown (get_figure (self));
  g_autofree char *sentence = shown != NULL ? g_strdup (shown->sentence) : NULL;
  g_autoptr (GArray) links = shown != NULL && shown->links != NULL ? g_array_ref (shown->links) : NULL;

  if (shown == NULL)
    return;
  if (normscope_session_get_asking (self->session))
    normscope_sentence_hide (&sentence, &links);
  normscope_sentence_set_text (self->sentence, sentence, links);
  reveal (self);
}

/* ---- the page ---- */

static void
curves_toggle (NormscopeTrainingPage *page)
{
  toggle_training (NORMSCOPE_TRAINING_CURVES (page));
}

static NormscopePicture *
curves_dup_picture (NormscopeTrainingPage *page, gboolean titles)
{
  NormscopeTrainingCurves *self = NORMSCOPE_TRAINING_CURVES (page);
  const NormscopePicture *shown = normscope_training_figure_get_shown (get_figure (self));
  NsFigureOptions options;

  if (self->training == NULL || shown == NULL)
    return NULL;
  options = *shown->options;
  options.training.step = get_shown_step (self);
  ns_figure_options_set_titles (&options, titles);
  return normscope_picture_new (shown->kind, &shown->source, &options);
}

static NsTraining *
page_get_training (NormscopeTrainingPage *page)
{
  return NORMSCOPE_TRAINING_CURVES (page)->training;
}

static NormscopePlot *
curves_get_plot (NormscopeTrainingPage *page, NsFigureKind figure)
{
  NormscopeTrainingCurves *self = NORMSCOPE_TRAINING_CURVES (page);

  switch (figure)
    {
    case NS_FIGURE_TRAINING_PROFILE:
      return self->blocks_plot;
    case NS_FIGURE_TRAINING_MAP:
      return self->map_plot;
    default:
      return self->losses_plot;
    }
}

/* ---- the object ---- */

static void
normscope_training_curves_map (GtkWidget *widget)
{
  NormscopeTrainingCurves *self = NORMSCOPE_TRAINING_CURVES (widget);

  GTK_WIDGET_CLASS (normscope_training_curves_parent_class)->map (widget);
  normscope_training_run_resume (self->run);
  gtk_widget_grab_focus (GTK_WIDGET (self->transport)); /* for the space bar */
  make_blocks (self);
  emit_result (self);
}

static void
normscope_training_curves_unmap (GtkWidget *widget)
{
  NormscopeTrainingCurves *self = NORMSCOPE_TRAINING_CURVES (widget);

  GTK_WIDGET_CLASS (normscope_training_curves_parent_class)->unmap (widget);
  normscope_training_run_suspend (self->run);
  normscope_training_figure_stop (self->losses);
  normscope_training_figure_stop (self->blocks);
  normscope_training_figure_stop (self->map);
  normscope_training_forecast_set_wanted (self->forecast, FALSE);
  emit_result (self);
}

static void
normscope_training_curves_dispose (GObject *object)
{
  NormscopeTrainingCurves *self = NORMSCOPE_TRAINING_CURVES (object);

  g_clear_object (&self->run);
  g_clear_object (&self->forecast);
  g_clear_object (&self->losses);
  g_clear_object (&self->blocks);
  g_clear_object (&self->map);
  g_clear_pointer (&self->training, ns_training_unref);
  g_clear_pointer (&self->result, ns_result_unref);
  g_clear_object (&self->session);
  G_OBJECT_CLASS (normscope_training_curves_parent_class)->dispose (object);
}

static void
bind_template (GtkWidgetClass *widget_class)
{
  gtk_widget_class_set_template_from_resource (widget_class, "/org/normscope/Normscope/normscope-training-curves.ui");
  gtk_widget_class_bind_template_child (widget_class, NormscopeTrainingCurves, error_revealer);
  gtk_widget_class_bind_template_child (widget_class, NormscopeTrainingCurves, error_label);
  gtk_widget_class_bind_template_child (widget_class, NormscopeTrainingCurves, stack);
  gtk_widget_class_bind_template_child (widget_class, NormscopeTrainingCurves, empty_page);
  gtk_widget_class_bind_template_child (widget_class, NormscopeTrainingCurves, begin_button);
  gtk_widget_class_bind_template_child (widget_class, NormscopeTrainingCurves, losses_overlay);
  gtk_widget_class_bind_template_child (widget_class, NormscopeTrainingCurves, blocks_overlay);
  gtk_widget_class_bind_template_child (widget_class, NormscopeTrainingCurves, map_overlay);
  gtk_widget_class_bind_template_child (widget_class, NormscopeTrainingCurves, losses_plot);
  gtk_widget_class_bind_template_child (widget_class, NormscopeTrainingCurves, blocks_plot);
  gtk_widget_class_bind_template_child (widget_class, NormscopeTrainingCurves, map_plot);
  gtk_widget_class_bind_template_child (widget_class, NormscopeTrainingCurves, losses_readout);
  gtk_widget_class_bind_template_child (widget_class, NormscopeTrainingCurves, blocks_readout);
  gtk_widget_class_bind_template_child (widget_class, NormscopeTrainingCurves, map_readout);
  gtk_widget_class_bind_template_child (widget_class, NormscopeTrainingCurves, transport);
  gtk_widget_class_bind_template_child (widget_class, NormscopeTrainingCurves, sentence);
  gtk_widget_class_bind_template_child (widget_class, NormscopeTrainingCurves, status_label);
  gtk_widget_class_bind_template_callback (widget_class, toggle_training);
}

static void
normscope_training_curves_class_init (NormscopeTrainingCurvesClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  NormscopeTrainingPageClass *page_class = NORMSCOPE_TRAINING_PAGE_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = normscope_training_curves_dispose;
  widget_class->map = normscope_training_curves_map;
  widget_class->unmap = normscope_training_curves_unmap;
  page_class->toggle = curves_toggle;
  page_class->dup_picture = curves_dup_picture;
  page_class->get_training = page_get_training;
  page_class->get_plot = curves_get_plot;
  training_curves_signals[TRAINING_CURVES_SIGNAL_RESULT] =
      g_signal_new ("result", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 2,
                    G_TYPE_POINTER, G_TYPE_INT64);
  g_type_ensure (NORMSCOPE_TYPE_PLOT);
  g_type_ensure (NORMSCOPE_TYPE_PLOT_PAIR);
  g_type_ensure (NORMSCOPE_TYPE_READOUT);
  g_type_ensure (NORMSCOPE_TYPE_SENTENCE);
  g_type_ensure (NORMSCOPE_TYPE_TRAINING_TRANSPORT);
  bind_template (widget_class);
}

static void
normscope_training_curves_init (NormscopeTrainingCurves *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  normscope_readout_attach (self->losses_readout, self->losses_overlay, self->losses_plot);
  normscope_readout_attach (self->blocks_readout, self->blocks_overlay, self->blocks_plot);
  normscope_readout_attach (self->map_readout, self->map_overlay, self->map_plot);
  normscope_training_transport_attach (self->transport, self->losses_plot);
  normscope_training_transport_attach (self->transport, self->map_plot);
}

NormscopeTrainingPage *
normscope_training_curves_new (NormscopeSession *session, NormscopeEngine *engine)
{
  NormscopeTrainingCurves *self = g_object_new (NORMSCOPE_TYPE_TRAINING_CURVES, NULL);

  self->session = g_object_ref (session);
  self->run = normscope_training_run_new (session, engine);
  self->forecast = normscope_training_forecast_new (session);
  self->losses = normscope_training_figure_new (session, self->losses_plot, self->losses_readout);
  self->blocks = normscope_training_figure_new (session, self->blocks_plot, self->blocks_readout);
  self->map = normscope_training_figure_new (session, self->map_plot, self->map_readout);
  normscope_flow_add_plot_controls (self->blocks_plot, session);
  normscope_training_add_plot_controls (self->losses_plot, self->map_plot, session);
  normscope_training_transport_set_session (self->transport, session);
  g_signal_connect_object (session, "changed", G_CALLBACK (curves_changed_cb), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->run, "changed", G_CALLBACK (run_cb), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->run, "failed", G_CALLBACK (show_curves_error), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->forecast, "changed", G_CALLBACK (show_curves_state), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->losses, "shown", G_CALLBACK (curves_shown_cb), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->blocks, "shown", G_CALLBACK (curves_shown_cb), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->map, "shown", G_CALLBACK (curves_shown_cb), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->losses_plot, "notify::cursor", G_CALLBACK (cursor_cb), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->map_plot, "notify::cursor", G_CALLBACK (cursor_cb), self, G_CONNECT_SWAPPED);
  g_signal_connect_swapped (self->blocks_plot, "notify::cursor", G_CALLBACK (blocks_cursor_cb), self);
  g_signal_connect_object (self->transport, "train", G_CALLBACK (toggle_training), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->transport, "step", G_CALLBACK (do_step), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->transport, "record-changed", G_CALLBACK (record_cb), self, G_CONNECT_SWAPPED);
  scale_plots (self);
  show_curves_state (self);
  return NORMSCOPE_TRAINING_PAGE (self);
}
