/* The speaker's window: notes, the next step, a clock and the time since the start.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * It is on the other screen if there is one. Closing it does not end the presentation.
 *
 * Threads: main.
 */
#pragma once

#include <adwaita.h>

#include "app/lecture/normscope-lecture-session.h"
#include "app/work/normscope-engine.h"

G_BEGIN_DECLS

#define NORMSCOPE_TYPE_PRESENTER_NOTES (normscope_presenter_notes_get_type ())
G_DECLARE_FINAL_TYPE (NormscopePresenterNotes, normscope_presenter_notes, NORMSCOPE, PRESENTER_NOTES, AdwWindow)

/* Return a new window that follows the lecture's current step, not yet shown. The picture of the next step is computed
 * by the engine. `started_at` is the monotonic time of the presentation's start. */
GtkWidget *normscope_presenter_notes_new (NormscopeLectureSession *lecture, NormscopeEngine *engine,
                                          gint64 started_at);

/* Show the window: on the whole of another monitor than that of `beside`, else as an ordinary window. */
void normscope_presenter_notes_present (NormscopePresenterNotes *self, GtkWindow *beside);

G_END_DECLS
