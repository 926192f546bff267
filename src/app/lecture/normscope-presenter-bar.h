/* The bar at the lower edge while presenting: back, step, forward, the title, and what can be opened.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Its buttons activate the actions "present.…" of the presenter around it. It shows itself when asked and hides after a
 * few seconds, but not while the pointer is on it or it has the focus.
 *
 * Threads: main.
 */
#pragma once

#include <adwaita.h>

G_BEGIN_DECLS

#define NORMSCOPE_TYPE_PRESENTER_BAR (normscope_presenter_bar_get_type ())
G_DECLARE_FINAL_TYPE (NormscopePresenterBar, normscope_presenter_bar, NORMSCOPE, PRESENTER_BAR, AdwBin)

GtkWidget *normscope_presenter_bar_new (void);

/* Show the position `step` (from 0) among `n_steps`, or, without steps, the title and no arrows. */
void normscope_presenter_bar_set_step (NormscopePresenterBar *self, const char *title, guint step, guint n_steps);

/* Show the bar for a few seconds. */
void normscope_presenter_bar_wake (NormscopePresenterBar *self);
gboolean normscope_presenter_bar_is_awake (NormscopePresenterBar *self);

G_END_DECLS
