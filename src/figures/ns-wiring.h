/* A variant's wiring as a diagram: the norms, residuals and scales around attention and FFN.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Pure functions; any thread.
 */
#pragma once

#include "engine/experiment/ns-settings.h"
#include "engine/run/ns-result.h"
#include "plot/ns-diagram.h"

G_BEGIN_DECLS

typedef enum
{
  NS_WIRING_BLOCK, /* one block of the stack, or one of the decoder: a small picture for a list */
  NS_WIRING_WHOLE, /* from the input to the head, with the encoder above the decoder */
} NsWiringView;

/* Draw the variant's wiring in a stack of the given shape. Caller owns the diagram. */
NsDiagram *ns_wiring_diagram (const NsShape *shape, const NsVariant *variant, NsWiringView view);

/* Draw the wirings of all variants from the input to the head, one below the other, under their names if `names`;
 * `only` >= 0: that variant alone. Caller owns the diagram. */
NsDiagram *ns_wiring_diagram_of_experiment (const NsExperiment *experiment, int only, gboolean names);

/* Likewise with measured values on the wires of block `layer`, 1 .. depth, of each part: above a wire the root mean
 * square of the forward pass, below it the gradient norm, both the geometric mean over the seeds. A residual that is
 * off is cut. Caller owns the diagram. */
NsDiagram *ns_wiring_diagram_of_result (const NsResult *result, gint64 layer, int only, gboolean names);

G_END_DECLS
