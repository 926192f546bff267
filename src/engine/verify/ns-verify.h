/* The engine's self-check on a user's own experiment: is the backward pass the derivative of the forward pass?
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Three kinds of checks on one variant, at the first seed, in the first, middle and last block and the head:
 *
 *   gradient  of every tensor: the loss moved along random directions d of the tensor (central differences of the
 *             forward pass alone) against <∂L/∂W, d> of the backward pass
 *   norm      of every tensor: the number that is shown, ‖∂L/∂W‖, against the matrix ∂L/∂W itself
 *   adjoint   of every kind of operation, on the numbers that it meets in this experiment: see ns-adjoint.h
 *
 * It means something in the double build only (NS_DOUBLE), whose tolerances these are: in float differences drown in
 * rounding.
 *
 * Threads: ns_verify_run() blocks, and shares its passes among threads of its own; errors do not depend on how many.
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

/* A kind of check of one tensor or operation, over the places where it was made. */
typedef struct
{
  NsVerifyKind kind;
  const char *name; /* of the tensor ("w_q") or the operation ("attention"); static */
  double error;     /* the worst relative error; Inf: a number is not finite */
  gint64 site;      /* where that was; as in ns-quantity.h */
  guint places;
  guint undecided;  /* of them, places where the loss depends on the tensor too weakly for differences to tell */
  gboolean passed;  /* error is within the tolerance at every place that could be decided */
} NsVerifyCheck;

typedef struct
{
  NsShape shape;   /* that the checks were made at: the experiment's own, or a smaller one */
  GArray *checks;  /* NsVerifyCheck */
  gint64 overflow; /* the site where the forward pass left the finite numbers: no checks then; or -1 */
  gboolean passed; /* no check failed, and a gradient was decided */
} NsVerifyReport;

/* "gradient", "norm", "adjoint". */
const char *ns_verify_kind_name (NsVerifyKind kind);
/* The largest relative error that passes. */
double ns_verify_kind_tolerance (NsVerifyKind kind);

/* For tests of this check: spoils what is about to be judged. Each may be NULL. */
typedef struct
{
  void (*gradient) (gpointer data, NsTensor tensor, gint64 site, double *gradient, gsize n);
  /* the log10 of a norm as it is shown */
  double (*norm) (gpointer data, NsTensor tensor, gint64 site, double log10_norm);
  void (*adjoint) (gpointer data, const char *operation, ns_real *dx, gsize n);
  gpointer data;
} NsVerifyPlant;

/* Checks a variant at the size that ns_verify_dup_experiment() gives. n_threads 0: one for each core. plant and
 * progress may be NULL; progress counts places. NULL and an error (NS_EXPERIMENT_ERROR, NS_ENGINE_ERROR) when it
 * cannot be run or was cancelled. Caller frees the report. */
NsVerifyReport *ns_verify_run (const NsExperiment *experiment, guint variant, guint n_threads,
                               const NsVerifyPlant *plant, NsProgress *progress, GError **error);
NsVerifyReport *ns_verify_report_new (const NsShape *shape);
void ns_verify_report_free (NsVerifyReport *report);
/* The worst error of a kind; 0 when there is no such check. */
double ns_verify_report_get_error (const NsVerifyReport *report, NsVerifyKind kind);

/* The variant alone with one seed, at a shape that is checked in seconds: its own where a forward pass takes up to
 * NS_VERIFY_MAX_OPERATIONS floating-point operations (and, with ReLU, NS_VERIFY_MAX_KINKS activations), else halved,
 * the largest part first, until it does. Wiring, data, loss and initialization stay. Caller owns it. */
NsExperiment *ns_verify_dup_experiment (const NsExperiment *experiment, guint variant);
#define NS_VERIFY_MAX_OPERATIONS 2e9
#define NS_VERIFY_MAX_KINKS 1e6

G_DEFINE_AUTOPTR_CLEANUP_FUNC (NsVerifyReport, ns_verify_report_free)

G_END_DECLS
