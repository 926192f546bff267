/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/scaling/normscope-scaling-theory.h"

#include <gio/gio.h>

struct _NormscopeScalingTheory
{
  GObject parent_instance;

  NsScalingTheory *theory; /* the newest one, or NULL */
  NsSweep *wanted;         /* of the request that runs, or NULL */
  int wanted_depth;
};

G_DEFINE_FINAL_TYPE (NormscopeScalingTheory, normscope_scaling_theory, G_TYPE_OBJECT)

enum { SCALING_THEORY_SIGNAL_READY, N_SCALING_THEORY_SIGNALS };
static guint scaling_theory_signals[N_SCALING_THEORY_SIGNALS];

typedef struct
{
  NsSweep *sweep;
  int depth;
} Request;

static void
request_free (gpointer data)
{
  Request *request = data;

  ns_sweep_unref (request->sweep);
  g_free (request);
}

static void
compute (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  const Request *request = data;

  g_task_return_pointer (task, ns_scaling_theory_new (request->sweep, request->depth),
                         (GDestroyNotify) ns_scaling_theory_unref);
}

/* Take the theory, unless another one has been asked for meanwhile. */
static void
computed_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  NormscopeScalingTheory *self = NORMSCOPE_SCALING_THEORY (source);
  NsScalingTheory *theory = g_task_propagate_pointer (G_TASK (result), NULL);

  if (self->wanted == NULL || !ns_scaling_theory_is_of (theory, self->wanted, self->wanted_depth))
    {
      ns_scaling_theory_unref (theory);
      return;
    }
  g_clear_pointer (&self->wanted, ns_sweep_unref);
  ns_scaling_theory_unref (self->theory);
  self->theory = theory;
  g_signal_emit (self, scaling_theory_signals[SCALING_THEORY_SIGNAL_READY], 0);
}

static void
start (NormscopeScalingTheory *self, const NsSweep *sweep, int depth)
{
  g_autoptr (GTask) task = g_task_new (self, NULL, computed_cb, NULL);
  Request *request = g_new0 (Request, 1);

  g_clear_pointer (&self->wanted, ns_sweep_unref);
  self->wanted = ns_sweep_ref ((NsSweep *) sweep);
  self->wanted_depth = depth;
  request->sweep = ns_sweep_ref ((NsSweep *) sweep);
  request->depth = depth;
  g_task_set_task_data (task, request, request_free);
  g_task_run_in_thread (task, compute);
}

void
normscope_scaling_theory_apply (NormscopeScalingTheory *self, const NsSweep *sweep, NsScalingOptions *options)
{
  g_return_if_fail (NORMSCOPE_IS_SCALING_THEORY (self));
  g_return_if_fail (sweep != NULL && options != NULL);

  if (!options->predictions)
    return;
  if (ns_scaling_theory_is_of (self->theory, sweep, options->theory_depth))
    {
      options->theory = self->theory;
      return;
    }
  options->predictions = FALSE;
  if (self->wanted != sweep || self->wanted_depth != options->theory_depth)
    start (self, sweep, options->theory_depth);
}

static void
normscope_scaling_theory_dispose (GObject *object)
{
  NormscopeScalingTheory *self = NORMSCOPE_SCALING_THEORY (object);

  g_clear_pointer (&self->wanted, ns_sweep_unref);
  g_clear_pointer (&self->theory, ns_scaling_theory_unref);
  G_OBJECT_CLASS (normscope_scaling_theory_parent_class)->dispose (object);
}

static void
normscope_scaling_theory_class_init (NormscopeScalingTheoryClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = normscope_scaling_theory_dispose;
  scaling_theory_signals[SCALING_THEORY_SIGNAL_READY] =
      g_signal_new ("ready", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
}

static void
normscope_scaling_theory_init (NormscopeScalingTheory *self)
{
}

NormscopeScalingTheory *
normscope_scaling_theory_new (void)
{
  return g_object_new (NORMSCOPE_TYPE_SCALING_THEORY, NULL);
}
