/* Partial results of a run: copies of what its passes have measured so far.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A pass copies its own numbers, between two sites, to a result that all passes share. When those that run have done
 * so, a copy of that goes to the watch.
 *
 * Threads: each pass belongs to one, as its row of the result does; they share the run.
 */
#pragma once

#include "engine/run/ns-engine-private.h"

G_BEGIN_DECLS

typedef struct _NsPartialRun NsPartialRun;

/* Begin to watch a run that fills the result, borrowed. NULL, which the functions below allow, without a watch or
 * without memory: then nothing is shown. */
NsPartialRun *ns_partial_run_begin (const NsResultWatch *watch, NsResult *result, guint n_threads);
/* End it, after all passes: from now on all numbers of the result count. */
void ns_partial_run_end (NsPartialRun *self);

/* A pass of the run. */
typedef struct
{
  NsPartialRun *run;
  NsSink next;      /* that gets what this one gets */
  guint variant, seed;
  gint64 site;      /* of the last number */
  guint copied_for; /* the partial result that its last copy was for; guarded by the run's lock */
} NsPartialPass;

/* Watch the numbers that the sink gets, which becomes that of *self, until the pass ends. */
void ns_partial_pass_begin (NsPartialPass *self, NsPartialRun *run, NsSink *sink, const NsResultSlot *slot);
void ns_partial_pass_end (NsPartialPass *self);

G_END_DECLS
