/* The controls that a lecturer needs while presenting, in a column of their own beside the plots.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Depth, placements and residuals, in the rows of the sidebar.
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

G_END_DECLS
