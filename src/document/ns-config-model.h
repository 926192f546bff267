/* Which family a config belongs to, and what its model is called.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Threads: any; nothing here keeps state.
 */
#pragma once

#include "document/ns-config-reading.h"

G_BEGIN_DECLS

/* The family by model_type, else by the class in architectures; adds what the user should know to the notes (char *,
 * owned). NULL with error when it is unknown. */
const NsConfigFamily *ns_config_get_family (JsonObject *object, GPtrArray *notes, GError **error);
/* The part of _name_or_path after the last slash ("meta-llama/Llama-2-7b-hf"), else the family's title. Caller
 * frees. */
char *ns_config_dup_model_name (JsonObject *object, const NsConfigFamily *family);

G_END_DECLS
