/* The figure of a sensitivity map.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A heat map for each variant: learning rates horizontally, on a log axis, and a row for each depth or warm-up. The map
 * may still be filled: cells without a finished run are empty, and a note counts the runs. Pure functions; any thread.
 */
#pragma once

#include "engine/train/ns-sensitivity.h"
#include "plot/ns-figure.h"

G_BEGIN_DECLS

typedef struct
{
  int over;                  /* NsSensitivityAxis: the map to compute; a figure shows the map that it is given */
  int seeds;                 /* NsSeedsChoice */
  guint64 hidden;            /* these: as in NsTrainingOptions */
  const NsColor *colors;
  const gboolean *has_color;
  const int *styles;
  gboolean titles;
} NsSensitivityOptions;

void ns_sensitivity_options_init (NsSensitivityOptions *options);

/* Find the cell at a point of the figure, axis units. FALSE where there is none. */
gboolean ns_sensitivity_find_cell (const NsSensitivityPlan *plan, double x, double y, guint *point, guint *rate);
/* Return "learning rate 0.003, depth 12". Caller frees. */
char *ns_sensitivity_dup_cell (const NsSensitivityPlan *plan, guint point, guint rate);

G_END_DECLS
