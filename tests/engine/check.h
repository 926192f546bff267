/* Helpers of the engine's tests: random arrays, sums in double, experiments from text, bitwise comparison of results.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "engine/experiment/ns-settings.h"
#include "engine/ops/ns-real.h"
#include "engine/run/ns-engine.h"

/* Draw n values from N(0, 1), different for every id. Free with g_free(). */
ns_real *check_draw (gsize n, guint id);
double check_dot (const ns_real *x, const ns_real *y, gsize n);
/* Return Σ x². NaN and Inf propagate. */
double check_square (const ns_real *x, gsize n);

/* Return |a − b| / max(|a|, |b|, scale), +Inf if a or b is not finite, 0 if all three are 0. */
double check_relative_error (double a, double b, double scale);

/* Create an experiment with this shape, one seed and the given variants, separated by spaces: "pre post:bias=on". */
NsExperiment *check_experiment (NsShape shape, const char *variants);
/* Run all seeds on a new engine. Fails the test on an error. */
NsResult *check_run (const NsExperiment *experiment, guint n_threads, guint64 budget);
NsResult *check_run_on (NsEngine *engine, const NsExperiment *experiment);

/* Put the seeds of a and of b together, which follow them. */
NsResult *check_merge (const NsResult *a, const NsResult *b);

/* Count the values of variant va, seed sa of a that differ in any bit from those of variant vb, seed sb of b. The
 * shapes must be equal. */
guint check_count_different (const NsResult *a, guint va, guint sa, const NsResult *b, guint vb, guint sb);
/* Count over all variants and seeds. Both results must have the same number of each. */
guint check_count_different_all (const NsResult *a, const NsResult *b);
/* Return the log10 of one seed's value. Fails the test if there is none. */
double check_log10 (const NsResult *result, guint variant, NsQuantity quantity, gint64 site, guint seed);
double check_value (const NsResult *result, guint variant, NsQuantity quantity, gint64 site, guint seed);
