/* The status line of the scaling view.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Threads: main.
 */
#pragma once

#include <gtk/gtk.h>

#include "app/work/normscope-scaling-runner.h"
#include "figures/ns-scaling-settings.h"

G_BEGIN_DECLS

/* Return "1200 of 4500 blocks · 3 s left" for a task that has been running since `since` (monotonic). `is_shown` is
 * FALSE for a task that only the claims need. Free with g_free(). */
char *normscope_scaling_dup_progress_status (NormscopeTask *task, gboolean is_shown, gint64 since);

/* Return "8 seeds · 20 points" for a finished, cancelled or failed sweep, and say in the tooltip of
 * the label how the machine computed it. Free with g_free(). */
char *normscope_scaling_dup_task_status (NormscopeTask *task, GtkLabel *label);

/* Return the hint for the axis of the settings, shown until there is a crosshair; static. */
const char *normscope_scaling_get_hint (const NsScalingSettings *settings);

G_END_DECLS
