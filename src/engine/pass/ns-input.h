/* Draw the inputs, targets and upstream gradient of a pass.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "engine/pass/ns-pass-data.h"

/* Draw the input of each part into work->x [N, C], the targets into work->targets [N] and, with unit-gradient, the
 * upstream gradient into work->input [N, C]. */
void ns_pass_load_input (NsPass *pass);

/* Read or draw a row [C] of a table of the input of a part: the embedding of a token (without embed_scale), the
 * position t, the token type of a segment. Drawn rows are the same in all parts, but for the embedding of an encoder
 * with a table of its own. */
void ns_pass_get_embedding (const NsPass *pass, float *row, gint64 part, gsize id);
void ns_pass_get_position (const NsPass *pass, float *row, gint64 part, gsize t);
void ns_pass_get_token_type (const NsPass *pass, float *row, gint64 part, gsize segment);
