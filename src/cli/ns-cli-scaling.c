/* normscope-cli scaling: fit laws to a metric over depth or width, and check expectations and claims.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli/ns-cli-scaling.h"

#include "cli/ns-cli-items.h"
#include "cli/ns-cli.h"
#include "document/ns-claims.h"
#include "document/ns-sweep-data.h"
#include "engine/experiment/ns-experiment.h"
#include "engine/run/ns-result-private.h"
#include "engine/experiment/ns-text.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

typedef enum { SCALING_FORMAT_TABLE, SCALING_FORMAT_JSON, SCALING_FORMAT_CSV } ScalingFormat;
static const char *const scaling_formats[] = { "table", "json", "csv", NULL };

/* Options as given on the command line; NULL if absent. */
typedef struct
{
  NsCliSweepRequest sweep;
  char *output, *format, *claims_folder;
  char **expect;
  gboolean claims, provenance, no_provenance;
  NsCliItemsRequest items;
} ScalingRequest;

static void
scaling_request_clear (ScalingRequest *request)
{
  ns_cli_sweep_request_clear (&request->sweep);
  g_free (request->output);
  g_free (request->format);
  g_free (request->claims_folder);
  g_strfreev (request->expect);
  ns_cli_items_request_clear (&request->items);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (ScalingRequest, scaling_request_clear)

static int
choose_scaling_format (const ScalingRequest *request, GError **error)
{
  int format = request->format != NULL ? ns_cli_parse_choice ("format", request->format, scaling_formats, error)
                                       : ns_cli_format_from_name (request->output, scaling_formats, error);

  if (request->provenance && request->no_provenance)
    {
      g_set_error (error, NS_CLI_ERROR, NS_CLI_ERROR_USAGE, _ ("--provenance and --no-provenance exclude each other"));
      return -1;
    }
  if (format == SCALING_FORMAT_CSV && (request->claims || request->claims_folder != NULL))
    {
      g_set_error (error, NS_CLI_ERROR, NS_CLI_ERROR_USAGE,
                   _ ("--claims: the format csv cannot contain claims; allowed: table, json"));
      return -1;
    }
  return format;
}

/* ---- claims ---- */

/* Return the built-in claims, then those of --claims-folder; warn about broken ones and skip them. *own owns the
 * folder's claims. Return NULL and an error if there is no such folder. */
static GPtrArray *
collect_claims (const ScalingRequest *request, GPtrArray **own, GError **error)
{
  g_autoptr (GPtrArray) errors = g_ptr_array_new_with_free_func (g_free);
  GPtrArray *builtin = ns_claims_builtin ();
  GPtrArray *claims;

  if (request->claims_folder != NULL && !g_file_test (request->claims_folder, G_FILE_TEST_IS_DIR))
    {
      g_autofree char *folder = ns_text_dup_short (request->claims_folder, NS_TEXT_MAX_PATH);

      g_set_error (error, NS_CLI_ERROR, NS_CLI_ERROR_USAGE, _ ("--claims-folder: there is no folder %s"), folder);
      return NULL;
    }
  claims = g_ptr_array_new ();
  for (guint i = 0; i < builtin->len; i++)
    g_ptr_array_add (claims, g_ptr_array_index (builtin, i));
  if (request->claims_folder == NULL)
    return claims;
  *own = ns_claims_from_folder (request->claims_folder, errors);
  for (guint i = 0; i < (*own)->len; i++)
    g_ptr_array_add (claims, g_ptr_array_index (*own, i));
  for (guint i = 0; i < errors->len; i++)
    ns_cli_warn (_ ("warning: left out: %s"), (const char *) g_ptr_array_index (errors, i));
  return claims;
}

/* ---- running ---- */

typedef struct
{
  NsEngine *engine;
  const NsExperiment *experiment;
  GPtrArray *sweeps; /* NsSweep, owned */
  gboolean wants_result;
  NsQuantitySet quantities; /* of the result */
  NsResult *result; /* owned */
  NsTraining *training; /* owned, or NULL */
  GPtrArray *maps;      /* NsSensitivity, owned */
} ScalingJob;

static void
scaling_job_clear (ScalingJob *job)
{
  g_clear_pointer (&job->engine, ns_engine_free);
  g_clear_pointer (&job->sweeps, g_ptr_array_unref);
  g_clear_pointer (&job->result, ns_result_unref);
  g_clear_pointer (&job->training, ns_training_unref);
  g_clear_pointer (&job->maps, g_ptr_array_unref);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (ScalingJob, scaling_job_clear)

static gpointer
compute_evidence (gpointer user_data, NsProgress *progress, GError **error)
{
  ScalingJob *job = user_data;

  if (job->sweeps->len + (job->wants_result ? 1 : 0) > 1) /* of the same seeds */
    ns_engine_keep_weights (job->engine);
  for (guint i = 0; i < job->sweeps->len; i++)
    if (!ns_engine_run_sweep (job->engine, g_ptr_array_index (job->sweeps, i), progress, error))
      return NULL;
  if (job->wants_result)
    {
      guint n_seeds = (guint) job->experiment->sampling.seeds;

      job->result = ns_engine_run_quantities (job->engine, job->experiment, &job->quantities, 0, n_seeds, progress,
                                              error);
      if (job->result == NULL)
        return NULL;
    }
  if (job->training != NULL && !ns_engine_train (job->engine, job->training, progress, error))
    return NULL;
  for (guint i = 0; i < job->maps->len; i++)
    if (!ns_engine_fill_sensitivity (job->engine, g_ptr_array_index (job->maps, i), progress, error))
      return NULL;
  return job;
}

static gpointer
compute_training (gpointer user_data, NsProgress *progress, GError **error)
{
  ScalingJob *job = user_data;

  return ns_engine_train (job->engine, job->training, progress, error) ? job : NULL;
}

/* Describe the job for a checkpoint. */
static NsItemsHead *
describe_sweeps (const ScalingJob *job, const ScalingRequest *request, guint n_items)
{
  NsItemsHead *head = ns_items_head_new ("scaling", job->experiment, n_items);

  ns_items_head_set (head, "depths", request->sweep.depths);
  ns_items_head_set (head, "sweep", request->sweep.sweep);
  ns_items_head_set (head, "metric", request->sweep.metric);
  ns_items_head_set (head, "ratio", request->sweep.ratio);
  ns_items_head_set_list (head, "expect", (const char *const *) request->expect);
  ns_items_head_set_flag (head, "claims", request->claims);
  return head;
}

/* Compute the sweeps, the run and the maps as items, and then a training, which has none. */
static gboolean
compute_items (ScalingJob *job, const ScalingRequest *request, const NsCliItemsPlan *plan, gboolean *complete,
               GError **error)
{
  g_autoptr (NsItems) items = ns_items_new ();
  g_autoptr (NsItemsHead) head = NULL;

  for (guint i = 0; i < job->sweeps->len; i++)
    ns_items_add_sweep (items, g_ptr_array_index (job->sweeps, i));
  if (job->wants_result)
    {
      job->result = ns_result_new_of (job->experiment, 0, (guint) job->experiment->sampling.seeds, &job->quantities);
      if (job->result == NULL)
        {
          g_set_error_literal (error, NS_ENGINE_ERROR, NS_ENGINE_ERROR_MEMORY,
                               _ ("The system refused memory for the result"));
          return FALSE;
        }
      ns_items_add_result (items, job->result);
    }
  for (guint i = 0; i < job->maps->len; i++)
    ns_items_add_sensitivity (items, g_ptr_array_index (job->maps, i));
  head = describe_sweeps (job, request, ns_items_get_n (items));
  if (!ns_cli_items_run (plan, job->engine, head, items, complete, error))
    return FALSE;
  return !*complete || job->training == NULL || ns_cli_run_job (compute_training, job, error) != NULL;
}

static NsSweep *
find_sweep (const ScalingJob *job, NsSweepAxis axis, NsMetric metric)
{
  for (guint i = 0; i < job->sweeps->len; i++)
    {
      NsSweep *sweep = g_ptr_array_index (job->sweeps, i);
      NsMetric other = ns_sweep_get_metric (sweep);

      if (ns_sweep_get_axis (sweep) == axis && other.quantity == metric.quantity && other.where == metric.where
          && other.part == metric.part)
        return sweep;
    }
  return NULL;
}

/* Add a sweep of these variants (bits) to the job, unless it already has one of that metric. The claims come last, so
 * that the sweeps of the output and of the expectations have all variants. */
static gboolean
add_sweep (ScalingJob *job, const NsCliSweepPlan *plan, NsSweepAxis axis, NsMetric metric, guint32 variants,
           GError **error)
{
  NsSweep *sweep;

  if (find_sweep (job, axis, metric) != NULL)
    return TRUE;
  sweep = ns_cli_sweep_new (plan, job->experiment, axis, metric, error);
  if (sweep == NULL)
    return FALSE;
  ns_sweep_limit_variants (sweep, variants);
  g_ptr_array_add (job->sweeps, sweep);
  return TRUE;
}

/* Add the sweeps, the run and the trainings that the claims need. Ignore errors, since a card reports that its metric
 * does not exist or that its sweep cannot run. */
static void
add_claim_needs (ScalingJob *job, const NsCliSweepPlan *plan, GPtrArray *claims)
{
  g_autoptr (GArray) needs = ns_claims_list_needs (claims, job->experiment);

  for (guint i = 0; i < needs->len; i++)
    {
      const NsClaimNeed *need = &g_array_index (needs, NsClaimNeed, i);
      NsSensitivity *map = need->map_of != NULL ? ns_claim_map_new (need->map_of, job->experiment, NULL) : NULL;

      if (map != NULL)
        g_ptr_array_add (job->maps, map);
      if (need->map_of != NULL)
        continue;
      if (need->is_sweep)
        add_sweep (job, plan, need->axis, need->metric, need->variants, NULL);
      else if (need->is_training)
        job->training = ns_claim_training_new (job->experiment, NULL);
      else
        {
          job->wants_result = TRUE;
          job->quantities = need->quantities;
        }
    }
}

static void
evaluate_expectations (const ScalingJob *job, const NsCliSweepPlan *plan, GArray *expectations)
{
  for (guint i = 0; i < expectations->len; i++)
    {
      NsCliExpectation *expectation = &g_array_index (expectations, NsCliExpectation, i);
      const NsSweep *sweep = find_sweep (job, plan->axis, expectation->metric);
      NsFit fit;

      if (expectation->over < NS_MAX_VARIANTS)
        ns_scaling_fit_ratio (sweep, expectation->variant, expectation->over, &fit);
      else
        ns_scaling_fit (sweep, expectation->variant, &fit);
      expectation->exponent = fit.exponent;
      expectation->met = fit.status != NS_FIT_NOT_FINITE
                         && ns_exponent_agrees (&fit.exponent, expectation->expected, expectation->tolerance);
    }
}

static NsClaimResult *
evaluate_claims (const ScalingJob *job, GPtrArray *claims)
{
  NsEvidence evidence = { (NsSweep *const *) job->sweeps->pdata, job->sweeps->len, job->result, job->training,
                          (NsSensitivity *const *) job->maps->pdata, job->maps->len };
  NsClaimResult *verdicts = g_new0 (NsClaimResult, MAX (claims->len, 1));

  for (guint i = 0; i < claims->len; i++)
    ns_claim_evaluate (g_ptr_array_index (claims, i), job->experiment, &evidence, &verdicts[i]);
  return verdicts;
}

static GBytes *
format_scaling (const NsCliScaling *scaling, const ScalingRequest *request, int format)
{
  /* Write provenance to files by default, since they outlive the command line. */
  gboolean is_file = request->output != NULL && strcmp (request->output, "-") != 0;
  gboolean provenance = request->provenance || (is_file && !request->no_provenance);

  if (format == SCALING_FORMAT_JSON)
    return ns_cli_scaling_to_json (scaling);
  if (format == SCALING_FORMAT_CSV)
    return ns_sweep_to_csv (scaling->sweep, provenance ? NS_CSV_PROVENANCE : NS_CSV_PLAIN);
  return ns_cli_scaling_to_table (scaling);
}

/* Compute and write what the request asks of the experiment. Return FALSE and an error on failure; *missed is the
 * number of expectations that are not met. */
static gboolean
run_and_write_sweeps (const NsCliOptions *options, const NsExperiment *experiment, const ScalingRequest *request,
                      const NsCliItemsPlan *items, guint *missed, GError **error)
{
  g_autoptr (GArray) expectations = NULL;
  g_autoptr (GPtrArray) own = NULL;
  g_autoptr (GPtrArray) claims = NULL;
  g_autofree NsClaimResult *verdicts = NULL;
  g_autoptr (GBytes) bytes = NULL;
  NsCliSweepRequest sweep = request->sweep;
  g_auto (NsCliSweepPlan) plan = { 0 };
  g_auto (ScalingJob) job = { 0 };
  NsCliScaling scaling;
  gboolean complete = TRUE;
  int format = choose_scaling_format (request, error);

  sweep.for_claims = request->claims || request->claims_folder != NULL;
  if (format < 0 || !ns_cli_sweep_plan_init (&plan, &sweep, experiment, error))
    return FALSE;
  expectations = ns_cli_expectations_read (request->expect, experiment, error);
  if (expectations == NULL)
    return FALSE;
  if ((request->claims || request->claims_folder != NULL) && (claims = collect_claims (request, &own, error)) == NULL)
    return FALSE;

  job.experiment = experiment;
  job.sweeps = g_ptr_array_new_with_free_func ((GDestroyNotify) ns_sweep_unref);
  job.maps = g_ptr_array_new_with_free_func ((GDestroyNotify) ns_sensitivity_unref);
  if (!add_sweep (&job, &plan, plan.axis, plan.metric, G_MAXUINT32, error))
    return FALSE;
  for (guint i = 0; i < expectations->len; i++)
    if (!add_sweep (&job, &plan, plan.axis, g_array_index (expectations, NsCliExpectation, i).metric, G_MAXUINT32,
                    error))
      return FALSE;
  if (claims != NULL)
    add_claim_needs (&job, &plan, claims);
  if (!ns_cli_check_output (request->output, error))
    return FALSE;
  job.engine = ns_cli_options_new_engine (options, error);
  if (job.engine == NULL
      || !(ns_cli_items_plan_is_shared (items) ? compute_items (&job, request, items, &complete, error)
                                               : ns_cli_run_job (compute_evidence, &job, error) != NULL))
    return FALSE;
  if (!complete)
    return TRUE;

  evaluate_expectations (&job, &plan, expectations);
  verdicts = claims != NULL ? evaluate_claims (&job, claims) : NULL;
  scaling = (NsCliScaling) {
    experiment, &plan, find_sweep (&job, plan.axis, plan.metric), expectations, claims, verdicts,
  };
  bytes = format_scaling (&scaling, request, format);
  if (!ns_cli_write (request->output, bytes, error))
    return FALSE;
  for (guint i = 0; i < expectations->len; i++)
    {
      const NsCliExpectation *expectation = &g_array_index (expectations, NsCliExpectation, i);
      g_autofree char *text = ns_cli_expectation_dup_text (&scaling, expectation);
      g_autofree char *line = ns_text_dup_line (text);

      if (!expectation->met)
        ns_cli_warn ("--expect: %s", line);
      *missed += expectation->met ? 0 : 1;
    }
  return TRUE;
}

static gboolean
run_scaling (const NsCliOptions *options, const ScalingRequest *request, guint *missed, GError **error)
{
  g_auto (NsCliItemsPlan) plan = { 0 };
  g_autoptr (NsExperiment) experiment = NULL;

  if (choose_scaling_format (request, error) < 0
      || !ns_cli_items_plan_init (&plan, &request->items, options, request->output, error))
    return FALSE;
  if (plan.checkpoint != NULL && request->claims_folder != NULL)
    {
      g_set_error (error, NS_CLI_ERROR, NS_CLI_ERROR_USAGE,
                   _ ("--claims-folder: a checkpoint has no other claims than the built-in ones; allowed: --claims, or "
                      "without --checkpoint"));
      return FALSE;
    }
  experiment = ns_cli_options_load (options, NULL, error);
  return experiment != NULL && run_and_write_sweeps (options, experiment, request, &plan, missed, error);
}

gboolean
ns_cli_scaling_merge (const NsCliMerge *merge, guint *missed, GError **error)
{
  const NsCliOptions options = { .help = FALSE };
  const NsItemsHead *head = merge->head;
  const char *const *expect = ns_items_head_get_list (head, "expect");
  g_auto (ScalingRequest) request = { .output = g_strdup (merge->output), .format = g_strdup (merge->format),
                                      .expect = g_strdupv ((char **) expect), .provenance = merge->provenance,
                                      .no_provenance = merge->no_provenance,
                                      .claims = ns_items_head_get_flag (head, "claims"),
                                      .sweep = { .depths = g_strdup (ns_items_head_get (head, "depths")),
                                                 .sweep = g_strdup (ns_items_head_get (head, "sweep")),
                                                 .metric = g_strdup (ns_items_head_get (head, "metric")),
                                                 .ratio = g_strdup (ns_items_head_get (head, "ratio")) } };

  return run_and_write_sweeps (&options, ns_items_head_get_experiment (head), &request, &merge->plan, missed, error);
}

int
ns_cli_scaling (int argc, char **argv)
{
  g_auto (NsCliOptions) options = { 0 };
  g_auto (ScalingRequest) request = { 0 };
  g_autoptr (GError) error = NULL;
  guint missed = 0;
  const GOptionEntry entries[] = {
    { "output", 'o', 0, G_OPTION_ARG_FILENAME, &request.output, N_ ("Write to FILE instead of standard output"),
      N_ ("FILE") },
    { "format", 'f', 0, G_OPTION_ARG_STRING, &request.format,
      N_ ("table, json or csv (default: the output file's extension, else table)"), N_ ("FORMAT") },
    { "depths", 0, 0, G_OPTION_ARG_STRING, &request.sweep.depths,
      N_ ("Depths: a range (1..128), a range with at most 20 points (1..128:20), a range with every depth "
          "(1..128:every) or a list (2,4,8) [default 1..128]"),
      N_ ("POINTS") },
    { "sweep", 0, 0, G_OPTION_ARG_STRING, &request.sweep.sweep,
      N_ ("Sweep over the width at one depth instead: d_model=32..512"), N_ ("KEY=POINTS") },
    { "metric", 'm', 0, G_OPTION_ARG_STRING, &request.sweep.metric,
      N_ ("Any quantity at @last, @first, @max (over the blocks), @total (root of summed squares) or @squares (their "
          "sum); in an encoder-decoder, of the decoder unless written as encoder:w_2@last [default w_2@last]"),
      N_ ("METRIC") },
    { "ratio", 0, 0, G_OPTION_ARG_STRING, &request.sweep.ratio,
      N_ ("Also fit the ratio of two variants, seed by seed: post/pre"), N_ ("A/B") },
    { "expect", 0, 0, G_OPTION_ARG_STRING_ARRAY, &request.expect,
      N_ ("Exit with status 3 unless the exponent's interval overlaps this one: pre:w_2@last:-0.5±0.05 (or +-); can "
          "be repeated"),
      N_ ("EXPECTATION") },
    { "claims", 0, 0, G_OPTION_ARG_NONE, &request.claims,
      N_ ("Show the claim cards: statements of papers and lessons, and whether the measurement agrees"), NULL },
    { "claims-folder", 0, 0, G_OPTION_ARG_FILENAME, &request.claims_folder,
      N_ ("Show the claim cards and those of this folder (*.claim)"), N_ ("FOLDER") },
    { "provenance", 0, 0, G_OPTION_ARG_NONE, &request.provenance,
      N_ ("Begin a csv with comment lines (#): experiment, seeds, version, BLAS, precision (default with -o FILE)"),
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
        "scaling", "[FILE.normscope]",
        _ ("Fit a metric over depth or width: exponents with 95 % intervals, candidate laws, verdicts."), entries,
        TRUE);

      return ns_cli_write (NULL, help, &error) ? NS_EXIT_DONE : ns_cli_fail (error);
    }
  if (!run_scaling (&options, &request, &missed, &error))
    return ns_cli_fail (error);
  return missed > 0 ? NS_EXIT_MISSED : ns_cli_get_end_status ();
}
