/* Export the numbers that a view shows.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Uses the same functions as "normscope-cli run", "train" and "scaling": the same numbers make the same bytes.
 * Threads: main.
 */
#pragma once

#include "engine/analysis/ns-coordinate-check.h"
#include "engine/run/ns-paths.h"
#include "engine/run/ns-result.h"
#include "engine/run/ns-sweep.h"
#include "engine/train/ns-sensitivity.h"
#include "engine/train/ns-training.h"

#include <gio/gio.h>

G_BEGIN_DECLS

typedef enum
{
  NORMSCOPE_DATA_CSV,
  NORMSCOPE_DATA_JSON,
  NORMSCOPE_DATA_NPY, /* results, trainings and sensitivity maps only */
} NormscopeDataFormat;

typedef struct
{
  /* One of these is set. */
  NsResult *result; /* every block */
  NsPaths *paths;   /* maps over pairs of blocks */
  NsSweep *sweep;   /* against depth or width */
  NsTraining *training; /* every step; may still run */
  NsSensitivity *sensitivity;     /* every cell; may still fill */
  NsCoordinateCheck *coordinates; /* every width and step; may still fill */
  gboolean has_ratio; /* of a sweep: export the ratio of these two variants */
  guint numerator, denominator;
  char *verified; /* the result of the experiment's self-check, or NULL; owned */
} NormscopeData;

/* All keep a reference. */
NormscopeData *normscope_data_new_result (const NsResult *result);
NormscopeData *normscope_data_new_paths (const NsPaths *paths);
NormscopeData *normscope_data_new_sweep (const NsSweep *sweep);
NormscopeData *normscope_data_new_training (const NsTraining *training);
NormscopeData *normscope_data_new_sensitivity (const NsSensitivity *map);
NormscopeData *normscope_data_new_coordinates (const NsCoordinateCheck *check);
void normscope_data_free (NormscopeData *self);

/* Return TRUE if these numbers can be written by seed. */
gboolean normscope_data_has_seeds (const NormscopeData *self);
/* Return TRUE if these numbers can be written as .npy. */
gboolean normscope_data_has_npy (const NormscopeData *self);
/* Find the format for a file name's extension. FALSE with NS_DOCUMENT_ERROR_OUTPUT when these numbers do not have it.
 * */
gboolean normscope_data_format_from_name (const NormscopeData *self, const char *name, NormscopeDataFormat *format,
                                          GError **error);
/* Return the extension, ".csv"; static. */
const char *normscope_data_get_suffix (NormscopeDataFormat format);

/* Return the file's bytes. per_seed writes the values of each seed instead of mean and deviation; it is ignored for a
 * sweep, whose CSV always has them and whose JSON never, and for a coordinate check, which never has them. NULL when
 * the system refuses the memory. */
GBytes *normscope_data_export (const NormscopeData *self, NormscopeDataFormat format, gboolean per_seed);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (NormscopeData, normscope_data_free)

G_END_DECLS
