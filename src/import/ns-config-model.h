/* The family and the name of the model that a config.json describes.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Threads: any; nothing here keeps state.
 */
#pragma once

#include "import/ns-config-reading.h"

G_BEGIN_DECLS

/* Check that there is a model_type or a class in architectures; otherwise an NS_DOCUMENT_ERROR_INPUT. */
gboolean ns_config_check_type (JsonObject *object, GError **error);
/* Return the family by model_type, else by the class in architectures; NULL if it is not in the table. */
const NsConfigFamily *ns_config_find_family_of (JsonObject *object);
/* Append to `notes` (char *, owned) what that assumes. */
void ns_config_note_type (JsonObject *object, const NsConfigFamily *family, GPtrArray *notes);
/* Return TRUE if the config, of a known family, can be imported. */
typedef gboolean (*NsConfigTry) (JsonObject *object);
/* Set an NS_DOCUMENT_ERROR_INPUT about a family that is not in the table: how it differs from the nearest family or
 * preset, and what to change so that the config can be imported. */
void ns_config_refuse_family (JsonObject *object, NsConfigTry can_import, GError **error);
/* Return the part of _name_or_path after the last slash ("Llama-2-7b-hf" of "meta-llama/Llama-2-7b-hf"), else the
 * family's title. Caller frees. */
char *ns_config_dup_model_name (JsonObject *object, const NsConfigFamily *family);

G_END_DECLS
