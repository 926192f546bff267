/* A variant's wiring as a picture in the window's colours.
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

/* Asks for that many px; shows nothing yet. */
GtkWidget *normscope_wiring_new (int width, int height);
/* Takes the diagram; NULL shows nothing. */
void normscope_wiring_take_diagram (NormscopeWiring *self, NsDiagram *diagram);

/* That of the window as it is now. */
void normscope_wiring_init_theme (NsTheme *theme);

G_END_DECLS
