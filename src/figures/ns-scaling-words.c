/* The texts of the scaling figure: verdict, sentence, cells of a table.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/experiment/ns-settings.h"
#include "engine/experiment/ns-text.h"
#include "figures/ns-curve.h"
#include "figures/ns-format.h"
#include "figures/ns-links.h"
#include "figures/ns-scaling-private.h"

#include <glib/gi18n-lib.h>
#include <math.h>

#define NO_NUMBER "–"

/* ---- numbers ---- */

/* Write a typographic minus, and none before a value that rounds to 0. */
static char *
format_signed (double value, int decimals)
{
  char format[8], buffer[64];
  gboolean is_zero = fabs (value) < 0.5 * pow (10, -decimals);

  g_snprintf (format, sizeof format, "%%.%df", decimals);
  g_ascii_formatd (buffer, sizeof buffer, format, fabs (value));
  return ns_text_take_localized (g_strconcat (value < 0 && !is_zero ? "−" : "", buffer, NULL));
}

/* Return "L⁻⁰·⁴⁹". */
static char *
dup_power (const char *letter, const char *exponent)
{
  GString *power = g_string_new (letter);

  ns_text_append_superscript (power, exponent);
  return g_string_free (power, FALSE);
}

/* Return "−0.49" and in *error "0.03", with as many decimals as the interval is worth; NULL without an interval. */
static char *
dup_exponent_parts (const NsExponent *exponent, char **error)
{
  int decimals = 2;

  *error = NULL;
  if (!isfinite (exponent->p))
    return g_strdup (NO_NUMBER);
  if (!isfinite (exponent->error))
    return format_signed (exponent->p, decimals);
  /* A narrow interval gets more than two decimals, so that it never reads as 0. */
  while (decimals < 4 && exponent->error < 0.95 * pow (10, -decimals))
    decimals++;
  if (exponent->error < 0.00005)
    *error = ns_text_take_localized (g_strdup ("<0.0001"));
  else
    *error = format_signed (exponent->error, decimals);
  return format_signed (exponent->p, decimals);
}

char *
ns_scaling_dup_exponent (const NsExponent *exponent)
{
  g_autofree char *error = NULL;
  g_autofree char *p = dup_exponent_parts (exponent, &error);

  return error != NULL ? g_strdup_printf ("%s ± %s", p, error) : g_steal_pointer (&p);
}

char *
ns_scaling_dup_weight (double weight)
{
  if (!isfinite (weight))
    return g_strdup (NO_NUMBER);
  if (weight > 0.995)
    return ns_text_take_localized (g_strdup (">0.99"));
  if (weight < 0.005)
    return ns_text_take_localized (g_strdup ("<0.01"));
  return format_signed (weight, 2);
}

char *
ns_scaling_dup_percent (double relative_error)
{
  double percent = 100 * relative_error;
  g_autofree char *number = NULL;
  GString *text;

  if (isnan (percent))
    return g_strdup (NO_NUMBER);
  if (percent > 1000)
    number = g_strdup (">1000");
  else if (percent < 0.05)
    number = ns_text_take_localized (g_strdup ("<0.1"));
  else
    number = format_signed (percent, percent < 0.95 ? 1 : 0);
  text = g_string_new (NULL);
  /* Translators: a percentage */
  g_string_printf (text, _("%s %%"), number);
  /* A line may not end between number and sign. */
  g_string_replace (text, " ", "\302\240", 0);
  return g_string_free (text, FALSE);
}

const char *
ns_scaling_get_letter (NsSweepAxis axis)
{
  return axis == NS_SWEEP_DEPTH ? "L" : "d";
}

char *
ns_scaling_dup_law (const NsFit *fit, NsLaw law, const char *letter)
{
  g_autofree char *p = NULL;

  if (law != NS_LAW_POWER || !isfinite (fit->laws[law].p))
    return ns_law_dup_formula (law, letter);
  p = format_signed (fit->laws[law].p, 2);
  return dup_power (letter, p);
}

/* ---- titles ---- */

NsMetric
ns_scaling_get_metric (const NsSweep *sweep)
{
  NsMetric metric = ns_sweep_get_metric (sweep);

  if (metric.part == NS_PART_STACK && ns_experiment_get_n_parts (ns_sweep_get_experiment (sweep)) > 1)
    metric.part = NS_PART_DECODER;
  return metric;
}

