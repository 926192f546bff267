/* Numbers in words.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "figures/ns-format.h"

#include "engine/experiment/ns-text.h"

#include <float.h>
#include <glib/gi18n-lib.h>
#include <math.h>

/* Plain decimals go down to 0.001; below, an exponent is easier to read than leading zeros. */
#define PLAIN_MIN_EXPONENT (-3)
#define RATIO_PLAIN_LOG10 4.0
/* From here on only the power of ten is written: the seeds differ by more than a mantissa would suggest. */
#define RATIO_BARE_LOG10 10.0
/* From here on a change is a factor: 0.3 % says less than 300. */
#define FACTOR_LOG10 2.0
/* "to a third" is within this part of it. */
#define FRACTION_TOLERANCE 0.05

/* Write the decimal sign of the language, as axes do, so that the numbers of one picture agree. */
static char *
format_fixed (double value, int decimals)
{
  char format[8], buffer[64];

  g_snprintf (format, sizeof format, "%%.%df", decimals);
  g_ascii_formatd (buffer, sizeof buffer, format, fabs (value));
  return ns_text_take_localized (g_strconcat (value < 0 ? "−" : "", buffer, NULL));
}

static void
append_superscript (GString *text, int exponent)
{
  char plain[16];

  g_snprintf (plain, sizeof plain, "%d", exponent);
  ns_text_append_superscript (text, plain);
}

static char *
format_nonfinite (double value)
{
  if (isnan (value))
    return g_strdup (_("NaN"));
  return g_strdup (value > 0 ? "+∞" : "−∞");
}

char *
ns_format_log10 (double log10_value, int digits)
{
  g_autoptr (GString) text = NULL;
  g_autofree char *plain = NULL;
  double mantissa;
  int exponent;

  g_return_val_if_fail (digits >= 1 && digits <= 15, NULL);

  if (isinf (log10_value) && log10_value < 0)
    return g_strdup ("0");
  if (!isfinite (log10_value))
    return format_nonfinite (log10_value);

  /* Round before choosing the exponent: 9.996 to three digits is 10.0. */
  exponent = (int) floor (log10_value);
  mantissa = round (pow (10, log10_value - exponent) * pow (10, digits - 1));
  if (mantissa >= pow (10, digits))
    {
      mantissa /= 10;
      exponent++;
    }
  mantissa /= pow (10, digits - 1);

  if (exponent >= PLAIN_MIN_EXPONENT && exponent < MAX (digits, 3))
    return format_fixed (mantissa * pow (10, exponent), MAX (digits - 1 - exponent, 0));

  plain = format_fixed (mantissa, digits - 1);
  text = g_string_new (plain);
  g_string_append (text, "·10");
  append_superscript (text, exponent);
  return g_string_free (g_steal_pointer (&text), FALSE);
}

char *
ns_format_ratio (double log10_ratio)
{
  double ratio = pow (10, log10_ratio);

  if (log10_ratio >= RATIO_BARE_LOG10)
    {
      GString *text = g_string_new ("10");

      append_superscript (text, (int) round (log10_ratio));
      return g_string_free (text, FALSE);
    }
  if (ratio < 9.95)
    return format_fixed (ratio, 1);
  if (log10_ratio < RATIO_PLAIN_LOG10)
    return format_fixed (ratio < 1000 ? ratio : 10 * round (ratio / 10), 0);
  return ns_format_log10 (log10_ratio, 2);
}

char *
ns_format_change (double log10_ratio)
{
  /* Translators: what a number falls or shrinks to */
  static const struct
  {
    int divisor;
    const char *words;
  } fractions[] = {
    { 2, N_("to half") },
    { 3, N_("to a third") },
    { 4, N_("to a quarter") },
    { 5, N_("to a fifth") },
    { 10, N_("to a tenth") },
  };
  g_autofree char *ratio = ns_format_ratio (fabs (log10_ratio));
  g_autofree char *percent = NULL;

  if (fabs (log10_ratio) >= FACTOR_LOG10)
    /* Translators: a large change: "falls by a factor of 280" */
    return g_strdup_printf (_("by a factor of %s"), ratio);
  if (log10_ratio > 0)
    /* Translators: a change: "rises to 3.4 times" */
    return g_strdup_printf (_("to %s times"), ratio);
  for (guint i = 0; i < G_N_ELEMENTS (fractions); i++)
    if (fabs (pow (10, log10_ratio) * fractions[i].divisor - 1) < FRACTION_TOLERANCE)
      return g_strdup (_(fractions[i].words));
  percent = ns_format_percent (pow (10, log10_ratio));
  /* Translators: a change: "falls to 28 %" */
  return g_strdup_printf (_("to %s"), percent);
}

