/* Notes, arrows and kept curves in the Paths view: the right button opens a menu, N and Shift+N write at the crosshair.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Threads: main.
 */
#pragma once

#include "app/session/normscope-session.h"
#include "app/shared/normscope-plot.h"

G_BEGIN_DECLS

/* Let pointer and keys on the plot add, edit and remove marks. Both are borrowed; the session outlives the plot. */
void normscope_paths_notes_install (NormscopePlot *plot, NormscopeSession *session);

G_END_DECLS
