/* Declarations shared by the files that handle options.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "cli/ns-cli-options.h"
#include "engine/experiment/ns-params.h"

G_BEGIN_DECLS

#define NS_CLI_N_SHARED 10
#define NS_CLI_MAX_THREADS 1024

/* A key of the experiment that was given on the command line. */
typedef struct
{
  const NsParam *param;
  char *text;
} NsCliSetting;

/* Fill `entries` with the options of every command on an experiment, which write into `options`; the last entry is
 * empty. Return `entries`. */
const GOptionEntry *ns_cli_shared_entries (NsCliOptions *options, GOptionEntry entries[NS_CLI_N_SHARED]);

/* Return TRUE if the key has an option in a command with these options of its own, which go first. */
gboolean ns_cli_param_has_option (const NsParam *param, const GOptionEntry *own);

/* ---- ns-cli-places.c ---- */

/* Refuse an output that is a file which the command reads or writes besides, under whatever name: of the options, of
 * which `shared` may be NULL, and of the other arguments. */
gboolean ns_cli_check_places (const char *command, const GOptionEntry *own, const GOptionEntry *shared, char **files,
                              GError **error);

/* ---- ns-cli-import.c ---- */

/* Return the experiment scaled down, a config's model with the default number of seeds, and in *changes a sentence
 * about what changed. Caller owns both. */
NsExperiment *ns_cli_scale_down (const NsExperiment *experiment, gboolean is_config, char **changes);
/* Print the assumptions about a model's config, how it was scaled (NULL: not), and what options changed of the result,
 * `base`. */
void ns_cli_print_import (const char *name, char **assumptions, const char *scaling, const NsExperiment *base,
                          const NsExperiment *experiment);

/* Put the model of a config, which becomes that of options->weights, before the other variants. `model` is the config's
 * variant; NULL, which is refused: the experiment is from elsewhere. */
gboolean ns_cli_add_trained (NsExperiment *experiment, const NsVariant *model, const NsCliOptions *options,
                             GError **error);
/* Bind variant 0 of the complete experiment to the checkpoint, and print what it is. */
gboolean ns_cli_read_weights (NsExperiment *experiment, const NsCliOptions *options, GError **error);

G_END_DECLS
