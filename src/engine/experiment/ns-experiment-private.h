/* What the parameter table shares with the rest of the engine room.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "engine/experiment/ns-experiment.h"

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

/* The shortest text that reads back to the same double, C locale; caller frees. */
char *ns_format_number (double value);
/* "text" in quotes, short and valid UTF-8 whatever it holds; caller frees. */
char *ns_quote_text (const char *text);

G_END_DECLS
