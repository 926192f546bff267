/* Set up an experiment for a claim.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "document/ns-claims.h"

#include "document/ns-presets.h"
#include "engine/experiment/ns-experiment-error.h"
#include "engine/experiment/ns-experiment.h"
#include "engine/experiment/ns-params.h"
#include "engine/experiment/ns-variant-match.h"
#include "engine/experiment/ns-variants.h"

#include <glib/gi18n-lib.h>
#include <string.h>

/* Return a value that meets the assumption: the first of several, or the nearer end of a range. */
static char *
dup_allowed_value (const NsAssumption *assumption, gconstpointer base)
{
  g_auto (GStrv) values = g_strsplit (assumption->text, "|", 2);
  g_auto (GStrv) range = g_strsplit (values[0], "..", 2);
  double low, high, now;

  if (range[1] == NULL || ns_param_is_text (assumption->param))
    return g_steal_pointer (&values[0]);
  low = g_ascii_strtod (range[0], NULL);
  high = g_ascii_strtod (range[1], NULL);
  now = assumption->param->type == NS_TYPE_NUMBER ? ns_param_get_number (assumption->param, base)
                                                  : (double) ns_param_get_int (assumption->param, base);
  return g_strdup (now - low < high - now ? range[0] : range[1]);
}

static gboolean
apply_assumption (const NsAssumption *assumption, NsExperiment *experiment, guint variant, GError **error)
{
  gpointer shared = experiment, own = ns_experiment_variant (experiment, variant);
  gpointer base = assumption->param->section == NS_SECTION_VARIANT ? own : shared;
  g_autofree char *text = NULL;

  if (ns_assumption_holds (assumption, experiment, variant))
    return TRUE;
  if (assumption->same != NULL)
    text = ns_param_dup_text (assumption->same, assumption->same->section == NS_SECTION_VARIANT ? own : shared);
  else
    text = dup_allowed_value (assumption, base);
  return ns_param_set_text (assumption->param, base, text, "", error);
}

static gboolean
has_name (const NsExperiment *experiment, const char *name)
{
  for (guint v = 0; v < experiment->variants->len; v++)
    if (strcmp (ns_experiment_variant (experiment, v)->name, name) == 0)
      return TRUE;
  return FALSE;
}

static gboolean
add_variant (const char *id, NsExperiment *experiment, GError **error)
{
  NsVariant *variant;
  g_autofree char *base = NULL;

  if (ns_experiment_find_architecture (experiment, id) != NS_MAX_VARIANTS)
    return TRUE;
  if (experiment->variants->len == NS_MAX_VARIANTS)
    {
      g_set_error (error, NS_EXPERIMENT_ERROR, NS_EXPERIMENT_ERROR_VALUE,
                   _ ("variants: there are already %d, the maximum, and none is wired like “%s”; remove one first"),
                   NS_MAX_VARIANTS, id);
      return FALSE;
    }
  variant = ns_variant_from_text (id, error);
  if (variant == NULL)
    return FALSE;
  base = g_strdup (variant->name);
  for (int i = 2; has_name (experiment, variant->name); i++)
    {
      g_free (variant->name);
      variant->name = g_strdup_printf ("%s %d", base, i);
    }
  g_ptr_array_add (experiment->variants, variant);
  return TRUE;
}

static gboolean
set_up_variant (const NsClaim *claim, const char *id, NsExperiment *experiment, GError **error)
{
  guint variant;

  if (!add_variant (id, experiment, error))
    return FALSE;
  variant = ns_claim_find_variant (claim, experiment, id);
  g_return_val_if_fail (variant < NS_MAX_VARIANTS, FALSE);
  for (guint i = 0; i < claim->assumptions->len; i++)
    if (!apply_assumption (g_ptr_array_index (claim->assumptions, i), experiment, variant, error))
      return FALSE;
  return TRUE;
}

NsExperiment *
ns_claim_set_up (const NsClaim *claim, const NsExperiment *experiment, GError **error)
{
  g_autoptr (NsExperiment) next = NULL;

  g_return_val_if_fail (claim != NULL && experiment != NULL, NULL);

  next = claim->preset != NULL ? ns_preset_load (claim->preset, error) : ns_experiment_copy (experiment);
  if (next == NULL || !set_up_variant (claim, claim->variant, next, error))
    return NULL;
  if (claim->over != NULL && !set_up_variant (claim, claim->over, next, error))
    return NULL;
  /* A confidence interval needs at least two seeds. */
  next->sampling.seeds = MAX (next->sampling.seeds, ns_check_trains (claim->kind) ? claim->min_seeds : 2);
  return g_steal_pointer (&next);
}
