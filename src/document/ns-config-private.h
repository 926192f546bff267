/* How a config of Hugging Face's is read: the families' table and what reads its rows.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Threads: a reading belongs to one.
 */
#pragma once

#include "engine/experiment/ns-settings.h"

#include <json-glib/json-glib.h>

G_BEGIN_DECLS

typedef struct _NsConfigReading NsConfigReading;
typedef struct _NsConfigRow NsConfigRow;

/* Takes a value of the config; `key` is the one it stands under. FALSE with a message that begins with the key. */
typedef gboolean (*NsConfigReader) (NsConfigReading *reading, const NsConfigRow *row, const char *key, JsonNode *value,
                                    GError **error);

/* What stands for a key that is left out, where that is not a value: nothing at all, or 4 times the width. */
#define NS_CONFIG_OPTIONAL "-"
#define NS_CONFIG_FOUR_WIDTHS "4d"

/* One key of a family. */
struct _NsConfigRow
{
  const char *keys;     /* "n_embd|hidden_size": names of the same value, the usual one first */
  NsConfigReader read;
  const char *target;   /* the experiment's key: "shape.depth", "norm_eps"; NULL for readers that have none */
  const char *fallback; /* as JSON: what the family's own code takes; NULL: the key is required */
  gboolean null_is_unset; /* null stands for nothing, also where there is a fallback for an absent key */
};

/* A switch of a family. Settings are "key=value,key=value" of the experiment; NULL: the value is refused. */
typedef struct
{
  const char *key;
  gboolean fallback;
  const char *when_true, *when_false;
  const char *note_true, *note_false; /* NULL: nothing to say; N_() marked */
} NsConfigSwitch;

#define NS_CONFIG_MAX_GROUPS 8
#define NS_CONFIG_MAX_NOTES 3

typedef struct
{
  const char *model_type;
  const char *class_name; /* what the names of its classes begin with: "GPT2" */
  const char *title;
  const char *settings;   /* the wiring that no key changes, as in NsConfigSwitch */
  const NsConfigRow *rows[NS_CONFIG_MAX_GROUPS]; /* each ended by a row without keys */
  const NsConfigSwitch *switches[NS_CONFIG_MAX_GROUPS]; /* each ended by one without a key */
  const char *notes[NS_CONFIG_MAX_NOTES];                /* N_() marked */
} NsConfigFamily;

struct _NsConfigReading
{
  const NsConfigFamily *family;
  JsonObject *object;
  NsExperiment *experiment; /* with its one variant */
  GPtrArray *notes;         /* char *, owned */
  GString *defaults;        /* "key = value, key = value" of keys that are left out */
  gint64 image_size, patch_size; /* pixels of an edge, once they are read */
};

/* *n of them, by model_type; static. */
const NsConfigFamily *ns_config_get_families (gsize *n);

/* ---- ns-config-model.c ---- */

/* The first of "n_embd|hidden_size" that has a value, else the first that is there at all; *key is its name, interned,
 * or the usual one. */
JsonNode *ns_config_find_member (JsonObject *object, const char *keys, const char **key);
/* Whether it is there and not null. */
gboolean ns_config_is_set (JsonNode *node);
/* By model_type, else by the class in architectures; adds to the notes (char *, owned) what is worth a word. NULL with
 * error when it is none that is known. */
const NsConfigFamily *ns_config_get_family (JsonObject *object, GPtrArray *notes, GError **error);
/* "meta-llama/Llama-2-7b-hf" is called Llama-2-7b-hf; a config without a name is called by its family. Caller frees. */
char *ns_config_dup_model_name (JsonObject *object, const NsConfigFamily *family);

/* ---- ns-config-readers.c ---- */

/* Straight into the target: a whole number or a number. */
gboolean ns_config_read_value (NsConfigReading *reading, const NsConfigRow *row, const char *key, JsonNode *value,
                               GError **error);
/* The target has a value, which this one has to be: what both parts of an encoder-decoder share here. */
gboolean ns_config_read_same (NsConfigReading *reading, const NsConfigRow *row, const char *key, JsonNode *value,
                              GError **error);
/* The name of an activation; of a gated FFN's; T5's, which says whether it is gated. */
gboolean ns_config_read_activation (NsConfigReading *reading, const NsConfigRow *row, const char *key, JsonNode *value,
                                    GError **error);
gboolean ns_config_read_gate (NsConfigReading *reading, const NsConfigRow *row, const char *key, JsonNode *value,
                              GError **error);
gboolean ns_config_read_t5_activation (NsConfigReading *reading, const NsConfigRow *row, const char *key,
                                       JsonNode *value, GError **error);
/* s, for the factor 1/sqrt(s). */
gboolean ns_config_read_inverse_root (NsConfigReading *reading, const NsConfigRow *row, const char *key,
                                      JsonNode *value, GError **error);
/* The longest sequence: ours is not longer. */
gboolean ns_config_read_positions (NsConfigReading *reading, const NsConfigRow *row, const char *key, JsonNode *value,
                                   GError **error);
/* The window of local attention, which is noted only. */
gboolean ns_config_read_window (NsConfigReading *reading, const NsConfigRow *row, const char *key, JsonNode *value,
                                GError **error);
/* A cap by tanh, noted only. */
gboolean ns_config_read_cap (NsConfigReading *reading, const NsConfigRow *row, const char *key, JsonNode *value,
                             GError **error);
/* Nothing but 1, or nothing but the text "absolute". */
gboolean ns_config_read_one (NsConfigReading *reading, const NsConfigRow *row, const char *key, JsonNode *value,
                             GError **error);
gboolean ns_config_read_absolute (NsConfigReading *reading, const NsConfigRow *row, const char *key, JsonNode *value,
                                  GError **error);
/* The vocabulary of the source, noted when it is another than the target's. */
gboolean ns_config_read_source_vocab (NsConfigReading *reading, const NsConfigRow *row, const char *key,
                                      JsonNode *value, GError **error);
/* An image's edge, a patch's edge and the colours become the number of tokens and the scale of the input; in this
 * order, the last one after init.std. */
gboolean ns_config_read_image (NsConfigReading *reading, const NsConfigRow *row, const char *key, JsonNode *value,
                               GError **error);
gboolean ns_config_read_patch (NsConfigReading *reading, const NsConfigRow *row, const char *key, JsonNode *value,
                               GError **error);
gboolean ns_config_read_channels (NsConfigReading *reading, const NsConfigRow *row, const char *key, JsonNode *value,
                                  GError **error);
/* The classes: an object with one member each. */
gboolean ns_config_read_labels (NsConfigReading *reading, const NsConfigRow *row, const char *key, JsonNode *value,
                                GError **error);

/* "key: value is not allowed; allowed: …" */
gboolean ns_config_refuse (const char *key, JsonNode *value, const char *allowed, GError **error);
/* Takes the sentence; one that is there already is not repeated. */
void ns_config_take_note (NsConfigReading *reading, char *note);
/* "data.positions=learned,attention=causal" over the experiment and its variant; what the table says is right. */
void ns_config_apply (NsConfigReading *reading, const char *settings);
/* The name of the key in this config that the row of a target reads: the one that is there, else the usual one. */
const char *ns_config_get_key (const NsConfigReading *reading, const char *target);

G_END_DECLS
