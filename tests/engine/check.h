/* What the engine's tests share: drawn arrays, sums in double, experiments from text, results compared bit for bit.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "engine/experiment/ns-settings.h"
#include "engine/ops/ns-real.h"
#include "engine/run/ns-engine.h"

/* n numbers N(0, 1), different for every id; g_free. */
ns_real *check_draw (gsize n, guint id);
double check_dot (const ns_real *x, const ns_real *y, gsize n);
/* Σ |x|², NaN and Inf included. */
double check_square (const ns_real *x, gsize n);

/* |a − b| over the largest of |a|, |b| and `scale`; +Inf when a or b is not finite. 0 for three zeros. */
double check_relative_error (double a, double b, double scale);

/* An experiment of these sizes with the given variants, separated by blanks: "pre post:bias=on". seeds of 1. */
NsExperiment *check_experiment (NsShape shape, const char *variants);
/* Runs all seeds of it on a new engine; it has to succeed. */
NsResult *check_run (const NsExperiment *experiment, guint n_threads, guint64 budget);
NsResult *check_run_on (NsEngine *engine, const NsExperiment *experiment);

/* How many numbers of variant va, seed sa of a are not the same bits as variant vb, seed sb of b. Of equal shapes. */
guint check_count_different (const NsResult *a, guint va, guint sa, const NsResult *b, guint vb, guint sb);
/* The same over all variants and seeds; both have as many. */
guint check_count_different_all (const NsResult *a, const NsResult *b);
/* log10 of one seed's value; fails the test when there is none. */
double check_log10 (const NsResult *result, guint variant, NsQuantity quantity, gint64 site, guint seed);
double check_value (const NsResult *result, guint variant, NsQuantity quantity, gint64 site, guint seed);
