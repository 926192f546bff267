/* The part of a session that undo brings back; the view is a second one.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "app/session/normscope-scaling-settings.h"
#include "app/session/normscope-view.h"
#include "engine/experiment/ns-settings.h"

G_BEGIN_DECLS

typedef struct
{
  NsExperiment *experiment;
  guint selected; /* index of the variant that the controls edit */
  NormscopeVariantLook looks[NS_MAX_VARIANTS];
  NormscopeScalingSettings scaling;
  /* Of a state to be committed: an identity of the control that makes the change, if quick changes of it are to be one
   * step; NULL if the change is a step of its own. */
  gconstpointer control;
} NormscopeState;

G_END_DECLS
