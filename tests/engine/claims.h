/* Helpers of the tests of claims that train: a tiny experiment, a claim, and when nothing is trained.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "engine/analysis/ns-claim.h"

/* Seeds of the experiment: as few as a claim that trains accepts. */
#define SEEDS 5

/* Create an experiment on the Markov chain: Pre-LN and Post-LN with 2 blocks. Free with ns_experiment_free(). */
NsExperiment *claims_make_experiment (gint64 steps);
/* Create a claim that assumes 1 to 3 blocks and accepts least to most, 0 for no end. Free with ns_claim_free(). */
NsClaim *claims_make (NsCheckKind kind, const char *variant, double least, double most);
/* Evaluate the claim without any evidence and return why it is not judged. */
NsWhyNot claims_get_why_not (const NsClaim *claim, const NsExperiment *experiment);

/* Fail unless neither few seeds nor many blocks need a run, and the first claim says so. Leaves 4 blocks. */
void claims_assert_obstacles (GPtrArray *claims, NsExperiment *experiment);
