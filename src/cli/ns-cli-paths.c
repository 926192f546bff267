/* normscope-cli paths: the paths through the residual stream, in words and as numbers.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli/ns-cli-maps.h"
#include "cli/ns-cli-options.h"
#include "cli/ns-cli.h"

#include "document/ns-paths-data.h"
#include "engine/experiment/ns-experiment.h"
#include "engine/experiment/ns-text.h"
#include "figures/paths/ns-paths-words.h"

#include <glib/gi18n.h>
#include <string.h>

typedef enum { PATHS_FORMAT_WORDS, PATHS_FORMAT_CSV, PATHS_FORMAT_JSON } PathsFormat;
static const char *const paths_formats[] = { "words", "csv", "json", NULL };

/* Options as given on the command line; NULL if absent. */
typedef struct
{
  NsCliMaps maps;
  char *output, *format;
  gboolean all_blocks, per_seed;
} PathsRequest;

static void
paths_request_clear (PathsRequest *request)
{
  ns_cli_maps_clear (&request->maps);
  g_free (request->output);
  g_free (request->format);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (PathsRequest, paths_request_clear)

typedef struct
{
  NsEngine *engine;
  const NsExperiment *experiment;
  const NsPathsSettings *settings;
} PathsJob;

static gpointer
compute_map_of_paths (gpointer user_data, NsProgress *progress, GError **error)
{
  PathsJob *job = user_data;

  return ns_engine_run_paths (job->engine, job->experiment, job->settings, 0,
                              (guint) job->experiment->sampling.seeds, progress, error);
}

/* Read what to compute. */
static gboolean
read_paths_settings (const PathsRequest *request, NsPathsSettings *settings, GError **error)
{
  g_autoptr (GArray) list = ns_cli_maps_read (&request->maps, error);

  if (list == NULL)
    return FALSE;
  if (list->len == 0)
    {
      ns_cli_maps_refuse_none (error);
      return FALSE;
    }
  if (list->len > 1)
    {
      g_set_error (error, NS_CLI_ERROR, NS_CLI_ERROR_USAGE, _ ("--of: %u kinds are given; allowed: one"), list->len);
      return FALSE;
    }
  *settings = g_array_index (list, NsPathsSettings, 0);
  settings->all_blocks = request->all_blocks;
  if (!request->all_blocks || settings->kind == NS_PATHS_CONTRIBUTIONS)
    return TRUE;
  g_set_error (error, NS_CLI_ERROR, NS_CLI_ERROR_USAGE, _ ("--all-blocks is allowed with --of contributions only"));
  return FALSE;
}

static GBytes *
format_words (const NsPaths *paths)
{
  g_autofree char *text = ns_paths_dup_text (paths);
  g_autofree char *lines = g_strconcat (text, "\n", NULL);
  char *printable = ns_text_dup_printable (lines);

  return g_bytes_new_take (printable, strlen (printable));
}

static GBytes *
format_paths (const NsPaths *paths, const PathsRequest *request, int format)
{
  gboolean is_file = request->output != NULL && strcmp (request->output, "-") != 0;

  if (format == PATHS_FORMAT_WORDS)
    return format_words (paths);
  if (format == PATHS_FORMAT_JSON)
    return request->per_seed ? ns_paths_to_json_per_seed (paths) : ns_paths_to_json (paths);
  return ns_paths_to_csv (paths, (is_file ? NS_CSV_PROVENANCE : NS_CSV_PLAIN)
                                     | (request->per_seed ? NS_CSV_PER_SEED : NS_CSV_PLAIN));
}

static gboolean
run_paths (const NsCliOptions *options, const PathsRequest *request, GError **error)
{
  g_autoptr (NsExperiment) experiment = NULL;
  g_autoptr (NsEngine) engine = NULL;
  g_autoptr (NsPaths) paths = NULL;
  g_autoptr (GBytes) bytes = NULL;
  NsPathsSettings settings;
  int format = request->format != NULL ? ns_cli_parse_choice ("format", request->format, paths_formats, error)
                                       : ns_cli_format_from_name (request->output, paths_formats, error);
  PathsJob job;

  if (format == PATHS_FORMAT_WORDS && request->per_seed)
    {
      g_set_error (error, NS_CLI_ERROR, NS_CLI_ERROR_USAGE,
                   _ ("--per-seed: words give means only; allowed with --format csv or json"));
      return FALSE;
    }
  if (format < 0 || !read_paths_settings (request, &settings, error))
    return FALSE;
  experiment = ns_cli_options_load (options, NULL, error);
  if (experiment == NULL || !ns_cli_check_output (request->output, error))
    return FALSE;
  engine = ns_cli_options_new_engine (options, error);
  if (engine == NULL)
    return FALSE;
  job = (PathsJob) { engine, experiment, &settings };
  paths = ns_cli_run_job (compute_map_of_paths, &job, error);
  if (paths == NULL)
    return FALSE;
  bytes = format_paths (paths, request, format);
  return ns_cli_write (request->output, bytes, error);
}

int
ns_cli_paths (int argc, char **argv)
{
  g_auto (NsCliOptions) options = { 0 };
  g_auto (PathsRequest) request = { 0 };
  g_autoptr (GError) error = NULL;
  GOptionEntry entries[4 + NS_CLI_N_MAPS_ENTRIES + 1] = {
    { "output", 'o', 0, G_OPTION_ARG_FILENAME, &request.output,
      N_ ("Write to FILE instead of standard output"), N_ ("FILE") },
    { "format", 'f', 0, G_OPTION_ARG_STRING, &request.format,
      N_ ("words, a summary, or csv or json, all numbers (default: the output file's extension, else words)"),
      N_ ("FORMAT") },
    { "per-seed", 0, 0, G_OPTION_ARG_NONE, &request.per_seed,
      N_ ("Write the value of each seed: in json in addition to the statistics, in csv instead"), NULL },
    { "all-blocks", 0, 0, G_OPTION_ARG_NONE, &request.all_blocks,
      N_ ("contributions: the shares in every block's output"), NULL },
  };

  ns_cli_maps_append_entries (&request.maps, entries);
  if (!ns_cli_options_parse (&options, argc, argv, entries, TRUE, 1, &error))
    return ns_cli_fail (error);
  if (options.help)
    {
      g_autoptr (GBytes) help = ns_cli_options_help (
          "paths", "[FILE.normscope] --of WORD", _ ("Compute the paths through the residual stream."), entries, TRUE);

      return ns_cli_write (NULL, help, &error) ? NS_EXIT_DONE : ns_cli_fail (error);
    }
  return run_paths (&options, &request, &error) ? NS_EXIT_DONE : ns_cli_fail (error);
}
