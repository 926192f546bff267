/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/session/normscope-history.h"

#include "engine/experiment/ns-experiment.h"

typedef struct
{
  NormscopeState state; /* owns its experiment */
  NormscopeView view;
} Step;

struct _NormscopeHistory
{
  GQueue *past, *future; /* of Step, nearest first */
  gconstpointer control; /* that made the newest past step, or NULL */
  guint selected;        /* variant that the control edited */
  gint64 touched_at;     /* monotonic time of the last change, µs */
};

static Step *
step_new (const NormscopeState *state, const NormscopeView *view)
{
  Step *step = g_new (Step, 1);

  step->state = *state;
  step->state.experiment = ns_experiment_copy (state->experiment);
  step->view = *view;
  return step;
}

static void
step_free (gpointer data)
{
  Step *step = data;

  ns_experiment_free (step->state.experiment);
  g_free (step);
}

static gboolean
step_changes_nothing (const Step *step, const NormscopeState *state, const NormscopeView *view)
{
  if (step->state.document != state->document || !normscope_view_equal (&step->view, view)
      || !ns_experiment_equal (step->state.experiment, state->experiment)
      || normscope_scaling_settings_compare (&step->state.scaling, &state->scaling) != 0)
    return FALSE;
  for (guint v = 0; v < state->experiment->variants->len; v++)
    if (!normscope_variant_look_equal (&step->state.looks[v], &state->looks[v]))
      return FALSE;
  return TRUE;
}

/* ---- steps ---- */

void
normscope_history_record (NormscopeHistory *self, const NormscopeState *state, const NormscopeView *view,
                          gconstpointer control)
{
  gint64 now = g_get_monotonic_time ();
  gboolean extends_step = control != NULL && control == self->control && state->selected == self->selected
                          && now - self->touched_at <= NORMSCOPE_HISTORY_REST_US && !g_queue_is_empty (self->past);

  self->control = control;
  self->selected = state->selected;
  self->touched_at = now;
  g_queue_clear_full (self->future, step_free);
  if (extends_step)
    return;
  g_queue_push_head (self->past, step_new (state, view));
  if (g_queue_get_length (self->past) > NORMSCOPE_HISTORY_MAX_STEPS)
    step_free (g_queue_pop_tail (self->past));
}

static gboolean
move (NormscopeHistory *self, GQueue *from, GQueue *back, const NormscopeState *state, const NormscopeView *view,
      NormscopeState *to, NormscopeView *to_view)
{
  Step *step;

  self->control = NULL;
  while ((step = g_queue_pop_head (from)) != NULL && step_changes_nothing (step, state, view))
    step_free (step);
  if (step == NULL)
    return FALSE;
  g_queue_push_head (back, step_new (state, view));
  *to = step->state;
  *to_view = step->view;
  g_free (step);
  return TRUE;
}

gboolean
normscope_history_undo (NormscopeHistory *self, const NormscopeState *state, const NormscopeView *view,
                        NormscopeState *to, NormscopeView *to_view)
{
  return move (self, self->past, self->future, state, view, to, to_view);
}

gboolean
normscope_history_redo (NormscopeHistory *self, const NormscopeState *state, const NormscopeView *view,
                        NormscopeState *to, NormscopeView *to_view)
{
  return move (self, self->future, self->past, state, view, to, to_view);
}

void
normscope_history_end_step (NormscopeHistory *self)
{
  self->control = NULL;
}

gboolean
normscope_history_can_undo (NormscopeHistory *self)
{
  return !g_queue_is_empty (self->past);
}

gboolean
normscope_history_can_redo (NormscopeHistory *self)
{
  return !g_queue_is_empty (self->future);
}

void
normscope_history_clear (NormscopeHistory *self)
{
  g_queue_clear_full (self->past, step_free);
  g_queue_clear_full (self->future, step_free);
  self->control = NULL;
}

NormscopeHistory *
normscope_history_new (void)
{
  NormscopeHistory *self = g_new0 (NormscopeHistory, 1);

  self->past = g_queue_new ();
  self->future = g_queue_new ();
  return self;
}

void
normscope_history_free (NormscopeHistory *self)
{
  if (self == NULL)
    return;
  g_queue_free_full (self->past, step_free);
  g_queue_free_full (self->future, step_free);
  g_free (self);
}
