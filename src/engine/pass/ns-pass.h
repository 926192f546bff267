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
/* Run as much of the pass as the sink's quantities need. progress may be NULL; *loss (nullable) is the loss in full
 * precision, if the head is run. */
NsPassState ns_pass_run (NsPass *pass, NsProgress *progress, double *loss);

/* ---- the stages of ns_pass_run() ---- */

/* Run what follows the forward pass of ns_pass_run(). */
NsPassState ns_pass_run_back (NsPass *pass, NsProgress *progress, double *loss);
/* Run the sites first .. last forward; site 0 draws the input. */
NsPassState ns_pass_forward (NsPass *pass, gint64 first, gint64 last, NsProgress *progress);
/* Run final norm, head and loss forward and backward, from the last block's output back to it. Cancelled by the
 * progress of the forward pass. */
NsPassState ns_pass_head (NsPass *pass, double *loss);
/* Run final norm, head and loss forward alone, after the last block. Return the loss. */
double ns_pass_loss (NsPass *pass);
/* Run the backward pass from there down to site `lowest`, its block or input norm included. */
NsPassState ns_pass_backward (NsPass *pass, gint64 lowest, NsProgress *progress);

/* ---- after a forward pass, as often as needed ---- */

/* Run the backward pass from another upstream gradient than the head's: v at x_l of the site `highest`, which the
 * caller has put into pass->dx, in work->dx [N, C]. It becomes J_{l→m}ᵀ·v at x_m of each site below, J the Jacobian of
 * x_l by x_m. With a dual residual J is that of the first stream.
 *
 * Several v [copies·N, C], pass->copies of them, share the products with the weights, once ns_workspace_widen() has
 * made room. They have one power of two, so their norms should be alike. Only x_m is measured, and no parameters. */
NsPassState ns_pass_backward_from (NsPass *pass, gint64 highest, gint64 lowest, NsProgress *progress);
/* Make the block at a site readable: with one cache for all blocks, run the block again unless it is there. */
void ns_pass_fill_cache (NsPass *pass, gint64 site);
