/* normscope-cli verify: check the engine on an experiment.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli/ns-cli-maps.h"
#include "cli/ns-cli-options.h"
#include "cli/ns-cli.h"
#include "engine/experiment/ns-experiment.h"
#include "engine/experiment/ns-training-settings.h"
#include "engine/experiment/ns-text.h"

#include "script/ns-verification.h"

#include <glib/gi18n.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

typedef enum { VERIFY_FORMAT_TEXT, VERIFY_FORMAT_JSON } VerifyFormat;
static const char *const verify_formats[] = { "text", "json", NULL };

typedef struct
{
  const NsExperiment *experiment;
  const NsScriptParts *parts;
  NsProgress *progress;
  gboolean is_terminal, is_shown;
} VerifyJob;

/* Rewrite one line of progress, if standard error is a terminal. */
static gboolean
show_step (gpointer data, double done, const char *variant)
{
  VerifyJob *job = data;

  if (job->is_terminal)
    {
      g_autofree char *name = ns_text_dup_line (variant);

      fprintf (stderr, "\r");
      fprintf (stderr, _ ("verifying %s, %.0f %% done"), name, 100 * done);
      fprintf (stderr, "\033[K");
      fflush (stderr);
      job->is_shown = TRUE;
    }
  return !ns_progress_is_cancelled (job->progress);
}

static gpointer
run_verification (gpointer user_data, NsProgress *progress, GError **error)
{
  VerifyJob *job = user_data;

  job->progress = progress;
  return ns_verification_run (job->experiment, job->parts, show_step, job, error);
}

static NsVerification *
verify (const NsExperiment *experiment, const NsScriptParts *parts, GError **error)
{
  VerifyJob job = { .experiment = experiment, .parts = parts, .is_terminal = isatty (STDERR_FILENO) };
  NsVerification *verification = ns_cli_run_job (run_verification, &job, error);

  if (job.is_shown)
    fprintf (stderr, "\r\033[K");
  return verification;
}

char *
ns_cli_verify_first (const NsExperiment *experiment, const NsPathsSettings *map, GError **error)
{
  g_autoptr (GArray) maps = g_array_new (FALSE, FALSE, sizeof (NsPathsSettings));
  const NsScriptParts parts = { .maps = maps };
  g_autoptr (NsVerification) verification = NULL;
  g_autofree char *text = NULL;

  if (map != NULL)
    g_array_append_vals (maps, map, 1);
  verification = verify (experiment, &parts, error);
  if (verification == NULL)
    return NULL;
  if (verification->passed)
    return ns_verification_dup_statement (verification);
  text = ns_verification_dup_text (verification);
  g_set_error (error, NS_VERIFICATION_ERROR, NS_VERIFICATION_ERROR_FAILED,
               _ ("--verify: the experiment did not pass; nothing was written:\n%s"), g_strchomp (text));
  return NULL;
}

static GBytes *
format_report (const NsVerification *verification, int format)
{
  g_autofree char *text = NULL;
  g_autofree char *printable = NULL;

  if (format == VERIFY_FORMAT_JSON)
    return ns_verification_to_json (verification);
  text = ns_verification_dup_text (verification);
  printable = ns_text_dup_printable (text);
  return g_bytes_new (printable, strlen (printable));
}

/* Return FALSE and an error if a check could not run; *passed is the verdict. */
static gboolean
run_verify (const NsCliOptions *options, const NsScriptParts *parts, const char *output, const char *word,
            gboolean *passed, GError **error)
{
  g_autoptr (NsExperiment) experiment = NULL;
  g_autoptr (NsVerification) verification = NULL;
  g_autoptr (GBytes) bytes = NULL;
  int format = output != NULL && g_str_has_suffix (output, ".json") ? VERIFY_FORMAT_JSON : VERIFY_FORMAT_TEXT;

  if (word != NULL)
    format = ns_cli_parse_choice ("format", word, verify_formats, error);
  if (format < 0)
    return FALSE;
  experiment = ns_cli_options_load (options, NULL, error);
  if (experiment == NULL || (parts->training && !ns_experiment_validate_training (experiment, error))
      || !ns_cli_check_output (output, error))
    return FALSE;
  verification = verify (experiment, parts, error);
  if (verification == NULL)
    return FALSE;
  *passed = verification->passed;
  bytes = format_report (verification, format);
  return ns_cli_write (output, bytes, error);
}

int
ns_cli_verify (int argc, char **argv)
{
  g_auto (NsCliOptions) options = { 0 };
  g_auto (NsCliMaps) maps = { .of_script = TRUE };
  g_autoptr (NsScriptParts) parts = NULL;
  g_autofree char *output = NULL;
  g_autofree char *format = NULL;
  g_autoptr (GError) error = NULL;
  gboolean passed;
  GOptionEntry entries[2 + NS_CLI_N_MAPS_ENTRIES + 1] = {
    { "output", 'o', 0, G_OPTION_ARG_FILENAME, &output, N_ ("Write to FILE instead of standard output"),
      N_ ("FILE") },
    { "format", 'f', 0, G_OPTION_ARG_STRING, &format,
      N_ ("text or json (default: the output file's extension, else text)"), N_ ("FORMAT") },
  };

  ns_cli_maps_append_entries (&maps, entries);
  if (!ns_cli_options_parse (&options, argc, argv, entries, TRUE, 1, &error))
    return ns_cli_fail (error);
  if (options.help)
    {
      g_autoptr (GBytes) help = ns_cli_options_help (
          "verify", "[FILE.normscope] [--of WORD …]",
          _ ("Check the engine on every variant of an experiment: gradients against finite differences of the loss,\n"
             "displayed gradient norms against the gradients, the adjoint identity of the operations, and all\n"
             "numbers against PyTorch, if installed. With --of, which can be repeated, also maps of “paths” and\n"
             "the first steps of the training against PyTorch. The exit status is 0 if all checks pass, else 1."),
          entries, TRUE);

      return ns_cli_write (NULL, help, &error) ? NS_EXIT_DONE : ns_cli_fail (error);
    }
  parts = ns_cli_maps_read_parts (&maps, &error);
  if (parts == NULL || !run_verify (&options, parts, output, format, &passed, &error))
    return ns_cli_fail (error);
  return passed ? NS_EXIT_DONE : NS_EXIT_FAILURE;
}
