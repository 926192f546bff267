/* The text part of a multimodal model's config.json.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Such a config has the config of its language model in a member such as text_config; older ones of some models have
 * its keys next to vision_config.
 * Threads: any; nothing here keeps state.
 */
#pragma once

#include "import/ns-config-reading.h"

G_BEGIN_DECLS

/* Return the nested config of the language model, or NULL; *path is its place, "text_config", and owned by the
 * caller. */
JsonObject *ns_config_find_text_part (JsonObject *object, char **path);
/* Return the text part as a config of a family of the table, with the sizes that a nested config leaves out since they
 * are the defaults of its class. Append what that assumes to `notes`. *path is its place, or NULL for keys at the top.
 * Return NULL if the config has no text part of a known family. The caller owns both. */
JsonObject *ns_config_dup_text_part (JsonObject *object, char **path, GPtrArray *notes);

G_END_DECLS
