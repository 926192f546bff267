/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/experiment/ns-variant-name.h"

#include "engine/experiment/ns-derived.h"
#include "engine/experiment/ns-params-private.h"
#include "engine/experiment/ns-variant-match.h"
#include "engine/experiment/ns-variant-name-private.h"
#include "engine/experiment/ns-variant-phrases.h"
#include "engine/experiment/ns-variants.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

/* The most differences in a name, which must fit at the end of a curve. */
#define MAX_DIFFERENCES 3

/* ---- settings in one form ---- */

static void
unify_placements (NsVariant *variant)
{
  double post_fraction = variant->post_fraction;

  if (!isnan (post_fraction))
    {
      variant->first_block_pre = FALSE;
      variant->attn.norm = variant->ffn.norm = post_fraction < 1 ? NS_PLACE_PRE : NS_PLACE_POST;
      variant->cross.norm = NS_NULL_CHOICE;
      if (post_fraction == 0 || post_fraction == 1)
        variant->post_fraction = NAN;
    }
  if (isnan (variant->post_fraction) && variant->attn.norm == NS_PLACE_PRE && variant->ffn.norm == NS_PLACE_PRE
      && ns_variant_get_wiring (variant, NS_SUB_CROSS).norm == NS_PLACE_PRE)
    variant->first_block_pre = FALSE;
}

static void
unify_field (int *cross, int attn)
{
  if (*cross == attn)
    *cross = NS_NULL_CHOICE;
}

/* The keys of biases, each with one bias that it decides. */
static const struct
{
  const char *key;
  NsTensor bias;
} bias_groups[] = {
  { "bias_qkv", NS_T_B_Q },   { "bias_k", NS_T_B_K },           { "bias_output", NS_T_B_O },
  { "bias_ffn", NS_T_B_1 },   { "bias_norms", NS_T_BIAS_FINAL }, { "bias_head", NS_T_B_HEAD },
};

/* Return TRUE when the parameter decides on a group of biases; get whether the variant has them. */
static gboolean
get_biases (const NsParam *param, const NsVariant *variant, gboolean *has)
{
  for (gsize i = 0; i < G_N_ELEMENTS (bias_groups); i++)
    if (strcmp (bias_groups[i].key, param->key) == 0)
      {
        *has = ns_variant_has_bias (variant, bias_groups[i].bias);
        return TRUE;
      }
  return FALSE;
}

/* Return FALSE when the variant has no such map or norm that could have the bias. */
static gboolean
has_place_for (NsTensor bias, const NsVariant *variant)
{
  return bias == NS_T_B_O ? variant->attention_output : bias != NS_T_BIAS_FINAL || variant->norm != NS_NORM_RMSNORM;
}

/* Give `bias` the value of most groups, and a group a value of its own only if it differs. */
static void
unify_biases (NsVariant *variant)
{
  gboolean of_queries = ns_variant_has_bias (variant, NS_T_B_Q);
  int *fields[G_N_ELEMENTS (bias_groups)];
  int balance = 0;

  for (gsize i = 0; i < G_N_ELEMENTS (bias_groups); i++)
    {
      NsTensor bias = bias_groups[i].bias;

      fields[i] = &NS_FIELD (int, ns_param_find (bias_groups[i].key), variant);
      *fields[i] = has_place_for (bias, variant) ? ns_variant_has_bias (variant, bias) : NS_NULL_CHOICE;
      if (bias != NS_T_B_K && *fields[i] != NS_NULL_CHOICE)
        balance += *fields[i] ? 1 : -1;
    }
  variant->bias = balance > 0;
  for (gsize i = 0; i < G_N_ELEMENTS (bias_groups); i++)
    unify_field (fields[i], bias_groups[i].bias == NS_T_B_K ? of_queries : variant->bias);
}

/* Reset what no window uses. */
static void
unify_window (NsVariant *variant)
{
  static const char *const keys[] = { "window_full_every", "window_after" };

  for (gsize i = 0; i < G_N_ELEMENTS (keys) && variant->window.size == 0; i++)
    ns_param_reset (ns_param_find (keys[i]), variant);
}

/* Reset what the kind of rotary positions, or of their scaling, does not use. */
static void
unify_rotary (NsVariant *variant)
{
  gsize n;
  const NsParam *params = ns_params (&n);

  for (gsize i = 0; i < n; i++)
    if (ns_param_is_in_variant (&params[i]) && !ns_variant_uses_rotary_setting (variant, params[i].key))
      ns_param_reset (&params[i], variant);
}

