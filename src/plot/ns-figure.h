/* A figure: axes and series as plain arrays, ready to be drawn.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A figure is a stack of panels that share one x axis, or a grid of heat maps that share both axes and a scale of
 * colours. `src/figures` fills it, ns-draw.h draws it on any Cairo surface.
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
  NS_MARK_CROSS,     /* of a heat map: a red cross ✕: something has failed */
  NS_MARK_FLAT,      /* of a heat map: a blue bar –: something stays as it was */
  NS_MARK_ABSENT,    /* a cell of a heat map that does not exist: nothing is drawn */
} NsMark;

typedef enum
{
  NS_SERIES_LINE,
  NS_SERIES_BARS, /* the bar series of a panel are grouped side by side at each x */
  NS_SERIES_STACK, /* parts of one bar at each x, one on the other in the order of the series; negative ones below 0 */
} NsSeriesKind;

/* The number of hues that the series of a stack can have. */
#define NS_HUE_N 5

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
  gboolean keeps_range; /* its values do not stretch the axis: of an earlier figure, or a ruler */
  gsize n;
  double *x;          /* [n] ascending */
  double *y;          /* [n] */
  double *low, *high; /* [n] edges of the band, or both NULL */
  guint8 *mark;       /* [n] NsMark, or NULL when every point is a number */
  gboolean on_line;   /* of a horizontal line: the name is written on it, not in the legend or at its end */
  char *group;        /* of a stack: the legend's plain text for all series of this hue; `name` is in tables */
  double lightness;   /* of a stack or a line: 0 is the colour itself, 1 the lightest */
} NsSeries;

/* A table of numbers over two axes: each cell has the colour of its value. */
typedef struct
{
  char *name;         /* plain text, above the panel in the colour of its style: the variant */
  int style;          /* these three: as of a series */
  gboolean has_color;
  NsColor color;
  gboolean provisional; /* some seeds are still running: the name says it by being lighter */
  gint64 n_rows, n_columns;
  double *y;          /* [n_rows] centres of the rows, ascending, axis units; the first row is at the bottom */
  double *x;          /* [n_columns] centres of the columns, ascending and evenly spaced on the figure's axis */
  double *value;      /* [n_rows × n_columns] row by row, units of the scale of colours */
  guint8 *mark;       /* [n_rows × n_columns] NsMark; NS_MARK_NONE where value is finite, and only there */
  double least, most; /* of the numbers; least > most if there are none */
  guint marks;        /* bit NsMark: a cell has it */
} NsHeatMap;

typedef enum
{
  NS_COLORS_SEQUENTIAL, /* from dark to light with the value */
  NS_COLORS_DIVERGING,  /* two hues, darker with the distance from a value that means something */
} NsColorsKind;

/* What the colours of all heat maps of a figure stand for. */
typedef struct
{
  char *title;           /* the quantity, Pango markup, above all panels */
  char *short_title;     /* Pango markup, in place of a title that does not fit; or NULL */
  char *subtitle;        /* plain text under the title, dimmed; or NULL */
  char *symbol;          /* Pango markup, short, above the bar; or NULL */
  char *accessible_title; /* the title in plain text; also heads a table of the numbers */
  NsAxisScale scale;     /* NS_AXIS_LOG10: values are log10 of the quantity */
  NsColorsKind kind;
  double center;         /* of a diverging scale, its units: 0 for a cosine, log10 (1) = 0 for a gain */
  double min, max;       /* NAN: from the data of all panels */
  gboolean has_range;    /* min and max were given and stay, whatever the data */
} NsColorScale;

typedef enum
{
  NS_ANNOTATION_LINE,  /* a thin vertical line through the panel at x */
  NS_ANNOTATION_POINT, /* a ring at (x, y) with its text beside it */
  NS_ANNOTATION_RATIO, /* a bracket from (x, y) to (other_x, other_y) with its text beside it */
  NS_ANNOTATION_NOTE,  /* text joined to (x, y) by a thin line */
  NS_ANNOTATION_ARROW, /* an arrow to (x, y), from its text if it has one */
  NS_ANNOTATION_CROSS, /* a cross ✕ at (x, y) with its text beside it: something ends here */
} NsAnnotationKind;

/* Something drawn over the series of a panel. */
typedef struct
{
  NsAnnotationKind kind;
  int series;              /* index in the panel: its colour and axis; −1: the text colour and the left axis */
  double x, y;             /* axis units; y is unused by a line */
  double other_x, other_y; /* of a ratio */
  char *text;              /* plain text, or NULL; left out if there is no place for it */
  int id;                  /* for the caller: ns_hit_find_annotation() returns it */
} NsAnnotation;

/* One panel: series over the figure's x axis, or, in a figure with a scale of colours, a heat map. */
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
  gboolean has_fixed_scale; /* its axis is linear by nature: shares, cosines */
  gboolean zero_based; /* linear axis: the range always includes 0 */
  char *right_title;   /* Pango markup, NULL: no right axis */
  double right_min, right_max; /* of the right axis, which is linear; NAN: from the data */
  double weight;       /* relative height among the panels, 1 by default */
  GPtrArray *series;   /* NsSeries, owned */
  GPtrArray *annotations; /* NsAnnotation, owned */
  char *message;       /* shown in the middle of a panel without data, to say why; or NULL */
  NsHeatMap *heat_map; /* owned; NULL: none. Of the titles above, a heat map only has `has_chooser` (first panel) */
} NsPanel;

