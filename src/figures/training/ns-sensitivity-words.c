/* A sensitivity map in words.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/experiment/ns-experiment.h"
#include "engine/train/ns-training-loss.h"
#include "figures/ns-curve.h"
#include "figures/ns-format.h"
#include "figures/ns-links.h"
#include "figures/training/ns-sensitivity-private.h"

#include <glib/gi18n-lib.h>
#include <math.h>

#define SENSITIVITY_PAGE "view:sensitivity"

/* Return a learning rate, "0.003", "1.2·10⁻⁵". */
static char *
dup_rate (double rate)
{
  return ns_format_log10 (log10 (rate), 2);
}

char *
ns_sensitivity_dup_cell (const NsSensitivityPlan *plan, guint point, guint rate)
{
  g_autofree char *number = dup_rate (plan->rates[rate]);
  long long row = plan->points[point];

  if (plan->axis == NS_SENSITIVITY_DEPTH)
    return g_strdup_printf (_ ("Learning rate %s, depth %lld"), number, row);
  if (row == 0)
    return g_strdup_printf (_ ("Learning rate %s, no warm-up"), number);
  return g_strdup_printf (g_dngettext (GETTEXT_PACKAGE, "Learning rate %s, %lld step of warm-up",
                                       "Learning rate %s, %lld steps of warm-up", (gulong) row),
                          number, row);
}

static char *
dup_seeds_statistic (guint n, NsSeedsChoice seeds)
{
  switch (seeds)
    {
    case NS_SEEDS_BEST:
      return g_strdup_printf (g_dngettext (GETTEXT_PACKAGE, "best of %u seed", "best of %u seeds", n), n);
    case NS_SEEDS_MEAN:
      return g_strdup_printf (g_dngettext (GETTEXT_PACKAGE, "mean of %u seed", "mean of %u seeds", n), n);
    case NS_SEEDS_WORST:
    default:
      return g_strdup_printf (g_dngettext (GETTEXT_PACKAGE, "worst of %u seed", "worst of %u seeds", n), n);
    }
}

char *
ns_sensitivity_dup_statistic (const NsSensitivity *map, NsSeedsChoice seeds)
{
  guint n = ns_sensitivity_get_n_seeds (map);
  g_autofree char *statistic = n == 1 ? g_strdup (_ ("1 seed")) : dup_seeds_statistic (n, seeds);

  if (n == 1 || ns_sensitivity_count_finished (map) == ns_sensitivity_get_n_runs (map))
    return g_steal_pointer (&statistic);
  /* Translators: “worst of 5 seeds”, of which some are still to be trained */
  return g_strdup_printf (_ ("%s, as far as trained"), statistic);
}

char *
ns_sensitivity_dup_title (const NsSensitivity *map)
{
  const NsExperiment *experiment = ns_sensitivity_get_experiment (map);
  const NsShape *shape = &experiment->shape;
  guint n_seeds = ns_sensitivity_get_n_seeds (map);

  if (ns_sensitivity_get_plan (map)->axis == NS_SENSITIVITY_DEPTH)
    /* Translators: the title of an exported figure; the last number counts the random seeds */
    return g_strdup_printf (g_dngettext (GETTEXT_PACKAGE,
                                         "Learning rate × depth: d_model %d, %d × %d tokens, %lld steps, %u seed",
                                         "Learning rate × depth: d_model %d, %d × %d tokens, %lld steps, %u seeds",
                                         n_seeds),
                            (int) shape->d_model, (int) shape->batch, (int) shape->seq_len,
                            (long long) experiment->training.steps, n_seeds);
  return g_strdup_printf (g_dngettext (GETTEXT_PACKAGE,
                                       "Learning rate × warm-up: depth %d, d_model %d, %d × %d tokens, %lld steps, "
                                       "%u seed",
                                       "Learning rate × warm-up: depth %d, d_model %d, %d × %d tokens, %lld steps, "
                                       "%u seeds",
                                       n_seeds),
                          (int) shape->depth, (int) shape->d_model, (int) shape->batch, (int) shape->seq_len,
                          (long long) experiment->training.steps, n_seeds);
}

/* ---- the sentence ---- */

/* "at depth 12", "with 100 steps of warm-up" */
static char *
dup_place (const NsSensitivityPlan *plan, guint point)
{
  long long row = plan->points[point];

  if (plan->axis == NS_SENSITIVITY_DEPTH)
    return g_strdup_printf (_ ("at depth %lld"), row);
  if (row == 0)
    return g_strdup (_ ("without warm-up"));
  return g_strdup_printf (g_dngettext (GETTEXT_PACKAGE, "with %lld step of warm-up", "with %lld steps of warm-up",
                                       (gulong) row),
                          row);
}

