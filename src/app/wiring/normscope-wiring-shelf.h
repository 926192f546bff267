/* A strip above the views, as high as the plots can spare.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The strip takes at most a fifth of the height, and leaves the visible plot its share of the window.
 * Properties "strip" (NormscopeWiringStrip) and "content" (GtkWidget with the views): to be set once, in a template.
 *
 * Threads: main.
 */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define NORMSCOPE_TYPE_WIRING_SHELF (normscope_wiring_shelf_get_type ())
G_DECLARE_FINAL_TYPE (NormscopeWiringShelf, normscope_wiring_shelf, NORMSCOPE, WIRING_SHELF, GtkWidget)

G_END_DECLS
