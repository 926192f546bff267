/* Export the numbers that a view shows.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Uses the same functions as "normscope-cli run" and "normscope-cli scaling": the same numbers make the same bytes.
 * Threads: main.
 */
#pragma once

#include "engine/run/ns-result.h"
#include "engine/run/ns-sweep.h"

#include <gio/gio.h>

G_BEGIN_DECLS

typedef enum
{
  NORMSCOPE_DATA_CSV,
  NORMSCOPE_DATA_JSON,
  NORMSCOPE_DATA_NPY, /* results only */
} NormscopeDataFormat;

typedef struct
{
  NsResult *result; /* every block; NULL for a sweep */
  NsSweep *sweep;   /* against depth or width; NULL for a result */
  gboolean has_ratio; /* of a sweep: export the ratio of these two variants */
  guint numerator, denominator;
  char *verified; /* the result of the experiment's self-check, or NULL; owned */
} NormscopeData;

/* Both keep a reference. */
NormscopeData *normscope_data_new_result (const NsResult *result);
NormscopeData *normscope_data_new_sweep (const NsSweep *sweep);
void normscope_data_free (NormscopeData *self);

/* Find the format for a file name's extension. FALSE with NS_DOCUMENT_ERROR_OUTPUT when these numbers do not have it.
 * */
gboolean normscope_data_format_from_name (const NormscopeData *self, const char *name, NormscopeDataFormat *format,
                                          GError **error);
/* Return the extension, ".csv"; static. */
const char *normscope_data_get_suffix (NormscopeDataFormat format);

/* Return the file's bytes. per_seed writes the values of each seed instead of mean and deviation; for a sweep it is
 * ignored, since its CSV always has them and its JSON never. NULL when the system refuses the memory. */
GBytes *normscope_data_export (const NormscopeData *self, NormscopeDataFormat format, gboolean per_seed);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (NormscopeData, normscope_data_free)

G_END_DECLS
