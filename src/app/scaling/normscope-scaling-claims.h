/* The claim cards, held against what has been measured.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Threads: main.
 */
#pragma once

#include <gtk/gtk.h>

#include "app/work/normscope-scaling-runner.h"
#include "engine/analysis/ns-claim.h"
#include "engine/experiment/ns-settings.h"

G_BEGIN_DECLS

#define NORMSCOPE_TYPE_SCALING_CLAIMS (normscope_scaling_claims_get_type ())
G_DECLARE_FINAL_TYPE (NormscopeScalingClaims, normscope_scaling_claims, NORMSCOPE, SCALING_CLAIMS, GtkBox)

/* Signal "set-up" (const NsClaim *). */

/* What the cards need of the experiment, each once: NsClaimNeed; only of claims that speak of a variant that is there.
 * Caller owns the array. */
GArray *normscope_scaling_claims_list_needs (const NsExperiment *experiment);

/* Holds every claim against the tasks' sweeps and results, which are of this experiment. NormscopeTask, borrowed for
 * the call. */
void normscope_scaling_claims_show (NormscopeScalingClaims *self, const NsExperiment *experiment, GPtrArray *tasks);

G_END_DECLS
