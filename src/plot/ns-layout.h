/* Where everything of a figure stands, in pixels.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A pure function of (figure, theme, size), used by drawing, hit-testing and the
 * overlay alike: there is no second geometry. Type is measured without hinting and at
 * 96 dpi whatever the surface, so a file and the screen agree.
 *
 * A layout keeps copies of all it needs: the figure and theme may go first (but indices
 * in it speak of that figure). Threads: any one thread at a time.
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
  NS_LABEL_RIGHT_TITLE,
  NS_LABEL_X_TICK,
  NS_LABEL_Y_TICK,
  NS_LABEL_RIGHT_TICK,
  NS_LABEL_NAME,    /* of a curve, at its right end */
  NS_LABEL_LEGEND,  /* of a series, in the legend; its swatch stands left of it */
  NS_LABEL_MESSAGE, /* in the middle of a panel without data */
} NsLabelRole;

typedef struct
{
  NsLabelRole role;
  char *text;         /* Pango markup where is_markup, else plain */
  gboolean is_markup;
  NsRect rect;        /* of the line box; no two labels of a layout overlap, none leaves the picture */
  double size_px;     /* of the type */
  gboolean bold;
  gboolean wrap;      /* broken into lines within rect.width; otherwise one line, ellipsized at rect.width */
  int panel, series;  /* of a name or legend entry, else -1 (series) and the panel where there is one */
  double anchor_x_px, anchor_y_px; /* of a name: the curve's end, which a thin line joins to it */
  gpointer pango;     /* private: the PangoLayout, shaped once */
} NsLabel;

typedef struct
{
  NsRect plot;            /* the data area; x and width are the same in every panel */
  NsAxisMap y, right;       /* right is meaningful when has_right */
  gboolean has_right;
  GPtrArray *y_ticks;     /* NsTick */
  GPtrArray *right_ticks; /* NsTick, or NULL */
  int n_bars;             /* series that are bars, ghosts not counted */
  double bar_px;          /* width of one bar; below NS_BAR_MIN_PX they are drawn as a step line */
} NsPanelLayout;

#define NS_BAR_MIN_PX 3.0

typedef struct
{
  double width, height;
  NsAxisMap x;            /* shared by all panels */
  double slot;          /* axis units from one bar group to the next */
  GPtrArray *x_ticks;   /* NsTick; named under the last panel only */
  GArray *panels;       /* NsPanelLayout, as many as the figure has */
  GPtrArray *labels;    /* NsLabel, everything written */
  gboolean has_legend;  /* names did not fit at the curves' ends */
  double swatch_px;     /* width of a legend's swatch, which ends 6 px left of its label */
} NsLayout;

NsLayout *ns_layout_new (const NsFigure *figure, const NsTheme *theme, double width, double height);
void ns_layout_free (NsLayout *layout);

const NsPanelLayout *ns_layout_get_panel (const NsLayout *layout, guint panel);

/* The scale a series is measured on. */
const NsAxisMap *ns_layout_get_series_scale (const NsLayout *layout, guint panel, const NsSeries *series);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (NsLayout, ns_layout_free)

G_END_DECLS
