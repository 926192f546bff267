/* Read claim files: key files with strictly checked keys.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "document/ns-claims.h"
#include "engine/experiment/ns-text.h"
#include "engine/experiment/ns-variants.h"

#include "document/ns-file.h"
#include "document/ns-key-file.h"
#include "document/ns-presets.h"
#include "document/ns-short-text.h"
#include "document/ns-suggest.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#define DEFAULT_TOLERANCE 0.1
/* Assumptions are numbered by the bits of a guint64. */
#define MAX_ASSUMPTIONS 64
/* The ends of a loss relative to the entropy of a token alone. */
#define MIN_LOSS 0.01
#define MAX_LOSS 100
#define MAX_SEEDS 64
/* The ends of a factor of learning rates, or of the ratio of two, and the fewest learning rates that give one. */
#define MIN_FACTOR 0.001
#define MAX_FACTOR 1e6
#define MIN_RATES 3

static const char *const group_names[] = { "Claim", "Assumptions", "Check", NULL };
static const char *const claim_keys[] = { "Title", "Statement", "Source", "Form", "Preset", "Order", NULL };

/* The allowed keys of [Check] for each kind. */
static const char *const claim_check_keys[][11] = {
  [NS_CHECK_EXPONENT] = { "Kind", "Variant", "Metric", "Tolerance", "Axis", "Law", "Exponent", "Bound", "From" },
  [NS_CHECK_RATIO] = { "Kind", "Variant", "Metric", "Tolerance", "Axis", "Law", "Exponent", "Bound", "From",
                       "Over" },
  [NS_CHECK_BOUNDS] = { "Kind", "Variant", "Metric", "Tolerance", "Axis", "Lower", "Upper" },
  [NS_CHECK_PROFILE] = { "Kind", "Variant", "Metric", "Tolerance", "Law", "Exponent", "Bound", "Over", "From" },
  [NS_CHECK_GEOMETRIC] = { "Kind", "Variant", "Metric", "Tolerance", "Factor", "Bound" },
  [NS_CHECK_HALVING] = { "Kind", "Variant", "Metric", "Tolerance", "Factor", "Bound" },
  [NS_CHECK_BAND] = { "Kind", "Variant", "Metric", "Tolerance", "Lower", "Upper" },
  [NS_CHECK_MEAN_FIELD] = { "Kind", "Variant", "Metric", "Tolerance" },
  [NS_CHECK_IDENTITY] = { "Kind", "Variant", "Metric", "Tolerance", "Over" },
  [NS_CHECK_LOSS] = { "Kind", "Variant", "Least", "Most", "Seeds" },
  [NS_CHECK_RATES] = { "Kind", "Variant", "Over", "Rates", "Least", "Most", "Seeds" },
};

/* In the order of NsClaimForm. */
static const char *const form_words[] = { "claim", "theorem", "lemma", "paper", "lesson", "derivation", NULL };
static const char *const kind_words[] = { "exponent", "ratio", "bounds", "profile", "geometric", "halving", "band",
                                          "mean-field", "identity", "loss", "learning-rates", NULL };
static const char *const axis_words[] = { "depth", "d_model", NULL };

/* ---- messages ---- */

static gboolean
refuse_word (const char *group, const char *key, const char *word, const char *const *allowed, GError **error)
{
  g_autofree char *advice = ns_suggest_dup_text (word, allowed);
  g_autofree char *quoted = ns_short_text (word, NS_SHORT_MAX_QUOTED);

  return ns_short_refuse (error, NS_SHORT_MAX_MESSAGE, _ ("[%s] %s: “%s” is not allowed. %s"), group, key, quoted,
                          advice);
}

/* Convert an error of the engine and prefix it with the key. Takes ownership of the cause. */
static gboolean
refuse_because (const char *group, const char *key, GError *cause, GError **error)
{
  ns_short_refuse (error, NS_SHORT_MAX_MESSAGE, "[%s] %s: %s", group, key, cause->message);
  g_error_free (cause);
  return FALSE;
}

/* ---- groups and keys ---- */

/* Return "Title" for "Title[de]". Caller frees. */
static char *
dup_plain_key (const char *key)
{
  return g_strndup (key, strcspn (key, "["));
}

static gboolean
check_keys_of (GKeyFile *file, const char *group, const char *const *allowed, GError **error)
{
  g_auto (GStrv) keys = g_key_file_get_keys (file, group, NULL, NULL);

  for (guint i = 0; keys != NULL && keys[i] != NULL; i++)
    {
      g_autofree char *plain = dup_plain_key (keys[i]);
      g_autofree char *advice = NULL;

      if (g_strv_contains (allowed, plain))
        continue;
      advice = ns_suggest_dup_text (plain, allowed);
      return ns_short_refuse (error, NS_SHORT_MAX_MESSAGE, _ ("[%s] %s: unknown key. %s"), group, keys[i], advice);
    }
  return TRUE;
}

