/* The flow figure in words: one line for each variant and one that compares two.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Sentences state measurements only. Each clause is a complete phrase, so that translators can reorder its words.
 */
#include "engine/experiment/ns-settings.h"
#include "figures/ns-flow-private.h"
#include "figures/ns-format.h"
#include "figures/ns-links.h"
#include "figures/ns-trend.h"

#include <glib/gi18n-lib.h>
#include <math.h>

/* Encoder and decoder. */
#define MAX_PARTS 2

char *
ns_trend_dup_blocks (const NsTrend *trend, gint64 depth)
{
  gint64 n_blocks = trend->n_bad - (trend->bad_first == 0 ? 1 : 0);

  if (trend->bad_last == 0)
    return g_strdup (_("the input"));
  if (trend->bad_first == 0 && trend->bad_last == 1)
    return g_strdup (_("the input and block 1"));
  if (trend->bad_first == 0 && n_blocks == trend->bad_last)
    return g_strdup_printf (_("the input and blocks 1 to %d"), (int) trend->bad_last);
  if (trend->bad_first == 0)
    return g_strdup_printf (_("the input and %d of %d blocks"), (int) n_blocks, (int) depth);
  if (trend->n_bad == 1)
    return g_strdup_printf (_("block %d"), (int) trend->bad_first);
  if (trend->n_bad == trend->bad_last - trend->bad_first + 1)
    return g_strdup_printf (_("blocks %d to %d"), (int) trend->bad_first, (int) trend->bad_last);
  return g_strdup_printf (_("%d of %d blocks"), (int) trend->n_bad, (int) depth);
}

static char *
dup_drift (const NsTrend *trend)
{
  double drift = trend->last_log10 - trend->first_log10;
  g_autofree char *change = ns_format_change (drift);
  int first = (int) trend->first, last = (int) trend->last;

  /* Translators: a change: "falls to a third from block 1 to 24" */
  return drift < 0 ? g_strdup_printf (_("falls %s from block %d to %d"), change, first, last)
                   : g_strdup_printf (_("rises %s from block %d to %d"), change, first, last);
}

static char *
dup_turn (const NsTrend *trend)
{
  g_autofree char *before = ns_format_change (trend->turn_log10 - trend->first_log10);
  g_autofree char *after = ns_format_change (trend->last_log10 - trend->turn_log10);
  int turn = (int) trend->turn, last = (int) trend->last;

  if (trend->kind == NS_TREND_PEAK)
    return g_strdup_printf (_("rises %s at a peak in block %d, and from there falls %s at block %d"), before, turn,
                            after, last);
  return g_strdup_printf (_("falls %s at a low in block %d, and from there rises %s at block %d"), before, turn, after,
                          last);
}

static char *
dup_trend_of_quantity (const NsTrend *trend, NsQuantity quantity, gint64 depth)
{
  g_autofree char *blocks = ns_trend_dup_blocks (trend, depth);
  g_autofree char *number = NULL;

  switch (trend->kind)
    {
    case NS_TREND_ABSENT:
      return g_strdup_printf (_("has no %s"), ns_quantity_info (quantity)->symbol);
    case NS_TREND_NOT_FINITE:
      return trend->is_inf ? g_strdup_printf (_("infinite in %s"), blocks)
                           : g_strdup_printf (_("not a number in %s"), blocks);
    case NS_TREND_ZERO:
      return trend->n_bad == depth ? g_strdup (_("exactly 0 in every block"))
                                   : g_strdup_printf (_("exactly 0 in %s"), blocks);
    case NS_TREND_SINGLE:
      number = ns_format_log10 (trend->first_log10, 3);
      return depth == 1 ? g_strdup_printf (_("%s in its only block"), number)
                        : g_strdup_printf (_("%s in block %d, the only one that has it"), number, (int) trend->first);
    case NS_TREND_FLAT:
      return g_strdup (_("flat"));
    case NS_TREND_WITHIN_SEEDS:
      return g_strdup (_("shows no trend beyond the spread of the seeds"));
    case NS_TREND_DRIFTS:
      return dup_drift (trend);
    case NS_TREND_PEAK:
    case NS_TREND_LOW:
      return dup_turn (trend);
    default:
      g_assert_not_reached ();
    }
}

