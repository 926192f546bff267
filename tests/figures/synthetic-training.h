/* Trainings with losses chosen by a test.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "engine/train/ns-training.h"

G_BEGIN_DECLS

/* Create a training of that many steps that has not begun, on a short text, with 256 tokens. */
NsTraining *synthetic_training (const char *const *variants, gint64 n_steps, guint n_seeds);

/* Set the losses of a run, as if it had done these steps. */
void synthetic_set_losses (NsTraining *training, guint variant, guint seed, const double *losses, gint64 n);
/* Set the losses of all seeds: from `first` to `last` within half of the steps, and then constant; the seeds lie 0.01
 * apart around it. */
void synthetic_set_fall (NsTraining *training, guint variant, double first, double last);
/* End a run that has losses in NaN at a step and block. */
void synthetic_set_divergence (NsTraining *training, guint variant, guint seed, gint64 step, gint64 site);

/* Train such a training, of a tiny model of 3 blocks. */
NsTraining *synthetic_trained (const char *const *variants, gint64 n_steps, guint n_seeds, const NsTrainingPlan *plan,
                               double learning_rate);

G_END_DECLS
