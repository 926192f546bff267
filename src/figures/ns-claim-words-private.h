/* Shared by the words of claim cards.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "engine/analysis/ns-claim.h"

G_BEGIN_DECLS

/* Return "−0.49", with two decimals or three. Caller frees. */
char *ns_claim_dup_number (double value, int decimals);
/* Return "−0.49 ± 0.03", without an interval "−0.49". Caller frees. */
char *ns_claim_dup_interval (double value, double error);
/* Return the name of a built-in variant; borrowed. */
const char *ns_claim_get_variant_name (const char *id);
/* Return what a claim of the kind learning-rates has measured. Caller frees. */
char *ns_claim_dup_rates (const NsClaim *claim, const NsClaimResult *result);
/* Return what a claim of the kind loss has measured. Caller frees. */
char *ns_claim_dup_loss (const NsClaimResult *result);

G_END_DECLS
