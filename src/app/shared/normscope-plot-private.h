/* Shared by the files of the plot: normscope-plot.c calls the others.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "app/shared/normscope-plot.h"
#include "plot/ns-range.h"
#include "plot/ns-theme.h"

G_BEGIN_DECLS

#define NORMSCOPE_PLOT_MAX_PANELS 8
/* Beyond every block, but small enough that differences between blocks are exact. */
#define NORMSCOPE_PLOT_FAR_X 1e9

/* The part of a panel's series that is shown, axis units. */
typedef struct
{
  double from, to;
} NormscopePlotReveal;

struct _NormscopePlot
{
  GtkWidget parent_instance;

  NsFigure *figure;
  NormscopePlotFilter filter; /* or NULL */
  gpointer filter_data;
  double text_scale;
  double cursor;
  double cursor_y;   /* row of heat maps; NAN: none */
  double marker;     /* column of heat maps; NAN: none */
  guint cursor_panel; /* the heat map that the pointer was in */
  gboolean cursor_is_pointer; /* hide it when the pointer leaves */
  double pointer_x, pointer_y; /* px */

  NsRangeMemory memory[NORMSCOPE_PLOT_MAX_PANELS];
  NsRangeMemory color_memory;
  guint settle_id;

  /* Cache of the drawing; layout and picture are NULL after a change. */
  NsLayout *layout;
  GskRenderNode *picture;
  GskRenderNode *empty; /* the same without series; made when a reveal needs it */
  NsTheme theme;
  int width, height;

  gboolean has_reveal;
  NormscopePlotReveal reveal[NORMSCOPE_PLOT_MAX_PANELS];
  gboolean is_locked; /* the pointer and keys do not move the crosshair */

  /* A transition from the former figure; all NULL and 0 without one. */
  gboolean animates_next;
  NsFigure *former; /* from which the curves move */
  NsFigure *between; /* on the screen until the transition ends, or NULL */
  gint64 transition_start; /* frame time, µs */
  guint transition_id;

  NormscopePlotControls *controls;
  guint64 n_drawings;
};

/* Drop the layout and the drawing; they are made again for the next frame. */
void normscope_plot_drop_picture (NormscopePlot *self);

/* ---- normscope-plot-input.c ---- */

/* Ask for another scale of an axis. */
void normscope_plot_emit_axis_clicked (NormscopePlot *self, int axis);
void normscope_plot_add_input (NormscopePlot *self);
gboolean normscope_plot_query_tooltip (GtkWidget *widget, int x, int y, gboolean keyboard, GtkTooltip *tooltip);

/* ---- normscope-plot-drawing.c ---- */

void normscope_plot_snapshot (GtkWidget *widget, GtkSnapshot *snapshot);
/* Begin a transition to the figure that replaces `former`, which is taken. */
void normscope_plot_start_transition (NormscopePlot *self, NsFigure *former);
/* Show the figure as it is, if a transition runs. */
void normscope_plot_end_transition (NormscopePlot *self);

G_END_DECLS
