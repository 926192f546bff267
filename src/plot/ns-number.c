/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "plot/ns-number.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

/* Replace a leading hyphen by a minus sign, which is as wide as a digit and visible from the last row. */
static char *
with_minus (const char *number)
{
  return number[0] == '-' ? g_strconcat ("\u2212", number + 1, NULL) : g_strdup (number);
}

/* Format in the C locale. */
static char *
format_fixed (double value, int decimals)
{
  char buffer[G_ASCII_DTOSTR_BUF_SIZE + 330];
  char format[16];

  g_snprintf (format, sizeof format, "%%.%df", CLAMP (decimals, 0, 17));
  g_ascii_formatd (buffer, sizeof buffer, format, value);
  return with_minus (buffer);
}

/* Replace the point by the decimal sign of the language, so that ticks and sentences agree. */
static char *
localize (const char *number)
{
  GString *text = g_string_new (number);

  /* Translators: the sign between a number's whole part and its decimals */
  g_string_replace (text, ".", C_ ("decimal sign", "."), 0);
  return g_string_free (text, FALSE);
}

char *
ns_number_format_fixed (double value, int decimals)
{
  g_autofree char *number = format_fixed (value, decimals);

  return localize (number);
}

char *
ns_number_format_power (const char *mantissa, int exponent)
{
  g_autofree char *digits = g_strdup_printf ("%d", exponent);
  g_autofree char *power = with_minus (digits);

  if (mantissa == NULL)
    return g_strdup_printf ("10<sup>%s</sup>", power);
  return g_strdup_printf ("%s·10<sup>%s</sup>", mantissa, power);
}

static void
strip_zeros (char *number)
{
  char *end;

  if (strchr (number, '.') == NULL)
    return;
  end = number + strlen (number) - 1;
  while (*end == '0')
    *end-- = '\0';
  if (*end == '.')
    *end = '\0';
}

/* Format mantissa · 10^exponent, 1 <= mantissa < 10. */
static char *
format_parts (double mantissa, int exponent, int digits)
{
  g_autofree char *number = NULL;
  g_autofree char *localized = NULL;
  double unit;

  digits = CLAMP (digits, 1, 15);
  unit = pow (10.0, digits - 1);
  mantissa = round (mantissa * unit) / unit;
  if (mantissa >= 10.0)
    {
      mantissa /= 10.0;
      exponent++;
    }

  if (exponent >= NS_NUMBER_PLAIN_MIN && exponent <= NS_NUMBER_PLAIN_MAX)
    {
      number = format_fixed (mantissa * pow (10.0, exponent), MAX (0, digits - 1 - exponent));
      strip_zeros (number);
      return localize (number);
    }
  number = format_fixed (mantissa, digits - 1);
  strip_zeros (number);
  localized = localize (number);
  return ns_number_format_power (mantissa == 1.0 ? NULL : localized, exponent);
}

int
ns_compare_doubles (gconstpointer a, gconstpointer b)
{
  double left = *(const double *) a, right = *(const double *) b;

  return (left > right) - (left < right);
}

char *
ns_log10_to_markup (double log10_value, int digits)
{
  double exponent;

  if (isnan (log10_value))
    return g_strdup ("NaN");
  if (isinf (log10_value))
    return g_strdup (log10_value > 0 ? "∞" : "0");
  exponent = CLAMP (floor (log10_value), -1e9, 1e9);
  return format_parts (pow (10.0, log10_value - exponent), (int) exponent, digits);
}
