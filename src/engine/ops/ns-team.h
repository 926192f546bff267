/* A team of threads that share the items of one loop.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which thread takes which item is left to chance, so an item's result may not depend on it: what an item computes
 * is fixed by its index. Threads: ns_team_run() is called by one thread at a time.
 */
#pragma once

#include <glib.h>

typedef struct _NsTeam NsTeam;
typedef void (*NsTeamFunc) (gpointer data, guint item, guint thread);

/* n_threads >= 1 counts the calling one. NULL when the system gives no more threads. */
NsTeam *ns_team_new (guint n_threads);
void ns_team_free (NsTeam *team);
/* 1 for NULL. */
guint ns_team_size (const NsTeam *team);
/* Calls func (data, item, thread) for item = 0 .. n_items - 1, thread = 0 .. size - 1; returns when all are done.
 * A NULL team runs them in order on the calling thread. */
void ns_team_run (NsTeam *team, guint n_items, NsTeamFunc func, gpointer data);
