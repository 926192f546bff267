/* Shared by the curves of all figures: statistics in axis units, and a variant's look.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "engine/experiment/ns-quantity.h"
#include "engine/run/ns-result.h"
#include "plot/ns-figure.h"

G_BEGIN_DECLS

/* Return the kind of mean that an axis of this scale shows; texts about its curves use the same kind. */
NsMeanKind ns_axis_get_mean (NsAxisScale scale);

/* Convert a statistic to axis units: y, and low and high one standard deviation away from it. Return NS_MARK_NONE, or
 * the mark to draw where y cannot be drawn; low and high are NAN then. */
NsMark ns_stat_to_axis (const NsStat *stat, NsQuantityKind kind, NsAxisScale scale, double *y, double *low,
                        double *high);

/* The points of a curve, in axis units. */
typedef struct
{
  GArray *x, *y, *low, *high; /* double */
  GArray *mark;               /* guint8, an NsMark */
  gboolean has_marks;
} NsPoints;

NsPoints ns_points_new (void);
void ns_points_clear (NsPoints *points);
/* Append a statistic at x. */
void ns_points_append (NsPoints *points, const NsStat *stat, NsQuantityKind kind, NsAxisScale scale, double x);
/* Add the points to a panel as a series, with their band or without; the panel owns it. */
NsSeries *ns_points_add (const NsPoints *points, NsPanel *panel, const char *name, NsSeriesKind kind, int style,
                         gboolean band);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (NsPoints, ns_points_clear)

/* Return FALSE when bit `variant` of the mask is set. */
gboolean ns_variant_is_visible (guint64 hidden, guint variant);
/* Return the index of the variant's colour, dash and marker; styles NULL: the variant's own index. */
int ns_variant_get_style (const int *styles, guint variant);
/* Set the colour that the user chose for the variant, if any; either array may be NULL. */
void ns_series_set_variant_color (NsSeries *series, const NsColor *colors, const gboolean *has_color, guint variant);

G_END_DECLS
