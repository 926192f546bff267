/* The status line, the progress bar and the cancel button of a view that shows one figure.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Threads: main.
 */
#pragma once

#include <gtk/gtk.h>

#include "app/session/normscope-session.h"
#include "app/work/normscope-background.h"
#include "engine/run/ns-paths.h"

G_BEGIN_DECLS

typedef struct _NormscopeRunStatus NormscopeRunStatus;

/* Show the state in these widgets. All are borrowed and outlive the return value. */
NormscopeRunStatus *normscope_run_status_new (NormscopeSession *session, GtkLabel *label, GtkProgressBar *bar,
                                              GtkWidget *cancel_button);
void normscope_run_status_free (NormscopeRunStatus *self);

/* Describe what the figure on the screen was made of, which is referenced: seeds, time, processor. At most one of the
 * two is set; without one the line is empty. */
void normscope_run_status_set_shown (NormscopeRunStatus *self, const NsResult *result, const NsPaths *paths);
/* Show the progress of a runner, borrowed, or, without one, that nothing runs. With `is_stale` the figure on the screen
 * was made with former options. */
void normscope_run_status_set_running (NormscopeRunStatus *self, NormscopeBackground *runner, gboolean is_stale);

G_END_DECLS
