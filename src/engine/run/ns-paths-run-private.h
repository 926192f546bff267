/* The measurements of a job of paths, each of one variant and seed.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "engine/pass/ns-path-lengths.h"
#include "engine/run/ns-paths-private.h"

G_BEGIN_DECLS

/* Long stacks, in at most NS_PATHS_MAX_PASSES passes besides the three for the moments: the paths of up to 48 branches
 * one by one, or two grids of phases at two passes each. */
#define NS_PATHS_SHORT_LIMIT 48
#define NS_PATHS_GRIDS 2
#define NS_PATHS_POINTS 12
#define NS_PATHS_PHASES (NS_PATHS_GRIDS * NS_PATHS_POINTS)

/* One variant and seed. */
typedef struct
{
  const NsPathsSettings *settings;
  NsProgress *progress;
  NsPaths *paths;
  NsPass *pass;
  guint variant, seed;
  gint64 head;
  gsize size;        /* of an array [N, C] */
  ns_real *memory;
  /* gain */
  gint64 column;
  /* lengths */
  NsScaled gradient[2];          /* ∂L/∂x at the input of each part */
  ns_real *sum;                  /* [N, C] scratch */
  double mean[2], width[2];      /* of the length in each part */
  double step, offset[NS_PATHS_GRIDS]; /* of the grids of phases */
  double re[2][NS_PATHS_PHASES], im[2][NS_PATHS_PHASES];
  guint phase;
} NsPathsRun;

/* Return the sweep of as many parts as the passes allow. */
NsLengths ns_paths_get_parts (const NsPlan *plan);

/* Each goes on from a forward pass that did not overflow and whose sink records nothing. */
NsPassState ns_paths_run_similarity (NsPathsRun *run);
NsPassState ns_paths_run_contributions (NsPathsRun *run);
NsPassState ns_paths_run_gain (NsPathsRun *run);
NsPassState ns_paths_run_lengths (NsPathsRun *run);
NsPassState ns_paths_run_update (NsPathsRun *run);
NsPassState ns_paths_run_routing (NsPathsRun *run);

G_END_DECLS
