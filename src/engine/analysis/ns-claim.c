/* Claims as data: their assumptions and the runs they need.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/analysis/ns-claim-private.h"

#include "engine/experiment/ns-experiment-error.h"
#include "engine/experiment/ns-experiment.h"
#include "engine/experiment/ns-text.h"
#include "engine/experiment/ns-variant-match.h"

#include <glib/gi18n-lib.h>
#include <string.h>

/* ---- names in files ---- */

static const char *const kind_names[NS_N_CHECKS] = {
  [NS_CHECK_EXPONENT] = "exponent", [NS_CHECK_RATIO] = "ratio",           [NS_CHECK_BOUNDS] = "bounds",
  [NS_CHECK_PROFILE] = "profile",   [NS_CHECK_GEOMETRIC] = "geometric",   [NS_CHECK_HALVING] = "halving",
  [NS_CHECK_BAND] = "band",         [NS_CHECK_MEAN_FIELD] = "mean-field", [NS_CHECK_IDENTITY] = "identity",
  [NS_CHECK_LOSS] = "loss",         [NS_CHECK_RATES] = "learning-rates",
};

const char *
ns_check_kind_get_name (NsCheckKind kind)
{
  return kind_names[kind];
}

gboolean
ns_check_kind_from_name (const char *name, NsCheckKind *kind)
{
  for (gsize i = 0; i < G_N_ELEMENTS (kind_names); i++)
    if (strcmp (kind_names[i], name) == 0)
      {
        *kind = (NsCheckKind) i;
        return TRUE;
      }
  return FALSE;
}

gboolean
ns_check_is_by_block (NsCheckKind kind)
{
  return !ns_check_sweeps (kind) && !ns_check_trains (kind);
}

gboolean
ns_check_trains (NsCheckKind kind)
{
  return kind == NS_CHECK_LOSS || kind == NS_CHECK_RATES;
}

gboolean
ns_check_sweeps (NsCheckKind kind)
{
  return kind == NS_CHECK_EXPONENT || kind == NS_CHECK_RATIO || kind == NS_CHECK_BOUNDS;
}

/* ---- claims ---- */

NsClaim *
ns_claim_new (const char *id)
{
  NsClaim *claim = g_new0 (NsClaim, 1);

  claim->id = g_strdup (id);
  claim->assumptions = g_ptr_array_new_with_free_func ((GDestroyNotify) ns_assumption_free);
  claim->metric = (NsMetric) { NS_Q_W_2, NS_AT_LAST, NS_PART_STACK };
  claim->law = NS_N_LAWS;
  claim->min_seeds = NS_CLAIM_MIN_TRAININGS;
  claim->from = 2;
  return claim;
}

void
ns_claim_free (NsClaim *claim)
{
  if (claim == NULL)
    return;
  g_free (claim->id);
  g_free (claim->title);
  g_free (claim->statement);
  g_free (claim->source);
  g_free (claim->preset);
  g_free (claim->variant);
  g_free (claim->over);
  g_free (claim->rates);
  g_ptr_array_unref (claim->assumptions);
  g_free (claim);
}

/* ---- assumptions ---- */

/* An experiment to set a key on, to use the checks and the canonical texts of the parameter table. */
typedef struct
{
  NsExperiment *experiment;
  gpointer base; /* of the key: the experiment or its first variant */
} Scratch;

static Scratch
scratch_new (const NsParam *param)
{
  Scratch scratch = { .experiment = ns_experiment_new () };

  scratch.base = scratch.experiment;
  if (param->section == NS_SECTION_VARIANT)
    scratch.base = ns_experiment_variant (scratch.experiment, 0);
  return scratch;
}

static void
scratch_clear (Scratch *scratch)
{
  ns_experiment_free (scratch->experiment);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Scratch, scratch_clear)

/* Parse a range such as "0..1e-5". */
static gboolean
read_range (const char *text, double *low, double *high)
{
  g_auto (GStrv) ends = g_strsplit (text, "..", 2);
  char *end;

  if (ends[0] == NULL || ends[1] == NULL || *ends[0] == '\0' || *ends[1] == '\0')
    return FALSE;
  *low = g_ascii_strtod (ends[0], &end);
  if (*end != '\0')
    return FALSE;
  *high = g_ascii_strtod (ends[1], &end);
  return *end == '\0' && *low <= *high;
}

