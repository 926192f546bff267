/* The figures of a training.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The rows of ns-figure-table.h that need a training make them. It may still run: the figures show what there is, and a
 * note counts the steps. Pure functions; any thread.
 */
#pragma once

#include "engine/train/ns-training.h"
#include "plot/ns-figure.h"

G_BEGIN_DECLS

/* The options of all these figures. */
typedef struct
{
  gboolean log_loss;         /* curves: the losses on a log axis */
  int step;                  /* profile: the last record at or before it; −1: the last one that a visible run has.
                              * Map: a line marks it; −1: none */
  NsQuantity quantity;       /* map: any quantity of blocks */
  guint64 hidden;            /* bit v: variant v is not shown */
  const NsColor *colors;     /* one for each variant, or NULL: the palette; borrowed */
  const gboolean *has_color; /* one for each variant, with colors */
  const int *styles;         /* for each variant the index of its colour, dash and marker; NULL: its own index */
  gboolean titles;           /* a title and a caption (the sentence), for exported figures */
} NsTrainingOptions;

void ns_training_options_init (NsTrainingOptions *options);

/* Return the record that the profile shows. */
guint ns_training_get_record (const NsTraining *training, const NsTrainingOptions *options);

/* Return the x of a step in the map, whose axis is logarithmic, and the recorded step whose numbers it shows at x. */
double ns_training_map_get_x (gint64 step);
gint64 ns_training_map_find_step (const NsTraining *training, double x);

G_END_DECLS
