/* A result as JSON: {"format": "normscope-result", …}.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Every statistic is {"mean", "std", "log10_mean"} over the seeds; a cosine and a loss have no log10_mean. A number
 * that is NaN or infinite is null, and so is a quantity that the variant does not have there (token_cos when T = 1).
 * "overflow" is null or {"seed": the sampling seed, "layer": block}, depth + 1 for the head. "experiment" holds the
 * seeds that are in the result, so that running it gives these numbers. "blas" and "precision" say how. With the
 * values of each seed every statistic has "seeds" too, a list in the order of the seeds, and "log10_seeds" where it has
 * a log10_mean.
 * Threads: any; nothing here keeps state.
 */
#pragma once

#include "document/ns-file.h"
#include "engine/run/ns-result.h"

G_BEGIN_DECLS

#define NS_RESULT_FORMAT "normscope-result"
#define NS_RESULT_VERSION 1

/* UTF-8, indented, ending in a newline. `verified`: ns_verification_dup_statement() of the experiment for the key
 * "verified", or NULL. Caller owns the bytes. */
GBytes *ns_result_to_json (const NsResult *result, gboolean per_seed, const char *verified);

G_END_DECLS
