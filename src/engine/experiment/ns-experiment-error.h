/* Errors of an experiment's settings, with the keys they are about.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The message is for people; code finds the setting at fault by its key. g_error_copy() and g_prefix_error() keep the
 * keys.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define NS_EXPERIMENT_ERROR (ns_experiment_error_quark ())
GQuark ns_experiment_error_quark (void);
typedef enum
{
  NS_EXPERIMENT_ERROR_VALUE,  /* a value of a wrong type or out of its range, or a combination that is not allowed */
  NS_EXPERIMENT_ERROR_MEMORY, /* needs more memory than the machine has */
} NsExperimentError;

/* Return the path of the key at fault, as in the file: "shape.heads", "variants[1].attn.norm", "variants" (too few or
 * too many), "shape" (too large for the memory). NULL when the error is of another domain or names no key, as when the
 * text of a variant cannot be parsed. Owned by the error. */
const char *ns_experiment_error_get_key (const GError *error);

/* Return TRUE when `path`, as ns_param_get_path() returns it, is the key at fault or one that it conflicts with, in any
 * variant: of "shape.heads: 5 does not divide shape.d_model = 128" both keys. FALSE when error is NULL. */
gboolean ns_experiment_error_involves (const GError *error, const char *path);

/* Set an error about `key`, a path as above or NULL, with a message as by g_set_error(). */
void ns_experiment_error_set (GError **error, NsExperimentError code, const char *key, const char *format, ...)
    G_GNUC_PRINTF (4, 5);
/* Add a key that the key at fault conflicts with. Nothing happens when error or *error is NULL. */
void ns_experiment_error_add_key (GError **error, const char *key);

G_END_DECLS
