/* Let the main loop of a test run until something holds.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* Long enough for a sanitizer on a busy machine, short enough to end a test that hangs. */
#define TIMEOUT_MS 60000

/* Iterate the main loop until the predicate holds. Return FALSE after a timeout. */
gboolean app_wait_for (gboolean (*predicate) (gpointer data), gpointer data, guint ms);
/* The same, and fail with the predicate's name after TIMEOUT_MS. */
#define app_wait_until(predicate, ...) app_wait_until_named ((predicate), (__VA_ARGS__), #predicate, G_STRLOC)
void app_wait_until_named (gboolean (*predicate) (gpointer data), gpointer data, const char *name, const char *place);
/* Predicates: of a pointer to a pointer, of a widget, and of a plot whose axes have settled. */
gboolean app_is_null (gpointer pointer);
gboolean app_is_mapped (gpointer widget);
gboolean app_is_visible (gpointer widget);
gboolean app_is_sensitive (gpointer widget);
gboolean app_has_settled (gpointer plot);
/* Let a window draw a frame, if it draws any. */
void app_draw_frame (GtkWidget *window);
/* Let each window draw n frames, and handle all that is ready in between: a bound for what must not happen. A frame
 * takes 17 ms, and on a busy machine longer. */
void app_draw_frames (guint n);
/* Let layout, drawing and idle sources that follow from the last change take place. */
void app_settle (void);
/* Iterate the main loop for about `ms`. Only where the program itself waits for a time. */
void app_iterate (guint ms);

G_END_DECLS
