/* Relative position biases, a table [buckets, H] that the self-attentions of all blocks of a part share: its values
 * before the part's first block, its gradient after the last block on the way back.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * All functions but the first do nothing for a variant that has no such table.
 */
#pragma once

#include "engine/pass/ns-pass-data.h"

/* Draw the table of a part, N(0, 1/d_model) (code of T5), or read it from the variant's file. Needs only the plan and
 * the seed of the pass. */
void ns_relative_bias_draw (const NsPass *pass, gint64 part, ns_real *table);
/* Make the biases of the scores of a part, from the table of the hooks or the drawn one. */
void ns_relative_bias_forward (NsPass *pass, gint64 part);
/* Forget the gradient so far. */
void ns_relative_bias_clear_gradient (NsPass *pass);
/* Return TRUE if an attention has such biases and somebody wants their gradient. */
gboolean ns_relative_bias_is_wanted (const NsPass *pass, NsSub sub);
/* Return work->dbias [H, 2T − 1] set to 0, to which the attention backward of a block adds. */
double *ns_relative_bias_get_gradient (NsPass *pass);
/* Add work->dbias·2^exp2, from the sequences of minibatch m in the block at a site, to the gradient of its part. */
void ns_relative_bias_add_gradient (NsPass *pass, gint64 site, gsize m, double exp2);
/* Record the gradient of a part, at the end of its backward pass. */
void ns_relative_bias_backward (NsPass *pass, gint64 part);
