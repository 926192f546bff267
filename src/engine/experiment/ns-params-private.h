/* Access to fields by parameter, shared within the experiment room.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "engine/experiment/ns-params.h"

G_BEGIN_DECLS

/* The field of a row, as an lvalue of its type. */
#define NS_FIELD(type_, param_, base_) (*(type_ *) G_STRUCT_MEMBER_P ((base_), (param_)->offset))
#define NS_CONST_FIELD(type_, param_, base_) (*(const type_ *) ((const char *) (base_) + (param_)->offset))

/* The whole number that stands for null. */
gint64 ns_param_null_int (const NsParam *param);
/* Whether the field holds a value that its setter would take; the error is the setter's. */
gboolean ns_param_check (const NsParam *param, gconstpointer base, const char *where, GError **error);
/* Puts the default there; a string is not freed. */
void ns_param_reset (const NsParam *param, gpointer base);
/* Equal values: two nulls are, and the numbers behind equal rules do not count. */
gboolean ns_param_equal (const NsParam *param, gconstpointer a, gconstpointer b);

/* The same for each key of an NsVariant, or for each shared key of an NsExperiment. */
gboolean ns_param_is_of (const NsParam *param, gboolean of_variant);
void ns_params_reset (gpointer base, gboolean of_variant);
gboolean ns_params_equal (gconstpointer a, gconstpointer b, gboolean of_variant);
/* Copy the struct of `size` bytes and duplicate its strings. */
void ns_params_copy (gpointer to, gconstpointer from, gsize size, gboolean of_variant);

G_END_DECLS
