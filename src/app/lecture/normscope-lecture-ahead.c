/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/lecture/normscope-lecture-ahead.h"

#include "engine/experiment/ns-experiment.h"

/* How many steps, the current one included. The former one comes last. */
#define AHEAD 4
/* Several changes in a row, such as typing, give one list. */
#define LIST_DELAY_MS 500

struct _NormscopeLectureAhead
{
  NormscopeLectureSession *lecture;
  NormscopeScalingRunner *runner;
  guint list_id;
};

static NormscopeTask *
new_run (const NsLectureStep *step)
{
  NsQuantitySet quantities = ns_flow_options_get_quantities (&step->view.options.flow);

  quantities = ns_quantity_set_with_terms (&quantities);
  return normscope_task_new_run (step->experiment, &quantities);
}

NormscopeTask *
normscope_lecture_new_task (const NsLectureStep *step)
{
  NsSweep *sweep;
  NsPaths *paths;

  switch (ns_figure_info (step->view.figure)->needs)
    {
    case NS_FIGURE_NEEDS_RESULT:
      return new_run (step);
    case NS_FIGURE_NEEDS_SWEEP:
      sweep = ns_lecture_step_new_sweep (step, NULL);
      return sweep != NULL ? normscope_task_new_sweep (sweep) : NULL;
    case NS_FIGURE_NEEDS_PATHS:
      paths = ns_lecture_step_new_paths (step, NULL);
      return paths != NULL ? normscope_task_new_paths (paths) : NULL;
    case NS_FIGURE_NEEDS_EXPERIMENT:
    default:
      return NULL;
    }
}

/* Add the run of a step if its figure, its wiring or its question shows the result, with all seeds or the first one. */
static void
add_run (GPtrArray *tasks, const NsLectureStep *step, gboolean first_seed)
{
  NormscopeTask *task;

  if (!ns_lecture_step_needs (step, NS_FIGURE_NEEDS_RESULT) && !ns_lecture_step_needs (step, NS_FIGURE_NEEDS_PATHS))
    return;
  task = new_run (step);
  if (first_seed)
    task->experiment->sampling.seeds = 1;
  g_ptr_array_add (tasks, task);
}

static void
add_fill (GPtrArray *tasks, const NsLectureStep *step)
{
  NsPaths *paths = ns_lecture_step_needs (step, NS_FIGURE_NEEDS_PATHS) ? ns_lecture_step_new_paths (step, NULL) : NULL;
  NsSweep *sweep = ns_lecture_step_needs (step, NS_FIGURE_NEEDS_SWEEP) ? ns_lecture_step_new_sweep (step, NULL) : NULL;

  if (paths != NULL)
    g_ptr_array_add (tasks, normscope_task_new_paths (paths));
  if (sweep != NULL)
    g_ptr_array_add (tasks, normscope_task_new_sweep (sweep));
}

/* The first seeds of all steps come first, so that each step has a picture soon. */
static gboolean
list_cb (gpointer data)
{
  NormscopeLectureAhead *self = data;
  const NsLecture *lecture = normscope_lecture_session_get_lecture (self->lecture);
  guint n = normscope_lecture_session_get_n_steps (self->lecture);
  guint index = normscope_lecture_session_get_index (self->lecture), end = MIN (index + AHEAD, n);
  GPtrArray *tasks = g_ptr_array_new_with_free_func ((GDestroyNotify) normscope_task_unref);

  for (int first_seed = TRUE; first_seed >= FALSE; first_seed--)
    {
      for (guint i = index; i < end; i++)
        add_run (tasks, ns_lecture_get_step (lecture, i), first_seed);
      if (index > 0)
        add_run (tasks, ns_lecture_get_step (lecture, index - 1), first_seed);
    }
  for (guint i = index; i < end; i++)
    add_fill (tasks, ns_lecture_get_step (lecture, i));
  normscope_scaling_runner_take_tasks (self->runner, tasks);
  self->list_id = 0;
  return G_SOURCE_REMOVE;
}

static void
ahead_changed_cb (NormscopeLectureAhead *self, guint change)
{
  if ((change & ~(guint) NORMSCOPE_LECTURE_CHANGED_FILE) != 0 && self->list_id == 0)
    self->list_id = g_timeout_add (LIST_DELAY_MS, list_cb, self);
}

NormscopeLectureAhead *
normscope_lecture_ahead_new (NormscopeLectureSession *lecture, NormscopeEngine *engine)
{
  NormscopeLectureAhead *self = g_new0 (NormscopeLectureAhead, 1);
  NormscopeEngine *behind = normscope_engine_new_behind (engine);

  self->lecture = g_object_ref (lecture);
  self->runner = normscope_scaling_runner_new (behind);
  normscope_engine_unref (behind);
  g_signal_connect_swapped (lecture, "changed", G_CALLBACK (ahead_changed_cb), self);
  return self;
}

void
normscope_lecture_ahead_free (NormscopeLectureAhead *self)
{
  g_signal_handlers_disconnect_by_data (self->lecture, self);
  g_clear_handle_id (&self->list_id, g_source_remove);
  normscope_scaling_runner_stop (self->runner);
  g_object_unref (self->runner);
  g_object_unref (self->lecture);
  g_free (self);
}
