/* The scratch memory of products with weight matrices.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Threads: any; nothing here keeps state.
 */
#pragma once

#include "engine/experiment/ns-settings.h"

/* Return the elements of the largest panel that a product of N tokens in M minibatches needs in any variant; *gram: the
 * tokens of the largest Gram matrices that gradient norms are computed from; 0: none. */
gsize ns_panel_get_elements (const NsExperiment *experiment, gsize N, gsize M, gsize *gram);
