/* A row of the sidebar with a title and a control.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Property "control" (GtkWidget): the control, to be set once, in a template. Property "subtitle" (string): a note
 * under the title. Property "help-page" (string): the id of the page that the row's ⓘ opens, to be set after the title.
 *
 * Threads: main.
 */
#pragma once

#include <adwaita.h>

G_BEGIN_DECLS

#define NORMSCOPE_TYPE_CONTROL_ROW (normscope_control_row_get_type ())
G_DECLARE_FINAL_TYPE (NormscopeControlRow, normscope_control_row, NORMSCOPE, CONTROL_ROW, AdwPreferencesRow)

/* Show a note under the title; NULL hides it. */
void normscope_control_row_set_subtitle (NormscopeControlRow *self, const char *subtitle);

/* Show the button of a page of help; NULL removes it. */
void normscope_control_row_set_help_page (NormscopeControlRow *self, const char *page);

G_END_DECLS
