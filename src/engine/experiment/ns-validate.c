/* Validation of an experiment as a whole.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/experiment/ns-validate.h"

#include "engine/experiment/ns-derived.h"
#include "engine/experiment/ns-experiment-error.h"
#include "engine/experiment/ns-params-private.h"
#include "engine/experiment/ns-quantity.h"
#include "engine/experiment/ns-sub-layers.h"
#include "engine/experiment/ns-text.h"
#include "engine/experiment/ns-validate-streams.h"
#include "engine/experiment/ns-validate-private.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

/* The most divisors that a message lists. */
#define MAX_LISTED 12

gboolean
ns_validate_fail (GError **error, const char *where, const char *const *keys, const char *format, ...)
{
  va_list args;

  va_start (args, format);
  g_autofree char *message = g_strdup_vprintf (format, args);
  va_end (args);
  ns_experiment_error_set (error, NS_EXPERIMENT_ERROR_VALUE, NULL, "%s", message);
  for (; *keys != NULL; keys++)
    {
      const NsParam *param = ns_param_find (*keys);
      gboolean in_variant = param != NULL && ns_param_is_in_variant (param);
      g_autofree char *key = g_strconcat (in_variant ? where : "", *keys, NULL);

      ns_experiment_error_add_key (error, key);
    }
  return FALSE;
}

static gboolean
check_fields (gconstpointer base, gboolean in_variant, const char *where, GError **error)
{
  gsize n;
  const NsParam *params = ns_params (&n);

  for (gsize i = 0; i < n; i++)
    if (ns_param_is_in_variant (&params[i]) == in_variant && !ns_param_check (&params[i], base, where, error))
      return FALSE;
  return TRUE;
}

static char *
list_divisors (gint64 number, gint64 max)
{
  GString *list = g_string_new (NULL);
  guint listed = 0;

  for (gint64 divisor = 1; divisor <= MIN (number, max); divisor++)
    {
      if (number % divisor != 0)
        continue;
      if (listed++ == MAX_LISTED)
        {
          g_string_append (list, ", …");
          break;
        }
      g_string_append_printf (list, "%s%" G_GINT64_FORMAT, list->len > 0 ? ", " : "", divisor);
    }
  return g_string_free (list, FALSE);
}

static gboolean
check_shape (const NsShape *shape, GError **error)
{
  gint64 kv_heads = ns_shape_get_kv_heads (shape);

  if (shape->d_head == 0 && shape->d_model % shape->heads != 0)
    {
      g_autofree char *divisors = list_divisors (shape->d_model, (gint64) ns_param_find ("shape.heads")->max);

      return ns_validate_fail (error, "", KEYS ("shape.heads", "shape.d_model"),
                               _ ("shape.heads: %lld does not divide shape.d_model = %lld; allowed: %s"),
                               (long long) shape->heads, (long long) shape->d_model, divisors);
    }
  if (shape->heads % kv_heads != 0)
    {
      g_autofree char *divisors = list_divisors (shape->heads, shape->heads);

      return ns_validate_fail (error, "", KEYS ("shape.kv_heads", "shape.heads"),
                               _ ("shape.kv_heads: %lld does not divide shape.heads = %lld; allowed: %s"),
                               (long long) kv_heads, (long long) shape->heads, divisors);
    }
  return TRUE;
}

/* The unbiased square divides by the number of minibatches minus 1. */
static gboolean
check_sampling (const NsSampling *sampling, GError **error)
{
  if (sampling->estimate != NS_ESTIMATE_EXPECTED || sampling->batches > 1)
    return TRUE;
  return ns_validate_fail (
      error, "", KEYS ("sampling.estimate", "sampling.batches"),
      _ ("sampling.estimate: expected is not allowed when sampling.batches = 1; allowed: norm or mean, or "
         "at least 2 minibatches"));
}

/* The parallel topology has one pre norm, one addition and one post norm for both sub-layers, so their settings have to
 * agree. */
