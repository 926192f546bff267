/* normscope-cli run: compute the statistics of every block.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli/ns-cli-items.h"
#include "cli/ns-cli-options.h"
#include "cli/ns-cli-ranks.h"
#include "cli/ns-cli.h"
#include "engine/experiment/ns-experiment.h"
#include "engine/run/ns-result-private.h"

#include "document/ns-result-csv.h"
#include "document/ns-result-json.h"
#include "document/ns-result-npy.h"
#include "document/ns-result-table.h"
#include "figures/ns-verdict.h"

#include <glib/gi18n.h>
#include <string.h>

typedef enum { RUN_FORMAT_TABLE, RUN_FORMAT_JSON, RUN_FORMAT_CSV, RUN_FORMAT_NPY } RunFormat;
static const char *const run_formats[] = { "table", "json", "csv", "npy", NULL };

/* Options as given on the command line; NULL if absent. */
typedef struct
{
  char *output, *format;
  char **quantities;
  gboolean per_seed, provenance, no_provenance, verify;
  NsCliItemsRequest items;
} RunRequest;

static void
run_request_clear (RunRequest *request)
{
  g_free (request->output);
  g_free (request->format);
  g_strfreev (request->quantities);
  ns_cli_items_request_clear (&request->items);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (RunRequest, run_request_clear)

typedef struct
{
  NsEngine *engine;
  const NsExperiment *experiment;
  const NsQuantitySet *quantities;
} RunJob;

static gpointer
compute_result (gpointer user_data, NsProgress *progress, GError **error)
{
  RunJob *job = user_data;

  return ns_engine_run_quantities (job->engine, job->experiment, job->quantities, 0,
                                   (guint) job->experiment->sampling.seeds, progress, error);
}

/* Return the requested format, else that of the output's extension, else the table; -1 and an error if unknown. */
static int
choose_run_format (const char *word, const char *output, GError **error)
{
  if (word != NULL)
    return ns_cli_parse_choice ("format", word, run_formats, error);
  return ns_cli_format_from_name (output, run_formats, error);
}

/* Write provenance to files by default, since they outlive the command line, but not to pipes. */
static gboolean
wants_provenance (const RunRequest *request)
{
  gboolean is_file = request->output != NULL && strcmp (request->output, "-") != 0;

  return request->provenance || (is_file && !request->no_provenance);
}

static gboolean
check_run_request (const RunRequest *request, int format, GError **error)
{
  if (request->per_seed && format == RUN_FORMAT_TABLE)
    g_set_error (error, NS_CLI_ERROR, NS_CLI_ERROR_USAGE,
                 _ ("--per-seed: a table shows means only; allowed with --format json, csv or npy"));
  else if (request->verify && (format == RUN_FORMAT_TABLE || format == RUN_FORMAT_NPY))
    g_set_error (error, NS_CLI_ERROR, NS_CLI_ERROR_USAGE,
                 _ ("--verify: the format %s cannot contain the statement; allowed with --format json or csv"),
                 run_formats[format]);
  else if (request->verify && format == RUN_FORMAT_CSV && !wants_provenance (request))
    g_set_error (error, NS_CLI_ERROR, NS_CLI_ERROR_USAGE,
                 _ ("--verify: a csv has the statement in its comment lines; allowed with --provenance"));
  else if (request->provenance && request->no_provenance)
    g_set_error (error, NS_CLI_ERROR, NS_CLI_ERROR_USAGE, _ ("--provenance and --no-provenance exclude each other"));
  else if (request->verify && (request->items.checkpoint != NULL || ns_cli_ranks_get_n () > 1))
    g_set_error (error, NS_CLI_ERROR, NS_CLI_ERROR_USAGE,
                 _ ("--verify: not allowed with --checkpoint and under mpirun; allowed: in one process"));
  else
    return TRUE;
  return FALSE;
}

/* Return the verdict on each variant; caller frees. */
static char **
dup_verdicts (const NsResult *result)
{
  guint n = ns_result_get_experiment (result)->variants->len;
  char **verdicts = g_new0 (char *, n + 1);

  for (guint v = 0; v < n; v++)
    verdicts[v] = ns_verdict_dup (result, v, NULL);
  return verdicts;
}

static GBytes *
format_result (const NsResult *result, const RunRequest *request, int format, GArray *quantities, const char *verified)
{
  NsCsvFlags flags = (request->per_seed ? NS_CSV_PER_SEED : 0) | (wants_provenance (request) ? NS_CSV_PROVENANCE : 0);

  if (format == RUN_FORMAT_JSON)
    return ns_result_to_json (result, request->per_seed, verified);
  if (format == RUN_FORMAT_CSV)
    return ns_result_to_csv (result, flags, verified);
  if (format == RUN_FORMAT_NPY)
    return ns_result_to_npy (result, request->per_seed);
  if (quantities->len == 0)
    {
      g_auto (GStrv) verdicts = dup_verdicts (result);

      return ns_result_to_table (result, NULL, 0, (const char *const *) verdicts);
    }
  return ns_result_to_table (result, (const NsQuantity *) quantities->data, quantities->len, NULL);
}

/* A table has the columns that are named, and the loss in its heading; a file has everything. */
static NsQuantitySet
get_wanted (GArray *quantities, int format)
{
  NsQuantitySet wanted = { { 0 } };

  if (format != RUN_FORMAT_TABLE || quantities->len == 0)
    wanted = ns_quantity_set_with_terms (NULL);
  ns_quantity_set_add (&wanted, NS_Q_LOSS);
  for (guint i = 0; i < quantities->len; i++)
    ns_quantity_set_add (&wanted, g_array_index (quantities, NsQuantity, i));
  return wanted;
}

/* Describe the run for a checkpoint. What is measured depends on the format, too. */
static NsItemsHead *
describe_seeds (const RunRequest *request, const NsExperiment *experiment, const NsQuantitySet *wanted, guint n_items)
{
  NsItemsHead *head = ns_items_head_new ("run", experiment, n_items);
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  g_autoptr (GArray) none = g_array_new (FALSE, FALSE, sizeof (NsQuantity));
  NsQuantitySet all = get_wanted (none, RUN_FORMAT_TABLE);

  for (NsQuantity q = 0; q < NS_N_QUANTITIES; q++)
    if (ns_quantity_set_has (wanted, q))
      g_ptr_array_add (names, (gpointer) ns_quantity_info (q)->name);
  if (memcmp (&all, wanted, sizeof all) == 0)
    {
      g_ptr_array_set_size (names, 0);
      g_ptr_array_add (names, (gpointer) "all");
    }
  g_ptr_array_add (names, NULL);
  ns_items_head_set_list (head, "quantity", (const char *const *) request->quantities);
  ns_items_head_set_flag (head, "per-seed", request->per_seed);
  ns_items_head_set_list (head, "measured", (const char *const *) names->pdata);
  return head;
}

/* Run the seeds as items. NULL without an error if not all are there. */
static NsResult *
run_items (NsEngine *engine, const NsExperiment *experiment, const NsQuantitySet *wanted, const RunRequest *request,
           const NsCliItemsPlan *plan, GError **error)
{
  g_autoptr (NsResult) result = ns_result_new_of (experiment, 0, (guint) experiment->sampling.seeds, wanted);
  g_autoptr (NsItems) items = ns_items_new ();
  g_autoptr (NsItemsHead) head = NULL;
  gboolean complete;

  if (result == NULL)
    {
      g_set_error_literal (error, NS_ENGINE_ERROR, NS_ENGINE_ERROR_MEMORY,
                           _ ("The system refused memory for the result"));
      return NULL;
    }
  ns_items_add_result (items, result);
  head = describe_seeds (request, experiment, wanted, ns_items_get_n (items));
  return ns_cli_items_run (plan, engine, head, items, &complete, error) && complete ? g_steal_pointer (&result) : NULL;
}

/* Run the experiment, which was checked, and write the output. */
static gboolean
run_and_write_result (const NsCliOptions *options, const NsExperiment *experiment, const RunRequest *request,
                      int format, const NsCliItemsPlan *plan, GError **error)
{
  g_autoptr (GArray) quantities = g_array_new (FALSE, FALSE, sizeof (NsQuantity));
  g_autoptr (NsEngine) engine = NULL;
  g_autoptr (NsResult) result = NULL;
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (GError) failure = NULL;
  g_autofree char *verified = NULL;
  NsQuantitySet wanted;

  for (guint i = 0; request->quantities != NULL && request->quantities[i] != NULL; i++)
    if (!ns_cli_parse_quantities ("quantity", request->quantities[i], quantities, error))
      return FALSE;
  wanted = get_wanted (quantities, format);
  if (!ns_cli_check_output (request->output, error))
    return FALSE;
  if (request->verify && (verified = ns_cli_verify_first (experiment, NULL, error)) == NULL)
    return FALSE;
  engine = ns_cli_options_new_engine (options, error);
  if (engine == NULL)
    return FALSE;
  if (ns_cli_items_plan_is_shared (plan))
    result = run_items (engine, experiment, &wanted, request, plan, &failure);
  else
    {
      RunJob job = { engine, experiment, &wanted };

      ns_cli_announce (engine, experiment);
      result = ns_cli_run_job (compute_result, &job, &failure);
    }
  if (failure != NULL)
    g_propagate_error (error, g_steal_pointer (&failure));
  else if (result == NULL)
    return TRUE;
  if (result == NULL)
    return FALSE;
  bytes = format_result (result, request, format, quantities, verified);
  return ns_cli_write (request->output, bytes, error);
}

static gboolean
run_experiment (const NsCliOptions *options, const RunRequest *request, GError **error)
{
  g_auto (NsCliItemsPlan) plan = { 0 };
  g_autoptr (NsExperiment) experiment = NULL;
  int format = choose_run_format (request->format, request->output, error);

  if (format < 0 || !check_run_request (request, format, error)
      || !ns_cli_items_plan_init (&plan, &request->items, options, request->output, error))
    return FALSE;
  experiment = ns_cli_options_load (options, NULL, error);
  return experiment != NULL && run_and_write_result (options, experiment, request, format, &plan, error);
}

gboolean
ns_cli_run_merge (const NsCliMerge *merge, guint *missed, GError **error)
{
  const NsCliOptions options = { .help = FALSE };
  const char *const *quantities = ns_items_head_get_list (merge->head, "quantity");
  g_auto (RunRequest) request = { .output = g_strdup (merge->output), .format = g_strdup (merge->format),
                                  .quantities = g_strdupv ((char **) quantities), .provenance = merge->provenance,
                                  .no_provenance = merge->no_provenance,
                                  .per_seed = ns_items_head_get_flag (merge->head, "per-seed") };
  int format = choose_run_format (request.format, request.output, error);

  (void) missed;
  return format >= 0 && check_run_request (&request, format, error)
         && run_and_write_result (&options, ns_items_head_get_experiment (merge->head), &request, format, &merge->plan,
                                  error);
}

int
ns_cli_run (int argc, char **argv)
{
  g_auto (NsCliOptions) options = { 0 };
  g_auto (RunRequest) request = { 0 };
  g_autoptr (GError) error = NULL;
  const GOptionEntry entries[] = {
    { "output", 'o', 0, G_OPTION_ARG_FILENAME, &request.output, N_ ("Write to FILE instead of standard output"),
      N_ ("FILE") },
    { "format", 'f', 0, G_OPTION_ARG_STRING, &request.format,
      N_ ("table, json, csv or npy (default: the output file's extension, else table)"), N_ ("FORMAT") },
    { "quantity", 'q', 0, G_OPTION_ARG_STRING_ARRAY, &request.quantities,
      N_ ("Columns of the table, separated by commas: w_q, w_2, attn, grad_x, rms_x, token_cos, …; path_length, gain, "
          "update_h_sgd, … are in no format unless named"),
      N_ ("NAMES") },
    { "per-seed", 0, 0, G_OPTION_ARG_NONE, &request.per_seed,
      N_ ("Write the value of each seed: in json in addition to the statistics, in csv and npy instead"), NULL },
    { "provenance", 0, 0, G_OPTION_ARG_NONE, &request.provenance,
      N_ ("Begin a csv with comment lines (#): experiment, seeds, version, BLAS, precision (default with -o FILE)"),
      NULL },
    { "verify", 0, 0, G_OPTION_ARG_NONE, &request.verify,
      N_ ("Check the experiment first, like the command verify, and state in the json or csv that it passed"),
      NULL },
    { "no-provenance", 0, 0, G_OPTION_ARG_NONE, &request.no_provenance, N_ ("Leave out these lines"), NULL },
    NS_CLI_ITEMS_ENTRIES (&request.items),
    { NULL },
  };

  if (!ns_cli_options_parse (&options, argc, argv, entries, TRUE, 1, &error))
    return ns_cli_fail (error);
  if (options.help)
    {
      g_autoptr (GBytes) help = ns_cli_options_help (
          "run", "[FILE.normscope]", _ ("Compute gradient norms and activations of every block."), entries, TRUE);

      return ns_cli_write (NULL, help, &error) ? NS_EXIT_DONE : ns_cli_fail (error);
    }
  return run_experiment (&options, &request, &error) ? ns_cli_get_end_status () : ns_cli_fail (error);
}
