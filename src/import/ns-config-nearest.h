/* The nearest thing that works for a model family that cannot be imported.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Threads: any; nothing here keeps state.
 */
#pragma once

#include <json-glib/json-glib.h>

G_BEGIN_DECLS

typedef struct
{
  const char *model_type;
  const char *family;     /* the nearest one of the table, or NULL */
  const char *preset;     /* the nearest preset, for configs that the nearest family cannot read either */
  const char *difference; /* "its FFNs are mixtures of experts"; marked with N_() */
} NsConfigNearest;

/* Return the table of *n rows, sorted by model_type; static. */
const NsConfigNearest *ns_config_get_nearest (gsize *n);
/* Return the row of a model_type, or of the class of a model; NULL if there is none. Either may be NULL. */
const NsConfigNearest *ns_config_find_nearest (const char *model_type, const char *class_name);
/* Guess the family of a config without a known model_type from a key that few families have, such as rms_norm_eps for
 * "llama". Return NULL if it has no such key. */
const char *ns_config_guess_family (JsonObject *object);

G_END_DECLS
