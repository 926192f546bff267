/* A streaming writer of JSON text.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "document/ns-json-writer.h"

#include "engine/experiment/ns-text.h"

#include <math.h>
#include <string.h>

void
ns_json_writer_init (NsJsonWriter *writer)
{
  writer->out = g_string_new (NULL);
  writer->level = 0;
  writer->compact_level = G_MAXUINT;
  writer->first = TRUE;
  writer->tight = FALSE;
}

GBytes *
ns_json_writer_finish (NsJsonWriter *writer)
{
  g_string_append_c (writer->out, '\n');
  return g_string_free_to_bytes (g_steal_pointer (&writer->out));
}

char *
ns_json_writer_finish_text (NsJsonWriter *writer)
{
  return g_string_free (g_steal_pointer (&writer->out), FALSE);
}

static void
append_quoted (GString *out, const char *text)
{
  /* The name of a file can be any bytes. */
  g_autofree char *valid = g_utf8_validate (text, -1, NULL) ? NULL : g_utf8_make_valid (text, -1);

  g_string_append_c (out, '"');
  for (const char *p = valid != NULL ? valid : text; *p != '\0'; p = g_utf8_next_char (p))
    {
      gunichar c = g_utf8_get_char (p);

      switch (c)
        {
        case '"':
        case '\\':
          g_string_append_c (out, '\\');
          g_string_append_unichar (out, c);
          break;
        case '\n':
          g_string_append (out, "\\n");
          break;
        case '\t':
          g_string_append (out, "\\t");
          break;
        case '\r':
          g_string_append (out, "\\r");
          break;
        default:
          /* The JSON goes into XML, PDFs, scripts and comments, which allow fewer characters. */
          if (!ns_text_is_control (c))
            g_string_append_unichar (out, c);
          else if (c < 0x10000)
            g_string_append_printf (out, "\\u%04x", c);
          else
            g_string_append_printf (out, "\\u%04x\\u%04x", 0xd7c0 + (c >> 10), 0xdc00 + (c & 0x3ff));
        }
    }
  g_string_append_c (out, '"');
}

static void
begin_item (NsJsonWriter *writer, const char *key)
{
  GString *out = writer->out;

  if (writer->level > 0)
    {
      gboolean compact = writer->tight || writer->level > writer->compact_level;

      if (!writer->first)
        g_string_append (out, compact && !writer->tight ? ", " : ",");
      if (!compact)
        {
          g_string_append_c (out, '\n');
          for (guint i = 0; i < writer->level; i++)
            g_string_append (out, "  ");
        }
    }
  if (key != NULL)
    {
      append_quoted (out, key);
      g_string_append (out, writer->tight ? ":" : ": ");
    }
  writer->first = FALSE;
}

void
ns_json_open (NsJsonWriter *writer, const char *key, char bracket)
{
  begin_item (writer, key);
  g_string_append_c (writer->out, bracket);
  writer->level++;
  writer->first = TRUE;
}

void
ns_json_open_compact (NsJsonWriter *writer, const char *key, char bracket)
{
  writer->compact_level = MIN (writer->compact_level, writer->level);
  ns_json_open (writer, key, bracket);
}

void
ns_json_close (NsJsonWriter *writer, char bracket)
{
  gboolean compact = writer->tight || writer->level > writer->compact_level;

  writer->level--;
  if (!compact && !writer->first)
    {
      g_string_append_c (writer->out, '\n');
      for (guint i = 0; i < writer->level; i++)
        g_string_append (writer->out, "  ");
    }
  g_string_append_c (writer->out, bracket);
  writer->first = FALSE;
  if (writer->level == writer->compact_level)
    writer->compact_level = G_MAXUINT;
}

void
ns_json_string (NsJsonWriter *writer, const char *key, const char *value)
{
  begin_item (writer, key);
  if (value != NULL)
    append_quoted (writer->out, value);
  else
    g_string_append (writer->out, "null");
}

void
ns_json_integer (NsJsonWriter *writer, const char *key, gint64 value)
{
  begin_item (writer, key);
  g_string_append_printf (writer->out, "%" G_GINT64_FORMAT, value);
}

void
ns_json_number (NsJsonWriter *writer, const char *key, double value)
{
  char buffer[NS_NUMBER_SIZE];

  begin_item (writer, key);
  if (!isfinite (value))
    {
      g_string_append (writer->out, "null");
      return;
    }
  ns_format_number (buffer, value);
  g_string_append (writer->out, buffer);
  if (strpbrk (buffer, ".e") == NULL)
    g_string_append (writer->out, ".0");
}

void
ns_json_statistics (NsJsonWriter *writer, const NsStat *stat, gboolean has_log10)
{
  double mean, sd_factor;

  ns_json_number (writer, "mean", stat->mean);
  ns_json_number (writer, "std", stat->std);
  if (!has_log10)
    return;
  ns_stat_get_geometric (stat, &mean, &sd_factor);
  ns_json_number (writer, "geometric_mean", mean);
  ns_json_number (writer, "sd_factor", sd_factor);
  ns_json_number (writer, "log10_mean", stat->log10_mean);
}

void
ns_json_boolean (NsJsonWriter *writer, const char *key, gboolean value)
{
  begin_item (writer, key);
  g_string_append (writer->out, value ? "true" : "false");
}

void
ns_json_raw (NsJsonWriter *writer, const char *key, const char *json)
{
  begin_item (writer, key);
  g_string_append (writer->out, json);
}