static gboolean
check_groups (GKeyFile *file, GError **error)
{
  g_auto (GStrv) groups = g_key_file_get_groups (file, NULL);

  for (guint i = 0; groups[i] != NULL; i++)
    if (!g_strv_contains (group_names, groups[i]))
      {
        g_autofree char *advice = ns_suggest_dup_text (groups[i], group_names);

        return ns_short_refuse (error, NS_SHORT_MAX_MESSAGE, _ ("[%s]: unknown group. %s"), groups[i], advice);
      }
  return TRUE;
}

/* ---- values ---- */

/* Return NULL and an error if the key is missing or its value is empty. Caller frees. */
static char *
dup_text (GKeyFile *file, const char *group, const char *key, GError **error)
{
  g_autofree char *text = g_key_file_get_locale_string (file, group, key, NULL, NULL);

  if (text == NULL)
    ns_short_refuse (error, NS_SHORT_MAX_MESSAGE, _ ("[%s] %s: the key is missing"), group, key);
  else if (*g_strstrip (text) == '\0')
    ns_short_refuse (error, NS_SHORT_MAX_MESSAGE, _ ("[%s] %s: the value is empty; allowed: a non-empty text"), group,
                     key);
  else if (!ns_text_is_line (text))
    {
      g_autofree char *quoted = ns_short_text (text, NS_SHORT_MAX_QUOTED);

      ns_short_refuse (error, NS_SHORT_MAX_MESSAGE,
                       _ ("[%s] %s: “%s” is not allowed; allowed: a line of text without control characters"), group,
                       key, quoted);
    }
  else
    return g_steal_pointer (&text);
  return NULL;
}

static gboolean
read_claim_number (const char *key, const char *text, double min, double max, double *number, GError **error)
{
  char *end;
  double value = g_ascii_strtod (text, &end);

  if (end == text || *end != '\0' || !(value >= min && value <= max))
    {
      g_autofree char *quoted = ns_short_text (text, NS_SHORT_MAX_QUOTED);

      return ns_short_refuse (error, NS_SHORT_MAX_MESSAGE,
                              _ ("[Check] %s: “%s” is not allowed; allowed: a number from %g to %g"), key, quoted, min,
                              max);
    }
  *number = value;
  return TRUE;
}

/* Leave *number unchanged if the key is missing. */
static gboolean
get_claim_number (GKeyFile *file, const char *key, double min, double max, double *number, GError **error)
{
  g_autofree char *text = g_key_file_get_string (file, "Check", key, NULL);

  return text == NULL || read_claim_number (key, text, min, max, number, error);
}

/* "CONSTANT;SLOPE" */
static gboolean
get_line (GKeyFile *file, const char *key, double line[2], GError **error)
{
  g_autofree char *text = dup_text (file, "Check", key, error);
  g_auto (GStrv) parts = text != NULL ? g_strsplit (text, ";", -1) : NULL;

  if (text == NULL)
    return FALSE;
  if (g_strv_length (parts) != 2)
    return ns_short_refuse (error, NS_SHORT_MAX_MESSAGE,
                            _ ("[Check] %s: “%s” is not allowed; allowed: two numbers, CONSTANT;SLOPE"), key, text);
  return read_claim_number (key, g_strstrip (parts[0]), -1e9, 1e9, &line[0], error)
         && read_claim_number (key, g_strstrip (parts[1]), -1e9, 1e9, &line[1], error);
}

static gboolean
get_boolean (GKeyFile *file, const char *key, gboolean *value, GError **error)
{
  static const char *const words[] = { "true", "false", NULL };
  g_autofree char *text = g_key_file_get_string (file, "Check", key, NULL);

  if (text == NULL)
    return TRUE;
  if (!g_strv_contains (words, text))
    return refuse_word ("Check", key, text, words, error);
  *value = strcmp (text, "true") == 0;
  return TRUE;
}

/* Return NULL and an error unless the value is the id of a built-in variant. Caller frees. */
static char *
dup_variant (GKeyFile *file, const char *key, GError **error)
{
  g_autofree char *id = dup_text (file, "Check", key, error);
  g_autoptr (GPtrArray) ids = g_ptr_array_new ();
  gsize n;
  const NsBuiltinVariant *builtins = ns_builtin_variants (&n);

  for (gsize i = 0; i < n; i++)
    g_ptr_array_add (ids, (gpointer) builtins[i].id);
  g_ptr_array_add (ids, NULL);
  if (id == NULL || g_strv_contains ((const char *const *) ids->pdata, id))
    return g_steal_pointer (&id);
  refuse_word ("Check", key, id, (const char *const *) ids->pdata, error);
  return NULL;
}

