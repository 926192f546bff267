/* Popovers at a place of a widget: menus and editors. The focus of a window after any popover.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* Open a new popover, which is taken, at a place of a widget, its parent: of those of a widget one is open at a time.
 * It is removed after it has closed, or with the parent. The focus returns to where it was before.
 *
 * The parent must be the widget that the popover is about, and no GtkStack: GTK 4.8 looks for the page of each child of
 * a stack when assistive technology asks for the parent of the popover, and ends the program. */
void normscope_popovers_open (GtkWidget *parent, GtkWidget *popover, const GdkRectangle *place);

/* From now on, when a popover of the window closes, return the focus at once to where it was before, or to nothing if
 * that is hidden by then. */
void normscope_popovers_guard_focus (GtkWindow *window);

/* Close the popover that has the window's focus, if one has it. */
void normscope_popovers_close (GtkWindow *window);

/* For size_allocate of such a parent: move its popovers with it. */
void normscope_popovers_allocate (GtkWidget *parent);

G_END_DECLS
