/* The figure of several depths: the curves of the flow figure over block / depth.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Pure functions; any thread.
 */
#pragma once

#include "figures/ns-flow.h"

G_BEGIN_DECLS

/* Make the figure of results (NsResult) of one experiment at several depths: a curve for each visible variant and
 * depth, of a gradient above an activation, lighter where the stack is shallower and without a band. `options` is as
 * for ns_flow_figure(). Caller owns it. */
NsFigure *ns_depths_figure (const GPtrArray *results, const NsFlowOptions *options);

/* Compare the ends of the gradient's curves: "Pre-LN, last block relative to the first: 0.48 at depth 6, 0.34 at depth
 * 12." Translated; caller frees. */
char *ns_depths_sentence (const GPtrArray *results, const NsFlowOptions *options);

G_END_DECLS
