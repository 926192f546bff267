/* A result as one NumPy array of records: one record for each row of the CSV.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Fields: variant, part, layer, quantity, kind, then mean, std, log10_mean and seeds; with a record for each seed, then
 * seed, value and log10_value. Texts are '<U' fields, layer and seeds '<i4', seed '<i8', the others '<f8'; a log10 is
 * NaN for a cosine and the loss. numpy.load() returns a structured array, which pandas.DataFrame() accepts.
 * Threads: any; nothing here keeps state.
 */
#pragma once

#include "engine/run/ns-result.h"

#include <gio/gio.h>

G_BEGIN_DECLS

/* Write the .npy file; `per_seed` writes a record for each seed. Caller owns the bytes. */
GBytes *ns_result_to_npy (const NsResult *result, gboolean per_seed);

G_END_DECLS
