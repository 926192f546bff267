/* The functions of the row of a sensitivity map in the table of figures, and their words.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "figures/ns-figure-info.h"

G_BEGIN_DECLS

extern const NsFigureOption ns_sensitivity_options[];
NsFigure *ns_sensitivity_make_figure (const NsFigureSource *source, const NsFigureOptions *options);
char *ns_sensitivity_make_sentence (const NsFigureSource *source, const NsFigureOptions *options, GArray **links);
NsReadout *ns_sensitivity_make_readout (const NsFigureSource *source, const NsFigureOptions *options, double x,
                                        double y);

/* ---- words (ns-sensitivity-words.c) ---- */

/* Return "worst of 5 seeds", or "1 seed". */
char *ns_sensitivity_dup_statistic (const NsSensitivity *map, NsSeedsChoice seeds);
/* Return the title of an exported figure. */
char *ns_sensitivity_dup_title (const NsSensitivity *map);

G_END_DECLS
