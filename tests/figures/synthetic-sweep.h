/* Sweeps made of numbers that a test chose.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "engine/analysis/ns-laws.h"
#include "engine/run/ns-sweep.h"

G_BEGIN_DECLS

/* An empty sweep of these variants, four heads, d_model and d_ff 32; points and metric as on the command line. */
NsSweep *synthetic_sweep (const char *points, const char *metric, const char *const *variants, guint n_seeds,
                          NsSweepAxis axis);

void synthetic_set_point (NsSweep *sweep, guint variant, guint point, guint seed, double log10_value);

/* c·f (x), the exponents of the seeds `tilt` above and below by turns; points from `from` on stay empty. */
void synthetic_set_law (NsSweep *sweep, guint variant, NsLaw law, double p, double c, double tilt, guint from);

G_END_DECLS
