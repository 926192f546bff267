/* Finding a built-in variant among the variants of an experiment.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Threads: any; the functions are pure.
 */
#pragma once

#include "engine/experiment/ns-settings.h"

G_BEGIN_DECLS

/* Return TRUE when a variant has the architecture of the built-in variant `id`: the same norm placements, topology,
 * residuals and rules for the depth-dependent constants. Other settings may differ; claims state those as assumptions.
 * FALSE when there is no such id. */
gboolean ns_variant_has_architecture (const NsVariant *variant, const char *id);

/* Return the index of the first variant with the architecture of the built-in variant `id`, NS_MAX_VARIANTS when there
 * is none. */
guint ns_experiment_find_architecture (const NsExperiment *experiment, const char *id);

/* Return the index of the variant that is the built-in variant `id`: the same architecture, each of the settings that
 * define the built-in variant, and the fewest other settings changed. A variant closer to another built-in variant
 * is returned only when nothing else matches: Pre-LN with RMSNorm has the settings of "pre" but is "rms".
 * NS_MAX_VARIANTS when there is none, or no such id. */
guint ns_experiment_find_builtin (const NsExperiment *experiment, const char *id);

G_END_DECLS