/* ---- the groups ---- */

static gboolean
read_claim (GKeyFile *file, NsClaim *claim, GError **error)
{
  g_autofree char *preset = g_key_file_get_string (file, "Claim", "Preset", NULL);
  g_autofree char *form = g_key_file_get_string (file, "Claim", "Form", NULL);
  g_autoptr (GPtrArray) ids = g_ptr_array_new ();
  gsize n;
  const NsPreset *presets = ns_presets (&n);

  if (!check_keys_of (file, "Claim", claim_keys, error)
      || (claim->title = dup_text (file, "Claim", "Title", error)) == NULL
      || (claim->statement = dup_text (file, "Claim", "Statement", error)) == NULL
      || (claim->source = dup_text (file, "Claim", "Source", error)) == NULL)
    return FALSE;
  for (gsize i = 0; i < n; i++)
    g_ptr_array_add (ids, (gpointer) presets[i].id);
  g_ptr_array_add (ids, NULL);
  if (preset != NULL && !g_strv_contains ((const char *const *) ids->pdata, preset))
    return refuse_word ("Claim", "Preset", preset, (const char *const *) ids->pdata, error);
  claim->preset = g_steal_pointer (&preset);
  if (form != NULL && !g_strv_contains (form_words, form))
    return refuse_word ("Claim", "Form", form, form_words, error);
  while (form != NULL && strcmp (form_words[claim->form], form) != 0)
    claim->form++;
  return TRUE;
}

static gboolean
read_assumptions (GKeyFile *file, NsClaim *claim, GError **error)
{
  g_auto (GStrv) paths = g_key_file_get_keys (file, "Assumptions", NULL, NULL);

  for (guint i = 0; paths != NULL && paths[i] != NULL; i++)
    {
      g_autofree char *text = g_key_file_get_string (file, "Assumptions", paths[i], NULL);
      GError *cause = NULL;
      NsAssumption *assumption = ns_assumption_new (paths[i], text != NULL ? text : "", &cause);

      if (assumption == NULL)
        return refuse_because ("Assumptions", paths[i], cause, error);
      g_ptr_array_add (claim->assumptions, assumption);
    }
  if (claim->assumptions->len > MAX_ASSUMPTIONS)
    return ns_short_refuse (error, NS_SHORT_MAX_MESSAGE,
                            _ ("[Assumptions]: %u assumptions are not allowed; allowed: up to %d"),
                            claim->assumptions->len, MAX_ASSUMPTIONS);
  return TRUE;
}

/* Return TRUE if the claim's kind of check applies to its quantity. */
static gboolean
is_allowed (const NsClaim *claim)
{
  NsQuantity quantity = claim->metric.quantity;
  NsQuantityKind kind = ns_quantity_info (quantity)->kind;

  if (ns_quantity_is_of_step (quantity, NULL, NULL))
    return !ns_check_is_by_block (claim->kind);
  switch (claim->kind)
    {
    case NS_CHECK_HALVING:
      return kind == NS_KIND_COSINE;
    case NS_CHECK_BAND:
      return kind != NS_KIND_LOSS;
    case NS_CHECK_IDENTITY:
      return claim->over != NULL || ns_quantity_info (quantity)->sites == NS_SITES_STREAM;
    case NS_CHECK_MEAN_FIELD:
      return quantity == NS_Q_RMS_X || quantity == NS_Q_TOKEN_COS;
    case NS_CHECK_EXPONENT:
    case NS_CHECK_RATIO:
    case NS_CHECK_BOUNDS:
    case NS_CHECK_LOSS:
    case NS_CHECK_RATES:
      return TRUE;
    case NS_CHECK_PROFILE:
    case NS_CHECK_GEOMETRIC:
    default:
      return kind == NS_KIND_GRADIENT || kind == NS_KIND_ACTIVATION;
    }
}

