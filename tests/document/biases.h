/* The biases of an experiment by name.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "engine/experiment/ns-settings.h"

/* Return the biases of the first variant, separated by blanks: those of the last block, without cross-attention, then
 * those of the head: "b_q b_k b_v bias_attn_pre b_head". Caller frees. */
char *dup_biases (const NsExperiment *experiment);
