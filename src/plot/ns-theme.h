/* What a drawing looks like: background, type, and a colour, dash and marker for each style index.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A theme is a plain value: copy it by assignment, there is nothing to free.
 * Threads: any; nothing here keeps state.
 */
#pragma once

#include "plot/ns-figure.h"

G_BEGIN_DECLS

typedef enum
{
  NS_THEME_LIGHT,
  NS_THEME_DARK,
  NS_THEME_HIGH_CONTRAST,      /* black on white, everything at >= 4.5:1 */
  NS_THEME_HIGH_CONTRAST_DARK, /* white on black */
} NsThemeKind;

typedef struct
{
  NsThemeKind kind;
  NsColor background;
  NsColor foreground;
  gboolean transparent; /* the background is not painted; `background` says what it will probably stand on */
  char font_family[64]; /* as Pango understands it; empty: "Sans" */
  double text_scale;    /* 1, 1.5, 2: multiplies every size of type (12 pt, 11 pt at 96 dpi) */
  double line_scale;    /* multiplies widths of lines and sizes of markers */
  double axis_opacity;
  double grid_opacity;
  double band_opacity;
} NsTheme;

typedef enum
{
  NS_MARKER_CIRCLE,
  NS_MARKER_SQUARE,
  NS_MARKER_DIAMOND,
  NS_MARKER_RING,
  NS_MARKER_CROSS,
  NS_MARKER_BOX,
  NS_MARKER_STAR,
  NS_MARKER_PLUS,
} NsMarker;

#define NS_MARKER_N 8

/* No two of this many styles look the same, and any two with one colour differ in dash and marker. */
#define NS_STYLE_N 16

typedef struct
{
  NsColor line; /* of strokes, fills and markers */
  NsColor text; /* the same hue with at least 4.5:1 against the background */
  double dash[6]; /* px at line_scale 1, for cairo_set_dash */
  int n_dash;     /* 0: solid */
  NsMarker marker;
} NsStyle;

/* Sets every field for the kind, with text_scale and line_scale 1 and the family "Sans". */
void ns_theme_init (NsTheme *theme, NsThemeKind kind);

/* The colour, dash and marker of a style index >= 0; they repeat after 120. */
NsStyle ns_theme_get_style (const NsTheme *theme, int style);

/* The same for a series: its own colour, where it has one, replaces the palette's. A ghost is grey and solid. */
NsStyle ns_theme_get_series_style (const NsTheme *theme, const NsSeries *series);

/* The red of NaN and Inf, and the blue of underflow; foreground for NS_MARK_NONE. */
NsColor ns_theme_get_mark_color (const NsTheme *theme, NsMark mark);

/* WCAG 2 contrast ratio of two colours, 1..21. */
double ns_color_contrast (const NsColor *a, const NsColor *b);

/* `color` moved toward white or black, whichever is further from `background`, until the ratio is reached. */
NsColor ns_color_with_contrast (const NsColor *color, const NsColor *background, double ratio);

G_END_DECLS
