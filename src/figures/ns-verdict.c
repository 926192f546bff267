/* The verdict on a variant's wiring.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Each statement is of a measured number; only the names of sub-layers and of the wiring come from the settings.
 */
#include "figures/ns-verdict.h"

#include "engine/experiment/ns-derived.h"
#include "engine/experiment/ns-experiment.h"
#include "engine/experiment/ns-sub-layers.h"
#include "engine/experiment/ns-variant-name.h"
#include "figures/ns-flow-private.h"
#include "figures/ns-format.h"
#include "figures/ns-links.h"
#include "figures/ns-scaling-private.h"
#include "figures/ns-verdict-private.h"

#include <glib/gi18n-lib.h>
#include <math.h>

/* A path that changes the gradient by less than this ratio leaves it unchanged. */
#define UNCHANGED_RATIO 1.0005
/* A share that leaves 0 to 1 by less is within rounding. */
#define PART_ROUNDING 0.005

/* Make the first letter a capital. Takes the text. */
static char *
take_capitalized (char *text)
{
  g_autofree char *small = text;
  char first[6 + 1] = { 0 };

  g_unichar_to_utf8 (g_unichar_toupper (g_utf8_get_char (small)), first);
  return g_strconcat (first, g_utf8_next_char (small), NULL);
}

/* Append a clause with a mark of its page. The first one begins with a capital unless the name of its part precedes it.
 * Takes the clause, which may be NULL. */
static void
take_linked_clause (GPtrArray *clauses, const NsWiringVerdict *verdict, const char *page, char *clause)
{
  if (clause == NULL)
    return;
  if (clauses->len == 0 && verdict->part == NS_PART_STACK)
    clause = take_capitalized (clause);
  g_ptr_array_add (clauses, ns_link_mark (page, clause));
}

/* ---- the identity path ---- */

/* Return the mean at the part's input over the seeds that reached the backward pass, of log10 where the quantity has
 * it; NAN without one. */
static double
measure_at_input (const NsWiringVerdict *verdict, NsQuantity quantity)
{
  gint64 site = ns_experiment_get_site (verdict->experiment, verdict->part, 0);
  double sum = 0;
  guint n = 0;

  for (guint s = 0; s < ns_result_get_n_seeds (verdict->result); s++)
    {
      double value, log10_value;

      if (!ns_result_get_value (verdict->result, verdict->variant, quantity, site, s, &value, &log10_value))
        continue;
      value = ns_quantity_has_log10 (quantity) ? log10_value : value;
      if (isnan (value))
        continue;
      sum += value;
      n++;
    }
  return n > 0 ? sum / n : NAN;
}

/* Name the sub-layers whose residual carries nothing, from first to last; NULL when there is none. */
static const char *
get_cut (const NsWiringVerdict *verdict)
{
  const NsVariant *variant = ns_experiment_variant (verdict->experiment, verdict->variant);
  NsParts parts = ns_shape_get_parts (&verdict->experiment->shape);
  gboolean scaled_away = ns_variant_get_alpha (variant, verdict->part, 1, &parts) == 0;
  gboolean attn = ns_variant_has_sub (variant, NS_SUB_ATTN, verdict->part)
                  && (scaled_away || !ns_variant_get_wiring (variant, NS_SUB_ATTN).residual);
  gboolean ffn = ns_variant_has_sub (variant, NS_SUB_FFN, verdict->part)
                 && (scaled_away || !ns_variant_get_wiring (variant, NS_SUB_FFN).residual);
  gboolean cross = verdict->part == NS_PART_DECODER
                   && (scaled_away || !ns_variant_get_wiring (variant, NS_SUB_CROSS).residual);

  if (variant->topology != NS_TOPOLOGY_SEQUENTIAL)
    return attn ? _ ("attention or FFN") : NULL;
  if (cross)
    return attn && ffn ? _ ("attention, cross-attention and FFN")
           : attn      ? _ ("attention and cross-attention")
           : ffn       ? _ ("cross-attention and FFN")
                       : _ ("the cross-attention");
  if (attn && ffn)
    return _ ("attention and FFN");
  return attn ? _ ("the attention") : ffn ? _ ("the FFN") : NULL;
}

