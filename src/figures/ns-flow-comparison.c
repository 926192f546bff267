/* The line of the flow figure's sentence that compares the variants at the top.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/experiment/ns-settings.h"
#include "figures/ns-flow-private.h"
#include "figures/ns-format.h"

#include <glib/gi18n-lib.h>
#include <math.h>

gboolean
ns_flow_follows_first_seed (const NsResult *result, const NsFlowOptions *options)
{
  return options->n_seeds_wanted > 0 && !options->titles && ns_result_get_n_seeds (result) > 1;
}

static gboolean
has_number (const NsTrend *trend, gint64 depth)
{
  return trend->kind != NS_TREND_ABSENT && trend->last == depth && isfinite (trend->last_log10);
}

typedef enum
{
  ONLY_BLOCK,
  TOP,
  TOP_OF_DECODER,
} Where;

/* Name two curves that are not told apart: their means are close, or the seeds differ by more. */
static char *
dup_close (Where where, const char *const names[2], gboolean is_close)
{
  static const char *const words[][2] = {
    [ONLY_BLOCK] = { N_("In that block %s and %s differ by no more than the spread of the seeds."),
                     N_("In that block %s and %s are close.") },
    [TOP] = { N_("At the top %s and %s differ by no more than the spread of the seeds."),
              N_("At the top %s and %s are close.") },
    [TOP_OF_DECODER] = { N_("At the top of the decoder %s and %s differ by no more than the spread of the seeds."),
                         N_("At the top of the decoder %s and %s are close.") },
  };

  return g_strdup_printf (_(words[where][is_close]), names[0], names[1]);
}

static char *
dup_times (Where where, const char *more, const char *ratio, const char *less)
{
  if (where == ONLY_BLOCK)
    return g_strdup_printf (_("In that block %s is %s times %s."), more, ratio, less);
  if (where == TOP_OF_DECODER)
    return g_strdup_printf (_("At the top of the decoder %s is %s times %s."), more, ratio, less);
  return g_strdup_printf (_("At the top %s is %s times %s."), more, ratio, less);
}

static Where
find_where (const NsExperiment *experiment, NsPart part)
{
  return part != NS_PART_STACK ? TOP_OF_DECODER : ns_experiment_get_depth (experiment, part) == 1 ? ONLY_BLOCK : TOP;
}

static char *
dup_largest (Where where, const char *largest, const char *ratio, const char *smallest)
{
  /* Translators: these three compare more than two variants: the largest, how many times, the smallest */
  if (where == ONLY_BLOCK)
    return g_strdup_printf (_("In that block %s is the largest, %s times %s, the smallest."), largest, ratio, smallest);
  if (where == TOP_OF_DECODER)
    return g_strdup_printf (_("At the top of the decoder %s is the largest, %s times %s, the smallest."), largest,
                            ratio, smallest);
  return g_strdup_printf (_("At the top %s is the largest, %s times %s, the smallest."), largest, ratio, smallest);
}

static char *
dup_all_close (Where where, gboolean is_close)
{
  static const char *const words[][2] = {
    [ONLY_BLOCK] = { N_("In that block all differ by no more than the spread of the seeds."),
                     N_("In that block all are close.") },
    [TOP] = { N_("At the top all differ by no more than the spread of the seeds."), N_("At the top all are close.") },
    [TOP_OF_DECODER] = { N_("At the top of the decoder all differ by no more than the spread of the seeds."),
                         N_("At the top of the decoder all are close.") },
  };

  return g_strdup (_(words[where][is_close]));
}

/* Compare the largest with the smallest curve at the last block of the stack, or of the decoder. *largest receives the
 * variant of the largest, or −1 if the two are close. Return NULL if fewer than two curves have a number. */
static char *
dup_ratio_of_sources (const GArray *sources, const GArray *trends, int *largest)
{
  const NsTrendSource *low = NULL, *high = NULL;
  double low_log10 = INFINITY, high_log10 = -INFINITY;
  const NsExperiment *experiment = ns_result_get_experiment (g_array_index (sources, NsTrendSource, 0).result);
  NsPart part = g_array_index (trends, NsTrend, 0).part;
  gint64 site = ns_experiment_get_site (experiment, part, ns_experiment_get_depth (experiment, part));
  Where where = find_where (experiment, part);
  g_autofree char *ratio = NULL;
  const char *names[2];
  gboolean is_close;

  for (guint i = 0; i < sources->len; i++)
    {
      const NsTrendSource *source = &g_array_index (sources, NsTrendSource, i);
      const NsTrend *trend = &g_array_index (trends, NsTrend, i);

      if (!has_number (trend, ns_experiment_get_depth (experiment, part)))
        continue;
      if (trend->last_log10 < low_log10)
        {
          low_log10 = trend->last_log10;
          low = source;
        }
      if (trend->last_log10 >= high_log10)
        {
          high_log10 = trend->last_log10;
          high = source;
        }
    }
  if (low == high)
    return NULL;

  ratio = ns_format_ratio (high_log10 - low_log10);
  names[0] = ns_experiment_variant (experiment, low->variant)->name;
  names[1] = ns_experiment_variant (experiment, high->variant)->name;
  *largest = (int) high->variant;
  is_close = high_log10 - low_log10 < log10 (NS_FLAT_RATIO);
  if (is_close || ns_differ_within_seeds (high, site, low, site))
    *largest = -1;
  if (sources->len > 2)
    return *largest < 0 ? dup_all_close (where, is_close) : dup_largest (where, names[1], ratio, names[0]);
  if (*largest >= 0)
    return dup_times (where, names[1], ratio, names[0]);
  /* Close variants are named in the order of the list. */
  names[0] = ns_experiment_variant (experiment, MIN (low->variant, high->variant))->name;
  names[1] = ns_experiment_variant (experiment, MAX (low->variant, high->variant))->name;
  return dup_close (where, names, is_close);
}

/* Return dup_ratio_of_sources() of the first seed alone. */
static char *
dup_first_ratio (const GArray *sources, NsPart part, int *largest)
{
  g_autoptr (GArray) firsts = g_array_new (FALSE, FALSE, sizeof (NsTrendSource));
  g_autoptr (GArray) trends = g_array_new (FALSE, FALSE, sizeof (NsTrend));

  for (guint i = 0; i < sources->len; i++)
    {
      NsTrendSource source = g_array_index (sources, NsTrendSource, i);
      NsTrend trend;

      source.n_seeds = 1;
      trend = ns_trend_measure (&source, part);
      g_array_append_val (firsts, source);
      g_array_append_val (trends, trend);
    }
  return dup_ratio_of_sources (firsts, trends, largest);
}

char *
ns_flow_dup_comparison (const NsResult *result, const NsFlowOptions *options, const GArray *sources,
                        const GArray *trends)
{
  g_autofree char *text = NULL;
  g_autofree char *first_text = NULL;
  int largest = -1, first_largest = -1;

  if (sources->len < 2)
    return NULL;
  text = dup_ratio_of_sources (sources, trends, &largest);
  if (text == NULL || !ns_flow_follows_first_seed (result, options))
    return g_steal_pointer (&text);
  first_text = dup_first_ratio (sources, g_array_index (trends, NsTrend, 0).part, &first_largest);
  if (first_text == NULL || largest == first_largest)
    return g_steal_pointer (&text);
  /* Translators: the second %s is what the sentence before said of one seed: "At the top A is 2.0 times B." */
  return g_strdup_printf (_("%s With the first seed alone: %s"), text, first_text);
}
