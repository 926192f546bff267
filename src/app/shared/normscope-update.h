/* Setters for what is shown anew at each change of the experiment. They leave GTK alone where nothing changes: for the
 * same text it would make the child of a button again, which lays out the window, and for a tooltip ask the X server
 * where the pointer is.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Threads: main thread only.
 */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* Show the text, also as a tooltip, since the label may cut it. */
void normscope_update_label (GtkLabel *label, const char *text);
void normscope_update_button (GtkMenuButton *button, const char *label);
/* text NULL: no tooltip. */
void normscope_update_tooltip (GtkWidget *widget, const char *text);

G_END_DECLS
