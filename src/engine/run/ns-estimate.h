/* What an experiment will take on this machine: operations, memory, time.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Operations and random numbers are counted; memory is what the engine asks for and what it keeps. Time is the counts
 * times what one operation and one random number take here, which a small experiment of the same wiring tells in a few
 * tenths of a second. On a quiet machine the time is right within a factor of 2 from a tenth of a second on.
 *
 * Threads: as an engine; any one thread at a time.
 */
#pragma once

#include "engine/experiment/ns-settings.h"
#include "engine/run/ns-engine.h"

G_BEGIN_DECLS

typedef struct
{
  double n_weights; /* in the matrices of one pass */
  double flop;      /* multiplications and additions of all passes */
  double drawn;     /* random numbers of all passes: what the budget does not hold is drawn for each use */
  guint64 memory;   /* bytes: what it needs, and what is kept of the weights */
  guint64 needed;   /* of it, what it cannot do without */
  guint64 machine;  /* bytes of this machine's memory */
  gboolean fits;    /* needed <= machine; else it is refused */
  double seconds;   /* NAN: not measured, or it does not fit */
} NsEstimate;

/* Counts; seconds is NAN. The experiment is valid. */
void ns_estimate_count (const NsEngine *engine, const NsExperiment *experiment, NsEstimate *estimate);

/* Counts and, if it fits, measures, on an engine of its own with the threads and the budget of `engine`, whose weights
 * it leaves alone. FALSE and an error when the experiment is invalid or the measurement failed or was cancelled
 * (progress may be NULL); the counts are there then if it is valid. */
gboolean ns_estimate_run (const NsEngine *engine, const NsExperiment *experiment, NsProgress *progress,
                          NsEstimate *estimate, GError **error);

/* "about 25 seconds and 1.6 GiB of memory on this machine", "does not fit this machine: …"; translated. Caller
 * frees. */
char *ns_estimate_dup_text (const NsEstimate *estimate);

G_END_DECLS
