/* Keys of an experiment file of a newer version that this version does not know: kept, and put back on saving.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Threads: belongs to one.
 */
#pragma once

#include "document/ns-json-writer.h"
#include "engine/experiment/ns-settings.h"

#include <json-glib/json-glib.h>

G_BEGIN_DECLS

typedef struct _NsUnknownKeys NsUnknownKeys;

void ns_unknown_keys_free (NsUnknownKeys *unknown);
NsUnknownKeys *ns_unknown_keys_copy (const NsUnknownKeys *unknown);

/* The file's version, above NS_EXPERIMENT_VERSION. */
gint64 ns_unknown_keys_get_version (const NsUnknownKeys *unknown);
/* How many there are. */
guint ns_unknown_keys_get_n (const NsUnknownKeys *unknown);
/* A warning for the user, without the file's name: the version, and the unknown keys by path ("shape.experts",
 * "variants[1].attn.window"), the first few of many. Caller frees. */
char *ns_unknown_keys_dup_warning (const NsUnknownKeys *unknown);

/* ---- for the reader and the writer of experiments ---- */

NsUnknownKeys *ns_unknown_keys_new (gint64 version);
/* `variant` is the index of a variant in the file, or -1; `object` what stands before the key there: "", "shape.",
 * "attn.". */
void ns_unknown_keys_add (NsUnknownKeys *unknown, int variant, const char *object, const char *key, JsonNode *value);
/* Remembers the variants' names as they are in the file. */
void ns_unknown_keys_set_variants (NsUnknownKeys *unknown, const NsExperiment *experiment);
/* The file's variant that has become variant v of the experiment: the one of its name, else, when it was renamed, the
 * one of its place. -1 when it is new. */
int ns_unknown_keys_find_variant (const NsUnknownKeys *unknown, const NsExperiment *experiment, guint v);
/* Writes those of one object as members of the object that is open; unknown may be NULL. */
void ns_unknown_keys_write (const NsUnknownKeys *unknown, int variant, const char *object, NsJsonWriter *writer);
/* Whether the object has any. */
gboolean ns_unknown_keys_has (const NsUnknownKeys *unknown, int variant, const char *object);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (NsUnknownKeys, ns_unknown_keys_free)

G_END_DECLS
