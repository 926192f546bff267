/* What the parameter table shares with the rest of the engine room.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "engine/ns-experiment.h"

G_BEGIN_DECLS

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
