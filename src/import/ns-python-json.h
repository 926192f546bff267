/* JSON as Python writes it.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Threads: any; nothing here keeps state.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Return the text with quotes around NaN, Infinity, -Infinity and integers of more than 64 bits, which Python writes as
 * numbers: a key that is not read may have them, and one that is read refuses the text as its value. Other bytes, also
 * those that are no JSON, are copied. Caller owns the bytes. */
GBytes *ns_python_json_quote_numbers (GBytes *bytes);

G_END_DECLS
