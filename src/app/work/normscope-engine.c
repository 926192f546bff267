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
  NormscopeQueue *queue;
  NormscopeEngine *window; /* a reference to the engine that this one comes after, or NULL */
  guint64 memory_budget; /* that was set last in this window */

  GMutex lock;            /* locked briefly; guards the trainings */
  NsTraining *kept[KEPT]; /* the newest first; NULL at the end */
};

/* The queue of all windows. */
static GMutex windows_lock; /* guards the two below */
static NormscopeQueue *windows_queue;
static guint n_windows; /* engines that have it */

static NormscopeEngine *
engine_new (NormscopeQueue *queue, guint64 memory_budget)
{
  NormscopeEngine *self = g_new0 (NormscopeEngine, 1);

  g_atomic_ref_count_init (&self->refs);
  g_mutex_init (&self->lock);
  self->queue = queue;
  self->memory_budget = memory_budget;
  return self;
}

NormscopeEngine *
normscope_engine_new (guint threads, guint64 memory_budget)
{
  return engine_new (normscope_queue_new (threads, memory_budget), memory_budget);
}

NormscopeEngine *
normscope_engine_new_for_window (guint64 memory_budget)
{
  NormscopeEngine *self;

  g_mutex_lock (&windows_lock);
  if (n_windows++ == 0)
    windows_queue = normscope_queue_new (0, memory_budget);
  self = engine_new (windows_queue, memory_budget);
  g_mutex_unlock (&windows_lock);
  return self;
}

NormscopeEngine *
normscope_engine_new_behind (NormscopeEngine *window)
{
  NormscopeEngine *self = engine_new (window->queue, window->memory_budget);

  self->window = normscope_engine_ref (window);
  return self;
}

NormscopeEngine *
normscope_engine_ref (NormscopeEngine *self)
{
  g_atomic_ref_count_inc (&self->refs);
  return self;
}

/* The queue ends with the last window. */
static void
drop_queue (NormscopeEngine *self)
{
  gboolean is_last = TRUE;

  normscope_queue_forget (self->queue, self);
  g_mutex_lock (&windows_lock);
  if (self->queue == windows_queue)
    {
      is_last = --n_windows == 0;
      if (is_last)
        windows_queue = NULL;
    }
  g_mutex_unlock (&windows_lock);
  if (is_last)
    normscope_queue_stop (self->queue);
}

void
normscope_engine_unref (NormscopeEngine *self)
{
  if (!g_atomic_ref_count_dec (&self->refs))
    return;

  for (guint i = 0; i < KEPT; i++)
    g_clear_pointer (&self->kept[i], ns_training_unref);
  if (self->window != NULL)
    normscope_engine_unref (self->window);
  else
    drop_queue (self);
  g_mutex_clear (&self->lock);
  g_free (self);
}

NormscopeQueue *
normscope_engine_get_queue (NormscopeEngine *self)
{
  return self->queue;
}

gconstpointer
normscope_engine_get_group (NormscopeEngine *self)
{
  return self->window != NULL ? NORMSCOPE_QUEUE_BEHIND : self;
}

void
normscope_engine_set_front (NormscopeEngine *self)
{
  normscope_queue_set_front (self->queue, self);
}

void
normscope_engine_set_memory_budget (NormscopeEngine *self, guint64 memory_budget)
{
  if (memory_budget == self->memory_budget)
    return;
  self->memory_budget = memory_budget;
  normscope_queue_set_memory_budget (self->queue, memory_budget);
}

guint64
normscope_engine_get_memory_budget (NormscopeEngine *self)
{
  return normscope_queue_get_memory_budget (self->queue);
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
