/* A widget that draws a variant's wiring in the window's colours.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Threads: main.
 */
#pragma once

#include <gtk/gtk.h>

#include "figures/ns-wiring.h"

G_BEGIN_DECLS

#define NORMSCOPE_TYPE_WIRING (normscope_wiring_get_type ())
G_DECLARE_FINAL_TYPE (NormscopeWiring, normscope_wiring, NORMSCOPE, WIRING, GtkWidget)

/* Return an empty widget that requests a size in px. */
GtkWidget *normscope_wiring_new (int width, int height);
/* Show a diagram, which is taken; NULL clears the widget. */
void normscope_wiring_take_diagram (NormscopeWiring *self, NsDiagram *diagram);

/* Return the diagram on show, borrowed, or NULL. */
const NsDiagram *normscope_wiring_get_diagram (NormscopeWiring *self);

G_END_DECLS
