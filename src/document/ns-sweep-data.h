/* A sweep as a tidy CSV file, or as JSON with the fitted laws.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * CSV columns: variant, metric, depth (or d_model), seed, value, log10, with a row for each seed. With several
 * minibatches, a column `estimate` (norm, mean, expected) follows the metric if it is a parameter gradient. A value
 * that is missing, undefined or behind an overflow is "nan".
 * JSON: {"format": "normscope-scaling", …}, see docs/FORMATS.md.
 * The sweep may still be running; the values so far are written.
 * Threads: any; nothing here keeps state.
 */
#pragma once

#include "document/ns-json-writer.h"
#include "document/ns-csv.h"
#include "engine/analysis/ns-laws.h"
#include "engine/run/ns-sweep.h"

#include <gio/gio.h>

G_BEGIN_DECLS

/* The ratio of two variants and its fit. */
typedef struct
{
  guint numerator, denominator;
  NsFit fit;
} NsSweepRatio;

/* Write CSV; the only supported flag is NS_CSV_PROVENANCE. Return NULL when the system refuses the memory.
 * Caller owns the bytes. */
GBytes *ns_sweep_to_csv (const NsSweep *sweep, NsCsvFlags flags);

/* Write JSON with fits [variants of the sweep] and an empty list of expectations; ratio may be NULL. Return NULL
 * when the system refuses the memory. Caller owns the bytes. */
GBytes *ns_sweep_to_json (const NsSweep *sweep, const NsFit *fits, const NsSweepRatio *ratio);

/* ---- parts of a larger document ---- */

/* Write the members "format" to "ratio" into the open object. */
void ns_sweep_write (NsJsonWriter *writer, const NsSweep *sweep, const NsFit *fits, const NsSweepRatio *ratio);
/* Write the member "exponent": {…}. */
void ns_exponent_write (NsJsonWriter *writer, const NsExponent *exponent);

G_END_DECLS
