/* Answering the program's dialogs in a test.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* The mapped toplevel of this type; fails when none comes. Borrowed. */
GtkWidget *app_wait_for_dialog (GType type);

/* Clicks a button of the question that is up, or comes up. */
void app_answer (const char *button);

/* Chooses a file of a folder in the chooser that is up, or comes up: one that exists, or a name to save under. */
void app_choose (const char *folder, const char *name);

G_END_DECLS
