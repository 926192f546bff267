/* A list of quantities to choose from, which opens at the title of a plot.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Each row has the quantity's name in words, its symbol, and its key and help in the tooltip. A long list can be
 * searched.
 *
 * Threads: main.
 */
#pragma once

#include <gtk/gtk.h>

#include "engine/experiment/ns-quantity.h"

G_BEGIN_DECLS

#define NORMSCOPE_TYPE_QUANTITY_POPOVER (normscope_quantity_popover_get_type ())
G_DECLARE_FINAL_TYPE (NormscopeQuantityPopover, normscope_quantity_popover, NORMSCOPE, QUANTITY_POPOVER, GtkPopover)

/* Signal "fill": the list is about to be shown; answer with normscope_quantity_popover_set(). Signal "chosen" (guint,
 * an NsQuantity): the user chose a quantity from it. */
GtkWidget *normscope_quantity_popover_new (void);
/* Show a list of NsQuantity, which is copied, and mark the one in use. */
void normscope_quantity_popover_set (NormscopeQuantityPopover *self, const GArray *quantities, NsQuantity shown);

/* Emit "fill". */
void normscope_quantity_popover_fill (NormscopeQuantityPopover *self);

/* List the quantities of a kind that some block of some variant has, and `shown`, in the order of choosers. The caller
 * unrefs the array of NsQuantity. */
GArray *normscope_list_flow_quantities (const NsExperiment *experiment, NsQuantityKind kind, NsQuantity shown);

G_END_DECLS
