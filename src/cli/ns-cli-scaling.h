/* What the commands that sweep over depth or width share.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Threads: the main thread.
 */
#pragma once

#include "cli/ns-cli-options.h"
#include "engine/analysis/ns-claim.h"
#include "engine/experiment/ns-settings.h"
#include "figures/ns-scaling.h"

#include <gio/gio.h>

G_BEGIN_DECLS

/* As typed; NULL where nothing was. Owned by whoever parsed the command line. */
typedef struct
{
  char *depths; /* "1..128" */
  char *sweep;  /* "d_model=32..512" */
  char *metric; /* "w_2@last" */
  char *ratio;  /* "post/pre" */
  gboolean for_claims; /* these look at depths and widths, whichever of the two the sweep is over */
} NsCliSweepRequest;

void ns_cli_sweep_request_clear (NsCliSweepRequest *request);

/* As understood. */
typedef struct
{
  NsSweepAxis axis;
  NsMetric metric;
  gint64 *points[2]; /* by NsSweepAxis; owned */
  guint n_points[2];
  gboolean has_ratio;
  guint numerator, denominator;
} NsCliSweepPlan;

gboolean ns_cli_sweep_plan_init (NsCliSweepPlan *plan, const NsCliSweepRequest *request,
                                 const NsExperiment *experiment, GError **error);
void ns_cli_sweep_plan_clear (NsCliSweepPlan *plan);

/* Over the plan's axis with its metric, or others; NULL with error. Caller owns it. */
NsSweep *ns_cli_sweep_new (const NsCliSweepPlan *plan, const NsExperiment *experiment, NsSweepAxis axis,
                           NsMetric metric, GError **error);

/* A variant of the experiment by name, number from 0 on, or the id of the built-in one whose settings it has;
 * `option` is for the message. */
gboolean ns_cli_find_variant (const NsExperiment *experiment, const char *option, const char *name, guint *variant,
                              GError **error);
/* "A/B", each as above. */
gboolean ns_cli_find_ratio (const NsExperiment *experiment, const char *option, const char *text, guint *numerator,
                            guint *denominator, GError **error);

/* What ns_scaling_figure() and its words show of the plan. */
void ns_cli_sweep_plan_options (const NsCliSweepPlan *plan, NsScalingOptions *options);

/* ---- what came out ---- */

/* --expect 'pre:w_2@last:-0.5±0.05' */
typedef struct
{
  char *text;
  guint variant, over; /* over: NS_MAX_VARIANTS, or the denominator of a ratio */
  NsMetric metric;
  double expected, tolerance;
  NsExponent exponent; /* measured */
  gboolean met;
} NsCliExpectation;

typedef struct
{
  const NsExperiment *experiment;
  const NsCliSweepPlan *plan;
  NsSweep *sweep;          /* the plan's own */
  GArray *expectations;    /* NsCliExpectation */
  GPtrArray *claims;       /* NsClaim, or NULL */
  const NsClaimResult *verdicts; /* one a claim */
} NsCliScaling;

/* Caller owns the bytes. */
GBytes *ns_cli_scaling_to_table (const NsCliScaling *scaling);
GBytes *ns_cli_scaling_to_json (const NsCliScaling *scaling);
/* "Pre-LN, w_2@last: exponent −0.52 ± 0.02 misses the expected −0.40 ± 0.05"; caller frees. */
char *ns_cli_expectation_dup_text (const NsCliScaling *scaling, const NsCliExpectation *expectation);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (NsCliSweepRequest, ns_cli_sweep_request_clear)
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (NsCliSweepPlan, ns_cli_sweep_plan_clear)

G_END_DECLS
