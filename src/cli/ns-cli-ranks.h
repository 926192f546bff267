/* Processes under mpirun that share the items of one command.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Rank 0 hands out the items, computes some itself, and has the checkpoint and the output. The others ask for items
 * and print nothing. While items are short they ask one ahead for each thread, so that they do not wait; while items
 * are long they do not, so that no rank ends with two of them while another has none.
 * Threads: the main thread, except where it says otherwise.
 */
#pragma once

#include "engine/run/ns-items.h"

G_BEGIN_DECLS

/* Return how many processes mpirun or srun has started, by the environment, and which of them this is; 1 and 0 without
 * them. Threads: any. */
guint ns_cli_ranks_get_n (void);
guint ns_cli_ranks_get_own (void);
/* Refuse to do the same work in each of several processes: a command that cannot share it, or a build without MPI. */
gboolean ns_cli_ranks_check (const char *command, gboolean shares, GError **error);
/* Start MPI with several processes. FALSE with an error if those of other ranks have another checksum. */
gboolean ns_cli_ranks_begin (guint64 checksum, GError **error);
/* All items are there: end MPI. */
void ns_cli_ranks_end (void);
/* The process ends: end the others, too, if they have not ended with ns_cli_ranks_end(). */
void ns_cli_ranks_leave (int status);

/* ---- rank 0 ---- */

/* Called by the thread that serves. */
typedef struct
{
  /* Return the next item for another rank, first <= item < end, or NS_NO_ITEM. */
  guint (*next) (gpointer user_data, guint rank, guint first, guint end);
  /* Another rank has finished an item; `n` numbers. Return FALSE to stop. */
  gboolean (*accept) (gpointer user_data, guint item, const guint64 *numbers, gsize n);
  /* Another rank cannot go on. */
  void (*fail) (gpointer user_data, const char *message);
  gpointer user_data;
} NsCliServer;

/* Serve the other ranks until all of them have left, or until one of the functions stops it or the progress is
 * cancelled. A rank that sends nothing for half a minute is named in a message. Threads: one of its own. */
void ns_cli_ranks_serve (const NsCliServer *server, NsProgress *progress);

/* ---- the other ranks ---- */

/* Let rank 0 know now and then that this process is not stopped: call it many times a second while it works. */
void ns_cli_ranks_tell_alive (void);
/* Compute what rank 0 hands out, on the engine's threads. Return FALSE with an error, which rank 0 then has, too. */
gboolean ns_cli_ranks_work (NsEngine *engine, NsItems *items, NsProgress *progress, GError **error);

G_END_DECLS
