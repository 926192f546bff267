/* Announce the estimated time and memory of a long run.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli/ns-cli.h"

#include "engine/experiment/ns-settings.h"
#include "engine/run/ns-estimate.h"

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
