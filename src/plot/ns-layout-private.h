/* What ns-layout.c and ns-layout-names.c share.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "plot/ns-layout.h"
#include "plot/ns-text.h"

G_BEGIN_DECLS

/* From the axis to its numbers. */
#define NS_TICK_GAP_PX 8.0

/* A series that is to be named once in the figure, wherever else it is drawn again. */
typedef struct
{
  int panel, series;
  const NsSeries *data;
  gboolean is_line; /* it has an end to be named at */
} NsNamed;

typedef struct
{
  const NsFigure *figure;
  const NsTheme *theme;
  PangoContext *context;
  PangoLayout *ruler; /* for measuring ticks */
  NsLayout *layout;
  GArray *named; /* NsNamed */

  double title_px, axis_px, tick_px; /* sizes of type */
  double axis_line, tick_line;       /* heights of a line of each */
  double power_line;                 /* height of a tick with a raised exponent */
  double outer;                      /* free edge of the picture */
  double gap;                        /* between things side by side */
  gboolean legend;
  int dropped;                       /* how much was left out for lack of room, see drops () */
  double left, right;                /* margins beside the plots */
  double data_x_min, data_x_max;
} NsLayoutBuilder;

/* A label of its natural size, or cut or wrapped at max_width when that is >= 0, standing at 0, 0. */
NsLabel *ns_layout_add_label (NsLayoutBuilder *builder, NsLabelRole role, const char *text, gboolean is_markup,
                              double size_px, gboolean bold, double max_width, gboolean wrap);

NsPanelLayout *ns_layout_builder_get_panel (const NsLayoutBuilder *builder, guint panel);

/* ns-layout-axes.c */

/* Sets the data's ends on x and the smallest step between two values. */
void ns_layout_find_x_domain (NsLayoutBuilder *builder, gboolean *has_bars);

/* Scales and ticks of one panel's vertical axes; its plot's height has to stand. */
void ns_layout_make_y_scales (NsLayoutBuilder *builder, guint index);

/* The widest tick label, px; 0 without ticks (NULL too). */
double ns_layout_get_widest (NsLayoutBuilder *builder, const GPtrArray *ticks);

/* The margins beside the plots. FALSE when names at the curves' ends do not fit; never so with a legend. */
gboolean ns_layout_find_margins (NsLayoutBuilder *builder);

/* The x scale and its ticks; widens the margins until the first and the last number are whole. */
void ns_layout_make_x_scale (NsLayoutBuilder *builder, gboolean has_bars);

/* Puts the titles of the x axis, of which the heights stand, under the axis or each under its part. */
void ns_layout_place_x_titles (NsLayoutBuilder *builder);

/* `at`: the top of x labels, the right edge of y labels, the left edge of right ones. */
void ns_layout_place_tick_labels (NsLayoutBuilder *builder, const GPtrArray *ticks, NsLabelRole role, int panel,
                                  double at);

/* How many bars share a slot, and how wide each is. */
void ns_layout_count_bars (NsLayoutBuilder *builder, guint index);

/* ns-layout-names.c */

/* Which series are to be named. */
void ns_layout_collect_named (NsLayoutBuilder *builder);

/* The room that names at the curves' ends need right of a panel; NAN when they do not fit there. */
double ns_layout_measure_names (NsLayoutBuilder *builder, int panel);

/* Puts the names of a panel right of `x`, moved apart within the plot's height. FALSE: too many. */
gboolean ns_layout_place_names (NsLayoutBuilder *builder, int panel, double x);

/* Puts the legend at the top of the picture from `y` down and returns its height. Entries that have no room
 * are counted in a last one. */
double ns_layout_place_legend (NsLayoutBuilder *builder, double y, gboolean one_row);

G_END_DECLS
