/* A pair of scissors as the pointer over a wire that a click cuts.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Threads: main.
 */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* Return the cursor, borrowed; the usual hand where the display has no cursors with pictures. */
GdkCursor *normscope_scissors_get_cursor (void);

G_END_DECLS
