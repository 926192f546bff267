/* Command-line options: a command's own options and one for each row of the parameter table.
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

/* Values of the options that commands share. Zero-initialize; free with ns_cli_options_clear(). */
typedef struct
{
  gboolean help;
  gboolean scaled;
  char *preset;
  char *text_file;
  char *ids;           /* a file of token ids, or NULL */
  char *weights;       /* a checkpoint for the model of a config, or NULL */
  char **variants;
  char **sets;         /* of --set; also in `settings` */
  int threads;
  int memory_budget_mib;
  GPtrArray *settings; /* NsCliSetting, in the order of the command line */
  char **files;        /* arguments that are not options */
  gboolean recordings; /* set by a command that draws them: ns_cli_options_load() takes the experiment of a recording */
} NsCliOptions;

/* Parse argv. `own` are the command's entries, ended by an empty one. `experiment` adds the options of the experiment
 * and the engine. At most `max_files` arguments may be left. Words in option names may be separated by "_", "-" or
 * ".". */
gboolean ns_cli_options_parse (NsCliOptions *options, int argc, char **argv, const GOptionEntry *own,
                               gboolean experiment, guint max_files, GError **error);
void ns_cli_options_clear (NsCliOptions *options);

/* Set the key of a training whose option a command has for something else, as if it was given for the key. FALSE if
 * there is no such key. */
gboolean ns_cli_options_take (NsCliOptions *options, const char *option, const char *text);

/* Return the help page of a command. Caller owns the bytes. */
GBytes *ns_cli_options_help (const char *command, const char *arguments, const char *summary, const GOptionEntry *own,
                             gboolean experiment);

/* Load the file (an experiment, a picture with one, a link, or a model's config), else the preset, else the defaults;
 * then apply --scaled, --variant, --text-file and the options for single keys. The result has passed
 * ns_experiment_validate(). If `select` is not NULL, --variant selects one of the variants, and *select is its index.
 * --variant wires a config's model as the built-in variant. Print the assumptions about a config, and what the options
 * change. Caller owns the experiment. */
NsExperiment *ns_cli_options_load (const NsCliOptions *options, guint *select, GError **error);

/* Create the engine; warn if the environment forces BLAS kernels. Caller owns the engine. */
NsEngine *ns_cli_options_new_engine (const NsCliOptions *options, GError **error);

/* Parse "w_2" or "w_1,w_2", an option's value, and append to quantities (NsQuantity). The error for an unknown name
 * suggests another. */
gboolean ns_cli_parse_quantities (const char *option, const char *text, GArray *quantities, GError **error);

/* Find a variant of the experiment by its name, else by its number, from 0. */
gboolean ns_cli_match_variant (const NsExperiment *experiment, const char *name, guint *index);

/* Return the index of `word` in a NULL-terminated list, or -1 and an error with the option's name. */
int ns_cli_parse_choice (const char *option, const char *word, const char *const *words, GError **error);

/* The formats of pictures, in the order of NsExportFormat. */
extern const char *const ns_cli_picture_formats[];

/* Return the index of the format for a file's extension; 0 for no extension, for .txt and for NULL; -1 and an error for
 * an unknown extension. */
int ns_cli_format_from_name (const char *output, const char *const *formats, GError **error);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (NsCliOptions, ns_cli_options_clear)

G_END_DECLS
