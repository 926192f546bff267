/* What the input and each sub-layer have put into the residual stream.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * With the statistics of the norms after the additions held at their values of the forward pass, x_l is a linear
 * function of the input x_0, of the branches' outputs b·s and of the norms' biases β: x_l = Σ_k A_k·c_k. The share of
 * c_k is ⟨A_k·c_k, x_l⟩/‖x_l‖² = ⟨c_k, v⟩/‖x_l‖² with the covector v = A_kᵀ·x_l, which sweeps down along the residuals
 * (docs/MODEL.md, "Contributions"). The shares of a block sum to 1.
 */
#pragma once

#include "engine/experiment/ns-contributor.h"
#include "engine/pass/ns-pass.h"

/* Receives the share of a contributor of the block at `site` (the input: of site 0 of the part) in x_l of the site
 * `whole`. A block's biases may come in several terms, which add up. */
typedef void (*NsShareFunc) (gpointer data, gint64 whole, gint64 site, NsContributor contributor, double share);

/* Return the covectors [N, C] that a sweep from `n_wholes` sites at once needs. */
gsize ns_contributions_count_covectors (const NsPlan *plan, gsize n_wholes);
/* The shares in x_L of a part, as quantities of the backward pass. A pass whose sink wants none of them skips all of
 * this. The share of a sub-layer includes that of the bias of the norm after its sum. */
/* Begin at the end of a part. */
void ns_contributions_start (NsPass *pass, gint64 site);
/* Record the shares of the block at a site, whose cache is filled, and below the first block that of the input. */
void ns_contributions_block_backward (NsPass *pass, gint64 site);

/* After a forward pass: compute the shares in x_l of the sites first .. last, all of one part, last .. last block by
 * block down to the input. covectors: memory, [ns_contributions_count_covectors(), N, C]. */
NsPassState ns_pass_contributions (NsPass *pass, gint64 first, gint64 last, ns_real *covectors, NsShareFunc func,
                                   gpointer data, NsProgress *progress);
