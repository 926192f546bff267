/* The table of figures, one row for each.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `plot --figure`, its help, the window's views and their exports read this table. Pure functions; any thread.
 */
#pragma once

#include "figures/ns-figure-info.h"

G_BEGIN_DECLS

const NsFigureInfo *ns_figure_info (NsFigureKind kind);

/* Return TRUE if the figure has an option of that type. */
gboolean ns_figure_takes (NsFigureKind kind, NsFigureOptionType type);
/* Return TRUE unless the figure needs what no variant has: experts. */
gboolean ns_figure_suits (NsFigureKind kind, const NsExperiment *experiment);

/* Make a figure of axes and series, and in *sentence (nullable) its description, NULL if it has none. Caller owns both.
 * The row of `kind` must have `make`. */
NsFigure *ns_figure_make (NsFigureKind kind, const NsFigureSource *source, const NsFigureOptions *options,
                          char **sentence);
/* The same, with the words that have a page of help in *links (NsLink of ns-links.h; nullable). Of a figure without a
 * sentence it is left alone. */
NsFigure *ns_figure_make_linked (NsFigureKind kind, const NsFigureSource *source, const NsFigureOptions *options,
                                 char **sentence, GArray **links);

/* ---- one option ---- */

/* Return TRUE if the fields of the option are equal; of marks it compares none. */
gboolean ns_figure_option_is_equal (const NsFigureOption *option, const NsFigureOptions *a, const NsFigureOptions *b);
/* Return TRUE if a QUANTITY may have that value. */
gboolean ns_figure_option_offers (const NsFigureOption *option, NsQuantity quantity);
/* Read a STEP: a number from 0, or "last". FALSE if it is neither. */
gboolean ns_figure_option_parse_step (const char *text, int *step);
/* Read the value of a NUMBER: one of its words, or a number in the C locale. FALSE if it is not allowed. */
gboolean ns_figure_option_parse (const NsFigureOption *option, const char *text, double *value);
/* Return it as such a text: the word of a choice, or the shortest number that reads back; caller frees. */
char *ns_figure_option_dup_text (const NsFigureOption *option, double value);
/* Take over the text of a POINTS without the white space around it; "usual" is as good as "". FALSE, and nothing is
 * set, with an error (NS_EXPERIMENT_ERROR) that says what is allowed. */
gboolean ns_figure_option_set_points (const char *text, char points[NS_FIGURE_POINTS_SIZE], GError **error);
/* Return what is allowed, "usual, or a number from 1e-12 to 1e+06"; translated, caller frees. */
char *ns_figure_option_dup_allowed (const NsFigureOption *option);

/* ---- the options of all figures ---- */

void ns_figure_options_init (NsFigureOptions *options);
/* Set an option in every figure: the band over the seeds; title and caption (or names), as in an exported picture. */
void ns_figure_options_set_band (NsFigureOptions *options, gboolean band);
void ns_figure_options_set_titles (NsFigureOptions *options, gboolean titles);
/* Return the plan of a training that the figure is made from alone; it borrows the quantities, which are set. */
NsTrainingPlan ns_figure_get_training_plan (NsFigureKind kind, const NsFigureOptions *options,
                                            NsQuantitySet *recorded);
/* Return a copy that owns what the options borrow, whose arrays have n_variants elements; for another thread. Caller
 * owns it. */
NsFigureOptions *ns_figure_options_copy (const NsFigureOptions *options, guint n_variants);
void ns_figure_options_free (NsFigureOptions *options); /* of a copy; NULL is allowed */

G_END_DECLS
