/* Stacks: the series of a panel that lie on each other.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Threads: any; no state.
 */
#pragma once

#include "plot/ns-figure.h"

G_BEGIN_DECLS

/* The bars of a panel: the sums of what is above and below 0 at each x. */
typedef struct
{
  gsize n;
  double *x;          /* [n] ascending, every x of any series */
  double *low, *high; /* [n] low <= 0 <= high */
  guint8 *marks;      /* [n] bit 1 << m is set if some part has the NsMark m there */
} NsStack;

/* Return the bars of a panel, empty without stacked series; free with ns_stack_free(). */
NsStack *ns_stack_new (const NsPanel *panel);
void ns_stack_free (NsStack *stack);

/* Return TRUE if the panel has a stacked series. */
gboolean ns_panel_has_stack (const NsPanel *panel);

/* Compute the bar at one x, faster than ns_stack_new(). FALSE when no part has a number there. */
gboolean ns_stack_get_bar (const NsPanel *panel, double x, double *low, double *high);

/* Find the part of the bar at `x` that contains `y`, axis units: the index of its series, −1 if there is none, and its
 * edges. */
int ns_stack_find_part (const NsPanel *panel, double x, double y, double *from, double *to);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (NsStack, ns_stack_free)

G_END_DECLS