static gboolean
check_parallel (const NsVariant *variant, const char *where, GError **error)
{
  const NsParam *param = ns_param_find ("ffn.norm");
  NsPlacement attn = variant->attn.norm;
  NsPlacement ffn = variant->ffn.norm;

  if (variant->topology == NS_TOPOLOGY_SEQUENTIAL)
    return TRUE;

  if (variant->attn.residual != variant->ffn.residual)
    return ns_validate_fail (
        error, where, KEYS ("ffn.residual", "attn.residual", "topology"),
        _ ("%sffn.residual: %s does not agree with %sattn.residual = %s; allowed: the same value for both "
           "when topology = parallel, which has one addition for both"),
        where, variant->ffn.residual ? "true" : "false", where, variant->attn.residual ? "true" : "false");

  /* With a post_fraction both sub-layers of a block have the same placement. */
  if (!isnan (variant->post_fraction))
    return TRUE;
  if (ns_placement_has_pre (attn) != ns_placement_has_pre (ffn)
      || ns_placement_has_post (attn) != ns_placement_has_post (ffn))
    {
      GString *allowed = g_string_new (NULL);

      for (int p = 0; param->choices[p] != NULL; p++)
        if (ns_placement_has_pre (p) == ns_placement_has_pre (attn)
            && ns_placement_has_post (p) == ns_placement_has_post (attn))
          g_string_append_printf (allowed, "%s%s", allowed->len > 0 ? ", " : "", param->choices[p]);
      ns_validate_fail (
          error, where, KEYS ("ffn.norm", "attn.norm", "topology"),
          _ ("%sffn.norm: %s does not agree with %sattn.norm = %s; allowed when topology = parallel, which shares "
             "the norms before the sub-layers and after the addition: %s"),
          where, param->choices[ffn], where, param->choices[attn], allowed->str);
      g_string_free (allowed, TRUE);
      return FALSE;
    }
  return TRUE;
}

gboolean
ns_validate_refuse (const NsVariant *variant, const char *const *keys, const char *where, const char *why,
                    GError **error)
{
  g_autofree char *value = ns_param_dup_text (ns_param_find (keys[0]), variant);

  return ns_validate_fail (error, where, keys, _ ("%s%s: %s is not allowed %s"), where, keys[0], value, why);
}

/* LongRoPE has a factor for each pair, and a default of the attention factor with ln T₀ as divisor. */
static gboolean
check_longrope (const NsVariant *variant, const NsRotaryRule *rule, const char *where, GError **error)
{
  static const char *const keys[] = { "rotary_short_factors", "rotary_long_factors" };

  for (gsize i = 0; i < G_N_ELEMENTS (keys); i++)
    {
      const char *list = ns_param_get_string (ns_param_find (keys[i]), variant);
      gsize n;

      g_free (ns_param_dup_numbers (list, &n));
      if (list != NULL && n != rule->dim / 2)
        return ns_validate_fail (
            error, where, KEYS (keys[i], "rotary_dim", "shape.d_head", "shape.heads", "shape.d_model"),
            _ ("%s%s: a length of %u is not allowed; allowed: %u, one number for each pair, or null"), where, keys[i],
            (guint) n, (guint) (rule->dim / 2));
    }
  if (rule->original < 2 && rule->attention_factor == 0)
    return ns_validate_fail (
        error, where, KEYS ("rotary_original", "rotary_attention_factor", "rotary_scaling"),
        _ ("%srotary_original: 1 is not allowed when rotary_scaling = longrope, whose factor would be "
           "infinite; allowed: 2 or more, or a rotary_attention_factor"),
        where);
  return TRUE;
}