static char *
dup_metric_text (NsMetric metric, const char *symbol)
{
  if (ns_quantity_is_of_head (metric.quantity) && ns_quantity_has_log10 (metric.quantity)
      && metric.where == NS_AT_SQUARES)
    return g_strdup_printf ("(%s)²", symbol);
  if (!ns_quantity_is_of_blocks (metric.quantity))
    return g_strdup (symbol);
  switch (metric.where)
    {
    case NS_AT_FIRST:
      /* Translators: %s is a formula such as ‖∂L/∂W₂‖, here and in the next ones */
      return g_strdup_printf (_("%s at the first block"), symbol);
    case NS_AT_MAX:
      return g_strdup_printf (_("largest %s of all blocks"), symbol);
    case NS_AT_TOTAL:
      return g_strdup_printf (_("total %s over all blocks"), symbol);
    case NS_AT_SQUARES:
      return g_strdup_printf (_("sum of %s² over all blocks"), symbol);
    case NS_AT_LAST:
    default:
      return g_strdup_printf (_("%s at the last block"), symbol);
    }
}

char *
ns_scaling_dup_metric_text (NsMetric metric, const char *symbol)
{
  g_autofree char *text = dup_metric_text (metric, symbol);

  if (metric.part == NS_PART_STACK || ns_quantity_is_of_head (metric.quantity))
    return g_steal_pointer (&text);
  /* Translators: %s is "‖∂L/∂W₂‖ at the first block" */
  return metric.part == NS_PART_ENCODER ? g_strdup_printf (_("encoder: %s"), text)
                                        : g_strdup_printf (_("decoder: %s"), text);
}

static const char *
get_where (NsWhere where)
{
  switch (where)
    {
    case NS_AT_FIRST:
      return _("first block");
    case NS_AT_MAX:
      return _("largest of all blocks");
    case NS_AT_TOTAL:
      return _("total over all blocks");
    case NS_AT_SQUARES:
      return _("sum of squares over all blocks");
    case NS_AT_LAST:
    default:
      return _("last block");
    }
}

char *
ns_scaling_dup_place (NsMetric metric, NsScalingView view)
{
  const char *places[4], **next = places;

  if (!ns_quantity_is_of_head (metric.quantity) && metric.part != NS_PART_STACK)
    *next++ = metric.part == NS_PART_ENCODER ? _("encoder") : _("decoder");
  if (ns_quantity_is_of_blocks (metric.quantity))
    *next++ = get_where (metric.where);
  if (view == NS_SCALING_RATIO)
    /* Translators: of one variant over another, in the title of a plot */
    *next++ = _("ratio");
  *next = NULL;
  return next > places ? g_strjoinv (", ", (char **) places) : NULL;
}

char *
ns_scaling_dup_metric_title (NsMetric metric)
{
  return ns_scaling_dup_metric_text (metric, ns_quantity_info (metric.quantity)->symbol);
}

/* ---- the verdict ---- */

static char *
dup_not_finite (const NsFit *fit, const char *letter)
{
  guint n_all = fit->n_points * fit->n_seeds, n_bad = fit->n_zero + fit->n_nonfinite;

  if (fit->n_zero == n_all)
    return g_strdup (_("no law: exactly 0 everywhere"));
  if (fit->n_nonfinite == n_all)
    return g_strdup (_("no law: not a finite number anywhere"));
  if (fit->n_nonfinite == 0)
    /* Translators: "exactly 0 at L = 32"; then how many values are 0, of how many */
    return g_strdup_printf (_("no law: exactly 0 at %s = %.0f (%u of %u values)"), letter, fit->first_bad, n_bad,
                            n_all);
  if (fit->n_zero == 0)
    return g_strdup_printf (_("no law: not a finite number at %s = %.0f (%u of %u values)"), letter,
                            fit->first_bad, n_bad, n_all);
  return g_strdup_printf (_("no law: zeros and values that are not finite from %s = %.0f on (%u of %u values)"), letter,
                          fit->first_bad, n_bad, n_all);
}

/* Return the reason why there is no closest law; NULL with NS_FIT_OK; caller frees. */
static char *
dup_reason_of_fit (const NsFit *fit, const char *letter)
{
  g_autofree char *best = NULL;
  g_autofree char *rival = NULL;

  switch (fit->status)
    {
    case NS_FIT_OK:
      return NULL;
    case NS_FIT_TOO_FEW_POINTS:
      return g_strdup_printf (g_dngettext (GETTEXT_PACKAGE,
                                           "too few points for a law: %u with %s ≥ 2, of at least 4",
                                           "too few points for a law: %u with %s ≥ 2, of at least 4", fit->n_points),
                              fit->n_points, letter);
    case NS_FIT_NOT_FINITE:
      return dup_not_finite (fit, letter);
    case NS_FIT_TOO_SHORT:
    default:
      best = ns_law_dup_formula (fit->best, letter);
      rival = ns_law_dup_formula (fit->rival, letter);
      /* Translators: the range of depths, then two laws: "cannot tell: L = 2 to 5 with 8 seeds does not separate √L
       * from ln L" */
      return g_strdup_printf (g_dngettext (GETTEXT_PACKAGE,
                                           "cannot tell: %s = %.0f to %.0f with %u seed does not separate %s from %s",
                                           "cannot tell: %s = %.0f to %.0f with %u seeds does not separate %s from %s",
                                           fit->n_seeds),
                              letter, fit->x_min, fit->x_max, fit->n_seeds, best, rival);
    }
}

