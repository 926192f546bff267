/* The figures that the program makes: one row each.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `plot --figure` and its help, the window's views and their exports read this table. A figure is made from a source
 * that is computed already: nothing runs here. Pure functions; any thread.
 */
#pragma once

#include "figures/ns-flow.h"
#include "figures/ns-scaling.h"
#include "plot/ns-diagram.h"

G_BEGIN_DECLS

/* In the order of the table; the first is what `plot` draws without --figure. */
typedef enum
{
  NS_FIGURE_FLOW,
  NS_FIGURE_SCALING,
  NS_FIGURE_WIRING,
  NS_N_FIGURES
} NsFigureKind;

/* What has to be computed before the figure can be made. */
typedef enum
{
  NS_FIGURE_NEEDS_EXPERIMENT, /* nothing */
  NS_FIGURE_NEEDS_RESULT,
  NS_FIGURE_NEEDS_SWEEP,
} NsFigureNeeds;

/* What a figure is made from. All borrowed; the experiment is always there, of the others what the figure needs. */
typedef struct
{
  const NsExperiment *experiment;
  const NsResult *result;
  const NsResult *ghost; /* the result before the last change, drawn grey; may be NULL */
  const NsSweep *sweep;
  int variant;           /* the only one to show, where the figure can; -1: all */
} NsFigureSource;

/* How figures are shown; each reads its own part. */
typedef struct
{
  NsFlowOptions flow;
  NsScalingOptions scaling;
  gboolean wiring_names; /* the variants' names above their wirings */
} NsFigureOptions;

typedef enum
{
  NS_FIGURE_OPTION_QUANTITY, /* an NsQuantity of one kind */
  NS_FIGURE_OPTION_CHOICE,   /* an int, an enumeration or a gboolean, by a word */
  NS_FIGURE_OPTION_SWITCH,   /* a gboolean, TRUE when it is given */
} NsFigureOptionType;

/* A word for a value. */
typedef struct
{
  const char *word; /* NULL ends a list */
  int value;
} NsFigureChoice;

/* A field of NsFigureOptions that can be set from outside by a name. */
typedef struct
{
  const char *name; /* "gradient-axis", as on the command line; NULL ends a list */
  char short_name;  /* 'q', or 0 */
  const char *help; /* one line, N_() marked; what is allowed and the default are appended to it */
  NsFigureOptionType type;
  gsize offset;                  /* in NsFigureOptions */
  NsQuantityKind kind;           /* QUANTITY */
  const NsFigureChoice *choices; /* CHOICE */
} NsFigureOption;

typedef struct
{
  const char *id;    /* "flow": on the command line, and the name of its view; stays for ever */
  const char *title; /* N_() marked */
  const char *help;  /* what it shows, one line, N_() marked */
  NsFigureNeeds needs;
  gboolean by_variant; /* can show one variant alone (NsFigureSource.variant) */
  /* One of these two is set. The caller owns what it returns. */
  NsFigure *(*make) (const NsFigureSource *source, const NsFigureOptions *options);
  NsDiagram *(*make_diagram) (const NsFigureSource *source, const NsFigureOptions *options);
  /* What it shows, in words; NULL: it has none. Caller frees. */
  char *(*make_sentence) (const NsFigureSource *source, const NsFigureOptions *options);
  const NsFigureOption *options; /* its own; may be NULL */
} NsFigureInfo;

const NsFigureInfo *ns_figure_info (NsFigureKind kind);

void ns_figure_options_init (NsFigureOptions *options);
/* Set for every figure: a band over the seeds; title and caption, or names, as in an exported picture. */
void ns_figure_options_set_band (NsFigureOptions *options, gboolean band);
void ns_figure_options_set_titles (NsFigureOptions *options, gboolean titles);

/* Make a figure of axes and series, and in *sentence (nullable) what it shows. Caller owns both. */
NsFigure *ns_figure_make (NsFigureKind kind, const NsFigureSource *source, const NsFigureOptions *options,
                          char **sentence);

G_END_DECLS
