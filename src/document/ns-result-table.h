/* A result as an aligned table for a terminal.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One table for each variant: a heading with loss and overflow, then rows for the input, the blocks and the head, with
 * a column for each quantity: four significant digits of the geometric mean over the seeds for a gradient norm, else of
 * the arithmetic one. The footer has seeds, means, threads, BLAS core and time. Columns align in terminal cells for any
 * script.
 * Threads: any; nothing here keeps state.
 */
#pragma once

#include "engine/run/ns-result.h"

#include <gio/gio.h>

G_BEGIN_DECLS

/* Between two columns. */
#define NS_TABLE_GAP "  "

/* Write the tables. `quantities` [n] are the columns in order; NULL selects those with NS_USE_TABLE. Quantities that a
 * variant lacks are left out of its table. notes: a line below the table of each variant, or NULL. UTF-8; NULL when the
 * system refuses the memory. Caller owns the bytes. */
GBytes *ns_result_to_table (const NsResult *result, const NsQuantity *quantities, gsize n, const char *const *notes);

/* Return the number of terminal cells of UTF-8 text: 0 for combining marks, 2 for wide characters. */
gsize ns_text_width (const char *text);
/* Append text with spaces before it, so that it has at least that many cells. */
void ns_text_append_right (GString *out, const char *text, gsize width);

G_END_DECLS
