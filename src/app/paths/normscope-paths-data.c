/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/paths/normscope-paths-data.h"

#include "engine/experiment/ns-experiment.h"

/* Interval at which filling paths are checked for new numbers. */
#define POLL_MS 60

/* ---- how the runner fills paths ---- */

static gpointer
make_paths (const NsExperiment *experiment, gconstpointer settings, GError **error)
{
  return ns_paths_new (experiment, settings, 0, (guint) experiment->sampling.seeds, error);
}

static void
join_paths (NormscopeStore *store, gpointer paths)
{
  normscope_store_join_paths (store, paths);
}

static gboolean
fill_paths (NsEngine *engine, gpointer paths, gconstpointer settings, NsProgress *progress, GError **error)
{
  return ns_engine_fill_paths (engine, paths, progress, error);
}

/* Count what a figure can show of paths that fill: the columns of a gain map appear one by one, other numbers seed by
 * seed. Return 0 while a variant has nothing. */
static guint64
count_numbers (gconstpointer paths, guint64 n_blocks)
{
  guint least = G_MAXUINT;
  guint64 n = 0;

  if (ns_paths_get_settings (paths)->kind == NS_PATHS_GAIN)
    return n_blocks;
  for (guint v = 0; v < ns_paths_get_experiment (paths)->variants->len; v++)
    {
      guint finished = ns_paths_count_finished (paths, v);

      least = MIN (least, finished);
      n += finished;
    }
  return least > 0 ? n : 0;
}

const NormscopeFillKind normscope_paths_kind = {
  .poll_ms = POLL_MS,
  .settings_size = sizeof (NsPathsSettings),
  .ref = (GBoxedCopyFunc) ns_paths_ref,
  .unref = (GDestroyNotify) ns_paths_unref,
  .count = count_numbers,
  .make = make_paths,
  .fill = fill_paths,
  .join = join_paths,
};

/* ---- the newest numbers ---- */

void
normscope_paths_data_clear (NormscopePathsData *self)
{
  g_clear_pointer (&self->result, ns_result_unref);
  g_clear_pointer (&self->paths, ns_paths_unref);
  self->has_all_seeds = FALSE;
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
