/* Random use of the window with pointer and keys through the X server and with actions and values from within.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * There is one for the program. Which action comes next depends on the seed and on what the windows show; what they
 * show depends on how fast results arrive, too.
 */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* Open the first window. */
void app_monkey_start (guint32 seed);
void app_monkey_stop (void);

GtkWidget *app_monkey_open_window (void);
/* Do one action, in a window that is opened if there is none. */
void app_monkey_act (void);
/* Close all windows, and wait until their workers have ended. Return FALSE if a window is not freed. */
gboolean app_monkey_rest (void);

/* Return the last action in words. */
const char *app_monkey_get_last (void);
/* Print the last actions, the oldest first. */
void app_monkey_print_last (void);

G_END_DECLS
