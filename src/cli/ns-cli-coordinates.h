/* A coordinate check for the commands train and plot.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Threads: the main thread.
 */
#pragma once

#include "cli/ns-cli-options.h"
#include "document/ns-csv.h"
#include "engine/analysis/ns-coordinate-check.h"

G_BEGIN_DECLS

/* Run the check in a job, with progress. With `keeps`, a signal keeps what there is (ns_cli_get_signal()). */
gboolean ns_cli_coordinates_run (NsEngine *engine, NsCoordinateCheck *check, gboolean keeps, GError **error);

/* Options of the command train; borrowed. */
typedef struct
{
  const char *widths; /* or NULL: the usual ones */
  const char *output, *format;
  NsCsvFlags flags;
} NsCliCoordinatesRequest;

/* Load the experiment, run the check and write it. */
gboolean ns_cli_coordinates_write (const NsCliOptions *options, const NsCliCoordinatesRequest *request,
                                   GError **error);

G_END_DECLS
