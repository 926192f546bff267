/* normscope-cli dump and script: write the arrays of one variant and seed for NumPy, optionally with a PyTorch script.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli/ns-cli-maps.h"
#include "cli/ns-cli-options.h"
#include "cli/ns-cli.h"
#include "engine/experiment/ns-experiment.h"
#include "engine/experiment/ns-training-settings.h"

#include "script/ns-dump.h"
#include "script/ns-torch-block.h"

#include <glib/gi18n.h>
#include <string.h>

typedef struct
{
  NsEngine *engine;
  const NsExperiment *experiment;
  guint variant;
  const char *directory;
  const NsScriptParts *parts; /* NULL: a dump alone */
} DumpJob;

static gpointer
write_dump (gpointer user_data, NsProgress *progress, GError **error)
{
  DumpJob *job = user_data;
  gboolean done;

  if (job->parts != NULL)
    done = ns_dump_write_script (job->engine, job->experiment, job->variant, job->parts, job->directory, progress,
                                 error);
  else
    done = ns_dump_write (job->engine, job->experiment, job->variant, job->directory, progress, error);
  if (done)
    ns_cli_set_written ();
  return done ? job : NULL;
}

static gboolean
run_dump (const NsCliOptions *options, const char *directory, const NsScriptParts *parts, GError **error)
{
  g_autoptr (NsExperiment) experiment = NULL;
  g_autoptr (NsEngine) engine = NULL;
  DumpJob job;
  guint variant;

  if (directory == NULL)
    {
      g_set_error (error, NS_CLI_ERROR, NS_CLI_ERROR_USAGE,
                   _ ("--out: the folder is missing; allowed: a new name, an empty folder or an earlier dump"));
      return FALSE;
    }
  experiment = ns_cli_options_load (options, &variant, error);
  if (experiment == NULL
      || (parts != NULL && parts->training && !ns_experiment_validate_training (experiment, error))
      || !ns_dump_check_directory (directory, error))
    return FALSE;
  engine = ns_cli_options_new_engine (options, error);
  if (engine == NULL)
    return FALSE;
  job = (DumpJob) { engine, experiment, variant, directory, parts };
  return ns_cli_run_job (write_dump, &job, error) != NULL;
}

/* Write the short form of a variant's block. */
static gboolean
run_block (const NsCliOptions *options, const char *path, GError **error)
{
  g_autoptr (NsExperiment) experiment = NULL;
  g_autoptr (GBytes) bytes = NULL;
  char *text;
  guint variant;

  experiment = ns_cli_options_load (options, &variant, error);
  text = experiment != NULL ? ns_torch_block_dup (experiment, variant, error) : NULL;
  if (text == NULL)
    return FALSE;
  bytes = g_bytes_new_take (text, strlen (text));
  return ns_cli_write (path, bytes, error);
}

static int
run_dump_command (int argc, char **argv, gboolean with_script, const char *arguments, const char *summary)
{
  g_auto (NsCliOptions) options = { 0 };
  g_auto (NsCliMaps) maps = { .of_script = with_script };
  g_autofree char *directory = NULL;
  gboolean block = FALSE;
  g_autoptr (NsScriptParts) parts = NULL;
  g_autoptr (GError) error = NULL;
  GOptionEntry entries[2 + NS_CLI_N_MAPS_ENTRIES + 1] = {
    { "out", 'o', 0, G_OPTION_ARG_FILENAME, &directory,
      N_ ("Folder to write: a new name, an empty folder or an earlier dump"), N_ ("DIR") },
  };

  if (with_script)
    {
      ns_cli_maps_append_entries (&maps, entries);
      entries[1 + NS_CLI_N_MAPS_ENTRIES] = (GOptionEntry) {
        "block", 0, 0, G_OPTION_ARG_NONE, &block,
        N_ ("Write only a block of the variant, as a few lines to read: to standard output, or to the file of --out"),
        NULL
      };
    }
  if (!ns_cli_options_parse (&options, argc, argv, entries, TRUE, 1, &error))
    return ns_cli_fail (error);
  if (options.help)
    {
      g_autoptr (GBytes) help
        = ns_cli_options_help (argv[0], arguments, summary, entries, TRUE);

      return ns_cli_write (NULL, help, &error) ? NS_EXIT_DONE : ns_cli_fail (error);
    }
  if (with_script && (parts = ns_cli_maps_read_parts (&maps, &error)) == NULL)
    return ns_cli_fail (error);
  if (block)
    return run_block (&options, directory, &error) ? NS_EXIT_DONE : ns_cli_fail (error);
  return run_dump (&options, directory, parts, &error) ? NS_EXIT_DONE : ns_cli_fail (error);
}

int
ns_cli_dump (int argc, char **argv)
{
  return run_dump_command (
      argc, argv, FALSE, "[FILE.normscope] --variant NAME --out DIR",
      _ ("Write weights, input and result of the first seed as .npy and JSON files. --variant is the\n"
         "name of one of the experiment's variants, its number from 0, or a built-in variant."));
}

int
ns_cli_script (int argc, char **argv)
{
  return run_dump_command (
      argc, argv, TRUE, "[FILE.normscope] --variant NAME [--of WORD …] --out DIR",
      _ ("Write experiment.py and the weights. The script needs only PyTorch: it runs the same\n"
         "experiment on these weights (with --own-weights, on its own), prints the same table and\n"
         "the largest relative difference to Normscope's numbers. With --of, which can be repeated,\n"
         "it also computes and compares maps of “paths”, contributions to all blocks, or takes the\n"
         "steps of the training with torch.optim, from the same weights and with the same\n"
         "minibatches, and compares losses and weights. --variant is the name of one of the\n"
         "experiment's variants, its number from 0, or a built-in variant."));
}
