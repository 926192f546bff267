/* Quantities that take passes of their own: lengths of paths, gains, the size of a step.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * They are measured only when they are asked for (ns_quantity_takes_own_passes()), after a forward pass and, in a run,
 * after all else.
 *
 * Threads: as for a pass.
 */
#pragma once

#include "engine/pass/ns-pass.h"

G_BEGIN_DECLS

/* The probes of NS_Q_GAIN: those of a gain map of as many. */
#define NS_OWN_PROBES 4

/* Return the elements of memory that these of the quantities need besides a workspace, for any variant; 0: for none. */
guint64 ns_own_passes_count_elements (const NsExperiment *experiment, const NsQuantitySet *wanted);
/* Return TRUE if they need a workspace with one cache for all blocks. */
gboolean ns_own_passes_need_one_cache (const NsQuantitySet *wanted);
/* Return the calls of ns_progress_step() for one variant and seed. */
guint64 ns_own_passes_count_steps (const NsExperiment *experiment, guint variant, const NsQuantitySet *wanted);
/* After a forward pass: record those that the pass's sink wants. They leave x_l as it is, but neither gradients nor the
 * upstream gradient. memory: of ns_own_passes_count_elements(). Return NS_PASS_DONE also after an overflow, behind
 * which nothing is recorded. */
NsPassState ns_own_passes_run (NsPass *pass, ns_real *memory, NsProgress *progress);

G_END_DECLS
