/* The quiet line at the bottom right of the scaling view.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Threads: main.
 */
#pragma once

#include "app/work/normscope-scaling-runner.h"

G_BEGIN_DECLS

/* "1200 of 4500 blocks · 3 s left" of the task that runs since `since` (monotonic); caller frees. */
char *normscope_scaling_status_of_progress (NormscopeTask *task, gboolean is_shown, gint64 since);

/* "8 seeds · 20 points · 410 ms · Cooperlake" of a sweep, with what became of it; caller frees. */
char *normscope_scaling_status_of_task (NormscopeTask *task);

G_END_DECLS
