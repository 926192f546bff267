/* What adds to the residual stream.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "engine/experiment/ns-tensor.h"

G_BEGIN_DECLS

/* The first ones have the numbers of NsSub. */
typedef enum
{
  NS_CONTRIBUTOR_ATTN = NS_SUB_ATTN,
  NS_CONTRIBUTOR_CROSS = NS_SUB_CROSS,
  NS_CONTRIBUTOR_FFN = NS_SUB_FFN,
  NS_CONTRIBUTOR_BIAS = NS_N_SUBS, /* the β of a block's norms after its sums, where they are not 0 */
  NS_CONTRIBUTOR_INPUT, /* x_0 of the part */
  NS_N_CONTRIBUTORS
} NsContributor;

G_END_DECLS
