/* What a pass costs beside the arithmetic that it cannot do without.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Machines are noisy: the parts are timed in turn, round by round, and each figure is the best of its rounds. Ratios
 * within one run hold; milliseconds do not travel.
 *
 * Threads: as ns_engine_run().
 */
#pragma once

#include "engine/experiment/ns-settings.h"
#include "engine/run/ns-engine.h"

G_BEGIN_DECLS

typedef struct
{
  double pass_ms;     /* one variant, one seed, forward, backward, every norm; weights kept from before */
  double fresh_ms;    /* the same, its weights made anew */
  double products_ms; /* the matrix products of that pass alone */
  double random_ms;   /* the random numbers of that pass alone */
  double gflop;       /* multiplications and additions of the products, in 1e9 */
  guint threads;      /* inside the products */
} NsBench;

/* Times the first seed of every variant, `rounds` times each; benches: [variants]. The progress counts the blocks of
 * all that is timed, as a total that stands from the beginning. FALSE and an error as ns_engine_run(). */
gboolean ns_bench_run (NsEngine *engine, const NsExperiment *experiment, guint rounds, NsBench *benches,
                       NsProgress *progress, GError **error);

G_END_DECLS
