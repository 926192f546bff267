/* Declarations shared by the app-monkey*.c files.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "app-monkey.h"

G_BEGIN_DECLS

/* Do it in a window of the application, or in the dialog above it; note it, unless there is nothing to do. */
typedef void (*AppMonkeyAct) (GtkWidget *window);

typedef struct
{
  AppMonkeyAct act;
  guint weight;
  gboolean from_within; /* not below a dialog, where a user could not do it */
} AppMonkeyAction;

/* app-monkey-actions.c: the actions, up to one without a function. */
extern const AppMonkeyAction app_monkey_actions[];

/* ---- app-monkey.c ---- */

/* Write an action down before it is done. */
void app_monkey_note (const char *format, ...) G_GNUC_PRINTF (1, 2);

/* Return a random number below n. */
guint app_monkey_roll (guint n);
double app_monkey_roll_between (double min, double max);
/* Return TRUE once in n times. */
gboolean app_monkey_is_one_of (guint n);
#define APP_MONKEY_PICK(array) ((array)[app_monkey_roll (G_N_ELEMENTS (array))])

/* Return the number of windows of the application. */
guint app_monkey_count_windows (void);
/* Return the newest dialog, or NULL. */
GtkWidget *app_monkey_get_dialog (void);
/* Close a window at once; app_monkey_rest() reports if it stays in memory. */
void app_monkey_destroy_window (GtkWidget *window);

G_END_DECLS
