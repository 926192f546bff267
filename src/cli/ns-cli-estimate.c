/* What a long run will take, said before it begins.
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

/* Some seconds on any machine of today; measuring takes a few tenths of one. */
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
