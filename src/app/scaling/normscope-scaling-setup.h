/* Set an experiment up for a claim.
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

/* Return a new experiment that meets the claim's assumptions: its preset, or a copy of `experiment` if it has none,
 * with the claim's variants added where they are missing and every assumption that does not hold set. Return NULL with
 * an error when the preset cannot be read or a value cannot be set. */
NsExperiment *normscope_claim_set_up (const NsClaim *claim, const NsExperiment *experiment, GError **error);

G_END_DECLS
