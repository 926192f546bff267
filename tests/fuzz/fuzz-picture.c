/* Shared code of the fuzz targets for pictures.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "fuzz-picture.h"

#include "engine/experiment/ns-experiment.h"
#include "fuzz.h"

#include "document/ns-experiment-json.h"
#include "import/ns-experiment-open.h"
#include "document/ns-provenance.h"

static void
check_written (const NsExperiment *experiment, FuzzWriteFunc write)
{
  g_autofree char *line = ns_experiment_dup_line (experiment);
  NsExportMetadata metadata = { .title = "]]>", .description = "<&>", .software = FUZZ_NAME, .experiment = line };
  g_autoptr (GBytes) picture = write (&metadata);
  g_autoptr (GError) error = NULL;
  g_autoptr (NsExperiment) again = ns_experiment_open_bytes (picture, FUZZ_NAME, NULL, &error);

  if (again == NULL)
    fuzz_fail (__FILE__, __LINE__, "a written picture can be read", error->message);
  FUZZ_CHECK (ns_experiment_equal (experiment, again));
}

void
fuzz_check_picture (GBytes *picture, FuzzWriteFunc write)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GError) open_error = NULL;
  g_autoptr (GBytes) text = ns_provenance_read (picture, FUZZ_NAME, &error);
  g_autoptr (NsExperiment) experiment = ns_experiment_open_bytes (picture, FUZZ_NAME, NULL, &open_error);

  if (text == NULL)
    fuzz_check_error (error);
  else
    {
      FUZZ_CHECK (error == NULL);
      /* The embedded text is read like an experiment file. */
      FUZZ_CHECK (fuzz_check_bytes (text) == (experiment != NULL));
    }
  if (experiment == NULL)
    {
      fuzz_check_error (open_error);
      return;
    }
  fuzz_check_experiment (experiment);
  check_written (experiment, write);
}
