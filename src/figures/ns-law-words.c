/* Laws and their numbers in words.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "figures/ns-law-words.h"

#include "engine/experiment/ns-text.h"
#include "figures/ns-format.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

#define NO_NUMBER "–"
#define LAMBDA_DIGITS 3
/* Of a factor near 1, so that its change has two digits. */
#define MAX_DECIMALS 6

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

char *
ns_scaling_dup_exponent_parts (const NsExponent *exponent, char **error)
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
  g_autofree char *p = ns_scaling_dup_exponent_parts (exponent, &error);

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

/* ---- laws ---- */

/* Return a letter as a superscript. */
static const char *
get_raised (const char *letter)
{
  if (strcmp (letter, "d") == 0)
    return "ᵈ";
  return strcmp (letter, "l") == 0 ? "ˡ" : "ᴸ";
}

/* Return the decimals of a factor whose change is of the size of `change`, or finer, so that `error` is not 0. */
static int
get_decimals_of_factor (double change, double error)
{
  int decimals = 2;

  while (decimals < MAX_DECIMALS && fabs (change) < 0.95 * pow (10, 1 - decimals))
    decimals++;
  while (decimals < MAX_DECIMALS && error < 0.95 * pow (10, -decimals))
    decimals++;
  return decimals;
}

/* Format a positive factor. */
static char *
format_factor (double factor, int decimals)
{
  if (factor < 0.01 || factor >= 100)
    return ns_format_log10 (log10 (factor), LAMBDA_DIGITS);
  return format_signed (factor, decimals);
}

char *
ns_scaling_dup_power (const char *letter, const char *exponent)
{
  GString *power = g_string_new (letter);

  ns_text_append_superscript (power, exponent);
  return g_string_free (power, FALSE);
}

char *
ns_scaling_dup_law (NsLaw law, const NsExponent *slope, const char *letter)
{
  g_autofree char *number = NULL;
  double value, from, to;

  ns_law_get_number (law, slope, &value, &from, &to);
  if (!isfinite (value))
    return ns_law_dup_formula (law, letter);
  if (law == NS_LAW_EXPONENTIAL)
    {
      number = format_factor (value, get_decimals_of_factor (value - 1, INFINITY));
      return g_strconcat (number, get_raised (letter), NULL);
    }
  if (law == NS_LAW_STRETCHED)
    {
      number = ns_format_log10 (log10 (value), 2);
      return g_strdup_printf ("exp(%s√(%s/%s))", slope->p < 0 ? "−" : "", letter, number);
    }
  number = format_signed (value, 2);
  return ns_scaling_dup_power (letter, number);
}

char *
ns_scaling_dup_law_number (NsLaw law, const NsExponent *slope, const char *letter)
{
  g_autofree char *number = NULL, *low = NULL, *high = NULL, *text = NULL;
  double value, from, to;
  int decimals;

  ns_law_get_number (law, slope, &value, &from, &to);
  if (law == NS_LAW_POWER)
    {
      number = ns_scaling_dup_exponent (slope);
      return g_strdup_printf (_("exponent %s"), number);
    }
  if (law == NS_LAW_EXPONENTIAL)
    {
      decimals = get_decimals_of_factor (value - 1, isnan (from) ? INFINITY : (to - from) / 2);
      number = format_factor (value, decimals);
      low = format_factor (from, decimals);
      high = format_factor (to, decimals);
      /* Translators: a factor: "× 0.56 a block" */
      text = strcmp (letter, "d") == 0 ? g_strdup_printf (_("× %s for each unit of d"), number)
                                       : g_strdup_printf (_("× %s a block"), number);
    }
  else
    {
      number = ns_format_log10 (log10 (value), LAMBDA_DIGITS);
      low = ns_format_log10 (log10 (from), LAMBDA_DIGITS);
      high = ns_format_log10 (log10 (to), LAMBDA_DIGITS);
      text = g_strdup_printf ("λ = %s", number);
    }
  if (isnan (from))
    return g_steal_pointer (&text);
  /* Translators: "× 0.56 a block" or "λ = 12.3", then the ends of the interval */
  return g_strdup_printf (_("%s, %s to %s"), text, low, high);
}
