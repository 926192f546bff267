/* Read the members of JSON objects; the first error stays.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Every getter leaves its value alone and returns FALSE if the key is absent, or if this or an earlier value was
 * refused. ns_object_end() refuses keys that nobody has asked for, and tells whether all went well.
 */
#pragma once

#include "document/ns-json-node.h"
#include "engine/experiment/ns-settings.h"

G_BEGIN_DECLS

typedef struct
{
  JsonObject *object; /* borrowed; NULL if the node is no object */
  char *path;         /* "steps[2].view", "" at the top; owned */
  GPtrArray *keys;    /* asked for so far, borrowed */
  GError **error;     /* where the first error goes, not NULL */
} NsObject;

/* Begin to read a node, which may be NULL. Clear the object at the end. */
void ns_object_init (NsObject *self, JsonNode *node, const char *path, GError **error);
void ns_object_clear (NsObject *self);
gboolean ns_object_failed (const NsObject *self);
/* Refuse unknown keys. Return TRUE if nothing failed. */
gboolean ns_object_end (NsObject *self);

/* Return the member, or NULL if it is absent. */
JsonNode *ns_object_get (NsObject *self, const char *key);
/* The same, but refuse an object without it. */
JsonNode *ns_object_require (NsObject *self, const char *key);
/* Return the path of a key, "steps[2].view.block"; caller frees. */
char *ns_object_dup_path (const NsObject *self, const char *key);
/* Refuse the value of a key; `allowed` is taken. Return FALSE. */
gboolean ns_object_refuse (NsObject *self, const char *key, char *allowed);

gboolean ns_object_get_boolean (NsObject *self, const char *key, gboolean *value);
gboolean ns_object_get_integer (NsObject *self, const char *key, gint64 min, gint64 max, gint64 *value);
gboolean ns_object_get_number (NsObject *self, const char *key, double min, double max, double *value);
/* Read a string, or an array of strings, which are lines. Frees the former value. */
gboolean ns_object_get_text (NsObject *self, const char *key, char **value);
/* Read one of a list of words (NULL-terminated) as its index. */
gboolean ns_object_get_word (NsObject *self, const char *key, const char *const *words, guint *value);
/* Read a variant's name, or its number from 1, as its index. */
gboolean ns_object_get_variant (NsObject *self, const char *key, const NsExperiment *experiment, guint *value);
/* The same for one node, `path` being its place. */
gboolean ns_object_read_variant (NsObject *self, JsonNode *node, const char *path, const NsExperiment *experiment,
                                 guint *value);
/* Return an array, or NULL if the key is absent or has another value. `what` describes it for the message. */
JsonArray *ns_object_get_array (NsObject *self, const char *key, const char *what);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (NsObject, ns_object_clear)

G_END_DECLS
