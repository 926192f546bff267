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
#include "figures/ns-trend.h"

#include <glib/gi18n-lib.h>
#include <math.h>

/* A path that changes the gradient by less than this ratio leaves it unchanged. */
#define UNCHANGED_RATIO 1.0005

typedef struct
{
  const NsResult *result;
  const NsExperiment *experiment;
  guint variant;
  NsPart part;
  gboolean overflows; /* in some seed */
  double log10_path;  /* of the identity path at the part's input; -INFINITY: there is none; NAN: not measured */
} Verdict;

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
take_linked_clause (GPtrArray *clauses, const Verdict *verdict, const char *page, char *clause)
{
  if (clause == NULL)
    return;
  if (clauses->len == 0 && verdict->part == NS_PART_STACK)
    clause = take_capitalized (clause);
  g_ptr_array_add (clauses, ns_link_mark (page, clause));
}

/* ---- the identity path ---- */

/* Return the mean over the seeds that reached the backward pass of log10 ‖ι_0‖/‖∂L/∂x_L‖; NAN without one. */
static double
measure_path (const Verdict *verdict)
{
  gint64 site = ns_experiment_get_site (verdict->experiment, verdict->part, 0);
  double sum = 0;
  guint n = 0;

  for (guint s = 0; s < ns_result_get_n_seeds (verdict->result); s++)
    {
      double log10_value;

      if (!ns_result_get_value (verdict->result, verdict->variant, NS_Q_IDENTITY, site, s, NULL, &log10_value)
          || isnan (log10_value))
        continue;
      sum += log10_value;
      n++;
    }
  return n > 0 ? sum / n : NAN;
}

/* Name the sub-layers whose residual carries nothing, from first to last; NULL when there is none. */
static const char *
get_cut (const Verdict *verdict)
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

/* The encoder has no loss of its own. */
static char *
dup_path (const Verdict *verdict)
{
  gboolean is_encoder = verdict->part == NS_PART_ENCODER;
  double size = verdict->log10_path;
  g_autofree char *number = NULL;
  const char *cut;

  if (isnan (size))
    return NULL;
  if (isinf (size) && size < 0)
    {
      cut = get_cut (verdict);
      /* Translators: the sub-layers: "the attention", "attention and FFN" */
      return cut != NULL ? g_strdup_printf (_ ("no identity path: every path passes %s"), cut)
                         : g_strdup (_ ("the identity path carries nothing to the input"));
    }
  if (fabs (size) < log10 (UNCHANGED_RATIO))
    return g_strdup (is_encoder ? _ ("an identity path carries the gradient from its end to its input unchanged")
                                : _ ("an identity path carries the loss gradient to the input unchanged"));
  if (fabs (size) < log10 (NS_FLAT_RATIO))
    {
      number = ns_format_log10 (size, 2);
      /* Translators: %s is the factor, "0.97" */
      return g_strdup_printf (is_encoder ? _ ("an identity path carries the gradient from its end to its input almost "
                                              "unchanged (%s)")
                                         : _ ("an identity path carries the loss gradient to the input almost "
                                              "unchanged (%s)"),
                              number);
    }
  number = ns_format_ratio (fabs (size));
  /* Translators: a ratio, "4.1:1" */
  if (size < 0)
    return g_strdup_printf (is_encoder ? _ ("an identity path carries the gradient from its end to its input, shrunk "
                                            "%s:1")
                                       : _ ("an identity path carries the loss gradient to the input, shrunk %s:1"),
                            number);
  return g_strdup_printf (is_encoder ? _ ("an identity path carries the gradient from its end to its input, grown %s:1")
                                     : _ ("an identity path carries the loss gradient to the input, grown %s:1"),
                          number);
}

/* ---- trends ---- */

static NsTrend
measure_trend (const Verdict *verdict, NsQuantity quantity)
{
  NsTrendSource source = { .result = verdict->result,
                           .variant = verdict->variant,
                           .quantity = quantity,
                           .mean = NS_MEAN_GEOMETRIC,
                           .n_seeds = ns_result_get_n_seeds (verdict->result) };

  return ns_trend_measure (&source, verdict->part);
}

/* The words for what the curve of a quantity does, each with the ratio or the blocks at %s. */
typedef struct
{
  const char *flat, *within_seeds, *toward_loss_up, *toward_loss_down, *peak, *low, *zero, *infinite, *nan;
} Words;

/* The gradient runs from the loss to the input. */
static const Words gradient_words = {
  N_ ("gradient flat"),
  N_ ("gradient flat within the spread of the seeds"),
  N_ ("gradient shrinks %s:1 toward the input"),
  N_ ("gradient grows %s:1 toward the input"),
  N_ ("gradient peaks in block %d, %s:1"),
  N_ ("gradient has a low in block %d, 1:%s"),
  N_ ("gradient exactly 0 in %s"),
  N_ ("gradient infinite in %s"),
  N_ ("gradient not a number in %s"),
};

