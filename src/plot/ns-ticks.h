/* Where an axis has ticks, and what they say.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Labels of one axis never come nearer to each other than the gap given. They are
 * Pango markup, with true superscripts: 10<sup>−3</sup>. Digits are in the C locale.
 */
#pragma once

#include "plot/ns-number.h"
#include "plot/ns-scale.h"

G_BEGIN_DECLS

typedef struct
{
  double value; /* axis units */
  double px;    /* on the scale */
  char *markup; /* NULL: a tick without a label */
  gboolean major;
} NsTick;

/* The size in px of a label along the axis: its width on an x axis, its height on a y axis. */
typedef double (*NsTickMeasure) (const char *markup, gpointer user_data);

/* The ticks of a scale, ascending by value; free with g_ptr_array_unref(), the ticks are owned by it.
 *  - linear: at multiples of 1, 2 or 5 times a power of ten;
 *  - linear with `integers`: at whole numbers, and always at the first and the last whole number of
 *    [first, last], whose labels win over neighbours that would touch them (the last one's over the first's);
 *  - log10: at decades 10^k, thinned for long spans, with unlabelled minor ticks at 2..9; with 1-2-5 labels
 *    where fewer than two decades would be named;
 *  - log10 with `integers`: as linear with integers, at 1-2-5 whole numbers ("1 2 5 10 20 50 100 128").
 * `first` and `last` (axis units) matter only with `integers`; NAN takes them from the scale.
 * `gap_px` is the least free space between two labels. */
GPtrArray *ns_ticks_new (const NsAxisMap *scale, gboolean integers, double first, double last, double gap_px,
                         NsTickMeasure measure, gpointer user_data);

G_END_DECLS
