/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/session/normscope-session-private.h"
#include "engine/experiment/ns-experiment.h"
#include "engine/experiment/ns-params.h"
#include "engine/experiment/ns-validate.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

#include "app/session/normscope-history.h"
#include "document/ns-experiment-json.h"

/* As in the settings' schema. */
#define DEFAULT_MEMORY_MIB 1024

G_DEFINE_FINAL_TYPE (NormscopeSession, normscope_session, G_TYPE_OBJECT)

enum { CHANGED, N_SIGNALS };
static guint signals[N_SIGNALS];

static void
derive_options (NormscopeSession *self)
{
  for (guint v = 0; v < NS_MAX_VARIANTS; v++)
    {
      self->styles[v] = self->state.looks[v].style;
      self->has_color[v] = self->state.looks[v].has_color;
      self->colors[v] = self->state.looks[v].color;
    }
}

void
normscope_session_apply (NormscopeSession *self, NormscopeState *next, guint change)
{
  NormscopeState former = self->state;

  self->state = *next;
  self->state.control = NULL;
  derive_options (self);
  if (former.experiment != next->experiment)
    {
      g_clear_error (&self->error);
      ns_experiment_validate (next->experiment, &self->error);
    }
  g_signal_emit (self, signals[CHANGED], 0, change);
  if (former.experiment != next->experiment)
    ns_experiment_free (former.experiment);
  if (former.unknown != next->unknown)
    ns_unknown_keys_free (former.unknown);
}

void
normscope_session_commit (NormscopeSession *self, NormscopeState *next, guint change)
{
  /* Which variant is in hand is no setting. */
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
    .unknown = self->state.unknown,
    .scaling = self->state.scaling,
  };

  for (int v = 0; v < NS_MAX_VARIANTS; v++)
    next.looks[v].style = v;
  return next;
}

void
normscope_state_clear (NormscopeState *next)
{
  ns_experiment_free (next->experiment);
}

static void
normscope_session_finalize (GObject *object)
{
  NormscopeSession *self = NORMSCOPE_SESSION (object);

  ns_experiment_free (self->state.experiment);
  ns_unknown_keys_free (self->state.unknown);
  normscope_history_free (self->history);
  g_clear_error (&self->error);
  G_OBJECT_CLASS (normscope_session_parent_class)->finalize (object);
}

static void
normscope_session_class_init (NormscopeSessionClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = normscope_session_finalize;

  signals[CHANGED] = g_signal_new ("changed", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                   G_TYPE_NONE, 1, G_TYPE_UINT);
}

