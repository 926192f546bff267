/* A sensitivity map for the commands train and plot.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Threads: the main thread.
 */
#pragma once

#include "engine/train/ns-sensitivity.h"

#include <gio/gio.h>

G_BEGIN_DECLS

/* Options as given on the command line; NULL if absent. Owned. */
typedef struct
{
  char *rates;  /* --learning-rates */
  char *points; /* --points */
} NsCliSensitivityRequest;

void ns_cli_sensitivity_request_clear (NsCliSensitivityRequest *request);
/* The entries of both options, for an array that a zeroed entry ends. */
#define NS_CLI_SENSITIVITY_ENTRIES(request)                                                                            \
  { "learning-rates", 0, 0, G_OPTION_ARG_STRING, &(request)->rates,                                                    \
    N_ ("Learning rates of a map, such as 1e-4,1e-3,1e-2 or 1e-4..1e-1:10, ten that are evenly spaced by logarithm "   \
        "(default: ten around the experiment's own, three for each decade)"),                                          \
    N_ ("RATES") },                                                                                                    \
  { "points", 0, 0, G_OPTION_ARG_STRING, &(request)->points,                                                           \
    N_ ("Depths or warm-ups of a map, such as 2,4,8 or 2..64:6 (default: depths from a quarter to the double of the "  \
        "experiment's own, or warm-ups from none to a third of the steps)"),                                           \
    N_ ("POINTS") }

/* Create the map of an experiment with all its seeds. Return NULL and an error if an option is not allowed. Caller owns
 * it. */
NsSensitivity *ns_cli_sensitivity_new (const NsCliSensitivityRequest *request, NsSensitivityAxis axis,
                                       const NsExperiment *experiment, GError **error);
/* Fill it in a job, with progress. With `keeps`, a signal keeps what there is (ns_cli_get_signal()). */
gboolean ns_cli_sensitivity_fill (NsEngine *engine, NsSensitivity *map, gboolean keeps, GError **error);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (NsCliSensitivityRequest, ns_cli_sensitivity_request_clear)

G_END_DECLS
