/* The controls: variants, depth, placements and residuals, and all other settings in collapsed groups.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Threads: main.
 */
#pragma once

#include <gtk/gtk.h>

#include "app/session/normscope-session.h"

G_BEGIN_DECLS

#define NORMSCOPE_TYPE_SIDEBAR (normscope_sidebar_get_type ())
G_DECLARE_FINAL_TYPE (NormscopeSidebar, normscope_sidebar, NORMSCOPE, SIDEBAR, GtkBox)

void normscope_sidebar_set_session (NormscopeSidebar *self, NormscopeSession *session);

/* Show the settings of training, which only the Training view needs. */
void normscope_sidebar_show_learning (NormscopeSidebar *self, gboolean show);

G_END_DECLS
