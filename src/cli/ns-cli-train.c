/* normscope-cli train: train every variant and write the losses, and what changes inside on the way.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli/ns-cli-coordinates.h"
#include "cli/ns-cli-ranks.h"
#include "cli/ns-cli-train-private.h"
#include "cli/ns-cli.h"

#include "document/ns-training-data.h"
#include "document/ns-training-file.h"
#include "document/ns-training-table.h"
#include "engine/experiment/ns-experiment.h"
#include "engine/experiment/ns-text.h"
#include "engine/train/ns-training.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

/* Time between two checkpoints. */
#define CHECKPOINT_US (30 * G_USEC_PER_SEC)

typedef struct
{
  NsEngine *engine;
  NsTraining *training;
  const char *checkpoint; /* or NULL */
  gint64 saved;           /* time of the last checkpoint */
  GError *failure;        /* of the first checkpoint that failed */
} TrainJob;

/* ---- while it runs ---- */

static gpointer
train_job (gpointer user_data, NsProgress *progress, GError **error)
{
  TrainJob *job = user_data;

  return ns_engine_train (job->engine, job->training, progress, error) ? job : NULL;
}

static char *
dup_train_progress (gpointer user_data, NsProgress *progress, double elapsed_s)
{
  const TrainJob *job = user_data;

  return ns_cli_train_dup_progress (job->training, progress, elapsed_s);
}

/* Write a checkpoint. After a failure, write no more. */
static void
save (TrainJob *job)
{
  if (job->failure == NULL)
    ns_training_write_file (job->training, job->checkpoint, &job->failure);
  job->saved = g_get_monotonic_time ();
}

static void
tick (gpointer user_data)
{
  TrainJob *job = user_data;

  if (job->checkpoint == NULL || job->failure != NULL || g_get_monotonic_time () - job->saved <= CHECKPOINT_US)
    return;
  save (job);
  if (job->failure != NULL) /* tell it at once, and again at the end */
    ns_cli_warn ("%s", job->failure->message);
}

/* ---- before and after ---- */

/* The records of a training are ordinary runs. */
static gboolean
check_quantities (GArray *list, GError **error)
{
  for (guint i = 0; i < list->len; i++)
    {
      NsQuantity quantity = g_array_index (list, NsQuantity, i);

      if (!ns_quantity_takes_own_passes (quantity))
        continue;
      g_set_error (error, NS_CLI_ERROR, NS_CLI_ERROR_USAGE,
                   _ ("--quantity: “%s” takes passes of its own, which a training has not; run and scaling measure it"),
                   ns_quantity_info (quantity)->name);
      return FALSE;
    }
  return TRUE;
}

/* Fill the plan. A table needs no records; with a checkpoint, the format of the next call is not known yet. */
static gboolean
make_training_plan (const NsCliTrainRequest *request, int format, NsQuantitySet *quantities, NsTrainingPlan *plan,
                    GError **error)
{
  g_autoptr (GArray) list = g_array_new (FALSE, FALSE, sizeof (NsQuantity));
  gboolean losses_only = format == NS_CLI_TRAIN_TABLE && request->items.checkpoint == NULL;

  for (guint i = 0; request->quantities != NULL && request->quantities[i] != NULL; i++)
    if (!ns_cli_parse_quantities ("quantity", request->quantities[i], list, error))
      return FALSE;
  if (!check_quantities (list, error))
    return FALSE;
  for (guint i = 0; i < list->len; i++)
    ns_quantity_set_add (quantities, g_array_index (list, NsQuantity, i));
  *plan = (NsTrainingPlan){ .n_first = losses_only ? 0 : (guint) request->first,
                            .n_later = losses_only ? 0 : (guint) request->later,
                            .logarithmic = request->logarithmic,
                            .quantities = losses_only || list->len > 0 ? quantities : NULL };
  return TRUE;
}

static GBytes *
format_training (const NsTraining *training, const NsCliTrainRequest *request, int format)
{
  if (format == NS_CLI_TRAIN_CSV)
    return ns_training_to_csv (training, (request->per_seed ? NS_CSV_PER_SEED : NS_CSV_PLAIN)
                                             | (ns_cli_train_wants_provenance (request) ? NS_CSV_PROVENANCE
                                                                                                   : NS_CSV_PLAIN));
  if (format == NS_CLI_TRAIN_JSON)
    return ns_training_to_json (training, request->per_seed);
  if (format == NS_CLI_TRAIN_NPY)
    return ns_training_to_npy (training, request->per_seed);
  return ns_training_to_table (training);
}

/* Return TRUE if the command line says what to train. */
static gboolean
has_experiment (const NsCliOptions *options)
{
  return options->preset != NULL || options->text_file != NULL || options->scaled || options->settings->len > 0
         || (options->variants != NULL && options->variants[0] != NULL)
         || (options->files != NULL && options->files[0] != NULL);
}

