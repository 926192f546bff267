/* Numbers as text that reads back to the same value, in the C locale.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "document/ns-decimal.h"

#include <math.h>

char *
ns_decimal_format (char buffer[NS_DECIMAL_SIZE], double value)
{
  if (!isfinite (value))
    {
      g_strlcpy (buffer, isnan (value) ? "nan" : value > 0 ? "inf" : "-inf", NS_DECIMAL_SIZE);
      return buffer;
    }
  for (int digits = 15; digits <= 17; digits++)
    {
      char format[8];

      g_snprintf (format, sizeof format, "%%.%dg", digits);
      g_ascii_formatd (buffer, NS_DECIMAL_SIZE, format, value);
      if (g_ascii_strtod (buffer, NULL) == value)
        break;
    }
  return buffer;
}
