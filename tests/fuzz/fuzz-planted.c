/* A fuzz target with a planted error, which shows that the fuzzing setup generates new inputs and finds errors.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/experiment/ns-experiment.h"
#include "fuzz.h"

#include "document/ns-experiment-json.h"

int
fuzz_one (const guint8 *data, gsize size)
{
  g_autoptr (GBytes) bytes = g_bytes_new (data, size);
  g_autoptr (NsExperiment) experiment = ns_experiment_from_bytes (bytes, FUZZ_NAME, NULL);

  /* No file of the corpus has an odd depth. */
  FUZZ_CHECK (experiment == NULL || experiment->shape.depth % 2 == 0);
  return 0;
}
