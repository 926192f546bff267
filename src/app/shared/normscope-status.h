/* Parts of the status lines at the bottom right of the views.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Threads: main.
 */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* Append a part, separated by a dot. Lines break between parts, never within one. */
void normscope_status_append (GString *text, const char *part);
/* Append "1200 of 4500 blocks · 3 s left" for a run that started at `since` (monotonic time, µs). */
void normscope_status_append_progress (GString *text, guint64 done, guint64 total, gint64 since);
/* Return "40 s left", "3 min left" or "1.4 h left"; caller frees. */
char *normscope_status_dup_time_left (double seconds);
/* Say in the tooltip of a status line how the machine computed what it is about: "410 ms · Cooperlake · 2 threads",
 * with a warning when OPENBLAS_CORETYPE is set. No audience has to read that on a wall. 0: duration or
 * number is unknown. */
void normscope_status_set_machine (GtkLabel *label, double elapsed_ms, guint n_threads);

G_END_DECLS