static gboolean
read_metric (GKeyFile *file, NsClaim *claim, GError **error)
{
  g_autofree char *text = NULL;
  GError *cause = NULL;

  if (ns_check_trains (claim->kind))
    {
      claim->metric.quantity = NS_Q_LOSS;
      return TRUE;
    }
  text = dup_text (file, "Check", "Metric", error);
  if (text == NULL)
    return FALSE;
  if (!ns_metric_from_text (text, &claim->metric, &cause))
    return refuse_because ("Check", "Metric", cause, error);
  if (ns_check_is_by_block (claim->kind) && strchr (text, '@') != NULL)
    return ns_short_refuse (error, NS_SHORT_MAX_MESSAGE,
                            _ ("[Check] Metric: “%s” is not allowed; allowed: a quantity without “@”, since a check of "
                               "the kind %s covers all blocks"),
                            text, ns_check_kind_get_name (claim->kind));
  if (!is_allowed (claim))
    return ns_short_refuse (error, NS_SHORT_MAX_MESSAGE,
                            _ ("[Check] Metric: “%s” is not allowed; a check of the kind %s does not apply to it"),
                            text, ns_check_kind_get_name (claim->kind));
  return TRUE;
}

static gboolean
read_law (GKeyFile *file, NsClaim *claim, GError **error)
{
  g_autofree char *law = g_key_file_get_string (file, "Check", "Law", NULL);
  g_autofree char *exponent = g_key_file_get_string (file, "Check", "Exponent", NULL);
  const char *law_words[NS_N_LAWS + 1] = { NULL };

  for (int i = 0; i < NS_N_LAWS; i++)
    law_words[i] = ns_law_get_name ((NsLaw) i);
  if ((law != NULL) == (exponent != NULL))
    return ns_short_refuse (error, NS_SHORT_MAX_MESSAGE, _ ("[Check] Law, Exponent: %s; allowed: one of the two"),
                            law != NULL ? _ ("both are present") : _ ("both are missing"));
  if (law == NULL)
    return read_claim_number ("Exponent", exponent, -100, 100, &claim->expected, error);
  if (!ns_law_from_name (law, &claim->law))
    return refuse_word ("Check", "Law", law, law_words, error);
  if (ns_claim_has_free_law (claim)
      && (claim->at_most || g_key_file_has_key (file, "Check", "Tolerance", NULL)))
    return ns_short_refuse (error, NS_SHORT_MAX_MESSAGE,
                            _ ("[Check] Law: “%s” is not allowed with Bound or Tolerance; allowed: growth by this law, "
                               "with any number"),
                            law);
  return TRUE;
}

static gboolean
read_axis (GKeyFile *file, NsClaim *claim, GError **error)
{
  g_autofree char *axis = g_key_file_get_string (file, "Check", "Axis", NULL);

  if (axis != NULL && !g_strv_contains (axis_words, axis))
    return refuse_word ("Check", "Axis", axis, axis_words, error);
  claim->axis = axis != NULL && strcmp (axis, "d_model") == 0 ? NS_SWEEP_D_MODEL : NS_SWEEP_DEPTH;
  return TRUE;
}

/* Read the ends of the accepted range of a loss or a factor; 0 stands for no upper one. */
static gboolean
read_ends (GKeyFile *file, double min, double max, NsClaim *claim, GError **error)
{
  gboolean has_most = g_key_file_has_key (file, "Check", "Most", NULL);
  double seeds = NS_CLAIM_MIN_TRAININGS;

  if (!has_most && !g_key_file_has_key (file, "Check", "Least", NULL))
    return ns_short_refuse (error, NS_SHORT_MAX_MESSAGE,
                            _ ("[Check] Least, Most: both are missing; allowed: one of the two, or both"));
  if (!get_claim_number (file, "Least", min, max, &claim->lower[0], error)
      || !get_claim_number (file, "Most", min, max, &claim->upper[0], error)
      || !get_claim_number (file, "Seeds", NS_CLAIM_MIN_TRAININGS, MAX_SEEDS, &seeds, error))
    return FALSE;
  claim->min_seeds = (guint) seeds;
  if (has_most && claim->lower[0] > claim->upper[0])
    return ns_short_refuse (error, NS_SHORT_MAX_MESSAGE,
                            _ ("[Check] Least: %g is not allowed; allowed: a number up to Most, %g"),
                            claim->lower[0], claim->upper[0]);
  return TRUE;
}

/* Read the learning rates of a map, as --learning-rates of the command line does. */
static gboolean
read_rates (GKeyFile *file, NsClaim *claim, GError **error)
{
  g_autofree char *text = dup_text (file, "Check", "Rates", error);
  g_auto (NsSensitivityPlan) plan = { .axis = NS_SENSITIVITY_DEPTH };
  GError *cause = NULL;

  if (text == NULL)
    return FALSE;
  if (!ns_sensitivity_plan_set_rates (&plan, text, &cause))
    return refuse_because ("Check", "Rates", cause, error);
  if (plan.n_rates < MIN_RATES)
    return ns_short_refuse (error, NS_SHORT_MAX_MESSAGE,
                            _ ("[Check] Rates: %u learning rates are not allowed; allowed: %d or more"), plan.n_rates,
                            MIN_RATES);
  claim->rates = g_steal_pointer (&plan.rates);
  claim->n_rates = plan.n_rates;
  return TRUE;
}

