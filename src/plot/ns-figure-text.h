/* A figure's numbers as tab-separated text, for a spreadsheet.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Threads: any; no state.
 */
#pragma once

#include "plot/ns-figure.h"

G_BEGIN_DECLS

/* Return a table with a row for each x of any measured series and a column for each series, headed by the panel's title
 * and the series' name; a band adds two columns. Of heat maps, a row for each row of each map, headed by its name, and
 * a column for each column, which all maps have in common.
 * Values on a logarithmic scale are written as the quantity itself, also where no double holds it ("1.2e-400"). Nine
 * significant digits in the C locale; empty where a series has no point or a cell is absent; "nan", "inf" or "0" where
 * it has a mark. UTF-8; free with g_free(). */
char *ns_figure_to_tsv (const NsFigure *figure);

/* Return the words about a figure, one line for each: title, sentence (nullable) and the scale of each panel. Caller
 * frees. */
char *ns_figure_dup_words (const NsFigure *figure, const char *sentence);

G_END_DECLS
