/* The verdict on a variant's wiring: one line from what a run measured.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Pure functions; any thread.
 */
#pragma once

#include "engine/run/ns-result.h"
#include "engine/run/ns-sweep.h"

G_BEGIN_DECLS

/* Say what the result shows of a variant: whether a path from the loss to the input runs through no branch, what it
 * does to the gradient of the last block and how much of the gradient at the input comes along it (docs/MODEL.md, "The
 * identity path"), whether the tokens become one vector, how gradient and stream change between the last block and the
 * input x_0, and the name of the wiring, e.g. "An identity path carries the last block's gradient to the input
 * unchanged, 13 % of the gradient there; with the branches the gradient ∂L/∂x grows to 2.8 times from block 12 to the
 * input; the stream grows to 6.0 times by block 12. This is Pre-LN." Overflow and NaN come first; a result of fewer
 * seeds than the experiment's begins by saying so. sweep, which may be NULL or still filling, adds the exponent of its
 * metric over the depth if it is of the same variant and settings. In an encoder-decoder each part has its sentence.
 * Never empty; translated; plain text on one line; caller frees. */
char *ns_verdict_dup (const NsResult *result, guint variant, const NsSweep *sweep);
/* Return the same with marks around the clauses that have a page of help, for ns_links_resolve(). Caller frees. */
char *ns_verdict_dup_marked (const NsResult *result, guint variant, const NsSweep *sweep);

G_END_DECLS