/* Say what the path does to the gradient of the last block: "unchanged", "shrunk to a third". */
static char *
dup_path_change (double log10_path)
{
  g_autofree char *number = NULL;

  if (fabs (log10_path) < log10 (UNCHANGED_RATIO))
    return g_strdup (_ ("unchanged"));
  if (fabs (log10_path) < log10 (NS_FLAT_RATIO))
    {
      number = ns_format_percent (fabs (pow (10, log10_path) - 1));
      /* Translators: a difference, "4.0 %" */
      return g_strdup_printf (log10_path > 0 ? _ ("almost unchanged (%s larger)") : _ ("almost unchanged (%s smaller)"),
                              number);
    }
  number = ns_format_change (log10_path);
  /* Translators: a change, "to a third" */
  return g_strdup_printf (log10_path > 0 ? _ ("grown %s") : _ ("shrunk %s"), number);
}

static gboolean
has_path (const NsWiringVerdict *verdict)
{
  return isfinite (verdict->log10_path);
}

static char *
dup_path (const NsWiringVerdict *verdict)
{
  double share = measure_at_input (verdict, NS_Q_IDENTITY_SHARE);
  g_autofree char *change = NULL, *part = NULL;
  const char *cut;

  if (isnan (verdict->log10_path))
    return NULL;
  if (!has_path (verdict))
    {
      cut = get_cut (verdict);
      /* Translators: the sub-layers: "the attention", "attention and FFN" */
      return cut != NULL ? g_strdup_printf (_ ("no identity path: every path passes %s"), cut)
                         : g_strdup (_ ("the identity path carries nothing to the input"));
    }
  change = dup_path_change (verdict->log10_path);
  if (!isfinite (share))
    /* Translators: "unchanged", "shrunk to a third" */
    return g_strdup_printf (_ ("an identity path carries the last block's gradient to the input %s"), change);
  part = ns_format_percent (share);
  if (fabs (share - 0.5) > 0.5 + PART_ROUNDING)
    /* Translators: "unchanged", "shrunk to a third"; a share that is no part, "131 %" or "−4.2 %" */
    return g_strdup_printf (_ ("an identity path carries the last block's gradient to the input %s, %s of the gradient "
                               "there (the branches make up the difference to 100 %%)"),
                            change, part);
  /* Translators: "unchanged", "shrunk to a third"; a share as "36 %" */
  return g_strdup_printf (_ ("an identity path carries the last block's gradient to the input %s, %s of the gradient "
                             "there"),
                          change, part);
}

/* ---- tokens ---- */

/* Without an identity path also say that the tokens stay distinct. */
static char *
dup_tokens (const NsWiringVerdict *verdict, gboolean *collapse)
{
  gint64 depth = ns_experiment_get_depth (verdict->experiment, verdict->part);
  NsStat last, input = { .mean = -1 };
  g_autofree char *number = NULL;

  *collapse = FALSE;
  if (!ns_result_get_stat (verdict->result, verdict->variant, NS_Q_TOKEN_COS,
                           ns_experiment_get_site (verdict->experiment, verdict->part, depth), &last)
      || !isfinite (last.mean))
    return NULL;
  number = ns_format_cosine (last.mean);
  if (last.mean < NS_ALIKE_COS)
    return isinf (verdict->log10_path) ? g_strdup_printf (_ ("tokens stay distinct (similarity %s)"), number) : NULL;
  *collapse = TRUE;
  ns_result_get_stat (verdict->result, verdict->variant, NS_Q_TOKEN_COS,
                      ns_experiment_get_site (verdict->experiment, verdict->part, 0), &input);
  if (input.mean >= MIN (last.mean, NS_COLLAPSE_COS))
    return g_strdup_printf (_ ("tokens alike from the input on (similarity %s)"), number);
  if (last.mean < NS_COLLAPSE_COS)
    return g_strdup_printf (_ ("tokens become alike (similarity %s)"), number);
  return g_strdup_printf (_ ("tokens become one vector (similarity %s)"), number);
}

