/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/session/normscope-history.h"

#include "engine/experiment/ns-experiment.h"

typedef struct
{
  NormscopeState state; /* owns its experiment and marks */
  NormscopeView view;
} Step;

struct _NormscopeHistory
{
  NormscopeUndo *undo; /* of Step */
  guint selected;      /* variant that the last control edited */
};

static Step *
step_new (const NormscopeState *state, const NormscopeView *view)
{
  Step *step = g_new (Step, 1);

  step->state = *state;
  step->state.experiment = ns_experiment_copy (state->experiment);
  step->state.marks = ns_marks_copy (state->marks);
  step->view = *view;
  return step;
}

static void
step_free (gpointer data)
{
  Step *step = data;

  ns_experiment_free (step->state.experiment);
  ns_marks_free (step->state.marks);
  g_free (step);
}

static gboolean
steps_are_equal (gconstpointer a, gconstpointer b)
{
  const Step *first = a, *second = b;

  if (first->state.document != second->state.document || !normscope_view_equal (&first->view, &second->view)
      || !ns_experiment_equal (first->state.experiment, second->state.experiment)
      || ns_view_choice_compare (&first->state.paths, &second->state.paths) != 0
      || ns_view_choice_compare (&first->state.training, &second->state.training) != 0
      || ns_scaling_settings_compare (&first->state.scaling, &second->state.scaling) != 0
      || !ns_marks_equal (first->state.marks, second->state.marks))
    return FALSE;
  for (guint v = 0; v < first->state.experiment->variants->len; v++)
    if (!normscope_variant_look_equal (&first->state.looks[v], &second->state.looks[v]))
      return FALSE;
  return TRUE;
}

/* ---- steps ---- */

void
normscope_history_record (NormscopeHistory *self, const NormscopeState *state, const NormscopeView *view,
                          gconstpointer control)
{
  if (state->selected != self->selected)
    normscope_undo_end_step (self->undo);
  self->selected = state->selected;
  if (!normscope_undo_extends_step (self->undo, control))
    normscope_undo_push (self->undo, step_new (state, view));
}

/* Give the contents of a step to the caller. */
static gboolean
take (Step *step, NormscopeState *to, NormscopeView *to_view)
{
  if (step == NULL)
    return FALSE;
  *to = step->state;
  *to_view = step->view;
  g_free (step);
  return TRUE;
}

gboolean
normscope_history_undo (NormscopeHistory *self, const NormscopeState *state, const NormscopeView *view,
                        NormscopeState *to, NormscopeView *to_view)
{
  return take (normscope_undo_back (self->undo, step_new (state, view)), to, to_view);
}

gboolean
normscope_history_redo (NormscopeHistory *self, const NormscopeState *state, const NormscopeView *view,
                        NormscopeState *to, NormscopeView *to_view)
{
  return take (normscope_undo_forward (self->undo, step_new (state, view)), to, to_view);
}

void
normscope_history_end_step (NormscopeHistory *self)
{
  normscope_undo_end_step (self->undo);
}

gboolean
normscope_history_can_undo (NormscopeHistory *self)
{
  return normscope_undo_can_undo (self->undo);
}

gboolean
normscope_history_can_redo (NormscopeHistory *self)
{
  return normscope_undo_can_redo (self->undo);
}

void
normscope_history_clear (NormscopeHistory *self)
{
  normscope_undo_clear (self->undo);
}

NormscopeHistory *
normscope_history_new (void)
{
  NormscopeHistory *self = g_new0 (NormscopeHistory, 1);

  self->undo = normscope_undo_new (step_free, steps_are_equal);
  return self;
}

void
normscope_history_free (NormscopeHistory *self)
{
  if (self == NULL)
    return;
  normscope_undo_free (self->undo);
  g_free (self);
}