/* Reset what belongs to a sub-layer that the blocks lack. */
static void
unify_sub_layers (NsVariant *variant)
{
  static const char *const of_attention[] = { "attention", "attention_output", "attention_scale", NULL };
  static const char *const of_ffn[] = { "activation", NULL };
  const char *const *keys = variant->sublayers == NS_SUB_LAYERS_FFN ? of_attention : of_ffn;

  if (variant->sublayers == NS_SUB_LAYERS_BOTH)
    return;
  for (; *keys != NULL; keys++)
    ns_param_reset (ns_param_find (*keys), variant);
  if (variant->sublayers == NS_SUB_LAYERS_FFN)
    {
      variant->attn = variant->ffn;
      variant->attn.inner_norm = FALSE;
    }
  else
    {
      variant->ffn = variant->attn;
      variant->ffn.inner_norm = FALSE;
    }
}

NsVariant *
ns_variant_dup_unified (const NsVariant *variant)
{
  NsVariant *unified = ns_variant_copy (variant);

  unify_sub_layers (unified);
  /* of a stack whose last block is not the first */
  unified->final_norm = ns_variant_ends_in_norm (variant, 2) ? NS_FINAL_NORM_ON : NS_FINAL_NORM_OFF;
  unify_placements (unified);
  unify_field (&unified->cross.norm, unified->attn.norm);
  unify_field (&unified->cross.residual, unified->attn.residual);
  unify_field (&unified->cross.inner_norm, unified->attn.inner_norm);
  unify_biases (unified);
  if (unified->init.scheme != NS_INIT_NORMAL)
    ns_param_reset (ns_param_find ("init.std"), unified);
  ns_param_reset (ns_param_find (unified->norm == NS_NORM_DYT ? "norm_eps" : "dyt_alpha"), unified);
  if (unified->attention == NS_ATTENTION_UNIFORM || unified->qk_norm == NS_QK_NORM_COSINE)
    ns_param_reset (ns_param_find ("attention_scale"), unified);
  unify_rotary (unified);
  unify_window (unified);
  return unified;
}

/* Return each built-in variant and, behind them, their unified copies. */
static NsVariant **
get_builtins (gsize *n)
{
  static gsize made; /* NsVariant ** */
  const NsBuiltinVariant *builtins = ns_builtin_variants (n);

  if (g_once_init_enter (&made))
    {
      NsVariant **variants = g_new (NsVariant *, 2 * *n);

      for (gsize i = 0; i < *n; i++)
        {
          variants[i] = ns_variant_new_builtin (builtins[i].id, NULL);
          variants[*n + i] = ns_variant_dup_unified (variants[i]);
        }
      g_once_init_leave (&made, (gsize) variants);
    }
  return (NsVariant **) made;
}

const NsVariant *
ns_builtin_variant_get (gsize i)
{
  gsize n;

  return get_builtins (&n)[i];
}

const NsVariant *
ns_builtin_variant_get_unified (gsize i)
{
  gsize n;
  NsVariant **builtins = get_builtins (&n);

  return builtins[n + i];
}

/* Return TRUE when the parameter is null in `a`, for biases that neither or both have: it follows a difference that is
 * listed already. */
static gboolean
follows (const NsParam *param, const NsVariant *a, const NsVariant *b)
{
  gboolean in_a, in_b;

  return ns_param_is_null (param, a) && get_biases (param, a, &in_a) && get_biases (param, b, &in_b) && in_a == in_b;
}

GPtrArray *
ns_variant_list_differences (const NsVariant *a, const NsVariant *b)
{
  GPtrArray *differences = g_ptr_array_new ();
  gsize n;
  const NsParam *params = ns_params (&n);

  for (gsize i = 0; i < n; i++)
    if (ns_param_is_in_variant (&params[i]) && strcmp (params[i].key, "name") != 0
        && !ns_param_equal (&params[i], a, b) && !follows (&params[i], a, b))
      g_ptr_array_add (differences, (gpointer) &params[i]);
  return differences;
}

static gboolean
has_same_placements (const NsVariant *a, const NsVariant *b)
{
  return a->attn.norm == b->attn.norm && a->ffn.norm == b->ffn.norm
         && ns_param_equal (ns_param_find ("post_fraction"), a, b);
}

/* Return the built-in variant with the same placements and the fewest differences, and those; NULL if none has the
 * placements. `differences` is then unchanged. */