static NsLaw
get_nearest_named (const NsFit *fit)
{
  NsLaw nearest = NS_LAW_CONSTANT;

  for (int law = 1; law < NS_LAW_POWER; law++)
    if (fit->laws[law].aicc < fit->laws[nearest].aicc)
      nearest = (NsLaw) law;
  return nearest;
}

static char *
dup_closest (const NsFit *fit, const char *letter)
{
  NsLaw named = get_nearest_named (fit);
  g_autofree char *formula = ns_law_dup_formula (named, letter);
  g_autofree char *off = ns_scaling_dup_percent (fit->laws[named].relative_error);
  g_autofree char *power = ns_scaling_dup_law (fit, NS_LAW_POWER, letter);
  g_autofree char *power_off = ns_scaling_dup_percent (fit->laws[NS_LAW_POWER].relative_error);

  if (fit->flat)
    /* Translators: the letter of the axis */
    return g_strdup_printf (_("flat: the same number at every %s"), letter);
  if (fit->best != NS_LAW_POWER)
    /* Translators: a law such as 1/√L and its relative error */
    return g_strdup_printf (_("closest law %s (off by %s)"), formula, off);
  /* Translators: a power such as L⁻⁰·²⁵ and its relative error, then a law such as 1/√L and its error */
  return g_strdup_printf (_("closest law %s (off by %s); closest named law %s (off by %s)"), power,
                          power_off, formula, off);
}

/* Describe a fit, without the full stop: "L⁻⁰·⁴⁹ (exponent ± 0.03); closest law 1/√L (weight 0.97, off by 2 %)"; caller
 * frees. */
static char *
dup_verdict (const NsFit *fit, const char *letter)
{
  g_autofree char *error = NULL;
  g_autofree char *exponent = dup_exponent_parts (&fit->exponent, &error);
  g_autofree char *power = dup_power (letter, exponent);
  g_autofree char *words = fit->status == NS_FIT_OK ? dup_closest (fit, letter) : dup_reason_of_fit (fit, letter);

  /* An exponent fitted to the remaining points would be read as that of the whole curve. */
  if (fit->flat || fit->status == NS_FIT_NOT_FINITE || !isfinite (fit->exponent.p))
    return g_steal_pointer (&words);
  if (error == NULL)
    return g_strdup_printf ("%s; %s", power, words);
  /* Translators: a power of the depth, half the interval of its exponent, and the closest law or why there is none */
  return g_strdup_printf (_("%s (exponent ± %s); %s"), power, error, words);
}

/* ---- the sentence ---- */

static char *
dup_line_of_curve (const NsSweep *sweep, const NsScalingCurve *curve)
{
  const NsQuantityInfo *info = ns_quantity_info (ns_sweep_get_metric (sweep).quantity);
  const char *letter = ns_scaling_get_letter (ns_sweep_get_axis (sweep)), *page;
  g_autofree char *name = ns_scaling_dup_name (sweep, curve);
  g_autofree char *verdict = NULL;
  g_autofree char *off = NULL;
  g_auto (NsScalingData) data = { 0 };
  NsFit fit;

  if (!ns_sweep_measures (sweep, curve->variant)
      || (curve->over < NS_MAX_VARIANTS && !ns_sweep_measures (sweep, curve->over)))
    return g_strdup_printf (_("%s: not measured, since the weights of a file fit one shape."), name);
  if (!ns_scaling_curve_exists (sweep, curve))
    {
      verdict = ns_link_mark_quantity (info->name, g_strdup_printf (_("has no %s"), info->symbol));
      return g_strdup_printf (_("%s: %s."), name, verdict);
    }
  data = ns_scaling_collect (sweep, curve);
  ns_scaling_fit_data (&data, &fit);
  page = fit.status == NS_FIT_NOT_FINITE ? NS_PAGE_RANGE : NS_PAGE_EXPONENT;
  verdict = ns_link_mark (page, dup_verdict (&fit, letter));
  if (curve->over == NS_MAX_VARIANTS || fit.status != NS_FIT_OK || fit.best == NS_LAW_SQRT)
    return g_strdup_printf (_("%s: %s."), name, verdict);
  /* Theory predicts √L for the ratio: report it even where it is not the closest law. */
  off = ns_scaling_dup_percent (fit.laws[NS_LAW_SQRT].relative_error);
  /* Translators: two variants, their verdict, the letter of the axis, a percentage */
  return g_strdup_printf (_("%s: %s; √%s is off by %s."), name, verdict, letter, off);
}

