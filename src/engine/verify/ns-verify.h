/* The engine's self-check on a user's experiment: the backward pass must be the derivative of the forward pass.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Three kinds of checks on one variant with its first seed, at the input and the first, middle and last block of each
 * part, and at the head:
 *
 *   gradient  for every tensor: central differences of the loss along random directions d of the tensor, from the
 *             forward pass alone, must equal <∂L/∂W, d> of the backward pass
 *   norm      for every tensor: the norm that the user sees, ‖∂L/∂W‖, must equal that of the explicit matrix ∂L/∂W
 *   adjoint   for every operation, on the numbers of this experiment: the adjoint identity of ns-adjoint.h
 *
 * Use it in the double build (NS_DOUBLE), to which the tolerances belong; in float, differences drown in rounding.
 *
 * Threads: ns_verify_run() blocks and runs passes on threads of its own; the errors do not depend on their number.
 */
#pragma once

#include "engine/experiment/ns-settings.h"
#include "engine/ops/ns-real.h"
#include "engine/run/ns-engine.h"

G_BEGIN_DECLS

typedef enum
{
  NS_VERIFY_GRADIENT,
  NS_VERIFY_NORM,
  NS_VERIFY_ADJOINT,
  NS_N_VERIFY_KINDS
} NsVerifyKind;

/* One kind of check of one tensor or operation, summarized over its places. */
typedef struct
{
  NsVerifyKind kind;
  const char *name; /* of the tensor ("w_q") or the operation ("attention"); static */
  double error;     /* the largest relative error; Inf: a number is not finite */
  gint64 site;      /* the site of that error, as in ns-quantity.h */
  guint places;     /* sites that were checked */
  guint undecided;  /* places at which the loss depends on the tensor too weakly for differences to decide */
  gboolean passed;  /* the error is within the tolerance at every decided place */
} NsVerifyCheck;

typedef struct
{
  NsShape shape;   /* the checked shape: the experiment's, or a smaller one */
  GArray *checks;  /* NsVerifyCheck */
  gint64 overflow; /* the site at which the forward pass overflows, in which case nothing is checked; -1: none */
  gboolean passed; /* no check failed, and at least one gradient was decided */
} NsVerifyReport;

/* Return "gradient", "norm" or "adjoint"; static. */
const char *ns_verify_kind_name (NsVerifyKind kind);
/* Return the largest relative error that passes. */
double ns_verify_kind_tolerance (NsVerifyKind kind);

/* For tests of the self-check: callbacks that plant errors in its input. Each may be NULL. */
typedef struct
{
  void (*gradient) (gpointer data, NsTensor tensor, gint64 site, double *gradient, gsize n);
  /* returns an error to add to a reported log10; with one minibatch NS_ESTIMATE_NORM is the only estimate */
  double (*norm) (gpointer data, NsTensor tensor, gint64 site, NsGradientEstimate estimate);
  void (*adjoint) (gpointer data, const char *operation, ns_real *dx, gsize n);
  gpointer data;
} NsVerifyPlant;

/* Check a variant at the size that ns_verify_dup_experiment() chooses. n_threads 0: one for each core. plant and
 * progress may be NULL; progress counts tensors at sites. Return NULL with an error (NS_EXPERIMENT_ERROR,
 * NS_ENGINE_ERROR) when the check cannot run or was cancelled. Caller frees the report. */
NsVerifyReport *ns_verify_run (const NsExperiment *experiment, guint variant, guint n_threads,
                               const NsVerifyPlant *plant, NsProgress *progress, GError **error);
/* Create a report without checks; caller frees it. */
NsVerifyReport *ns_verify_report_new (const NsShape *shape);
void ns_verify_report_free (NsVerifyReport *report);
/* Return the largest error of a kind; 0 when there is no such check. */
double ns_verify_report_get_error (const NsVerifyReport *report, NsVerifyKind kind);

/* Return an experiment with the variant alone, one seed, and a shape that is checked in seconds: its own if a forward
 * pass takes at most NS_VERIFY_MAX_OPERATIONS floating-point operations (and, with ReLU, has at most
 * NS_VERIFY_MAX_KINKS activations), else halved, the largest dimension first, until it does. Wiring, data, loss and
 * initialization stay. Caller owns it. */
NsExperiment *ns_verify_dup_experiment (const NsExperiment *experiment, guint variant);
#define NS_VERIFY_MAX_OPERATIONS 2e9
#define NS_VERIFY_MAX_KINKS 1e6

G_DEFINE_AUTOPTR_CLEANUP_FUNC (NsVerifyReport, ns_verify_report_free)

G_END_DECLS
