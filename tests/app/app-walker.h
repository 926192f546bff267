/* Uses every control below a widget with pointer and keys, each value once, under the watchdog.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* Return the widget to walk through, shown; called again when using a control has closed it. */
typedef GtkWidget *(*AppWalkOpen) (gpointer data);
/* Controls are found by type, so a new one is used without a word here; those of the table in app-walker.c are left
 * out. A control that using another one brings up is used, too; windows and popovers that open are closed again. Fails
 * when the main loop does not answer within APP_WATCHDOG_LIMIT_MS, and names the control. Returns how many were
 * used. */
guint app_walk (AppWalkOpen open, gpointer data);

/* List the controls below a widget that can be used now, without those left out. The caller frees the list. */
GPtrArray *app_walk_list (GtkWidget *root);
/* Describe a control by its type, label, tooltip and ancestors. */
char *app_walk_dup_name (GtkWidget *control);
/* Return TRUE if the widget is in the table of what is left out, by its own or an ancestor's name. */
gboolean app_walk_is_left_out (GtkWidget *widget);

G_END_DECLS
