/* Sweeps with values chosen by a test.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "engine/analysis/ns-laws.h"
#include "engine/run/ns-sweep.h"

G_BEGIN_DECLS

/* Create an empty sweep of these variants with four heads and d_model = d_ff = 32. points and metric have the syntax of
 * the command line. */
NsSweep *synthetic_sweep (const char *points, const char *metric, const char *const *variants, guint n_seeds,
                          NsSweepAxis axis);

void synthetic_set_point (NsSweep *sweep, guint variant, guint point, guint seed, double log10_value);

/* Fill the points before `from` with c·f(x). The exponents of even seeds are `tilt` larger and those of odd seeds
 * `tilt` smaller. */
void synthetic_set_law (NsSweep *sweep, guint variant, NsLaw law, double p, double c, double tilt, guint from);

G_END_DECLS
