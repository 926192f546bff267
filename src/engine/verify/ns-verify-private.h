/* Shared by the files of the self-check.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "engine/experiment/ns-settings.h"
#include "engine/pass/ns-pass.h"
#include "engine/verify/ns-verify.h"

#include <stdatomic.h>

/* Random directions for each tensor, of which the best counts: a kink or rounding can spoil a difference, but chance
 * does not make a wrong gradient agree. */
#define NS_VERIFY_DIRECTIONS 3

/* The input of a linear map at a site. */
typedef struct
{
  NsTensor tensor;
  gint64 site;
  ns_real *x; /* [N, in], of experts [N·k, in], owned */
} NsVerifyInput;

/* A tensor at a site, and the check of its gradient. */
typedef struct
{
  NsTensor tensor;
  gint64 site;
  gsize n;
  gboolean is_matrix;
  double base;            /* value of a vector at initialization */
  double std;             /* change of the tensor for a step of 1 */
  double recorded;        /* log10 of the norm to check, for several minibatches that of the mean gradient */
  double values[NS_N_ESTIMATES]; /* the numbers to check */
  double batch_mean, batch_mean_square; /* has_norm: the mean of the minibatches' norms over the norm of the mean
                                         * gradient, and the mean of their squares over the square of that norm */
  gboolean has_norm, has_gradient;
  gboolean is_modulo;     /* log2_norm is right except for an integer */
  double norm, log2_norm; /* norm of the explicit gradient, and its log2 */
  double dots[NS_VERIFY_DIRECTIONS]; /* of the gradient with each direction */
  double error;       /* the smallest relative error of all differences */
  gboolean undecided; /* too large an error, but no two differences agree */
} NsVerifyTarget;

/* Memory and state of one thread. */
typedef struct
{
  NsWorkspaceMemory memory;
  NsWorkspace work;
  NsPass pass;
  ns_real *moved, *direction; /* [largest tensor] */
  const NsVerifyTarget *target; /* the tensor to move */
  double step;
  gboolean is_filled;  /* `moved` is up to date */
  gboolean is_filling; /* get_moved() reads the original matrix */
} NsVerifyWorker;

typedef struct
{
  const NsExperiment *experiment;
  const NsVerifyPlant *plant; /* or NULL */
  NsWeights *weights;
  NsTeam *team;
  NsVerifyWorker *workers; /* [team size] */
  GArray *targets;         /* NsVerifyTarget */
  GArray *inputs;          /* NsVerifyInput */
  double *gradient, *share; /* [largest tensor] */
  gboolean refused;        /* no memory for an input */
  double loss;
  gint64 overflow; /* as in NsVerifyReport */
  NsPass *pass; /* the pass being analysed */
  NsProgress *progress;
  atomic_bool cancelled;
} NsVerify;

/* Draw n numbers from N(0, 1), different for each (tensor or operation, site, id). */
void ns_verify_draw (ns_real *out, gsize n, guint item, gint64 site, guint id);
/* Add a place to the report's check of that name. The error of an undecided place is ignored. */
void ns_verify_report_add (NsVerifyReport *report, NsVerifyKind kind, const char *name, gint64 site, double error,
                           gboolean undecided);

/* Check the adjoint identity of every operation at the sites of the inputs (NsVerifyInput), on the numbers of a
 * finished pass. */
void ns_verify_operations (NsPass *pass, GArray *inputs, const NsVerifyPlant *plant, NsVerifyReport *report);

/* Run a whole pass: set gradients, norms and standard deviations of the targets, the inputs of their linear maps and
 * the loss; set report->overflow if the forward pass overflows. Then check the operations. */
NsPassState ns_verify_analyse (NsVerify *self, NsVerifyReport *report);
/* Compare differences of the loss with the gradient of target `item`. An NsTeamFunc; data is an NsVerify. */
void ns_verify_target (gpointer data, guint item, guint thread);
