/* Shared types and helpers for reading a model's config.json.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The layers of the importer, each calls only those below it:
 *   ns-config-import     from the bytes of a config to an experiment
 *   ns-config-model      the family and the name of a model
 *   ns-config-nested     the text part of a multimodal model's config
 *   ns-config-nearest    what comes near a family that is not in the table
 *   ns-config-rewiring   keys that would wire a model differently
 *   ns-config-families   the table of families
 *   ns-config-readers    functions that read one value of a config
 *   ns-config-reading    members, settings, notes
 * Threads: a reading belongs to one thread.
 */
#pragma once

#include "engine/experiment/ns-params.h"
#include "engine/experiment/ns-settings.h"

#include <json-glib/json-glib.h>

G_BEGIN_DECLS

typedef struct _NsConfigReading NsConfigReading;
typedef struct _NsConfigRow NsConfigRow;

/* Read one value of the config into the experiment; `key` is its name in the config. Return FALSE with an error whose
 * message begins with the key. */
typedef gboolean (*NsConfigReader) (NsConfigReading *reading, const NsConfigRow *row, const char *key, JsonNode *value,
                                    GError **error);

/* Special fallbacks: none, the key must be there; keep the experiment's default; use 4 · d_model. */
#define NS_CONFIG_REQUIRED NULL
#define NS_CONFIG_OPTIONAL "-"
#define NS_CONFIG_FOUR_WIDTHS "4d"

/* One key of a family. */
struct _NsConfigRow
{
  const char *keys; /* "n_embd|hidden_size": alternative names of one value, the usual one first */
  NsConfigReader read;
  const char *target;     /* key of the experiment: "shape.depth", "norm_eps"; NULL if the reader sets none */
  const char *fallback;   /* JSON that the family's own code uses for an absent key; NULL: the key is required */
  gboolean null_is_unset; /* null means "none", even if an absent key has a fallback */
};

/* A boolean key of a family. Settings are "key=value,key=value" of the experiment; NULL refuses the value. */
typedef struct
{
  const char *key;
  gboolean fallback;
  const char *when_true, *when_false;
  const char *note_true, *note_false; /* marked with N_(); NULL: no note */
} NsConfigSwitch;

#define NS_CONFIG_MAX_GROUPS 12
#define NS_CONFIG_MAX_NOTES 3

typedef struct
{
  const char *model_type;
  const char *class_name; /* prefix of its class names: "GPT2" */
  const char *title;
  const char *settings; /* the wiring that no key changes, in the format of NsConfigSwitch */
  const NsConfigRow *rows[NS_CONFIG_MAX_GROUPS];        /* each list ends with a row whose keys are NULL */
  const NsConfigSwitch *switches[NS_CONFIG_MAX_GROUPS]; /* each list ends with a switch whose key is NULL */
  const char *notes[NS_CONFIG_MAX_NOTES];               /* marked with N_() */
} NsConfigFamily;

struct _NsConfigReading
{
  const NsConfigFamily *family;
  JsonObject *object;
  NsExperiment *experiment;      /* has one variant */
  GPtrArray *notes;              /* char *, owned */
  GString *defaults;             /* "key = value, key = value" of absent keys */
  gint64 image_size, patch_size; /* edge length in pixels; 0 until read */
};

/* Return a copy of the object, with the same members; a change of the copy does not change the original. Caller owns
 * it. */
JsonObject *ns_config_copy_object (JsonObject *object);
/* Return TRUE if the member exists and is not null. */
gboolean ns_config_is_set (JsonNode *node);
/* Return the first member of `keys` ("n_embd|hidden_size") that is set, else the first that exists, else NULL. *key is
 * the name of that member, or the usual name if none exists; interned. */
JsonNode *ns_config_find_member (JsonObject *object, const char *keys, const char **key);
/* Return the config's key for a key of the experiment: the name in the config, else the usual name. */
const char *ns_config_get_key (const NsConfigReading *reading, const char *target);

/* Return TRUE if a row or a switch of the family reads the key. */
gboolean ns_config_family_reads (const NsConfigFamily *family, const char *key);

/* Return the struct that contains a parameter's field: the experiment or its variant. */
gpointer ns_config_get_base (const NsConfigReading *reading, const NsParam *param);
/* Apply settings such as "data.positions=learned,attention=causal" to the experiment and its variant. They come from
 * the table of families, so an invalid one is a programming error. */
void ns_config_apply (NsConfigReading *reading, const char *settings);
/* Add a sentence for the user unless it is already in the list. Takes ownership. */
void ns_config_take_note (NsConfigReading *reading, char *note);

G_END_DECLS
