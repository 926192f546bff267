/* Import of a model's config.json, as written by Hugging Face's Transformers, as an experiment.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A table has, for each model family (model_type), the keys of its config, the wiring of its blocks and the defaults
 * of absent keys. The import returns its assumptions as sentences for the user: features of the model that an
 * experiment cannot express, and defaults that it filled in.
 * Threads: any; nothing here keeps state.
 */
#pragma once

#include "engine/experiment/ns-settings.h"

#include <gio/gio.h>

G_BEGIN_DECLS

typedef struct
{
  NsExperiment *experiment; /* owned; valid, at the model's full size, with one variant named after the model */
  char *family;             /* owned; "GPT-2" */
  const char *model_type;   /* static; "gpt2" */
  gboolean tied;            /* the model's head is its embedding */
  char **assumptions;       /* owned, NULL-terminated; translated sentences */
} NsConfigImport;

/* Import a config; `name` is the file's name in messages. Return NULL and an NS_DOCUMENT_ERROR_INPUT with file, key,
 * value and allowed values if the bytes are not a config, or if the config is of an unknown family, incomplete,
 * contradictory or impossible as an experiment. Caller owns the result. */
NsConfigImport *ns_config_import_from_bytes (GBytes *bytes, const char *name, GError **error);
void ns_config_import_free (NsConfigImport *import);

/* Return TRUE if the bytes are a JSON object with "model_type" or "architectures" and without "format". */
gboolean ns_config_is_config (GBytes *bytes);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (NsConfigImport, ns_config_import_free)

G_END_DECLS