/* Mark the clause with the page that explains it. */
static char *
dup_linked_trend (const NsTrend *trend, NsQuantity quantity, gint64 depth)
{
  char *clause = dup_trend_of_quantity (trend, quantity, depth);

  switch (trend->kind)
    {
    case NS_TREND_NOT_FINITE:
    case NS_TREND_ZERO:
      return ns_link_mark (NS_PAGE_RANGE, clause);
    case NS_TREND_WITHIN_SEEDS:
      return ns_link_mark (NS_PAGE_STATISTICS, clause);
    default:
      return ns_link_mark_quantity (ns_quantity_info (quantity)->name, clause);
    }
}

/* Name the ends of a curve that may be negative, as a share or a cosine may, and so has no ratio. */
static char *
dup_ends (const NsTrend *trend, const NsTrendSource *source)
{
  const NsExperiment *experiment = ns_result_get_experiment (source->result);
  gint64 depth = ns_experiment_get_depth (experiment, trend->part);
  const char *name = ns_quantity_info (source->quantity)->name;
  g_autofree char *first = NULL;
  g_autofree char *last = NULL;
  NsStat at_first, at_last;

  ns_result_get_stat (source->result, source->variant, source->quantity,
                      ns_experiment_get_site (experiment, trend->part, 1), &at_first);
  ns_result_get_stat (source->result, source->variant, source->quantity,
                      ns_experiment_get_site (experiment, trend->part, depth), &at_last);
  first = ns_format_cosine (at_first.mean);
  last = ns_format_cosine (at_last.mean);
  if (depth == 1)
    return ns_link_mark_quantity (name, g_strdup_printf (_("%s in its only block"), first));
  /* Translators: two numbers and their blocks: "0.148 in block 1, 1.000 in block 24" */
  return ns_link_mark_quantity (name,
                                g_strdup_printf (_("%s in block %d, %s in block %d"), first, 1, last, (int) depth));
}

/* Name the blocks whose mean is below the smallest double: a linear axis marks them at its bottom, as it does zeros. */
static char *
dup_underflow (const NsTrend *trend, gint64 depth)
{
  g_autofree char *blocks = NULL;

  if (trend->n_bad == 0 || trend->kind == NS_TREND_NOT_FINITE || trend->kind == NS_TREND_ZERO)
    return NULL;
  blocks = ns_trend_dup_blocks (trend, depth);
  return ns_link_mark (NS_PAGE_RANGE, g_strdup_printf (_("too small for a double in %s"), blocks));
}

/* Prefix a clause, which begins with a verb or an adjective, with the name of its part. Takes the clause; NULL stays
 * NULL. */
static char *
prefix_part (NsPart part, char *clause)
{
  g_autofree char *of_stack = clause;

  if (part == NS_PART_STACK || clause == NULL)
    return g_steal_pointer (&of_stack);
  /* Translators: %s describes the curve there: "rises to 3.4 times from block 1 to 6", "flat", "has no ‖∂L/∂W₂‖" */
  return part == NS_PART_ENCODER ? g_strdup_printf (_("encoder %s"), of_stack)
                                 : g_strdup_printf (_("decoder %s"), of_stack);
}

static char *
dup_similarity_words (double input, double last, int depth)
{
  g_autofree char *number = ns_format_cosine (last);

  if (last < NS_ALIKE_COS)
    return g_strdup_printf (_("token similarity %s at block %d"), number, depth);
  /* Tokens that are alike at the input did not become alike in the stack. */
  if (input >= MIN (last, NS_COLLAPSE_COS))
    return g_strdup_printf (_("tokens are alike from the input on: similarity %s at block %d"), number, depth);
  if (last < NS_COLLAPSE_COS)
    return g_strdup_printf (_("tokens become alike: similarity %s at block %d"), number, depth);
  return g_strdup_printf (_("tokens become one vector (similarity %s)"), number);
}

