/* Text of values in messages and files.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* The shortest text that reads back to the same double, C locale; caller frees. */
char *ns_format_number (double value);
/* "text" in quotes, short and valid UTF-8 whatever it holds; caller frees. */
char *ns_quote_text (const char *text);

G_END_DECLS
