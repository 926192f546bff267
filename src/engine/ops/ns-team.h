/* A team of threads that share the items of one loop.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Any thread may take any item, so an item's result must depend on its index alone. Threads: one thread at a time may
 * call ns_team_run().
 */
#pragma once

#include <glib.h>

typedef struct _NsTeam NsTeam;
typedef void (*NsTeamFunc) (gpointer data, guint item, guint thread);

/* Create a team; n_threads >= 1 counts the calling thread. The team is smaller when the system gives fewer threads. */
NsTeam *ns_team_new (guint n_threads);
void ns_team_free (NsTeam *team);
/* Let the calling thread, or from its next loop on each thread of a team but the caller of ns_team_run(), give way to
 * threads that answer a user: painting goes on while all processors compute. Only on Linux, where threads have
 * priorities of their own. */
void ns_thread_give_way (void);
void ns_team_give_way (NsTeam *team);
/* Return the number of threads, the caller's included; 1 for NULL. */
guint ns_team_size (const NsTeam *team);
/* Call func (data, item, thread) for item = 0 .. n_items - 1, with thread = 0 .. size - 1; return when all are done.
 * A NULL team runs the items in order on the calling thread. */
void ns_team_run (NsTeam *team, guint n_items, NsTeamFunc func, gpointer data);
