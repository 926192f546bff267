/* Format numbers and quote text for messages and files.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/experiment/ns-text.h"

#include "engine/experiment/ns-settings.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Of a shortened text, one character in this many is from its end. */
#define END_SHARE 4

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

gboolean
ns_text_is_control (gunichar c)
{
  return g_unichar_iscntrl (c) || c == 0x2028 || c == 0x2029 || (c >= 0x202a && c <= 0x202e)
         || (c >= 0x2066 && c <= 0x2069) || (c >= 0xfdd0 && c <= 0xfdef) || (c & 0xfffe) == 0xfffe;
}

gboolean
ns_text_is_line (const char *text)
{
  if (*text == '\0' || !g_utf8_validate (text, -1, NULL))
    return FALSE;
  for (const char *p = text; *p != '\0'; p = g_utf8_next_char (p))
    if (ns_text_is_control (g_utf8_get_char (p)))
      return FALSE;
  return TRUE;
}

static char *
dup_printable (const char *text, gunichar allowed)
{
  GString *out = g_string_new (NULL);

  for (const char *p = text; *p != '\0'; p = g_utf8_next_char (p))
    {
      gunichar c = g_utf8_get_char (p);

      g_string_append_unichar (out, ns_text_is_control (c) && c != allowed ? 0xfffd : c);
    }
  return g_string_free (out, FALSE);
}

char *
ns_text_dup_printable (const char *text)
{
  return dup_printable (text, '\n');
}

char *
ns_text_dup_line (const char *text)
{
  return dup_printable (text, '\0');
}

char *
ns_text_dup_name (const char *text)
{
  GString *out = g_string_new (NULL);

  for (const char *p = text; *p != '\0' && out->len + 6 <= NS_MAX_NAME_BYTES / 2; p = g_utf8_next_char (p))
    {
      gunichar c = g_utf8_get_char (p);

      /* White space such as a tab or a line break separates words. */
      if (g_unichar_isspace (c))
        g_string_append_c (out, ' ');
      else if (!ns_text_is_control (c))
        g_string_append_unichar (out, c);
    }
  return g_strstrip (g_string_free (out, FALSE));
}

static void
append_escaped (GString *out, const char *from, const char *to)
{
  for (const char *p = from; p < to; p = g_utf8_next_char (p))
    {
      gunichar c = g_utf8_get_char (p);

      if (c == '\n')
        g_string_append (out, "\\n");
      else if (c == '\t')
        g_string_append (out, "\\t");
      else if (ns_text_is_control (c))
        g_string_append_printf (out, "\\u%04x", c);
      else
        g_string_append_unichar (out, c);
    }
}

char *
ns_text_dup_short (const char *text, gsize max)
{
  g_autofree char *valid = g_utf8_make_valid (text, -1);
  const char *end = valid + strlen (valid);
  gsize length = (gsize) g_utf8_strlen (valid, -1);
  GString *out = g_string_new (NULL);

  if (length <= max)
    append_escaped (out, valid, end);
  else
    {
      gsize tail = max / END_SHARE;

      append_escaped (out, valid, g_utf8_offset_to_pointer (valid, (glong) (max - tail)));
      g_string_append (out, "…");
      append_escaped (out, g_utf8_offset_to_pointer (end, -(glong) tail), end);
      /* Translators: follows the beginning and the end of a text that is too long for a message */
      g_string_append_printf (out, _ (" (%zu characters)"), length);
    }
  return g_string_free (out, FALSE);
}

char *
ns_quote_text (const char *text)
{
  g_autofree char *shortened = ns_text_dup_short (text, NS_TEXT_MAX_VALUE);

  return g_strdup_printf ("\"%s\"", shortened);
}
