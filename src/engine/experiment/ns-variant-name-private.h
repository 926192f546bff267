/* Shared by the files that name variants.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "engine/experiment/ns-params.h"
#include "engine/experiment/ns-settings.h"

G_BEGIN_DECLS

/* Return a copy in which settings that mean the same are the same, and those without effect have their defaults. Caller
 * owns it. */
NsVariant *ns_variant_dup_unified (const NsVariant *variant);
/* Return the i-th built-in variant, or its unified copy. Made once and kept. */
const NsVariant *ns_builtin_variant_get (gsize i);
const NsVariant *ns_builtin_variant_get_unified (gsize i);
/* Return the settings (NsParam) other than the name in which two unified variants differ. Caller frees the array. */
GPtrArray *ns_variant_list_differences (const NsVariant *a, const NsVariant *b);
/* Append the differences, which a unified variant has, to a name: ", no FFN residual". */
void ns_variant_append_differences (GString *name, const NsVariant *unified, const GPtrArray *differences);

G_END_DECLS