char *
ns_scaling_linked_sentence (const NsSweep *sweep, const NsScalingOptions *options, GArray **links)
{
  g_autoptr (GPtrArray) lines = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GArray) curves = NULL;
  guint n_complete, n_points;
  char *absence;

  g_return_val_if_fail (sweep != NULL && options != NULL, NULL);

  /* Count before the fits: points that arrive in between are then in the fits, and none is counted that they lack. */
  n_complete = ns_scaling_count_complete (sweep, &n_points);
  absence = ns_scaling_dup_absence (sweep, options);
  if (absence != NULL)
    return ns_links_resolve (absence, links);
  curves = ns_scaling_list_curves (sweep, options);
  for (guint c = 0; c < curves->len; c++)
    g_ptr_array_add (lines, dup_line_of_curve (sweep, &g_array_index (curves, NsScalingCurve, c)));
  if (options->predictions)
    g_ptr_array_add (lines, ns_scaling_dup_theory_line (sweep, options));
  if (n_complete < n_points)
    g_ptr_array_add (lines, options->stopped
                                ? g_strdup_printf (_("Stopped after %u of %u points."), n_complete, n_points)
                                : g_strdup_printf (_("%u of %u points so far."), n_complete, n_points));
  g_ptr_array_add (lines, NULL);
  return ns_links_resolve (g_strjoinv ("\n", (char **) lines->pdata), links);
}

/* ---- cells ---- */

void
ns_scaling_row_free (NsScalingRow *row)
{
  if (row == NULL)
    return;
  g_free (row->name);
  g_free (row->formula);
  g_free (row->weight);
  g_free (row->relative_error);
  g_free (row);
}

static NsScalingRow *
row_new (const NsSweep *sweep, const NsScalingCurve *curve, const NsFit *fit, NsLaw law)
{
  const NsLawFit *law_fit = &fit->laws[law];
  NsScalingRow *row = g_new0 (NsScalingRow, 1);

  row->variant = curve->over == NS_MAX_VARIANTS ? curve->variant : NS_MAX_VARIANTS;
  row->name = ns_scaling_dup_name (sweep, curve);
  row->law = law;
  row->formula = ns_scaling_dup_law (fit, law, ns_scaling_get_letter (ns_sweep_get_axis (sweep)));
  row->weight = ns_scaling_dup_weight (isnan (law_fit->aicc) ? NAN : law_fit->weight);
  row->relative_error = ns_scaling_dup_percent (law_fit->relative_error);
  row->is_best = fit->status == NS_FIT_OK && fit->best == law;
  return row;
}

/* Order the named laws by rising AICc, that is by falling weight even where weights underflow; the free power stays
 * last. */
static void
sort_laws (const NsFit *fit, NsLaw laws[NS_N_LAWS])
{
  for (int i = 0; i < NS_N_LAWS; i++)
    {
      int j = i;

      for (; i < NS_LAW_POWER && j > 0 && fit->laws[i].aicc < fit->laws[laws[j - 1]].aicc; j--)
        laws[j] = laws[j - 1];
      laws[j] = (NsLaw) i;
    }
}

GPtrArray *
ns_scaling_rows (const NsSweep *sweep, const NsScalingOptions *options)
{
  GPtrArray *rows = g_ptr_array_new_with_free_func ((GDestroyNotify) ns_scaling_row_free);
  g_autoptr (GArray) curves = NULL;

  g_return_val_if_fail (sweep != NULL && options != NULL, rows);

  curves = ns_scaling_list_curves (sweep, options);
  for (guint c = 0; c < curves->len; c++)
    {
      const NsScalingCurve *curve = &g_array_index (curves, NsScalingCurve, c);
      g_auto (NsScalingData) data = ns_scaling_collect (sweep, curve);
      NsLaw laws[NS_N_LAWS];
      NsFit fit;

      ns_scaling_fit_data (&data, &fit);
      sort_laws (&fit, laws);
      for (int i = 0; i < NS_N_LAWS; i++)
        g_ptr_array_add (rows, row_new (sweep, curve, &fit, laws[i]));
    }
  return rows;
}
