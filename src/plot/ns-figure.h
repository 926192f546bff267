/* A figure: axes and series as plain arrays, ready to be drawn.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A figure is a stack of panels that share one x axis. `src/figures` fills it, ns-draw.h draws it on any Cairo surface.
 *
 * Values on a logarithmic axis are log10 of the quantity: a norm can be smaller than any double (depth 1000 without
 * residuals), its logarithm cannot.
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

/* Why a point has no number that can be drawn, and the sign drawn for it. */
typedef enum
{
  NS_MARK_NONE,
  NS_MARK_NAN,       /* hollow red diamond on the top edge */
  NS_MARK_INF,       /* red triangle up on the top edge */
  NS_MARK_UNDERFLOW, /* blue triangle down on the bottom edge: a norm that is 0 */
} NsMark;

typedef enum
{
  NS_SERIES_LINE,
  NS_SERIES_BARS, /* the bar series of a panel are grouped side by side at each x */
} NsSeriesKind;

typedef enum
{
  NS_ROLE_DATA,      /* measured: a 2 px line in the style's colour, with its dash and marker */
  NS_ROLE_REFERENCE, /* a law or a prediction: a thin dashed line in the style's colour */
  NS_ROLE_GHOST,     /* the curve before the last change: a 1 px line, lighter in the hue */
} NsSeriesRole;

typedef enum
{
  NS_SIDE_LEFT,
  NS_SIDE_RIGHT, /* the panel's second axis */
} NsSide;

typedef struct
{
  double red, green, blue; /* 0..1 */
} NsColor;

typedef struct
{
  char *name;         /* plain text, shown at the curve's right end or in the legend */
  NsSeriesKind kind;
  NsSeriesRole role;
  NsSide side;
  int style;          /* >= 0, selects colour, dash pattern and marker: see ns_theme_get_style() */
  gboolean has_color; /* `color`, chosen by the user, replaces the palette's */
  NsColor color;
  gboolean provisional; /* some seeds are still running: drawn lighter */
  gsize n;
  double *x;          /* [n] ascending */
  double *y;          /* [n] */
  double *low, *high; /* [n] edges of the band, or both NULL */
  guint8 *mark;       /* [n] NsMark, or NULL when every point is a number */
} NsSeries;

typedef struct
{
  char *title;         /* of the left axis: the quantity, Pango markup */
  char *short_title;   /* Pango markup, in place of a title that does not fit; or NULL */
  char *subtitle;      /* plain text under the title, dimmed: scale and statistic; or NULL */
  gboolean has_chooser; /* in a window: the title opens a list and has an arrow after it */
  char *accessible_title; /* the same in plain text */
  NsAxisScale scale;
  double min, max;     /* axis units (log10 on a log axis); NAN: from the data */
  gboolean has_range;  /* min and max were given and stay, whatever the data */
  gboolean zero_based; /* linear axis: the range always includes 0 */
  char *right_title;   /* Pango markup, NULL: no right axis */
  double right_min, right_max; /* of the right axis, which is linear; NAN: from the data */
  double weight;       /* relative height among the panels, 1 by default */
  GPtrArray *series;   /* NsSeries, owned */
  char *message;       /* shown in the middle of a panel without data, to say why; or NULL */
} NsPanel;

/* A section of the x axis with a numbering of its own: its ticks show x − offset. */
typedef struct
{
  char *name;        /* plain text for tables, and where the title does not fit: "Encoder" */
  char *title;       /* Pango markup, shown under the section: "Encoder block" */
  double start, end; /* its first and last x, axis units */
  double offset;
} NsAxisPart;

typedef struct
{
  char *title;           /* plain text, NULL: none */
  char *caption;         /* plain text, wrapped under the panels of an exported picture, NULL: none */
  char *note;            /* dimmed text at the top right, "1 of 8 seeds", NULL: none */
  char *x_title;         /* Pango markup; with parts, each of them has a title instead */
  char *x_name;          /* plain text: column header of ns_figure_to_tsv(); NULL: x_title */
  NsAxisScale x_scale;
  gboolean x_integers;   /* x is a block or a depth: ticks at whole numbers, the first and last labelled */
  double x_min, x_max;   /* axis units; NAN: from the data, or from the parts */
  GPtrArray *x_parts;    /* NsAxisPart, owned, from left to right; empty for an undivided axis */
  GPtrArray *panels;     /* NsPanel, owned */
} NsFigure;

NsFigure *ns_figure_new (void);
void ns_figure_free (NsFigure *figure);

/* Append a section to a linear x axis: start <= end, and start beyond the end of the previous section. A divider
 * halfway between two sections interrupts the curves. The texts are copied; the figure owns the section. */
NsAxisPart *ns_figure_add_x_part (NsFigure *figure, const char *name, const char *title, double start, double end,
                                  double offset);

/* Return the section that contains x, bounded by the dividers; NULL for an undivided axis. */
const NsAxisPart *ns_figure_find_x_part (const NsFigure *figure, double x);

/* Return the first divider right of x, or INFINITY. */
double ns_figure_find_x_divider (const NsFigure *figure, double x);

/* Append an empty panel; the figure owns it. `title` is Pango markup and is copied. */
NsPanel *ns_figure_add_panel (NsFigure *figure, const char *title, NsAxisScale scale);

/* Append a series of n points; the panel owns it. All arrays are copied; low and high may both be NULL, mark may be
 * NULL. y is ignored where mark is not NS_MARK_NONE. */
NsSeries *ns_panel_add_series (NsPanel *panel, const char *name, NsSeriesKind kind, int style, gsize n,
                               const double *x, const double *y, const double *low, const double *high,
                               const guint8 *mark);

/* Compute the range of the finite points and bands on one side, axis units, without a margin. FALSE without data. */
gboolean ns_panel_get_data_range (const NsPanel *panel, NsSide side, double *min, double *max);

/* Return the mark of a point: the one given, else the one that follows from y: NaN, +Inf, or underflow for −Inf (on a
 * log axis the logarithm of 0). */
NsMark ns_series_get_mark (const NsSeries *series, gsize index);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (NsFigure, ns_figure_free)

G_END_DECLS