/* "30", or "at least 30" where the range reaches the end of the map. */
static char *
dup_factor (const NsStabilityRange *range)
{
  char *factor = range->first == range->last ? g_strdup ("1") : ns_format_ratio (log10 (range->factor));
  g_autofree char *taken = NULL;

  if (range->is_open)
    {
      taken = factor;
      factor = g_strdup_printf (_ ("at least %s"), taken);
    }
  return ns_link_mark (SENSITIVITY_PAGE, factor);
}

/* Describe a variant by the first and the last row of the map. */
static char *
dup_rates_clause (const NsSensitivity *map, guint variant, NsSeedsChoice seeds)
{
  const NsSensitivityPlan *plan = ns_sensitivity_get_plan (map);
  const char *name = ns_experiment_variant (ns_sensitivity_get_experiment (map), variant)->name;
  guint first = 0, last = plan->n_points - 1;
  NsStabilityRange ranges[2];
  gboolean trains[2];
  g_autofree char *factor = NULL, *other = NULL, *place = NULL, *other_place = NULL;

  if (!ns_sensitivity_is_finished (map, variant, first) || !ns_sensitivity_is_finished (map, variant, last))
    return g_strdup_printf (_ ("%s is still being trained."), name);
  trains[0] = ns_sensitivity_get_range (map, variant, first, seeds, &ranges[0]);
  trains[1] = ns_sensitivity_get_range (map, variant, last, seeds, &ranges[1]);
  place = dup_place (plan, first);
  other_place = dup_place (plan, last);
  factor = trains[0] ? dup_factor (&ranges[0]) : NULL;
  other = trains[1] ? dup_factor (&ranges[1]) : NULL;
  if (first == last)
    /* Translators: a variant, a factor, “at depth 12” or “with 100 steps of warm-up” */
    return trains[0] ? g_strdup_printf (_ ("%s trains over a factor of %s of learning rates %s."), name, factor, place)
                     : g_strdup_printf (_ ("%s trains with none of the learning rates %s."), name, place);
  if (trains[0] && trains[1])
    return g_strdup_printf (_ ("%s trains over a factor of %s of learning rates %s, and of %s %s."), name, factor,
                            place, other, other_place);
  if (trains[0] || trains[1])
    return g_strdup_printf (_ ("%s trains over a factor of %s of learning rates %s, and with none of them %s."), name,
                            trains[0] ? factor : other, trains[0] ? place : other_place,
                            trains[0] ? other_place : place);
  return g_strdup_printf (_ ("%s trains with none of the learning rates, %s or %s."), name, place, other_place);
}

char *
ns_sensitivity_make_sentence (const NsFigureSource *source, const NsFigureOptions *options, GArray **links)
{
  const NsSensitivity *map = source->sensitivity;
  NsSeedsChoice seeds = (NsSeedsChoice) options->sensitivity.seeds;
  g_autofree char *statistic = ns_sensitivity_dup_statistic (map, seeds);
  GString *text = g_string_new (NULL);

  for (guint v = 0; v < ns_sensitivity_get_experiment (map)->variants->len; v++)
    if (ns_variant_is_visible (options->sensitivity.hidden, v))
      {
        g_autofree char *clause = dup_rates_clause (map, v, seeds);

        g_string_append_printf (text, "%s%s", text->len > 0 ? "\n" : "", clause);
      }
  if (text->len == 0)
    g_string_append (text, _ ("Every variant is hidden."));
  else
    {
      g_autofree char *entropy = ns_format_signed (ns_sensitivity_get_symbol_entropy (map), 3);
      const char *format;

      if (ns_sensitivity_get_experiment (map)->data.source == NS_SOURCE_TEXT)
        /* Translators: two shares in percent, the entropy, “worst of 5 seeds” */
        format = _ ("A learning rate trains a variant if the loss is within %d %% of its best one and more than %d %% "
                    "below the entropy of single bytes (%s); %s.");
      else
        format = _ ("A learning rate trains a variant if the loss is within %d %% of its best one and more than %d %% "
                    "below the entropy of single tokens (%s); %s.");
      g_string_append_c (text, '\n');
      g_string_append_printf (text, format, (int) (100 * NS_STABILITY_SHARE), (int) (100 * NS_LOSS_NEAR), entropy,
                              statistic);
    }
  return ns_links_resolve (g_string_free (text, FALSE), links);
}
