/* Access to fields by parameter, shared by the files of this folder.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "engine/experiment/ns-params.h"

G_BEGIN_DECLS

/* The field of a parameter, as an lvalue of its type. */
#define NS_FIELD(type_, param_, base_) (*(type_ *) G_STRUCT_MEMBER_P ((base_), (param_)->offset))
#define NS_CONST_FIELD(type_, param_, base_) (*(const type_ *) ((const char *) (base_) + (param_)->offset))

/* Parse all of `text` as a decimal number; "nan" and "inf" are accepted, so that a caller's message can name them. */
gboolean ns_param_parse_number (const char *text, double *value);
/* Return the list of numbers in the form of its field, or NULL if it is not allowed. Caller frees. */
char *ns_param_dup_checked_list (const NsParam *param, const char *text);

/* Return TRUE when the field holds a value that its setter accepts; otherwise FALSE and the setter's error. */
gboolean ns_param_check (const NsParam *param, gconstpointer base, const char *where, GError **error);
/* Set the field to its default; a text that it holds is freed. */
void ns_param_reset (const NsParam *param, gpointer base);
/* Return TRUE when both fields hold the same value. Two nulls are equal; of two scales with the same rule the numbers
 * do not count. */
gboolean ns_param_equal (const NsParam *param, gconstpointer a, gconstpointer b);

/* Return TRUE if the parameter is a field of NsVariant, FALSE if it is one of NsExperiment. */
gboolean ns_param_is_in_variant (const NsParam *param);
/* Reset or compare each field of an NsVariant (in_variant) or an NsExperiment, or all but those of training. */
void ns_params_reset (gpointer base, gboolean in_variant);
gboolean ns_params_equal (gconstpointer a, gconstpointer b, gboolean in_variant, gboolean with_training);
/* Free the texts of such a struct. */
void ns_params_clear (gpointer base, gboolean in_variant);
/* Copy such a struct of `size` bytes and duplicate its texts. */
void ns_params_copy (gpointer to, gconstpointer from, gsize size, gboolean in_variant);

G_END_DECLS
