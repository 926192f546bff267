/* A variant's block as a few lines of PyTorch to read.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The lines define block(x, l), which turns the input of block l = 1 .. L into its output, and the norm, attention and
 * FFN that it calls. Parameters have the names of their tensors, as in a dump: w_q, gain_attn_pre, … Initialization,
 * embedding and head are not in them.
 * Threads: any; nothing here keeps state.
 */
#pragma once

#include "engine/experiment/ns-settings.h"

G_BEGIN_DECLS

/* Return the lines, UTF-8. NULL with an NS_EXPERIMENT_ERROR for a variant whose block takes more than a few: with
 * experts, positions within the attention, windows, soft caps or μP, or with an encoder and a decoder. Caller frees. */
char *ns_torch_block_dup (const NsExperiment *experiment, guint variant, GError **error);

G_END_DECLS
