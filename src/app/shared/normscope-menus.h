/* The menus of ui/menus.ui, which the application loads once for all windows.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Threads: main.
 */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* Let a button open the menu of this id. */
void normscope_menus_show (GtkMenuButton *button, const char *id);

G_END_DECLS
