/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/session/normscope-session-private.h"

#include "engine/experiment/ns-experiment.h"
#include "engine/experiment/ns-params.h"
#include "engine/experiment/ns-validate.h"

#include <math.h>

G_DEFINE_FINAL_TYPE (NormscopeSession, normscope_session, G_TYPE_OBJECT)

enum { SESSION_SIGNAL_CHANGED, N_SESSION_SIGNALS };
static guint session_signals[N_SESSION_SIGNALS];

static void
update_figure_arrays (NormscopeSession *self)
{
  for (guint v = 0; v < NS_MAX_VARIANTS; v++)
    {
      self->styles[v] = self->state.looks[v].style;
      self->has_color[v] = self->state.looks[v].has_color;
      self->colors[v] = self->state.looks[v].color;
    }
}

void
normscope_session_emit_changed (NormscopeSession *self, guint change)
{
  gboolean is_setting = change != NORMSCOPE_CHANGED_CURSOR && change != NORMSCOPE_CHANGED_STEP;

  g_signal_emit (self, session_signals[SESSION_SIGNAL_CHANGED],
                 g_quark_from_static_string (is_setting ? "settings" : "cursor"), change);
}

void
normscope_session_apply (NormscopeSession *self, NormscopeState *next, guint change)
{
  NormscopeState former = self->state;

  if ((change & NORMSCOPE_CHANGED_EXPERIMENT) != 0 && (change & NORMSCOPE_CHANGED_REPLACED) == 0
      && ns_experiment_has_same_pass (former.experiment, next->experiment))
    change ^= NORMSCOPE_CHANGED_EXPERIMENT | NORMSCOPE_CHANGED_TRAINING;
  self->state = *next;
  self->state.control = NULL;
  update_figure_arrays (self);
  if (former.experiment != next->experiment)
    {
      g_clear_error (&self->error);
      ns_experiment_validate (next->experiment, &self->error);
    }
  normscope_session_emit_changed (self, change);
  if (former.experiment != next->experiment)
    ns_experiment_free (former.experiment);
  if (former.marks != next->marks)
    ns_marks_free (former.marks);
}

void
normscope_session_commit (NormscopeSession *self, NormscopeState *next, guint change)
{
  /* Selecting a variant changes no setting, so it is no step. */
  if (change != NORMSCOPE_CHANGED_SELECTED)
    normscope_history_record (self->history, &self->state, &self->view, next->control);
  normscope_session_apply (self, next, change);
}

NormscopeState
normscope_session_copy_state (NormscopeSession *self)
{
  NormscopeState next = self->state;

  next.experiment = ns_experiment_copy (self->state.experiment);
  return next;
}

NormscopeState
normscope_session_new_state (NormscopeSession *self, NsExperiment *experiment)
{
  NormscopeState next = {
    .experiment = experiment,
    .document = self->state.document,
    .paths = self->state.paths,
    .training = self->state.training,
    .scaling = self->state.scaling,
    .marks = self->state.marks,
  };

  for (int v = 0; v < NS_MAX_VARIANTS; v++)
    next.looks[v].style = v;
  return next;
}

void
normscope_session_discard_state (NormscopeState *next)
{
  ns_experiment_free (next->experiment);
}

static void
normscope_session_finalize (GObject *object)
{
  NormscopeSession *self = NORMSCOPE_SESSION (object);

  ns_experiment_free (self->state.experiment);
  ns_marks_free (self->state.marks);
  normscope_history_free (self->history);
  g_clear_pointer (&self->kept_history, normscope_history_free);
  g_clear_pointer (&self->recording, ns_training_unref);
  g_clear_error (&self->error);
  G_OBJECT_CLASS (normscope_session_parent_class)->finalize (object);
}

static void
normscope_session_class_init (NormscopeSessionClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = normscope_session_finalize;

  session_signals[SESSION_SIGNAL_CHANGED] =
      g_signal_new ("changed", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST | G_SIGNAL_DETAILED, 0, NULL, NULL, NULL,
                    G_TYPE_NONE, 1, G_TYPE_UINT);
}

static void
normscope_session_init (NormscopeSession *self)
{
  self->state.experiment = ns_experiment_new ();
  self->state.marks = ns_marks_new ();
  self->history = normscope_history_new ();
  for (int v = 0; v < NS_MAX_VARIANTS; v++)
    self->state.looks[v].style = v;
  ns_view_choice_init (&self->state.paths, NS_VIEW_PATHS);
  ns_view_choice_init (&self->state.training, NS_VIEW_TRAINING);
  self->step = -1;
  ns_scaling_settings_init (&self->state.scaling);
  update_figure_arrays (self);
  normscope_view_init (&self->view);
  self->cursor = NAN;
}

NormscopeSession *
normscope_session_new (void)
{
  return g_object_new (NORMSCOPE_TYPE_SESSION, NULL);
}

const NsExperiment *
normscope_session_get_experiment (NormscopeSession *self)
{
  g_return_val_if_fail (NORMSCOPE_IS_SESSION (self), NULL);
  return self->state.experiment;
}

