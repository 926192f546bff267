/* The parameter table: each key of an experiment, declared once, and typed access to its field.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * JSON keys, command-line options, bounds of widgets and the documentation are generated from the table.
 *
 * Threads: the table is static; a field belongs to the thread of its experiment.
 */
#pragma once

#include "engine/experiment/ns-settings.h"

G_BEGIN_DECLS

typedef enum
{
  NS_TYPE_INTEGER, /* gint64 */
  NS_TYPE_NUMBER,  /* double, finite */
  NS_TYPE_BOOLEAN, /* gboolean */
  NS_TYPE_CHOICE,  /* int, index into choices */
  NS_TYPE_SCALE,   /* NsScale: a number, or one of choices */
  NS_TYPE_STRING,  /* char *, UTF-8 */
  NS_TYPE_LIST,    /* char *, or NULL: at most NS_MAX_LIST numbers in the C locale, with a space between two */
} NsType;

#define NS_MAX_LIST 1024

typedef enum
{
  NS_SECTION_SHAPE,    /* "shape", in NsExperiment */
  NS_SECTION_DATA,     /* "data" */
  NS_SECTION_TOP,      /* at the top level of the file */
  NS_SECTION_SAMPLING, /* "sampling" */
  NS_SECTION_TRAINING, /* "training" */
  NS_SECTION_VARIANT,  /* in each of "variants", in NsVariant */
} NsSection;

typedef struct
{
  NsSection section;
  const char *key;   /* within its section; nested keys are dotted: "init.scheme" */
  NsType type;
  gsize offset;      /* in NsExperiment, or in NsVariant for NS_SECTION_VARIANT */
  gboolean one_line; /* STRING: a name, see ns_text_is_line() */
  gboolean nullable; /* JSON null is allowed: NAN for a number, NULL for a text, NS_NULL_CHOICE for a choice, for a
                        boolean and for an integer that may be 0, 0 for another integer */
  const char *null_label; /* of null in a list of choices; NULL: "None"; N_() marked */
  gint64 null_start;      /* INTEGER: what null becomes when a number is asked for; 0: what null stands for */
  gboolean implied;  /* null means the value of another key and is left out of files */
  double min, max;   /* INTEGER, NUMBER, SCALE, LIST: the allowed range of a number, both ends included; STRING: at most
                        `max` bytes */
  double ui_min, ui_max, step; /* range and step of a slider or spin button */
  gboolean logarithmic;        /* use a logarithmic slider */
  const char *const *choices;  /* CHOICE, SCALE: the names, NULL-terminated */
  double fallback;             /* the default: number, boolean or index of the choice */
  int fallback_rule;           /* SCALE: the rule of the default */
  const char *unit;            /* "tokens", "features", … or NULL; untranslated, N_() marked */
  const char *label;           /* short, for a widget; N_() marked */
  const char *count_one;       /* "1 head", where a number goes before its noun; else NULL; N_() marked */
  const char *count;           /* "%s heads"; else NULL; N_() marked */
  const char *help;            /* one line; N_() marked */
} NsParam;

/* Return the parameter table of *n rows (n may be NULL); static. */
const NsParam *ns_params (gsize *n);
/* Return the parameter of a path: "shape.depth", "loss", "attn.norm" (keys of variants without a prefix); NULL when
 * there is none. */
const NsParam *ns_param_find (const char *path);
/* Return the path: "shape.depth" for a shared key, "attn.norm" for a key of variants; static. */
const char *ns_param_get_path (const NsParam *param);
/* Return TRUE if the key is one of training and so without effect on a pass at initialization. The window has no
 * controls for these keys as long as none of its views trains. */
gboolean ns_param_is_of_training (const NsParam *param);
/* Return the command-line option of a key, without the dashes: "d-model" for "d_model". Caller frees. */
char *ns_param_dup_option_name (const char *key);
/* Return TRUE if the option of the key's name sets it. FALSE for a variant's own value of a shared key: --warmup sets
 * training.warmup, and --variant post:warmup=100 the variant's. */
gboolean ns_param_has_option (const NsParam *param);
/* Return the allowed values in words, translated: "a whole number from 1 to 65536", "one of none, pre, post". Caller
 * frees. */
char *ns_param_dup_allowed (const NsParam *param);

/* ---- words (ns-param-words.c) ---- */

/* Return the name of a choice: "Pre-LN" for "pre" of "attn.norm"; the choice itself if it has no name. Translated,
 * borrowed. */
const char *ns_param_get_choice_label (const NsParam *param, const char *choice);
/* Return a text in the form of ns_param_dup_text() in words: "on" for "true", "ReLU" for "relu", "10⁻⁵" for "1e-05".
 * Translated; caller frees. */
char *ns_param_dup_value_words (const NsParam *param, const char *text);
/* Return the parameter with a value in words: "4 heads", "FFN width 512", "Attention: Full". Translated; caller
 * frees. */
char *ns_param_dup_phrase (const NsParam *param, const char *value);

/* ---- fields ---- */

/* Return TRUE if the field is a char *, of a string or a list. */
static inline gboolean
ns_param_is_text (const NsParam *param)
{
  return param->type == NS_TYPE_STRING || param->type == NS_TYPE_LIST;
}

/* Typed access to a field. `base` is the NsExperiment, or the NsVariant for keys of variants. Booleans and choices are
 * read and set as integers, number and rule of a SCALE by get_scale and set_scale. */
gint64 ns_param_get_int (const NsParam *param, gconstpointer base);
double ns_param_get_number (const NsParam *param, gconstpointer base);
NsScale ns_param_get_scale (const NsParam *param, gconstpointer base);
const char *ns_param_get_string (const NsParam *param, gconstpointer base);
/* Return TRUE when the field holds null; FALSE when the parameter is not nullable. */
gboolean ns_param_is_null (const NsParam *param, gconstpointer base);
/* Return the integer that represents null in the field of a nullable integer, choice or boolean. */
gint64 ns_param_null_int (const NsParam *param);
/* Set a field after checking type and range. FALSE and an NS_EXPERIMENT_ERROR when the value is not allowed: its key is
 * `where` ("variants[1]." or "") and the path, its message names the value and the allowed ones. The field is then
 * unchanged. A NULL string sets null. */
gboolean ns_param_set_int (const NsParam *param, gpointer base, gint64 value, const char *where, GError **error);
gboolean ns_param_set_number (const NsParam *param, gpointer base, double value, const char *where, GError **error);
gboolean ns_param_set_scale (const NsParam *param, gpointer base, NsScale value, const char *where, GError **error);
gboolean ns_param_set_string (const NsParam *param, gpointer base, const char *value, const char *where,
                              GError **error);
/* Set a field from text as typed on a command line, in the C locale: "48", "1e-5", "on", "off", "true", "false", "pre",
 * "null", "deepnorm". */
gboolean ns_param_set_text (const NsParam *param, gpointer base, const char *text, const char *where, GError **error);
/* Convert the text of a list to its *n numbers and back. NULL, and *n = 0, for a list that is NULL. Caller frees. */
double *ns_param_dup_numbers (const char *list, gsize *n);
char *ns_param_dup_list (const double *numbers, gsize n);
/* Return the value as text that ns_param_set_text() reads back to the same value. Caller frees. */
char *ns_param_dup_text (const NsParam *param, gconstpointer base);

G_END_DECLS
