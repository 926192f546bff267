/* A model's config.json, as Hugging Face's Transformers write it, read as an experiment.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A table knows for each family (the config's model_type) which keys it is described by, how its blocks are wired and
 * which values its own code takes for keys that are left out. What a config says and an experiment cannot, and what is
 * taken for what a config does not say, comes back as sentences for the user.
 * Threads: any; nothing here keeps state.
 */
#pragma once

#include "engine/experiment/ns-settings.h"

#include <gio/gio.h>

G_BEGIN_DECLS

typedef struct
{
  NsExperiment *experiment; /* owned; the model's full size, one variant named after the model; it is valid */
  char *family;             /* owned; "GPT-2" */
  char **assumptions;       /* owned, NULL-terminated; sentences, translated */
} NsConfigImport;

/* `name` is what messages call the file. NULL and an NS_DOCUMENT_ERROR_INPUT that names file, key, value and what is
 * allowed when the config is no such file, of an unknown family, incomplete, contradictory, or describes what an
 * experiment cannot be. Caller owns it. */
NsConfigImport *ns_config_import_from_bytes (GBytes *bytes, const char *name, GError **error);
void ns_config_import_free (NsConfigImport *import);

/* Whether the bytes are an object in JSON that has "model_type" or "architectures" and no "format". */
gboolean ns_config_is_config (GBytes *bytes);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (NsConfigImport, ns_config_import_free)

G_END_DECLS