/* Rotary positions turn an even number of a head's features, of queries and keys that are not 0. */
static gboolean
check_rotary (const NsExperiment *experiment, const NsVariant *variant, const char *where, GError **error)
{
  NsRotaryRule rule = ns_variant_get_rotary_rule (variant, &experiment->shape);
  gint64 d_head = ns_shape_get_d_head (&experiment->shape);
  gboolean has_bounds = rule.scaling == NS_ROTARY_SCALING_LLAMA3 || rule.scaling == NS_ROTARY_SCALING_YARN;

  if (variant->qk_norm == NS_QK_NORM_HEAD_ROTARY && variant->rotary.pairs == NS_ROTARY_NONE)
    return ns_validate_refuse (variant, KEYS ("qk_norm", "rotary"), where,
                               _ ("when rotary = none, since it is for blocks with rotary positions; allowed: none, "
                                  "full, head, qkv-head or cosine"),
                               error);
  /* the factor on what is turned would be divided out by a norm after the turn, but not by one before it */
  if (variant->qk_norm == NS_QK_NORM_HEAD_ROTARY && ns_rotary_scaling_has_factor (rule.scaling))
    return ns_validate_refuse (variant, KEYS ("qk_norm", "rotary_scaling"), where,
                               rule.scaling == NS_ROTARY_SCALING_YARN
                                   ? _ ("when rotary_scaling = yarn, whose factor a norm after it would remove; "
                                        "allowed: none, full, head, qkv-head or cosine")
                                   : _ ("when rotary_scaling = longrope, whose factor a norm after it would remove; "
                                        "allowed: none, full, head, qkv-head or cosine"),
                               error);
  if (variant->rotary.pairs == NS_ROTARY_NONE)
    return TRUE;
  if (variant->attention == NS_ATTENTION_UNIFORM)
    return ns_validate_refuse (variant, KEYS ("rotary", "attention"), where,
                               _ ("when attention = uniform, whose queries and keys are 0; allowed: none"), error);
  if (variant->rotary.dim % 2 != 0 || variant->rotary.dim > d_head)
    return ns_validate_fail (
        error, where, KEYS ("rotary_dim", "shape.d_head", "shape.heads", "shape.d_model"),
        _ ("%srotary_dim: %lld is not allowed with heads of %lld features; allowed: an even number up to "
           "that, or null"),
        where, (long long) variant->rotary.dim, (long long) d_head);
  if (has_bounds && (rule.low > rule.high || (rule.low == rule.high && rule.scaling == NS_ROTARY_SCALING_YARN)))
    {
      g_autofree char *low = ns_dup_number (rule.low), *high = ns_dup_number (rule.high);

      return ns_validate_fail (error, where, KEYS ("rotary_low", "rotary_high", "rotary_scaling"),
                               _ ("%srotary_low: %s is not below the high turns, %s; allowed: a smaller number"), where,
                               low, high);
    }
  return rule.scaling != NS_ROTARY_SCALING_LONGROPE || check_longrope (variant, &rule, where, error);
}

/* A bias of the scores has no effect where every token has the same weight. T5's buckets of one distance each, half of
 * them with a causal mask, end before the distance of the last one. */
static gboolean
check_position_bias (const NsVariant *variant, const char *where, GError **error)
{
  if (variant->position_bias == NS_POSITION_BIAS_NONE)
    return TRUE;
  if (variant->attention == NS_ATTENTION_UNIFORM)
    return ns_validate_refuse (variant, KEYS ("position_bias", "attention"), where,
                               _ ("when attention = uniform, which has no scores; allowed: none"), error);
  if (variant->position_bias == NS_POSITION_BIAS_T5 && variant->position_distance <= variant->position_buckets / 2)
    return ns_validate_fail (
        error, where, KEYS ("position_distance", "position_buckets"),
        _ ("%sposition_distance: %lld is not allowed with %lld buckets; allowed: more than half of them"), where,
        (long long) variant->position_distance, (long long) variant->position_buckets);
  return TRUE;
}

/* A window chooses among scores, and its tokens would not have the weight that the theory assumes. */
static gboolean
check_window (const NsVariant *variant, const char *where, GError **error)
{
  if (variant->window.size == 0 || variant->attention != NS_ATTENTION_UNIFORM)
    return TRUE;
  return ns_validate_refuse (variant, KEYS ("window", "attention"), where,
                             _ ("when attention = uniform, which has no scores; allowed: null"), error);
}

