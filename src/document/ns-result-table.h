/* A result as an aligned table for a terminal.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One table a variant: a row for the input and each block, a column a quantity (mean over the seeds, four significant
 * digits; from log10_mean where the mean itself underflows), then loss, head and overflow. The footer names seeds,
 * threads, BLAS core and time. Columns line up in terminal cells, whatever the script of the names.
 * Threads: any; nothing here keeps state.
 */
#pragma once

#include "engine/run/ns-result.h"

#include <gio/gio.h>

G_BEGIN_DECLS

/* `quantities`: n of them, columns in this order; NULL: those with NS_USE_TABLE.
 * Those a variant does not have are left out of its table. UTF-8; caller owns the bytes. */
GBytes *ns_result_to_table (const NsResult *result, const NsQuantity *quantities, gsize n);

/* Terminal cells that UTF-8 text takes: 0 for combining marks, 2 for wide characters. */
gsize ns_text_width (const char *text);

/* The text with U+FFFD for every control character but the line feed: a name is the user's, or came with a file, and no
 * escape sequence of it is to reach the terminal. Caller frees. */
char *ns_text_dup_printable (const char *text);
/* The same with a line feed replaced too, for what stands within a line. Caller frees. */
char *ns_text_dup_line (const char *text);

G_END_DECLS
