/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/training/normscope-training-survey.h"

#include <adwaita.h>
#include <glib/gi18n-lib.h>
#include <math.h>

#include "app/shared/normscope-sentence.h"
#include "app/shared/normscope-update.h"
#include "app/training/normscope-training-figure.h"
#include "app/training/normscope-training-status.h"
#include "engine/experiment/ns-experiment.h"
#include "engine/experiment/ns-training-settings.h"

/* Interval at which a filling survey is checked for more trainings. */
#define SURVEY_POLL_MS 100

typedef struct
{
  GtkRevealer *error_revealer;
  GtkLabel *error_label;
  GtkStack *stack;
  AdwStatusPage *empty_page;
  GtkWidget *begin_button;
  GtkOverlay *overlay;
  NormscopePlot *plot;
  NormscopeReadout *readout;
  GtkWidget *controls;
  GtkButton *train_button;
  GtkProgressBar *bar;
  GtkLabel *status_label;
  NormscopeSentence *sentence;

  NormscopeSession *session;
  NormscopeFillRunner *runner;
  NormscopeTrainingFigure *figure;
  gpointer surveys[NORMSCOPE_TRAINING_SURVEY_PLACES]; /* or NULL */
  gboolean goes_on;                                   /* it ran when the page was hidden */
  gint64 started;                                     /* monotonic, of what runs */
} NormscopeTrainingSurveyPrivate;

typedef NormscopeTrainingSurveyPrivate Private;

G_DEFINE_ABSTRACT_TYPE_WITH_PRIVATE (NormscopeTrainingSurvey, normscope_training_survey, NORMSCOPE_TYPE_TRAINING_PAGE)

static Private *
get_private (NormscopeTrainingSurvey *self)
{
  return normscope_training_survey_get_instance_private (self);
}

static NormscopeTrainingSurveyClass *
get_class (NormscopeTrainingSurvey *self)
{
  return NORMSCOPE_TRAINING_SURVEY_GET_CLASS (self);
}

static const NsViewChoice *
get_choice (NormscopeTrainingSurvey *self)
{
  return normscope_session_get_training (get_private (self)->session);
}

static gpointer
get_survey (NormscopeTrainingSurvey *self)
{
  NormscopeTrainingSurveyClass *klass = get_class (self);

  return get_private (self)->surveys[klass->get_place != NULL ? klass->get_place (get_choice (self)) : 0];
}

static gboolean
is_running (NormscopeTrainingSurvey *self)
{
  return normscope_background_get_busy (NORMSCOPE_BACKGROUND (get_private (self)->runner));
}

/* Return the part of the trainings that have ended, 1: all. */
static double
get_fraction (NormscopeTrainingSurvey *self, gconstpointer survey)
{
  const NormscopeTrainingSurveyClass *klass = get_class (self);

  return (double) klass->kind.count (survey, 0) / klass->get_n_runs (survey);
}

static gboolean
is_stale (NormscopeTrainingSurvey *self, gconstpointer survey)
{
  return !get_class (self)->is_of (survey, normscope_session_get_experiment (get_private (self)->session),
                                   get_choice (self));
}

NormscopeSession *
normscope_training_survey_get_session (NormscopeTrainingSurvey *self)
{
  g_return_val_if_fail (NORMSCOPE_IS_TRAINING_SURVEY (self), NULL);
  return get_private (self)->session;
}

gpointer
normscope_training_survey_get (NormscopeTrainingSurvey *self)
{
  g_return_val_if_fail (NORMSCOPE_IS_TRAINING_SURVEY (self), NULL);
  return get_survey (self);
}

gboolean
normscope_training_survey_is_valid (NormscopeTrainingSurvey *self)
{
  gconstpointer survey = normscope_training_survey_get (self);

  return survey != NULL && !is_stale (self, survey);
}

