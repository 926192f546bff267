/* Predict operations, memory and time of an experiment on this machine.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Operations and random numbers are counted. Memory is what the engine allocates and the weights that it keeps. Time is
 * the counts times the cost of one operation and one random number, measured in a few tenths of a second by a small
 * experiment of the same wiring. On an idle machine, times from 0.1 s on are right within a factor of 2.
 *
 * Threads: as for an engine: one thread at a time.
 */
#pragma once

#include "engine/experiment/ns-settings.h"
#include "engine/run/ns-engine.h"

G_BEGIN_DECLS

typedef struct
{
  double n_weights; /* entries of the matrices of one pass */
  double flop;      /* additions and multiplications of all passes */
  double drawn;     /* random numbers of all passes; weights beyond the budget are drawn for each use */
  guint64 memory;   /* bytes: `needed` and the weights that are kept */
  guint64 needed;   /* bytes that the run cannot do without */
  guint64 machine;  /* bytes of this machine's memory */
  gboolean fits;    /* needed <= machine; otherwise the engine refuses to run */
  double seconds;   /* NAN: not measured, or the experiment does not fit */
} NsEstimate;

/* Count only; sets seconds to NAN. The experiment must be valid. */
void ns_estimate_count (const NsEngine *engine, const NsExperiment *experiment, NsEstimate *estimate);

/* Count and, if the experiment fits, measure, on a second engine with the threads and the budget of `engine`, whose
 * kept weights stay untouched. progress may be NULL. Return FALSE with an error when the experiment is invalid, or the
 * measurement failed or was cancelled; for a valid experiment the counts are set even then. */
gboolean ns_estimate_run (const NsEngine *engine, const NsExperiment *experiment, NsProgress *progress,
                          NsEstimate *estimate, GError **error);

/* Return "about 25 seconds and 1.6 GiB of memory on this machine" or "does not fit this machine: …"; translated. Caller
 * frees. */
char *ns_estimate_dup_text (const NsEstimate *estimate);

G_END_DECLS
