/* Parts of the status lines at the bottom right of the views.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Threads: main.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Append a part, separated by a dot. Lines break between parts, never within one. */
void normscope_status_append (GString *text, const char *part);
/* Append "1200 of 4500 blocks · 3 s left" for a run that started at `since` (monotonic time, µs). */
void normscope_status_append_progress (GString *text, guint64 done, guint64 total, gint64 since);
/* Return "40 s left", "3 min left" or "1.4 h left"; caller frees. */
char *normscope_status_dup_time_left (double seconds);
/* Append a duration: "410 ms" or "3.2 s". */
void normscope_status_append_elapsed (GString *text, double elapsed_ms);
/* Append a warning when OPENBLAS_CORETYPE is set. */
void normscope_status_append_blas_warning (GString *text);

G_END_DECLS
