/* The chooser of a view with several figures, and their options.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Choosers and controls are made from the rows of ns-figure-table.h; those of other figures are hidden.
 *
 * Threads: main.
 */
#pragma once

#include <gtk/gtk.h>

#include "app/session/normscope-session.h"

G_BEGIN_DECLS

#define NORMSCOPE_TYPE_FIGURE_BAR (normscope_figure_bar_get_type ())
G_DECLARE_FINAL_TYPE (NormscopeFigureBar, normscope_figure_bar, NORMSCOPE, FIGURE_BAR, GtkBox)

/* Bind the bar to a session and fill it with the figures of a view (ns-view-choice.h), a static string; call once. */
void normscope_figure_bar_set_session (NormscopeFigureBar *self, NormscopeSession *session, const char *view);

/* Return the control of an option, a GtkDropDown, GtkCheckButton or GtkSpinButton, owned by the bar; NULL if the option
 * has none. */
GtkWidget *normscope_figure_bar_get_control (NormscopeFigureBar *self, const char *option);

/* Return the entry beside the suggestions of an option that is a number; NULL for others. */
GtkWidget *normscope_figure_bar_get_entry (NormscopeFigureBar *self, const char *option);

G_END_DECLS
