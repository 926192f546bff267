/* The options that the table of figures defines: which figure, and how it is shown.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Threads: the main thread.
 */
#pragma once

#include "figures/ns-figure-table.h"

G_BEGIN_DECLS

/* An option that one figure or several have under that name. */
typedef struct
{
  const NsFigureOption *option; /* of the first figure that has it */
  NsFigureKind figure;          /* that one */
  char *help;
  char *text;     /* as typed; NULL: not given, or a switch */
  gboolean given; /* a switch */
} NsCliFigureSetting;

/* Return all of them (NsCliFigureSetting), by name. Caller unrefs. */
GPtrArray *ns_cli_figure_settings_new (void);
/* Append an entry for each to the entries (GOptionEntry), which point into the settings. */
void ns_cli_figure_settings_add_entries (GPtrArray *settings, GArray *entries);
/* Set what was typed. One that belongs to another figure only is an error, unless it is a switch. */
gboolean ns_cli_figure_settings_apply (GPtrArray *settings, NsFigureKind kind, NsFigureOptions *options,
                                       GError **error);

/* "Which figure (default flow): flow: …; scaling: …"; caller frees. */
char *ns_cli_figures_dup_help (void);
/* The figure of that id, the first one for NULL. */
gboolean ns_cli_parse_figure (const char *id, NsFigureKind *kind, GError **error);
/* FALSE and an error: the option belongs to one figure and another is drawn. */
gboolean ns_cli_refuse_option (const char *option, NsFigureKind owner, NsFigureKind kind, GError **error);

G_END_DECLS
