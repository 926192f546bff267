/* Run experiments: exact forward and backward passes of every variant and seed, on threads.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Results are bit-identical for any number of threads and any memory budget. The engine prints nothing, reads no
 * files and never exits.
 *
 * Threads: an engine runs one job at a time; call it from one thread at a time.
 */
#pragma once

#include "engine/experiment/ns-settings.h"
#include "engine/ops/ns-blas.h"
#include "engine/ops/ns-progress.h"
#include "engine/run/ns-result.h"

G_BEGIN_DECLS

#define NS_ENGINE_ERROR (ns_engine_error_quark ())
GQuark ns_engine_error_quark (void);
typedef enum
{
  NS_ENGINE_ERROR_CANCELLED,
  NS_ENGINE_ERROR_MEMORY,     /* an allocation failed */
  NS_ENGINE_ERROR_CHECKPOINT, /* a checkpoint of a training is damaged or of another experiment or program */
  NS_ENGINE_ERROR_WEIGHTS,    /* the weights of a training are not there */
} NsEngineError;

typedef struct _NsEngine NsEngine;

/* Create an engine. n_threads 0: one for each core. With an OpenBLAS built without threads, and so without locks, the
 * engine uses one thread whatever n_threads is. memory_budget: bytes for weights and activations that are kept rather
 * than computed again; 0: 1 GiB, or a quarter of ns_machine_memory() if that is less. Weights stay in the engine
 * between runs, so that the next run of a dragged slider reuses them. */
NsEngine *ns_engine_new (guint n_threads, guint64 memory_budget);
void ns_engine_free (NsEngine *engine);
guint ns_engine_get_threads (const NsEngine *engine);
/* Free the weights and activations that are kept for the next run, which then takes longer, with the same result. */
void ns_engine_release_memory (NsEngine *engine);

/* Run seeds first_seed .. first_seed + n_seeds - 1 of experiment->sampling for every variant. Blocks until done.
 * progress may be NULL. Return NULL with an error (NS_EXPERIMENT_ERROR, NS_ENGINE_ERROR) when the experiment cannot run
 * or the run was cancelled. Caller owns the result. */
NsResult *ns_engine_run (NsEngine *engine, const NsExperiment *experiment, guint first_seed, guint n_seeds,
                         NsProgress *progress, GError **error);

/* Do the same, but compute only what the quantities need, also those that an ordinary run leaves out
 * (ns_quantity_takes_own_passes()). The result has no others, and the same bits for these. */
NsResult *ns_engine_run_quantities (NsEngine *engine, const NsExperiment *experiment, const NsQuantitySet *quantities,
                                    guint first_seed, guint n_seeds, NsProgress *progress, GError **error);

/* Shows what a long run has measured so far. */
typedef struct
{
  guint first_ms, every_ms; /* the least time up to the first partial result, and between two */
  guint patience;           /* between two it is also at least this many times the time of one */
  /* Take a partial result (ns_result_is_partial()): the numbers of the blocks that each pass has come through, forward
   * or backward. Called on a thread of the engine, one call at a time; the passes may have to wait for it. */
  void (*show) (gpointer user_data, NsResult *partial);
  gpointer user_data;
} NsResultWatch;

/* Do the same, and call the watch, unless it is NULL, while the run goes on. */
NsResult *ns_engine_run_watched (NsEngine *engine, const NsExperiment *experiment, const NsQuantitySet *quantities,
                                 guint first_seed, guint n_seeds, const NsResultWatch *watch, NsProgress *progress,
                                 GError **error);

/* From now on keep the weights of all seeds of a run for the next one, within the memory budget. Without this their
 * memory is used again for the next seed. */
void ns_engine_keep_weights (NsEngine *engine);
/* The same, and keep the activations of runs, in up to a quarter of the memory budget: a run of a deeper stack, say,
 * then runs forward only the blocks that are new. Results have the same bits. For an engine that runs one experiment
 * after the other; the activations without effect where the system limits the address space of the process. */
void ns_engine_keep_activations (NsEngine *engine);
/* Let the engine's own threads give way to threads that answer a user (ns-team.h). */
void ns_engine_give_way (NsEngine *engine);
/* Return the least memory, in bytes, that the experiment needs on this engine (weights and activations beyond the
 * budget are computed again), and the memory that this process may use: the machine's, or less by the limits of its
 * address space (ulimit -v, -d) and of its group (cgroup). ns_engine_run() refuses an experiment that does not fit. */
guint64 ns_engine_get_needed_memory (const NsEngine *engine, const NsExperiment *experiment);
guint64 ns_machine_memory (void);
/* Return TRUE if that is less than the machine's memory. */
gboolean ns_machine_is_limited (void);
/* Return freed memory of this process to the system, if the allocator does not do so itself (glibc). */
void ns_machine_trim_memory (void);
/* Let glibc keep little free memory, for a process that lives long: at most four arenas for the allocations of all
 * threads instead of eight for each processor, and large arrays go back to the system when they are freed. Call it
 * before threads start. */
void ns_machine_set_up_allocator (void);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (NsEngine, ns_engine_free)

G_END_DECLS
