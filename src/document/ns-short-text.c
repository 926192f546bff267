/* Shorten text from untrusted files for error messages.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "document/ns-short-text.h"

#include "document/ns-file.h"
#include "engine/experiment/ns-text.h"

char *
ns_short_text (const char *text, gsize max_characters)
{
  return ns_text_dup_short (text, max_characters);
}

gboolean
ns_short_refuse (GError **error, gsize max_characters, const char *format, ...)
{
  g_autofree char *text = NULL;
  g_autofree char *message = NULL;
  va_list args;

  va_start (args, format);
  text = g_strdup_vprintf (format, args);
  va_end (args);
  message = ns_short_text (text, max_characters);
  g_set_error_literal (error, NS_DOCUMENT_ERROR, NS_DOCUMENT_ERROR_INPUT, message);
  return FALSE;
}
