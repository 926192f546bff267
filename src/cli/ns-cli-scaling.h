/* Declarations shared by the commands that sweep over depth or width.
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

/* Options of a sweep as given on the command line; NULL if absent. Owned. */
typedef struct
{
  char *depths; /* "1..128" */
  char *sweep;  /* "d_model=32..512" */
  char *metric; /* "w_2@last" */
  char *ratio;  /* "post/pre" */
  gboolean for_claims; /* claims need both depths and widths, whatever the sweep's axis */
} NsCliSweepRequest;

void ns_cli_sweep_request_clear (NsCliSweepRequest *request);

/* The parsed options of a sweep. */
typedef struct
{
  NsSweepAxis axis;
  NsMetric metric;
  gint64 *points[2]; /* indexed by NsSweepAxis; owned */
  guint n_points[2];
  gboolean has_ratio;
  guint numerator, denominator;
} NsCliSweepPlan;

gboolean ns_cli_sweep_plan_init (NsCliSweepPlan *plan, const NsCliSweepRequest *request,
                                 const NsExperiment *experiment, GError **error);
void ns_cli_sweep_plan_clear (NsCliSweepPlan *plan);

/* Create a sweep over an axis with the plan's points. Return NULL and an error if no variant has the metric. Caller
 * owns it. */
NsSweep *ns_cli_sweep_new (const NsCliSweepPlan *plan, const NsExperiment *experiment, NsSweepAxis axis,
                           NsMetric metric, GError **error);

/* Find a variant of the experiment by its name, its number from 0, or the id of the built-in variant whose settings it
 * has. `option` is the option's name in messages. */
gboolean ns_cli_find_variant (const NsExperiment *experiment, const char *option, const char *name, guint *variant,
                              GError **error);
/* Find the two variants of a ratio "A/B". */
gboolean ns_cli_find_ratio (const NsExperiment *experiment, const char *option, const char *text, guint *numerator,
                            guint *denominator, GError **error);

/* Set the options of ns_scaling_figure() and its sentence for the plan. */
void ns_cli_sweep_plan_options (const NsCliSweepPlan *plan, NsScalingOptions *options);

/* ---- results ---- */

/* An expectation: --expect 'pre:w_2@last:-0.5±0.05' */
typedef struct
{
  char *text;
  guint variant, over; /* over: denominator of a ratio, or NS_MAX_VARIANTS */
  NsMetric metric;
  double expected, tolerance;
  NsExponent exponent; /* measured */
  gboolean met;
} NsCliExpectation;

/* Read a list of NsCliExpectation, NULL-terminated or NULL. Return NULL and an error for another text. */
GArray *ns_cli_expectations_read (char **texts, const NsExperiment *experiment, GError **error);

typedef struct
{
  const NsExperiment *experiment;
  const NsCliSweepPlan *plan;
  NsSweep *sweep;          /* the plan's own */
  GArray *expectations;    /* NsCliExpectation */
  GPtrArray *claims;       /* NsClaim, or NULL */
  const NsClaimResult *verdicts; /* [claims] */
} NsCliScaling;

/* Write the results as a table or as JSON. Caller owns the bytes. */
GBytes *ns_cli_scaling_to_table (const NsCliScaling *scaling);
GBytes *ns_cli_scaling_to_json (const NsCliScaling *scaling);
/* Return "Pre-LN, w_2@last: the exponent −0.52 ± 0.02 misses the expected −0.40 ± 0.05". Caller frees. */
char *ns_cli_expectation_dup_text (const NsCliScaling *scaling, const NsCliExpectation *expectation);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (NsCliSweepRequest, ns_cli_sweep_request_clear)
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (NsCliSweepPlan, ns_cli_sweep_plan_clear)

G_END_DECLS
