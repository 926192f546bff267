/* normscope-cli run: the statistics of every block.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli/ns-cli-options.h"
#include "cli/ns-cli.h"

#include "document/ns-result-csv.h"
#include "document/ns-result-json.h"
#include "document/ns-result-table.h"

#include <glib/gi18n.h>
#include <string.h>

typedef enum { FORMAT_TABLE, FORMAT_JSON, FORMAT_CSV } Format;
static const char *const formats[] = { "table", "json", "csv", NULL };

typedef struct
{
  NsEngine *engine;
  const NsExperiment *experiment;
} Job;

static gpointer
compute (gpointer user_data, NsProgress *progress, GError **error)
{
  Job *job = user_data;

  return ns_engine_run (job->engine, job->experiment, 0, (guint) job->experiment->sampling.seeds, progress, error);
}

/* What was asked for, else what the output's name says, else a table. -1 with error. */
static int
choose_format (const char *word, const char *output, GError **error)
{
  if (word != NULL)
    return ns_cli_parse_choice ("format", word, formats, error);
  if (output != NULL && g_str_has_suffix (output, ".json"))
    return FORMAT_JSON;
  if (output != NULL && g_str_has_suffix (output, ".csv"))
    return FORMAT_CSV;
  return FORMAT_TABLE;
}

static GBytes *
format_result (const NsResult *result, int format, GArray *quantities)
{
  if (format == FORMAT_JSON)
    return ns_result_to_json (result);
  if (format == FORMAT_CSV)
    return ns_result_to_csv (result);
  if (quantities->len == 0)
    return ns_result_to_table (result, NULL, 0);
  return ns_result_to_table (result, (const NsQuantity *) quantities->data, quantities->len);
}

static gboolean
run (const NsCliOptions *options, const char *output, const char *format_word, char **quantity_texts, GError **error)
{
  g_autoptr (GArray) quantities = g_array_new (FALSE, FALSE, sizeof (NsQuantity));
  g_autoptr (NsExperiment) experiment = NULL;
  g_autoptr (NsEngine) engine = NULL;
  g_autoptr (NsResult) result = NULL;
  g_autoptr (GBytes) bytes = NULL;
  int format = choose_format (format_word, output, error);
  Job job;

  if (format < 0)
    return FALSE;
  for (guint i = 0; quantity_texts != NULL && quantity_texts[i] != NULL; i++)
    if (!ns_cli_parse_quantities (quantity_texts[i], quantities, error))
      return FALSE;
  experiment = ns_cli_options_load (options, NULL, error);
  if (experiment == NULL || !ns_cli_check_output (output, error))
    return FALSE;
  engine = ns_cli_options_new_engine (options, error);
  if (engine == NULL)
    return FALSE;
  job = (Job) { engine, experiment };
  result = ns_cli_run_job (compute, &job, error);
  if (result == NULL)
    return FALSE;
  bytes = format_result (result, format, quantities);
  return ns_cli_write (output, bytes, error);
}

int
ns_cli_run (int argc, char **argv)
{
  g_auto (NsCliOptions) options = { 0 };
  g_autofree char *output = NULL;
  g_autofree char *format = NULL;
  g_auto (GStrv) quantities = NULL;
  g_autoptr (GError) error = NULL;
  const GOptionEntry entries[] = {
    { "output", 'o', 0, G_OPTION_ARG_FILENAME, &output, N_ ("Write there instead of to standard output"), N_ ("FILE") },
    { "format", 'f', 0, G_OPTION_ARG_STRING, &format,
      N_ ("table, json or csv; else what the output file's name ends in, else table"), N_ ("FORMAT") },
    { "quantity", 'q', 0, G_OPTION_ARG_STRING_ARRAY, &quantities,
      N_ ("Columns of the table, with commas between: w_q, w_2, attn, grad_x, rms_x, token_cos, …"), N_ ("NAMES") },
    { NULL },
  };

  if (!ns_cli_options_parse (&options, argc, argv, entries, TRUE, 1, &error))
    return ns_cli_fail (error);
  if (options.help)
    {
      g_autoptr (GBytes) help
        = ns_cli_options_help ("run", "[FILE.normscope]", _ ("Gradient norms and activations of every block."), entries,
                               TRUE);

      return ns_cli_write (NULL, help, &error) ? NS_EXIT_DONE : ns_cli_fail (error);
    }
  return run (&options, output, format, quantities, &error) ? NS_EXIT_DONE : ns_cli_fail (error);
}