NormscopePlot *
normscope_training_survey_get_plot (NormscopeTrainingSurvey *self)
{
  g_return_val_if_fail (NORMSCOPE_IS_TRAINING_SURVEY (self), NULL);
  return get_private (self)->plot;
}

/* ---- the figure ---- */

static void
make_figure (NormscopeTrainingSurvey *self)
{
  Private *p = get_private (self);
  gpointer survey = get_survey (self);
  NsFigureSource source = { .variant = -1 };
  NsFigureOptions options;

  if (survey == NULL || !gtk_widget_get_mapped (GTK_WIDGET (self)))
    return;
  get_class (self)->set_source (survey, &source);
  normscope_session_get_training_options (p->session, &options);
  if (source.experiment->variants->len != normscope_session_get_n_variants (p->session))
    options.sensitivity.hidden = options.training.hidden = 0;
  normscope_training_figure_make (p->figure, get_class (self)->figure, &source, &options);
}

static void
survey_shown_cb (NormscopeTrainingSurvey *self)
{
  Private *p = get_private (self);
  const NormscopePicture *shown = normscope_training_figure_get_shown (p->figure);
  g_autofree char *sentence = g_strdup (shown->sentence);
  g_autoptr (GArray) links = shown->links != NULL ? g_array_ref (shown->links) : NULL;

  if (normscope_session_get_asking (p->session))
    normscope_sentence_hide (&sentence, &links);
  normscope_sentence_set_text (p->sentence, sentence, links);
}

/* ---- the state in words ---- */

/* Return the seconds until the survey is full; NAN at the beginning. */
static double
get_seconds_left (NormscopeTrainingSurvey *self)
{
  Private *p = get_private (self);
  double elapsed_s = (double) (g_get_monotonic_time () - p->started) / 1e6;
  guint64 done, total;

  normscope_background_get_progress (NORMSCOPE_BACKGROUND (p->runner), &done, &total);
  return done == 0 || total == 0 || elapsed_s < 0.5 ? NAN : elapsed_s * (double) (total - MIN (done, total))
                                                              / (double) done;
}

static char *
dup_survey_status (NormscopeTrainingSurvey *self, gconstpointer survey)
{
  if (!is_running (self) && is_stale (self, survey))
    return g_strdup (_ ("Of the former settings"));
  return get_class (self)->dup_status (survey, is_running (self) ? get_seconds_left (self) : NAN);
}

static void
show_survey_state (NormscopeTrainingSurvey *self)
{
  Private *p = get_private (self);
  gpointer survey = get_survey (self);
  gboolean running = is_running (self), valid = normscope_session_get_error (p->session) == NULL;
  g_autofree char *status = survey != NULL ? dup_survey_status (self, survey) : NULL;

  gtk_stack_set_visible_child_name (p->stack, survey != NULL ? "plot" : "empty");
  gtk_widget_set_sensitive (p->begin_button, valid && !running);
  gtk_widget_set_visible (p->controls, survey != NULL);
  gtk_widget_set_sensitive (GTK_WIDGET (p->train_button), running || valid);
  gtk_button_set_label (p->train_button, running ? _ ("Pause") : _ ("Train"));
  normscope_update_tooltip (GTK_WIDGET (p->train_button), running ? _ ("Pause; what is finished stays (Space)")
                                                                  : _ (get_class (self)->run_tip));
  gtk_widget_set_visible (GTK_WIDGET (p->bar), running);
  gtk_widget_set_hexpand (GTK_WIDGET (p->status_label), !running);
  gtk_label_set_xalign (p->status_label, running ? 0 : 1);
  gtk_progress_bar_set_fraction (p->bar, survey != NULL ? get_fraction (self, survey) : 0);
  gtk_label_set_label (p->status_label, status != NULL ? status : "");
  gtk_accessible_update_state (GTK_ACCESSIBLE (p->plot), GTK_ACCESSIBLE_STATE_BUSY, running, -1);
}

