/* What changes from one experiment or variant to another, in words.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Threads: any; the functions are pure.
 */
#pragma once

#include "engine/experiment/ns-settings.h"

G_BEGIN_DECLS

/* Return the settings that differ, "attn.norm pre → post, ffn.norm pre → post", without the name; NULL when there are
 * none. Numbers have four significant digits. Caller frees. */
char *ns_variant_dup_changes (const NsVariant *from, const NsVariant *to);
/* The same for the settings that all variants share. */
char *ns_experiment_dup_shared_changes (const NsExperiment *from, const NsExperiment *to);
/* The same for all settings, those of variants from the first variant in which they differ. The variants of both
 * experiments correspond to each other. */
char *ns_experiment_dup_changes (const NsExperiment *from, const NsExperiment *to);

G_END_DECLS
