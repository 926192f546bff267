/* A figure between two others, for a transition.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Pure functions; any thread.
 */
#pragma once

#include "plot/ns-figure.h"

G_BEGIN_DECLS

/* Return a figure with the panels and measured series of `to`, whose points are moved towards those of `from` at the
 * same x: `t` 0 gives the values of `from`, 1 those of `to`. Series are matched by panel, role and name, or else by
 * their order; what `from` lacks, or shows on another scale, is as in `to`. Only what drawing needs is there: draw it
 * with the layout of `to`. Caller owns it. */
NsFigure *ns_figure_blend (const NsFigure *from, const NsFigure *to, double t);

G_END_DECLS
