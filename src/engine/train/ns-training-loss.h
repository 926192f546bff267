/* The losses of a training over its seeds.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The training may still run, have been cancelled or have diverged: the statistics are over what there is.
 * Threads: any; nothing here keeps state.
 */
#pragma once

#include "engine/train/ns-training.h"

G_BEGIN_DECLS

/* Return the number of steps that any run of the variant has finished. */
gint64 ns_training_get_last_step (const NsTraining *training, guint variant);
/* Compute the statistics of the losses of a step over the runs that have reached it. FALSE if none has. */
gboolean ns_training_get_loss_stat (const NsTraining *training, guint variant, gint64 step, NsStat *stat);

/* Return the number of steps over which a loss is averaged, since one batch alone is noisy: a tenth of all, at most
 * 20. */
gint64 ns_training_get_window (const NsTraining *training);
/* Compute the mean loss of one run over the last steps up to this one; losses that are not finite are left out. FALSE
 * if there is none. */
gboolean ns_training_get_run_loss (const NsTraining *training, guint variant, guint seed, gint64 step, double *mean);
/* Compute the mean loss of each run over the last steps up to this one, fewer at the start, where losses fall fast, and
 * the statistics of these over the runs that have reached it. Losses that are not finite are left out. FALSE if there
 * is none. */
gboolean ns_training_get_smooth_loss (const NsTraining *training, guint variant, gint64 step, NsStat *stat);
/* The same at the last step, of the runs that have finished without divergence. */
gboolean ns_training_get_final_loss (const NsTraining *training, guint variant, NsStat *stat);

/* Return TRUE if the mean of a variant's seeds stalls, as ns_losses_stall() says; FALSE while none has finished. */
gboolean ns_training_stalls (const NsTraining *training, guint variant);

/* Return the mean of the finite losses [step + 1] of one run over the last steps up to this one, of n_steps in all, as
 * above; NAN if there is none. */
double ns_losses_get_mean (const double *losses, gint64 step, gint64 n_steps);
/* Return TRUE if a loss has reached a known one: within this share of it, or 0.05 nats where that is 0. */
#define NS_LOSS_NEAR 0.05
gboolean ns_loss_is_near (double loss, double known);
/* Return TRUE if losses at half of the steps and at the end are those of a run that stalls: both near the entropy of
 * single symbols, and the second less than 2 % below the first. */
gboolean ns_losses_stall (double half, double last, double entropy);

G_END_DECLS
