/* The theory of the sweep on the screen, computed by a thread.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Up to a million blocks take some tenths of a second for each variant, which is too long between two frames. Emits
 * "ready" when the theory that was asked for last can be had.
 *
 * Threads: main.
 */
#pragma once

#include <glib-object.h>

#include "figures/ns-scaling.h"

G_BEGIN_DECLS

#define NORMSCOPE_TYPE_SCALING_THEORY (normscope_scaling_theory_get_type ())
G_DECLARE_FINAL_TYPE (NormscopeScalingTheory, normscope_scaling_theory, NORMSCOPE, SCALING_THEORY, GObject)

NormscopeScalingTheory *normscope_scaling_theory_new (void);

/* Set the theory of the options, which must be for this sweep. While it is being computed, turn it off in them. */
void normscope_scaling_theory_apply (NormscopeScalingTheory *self, const NsSweep *sweep, NsScalingOptions *options);

G_END_DECLS
