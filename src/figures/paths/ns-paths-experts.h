/* What the experts of a variant do, at their extremes.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Threads: pure.
 */
#pragma once

#include "engine/run/ns-paths.h"

G_BEGIN_DECLS

/* The smallest and the largest of all experts in all blocks of a part, by the means over the seeds; NaN without any. */
typedef struct
{
  double load[2];
  double log10_gradient[2]; /* of geometric means */
} NsExpertRange;

NsExpertRange ns_paths_get_expert_range (const NsPaths *paths, guint variant, gint64 part);

G_END_DECLS