static gboolean
is_number (const NsParam *param)
{
  return param->type == NS_TYPE_INTEGER || param->type == NS_TYPE_NUMBER;
}

static gboolean
check_values (const NsParam *param, const char *text, GError **error)
{
  g_auto (Scratch) scratch = scratch_new (param);
  g_auto (GStrv) values = g_strsplit (text, "|", -1);
  double low, high;

  if (is_number (param) && read_range (text, &low, &high))
    return TRUE;
  if (values[0] == NULL)
    return ns_param_set_text (param, scratch.base, "", "", error);
  for (guint i = 0; values[i] != NULL; i++)
    if (!ns_param_set_text (param, scratch.base, values[i], "", error))
      return FALSE;
  return TRUE;
}

NsAssumption *
ns_assumption_new (const char *path, const char *text, GError **error)
{
  const NsParam *param = ns_param_find (path);
  const NsParam *same = ns_param_find (text);
  NsAssumption *assumption;

  if (param == NULL)
    {
      g_autofree char *quoted = ns_quote_text (path);

      ns_experiment_error_set (error, NS_EXPERIMENT_ERROR_VALUE, path,
                               _ ("%s is not a key of an experiment; allowed: a path such as shape.heads or attn.norm"),
                               quoted);
      return NULL;
    }
  if (same != NULL && (same == param || same->type != param->type || same->section != param->section))
    {
      ns_experiment_error_set (error, NS_EXPERIMENT_ERROR_VALUE, path,
                               _ ("%s: cannot be compared with %s; allowed: a value, or another key of the same type "
                                  "and section"),
                               path, text);
      return NULL;
    }
  if (same == NULL && !check_values (param, text, error))
    return NULL;
  assumption = g_new0 (NsAssumption, 1);
  assumption->param = param;
  assumption->text = g_strdup (text);
  assumption->same = same;
  return assumption;
}

void
ns_assumption_free (NsAssumption *assumption)
{
  if (assumption == NULL)
    return;
  g_free (assumption->text);
  g_free (assumption);
}

static gboolean
is_one_of (const NsAssumption *assumption, gconstpointer base)
{
  const NsParam *param = assumption->param;
  g_auto (Scratch) scratch = scratch_new (param);
  g_auto (GStrv) values = g_strsplit (assumption->text, "|", -1);
  g_autofree char *present = ns_param_dup_text (param, base);

  for (guint i = 0; values[i] != NULL; i++)
    {
      g_autofree char *allowed = NULL;

      if (!ns_param_set_text (param, scratch.base, values[i], "", NULL))
        g_return_val_if_reached (FALSE);
      allowed = ns_param_dup_text (param, scratch.base);
      if (strcmp (present, allowed) == 0)
        return TRUE;
    }
  return FALSE;
}

gboolean
ns_assumption_holds (const NsAssumption *assumption, const NsExperiment *experiment, guint variant)
{
  const NsParam *param = assumption->param;
  gconstpointer base = experiment;
  double low, high;

  if (param->section == NS_SECTION_VARIANT)
    base = ns_experiment_variant (experiment, variant);
  if (assumption->same != NULL)
    {
      g_autofree char *value = ns_param_dup_text (param, base);
      g_autofree char *other = ns_param_dup_text (assumption->same, base);

      return strcmp (value, other) == 0;
    }
  if (is_number (param) && read_range (assumption->text, &low, &high))
    {
      double value
        = param->type == NS_TYPE_INTEGER ? (double) ns_param_get_int (param, base) : ns_param_get_number (param, base);

      return value >= low && value <= high;
    }
  return is_one_of (assumption, base);
}

/* ---- variants ---- */

