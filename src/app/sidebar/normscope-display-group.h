/* The contents of the popover "View": settings of the view, which change no number.
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

#define NORMSCOPE_TYPE_DISPLAY_GROUP (normscope_display_group_get_type ())
G_DECLARE_FINAL_TYPE (NormscopeDisplayGroup, normscope_display_group, NORMSCOPE, DISPLAY_GROUP, AdwPreferencesGroup)

void normscope_display_group_set_session (NormscopeDisplayGroup *self, NormscopeSession *session);

G_END_DECLS
