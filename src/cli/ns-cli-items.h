/* Work that consists of items: kept in a checkpoint, divided into shards, merged.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Threads: the main thread.
 */
#pragma once

#include "cli/ns-cli-options.h"
#include "document/items/ns-items-file.h"

G_BEGIN_DECLS

/* Options as given on the command line; NULL if absent. Owned. */
typedef struct
{
  char *checkpoint; /* a file */
  char *shard;      /* "2/8" */
} NsCliItemsRequest;

#define NS_CLI_ITEMS_ENTRIES(request) \
  { "checkpoint", 0, 0, G_OPTION_ARG_FILENAME, &(request)->checkpoint, NS_CLI_CHECKPOINT_HELP, N_ ("FILE") }, \
    { "shard", 0, 0, G_OPTION_ARG_STRING, &(request)->shard, NS_CLI_SHARD_HELP, N_ ("I/N") }
#define NS_CLI_CHECKPOINT_HELP \
  N_ ("Append each finished part to FILE; if FILE exists, go on from there, with the same output as without the " \
      "interruption")
#define NS_CLI_SHARD_HELP \
  N_ ("Compute only the Ith of N shares, into the checkpoint FILE.I-of-N, and write nothing else; “normscope-cli " \
      "merge” writes the output of all. In a job array of Slurm, --checkpoint alone takes I and N from it")

void ns_cli_items_request_clear (NsCliItemsRequest *request);

/* What becomes of the items of a command. */
typedef struct
{
  char *checkpoint;     /* a path, with the number of the shard; or NULL. Owned */
  guint shard, n_shards; /* 1 .. n_shards; n_shards is 0 without shards */
  GPtrArray *records;   /* NsItemsRecords that have the items, borrowed; NULL: they are computed */
  char *merged;         /* a path for a checkpoint of all of them, or NULL. Owned */
} NsCliItemsPlan;

/* Refuse a checkpoint of an experiment that reads a file, of which the checkpoint would know nothing. */
gboolean ns_cli_check_checkpoint (const NsCliOptions *options, GError **error);
/* Read the options, and the environment of a job array of Slurm. Refuse what excludes a checkpoint. */
gboolean ns_cli_items_plan_init (NsCliItemsPlan *plan, const NsCliItemsRequest *request, const NsCliOptions *options,
                                 const char *output, GError **error);
void ns_cli_items_plan_clear (NsCliItemsPlan *plan);
/* Return TRUE if the items are not just computed by this process: call ns_cli_items_run(). */
gboolean ns_cli_items_plan_is_shared (const NsCliItemsPlan *plan);

/* Compute the items, or take them from the records. Set *complete if all are there, so that the command writes its
 * output; after a signal, and in a shard, they may not be. Prints what is lacking. */
gboolean ns_cli_items_run (const NsCliItemsPlan *plan, NsEngine *engine, const NsItemsHead *head, NsItems *items,
                           gboolean *complete, GError **error);

/* ---- merging ---- */

/* What `merge` writes. */
typedef struct
{
  const NsItemsHead *head;
  NsCliItemsPlan plan;
  char *output, *format;
  gboolean provenance, no_provenance;
} NsCliMerge;

/* Write the output of each command from the records; *missed as ns_cli_scaling() counts. */
gboolean ns_cli_scaling_merge (const NsCliMerge *merge, guint *missed, GError **error);
gboolean ns_cli_run_merge (const NsCliMerge *merge, guint *missed, GError **error);
gboolean ns_cli_train_merge (const NsCliMerge *merge, guint *missed, GError **error);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (NsCliItemsRequest, ns_cli_items_request_clear)
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (NsCliItemsPlan, ns_cli_items_plan_clear)

G_END_DECLS
