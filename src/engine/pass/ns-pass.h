/* A pass of one variant and one seed: forward, loss, backward, with every measurement on the way.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Threads: a pass belongs to one job; its weights may be shared.
 */
#pragma once

#include "engine/pass/ns-pass-data.h"

typedef enum
{
  NS_PASS_DONE,
  NS_PASS_CANCELLED,
  NS_PASS_OVERFLOWED, /* an activation overflowed: a result, not an error; nothing after it is measured */
} NsPassState;

/* Set up a pass over one variant; everything is borrowed. The caller sets sink and hooks afterwards. */
void ns_pass_init (NsPass *pass, const NsExperiment *experiment, guint variant, guint64 seed, NsWorkspace *work,
                   NsWeights *weights);
/* Run the whole pass. progress may be NULL; *loss (nullable) is the loss in full precision. */
NsPassState ns_pass_run (NsPass *pass, NsProgress *progress, double *loss);

/* ---- the three stages of ns_pass_run() ---- */

/* Run the sites first .. last forward; site 0 draws the input. */
NsPassState ns_pass_forward (NsPass *pass, gint64 first, gint64 last, NsProgress *progress);
/* Run final norm, head and loss forward and backward, from the last block's output back to it. Cancelled by the
 * progress of the forward pass. */
NsPassState ns_pass_head (NsPass *pass, double *loss);
/* Run the backward pass from there down to site `lowest`, its block or input norm included. */
NsPassState ns_pass_backward (NsPass *pass, gint64 lowest, NsProgress *progress);
