/* Pointer and key events that go through the X server (XTest), as a user's do.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Each call returns after the program has handled the event and drawn a frame. Coordinates are a widget's own.
 */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* Connects to the display of GDK and starts a window manager if none runs: without one the focus is lost when a second
 * window closes. FALSE with a reason (a constant) where that is impossible. */
gboolean app_input_start (const char **reason);
void app_input_stop (void);

void app_input_point_at (GtkWidget *widget, double x, double y);
/* Button 1 goes down or up where the pointer is. */
void app_input_press (void);
void app_input_release (void);
/* FALSE: the press went to another widget, as one that lies over this one, or to none. */
gboolean app_input_click_at (GtkWidget *widget, double x, double y);
/* In the middle. */
gboolean app_input_click (GtkWidget *widget);
/* For what opens something: GDK 4.8 at times notices late that a popover has closed, and ends the next click for it. */
gboolean app_input_click_until (GtkWidget *widget, gboolean (*predicate) (gpointer data), gpointer data);

/* The key goes down and up, with Shift where the keyboard needs it. */
void app_input_key (guint keyval);
void app_input_keys (guint keyval, guint n);
void app_input_control_key (guint keyval);
/* ASCII. */
void app_input_type (const char *text);

/* Waits until the events that were sent are handled and a frame is drawn. */
void app_input_settle (void);

G_END_DECLS
