/* normscope-verify VARIANT: the engine's self-check in double precision. Internal: see script/ns-verification.h.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Read an experiment file from standard input and check the variant with the given number. Print lines "progress DONE
 * TOTAL", then the report as JSON, and exit with 0 even if a check failed. On an error, print a message and exit with
 * 1. The parent process cancels the check by killing this one.
 */
#include "config.h"
#include "engine/experiment/ns-experiment.h"

#include "cli/ns-cli.h"
#include "document/ns-experiment-json.h"
#include "script/ns-verification.h"

#include <glib/gi18n.h>
#include <locale.h>
#include <stdio.h>

#define CANCEL_POLL_US (50 * 1000)

typedef struct
{
  const NsExperiment *experiment;
  guint variant;
  NsProgress *progress;
  NsVerifyReport *report;
  GError *error;
  gint done; /* atomic */
} CheckJob;

static gpointer
run_check (gpointer data)
{
  CheckJob *job = data;

  job->report = ns_verify_run (job->experiment, job->variant, 0, NULL, job->progress, &job->error);
  g_atomic_int_set (&job->done, 1);
  return NULL;
}

static void
print_progress (NsProgress *progress)
{
  guint64 done, total;

  ns_progress_get (progress, &done, &total);
  printf ("progress %llu %llu\n", (unsigned long long) done, (unsigned long long) total);
  fflush (stdout);
}

static NsVerifyReport *
check (const NsExperiment *experiment, guint variant, GError **error)
{
  g_autoptr (NsProgress) progress = ns_progress_new ();
  CheckJob job = { .experiment = experiment, .variant = variant, .progress = progress };
  GThread *thread = g_thread_try_new ("verify", run_check, &job, error);

  if (thread == NULL)
    return NULL;
  while (!g_atomic_int_get (&job.done))
    {
      g_usleep (CANCEL_POLL_US);
      print_progress (progress);
    }
  g_thread_join (thread);
  if (job.error != NULL)
    g_propagate_error (error, job.error);
  return job.report;
}

static NsExperiment *
read_experiment (GError **error)
{
  g_autoptr (GBytes) bytes = ns_file_read_standard_input (NS_FILE_EXPERIMENT, NULL, error);

  return bytes != NULL ? ns_experiment_from_bytes (bytes, _ ("standard input"), error) : NULL;
}

static int
fail (const char *message)
{
  printf ("%s\n", message);
  return 1;
}

static void
print_refusal (const char *cause)
{
  printf (_ ("the system refused memory or a thread: %s\n"), cause);
  fflush (stdout);
}

static int
check_variant (int argc, char **argv)
{
  g_autoptr (NsExperiment) experiment = NULL;
  g_autoptr (NsVerifyReport) report = NULL;
  g_autoptr (GBytes) json = NULL;
  g_autoptr (GError) error = NULL;
  guint64 variant;

  if (argc != 2 || !g_ascii_string_to_unsigned (argv[1], 10, 0, NS_MAX_VARIANTS - 1, &variant, NULL))
    return fail (_ ("Usage: normscope-verify VARIANT < FILE.normscope; VARIANT is a variant's number from 0"));
  experiment = read_experiment (&error);
  if (experiment == NULL)
    return fail (error->message);
  if (variant >= experiment->variants->len)
    return fail (_ ("Usage: normscope-verify VARIANT < FILE.normscope; VARIANT is a variant's number from 0"));
  report = check (experiment, (guint) variant, &error);
  if (report == NULL)
    return fail (error->message);
  json = ns_verify_report_to_json (report);
  fwrite (g_bytes_get_data (json, NULL), 1, g_bytes_get_size (json), stdout);
  return fflush (stdout) == 0 ? 0 : 1;
}

int
main (int argc, char **argv)
{
  const char *directory = g_getenv ("NORMSCOPE_LOCALEDIR");

  setlocale (LC_ALL, "");
  bindtextdomain (GETTEXT_PACKAGE, directory != NULL ? directory : LOCALEDIR);
  bind_textdomain_codeset (GETTEXT_PACKAGE, "UTF-8");
  textdomain (GETTEXT_PACKAGE);
  ns_cli_catch_refusals (print_refusal);
  return ns_cli_end (check_variant (argc, argv));
}
