/* The frame of a window's content that turns it into a presentation, with a lecture or without.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * While it presents, the whole screen is for the plots: large type, a bar that hides itself, the controls on a card,
 * and the last action in large letters. The window hides its own bars when "presenting" says so. Ending restores the
 * text size, the focus and the screen exactly; changes of the experiment stay where there is no lecture.
 *
 * What was raised and drawn for a question stays with its step: it is there again when the step is shown again.
 *
 * Keys are handled before the focused widget sees them only where a clicker sends them; see normscope-presenter-keys.c.
 *
 * Threads: main.
 */
#pragma once

#include <adwaita.h>

#include "app/lecture/normscope-lecture-session.h"
#include "app/session/normscope-session.h"
#include "app/shared/normscope-plot.h"
#include "app/work/normscope-engine.h"

G_BEGIN_DECLS

#define NORMSCOPE_TYPE_PRESENTER (normscope_presenter_get_type ())
G_DECLARE_FINAL_TYPE (NormscopePresenter, normscope_presenter, NORMSCOPE, PRESENTER, AdwBin)

/* Property "content" (GtkWidget): what is presented, to be set once, in a template.
 * Property "presenting" (boolean, read-only).
 * Signal "train": the view is to train what it shows, unless it does: the answer to a question comes from there.
 * Actions "present.controls", "present.blank", "present.end", … for buttons inside of it. */

/* Call once. */
void normscope_presenter_set_session (NormscopePresenter *self, NormscopeSession *session);

/* Set the lecture and the engine that measures the answers of its questions; call once. The window puts a step on the
 * screen when the lecture says "show". */
void normscope_presenter_set_lecture (NormscopePresenter *self, NormscopeLectureSession *lecture,
                                      NormscopeEngine *engine);
/* Set the plot of a view, borrowed for as long as the presenter lives. */
void normscope_presenter_set_plot (NormscopePresenter *self, NsFigureKind figure, NormscopePlot *plot);

/* Present what the window shows under a title. */
void normscope_presenter_start (NormscopePresenter *self, const char *title);
/* Present the open lecture from its current step on. Without one this is normscope_presenter_start(). */
void normscope_presenter_start_lecture (NormscopePresenter *self, const char *title);
void normscope_presenter_end (NormscopePresenter *self);
/* Escape: hide the controls, or close the notes, or end the presentation. Return FALSE if there is none. */
gboolean normscope_presenter_peel (NormscopePresenter *self);
gboolean normscope_presenter_get_presenting (NormscopePresenter *self);
/* Return TRUE while a lecture is presented. */
gboolean normscope_presenter_has_lecture (NormscopePresenter *self);

G_END_DECLS
