/* Options for the choice and the appearance of a figure, generated from the table of figures.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Threads: the main thread.
 */
#pragma once

#include "cli/ns-cli-options.h"
#include "engine/run/ns-engine.h"
#include "figures/table/ns-figure-table.h"

G_BEGIN_DECLS

/* An option by name; several figures can have an option of the same name. */
typedef struct
{
  const NsFigureOption *option; /* of the first figure that has it */
  char *help;
  char *text;     /* value on the command line; NULL if absent, a switch or a mark */
  char **texts;   /* values of a mark; NULL if absent */
  gboolean given; /* of a switch: it is on the command line */
} NsCliFigureSetting;

/* Return all options (NsCliFigureSetting), one for each name. Caller unrefs. */
GPtrArray *ns_cli_figure_settings_new (void);
/* Append a GOptionEntry for each option; the entries point into the settings. */
void ns_cli_figure_settings_add_entries (GPtrArray *settings, GArray *entries);
/* Apply the given values. An option of another figure is an error, unless the figure trains and a key of training has
 * an option of that name: then it is of the experiment. */
gboolean ns_cli_figure_settings_apply (GPtrArray *settings, NsFigureKind kind, NsFigureOptions *options,
                                       NsCliOptions *experiment, GError **error);

/* Return the marks that are given, without the results of references; NULL and a usage error if one is no mark of a
 * figure of the experiment. Caller frees. */
NsMarks *ns_cli_figure_settings_make_marks (GPtrArray *settings, const NsExperiment *experiment, NsFigureKind figure,
                                            const NsFigureOptions *options, GError **error);
/* Read a file that is a recording, which the caller then owns. Another file is no error: then *recording is NULL. */
gboolean ns_cli_open_recording (const char *path, NsTraining **recording, GError **error);
/* Add the first step of a recording as a curve. */
void ns_cli_marks_add_recording (NsMarks *marks, const NsTraining *recording, guint n_variants);
/* Run the experiments of the references for a flow figure with these options. */
gboolean ns_cli_compute_references (NsMarks *marks, const NsFlowOptions *options, NsEngine *engine, GError **error);

/* Refuse a block or a step that the experiment does not have, and a quantity that its training does not measure. */
gboolean ns_cli_figure_check (NsFigureKind kind, const NsFigureOptions *options, const NsExperiment *experiment,
                              GError **error);

/* Return "Figure to draw (default flow): flow: …; scaling: …". Caller frees. */
char *ns_cli_figures_dup_help (void);
/* Set *kind to the figure with the id, or to the first figure for NULL. */
gboolean ns_cli_parse_figure (const char *id, NsFigureKind *kind, GError **error);
/* Set an error, since the option belongs to the figures `owners`, "flow, scaling", and not to `kind`. Return FALSE. */
gboolean ns_cli_refuse_option (const char *option, const char *owners, NsFigureKind kind, GError **error);

/* Verify the experiment, with the map that the figure needs, if any: see ns_cli_verify_first(). */
char *ns_cli_figure_verify (NsFigureKind figure, const NsFigureOptions *options, const NsExperiment *experiment,
                            GError **error);

G_END_DECLS
