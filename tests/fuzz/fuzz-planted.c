/* A fuzz target with an error in it: shows that the fuzzing as it is set up makes up an input of its own and finds one.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/experiment/ns-experiment.h"
#include "fuzz.h"

#include "document/ns-experiment-json.h"

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  g_autoptr (GBytes) bytes = g_bytes_new (data, size);
  g_autoptr (NsExperiment) experiment = ns_experiment_from_bytes (bytes, FUZZ_NAME, NULL);

  /* No file of the corpus has an odd depth. */
  FUZZ_CHECK (experiment == NULL || experiment->shape.depth % 2 == 0);
  return 0;
}