/* ---- the exponent ---- */

/* Return a copy of the experiment with one variant, without its name, depth and seeds. Caller owns it. */
static NsExperiment *
dup_bare (const NsExperiment *experiment, guint variant)
{
  NsExperiment *bare = ns_experiment_copy (experiment);
  NsVariant *only = g_ptr_array_steal_index (bare->variants, variant);

  g_ptr_array_set_size (bare->variants, 0);
  g_ptr_array_add (bare->variants, only);
  g_free (only->name);
  only->name = g_strdup ("");
  if (bare->shape.decoder_depth == 0) /* otherwise their ratio counts, too */
    bare->shape.depth = 1;
  bare->sampling.seeds = 1;
  return bare;
}

static gboolean
is_same (const NsExperiment *a, guint variant_a, const NsExperiment *b, guint variant_b)
{
  g_autoptr (NsExperiment) bare_a = dup_bare (a, variant_a), bare_b = dup_bare (b, variant_b);

  return ns_experiment_has_same_pass (bare_a, bare_b);
}

/* Return "‖∂L/∂W₂‖ at the last block ∝ L⁻⁰·⁴⁹" of a sweep of the part, or NULL if no such law fits. */
static char *
dup_exponent (const NsWiringVerdict *verdict, const NsSweep *sweep)
{
  const NsExperiment *swept = sweep != NULL ? ns_sweep_get_experiment (sweep) : NULL;
  NsMetric metric;

  if (sweep == NULL || ns_sweep_get_axis (sweep) != NS_SWEEP_DEPTH)
    return NULL;
  metric = ns_scaling_get_metric (sweep);
  if (!ns_quantity_has_log10 (metric.quantity) || metric.part != verdict->part)
    return NULL;
  for (guint v = 0; v < swept->variants->len; v++)
    {
      g_autofree char *title = NULL;
      g_autofree char *formula = NULL;
      NsLaw law;
      NsFit fit;

      if (!ns_metric_exists (&metric, swept, v) || !is_same (swept, v, verdict->experiment, verdict->variant))
        continue;
      ns_scaling_fit (sweep, v, &fit);
      law = ns_scaling_get_law_in_short (&fit);
      if (fit.status == NS_FIT_NOT_FINITE || law == NS_N_LAWS || !isfinite (fit.laws[law].slope.p))
        return NULL;
      title = ns_scaling_dup_metric_title (metric);
      formula = ns_scaling_dup_law (law, &fit.laws[law].slope, ns_scaling_get_letter (NS_SWEEP_DEPTH));
      return g_strdup_printf ("%s ∝ %s", title, formula);
    }
  return NULL;
}

/* ---- sentences ---- */

static char *
join_clauses (GPtrArray *clauses)
{
  g_ptr_array_add (clauses, NULL);
  /* Translators: between the clauses about one variant */
  return g_strjoinv (_ ("; "), (char **) clauses->pdata);
}

/* Append what happens to gradient and stream. Along an identity path alone the gradient does something else, so there
 * it is named as that of all paths. */
static void
add_trends (GPtrArray *clauses, const NsWiringVerdict *verdict)
{
  g_autofree char *gradient = ns_verdict_dup_gradient (verdict);

  if (gradient != NULL && !ns_verdict_lacks_gradient (verdict))
    take_linked_clause (clauses, verdict, NS_PAGE_OF_QUANTITY "grad_x",
                        has_path (verdict)
                            /* Translators: "the gradient ∂L/∂x grows to 2.8 times from block 12 to the input" */
                            ? g_strdup_printf (_ ("with the branches %s"), gradient)
                            : g_steal_pointer (&gradient));
  take_linked_clause (clauses, verdict, NS_PAGE_OF_QUANTITY "rms_x", ns_verdict_dup_stream (verdict));
}