static gboolean
read_expectation (GKeyFile *file, NsClaim *claim, GError **error)
{
  g_autofree char *factor = NULL;
  double most = claim->kind == NS_CHECK_HALVING ? 1 : 100;

  switch ((int) claim->kind)
    {
    case NS_CHECK_EXPONENT:
    case NS_CHECK_RATIO:
    case NS_CHECK_PROFILE:
      return read_law (file, claim, error);
    case NS_CHECK_GEOMETRIC:
    case NS_CHECK_HALVING:
      factor = dup_text (file, "Check", "Factor", error);
      return factor != NULL && read_claim_number ("Factor", factor, 0, most, &claim->expected, error);
    case NS_CHECK_BOUNDS:
    case NS_CHECK_BAND:
      return get_line (file, "Lower", claim->lower, error) && get_line (file, "Upper", claim->upper, error);
    case NS_CHECK_LOSS:
      return read_ends (file, MIN_LOSS, MAX_LOSS, claim, error);
    case NS_CHECK_RATES:
      return read_rates (file, claim, error) && read_ends (file, MIN_FACTOR, MAX_FACTOR, claim, error);
    case NS_CHECK_MEAN_FIELD:
    case NS_CHECK_IDENTITY:
      return TRUE;
    default:
      g_return_val_if_reached (FALSE);
    }
}

/* Read the second variant, which a ratio requires; a profile, an identity and learning rates allow it. */
static gboolean
read_over (GKeyFile *file, NsClaim *claim, GError **error)
{
  gboolean can_have = claim->kind == NS_CHECK_IDENTITY || claim->kind == NS_CHECK_PROFILE
                      || claim->kind == NS_CHECK_RATES;

  if (claim->kind != NS_CHECK_RATIO && (!can_have || !g_key_file_has_key (file, "Check", "Over", NULL)))
    return TRUE;
  claim->over = dup_variant (file, "Over", error);
  if (claim->over != NULL && claim->kind == NS_CHECK_RATES && strcmp (claim->over, claim->variant) == 0)
    return ns_short_refuse (error, NS_SHORT_MAX_MESSAGE,
                            _ ("[Check] Over: “%s” is not allowed; allowed: another variant than Variant"),
                            claim->over);
  return claim->over != NULL;
}

static gboolean
read_check (GKeyFile *file, NsClaim *claim, GError **error)
{
  g_autofree char *kind = dup_text (file, "Check", "Kind", error);

  if (kind == NULL)
    return FALSE;
  if (!ns_check_kind_from_name (kind, &claim->kind))
    return refuse_word ("Check", "Kind", kind, kind_words, error);
  claim->tolerance = DEFAULT_TOLERANCE;
  return check_keys_of (file, "Check", claim_check_keys[claim->kind], error)
         && (claim->variant = dup_variant (file, "Variant", error)) != NULL && read_over (file, claim, error)
         && read_metric (file, claim, error) && read_axis (file, claim, error)
         && get_claim_number (file, "Tolerance", 0, 100, &claim->tolerance, error)
         && get_claim_number (file, "From", 2, 65536, &claim->from, error)
         && get_boolean (file, "Bound", &claim->at_most, error) && read_expectation (file, claim, error);
}

static char *
dup_id (const char *name)
{
  g_autofree char *base = g_path_get_basename (name);

  if (g_str_has_suffix (base, NS_CLAIM_SUFFIX))
    base[strlen (base) - strlen (NS_CLAIM_SUFFIX)] = '\0';
  return g_steal_pointer (&base);
}

NsClaim *
ns_claim_from_bytes (GBytes *bytes, const char *name, GError **error)
{
  g_autofree char *id = dup_id (name);
  g_autoptr (NsClaim) claim = ns_claim_new (id);
  g_autoptr (GKeyFile) file
    = ns_key_file_from_bytes (bytes, _ ("a claim with the groups [Claim], [Assumptions] and [Check]"), error);

  if (file != NULL && check_groups (file, error) && read_claim (file, claim, error)
      && read_assumptions (file, claim, error) && read_check (file, claim, error))
    return g_steal_pointer (&claim);
  g_prefix_error (error, "%s: ", name);
  return NULL;
}
