/* The claim cards, with verdicts from the measured sweeps and results.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The pane takes a share of the window's width.
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

/* Evaluate every claim with the sweeps and results of the tasks (NormscopeTask, borrowed), which belong to this
 * experiment. */
void normscope_scaling_claims_show (NormscopeScalingClaims *self, const NsExperiment *experiment, GPtrArray *tasks);

G_END_DECLS
