/* Puts in place what a claim presumes.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Threads: any.
 */
#pragma once

#include "engine/analysis/ns-claim.h"
#include "engine/experiment/ns-settings.h"

G_BEGIN_DECLS

/* The claim's preset, or without one the experiment as it stands; then the variants that the claim speaks of are added
 * where there are none, and every assumption that does not hold is put in place. NULL and an error when the preset
 * cannot be read or a value cannot be set. Caller owns the experiment. */
NsExperiment *normscope_claim_set_up (const NsClaim *claim, const NsExperiment *experiment, GError **error);

G_END_DECLS
