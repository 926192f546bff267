/* The wiring of one variant, to be touched: parts over a drawing, and the gestures and keys that change them.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A click cuts or joins a residual and opens the settings of anything else. A norm can be dragged to another place,
 * also with keys: Space takes it, the arrows move it, Enter puts it down, Escape puts it back. Delete removes a norm.
 * While none is taken the arrows move the focus from part to part. Each change goes through the session as one step and
 * selects the variant.
 *
 * Threads: main.
 */
#pragma once

#include <gtk/gtk.h>

#include "app/session/normscope-session.h"
#include "engine/run/ns-result.h"

G_BEGIN_DECLS

#define NORMSCOPE_TYPE_WIRING_ROW (normscope_wiring_row_get_type ())
G_DECLARE_FINAL_TYPE (NormscopeWiringRow, normscope_wiring_row, NORMSCOPE, WIRING_ROW, GtkWidget)

GtkWidget *normscope_wiring_row_new (NormscopeSession *session);

/* Show a variant, wired as in a block, with the values of a result of the session's experiment, or NULL. */
void normscope_wiring_row_show (NormscopeWiringRow *self, guint variant, gint64 block, const NsResult *result);
/* Return the variant and the size of its drawing in units, as in ns-diagram.h. */
guint normscope_wiring_row_get_variant (NormscopeWiringRow *self);
void normscope_wiring_row_get_size (NormscopeWiringRow *self, double *width, double *height);
/* Draw with `unit` px for a unit, after a column for the variant's name of `name_width` px, 0 for none. */
void normscope_wiring_row_set_scale (NormscopeWiringRow *self, double unit, int name_width);
/* Get the size in px that this needs. */
void normscope_wiring_row_get_px (NormscopeWiringRow *self, int *width, int *height);

/* Return the part with an id, borrowed, or NULL. */
GtkWidget *normscope_wiring_row_find_part (NormscopeWiringRow *self, guint id);

G_END_DECLS
