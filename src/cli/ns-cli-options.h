/* Options of the commands: those of the command itself, and one for each row of the parameter table.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Threads: the main thread.
 */
#pragma once

#include "engine/experiment/ns-settings.h"
#include "engine/run/ns-engine.h"

#include <gio/gio.h>

G_BEGIN_DECLS

/* What the user asked for, apart from what is a command's own. Zero-initialized, freed by ns_cli_options_clear(). */
typedef struct
{
  gboolean help;
  char *preset;
  char *text_file;
  char **variants;
  int threads;
  int memory_budget_mib;
  GPtrArray *settings; /* Setting, in the order of the command line */
  char **files;        /* what is left of the command line */
} NsCliOptions;

/* Parses argv. `own`: the command's entries, ended by an empty one. With `experiment` the options of the experiment
 * and the engine are taken too; at most `max_files` arguments may be left. Options may be written with "_", "-" or
 * "." between words. */
gboolean ns_cli_options_parse (NsCliOptions *options, int argc, char **argv, const GOptionEntry *own,
                               gboolean experiment, guint max_files, GError **error);
void ns_cli_options_clear (NsCliOptions *options);

/* The help page of a command; caller owns the bytes. */
GBytes *ns_cli_options_help (const char *command, const char *arguments, const char *summary, const GOptionEntry *own,
                             gboolean experiment);

/* The file (an experiment, a picture that carries one, or a link), else the preset, else the defaults; then --variant,
 * --text-file and the single keys over it. The result has passed ns_experiment_validate(). With `select` not NULL,
 * --variant names one of its variants instead, whose index goes there. Caller owns it. */
NsExperiment *ns_cli_options_load (const NsCliOptions *options, guint *select, GError **error);

/* Warns when the environment forces BLAS kernels. Caller owns the engine. */
NsEngine *ns_cli_options_new_engine (const NsCliOptions *options, GError **error);

/* "w_2", or "w_1,w_2" for several; an unknown one is an error that suggests another. Appends to quantities
 * (NsQuantity). */
gboolean ns_cli_parse_quantities (const char *text, GArray *quantities, GError **error);

/* The index of a word of a NULL-terminated list; an unknown one is an error that names the option. -1 then. */
int ns_cli_parse_choice (const char *option, const char *word, const char *const *words, GError **error);

/* The index of the format that a file's name ends in, formats[0] for a name without an ending, for .txt and for NULL;
 * an unknown ending is an error, -1 then. */
int ns_cli_format_from_name (const char *output, const char *const *formats, GError **error);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (NsCliOptions, ns_cli_options_clear)

G_END_DECLS
