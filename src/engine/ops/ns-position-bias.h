/* Biases of the attention scores that depend on the distance of two tokens.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A table [H, 2T − 1] has a row for each head: query t and key s add its column T − 1 − t + s (NsScores).
 *
 * Threads: pure functions.
 */
#pragma once

#include "engine/ops/ns-real.h"

/* Return the slope of head h = 0 .. H − 1 (ALiBi; Press et al. 2022, arXiv:2108.12409): 2^(−8·(h + 1)/H) for a power of
 * two H; otherwise those of the largest power of two n below H, then every other one of 2n, the steepest first. */
double ns_alibi_get_slope (gsize H, gsize h);
/* Fill the table: −factor·slope·|t − s|. */
void ns_alibi_fill (ns_real *bias, double factor, gsize H, gsize T);
