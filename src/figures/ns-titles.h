/* The titles of a figure's panels, in words.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Texts are translated; callers free char *. Pure functions; any thread.
 */
#pragma once

#include "engine/experiment/ns-quantity.h"
#include "plot/ns-figure.h"

G_BEGIN_DECLS

/* Set the titles of a panel's left axis: words and symbol, "Gradient of each block's weights, ‖∂L/∂θₗ‖", and the symbol
 * alone if they do not fit. `place` is the place of a single number, "last block"; `short_title` (Pango markup) then
 * replaces the symbol. Both may be NULL. */
void ns_panel_set_titles (NsPanel *panel, NsQuantity quantity, const char *place, const char *short_title);

/* Set the subtitle of a panel, which names the scale and the statistic that is drawn: "log scale · mean ×/÷ 1 sd of 8
 * seeds". `with_spread`: one standard deviation is drawn, too. */
void ns_panel_set_subtitle (NsPanel *panel, guint n_seeds, gboolean with_spread);
/* Append which estimate of the gradient over several minibatches is drawn, if the quantity has estimates: "… · norm of
 * the mean over 16 minibatches". */
void ns_panel_add_estimate (NsPanel *panel, NsQuantity quantity, const NsSampling *sampling);

G_END_DECLS
