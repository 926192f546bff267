/* The part of a session that undo brings back; the view is a second one.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "app/session/normscope-view.h"
#include "engine/experiment/ns-settings.h"
#include "figures/ns-marks.h"
#include "figures/ns-scaling-settings.h"
#include "figures/table/ns-view-choice.h"

G_BEGIN_DECLS

typedef struct
{
  NsExperiment *experiment;
  guint document; /* the one that the experiment belongs to, as numbered by normscope_session_take_document() */
  guint selected; /* index of the variant that the controls edit */
  NormscopeVariantLook looks[NS_MAX_VARIANTS];
  NsViewChoice paths;
  NsViewChoice training;
  NsScalingSettings scaling;
  NsMarks *marks; /* on the flow figure; never NULL */
  /* In a state to commit: the identity of the control that makes the change, so that its quick changes become one step
   * of undo. NULL makes the change a step of its own. */
  gconstpointer control;
} NormscopeState;

G_END_DECLS
