/* The settings of a variant's training, and the learning rate of its steps.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Threads: any; the functions are pure.
 */
#pragma once

#include "engine/experiment/ns-settings.h"

G_BEGIN_DECLS

/* Return the settings of all variants, with the variant's own values where it has some. */
NsTrainingSettings ns_variant_get_training (const NsExperiment *experiment, const NsVariant *variant);

/* Return the learning rate of step t = 0 .. steps − 1. With η the learning rate, W the warm-up and S the steps it is
 *
 *   η·(t + 1)/W                            in the warm-up, t < W
 *   η                                      constant
 *   η·(1 + cos (π·(t − W)/(S − W)))/2      cosine
 *   η·(1 − (t − W)/(S − W))                linear
 *   η·√(max (W, 1)/(t + 1))                inverse-sqrt (Vaswani et al. 2017, equation 3)
 *
 * so the last step of the warm-up and the first one after it have the whole rate (inverse-sqrt: the last step of the
 * warm-up), and cosine and linear would be 0 one step after the last. */
double ns_training_get_rate (const NsTrainingSettings *training, gint64 step);

/* Return FALSE and an NS_EXPERIMENT_ERROR when a valid experiment cannot be trained: a Gaussian input has no tokens to
 * predict, and the loss unit-gradient no loss. */
gboolean ns_experiment_validate_training (const NsExperiment *experiment, GError **error);

G_END_DECLS
