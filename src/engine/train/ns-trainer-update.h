/* What a step does with its gradient: mean of two halves, norm, update.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Gradients are [parameters.trained]. The functions share the work in a team, which may be NULL; the bits do not depend
 * on it.
 */
#pragma once

#include "engine/ops/ns-team.h"
#include "engine/train/ns-trainer.h"

/* gradient ← (gradient + second)/2 */
void ns_trainer_average (const NsTrainer *trainer, ns_real *gradient, const ns_real *second, NsTeam *team);
/* Return ‖gradient‖. */
double ns_trainer_get_norm (const NsTrainer *trainer, ns_real *gradient, NsTeam *team);
/* Update all parameters by the gradient of that norm, and leave Δθ in it. ratios [parameters.n] receives ‖Δθ‖/‖θ‖, θ
 * before the update, NaN where it is 0 or frozen; or NULL. */
void ns_trainer_update (NsTrainer *trainer, ns_real *gradient, double norm, NsTeam *team, double *ratios);
/* Return ‖v‖ of a parameter's elements in an array of all. */
double ns_parameter_get_norm (const NsParameter *p, const ns_real *array);
