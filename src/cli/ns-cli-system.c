/* What the system may refuse: memory, threads, standard streams.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli/ns-cli.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

static NsCliReportFunc report_refused;
static gboolean has_ended;
static int ended_status = NS_EXIT_FAILURE;

void
ns_cli_open_streams (void)
{
  int fd;

  /* Open them the other way round, so that reading and writing fail instead of using the file that is opened next. */
  for (int i = STDIN_FILENO; i <= STDERR_FILENO; i++)
    if (fcntl (i, F_GETFD) < 0 && (fd = open ("/dev/null", i == STDIN_FILENO ? O_WRONLY : O_RDONLY)) != i && fd >= 0)
      close (fd);
}

/* Return the end of a message of GLib's: "…/gmem.c:136: failed to allocate 16 bytes". */
static const char *
skip_place (const char *message)
{
  const char *colon = strstr (message, ".c:");
  const char *end = colon != NULL ? strstr (colon, ": ") : NULL;

  return end != NULL ? end + 2 : message;
}

/* GLib and the libraries above it cannot go on without memory for themselves or a thread; they log an error, which ends
 * the program with a signal. End it as any other failure does. */
static void
on_log (const char *domain, GLogLevelFlags level, const char *message, gpointer data)
{
  if ((level & G_LOG_LEVEL_ERROR) == 0)
    {
      g_log_default_handler (domain, level, message, data);
      return;
    }
  if (!has_ended)
    report_refused (skip_place (message));
  _exit (ended_status);
}

void
ns_cli_catch_refusals (NsCliReportFunc report)
{
  report_refused = report;
  /* A file that the limit of the shell does not allow is an error of write(), too. */
  signal (SIGXFSZ, SIG_IGN);
  g_log_set_default_handler (on_log, NULL);
}

int
ns_cli_end (int status)
{
  has_ended = TRUE;
  ended_status = status;
  return status;
}
