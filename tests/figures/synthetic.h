/* Results made of numbers that a test chose.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "engine/experiment/ns-settings.h"
#include "engine/run/ns-result.h"

G_BEGIN_DECLS

/* The default experiment with these variants, as ns_variant_from_text() reads them; NULL-terminated. */
NsExperiment *synthetic_experiment (gint64 depth, const char *const *variants);

/* A result in which every number is different from every other and from seed to seed. */
NsResult *synthetic_result (const NsExperiment *experiment, guint n_seeds);

/* Sets blocks 1..n of a quantity, log10; seeds lie `spread` above and below by turns, against the trend of the
 * neighbouring block. */
void synthetic_set_curve (NsResult *result, guint variant, NsQuantity quantity, const double *log10_values, gsize n,
                          double spread);

/* Sets the same number for all seeds. */
void synthetic_set (NsResult *result, guint variant, NsQuantity quantity, gint64 site, double value,
                    double log10_value);

G_END_DECLS
