/* A figure whose values are a secret: its axes, without anything measured on them.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Threads: any one thread at a time.
 */
#pragma once

#include "plot/ns-figure.h"

G_BEGIN_DECLS

/* Remove the points of all series, the cells of heat maps, and all annotations. Names and axes stay; the axes keep
 * their range with room for other values: half a decade on both sides of a logarithmic axis, half the range of a linear
 * one. */
void ns_figure_hide_values (NsFigure *figure);

/* Return the first and last x of the points of a panel, axis units; FALSE without points. */
gboolean ns_figure_get_x_range (const NsFigure *figure, guint panel, double *first, double *last);

G_END_DECLS
