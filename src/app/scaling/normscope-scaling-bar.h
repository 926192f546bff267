/* The bar above the scaling plot: swept parameter, measured quantity, options of the figure, and the start button.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The settings belong to the session, so undo covers them.
 *
 * Threads: main.
 */
#pragma once

#include <gtk/gtk.h>

#include "app/session/normscope-session.h"

G_BEGIN_DECLS

#define NORMSCOPE_TYPE_SCALING_BAR (normscope_scaling_bar_get_type ())
G_DECLARE_FINAL_TYPE (NormscopeScalingBar, normscope_scaling_bar, NORMSCOPE, SCALING_BAR, GtkBox)

/* Signals: "changed" (NsScalingChange flags), "run" and "cancel" (the start button was pressed).
 * Property: "show-claims" (the toggle at the end of the bar). */
void normscope_scaling_bar_set_session (NormscopeScalingBar *self, NormscopeSession *session);

/* Return the settings, borrowed and unchanged until the next "changed". */
const NsScalingSettings *normscope_scaling_bar_get_settings (NormscopeScalingBar *self);
/* Set the settings. A difference makes an undo step of the session and emits "changed". */
void normscope_scaling_bar_set_settings (NormscopeScalingBar *self, const NsScalingSettings *settings);

/* Turn the start button into a cancel button. */
void normscope_scaling_bar_set_busy (NormscopeScalingBar *self, gboolean busy);

/* Return the quantities to choose from (NsQuantity), borrowed. */
const GArray *normscope_scaling_bar_get_quantities (NormscopeScalingBar *self);

G_END_DECLS
