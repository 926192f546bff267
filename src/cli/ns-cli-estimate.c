/* Announce the estimated time and memory of a long run.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli/ns-cli.h"

#include "engine/experiment/ns-settings.h"
#include "engine/train/ns-training-estimate.h"

#include <glib/gi18n.h>
#include <stdio.h>
#include <unistd.h>

/* Operations and random numbers of a run of several seconds; the estimate itself takes a few tenths of a second. */
#define LONG_FLOP 1e12
#define LONG_DRAWN 2e9

void
ns_cli_announce (const NsEngine *engine, const NsExperiment *experiment)
{
  g_autofree char *text = NULL;
  NsEstimate estimate;

  if (!isatty (STDERR_FILENO))
    return;
  ns_estimate_count (engine, experiment, &estimate);
  if (!estimate.fits || (estimate.flop < LONG_FLOP && estimate.drawn < LONG_DRAWN)
      || !ns_estimate_run (engine, experiment, NULL, &estimate, NULL))
    return;
  text = ns_estimate_dup_text (&estimate);
  fprintf (stderr, "%s\n", text);
}

/* ---- trainings ---- */

void
ns_cli_announce_training (const NsEngine *engine, const NsExperiment *experiment, const NsTrainingPlan *plan)
{
  g_autofree char *text = NULL;
  NsTrainingMemory memory;
  NsEstimate estimate;

  if (!isatty (STDERR_FILENO))
    return;
  ns_estimate_count_training (engine, experiment, plan, &estimate, &memory);
  if (!estimate.fits || estimate.flop < LONG_FLOP
      || !ns_estimate_training (engine, experiment, plan, NULL, &estimate, &memory, NULL))
    return;
  text = ns_estimate_dup_text (&estimate);
  fprintf (stderr, "%s\n", text);
}

GBytes *
ns_cli_estimate_training (const NsEngine *engine, const NsExperiment *experiment, const NsTrainingPlan *plan,
                          GError **error)
{
  g_autofree char *text = NULL, *parts = NULL;
  NsTrainingMemory memory;
  NsEstimate estimate;
  GString *out;

  if (!ns_estimate_training (engine, experiment, plan, NULL, &estimate, &memory, error))
    return NULL;
  out = g_string_new (NULL);
  text = ns_estimate_dup_text (&estimate);
  parts = ns_training_memory_dup_text (&memory);
  g_string_append_printf (out, "%s\n%s\n", text, parts);
  return g_string_free_to_bytes (out);
}
