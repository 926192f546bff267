/* The same wiring at a size that runs at once.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Kept are the depth and everything that is wired; the width, the FFN, the heads, the vocabulary and the number of
 * tokens shrink. FFN over width, the heads' features over width and query heads over key heads stay what they are as
 * far as whole numbers allow: of the widths at hand the one that keeps most of them is taken. Where the weights have a
 * deviation that does not go by the width (init.scheme normal, embeddings times the root of the width), it grows with
 * one over the root of the width, so that each matrix amplifies as it did.
 *
 * Threads: any; nothing here keeps state.
 */
#pragma once

#include "engine/experiment/ns-settings.h"

G_BEGIN_DECLS

#define NS_SCALED_D_MODEL 128 /* what a scaled-down experiment has at the most */
#define NS_SCALED_TOKENS 64   /* in the batch */
#define NS_SCALED_VOCAB 1024

/* Whether it is larger than that. */
gboolean ns_experiment_can_scale_down (const NsExperiment *experiment);
/* An experiment whose d_model is at most max_d_model >= 8 and whose tokens and vocabulary are at most as above; a copy
 * where nothing is larger. It is valid where the experiment is. Caller owns it. */
NsExperiment *ns_experiment_scale_down (const NsExperiment *experiment, gint64 max_d_model);
/* "d_model 4096 → 128, heads 32 → 8, …; the depth and the wiring stay": how one came from the other, translated; NULL
 * when they are equal. Caller frees. */
char *ns_experiment_dup_scaling (const NsExperiment *from, const NsExperiment *to);

G_END_DECLS
