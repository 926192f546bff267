/* The session shows all that belongs to a step of a lecture.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/session/normscope-session-private.h"

#include "engine/experiment/ns-experiment.h"

/* Take over the results of references that both have. */
static void
keep_results (NsMarks *marks, const NsMarks *former)
{
  for (guint i = 0; i < marks->references->len; i++)
    for (guint j = 0; j < former->references->len; j++)
      {
        NsReference *reference = g_ptr_array_index (marks->references, i);
        const NsReference *known = g_ptr_array_index (former->references, j);

        if (reference->result != NULL || known->result == NULL || known->is_recorded
            || !ns_experiment_equal (reference->experiment, known->experiment))
          continue;
        reference->result = ns_result_ref (known->result);
        reference->variant = known->variant;
      }
}

static guint
find_visible (const NormscopeScene *scene)
{
  for (guint v = 0; v < scene->experiment->variants->len; v++)
    if (!scene->looks[v].hidden)
      return v;
  return 0;
}

void
normscope_session_take_scene (NormscopeSession *self, NormscopeScene *scene)
{
  NormscopeState next;
  guint change = NORMSCOPE_CHANGED_VARIANTS | NORMSCOPE_CHANGED_SELECTED | NORMSCOPE_CHANGED_VIEW
                 | NORMSCOPE_CHANGED_PATHS | NORMSCOPE_CHANGED_TRAINING_FIGURE | NORMSCOPE_CHANGED_SCALING
                 | NORMSCOPE_CHANGED_MARKS;

  g_return_if_fail (NORMSCOPE_IS_SESSION (self));
  g_return_if_fail (scene->experiment != NULL && scene->marks != NULL);

  next = normscope_session_new_state (self, scene->experiment);
  next.document = scene->document;
  next.selected = find_visible (scene);
  next.paths = scene->paths;
  next.training = scene->training;
  next.scaling = scene->scaling;
  next.marks = scene->marks;
  keep_results (next.marks, self->state.marks);
  for (int v = 0; v < NS_MAX_VARIANTS; v++)
    next.looks[v] = scene->looks[v];
  if (!ns_experiment_equal (next.experiment, self->state.experiment))
    change |= NORMSCOPE_CHANGED_EXPERIMENT | NORMSCOPE_CHANGED_REPLACED;
  normscope_history_record (self->history, &self->state, &self->view, NULL);
  self->view = scene->view;
  normscope_session_apply (self, &next, change);
  normscope_session_set_cursor (self, scene->cursor);
  normscope_session_set_step (self, scene->step);
}
