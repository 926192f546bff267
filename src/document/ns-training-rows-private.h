/* The numbers of a training, one row for each: shared by its files.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "engine/train/ns-training.h"

/* A number over the n seeds that have it, in the words of files. */
typedef struct
{
  gint64 step, layer;
  const char *part, *quantity, *kind;
  gboolean has_log10;
  guint n;
  const double *values, *log10_values; /* [n] */
  const gint64 *seeds;                 /* [n], of `sampling` */
} NsTrainingRow;

typedef void (*NsTrainingRowFunc) (gpointer data, const NsTrainingRow *row);

/* Call func for every number of a variant: step by step, `losses` with the loss of each, and at recorded steps site by
 * site with everything else. FALSE when memory is refused. */
gboolean ns_training_foreach_row (const NsTraining *training, guint variant, gboolean losses, NsTrainingRowFunc func,
                                  gpointer data);
/* Return TRUE if there is memory for all rows, of `row_bytes` each and the name, as text; per seed or not. */
gboolean ns_training_has_room (const NsTraining *training, gboolean per_seed, gsize row_bytes);
/* Return the experiment with the seeds of the training. Caller owns it. */
NsExperiment *ns_training_dup_experiment (const NsTraining *training);
