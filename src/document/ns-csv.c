/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "document/ns-csv.h"

#include "document/ns-provenance.h"
#include "engine/experiment/ns-text.h"

#include <string.h>

gboolean
ns_csv_is_formula (const char *text)
{
  static const gunichar signs[] = { '=', '+', '-', '@', 0xff1d, 0xff0b, 0xff0d, 0xff20 };

  text += strspn (text, "' \t\r\n");
  for (gsize i = 0; i < G_N_ELEMENTS (signs); i++)
    if (g_utf8_get_char (text) == signs[i])
      return TRUE;
  return FALSE;
}

char *
ns_csv_dup_field (const char *text)
{
  const char *apostrophe = ns_csv_is_formula (text) ? "'" : "";
  g_auto (GStrv) pieces = NULL;
  g_autofree char *doubled = NULL;

  /* Quote a number sign, since readers with comment support ignore the rest of the line, and what separates columns in
   * a spreadsheet of another language. */
  if (strpbrk (text, ",;\t\"\r\n#") == NULL && *text != ' ')
    return g_strconcat (apostrophe, text, NULL);
  pieces = g_strsplit (text, "\"", -1);
  doubled = g_strjoinv ("\"\"", pieces);
  return g_strconcat ("\"", apostrophe, doubled, "\"", NULL);
}

GString *
ns_csv_begin (const NsExperiment *experiment, NsCsvFlags flags)
{
  GString *csv = g_string_new (NULL);

  if ((flags & NS_CSV_PROVENANCE) != 0)
    {
      g_autofree char *comment = ns_provenance_dup_experiment_comment (experiment);

      g_string_append (csv, comment);
    }
  return csv;
}

void
ns_csv_append_number (GString *csv, double value)
{
  char buffer[NS_NUMBER_SIZE];

  g_string_append_c (csv, ',');
  g_string_append (csv, ns_format_number (buffer, value));
}

void
ns_csv_append_optional (GString *csv, gboolean exists, double value)
{
  if (exists)
    ns_csv_append_number (csv, value);
  else
    g_string_append_c (csv, ',');
}

void
ns_csv_append_statistics (GString *csv, const NsStat *stat, gboolean has_log10)
{
  double mean, sd_factor;

  ns_stat_get_geometric (stat, &mean, &sd_factor);
  ns_csv_append_number (csv, stat->mean);
  ns_csv_append_number (csv, stat->std);
  ns_csv_append_optional (csv, has_log10, mean);
  ns_csv_append_optional (csv, has_log10, sd_factor);
  ns_csv_append_optional (csv, has_log10, stat->log10_mean);
}