/* Without residuals, gradient norms can look healthy although all tokens have become one vector; the curves alone do
 * not show it. */
static char *
dup_similarity (const NsResult *result, guint variant, NsPart part)
{
  const NsExperiment *experiment = ns_result_get_experiment (result);
  gint64 depth = ns_experiment_get_depth (experiment, part);
  NsStat last, input = { .mean = -1 };

  if (!ns_result_get_stat (result, variant, NS_Q_TOKEN_COS, ns_experiment_get_site (experiment, part, depth), &last)
      || !isfinite (last.mean))
    return NULL;
  if (last.mean < NS_COLLAPSE_COS && !ns_variant_lacks_residual (experiment, variant))
    return NULL;
  ns_result_get_stat (result, variant, NS_Q_TOKEN_COS, ns_experiment_get_site (experiment, part, 0), &input);
  return ns_link_mark_quantity ("token_cos", dup_similarity_words (input.mean, last.mean, (int) depth));
}

/* Return the format of the clause that names the block in which the forward pass overflows. */
static const char *
get_overflow_format (NsPart part, gboolean all_seeds)
{
  switch (part)
    {
    case NS_PART_ENCODER:
      return all_seeds ? _("the forward pass overflows in block %d of the encoder")
                       : _("the forward pass overflows in block %d of the encoder with %u of %u seeds");
    case NS_PART_DECODER:
      return all_seeds ? _("the forward pass overflows in block %d of the decoder")
                       : _("the forward pass overflows in block %d of the decoder with %u of %u seeds");
    case NS_PART_STACK:
    default:
      return all_seeds ? _("the forward pass overflows in block %d")
                       : _("the forward pass overflows in block %d with %u of %u seeds");
    }
}

char *
ns_flow_dup_overflow_at (const NsExperiment *experiment, gint64 site, guint n, guint n_seeds)
{
  if (site == ns_experiment_get_head_site (experiment))
    return n == n_seeds ? g_strdup (_("the forward pass overflows in the head"))
                        : g_strdup_printf (_("the forward pass overflows in the head with %u of %u seeds"), n, n_seeds);
  return g_strdup_printf (get_overflow_format (ns_site_get_part (experiment, site), n == n_seeds),
                          (int) ns_site_get_layer (experiment, site), n, n_seeds);
}

char *
ns_flow_dup_overflow (const NsResult *result, guint variant)
{
  gint64 site = ns_result_get_first_overflow (result, variant, NULL);
  guint n_seeds = ns_result_get_n_seeds (result), n = 0;

  if (site == 0)
    return NULL;
  for (guint s = 0; s < n_seeds; s++)
    n += ns_result_get_overflow (result, variant, s) != 0 ? 1 : 0;
  return ns_flow_dup_overflow_at (ns_result_get_experiment (result), site, n, n_seeds);
}

static void
take_plain_clause (GPtrArray *clauses, char *clause)
{
  if (clause != NULL)
    g_ptr_array_add (clauses, clause);
}

