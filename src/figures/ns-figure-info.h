/* What a figure is: its kind, its input, its options, and its row in the table of figures.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Figures are made from computed data; nothing runs here. The rows are in table/ns-figure-table.h.
 */
#pragma once

#include "engine/analysis/ns-coordinate-check.h"
#include "figures/ns-depths.h"
#include "figures/ns-flow.h"
#include "figures/ns-paths-figure.h"
#include "figures/ns-scaling.h"
#include "figures/ns-sensitivity-figure.h"
#include "figures/ns-training-figure.h"
#include "plot/ns-diagram.h"

G_BEGIN_DECLS

/* Rows of the table; `plot` draws the first one without --figure. */
typedef enum
{
  NS_FIGURE_FLOW,
  NS_FIGURE_SCALING,
  NS_FIGURE_WIRING,
  NS_FIGURE_BLOCK,
  NS_FIGURE_CONTRIBUTIONS,
  NS_FIGURE_IDENTITY_PATH,
  NS_FIGURE_GAIN,
  NS_FIGURE_SIMILARITY,
  NS_FIGURE_LENGTHS,
  NS_FIGURE_SKIP_BRANCH,
  NS_FIGURE_UPDATE,
  NS_FIGURE_EXPERTS,
  NS_FIGURE_TRAINING,
  NS_FIGURE_TRAINING_PROFILE,
  NS_FIGURE_TRAINING_MAP,
  NS_FIGURE_SENSITIVITY,
  NS_FIGURE_COORDINATE_CHECK,
  NS_FIGURE_DEPTHS,
  NS_N_FIGURES
} NsFigureKind;

/* The data that must be computed before the figure is made. */
typedef enum
{
  NS_FIGURE_NEEDS_EXPERIMENT, /* nothing beyond the experiment */
  NS_FIGURE_NEEDS_RESULT,
  NS_FIGURE_NEEDS_SWEEP,
  NS_FIGURE_NEEDS_PATHS, /* of the row's paths_kind */
  NS_FIGURE_NEEDS_TRAINING,
  NS_FIGURE_NEEDS_SENSITIVITY,
  NS_FIGURE_NEEDS_COORDINATES,
  NS_FIGURE_NEEDS_DEPTHS, /* results at several depths */
} NsFigureNeeds;

/* The input of a figure, all borrowed. The experiment is always set; result, sweep, paths, training, sensitivity,
 * coordinates or depths is set where the figure needs it, and the others are NULL. The last four are shown with their
 * own experiments. */
typedef struct
{
  const NsExperiment *experiment;
  const NsResult *result;
  const NsResult *ghost; /* the result before the last change, drawn thin; may be NULL */
  const NsSweep *sweep;
  const NsPaths *paths;
  const NsTraining *training;
  const NsTraining *former; /* the training before the last change, drawn thin; may be NULL */
  const NsSensitivity *sensitivity;
  const NsCoordinateCheck *coordinates;
  const GPtrArray *depths; /* NsResult, of the experiment at ascending depths */
  int variant;           /* the only variant to show, if the figure has by_variant; -1: all */
  NsProgress *progress;  /* once it is cancelled, large figures stay unfinished and must not be used; may be NULL */
} NsFigureSource;

/* The room for the text of a POINTS with its end. */
#define NS_FIGURE_POINTS_SIZE 128

/* The options of all figures; each figure reads its own member. */
typedef struct
{
  NsFlowOptions flow;
  NsScalingOptions scaling;
  NsPathsOptions paths;
  NsTrainingOptions training;
  NsSensitivityOptions sensitivity;
  gboolean wiring_names; /* draw the variants' names above their wirings */
  int block;             /* the block whose values are on the wires, from 1 */
  char widths[NS_FIGURE_POINTS_SIZE]; /* of the coordinate check to compute; a figure shows the one that it is given */
} NsFigureOptions;