static void
show_survey_error (NormscopeTrainingSurvey *self, const GError *error)
{
  Private *p = get_private (self);

  if (error != NULL)
    gtk_label_set_label (p->error_label, error->message);
  gtk_revealer_set_reveal_child (p->error_revealer, error != NULL);
}

/* ---- running ---- */

static void
begin (NormscopeTrainingSurvey *self)
{
  Private *p = get_private (self);
  const GError *invalid = normscope_session_get_error (p->session);
  gpointer survey = get_survey (self);

  show_survey_error (self, invalid);
  if (invalid != NULL)
    return;
  p->started = g_get_monotonic_time ();
  if (survey == NULL || get_fraction (self, survey) >= 1 || is_stale (self, survey))
    normscope_fill_runner_submit (p->runner, normscope_session_get_experiment (p->session), get_choice (self));
  else
    normscope_fill_runner_resume (p->runner, survey, NULL);
}

static void
toggle (NormscopeTrainingSurvey *self)
{
  if (is_running (self))
    normscope_fill_runner_stop (get_private (self)->runner);
  else
    {
      normscope_training_take_tokens (GTK_WIDGET (self), get_private (self)->session);
      begin (self);
    }
  show_survey_state (self);
}

static void
survey_result_cb (NormscopeTrainingSurvey *self, gpointer survey)
{
  Private *p = get_private (self);
  NormscopeTrainingSurveyClass *klass = get_class (self);
  gpointer *own = &p->surveys[klass->find_place != NULL ? klass->find_place (survey) : 0];

  if (*own != survey)
    {
      g_clear_pointer (own, klass->kind.unref);
      *own = klass->kind.ref (survey);
      normscope_training_figure_renew_axes (p->figure);
    }
  show_survey_state (self);
  make_figure (self);
}

static void
survey_failed_cb (NormscopeTrainingSurvey *self, const GError *error)
{
  show_survey_error (self, error);
  show_survey_state (self);
}

static gboolean
survey_key_cb (NormscopeTrainingSurvey *self, guint key, guint code, GdkModifierType state)
{
  (void) code;
  /* a window's own use of the space bar comes before its bindings */
  if ((key != GDK_KEY_space && key != GDK_KEY_KP_Space) || (state & (GDK_CONTROL_MASK | GDK_ALT_MASK)) != 0)
    return GDK_EVENT_PROPAGATE;
  toggle (self);
  return GDK_EVENT_STOP;
}

/* ---- from the session ---- */

static void
survey_changed_cb (NormscopeTrainingSurvey *self, guint change)
{
  const guint settings = NORMSCOPE_CHANGED_EXPERIMENT | NORMSCOPE_CHANGED_TRAINING | NORMSCOPE_CHANGED_VARIANTS
                         | NORMSCOPE_CHANGED_REPLACED;
  const guint redraws = NORMSCOPE_CHANGED_VIEW | NORMSCOPE_CHANGED_VARIANTS | NORMSCOPE_CHANGED_TRAINING_FIGURE;
  Private *p = get_private (self);
  gpointer survey = get_survey (self);
  gboolean is_other = (change & NORMSCOPE_CHANGED_TRAINING_FIGURE) != 0 || survey == NULL
                      || ((change & settings) != 0 && is_stale (self, survey));

  if ((change & NORMSCOPE_CHANGED_REPLACED) != 0)
    {
      normscope_fill_runner_stop (p->runner);
      p->goes_on = FALSE;
      for (guint i = 0; i < NORMSCOPE_TRAINING_SURVEY_PLACES; i++)
        if (p->surveys[i] != NULL && is_stale (self, p->surveys[i]))
          g_clear_pointer (&p->surveys[i], get_class (self)->kind.unref);
    }
  else if (is_running (self) && is_other)
    {
      /* go on with the other settings, or with the survey that is chosen */
      normscope_fill_runner_stop (p->runner);
      if (ns_experiment_validate_training (normscope_session_get_experiment (p->session), NULL))
        begin (self);
    }
  if ((change & NORMSCOPE_CHANGED_VIEW) != 0)
    normscope_plot_scale_view (p->plot, GTK_WIDGET (self), normscope_session_get_text_scale (p->session));
  if ((change & (settings | redraws)) == 0)
    return;
  if (!is_running (self))
    show_survey_error (self, normscope_session_get_error (p->session));
  show_survey_state (self);
  make_figure (self);
}

