/* Shared code of the fuzz targets.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "fuzz.h"

#include "memory.h"

#include "document/ns-experiment-json.h"
#include "document/ns-experiment-write.h"
#include "engine/experiment/ns-experiment.h"
#include "engine/experiment/ns-validate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int
LLVMFuzzerInitialize (int *argc, char ***argv)
{
  /* Ignore presets of the user who runs the test. */
  g_setenv ("XDG_DATA_HOME", "/nonexistent", TRUE);
  g_log_set_always_fatal (G_LOG_FATAL_MASK | G_LOG_LEVEL_CRITICAL | G_LOG_LEVEL_WARNING);
  return 0;
}

/* Bytes that the input may expand to. */
static gsize expanded;

void
fuzz_expect_expansion (gsize bytes)
{
  expanded = bytes;
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  gsize peak, allowed;

  expanded = 0;
  fuzz_memory_begin ();
  fuzz_one (data, size);
  peak = fuzz_memory_get_peak ();
  allowed = FUZZ_MEMORY_BYTES + FUZZ_MEMORY_FACTOR * (size + expanded);
  if (peak > allowed)
    {
      g_autofree char *more = g_strdup_printf ("%zu bytes for an input of %zu; allowed: %zu", peak, size, allowed);

      fuzz_fail (__FILE__, __LINE__, "the memory is in proportion to the input", more);
    }
  return 0;
}

void
fuzz_fail (const char *file, int line, const char *what, const char *more)
{
  fprintf (stderr, "%s:%d: check failed: %s%s%s\n", file, line, what, more != NULL ? ": " : "",
           more != NULL ? more : "");
  fflush (stderr);
  abort ();
}

void
fuzz_check_error (const GError *error)
{
  FUZZ_CHECK (error != NULL);
  FUZZ_CHECK (error->message != NULL && *error->message != '\0');
  if (error->domain != NS_DOCUMENT_ERROR || error->code != NS_DOCUMENT_ERROR_INPUT)
    fuzz_fail (__FILE__, __LINE__, "the error is the reader's own", error->message);
  FUZZ_CHECK (g_utf8_validate (error->message, -1, NULL));
  if (g_utf8_strlen (error->message, -1) > FUZZ_MAX_MESSAGE)
    fuzz_fail (__FILE__, __LINE__, "the message is short", error->message);
  if (strstr (error->message, FUZZ_NAME) == NULL)
    fuzz_fail (__FILE__, __LINE__, "the message names the source", error->message);
}

static void
check_whole (const NsExperiment *experiment)
{
  g_autoptr (GBytes) bytes = ns_experiment_to_bytes (experiment);
  g_autoptr (GBytes) bytes_again = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (NsExperiment) again = ns_experiment_from_bytes (bytes, FUZZ_NAME, &error);

  if (again == NULL)
    fuzz_fail (__FILE__, __LINE__, "a written experiment can be read", error->message);
  FUZZ_CHECK (ns_experiment_equal (experiment, again));
  bytes_again = ns_experiment_to_bytes (again);
  FUZZ_CHECK (g_bytes_equal (bytes, bytes_again));
}

static void
check_line (const NsExperiment *experiment)
{
  char *line = ns_experiment_dup_line (experiment);
  g_autoptr (GBytes) bytes = g_bytes_new_take (line, strlen (line));
  g_autoptr (GError) error = NULL;
  g_autoptr (NsExperiment) again = ns_experiment_from_bytes (bytes, FUZZ_NAME, &error);

  FUZZ_CHECK (strchr (line, '\n') == NULL);
  if (again == NULL)
    fuzz_fail (__FILE__, __LINE__, "the line can be read", error->message);
  FUZZ_CHECK (ns_experiment_equal (experiment, again));
}

static void
check_minimal (const NsExperiment *experiment)
{
  NsJsonWriter writer;
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (NsExperiment) again = NULL;

  ns_json_writer_init (&writer);
  writer.tight = TRUE;
  ns_experiment_write_minimal (&writer, NULL, experiment);
  bytes = ns_json_writer_finish (&writer);
  again = ns_experiment_from_minimal (bytes, FUZZ_NAME, &error);
  if (again == NULL)
    fuzz_fail (__FILE__, __LINE__, "the minimal form can be read", error->message);
  FUZZ_CHECK (ns_experiment_equal (experiment, again));
}

void
fuzz_check_experiment (const NsExperiment *experiment)
{
  g_autoptr (GError) error = NULL;

  if (!ns_experiment_validate (experiment, &error))
    fuzz_fail (__FILE__, __LINE__, "an accepted experiment is valid", error->message);
  check_whole (experiment);
  check_line (experiment);
  check_minimal (experiment);
}

gboolean
fuzz_check_bytes (GBytes *bytes)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GError) minimal_error = NULL;
  g_autoptr (NsExperiment) experiment = ns_experiment_from_bytes (bytes, FUZZ_NAME, &error);
  g_autoptr (NsExperiment) minimal = ns_experiment_from_minimal (bytes, FUZZ_NAME, &minimal_error);

  /* ns_experiment_from_minimal() differs only in accepting a missing `format`. */
  FUZZ_CHECK (experiment == NULL || (minimal != NULL && ns_experiment_equal (experiment, minimal)));
  if (minimal == NULL)
    fuzz_check_error (minimal_error);
  else
    fuzz_check_experiment (minimal);
  if (experiment == NULL)
    {
      fuzz_check_error (error);
      return FALSE;
    }
  FUZZ_CHECK (error == NULL);
  return TRUE;
}
