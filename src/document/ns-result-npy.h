/* A result as one NumPy array of records: one record for each row of the CSV.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Fields: variant, part, layer, quantity, kind, with several minibatches estimate, then mean, std, geometric_mean,
 * sd_factor, log10_mean and seeds, or seed, value and log10_value with a record for each seed. Texts are '<U' fields,
 * layer and seeds '<i4', seed '<i8', the others '<f8'; those that the CSV leaves empty are NaN. numpy.load() returns a
 * structured array, which pandas.DataFrame() accepts.
 * Threads: any; nothing here keeps state.
 */
#pragma once

#include "engine/run/ns-result.h"

#include <gio/gio.h>

G_BEGIN_DECLS

/* Write the .npy file; `per_seed` writes a record for each seed. Return NULL when the system refuses the memory.
 * Caller owns the bytes. */
GBytes *ns_result_to_npy (const NsResult *result, gboolean per_seed);

G_END_DECLS
