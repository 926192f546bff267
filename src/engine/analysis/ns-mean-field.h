/* Predict activations and gradients by the mean-field recursion of Xiong's simplified block.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The recursion follows three numbers per feature, of the stream and of its gradient: the mean square of a token, the
 * mean product of two tokens of one sequence, and that of two tokens of different sequences. It assumes uniform
 * attention, ReLU, and Xavier or LeCun weights (Xiong et al. 2020, section 3.3), and is exact in the limit of large
 * d_model. MODEL, "Mean-field predictions", derives it. The predicted number is the root of the expected square.
 *
 * Threads: any; the functions are pure. They take some tenths of a microsecond for each block.
 */
#pragma once

#include "engine/experiment/ns-settings.h"
#include "engine/run/ns-sweep.h"

G_BEGIN_DECLS

/* The largest depth of a prediction. */
#define NS_MEAN_FIELD_MAX_DEPTH 1000000

/* Return TRUE when the recursion follows the quantity: the stream, its gradient, and the gradients of the matrices,
 * their biases, the sub-layers and the blocks. */
gboolean ns_mean_field_covers (NsQuantity quantity);

/* Compute a quantity that the recursion covers at x_0 .. x_depth: value and log10_value [depth + 1], either may be
 * NULL. They are NAN where the quantity does not exist, and where the forward pass overflows a double. Uses the
 * variant's norm placements, residuals and scales; does not check the other assumptions. Return FALSE if the memory
 * for that many blocks is refused. */
gboolean ns_mean_field_predict (const NsExperiment *experiment, guint variant, NsQuantity quantity, double *value,
                                double *log10_value);

/* Compute a metric of a sweep at each of the depths, 1 .. NS_MEAN_FIELD_MAX_DEPTH and ascending, into log10_value [n]:
 * of the experiment with that depth, which need not be one that can be run. Otherwise as above. */
gboolean ns_mean_field_predict_metric (const NsExperiment *experiment, guint variant, NsMetric metric,
                                       const gint64 *depths, guint n, double *log10_value);

/* Return the keys whose values break an assumption on which the quantity depends, such as "shape.d_ff" or "attention";
 * empty when the recursion holds for the variant. Gradients depend on more of them than activations. NULL-terminated,
 * the strings are static. Caller frees the array with g_free(). */
const char **ns_mean_field_list_missed (const NsExperiment *experiment, guint variant, NsQuantity quantity);
/* Return TRUE when the quantity is covered and that list is empty. */
gboolean ns_mean_field_holds (const NsExperiment *experiment, guint variant, NsQuantity quantity);

G_END_DECLS
