/* The position of everything in a figure, in px.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A pure function of figure, theme and size. Drawing, hit-testing and the crosshair all use it, so they agree. Text is
 * measured without hinting and at 96 dpi for every surface, so a file looks like the screen.
 *
 * A layout copies what it needs: figure and theme may be freed first. Its indices refer to that figure.
 * Threads: any one thread at a time.
 */
#pragma once

#include "plot/ns-figure.h"
#include "plot/ns-scale.h"
#include "plot/ns-theme.h"

G_BEGIN_DECLS

typedef struct
{
  double x, y, width, height; /* px, y downward */
} NsRect;

typedef enum
{
  NS_LABEL_TITLE,
  NS_LABEL_NOTE,
  NS_LABEL_CAPTION,
  NS_LABEL_X_TITLE,
  NS_LABEL_Y_TITLE,
  NS_LABEL_SUBTITLE,
  NS_LABEL_RIGHT_TITLE,
  NS_LABEL_X_TICK,
  NS_LABEL_Y_TICK,
  NS_LABEL_RIGHT_TICK,
  NS_LABEL_NAME,    /* a curve's name at its right end */
  NS_LABEL_LEGEND,  /* a series' name in the legend, right of its swatch */
  NS_LABEL_MESSAGE, /* in the middle of a panel without data */
  NS_LABEL_ANNOTATION, /* text of an annotation or of a horizontal line, within the plot */
  NS_LABEL_PANEL_NAME, /* above a heat map */
  NS_LABEL_ROW_TITLE,  /* of the y axis of heat maps, upright */
  NS_LABEL_BAR_TITLE,  /* above the bar of colours */
  NS_LABEL_BAR_TICK,
} NsLabelRole;

typedef struct
{
  NsLabelRole role;
  char *text;         /* Pango markup if is_markup, else plain text */
  gboolean is_markup;
  NsRect rect;        /* line box; labels of a layout neither overlap nor leave the picture */
  double size_px;     /* font size */
  gboolean bold;
  gboolean is_upright; /* turned by 90°, from the bottom up; rect is that of the turned text */
  gboolean wrap;      /* wrapped at rect.width, else one line, ellipsized at rect.width */
  int panel, series;  /* indices; series is −1 except for a name or legend entry, panel −1 outside panels */
  double anchor_x_px, anchor_y_px; /* of a name: the curve's end, joined to it by a thin line */
  gpointer pango;     /* private: the PangoLayout, shaped once */
} NsLabel;

typedef struct
{
  NsRect plot;            /* data area; x and width are the same in every panel, but not in a grid of heat maps */
  NsAxisMap x;            /* that of the layout, but in a grid of heat maps */
  NsAxisMap y, right;     /* right is valid if has_right */
  gboolean has_right;
  GPtrArray *y_ticks;     /* NsTick */
  GPtrArray *x_ticks;     /* NsTick, of a heat map with labels below it; else NULL */
  GPtrArray *right_ticks; /* NsTick, or NULL */
  int n_bars;             /* number of bar series without ghosts */
  double bar_px;          /* width of one bar; below NS_BAR_MIN_PX bars are drawn as a step line */
  NsRect chooser;         /* title and arrow of a panel with a chooser, else empty */
} NsPanelLayout;

#define NS_BAR_MIN_PX 3.0

/* The bar that says which colour stands for which value. */
typedef struct
{
  NsRect rect;      /* empty: there is none */
  NsAxisMap map;    /* of the scale of colours, also without a bar; from the bottom of the bar to its top */
  GPtrArray *ticks; /* NsTick, or NULL */
} NsColorBar;

typedef struct
{
  double width, height;
  NsAxisMap x;          /* shared by all panels; of heat maps that of the first one */
  double slot;          /* distance between bar groups, axis units */
  GPtrArray *x_ticks;   /* NsTick; labelled under the last panel only */
  GArray *panels;       /* NsPanelLayout, one for each panel of the figure */
  GPtrArray *labels;    /* NsLabel, all text of the picture */
  GArray *annotations;  /* NsAnnotationPlace, of all panels in order */
  gboolean has_legend;  /* the names did not fit at the curves' ends */
  gboolean is_crowded;  /* titles of axes or names of series are left out, or a plot is too low */
  NsColorBar bar;       /* of heat maps */
  double cell_x, cell_y; /* sides of a cell of a heat map, axis units */
  double swatch_px;     /* width of a legend swatch, which ends 6 px left of its label */
} NsLayout;

/* The pixels of an annotation. */
typedef struct
{
  int panel, index;          /* in the figure */
  double x_px, y_px;         /* of its point; of a line the top */
  double other_x_px, other_y_px;
  double bracket_px;         /* x of the vertical part of a ratio's bracket */
  int label;                 /* index in layout->labels, −1 without text or place */
} NsAnnotationPlace;

/* Lay a figure out in width × height px; sizes below 1 px count as 1. Free with ns_layout_free(). */
NsLayout *ns_layout_new (const NsFigure *figure, const NsTheme *theme, double width, double height);
void ns_layout_free (NsLayout *layout);

const NsPanelLayout *ns_layout_get_panel (const NsLayout *layout, guint panel);

/* Return the vertical axis a series is measured on. */
const NsAxisMap *ns_layout_get_series_scale (const NsLayout *layout, guint panel, const NsSeries *series);

/* Return the width of one bar group's slot on the x axis, px. */
double ns_layout_get_slot_px (const NsLayout *layout);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (NsLayout, ns_layout_free)

G_END_DECLS