static void
normscope_session_init (NormscopeSession *self)
{
  NsFlowOptions options;

  self->state.experiment = ns_experiment_new ();
  self->history = normscope_history_new ();
  for (int v = 0; v < NS_MAX_VARIANTS; v++)
    self->state.looks[v].style = v;
  normscope_scaling_settings_init (&self->state.scaling);
  derive_options (self);

  ns_flow_options_init (&options);
  self->view = (NormscopeView){
    .gradient = options.gradient,
    .activation = options.activation,
    .log_gradient = options.log_gradient,
    .log_activation = options.log_activation,
    .band = options.band,
    .ghost = TRUE,
    .predictions = options.predictions,
    .token_cos = options.token_cos,
    .text_scale = 1.0,
    .memory_mib = DEFAULT_MEMORY_MIB,
  };
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
  NormscopeState next;

  g_return_if_fail (NORMSCOPE_IS_SESSION (self));
  g_return_if_fail (experiment != NULL);

  next = normscope_session_new_state (self, experiment);
  normscope_session_commit (self, &next, NORMSCOPE_CHANGED_LIST);
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

/* ---- parameters ---- */

static gpointer
get_base (NormscopeState *state, const NsParam *param)
{
  if (param->section == NS_SECTION_VARIANT)
    return ns_experiment_variant (state->experiment, state->selected);
  return state->experiment;
}

gconstpointer
normscope_session_get_base (NormscopeSession *self, const NsParam *param)
{
  g_return_val_if_fail (NORMSCOPE_IS_SESSION (self), NULL);
  g_return_val_if_fail (param != NULL, NULL);
  return get_base (&self->state, param);
}

double
normscope_session_get_value (NormscopeSession *self, const NsParam *param)
{
  gconstpointer base;

  g_return_val_if_fail (NORMSCOPE_IS_SESSION (self), NAN);
  g_return_val_if_fail (param != NULL, NAN);

  base = get_base (&self->state, param);
  if (strcmp (ns_param_get_path (param), "post_fraction") == 0)
    return normscope_session_get_post_fraction (self);
  switch (param->type)
    {
    case NS_TYPE_NUMBER:
      return ns_param_get_number (param, base);
    case NS_TYPE_SCALE:
      return ns_param_get_scale (param, base).number;
    case NS_TYPE_INTEGER:
    case NS_TYPE_BOOLEAN:
    case NS_TYPE_CHOICE:
      return (double) ns_param_get_int (param, base);
    case NS_TYPE_STRING:
    default:
      return NAN;
    }
}

static gboolean
finish (NormscopeSession *self, NormscopeState *next, gboolean ok)
{
  if (!ok || ns_experiment_equal (next->experiment, self->state.experiment))
    normscope_state_clear (next);
  else
    normscope_session_commit (self, next, NORMSCOPE_CHANGED_EXPERIMENT);
  return ok;
}

/* A text has bytes for tokens, and there has to be one: choosing it brings both along. */
static void
complete_text_source (NsExperiment *experiment)
{
  if (experiment->data.source != NS_SOURCE_TEXT)
    return;
  experiment->shape.vocab = 256;
  if (experiment->data.text == NULL)
    ns_experiment_fill_text (experiment);
}

/* In parallel the sub-layers share norms and residual, so that one control moves both. */
static void
agree_in_parallel (NsVariant *variant, const char *path)
{
  NsWiring *from = g_str_has_prefix (path, "ffn.") ? &variant->ffn : &variant->attn;
  NsWiring *to = from == &variant->ffn ? &variant->attn : &variant->ffn;

  if (variant->topology == NS_TOPOLOGY_SEQUENTIAL)
    return;
  to->residual = from->residual;
  if (variant->topology == NS_TOPOLOGY_PARALLEL)
    to->norm = from->norm;
}

/* As the field itself holds it. */
static gboolean
is_null (const NsParam *param, gint64 value)
{
  return param->nullable && value == (param->type == NS_TYPE_INTEGER ? 0 : NS_NULL_CHOICE);
}

gboolean
normscope_session_set_int (NormscopeSession *self, const NsParam *param, gint64 value, GError **error)
{
  NormscopeState next;
  gboolean ok;

  g_return_val_if_fail (NORMSCOPE_IS_SESSION (self), FALSE);
  next = normscope_session_copy_state (self);
  /* A number may be dragged; a switch or a choice is a click each. */
  next.control = param->type == NS_TYPE_INTEGER ? param : NULL;
  ok = is_null (param, value) ? ns_param_set_string (param, get_base (&next, param), NULL, "", error)
                              : ns_param_set_int (param, get_base (&next, param), value, "", error);
  if (ok && param->section == NS_SECTION_DATA)
    complete_text_source (next.experiment);
  if (ok && param->section == NS_SECTION_VARIANT)
    agree_in_parallel (ns_experiment_variant (next.experiment, next.selected), ns_param_get_path (param));
  return finish (self, &next, ok);
}

gboolean
normscope_session_set_number (NormscopeSession *self, const NsParam *param, double value, GError **error)
{
  NormscopeState next;

  g_return_val_if_fail (NORMSCOPE_IS_SESSION (self), FALSE);
  next = normscope_session_copy_state (self);
  next.control = param;
  return finish (self, &next, ns_param_set_number (param, get_base (&next, param), value, "", error));
}

gboolean
normscope_session_set_scale (NormscopeSession *self, const NsParam *param, NsScale value, GError **error)
{
  NormscopeState next;

  g_return_val_if_fail (NORMSCOPE_IS_SESSION (self), FALSE);
  next = normscope_session_copy_state (self);
  next.control = param;
  return finish (self, &next, ns_param_set_scale (param, get_base (&next, param), value, "", error));
}

gboolean
normscope_session_set_text (NormscopeSession *self, const NsParam *param, const char *text, GError **error)
{
  NormscopeState next;
  gboolean ok;

  g_return_val_if_fail (NORMSCOPE_IS_SESSION (self), FALSE);
  next = normscope_session_copy_state (self);
  next.control = param;
  ok = ns_param_set_string (param, get_base (&next, param), text, "", error);
  if (ok)
    complete_text_source (next.experiment);
  return finish (self, &next, ok);
}

void
normscope_session_reset (NormscopeSession *self, const NsParam *param)
{
  g_return_if_fail (NORMSCOPE_IS_SESSION (self));
  g_return_if_fail (param != NULL);

  switch (param->type)
    {
    case NS_TYPE_SCALE:
      normscope_session_set_scale (self, param, (NsScale){ param->fallback_rule, param->fallback }, NULL);
      break;
    case NS_TYPE_STRING:
      normscope_session_set_text (self, param, NULL, NULL);
      break;
    case NS_TYPE_NUMBER:
      normscope_session_set_number (self, param, param->fallback, NULL);
      break;
    case NS_TYPE_INTEGER:
    case NS_TYPE_BOOLEAN:
    case NS_TYPE_CHOICE:
    default:
      normscope_session_set_int (self, param, (gint64) param->fallback, NULL);
    }
}

void
normscope_session_set_placement (NormscopeSession *self, NsSub sub, int placement)
{
  NormscopeState next;
  NsVariant *variant;
  int attn, ffn;

  g_return_if_fail (NORMSCOPE_IS_SESSION (self));
  attn = normscope_session_get_placement (self, NS_SUB_ATTN);
  ffn = normscope_session_get_placement (self, NS_SUB_FFN);
  next = normscope_session_copy_state (self);
  variant = ns_experiment_variant (next.experiment, next.selected);
  /* The other sub-layer keeps the placement that was shown, not one from before the slider was moved. */
  if (attn >= 0)
    variant->attn.norm = attn;
  if (ffn >= 0)
    variant->ffn.norm = ffn;
  variant->post_fraction = NAN;
  *normscope_variant_get_placement_field (variant, sub) = placement;
  agree_in_parallel (variant, sub == NS_SUB_FFN ? "ffn.norm" : "attn.norm");
  finish (self, &next, TRUE);
}

void
normscope_session_new_seed (NormscopeSession *self)
{
  NormscopeState next;
  gint64 former;

  g_return_if_fail (NORMSCOPE_IS_SESSION (self));
  next = normscope_session_copy_state (self);
  former = next.experiment->sampling.seed;
  /* Six digits can be read out in a hall and typed again. */
  while (next.experiment->sampling.seed == former)
    next.experiment->sampling.seed = g_random_int_range (0, 1000000);
  finish (self, &next, TRUE);
}

/* ---- the view ---- */

const NormscopeView *
normscope_session_get_view (NormscopeSession *self)
{
  g_return_val_if_fail (NORMSCOPE_IS_SESSION (self), NULL);
  return &self->view;
}

/* The one number of the view may be clicked up and down. */
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
  g_signal_emit (self, signals[CHANGED], 0, (guint) NORMSCOPE_CHANGED_VIEW);
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
  options->log_activation = self->view.log_activation;
  options->band = self->view.band;
  options->predictions = self->view.predictions;
  options->token_cos = self->view.token_cos;
  options->n_seeds_wanted = (guint) self->state.experiment->sampling.seeds;
  options->styles = self->styles;
  options->colors = self->colors;
  options->has_color = self->has_color;
  for (guint v = 0; v < self->state.experiment->variants->len; v++)
    if (self->state.looks[v].hidden)
      options->hidden |= G_GUINT64_CONSTANT (1) << v;
}

void
normscope_session_get_scaling_options (NormscopeSession *self, NsScalingOptions *options)
{
  g_return_if_fail (NORMSCOPE_IS_SESSION (self));
  g_return_if_fail (options != NULL);

  ns_scaling_options_init (options);
  options->band = self->view.band;
  options->styles = self->styles;
  options->colors = self->colors;
  options->has_color = self->has_color;
  for (guint v = 0; v < self->state.experiment->variants->len; v++)
    if (self->state.looks[v].hidden)
      options->hidden |= (guint64) 1 << v;
}
