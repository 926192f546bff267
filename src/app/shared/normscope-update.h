/* Setters for what is shown anew at each change of the experiment. They leave GTK alone where nothing changes: it would
 * lay out the window again for the same label, and ask the X server for the pointer for the same tooltip.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Threads: main thread only.
 */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

void normscope_update_label (GtkLabel *label, const char *text);
void normscope_update_button (GtkMenuButton *button, const char *label);
/* text NULL: no tooltip. */
void normscope_update_tooltip (GtkWidget *widget, const char *text);

G_END_DECLS