static void
take_similarity (GPtrArray *clauses, const NsResult *result, guint variant)
{
  g_autofree char *encoder = NULL;
  g_autofree char *decoder = NULL;

  if (ns_experiment_get_n_parts (ns_result_get_experiment (result)) < 2)
    {
      take_plain_clause (clauses, dup_similarity (result, variant, NS_PART_STACK));
      return;
    }
  encoder = dup_similarity (result, variant, NS_PART_ENCODER);
  decoder = dup_similarity (result, variant, NS_PART_DECODER);
  if (encoder != NULL && g_strcmp0 (encoder, decoder) == 0)
    {
      /* Translators: %s is about tokens: "tokens become one vector (similarity 0.998)" */
      take_plain_clause (clauses, g_strdup_printf (_("in encoder and decoder %s"), encoder));
      return;
    }
  if (encoder != NULL)
    /* Translators: %s as above */
    take_plain_clause (clauses, g_strdup_printf (_("in the encoder %s"), encoder));
  if (decoder != NULL)
    /* Translators: %s as above */
    take_plain_clause (clauses, g_strdup_printf (_("in the decoder %s"), decoder));
}

/* Return the curve of a variant as its axis shows it, over the first n_seeds seeds. */
static NsTrendSource
get_source (const NsResult *result, const NsFlowOptions *options, guint variant, guint n_seeds)
{
  return (NsTrendSource) {
    .result = result,
    .variant = variant,
    .quantity = options->gradient,
    .mean = ns_flow_get_mean (result, options, options->gradient),
    .n_seeds = n_seeds,
  };
}

/* Say what the curve does in a part. */
static char *
dup_curve (const NsResult *result, const NsFlowOptions *options, guint variant, const NsTrend *trend)
{
  NsTrendSource source = get_source (result, options, variant, ns_result_get_n_seeds (result));

  if (ns_quantity_is_signed (options->gradient) && trend->kind != NS_TREND_ABSENT)
    return dup_ends (trend, &source);
  return dup_linked_trend (trend, options->gradient,
                           ns_experiment_get_depth (ns_result_get_experiment (result), trend->part));
}

/* Repeat what the sentence of the first seed said, if this trend contradicts it; else NULL. */
static char *
dup_contradicted (const NsResult *result, const NsFlowOptions *options, guint variant, const NsTrend *trend)
{
  NsTrendSource source = get_source (result, options, variant, 1);
  g_autofree char *clause = NULL;
  NsTrend first;

  if (!ns_flow_follows_first_seed (result, options) || trend->kind == NS_TREND_ABSENT
      || ns_quantity_is_signed (options->gradient))
    return NULL;
  first = ns_trend_measure (&source, trend->part);
  if (ns_trend_get_sign (&first) == ns_trend_get_sign (trend))
    return NULL;
  clause = dup_trend_of_quantity (&first, options->gradient,
                                  ns_experiment_get_depth (ns_result_get_experiment (result), trend->part));
  /* Translators: %s is what the curve of one seed does: "rises to 3.4 times from block 1 to 6", "flat" */
  return g_strdup_printf (_("first seed alone: %s"), clause);
}

static char *
dup_line_of_variant (const NsResult *result, const NsFlowOptions *options, guint variant, const NsTrend *trends,
                     gint64 n_parts)
{
  const NsExperiment *experiment = ns_result_get_experiment (result);
  g_autoptr (GPtrArray) clauses = g_ptr_array_new_with_free_func (g_free);
  g_autofree char *joined = NULL;
  gboolean exists = FALSE;

  for (gint64 p = 0; p < n_parts; p++)
    exists |= trends[p].kind != NS_TREND_ABSENT;
  take_plain_clause (clauses, ns_link_mark (NS_PAGE_RANGE, ns_flow_dup_overflow (result, variant)));
  if (clauses->len == 0)
    {
      for (gint64 p = 0; p < (exists ? n_parts : 1); p++)
        {
          NsPart part = exists ? trends[p].part : NS_PART_STACK;
          gint64 depth = ns_experiment_get_depth (experiment, part);

          take_plain_clause (clauses, prefix_part (part, dup_curve (result, options, variant, &trends[p])));
          take_plain_clause (clauses, prefix_part (part, dup_underflow (&trends[p], depth)));
        }
      take_similarity (clauses, result, variant);
      for (gint64 p = 0; exists && p < n_parts; p++)
        take_plain_clause (clauses, prefix_part (trends[p].part,
                                                 dup_contradicted (result, options, variant, &trends[p])));
    }
  g_ptr_array_add (clauses, NULL);
  /* Translators: between the clauses about one variant */
  joined = g_strjoinv (_("; "), (char **) clauses->pdata);
  /* Translators: a variant's name and what its curve does */
  return g_strdup_printf (_("%s: %s."), ns_experiment_variant (experiment, variant)->name, joined);
}

