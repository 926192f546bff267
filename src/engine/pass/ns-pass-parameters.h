/* Parameters that a pass reads, and the gradient norms and other numbers that it records.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "engine/pass/ns-pass-data.h"

/* ---- measurements ---- */

/* Return TRUE when the sink wants the quantity, so that it has to be computed. */
gboolean ns_pass_wants (const NsPass *pass, NsQuantity quantity);
/* Record value·2^exp2 for a quantity at a site. */
void ns_pass_record (NsPass *pass, NsQuantity quantity, gint64 site, double value, double exp2);

/* ---- parameters ---- */

/* Return the matrix of a tensor in the block at a site, ready for the linear maps. */
NsMatrix ns_pass_get_matrix (NsPass *pass, NsTensor tensor, gint64 site);
/* Record ‖∂L/∂W‖ = ‖xᵀ·dy‖ and, with biases, ‖∂L/∂b‖ = ‖Σ_n dy‖; add both to *sum. x [N, in], dy [N, out]. */
void ns_pass_matrix_gradient (NsPass *pass, NsTensor tensor, gint64 site, NsScaled x, NsScaled dy, NsRoot *sum);
/* Return the values that the hooks put in place of a vector, or NULL. */
const ns_real *ns_pass_get_vector (const NsPass *pass, NsTensor tensor, gint64 site);
/* Record the norm of a vector's gradient; add it to *sum. */
void ns_pass_vector_gradient (NsPass *pass, NsTensor tensor, gint64 site, const double *gradient, double exp2,
                              NsRoot *sum);
