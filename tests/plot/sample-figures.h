/* Figures of made-up numbers that have the shape of real ones, for the tests of the plot library.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "plot/ns-figure.h"

G_BEGIN_DECLS

typedef enum
{
  SAMPLE_PLAIN = 0,
  SAMPLE_MARKS = 1 << 0,       /* NaN, Inf and underflow among the points */
  SAMPLE_GHOST = 1 << 1,       /* the curves before the last change */
  SAMPLE_RIGHT_AXIS = 1 << 2,  /* a second axis 0..1 in the lower panel */
  SAMPLE_CAPTION = 1 << 3,     /* title and caption, as in an exported picture */
  SAMPLE_PROVISIONAL = 1 << 4, /* one seed so far */
  SAMPLE_LONG_NAMES = 1 << 5,
  SAMPLE_TINY_VALUES = 1 << 6, /* down to 1e-900 */
  SAMPLE_FLAT = 1 << 7,        /* all curves end at the same height */
  SAMPLE_PARTS = 1 << 8,       /* two parts of `depth` blocks side by side */
} SampleFlags;

/* Axis units from a block of the first part to the same one of the second. */
int sample_get_stride (int depth);

/* Curves over bars, blocks 1..depth, one of each for every variant. */
NsFigure *sample_flow_new (int depth, int n_variants, SampleFlags flags);

/* One panel over log10 depth 1..depth, two measured curves with a law through each. */
NsFigure *sample_scaling_new (int depth);

G_END_DECLS
