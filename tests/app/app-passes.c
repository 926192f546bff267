/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app-passes.h"

#include "engine/pass/ns-pass.h"

static gint n_passes; /* atomic */

__typeof__ (ns_pass_init) __real_ns_pass_init, __wrap_ns_pass_init;

void
__wrap_ns_pass_init (NsPass *pass, const NsExperiment *experiment, guint variant, guint64 seed, NsWorkspace *work,
                     NsWeights *weights)
{
  g_atomic_int_inc (&n_passes);
  __real_ns_pass_init (pass, experiment, variant, seed, work, weights);
}

guint
app_passes_count (void)
{
  return (guint) g_atomic_int_get (&n_passes);
}
