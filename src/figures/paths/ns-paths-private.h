/* Parts of the figures of the Paths view, in call order: figures → lines of a sentence → options.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Texts are translated; callers free char * and own figures. Pure functions; any thread.
 */
#pragma once

#include "figures/ns-figure-info.h"
#include "figures/ns-flow-private.h"

G_BEGIN_DECLS

/* ---- figures, each with its sentence and its read-out: the functions of a row of the table ---- */

#define NS_PATHS_DECLARE_FIGURE(name)                                                                                  \
  NsFigure *ns_paths_make_##name (const NsFigureSource *source, const NsFigureOptions *options);                       \
  char *ns_paths_make_##name##_sentence (const NsFigureSource *source, const NsFigureOptions *options,                 \
                                         GArray **links);                                                              \
  NsReadout *ns_paths_make_##name##_readout (const NsFigureSource *source, const NsFigureOptions *options, double x,   \
                                             double y);

NS_PATHS_DECLARE_FIGURE (identity)
NS_PATHS_DECLARE_FIGURE (lengths)
NS_PATHS_DECLARE_FIGURE (gain)
NS_PATHS_DECLARE_FIGURE (similarity)
NS_PATHS_DECLARE_FIGURE (contributions)
NS_PATHS_DECLARE_FIGURE (update)
NS_PATHS_DECLARE_FIGURE (skip)
NS_PATHS_DECLARE_FIGURE (experts)

#undef NS_PATHS_DECLARE_FIGURE

/* ---- lines: what a clause, a curve or a panel is about (ns-paths-lines.c) ---- */

/* One part of one variant. */
typedef struct
{
  const NsPathsOptions *options;
  const NsExperiment *experiment;
  const NsResult *result; /* or NULL */
  const NsPaths *paths;   /* or NULL */
  NsProgress *progress;   /* of the source */
  guint n_seeds, n_wanted; /* seeds that are computed, and those that will be */
  guint variant;
  NsPart part;
  gint64 part_index, depth;
  gint64 first, last; /* sites: of the part's input and its last block */
  const char *page;   /* of help, for the numbers of a clause */
} NsPathsLine;

/* Return the line of the first part of the first variant; result or paths of the source is set. */
NsPathsLine ns_paths_line_new (const NsFigureSource *source, const NsFigureOptions *options);
/* Go to the next part, or to the first part of the next visible variant. Return FALSE after the last one. Begin with
 * ns_paths_line_start(), which returns FALSE if every variant is hidden. */
gboolean ns_paths_line_start (NsPathsLine *line);
gboolean ns_paths_line_next (NsPathsLine *line);
/* Return "Pre-LN", "Pre-LN (encoder)": whose curve or clause it is. */
char *ns_paths_line_dup_name (const NsPathsLine *line);
/* Read the statistic of a quantity at a layer of the part; a mean of NAN if there is none. */
NsStat ns_paths_line_get_quantity (const NsPathsLine *line, NsQuantity quantity, gint64 layer);
/* Return the mean that an axis of norms shows. */
NsMeanKind ns_paths_line_get_mean (const NsPathsLine *line);
/* Give a series the look of the variant. */
void ns_paths_line_dress (const NsPathsLine *line, NsSeries *series);
int ns_paths_line_get_style (const NsPathsLine *line);

/* Return one sentence about the line, its numbers marked by ns_paths_line_link(). */
typedef char *(*NsPathsClause) (const NsPathsLine *line);
/* Return a number of a clause with a mark that leads to the line's page of help; takes the number. */
char *ns_paths_line_link (const NsPathsLine *line, char *number);

/* Return the mean of a statistic that an axis of norms shows, with two digits, as ns_paths_line_link() does. */
char *ns_paths_line_dup_mean (const NsPathsLine *line, const NsStat *stat);

/* Return the clause of every line, a line of text each whose numbers lead to the page of help, or in its place the
 * block in which the forward pass overflows; then, with several seeds, which means the numbers are: a format for the
 * number of seeds, untranslated. `after` (nullable, taken) are lines to put before that. */
char *ns_paths_dup_sentence (const NsFigureSource *source, const NsFigureOptions *options, NsPathsClause clause,
                             const char *page, const char *means, char *after, GArray **links);

/* Set note, and with options->titles the title and the caption, which is taken. */
void ns_paths_finish_figure (NsFigure *figure, const NsFigureSource *source, const NsFigureOptions *options,
                             char *caption);
/* A figure by block that marks are added to. */
typedef struct
{
  NsFigure *figure;
  NsFigureKind kind;
  const NsExperiment *experiment;
  const NsQuantity *quantities; /* [n], of the panels from the top; none: only notes of this figure */
  gsize n;
} NsPathsMarked;

/* Return the quantities [n] of the panels of a figure from the top; n is 0 for a figure that shows none. Static. */
const NsQuantity *ns_paths_list_quantities (NsFigureKind kind, const NsPathsOptions *options, gsize *n);

/* Add the pins, notes and arrows of the options. */
void ns_paths_add_marks (const NsPathsMarked *marked, const NsPathsOptions *options);
/* Say why a panel has no data. */
char *ns_paths_dup_absence (const NsPathsLine *line);
/* Add a row for the line's variant to a read-out, or for its part. */
NsReadoutRow *ns_paths_add_variant_row (NsReadout *readout, const NsPathsLine *line);
NsReadoutRow *ns_paths_add_part_row (NsReadout *readout, const NsPathsLine *line);

/* Return the read-out of quantities at a block of a result: a row for each visible variant. */
NsReadout *ns_paths_read_quantities (const NsFigureSource *source, const NsFigureOptions *options,
                                     const NsQuantity *quantities, gsize n, double x);

/* Return the options of the flow figure with the same seeds, look and visibility, for the curves of one quantity. */
NsFlowOptions ns_paths_get_flow_options (const NsPathsOptions *options, NsQuantity quantity);

G_END_DECLS
