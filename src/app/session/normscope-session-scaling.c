/* The session's settings of the scaling view.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/session/normscope-session-private.h"

#include "engine/experiment/ns-experiment.h"

const NsScalingSettings *
normscope_session_get_scaling (NormscopeSession *self)
{
  g_return_val_if_fail (NORMSCOPE_IS_SESSION (self), NULL);
  return &self->state.scaling;
}

/* Return TRUE if only the ranges differ. They are typed or clicked digit by digit, which makes one step. */
static gboolean
differs_in_ranges_only (const NsScalingSettings *from, const NsScalingSettings *to)
{
  NsScalingSettings moved = *from;

  for (int axis = 0; axis < NS_N_SWEEP_AXES; axis++)
    {
      moved.first[axis] = to->first[axis];
      moved.last[axis] = to->last[axis];
    }
  return ns_scaling_settings_compare (&moved, to) == 0;
}

gboolean
normscope_session_set_scaling (NormscopeSession *self, const NsScalingSettings *settings)
{
  NormscopeState next;

  g_return_val_if_fail (NORMSCOPE_IS_SESSION (self), FALSE);
  g_return_val_if_fail (settings != NULL, FALSE);

  if (ns_scaling_settings_compare (&self->state.scaling, settings) == 0)
    return FALSE;
  next = self->state;
  next.scaling = *settings;
  next.control = differs_in_ranges_only (&self->state.scaling, settings) ? &self->state.scaling : NULL;
  normscope_session_commit (self, &next, NORMSCOPE_CHANGED_SCALING);
  return TRUE;
}

gboolean
normscope_session_take_set_up (NormscopeSession *self, NsExperiment *experiment,
                               const NsScalingSettings *settings)
{
  NormscopeState next;

  g_return_val_if_fail (NORMSCOPE_IS_SESSION (self), FALSE);
  g_return_val_if_fail (experiment != NULL && settings != NULL, FALSE);

  if (ns_experiment_equal (experiment, self->state.experiment))
    {
      NsScalingSettings wanted = *settings;

      ns_experiment_free (experiment);
      return normscope_session_set_scaling (self, &wanted);
    }
  next = normscope_session_new_state (self, experiment);
  next.scaling = *settings;
  normscope_session_commit (self, &next,
                            NORMSCOPE_CHANGED_LIST | NORMSCOPE_CHANGED_SCALING | NORMSCOPE_CHANGED_REPLACED);
  return TRUE;
}
