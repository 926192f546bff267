/* The flow figure: gradient norms by block over activation magnitudes by block; its sentence and read-out.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Pure functions; any thread.
 */
#pragma once

#include "engine/experiment/ns-settings.h"
#include "engine/run/ns-result.h"
#include "figures/ns-marks.h"
#include "figures/ns-readout.h"
#include "plot/ns-figure.h"

G_BEGIN_DECLS

/* Auto: linear, or logarithmic where one variant would flatten another on a linear axis. */
typedef enum { NS_BARS_AXIS_AUTO, NS_BARS_AXIS_LINEAR, NS_BARS_AXIS_LOG } NsBarsAxis;

typedef enum { NS_TOKEN_COS_AUTO, NS_TOKEN_COS_ALWAYS, NS_TOKEN_COS_NEVER } NsTokenCosMode;

#define NS_FLOW_MIN_FACTOR 1e-4
#define NS_FLOW_MAX_FACTOR 1e4

/* How the flow of gradients and activations is shown. */
typedef struct
{
  NsQuantity gradient;   /* the curves: any gradient quantity */
  NsQuantity activation; /* the bars: any activation */
  gboolean log_gradient;
  NsBarsAxis bars_axis;
  gboolean band;         /* one standard deviation over the seeds to both sides */
  NsTokenCosMode token_cos; /* auto: shown when a visible variant has a residual off */
  guint64 hidden;        /* bit v: variant v is not shown */
  guint n_seeds_wanted;  /* with fewer seeds in the result the curves are provisional and a note says so; 0: ignore */
  const NsColor *colors; /* one for each variant, or NULL: the palette; borrowed */
  const gboolean *has_color; /* one for each variant, with colors */
  const int *styles;     /* for each variant the index of its colour, dash and marker; NULL: its own index; borrowed */
  gboolean predictions;  /* draw mean-field theory dashed over gradients, activations and token similarity, and Lemma 2
                          * of Xiong et al. 2020 as a band over rms_x, for visible variants that meet the assumptions
                          * (ns-mean-field.h) */
  double factor;         /* draw dashed how a gradient would change by this factor in every block on its way down, from
                          * the last number of each curve on; NS_FLOW_MIN_FACTOR .. NS_FLOW_MAX_FACTOR, or 0: none */
  const NsMarks *marks;  /* pins, notes and references to draw; NULL: none; borrowed */
  gboolean in_training;  /* the result is of a step of a training, whose settings tell a ghost apart, too */
  gboolean titles;       /* a title and a caption (the sentence), for exported figures */
} NsFlowOptions;

/* Set the defaults: block gradient norms on a log axis, rms_x on a linear one, band, token similarity "auto". */
void ns_flow_options_init (NsFlowOptions *options);

/* Return the quantities that a result needs for the figure: those of an ordinary run, and the chosen ones that take
 * passes of their own. */
NsQuantitySet ns_flow_options_get_quantities (const NsFlowOptions *options);

/* Make the figure: gradient norms by block above activation magnitudes by block; an encoder's blocks come before its
 * decoder's on the axis. `ghost` is the result before the last change, drawn thin, or NULL. Caller owns the figure. */
NsFigure *ns_flow_figure (const NsResult *result, const NsResult *ghost, const NsFlowOptions *options);

/* Describe the flow figure in numbers: a line for each visible variant, one that compares them at the top, and one that
 * names the mean, e.g. "Pre-LN: falls to a quarter from block 1 to 24.\nPost-LN: flat.\nAt the top Post-LN is 4.3
 * times Pre-LN.\nGeometric means over 8 seeds.". Changes are of the means that the axis shows. With fewer seeds than
 * wanted it begins by saying so. For more than two variants the comparison comes first and names the largest. When
 * tokens become one vector, or a residual is off, the line gives their similarity. For an encoder-decoder it describes
 * each part: "Post-LN: encoder flat; decoder rises to 13 times from block 1 to 6.". Translated; plain text; caller
 * frees. */
char *ns_flow_sentence (const NsResult *result, const NsFlowOptions *options);
/* The same, with the words that have a page of help in *links (NsLink of ns-links.h; nullable). */
char *ns_flow_linked_sentence (const NsResult *result, const NsFlowOptions *options, GArray **links);

/* Return one line with the values nearest to x on the figure's axis (in a single stack the block, 0 for the input):
 * "Block 7 · Pre-LN 0.123 ± 0.010, rms(xₗ) 1.73 · …", "Decoder block 3 · …"; caller frees. */
char *ns_flow_readout (const NsResult *result, const NsFlowOptions *options, gint64 x);
/* Return the same values as a table of the visible variants; caller owns it. */
NsReadout *ns_flow_readout_table (const NsResult *result, const NsFlowOptions *options, gint64 x);

/* Return the block nearest to x on the figure's axis, and the x of a block that exists (ns_place_exists()). */
NsPlace ns_flow_get_place (const NsExperiment *experiment, double x);
double ns_flow_place_to_x (const NsExperiment *experiment, const NsPlace *place);
/* Return "Block 3", "Input", "Decoder block 3"; translated, caller frees. */
char *ns_flow_dup_place (const NsPlace *place);

/* Return TRUE if the figure draws the mark of that id: its block exists, and a visible curve has a number there. */
gboolean ns_flow_draws_mark (const NsResult *result, const NsFlowOptions *options, int id);
/* Return what a mark is, for lists: "Pin at Block 3", "Ratio of Block 12 to Block 3", "Note “falls” at Block 5",
 * "Curve “Pre-LN, 24 blocks”"; of one that is not drawn also why: "(there are 12 blocks)". Caller frees. */
char *ns_flow_dup_mark_name (const NsResult *result, const NsFlowOptions *options, int id);
/* Describe all marks with their values, a line for each; NULL without marks. Caller frees. */
char *ns_flow_dup_marks (const NsResult *result, const NsFlowOptions *options);

/* Return the x of the last block on that axis, which starts at 0, the input. */
gint64 ns_flow_get_last_x (const NsExperiment *experiment);

/* Return why no visible variant has a prediction of the quantity, "Not for ‖∂L/∂W_head‖"; NULL if one has. `hidden` is
 * as in the options. Translated; caller frees. */
char *ns_theory_dup_missing (const NsExperiment *experiment, guint64 hidden, NsQuantity quantity);
/* Return why predictions are missing, "Not for FFN width 512, Attention: Full": the settings of the visible variant
 * that is the closest to the theory's; "Gradients: …" if only theirs are missing. Set *is_drawn to TRUE when at least
 * one is drawn. NULL when both panels have one. Translated; caller frees. */
char *ns_flow_dup_no_prediction (const NsExperiment *experiment, const NsFlowOptions *options, gboolean *is_drawn);

G_END_DECLS
