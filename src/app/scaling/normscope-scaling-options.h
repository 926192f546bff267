/* The options of the scaling figure, from the session's settings.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Threads: main.
 */
#pragma once

#include "app/session/normscope-session.h"
#include "figures/ns-scaling.h"

G_BEGIN_DECLS

/* Set all options for a figure of this sweep; `stopped` is TRUE once its task has ended. Pointers in the options belong
 * to the session and are valid until it changes. */
void normscope_scaling_get_options (NormscopeSession *session, const NsSweep *sweep, gboolean stopped,
                                    NsScalingOptions *options);

G_END_DECLS
