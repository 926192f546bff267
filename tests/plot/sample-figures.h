/* Figures of invented numbers, shaped like real ones, for the tests of the plot room.
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
  SAMPLE_MARKS = 1 << 0,       /* some points are NaN, Inf or underflow */
  SAMPLE_GHOST = 1 << 1,       /* the curves before the last change */
  SAMPLE_RIGHT_AXIS = 1 << 2,  /* a second axis 0..1 in the lower panel */
  SAMPLE_CAPTION = 1 << 3,     /* title and caption, as in an exported picture */
  SAMPLE_PROVISIONAL = 1 << 4, /* one seed so far */
  SAMPLE_LONG_NAMES = 1 << 5,
  SAMPLE_TINY_VALUES = 1 << 6, /* down to 1e-900 */
  SAMPLE_FLAT = 1 << 7,        /* all curves end at the same height */
  SAMPLE_PARTS = 1 << 8,       /* two axis parts of `depth` blocks each */
  SAMPLE_DIVERGING = 1 << 10,  /* heat maps of cosines, of all pairs instead of half of them */
  SAMPLE_SUBTITLES = 1 << 9,   /* subtitles, titles in words that open lists, and their short forms */
} SampleFlags;

/* Return the distance from a block of the first part to the same block of the second, axis units. */
int sample_get_stride (int depth);

/* Return a figure of two panels, curves over bars, with one of each per variant for blocks 1..depth. */
NsFigure *sample_flow_new (int depth, int n_variants, SampleFlags flags);

/* Return a figure of one panel over log10 of depth 1..depth: two measured curves with a law through each. */
NsFigure *sample_scaling_new (int depth);

/* Return a figure with a heat map of blocks 0..depth for each variant. */
NsFigure *sample_maps_new (int depth, int n_variants, SampleFlags flags);

/* Return the value of a cell of such a map, units of its colours. */
double sample_get_cell (int depth, int variant, int row, int column, SampleFlags flags);

/* Return a figure with a panel for each variant: what 2·depth + 1 writers put into each of `depth` blocks, in three
 * hues, most of it above 0. */
NsFigure *sample_stack_new (int depth, int n_variants, SampleFlags flags);

G_END_DECLS
