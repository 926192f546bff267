/* What the parts of the session share.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "app/session/normscope-session.h"
#include "engine/experiment/ns-settings.h"

G_BEGIN_DECLS

/* All that undo would have to bring back. */
typedef struct
{
  NsExperiment *experiment;
  guint selected;
  NsUnknownKeys *unknown; /* or NULL */
  NormscopeVariantLook looks[NS_MAX_VARIANTS];
  NormscopeScalingSettings scaling;
  /* Of a state to be committed: the control that a drag may go on with, NULL for a change by itself. */
  gconstpointer control;
} NormscopeState;

typedef struct _NormscopeHistory NormscopeHistory;

struct _NormscopeSession
{
  GObject parent_instance;
  NormscopeState state;
  NormscopeHistory *history;
  GError *error;
  NormscopeView view;
  int styles[NS_MAX_VARIANTS]; /* of the flow options, derived from the looks */
  NsColor colors[NS_MAX_VARIANTS];
  gboolean has_color[NS_MAX_VARIANTS];
};

/* A state to be changed and committed; it owns a copy of the experiment, and shares the unknown keys. */
NormscopeState normscope_session_copy_state (NormscopeSession *self);
/* A state with an experiment (taken) of which nothing is selected, hidden or coloured yet. */
NormscopeState normscope_session_new_state (NormscopeSession *self, NsExperiment *experiment);
/* The field of a sub-layer's placement. */
int *normscope_variant_get_placement_field (NsVariant *variant, NsSub sub);
/* Drops a copy that is not committed. */
void normscope_state_clear (NormscopeState *next);
/* The one place through which every change goes, so that each can be undone; takes what `next` owns. */
void normscope_session_commit (NormscopeSession *self, NormscopeState *next, guint change);
/* The same without a step to undo. */
void normscope_session_apply (NormscopeSession *self, NormscopeState *next, guint change);

G_END_DECLS