static const Words stream_words = {
  N_ ("stream flat"),
  N_ ("stream flat within the spread of the seeds"),
  N_ ("stream grows %s:1 toward the loss"),
  N_ ("stream shrinks %s:1 toward the loss"),
  N_ ("stream peaks in block %d, %s:1"),
  N_ ("stream has a low in block %d, 1:%s"),
  N_ ("stream exactly 0 in %s"),
  N_ ("stream infinite in %s"),
  N_ ("stream not a number in %s"),
};

static gboolean
is_bad (const NsTrend *trend)
{
  return trend->kind == NS_TREND_NOT_FINITE || trend->kind == NS_TREND_ZERO;
}

static char *
dup_trend_in_words (const NsTrend *trend, gint64 depth, const Words *words)
{
  double drift = trend->last_log10 - trend->first_log10, turn;
  g_autofree char *text = NULL;

  switch (trend->kind)
    {
    case NS_TREND_NOT_FINITE:
      text = ns_trend_dup_blocks (trend, depth);
      return g_strdup_printf (_ (trend->is_inf ? words->infinite : words->nan), text);
    case NS_TREND_ZERO:
      text = ns_trend_dup_blocks (trend, depth);
      return g_strdup_printf (_ (words->zero), text);
    case NS_TREND_FLAT:
      return g_strdup (_ (words->flat));
    case NS_TREND_WITHIN_SEEDS:
      return g_strdup (_ (words->within_seeds));
    case NS_TREND_DRIFTS:
      text = ns_format_ratio (fabs (drift));
      return g_strdup_printf (_ (drift > 0 ? words->toward_loss_up : words->toward_loss_down), text);
    case NS_TREND_PEAK:
    case NS_TREND_LOW:
      /* to the end that is further away */
      turn = MAX (fabs (trend->turn_log10 - trend->first_log10), fabs (trend->turn_log10 - trend->last_log10));
      text = ns_format_ratio (turn);
      return g_strdup_printf (_ (trend->kind == NS_TREND_PEAK ? words->peak : words->low), (int) trend->turn, text);
    case NS_TREND_ABSENT:
    case NS_TREND_SINGLE:
    default:
      return NULL;
    }
}

/* ---- tokens ---- */

/* Without an identity path also say that the tokens stay distinct. */
static char *
dup_tokens (const Verdict *verdict, gboolean *collapse)
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

/* Return "‖∂L/∂W₂‖ at the last block ∝ L⁻⁰·⁴⁹" of a sweep that fits the part. */
static char *
dup_exponent (const Verdict *verdict, const NsSweep *sweep)
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
      g_autofree char *power = NULL;
      NsFit fit;

      if (!ns_metric_exists (&metric, swept, v) || !is_same (swept, v, verdict->experiment, verdict->variant))
        continue;
      ns_scaling_fit (sweep, v, &fit);
      if (fit.status == NS_FIT_NOT_FINITE || !isfinite (fit.laws[NS_LAW_POWER].p))
        return NULL;
      title = ns_scaling_dup_metric_title (metric);
      power = ns_scaling_dup_law (&fit, NS_LAW_POWER, ns_scaling_get_letter (NS_SWEEP_DEPTH));
      return g_strdup_printf ("%s ∝ %s", title, power);
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

/* Append what happens to gradient and stream. */
static void
add_trends (GPtrArray *clauses, const Verdict *verdict, const NsTrend *gradient, const NsTrend *stream)
{
  gint64 depth = ns_experiment_get_depth (verdict->experiment, verdict->part);
  g_autofree char *first = is_bad (gradient) ? NULL : dup_trend_in_words (gradient, depth, &gradient_words);
  g_autofree char *second = dup_trend_in_words (stream, depth, &stream_words);

  take_linked_clause (clauses, verdict, NS_PAGE_OF_QUANTITY "grad_x", g_steal_pointer (&first));
  take_linked_clause (clauses, verdict, NS_PAGE_OF_QUANTITY "rms_x", g_steal_pointer (&second));
}

/* Describe a part, without the full stop; NULL when nothing of it is measured. */
static char *
dup_part (const Verdict *verdict, const NsSweep *sweep)
{
  g_autoptr (GPtrArray) clauses = g_ptr_array_new_with_free_func (g_free);
  NsTrend gradient = measure_trend (verdict, NS_Q_GRAD_X), stream = measure_trend (verdict, NS_Q_RMS_X);
  gboolean collapse;
  g_autofree char *tokens = dup_tokens (verdict, &collapse);

  if (!verdict->overflows && is_bad (&gradient))
    take_linked_clause (
        clauses, verdict, NS_PAGE_RANGE,
        dup_trend_in_words (&gradient, ns_experiment_get_depth (verdict->experiment, verdict->part), &gradient_words));
  take_linked_clause (clauses, verdict, NS_PAGE_OF_QUANTITY "identity", dup_path (verdict));
  if (collapse)
    take_linked_clause (clauses, verdict, NS_PAGE_OF_QUANTITY "token_cos", g_steal_pointer (&tokens));
  if (!verdict->overflows)
    add_trends (clauses, verdict, &gradient, &stream);
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
  Verdict verdict;
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
  verdict = (Verdict){ result, experiment, variant, NS_PART_STACK, overflow != NULL, NAN };

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
      verdict.log10_path = measure_path (&verdict);
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
