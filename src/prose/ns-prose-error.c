/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <glib/gi18n-lib.h>

#include "prose/ns-prose-private.h"

G_DEFINE_QUARK (ns-prose-error-quark, ns_prose_error)

void
ns_prose_set_error (GError **error, NsProseError code, const char *whole, const char *at, const char *format, ...)
{
  guint line = 1;
  const char *start = whole;
  g_autofree char *message = NULL;
  va_list args;

  for (const char *p = whole; p < at; p++)
    if (*p == '\n')
      {
        line++;
        start = p + 1;
      }
  va_start (args, format);
  message = g_strdup_vprintf (format, args);
  va_end (args);
  g_set_error (error, NS_PROSE_ERROR, code, _ ("line %u, column %ld: %s"), line,
               g_utf8_pointer_to_offset (start, at) + 1, message);
}
