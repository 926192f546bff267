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

/* ---- titles ---- */

const char *
ns_scaling_get_letter (NsSweepAxis axis)
{
  return axis == NS_SWEEP_DEPTH ? "L" : "d";
}

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
  g_autofree char *off = NULL;
  g_autofree char *times = NULL;

  switch (fit->status)
    {
    case NS_FIT_OK:
      return NULL;
    case NS_FIT_TOO_FEW_POINTS:
      return g_strdup_printf (g_dngettext (GETTEXT_PACKAGE,
                                           "too few points for a law: %u with %s ≥ 2, of at least %d",
                                           "too few points for a law: %u with %s ≥ 2, of at least %d", fit->n_points),
                              fit->n_points, letter, NS_FIT_MIN_POINTS + (fit->n_points < NS_FIT_MIN_POINTS ? 0 : 1));
    case NS_FIT_NOT_FINITE:
      return dup_not_finite (fit, letter);
    case NS_FIT_NONE:
      best = ns_scaling_dup_law (fit->best, &fit->laws[fit->best].slope, letter);
      off = ns_scaling_dup_percent (fit->laws[fit->best].relative_error);
      times = ns_format_log10 (log10 (ns_fit_get_spread (fit, fit->best)), 2);
      /* Translators: a law such as √L, its relative error, and a number such as 4.7 */
      return g_strdup_printf (_("none of these laws fits: the closest, %s, is off by %s, %s standard deviations "
                                "of a seed"),
                              best, off, times);
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

static gboolean
is_exponential (NsLaw law)
{
  return law == NS_LAW_EXPONENTIAL || law == NS_LAW_STRETCHED;
}

/* Return "1/√L (off by 2 %)", "exponential (× 0.56 a block, 0.55 to 0.58; off by 3 %)"; `how` comes before the
 * parenthesis. Caller frees. */
static char *
dup_law_with_off (const NsFit *fit, NsLaw law, const char *how, const char *letter)
{
  const NsLawFit *law_fit = &fit->laws[law];
  g_autofree char *formula = law == NS_LAW_EXPONENTIAL ? ns_law_dup_formula (law, letter)
                                                       : ns_scaling_dup_law (law, &law_fit->slope, letter);
  g_autofree char *number
    = is_exponential (law) ? ns_scaling_dup_law_number (law, &law_fit->slope, letter) : NULL;
  g_autofree char *percent = ns_scaling_dup_percent (law_fit->relative_error);
  /* The weights take the depths of a seed for independent; the seeds' spread does not. */
  gboolean is_rejected = law == fit->best && law_fit->weight < 0.05 && !fit->deviates;
  g_autofree char *off
    = g_strdup_printf (is_rejected ? _("off by %s, within the seeds’ spread") : _("off by %s"), percent);

  return number != NULL ? g_strdup_printf ("%s%s (%s; %s)", formula, how, number, off)
                        : g_strdup_printf ("%s%s (%s)", formula, how, off);
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
  const char *how = "";
  g_autofree char *law = NULL;
  g_autofree char *named = NULL;

  if (fit->flat)
    /* Translators: the letter of the axis */
    return g_strdup_printf (_("flat: the same number at every %s"), letter);
  /* Translators: after a law such as 1/√L, which the data do not follow exactly, here and in the next one */
  if (fit->deviates && ns_law_fit_is_close (&fit->laws[fit->best]))
    how = _(", with a small significant deviation");
  else if (fit->deviates)
    how = _(", with a significant deviation within the seeds’ spread");
  law = dup_law_with_off (fit, fit->best, how, letter);
  if (fit->best != NS_LAW_POWER)
    /* Translators: "1/√L (off by 2 %)" */
    return g_strdup_printf (_("closest law %s"), law);
  named = dup_law_with_off (fit, get_nearest_named (fit), "", letter);
  /* Translators: "L⁻⁰·²⁵ (off by 2 %)", then "1/√L (off by 25 %)" */
  return g_strdup_printf (_("closest law %s; closest named law %s"), law, named);
}

/* Describe a fit, without the full stop: "L⁻⁰·⁴⁹ (exponent ± 0.03); closest law 1/√L (off by 2 %)"; caller frees. */
static char *
dup_verdict (const NsFit *fit, const char *letter)
{
  g_autoptr (GPtrArray) clauses = g_ptr_array_new_with_free_func (g_free);
  g_autofree char *error = NULL;
  g_autofree char *exponent = ns_scaling_dup_exponent_parts (&fit->exponent, &error);
  g_autofree char *power = ns_scaling_dup_power (letter, exponent);

  /* An exponent fitted to the remaining points would be read as that of the whole curve, and one of an exponential as
   * its law. */
  if (!fit->flat && fit->status != NS_FIT_NOT_FINITE && isfinite (fit->exponent.p)
      && ns_scaling_get_law_in_short (fit) == NS_LAW_POWER)
    g_ptr_array_add (clauses, error == NULL ? g_strdup (power)
                                            /* Translators: a power of the depth, half the interval of its exponent */
                                            : g_strdup_printf (_("%s (exponent ± %s)"), power, error));
  g_ptr_array_add (clauses, fit->status == NS_FIT_OK ? dup_closest (fit, letter) : dup_reason_of_fit (fit, letter));
  g_ptr_array_add (clauses, NULL);
  /* Translators: between the clauses about one variant */
  return g_strjoinv (_("; "), (char **) clauses->pdata);
}

NsLaw
ns_scaling_get_law_in_short (const NsFit *fit)
{
  NsLaw law = fit->status == NS_FIT_OK && is_exponential (fit->best) ? fit->best : NS_LAW_POWER;

  return fit->status == NS_FIT_OK || ns_fit_allows (fit, law) ? law : NS_N_LAWS;
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
  if (curve->over == NS_MAX_VARIANTS || (fit.status != NS_FIT_OK && fit.status != NS_FIT_NONE)
      || fit.best == NS_LAW_SQRT)
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
  row->formula = ns_scaling_dup_law (law, &law_fit->slope, ns_scaling_get_letter (ns_sweep_get_axis (sweep)));
  row->weight = ns_scaling_dup_weight (isnan (law_fit->aicc) ? NAN : law_fit->weight);
  row->relative_error = ns_scaling_dup_percent (law_fit->relative_error);
  row->is_best = fit->status == NS_FIT_OK && fit->best == law;
  return row;
}

/* Order the named laws, and then those with a free number, by rising AICc, that is by falling weight even where weights
 * underflow. */
static void
sort_laws (const NsFit *fit, NsLaw laws[NS_N_LAWS])
{
  for (int i = 0; i < NS_N_LAWS; i++)
    {
      int j = i, first = i < NS_LAW_POWER ? 0 : NS_LAW_POWER;

      for (; j > first && fit->laws[i].aicc < fit->laws[laws[j - 1]].aicc; j--)
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
