/* The numbers behind what a view shows, on their way to a file.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * They go through the same functions as "normscope-cli run" and "normscope-cli scaling", so that the same numbers make
 * the same bytes.
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
  NORMSCOPE_DATA_NPY, /* of a result only */
} NormscopeDataFormat;

typedef struct
{
  NsResult *result; /* of every block, or */
  NsSweep *sweep;   /* against depth or width; the other is NULL */
  gboolean has_ratio;
  guint numerator, denominator;
  char *verified; /* what the self-check of a result's experiment found, or NULL; owned */
} NormscopeData;

/* Both keep a reference. */
NormscopeData *normscope_data_new_result (const NsResult *result);
NormscopeData *normscope_data_new_sweep (const NsSweep *sweep);
void normscope_data_free (NormscopeData *self);

/* By what the name ends in; FALSE with an NS_DOCUMENT_ERROR_OUTPUT when it is none that there is for these numbers. */
gboolean normscope_data_format_from_name (const NormscopeData *self, const char *name, NormscopeDataFormat *format,
                                          GError **error);
/* ".csv"; static. */
const char *normscope_data_get_suffix (NormscopeDataFormat format);

/* per_seed: the value of each seed, which a sweep's CSV always has and its JSON never. Caller owns the bytes. */
GBytes *normscope_data_export (const NormscopeData *self, NormscopeDataFormat format, gboolean per_seed);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (NormscopeData, normscope_data_free)

G_END_DECLS
