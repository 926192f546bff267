/* The colours of values: the scales of heat maps and the hues of stacks.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The sequential scale is viridis, perceptually uniform and the same to colour-blind eyes. The diverging one goes from
 * blue over a light grey to brown, in equal steps of lightness on both sides.
 *
 * Threads: any; no state.
 */
#pragma once

#include "plot/ns-theme.h"

G_BEGIN_DECLS

/* Return the colour of a value where the scale goes from `min` to `max`; values beyond them get the colour of the end.
 * A diverging scale has its middle at `colors->center`, and equal distances from it are equally dark. */
NsColor ns_color_scale_get_color (const NsColorScale *colors, double min, double max, double value);

/* Return the fill of a cell whose value is not a number: no colour of the scales. */
NsColor ns_theme_get_void_color (const NsTheme *theme);

/* Return the colour of a hue 0 .. NS_HUE_N − 1 of a stack, `lightness` 0..1 lighter. */
NsColor ns_theme_get_hue (const NsTheme *theme, int hue, double lightness);

G_END_DECLS
