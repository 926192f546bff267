/* Shared by the recursion and its assumptions.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "engine/analysis/ns-mean-field.h"

G_BEGIN_DECLS

/* Return the variance of the elements of W_head. */
double ns_mean_field_get_head_variance (const NsExperiment *experiment, const NsVariant *variant);

G_END_DECLS
