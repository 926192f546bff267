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
} NsType;

typedef enum
{
  NS_SECTION_SHAPE,    /* "shape", in NsExperiment */
  NS_SECTION_DATA,     /* "data" */
  NS_SECTION_TOP,      /* at the top level of the file */
  NS_SECTION_SAMPLING, /* "sampling" */
  NS_SECTION_VARIANT,  /* in each of "variants", in NsVariant */
} NsSection;

typedef struct
{
  NsSection section;
  const char *key;   /* within its section; nested keys are dotted: "init.scheme" */
  NsType type;
  gsize offset;      /* in NsExperiment, or in NsVariant for NS_SECTION_VARIANT */
  gboolean nullable; /* JSON null is allowed: NAN for a number, NULL for a string, 0 for an integer, NS_NULL_CHOICE for
                        a choice or boolean */
  gboolean implied;  /* null stands for another key's value and is left out of files */
  double min, max;   /* what is allowed: INTEGER, NUMBER, SCALE; both ends included */
  double ui_min, ui_max, step; /* what a slider or spin button offers */
  gboolean logarithmic;        /* a slider of it is logarithmic */
  const char *const *choices;  /* NULL-terminated: CHOICE, SCALE */
  double fallback;             /* the default: number, boolean, choice index, SCALE (rule, see fallback_rule) */
  int fallback_rule;           /* SCALE */
  const char *unit;            /* "tokens", "features", … or NULL; untranslated, N_() marked */
  const char *label;           /* short, for a widget; N_() marked */
  const char *help;            /* one line; N_() marked */
} NsParam;

/* The table, *n rows; static. */
const NsParam *ns_params (gsize *n);
/* The row of "shape.depth", "loss", "post_fraction" or "attn.norm" (variant keys bare), or NULL. */
const NsParam *ns_param_find (const char *path);
/* "shape.depth" for shared keys, "attn.norm" for a variant's; static. */
const char *ns_param_get_path (const NsParam *param);
/* "from 1 to 65536", "one of none, pre, post", …: what is allowed; caller frees. */
char *ns_param_dup_allowed (const NsParam *param);

/* Typed access to a field by its row. `base` is the NsExperiment, or the NsVariant for variant keys.
 * A boolean or choice is an integer; a SCALE's number and rule go through get/set_scale. */
gint64 ns_param_get_int (const NsParam *param, gconstpointer base);
double ns_param_get_number (const NsParam *param, gconstpointer base);
NsScale ns_param_get_scale (const NsParam *param, gconstpointer base);
const char *ns_param_get_string (const NsParam *param, gconstpointer base);
/* Whether the field holds null; never when the row is not nullable. */
gboolean ns_param_is_null (const NsParam *param, gconstpointer base);
/* Setters check type and range: FALSE and an NS_EXPERIMENT_ERROR that names `where` + key, the value and
 * what is allowed; the field is then unchanged. `where` prefixes the key ("variants[1]."), may be "". */
gboolean ns_param_set_int (const NsParam *param, gpointer base, gint64 value, const char *where, GError **error);
gboolean ns_param_set_number (const NsParam *param, gpointer base, double value, const char *where, GError **error);
gboolean ns_param_set_scale (const NsParam *param, gpointer base, NsScale value, const char *where, GError **error);
gboolean ns_param_set_string (const NsParam *param, gpointer base, const char *value, const char *where,
                              GError **error);
/* From text as typed on a command line: "48", "1e-5", "on/off/true/false", "pre", "null", "deepnorm". C locale. */
gboolean ns_param_set_text (const NsParam *param, gpointer base, const char *text, const char *where, GError **error);
/* The value as text that ns_param_set_text() reads back to the same value; caller frees. */
char *ns_param_dup_text (const NsParam *param, gconstpointer base);

G_END_DECLS
