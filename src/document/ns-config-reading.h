/* A model's config while it is read: the table's rows, and what every reader of a row needs.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The ladder of the config files, each calls those below it only:
 *   ns-config-import     one config from bytes to an experiment
 *   ns-config-model      which family a config belongs to, and what its model is called
 *   ns-config-families   the table of families
 *   ns-config-readers    what reads a row of the table
 *   ns-config-reading    members, settings, notes
 * Threads: a reading belongs to one.
 */
#pragma once

#include "engine/experiment/ns-params.h"
#include "engine/experiment/ns-settings.h"

#include <json-glib/json-glib.h>

G_BEGIN_DECLS

typedef struct _NsConfigReading NsConfigReading;
typedef struct _NsConfigRow NsConfigRow;

/* Read one value of the config into the experiment; `key` is its name there. FALSE with a message that begins with
 * the key. */
typedef gboolean (*NsConfigReader) (NsConfigReading *reading, const NsConfigRow *row, const char *key, JsonNode *value,
                                    GError **error);

/* Fallbacks that are no values: leave the default of the experiment, or take 4 times the width. */
#define NS_CONFIG_OPTIONAL "-"
#define NS_CONFIG_FOUR_WIDTHS "4d"

/* One key of a family. */
struct _NsConfigRow
{
  const char *keys; /* "n_embd|hidden_size": names of one value, the usual one first */
  NsConfigReader read;
  const char *target;     /* the experiment's key: "shape.depth", "norm_eps"; NULL for readers that have none */
  const char *fallback;   /* JSON that the family's own code takes for an absent key; NULL: the key is required */
  gboolean null_is_unset; /* null means "none", even where an absent key has a fallback */
};

/* A boolean key of a family. Settings are "key=value,key=value" of the experiment; NULL: the value is refused. */
typedef struct
{
  const char *key;
  gboolean fallback;
  const char *when_true, *when_false;
  const char *note_true, *note_false; /* N_() marked; NULL: nothing to note */
} NsConfigSwitch;

#define NS_CONFIG_MAX_GROUPS 8
#define NS_CONFIG_MAX_NOTES 3

typedef struct
{
  const char *model_type;
  const char *class_name; /* prefix of the names of its classes: "GPT2" */
  const char *title;
  const char *settings; /* the wiring that no key changes, as in NsConfigSwitch */
  const NsConfigRow *rows[NS_CONFIG_MAX_GROUPS];        /* each ends with a row without keys */
  const NsConfigSwitch *switches[NS_CONFIG_MAX_GROUPS]; /* each ends with a switch without a key */
  const char *notes[NS_CONFIG_MAX_NOTES];               /* N_() marked */
} NsConfigFamily;

struct _NsConfigReading
{
  const NsConfigFamily *family;
  JsonObject *object;
  NsExperiment *experiment;      /* has one variant */
  GPtrArray *notes;              /* char *, owned */
  GString *defaults;             /* "key = value, key = value" of absent keys */
  gint64 image_size, patch_size; /* pixels of an edge; 0 until they are read */
};

/* TRUE when the member exists and is not null. */
gboolean ns_config_is_set (JsonNode *node);
/* The first of "n_embd|hidden_size" that is set, else the first that exists; *key is its name, interned, or the usual
 * one when there is none. */
JsonNode *ns_config_find_member (JsonObject *object, const char *keys, const char **key);
/* The config's key for a target of the experiment: the one that exists, else the usual one. */
const char *ns_config_get_key (const NsConfigReading *reading, const char *target);

/* The object that holds the field of a parameter. */
gpointer ns_config_get_base (const NsConfigReading *reading, const NsParam *param);
/* Set "data.positions=learned,attention=causal" in the experiment and its variant. Only for settings of the table,
 * which are valid. */
void ns_config_apply (NsConfigReading *reading, const char *settings);
/* Add a sentence for the user, once. Takes it. */
void ns_config_take_note (NsConfigReading *reading, char *note);

G_END_DECLS