const GError *
normscope_session_get_error (NormscopeSession *self)
{
  g_return_val_if_fail (NORMSCOPE_IS_SESSION (self), NULL);
  return self->error;
}

void
normscope_session_take_experiment (NormscopeSession *self, NsExperiment *experiment)
{
  g_return_if_fail (NORMSCOPE_IS_SESSION (self));
  normscope_session_take_document (self, experiment, self->state.document);
}

guint
normscope_session_get_document (NormscopeSession *self)
{
  g_return_val_if_fail (NORMSCOPE_IS_SESSION (self), 0);
  return self->state.document;
}

void
normscope_session_take_document (NormscopeSession *self, NsExperiment *experiment, guint document)
{
  normscope_session_take_document_in (self, experiment, document, NULL);
}

void
normscope_session_take_document_in (NormscopeSession *self, NsExperiment *experiment, guint document,
                                    const NsViewChoice *choice)
{
  guint change = NORMSCOPE_CHANGED_LIST | NORMSCOPE_CHANGED_REPLACED;
  NormscopeState next;

  g_return_if_fail (NORMSCOPE_IS_SESSION (self));
  g_return_if_fail (experiment != NULL);

  next = normscope_session_new_state (self, experiment);
  if (document != self->state.document)
    {
      /* Pins and notes are about the former document; a curve was kept to compare others with it. */
      next.marks = ns_marks_copy (self->state.marks);
      g_array_set_size (next.marks->pins, 0);
      g_ptr_array_set_size (next.marks->notes, 0);
    }
  next.document = document;
  if (choice != NULL)
    {
      normscope_session_choose (&next, choice);
      change |= normscope_session_get_choice_change (choice->view);
    }
  normscope_session_commit (self, &next, change);
}

void
normscope_session_revert (NormscopeSession *self, const NsExperiment *experiment)
{
  NormscopeState next;

  g_return_if_fail (NORMSCOPE_IS_SESSION (self));
  g_return_if_fail (experiment != NULL);

  if (ns_experiment_equal (experiment, self->state.experiment))
    return;
  if (experiment->variants->len != self->state.experiment->variants->len)
    {
      normscope_session_take_experiment (self, ns_experiment_copy (experiment));
      return;
    }
  next = self->state;
  next.experiment = ns_experiment_copy (experiment);
  normscope_session_commit (self, &next, NORMSCOPE_CHANGED_LIST);
}

/* ---- the view ---- */

const NormscopeView *
normscope_session_get_view (NormscopeSession *self)
{
  g_return_val_if_fail (NORMSCOPE_IS_SESSION (self), NULL);
  return &self->view;
}

/* The memory budget is clicked up and down in a spin button, which makes one step. */
static gconstpointer
get_view_control (const NormscopeView *from, const NormscopeView *to)
{
  NormscopeView moved = *from;

  moved.memory_mib = to->memory_mib;
  return normscope_view_equal (&moved, to) ? &from->memory_mib : NULL;
}

void
normscope_session_set_view (NormscopeSession *self, const NormscopeView *view)
{
  g_return_if_fail (NORMSCOPE_IS_SESSION (self));
  g_return_if_fail (view != NULL);
  if (normscope_view_equal (view, &self->view))
    return;
  normscope_history_record (self->history, &self->state, &self->view, get_view_control (&self->view, view));
  self->view = *view;
  normscope_session_emit_changed (self, NORMSCOPE_CHANGED_VIEW);
}

guint64
normscope_session_get_memory_budget (NormscopeSession *self)
{
  g_return_val_if_fail (NORMSCOPE_IS_SESSION (self), 0);
  return (guint64) self->view.memory_mib << 20;
}

void
normscope_session_get_flow_options (NormscopeSession *self, NsFlowOptions *options)
{
  g_return_if_fail (NORMSCOPE_IS_SESSION (self));
  g_return_if_fail (options != NULL);

  ns_flow_options_init (options);
  options->gradient = self->view.gradient;
  options->activation = self->view.activation;
  options->log_gradient = self->view.log_gradient;
  options->bars_axis = self->view.bars_axis;
  options->band = self->view.band;
  options->predictions = self->view.predictions;
  options->factor = self->view.factor;
  options->token_cos = self->view.token_cos;
  options->n_seeds_wanted = (guint) self->state.experiment->sampling.seeds;
  options->styles = self->styles;
  options->colors = self->colors;
  options->has_color = self->has_color;
  options->marks = self->state.marks;
  for (guint v = 0; v < self->state.experiment->variants->len; v++)
    if (self->state.looks[v].hidden)
      options->hidden |= G_GUINT64_CONSTANT (1) << v;
}

/* ---- the crosshair ---- */

double
normscope_session_get_cursor (NormscopeSession *self)
{
  g_return_val_if_fail (NORMSCOPE_IS_SESSION (self), NAN);
  return self->cursor;
}

void
normscope_session_set_cursor (NormscopeSession *self, double x)
{
  g_return_if_fail (NORMSCOPE_IS_SESSION (self));

  if (x == self->cursor || (isnan (x) && isnan (self->cursor)))
    return;
  self->cursor = x;
  normscope_session_emit_changed (self, NORMSCOPE_CHANGED_CURSOR);
}
