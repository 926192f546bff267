/* Experiments as values.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Threads: an experiment belongs to one thread; a job gets a copy.
 */
#pragma once

#include "engine/experiment/ns-settings.h"

G_BEGIN_DECLS

/* Every key at its default and two variants, Pre-LN and Post-LN. Never fails. */
NsExperiment *ns_experiment_new (void);
NsExperiment *ns_experiment_copy (const NsExperiment *experiment);
void ns_experiment_free (NsExperiment *experiment);
gboolean ns_experiment_equal (const NsExperiment *a, const NsExperiment *b);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (NsExperiment, ns_experiment_free)

G_END_DECLS
