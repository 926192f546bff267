/* How the engine fills a result, before anyone else sees it.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Threads: numbers of different (variant, seed) are in disjoint memory, so several threads may set them at the same
 * time without a lock, each its own pairs. The thread that publishes the result joins those threads first.
 */
#pragma once

#include "engine/experiment/ns-settings.h"
#include "engine/run/ns-result.h"

G_BEGIN_DECLS

/* Bytes of the numbers of such a result, G_MAXUINT64 when that is beyond any memory. The experiment is valid. */
guint64 ns_result_get_needed_bytes (const NsExperiment *experiment, guint n_seeds);

/* Copies the experiment, which is valid. Every number is NaN until it is set. NULL when there is no memory for it,
 * and above a tebibyte. */
NsResult *ns_result_new (const NsExperiment *experiment, guint first_seed, guint n_seeds);

/* seed counts from 0 in this result. The quantity has to exist there. log10_value is not kept for a cosine or loss. */
void ns_result_set (NsResult *result, guint variant, NsQuantity quantity, gint64 site, guint seed, double value,
                    double log10_value);
/* The block (1..depth, depth + 1: the head) whose forward pass left the finite numbers. */
void ns_result_set_overflow (NsResult *result, guint variant, guint seed, gint64 site);
void ns_result_set_elapsed (NsResult *result, double elapsed_ms, guint threads);

G_END_DECLS