static const NsBuiltinVariant *
find_nearest (const NsVariant *unified, GPtrArray **differences)
{
  const NsBuiltinVariant *nearest = NULL;
  gsize n;
  const NsBuiltinVariant *builtins = ns_builtin_variants (&n);

  for (gsize i = 0; i < n; i++)
    {
      const NsVariant *model = ns_builtin_variant_get_unified (i);
      g_autoptr (GPtrArray) found = NULL;

      if (!has_same_placements (unified, model))
        continue;
      found = ns_variant_list_differences (unified, model);
      if (nearest != NULL && found->len >= (*differences)->len)
        continue;
      nearest = &builtins[i];
      g_clear_pointer (differences, g_ptr_array_unref);
      *differences = g_steal_pointer (&found);
    }
  return nearest;
}

/* ---- words ---- */

/* Ids of built-in variants are the names of the placements. */
static const char *
get_placement_name (int placement)
{
  return ns_builtin_variant_find (ns_param_find ("attn.norm")->choices[placement])->name;
}

/* Describe placements that no built-in variant has, and list the other differences from Pre-LN. */
static char *
describe_placements (const NsVariant *unified, GPtrArray **differences)
{
  g_autoptr (NsVariant) plain = ns_variant_new_builtin ("pre", NULL), model = NULL;
  char buffer[G_ASCII_DTOSTR_BUF_SIZE];

  plain->attn.norm = unified->attn.norm;
  plain->ffn.norm = unified->ffn.norm;
  plain->post_fraction = unified->post_fraction;
  model = ns_variant_dup_unified (plain);
  *differences = ns_variant_list_differences (unified, model);
  if (!isnan (unified->post_fraction))
    /* Translators: Post-LN in a share of the blocks, in percent, and Pre-LN in the others */
    return g_strdup_printf (_ ("Mix %s %%"),
                            g_ascii_formatd (buffer, sizeof buffer, "%.3g", 100 * unified->post_fraction));
  /* Translators: the norm placements of the two sub-layers: "Pre-LN attention, Post-LN FFN" */
  return g_strdup_printf (_ ("%s attention, %s FFN"), get_placement_name (unified->attn.norm),
                          get_placement_name (unified->ffn.norm));
}

static char *
dup_phrase (const NsParam *param, const NsVariant *variant)
{
  gboolean has;
  g_autofree char *text = get_biases (param, variant, &has) ? g_strdup (has ? "true" : "false")
                                                            : ns_param_dup_text (param, variant);
  g_autofree char *value = ns_param_dup_value_words (param, text);

  for (gsize i = 0; i < G_N_ELEMENTS (phrases); i++)
    if (strcmp (phrases[i].path, param->key) == 0)
      {
        if (phrases[i].value == NULL)
          return g_strdup_printf (_ (phrases[i].phrase), value);
        if (strcmp (phrases[i].value, text) == 0)
          return g_strdup (_ (phrases[i].phrase));
      }
  return ns_param_dup_phrase (param, value);
}

static gboolean
is_residual (const NsParam *param)
{
  return strcmp (param->key, "attn.residual") == 0 || strcmp (param->key, "ffn.residual") == 0;
}

void
ns_variant_append_differences (GString *name, const NsVariant *unified, const GPtrArray *differences)
{
  gboolean no_residuals = !unified->attn.residual && !unified->ffn.residual
                          && unified->cross.residual == NS_NULL_CHOICE;
  guint n = 0;

  if (no_residuals)
    {
      g_string_append_printf (name, ", %s", _ ("no residuals"));
      n++;
    }
  for (guint i = 0; i < differences->len; i++)
    {
      const NsParam *param = g_ptr_array_index (differences, i);
      g_autofree char *phrase = NULL;

      if (no_residuals && is_residual (param))
        continue;
      if (n++ == MAX_DIFFERENCES)
        {
          g_string_append (name, ", …");
          return;
        }
      phrase = dup_phrase (param, unified);
      g_string_append_printf (name, ", %s", phrase);
    }
}

char *
ns_variant_dup_automatic_name (const NsVariant *variant)
{
  g_autoptr (NsVariant) unified = ns_variant_dup_unified (variant);
  g_autoptr (GPtrArray) differences = NULL;
  const NsBuiltinVariant *nearest = find_nearest (unified, &differences);
  g_autofree char *base = nearest != NULL ? g_strdup (nearest->name) : describe_placements (unified, &differences);
  GString *name = g_string_new (base);

  ns_variant_append_differences (name, unified, differences);
  return g_string_free (name, FALSE);
}