typedef enum
{
  NS_FIGURE_OPTION_QUANTITY, /* an NsQuantity: ns_figure_option_offers() */
  NS_FIGURE_OPTION_CHOICE,   /* an int, an enumeration or a gboolean, chosen by a word */
  NS_FIGURE_OPTION_SWITCH,   /* a gboolean, TRUE when the option is given */
  NS_FIGURE_OPTION_BLOCK,    /* an int, the number of a block, 1 .. shape.depth */
  NS_FIGURE_OPTION_COUNT,    /* an int, 1 .. max */
  NS_FIGURE_OPTION_STEP,     /* an int, a step of a training from 0; −1, written as "last": the last one */
  NS_FIGURE_OPTION_NUMBER,   /* a double, least .. most, or 0 for the word among its choices that is no number */
  NS_FIGURE_OPTION_POINTS,   /* a char[NS_FIGURE_POINTS_SIZE], read by ns_sweep_points_from_text(); "": usual ones */
  /* These four add to an NsMarks and can be given several times (ns-marks-text.h). */
  NS_FIGURE_OPTION_PIN,
  NS_FIGURE_OPTION_NOTE,
  NS_FIGURE_OPTION_ARROW,
  NS_FIGURE_OPTION_REFERENCE, /* an experiment's file */
} NsFigureOptionType;

/* A value and the word that chooses it. */
typedef struct
{
  const char *word; /* NULL ends a list */
  int value;
  const char *title; /* N_() marked; in the window, where the option has a title */
} NsFigureChoice;

/* A field of NsFigureOptions that the user sets by name. */
typedef struct
{
  const char *name; /* "gradient-axis", as in --gradient-axis; NULL ends a list */
  char short_name;  /* 'q', or 0 */
  const char *help; /* one line, N_() marked; `plot --help` appends the range and the default */
  const char *title; /* of its control in the bar of its view, N_() marked; NULL: it has none there */
  NsFigureOptionType type;
  gsize offset;                  /* in NsFigureOptions */
  NsQuantityKind kind;           /* QUANTITY */
  gboolean any_kind;             /* QUANTITY: any one of blocks, not just those of a chooser of that kind */
  const NsFigureChoice *choices; /* CHOICE; NUMBER: suggestions, whose words are the numbers */
  int max;                       /* COUNT */
  double least, most;            /* NUMBER */
} NsFigureOption;

typedef struct
{
  const char *id;    /* "flow": on the command line; never changes */
  const char *title; /* N_() marked */
  const char *help;  /* one line on its contents, N_() marked */
  /* The view of the window that shows it: "flow", "paths", "scaling"; NULL: none, it has a place of
   * its own or is only drawn by the command line. */
  const char *view;
  NsFigureNeeds needs;
  NsPathsKind paths_kind; /* NS_FIGURE_NEEDS_PATHS */
  /* Its blocks and its crosshair are those of the flow figure's axis: horizontally, and vertically where it has
   * heat maps. */
  gboolean by_block;
  gboolean by_variant; /* can show one variant alone (NsFigureSource.variant) */
  /* Exactly one of these two is set. The caller owns the return value. */
  NsFigure *(*make) (const NsFigureSource *source, const NsFigureOptions *options);
  NsDiagram *(*make_diagram) (const NsFigureSource *source, const NsFigureOptions *options);
  /* Describe the figure in words, and list in *links (nullable) those with a page of help (NsLink); NULL: it has no
   * sentence. Caller frees. */
  char *(*make_sentence) (const NsFigureSource *source, const NsFigureOptions *options, GArray **links);
  /* Return the values at a point of the figure (axis units; y matters to a heat map alone) as a table; NULL: another
   * function does. Caller owns it. */
  NsReadout *(*make_readout) (const NsFigureSource *source, const NsFigureOptions *options, double x, double y);
  const NsFigureOption *options; /* options of this figure alone; may be NULL */
} NsFigureInfo;

G_END_DECLS
