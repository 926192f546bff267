/* Automatic names of variants: they follow the settings.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Nothing marks a name as automatic: a name is automatic when it is the one that its variant's settings give. So files
 * need no key for it, and a name that the user types stays.
 *
 * Threads: any; the functions are pure.
 */
#pragma once

#include "engine/experiment/ns-settings.h"

G_BEGIN_DECLS

/* Return the automatic name of the variant's settings: the name of the built-in variant that they equal, otherwise that
 * of the nearest one with the same norm placements and what differs: "Pre-LN, no attention residual". Placements that
 * no built-in variant has are described: "Mix 98 %", "Pre-LN attention, Post-LN FFN". Settings without effect do not
 * count. Translated; caller frees. */
char *ns_variant_dup_automatic_name (const NsVariant *variant);

/* Return the name of `from` and what the variant's settings change: "GPT-2 as Post-LN, Residual scale 1.5". Caller
 * frees. */
char *ns_variant_dup_changed_name (const NsVariant *variant, const NsVariant *from);

/* Return the name of the built-in variant with the fewest differences in wiring (where norms and residuals are, scales
 * of residuals and branches; kind of norm and initialization decide only between equals) and what differs: "Post-LN, no
 * FFN residual". *is_equal (nullable): nothing differs. has_cross: the settings of cross-attention count. Translated;
 * caller frees. */
char *ns_variant_dup_nearest_wiring (const NsVariant *variant, gboolean has_cross, gboolean *is_equal);

/* Return TRUE when the variant has its automatic name, with or without a number that makes it unique. */
gboolean ns_variant_has_automatic_name (const NsVariant *variant);

/* Return TRUE when the name is that of a built-in variant, or such a name with more after a comma or in parentheses
 * ("GPT-2 (Pre-LN)"), but the norms and residuals are not. */
gboolean ns_variant_name_is_wrong (const NsVariant *variant);

/* Give variant v its automatic name, numbered if another variant has it: "Pre-LN 2". */
void ns_experiment_name_variant (NsExperiment *experiment, guint v);

/* Rename variant v, whose settings were those of `former`, if its name was automatic or has become wrong. Return TRUE
 * if the name changes. */
gboolean ns_experiment_update_name (NsExperiment *experiment, guint v, const NsVariant *former);

G_END_DECLS