const char *
ns_mean_get_format (NsMeanKind mean)
{
  return mean == NS_MEAN_GEOMETRIC ? N_("Geometric means over %u seeds.") : N_("Arithmetic means over %u seeds.");
}

/* Say how many seeds there are, and which mean of theirs the ratios are of. */
static void
add_seeds_line (GPtrArray *lines, const NsResult *result, const NsFlowOptions *options)
{
  guint n_seeds = ns_result_get_n_seeds (result);
  NsMeanKind mean = ns_flow_get_mean (result, options, options->gradient);

  if (n_seeds < options->n_seeds_wanted)
    g_ptr_array_insert (lines, 0, g_strdup_printf (_("From %u of %u seeds, more may change this:"), n_seeds,
                                                   options->n_seeds_wanted));
  if (n_seeds < 2)
    return;
  g_ptr_array_add (lines, ns_link_mark (NS_PAGE_STATISTICS, g_strdup_printf (_(ns_mean_get_format (mean)), n_seeds)));
}

char *
ns_flow_linked_sentence (const NsResult *result, const NsFlowOptions *options, GArray **links)
{
  g_autoptr (GPtrArray) lines = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GArray) sources = g_array_new (FALSE, FALSE, sizeof (NsTrendSource));
  g_autoptr (GArray) last_trends = g_array_new (FALSE, FALSE, sizeof (NsTrend));
  const NsExperiment *experiment;
  char *comparison;
  gint64 n_parts;

  g_return_val_if_fail (result != NULL && options != NULL, NULL);

  if (ns_result_is_partial (result))
    return ns_links_resolve (g_strdup (_("Still running: blocks come from the input up, then gradients from the loss "
                                         "down.")),
                             links);
  /* a quantity that takes passes of its own has just been chosen */
  if (!ns_result_has (result, options->gradient))
    return ns_links_resolve (g_strdup_printf (_("“%s” is not measured yet."),
                                              _(ns_quantity_info (options->gradient)->title)), links);
  experiment = ns_result_get_experiment (result);
  n_parts = MIN (ns_experiment_get_n_parts (experiment), MAX_PARTS);
  for (guint v = 0; v < experiment->variants->len; v++)
    {
      NsTrendSource source = get_source (result, options, v, ns_result_get_n_seeds (result));
      NsTrend trends[MAX_PARTS];

      if (!ns_flow_is_visible (options, v))
        continue;
      for (gint64 p = 0; p < n_parts; p++)
        trends[p] = ns_trend_measure (&source, ns_experiment_get_part (experiment, p));
      g_ptr_array_add (lines, dup_line_of_variant (result, options, v, trends, n_parts));
      g_array_append_val (sources, source);
      g_array_append_val (last_trends, trends[n_parts - 1]);
    }
  if (sources->len == 0)
    return ns_links_resolve (g_strdup (_("Every variant is hidden.")), links);
  comparison = ns_flow_dup_comparison (result, options, sources, last_trends);
  /* With more than two variants it comes first, since the window shows only two lines. */
  if (comparison != NULL)
    g_ptr_array_insert (lines, sources->len > 2 ? 0 : -1, comparison);
  add_seeds_line (lines, result, options);
  g_ptr_array_add (lines, NULL);
  return ns_links_resolve (g_strjoinv ("\n", (char **) lines->pdata), links);
}

char *
ns_flow_sentence (const NsResult *result, const NsFlowOptions *options)
{
  return ns_flow_linked_sentence (result, options, NULL);
}
