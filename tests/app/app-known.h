/* Complaints of GTK 4.8 that the program has no part in and that cost nothing.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* Return whether the message is such a complaint; callers [n]: of the message, as backtrace_symbols() names them. */
gboolean app_known_is (const char *message, char *const *callers, int n);

/* Do what GTK complains of: "expression", "tooltip", or "screen" for a popover beyond the screen. */
void app_known_plant (const char *what);

G_END_DECLS
