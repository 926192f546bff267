/* Declarations shared by the ns-layout-*.c files.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Calls go one way: ns-layout-build.c → ns-layout-grid.c → ns-layout-annotations.c, ns-layout-axes.c →
 * ns-layout-names.c → ns-layout.c.
 */
#pragma once

#include "plot/ns-layout.h"
#include "plot/ns-text.h"

G_BEGIN_DECLS

/* Distance between an axis and its tick labels. */
#define NS_TICK_GAP_PX 8.0

/* Elements to leave out, in this order, when the picture is too small for everything. Drop the legend last; colours are
 * meaningless without it. */
typedef enum
{
  NS_DROP_NOTHING,
  NS_DROP_CAPTION,
  NS_DROP_SUBTITLES,
  NS_DROP_TITLE,
  NS_DROP_X_TITLE,
  NS_DROP_LEGEND_ROWS, /* all but the first */
  NS_DROP_LEGEND,
} NsLayoutDrop;

/* A series to be named; series that look the same in several panels are named once. */
typedef struct
{
  int panel, series;
  const NsSeries *data;
  gboolean is_line; /* can be named at its right end */
} NsNamed;

/* The state of ns_layout_new(). Lengths in px. */
typedef struct
{
  const NsFigure *figure;
  const NsTheme *theme;
  PangoContext *context;
  PangoLayout *ruler; /* measures tick labels */
  NsLayout *layout;
  GArray *named; /* NsNamed */

  double title_px, axis_px, tick_px; /* font sizes */
  double axis_line, tick_line;       /* line heights of axis titles and tick labels */
  double power_line;                 /* line height of a tick label with a superscript */
  double title_line;                 /* height of a panel's row of titles */
  double subtitle_line;              /* additional height of a subtitle, which differs if the title has a subscript */
  double outer;                      /* margin around the picture */
  double gap;                        /* between labels in one row */
  gboolean legend;                   /* names in a legend instead of at the curves' ends */
  NsLayoutDrop dropped;              /* this and everything before it in the list is left out */
  double left, right;                /* margins left and right of the plots */
  gboolean has_domain, has_bars;     /* the range of x below is known; of data with bars */
  double data_x_min, data_x_max;     /* axis units */
} NsLayoutBuilder;

/* ---- ns-layout.c ---- */

/* Return an empty layout. */
NsLayout *ns_layout_alloc (double width, double height);

/* Add a label at (0, 0) of its natural size; with max_width >= 0 it is wrapped or ellipsized at that width. */
NsLabel *ns_layout_add_label (NsLayoutBuilder *builder, NsLabelRole role, const char *text, gboolean is_markup,
                              double size_px, gboolean bold, double max_width, gboolean wrap);

NsPanelLayout *ns_layout_builder_get_panel (const NsLayoutBuilder *builder, guint panel);

/* ---- ns-layout-names.c ---- */

/* Fill builder->named. */
void ns_layout_collect_named (NsLayoutBuilder *builder);

/* Return the width that names at the curves' ends need right of a panel; NAN when they do not fit. */
double ns_layout_measure_names (NsLayoutBuilder *builder, int panel);

/* Place the names of a panel right of `x`, moved apart within the plot's height. FALSE when there are too many. */
gboolean ns_layout_place_names (NsLayoutBuilder *builder, int panel, double x);

/* Place the legend from `y` down and return its height. A last entry counts those that do not fit. */
double ns_layout_place_legend (NsLayoutBuilder *builder, double y, gboolean one_row);

/* ---- ns-layout-annotations.c ---- */

/* Place the annotations of a panel and their labels, which overlap neither each other nor the edges of the plot. Call
 * it when the scales of the panel are final. */
void ns_layout_place_annotations (NsLayoutBuilder *builder, guint index);

/* ---- ns-layout-grid.c ---- */

/* Lay the heat maps of the figure out between `top` and `bottom`, with their titles, axes and bar. FALSE when they are
 * too small to read. */
gboolean ns_layout_place_grid (NsLayoutBuilder *builder, double top, double bottom, gboolean note_is_placed);

/* ---- ns-layout-axes.c ---- */

/* Return the ticks of an x axis, or, if `is_vertical`, of a y axis, for data between `first` and `last`. */
GPtrArray *ns_layout_make_ticks (NsLayoutBuilder *builder, const NsAxisMap *map, const GPtrArray *parts,
                                 gboolean integers, double first, double last, gboolean is_vertical);

/* Return the ticks of a y axis whose rows have labels. */
GPtrArray *ns_layout_make_label_ticks (NsLayoutBuilder *builder, const NsAxisMap *map, char **labels);

/* Return the ticks of an axis at the side of a plot: few, far apart, but three where there is room. */
GPtrArray *ns_layout_make_side_ticks (NsLayoutBuilder *builder, const NsAxisMap *map);

/* Show a short plain text in a label where its title does not fit in `room`, cut off if it does not fit either. */
void ns_layout_fit_title (NsLabel *label, const char *short_text, double room);

/* Set the range of x in the data, and the smallest step between two values. */
void ns_layout_find_x_domain (NsLayoutBuilder *builder, gboolean *has_bars);

/* Set scales and ticks of a panel's vertical axes; the height of its plot must be known. */
void ns_layout_make_y_scales (NsLayoutBuilder *builder, guint index);

/* Return the width of the widest tick label; 0 for NULL or without labels. */
double ns_layout_get_widest (NsLayoutBuilder *builder, const GPtrArray *ticks);

/* Set the margins left and right of the plots. FALSE when names at the curves' ends do not fit; TRUE with a legend. */
gboolean ns_layout_find_margins (NsLayoutBuilder *builder);

/* Make the x scale and its ticks; widen the margins until the first and the last label fit. */
void ns_layout_make_x_scale (NsLayoutBuilder *builder, gboolean has_bars);

/* Place the x titles horizontally, under the axis or each under its part; their y is already set. */
void ns_layout_place_x_titles (NsLayoutBuilder *builder);

/* Place tick labels. `at` is the top of x labels, the right edge of y labels, the left edge of right ones. */
void ns_layout_place_tick_labels (NsLayoutBuilder *builder, const GPtrArray *ticks, NsLabelRole role, int panel,
                                  double at);

/* Set the number of bars in a slot and the width of one. */
void ns_layout_count_bars (NsLayoutBuilder *builder, guint index);

G_END_DECLS
