/* Format numbers and quote text for messages and files.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/experiment/ns-text.h"

#include <math.h>
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
