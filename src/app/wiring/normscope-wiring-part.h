/* A part of a wiring that can be touched: a small widget over the drawing, with the focus, the cursor, the tooltip and
 * the accessible name and state of the part. The row it is in handles its events.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Threads: main.
 */
#pragma once

#include <gtk/gtk.h>

#include "figures/ns-wiring.h"

G_BEGIN_DECLS

#define NORMSCOPE_TYPE_WIRING_PART (normscope_wiring_part_get_type ())
G_DECLARE_FINAL_TYPE (NormscopeWiringPart, normscope_wiring_part, NORMSCOPE, WIRING_PART, GtkWidget)

/* `id` as in ns_wiring_part_unpack(). */
GtkWidget *normscope_wiring_part_new (guint id);
guint normscope_wiring_part_get_id (NormscopeWiringPart *self);
NsWiringPart normscope_wiring_part_get_what (NormscopeWiringPart *self);

/* Show the part's state in a variant of an experiment: name, tooltip, cursor. */
void normscope_wiring_part_show (NormscopeWiringPart *self, const NsShape *shape, const NsVariant *variant,
                                 gint64 block);

G_END_DECLS
