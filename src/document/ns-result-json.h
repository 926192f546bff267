/* A result as JSON: {"format": "normscope-result", …}.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Every statistic is {"mean", "std", "geometric_mean", "sd_factor", "log10_mean"} over the seeds; a cosine and a loss
 * have only the first two. NaN and infinite numbers are null, and so is a quantity that the variant lacks there
 * (token_cos if T = 1). "overflow" is null or {"seed": the sampling seed, "layer": block}, with layer depth + 1 for the
 * head. "experiment" has only the seeds of the result, so running it reproduces the numbers; "blas" and "precision"
 * complete the provenance. With values for each seed, every statistic also has "seeds", a list in the order of the
 * seeds, and "log10_seeds" if it has a log10_mean. With several minibatches, parameter gradients also have "estimates",
 * the statistics of each estimate by name.
 * Threads: any; nothing here keeps state.
 */
#pragma once

#include "document/ns-file.h"
#include "engine/run/ns-result.h"

G_BEGIN_DECLS

#define NS_RESULT_FORMAT "normscope-result"
#define NS_RESULT_VERSION 1

/* Write indented JSON in UTF-8 with a final newline. `verified` is ns_verification_dup_statement() of the experiment
 * for the key "verified", or NULL. Return NULL when the system refuses the memory. Caller owns the bytes. */
GBytes *ns_result_to_json (const NsResult *result, gboolean per_seed, const char *verified);

G_END_DECLS
