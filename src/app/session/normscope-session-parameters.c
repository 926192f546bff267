/* The session's parameters: those of variants are the selected variant's.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/session/normscope-session-private.h"

#include <math.h>
#include <string.h>

#include "document/ns-experiment-json.h"
#include "engine/experiment/ns-derived.h"
#include "engine/experiment/ns-experiment.h"
#include "engine/experiment/ns-params.h"
#include "engine/experiment/ns-variant-name.h"
#include "engine/ops/ns-markov.h"

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

/* ---- placements ---- */

static int *
get_placement_field (NsVariant *variant, NsSub sub)
{
  return sub == NS_SUB_ATTN ? &variant->attn.norm : sub == NS_SUB_FFN ? &variant->ffn.norm : &variant->cross.norm;
}

int
normscope_session_get_placement (NormscopeSession *self, NsSub sub)
{
  const NsVariant *variant;

  g_return_val_if_fail (NORMSCOPE_IS_SESSION (self), -1);
  variant = ns_experiment_variant (self->state.experiment, self->state.selected);
  if (isnan (variant->post_fraction))
    return *get_placement_field ((NsVariant *) variant, sub);
  if (sub == NS_SUB_CROSS)
    return NS_NULL_CHOICE;
  if (variant->post_fraction <= 0)
    return NS_PLACE_PRE;
  return variant->post_fraction >= 1 ? NS_PLACE_POST : -1;
}

double
normscope_session_get_post_fraction (NormscopeSession *self)
{
  const NsVariant *variant;
  int all;

  g_return_val_if_fail (NORMSCOPE_IS_SESSION (self), NAN);
  variant = ns_experiment_variant (self->state.experiment, self->state.selected);
  if (!isnan (variant->post_fraction))
    return variant->post_fraction;
  all = variant->attn.norm;
  if (variant->ffn.norm != all
      || (self->state.experiment->shape.stack == NS_STACK_ENCODER_DECODER
          && ns_variant_get_wiring (variant, NS_SUB_CROSS).norm != all))
    return NAN;
  return all == NS_PLACE_PRE ? 0.0 : all == NS_PLACE_POST ? 1.0 : NAN;
}

/* ---- values ---- */

double
normscope_session_get_value (NormscopeSession *self, const NsParam *param)
{
  gconstpointer base;

  g_return_val_if_fail (NORMSCOPE_IS_SESSION (self), NAN);
  g_return_val_if_fail (param != NULL, NAN);

  base = get_base (&self->state, param);
  if (strcmp (ns_param_get_path (param), "post_fraction") == 0)
    return normscope_session_get_post_fraction (self);
  if (param->implied && param->type == NS_TYPE_INTEGER && ns_param_is_null (param, base))
    return NAN;
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
    case NS_TYPE_LIST:
    default:
      return NAN;
    }
}

gboolean
normscope_session_commit_if_changed (NormscopeSession *self, NormscopeState *next, gboolean ok)
{
  guint change = NORMSCOPE_CHANGED_EXPERIMENT;

  if (!ok || ns_experiment_equal (next->experiment, self->state.experiment))
    {
      normscope_session_discard_state (next);
      return ok;
    }
  if (ns_experiment_update_name (next->experiment, next->selected,
                                 ns_experiment_variant (self->state.experiment, next->selected)))
    change |= NORMSCOPE_CHANGED_VARIANTS;
  normscope_session_commit (self, next, change);
  return TRUE;
}

/* Choosing a text as the source sets the vocabulary to bytes and, if there is no text yet, the sample text. Choosing a
 * Markov chain sets the vocabulary to the same if it is too large. */
static void
complete_source (NsExperiment *experiment)
{
  if (experiment->data.source == NS_SOURCE_TEXT
      || (experiment->data.source == NS_SOURCE_MARKOV && experiment->shape.vocab > NS_MARKOV_MAX_STATES))
    ns_shape_set_vocab (&experiment->shape, NS_TEXT_VOCAB);
  ns_experiment_fill_text (experiment);
}

/* Let an encoder with a vocabulary of its own have the decoder's where both read one sequence. */
static void
join_vocabularies (NsExperiment *experiment)
{
  if (ns_experiment_has_one_sequence (experiment))
    ns_shape_set_vocab (&experiment->shape, experiment->shape.vocab);
}

/* Parallel sub-layers share the residual and, if they have one norm, its placement: copy them from the one that `path`
 * names. */
