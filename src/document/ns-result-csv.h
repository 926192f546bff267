/* A result as a tidy CSV file: one row for each number.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Columns: variant, part, layer, quantity, kind, mean, std, geometric_mean, sd_factor, log10_mean, seeds. Linear axes
 * show mean ± std, logarithmic axes geometric_mean ×/÷ sd_factor; log10_mean is the logarithm of the geometric mean and
 * stays finite if that underflows. `part` is "input" (layer 0), "stack" (layers 1..depth) or "head" (layer depth + 1);
 * `kind` is gradient (a norm ‖∂L/∂·‖), activation, cosine or loss; the three columns before seeds are empty for the
 * last two. With a row for each seed, seed, value and log10_value replace the columns from mean on; log10_value stays
 * finite if value underflows. With several minibatches, a column `estimate` (norm, mean, expected) follows kind, and
 * parameter gradients have a row for each estimate.
 * Numbers read back to the same value and can be "nan", "inf" or "-inf". UTF-8, commas, line feeds, quoted names where
 * needed.
 * Threads: any; nothing here keeps state.
 */
#pragma once

#include "document/ns-csv.h"
#include "engine/run/ns-result.h"

#include <gio/gio.h>

G_BEGIN_DECLS

/* Write the CSV. `verified` is ns_verification_dup_statement() of the experiment, written as a comment line with the
 * provenance, or NULL. Return NULL when the system refuses the memory. Caller owns the bytes. */
GBytes *ns_result_to_csv (const NsResult *result, NsCsvFlags flags, const char *verified);

/* Return "gradient", "activation", "cosine" or "loss"; static. */
const char *ns_quantity_kind_name (NsQuantityKind kind);
/* Return the part of a site in files: "input" (x_0), "stack", "encoder", "decoder_input" (y_0), "decoder" or "head";
 * *layer is its number there, 0 for an input, depth + 1 for the head. Static. */
const char *ns_site_get_place (const NsExperiment *experiment, gint64 site, gint64 *layer);

G_END_DECLS
