/* What the commands of normscope-cli share.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Exit status: 0 done, 1 a failure while running (an output that cannot be written, a full disk), 2 bad usage or
 * input, 3 an expectation that was not met, 128 + signal when interrupted. Messages go to standard error, numbers to
 * standard output or -o FILE.
 * Threads: the main thread, but for what ns_cli_run_job() runs.
 */
#pragma once

#include "engine/experiment/ns-settings.h"
#include "engine/run/ns-engine.h"

#include <gio/gio.h>

G_BEGIN_DECLS

enum
{
  NS_EXIT_DONE = 0,
  NS_EXIT_FAILURE = 1,
  NS_EXIT_USAGE = 2,
  NS_EXIT_MISSED = 3,
};

#define NS_CLI_ERROR (ns_cli_error_quark ())
GQuark ns_cli_error_quark (void);
typedef enum
{
  NS_CLI_ERROR_USAGE,
} NsCliError;

typedef struct
{
  const char *name;
  const char *arguments; /* "[FILE]", "[NAME]" */
  const char *summary;   /* one line, N_() marked */
  int (*run) (int argc, char **argv); /* argv[0] is the command's name; the exit status */
} NsCliCommand;

int ns_cli_bench (int argc, char **argv);
int ns_cli_dump (int argc, char **argv);
int ns_cli_link (int argc, char **argv);
int ns_cli_plot (int argc, char **argv);
int ns_cli_presets (int argc, char **argv);
int ns_cli_run (int argc, char **argv);
int ns_cli_scaling (int argc, char **argv);
int ns_cli_script (int argc, char **argv);
int ns_cli_verify (int argc, char **argv);

/* ---- ns-cli-output.c ---- */

/* Says what went wrong and gives the exit status that fits; error is not NULL. */
int ns_cli_fail (const GError *error);
void ns_cli_warn (const char *format, ...) G_GNUC_PRINTF (1, 2);
/* Standard output when path is NULL or "-". */
gboolean ns_cli_write (const char *path, GBytes *bytes, GError **error);
/* Before a long run: whether `path` can be expected to be writable. */
gboolean ns_cli_check_output (const char *path, GError **error);

/* ---- ns-cli-job.c ---- */

/* From now on SIGINT and SIGTERM are noted; a second one ends the program at once. */
void ns_cli_catch_signals (void);
/* The signal that came, or 0. */
int ns_cli_get_signal (void);

typedef gpointer (*NsCliJobFunc) (gpointer user_data, NsProgress *progress, GError **error);
/* Runs func in a thread; meanwhile shows progress on standard error when that is a terminal, and cancels when a signal
 * comes. What func returned; NULL with error when it failed or was interrupted. */
gpointer ns_cli_run_job (NsCliJobFunc func, gpointer user_data, GError **error);

/* ---- ns-cli-estimate.c ---- */

/* Says on standard error what a run that will take some seconds or more is going to take, if that is a terminal. */
void ns_cli_announce (const NsEngine *engine, const NsExperiment *experiment);

/* ---- ns-cli-verify.c ---- */

/* Verifies the experiment before it is run; the line that the output states of it, or NULL with error when it did not
 * pass. Caller frees. */
char *ns_cli_verify_first (const NsExperiment *experiment, GError **error);

G_END_DECLS
