/* Declarations shared by the commands of normscope-cli.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Exit status: 0 success, 1 failure while running (an output that cannot be written, a full disk), 2 bad usage or
 * input, 3 an expectation was not met, 128 + signal if interrupted. Messages go to standard error, numbers to standard
 * output or -o FILE.
 * Threads: the main thread, except functions passed to ns_cli_run_job(). Any slow work that writes more than one file,
 * starts a process or uses threads is a job.
 */
#pragma once

#include "engine/experiment/ns-settings.h"
#include "engine/run/ns-paths.h"
#include "engine/train/ns-training.h"

#include <gio/gio.h>

G_BEGIN_DECLS

/* Columns of wrapped text. */
#define NS_CLI_LINE_WIDTH 100

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
  NS_CLI_ERROR_SYSTEM, /* the system refuses what the program needs to start */
} NsCliError;

typedef struct
{
  const char *name;
  const char *arguments; /* "[FILE]", "[NAME]" */
  const char *summary;   /* one line, marked with N_() */
  int (*run) (int argc, char **argv); /* argv[0] is the command's name; returns the exit status */
  gboolean shares; /* its work with other ranks of MPI */
} NsCliCommand;

int ns_cli_bench (int argc, char **argv);
int ns_cli_dump (int argc, char **argv);
int ns_cli_lecture (int argc, char **argv);
int ns_cli_link (int argc, char **argv);
int ns_cli_merge (int argc, char **argv);
int ns_cli_pages (int argc, char **argv);
int ns_cli_paths (int argc, char **argv);
int ns_cli_plot (int argc, char **argv);
int ns_cli_presets (int argc, char **argv);
int ns_cli_run (int argc, char **argv);
int ns_cli_scaling (int argc, char **argv);
int ns_cli_script (int argc, char **argv);
int ns_cli_train (int argc, char **argv);
int ns_cli_verify (int argc, char **argv);

/* ---- ns-cli-output.c ---- */

/* Print the error and return its exit status; error is not NULL. */
int ns_cli_fail (const GError *error);
/* Print a message to standard error. */
void ns_cli_warn (const char *format, ...) G_GNUC_PRINTF (1, 2);
/* Write to a file, or to standard output if path is NULL or "-". */
gboolean ns_cli_write (const char *path, GBytes *bytes, GError **error);
/* Check that `path` is probably writable. Call it before a long run. */
gboolean ns_cli_check_output (const char *path, GError **error);

/* ---- ns-cli-job.c ---- */

/* From now on SIGINT and SIGTERM end the program within a fraction of a second, with a message, the status
 * 128 + signal and no unfinished file: at once, or while a job runs, when it has stopped. */
void ns_cli_catch_signals (void);
/* Leave "nothing was written" out of the message from now on. Threads: any. */
void ns_cli_set_written (void);

/* Return NULL and an error on failure or if the progress is cancelled. */
typedef gpointer (*NsCliJobFunc) (gpointer user_data, NsProgress *progress, GError **error);
/* Run func in a worker thread. Show its progress on standard error if that is a terminal. On a signal, cancel it and
 * end the program. Return func's result. */
gpointer ns_cli_run_job (NsCliJobFunc func, gpointer user_data, GError **error);

/* What the main thread does while a job runs. */
typedef struct
{
  /* Return the progress in words, or NULL: nothing to show yet. Caller frees. */
  char *(*dup_progress) (gpointer user_data, NsProgress *progress, double elapsed_s);
  /* Called many times a second; or NULL. */
  void (*tick) (gpointer user_data);
  /* A signal cancels the job, which then succeeds with what it has done so far; a second signal ends the program. */
  gboolean keeps;
} NsCliWatch;

/* The same with another view. With `keeps`, a cancelled job returns its user_data, and ns_cli_get_signal() tells that
 * it was cancelled. */
gpointer ns_cli_run_watched_job (NsCliJobFunc func, gpointer user_data, const NsCliWatch *watch, GError **error);
/* Return the signal that a job got, or 0. */
int ns_cli_get_signal (void);
/* Return the exit status of a command that has no error: 128 + signal if it was interrupted. */
int ns_cli_get_end_status (void);
/* Return the seconds until the end of a job at its speed so far; NAN before it begins. */
double ns_cli_get_seconds_left (NsProgress *progress, double elapsed_s);

/* ---- ns-cli-train.c ---- */

/* Return the steps, the time left and the losses so far; NULL before there is anything to tell. Caller frees. */
char *ns_cli_train_dup_progress (const NsTraining *training, NsProgress *progress, double elapsed_s);

/* ---- ns-cli-system.c ---- */

/* Open standard streams that the caller closed, so that using them fails, and no file gets their numbers. */
void ns_cli_open_streams (void);
/* Print why the program ends: "failed to allocate 16 bytes". Called from any thread. */
typedef void (*NsCliReportFunc) (const char *cause);
/* From now on, memory or a thread that GLib needs and the system refuses ends the program with the report and the
 * status 1, in place of a signal. */
void ns_cli_catch_refusals (NsCliReportFunc report);
/* Note and return the status that main() returns: from now on nothing can fail. */
int ns_cli_end (int status);

/* ---- ns-cli-estimate.c ---- */

/* Print the estimated time and memory of a run of several seconds or more, if standard error is a terminal. */
void ns_cli_announce (const NsEngine *engine, const NsExperiment *experiment);
/* The same of a training. */
void ns_cli_announce_training (const NsEngine *engine, const NsExperiment *experiment, const NsTrainingPlan *plan);
/* Return the estimated time and memory of a training, and what takes the memory; NULL with an error. */
GBytes *ns_cli_estimate_training (const NsEngine *engine, const NsExperiment *experiment, const NsTrainingPlan *plan,
                                  GError **error);

/* ---- ns-cli-verify.c ---- */

/* Verify the experiment before a run, and a map with these settings unless they are NULL. Return the statement for the
 * output, or NULL and an error if it did not pass. Caller frees. */
char *ns_cli_verify_first (const NsExperiment *experiment, const NsPathsSettings *map, GError **error);

G_END_DECLS
