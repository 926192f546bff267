/* Bubbles that point at controls of the window, one after the other, with a sentence each.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Enter shows the next bubble, Escape or "Skip" ends the tour. A bubble is beside the control that it points at, which
 * has a line around it and can be used. It follows the control when the window changes, and is skipped while the
 * control is hidden.
 *
 * Signal "ended".
 *
 * Threads: main.
 */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define NORMSCOPE_TYPE_TOUR (normscope_tour_get_type ())
G_DECLARE_FINAL_TYPE (NormscopeTour, normscope_tour, NORMSCOPE, TOUR, GObject)

/* Return a tour that draws its bubbles on `overlay`, which contains all controls that they point at. Caller owns it. */
NormscopeTour *normscope_tour_new (GtkOverlay *overlay);
/* Add a bubble on a side of a control. Title and text are translated and copied. */
void normscope_tour_add (NormscopeTour *self, GtkWidget *target, GtkPositionType side, const char *title,
                         const char *text);
/* Show the first bubble. */
void normscope_tour_start (NormscopeTour *self);
/* End the tour; nothing if it has ended. */
void normscope_tour_end (NormscopeTour *self);

G_END_DECLS
