/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/flow/normscope-flow-results.h"

#include "engine/experiment/ns-settings.h"

/* Changes within this time belong to one drag; its ghost is the figure from before the drag. */
#define DRAG_US (800 * G_TIME_SPAN_MILLISECOND)

void
normscope_flow_results_clear (NormscopeFlowResults *self)
{
  g_clear_pointer (&self->whole, ns_result_unref);
  g_clear_pointer (&self->partial, ns_result_unref);
  g_clear_pointer (&self->ghost, ns_result_unref);
}

const NsResult *
normscope_flow_results_get_shown (const NormscopeFlowResults *self)
{
  return self->partial != NULL ? self->partial : self->whole;
}

const NsResult *
normscope_flow_results_get_ghost (const NormscopeFlowResults *self)
{
  const NsExperiment *now, *then;

  if (self->ghost == NULL)
    return NULL;
  now = ns_result_get_experiment (normscope_flow_results_get_shown (self));
  then = ns_result_get_experiment (self->ghost);
  return now->variants->len == then->variants->len ? self->ghost : NULL;
}

static void
set (NsResult **place, NsResult *result)
{
  g_clear_pointer (place, ns_result_unref);
  *place = ns_result_ref (result);
}

void
normscope_flow_results_set_whole (NormscopeFlowResults *self, NsResult *result)
{
  g_clear_pointer (&self->partial, ns_result_unref);
  set (&self->whole, result);
  self->is_former = FALSE;
}

void
normscope_flow_results_set_partial (NormscopeFlowResults *self, NsResult *partial)
{
  set (&self->partial, partial);
}

gboolean
normscope_flow_results_drop_partial (NormscopeFlowResults *self)
{
  if (self->partial == NULL)
    return FALSE;
  g_clear_pointer (&self->partial, ns_result_unref);
  return TRUE;
}

gboolean
normscope_flow_results_drop_former (NormscopeFlowResults *self)
{
  if (!self->is_former)
    return FALSE;
  g_clear_pointer (&self->whole, ns_result_unref);
  self->is_former = FALSE;
  return TRUE;
}

void
normscope_flow_results_keep_ghost (NormscopeFlowResults *self)
{
  gint64 now = g_get_monotonic_time ();

  if (self->whole != NULL && !self->is_former && now - self->changed_at > DRAG_US)
    set (&self->ghost, self->whole);
  self->changed_at = now;
}

void
normscope_flow_results_drop_ghost (NormscopeFlowResults *self)
{
  g_clear_pointer (&self->ghost, ns_result_unref);
  self->is_former = self->whole != NULL;
  self->changed_at = g_get_monotonic_time ();
}

/* ---- pictures ---- */

NsFigureSource
normscope_flow_get_source (NormscopeSession *session, const NsResult *result, const NsResult *ghost,
                           NsFigureOptions *options)
{
  const NsExperiment *experiment = ns_result_get_experiment (result);

  ns_figure_options_init (options);
  normscope_session_get_flow_options (session, &options->flow);
  options->flow.n_seeds_wanted = (guint) experiment->sampling.seeds;
  return (NsFigureSource) { .experiment = experiment, .result = result, .ghost = ghost, .variant = -1 };
}

NormscopePicture *
normscope_flow_dup_picture (NormscopeSession *session, const NsResult *result, gboolean titles)
{
  NsFigureOptions options;
  NsFigureSource source = normscope_flow_get_source (session, result, NULL, &options);

  ns_figure_options_set_titles (&options, titles);
  /* The command makes the same picture, and shows none of one seed before it. */
  if (ns_result_get_n_seeds (result) >= options.flow.n_seeds_wanted)
    options.flow.n_seeds_wanted = 0;
  return normscope_picture_new (NS_FIGURE_FLOW, &source, &options);
}
