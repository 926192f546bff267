/* A sweep as a file: a tidy CSV, and JSON with the laws that were fitted.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * CSV columns: variant, metric, depth (or d_model), seed, value, log10: a row for each seed. What has not appeared,
 * does not exist or lies past an overflow is "nan".
 * JSON: {"format": "normscope-scaling", …}, see docs/FORMATS.md.
 * A sweep may still be filling: what has appeared by the time of the call is written.
 * Threads: any; nothing here keeps state.
 */
#pragma once

#include "document/ns-json-writer.h"
#include "document/ns-result-csv.h"
#include "engine/analysis/ns-laws.h"
#include "engine/run/ns-sweep.h"

#include <gio/gio.h>

G_BEGIN_DECLS

/* One variant over another. */
typedef struct
{
  guint numerator, denominator;
  NsFit fit;
} NsSweepRatio;

/* NS_CSV_PROVENANCE or nothing: there is always a row for each seed. Caller owns the bytes. */
GBytes *ns_sweep_to_csv (const NsSweep *sweep, NsCsvFlags flags);

/* fits [variants of the sweep]; ratio may be NULL. No expectations. Caller owns the bytes. */
GBytes *ns_sweep_to_json (const NsSweep *sweep, const NsFit *fits, const NsSweepRatio *ratio);

/* ---- for a document that holds more ---- */

/* "format" to "ratio", as members of the object that is open. */
void ns_sweep_write (NsJsonWriter *writer, const NsSweep *sweep, const NsFit *fits, const NsSweepRatio *ratio);
/* "exponent": {…}. */
void ns_exponent_write (NsJsonWriter *writer, const NsExponent *exponent);

G_END_DECLS
