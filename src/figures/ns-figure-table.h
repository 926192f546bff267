/* The table of figures, one row for each.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `plot --figure`, its help, the window's views and their exports read this table. Figures are made from computed
 * data; nothing runs here. Pure functions; any thread.
 */
#pragma once

#include "figures/ns-flow.h"
#include "figures/ns-scaling.h"
#include "plot/ns-diagram.h"

G_BEGIN_DECLS

/* Rows of the table; `plot` draws the first one without --figure. */
typedef enum
{
  NS_FIGURE_FLOW,
  NS_FIGURE_SCALING,
  NS_FIGURE_WIRING,
  NS_FIGURE_BLOCK,
  NS_N_FIGURES
} NsFigureKind;

/* The data that must be computed before the figure is made. */
typedef enum
{
  NS_FIGURE_NEEDS_EXPERIMENT, /* nothing beyond the experiment */
  NS_FIGURE_NEEDS_RESULT,
  NS_FIGURE_NEEDS_SWEEP,
} NsFigureNeeds;

/* The input of a figure, all borrowed. The experiment is always set; result or sweep is set where the figure needs
 * it. */
typedef struct
{
  const NsExperiment *experiment;
  const NsResult *result;
  const NsResult *ghost; /* the result before the last change, drawn thin; may be NULL */
  const NsSweep *sweep;
  int variant;           /* the only variant to show, if the figure has by_variant; -1: all */
} NsFigureSource;

/* The options of all figures; each figure reads its own member. */
typedef struct
{
  NsFlowOptions flow;
  NsScalingOptions scaling;
  gboolean wiring_names; /* draw the variants' names above their wirings */
  int block;             /* the block whose values are on the wires, from 1 */
} NsFigureOptions;

typedef enum
{
  NS_FIGURE_OPTION_QUANTITY, /* an NsQuantity of one kind */
  NS_FIGURE_OPTION_CHOICE,   /* an int, an enumeration or a gboolean, chosen by a word */
  NS_FIGURE_OPTION_SWITCH,   /* a gboolean, TRUE when the option is given */
  NS_FIGURE_OPTION_BLOCK,    /* an int, the number of a block, 1 .. shape.depth */
} NsFigureOptionType;

/* A value and the word that chooses it. */
typedef struct
{
  const char *word; /* NULL ends a list */
  int value;
} NsFigureChoice;

/* A field of NsFigureOptions that the user sets by name. */
typedef struct
{
  const char *name; /* "gradient-axis", as in --gradient-axis; NULL ends a list */
  char short_name;  /* 'q', or 0 */
  const char *help; /* one line, N_() marked; `plot --help` appends the range and the default */
  NsFigureOptionType type;
  gsize offset;                  /* in NsFigureOptions */
  NsQuantityKind kind;           /* QUANTITY */
  const NsFigureChoice *choices; /* CHOICE */
} NsFigureOption;

typedef struct
{
  const char *id;    /* "flow": on the command line, and the name of its view; never changes */
  const char *title; /* N_() marked */
  const char *help;  /* one line on its contents, N_() marked */
  NsFigureNeeds needs;
  gboolean by_variant; /* can show one variant alone (NsFigureSource.variant) */
  /* Exactly one of these two is set. The caller owns the return value. */
  NsFigure *(*make) (const NsFigureSource *source, const NsFigureOptions *options);
  NsDiagram *(*make_diagram) (const NsFigureSource *source, const NsFigureOptions *options);
  /* Describe the figure in words; NULL: it has no sentence. Caller frees. */
  char *(*make_sentence) (const NsFigureSource *source, const NsFigureOptions *options);
  const NsFigureOption *options; /* options of this figure alone; may be NULL */
} NsFigureInfo;

const NsFigureInfo *ns_figure_info (NsFigureKind kind);

void ns_figure_options_init (NsFigureOptions *options);
/* Set an option in every figure: the band over the seeds; title and caption (or names), as in an exported picture. */
void ns_figure_options_set_band (NsFigureOptions *options, gboolean band);
void ns_figure_options_set_titles (NsFigureOptions *options, gboolean titles);

/* Make a figure of axes and series, and in *sentence (nullable) its description, NULL if it has none. Caller owns both.
 * The row of `kind` must have `make`. */
NsFigure *ns_figure_make (NsFigureKind kind, const NsFigureSource *source, const NsFigureOptions *options,
                          char **sentence);

G_END_DECLS
