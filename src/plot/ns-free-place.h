/* A place for a table over the plots, where it covers nothing that is drawn.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Threads: any; no state.
 */
#pragma once

#include "plot/ns-figure.h"
#include "plot/ns-layout.h"

G_BEGIN_DECLS

/* Find the place of a table of place->width × place->height px beside a crosshair at x_px, `gap_px` from it where there
 * is room: the first free one in the plots from top to bottom, then anywhere in the picture. FALSE if none is free:
 * then it is the one that covers the least of curves, bars and labels. */
gboolean ns_layout_find_free_place (const NsFigure *figure, const NsLayout *layout, double x_px, double gap_px,
                                    NsRect *place);

G_END_DECLS
