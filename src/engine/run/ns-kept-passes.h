/* The activations of former runs, so that the next one runs forward only the blocks that are new.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Two passes have their lower blocks in common if they have the same seed and the same settings, and differ only in the
 * depth of a single stack, or in which of its blocks have which norms (post_fraction, first_block_pre). Where a scale
 * or the initialization contains the depth, another depth changes every block. The values of the forward pass in common
 * blocks are kept and recorded again, so a result has the same bits as without this store.
 *
 * Threads: ns_kept_passes_begin() and ns_kept_passes_free() while no pass runs; a pass belongs to one thread.
 */
#pragma once

#include "engine/pass/ns-pass.h"

typedef struct _NsKeptPasses NsKeptPasses;
typedef struct _NsKeptPass NsKeptPass;

/* The budget is for activations, in bytes. */
NsKeptPasses *ns_kept_passes_new (guint64 budget);
void ns_kept_passes_free (NsKeptPasses *self);
/* Drop all. */
void ns_kept_passes_clear (NsKeptPasses *self);
/* Return, for a run of these seeds of every variant that measures these quantities, what each pass goes on from:
 * [seeds, variants], NULL for a pass that is beyond the budget or has not a single stack; it runs as usual. Free the
 * array with g_free(). Passes that no longer share a block with any of the experiment are dropped. */
NsKeptPass **ns_kept_passes_begin (NsKeptPasses *self, const NsExperiment *experiment, guint first_seed, guint n_seeds,
                                   const NsQuantitySet *measured);
/* Run the blocks of the forward pass that are new, and record the quantities of all. */
NsPassState ns_kept_pass_forward (NsKeptPass *self, NsPass *pass, NsProgress *progress);
/* Return the number of blocks that the next forward pass will not run. */
gint64 ns_kept_pass_get_n_common (const NsKeptPass *self);
