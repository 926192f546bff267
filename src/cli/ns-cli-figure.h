/* Options for the choice and the appearance of a figure, generated from the table of figures.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Threads: the main thread.
 */
#pragma once

#include "figures/ns-figure-table.h"

G_BEGIN_DECLS

/* An option by name; several figures can have an option of the same name. */
typedef struct
{
  const NsFigureOption *option; /* of the first figure that has it */
  NsFigureKind figure;          /* that figure */
  char *help;
  char *text;     /* value on the command line; NULL if absent or a switch */
  gboolean given; /* of a switch: it is on the command line */
} NsCliFigureSetting;

/* Return all options (NsCliFigureSetting), one for each name. Caller unrefs. */
GPtrArray *ns_cli_figure_settings_new (void);
/* Append a GOptionEntry for each option; the entries point into the settings. */
void ns_cli_figure_settings_add_entries (GPtrArray *settings, GArray *entries);
/* Apply the given values. An option of another figure is an error, unless it is a switch. */
gboolean ns_cli_figure_settings_apply (GPtrArray *settings, NsFigureKind kind, NsFigureOptions *options,
                                       GError **error);

/* Refuse a block that the experiment does not have. */
gboolean ns_cli_figure_check_block (NsFigureKind kind, const NsFigureOptions *options, const NsExperiment *experiment,
                                    GError **error);

/* Return "Figure to draw (default flow): flow: …; scaling: …". Caller frees. */
char *ns_cli_figures_dup_help (void);
/* Set *kind to the figure with the id, or to the first figure for NULL. */
gboolean ns_cli_parse_figure (const char *id, NsFigureKind *kind, GError **error);
/* Set an error, since the option belongs to the figure `owner` and not to `kind`. Return FALSE. */
gboolean ns_cli_refuse_option (const char *option, NsFigureKind owner, NsFigureKind kind, GError **error);

G_END_DECLS
