/* The options that choose maps (engine/run/ns-paths.h): --of and what belongs to it.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Threads: the main thread.
 */
#pragma once

#include "script/ns-dump.h"

G_BEGIN_DECLS

/* Values of the options; NULL if absent. Zero-initialize; free with ns_cli_maps_clear(). */
typedef struct
{
  char **of;
  char *optimizer, *learning_rate;
  int probes; /* 0: the default */
  gboolean matrices_only;
  gboolean of_script; /* of a PyTorch script, which has also --of training; set it before */
} NsCliMaps;

#define NS_CLI_N_MAPS_ENTRIES 5

/* Append the entries to a command's own; the array has room for NS_CLI_N_MAPS_ENTRIES more and the empty one. */
void ns_cli_maps_append_entries (NsCliMaps *maps, GOptionEntry *entries);
/* Return the settings (NsPathsSettings) of every --of, each kind once; an empty list without one. Return NULL with a
 * usage error for a value that is not allowed. Caller owns the list. */
GArray *ns_cli_maps_read (const NsCliMaps *maps, GError **error);
/* The same as the parts of a script, with of_script. Caller frees. */
NsScriptParts *ns_cli_maps_read_parts (const NsCliMaps *maps, GError **error);
/* Set the usage error that --of is missing. */
void ns_cli_maps_refuse_none (GError **error);
void ns_cli_maps_clear (NsCliMaps *maps);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (NsCliMaps, ns_cli_maps_clear)

G_END_DECLS
