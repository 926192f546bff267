/* The families of models whose config.json is read.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Threads: any.
 */
#pragma once

#include "document/ns-config-reading.h"

G_BEGIN_DECLS

/* *n of them, sorted by model_type; static. */
const NsConfigFamily *ns_config_get_families (gsize *n);
/* Their model_types, NULL-terminated; static. */
const char *const *ns_config_families (void);

G_END_DECLS
