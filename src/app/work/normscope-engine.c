/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/work/normscope-engine.h"

#include "engine/experiment/ns-experiment.h"

/* As many as the lecture "Why warm-up" goes back and forth between. */
#define KEPT 4

struct _NormscopeEngine
{
  gatomicrefcount refs;
  guint threads;

  GMutex in_use; /* locked during a job; guards the two below */
  NsEngine *engine;
  gint64 last_use; /* monotonic time at which the last job ended */

  GMutex lock;           /* locked briefly; guards the three below */
  guint64 memory_budget; /* bytes, of the next job */
  guint64 engine_budget; /* bytes, of `engine` */
  NsTraining *kept[KEPT]; /* the newest first; NULL at the end */
};

/* A control changes little from one run to the next, and pictures are painted while the next ones are computed. */
static NsEngine *
new_engine (guint threads, guint64 memory_budget)
{
  NsEngine *engine = ns_engine_new (threads, memory_budget);

  ns_engine_keep_activations (engine);
  ns_engine_give_way (engine);
  return engine;
}

NormscopeEngine *
normscope_engine_new (guint threads, guint64 memory_budget)
{
  NormscopeEngine *self = g_new0 (NormscopeEngine, 1);

  g_atomic_ref_count_init (&self->refs);
  g_mutex_init (&self->in_use);
  g_mutex_init (&self->lock);
  self->engine = new_engine (threads, memory_budget);
  self->threads = ns_engine_get_threads (self->engine);
  self->memory_budget = self->engine_budget = memory_budget;
  return self;
}

NormscopeEngine *
normscope_engine_ref (NormscopeEngine *self)
{
  g_atomic_ref_count_inc (&self->refs);
  return self;
}

void
normscope_engine_unref (NormscopeEngine *self)
{
  if (!g_atomic_ref_count_dec (&self->refs))
    return;

  for (guint i = 0; i < KEPT; i++)
    g_clear_pointer (&self->kept[i], ns_training_unref);
  ns_engine_free (self->engine);
  g_mutex_clear (&self->in_use);
  g_mutex_clear (&self->lock);
  g_free (self);
}

void
normscope_engine_set_memory_budget (NormscopeEngine *self, guint64 memory_budget)
{
  g_mutex_lock (&self->lock);
  self->memory_budget = memory_budget;
  g_mutex_unlock (&self->lock);
}

guint64
normscope_engine_get_memory_budget (NormscopeEngine *self)
{
  guint64 memory_budget;

  g_mutex_lock (&self->lock);
  memory_budget = self->engine_budget;
  g_mutex_unlock (&self->lock);
  return memory_budget;
}

/* An engine cannot change its memory budget, so replace it if the budget has changed. */
static void
update_engine (NormscopeEngine *self)
{
  guint64 memory_budget;
  gboolean differs;

  g_mutex_lock (&self->lock);
  memory_budget = self->memory_budget;
  differs = memory_budget != self->engine_budget;
  self->engine_budget = memory_budget;
  g_mutex_unlock (&self->lock);
  if (!differs)
    return;
  ns_engine_free (self->engine);
  self->engine = new_engine (self->threads, memory_budget);
}

NsEngine *
normscope_engine_begin (NormscopeEngine *self)
{
  g_mutex_lock (&self->in_use);
  update_engine (self);
  return self->engine;
}

void
normscope_engine_end (NormscopeEngine *self)
{
  self->last_use = g_get_monotonic_time ();
  g_mutex_unlock (&self->in_use);
}

void
normscope_engine_release_idle (NormscopeEngine *self)
{
  if (!g_mutex_trylock (&self->in_use))
    return;
  if (g_get_monotonic_time () - self->last_use >= NORMSCOPE_ENGINE_IDLE_MS * G_TIME_SPAN_MILLISECOND)
    {
      ns_engine_release_memory (self->engine);
      ns_machine_trim_memory ();
    }
  g_mutex_unlock (&self->in_use);
}

/* ---- finished trainings ---- */

/* Return the place of the training of an equal experiment, or KEPT. Call with the lock held. */
static guint
find_kept (NormscopeEngine *self, const NsExperiment *experiment)
{
  for (guint i = 0; i < KEPT && self->kept[i] != NULL; i++)
    if (ns_experiment_equal (ns_training_get_experiment (self->kept[i]), experiment))
      return i;
  return KEPT;
}

void
normscope_engine_keep_training (NormscopeEngine *self, NsTraining *training)
{
  guint place;

  g_return_if_fail (training != NULL);
  g_mutex_lock (&self->lock);
  place = MIN (find_kept (self, ns_training_get_experiment (training)), KEPT - 1);
  ns_training_ref (training);
  g_clear_pointer (&self->kept[place], ns_training_unref);
  for (; place > 0; place--)
    self->kept[place] = self->kept[place - 1];
  self->kept[0] = training;
  g_mutex_unlock (&self->lock);
}

NsTraining *
normscope_engine_find_training (NormscopeEngine *self, const NsExperiment *experiment)
{
  NsTraining *training = NULL;
  guint place;

  g_mutex_lock (&self->lock);
  place = find_kept (self, experiment);
  if (place < KEPT)
    training = ns_training_ref (self->kept[place]);
  g_mutex_unlock (&self->lock);
  return training;
}
