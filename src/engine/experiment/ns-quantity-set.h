/* A set of quantities: what a run is asked for.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A plain value; { 0 } is the empty set. Where a pointer to a set may be NULL, NULL stands for all quantities of an
 * ordinary run: all but those that take passes of their own.
 *
 * Threads: pure functions.
 */
#pragma once

#include "engine/experiment/ns-quantity.h"

G_BEGIN_DECLS

typedef struct
{
  guint64 words[(NS_N_QUANTITIES + 63) / 64];
} NsQuantitySet;

void ns_quantity_set_add (NsQuantitySet *set, NsQuantity quantity);
gboolean ns_quantity_set_has (const NsQuantitySet *set, NsQuantity quantity);

/* Return the set, or all quantities of an ordinary run for NULL, with the terms of its sums: the tensors of "ffn", of
 * "block". */
NsQuantitySet ns_quantity_set_with_terms (const NsQuantitySet *set);
/* Return TRUE if a quantity of the set needs the head; the way back through the blocks; and gradients on that way. The
 * set may be NULL. */
gboolean ns_quantity_set_needs_head (const NsQuantitySet *set);
gboolean ns_quantity_set_needs_backward (const NsQuantitySet *set);
gboolean ns_quantity_set_needs_gradients (const NsQuantitySet *set);

G_END_DECLS
