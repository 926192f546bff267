/* A figure's numbers as tab-separated text, for a spreadsheet.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Threads: any; nothing here keeps state.
 */
#pragma once

#include "plot/ns-figure.h"

G_BEGIN_DECLS

/* One row for each x of any measured series, a column for each of them, headed by the panel's title and the series'
 * name, and two more for its band. Values of logarithmic axes are written as the numbers themselves, by their
 * logarithm where no double holds them ("1.2e-400"). Nine digits, the C locale, empty where there is no point;
 * "nan", "inf", "0" where the figure marks them. UTF-8; caller frees. */
char *ns_figure_to_tsv (const NsFigure *figure);

G_END_DECLS