/* ---- the page ---- */

static void
survey_toggle (NormscopeTrainingPage *page)
{
  toggle (NORMSCOPE_TRAINING_SURVEY (page));
}

static NormscopePicture *
survey_dup_picture (NormscopeTrainingPage *page, gboolean titles)
{
  const NormscopePicture *shown
      = normscope_training_figure_get_shown (get_private (NORMSCOPE_TRAINING_SURVEY (page))->figure);
  NsFigureOptions options;

  if (shown == NULL)
    return NULL;
  options = *shown->options;
  ns_figure_options_set_titles (&options, titles);
  return normscope_picture_new (shown->kind, &shown->source, &options);
}

static NormscopePlot *
survey_get_plot (NormscopeTrainingPage *page, NsFigureKind figure)
{
  (void) figure;
  return get_private (NORMSCOPE_TRAINING_SURVEY (page))->plot;
}

/* ---- the object ---- */

static void
normscope_training_survey_map (GtkWidget *widget)
{
  NormscopeTrainingSurvey *self = NORMSCOPE_TRAINING_SURVEY (widget);
  Private *p = get_private (self);

  GTK_WIDGET_CLASS (normscope_training_survey_parent_class)->map (widget);
  if (p->goes_on)
    begin (self);
  p->goes_on = FALSE;
  show_survey_state (self);
  make_figure (self);
}

static void
normscope_training_survey_unmap (GtkWidget *widget)
{
  NormscopeTrainingSurvey *self = NORMSCOPE_TRAINING_SURVEY (widget);
  Private *p = get_private (self);

  GTK_WIDGET_CLASS (normscope_training_survey_parent_class)->unmap (widget);
  p->goes_on = is_running (self);
  normscope_fill_runner_stop (p->runner);
  normscope_training_figure_stop (p->figure);
}

static void
normscope_training_survey_dispose (GObject *object)
{
  NormscopeTrainingSurvey *self = NORMSCOPE_TRAINING_SURVEY (object);
  Private *p = get_private (self);

  g_clear_object (&p->runner);
  g_clear_object (&p->figure);
  for (guint i = 0; i < NORMSCOPE_TRAINING_SURVEY_PLACES; i++)
    if (p->surveys[i] != NULL)
      g_clear_pointer (&p->surveys[i], get_class (self)->kind.unref);
  g_clear_object (&p->session);
  G_OBJECT_CLASS (normscope_training_survey_parent_class)->dispose (object);
}

