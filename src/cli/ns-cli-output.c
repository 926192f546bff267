/* Messages, exit statuses and standard output.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli/ns-cli.h"

#include "cli/ns-cli-ranks.h"
#include "document/ns-file.h"
#include "engine/experiment/ns-experiment-error.h"
#include "engine/experiment/ns-text.h"
#include "plot/ns-export.h"
#include "script/ns-verification.h"

#include <errno.h>
#include <glib/gi18n.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Time in which rank 0 prints its message, and mpirun ends the others. */
#define RANK_0_US (2 * G_USEC_PER_SEC)

G_DEFINE_QUARK (ns-cli-error-quark, ns_cli_error)

static gboolean
is_runtime_error (const GError *error)
{
  return error->domain == NS_ENGINE_ERROR || error->domain == NS_VERIFICATION_ERROR
         || g_error_matches (error, NS_CLI_ERROR, NS_CLI_ERROR_SYSTEM)
         || (g_error_matches (error, NS_EXPERIMENT_ERROR, NS_EXPERIMENT_ERROR_MEMORY) && ns_machine_is_limited ())
         || g_error_matches (error, NS_DOCUMENT_ERROR, NS_DOCUMENT_ERROR_OUTPUT)
         || g_error_matches (error, NS_EXPORT_ERROR, NS_EXPORT_ERROR_SURFACE);
}

/* Print a message; replace invalid UTF-8 and control characters, which paths and values can contain. */
static void
print_message (const char *message)
{
  g_autofree char *valid = g_utf8_make_valid (message, -1);
  g_autofree char *printable = ns_text_dup_printable (valid);

  fprintf (stderr, "normscope-cli: %s\n", printable);
}

/* Of several processes that fail, rank 0 tells why. If another one fails alone, it says which it is. */
static void
print_of_rank (const char *message)
{
  g_autofree char *text = g_strdup_printf (_ ("rank %u of %u: %s"), ns_cli_ranks_get_own (), ns_cli_ranks_get_n (),
                                           message);

  g_usleep (RANK_0_US);
  print_message (text);
}

int
ns_cli_fail (const GError *error)
{
  if (ns_cli_ranks_get_own () > 0)
    print_of_rank (error->message);
  else
    print_message (error->message);
  return is_runtime_error (error) ? NS_EXIT_FAILURE : NS_EXIT_USAGE;
}

void
ns_cli_warn (const char *format, ...)
{
  g_autofree char *text = NULL;
  va_list args;

  va_start (args, format);
  text = g_strdup_vprintf (format, args);
  va_end (args);
  if (ns_cli_ranks_get_own () == 0)
    print_message (text);
}

static gboolean
write_standard_output (GBytes *bytes, GError **error)
{
  gsize length;
  const char *data = g_bytes_get_data (bytes, &length);

  ns_cli_set_written ();
  while (length > 0)
    {
      gssize n = write (STDOUT_FILENO, data, MIN (length, (gsize) G_MAXINT / 2));

      if (n < 0 && errno == EINTR)
        continue;
      if (n < 0)
        {
          g_set_error (error, NS_DOCUMENT_ERROR, NS_DOCUMENT_ERROR_OUTPUT, _ ("standard output cannot be written: %s"),
                       g_strerror (errno));
          return FALSE;
        }
      data += n;
      length -= (gsize) n;
    }
  return TRUE;
}

gboolean
ns_cli_write (const char *path, GBytes *bytes, GError **error)
{
  if (!ns_file_check_contents (bytes, error))
    return FALSE;
  if (path == NULL || strcmp (path, "-") == 0)
    return write_standard_output (bytes, error);
  if (!ns_file_write (path, bytes, error))
    return FALSE;
  ns_cli_set_written ();
  return TRUE;
}

gboolean
ns_cli_check_output (const char *path, GError **error)
{
  return path == NULL || strcmp (path, "-") == 0 || ns_cli_ranks_get_own () > 0
         || ns_file_check_writable (path, error);
}
