/* The preferences: settings of the program that belong to no experiment and no figure.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Threads: main.
 */
#pragma once

#include <adwaita.h>

#include "app/session/normscope-session.h"

G_BEGIN_DECLS

#define NORMSCOPE_TYPE_PREFERENCES (normscope_preferences_get_type ())
G_DECLARE_FINAL_TYPE (NormscopePreferences, normscope_preferences, NORMSCOPE, PREFERENCES, AdwPreferencesWindow)

NormscopePreferences *normscope_preferences_new (GtkWindow *parent, NormscopeSession *session);

G_END_DECLS
