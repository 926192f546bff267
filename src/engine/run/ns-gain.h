/* A column of the gain map: random gradients on their way down the stack.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * docs/MODEL.md, "Gain". The probes are the same for every variant, and depend on the seed and the site of their start
 * alone.
 *
 * Threads: as for a pass.
 */
#pragma once

#include "engine/pass/ns-pass.h"

G_BEGIN_DECLS

/* The mean over the probes, its standard error (NaN for one probe) and its log10, which no double need hold. */
typedef struct
{
  double mean, log10_mean, error;
} NsGain;

/* Receives the gain of the site from which the probes start (1) and of each below. */
typedef void (*NsGainFunc) (gpointer data, gint64 site, NsGain gain);

/* Return how many probes go down the stack together, sharing the products with the weights: a function of shape and
 * probes alone, so that the bits do not depend on the memory budget. */
gsize ns_gain_get_copies (const NsPlan *plan, guint n_probes);
/* Return the blocks that a column runs through for each block below it. */
gsize ns_gain_count_runs (const NsPlan *plan, guint n_probes);
/* Fill the random gradients N(0, 1) at a site, [n_probes, N, C], from element `first` on. */
void ns_gain_fill_probes (guint64 seed, gint64 site, guint64 first, gsize n, float *values);
/* After a forward pass, in a workspace widened for ns_gain_get_copies(): take n_probes random gradients from x_m of the
 * site `column` down to the inputs. drawn: scratch [N, C]. The pass's sink receives nothing. */
NsPassState ns_gain_run_column (NsPass *pass, gint64 column, guint n_probes, float *drawn, NsGainFunc func,
                                gpointer data, NsProgress *progress);

G_END_DECLS
