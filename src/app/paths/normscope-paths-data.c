/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/paths/normscope-paths-data.h"

#include "engine/experiment/ns-experiment.h"

void
normscope_paths_data_clear (NormscopePathsData *self)
{
  g_clear_pointer (&self->result, ns_result_unref);
  g_clear_pointer (&self->paths, ns_paths_unref);
}

void
normscope_paths_data_set_result (NormscopePathsData *self, NsResult *result, gboolean has_all_seeds)
{
  g_clear_pointer (&self->result, ns_result_unref);
  self->result = ns_result_ref (result);
  self->has_all_seeds = has_all_seeds;
}

void
normscope_paths_data_set_paths (NormscopePathsData *self, NsPaths *paths)
{
  NsPaths *former = self->paths;

  self->paths = ns_paths_ref (paths);
  g_clear_pointer (&former, ns_paths_unref);
}

gboolean
normscope_paths_data_has (const NormscopePathsData *self, NsFigureKind figure)
{
  const NsFigureInfo *info = ns_figure_info (figure);

  if (info->needs != NS_FIGURE_NEEDS_PATHS)
    return self->result != NULL;
  return self->paths != NULL && ns_paths_get_settings (self->paths)->kind == info->paths_kind;
}

NsFigureSource
normscope_paths_data_get_source (const NormscopePathsData *self, NsFigureKind figure)
{
  NsFigureSource source = { .variant = -1 };

  if (ns_figure_info (figure)->needs == NS_FIGURE_NEEDS_PATHS)
    {
      source.paths = self->paths;
      source.experiment = ns_paths_get_experiment (self->paths);
    }
  else
    {
      source.result = self->result;
      source.experiment = ns_result_get_experiment (self->result);
    }
  return source;
}

gboolean
normscope_paths_data_is_result_of (const NormscopePathsData *self, const NsExperiment *experiment)
{
  return self->has_all_seeds && ns_experiment_has_same_pass (ns_result_get_experiment (self->result), experiment);
}

gboolean
normscope_paths_data_are_paths_of (const NormscopePathsData *self, const NsExperiment *experiment,
                                   const NsViewChoice *choice)
{
  return self->paths != NULL && ns_view_choice_is_met (choice, self->paths)
         && ns_experiment_has_same_pass (ns_paths_get_experiment (self->paths), experiment);
}
