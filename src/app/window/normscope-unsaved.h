/* What experiments and lectures with unsaved changes share: the question before they are left, and what follows it; the
 * offer of what the program has left.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* Ask whether to save. `answered (owner, response)` gets "save", "discard" or "cancel". */
void normscope_unsaved_ask (GtkApplicationWindow *window, const char *heading, GCallback answered, gpointer owner);

/* Offer unsaved work of a former run: `answered (owner, response)` gets "recover" or "discard". */
void normscope_unsaved_offer (GtkApplicationWindow *window, const char *heading, GCallback answered, gpointer owner);

/* Close the window from the main loop: the dialog that emits its response still needs the window. */
void normscope_unsaved_close_window (GtkApplicationWindow *window);

/* Add an action to the window; `callback (owner, parameter)`. */
void normscope_unsaved_add_action (GtkApplicationWindow *window, const char *name, const GVariantType *type,
                                   GCallback callback, gpointer owner);

G_END_DECLS