/* A section of the x axis, or of the y axis of heat maps, with a numbering of its own: its ticks show x − offset. */
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
  gboolean is_partial;   /* the points of some x from x_min to x_max come later */
  GPtrArray *x_parts;    /* NsAxisPart, owned, from left to right; empty for an undivided axis */
  GPtrArray *panels;     /* NsPanel, owned */

  /* Of heat maps, which all have the same axes; x_integers goes for both. */
  NsColorScale *colors;  /* owned; NULL: the panels have series */
  char *y_title;         /* Pango markup, at the left of the panels; with parts, each of them has a title instead */
  char *y_name;          /* plain text: of the rows in ns_figure_to_tsv(); NULL: y_title */
  char **y_labels;       /* plain texts, one for each row at y = 0, 1, …, in place of numbers; NULL-terminated, owned;
                          * or NULL */
  GPtrArray *y_parts;    /* NsAxisPart, owned, upward; empty for an undivided axis */
  gboolean square_cells; /* a unit of x is as long as one of y */
} NsFigure;

NsFigure *ns_figure_new (void);
void ns_figure_free (NsFigure *figure);

/* Append a section to a linear x axis: start <= end, and start beyond the end of the previous section. A divider
 * halfway between two sections interrupts the curves. The texts are copied; the figure owns the section. */
NsAxisPart *ns_figure_add_x_part (NsFigure *figure, const char *name, const char *title, double start, double end,
                                  double offset);

/* The same for the y axis of heat maps, from the bottom. */
NsAxisPart *ns_figure_add_y_part (NsFigure *figure, const char *name, const char *title, double start, double end,
                                  double offset);

/* Return the label of the row at y, "" if it has none. */
const char *ns_figure_get_y_label (const NsFigure *figure, double y);

/* Return the section that contains x, bounded by the dividers; NULL for an undivided axis. */
const NsAxisPart *ns_figure_find_x_part (const NsFigure *figure, double x);

/* Return the first divider right of x, or INFINITY. */
double ns_figure_find_x_divider (const NsFigure *figure, double x);

/* Append an empty panel; the figure owns it. `title` is Pango markup and is copied. */
NsPanel *ns_figure_add_panel (NsFigure *figure, const char *title, NsAxisScale scale);

/* Return TRUE if the axis of the panel may be linear or logarithmic; FALSE without that panel. */
gboolean ns_figure_can_change_scale (const NsFigure *figure, int panel);

/* Append a series of n points; the panel owns it. All arrays are copied; low and high may both be NULL, mark may be
 * NULL. y is ignored where mark is not NS_MARK_NONE. */
NsSeries *ns_panel_add_series (NsPanel *panel, const char *name, NsSeriesKind kind, int style, gsize n,
                               const double *x, const double *y, const double *low, const double *high,
                               const guint8 *mark);

/* Append a part of a stack: ns_panel_add_series() with its hue, 0 .. NS_HUE_N − 1, the text of the hue in the legend
 * and the lightness, 0..1. Parts of one hue should follow each other: the colours of thin ones are mixed. */
NsSeries *ns_panel_add_stack (NsPanel *panel, const char *name, int hue, const char *group, double lightness, gsize n,
                              const double *x, const double *y, const guint8 *mark);

/* Make a figure one of heat maps: `title` is Pango markup and is copied. */
NsColorScale *ns_figure_set_colors (NsFigure *figure, const char *title, NsAxisScale scale, NsColorsKind kind,
                                    double center);

/* Give a panel its heat map, instead of an earlier one; without cells, it has just its name. All arrays are copied;
 * mark may be NULL: every cell is what its value is. Values are ignored where mark is not NS_MARK_NONE. */
NsHeatMap *ns_panel_set_heat_map (NsPanel *panel, const char *name, int style, gint64 n_rows, gint64 n_columns,
                                  const double *y, const double *x, const double *value, const guint8 *mark);
/* Update marks, least and most after values or marks have been changed in place. */
void ns_heat_map_update (NsHeatMap *map);

/* Return the mark of a cell: the one given, else the one that follows from its value, as of a series. */
NsMark ns_heat_map_get_mark (const NsHeatMap *map, gint64 row, gint64 column);

/* Compute the range of the colours: as given, or from the finite values of all panels, without a margin; at least a
 * decade on a log scale. FALSE, with a range to draw an empty scale with, when neither is there. */
gboolean ns_figure_get_color_range (const NsFigure *figure, double *min, double *max);

/* Append an annotation; the panel owns it. `text` is copied and may be NULL. */
NsAnnotation *ns_panel_add_annotation (NsPanel *panel, NsAnnotationKind kind, int series, double x, double y,
                                       const char *text, int id);

/* Compute the range of the finite points and bands on one side, axis units, without a margin. FALSE without data. */
gboolean ns_panel_get_data_range (const NsPanel *panel, NsSide side, double *min, double *max);

/* Return the mark of a point: the one given, else the one that follows from y: NaN, +Inf, or underflow for −Inf (on a
 * log axis the logarithm of 0). */
NsMark ns_series_get_mark (const NsSeries *series, gsize index);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (NsFigure, ns_figure_free)

G_END_DECLS