guint64
ns_claim_find_missed (const NsClaim *claim, const NsExperiment *experiment, guint variant)
{
  guint64 missed = 0;

  for (guint i = 0; i < claim->assumptions->len; i++)
    {
      const NsAssumption *assumption = g_ptr_array_index (claim->assumptions, i);

      if (!ns_assumption_holds (assumption, experiment, variant))
        missed |= G_GUINT64_CONSTANT (1) << i;
    }
  return missed;
}

guint
ns_claim_find_variant (const NsClaim *claim, const NsExperiment *experiment, const char *id)
{
  guint found = NS_MAX_VARIANTS, fewest = G_MAXUINT;

  for (guint v = 0; v < experiment->variants->len; v++)
    {
      guint n_missed;

      if (!ns_variant_has_architecture (ns_experiment_variant (experiment, v), id)
          || ns_experiment_variant (experiment, v)->source != NULL)
        continue;
      n_missed = (guint) __builtin_popcountll (ns_claim_find_missed (claim, experiment, v));
      if (n_missed < fewest)
        {
          found = v;
          fewest = n_missed;
        }
    }
  return found;
}

/* ---- needs ---- */

static gboolean
is_same_map (const NsClaim *a, const NsClaim *b)
{
  return strcmp (a->variant, b->variant) == 0 && g_strcmp0 (a->over, b->over) == 0 && a->n_rates == b->n_rates
         && memcmp (a->rates, b->rates, a->n_rates * sizeof (double)) == 0;
}

static gboolean
is_same_need (const NsClaimNeed *a, const NsClaimNeed *b)
{
  if (a->is_sweep != b->is_sweep || a->is_training != b->is_training)
    return FALSE;
  if (a->map_of != NULL || b->map_of != NULL)
    return a->map_of != NULL && b->map_of != NULL && is_same_map (a->map_of, b->map_of);
  return !a->is_sweep
         || (a->axis == b->axis && a->metric.quantity == b->metric.quantity && a->metric.where == b->metric.where
             && a->metric.part == b->metric.part);
}

/* Return TRUE if the experiment has the claim's variants and, for a claim that trains, all that it assumes. */
static gboolean
applies_to (const NsClaim *claim, const NsExperiment *experiment)
{
  guint variant = ns_claim_find_variant (claim, experiment, claim->variant);

  if (variant == NS_MAX_VARIANTS)
    return FALSE;
  if (claim->over != NULL && ns_claim_find_variant (claim, experiment, claim->over) == NS_MAX_VARIANTS)
    return FALSE;
  return !ns_check_trains (claim->kind) || ns_claim_find_obstacle (claim, experiment) == NS_WHY_NOT_NONE;
}

/* Return the variants that the claim reads, as bits. The experiment has them. */
static guint32
get_variants (const NsClaim *claim, const NsExperiment *experiment)
{
  guint32 variants = 1u << ns_claim_find_variant (claim, experiment, claim->variant);

  return claim->over == NULL ? variants : variants | 1u << ns_claim_find_variant (claim, experiment, claim->over);
}

GArray *
ns_claims_list_needs (GPtrArray *claims, const NsExperiment *experiment)
{
  GArray *needs = g_array_new (FALSE, FALSE, sizeof (NsClaimNeed));

  for (guint i = 0; i < claims->len; i++)
    {
      const NsClaim *claim = g_ptr_array_index (claims, i);
      NsClaimNeed need = { .is_sweep = ns_check_sweeps (claim->kind),
                           .is_training = claim->kind == NS_CHECK_LOSS,
                           .map_of = claim->kind == NS_CHECK_RATES ? claim : NULL,
                           .axis = claim->axis,
                           .metric = claim->metric };
      gboolean known = !applies_to (claim, experiment);

      if (!known)
        need.variants = get_variants (claim, experiment);
      ns_quantity_set_add (&need.quantities, claim->metric.quantity);
      for (guint j = 0; j < needs->len && !known; j++)
        {
          NsClaimNeed *other = &g_array_index (needs, NsClaimNeed, j);

          known = is_same_need (other, &need);
          if (known)
            {
              ns_quantity_set_add (&other->quantities, claim->metric.quantity);
              other->variants |= need.variants;
            }
        }
      if (!known)
        g_array_append_val (needs, need);
    }
  return needs;
}
