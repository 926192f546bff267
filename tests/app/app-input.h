/* Send pointer and key events through the X server (XTest), like a user.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Each call returns after the program has handled the event and drawn a frame. Coordinates are relative to the widget.
 */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* For app_test_prepare(): connect to the display of GDK and start a window manager if none runs; without one the focus
 * is lost when a second window closes. Return why that cannot be, or NULL. */
const char *app_input_prepare (void);

void app_input_point_at (GtkWidget *widget, double x, double y);
/* Press or release button 1 at the pointer. */
void app_input_press (void);
void app_input_release (void);
/* Click at a point. Return FALSE if the press reaches another widget, such as one on top, or none. */
gboolean app_input_click_at (GtkWidget *widget, double x, double y);
/* The same with the right button, or with Shift. */
gboolean app_input_right_click_at (GtkWidget *widget, double x, double y);
gboolean app_input_shift_click_at (GtkWidget *widget, double x, double y);
/* Click in the middle. */
gboolean app_input_click (GtkWidget *widget);
/* Click twice in the middle, without a pause. */
void app_input_double_click (GtkWidget *widget);
/* Turn the wheel by one notch where the pointer is. */
void app_input_scroll (gboolean down);
/* Move to a point and click, without a pause and without a check that the press reaches the widget. */
void app_input_click_fast (GtkWidget *widget, double x, double y);
void app_input_right_click_fast (GtkWidget *widget, double x, double y);
/* Click until the predicate holds, for controls that open something. GDK 4.8 sometimes notices the closing of a popover
 * late and drops the next click. */
gboolean app_input_click_until (GtkWidget *widget, gboolean (*predicate) (gpointer data), gpointer data);

/* Press and release a key, with Shift if the keyboard needs it. */
void app_input_key (guint keyval);
void app_input_keys (guint keyval, guint n);
void app_input_control_key (guint keyval);
/* Press Tab, or Shift+Tab for backwards. */
void app_input_tab (gboolean forward);
/* Type ASCII text. */
void app_input_type (const char *text);

/* Wait until the program has handled all sent events and drawn a frame. */
void app_input_settle (void);

G_END_DECLS
