/* Scale an experiment down to a size that runs in seconds.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Depth and wiring stay; model width, FFN width, heads, vocabulary and number of tokens shrink. The ratios of FFN width
 * to model width, of the heads' features to model width and of query heads to key heads are kept as far as whole
 * numbers allow: the width that keeps most of them is chosen. A standard deviation of weights that does not depend on
 * the width (init.scheme normal; embeddings times √d_model) grows by the root of the ratio of the widths, so that each
 * matrix keeps its gain.
 *
 * Threads: any; the functions are pure.
 */
#pragma once

#include "engine/experiment/ns-settings.h"

G_BEGIN_DECLS

/* The largest model width, tokens in the batch and vocabulary of a scaled-down experiment. */
#define NS_SCALED_D_MODEL 128
#define NS_SCALED_TOKENS 64
#define NS_SCALED_VOCAB 1024

/* Return TRUE when the experiment exceeds one of those limits. */
gboolean ns_experiment_can_scale_down (const NsExperiment *experiment);
/* Return an experiment with d_model at most max_d_model (>= 8) and tokens and vocabulary within the limits above; an
 * equal copy when nothing exceeds them. It is valid when the experiment is. Caller owns it. */
NsExperiment *ns_experiment_scale_down (const NsExperiment *experiment, gint64 max_d_model);
/* Return the changes from one experiment to the other, translated: "d_model 4096 → 128, heads 32 → 8; depth and wiring
 * are unchanged". NULL when there are none. Caller frees. */
char *ns_experiment_dup_scaling (const NsExperiment *from, const NsExperiment *to);

G_END_DECLS
