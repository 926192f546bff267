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

/* T5's relative biases (Raffel et al. 2020, arXiv:1910.10683, section 2.1, with the rule of their code): a learned
 * number for each head and bucket of distances, [buckets, H]. */
typedef struct
{
  gboolean causal;           /* all buckets for earlier keys; otherwise half for earlier, half for later ones */
  gsize buckets;             /* at least 4 */
  gint64 distance;           /* the last bucket begins here; more than half of the buckets */
} NsRelativeRule;

/* Return the bucket of a key that is `offset` tokens after the query, negative for an earlier one. Of the n buckets of
 * one side the first ⌊n/2⌋ hold one distance each, the others grow by a factor up to the last. The logarithm is rounded
 * to float as in the code, where it decides at the edges. With a causal rule all later keys are in bucket 0. */
gsize ns_relative_get_bucket (const NsRelativeRule *rule, gint64 offset);
/* Fill the biases [H, 2T − 1] from the table [buckets, H]. */
void ns_relative_fill (ns_real *bias, const ns_real *table, const NsRelativeRule *rule, gsize H, gsize T);
/* The transposed map: dtable [buckets, H] += factor·Σ dbias over the offsets of each bucket; dbias [H, 2T − 1]. */
void ns_relative_backward (double *dtable, const double *dbias, double factor, const NsRelativeRule *rule, gsize H,
                           gsize T);
