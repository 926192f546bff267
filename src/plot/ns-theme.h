/* The look of a drawing: background, font, and a colour, dash and marker for each style index.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A theme is a plain value, copied by assignment; nothing to free.
 * Threads: any; no state.
 */
#pragma once

#include "plot/ns-figure.h"

G_BEGIN_DECLS

typedef enum
{
  NS_THEME_LIGHT,
  NS_THEME_DARK,
  NS_THEME_HIGH_CONTRAST,      /* black on white, all colours at >= 4.5:1 */
  NS_THEME_HIGH_CONTRAST_DARK, /* white on black */
} NsThemeKind;

typedef struct
{
  NsThemeKind kind;
  NsColor background;
  NsColor foreground;
  gboolean transparent; /* `background` is not painted and only the colour the picture is expected to lie on */
  char font_family[64]; /* a Pango font family; empty: "Sans" */
  double text_scale;    /* multiplies all font sizes (11, 12, 14 pt at 96 dpi), up to the shorter side */
  double line_scale;    /* multiplies line widths and marker sizes */
  gboolean paper;       /* for print: no title and sentences, fewer markers; an export refuses text that is cut off or
                         * too small */
  gboolean editable_text; /* text of an SVG as text, in place of outlines */
  double axis_opacity;  /* these three: 0..1 */
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

/* This many styles are distinct, and any two of the same colour differ in both dash and marker. */
#define NS_STYLE_N 16

typedef struct
{
  NsColor line; /* strokes, fills and markers */
  NsColor text; /* the same hue at a contrast of at least 4.5:1 to the background */
  double dash[6]; /* px at line_scale 1, for cairo_set_dash() */
  int n_dash;     /* 0: solid */
  NsMarker marker;
} NsStyle;

/* Set every field for a kind of theme, with text_scale and line_scale 1 and the family "Sans". */
void ns_theme_init (NsTheme *theme, NsThemeKind kind);

/* Return the colour, dash and marker of a style index >= 0; they repeat after 120. */
NsStyle ns_theme_get_style (const NsTheme *theme, int style);

/* Return the style of a series: its own colour, if set, replaces the palette's; a ghost is solid, its line 35 % of the
 * hue over the background. */
NsStyle ns_theme_get_series_style (const NsTheme *theme, const NsSeries *series);

/* Return red for NaN and Inf, blue for underflow, the foreground colour for NS_MARK_NONE. */
NsColor ns_theme_get_mark_color (const NsTheme *theme, NsMark mark);

/* Return a colour between two: `from` at the share 0, `to` at 1. */
NsColor ns_color_mix (const NsColor *from, const NsColor *to, double share);

/* Return the WCAG 2 contrast ratio of two colours, 1..21. */
double ns_color_contrast (const NsColor *a, const NsColor *b);

G_END_DECLS
