/* Keys of a config.json that would wire a known family differently.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Threads: any; nothing here keeps state.
 */
#pragma once

#include "import/ns-config-reading.h"

G_BEGIN_DECLS

/* A key that no family of the table has unless the family reads it itself. */
typedef struct
{
  const char *key;
  /* Values that leave the wiring alone, JSON separated by bars; of a list, each element is such a value. Null and an
   * empty list always do. */
  const char *neutral;
  const char *reason; /* why other values are refused; marked with N_() */
} NsConfigRewiring;

/* Return the table of *n rows; static. */
const NsConfigRewiring *ns_config_get_rewirings (gsize *n);
/* Check that the config has none of the keys with a value that is not neutral; otherwise an NS_DOCUMENT_ERROR_INPUT
 * with key, value and allowed values. */
gboolean ns_config_check_rewirings (const NsConfigFamily *family, JsonObject *object, GError **error);
/* Remove such keys, and return their names, "num_local_experts, clip_qkv"; "" if there were none. Caller frees. */
char *ns_config_remove_rewirings (const NsConfigFamily *family, JsonObject *object);

G_END_DECLS
