/* Claim cards in words.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Texts are translated and plain; the caller frees a char *. Pure functions; any thread.
 */
#pragma once

#include "engine/analysis/ns-claim.h"
#include "engine/experiment/ns-settings.h"

G_BEGIN_DECLS

/* Return "consistent", "not consistent" or "cannot tell here", with ", outside its assumptions" when one of them is not
 * met: the verdict alone would then claim too much. */
char *ns_claim_dup_verdict (const NsClaimResult *result);

/* Return one assumption: "1 head", "Attention: Uniform", "FFN width = Model width", "Norm epsilon 0 to 10⁻⁵". */
char *ns_assumption_dup_text (const NsAssumption *assumption);

/* Return "All assumptions are met." or "Not met: 4 heads; the theorem assumes 1. …"; "" for a claim without any. */
char *ns_claim_dup_assumptions (const NsClaim *claim, const NsExperiment *experiment, const NsClaimResult *result);

/* Return "13 assumptions, all met", "2 of 13 assumptions not met"; without a result or a variant "13 assumptions". */
char *ns_claim_dup_assumption_count (const NsClaim *claim, const NsClaimResult *result);
/* Return a line for each assumption: "✓ 1 head", "✗ 4 heads; the theorem assumes 1.", without the sign when it is not
 * known. `result` may be NULL. */
char *ns_claim_dup_assumption_list (const NsClaim *claim, const NsExperiment *experiment, const NsClaimResult *result);

/* Return "Measured: exponent −0.49 ± 0.03 (16 seeds, L = 2 to 128). Expected: −0.50 ± 0.10."; "" without a
 * measurement. */
char *ns_claim_dup_measured (const NsClaim *claim, const NsClaimResult *result);

/* Return the reason for "cannot tell here", such as "One seed gives no interval; …"; NULL for another verdict. */
char *ns_claim_dup_why_not (const NsClaim *claim, const NsClaimResult *result);

/* Return the card for a terminal: title, verdict, statement, source, assumptions, measured value; ends in a newline. */
char *ns_claim_dup_card (const NsClaim *claim, const NsExperiment *experiment, const NsClaimResult *result);

G_END_DECLS