/* Describe a part, without the full stop; NULL when nothing of it is measured. */
static char *
dup_part (const NsWiringVerdict *verdict, const NsSweep *sweep)
{
  g_autoptr (GPtrArray) clauses = g_ptr_array_new_with_free_func (g_free);
  gboolean collapse;
  g_autofree char *tokens = dup_tokens (verdict, &collapse);

  if (!verdict->overflows && ns_verdict_lacks_gradient (verdict))
    take_linked_clause (clauses, verdict, NS_PAGE_RANGE, ns_verdict_dup_gradient (verdict));
  take_linked_clause (clauses, verdict, NS_PAGE_OF_QUANTITY "identity", dup_path (verdict));
  if (collapse)
    take_linked_clause (clauses, verdict, NS_PAGE_OF_QUANTITY "token_cos", g_steal_pointer (&tokens));
  if (!verdict->overflows)
    add_trends (clauses, verdict);
  take_linked_clause (clauses, verdict, NS_PAGE_EXPONENT, dup_exponent (verdict, sweep));
  take_linked_clause (clauses, verdict, NS_PAGE_OF_QUANTITY "token_cos", g_steal_pointer (&tokens));
  return clauses->len > 0 ? join_clauses (clauses) : NULL;
}

static char *
dup_name (const NsExperiment *experiment, guint variant)
{
  gboolean is_equal;
  g_autofree char *name
      = ns_variant_dup_nearest_wiring (ns_experiment_variant (experiment, variant),
                                       experiment->shape.stack == NS_STACK_ENCODER_DECODER, &is_equal);

  /* Translators: the name of a wiring, "Pre-LN"; or the nearest one and what differs, "Post-LN, no FFN residual" */
  return g_strdup_printf (is_equal ? _ ("This is %s.") : _ ("Closest: %s."), name);
}

/* Append a sentence. Takes the text without full stop, which may be NULL. */
static void
append_sentence (GString *line, const char *prefix, char *text)
{
  g_autofree char *sentence = text;

  if (sentence != NULL)
    g_string_append_printf (line, "%s%s. ", prefix, sentence);
}

char *
ns_verdict_dup_marked (const NsResult *result, guint variant, const NsSweep *sweep)
{
  const NsExperiment *experiment;
  NsWiringVerdict verdict;
  g_autoptr (GString) line = g_string_new (NULL);
  g_autofree char *overflow = NULL;
  g_autofree char *name = NULL;
  gint64 n_parts;
  guint n_seeds, n_wanted;

  g_return_val_if_fail (result != NULL, NULL);
  experiment = ns_result_get_experiment (result);
  g_return_val_if_fail (variant < experiment->variants->len, NULL);

  n_parts = ns_experiment_get_n_parts (experiment);
  n_seeds = ns_result_get_n_seeds (result);
  n_wanted = (guint) experiment->sampling.seeds;
  overflow = ns_flow_dup_overflow (result, variant);
  verdict = (NsWiringVerdict){ result, experiment, variant, NS_PART_STACK, overflow != NULL, NAN };

  if (n_seeds < n_wanted)
    /* Translators: before the verdict, while the other seeds are computed */
    g_string_append_printf (line, _ ("From %u of %u seeds: "), n_seeds, n_wanted);
  if (overflow != NULL)
    append_sentence (line, "", ns_link_mark (NS_PAGE_RANGE, take_capitalized (g_steal_pointer (&overflow))));
  /* the decoder, which is at the loss, comes before the encoder */
  for (gint64 p = n_parts - 1; p >= 0; p--)
    {
      const char *prefix = n_parts == 1 ? "" : p > 0 ? _ ("Decoder: ") : _ ("Encoder, behind cross-attention: ");

      verdict.part = ns_experiment_get_part (experiment, p);
      verdict.log10_path = measure_at_input (&verdict, NS_Q_IDENTITY);
      append_sentence (line, prefix, dup_part (&verdict, sweep));
    }
  name = dup_name (experiment, variant);
  g_string_append (line, name);
  return g_string_free (g_steal_pointer (&line), FALSE);
}

char *
ns_verdict_dup (const NsResult *result, guint variant, const NsSweep *sweep)
{
  return ns_links_resolve (ns_verdict_dup_marked (result, variant, sweep), NULL);
}