/* Read the checkpoint, which has to be of the experiment, if there is one. */
static NsTraining *
read_checkpoint (const char *path, const NsExperiment *experiment, GError **error)
{
  NsTraining *training = ns_training_read_file (path, error);
  g_autofree char *shown = ns_text_dup_short (path, NS_TEXT_MAX_PATH);

  if (training == NULL || experiment == NULL
      || ns_experiment_equal (ns_training_get_experiment (training), experiment))
    return training;
  g_set_error (error, NS_CLI_ERROR, NS_CLI_ERROR_USAGE,
               _ ("%s is the checkpoint of another experiment; allowed: a new file, or no experiment, to go on with "
                  "that one"),
               shown);
  ns_training_unref (training);
  return NULL;
}

/* Print what the training would take. */
static gboolean
estimate (const NsCliOptions *options, const NsCliTrainRequest *request, int format, GError **error)
{
  g_autoptr (NsExperiment) experiment = ns_cli_options_load (options, NULL, error);
  g_autoptr (NsEngine) engine = experiment != NULL ? ns_cli_options_new_engine (options, error) : NULL;
  g_autoptr (GBytes) bytes = NULL;
  NsQuantitySet quantities = { { 0 } };
  NsTrainingPlan plan;

  if (engine == NULL || !make_training_plan (request, format, &quantities, &plan, error))
    return FALSE;
  bytes = ns_cli_estimate_training (engine, experiment, &plan, error);
  return bytes != NULL && ns_cli_write (NULL, bytes, error);
}

/* Create the training, or go on from the checkpoint, which is reserved for this process. */
static NsTraining *
new_training (const NsCliOptions *options, const NsCliTrainRequest *request, int format, const NsEngine *engine,
              NsSibling *lock, GError **error)
{
  const char *path = request->items.checkpoint;
  g_autoptr (NsExperiment) experiment = NULL;
  NsQuantitySet quantities = { { 0 } };
  NsTrainingPlan plan;
  gboolean exists;

  if (!make_training_plan (request, format, &quantities, &plan, error)
      || (path != NULL
          && (!ns_cli_check_checkpoint (options, error) || !ns_cli_check_output (path, error)
              || !ns_training_reserve_file (path, lock, error))))
    return NULL;
  exists = path != NULL && g_file_test (path, G_FILE_TEST_EXISTS);
  if (!exists || has_experiment (options))
    {
      experiment = ns_cli_options_load (options, NULL, error);
      if (experiment == NULL)
        return NULL;
    }
  if (!ns_cli_check_output (request->output, error))
    return NULL;
  if (exists)
    return read_checkpoint (path, experiment, error);
  ns_cli_announce_training (engine, experiment, &plan);
  return ns_training_new (experiment, &plan, 0, (guint) experiment->sampling.seeds, error);
}

/* ---- all ---- */

static gboolean
run_coordinates (const NsCliOptions *options, const NsCliTrainRequest *request, GError **error)
{
  const NsCliCoordinatesRequest wanted
      = { request->widths, request->output, request->format,
          ns_cli_train_wants_provenance (request) ? NS_CSV_PROVENANCE : NS_CSV_PLAIN };

  return ns_cli_train_check_no_records (request, "coordinate-check", error)
         && ns_cli_train_check_no_map (request, error)
         && ns_cli_coordinates_write (options, &wanted, error);
}

/* Train, and write the checkpoint and the output. */
static gboolean
train_and_write (const NsCliOptions *options, const NsCliTrainRequest *request, int format, NsSibling *lock,
                 GError **error)
{
  static const NsCliWatch watch = { .dup_progress = dup_train_progress, .tick = tick, .keeps = TRUE };
  g_autoptr (NsTraining) training = NULL;
  g_autoptr (NsEngine) engine = ns_cli_options_new_engine (options, error);
  g_autoptr (GBytes) bytes = NULL;
  TrainJob job;

  if (engine == NULL)
    return FALSE;
  training = new_training (options, request, format, engine, lock, error);
  if (training == NULL)
    return FALSE;
  job = (TrainJob) { engine, training, request->items.checkpoint, g_get_monotonic_time (), NULL };
  if (ns_cli_run_watched_job (train_job, &job, &watch, error) == NULL)
    return FALSE;
  if (request->items.checkpoint != NULL)
    save (&job);
  bytes = format_training (training, request, format);
  if (!ns_cli_write (request->output, bytes, error))
    return FALSE;
  if (job.failure != NULL)
    g_propagate_error (error, job.failure);
  return job.failure == NULL;
}

static gboolean
run_train (const NsCliOptions *options, const NsCliTrainRequest *request, GError **error)
{
  NsSibling lock = { NULL, -1, -1 };
  gboolean ok;
  int format;

  if (!ns_cli_ranks_check ("train", request->map, error))
    return FALSE;
  if (request->coordinate_check)
    return run_coordinates (options, request, error);
  format = ns_cli_train_choose_format (request, error);
  if (format < 0)
    return FALSE;
  if (request->map)
    return ns_cli_train_map (options, request, format, error);
  if (!ns_cli_train_check_no_map (request, error) || !ns_cli_train_check_request (request, format, error))
    return FALSE;
  if (request->estimate)
    return estimate (options, request, format, error);
  ok = train_and_write (options, request, format, &lock, error);
  ns_sibling_release (&lock);
  return ok;
}

