/* The results of the flow view: the last whole one, that of a run that goes on, and the ghost.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Threads: main.
 */
#pragma once

#include "app/session/normscope-session.h"
#include "app/shared/normscope-picture.h"
#include "engine/run/ns-result.h"

G_BEGIN_DECLS

typedef struct
{
  NsResult *whole;    /* the last one of a whole pass, or NULL */
  NsResult *partial;  /* of a run that goes on, on screen instead of it; or NULL */
  NsResult *ghost;    /* from before the last change, or NULL */
  gboolean is_former; /* the whole result is of an experiment that was replaced: it becomes no ghost */
  gint64 changed_at;  /* monotonic time of the last change of the experiment */
} NormscopeFlowResults;

void normscope_flow_results_clear (NormscopeFlowResults *self);

/* Return what is on screen, owned by self; NULL: nothing. */
const NsResult *normscope_flow_results_get_shown (const NormscopeFlowResults *self);
/* Return the ghost of what is on screen if it has as many curves, else NULL. */
const NsResult *normscope_flow_results_get_ghost (const NormscopeFlowResults *self);

/* Reference a result, which goes on screen. */
void normscope_flow_results_set_whole (NormscopeFlowResults *self, NsResult *result);
void normscope_flow_results_set_partial (NormscopeFlowResults *self, NsResult *partial);
/* Drop a whole one of an experiment that was replaced. Return FALSE if there is none. */
gboolean normscope_flow_results_drop_former (NormscopeFlowResults *self);
/* Go back to the last whole one, if any. Return FALSE if there is nothing to do. */
gboolean normscope_flow_results_drop_partial (NormscopeFlowResults *self);

/* Return the source of the figure of a result and a ghost, or NULL, in a session, and set the figure's options. */
NsFigureSource normscope_flow_get_source (NormscopeSession *session, const NsResult *result, const NsResult *ghost,
                                          NsFigureOptions *options);
/* Return the picture of a result, with or without titles, for files. Caller owns it. */
NormscopePicture *normscope_flow_dup_picture (NormscopeSession *session, const NsResult *result, gboolean titles);

/* The experiment changes, or another one takes its place. */
void normscope_flow_results_keep_ghost (NormscopeFlowResults *self);
void normscope_flow_results_drop_ghost (NormscopeFlowResults *self);

G_END_DECLS
