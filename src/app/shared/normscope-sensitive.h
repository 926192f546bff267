/* Widgets that are disabled while they have the focus.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Threads: main.
 */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* Enable or disable a widget. If the focus is in it, take the focus away first: GTK leaves it in the disabled widget,
 * where keys do nothing, and warns about a text. */
void normscope_set_sensitive (GtkWidget *widget, gboolean is_sensitive);

G_END_DECLS
