/* Claim cards in words.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Translated; plain text; callers free what is char *. Pure functions; any thread.
 */
#pragma once

#include "engine/analysis/ns-claim.h"
#include "engine/experiment/ns-settings.h"

G_BEGIN_DECLS

/* "consistent", "not consistent", "cannot tell here"; static. */
const char *ns_verdict_get_text (NsVerdict verdict);

/* The same of a claim, with "…, outside its assumptions" when one of them is not met: the verdict alone would say more
 * than was found. */
char *ns_claim_dup_verdict (const NsClaimResult *result);

/* "attention = uniform", "d_ff = d_model", "norm_eps from 0 to 1e-5": one assumption. */
char *ns_assumption_dup_text (const NsAssumption *assumption);

/* "All 9 assumptions are met.", "Not met: heads is 4, not 1; …", or "" for a claim without any. */
char *ns_claim_dup_assumptions (const NsClaim *claim, const NsExperiment *experiment, const NsClaimResult *result);

/* "Measured: exponent −0.49 ± 0.03 (16 seeds, L = 2 to 128). Expected: −0.50 ± 0.10."; "" when there is nothing. */
char *ns_claim_dup_measured (const NsClaim *claim, const NsClaimResult *result);

/* "The interval holds both …": why it cannot be told; NULL when it can. */
char *ns_claim_dup_why_not (const NsClaim *claim, const NsClaimResult *result);

/* The whole card for a terminal: title, statement, source, assumptions, measured value, verdict; ends in a newline. */
char *ns_claim_dup_card (const NsClaim *claim, const NsExperiment *experiment, const NsClaimResult *result);

G_END_DECLS
