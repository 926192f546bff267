/* The newest numbers for the figures of the Paths view.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Threads: main.
 */
#pragma once

#include "app/work/normscope-fill-runner.h"
#include "engine/run/ns-paths.h"
#include "engine/run/ns-result.h"
#include "figures/table/ns-view-choice.h"

G_BEGIN_DECLS

/* How a runner makes an NsPaths of NsPathsSettings and fills it; static. */
extern const NormscopeFillKind normscope_paths_kind;

/* Begins as zeros. */
typedef struct
{
  NsResult *result;       /* or NULL */
  gboolean has_all_seeds; /* `result` has */
  NsPaths *paths;         /* or NULL; perhaps they are not complete */
} NormscopePathsData;

void normscope_paths_data_clear (NormscopePathsData *self);

/* Set the newest numbers, which are referenced. */
void normscope_paths_data_set_result (NormscopePathsData *self, NsResult *result, gboolean has_all_seeds);
void normscope_paths_data_set_paths (NormscopePathsData *self, NsPaths *paths);

/* Return TRUE if there are numbers for a figure, perhaps of former settings. */
gboolean normscope_paths_data_has (const NormscopePathsData *self, NsFigureKind figure);
/* Return the source of a figure for which there are numbers. */
NsFigureSource normscope_paths_data_get_source (const NormscopePathsData *self, NsFigureKind figure);

/* Return TRUE if the result is that of the experiment, with all seeds. */
gboolean normscope_paths_data_is_result_of (const NormscopePathsData *self, const NsExperiment *experiment);
/* Return TRUE if the paths are those of the experiment and the choice; perhaps they are not complete. */
gboolean normscope_paths_data_are_paths_of (const NormscopePathsData *self, const NsExperiment *experiment,
                                            const NsViewChoice *choice);

G_END_DECLS
