/* A result as a tidy CSV file: one row a number.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Columns: variant, part, layer, quantity, kind, mean, std, log10_mean, seeds. `part` is "input" (layer 0), "stack"
 * (layers 1..depth) or "head" (layer depth + 1); `kind` is gradient (a norm ‖∂L/∂·‖), activation, cosine or
 * loss; log10_mean is empty for the last two. Numbers read back to the same value; "nan", "inf", "-inf" where they are.
 * UTF-8, comma, line feed, names quoted where needed.
 * Threads: any; nothing here keeps state.
 */
#pragma once

#include "engine/ns-result.h"

#include <gio/gio.h>

G_BEGIN_DECLS

/* Caller owns the bytes. */
GBytes *ns_result_to_csv (const NsResult *result);

/* "gradient", "activation", "cosine", "loss"; static. */
const char *ns_quantity_kind_name (NsQuantityKind kind);

G_END_DECLS
