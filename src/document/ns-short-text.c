/* Texts of unknown length in messages.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "document/ns-short-text.h"

char *
ns_short_text (const char *text, gsize max_characters)
{
  const char *end = text;

  for (gsize i = 0; i < max_characters && *end != '\0'; i++)
    end = g_utf8_next_char (end);
  return *end == '\0' ? g_strdup (text) : g_strdup_printf ("%.*s…", (int) (end - text), text);
}
