/* Measure the training of "Why warm-up": one run alone, and four variants of 300 steps.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 *     bench-training FILE.normscope STEPS [THREADS]
 *
 * Trains every variant of the experiment with one seed, for so many steps, without records, and prints the time.
 */
#include "document/ns-experiment-json.h"
#include "engine/experiment/ns-experiment.h"
#include "engine/train/ns-training.h"

#include <locale.h>
#include <stdlib.h>

static gboolean
measure (const char *path, gint64 steps, guint threads, GError **error)
{
  g_autoptr (GBytes) bytes = ns_file_read_path (path, NS_FILE_EXPERIMENT, error);
  g_autoptr (NsExperiment) experiment = bytes != NULL ? ns_experiment_from_bytes (bytes, path, error) : NULL;
  const NsQuantitySet none = { { 0 } };
  const NsTrainingPlan plan = { .quantities = &none };
  g_autoptr (NsTraining) training = NULL;
  NsEngine *engine;
  gboolean ok;

  if (experiment == NULL)
    return FALSE;
  experiment->training.steps = steps;
  training = ns_training_new (experiment, &plan, 0, 1, error);
  if (training == NULL)
    return FALSE;
  engine = ns_engine_new (threads, 0);
  ok = ns_engine_train (engine, training, NULL, error);
  g_print ("%u runs of %lld steps, %u threads: %.1f ms\n", experiment->variants->len, (long long) steps,
           ns_engine_get_threads (engine), ns_training_get_elapsed_ms (training));
  ns_engine_free (engine);
  return ok;
}

int
main (int argc, char **argv)
{
  g_autoptr (GError) error = NULL;

  setlocale (LC_CTYPE, "");
  if (argc < 3)
    return EXIT_FAILURE;
  if (measure (argv[1], atoll (argv[2]), argc > 3 ? (guint) atoi (argv[3]) : 0, &error))
    return EXIT_SUCCESS;
  g_printerr ("bench-training: %s\n", error->message);
  return EXIT_FAILURE;
}