static void
normscope_training_survey_class_init (NormscopeTrainingSurveyClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  NormscopeTrainingPageClass *page_class = NORMSCOPE_TRAINING_PAGE_CLASS (klass);

  klass->kind = (NormscopeFillKind){
    .poll_ms = SURVEY_POLL_MS, .shows_empty = TRUE, .settings_size = sizeof (NsViewChoice)
  };
  G_OBJECT_CLASS (klass)->dispose = normscope_training_survey_dispose;
  widget_class->map = normscope_training_survey_map;
  widget_class->unmap = normscope_training_survey_unmap;
  page_class->toggle = survey_toggle;
  page_class->dup_picture = survey_dup_picture;
  page_class->get_plot = survey_get_plot;
  g_type_ensure (NORMSCOPE_TYPE_PLOT);
  g_type_ensure (NORMSCOPE_TYPE_READOUT);
  g_type_ensure (NORMSCOPE_TYPE_SENTENCE);
  gtk_widget_class_set_template_from_resource (widget_class, "/org/normscope/Normscope/normscope-training-survey.ui");
  gtk_widget_class_bind_template_child_private (widget_class, NormscopeTrainingSurvey, error_revealer);
  gtk_widget_class_bind_template_child_private (widget_class, NormscopeTrainingSurvey, error_label);
  gtk_widget_class_bind_template_child_private (widget_class, NormscopeTrainingSurvey, stack);
  gtk_widget_class_bind_template_child_private (widget_class, NormscopeTrainingSurvey, empty_page);
  gtk_widget_class_bind_template_child_private (widget_class, NormscopeTrainingSurvey, begin_button);
  gtk_widget_class_bind_template_child_private (widget_class, NormscopeTrainingSurvey, overlay);
  gtk_widget_class_bind_template_child_private (widget_class, NormscopeTrainingSurvey, plot);
  gtk_widget_class_bind_template_child_private (widget_class, NormscopeTrainingSurvey, readout);
  gtk_widget_class_bind_template_child_private (widget_class, NormscopeTrainingSurvey, controls);
  gtk_widget_class_bind_template_child_private (widget_class, NormscopeTrainingSurvey, train_button);
  gtk_widget_class_bind_template_child_private (widget_class, NormscopeTrainingSurvey, bar);
  gtk_widget_class_bind_template_child_private (widget_class, NormscopeTrainingSurvey, status_label);
  gtk_widget_class_bind_template_child_private (widget_class, NormscopeTrainingSurvey, sentence);
  gtk_widget_class_bind_template_callback (widget_class, toggle);
}

static void
normscope_training_survey_init (NormscopeTrainingSurvey *self)
{
  Private *p = get_private (self);
  GtkEventController *keys = gtk_event_controller_key_new ();

  gtk_widget_init_template (GTK_WIDGET (self));
  normscope_readout_attach (p->readout, p->overlay, p->plot);
  g_signal_connect_object (keys, "key-pressed", G_CALLBACK (survey_key_cb), self, G_CONNECT_SWAPPED);
  gtk_widget_add_controller (GTK_WIDGET (p->plot), keys);
}

/* Set the words of the subclass. */
static void
set_words (NormscopeTrainingSurvey *self)
{
  Private *p = get_private (self);
  NormscopeTrainingSurveyClass *klass = get_class (self);

  adw_status_page_set_title (p->empty_page, _ (klass->empty_title));
  adw_status_page_set_description (p->empty_page, _ (klass->empty_text));
  gtk_widget_set_tooltip_text (p->begin_button, _ (klass->run_tip));
  gtk_accessible_update_property (GTK_ACCESSIBLE (p->bar), GTK_ACCESSIBLE_PROPERTY_LABEL, _ (klass->bar_label), -1);
}

NormscopeTrainingPage *
normscope_training_survey_new (GType type, NormscopeSession *session, NormscopeEngine *engine)
{
  NormscopeTrainingSurvey *self = g_object_new (type, NULL);
  Private *p = get_private (self);

  p->session = g_object_ref (session);
  p->runner = normscope_fill_runner_new (engine, &get_class (self)->kind);
  p->figure = normscope_training_figure_new (session, p->plot, p->readout);
  set_words (self);
  g_signal_connect_object (session, "changed", G_CALLBACK (survey_changed_cb), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (p->runner, "result", G_CALLBACK (survey_result_cb), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (p->runner, "failed", G_CALLBACK (survey_failed_cb), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (p->runner, "notify::busy", G_CALLBACK (show_survey_state), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (p->figure, "shown", G_CALLBACK (survey_shown_cb), self, G_CONNECT_SWAPPED);
  normscope_plot_scale_view (p->plot, GTK_WIDGET (self), normscope_session_get_text_scale (session));
  show_survey_state (self);
  return NORMSCOPE_TRAINING_PAGE (self);
}
