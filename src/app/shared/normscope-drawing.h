/* A drawing of src/plot as a render node.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* Draws and returns FALSE after an error of Cairo, as ns_figure_draw(). */
typedef gboolean (*NormscopeDrawFunc) (cairo_t *cr, gpointer data);

/* Draw in width × height px; the caller owns the node. A drawing that failed is repeated once, with the new fonts that
 * src/plot provides then. NULL when this fails, too, or nothing was drawn: a node with an error would leave the whole
 * window blank. */
GskRenderNode *normscope_drawing_new (int width, int height, NormscopeDrawFunc draw, gpointer data);

/* Draw and append the node. */
void normscope_drawing_snapshot (GtkSnapshot *snapshot, int width, int height, NormscopeDrawFunc draw, gpointer data);

/* Fill width × height px with the checks that stand for transparency. */
void normscope_drawing_fill_checks (cairo_t *cr, double width, double height);

G_END_DECLS
