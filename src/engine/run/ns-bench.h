/* The cost of a pass compared with that of its matrix products and random numbers alone.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Against noise, the parts are timed in turn, round by round, and each time is the best of its rounds. Absolute times
 * vary between machines; compare ratios.
 *
 * Threads: as for ns_engine_run().
 */
#pragma once

#include "engine/experiment/ns-settings.h"
#include "engine/run/ns-engine.h"

G_BEGIN_DECLS

typedef struct
{
  double pass_ms;     /* one variant, one seed: forward, backward, every norm; weights kept from the run before */
  double fresh_ms;    /* the same with weights drawn anew */
  double norms_ms;    /* as pass_ms, without relations between parts of the stream, tokens and attention scores */
  double products_ms; /* the matrix products of that pass alone */
  double random_ms;   /* the random numbers of that pass alone */
  double gflop;       /* additions and multiplications of the products, in 1e9 */
  guint threads;      /* used inside the products */
} NsBench;

/* Time the first seed of every variant, `rounds` times each, after one round of warm-up; benches [variants]. The total
 * of the progress is known from the start. Return FALSE with an error as ns_engine_run(). */
gboolean ns_bench_run (NsEngine *engine, const NsExperiment *experiment, guint rounds, NsBench *benches,
                       NsProgress *progress, GError **error);

G_END_DECLS