/* Experts: at most all of them for a token, and nothing that one matrix for each of them does not have. */
static gboolean
check_experts (const NsVariant *variant, const char *where, GError **error)
{
  const NsExperts *experts = &variant->experts;

  if (experts->count == 0)
    return TRUE;
  if (experts->per_token > experts->count)
    return ns_validate_fail (
        error, where, KEYS ("experts_per_token", "experts"),
        _ ("%sexperts_per_token: %lld is not allowed with experts = %lld; allowed: from 1 to %lld"), where,
        (long long) experts->per_token, (long long) experts->count, (long long) experts->count);
  if (ns_variant_has_bias (variant, NS_T_B_1))
    return ns_validate_refuse (variant, KEYS ("experts", "bias_ffn", "bias"), where,
                               _ ("with FFN biases, which experts do not have; allowed: null, or bias_ffn = false"),
                               error);
  if (variant->ffn.inner_norm)
    return ns_validate_refuse (variant, KEYS ("experts", "ffn.inner_norm"), where,
                               _ ("when ffn.inner_norm = true; allowed: null, or ffn.inner_norm = false"), error);
  if (variant->init.mup_base != 0)
    return ns_validate_refuse (variant, KEYS ("experts", "init.mup_base"), where,
                               _ ("with μP, which has no rule for a router; allowed: null, or init.mup_base = null"),
                               error);
  return TRUE;
}

static gboolean
check_sub_layers (const NsExperiment *experiment, const NsVariant *variant, const char *where, GError **error)
{
  const char *key = NULL, *why = ns_sub_layers_find_conflict (experiment, variant, &key);

  return why == NULL || ns_validate_refuse (variant, KEYS ("sublayers", key), where, why, error);
}

static gboolean
check_streams (const NsExperiment *experiment, const NsVariant *variant, const char *where, GError **error)
{
  NsStreamsConflict conflict;

  return ns_streams_check (experiment, variant, &conflict)
         || ns_validate_refuse (variant, conflict.keys, where, conflict.why, error);
}

static gboolean
check_name (const NsExperiment *experiment, guint v, const char *where, GError **error)
{
  const char *name = ns_experiment_variant (experiment, v)->name;

  for (guint other = 0; other < v; other++)
    if (strcmp (ns_experiment_variant (experiment, other)->name, name) == 0)
      {
        g_autofree char *quoted = ns_quote_text (name);

        return ns_validate_fail (
            error, where, KEYS ("name"),
            _ ("variants[%u].name: %s is also the name of variants[%u]; allowed: a name that no other "
               "variant has"),
            v, quoted, other);
      }
  return TRUE;
}

gboolean
ns_experiment_validate (const NsExperiment *experiment, GError **error)
{
  guint n_variants = experiment->variants->len;

  if (!check_fields (experiment, FALSE, "", error) || !check_shape (&experiment->shape, error)
      || !ns_validate_data (experiment, error) || !check_sampling (&experiment->sampling, error))
    return FALSE;

  if (n_variants < 1 || n_variants > NS_MAX_VARIANTS)
    return ns_validate_fail (error, "", KEYS ("variants"),
                             _ ("variants: %u variants are not allowed; allowed: from 1 to %d"), n_variants,
                             NS_MAX_VARIANTS);

  for (guint v = 0; v < n_variants; v++)
    {
      const NsVariant *variant = ns_experiment_variant (experiment, v);
      g_autofree char *where = g_strdup_printf ("variants[%u].", v);

      if (!check_fields (variant, TRUE, where, error) || !check_name (experiment, v, where, error)
          || !check_parallel (variant, where, error) || !ns_validate_wiring (experiment, variant, where, error)
          || !check_rotary (experiment, variant, where, error) || !check_position_bias (variant, where, error)
          || !check_window (variant, where, error) || !check_experts (variant, where, error)
          || !check_sub_layers (experiment, variant, where, error) || !check_streams (experiment, variant, where, error)
          || !ns_validate_ngpt (experiment, variant, where, error)
          || !ns_validate_weights (experiment, v, where, error))
        return FALSE;
    }
  return TRUE;
}
