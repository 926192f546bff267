/* A popover with the settings of a part of a wiring.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Threads: main.
 */
#pragma once

#include <gtk/gtk.h>

#include "app/session/normscope-session.h"
#include "figures/ns-wiring.h"

G_BEGIN_DECLS

/* Return a popover for a part of the selected variant: of a norm its kind, of a sub-layer, the input, the head and the
 * depth their settings. It edits the session. */
GtkWidget *normscope_wiring_settings_new (NormscopeSession *session, NsWiringPart part);

G_END_DECLS
