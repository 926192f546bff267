/* A variant's wiring as a diagram: where norms, residuals and scales stand around attention and FFN.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Pure functions; any thread.
 */
#pragma once

#include "engine/experiment/ns-settings.h"
#include "plot/ns-diagram.h"

G_BEGIN_DECLS

typedef enum
{
  NS_WIRING_BLOCK, /* one block of the stack, or one of the decoder: a small picture for a list */
  NS_WIRING_WHOLE, /* from the input to the head, with an encoder beside its decoder */
} NsWiringView;

/* The variant's wiring in a stack of that shape. Caller owns it. */
NsDiagram *ns_wiring_diagram (const NsShape *shape, const NsVariant *variant, NsWiringView view);

/* The variants' wirings from the input to the head, below each other under their names (`names`); `only` >= 0: of that
 * variant alone. Caller owns it. */
NsDiagram *ns_wiring_diagram_of_experiment (const NsExperiment *experiment, int only, gboolean names);

G_END_DECLS
