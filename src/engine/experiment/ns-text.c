/* Format numbers and quote text for messages and files.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/experiment/ns-text.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The most characters of a user's text that an error message quotes. */
#define MAX_QUOTED 60

char *
ns_format_number (char buffer[NS_NUMBER_SIZE], double value)
{
  if (!isfinite (value))
    {
      g_strlcpy (buffer, isnan (value) ? "nan" : value > 0 ? "inf" : "-inf", NS_NUMBER_SIZE);
      return buffer;
    }
  for (int digits = 15; digits <= 17; digits++)
    {
      char format[8];

      g_snprintf (format, sizeof format, "%%.%dg", digits);
      g_ascii_formatd (buffer, NS_NUMBER_SIZE, format, value);
      if (g_ascii_strtod (buffer, NULL) == value)
        break;
    }
  return buffer;
}

char *
ns_dup_number (double value)
{
  char buffer[NS_NUMBER_SIZE];

  return g_strdup (ns_format_number (buffer, value));
}

char *
ns_text_take_localized (char *number)
{
  /* Translators: the sign between a number's whole part and its decimals */
  const char *sign = C_ ("decimal sign", ".");
  GString *text;

  if (strcmp (sign, ".") == 0 || strchr (number, '.') == NULL)
    return number;
  text = g_string_new (number);
  g_string_replace (text, ".", sign, 0);
  g_free (number);
  return g_string_free (text, FALSE);
}

void
ns_text_append_superscript (GString *text, const char *number)
{
  static const char *const digits[] = { "⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹" };

  for (const char *c = number; *c != '\0'; c = g_utf8_next_char (c))
    if (g_ascii_isdigit (*c))
      g_string_append (text, digits[*c - '0']);
    else if (*c == '.' || *c == ',')
      /* Unicode has no other raised point. */
      g_string_append (text, "·");
    else
      g_string_append (text, "⁻");
}

char *
ns_text_dup_typeset_number (const char *number)
{
  g_auto (GStrv) parts = g_strsplit (number, "e", 2);
  gboolean is_negative = parts[0] != NULL && parts[0][0] == '-';
  const char *mantissa = parts[0] != NULL ? parts[0] + is_negative : "";
  GString *text = g_string_new (is_negative ? "−" : "");
  g_autofree char *exponent = NULL;

  if (parts[0] == NULL || parts[1] == NULL)
    {
      g_string_append (text, mantissa);
      return ns_text_take_localized (g_string_free (text, FALSE));
    }
  if (strcmp (mantissa, "1") != 0)
    g_string_append_printf (text, "%s·", mantissa);
  g_string_append (text, "10");
  /* As a number, without the sign and the zeros that printf adds. */
  exponent = g_strdup_printf ("%d", atoi (parts[1]));
  ns_text_append_superscript (text, exponent);
  return ns_text_take_localized (g_string_free (text, FALSE));
}

char *
ns_quote_text (const char *text)
{
  g_autofree char *valid = g_utf8_make_valid (text, strnlen (text, MAX_QUOTED * 6));

  /* Messages are one line. */
  g_strdelimit (valid, "\n\r", ' ');
  if (g_utf8_strlen (valid, -1) <= MAX_QUOTED)
    return g_strdup_printf ("\"%s\"", valid);

  g_autofree char *head = g_utf8_substring (valid, 0, MAX_QUOTED);
  return g_strdup_printf ("\"%s…\"", head);
}
