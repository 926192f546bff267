/* The functions of the row of a coordinate check in the table of figures.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A panel for each variant: the size that decides its verdict, named in the title, over the width, both on logarithmic
 * axes, a curve for each number of steps.
 * Which variants are hidden, and titles, are options of a training (NsTrainingOptions).
 */
#pragma once

#include "figures/ns-figure-info.h"

G_BEGIN_DECLS

extern const NsFigureOption ns_coordinate_options[];
NsFigure *ns_coordinate_make_figure (const NsFigureSource *source, const NsFigureOptions *options);
char *ns_coordinate_make_sentence (const NsFigureSource *source, const NsFigureOptions *options, GArray **links);
NsReadout *ns_coordinate_make_readout (const NsFigureSource *source, const NsFigureOptions *options, double x,
                                       double y);

G_END_DECLS