static void
sync_parallel_sub_layers (NsVariant *variant, const char *path)
{
  NsWiring *from = g_str_has_prefix (path, "ffn.") ? &variant->ffn : &variant->attn;
  NsWiring *to = from == &variant->ffn ? &variant->attn : &variant->ffn;

  if (variant->topology == NS_TOPOLOGY_SEQUENTIAL)
    return;
  to->residual = from->residual;
  if (variant->topology == NS_TOPOLOGY_PARALLEL)
    to->norm = from->norm;
}

/* Return TRUE if `value` is how the field of a nullable parameter stores null. */
static gboolean
is_null (const NsParam *param, gint64 value)
{
  return param->nullable && value == ns_param_null_int (param);
}

gboolean
normscope_session_set_int (NormscopeSession *self, const NsParam *param, gint64 value, GError **error)
{
  NormscopeState next;
  gboolean ok;

  g_return_val_if_fail (NORMSCOPE_IS_SESSION (self), FALSE);
  next = normscope_session_copy_state (self);
  /* A number may be dragged, which makes one step; each click on a switch or a choice is a step. */
  next.control = param->type == NS_TYPE_INTEGER ? param : NULL;
  ok = is_null (param, value) ? ns_param_set_string (param, get_base (&next, param), NULL, "", error)
                              : ns_param_set_int (param, get_base (&next, param), value, "", error);
  if (ok && param->section == NS_SECTION_DATA)
    complete_source (next.experiment);
  if (ok && strcmp (param->key, "encoder_vocab") != 0)
    join_vocabularies (next.experiment);
  if (ok && param->section == NS_SECTION_VARIANT)
    sync_parallel_sub_layers (ns_experiment_variant (next.experiment, next.selected), ns_param_get_path (param));
  return normscope_session_commit_if_changed (self, &next, ok);
}

void
normscope_session_predict_tokens (NormscopeSession *self)
{
  NormscopeState next;

  g_return_if_fail (NORMSCOPE_IS_SESSION (self));
  next = normscope_session_copy_state (self);
  next.control = NULL;
  if (next.experiment->data.source == NS_SOURCE_GAUSSIAN)
    next.experiment->data.source = NS_SOURCE_TEXT;
  next.experiment->loss = NS_LOSS_CROSS_ENTROPY;
  complete_source (next.experiment);
  join_vocabularies (next.experiment);
  normscope_session_commit_if_changed (self, &next, TRUE);
}

gboolean
normscope_session_set_number (NormscopeSession *self, const NsParam *param, double value, GError **error)
{
  NormscopeState next;

  g_return_val_if_fail (NORMSCOPE_IS_SESSION (self), FALSE);
  next = normscope_session_copy_state (self);
  next.control = param;
  return normscope_session_commit_if_changed (
      self, &next, ns_param_set_number (param, get_base (&next, param), value, "", error));
}

gboolean
normscope_session_set_scale (NormscopeSession *self, const NsParam *param, NsScale value, GError **error)
{
  NormscopeState next;

  g_return_val_if_fail (NORMSCOPE_IS_SESSION (self), FALSE);
  next = normscope_session_copy_state (self);
  next.control = param;
  return normscope_session_commit_if_changed (
      self, &next, ns_param_set_scale (param, get_base (&next, param), value, "", error));
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
    complete_source (next.experiment);
  return normscope_session_commit_if_changed (self, &next, ok);
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
    case NS_TYPE_LIST:
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
normscope_session_new_seed (NormscopeSession *self)
{
  NormscopeState next;
  gint64 former;

  g_return_if_fail (NORMSCOPE_IS_SESSION (self));
  next = normscope_session_copy_state (self);
  former = next.experiment->sampling.seed;
  /* Six digits are short enough to be read aloud and typed. */
  while (next.experiment->sampling.seed == former)
    next.experiment->sampling.seed = g_random_int_range (0, 1000000);
  normscope_session_commit_if_changed (self, &next, TRUE);
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
  /* Keep the shown placement of the other sub-layer, which may come from post_fraction. */
  if (attn >= 0)
    variant->attn.norm = attn;
  if (ffn >= 0)
    variant->ffn.norm = ffn;
  variant->post_fraction = NAN;
  *get_placement_field (variant, sub) = placement;
  sync_parallel_sub_layers (variant, sub == NS_SUB_FFN ? "ffn.norm" : "attn.norm");
  normscope_session_commit_if_changed (self, &next, TRUE);
}
