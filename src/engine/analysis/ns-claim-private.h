/* Shared by the checks of claims: tables of values, intervals and verdicts.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "engine/analysis/ns-claim.h"

G_BEGIN_DECLS

/* Fewest points of a fit. */
#define NS_CLAIM_MIN_POINTS 4

/* One value for each seed and x, x ascending. */
typedef struct
{
  guint n, n_seeds;
  double *x;      /* [n]: depths, widths or blocks */
  double *values; /* [n_seeds][n] */
} NsClaimTable;

void ns_claim_table_init (NsClaimTable *table, guint n, guint n_seeds);
void ns_claim_table_clear (NsClaimTable *table);

void ns_claim_cannot_tell (NsClaimResult *result, NsWhyNot why_not);

/* Compute the mean over the seeds of n values that lie `stride` apart, and half its 95 % t-interval, NAN with one
 * seed. */
void ns_claim_interval (const double *values, guint n, gsize stride, double *mean, double *error);
/* Set the verdict on one number that must lie in low..high. `expected` is for texts only. */
void ns_claim_judge_number (double measured, double error, double expected, double low, double high,
                            NsClaimResult *result);
/* Fit the exponent and set its verdict. The table holds logarithms to base 10. */
void ns_claim_judge_exponent (const NsClaim *claim, const NsClaimTable *table, NsClaimResult *result);
/* Set the worst verdict of all points, with the point whose interval exceeds its range most. low and high [n] are the
 * accepted ranges without the tolerance, which is relative to |high| if `relative`. */
void ns_claim_judge_points (const NsClaim *claim, const NsClaimTable *table, const double *low, const double *high,
                            gboolean relative, NsClaimResult *result);
/* Return TRUE if a band applies to the square of the quantity: for all but cosines. */
gboolean ns_claim_is_squared (const NsClaim *claim);
/* Square the values of the table if ns_claim_is_squared(). */
void ns_claim_table_square (const NsClaim *claim, NsClaimTable *table);
/* Compute the claim's band at each x of the table: low and high [n]. */
void ns_claim_get_band (const NsClaim *claim, const NsClaimTable *table, double *low, double *high);

/* Return the assumptions, as bits, that a variant does not meet. */
guint64 ns_claim_find_missed (const NsClaim *claim, const NsExperiment *experiment, guint variant);

/* Return the reason why the claim, which trains, is not checked on an experiment, which has its variants;
 * NS_WHY_NOT_NONE if it is. */
NsWhyNot ns_claim_find_obstacle (const NsClaim *claim, const NsExperiment *experiment);
/* Run a check that trains. */
void ns_claim_evaluate_training (const NsClaim *claim, const NsExperiment *experiment, const NsTraining *training,
                                 NsClaimResult *result);

/* Run a check of learning rates on the map that fits it. */
void ns_claim_evaluate_rates (const NsClaim *claim, const NsExperiment *experiment, const NsEvidence *evidence,
                              NsClaimResult *result);

/* Run a check by block on a result. */
void ns_claim_evaluate_blocks (const NsClaim *claim, const NsResult *from, NsClaimResult *result);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (NsClaimTable, ns_claim_table_clear)

G_END_DECLS
