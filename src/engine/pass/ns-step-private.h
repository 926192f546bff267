/* The gradients of a few parameters, those of one block or of the ends of the parts, and a step along them.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "engine/pass/ns-step.h"

typedef struct
{
  NsPass *pass;
  const NsStep *step;
  gboolean of_ends;   /* TRUE: parameters outside the blocks; FALSE: those of blocks */
  GArray *matrices, *vectors;
  ns_real *memory;    /* of the factors */
  gsize used;
  double rate;        /* of the run that reads the parameters now */
  ns_real *temporary; /* [N, widest map] */
  NsRoot *product;    /* ⟨g, u⟩ so far */
} NsStepGradients;

void ns_step_gradients_init (NsStepGradients *gradients, NsPass *pass, const NsStep *step, gboolean of_ends);
void ns_step_gradients_clear (NsStepGradients *gradients);
/* Forget the gradients. */
void ns_step_gradients_reset (NsStepGradients *gradients);
/* Report ‖Δθ‖/‖θ‖ of every parameter and add its ⟨g, u⟩ to *product. */
void ns_step_gradients_measure (NsStepGradients *gradients);

/* Callbacks of NsPassHooks; data is an NsStepGradients. The first two keep gradients, the others apply the step. */
void ns_step_keep_matrix (gpointer data, NsTensor tensor, gint64 site, NsScaled x, NsScaled dy);
void ns_step_keep_vector (gpointer data, NsTensor tensor, gint64 site, const double *gradient, double exp2);
NsScaled ns_step_add_linear (gpointer data, NsTensor tensor, gint64 site, NsScaled y, NsScaled x);
const ns_real *ns_step_get_vector (gpointer data, NsTensor tensor, gint64 site);
