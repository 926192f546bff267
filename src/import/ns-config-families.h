/* The table of model families whose config.json can be imported.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Threads: any.
 */
#pragma once

#include "import/ns-config-reading.h"

G_BEGIN_DECLS

/* All families, sorted by model_type; *n is their number. Static. */
const NsConfigFamily *ns_config_get_families (gsize *n);
/* The family of a model_type, or NULL. */
const NsConfigFamily *ns_config_find_family (const char *model_type);
/* The model_type of each family, NULL-terminated; static. */
const char *const *ns_config_get_model_types (void);

G_END_DECLS
