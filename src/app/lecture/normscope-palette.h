/* The controls that a lecturer needs while presenting, on a card that floats over the plots.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Depth, placements and residuals, in the rows of the sidebar. The title bar moves the card: with the pointer, or with
 * the arrow keys while it has the focus.
 *
 * Threads: main.
 */
#pragma once

#include <adwaita.h>

#include "app/session/normscope-session.h"

G_BEGIN_DECLS

#define NORMSCOPE_TYPE_PALETTE (normscope_palette_get_type ())
G_DECLARE_FINAL_TYPE (NormscopePalette, normscope_palette, NORMSCOPE, PALETTE, AdwBin)

GtkWidget *normscope_palette_new (NormscopeSession *session);

/* Place the card, an overlay of `overlay`, where it was moved, always within the overlay. It starts in the lower left
 * corner. */
void normscope_palette_attach (NormscopePalette *self, GtkOverlay *overlay);

/* Show the controls, or the title bar alone. */
void normscope_palette_set_folded (NormscopePalette *self, gboolean folded);
gboolean normscope_palette_get_folded (NormscopePalette *self);

G_END_DECLS
