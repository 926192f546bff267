/* The family and the name of the model that a config.json describes.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Threads: any; nothing here keeps state.
 */
#pragma once

#include "document/ns-config-reading.h"

G_BEGIN_DECLS

/* Find the family by model_type, else by the class in architectures. Appends assumptions to `notes` (char *, owned).
 * Return NULL and an NS_DOCUMENT_ERROR_INPUT if the family is unknown. */
const NsConfigFamily *ns_config_get_family (JsonObject *object, GPtrArray *notes, GError **error);
/* Return the part of _name_or_path after the last slash ("Llama-2-7b-hf" of "meta-llama/Llama-2-7b-hf"), else the
 * family's title. Caller frees. */
char *ns_config_dup_model_name (JsonObject *object, const NsConfigFamily *family);

G_END_DECLS