char *
ns_variant_dup_changed_name (const NsVariant *variant, const NsVariant *from)
{
  g_autoptr (NsVariant) unified = ns_variant_dup_unified (variant), before = ns_variant_dup_unified (from);
  g_autoptr (GPtrArray) differences = ns_variant_list_differences (unified, before);
  GString *name = g_string_new (from->name);

  ns_variant_append_differences (name, unified, differences);
  return g_string_free (name, FALSE);
}

/* ---- names of variants ---- */

/* After a name that ends in a number, put the number in parentheses: "Pre-LN, Residual scale 2 (2)". */
static char *
dup_numbered (const char *name, guint number)
{
  return g_strdup_printf (g_ascii_isdigit (name[strlen (name) - 1]) ? "%s (%u)" : "%s %u", name, number);
}

static gboolean
is_name_or_numbered (const char *name, const char *automatic)
{
  const char *rest = name + strlen (automatic);
  g_autofree char *numbered = NULL;

  if (!g_str_has_prefix (name, automatic))
    return FALSE;
  if (*rest == '\0')
    return TRUE;
  rest += strcspn (rest, "123456789");
  numbered = dup_numbered (automatic, (guint) g_ascii_strtoull (rest, NULL, 10));
  return strcmp (name, numbered) == 0;
}

gboolean
ns_variant_has_automatic_name (const NsVariant *variant)
{
  g_autofree char *automatic = ns_variant_dup_automatic_name (variant);

  return is_name_or_numbered (variant->name, automatic);
}

/* Return TRUE when the name begins with the other one, or has it in parentheses. */
static gboolean
mentions (const char *name, const char *builtin)
{
  const char *parenthesis = strchr (name, '(');
  gsize length = strlen (builtin);

  if (g_str_has_prefix (name, builtin) && (name[length] == ',' || g_str_has_prefix (name + length, " (")))
    return TRUE;
  return parenthesis != NULL && g_str_has_prefix (parenthesis + 1, builtin)
         && (parenthesis[length + 1] == ',' || parenthesis[length + 1] == ')');
}

static gboolean
has_same_residuals (const NsVariant *a, const NsVariant *b)
{
  return a->attn.residual == b->attn.residual && a->ffn.residual == b->ffn.residual;
}

gboolean
ns_variant_name_is_wrong (const NsVariant *variant)
{
  gboolean is_wrong = FALSE;
  gsize n;
  const NsBuiltinVariant *builtins = ns_builtin_variants (&n);

  for (gsize i = 0; i < n; i++)
    {
      const NsVariant *model = ns_builtin_variant_get (i);
      gboolean is_builtin = is_name_or_numbered (variant->name, model->name);

      if (!is_builtin && !mentions (variant->name, model->name))
        continue;
      if (ns_variant_has_architecture (variant, builtins[i].id) && (!is_builtin || has_same_residuals (variant, model)))
        return FALSE;
      is_wrong = TRUE;
    }
  return is_wrong;
}

static gboolean
is_taken (const NsExperiment *experiment, guint except, const char *name)
{
  for (guint v = 0; v < experiment->variants->len; v++)
    if (v != except && strcmp (ns_experiment_variant (experiment, v)->name, name) == 0)
      return TRUE;
  return FALSE;
}

void
ns_experiment_name_variant (NsExperiment *experiment, guint v)
{
  NsVariant *variant = ns_experiment_variant (experiment, v);
  g_autofree char *automatic = ns_variant_dup_automatic_name (variant);
  char *name = g_strdup (automatic);

  for (guint number = 2; is_taken (experiment, v, name); number++)
    {
      g_free (name);
      name = dup_numbered (automatic, number);
    }
  g_free (variant->name);
  variant->name = name;
}

gboolean
ns_experiment_update_name (NsExperiment *experiment, guint v, const NsVariant *former)
{
  NsVariant *variant = ns_experiment_variant (experiment, v);
  g_autofree char *name = g_strdup (variant->name);

  if (ns_params_equal (variant, former, TRUE, TRUE) || ns_variant_has_automatic_name (variant))
    return FALSE;
  if (!ns_variant_has_automatic_name (former)
      && (ns_variant_name_is_wrong (former) || !ns_variant_name_is_wrong (variant)))
    return FALSE;
  ns_experiment_name_variant (experiment, v);
  return strcmp (name, variant->name) != 0;
}