int
ns_cli_train (int argc, char **argv)
{
  g_auto (NsCliOptions) options = { 0 };
  g_auto (NsCliTrainRequest) request = { .first = (int) NS_TRAINING_PLAN_DEFAULT.n_first,
                                         .later = (int) NS_TRAINING_PLAN_DEFAULT.n_later };
  g_autoptr (GError) error = NULL;
  const GOptionEntry entries[] = {
    { "output", 'o', 0, G_OPTION_ARG_FILENAME, &request.output, N_ ("Write to FILE instead of standard output"),
      N_ ("FILE") },
    { "format", 'f', 0, G_OPTION_ARG_STRING, &request.format,
      N_ ("table, the losses of some steps, or csv, json or npy, the losses of all steps and everything else at "
          "recorded ones (default: the output file's extension, else table)"),
      N_ ("FORMAT") },
    { "quantity", 'q', 0, G_OPTION_ARG_STRING_ARRAY, &request.quantities,
      N_ ("Record only these, separated by commas: w_q, w_2, grad_x, rms_x, token_cos, … (default: all)"),
      N_ ("NAMES") },
    { "first", 0, 0, G_OPTION_ARG_INT, &request.first, N_ ("Record each of the first N steps (default 20)"), "N" },
    { "later", 0, 0, G_OPTION_ARG_INT, &request.later,
      N_ ("Record N of the later steps, and always the last one (default 40)"), "N" },
    { "logarithmic", 0, 0, G_OPTION_ARG_NONE, &request.logarithmic,
      N_ ("Space the later recorded steps by logarithm, instead of evenly"), NULL },
    { "per-seed", 0, 0, G_OPTION_ARG_NONE, &request.per_seed,
      N_ ("Write the value of each seed: in json in addition to the statistics, in csv and npy instead"), NULL },
    { "checkpoint", 0, 0, G_OPTION_ARG_FILENAME, &request.items.checkpoint,
      N_ ("Save the training to FILE every half minute and at the end; if FILE exists, go on from there, with the "
          "experiment and the recorded steps that it has. With --map: append each finished training to FILE"),
      N_ ("FILE") },
    { "shard", 0, 0, G_OPTION_ARG_STRING, &request.items.shard, NS_CLI_SHARD_HELP, N_ ("I/N") },
    { "estimate", 0, 0, G_OPTION_ARG_NONE, &request.estimate,
      N_ ("Only print the time and the memory that the training is estimated to take on this machine"), NULL },
    { "provenance", 0, 0, G_OPTION_ARG_NONE, &request.provenance,
      N_ ("Begin a csv with comment lines (#): experiment, seeds, version, BLAS, precision (default with -o FILE)"),
      NULL },
    { "no-provenance", 0, 0, G_OPTION_ARG_NONE, &request.no_provenance, N_ ("Leave out these lines"), NULL },
    { "map", 0, 0, G_OPTION_ARG_NONE, &request.map,
      N_ ("Train with many learning rates at several depths or warm-ups, and write the losses at the end"), NULL },
    { "over", 0, 0, G_OPTION_ARG_STRING, &request.over,
      N_ ("With --map: the rows, depth or warmup (default depth)"), N_ ("WORD") },
    { "of-seeds", 0, 0, G_OPTION_ARG_STRING, &request.of_seeds,
      N_ ("With --map: what a table shows, the worst, mean or best of the seeds (default worst)"), N_ ("WORD") },
    NS_CLI_SENSITIVITY_ENTRIES (&request.sensitivity),
    { "coordinate-check", 0, 0, G_OPTION_ARG_NONE, &request.coordinate_check,
      N_ ("Train four steps at several widths, and write the sizes of branches, sums, scores and logits after each, as "
          "table, csv or json"),
      NULL },
    { "widths", 0, 0, G_OPTION_ARG_STRING, &request.widths,
      N_ ("With --coordinate-check: widths, such as 32,64,128 or 64..512:4 (default: a quarter to the double of the "
          "experiment's own)"),
      N_ ("POINTS") },
    { NULL },
  };

  if (!ns_cli_options_parse (&options, argc, argv, entries, TRUE, 1, &error))
    return ns_cli_fail (error);
  if (options.help)
    {
      g_autoptr (GBytes) help = ns_cli_options_help (
          "train", "[FILE.normscope]",
          _ ("Train every variant with every seed, and print the losses. Ctrl+C stops the training and writes\n"
             "what there is."),
          entries, TRUE);

      return ns_cli_write (NULL, help, &error) ? NS_EXIT_DONE : ns_cli_fail (error);
    }
  if (!run_train (&options, &request, &error))
    return ns_cli_fail (error);
  if (ns_cli_get_signal () == 0)
    return NS_EXIT_DONE;
  ns_cli_warn ("%s", _ ("interrupted; the steps so far were written"));
  return 128 + ns_cli_get_signal ();
}
