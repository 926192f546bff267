/* Predict activations and token similarity by the mean-field recursion of Xiong's simplified block.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Per feature, q is the mean square of a token and c the mean product of two tokens; at the input q = 1, c = 0. Assume
 * uniform attention over n tokens, ReLU, and Xavier or LeCun weights (Xiong et al. 2020, section 3.3). A normalized
 * input of similarity r = c/q then gives q = c = (1 + (n − 1)·r)/n after attention, and q = 1/2, c = k(r)/2 after the
 * FFN, with k(r) = (sqrt (1 − r²) + r·(π − arccos r))/π. Pre-LN adds these to the stream's q and c; Post-LN divides
 * both by q after each sum. Exact in the limit of large d_model.
 *
 * Threads: any; the functions are pure.
 */
#pragma once

#include "engine/experiment/ns-settings.h"

G_BEGIN_DECLS

/* Compute rms_x [depth + 1] and token_cos [depth + 1] of x_0 .. x_depth; either may be NULL. Uses the variant's norm
 * placements, residuals and scales; does not check the other assumptions of the recursion. */
void ns_mean_field_predict (const NsExperiment *experiment, guint variant, double *rms_x, double *token_cos);

/* Return the keys whose values break an assumption, such as "shape.d_ff" or "attention"; empty when the recursion holds
 * for the variant. NULL-terminated, the strings are static. Caller frees the array with g_free(). */
const char **ns_mean_field_list_missed (const NsExperiment *experiment, guint variant);
/* Return TRUE when that list is empty. */
gboolean ns_mean_field_holds (const NsExperiment *experiment, guint variant);

G_END_DECLS
