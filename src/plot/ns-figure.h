/* A figure: axes and series as plain arrays, ready to be drawn.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The figure knows nothing of transformers: `src/figures` fills it, `ns-draw.h`
 * draws it on any Cairo surface. A figure is a stack of panels that share one x
 * axis, so that x stands under x.
 *
 * Values on a logarithmic axis are given as log10 of the quantity: a norm can be
 * smaller than any double (depth 1000 without residuals), its logarithm cannot.
 *
 * Threads: a figure is built by one thread and then only read.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef enum
{
  NS_AXIS_LINEAR,
  NS_AXIS_LOG10, /* values are log10 of the quantity */
} NsAxisScale;

/* What a point is when it is not a number that can be drawn. */
typedef enum
{
  NS_MARK_NONE,
  NS_MARK_NAN,       /* hollow red diamond on the top edge */
  NS_MARK_INF,       /* red triangle up on the top edge */
  NS_MARK_UNDERFLOW, /* blue triangle down on the bottom edge: 0, or below the reach of the axis */
} NsMark;

typedef enum
{
  NS_SERIES_LINE,
  NS_SERIES_BARS, /* the bar series of one panel are grouped side by side at each x */
} NsSeriesKind;

typedef enum
{
  NS_ROLE_DATA,      /* measured: 2 px, the style's colour, dash and marker */
  NS_ROLE_REFERENCE, /* a law or a prediction: thin dashed line in the style's colour */
  NS_ROLE_GHOST,     /* the curve before the last change: 1 px grey */
} NsSeriesRole;

typedef enum
{
  NS_SIDE_LEFT,
  NS_SIDE_RIGHT, /* measured on the panel's second axis */
} NsSide;

typedef struct
{
  double red, green, blue; /* 0..1 */
} NsColor;

typedef struct
{
  char *name;         /* shown at the curve's right end, plain text */
  NsSeriesKind kind;
  NsSeriesRole role;
  NsSide side;
  int style;          /* >= 0: index of colour, dash pattern and marker shape */
  gboolean has_color; /* a colour of the user's instead of the palette's */
  NsColor color;
  gboolean provisional; /* not all seeds are in yet: drawn lighter */
  gsize n;
  double *x;          /* [n] ascending */
  double *y;          /* [n] */
  double *low, *high; /* [n] the band, or both NULL */
  guint8 *mark;       /* [n] an NsMark each, or NULL when every point is a number */
} NsSeries;

typedef struct
{
  char *title;         /* of the left axis: what is measured, Pango markup */
  char *accessible_title; /* the same in plain text */
  NsAxisScale scale;
  double min, max;     /* in axis units (log10 on a log axis); NAN: from the data */
  gboolean zero_based; /* linear axis: the range always holds 0 */
  char *right_title;   /* Pango markup, NULL: no right axis */
  double right_min, right_max; /* linear */
  double weight;       /* share of the height among the panels, 1 by default */
  GPtrArray *series;   /* NsSeries, owned */
  char *message;       /* shown in the middle instead of data: why there is none; or NULL */
} NsPanel;

/* A stretch of the x axis that counts for itself: its numbers are x - offset. */
typedef struct
{
  char *name;        /* plain text, in copied numbers: "Encoder" */
  char *title;       /* under the stretch, Pango markup: "Encoder block" */
  double start, end; /* axis units: its first and last number */
  double offset;
} NsAxisPart;

typedef struct
{
  char *title;           /* plain text, NULL: none */
  char *caption;         /* plain text, wrapped under the panels in an exported picture, NULL: none */
  char *note;            /* quiet text at the top right, "1 of 8 seeds", NULL: none */
  char *x_title;         /* Pango markup; with parts it only heads copied numbers */
  NsAxisScale x_scale;
  gboolean x_integers;   /* x is a block or a depth: ticks at whole numbers, first and last named */
  double x_min, x_max;   /* NAN: from the data, or from the parts */
  GPtrArray *x_parts;    /* NsAxisPart, owned, side by side; empty: the axis is one */
  GPtrArray *panels;     /* NsPanel, owned */
} NsFigure;

NsFigure *ns_figure_new (void);
void ns_figure_free (NsFigure *figure);

/* Adds a stretch to the right of those that are there: start <= end, beyond the end of the one before. Halfway between
 * two stretches stands a divider, at which curves break. For linear axes. The texts are copied; the figure owns it. */
NsAxisPart *ns_figure_add_x_part (NsFigure *figure, const char *name, const char *title, double start, double end,
                                  double offset);

/* The stretch on which x lies, up to the dividers; NULL without parts. */
const NsAxisPart *ns_figure_find_x_part (const NsFigure *figure, double x);

/* The first divider right of x; INFINITY when there is none. */
double ns_figure_find_x_divider (const NsFigure *figure, double x);

/* Adds an empty panel; the figure owns it. `title` is Pango markup and is copied. */
NsPanel *ns_figure_add_panel (NsFigure *figure, const char *title, NsAxisScale scale);

/* Adds a series of n points whose x, y are copied (y may hold anything where mark says it is no number);
 * low and high are copied too, or both NULL; mark is copied or NULL. The panel owns the series. */
NsSeries *ns_panel_add_series (NsPanel *panel, const char *name, NsSeriesKind kind, int style, gsize n,
                               const double *x, const double *y, const double *low, const double *high,
                               const guint8 *mark);

/* The range of the finite points (and bands) on one side, without air. FALSE when there is none. */
gboolean ns_panel_get_data_range (const NsPanel *panel, NsSide side, double *min, double *max);

/* How a point is drawn: its mark; where that says nothing, NaN and infinities in y speak for themselves
 * (minus infinity is an underflow: on a log axis it is the logarithm of 0). */
NsMark ns_series_get_mark (const NsSeries *series, gsize index);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (NsFigure, ns_figure_free)

G_END_DECLS
