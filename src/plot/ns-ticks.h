/* The positions and labels of an axis' ticks.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The labels of an axis keep a minimum distance. They are Pango markup with superscripts, 10<sup>−3</sup>; digits are
 * in the C locale.
 */
#pragma once

#include "plot/ns-number.h"
#include "plot/ns-scale.h"

G_BEGIN_DECLS

typedef struct
{
  double value; /* axis units */
  double px;
  char *markup; /* NULL for a tick without a label */
  gboolean major;
} NsTick;

/* Measures a label along the axis, px: its width on an x axis, its height on a y axis. */
typedef double (*NsTickMeasure) (const char *markup, gpointer user_data);

/* Return the ticks of an axis (NsTick, owned by the array), ascending by value; free with g_ptr_array_unref().
 *  - linear: at multiples of 1, 2 or 5 times a power of ten;
 *  - linear with `integers`: at whole numbers, always including `first` and `last`. Where labels would touch, that of
 *    `last` takes precedence over that of `first`, and both over the others;
 *  - log10: at decades 10^k, fewer for long ranges, with unlabelled minor ticks at 2..9; labelled at 1-2-5 where fewer
 *    than two decades would have a label;
 *  - log10 with `integers`: as linear with integers, at 1-2-5 whole numbers ("1 2 5 10 20 50 100 128").
 * `first` and `last` (axis units) are used only with `integers`; NAN takes them from the axis.
 * `gap_px` is the least free space between two labels. */
GPtrArray *ns_ticks_new (const NsAxisMap *scale, gboolean integers, double first, double last, double gap_px,
                         NsTickMeasure measure, gpointer user_data);

/* Return the ticks of an axis with words instead of numbers: label i, plain text, at i = 0 .. n − 1; fewer where they
 * would touch, but always the last one. */
GPtrArray *ns_ticks_new_labels (const NsAxisMap *scale, char **labels, double gap_px, NsTickMeasure measure,
                                gpointer user_data);

G_END_DECLS
