/* Memory for a result as text.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * GLib's strings end the program when they cannot grow, and the table of a deep stack can have gigabytes. Therefore the
 * functions that make one ask first.
 */
#pragma once

#include "engine/run/ns-sweep.h"

G_BEGIN_DECLS

/* Bytes of a row of numbers, at most, without the name of the variant, whose quotes are doubled. */
#define NS_ROW_BYTES 256

/* Return TRUE if the system has room for a text with so many rows of up to row_bytes. */
gboolean ns_rows_have_room (guint64 rows, guint64 row_bytes);
/* Return TRUE if the system has room for a table of the result with a row for each number, or for each number's
 * statistics over the seeds, where a row has up to row_bytes. */
gboolean ns_result_has_room (const NsResult *result, gboolean per_seed, gsize row_bytes);
/* The same for a table with a row for each value of a sweep. */
gboolean ns_sweep_has_room (const NsSweep *sweep, gsize row_bytes);
/* Return the bytes of the longest name of a variant. */
gsize ns_experiment_get_longest_name (const NsExperiment *experiment);

G_END_DECLS
