/* The strip above the scaling plot: what is swept and measured, how it is drawn, and the button that starts it.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The settings are the session's, so that undo takes them back.
 *
 * Threads: main.
 */
#pragma once

#include <gtk/gtk.h>

#include "app/session/normscope-session.h"

G_BEGIN_DECLS

#define NORMSCOPE_TYPE_SCALING_BAR (normscope_scaling_bar_get_type ())
G_DECLARE_FINAL_TYPE (NormscopeScalingBar, normscope_scaling_bar, NORMSCOPE, SCALING_BAR, GtkBox)

/* Signals: "changed" (NormscopeScalingChange flags); "run" and "cancel": the button was pressed.
 * Property "show-claims": the toggle at the end. */
void normscope_scaling_bar_set_session (NormscopeScalingBar *self, NormscopeSession *session);

/* Borrowed; it stays as it is until the next "changed". */
const NormscopeScalingSettings *normscope_scaling_bar_get_settings (NormscopeScalingBar *self);
/* A step of the session, and "changed", when anything differs. */
void normscope_scaling_bar_set_settings (NormscopeScalingBar *self, const NormscopeScalingSettings *settings);

/* Whether the button cancels. */
void normscope_scaling_bar_set_busy (NormscopeScalingBar *self, gboolean busy);

G_END_DECLS
