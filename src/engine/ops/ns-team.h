/* A team of threads that share the items of loops. Loops may nest: an item may run a loop of its own, which threads
 * without work then join.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Any thread may take any item, so an item's result must depend on its index alone. Threads: any number at a time may
 * call ns_team_run().
 */
#pragma once

#include <glib.h>

typedef struct _NsTeam NsTeam;
typedef void (*NsTeamFunc) (gpointer data, guint item, guint thread);

/* Create a team; n_threads >= 1 counts the calling thread. The team is smaller when the system gives fewer threads. */
NsTeam *ns_team_new (guint n_threads);
void ns_team_free (NsTeam *team);
/* Return a team of the same threads of which at most `size` share a loop: several such loops run at a time. NULL for
 * one thread. Borrowed from the team, which may be NULL. */
NsTeam *ns_team_get_part (NsTeam *team, guint size);
/* Let the calling thread, or from its next loop on each thread of a team but the caller of ns_team_run(), give way to
 * threads that answer a user: painting goes on while all processors compute. Only on Linux, where threads have
 * priorities of their own. */
void ns_thread_give_way (void);
void ns_team_give_way (NsTeam *team);
/* Return the number of threads that share a loop, the caller's included; 1 for NULL. */
guint ns_team_size (const NsTeam *team);
/* Call func (data, item, thread) for item = 0 .. n_items - 1, with thread = 0 .. size - 1, in this loop one thread's
 * alone; return when all are done. A NULL team runs the items in order on the calling thread. */
void ns_team_run (NsTeam *team, guint n_items, NsTeamFunc func, gpointer data);