char *
ns_format_cosine (double cosine)
{
  if (!isfinite (cosine))
    return format_nonfinite (cosine);
  /* Never round up to 1, which would say that the vectors are parallel. */
  if (cosine < 1 && cosine >= 0.9995)
    return ns_text_take_localized (g_strdup (">0.999"));
  return format_fixed (fabs (cosine) < 0.0005 ? 0 : cosine, 3); /* no -0.000 */
}

char *
ns_format_signed (double value, int digits)
{
  g_autofree char *number = ns_format_log10 (log10 (fabs (value)), digits);

  return isfinite (value) ? g_strconcat (value < 0 ? "−" : "", number, NULL) : format_nonfinite (value);
}

char *
ns_format_percent (double share)
{
  /* From 99.5 on three digits: "100", "131". */
  g_autofree char *number = ns_format_signed (100 * share, fabs (share) >= 0.995 ? 3 : 2);

  if (share != 0 && fabs (share) < 0.001)
    return ns_text_take_localized (g_strdup ("<0.1 %"));
  return isfinite (share) ? g_strconcat (number, " %", NULL) : g_steal_pointer (&number);
}

/* A denormal mean has lost digits that its logarithm still has; so has one that left the doubles at the top. */
static NsMeanKind
choose_mean (const NsStat *stat, NsMeanKind mean)
{
  gboolean is_held = isfinite (stat->mean) && fabs (stat->mean) >= DBL_MIN;

  if (mean == NS_MEAN_GEOMETRIC && isnan (stat->log10_mean) && isfinite (stat->mean))
    return NS_MEAN_ARITHMETIC;
  return is_held || isnan (stat->log10_mean) ? mean : NS_MEAN_GEOMETRIC;
}

double
ns_stat_get_log10 (const NsStat *stat, NsMeanKind mean)
{
  NsSummary summary = ns_stat_summarize (stat, choose_mean (stat, mean));

  return summary.kind == NS_MEAN_GEOMETRIC ? summary.center : log10 (summary.center);
}

/* "0 (1 of 8 seeds)": what one seed does to a mean is not what all do. */
static char *
take_with_seeds (char *number, const NsStat *stat, guint n_seeds)
{
  g_autofree char *owned = number;

  if (n_seeds == 0 || n_seeds == stat->n)
    return g_steal_pointer (&owned);
  /* Translators: "NaN (1 of 8 seeds)": a value that is no number, and with how many seeds */
  return g_strdup_printf (_("%s (%u of %u seeds)"), owned, n_seeds, stat->n);
}

char *
ns_format_stat_parts (const NsStat *stat, NsMeanKind mean, char **spread)
{
  NsSummary summary = ns_stat_summarize (stat, choose_mean (stat, mean));
  gboolean is_negative = summary.kind == NS_MEAN_ARITHMETIC && summary.center < 0;
  double center = summary.kind == NS_MEAN_GEOMETRIC ? summary.center : log10 (fabs (summary.center));
  g_autofree char *plain = ns_format_log10 (center, 3);
  g_autofree char *number = g_strconcat (is_negative && isfinite (center) ? "−" : "", plain, NULL);
  g_autofree char *width = NULL;

  *spread = NULL;
  if (stat->n_nonfinite > 0 && !isfinite (summary.center) && !(summary.center < 0))
    return take_with_seeds (g_steal_pointer (&number), stat, stat->n_nonfinite);
  if (isinf (center) && center < 0)
    return take_with_seeds (g_steal_pointer (&number), stat, stat->n_zero);
  if (stat->n < 2 || !isfinite (summary.spread))
    return g_steal_pointer (&number);
  if (summary.kind == NS_MEAN_GEOMETRIC)
    width = ns_format_log10 (summary.spread, summary.spread < 1 ? 3 : 2);
  else
    width = ns_format_log10 (log10 (summary.spread), 2);
  *spread = g_strconcat (summary.kind == NS_MEAN_GEOMETRIC ? "×/÷ " : "± ", width, NULL);
  return g_steal_pointer (&number);
}

char *
ns_format_stat (const NsStat *stat, NsMeanKind mean)
{
  g_autofree char *spread = NULL;
  g_autofree char *number = ns_format_stat_parts (stat, mean, &spread);

  return spread != NULL ? g_strconcat (number, " ", spread, NULL) : g_steal_pointer (&number);
}
