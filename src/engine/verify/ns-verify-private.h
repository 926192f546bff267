/* What the parts of the self-check share.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "engine/experiment/ns-settings.h"
#include "engine/pass/ns-pass.h"
#include "engine/verify/ns-verify.h"

#include <stdatomic.h>

/* A difference can be spoiled by a kink or by rounding, but is not made right by accident: the best of so many random
 * directions counts. */
#define NS_VERIFY_DIRECTIONS 3

/* What a linear map read at a site. */
typedef struct
{
  NsTensor tensor;
  gint64 site;
  ns_real *x; /* [N, in], owned */
} NsVerifyInput;

/* A tensor at a site. */
typedef struct
{
  NsTensor tensor;
  gint64 site;
  gsize n;
  gboolean is_matrix;
  double base;            /* what a vector is at initialization */
  double std;             /* what a step of 1 is in units of the tensor */
  double recorded;        /* log10 of the norm that is shown */
  gboolean has_norm, has_gradient;
  gboolean is_modulo;     /* log2_norm is right but for a whole number */
  double norm, log2_norm; /* of the gradient itself */
  double dots[NS_VERIFY_DIRECTIONS]; /* with the directions */
  double error;
  gboolean undecided;
} NsVerifyTarget;

/* What a thread works with. */
typedef struct
{
  NsWorkspaceMemory memory;
  NsWorkspace work;
  NsPass pass;
  ns_real *moved, *direction; /* [largest tensor] */
  const NsVerifyTarget *target; /* that is moved */
  double step;
  gboolean is_filled, is_asking;
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
  double *gradient;        /* [largest tensor] */
  double loss;
  gint64 overflow;
  NsPass *pass; /* that is analysed */
  NsProgress *progress;
  atomic_bool cancelled;
} NsVerify;

/* n numbers N(0, 1), other ones for every (tensor or operation, site, id). */
void ns_verify_draw (ns_real *out, gsize n, guint what, gint64 site, guint id);
/* Adds a place to the report's check of that name; undecided: its error counts for nothing. */
void ns_verify_report_add (NsVerifyReport *report, NsVerifyKind kind, const char *name, gint64 site, double error,
                           gboolean undecided);

/* The adjoint identity of every operation at the sites of the inputs (NsVerifyInput), on the numbers that a finished
 * pass left there. */
void ns_verify_operations (NsPass *pass, GArray *inputs, const NsVerifyPlant *plant, NsVerifyReport *report);

/* A whole pass: gradients, norms and standard deviations of the targets, the inputs of their linear maps, the loss; a
 * forward pass that leaves the finite numbers sets overflow. Then the operations. */
NsPassState ns_verify_analyse (NsVerify *self, NsVerifyReport *report);
/* Holds differences of the loss against the gradient of target `item`; an NsTeamFunc of an NsVerify. */
void ns_verify_target (gpointer data, guint item, guint thread);
